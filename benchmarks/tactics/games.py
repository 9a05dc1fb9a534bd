"""Positions to look for problems in: from games that damd plays badly against itself."""

from __future__ import annotations

import random
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from benchmarks.tactics.judge import Pair, two_best
from benchmarks.tactics.kinds import Kind
from damd.core.position import start_setup
from damd.core.types import Ply, PlyKind, Setup
from damd.engine import Engine
from damd.geometry import BLACK, WHITE
from damd.rules import Rules

#: The first plies of a game are drawn, so many; later ones now and then, and now and then a capture is missed.
OPENING = (2, 10)
STRAY = 0.3
MISS = 0.1
#: What a ply of a game is searched with: players who see everything leave nothing to be found.
NODES = (100, 400)
#: What makes a position worth a look: the best ply's expected score, and how far the next is behind.
HOPEFUL = 0.6
HOPEFUL_LEAD = 0.1
#: A game ends after so many plies in a row that leave a side with less than this expected score, or so long a time.
HOPELESS = 0.02
HOPELESS_PLIES = 8
LONGEST = 160
#: So many games begin with few pieces in drawn places: so many a side at least, this part of the start's at most, the
#: sides' numbers so far apart at most, so many of the pieces kings.
FEW = 0.9
FEWEST = 3
MOST_PART = 0.5
APART = 1
KINGS = 0.1


class Games:
    """Plays games; what happens in one follows from its dice alone."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._engine = Engine(rules, 1)

    def positions(self, dice: random.Random, wanted: Container[Kind]) -> Iterator[Setup]:
        """Those of a game that are worth a look; where claims are wanted, those after misses that were not played too."""
        position = self._engine.position
        position.set(few_pieces(self._rules, dice) if dice.random() < FEW else start_setup(self._rules))
        self._engine.clear()
        opening, hopeless = dice.randint(*OPENING), 0
        for number in range(LONGEST):
            if position.outcome() is not None or hopeless >= HOPELESS_PLIES:
                return
            plies = position.plies()
            chosen: Ply | None = None
            if len(plies) > 1:
                pair = two_best(self._engine, dice.randint(*NODES) + len(plies))
                if pair is not None:
                    chosen = pair.best.plies[0]
                    hopeless = hopeless + 1 if _is_hopeless(pair) else 0
                    if pair.promises(HOPEFUL, HOPEFUL_LEAD):
                        yield bare(position.setup())
            misses = self._misses(plies)
            missed = dice.choice(misses) if misses else None
            if missed is not None and Kind.CLAIM in wanted:
                with position.after(missed):
                    yield bare(position.setup())
            if number < opening or chosen is None or dice.random() < STRAY:
                chosen = dice.choice(plies)
            elif missed is not None and dice.random() < MISS:
                chosen = missed
            position.play(chosen)

    def _misses(self, plies: Sequence[Ply]) -> Sequence[Ply]:
        """The plies without a capture that give the opponent a claim, where a capture is there to be missed."""
        position = self._engine.position
        if not self._rules.penalty.take or all(ply.kind is not PlyKind.CAPTURE for ply in plies):
            return ()
        found = []
        for ply in plies:
            if ply.kind is PlyKind.QUIET:
                with position.after(ply):
                    if position.outcome() is None and position.setup().right is not None:
                        found.append(ply)
        return found


def _is_hopeless(pair: Pair) -> bool:
    return min(pair.best.expected, 1 - pair.best.expected) < HOPELESS


def bare(setup: Setup) -> Setup:
    """The position without its counters, as a FEN without them gives it."""
    return replace(setup, halfmoves=0, fullmoves=1)


def few_pieces(rules: Rules, dice: random.Random) -> Setup:
    """A drawn position of few pieces; no man stands where it would be promoted."""
    number = dice.randint(FEWEST, max(FEWEST, int(len(start_setup(rules).men[WHITE]) * MOST_PART)))
    numbers = [max(FEWEST, number - dice.randint(0, APART)), number]
    dice.shuffle(numbers)
    return drawn(rules, dice, (numbers[0], numbers[1]), dice.randrange(2))


def drawn(rules: Rules, dice: random.Random, numbers: tuple[int, int], side: int) -> Setup:
    """So many pieces of White and Black in drawn places, a few of them kings; ``side`` is to move."""
    board = rules.geometry
    places = dice.sample(range(board.size), sum(numbers))
    men: tuple[set[int], set[int]] = (set(), set())
    kings: tuple[set[int], set[int]] = (set(), set())
    for owner in (WHITE, BLACK):
        zone = board.zones[rules.promotion.zone][owner]
        for _ in range(numbers[owner]):
            point = places.pop()
            (kings if point in zone or dice.random() < KINGS else men)[owner].add(point)
    return Setup(
        side=side,
        men=(frozenset(men[WHITE]), frozenset(men[BLACK])),
        kings=(frozenset(kings[WHITE]), frozenset(kings[BLACK])),
    )
