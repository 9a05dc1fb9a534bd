"""Between the lines of damd's protocol and what a foreign engine is asked and has answered."""

from __future__ import annotations

from collections.abc import Sequence

from damd.core.types import Clock, Outcome, Setup
from damd.geometry import BLACK, WHITE
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply
from damd.protocol.errors import ProtocolError
from damd.protocol.grammar import GoRequest, surplus
from damd.rules import Rules
from damd_adapters.table import Table
from damd_adapters.uci.engine import Choice, Limits, Report

SIDES = ("white", "black")


def limits_of(request: GoRequest, skipped: bool) -> Limits:
    """The limits of a ``go``.

    Without any it searches without end, unless tokens were ``skipped``: then one of them may have been meant as the
    limit, and it searches one ply deep. A win in N turns is looked for as deep as that takes.
    """
    numbers, flags = request.numbers, request.flags
    white, black = numbers.get("wtime"), numbers.get("btime")
    limited = request.limited and "perft" not in numbers
    depths = [numbers[word] * factor - factor + 1 for word, factor in (("depth", 1), ("mate", 2)) if word in numbers]
    if not limited and skipped:
        depths.append(1)
    return Limits(
        depth=min(depths, default=None),
        nodes=numbers.get("nodes"),
        movetime_ms=numbers.get("movetime"),
        # A client that names one clock only means both.
        time_ms=(white if white is not None else black, black if black is not None else white),
        increment_ms=(numbers.get("winc", 0), numbers.get("binc", 0)),
        moves_to_go=numbers.get("movestogo") or None,
        infinite="infinite" in flags or not (limited or skipped),
        ponder="ponder" in flags,
    )


def info_line(report: Report, rules: Rules) -> str:
    """The ``info`` line of a report; empty where it says nothing."""
    score = report.score
    fields = (
        ("depth", report.depth),
        ("seldepth", report.seldepth),
        ("score", f"{score.kind} {score.value}" + (f" {score.bound}" if score.bound else "") if score else None),
        ("nodes", report.nodes),
        ("nps", report.nps),
        ("time", report.time_ms),
        ("pv", " ".join(format_ply(ply, rules.geometry) for ply in report.line) or None),
    )
    words = [f"{name} {value}" for name, value in fields if value is not None]
    return " ".join(["info", *words]) if words else ""


def bestmove_line(choice: Choice, rules: Rules) -> str:
    """The ``bestmove`` line of a choice."""
    if choice.resigns:
        return "bestmove resign"
    if choice.ply is None:
        return "bestmove (none)"
    text = f"bestmove {format_ply(choice.ply, rules.geometry)}"
    return text if choice.expected is None else f"{text} ponder {format_ply(choice.expected, rules.geometry)}"


def outcome_text(outcome: Outcome | None) -> str:
    """What ``result`` says of an end by the rules."""
    if outcome is None:
        return "ongoing"
    return f"{'draw' if outcome.winner is None else SIDES[outcome.winner]} {outcome.reason.value} {outcome.rule}".rstrip()


def display(table: Table) -> list[str]:
    """The lines of ``d``."""
    from damd.notation.drawing import draw

    position, rules = table.position, table.rules
    setup = position.setup()
    return [
        *(f"  {row}".rstrip() or "  " for row in draw(setup, rules).splitlines()),
        f"variant {rules.name} missed-capture forbidden",
        f"fen {format_fen(setup, rules)}",
        f"key {position.key:016x}",
        f"side {SIDES[position.side]}",
        "right none",
        *_counts(setup, rules, position.clocks()),
        f"counters halfmoves {position.halfmoves} fullmoves {position.fullmoves} repetitions {position.repetitions}",
    ]


def _counts(setup: Setup, rules: Rules, clocks: Sequence[Clock]) -> list[str]:
    names, limit = rules.geometry.names, rules.king.quiet_limit
    lines = [f"clock {clock.name} plies {clock.plies} left {clock.left}" for clock in clocks]
    runs = [run for run in (setup.king_runs[WHITE], setup.king_runs[BLACK]) if run is not None]
    return lines + [f"king {names[run.point]} moves {run.count} left {limit - run.count}" for run in runs]


def with_surplus(rest: str, lines: list[str] | None = None) -> list[str]:
    """``lines``, after an error for words that the command does not take; they are skipped."""
    words = rest.split()
    errors: list[ProtocolError] = [surplus(words[0])] if words else []
    return [error.line() for error in errors] + (lines or [])
