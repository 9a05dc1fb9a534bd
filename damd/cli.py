"""The command line: ``damd`` alone is the daemon, a word after it is one of the tools.

Exit codes are one rule for all of them: ``damd.tools.common``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser

#: The tools, in the order of the help: modules of ``damd.tools``.
TOOLS = ("play", "moves", "explain", "fen", "convert", "draw", "perft", "bench", "check", "match", "variants", "docs")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. The daemon ends the process itself."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in ([], ["serve"]):
        # Nothing to parse, and argparse would cost every start of the daemon 8 ms.
        return _serve()
    if given[0] in TOOLS:
        from damd.tools.outputs import open_closed

        open_closed()
    options = _parser().parse_args(given if given[0] in ("serve", *TOOLS) or _is_help(given[0]) else ["serve", *given])
    if options.command == "serve":
        return _serve(options.variant_path, options.log, options.strict)
    from damd.tools.common import AT_FAULT, INTERRUPTED, drop_output, fail

    try:
        code: int = _tool(options.command).run(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # ``damd moves | head``
        drop_output()
        return AT_FAULT
    except OSError as fault:  # tools answer for the files that they open: what is left is stdout, as on a full disk
        drop_output()
        return fail(f"cannot write the output: {fault.strerror or fault}")
    return code


def _is_help(word: str) -> bool:
    return word in ("-h", "--help", "--version")


def _tool(name: str) -> Any:
    return import_module(f"damd.tools.{name}")


def _parser() -> ArgumentParser:
    from argparse import ArgumentParser

    from damd import __version__
    from damd.tools.common import EXIT_CODES, add_variant_path

    parser = ArgumentParser(
        prog="damd",
        description="A draughts engine that speaks a line protocol on stdin and stdout; see protocol.md.",
        epilog=f"Without a command: serve. {EXIT_CODES}",
    )
    parser.add_argument("--version", action="version", version=f"damd {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    serve = commands.add_parser("serve", help="the daemon (also without a command)", allow_abbrev=False)
    serve.add_argument("--version", action="version", version=f"damd {__version__}")
    serve.add_argument("--log", metavar="FILE", help="append the conversation, with times, to this file")
    serve.add_argument("--strict", action="store_true", help="end with code 1 at the first error")
    add_variant_path(serve)

    for name in TOOLS:
        _tool(name).add(commands)
    return parser


def _serve(variant_path: str = "", log: str | None = None, strict: bool = False) -> int:
    from damd.daemon.transport import leave_at_once, serve
    from damd.protocol.errors import ProtocolError

    try:
        # Line by line, so that the log is whole however the process ends.
        file = open(log, "a", buffering=1, encoding="utf-8", errors="backslashreplace") if log is not None else None  # noqa: SIM115
    except OSError as fault:
        from damd.tools.common import fail, file_fault

        return fail(f"--log: {file_fault(log, fault)}")
    try:
        code = serve(variant_path, file, strict)
    except ProtocolError as wrong:
        from damd.tools.common import fail

        return fail(f"--variant-path: {wrong}")
    return leave_at_once(code)
