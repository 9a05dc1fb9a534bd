"""Standings and cross table as text."""

from __future__ import annotations

from collections.abc import Sequence

from damd.match.model import Tournament
from damd.match.standings import Standing, tiebreak_name
from damd.match.table import Table
from damd.match.views.columns import NOTHING, number, points_text, table_lines

#: What columns are called; a tie-break has its first letters.
_SHORT = {"Sonneborn-Berger": "SB", "Buchholz cut 1": "BH-1", "Buchholz": "BH"}


def standings_lines(tournament: Tournament, found: Sequence[Standing]) -> list[str]:
    """The table of the standings, and a line for each engine that lost games on time or by breaking down."""
    lines = table_lines(*standings_cells(tournament, found))
    return lines + bounded_lines(found) + [line for standing in found for line in trouble_lines(standing)]


def standings_cells(tournament: Tournament, found: Sequence[Standing]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads of the columns, and the rows."""
    tiebreak = tiebreak_name(tournament)
    heads = ("#", "Engine", "Games", "W", "D", "L", "Points", "%", "Elo", "+/-", _SHORT.get(tiebreak, tiebreak))
    return heads, [_row(tournament, standing) for standing in found]


def bounded_lines(found: Sequence[Standing]) -> list[str]:
    """What has to be said of the Elo, if anything."""
    if any(standing.rating and standing.rating.bounded for standing in found):
        return ["Elo: one drawn game against each opponent is added, as some results are one-sided."]
    return []


def _row(tournament: Tournament, standing: Standing) -> tuple[str, ...]:
    score, rating = standing.score, standing.rating
    return (
        str(standing.rank),
        standing.name,
        str(score.games),
        str(score.wins),
        str(score.draws),
        str(score.losses),
        points_text(standing.points, tournament.scoring),
        number(standing.percent),
        number(rating.elo if rating else None, 0, signed=True),
        number(rating.error if rating else None, 0),
        number(standing.tiebreak / (1 if tournament.scoring == "2-1-0" else 2), 1),
    )


def trouble_lines(standing: Standing) -> list[str]:
    """What makes an engine's results doubtful."""
    lines = []
    games = standing.score.games
    if standing.faults:
        lines.append(f"{standing.name}: {standing.faults} of {games} games lost by breaking down or breaking the rules")
    if standing.late:
        told = "; its results say little of its strength" if standing.has_time_trouble else ""
        lines.append(f"{standing.name}: {standing.late} of {games} games lost on time{told}")
    if standing.overruns:
        plies = "ply" if standing.overruns == 1 else "plies"
        lines.append(f"{standing.name}: {standing.overruns} {plies} took longer than allowed")
    return lines


def cross_table_lines(tournament: Tournament, table: Table, order: Sequence[str]) -> list[str]:
    """Everyone against everyone, in this order: games won, drawn and lost by the engine of the line."""
    return table_lines(*cross_table_cells(tournament, table, order))


def cross_table_cells(
    tournament: Tournament, table: Table, order: Sequence[str]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The heads of the columns, and the rows."""
    heads = ("#", "Engine", *(str(place) for place in range(1, len(order) + 1)), "Points")
    rows = []
    for place, name in enumerate(order, 1):
        cells = [_cell(table, name, other) for other in order]
        rows.append((str(place), name, *cells, points_text(table.points(name), tournament.scoring)))
    return heads, rows


def _cell(table: Table, name: str, other: str) -> str:
    if name == other:
        return "x"
    score = table.against(name, other)
    return f"+{score.wins}={score.draws}-{score.losses}" if score.games else NOTHING
