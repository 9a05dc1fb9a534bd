"""Ratings of more than two engines from all their results: Bradley and Terry's model, a draw being half a win.

The strengths that explain the results best are found by repeated correction (the minorization of Hunter, 2004): each
strength becomes the points scored over what the present strengths of the opponents allow for one unit of it. Between
two engines the difference is exactly the Elo of their score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from damd.match.statistics import WIDTH
from damd.match.table import Table

_PER_E = 400 / math.log(10)
_ROUNDS = 20_000
_ENOUGH = 1e-9


@dataclass(frozen=True, slots=True)
class Rating:
    """Elo around a mean of 0; ``error`` is half the width of the 95 % interval.

    ``bounded`` is true where the results alone would put an engine infinitely far above or below: one drawn game
    against each of its opponents was then added to everybody's results.
    """

    elo: float
    error: float | None
    bounded: bool = False


def rate(table: Table) -> dict[str, Rating | None]:
    """The ratings of the table's engines; ``None`` for those that have not played.

    Engines that no chain of games connects have nothing to be compared by: the largest connected group is rated, of
    equal ones that with the first engine.
    """
    group = _largest_group(table)
    ratings: dict[str, Rating | None] = dict.fromkeys(table.names)
    if len(group) < 2:
        return ratings
    games = [[table.against(one, other).games for other in group] for one in group]
    points = [[table.against(one, other).points / 2 for other in group] for one in group]
    bounded = not _all_finite(points)
    if bounded:
        pairs = [(one, other) for one in range(len(group)) for other in range(len(group)) if games[one][other]]
        for one, other in pairs:
            games[one][other] += 1
            points[one][other] += 0.5
    strengths = _strengths(games, points)
    elos = [_PER_E * math.log(strength) for strength in strengths]
    mean = sum(elos) / len(elos)
    errors = _errors(games, strengths, _scatter(table, group, strengths))
    for name, elo, error in zip(group, elos, errors, strict=True):
        ratings[name] = Rating(elo - mean, error, bounded)
    return ratings


def _largest_group(table: Table) -> list[str]:
    """The names that games connect, directly or by others."""
    left, groups = list(table.names), []
    while left:
        found = [left[0]]
        for name in found:
            found += [other for other in left if other not in found and table.against(name, other).games]
        groups.append([name for name in table.names if name in found])
        left = [name for name in left if name not in found]
    return max(groups, key=len, default=[])


def _all_finite(points: list[list[float]]) -> bool:
    """Whether each has taken something from each other, if by others: then no strength is 0 or without bound."""

    def reached(rows: list[list[float]]) -> int:
        found = [0]
        for place in found:
            found += [other for other, won in enumerate(rows[place]) if won > 0 and other not in found]
        return len(found)

    turned = [list(column) for column in zip(*points, strict=True)]
    return reached(points) == reached(turned) == len(points)


def _strengths(games: list[list[int]], points: list[list[float]]) -> list[float]:
    count = len(games)
    totals = [sum(row) for row in points]
    strengths = [1.0] * count
    for _ in range(_ROUNDS):
        before = strengths
        strengths = []
        for one in range(count):
            allowed = sum(games[one][other] / (before[one] + before[other]) for other in range(count) if games[one][other])
            strengths.append(totals[one] / allowed)
        scale = math.exp(sum(math.log(strength) for strength in strengths) / count)
        strengths = [strength / scale for strength in strengths]
        if max(abs(math.log(new / old)) for new, old in zip(strengths, before, strict=True)) < _ENOUGH:
            break
    return strengths


def _scatter(table: Table, group: list[str], strengths: list[float]) -> float:
    """How much results scatter about what the strengths lead to expect, 1 being a field without draws.

    One won game more is counted than there was, so that a field of nothing but draws is not certain of its ratings.
    """
    seen = model = 0.25
    for place, name in enumerate(group):
        for further in range(place + 1, len(group)):
            score = table.against(name, group[further])
            expected = strengths[place] / (strengths[place] + strengths[further])
            seen += score.wins * (1 - expected) ** 2 + score.draws * (0.5 - expected) ** 2 + score.losses * expected**2
            model += score.games * expected * (1 - expected)
    return seen / model


def _errors(games: list[list[int]], strengths: list[float], scatter: float) -> list[float | None]:
    """From the curvature of the likelihood at its top, about the mean of all, and how much the results scatter."""
    count = len(games)
    curvature = [[0.0] * count for _ in range(count)]
    for one in range(count):
        for other in range(count):
            if one != other and games[one][other]:
                expected = strengths[one] / (strengths[one] + strengths[other])
                told = games[one][other] * expected * (1 - expected)
                curvature[one][one] += told
                curvature[one][other] -= told
    # Ratings are known up to a constant: the mean's row and column make the matrix one that has an inverse.
    whole = [[value + 1 / count for value in row] for row in curvature]
    inverse = _inverse(whole)
    if inverse is None:
        return [None] * count
    return [WIDTH * _PER_E * math.sqrt(scatter * max(0.0, inverse[one][one] - 1 / count)) for one in range(count)]


def _inverse(matrix: list[list[float]]) -> list[list[float]] | None:
    """By elimination; ``None`` where the matrix is too near one that has none."""
    count = len(matrix)
    rows = [[*row, *(float(one == place) for one in range(count))] for place, row in enumerate(matrix)]
    for place in range(count):
        pivot = max(range(place, count), key=lambda one: abs(rows[one][place]))
        if abs(rows[pivot][place]) < 1e-300:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for other in range(count):
            factor = rows[other][place]
            if other != place and factor:
                rows[other] = [value - factor * own for value, own in zip(rows[other], rows[place], strict=True)]
    return [row[count:] for row in rows]
