"""What a search keeps of whole plies: those of the root, in order, and the principal variation.

A ply is its code and the bits taken off, as ``Board`` lists it.
"""

from __future__ import annotations

import cython

from damd.core.bits import lowest
from damd.core.codes import INFINITE_SCORE, MAX_PLY

if cython.compiled:
    from cython.cimports.damd.core.bits import bb
    from cython.cimports.damd.core.board import Board
    from cython.cimports.damd.core.ordering import Ordering
    from cython.cimports.libc.stdlib import calloc, free, malloc

#: SHA-256 of the sources this was compiled from; the build fills it in.
SOURCE_DIGEST = ""


def spelt(code: cython.uint, cap: bb):
    """A ply as (code, bits taken off)."""
    taken = []
    while cap:
        taken.append(lowest(cap))
        cap &= cap - 1
    return code, taken


class Roots:
    """The plies of the root, best first, each with its score and the nodes it took in the last iteration."""

    def __cinit__(self):
        if cython.compiled:
            self.code = cython.NULL
            self.cap = cython.NULL
            self.score = cython.NULL
            self.nodes = cython.NULL

    def __init__(self):
        self.number = 0

    def __dealloc__(self):
        self.release()

    def release(self):
        self.number = 0
        if cython.compiled:
            free(self.code)
            free(self.cap)
            free(self.score)
            free(self.nodes)
            self.code = cython.NULL
            self.cap = cython.NULL
            self.score = cython.NULL
            self.nodes = cython.NULL

    def fill(self, board: Board, ordering: Ordering, n: cython.int, chosen):
        """Take the first ``n`` plies of the board's list, or those of them that are ``chosen``, the likeliest first.

        Raises ``MemoryError`` where there is no room for them.
        """
        indices = list(range(n)) if chosen is None else [i for i in chosen if 0 <= i < n]
        size = len(indices) + 1
        self.release()
        if cython.compiled:
            self.code = cython.cast(cython.p_uint, malloc(size * 4))
            self.cap = cython.cast(cython.pointer(bb), malloc(size * cython.sizeof(bb)))
            self.score = cython.cast(cython.p_int, calloc(size, cython.sizeof(cython.int)))
            self.nodes = cython.cast(cython.p_ulonglong, calloc(size, 8))
            if not (self.code and self.cap and self.score and self.nodes):
                raise MemoryError("no memory for the root plies")
        else:
            self.code, self.cap, self.score, self.nodes = [0] * size, [0] * size, [0] * size, [0] * size
        self.number = len(indices)
        ordering.rank_plies(board, 0, n, 0, 0)
        ranks = [board.ply_score[i] for i in indices]
        order = sorted(range(len(indices)), key=lambda k: -ranks[k])
        for place, k in enumerate(order):
            self.code[place] = board.ply_code[indices[k]]
            self.cap[place] = board.ply_cap[indices[k]]
            self.score[place] = -INFINITE_SCORE

    def bring(self, i, first):
        """Move ply ``i`` to place ``first``; those between keep their order, from which the next iteration profits."""
        code: cython.uint = self.code[i]
        cap: bb = self.cap[i]
        score: cython.int = self.score[i]
        nodes: cython.ulonglong = self.nodes[i]
        while i > first:
            self.code[i] = self.code[i - 1]
            self.cap[i] = self.cap[i - 1]
            self.score[i] = self.score[i - 1]
            self.nodes[i] = self.nodes[i - 1]
            i -= 1
        self.code[first] = code
        self.cap[first] = cap
        self.score[first] = score
        self.nodes[first] = nodes

    def ply(self, i: cython.int):
        """Ply ``i`` in the present order as (code, bits taken off)."""
        return spelt(self.code[i], self.cap[i])

    def share(self):
        """The part of the last iteration's nodes that the first ply took, 0 to 1; it is 1 of nothing."""
        i: cython.int
        total: cython.ulonglong = 0
        for i in range(self.number):
            total += self.nodes[i]
        return 1.0 * self.nodes[0] / total if total else 1.0  # C would divide integers without the 1.0


class Lines:
    """The best line found below each ply of the path that is searched; that of ply 0 is the principal variation."""

    def __cinit__(self):
        if cython.compiled:
            self.code = cython.NULL
            self.cap = cython.NULL

    def __init__(self):
        size = (MAX_PLY + 2) * (MAX_PLY + 2)
        if cython.compiled:
            self.code = cython.cast(cython.p_uint, malloc(size * 4))
            self.cap = cython.cast(cython.pointer(bb), malloc(size * cython.sizeof(bb)))
            if not (self.code and self.cap):
                raise MemoryError("no memory for a search")
        else:
            self.code, self.cap = [0] * size, [0] * size
            self.length = [0] * 130

    def __dealloc__(self):
        if cython.compiled:
            free(self.code)
            free(self.cap)

    def remember(self, ply, code, cap):
        """Put a ply before the line of the next ply."""
        width: cython.int = MAX_PLY + 2
        here: cython.int = ply * width
        below: cython.int = here + width
        n: cython.int = self.length[ply + 1]
        i: cython.int
        self.code[here] = code
        self.cap[here] = cap
        for i in range(n):
            self.code[here + 1 + i] = self.code[below + i]
            self.cap[here + 1 + i] = self.cap[below + i]
        self.length[ply] = n + 1

    def principal(self):
        """The principal variation as (code, bits taken off) of each ply."""
        return [spelt(self.code[i], self.cap[i]) for i in range(self.length[0])]
