"""The options of ``damd play``."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any

_EPILOG = """\
At the prompt type a ply, or help. A saved game is a text of one fact a line:

  damd game 1
  variant dam-haji
  missed-capture rule           or forbidden
  start W:W21,...:B1,...:H0:F1  a FEN
  people white                  or black, both, none: the sides that you play
  strength level 5              or depth N, nodes N, time SECONDS
  ply 22-18                     a line for each ply
  result black resignation      once the game is over
"""


def add_play(commands: Any) -> None:
    """Add the command to argparse's subcommands."""
    play: ArgumentParser = commands.add_parser(
        "play",
        help="play against the engine in this terminal",
        description="Play against the engine in this terminal.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    play.add_argument("variant", nargs="?", metavar="VARIANT", help="default: dam-haji")
    play.add_argument("--side", choices=("white", "black", "both", "none"), help="the sides that you play; default: white")
    play.add_argument(
        "--level",
        type=_number(1, 10),
        metavar="1..10",
        help="how well the engine plays, from a beginner to as well as it can; default: 5",
    )
    limit = play.add_mutually_exclusive_group()
    limit.add_argument("--time", type=_milliseconds, metavar="SECONDS", help="how long it thinks about a ply")
    limit.add_argument("--depth", type=_number(1, 99), metavar="N", help="how many plies deep it thinks")
    limit.add_argument("--nodes", type=_number(1, 10**15), metavar="N", help="how many positions it searches for a ply")
    play.add_argument("--missed-capture", choices=("rule", "forbidden"), help="may captures be missed? default: rule")
    play.add_argument("--first", choices=("white", "black"), help="who moves first; default: as the rules say")
    play.add_argument("--fen", metavar="FEN", help="begin from this position")
    play.add_argument("--save", metavar="FILE", help="keep the game in this file, up to date after every ply")
    play.add_argument("--load", metavar="FILE", help="go on with a saved game")
    play.add_argument("--flip", action="store_true", help="turn the board")
    play.add_argument("--squares", choices=("numeric", "algebraic"), help="how squares are written; default: the game's way")
    play.add_argument("--no-color", action="store_true", help="plain characters; so does NO_COLOR in the environment")
    play.add_argument("--engine", metavar="CMD", help="another engine that speaks the protocol; default: damd")
    play.add_argument("--variant-path", metavar="DIR", default="", help="a folder with variant files of your own")


def _number(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
            raise ArgumentTypeError(f"a number from {low} to {high} is needed, not {text[:40]!r}")
        return int(text)

    return number


def _milliseconds(text: str) -> int:
    from damd.play.strength import time_ms

    milliseconds = time_ms(text)
    if milliseconds is None:
        raise ArgumentTypeError(f"seconds from 0.01 to 86400 are needed, not {text[:40]!r}")
    return milliseconds
