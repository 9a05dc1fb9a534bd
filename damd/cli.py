"""The command line: ``damd`` alone is the daemon, a word after it is one of the tools.

Exit codes: 0 fine, 1 the input, a file or the engine is at fault, 2 wrong usage.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from damd.core.position import Position

FINE, AT_FAULT, USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. The daemon ends the process itself."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in ([], ["serve"]):
        # Nothing to parse, and argparse would cost every start of the daemon 8 ms.
        return _serve()
    options = _parser().parse_args(given if given[0] in _COMMANDS or _is_help(given[0]) else ["serve", *given])
    if options.command == "serve":
        return _serve(options.variant_path, options.log, options.strict)
    try:
        return _tool(options)
    except BrokenPipeError:
        # The reader of the output has left (``damd moves | head``). What is still buffered must go nowhere,
        # or the interpreter complains at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return AT_FAULT


def _is_help(word: str) -> bool:
    return word in ("-h", "--help", "--version")


def _parser() -> ArgumentParser:
    from argparse import ArgumentParser

    from damd import __version__
    from damd.play.arguments import add_play

    parser = ArgumentParser(
        prog="damd",
        description="A draughts engine that speaks a line protocol on stdin and stdout; see protocol.md.",
        epilog="Without a command: serve. Exit codes: 0 fine, 1 input or engine at fault, 2 wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"damd {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    serve = commands.add_parser("serve", help="the daemon (also without a command)")
    serve.add_argument("--version", action="version", version=f"damd {__version__}")
    serve.add_argument("--log", metavar="FILE", help="append the conversation, with times, to this file")
    serve.add_argument("--strict", action="store_true", help="end with code 1 at the first error")
    serve.add_argument("--variant-path", metavar="DIR", default="", help="a folder with variant files of your own")

    add_play(commands)

    perft = commands.add_parser("perft", help="count lines of play")
    _add_position(perft)
    perft.add_argument("depth", type=_depth, metavar="DEPTH")
    perft.add_argument("--divide", action="store_true", help="a line for each ply of the position")

    moves = commands.add_parser("moves", help="list the legal plies")
    _add_position(moves)
    moves.add_argument("--squares", choices=("numeric", "algebraic"), default="numeric")

    bench = commands.add_parser("bench", help="search a fixed set of positions")
    bench.add_argument("variant", nargs="?", default="dam-haji", metavar="VARIANT", help="default: dam-haji")
    bench.add_argument("--depth", type=_depth, metavar="N")

    variants = commands.add_parser("variants", help="list, show or check the rules of games")
    variants.add_argument("--variant-path", metavar="DIR", default="", help="a folder with variant files of your own")
    actions = variants.add_subparsers(dest="action", required=True, metavar="list|show|check")
    actions.add_parser("list", help="all games")
    actions.add_parser("show", help="the rules of one game in English").add_argument("name", metavar="NAME")
    actions.add_parser("check", help="check variant files").add_argument("files", metavar="FILE", nargs="+")

    docs = commands.add_parser("docs", help="the generated tables of protocol.md")
    action = docs.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="end with code 1 where they are out of date")
    action.add_argument("--write", action="store_true", help="bring them up to date")
    docs.add_argument("file", nargs="?", default="protocol.md", metavar="FILE")
    return parser


_COMMANDS = ("serve", "play", "perft", "moves", "bench", "variants", "docs")


def _add_position(parser: ArgumentParser) -> None:
    parser.add_argument("variant", nargs="?", default="dam-haji", metavar="VARIANT", help="default: dam-haji")
    parser.add_argument("--fen", metavar="FEN", help="default: the start position")
    parser.add_argument("--missed-capture", choices=("rule", "forbidden"), default="rule")
    parser.add_argument("--variant-path", metavar="DIR", default="", help="a folder with variant files of your own")


def _depth(text: str) -> int:
    """A depth from 0 to 99; argparse reports the ``ValueError`` as wrong usage."""
    depth = int(text)
    if not 0 <= depth <= 99:
        raise ValueError
    return depth


# The daemon


def _serve(variant_path: str = "", log: str | None = None, strict: bool = False) -> int:
    from damd.daemon.transport import leave_at_once, serve
    from damd.protocol.errors import ProtocolError

    try:
        # Line by line, so that the log is whole however the process ends.
        file = open(log, "a", buffering=1, encoding="utf-8", errors="backslashreplace") if log else None  # noqa: SIM115
        code = serve(variant_path, file, strict)
    except ProtocolError as fault:
        return _fail(f"--variant-path: {fault}", USAGE)
    except OSError as fault:
        return _fail(f"--log: {fault}", USAGE)
    return leave_at_once(code)


# The tools


def _tool(options: Namespace) -> int:
    if options.command == "play":
        from damd.play.run import run as play

        return play(options)

    import signal

    # A count runs in compiled code, where Python's own handler would not be looked at.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run = {"perft": _perft, "moves": _moves, "bench": _bench, "variants": _variants, "docs": _docs}
    return run[options.command](options)


def _perft(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.notation.plies import format_ply

    position = _position(options)
    if position is None:
        return AT_FAULT
    begun = time.perf_counter()
    try:
        if options.divide and options.depth:
            rows = position.divide(options.depth)
            _say(*(f"{format_ply(ply, position.board)}: {count}" for ply, count in rows))
            total = sum(count for _, count in rows)
        else:
            total = position.perft(options.depth)
    except TooManyPlies as fault:
        return _fail(str(fault))
    seconds = time.perf_counter() - begun
    _say(f"total {total}")
    _note(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:.1f} million a second, {position.build} core")
    return FINE


def _moves(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.notation.plies import format_ply

    position = _position(options)
    if position is None:
        return AT_FAULT
    try:
        _say(*(format_ply(ply, position.board, options.squares) for ply in position.plies()))
    except TooManyPlies as fault:
        return _fail(str(fault))
    return FINE


def _bench(options: Namespace) -> int:
    from damd import variants
    from damd.daemon.work import BenchWork

    try:
        rules = variants.load(options.variant)
    except variants.VariantError as fault:
        return _fail(str(fault))
    BenchWork(rules, options.depth).run(_say)
    return FINE


def _variants(options: Namespace) -> int:
    from damd.variants import commands

    path = options.variant_path or None
    if options.action == "list":
        return commands.list_variants(sys.stdout, path)
    if options.action == "show":
        return commands.show(options.name, sys.stdout, path)
    from damd.rows import run_rows

    return commands.check(options.files, sys.stdout, run_rows)


def _docs(options: Namespace) -> int:
    from damd.protocol.tables import absent, refreshed

    try:
        with open(options.file, encoding="utf-8", newline="") as file:
            text = file.read()
        fresh = refreshed(text)
        if options.write and fresh != text:
            with open(options.file, "w", encoding="utf-8", newline="") as file:
                file.write(fresh)
    except (OSError, KeyError) as fault:
        return _fail(f"{options.file}: {fault}")
    if missing := absent(text):
        return _fail(f"{options.file}: no place for the tables {', '.join(missing)}")
    if options.check and fresh != text:
        return _fail(f"{options.file}: tables out of date, run damd docs --write")
    return FINE


def _position(options: Namespace) -> Position | None:
    """The position that the options name; ``None``, with a word on stderr, where they are at fault."""
    from damd import variants
    from damd.core.position import Position
    from damd.notation.fen import FenError, parse_fen

    try:
        rules = variants.load(options.variant, options.variant_path or None)
        if options.missed_capture == "forbidden":
            rules = rules.without_penalty()
        return Position(rules, parse_fen(options.fen, rules) if options.fen else None)
    except (variants.VariantError, FenError) as fault:
        _note(f"damd: {fault}")
        return None


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _note(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _fail(text: str, code: int = AT_FAULT) -> int:
    _note(f"damd: {text}")
    return code
