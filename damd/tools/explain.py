"""``damd explain``: why plies are legal or not, and what to play instead."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from damd.tools.common import AT_FAULT, Commands, add_variant, end_on_interrupt, fail, say

if TYPE_CHECKING:
    from damd.core.position import Position
    from damd.notation.explanation import Explanation


def add(commands: Commands) -> None:
    explain = commands.add_parser(
        "explain",
        help="why a ply is legal or not",
        description="Say whether a ply is legal, by which rules it is or is not, and what is to be played instead. The "
        "rules are keys of the variant file; `damd variants show` tells them in sentences. Ends with code 1 where a ply is "
        "not legal, or could be one of several.",
    )
    explain.add_argument("plies", nargs="+", metavar="PLY", help="each is explained in the same position")
    add_variant(explain, positional=False)
    explain.add_argument("--fen", metavar="FEN", help="default: the start position; - reads a list from stdin")
    explain.add_argument("--moves", nargs="+", default=(), metavar="PLY", help="plies played before")
    explain.add_argument("--squares", choices=("numeric", "algebraic"), default="numeric", help="how squares are written")
    explain.add_argument("--json", action="store_true", help="an object a ply, a line each")


def run(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.notation.explanation import Verdict, explain
    from damd.notation.fen import format_fen
    from damd.tools.positions import Positions

    end_on_interrupt()
    for number, text in enumerate(options.plies, 1):
        if not text.strip():
            return fail(f"PLY {number} is empty: write it as 32-28, 19x28x37 or x22")
    code = 0
    positions = Positions(options, [] if options.fen is None else [options.fen], options.moves)
    for position in positions:
        try:
            found = [explain(text, position, options.squares) for text in options.plies]
        except TooManyPlies as fault:
            positions.at_fault(str(fault))
            continue
        fen = format_fen(position.setup(), position.rules, squares=options.squares)
        for explanation in found:
            if options.json:
                say(_described(explanation, position, fen, positions.place))
            else:
                heading, *reasons = explanation.told()
                of_list = "" if positions.line is None else f"{positions.where}{fen}: "
                say(of_list + heading, *(f"  {reason}" for reason in reasons))
            code = code if explanation.verdict is Verdict.LEGAL else AT_FAULT
    return code or positions.code


def _described(explanation: Explanation, position: Position, fen: str, place: dict[str, int]) -> str:
    import json

    return json.dumps(
        {
            **place,
            "variant": position.rules.name,
            "fen": fen,
            "ply": explanation.text,
            "verdict": explanation.verdict.value,
            "kind": explanation.kind.value if explanation.kind else None,
            "fault": explanation.fault.value if explanation.fault else None,
            "rules": explanation.rules,
            "sentences": explanation.sentences,
            "plies": explanation.plies,
            "total": explanation.total,
        }
    )
