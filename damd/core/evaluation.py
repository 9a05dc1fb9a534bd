"""What a quiet position is worth, computed from the rules: material, advance, the guarded far row, claims.

One interface, ``evaluate(board)``: centipawns (a man is 100) for the side to move. The weights are plain numbers
from ``damd.core.tables.evaluation_spec``; none is tied to a game.
"""

from __future__ import annotations

import cython

from damd.core.bits import bit, count

if cython.compiled:
    from cython.cimports.damd.core.board import Board


class Evaluation:
    """The weights of one variant."""

    def __init__(self, spec):
        self.man = spec["man"]
        self.king = spec["king"]
        self.few = spec["few"]
        self.few_value = spec["few_value"]
        self.claim = spec["claim"]
        self.guard = spec["guard"]
        self.sign = spec["sign"]
        self.rows = len(spec["rows"])
        if not cython.compiled:
            self.row, self.advance, self.home = [0] * 12, [0] * 12, [0] * 2
        for i in range(self.rows):
            self.advance[i] = spec["advance"][i]
            self.row[i] = 0
            for q in spec["rows"][i]:
                self.row[i] |= bit(q)
        for s in range(2):
            self.home[s] = 0
            for q in spec["home"][s]:
                self.home[s] |= bit(q)

    def side_value(self, men, kings, side):
        total: cython.int
        i: cython.int
        if self.few and count(men | kings) <= self.few:
            return self.few_value * count(men | kings)
        total = self.man * count(men) + self.king * count(kings)
        for i in range(self.rows):
            total += self.advance[i] * count(men & self.row[i if side == 0 else self.rows - 1 - i])
        return total + self.guard * count(men & self.home[side])

    def evaluate(self, board):
        at: cython.int = board.level
        s: cython.int = board.side[at]
        n: cython.int
        total: cython.int = self.side_value(board.men[2 * at + s], board.kings[2 * at + s], s)
        total -= self.side_value(board.men[2 * at + 1 - s], board.kings[2 * at + 1 - s], 1 - s)
        if board.right[at]:
            n = count(board.pending[at])
            total += self.claim * (min(n, board.right[at]))
        return self.sign * total

    def value(self, board: Board):
        """``evaluate`` for callers outside the core."""
        return self.evaluate(board)
