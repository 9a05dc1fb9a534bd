"""``damd-hub``: an engine of damd's protocol for programs that speak Hub, or a Hub engine for those that speak damd's.

damd-hub                        Hub in, damd out: give it to a GUI as its engine
damd-hub --engine 'scan hub'    damd's protocol in, Hub out: give it to a client of damd's as its engine
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence

from damd_adapters import launch

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[-1:] == ["hub"]:
        words.pop()  # what Hub programs say to every engine
    options = _parser().parse_args(words)
    if options.engine is not None:
        from damd_adapters.hub import engine_side

        return engine_side.run(options)
    from damd_adapters.hub import gui_side

    return gui_side.run(options)


def _parser() -> ArgumentParser:
    parser = launch.parser("damd-hub", "An engine of damd's protocol for Hub programs; with --engine the other way round.")
    parser.add_argument(
        "--engine",
        type=launch.command,
        metavar="CMD",
        help="a Hub engine, to be spoken to in damd's protocol (with its `hub`)",
    )
    launch.add_daemon(parser)
    parser.add_argument("--variant", default="normal", metavar="NAME", help="the game at the start, by Hub's name or damd's")
    parser.add_argument(
        "--patience", type=_seconds, default=10.0, metavar="S", help="how long a silent engine is waited for (default: 10)"
    )
    parser.add_argument(
        "--slow-handshake",
        type=_milliseconds,
        nargs="?",
        default=0,
        const=20,
        metavar="MS",
        help="leave at least so much time between lines (20), for a program that loses what it gets with one read",
    )
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e6:
        raise ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds


def _milliseconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 10_000:
        raise ArgumentTypeError(f"{text!r} is no number of milliseconds, at most 10000")
    return int(text)
