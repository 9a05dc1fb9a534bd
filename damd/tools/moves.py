"""``damd moves``: list the legal plies."""

from __future__ import annotations

from argparse import Namespace

from damd.tools.common import AT_FAULT, FINE, Commands, add_position, end_on_interrupt, fail, position_of, say


def add(commands: Commands) -> None:
    moves = commands.add_parser("moves", help="list the legal plies")
    add_position(moves)
    moves.add_argument("--squares", choices=("numeric", "algebraic"), default="numeric")


def run(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.notation.plies import format_ply

    end_on_interrupt()
    position = position_of(options)
    if position is None:
        return AT_FAULT
    try:
        say(*(format_ply(ply, position.board, options.squares) for ply in position.plies()))
    except TooManyPlies as fault:
        return fail(str(fault))
    return FINE
