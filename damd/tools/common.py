"""What the tools share: exit codes, the position that options name, and words on stdout and stderr."""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from damd.core.position import Position
    from damd.rules import Rules

FINE, AT_FAULT, USAGE = 0, 1, 2

DEFAULT_VARIANT = "dam-haji"


def add_variant(parser: ArgumentParser, positional: bool = True) -> None:
    """The options that name the rules: a variant (``--variant``, or a word of its own too) and what changes it."""
    parser.set_defaults(variant=DEFAULT_VARIANT)  # before the arguments, which must not write it where they are left out
    text = f"default: {DEFAULT_VARIANT}"
    if positional:
        parser.add_argument("variant", nargs="?", default=SUPPRESS, metavar="VARIANT", help=text)
        text = "the same"
    parser.add_argument("--variant", default=SUPPRESS, metavar="NAME", help=text)
    parser.add_argument("--missed-capture", choices=("rule", "forbidden"), default="rule")
    add_variant_path(parser)


def add_variant_path(parser: ArgumentParser) -> None:
    parser.add_argument("--variant-path", metavar="DIR", default="", help="a folder with variant files of your own")


def add_position(parser: ArgumentParser) -> None:
    """The options that name a position; ``position_of`` reads them."""
    add_variant(parser)
    parser.add_argument("--fen", metavar="FEN", help="default: the start position")


def depth(text: str) -> int:
    """A depth from 0 to 99; argparse reports the ``ValueError`` as wrong usage."""
    value = int(text)
    if not 0 <= value <= 99:
        raise ValueError
    return value


def rules_of(options: Namespace) -> Rules:
    """The rules that the options name. Raises ``VariantError``."""
    from damd import variants

    rules = variants.load(options.variant, options.variant_path or None)
    return rules.without_penalty() if options.missed_capture == "forbidden" else rules


def position_of(options: Namespace) -> Position | None:
    """The position that the options name; ``None``, with a word on stderr, where they are at fault."""
    from damd.core.position import Position
    from damd.notation.fen import FenError, parse_fen
    from damd.variants import VariantError

    try:
        rules = rules_of(options)
        return Position(rules, parse_fen(options.fen, rules) if options.fen else None)
    except (VariantError, FenError) as fault:
        fail(str(fault))
        return None


def end_on_interrupt() -> None:
    """Ctrl-C ends the process at once: compiled code does not look at Python's own handler."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def drop_output() -> None:
    """The reader of stdout has left: what is still buffered goes nowhere, or the interpreter complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def note(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def fail(text: str, code: int = AT_FAULT) -> int:
    """Say on stderr what is wrong; the exit code."""
    note(f"damd: {text}")
    return code


#: argparse's collection of subcommands, which has no public name.
Commands = Any
