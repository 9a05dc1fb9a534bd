"""Tables as text: columns as wide as they have to be, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

#: Stands for what the results do not tell.
NOTHING = "-"


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (1,)) -> list[str]:
    """The lines of a table; ``left`` are the columns that begin at the left, counted from 0."""
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(width, column)) for column in columns]
    lines = []
    for row in (heads, *rows):
        cells = []
        for place, (cell, wide) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (wide - width(cell))
            cells.append(cell + blanks if place in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def number(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A number, or a dash where there is none."""
    if value is None:
        return NOTHING
    text = f"{value:+.{digits}f}" if signed else f"{value:.{digits}f}"
    # What rounds to nothing has no sign.
    return text if float(text) else f"{0:.{digits}f}"


def points_text(points: int, scoring: str) -> str:
    """Points, 2 a win, as the tournament counts them."""
    if scoring == "2-1-0":
        return str(points)
    whole, half = divmod(points, 2)
    return f"{whole}.5" if half else f"{whole}.0"
