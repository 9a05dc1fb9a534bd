"""The order in which a node's plies are tried, and what the search learns about it on its way.

One object serves one search: killers of each ply and a history of each quiet ply. Where
nothing is known the plies keep the generator's order, so the same search gives the same answers in every build.
"""

from __future__ import annotations

import cython

from damd.core.bits import bit, count, fold, lowest, scatter
from damd.core.codes import (
    BECOMES_KING,
    HISTORY_LIMIT,
    KIND_MASK,
    MISS,
    QUIET,
    RANK_BEST,
    RANK_CAPTURE,
    RANK_KILLER,
    RANK_LAST,
    RANK_MISS,
    RANK_QUIET,
    SIGNATURE_MASK,
    WAS_KING,
)

if cython.compiled:
    from cython.cimports.damd.core.bits import bb

#: SHA-256 of the sources this was compiled from; the build fills it in.
SOURCE_DIGEST = ""


class Ordering:
    """Ranks for the plies of a list, and the memory they are made from."""

    def __init__(self):
        if not cython.compiled:
            self.killer = [0] * 260
            self.history = [0] * (2 * 128 * 128)
        self.forget()

    def forget(self):
        """Forget what was learned."""
        i: cython.int
        for i in range(260):
            self.killer[i] = 0
        for i in range(2 * 128 * 128):
            self.history[i] = 0

    def signature(self, code, cap):
        """20 bits that tell the plies of one position apart, never 0."""
        word: cython.ulonglong = scatter(fold(cap), code, 0) & SIGNATURE_MASK
        return word or 1

    def rank_plies(self, board, base, n, ply, best):
        """Give each ply of the list its place: table's ply, captures by size, killers, history, misses last."""
        at: cython.int = board.level
        s: cython.int = board.side[at]
        their_kings: bb = board.kings[2 * at + 1 - s]
        i: cython.int
        code: cython.uint
        rank: cython.ulonglong
        for i in range(base, base + n):
            code = board.ply_code[i]
            if best and self.signature(code, board.ply_cap[i]) == best:
                rank = RANK_BEST
            elif (code & KIND_MASK) != QUIET:
                rank = RANK_CAPTURE + 64 * (count(board.ply_cap[i]) + 2 * count(board.ply_cap[i] & their_kings))
                if code & MISS:
                    rank -= RANK_CAPTURE - RANK_MISS
                elif (code & BECOMES_KING) and not (code & WAS_KING):
                    rank += 128
            elif code & MISS:
                rank = RANK_MISS
            elif code == self.killer[2 * ply] or code == self.killer[2 * ply + 1]:
                rank = RANK_KILLER
            else:
                rank = RANK_QUIET + self.history[s * 16384 + (code & 16383)]
                if (code & BECOMES_KING) and not (code & WAS_KING):
                    rank = RANK_KILLER + 1
            board.ply_score[i] = rank

    def bring_known(self, board, base, n, known):
        """Swap the ply of this signature to the list's start; whether it is there."""
        i: cython.int
        for i in range(base, base + n):
            if self.signature(board.ply_code[i], board.ply_cap[i]) == known:
                self.swap_plies(board, base, i)
                return True
        return False

    def rank_claims(self, board, base, n, limit):
        """Order claims by what they take and what captures they open; all but the best ``limit`` rank last."""
        at: cython.int = board.level
        s: cython.int = board.side[at]
        theirs: cython.int = 2 * at + 1 - s
        pieces: bb = board.pending[at]
        men: bb = board.men[theirs]
        kings: bb = board.kings[theirs]
        open_now: cython.int = count(board.capable())
        worth: cython.int[128]
        i: cython.int
        q: cython.int
        x: bb
        total: cython.int
        if not cython.compiled:
            worth = [0] * 128
        while pieces:
            q = lowest(pieces)
            pieces &= pieces - 1
            board.men[theirs] = men & ~bit(q)
            board.kings[theirs] = kings & ~bit(q)
            worth[q] = 40 + 40 * (count(board.capable()) - open_now) + (120 if kings & bit(q) else 0)
            # A man far on its way is worth more than one at home.
            worth[q] += 4 * (board.rank[q] if s == 1 else 12 - board.rank[q])
        board.men[theirs] = men
        board.kings[theirs] = kings
        for i in range(base, base + n):
            total = 0
            x = board.ply_cap[i]
            while x:
                total += worth[lowest(x)]
                x &= x - 1
            # The table's ply keeps its place before all others.
            if board.ply_score[i] != RANK_BEST:
                board.ply_score[i] = RANK_CAPTURE + 1000 + (max(0, total))
        if n > limit:
            for i in range(base, base + limit):
                self.bring_best(board, i, base + n)
            for i in range(base + limit, base + n):
                board.ply_score[i] = RANK_LAST

    def bring_best(self, board, i, end):
        """Swap the best-ranked ply of ``i`` to ``end`` to place ``i``."""
        j: cython.int
        best: cython.int = i
        for j in range(i + 1, end):
            if board.ply_score[j] > board.ply_score[best]:
                best = j
        if best != i:
            self.swap_plies(board, i, best)

    def swap_plies(self, board, i, j):
        """Let two plies of the list change places."""
        code: cython.uint = board.ply_code[i]
        cap: bb = board.ply_cap[i]
        rank: cython.ulonglong = board.ply_score[i]
        board.ply_code[i] = board.ply_code[j]
        board.ply_cap[i] = board.ply_cap[j]
        board.ply_score[i] = board.ply_score[j]
        board.ply_code[j] = code
        board.ply_cap[j] = cap
        board.ply_score[j] = rank

    def reward(self, board, code, depth, ply, base, i):
        """A quiet ply refuted its node: remember it, and hold it against the quiet plies tried before."""
        s: cython.int = board.side[board.level]
        j: cython.int
        gain: cython.int = depth * depth
        cell: cython.int = s * 16384 + (code & 16383)
        if self.killer[2 * ply] != code:
            self.killer[2 * ply + 1] = self.killer[2 * ply]
            self.killer[2 * ply] = code
        self.history[cell] += gain
        if self.history[cell] > HISTORY_LIMIT:
            for j in range(2 * 128 * 128):
                self.history[j] //= 2
        for j in range(base, i):
            if (board.ply_code[j] & KIND_MASK) == QUIET:
                cell = s * 16384 + (board.ply_code[j] & 16383)
                self.history[cell] -= min(self.history[cell], gain)
