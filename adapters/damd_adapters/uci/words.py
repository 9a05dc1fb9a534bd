"""Between the lines of damd's protocol and what a foreign engine is asked and has answered."""

from __future__ import annotations

from damd.notation.plies import format_ply
from damd.protocol.grammar import GoRequest
from damd.rules import Rules
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
