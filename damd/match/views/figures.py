"""What the plots of a tournament show, as numbers: computed from the records in plan order, whatever draws them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from damd.geometry import BLACK, WHITE
from damd.match.model import Pairing, Schedule, Sprt, Tournament
from damd.match.records import GameRecord, PairRecord, PlyRecord
from damd.match.standings import Standing
from damd.match.statistics import SprtState, sprt
from damd.match.table import pair_counts
from damd.match.views.games import in_plan_order

#: A line of a plot has no more points than this.
MOST_POINTS = 300
#: A median is of so many plies at least, and of one in so many of the games: of the few longest it says little.
_FEWEST, _SHARE = 3, 5

T = TypeVar("T")
#: One line: x and y.
Curve = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many plies the games had that White won, that were drawn, and that Black won."""

    white: tuple[int, ...]
    drawn: tuple[int, ...]
    black: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ratios:
    """Where a sequential test stood behind so many pairs, taken in plan order; the last is where it stands."""

    test: Sprt
    states: tuple[tuple[int, SprtState], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers of every plot; what nothing is known of is empty.

    ``ratings`` are a name, its Elo and the error, best first. ``points`` are those above an even score behind each
    round, as the tournament counts them. ``pairs`` are how the pairs of each engine have ended: 0, ½, 1, 1½ and 2
    points, or where games are not paired the games lost, drawn and won; of a match the first engine's alone. ``times``
    are milliseconds, ``scores`` centipawns from the mover's side; both and ``depths`` are medians by the number of the
    engine's own ply.
    """

    ratings: tuple[tuple[str, float, float | None], ...]
    points: Mapping[str, Curve]
    pairs: Mapping[str, Sequence[int]]
    lengths: Lengths | None
    times: Mapping[str, Curve]
    depths: Mapping[str, Curve]
    scores: Mapping[str, Curve]
    ratios: Ratios | None


def figures(tournament: Tournament, schedule: Schedule, records: Iterable[PairRecord], found: Sequence[Standing]) -> Figures:
    """Raises ``ValueError`` for records of other engines, or of both pairs and single games."""
    ordered = in_plan_order(schedule, records)
    names = [standing.name for standing in found]
    games = [game for _, record in ordered for game in record.games]
    return Figures(
        ratings=tuple((one.name, one.rating.elo, one.rating.error) for one in found if one.rating is not None),
        points=_points(names, ordered, 1 if tournament.scoring == "2-1-0" else 2),
        pairs=_pairs(tournament, names, [record for _, record in ordered]),
        lengths=_lengths(games),
        times=_medians(names, games, lambda ply: ply.taken_ms),
        depths=_medians(names, games, lambda ply: ply.depth),
        scores=_medians(names, games, lambda ply: ply.score),
        ratios=_ratios(tournament, [record for _, record in ordered]),
    )


def _points(names: Iterable[str], ordered: Sequence[tuple[Pairing, PairRecord]], unit: int) -> dict[str, Curve]:
    """Points above an even score, of which ``unit`` make one; byes are no points of play."""
    curves: dict[str, list[tuple[float, float]]] = {name: [(0, 0)] for name in names}
    for pairing, record in ordered:
        for name in record.engines:
            above = (record.points(name) - len(record.games)) / unit
            curve = curves[name]
            if curve[-1][0] == pairing.round:
                curve[-1] = (pairing.round, curve[-1][1] + above)
            else:
                curve.append((pairing.round, curve[-1][1] + above))
    return {name: thinned(curve) for name, curve in curves.items() if len(curve) > 1}


def _pairs(tournament: Tournament, names: Sequence[str], records: Sequence[PairRecord]) -> dict[str, Sequence[int]]:
    if len(names) == 2:
        first, second = tournament.names
        counts = pair_counts(records, first, second)
        return {first: counts} if any(counts) else {}
    sizes = {len(record.games) for record in records}
    if len(sizes) != 1:
        return {}
    found = {name: [0] * (2 * min(sizes) + 1) for name in names}
    for record in records:
        for name in record.engines:
            found[name][record.points(name)] += 1
    return {name: counts for name, counts in found.items() if any(counts)}


def _lengths(games: Sequence[GameRecord]) -> Lengths | None:
    if not games:
        return None
    return Lengths(*(tuple(len(game.plies) for game in games if game.winner == winner) for winner in (WHITE, None, BLACK)))


def _medians(
    names: Sequence[str], games: Sequence[GameRecord], figure: Callable[[PlyRecord], float | None]
) -> dict[str, Curve]:
    """By the number of the engine's own ply behind the opening."""
    seen: dict[str, dict[int, list[float]]] = {name: defaultdict(list) for name in names}
    played = Counter(name for game in games for name in (game.white, game.black))
    least = {name: min(played[name], max(_FEWEST, played[name] // _SHARE)) for name in names}
    for game in games:
        for name in (game.white, game.black):
            for number, ply in enumerate(game.plies_of(name), 1):
                value = figure(ply)
                if value is not None:
                    seen[name][number].append(value)
    curves = {
        name: [(number, median(values)) for number, values in sorted(of.items()) if len(values) >= least[name]]
        for name, of in seen.items()
    }
    return {name: thinned(curve) for name, curve in curves.items() if len(curve) > 1}


def _ratios(tournament: Tournament, records: Sequence[PairRecord]) -> Ratios | None:
    if tournament.sprt is None or not records:
        return None
    engine, opponent = tournament.names[:2]
    counts = [0 for _ in pair_counts(records, engine, opponent)]
    states = [(0, sprt(counts, tournament.sprt))]
    told = set(thinned(range(1, len(records) + 1)))
    for number, record in enumerate(records, 1):
        counts[record.points(engine)] += 1
        if number in told:
            states.append((number, sprt(counts, tournament.sprt)))
    return Ratios(tournament.sprt, tuple(states))


def thinned(items: Sequence[T]) -> Sequence[T]:
    """At most ``MOST_POINTS`` of them, evenly chosen, the last among them."""
    if len(items) <= MOST_POINTS:
        return items
    step = (len(items) - 1) / (MOST_POINTS - 1)
    return [items[round(place * step)] for place in range(MOST_POINTS)]
