"""What a match says of two engines, as text: results, Elo with errors, the sequential test."""

from __future__ import annotations

from collections.abc import Sequence

from damd.match.model import Sprt, Tournament
from damd.match.records import PairRecord
from damd.match.statistics import Estimate, SprtState, estimate, sprt
from damd.match.table import pair_counts, table_of
from damd.match.views.columns import NOTHING, number, points_text


def versus_lines(tournament: Tournament, records: Sequence[PairRecord], engine: str, opponent: str) -> list[str]:
    """All figures are for ``engine``. Before the first pair there is one line that says so."""
    counts = pair_counts(records, engine, opponent)
    title = f"{engine} against {opponent}"
    if not any(counts):
        return [f"{title}: nothing finished yet"]
    score = table_of(tournament.names, records).against(engine, opponent)
    found = estimate(counts)
    points = points_text(score.points, tournament.scoring), points_text(2 * score.games - score.points, tournament.scoring)
    lines = [
        f"{title}: {points[0]}-{points[1]}, {score.games} games, +{score.wins} ={score.draws} -{score.losses}"
        f" ({number(100 * found.score)} %, {number(100 * score.draws / score.games)} % drawn)"
    ]
    if len(counts) == 5:
        lines.append(f"pairs by points 0, ½, 1, 1½, 2: {' '.join(map(str, counts))}")
    lines.append(f"Elo {elo_text(found)}, nElo {nelo_text(found)}, LOS {number(100 * found.los)} %")
    if tournament.sprt is not None:
        lines += sprt_lines(sprt(counts, tournament.sprt), tournament.sprt)
    return lines


def elo_text(found: Estimate) -> str:
    """``+3.1 +/- 18.8``, or where the results are one-sided how strong one is at least or at most."""
    if found.elo is None:
        if found.elo_low is not None:
            return f"above {number(found.elo_low, signed=True)}"
        return f"below {number(found.elo_high, signed=True)}" if found.elo_high is not None else NOTHING
    if found.elo_error is not None:
        return f"{number(found.elo, signed=True)} +/- {number(found.elo_error)}"
    ends = (number(found.elo_low, signed=True), number(found.elo_high, signed=True))
    return f"{number(found.elo, signed=True)} [{ends[0]}, {ends[1]}]"


def nelo_text(found: Estimate) -> str:
    if found.nelo is None:
        return NOTHING
    return f"{number(found.nelo, signed=True)} +/- {number(found.nelo_error)}"


def sprt_lines(state: SprtState, test: Sprt) -> list[str]:
    """Where the test stands; where it has stopped, that the Elo above are not to be taken at face value."""
    kind = "nElo" if test.model == "normalized" else "Elo"
    told = f"{state.decision} accepted" if state.decision else "goes on"
    lines = [
        f"SPRT of {test.elo0:g} and {test.elo1:g} {kind}: LLR {number(state.llr, 2)} "
        f"({number(state.lower, 2)}, {number(state.upper, 2)}), {told}"
    ]
    if state.decision:
        lines.append("The test stopped at an extreme of its results: the Elo above read too far out.")
    return lines
