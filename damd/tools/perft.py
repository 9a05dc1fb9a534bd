"""``damd perft``: count lines of play."""

from __future__ import annotations

import time
from argparse import Namespace

from damd.tools.common import AT_FAULT, FINE, Commands, add_position, depth, end_on_interrupt, fail, note, position_of, say


def add(commands: Commands) -> None:
    perft = commands.add_parser("perft", help="count lines of play")
    add_position(perft)
    perft.add_argument("depth", type=depth, metavar="DEPTH")
    perft.add_argument("--divide", action="store_true", help="a line for each ply of the position")


def run(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.notation.plies import format_ply

    end_on_interrupt()
    position = position_of(options)
    if position is None:
        return AT_FAULT
    begun = time.perf_counter()
    try:
        if options.divide and options.depth:
            rows = position.divide(options.depth)
            say(*(f"{format_ply(ply, position.board)}: {count}" for ply, count in rows))
            total = sum(count for _, count in rows)
        else:
            total = position.perft(options.depth)
    except TooManyPlies as fault:
        return fail(str(fault))
    seconds = time.perf_counter() - begun
    say(f"total {total}")
    note(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:.1f} million a second, {position.build} core")
    return FINE
