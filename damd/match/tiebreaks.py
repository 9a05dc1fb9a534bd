"""What tells engines with equal points apart. Points are in the units of ``Score.points``: 2 a win, 1 a draw.

Every function takes a ``Table`` and gives a number for each engine, the greater the better.
"""

from __future__ import annotations

from collections.abc import Callable

from damd.match.table import Table


def sonneborn_berger(table: Table) -> dict[str, float]:
    """The points of those one has beaten and half of those one has drawn with, a game at a time."""
    points = {name: table.points(name) for name in table.names}
    return {
        name: sum(points[other] * table.against(name, other).points / 2 for other in table.opponents(name))
        for name in table.names
    }


def buchholz(table: Table) -> dict[str, float]:
    """The points of one's opponents, each once. A bye brings nothing."""
    return {name: float(sum(_opponents_points(table, name))) for name in table.names}


def buchholz_cut(table: Table) -> dict[str, float]:
    """The same without the opponent of the fewest points; whoever has met one alone keeps that one."""
    cut = {}
    for name in table.names:
        points = sorted(_opponents_points(table, name))
        cut[name] = float(sum(points[1:] if len(points) > 1 else points))
    return cut


def _opponents_points(table: Table, name: str) -> list[int]:
    return [table.points(other) for other in table.opponents(name)]


def direct_encounter(table: Table) -> dict[str, float]:
    """The points against those with as many points in all."""
    points = {name: table.points(name) for name in table.names}
    return {
        name: float(
            sum(table.against(name, other).points for other in table.opponents(name) if points[other] == points[name])
        )
        for name in table.names
    }


def wins(table: Table) -> dict[str, float]:
    """Games won."""
    return {name: float(table.score(name).wins) for name in table.names}


Tiebreak = Callable[[Table], dict[str, float]]

#: By the names that tables give them.
TIEBREAKS: dict[str, Tiebreak] = {
    "Sonneborn-Berger": sonneborn_berger,
    "Buchholz": buchholz,
    "Buchholz cut 1": buchholz_cut,
    "direct encounter": direct_encounter,
    "wins": wins,
}

#: Which of them decide, in this order, by format: Buchholz tells something only where opponents differ.
ORDER = {
    "swiss": ("Buchholz cut 1", "Buchholz", "Sonneborn-Berger", "direct encounter", "wins"),
    "": ("Sonneborn-Berger", "direct encounter", "wins"),
}


def ranked(table: Table, format_name: str = "") -> list[str]:
    """The engines, best first: by points, then by the format's tie-breaks, then as they were entered."""
    order = [TIEBREAKS[name](table) for name in ORDER.get(format_name, ORDER[""])]
    keys = {name: (table.points(name), *(values[name] for values in order)) for name in table.names}
    return sorted(table.names, key=lambda name: keys[name], reverse=True)
