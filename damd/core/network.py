"""A small network over the pieces: what a position is worth beyond what its terms and patterns add up to.

It sees the board as the side to move does, White's way round, so that both sides are judged alike. Each piece has a row of
``NETWORK_FIRST`` numbers by whose it is, what it is and where; their sum, cut to what is from 0 to 1, goes through a second
layer of ``NETWORK_SECOND`` to one number. All is in whole numbers: every build and machine finds the same.
"""

from __future__ import annotations

import operator

import cython

from damd.core.bits import DAMD_BITS, lowest
from damd.core.codes import (
    NETWORK_FIRST,
    NETWORK_KINDS,
    NETWORK_ONE,
    NETWORK_ONE_SHIFT,
    NETWORK_SECOND,
    NETWORK_SHIFT,
    WEIGHT_SHIFT,
)

if cython.compiled:
    from cython.cimports.damd.core.bits import bb
    from cython.cimports.libc.stdlib import free, malloc
    from cython.cimports.libc.string import memcpy


class Network:
    """The numbers of one variant's network."""

    def __cinit__(self, numbers, rows):
        if cython.compiled:
            self.rows = cython.NULL

    def __init__(self, numbers, rows):
        """``numbers`` in the order of ``damd.weights.model.Weights.network``, 16 bits in the machine's byte order.

        ``rows`` gives for each side's view the bit of each point, White's way round. Raises ``ValueError`` where these do
        not go together.
        """
        i: cython.int
        j: cython.int
        k: cython.int
        s: cython.int
        q: cython.int
        n: cython.int = len(rows[0])
        first: cython.int = NETWORK_KINDS * n * NETWORK_FIRST  # where the biases begin
        values = memoryview(numbers).cast("h")
        if len(values) != first + NETWORK_FIRST * (NETWORK_SECOND + 1) + 2 * NETWORK_SECOND + 1:
            raise ValueError(f"{len(values)} numbers are no network for {n} points")
        if cython.compiled:
            self.rows = cython.cast(cython.p_short, malloc(2 * first))
            if not self.rows:
                raise MemoryError("no memory for a network")
            text: cython.p_char = numbers
            memcpy(self.rows, text, 2 * first)
        else:
            self.rows = [list(values[start : start + NETWORK_FIRST]) for start in range(0, first, NETWORK_FIRST)]
            self.place = [0] * (2 * NETWORK_KINDS * DAMD_BITS)
            self.bias, self.second_bias, self.out = [0] * NETWORK_FIRST, [0] * NETWORK_SECOND, [0] * NETWORK_SECOND
            self.across = [[0] * NETWORK_FIRST for _ in range(NETWORK_SECOND)]
        for s in range(2):
            for k in range(NETWORK_KINDS):
                for i in range(n):
                    q = rows[s][i]
                    self.place[(s * NETWORK_KINDS + k) * DAMD_BITS + q] = k * n + i
        at: cython.int = first
        for i in range(NETWORK_FIRST):
            self.bias[i] = values[at + i]
        at += NETWORK_FIRST
        for j in range(NETWORK_SECOND):
            for i in range(NETWORK_FIRST):
                self.across[j][i] = values[at + i]
            at += NETWORK_FIRST
        for j in range(NETWORK_SECOND):
            self.second_bias[j] = values[at + j] << NETWORK_SHIFT
            self.out[j] = values[at + NETWORK_SECOND + j]
        self.last = values[at + 2 * NETWORK_SECOND] << NETWORK_ONE_SHIFT

    def __dealloc__(self):
        if cython.compiled:
            free(self.rows)

    def value(self, board):
        """Centipawns for the side to move."""
        at: cython.int = 2 * board.level
        s: cython.int = board.side[board.level]
        sums: cython.short[NETWORK_FIRST]
        row: cython.p_short
        pieces: bb
        kind: cython.int
        place: cython.int
        i: cython.int
        j: cython.int
        total: cython.int
        out: cython.int = self.last
        if not cython.compiled:
            lists, sums = [self.bias], []
        else:
            for i in range(NETWORK_FIRST):
                sums[i] = self.bias[i]
        for kind in range(NETWORK_KINDS):
            i = at + (s ^ (kind >> 1))
            pieces = board.kings[i] if kind & 1 else board.men[i]
            while pieces:
                place = self.place[(s * NETWORK_KINDS + kind) * DAMD_BITS + lowest(pieces)]
                pieces &= pieces - 1
                if not cython.compiled:
                    lists.append(self.rows[place])
                else:
                    row = self.rows + place * NETWORK_FIRST
                    for i in range(NETWORK_FIRST):
                        sums[i] += row[i]
        if not cython.compiled:
            # Python's own loops are several times as fast as the same ones written out.
            sums = list(map(sum, zip(*lists, strict=True)))
        for i in range(NETWORK_FIRST):
            sums[i] = max(0, min(NETWORK_ONE, sums[i]))
        for j in range(NETWORK_SECOND):
            total = self.second_bias[j]
            if not cython.compiled:
                total += sum(map(operator.mul, sums, self.across[j]))
            else:
                for i in range(NETWORK_FIRST):
                    total += sums[i] * self.across[j][i]
            out += max(0, min(NETWORK_ONE, total >> NETWORK_SHIFT)) * self.out[j]
        return out >> (NETWORK_ONE_SHIFT + WEIGHT_SHIFT)
