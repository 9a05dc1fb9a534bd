"""damd-checkerboard: the server behind the CheckerBoard DLL, which lets that GUI play with an engine of damd's protocol.

CheckerBoard's engines are Windows DLLs. The one whose source lies in ``adapters/checkerboard`` forwards what it is asked
as lines over loopback TCP; this program answers them. It serves all games that CheckerBoard plays, each DLL naming its own.
"""

from __future__ import annotations

import math
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from functools import lru_cache

from damd import __version__, variants
from damd.rules import Rules
from damd_adapters import launch
from damd_adapters.checkerboard.engine import EngineCommand
from damd_adapters.checkerboard.moves import LONGEST_LIST
from damd_adapters.checkerboard.server import Server

NAME = "damd-checkerboard"
#: Where the DLL looks for the server unless its ini file says otherwise.
HOST, PORT = "127.0.0.1", 2117


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; its exit code."""
    parser = launch.parser(NAME, "Serves the CheckerBoard DLL and lets an engine of damd's protocol play.")
    launch.add_daemon(parser)
    parser.add_argument("--host", default=HOST, help=f"the address to listen on (default: {HOST}, this machine alone)")
    parser.add_argument(
        "--port", type=_whole(0, 65535), default=PORT, help=f"the port to listen on, 0 for any (default: {PORT})"
    )
    parser.add_argument("--idle", type=_seconds, metavar="S", help="end after S seconds without a connection")
    parser.add_argument(
        "--longest-list",
        type=_whole(1, 1000),
        default=LONGEST_LIST,
        metavar="N",
        help=f"list at most N moves of a position (default: {LONGEST_LIST}, what CheckerBoard has room for)",
    )
    options = parser.parse_args(arguments)
    command = EngineCommand(options.daemon, options.option)
    server = Server(command, _loader(options.option), f"{NAME} {__version__}", options.longest_list, options.idle)

    async def serve() -> int:
        await server.run(options.host, options.port, _listening)
        return launch.FINE

    return launch.run(NAME, options, serve)


def _listening(host: str, port: int) -> None:
    sys.stdout.write(f"listening on {host} port {port}\n")
    sys.stdout.flush()


def _loader(settings: Sequence[tuple[str, str]]) -> Callable[[str], Rules]:
    """How a game's rules are found by its name: among the built-in ones and in the folder that the engine is given."""
    folder = next((value for name, value in reversed(settings) if name.lower() == "variantpath"), "")

    @lru_cache(maxsize=32)
    def load(name: str) -> Rules:
        return variants.load(name, folder or None)

    return load


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
        if not low <= number <= high:
            raise ArgumentTypeError(f"{text!r} is no whole number from {low} to {high}")
        return number

    return read


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds
