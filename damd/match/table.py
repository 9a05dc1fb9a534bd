"""All results of a tournament, added up: who has what against whom. Everything else counts from this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from damd.match.records import PairRecord


@dataclass(frozen=True, slots=True)
class Score:
    """What one engine has against another: games won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> int:
        return 2 * self.wins + self.draws

    def __add__(self, other: Score) -> Score:
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True, slots=True)
class Table:
    """All results of a tournament: ``scores[a, b]`` is what ``a`` has against ``b``, absent where they have not met.

    ``byes`` are the points that an engine got without a game; they count for its total and for nothing else.
    """

    names: tuple[str, ...]
    scores: Mapping[tuple[str, str], Score]
    byes: Mapping[str, int]

    def score(self, name: str) -> Score:
        """What it has against all others together."""
        return sum((self.against(name, other) for other in self.names), Score())

    def against(self, name: str, other: str) -> Score:
        return self.scores.get((name, other), Score())

    def opponents(self, name: str) -> list[str]:
        return [other for other in self.names if (name, other) in self.scores]

    def points(self, name: str) -> int:
        return self.score(name).points + self.byes.get(name, 0)


def table_of(names: Sequence[str], records: Iterable[PairRecord], byes: Mapping[str, int] | None = None) -> Table:
    """The table of these records. Raises ``ValueError`` for a record of an engine that is not among ``names``."""
    scores: dict[tuple[str, str], Score] = {}
    for record in records:
        for game in record.games:
            for own, other in ((game.white, game.black), (game.black, game.white)):
                if own not in names:
                    raise ValueError(f"pairing {record.pairing}: {own} is none of the engines {', '.join(names)}")
                points = game.points(own)
                one = Score(wins=points == 2, draws=points == 1, losses=points == 0)
                scores[own, other] = scores.get((own, other), Score()) + one
    return Table(tuple(names), scores, dict(byes or {}))


def pair_counts(records: Iterable[PairRecord], engine: str, opponent: str) -> list[int]:
    """How the pairs of these two ended, for ``engine``: 0, 1/2, 1, 3/2 and 2 points; worst first.

    Where no game is paired they are the numbers of games lost, drawn and won. Raises ``ValueError`` where some are
    paired and some are not: a tournament has one or the other.
    """
    met = [record for record in records if set(record.engines) == {engine, opponent}]
    games = {len(record.games) for record in met} or {2}
    if len(games) > 1:
        raise ValueError(f"{engine} and {opponent} have played both pairs and single games")
    counts = [0] * (2 * games.pop() + 1)
    for record in met:
        counts[record.points(engine)] += 1
    return counts
