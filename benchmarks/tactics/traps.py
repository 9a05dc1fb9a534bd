"""Positions in which declining a capture may win: so rare in games that they are drawn, and bettered piece by piece.

Declining costs a piece, so the side to move has more pieces than the other; and what it may capture does it no good.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterator
from dataclasses import replace

from benchmarks.tactics.games import drawn
from benchmarks.tactics.judge import UNCLEAR, Judge, Pair
from benchmarks.tactics.kinds import Kind, Kinds
from damd.core.position import Position, start_setup
from damd.core.types import PlyKind, Setup
from damd.rules import Rules

#: Positions drawn in one round.
DRAWS = 60
#: Pieces of the side to move, as parts of a side's at the start, and how many more they are than the opponent's.
PART = (0.67, 1.0)
MORE = (1, 4)
#: Nodes of the searches that show that captures do not win, that another ply does, and that compare changes.
CAPTURE_NODES = 300
LOOK_NODES = 1500
CHANGE_NODES = 3000
#: What makes a drawn position worth bettering: the best ply's expected score, and how far the next is behind.
HOPEFUL = 0.5
HOPEFUL_LEAD = 0.15
#: How often one is bettered at most, and how many points a further piece is tried on.
STEPS = 2
TRIED = 6
#: Expected scores, of the best ply and the next, from which on more makes no position better.
CLEAR_WIN = 0.97
CLEARLY_LESS = 0.55


class Traps:
    """Draws positions; what comes of a round follows from its dice alone."""

    def __init__(self, rules: Rules, judge: Judge, kinds: Kinds) -> None:
        self._rules = rules
        self._judge = judge
        self._kinds = kinds
        self._position = Position(rules)
        self._pieces = len(start_setup(rules).men[0])

    def positions(self, dice: random.Random, wanted: Container[Kind]) -> Iterator[Setup]:
        """Those of a round that are worth a longer look, where traps are wanted."""
        if Kind.TRAP not in wanted:
            return
        for _ in range(DRAWS):
            setup = self._draw(dice)
            pair = self._look(setup, LOOK_NODES) if self._dislikes_captures(setup) else None
            if pair is not None and pair.promises(HOPEFUL, HOPEFUL_LEAD):
                yield from self._bettered(setup, pair, dice)

    def _draw(self, dice: random.Random) -> Setup:
        own = round(self._pieces * dice.uniform(*PART))
        numbers = own, own - dice.randint(*MORE)
        side = dice.randrange(2)
        return drawn(self._rules, dice, numbers if side == 0 else numbers[::-1], side)

    def _dislikes_captures(self, setup: Setup) -> bool:
        """Whether there are captures and other plies, and no capture wins."""
        position = self._position
        position.set(setup)
        if position.outcome() is not None:
            return False
        plies = position.plies()
        captures = [ply for ply in plies if ply.kind is PlyKind.CAPTURE]
        return 0 < len(captures) < len(plies) and self._judge.best_of(setup, captures, CAPTURE_NODES) <= UNCLEAR

    def _look(self, setup: Setup, nodes: int) -> Pair | None:
        """The two best plies, where the best is a trap."""
        pair = self._judge.look(setup, nodes)
        return pair if pair is not None and self._kinds.kind_of(setup, pair.best) is Kind.TRAP else None

    def _bettered(self, setup: Setup, pair: Pair, dice: random.Random) -> Iterator[Setup]:
        """The position itself, and those with a piece more or less in which declining wins the more clearly."""
        yield setup
        merit = _merit(pair)
        for _ in range(STEPS):
            changed = [(other, self._look(other, CHANGE_NODES)) for other in self._changed(setup, dice)]
            rated = [(_merit(found), other) for other, found in changed if found is not None]
            best, better = max(rated, key=lambda rating: rating[0], default=(merit, setup))
            if best <= merit:
                return
            merit, setup = best, better
            yield setup

    def _changed(self, setup: Setup, dice: random.Random) -> Iterator[Setup]:
        """Without one of its pieces, or with one man more of the side to move."""
        own = setup.side
        taken = setup.men[0] | setup.men[1] | setup.kings[0] | setup.kings[1]
        for point in sorted(taken):
            men = (setup.men[0] - {point}, setup.men[1] - {point})
            kings = (setup.kings[0] - {point}, setup.kings[1] - {point})
            if all(men[side] or kings[side] for side in range(2)):
                yield replace(setup, men=men, kings=kings)
        board = self._rules.geometry
        free = [point for point in range(board.size) if point not in taken | board.zones[self._rules.promotion.zone][own]]
        for point in dice.sample(free, min(TRIED, len(free))):
            more = setup.men[own] | {point}
            yield replace(setup, men=(more, setup.men[1]) if own == 0 else (setup.men[0], more))


def _merit(pair: Pair) -> float:
    """How clearly the best ply alone wins."""
    return min(pair.best.expected, CLEAR_WIN) - max(pair.other.expected, CLEARLY_LESS)
