"""What searches of one game think of a position: lines with expected scores, and whether a single ply wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damd.core.codes import INFINITE_SCORE
from damd.core.types import Ply, Setup
from damd.engine import Engine
from damd.limits import Info, Limits, Score, WinModel, chances, score_of
from damd.rules import Rules
from damd.task import MAX_DEPTH

#: Expected scores (0 to 1) from which on a ply wins, and up to which it does not.
WON = 0.85
UNCLEAR = 0.65
#: What a look takes beside the nodes asked for, for each of the plies: lists of hundreds of claims need more.
NODES_A_PLY = 50
#: Nodes of the searches that have to find the ply, knowing nothing: far less than a second.
FIND_NODES = (10_000, 100_000)
#: Nodes of the searches of the two best plies that verify it; most that fail do so in the first.
VERIFY_NODES = (100_000, 1_000_000)

_LOOK_HASH_MB = 1  # clearing a larger one takes longer than the look
_HASH_MB = 16


@dataclass(frozen=True, slots=True)
class Line:
    """A line of play: its score and expected score (0 to 1) are those of the side to move."""

    plies: tuple[Ply, ...]
    score: Score
    expected: float


@dataclass(frozen=True, slots=True)
class Pair:
    """The best ply of a position and the next best one, each with its line."""

    best: Line
    other: Line

    def promises(self, least: float, lead: float) -> bool:
        """Whether the best has at least that expected score and leads by so much."""
        return self.best.expected >= least and self.best.expected - self.other.expected >= lead

    @property
    def wins_alone(self) -> bool:
        """Whether the best wins and the other does not."""
        return self.best.expected >= WON and self.other.expected <= UNCLEAR


class Judge:
    """Searches positions of one game, each as if it were the first: the same question has the same answer always."""

    def __init__(self, rules: Rules) -> None:
        self._looking = Engine(rules, _LOOK_HASH_MB)
        self._engine = Engine(rules, _HASH_MB)

    def look(self, setup: Setup, nodes: int) -> Pair | None:
        """The two best plies of a search of so many nodes; ``None`` where there are no two."""
        count = _put(self._looking, setup)
        return two_best(self._looking, nodes + NODES_A_PLY * count) if count > 1 else None

    def best_of(self, setup: Setup, plies: Sequence[Ply], nodes: int) -> float:
        """The expected score of the best of some legal plies."""
        _put(self._looking, setup)
        told: list[Info] = []
        self._looking.search(Limits(nodes=nodes, root_plies=tuple(plies)), told.append)
        return expected(told[-1].score, self._looking.win_model)

    def finds(self, setup: Setup, best: Ply) -> bool:
        """Whether searches for a fraction of a second, free to choose, end with this ply and think that it wins."""
        for nodes in FIND_NODES:
            _put(self._engine, setup)
            told: list[Info] = []
            result = self._engine.search(Limits(nodes=nodes), told.append)
            if result.best != best or expected(told[-1].score, self._engine.win_model) < WON:
                return False
        return True

    def verify(self, setup: Setup, best: Ply) -> Pair | None:
        """The two best plies of a search ten times as long, where it is this one that wins and the next does not."""
        pair = None
        for nodes in VERIFY_NODES:
            pair = two_best(self._engine, nodes) if _put(self._engine, setup) > 1 else None
            if pair is None or pair.best.plies[0] != best or not pair.wins_alone:
                return None
        return pair


def expected(score: Score, model: WinModel) -> float:
    """What the side to move may expect of a game, from 0 for a loss to 1 for a win."""
    win, draw, _ = chances(score, model)
    return (win + draw / 2) / 1000


def two_best(engine: Engine, nodes: int) -> Pair | None:
    """The two best lines of the last iteration that has found both; ``None`` where there is none.

    Straight from the core: of short searches a task's reports and clock would take most of the time.
    """
    search = engine.core_search(Limits(nodes=nodes))
    search.node_limit = nodes
    if search.prepare(None) < 2:
        return None
    best: list[tuple[int, list[tuple[int, list[int]]]]] = []
    for depth in range(1, MAX_DEPTH + 1):
        found = []
        for place in range(2):
            score = search.iterate(depth, -INFINITE_SCORE, INFINITE_SCORE, place)
            if not search.out():
                found.append((score, search.lines.principal()))
        if len(found) < 2:
            break
        best = sorted(found, key=lambda line: -line[0])
    if not best:
        return None
    lines = [(score_of(score), engine.position.follow(codes)) for score, codes in best]
    first, second = (Line(plies, score, expected(score, engine.win_model)) for score, plies in lines)
    return Pair(first, second)


def _put(engine: Engine, setup: Setup) -> int:
    """Have an engine that knows nothing look at a position; the number of its plies, none where the game is over."""
    engine.clear()
    engine.multipv = 1
    engine.position.set(setup)
    return 0 if engine.position.outcome() is not None else engine.position.count()
