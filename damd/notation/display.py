"""A position and its end in the protocol's words: what ``d`` and ``result`` say."""

from __future__ import annotations

from damd.core.position import Position
from damd.core.types import Outcome
from damd.notation.drawing import draw
from damd.notation.fen import format_fen
from damd.notation.squares import NUMERIC, names_of

SIDES = ("white", "black")


def outcome_words(outcome: Outcome | None) -> str:
    """The winner or ``draw``, the reason and the draw rule; ``ongoing`` for no end."""
    if outcome is None:
        return "ongoing"
    return f"{'draw' if outcome.winner is None else SIDES[outcome.winner]} {outcome.reason.value} {outcome.rule}".rstrip()


def display(position: Position, missed_capture: str, squares: str = NUMERIC) -> list[str]:
    """The board, a line for each thing that belongs to the position, and its counts, in lines that are not empty."""
    rules, setup = position.rules, position.setup()
    fen = format_fen(setup, rules, squares=squares)
    pending = [field for field in fen.split(":")[1:] if field.startswith("P")]
    return [
        *(f"  {row}".rstrip() or "  " for row in draw(setup, rules, squares=squares).splitlines()),
        f"variant {rules.name} missed-capture {missed_capture}",
        f"fen {fen}",
        f"key {position.key:016x}",
        f"side {SIDES[position.side]}",
        f"right {pending[0][1:] if pending else 'none'}",
        *_counts(position, squares),
        f"counters halfmoves {position.halfmoves} fullmoves {position.fullmoves} repetitions {position.repetitions}",
    ]


def _counts(position: Position, squares: str) -> list[str]:
    """A line for each count that runs towards a draw, and for each run of moves by one king that will bar it."""
    names, limit = names_of(position.board, squares), position.rules.king.quiet_limit
    lines = [f"clock {clock.name} plies {clock.plies} left {clock.left}" for clock in position.clocks()]
    runs = [run for run in position.setup().king_runs if run is not None]
    return lines + [f"king {names[run.point]} moves {run.count} left {limit - run.count}" for run in runs]
