"""What the tools share: exit codes, the position that options name, and words on stdout and stderr."""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, Action, ArgumentError
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from damd.core.position import Position
    from damd.rules import Rules

#: Exit codes of every command. The command line is wrong where no files and no games could make it right: a word that
#: there is not, one that is missing, a value that its option does not have, two that contradict each other. What the
#: words name (a game, a file, a folder, a position, a ply, an engine) is at fault where it is not there or is wrong.
FINE, AT_FAULT, USAGE = 0, 1, 2
#: What shells say of a program that Ctrl-C has ended.
INTERRUPTED = 130

EXIT_CODES = (
    "Exit codes: 0 all is fine; 1 what is read or named is at fault, or cannot be had: a game, file, folder, position, ply "
    "or engine; 2 the command line is wrong: unknown or missing words, values that an option does not have, words that "
    "contradict each other."
)

DEFAULT_VARIANT = "dam-haji"


class Named(Action):
    """A game, which can be named once, or twice by names of the same one: no other is dropped in silence."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None) -> None:  # noqa: ARG002
        from damd.variants import canonical

        before = getattr(namespace, self.dest, None)
        if before is not None and canonical(before) != canonical(values):
            raise ArgumentError(None, f"which game? both {before} and {values} are named")
        setattr(namespace, self.dest, values)


def add_variant(parser: ArgumentParser, positional: bool = True) -> None:
    """The options that name the rules: a variant (``--variant``, or a word of its own too) and what changes it."""
    text = f"default: {DEFAULT_VARIANT}"
    if positional:
        parser.add_argument("variant", nargs="?", action=Named, default=SUPPRESS, metavar="VARIANT", help=text)
        text = "the same"
    parser.add_argument("--variant", action=Named, metavar="NAME", help=text)
    parser.add_argument("--missed-capture", choices=("rule", "forbidden"), default="rule")
    add_variant_path(parser)


def add_variant_path(parser: ArgumentParser, default: str = "") -> None:
    parser.add_argument("--variant-path", metavar="DIR", default=default, help="a folder with variant files of your own")


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

    name = DEFAULT_VARIANT if options.variant is None else options.variant
    rules = variants.load(name, options.variant_path or None)
    return rules.without_penalty() if options.missed_capture == "forbidden" else rules


def position_of(options: Namespace) -> Position | None:
    """The position that the options name; ``None``, with a word on stderr, where they are at fault."""
    from damd.core.position import Position
    from damd.notation.fen import FenError, parse_fen
    from damd.variants import VariantError

    try:
        rules = rules_of(options)
        return Position(rules, None if options.fen is None else parse_fen(options.fen, rules))
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


def file_fault(file: str | None, fault: OSError) -> str:
    """The file and what the system says about it, once each: ``str(fault)`` has the name and a number as well."""
    return f"{file or 'an empty name'}: {fault.strerror or fault}"


#: argparse's collection of subcommands, which has no public name.
Commands = Any
