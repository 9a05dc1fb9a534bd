"""``damd moves``: list the legal plies, of one position or of many."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from damd.tools.common import Commands, add_position, end_on_interrupt, say

if TYPE_CHECKING:
    from damd.core.position import Position
    from damd.core.types import Ply


def add(commands: Commands) -> None:
    moves = commands.add_parser(
        "moves",
        help="list the legal plies",
        description="List the legal plies of a position, a line each; of the positions of a list, a line a position.",
    )
    add_position(moves)
    moves.add_argument("--moves", nargs="+", default=(), metavar="PLY", help="plies played before")
    moves.add_argument("--squares", choices=("numeric", "algebraic"), default="numeric", help="how squares are written")
    moves.add_argument(
        "--spelling",
        choices=("full", "short", "pdn"),
        default="full",
        help="full paths, as short as they name one ply, or as the game's PDN has them; default: full",
    )
    moves.add_argument("--json", action="store_true", help="an object a position, with all that is known of its plies")


def run(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.tools.positions import STDIN, Positions

    end_on_interrupt()
    positions = Positions(options, [] if options.fen is None else [options.fen], options.moves)
    for position in positions:
        try:
            plies = position.plies()
        except TooManyPlies as fault:
            positions.at_fault(str(fault))
            continue
        if options.json:
            say(_described(position, plies, options.squares, positions.place))
        elif options.fen == STDIN:
            say(" ".join(_texts(position, plies, options.squares, options.spelling)))
        else:
            say(*_texts(position, plies, options.squares, options.spelling))
    return positions.code


def _texts(position: Position, plies: list[Ply], squares: str, spelling: str) -> list[str]:
    if spelling != "full":
        from damd.notation.pdn import short_ply

        form = (None, None) if spelling == "pdn" else (squares, "x")
        return [short_ply(ply, plies, position.rules, *form) for ply in plies]
    from damd.notation.plies import format_ply

    return [format_ply(ply, position.board, squares) for ply in plies]


def _described(position: Position, plies: list[Ply], squares: str, place: dict[str, int]) -> str:
    import json

    from damd.notation.fen import format_fen
    from damd.notation.squares import names_of

    rules = position.rules
    names = names_of(position.board, squares)
    fen = format_fen(position.setup(), rules, squares=squares)
    rows: list[dict[str, Any]] = []
    for ply, full, short in zip(
        plies, _texts(position, plies, squares, "full"), _texts(position, plies, squares, "short"), strict=True
    ):
        with position.after(ply):
            after = format_fen(position.setup(), rules, squares=squares)
        rows.append(
            {
                "ply": full,
                "short": short,
                "kind": ply.kind.value,
                "path": [names[point] for point in ply.path],
                "captured": [names[point] for point in ply.captured],
                "promotes": ply.promotes,
                "fen": after,
            }
        )
    return json.dumps({**place, "variant": rules.name, "fen": fen, "plies": rows})
