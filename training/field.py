"""Where one worker plays games against itself: short searches from random openings, in this process."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import Any

from damd.core import builds
from damd.core.codes import INFINITE_SCORE, KIND_MASK, MATE_RANGE, MISS, QUIET
from damd.core.position import Position, start_setup
from damd.core.tables import evaluation_spec
from damd.geometry import WHITE
from damd.rules import Rules
from damd.weights.default import worked_out
from damd.weights.model import Weights, mirror, windows
from training.samples import Counts

#: Random plies that a game begins with.
OPENING = (2, 10)
#: An opening that leaves a side so much better (centipawns) is drawn again.
DECIDED_OPENING = 120
#: How often a ply is drawn from all legal ones instead of searched for.
STRAY = 0.02
#: A random ply that costs more centipawns than this parts what came before it from the game's result.
DEAR = 60
#: So many plies in a row with so clear a score (centipawns), which means a win with at least that chance, end a game.
HOPELESS = 600
HOPELESS_CHANCE = 0.98
HOPELESS_PLIES = 6
#: A longer game is drawn, and one in which so many plies in a row led nowhere.
LONGEST = 300
ENDLESS = 30
#: A position further into aimless moves than this is like those before it.
AIMLESS = 6
#: One position in so many is kept a second time without one of its men.
PAIR_EVERY = 40

_DEEPEST = 30
_TABLE_MB = 1


@dataclass(frozen=True, slots=True)
class Moment:
    """A calm position: ``score`` by the search, ``untrained`` by the rules' own weights, both from White's side."""

    key: int
    side: int
    counts: Counts
    score: int
    untrained: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A position, and the same without one man of ``side``."""

    side: int
    whole: Counts
    lacking: Counts


@dataclass(frozen=True, slots=True)
class Game:
    """What is kept of a game: ``points`` are White's half points."""

    points: int
    moments: tuple[Moment, ...]
    pairs: tuple[Pair, ...]


def blank(rules: Rules) -> Weights:
    """The weights that training begins with: those worked out from the rules, with the trained patterns, all zero."""
    patterns = windows(rules.geometry)
    return replace(worked_out(rules), patterns=patterns, tables=bytes(4 * sum(3 ** len(pattern) for pattern in patterns)))


class Counter:
    """Counts what the trained evaluation of a game is made of; ``full`` is the phase of the full board."""

    def __init__(self, rules: Rules) -> None:
        spec = evaluation_spec(rules, blank(rules))
        self.full = int(spec["pieces"])
        self._evaluation: Any = builds.load("evaluation", rules.geometry.width)[0].Evaluation(spec)
        self._point_of = {bit: point for point, bit in enumerate(rules.geometry.bits)}
        self._turned = mirror(rules.geometry)

    def count(self, position: Position) -> Counts:
        """The position's counts as ``training.samples`` takes them: kings by point, Black's turned by half a turn."""
        phase, terms, kings, entries = self._evaluation.features(position.core)
        places = [(self._point_of[bit], sign) for bit, sign in kings]
        return phase, terms, [(point if sign > 0 else self._turned[point], sign) for point, sign in places], entries


def hopeless_score(weights: Weights) -> float:
    """The least score, in centipawns, of which a game need not be played out.

    In games of many draws, such as dam-daman, a score that wins elsewhere is won two times of three. Weights worked out from
    the rules do not know a game's draws: with them it is the least.
    """
    return max(HOPELESS, weights.scale * (weights.draw + math.log(HOPELESS_CHANCE / (1 - HOPELESS_CHANCE))))


class Field:
    """A position with a search over it. Everything that happens in a game follows from its dice."""

    def __init__(self, rules: Rules, weights: Weights | None, nodes: int) -> None:
        """``weights`` are those played with, ``None`` for those worked out from the rules; ``nodes`` a ply's search."""
        self._position = Position(rules)
        self._start = start_setup(rules)
        self._few = rules.promotion.few_pieces
        self._aside = Position(rules)
        self._counter = Counter(rules)
        self.full = self._counter.full
        kind = self._module("evaluation").Evaluation
        untrained = worked_out(rules)
        self._untrained = kind(evaluation_spec(rules, untrained))
        playing = self._untrained if weights is None else kind(evaluation_spec(rules, weights))
        self._hopeless = hopeless_score(weights or untrained)
        self._table: Any = self._module("table").Table(_TABLE_MB)
        self._search: Any = self._module("search").Search(self._position.core, playing, self._table)
        self._search.node_limit = nodes

    def _module(self, name: str) -> Any:
        return builds.load(name, self._position.board.width, self._position.build)[0]

    def play(self, dice: random.Random) -> Game:
        """A whole game."""
        self._table.clear()
        self._search.forget()
        while not self._open(dice):
            pass
        return self._play_on(dice)

    def _open(self, dice: random.Random) -> bool:
        """Put up a random opening; whether it can be played out."""
        position = self._position
        position.set(self._start)
        for _ in range(dice.randint(*OPENING)):
            if position.outcome() is not None:
                return False
            position.core.play_listed(dice.randrange(position.core.list_plies()))
        return position.outcome() is None and abs(self._choose()[0]) <= DECIDED_OPENING

    def _play_on(self, dice: random.Random) -> Game:
        position, board = self._position, self._position.core
        moments: list[Moment] = []
        pairs: list[Pair] = []
        hopeless = 0
        strayed: tuple[int, int] | None = None  # whose random ply, and White's score before it
        points = 1
        for _ in range(LONGEST):
            outcome = position.outcome()
            if outcome is not None:
                points = 1 if outcome.winner is None else 2 * (outcome.winner == WHITE)
                break
            side = position.side
            score, best = self._choose()
            seen = score if side == WHITE else -score
            if strayed is not None:
                lost = strayed[1] - seen if strayed[0] == WHITE else seen - strayed[1]
                if lost > DEAR:
                    moments.clear()
                strayed = None
            hopeless = hopeless + 1 if abs(seen) >= self._hopeless else 0
            if position.halfmoves >= ENDLESS:
                break
            if abs(seen) > MATE_RANGE or hopeless >= HOPELESS_PLIES:
                points = 2 * (seen > 0)
                break
            count = board.list_plies()
            if position.halfmoves <= AIMLESS and calm(board, count):
                moments.append(self._moment(side, seen))
                if dice.randrange(PAIR_EVERY) == 0:
                    pairs += self._without_a_man(moments[-1].counts, dice)
                    count = board.list_plies()
            if dice.random() < STRAY:
                strayed = side, seen
                best = dice.randrange(count)
            board.play_listed(best)
        if strayed is not None:
            moments.clear()
        return Game(points, tuple(moments), tuple(pairs))

    def _choose(self) -> tuple[int, int]:
        """Search: the score for the side to move, and the number of the ply in the board's list."""
        search, board = self._search, self._position.core
        self._table.new_search()
        roots = search.prepare(None)
        score = None
        for depth in range(1, _DEEPEST + 1):
            found = search.iterate(depth, -INFINITE_SCORE, INFINITE_SCORE, 0)
            if found > -INFINITE_SCORE:
                score = found
            if roots == 1 or search.out() or abs(found) > MATE_RANGE:
                break
        code, taken = search.roots.ply(0)
        board.list_plies()
        best = board.find_listed(code, taken)
        if score is None:  # not even the first ply was looked at to its end
            score = self._untrained.value(board)
        return int(score), int(best)

    def _moment(self, side: int, seen: int) -> Moment:
        board = self._position.core
        value = self._untrained.value(board)
        return Moment(
            self._position.key, side, self._counter.count(self._position), seen, value if side == WHITE else -value
        )

    def _without_a_man(self, whole: Counts, dice: random.Random) -> list[Pair]:
        """The pair for a man of either side, where more than half of all pieces are there and the rest stay men."""
        setup = self._position.setup()
        side = dice.randrange(2)
        left = len(setup.men[side] | setup.kings[side]) - 1
        if 2 * whole[0] <= self.full or not setup.men[side] or left <= self._few:
            return []
        men = [set(of_side) for of_side in setup.men]
        men[side].remove(dice.choice(sorted(men[side])))
        self._aside.set(replace(setup, men=(frozenset(men[0]), frozenset(men[1]))))
        return [Pair(side, whole, self._counter.count(self._aside))]


def calm(board: Any, count: int) -> bool:
    """Whether none of the listed plies takes anything: no capture is there to be made, missed or answered by a claim."""
    for index in range(count):
        code = board.listed_ply(index)[0]
        if (code & KIND_MASK) != QUIET or code & MISS:
            return False
    return True
