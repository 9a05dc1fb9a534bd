"""``damd convert``: files of games, positions and openings from one format to another."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING

from damd.tools.common import AT_FAULT, USAGE, Commands, Named, add_variant_path, end_on_interrupt, fail, file_fault, note

if TYPE_CHECKING:
    from damd.tools.conversion import Conversion

#: The formats, and the ends of their files' names.
FORMATS = {
    "pdn": (".pdn",),
    "fen": (".fen", ".fens", ".epd"),
    "openings": (".openings", ".opening", ".lines"),
    "ballots": (".ballots", ".ballot"),
    "json": (".jsonl", ".ndjson", ".json"),
}

_HOLDS = {
    "pdn": "games in PDN",
    "fen": "positions, a FEN a line",
    "openings": "plies from the start position or from a FEN, a line each",
    "ballots": "the same with numbers",
    "json": "games, an object a line",
}

_EPILOG = """\
formats, told by the end of a file's name or by --from and --to:
{formats}

What a format does not hold is left out, and said on standard error. What cannot be read is named there as
FILE:LINE: game N, ply M: with the reason; all else is converted, and the exit code is 1. The output takes its place
when it is whole; if damd is interrupted the file is what it was before. formats.md has it all.
"""


def add(commands: Commands) -> None:
    convert = commands.add_parser(
        "convert",
        help="convert PDN, lists of positions and openings, ballots and JSON lines",
        description="Convert files of games, positions and openings. Files larger than memory are fine.",
        epilog=_EPILOG.format(
            formats="\n".join(f"  {name:9} {_HOLDS[name]} ({' '.join(ends)})" for name, ends in FORMATS.items())
        ),
        formatter_class=RawDescriptionHelpFormatter,
    )
    convert.add_argument("files", nargs="+", metavar="IN", help="- is standard input")
    convert.add_argument("-o", "--output", metavar="OUT", default="-", help="default: standard output")
    convert.add_argument("--from", dest="source", choices=FORMATS, help="what the files are")
    convert.add_argument("--to", dest="target", choices=FORMATS, help="what they become")
    convert.add_argument("--variant", action=Named, metavar="NAME", help="the game of files that do not say it")
    convert.add_argument("--missed-capture", choices=("rule", "forbidden"), default="rule", help="goes with --variant")
    add_variant_path(convert)
    convert.add_argument(
        "--first-score",
        choices=("rules", "white", "black"),
        default="rules",
        help="whose the first number of a result is; default: of who begins by the rules",
    )
    convert.add_argument(
        "--positions", type=_which, metavar="WHICH", help="for fen: start (the default), end, all, or after so many plies"
    )
    convert.add_argument("--plies", type=_count, metavar="N", help="only the first N plies of each game")
    convert.add_argument("--unique", action="store_true", help="for lists: what leads to the same position only once")
    convert.add_argument("--bare", action="store_true", help="for lists: nothing but FENs and plies")
    convert.add_argument("--full", action="store_true", help="for lists: FENs with the counters H and F")
    convert.add_argument("--squares", choices=("numeric", "algebraic"), help="for lists: how squares are written")


def run(options: Namespace) -> int:
    from damd.tools.conversion import Conversion
    from damd.tools.whole import Interrupted
    from damd.variants import VariantError

    end_on_interrupt()
    wrong = _wrong_usage(options)
    if wrong:
        return fail(wrong, USAGE)
    try:
        return _converted(Conversion(options))
    except VariantError as fault:
        return fail(str(fault))
    except Interrupted as interrupted:
        interrupted.die()
        return AT_FAULT


def _converted(conversion: Conversion) -> int:
    from damd.tools.whole import Output

    options = conversion.options
    try:
        with Output(options.output) as output:
            for file in options.files:
                conversion.convert(file, output)
    except OSError as fault:
        if options.output == "-":
            raise
        return fail(file_fault(options.output, fault))
    for line in conversion.summary():
        note(f"damd: {line}")
    return conversion.code


def format_of(file: str, given: str | None) -> str | None:
    """The format of a file: the one that is given, or what the end of its name says."""
    ends = (name for name, suffixes in FORMATS.items() if file.lower().endswith(suffixes))
    return given or next(ends, None)


def _wrong_usage(options: Namespace) -> str:
    """What is wrong with the options together; empty where nothing is."""
    if not (options.output and all(options.files)):
        return "an empty name is no file; - is standard input or output"
    for file in options.files:
        if format_of(file, options.source) is None:
            return f"what is {file}? Say it with --from, one of {', '.join(FORMATS)}"
    target = format_of(options.output, options.target)
    if target is None:
        return f"what is to be written? Say it with --to, one of {', '.join(FORMATS)}"
    if options.missed_capture == "forbidden" and options.variant is None:
        return "--missed-capture goes with --variant: files that name their game say it themselves"
    if options.positions is not None and target != "fen":
        return "--positions goes with fen"
    if target in ("pdn", "json"):
        given = [word for word in ("unique", "bare", "full", "squares") if getattr(options, word)]
        if given:
            return f"--{given[0]} goes with lists: fen, openings and ballots"
    return ""


def _which(text: str) -> str | int:
    return text if text in ("start", "end", "all") else _count(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise ArgumentTypeError(f"a number of plies is needed, not {text[:40]!r}")
    return int(text)
