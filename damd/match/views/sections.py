"""The tables of the report that no other view has: encounters, ends, faults, time use, openings, games, configuration."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median, quantiles
from typing import Any, NamedTuple

from damd.geometry import BLACK, WHITE
from damd.match.journal import Header
from damd.match.model import Pairing, Tournament
from damd.match.plain import to_plain
from damd.match.records import GameRecord, PairRecord, PlyRecord, Termination
from damd.match.standings import Standing
from damd.match.statistics import estimate
from damd.match.table import Table as Results
from damd.match.table import pair_counts
from damd.match.views.columns import NOTHING, number, points_text
from damd.match.views.versus import elo_text, nelo_text

Ordered = Sequence[tuple[Pairing, PairRecord]]


class Link(NamedTuple):
    """A cell that leads to the game of that id."""

    game: str


Cell = str | Link


@dataclass(frozen=True, slots=True)
class Table:
    """Heads and rows. ``left`` are the columns of words, counted from 0; in the others stand numbers."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    left: tuple[int, ...] = (1,)


def encounters(results: Results, order: Sequence[str], records: Sequence[PairRecord]) -> Table:
    """Every two that have met, from the side of the one that stands higher in ``order``."""
    met: dict[frozenset[str], list[PairRecord]] = defaultdict(list)
    for record in records:
        met[frozenset(record.engines)].append(record)
    rows = []
    for name, other in combinations(order, 2):
        if frozenset((name, other)) in met:
            score = results.against(name, other)
            counts = pair_counts(met[frozenset((name, other))], name, other)
            found = estimate(counts)
            drawn, pairs = 100 * score.draws / score.games, " ".join(map(str, counts)) if len(counts) == 5 else NOTHING
            figures = (number(100 * found.score), number(drawn), pairs, elo_text(found), nelo_text(found))
            played = (score.games, score.wins, score.draws, score.losses)
            rows.append((name, other, *map(str, played), *figures, number(100 * found.los)))
    heads = ("Engine", "Opponent", "Games", "W", "D", "L", "%", "Drawn %", "Pairs 0, ½, 1, 1½, 2", "Elo", "nElo", "LOS %")
    return Table(heads, rows, (0, 1))


def ends(games: Iterable[GameRecord]) -> Table:
    """How games have ended, the commonest first; draw rules by their names."""
    found: dict[str, list[GameRecord]] = defaultdict(list)
    for game in games:
        found[_end(game)].append(game)
    rows = []
    for end, of in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        winners = Counter(game.winner for game in of)
        plies = number(median(len(game.plies) for game in of), 0)
        rows.append((end, str(len(of)), *(str(winners[winner]) for winner in (WHITE, None, BLACK)), plies))
    return Table(("Ended by", "Games", "White won", "Drawn", "Black won", "Plies, median"), rows, (0,))


def faults(ordered: Ordered) -> Table:
    """The games that were lost on time or by a fault: who, how, and what was seen of it."""
    rows = [
        (
            Link(f"{pairing.id}.{game.number}"),
            game.loser_name or NOTHING,
            game.termination.value,
            game.note or NOTHING,
            NOTHING if game.exit_code is None else str(game.exit_code),
        )
        for pairing, game in games_of(ordered)
        if is_trouble(game)
    ]
    return Table(("Game", "Engine", "Lost by", "What was seen", "Exit code"), rows, (0, 1, 2, 3))


def is_trouble(game: GameRecord) -> bool:
    """Whether somebody was late or broke down, rather than being beaten."""
    return game.termination.is_fault or game.termination is Termination.TIME


def time_use(tournament: Tournament, found: Iterable[Standing], games: Iterable[GameRecord]) -> Table:
    """What each engine did with its time, by the runner's watch."""
    played: dict[str, list[PlyRecord]] = defaultdict(list)
    for game in games:
        for name in (game.white, game.black):
            played[name] += game.plies_of(name)
    rows = []
    for standing in found:
        plies = played[standing.name]
        taken = [ply.taken_ms for ply in plies]
        counted = [ply for ply in plies if ply.nodes is not None]
        seconds = sum(ply.taken_ms for ply in counted) / 1000
        rows.append(
            (
                *(standing.name, str(tournament.time_of(standing.name)), str(len(plies)), number(sum(taken) / 1000)),
                *(number(_middle(taken)), number(_high(taken)), number(max(taken, default=None))),
                number(_middle(ply.depth for ply in plies)),
                number(sum(ply.nodes or 0 for ply in counted) / seconds if seconds else None, 0),
                *(number(_middle(ply.latency_ms for ply in plies), 2), number(_high(ply.latency_ms for ply in plies), 2)),
                *(str(standing.overruns), number(max((ply.over_ms for ply in plies if ply.over_ms > 0), default=None))),
                str(standing.late),
            )
        )
    heads = (
        *("Engine", "Time control", "Plies", "Seconds", "ms a ply, median", "95 %", "longest", "Depth, median", "Nodes/s"),
        *("Latency ms, median", "95 %", "Overruns", "worst, ms", "Lost on time"),
    )
    return Table(heads, rows, (0, 1))


def openings(header: Header, ordered: Ordered) -> Table:
    """The openings in which the same colour has won both games of a pair, those that did so most often first.

    Such a pair says nothing of its engines: the opening has decided it.
    """
    found: dict[int, list[PairRecord]] = defaultdict(list)
    for pairing, record in ordered:
        found[pairing.opening].append(record)
    rows = []
    for place, records in found.items():
        games = [game for record in records for game in record.games]
        winners = Counter(game.winner for game in games)
        decided = sum(_decided(record) for record in records)
        if decided:
            figures = (len(games), winners[WHITE], winners[None], winners[BLACK], len(records), decided)
            rows.append((-decided, place, (_opening(header, place, whole=True), *map(str, figures))))
    heads = ("Opening", "Games", "White won", "Drawn", "Black won", "Pairs", "decided by the opening")
    return Table(heads, [row for _, _, row in sorted(rows)], (0,))


def games(header: Header, ordered: Ordered) -> Table:
    """A row a game, in plan order."""
    scoring = header.tournament.scoring
    rows = [
        (
            *(Link(f"{pairing.id}.{game.number}"), game.white, game.black, score_text(game, scoring), _end(game)),
            *(str(len(game.plies)), _opening(header, pairing.opening)),
        )
        for pairing, game in games_of(ordered)
    ]
    return Table(("Game", "White", "Black", "Points", "Ended by", "Plies", "Opening"), rows, (0, 1, 2, 4, 6))


def engines(tournament: Tournament) -> Table:
    """The engines as they were entered. Of their environment only the names are told: a page may be shown to anybody."""
    rows = []
    for engine in tournament.engines:
        options = ", ".join(f"{name} = {value}" for name, value in engine.options)
        environment = ", ".join(name for name, _ in engine.environment)
        told = (engine.name, shlex.join(engine.command), engine.protocol, str(tournament.time_of(engine.name)))
        rows.append((*told, *(text or NOTHING for text in (options, environment)), engine.restart))
    return Table(("Engine", "Command", "Protocol", "Time", "Options", "Environment", "Begun anew"), rows, tuple(range(7)))


def configuration(header: Header) -> Table:
    """Every key of the tournament, those that have their default too, and the versions of the programs."""
    keys = to_plain(header.tournament, whole=True)
    del keys["engines"]
    rows = [*_flat(keys), *((f"version of {name}", version) for name, version in header.versions)]
    return Table(("Key", "Value"), rows, (0, 1))


def games_of(ordered: Ordered) -> Iterator[tuple[Pairing, GameRecord]]:
    return ((pairing, game) for pairing, record in ordered for game in record.games)


def score_text(game: GameRecord, scoring: str) -> str:
    """What White and Black got: ``2-0``."""
    return f"{points_text(game.points(game.white), scoring)}-{points_text(game.points(game.black), scoring)}"


def _end(game: GameRecord) -> str:
    return game.termination.value + (f" ({game.rule})" if game.rule else "")


def _decided(record: PairRecord) -> bool:
    winners = [game.winner for game in record.games]
    return len(winners) == 2 and winners[0] is not None and winners[0] == winners[1]


def _opening(header: Header, place: int, *, whole: bool = False) -> str:
    """Its name, and what is played in it where that is asked for or it has none."""
    opening = header.openings[place]
    if not (whole and opening.name):
        return str(opening)
    return f"{opening.name}: {replace(opening, name='')}"


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _high(values: Iterable[float | None]) -> float | None:
    """What 95 in 100 do not exceed."""
    known = [value for value in values if value is not None]
    return quantiles(known, n=20, method="inclusive")[-1] if len(known) > 1 else _middle(known)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            told = str(value).lower() if isinstance(value, bool) else str(value)
            yield before + key, NOTHING if value in (None, "") else told
