"""Tables for spreadsheets and scripts: games, standings, and a rating list in Ordo's columns, as CSV (RFC 4180)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from statistics import fmean, median

from damd.match.model import Tournament
from damd.match.records import GameRecord, PairRecord, PlyRecord
from damd.match.standings import Standing, tiebreak_name

GAME_COLUMNS = (
    "pairing", "game", "white", "black", "winner", "white_points", "black_points", "termination", "rule", "plies",
    "started", "seconds", "white_time_ms", "black_time_ms", "white_depth", "black_depth", "white_nodes", "black_nodes",
    "white_latency_ms", "black_latency_ms", "white_overruns", "black_overruns", "exit_code", "note",
)  # fmt: skip
STANDING_COLUMNS = (
    "rank", "engine", "games", "wins", "draws", "losses", "points", "percent", "elo", "elo_error", "tiebreak",
    "tiebreak_name", "faults", "time_losses", "overruns",
)  # fmt: skip
ORDO_COLUMNS = ("#", "PLAYER", "RATING", "ERROR", "POINTS", "PLAYED", "(%)")


def games_csv(records: Iterable[PairRecord]) -> str:
    """A line a game, in the order given. Points are 2 a win; times are sums, depth and latency what is usual."""
    return _csv(GAME_COLUMNS, (_game_row(record, game) for record in records for game in record.games))


def standings_csv(tournament: Tournament, found: Sequence[Standing]) -> str:
    """A line an engine, best first. Points are 2 a win."""
    return _csv(STANDING_COLUMNS, (_standing_row(tournament, standing) for standing in found))


def ordo_csv(found: Iterable[Standing]) -> str:
    """The rating list in the columns that Ordo's own has; points are 1 a win there. Engines without games are left out."""
    rated = [standing for standing in found if standing.rating is not None]
    rated.sort(key=lambda standing: -standing.rating.elo if standing.rating else 0)
    rows = []
    for place, standing in enumerate(rated, 1):
        rating, score = standing.rating, standing.score
        elo, error = (rating.elo, rating.error) if rating else (None, None)
        rows.append(
            (place, standing.name, _rounded(elo), _rounded(error), score.points / 2, score.games, _rounded(standing.percent))
        )
    return _csv(ORDO_COLUMNS, rows)


def _game_row(record: PairRecord, game: GameRecord) -> tuple[object, ...]:
    sides = [[ply for ply in game.plies if ply.side == side] for side in range(2)]

    def both(figure: Callable[[Sequence[PlyRecord]], object]) -> tuple[object, object]:
        return figure(sides[0]), figure(sides[1])

    return (
        *(record.pairing, game.number, game.white, game.black, game.winner_name or ""),
        *(game.points(game.white), game.points(game.black), game.termination.value, game.rule, len(game.plies)),
        *(game.started, _rounded(game.seconds)),
        *both(lambda plies: _rounded(sum(ply.taken_ms for ply in plies))),
        *both(lambda plies: _usual([ply.depth for ply in plies], fmean)),
        *both(lambda plies: sum(ply.nodes or 0 for ply in plies)),
        *both(lambda plies: _usual([ply.latency_ms for ply in plies], median)),
        *both(lambda plies: sum(ply.over_ms > 0 for ply in plies)),
        *("" if game.exit_code is None else game.exit_code, game.note),
    )


def _standing_row(tournament: Tournament, standing: Standing) -> tuple[object, ...]:
    score, rating = standing.score, standing.rating
    return (
        *(standing.rank, standing.name, score.games, score.wins, score.draws, score.losses, standing.points),
        *(_rounded(standing.percent), _rounded(rating.elo if rating else None), _rounded(rating.error if rating else None)),
        *(standing.tiebreak, tiebreak_name(tournament), standing.faults, standing.late, standing.overruns),
    )


def _usual(values: Iterable[float | None], average: Callable[[list[float]], float]) -> object:
    known = [float(value) for value in values if value is not None]
    return _rounded(average(known)) if known else ""


def _rounded(value: float | None) -> object:
    return "" if value is None else round(value, 2)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
