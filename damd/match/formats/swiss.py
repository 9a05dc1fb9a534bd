"""Swiss: so many rounds in which engines with about as many points meet, nobody twice if the round can avoid it.

Each round is one matching of all engines, the best by these aims, an earlier one before all later ones:

1. nobody meets an engine again that he has met more often than others,
2. nobody is left over a second time, and where one is left over it is the last of those with the fewest points,
3. points differ as little as can be (sums of squares),
4. of engines with as many points the better half meets the other half, by the order in which they were entered,
5. the seed decides.

Colours are no aim: every encounter is pairs of games with colours reversed. That is why a library of pairing rules for
human chess, which spends its rules on colours, does not fit; the matching itself is networkx's, behind the extra
``damd[swiss]``. The last aim makes the best matching the only one, so it does not depend on how it is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from damd.match.formats.slots import Played, Slots, points_of
from damd.match.model import Bye, Pairing, PlanError, Schedule, derived_seed

#: A name that no engine has: who is matched with it has nobody to play.
_NOBODY = ""

Edge = tuple[str, str]


def swiss(slots: Slots, played: Played) -> Schedule:
    """All rounds that the results decide, and the next one. Raises ``PlanError``, also where networkx is missing."""
    tournament = slots.tournament
    names = tournament.names
    if len(names) < 2:
        raise PlanError(f"a Swiss tournament is between 2 engines or more, not {len(names)}")
    rounds = tournament.rounds or default_rounds(len(names))
    pairings: list[Pairing] = []
    byes: list[Bye] = []
    for round_number in range(1, rounds + 1):
        standing = _standing(names, pairings, played, byes)
        edges = matching(standing, tournament.seed, round_number)
        byes += [Bye(round_number, name, _bye_points(slots)) for name in _left_over(edges)]
        known = _encounters(slots, round_number, [edge for edge in edges if _NOBODY not in edge])
        pairings += known
        if any(pairing.id not in played for pairing in known):
            return Schedule(tuple(pairings), complete=round_number == rounds, byes=tuple(byes))
    return Schedule(tuple(pairings), byes=tuple(byes))


def default_rounds(engines: int) -> int:
    """Enough that one engine alone can have won them all."""
    return max(1, math.ceil(math.log2(engines)))


@dataclass(frozen=True, slots=True)
class Standing:
    """What the next round depends on. ``names`` are in the order of entry; ``met`` counts encounters by both names."""

    names: tuple[str, ...]
    points: Mapping[str, int]
    met: Mapping[frozenset[str], int]
    left_over: Mapping[str, int]


def matching(standing: Standing, seed: int, round_number: int) -> list[Edge]:
    """Who meets whom, best boards first; with an odd number of engines one meets the empty name.

    Raises ``PlanError`` where networkx is missing.
    """
    try:
        import networkx
    except ImportError:
        raise PlanError('Swiss tournaments need networkx: install "damd[swiss]", or choose another format') from None
    graph = networkx.Graph()
    costs = _costs(standing, seed, round_number)
    highest = max(costs.values()) + 1
    for (one, other), cost in costs.items():
        graph.add_edge(one, other, weight=highest - cost)
    found = networkx.max_weight_matching(graph, maxcardinality=True)
    rank = {name: place for place, name in enumerate(ranked(standing))}
    rank[_NOBODY] = len(rank)
    edges = [(one, other) if rank[one] < rank[other] else (other, one) for one, other in found]
    return sorted(edges, key=lambda edge: (_NOBODY in edge, rank[edge[0]]))


def ranked(standing: Standing) -> list[str]:
    """The names by points, of equal ones in the order of entry."""
    return sorted(standing.names, key=lambda name: -standing.points.get(name, 0))


def _costs(standing: Standing, seed: int, round_number: int) -> dict[Edge, int]:
    """What each encounter costs: the aims as the digits of one number, the first the most."""
    rows = _aims(standing, seed, round_number)
    bounds = [1 + sum(row[place] for row in rows.values()) for place in range(len(next(iter(rows.values()))))]
    costs = {}
    for edge, row in rows.items():
        cost = 0
        for digit, bound in zip(row, bounds, strict=True):
            cost = cost * bound + digit
        costs[edge] = cost
    return costs


def _aims(standing: Standing, seed: int, round_number: int) -> dict[Edge, tuple[int, ...]]:
    """For each encounter, how far it misses each aim; nothing is below 0."""
    order = ranked(standing)
    points = standing.points
    groups: dict[int, list[str]] = {}
    for name in order:
        groups.setdefault(points.get(name, 0), []).append(name)
    rows: dict[Edge, tuple[int, ...]] = {}
    for place, one in enumerate(order):
        for other in order[place + 1 :]:
            apart = points.get(one, 0) - points.get(other, 0)
            group = groups[points.get(one, 0)]
            half = 0 if apart else (group.index(other) - group.index(one) - len(group) // 2) ** 2
            met = standing.met.get(frozenset((one, other)), 0)
            dice = derived_seed(seed, "swiss", round_number, *sorted((one, other)))
            rows[one, other] = (met**2, 0, 0, 0, apart**2, half, dice)
        if len(order) % 2:
            again = standing.left_over.get(one, 0) ** 2
            rows[one, _NOBODY] = (0, again, points.get(one, 0), len(order) - place, 0, 0, 0)
    return rows


def _standing(names: tuple[str, ...], pairings: Iterable[Pairing], played: Played, byes: Iterable[Bye]) -> Standing:
    points = points_of(pairings, played)
    left_over: dict[str, int] = {}
    for bye in byes:
        points[bye.engine] = points.get(bye.engine, 0) + bye.points
        left_over[bye.engine] = left_over.get(bye.engine, 0) + 1
    met: dict[frozenset[str], set[int]] = {}
    for pairing in pairings:
        met.setdefault(pairing.engines, set()).add(pairing.round)
    return Standing(names, points, {both: len(rounds) for both, rounds in met.items()}, left_over)


def _bye_points(slots: Slots) -> int:
    """A win, and of pairs a win and a draw each: a pair narrowly won."""
    return (3 if slots.tournament.reverse else 2) * slots.tournament.pairs


def _left_over(edges: Iterable[Edge]) -> list[str]:
    return [one for one, other in edges if other == _NOBODY]


def _encounters(slots: Slots, round_number: int, edges: list[Edge]) -> list[Pairing]:
    """The pairings of a round; the n-th pairs of all encounters have the same opening."""
    pairs = slots.tournament.pairs
    found = []
    for turn in range(pairs):
        for place, (one, other) in enumerate(edges):
            white, black = (one, other) if (round_number + turn + place) % 2 else (other, one)
            number = turn * len(edges) + place + 1
            found.append(slots.pairing(round_number, number, white, black, (round_number - 1) * pairs + turn))
    return found
