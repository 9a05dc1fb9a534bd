"""The standings of a tournament, computed from its journal's records and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from damd.match.model import Schedule, Tournament
from damd.match.ratings import Rating, rate
from damd.match.records import GameRecord, PairRecord, Termination
from damd.match.table import Score, Table, table_of
from damd.match.tiebreaks import ORDER, TIEBREAKS, ranked

#: Where more of an engine's games than one in so many were lost on time, its results say little of its strength.
SERIOUS_TIME_LOSSES = 100


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings.

    ``points`` are 2 a win and 1 a draw, those of byes among them. ``tiebreak`` is the first tie-break of the format.
    ``faults`` are games lost by breaking down or breaking the rules, ``late`` those lost on time, ``overruns`` plies
    that were too long, forgiven ones among them.
    """

    rank: int
    name: str
    score: Score
    points: int
    tiebreak: float
    rating: Rating | None
    faults: int = 0
    late: int = 0
    overruns: int = 0

    @property
    def percent(self) -> float | None:
        """Points of games as a share of all, in per cent; ``None`` before the first game."""
        return 50 * self.score.points / self.score.games if self.score.games else None

    @property
    def has_time_trouble(self) -> bool:
        """Whether more than one game in a hundred was lost on time."""
        return self.late * SERIOUS_TIME_LOSSES > self.score.games


def tournament_table(tournament: Tournament, schedule: Schedule, records: Iterable[PairRecord]) -> Table:
    """All results added up, byes included. Raises ``ValueError`` for records of other engines."""
    byes: Counter[str] = Counter()
    for bye in schedule.byes:
        byes[bye.engine] += bye.points
    return table_of(tournament.names, records, byes)


def tiebreak_name(tournament: Tournament) -> str:
    """What ``Standing.tiebreak`` is."""
    return ORDER.get(tournament.format, ORDER[""])[0]


def standings(tournament: Tournament, schedule: Schedule, records: Sequence[PairRecord]) -> list[Standing]:
    """The engines, best first: of a knockout as far as they came, of other formats by points and tie-breaks.

    Raises ``ValueError`` for records of other engines.
    """
    table = tournament_table(tournament, schedule, records)
    order = list(schedule.placing) or ranked(table, tournament.format)
    tiebreaks = TIEBREAKS[tiebreak_name(tournament)](table)
    ratings = rate(table)
    games = {name: [game for record in records for game in record.games if name in _both(game)] for name in order}
    return [
        Standing(
            rank=rank,
            name=name,
            score=table.score(name),
            points=table.points(name),
            tiebreak=tiebreaks[name],
            rating=ratings[name],
            faults=sum(game.loser_name == name and game.termination.is_fault for game in games[name]),
            late=sum(game.loser_name == name and game.termination is Termination.TIME for game in games[name]),
            overruns=sum(ply.over_ms > 0 for game in games[name] for ply in game.plies_of(name)),
        )
        for rank, name in enumerate(order, 1)
    ]


def terminations(records: Iterable[PairRecord]) -> dict[str, int]:
    """How often games ended in each way, the commonest first; draw rules by their names."""
    found = Counter(
        game.termination.value + (f" ({game.rule})" if game.rule else "") for record in records for game in record.games
    )
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def _both(game: GameRecord) -> tuple[str, str]:
    return game.white, game.black
