"""The figures of a match as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from benchmarks.selfplay.control import WINDOW_MS, Control
from benchmarks.selfplay.elo import Estimate, estimate
from benchmarks.selfplay.games import ADJUDICATED, Overrun, Pair, Record, SideFigures
from benchmarks.selfplay.openings import Opening

#: An overrun above this is a fault, where the machine was not as late itself.
SERIOUS_MS = 50.0

#: What ``markdown_line`` writes.
COLUMNS = "feature, games of, pace, games, won / drawn / lost, score, Elo, superior, seed"


def wins_draws_losses(pairs: Iterable[Pair]) -> tuple[int, int, int]:
    counts = Counter(record.points for pair in pairs for record in pair)
    return counts[2], counts[1], counts[0]


def estimate_of(pairs: Sequence[Pair]) -> Estimate:
    results = Counter(first.points + second.points for first, second in pairs)
    return estimate([results[points] for points in range(5)])


def score_text(found: Estimate) -> str:
    error = "" if found.score_error is None else f" ± {100 * found.score_error:.1f}"
    return f"{100 * found.score:.1f}{error} %"


def elo_text(found: Estimate) -> str:
    if found.elo is None:
        return "–"
    return f"{found.elo:+.0f}" + ("" if found.elo_error is None else f" ± {found.elo_error:.0f}")


def los_text(found: Estimate) -> str:
    return "–" if found.los is None else f"{100 * found.los:.1f} %"


def score_table(by_game: dict[str, list[Pair]]) -> list[str]:
    """A line a game, and where there are several one for all."""
    rows = dict(by_game)
    if len(rows) > 1:
        rows["all"] = [pair for pairs in by_game.values() for pair in pairs]
    lines = [f"{'':16}{'games':>6}{'won':>6}{'drawn':>6}{'lost':>6}   {'score':16}{'Elo':16}LOS"]
    for name, pairs in rows.items():
        won, drawn, lost = wins_draws_losses(pairs)
        found = estimate_of(pairs)
        counts = f"{2 * len(pairs):6}{won:6}{drawn:6}{lost:6}"
        lines.append(f"{name:16}{counts}   {score_text(found):16}{elo_text(found):16}{los_text(found)}")
    return lines


def markdown_line(name: str, by_game: dict[str, list[Pair]], pace: str, seed: int) -> str:
    pairs = [pair for pairs in by_game.values() for pair in pairs]
    found = estimate_of(pairs)
    counts = " / ".join(str(count) for count in wins_draws_losses(pairs))
    cells = [name.replace("|", "\\|"), ", ".join(by_game), pace, str(2 * len(pairs)), counts, score_text(found)]
    return "| " + " | ".join([*cells, elo_text(found), los_text(found), str(seed)]) + " |"


def openings_text(openings: Iterable[Opening]) -> str:
    """How many there are of each length, and how many are others again."""
    drawn = list(openings)
    lengths = Counter(len(opening) for opening in drawn)
    repeated = len(drawn) - len(set(drawn))
    parts = [f"{count} of {length} plies" for length, count in sorted(lengths.items())]
    return ", ".join(parts) + (f", {repeated} of them repeated" if repeated else "")


def endings_text(records: Sequence[Record]) -> str:
    reasons = Counter(record.reason for record in records)
    natural = [f"{reason} {count}" for reason, count in reasons.most_common() if reason not in ADJUDICATED]
    stopped = [f"{reason} {reasons[reason]}" for reason in ADJUDICATED if reasons[reason]]
    lengths = f"; {sum(record.plies for record in records) / len(records):.0f} plies a game"
    return ", ".join(natural) + (f"; drawn by the arbiter: {', '.join(stopped)}" if stopped else "") + lengths


def side_text(figures: SideFigures, timed: bool) -> str:
    """What a side did. A built-in opponent neither takes time nor has a depth."""
    parts = [f"{figures.plies} plies"]
    if figures.depth_plies:
        parts.append(f"depth {figures.depth_sum / figures.depth_plies:.2f} on average")
    if figures.nodes and figures.taken_ms:
        parts.append(f"{1000 * figures.nodes / figures.taken_ms:,.0f} nodes/s")
    if timed and figures.taken_ms:
        parts.append(overruns_text(figures.overruns))
    return ", ".join(parts)


def overruns_text(overruns: Sequence[Overrun]) -> str:
    serious = sum(overrun.over_ms > SERIOUS_MS for overrun in overruns)
    worst = f", worst {max(overrun.over_ms for overrun in overruns):.1f} ms" if overruns else ""
    return f"{len(overruns)} overruns{worst}, {serious} above {SERIOUS_MS:.0f} ms"


def total(records: Iterable[Record], who: int) -> SideFigures:
    figures = SideFigures()
    for record in records:
        figures.add(record.figures[who])
    return figures


def fault_lines(records: Iterable[Record]) -> list[str]:
    """A line for every game that a side has lost by a fault of its own."""
    lines = []
    for record in records:
        if record.text and record.winner is not None:
            where = f"{record.pairing.rules.names.name}, pair {record.pairing.number}, game {record.white + 1}"
            lines.append(f"fault: {where}: {'BA'[record.winner]} {record.reason}: {record.text}")
    return lines


def unshared(overrun: Overrun) -> bool:
    """Whether it is serious even without the machine's part in it.

    That is the control's lateness at the same time, or what the player has waited for a processor: on a busy
    machine a process that sleeps is served sooner than one that computes.
    """
    return overrun.over_ms - max(0.0, overrun.control_late_ms or 0.0, overrun.waited_ms or 0.0) > SERIOUS_MS


def control_lines(records: Sequence[Record], control: Control) -> list[str]:
    """Every overrun, beside how late the control was at the time; and the control's own figures."""
    lines = []
    for record in records:
        for who, figures in enumerate(record.figures):
            for overrun in figures.overruns:
                where = f"{record.pairing.rules.names.name}, pair {record.pairing.number}, game {record.white + 1}"
                late = "not asked" if overrun.control_late_ms is None else f"{overrun.control_late_ms:.1f} ms late"
                took = f"took {overrun.taken_ms:.1f} ms of {overrun.allowed_ms:.1f}"
                waited = "" if overrun.waited_ms is None else f", {overrun.waited_ms:.1f} ms without a processor"
                lines.append(f"overrun: {where}, ply {overrun.ply}, {'AB'[who]} {took}{waited}; control {late}")
    ordered = sorted(control.late_ms)
    if ordered:
        high = ordered[max(0, -(-len(ordered) * 99 // 100) - 1)]
        serious = sum(late > SERIOUS_MS for late in ordered)
        figures_of_it = f"median {median(ordered):.2f}, 99th percentile {high:.1f}, worst {ordered[-1]:.1f} ms"
        what = f"{len(ordered)} plies slept through, late in the last {WINDOW_MS:.0f} ms of each by {figures_of_it}"
        lines.append(f"control: {what}; {serious} above {SERIOUS_MS:.0f} ms")
        bounds = [0.0, 1.0, 5.0, 20.0, SERIOUS_MS]
        counts = [f"{sum(low < late <= high for late in ordered)} to {high:g} ms" for low, high in pairwise(bounds)]
        lines.append(f"control's lateness: {', '.join(counts)}")
    return lines
