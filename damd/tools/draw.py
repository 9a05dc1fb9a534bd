"""``damd draw``: a position as a picture or as text."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from damd.tools.common import FINE, Commands, add_variant, end_on_interrupt, fail, file_fault, rules_of, say

if TYPE_CHECKING:
    from damd.core.position import Position
    from damd.notation.overlay import Overlay
    from damd.rules import Rules

START = "startpos"


def add(commands: Commands) -> None:
    draw = commands.add_parser(
        "draw",
        help="draw a position as SVG or text",
        description="Draw a position, and over it a ply, arrows and marks. The FEN stands first: "
        "damd draw W:W31-50:B1-20 --variant international > board.svg",
    )
    draw.add_argument("fen", nargs="?", default=START, metavar="FEN", help=f"default: {START}, the start position")
    add_variant(draw, positional=False)
    draw.add_argument("--format", choices=("svg", "text", "unicode"), default="svg", help="default: svg; text is ASCII")
    draw.add_argument("--squares", choices=("numeric", "algebraic"), help="how squares are written; default: the game's way")
    draw.add_argument("--flip", action="store_true", help="Black below")
    last = draw.add_mutually_exclusive_group()
    last.add_argument(
        "--moves", nargs="+", action="extend", default=[], metavar="PLY", help="play these before, and show the last one"
    )
    last.add_argument("--last", metavar="PLY", help="the ply that led to the position")
    draw.add_argument(
        "--arrow",
        nargs="+",
        action="extend",
        default=[],
        metavar="PLY",
        help="arrows from square to square (32-28), or along a legal capture (19x28x37) with what it takes crossed",
    )
    draw.add_argument("--mark", nargs="+", action="extend", default=[], metavar="SQUARE", help="squares to mark")
    draw.add_argument(
        "--labels",
        choices=("names", "edges", "both", "none"),
        default="names",
        help="of an SVG: the squares' numbers or names, files and ranks at the edges, both or none; default: names",
    )
    draw.add_argument("--no-caption", action="store_true", help="of an SVG: nothing under the board")
    draw.add_argument("--size", type=_pixels, default=480, metavar="PX", help="of an SVG: its longer side; default: 480")
    draw.add_argument("-o", "--output", metavar="FILE", help="default: stdout")


def run(options: Namespace) -> int:
    from damd.core.types import TooManyPlies
    from damd.notation.fen import FenError
    from damd.notation.plies import PlyError
    from damd.variants import VariantError

    end_on_interrupt()
    try:
        rules = rules_of(options)
        text = _drawn(rules, options)
    except (VariantError, TooManyPlies) as fault:
        return fail(str(fault))
    except FenError as fault:
        return fail(f"{fault} (read as {rules.name}; --variant names another game)")
    except PlyError as fault:
        return fail(f"{fault.token.strip() or 'PLY'}: {fault.message}")
    if options.output is None:
        return _print(text)
    try:
        with open(options.output, "w", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
    except OSError as fault:
        return fail(file_fault(options.output, fault))
    return FINE


def _print(text: str) -> int:
    try:
        say(text)
    except UnicodeEncodeError as fault:
        return fail(f"stdout is in {fault.encoding}, which has no draughtsmen: use --format text, or -o FILE")
    return FINE


def _drawn(rules: Rules, options: Namespace) -> str:
    """The drawing. Raises ``FenError``, ``PlyError`` and ``TooManyPlies``."""
    from damd.core.position import Position
    from damd.notation.drawing import ASCII, UNICODE, draw
    from damd.notation.fen import parse_fen
    from damd.notation.svg import draw_svg

    position = Position(rules, None if options.fen == START else parse_fen(options.fen, rules))
    overlay = _overlay(position, options)
    setup, squares = position.setup(), options.squares or rules.notation.squares
    if options.format != "svg":
        signs = ASCII if options.format == "text" else UNICODE
        return draw(setup, rules, squares=squares, turned=options.flip, overlay=overlay, signs=signs)
    return draw_svg(
        setup,
        rules,
        squares=squares,
        turned=options.flip,
        overlay=overlay,
        labels=options.labels,
        caption=not options.no_caption,
        size=options.size,
    )


def _overlay(position: Position, options: Namespace) -> Overlay:
    """Plays the moves, and says what is to be seen in the position after them."""
    from damd.notation.overlay import Overlay, read_arrow, read_last, read_mark
    from damd.notation.plies import PlyError, parse_ply

    last, before = None, None
    for number, text in enumerate(_items(options.moves), 1):
        try:
            before, last = position.setup(), parse_ply(text, position)
        except PlyError as fault:
            raise PlyError(fault.code, f"ply {number} {text}", fault.message) from fault
        position.play(last)
    if options.last is not None:
        last = read_last(options.last, position.setup(), position.board)
    return Overlay(
        last=last,
        before=before,
        arrows=tuple(read_arrow(text, position) for text in _items(options.arrow)),
        marks=frozenset(read_mark(text, position.board) for text in _items(options.mark)),
    )


def _items(texts: list[str]) -> list[str]:
    """Also what was written as one word, with commas or quoted blanks."""
    return [item for text in texts for item in text.replace(",", " ").split()]


def _pixels(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 16 <= int(text) <= 10_000):
        raise ArgumentTypeError("a size is a number of pixels from 16 to 10000")
    return int(text)
