"""``damd-dxp``: DXP (DamExchange) on one side, damd's protocol on the other.

    damd-dxp --listen                     damd plays whoever connects to port 27531
    damd-dxp --connect HOST:PORT          damd plays the program that listens there
    damd-dxp --engine HOST:PORT           that program becomes an engine of damd's protocol on stdin and stdout

``messages`` are the seven messages, ``link`` is the connection, ``board`` turns positions and plies into DXP's; both
sides stand on these. ``player`` plays games with damd, ``engine_side`` makes an engine of the peer.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Sequence

from damd_adapters import launch
from damd_adapters.dxp.link import DEFAULT_PORT, GAP_S, LOOPBACK, parse_address
from damd_adapters.dxp.messages import MAX_MINUTES, MAX_MOVES

NAME = "damd-dxp"


def main(argv: Sequence[str] | None = None) -> int:
    """The command; its exit code. Usage errors end by ``SystemExit`` with 2."""
    options = arguments().parse_args(argv)
    if options.engine is not None:
        from damd_adapters.dxp import engine_side

        return engine_side.run(options)
    from damd_adapters.dxp import player

    return player.run(options)


def arguments() -> ArgumentParser:
    """The command line of both sides."""
    made = launch.parser(NAME, "Play draughts over DXP (DamExchange 01) with damd, or use a DXP program as an engine.")
    ways = made.add_mutually_exclusive_group(required=True)
    default = f"{LOOPBACK}:{DEFAULT_PORT}"
    ways.add_argument(
        "--listen",
        nargs="?",
        const=default,
        type=address,
        metavar="HOST:PORT",
        help=f"wait for a peer (default {default}; port 0: a free one, which is printed)",
    )
    ways.add_argument("--connect", type=address, metavar="HOST:PORT", help="connect to a peer that listens")
    ways.add_argument(
        "--engine",
        metavar="HOST:PORT|CMD",
        help="speak damd's protocol on stdin and stdout, for the DXP program that listens there or is started so",
    )
    made.add_argument(
        "--variant", default="international", help="the game, which DXP does not tell the peer (international)"
    )
    launch.add_daemon(made)
    _add_game(made)
    _add_times(made)
    return made


def _add_game(made: ArgumentParser) -> None:
    group = made.add_argument_group("games")
    group.add_argument(
        "--role",
        choices=("initiator", "follower"),
        help="who asks for games (default: follower with --listen, initiator with --connect)",
    )
    group.add_argument(
        "--games", type=whole(0), metavar="N", help="end after N games; 0: when the peer leaves (initiator 1, follower 0)"
    )
    group.add_argument("--colour", choices=("white", "black"), default="white", help="the initiator's in its first game")
    group.add_argument("--fen", metavar="FEN", help="the position the initiator's games begin from")
    group.add_argument(
        "--minutes", type=whole(0, MAX_MINUTES), metavar="M", help="per side, in requests; 0: 000 (default 5)"
    )
    group.add_argument(
        "--moves", type=whole(0, MAX_MOVES), default=0, metavar="N", help="per side, in requests; 0: no limit"
    )
    group.add_argument(
        "--back", choices=("accept", "refuse"), default="accept", help="when the peer asks to go back (accept)"
    )
    group.add_argument("--name", metavar="NAME", help="what the peer is told (default: the engine's)")
    group.add_argument("--pdn", metavar="FILE", help="append the games to this file")
    group.add_argument("--console", action="store_true", help="commands on stdin: chat, back, resign, draw, quit")


def _add_times(made: ArgumentParser) -> None:
    group = made.add_argument_group("times")
    group.add_argument(
        "--free-minutes", type=positive, default=5.0, metavar="M", help="per side, where a request says 000 (5)"
    )
    group.add_argument("--move-time", type=whole(1), metavar="MS", help="think so long at most")
    group.add_argument("--nodes", type=whole(1), metavar="N", help="search so many nodes at most")
    group.add_argument("--depth", type=whole(1), metavar="N", help="search so deep at most")
    group.add_argument("--retry", type=positive, default=10.0, metavar="S", help="try to connect for so long (10 s)")
    group.add_argument("--answer", type=positive, default=15.0, metavar="S", help="wait so long for an answer (15 s)")
    group.add_argument(
        "--patience",
        type=positive,
        default=120.0,
        metavar="S",
        help="wait so long for a move after the peer's time is over (120 s)",
    )
    group.add_argument("--idle", type=positive, default=600.0, metavar="S", help="wait so long for a game request (600 s)")
    group.add_argument(
        "--gap",
        type=whole(0, 10_000),
        default=round(GAP_S * 1000),
        metavar="MS",
        help=f"between two messages in a row, for peers that merge them ({GAP_S * 1000:.0f} ms)",
    )


def address(text: str) -> tuple[str, int]:
    """Host and port on a command line."""
    try:
        return parse_address(text)
    except ValueError as fault:
        raise ArgumentTypeError(str(fault)) from None


def whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Reads a whole number that is not below ``low`` and not above ``high``."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not low <= int(text) <= (int(text) if high is None else high):
            limits = f"{low} to {high}" if high is not None else f"{low} or more"
            raise ArgumentTypeError(f"{text!r}: a whole number, {limits}, was expected")
        return int(text)

    return read


def positive(text: str) -> float:
    """A number above 0, of seconds or minutes."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 10_000_000:
        raise ArgumentTypeError(f"{text!r}: a number above 0 was expected")
    return number


__all__ = ["NAME", "address", "arguments", "main", "positive", "whole"]
