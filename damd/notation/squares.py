"""Names of points in texts: looking them up, listing them, and quoting what somebody typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from damd.geometry import Board

#: The two ways to write squares.
NUMERIC = "numeric"
ALGEBRAIC = "algebraic"

Item = TypeVar("Item")

SIDES = ("White", "Black")


def names_of(board: Board, squares: str) -> tuple[str, ...]:
    """The points' names in ``numeric`` or ``algebraic`` writing; boards without numbers have one writing only."""
    if squares == NUMERIC:
        return board.names
    if squares == ALGEBRAIC:
        return board.algebraic
    raise ValueError(f"squares are written {NUMERIC} or {ALGEBRAIC}, not {squares}")


def has_numbers(board: Board) -> bool:
    """True where the points of the board are numbered."""
    return board.names != board.algebraic


def find_point(board: Board, text: str) -> int | None:
    """The point that ``text`` names (number, with or without leading zeros, or algebraic, any case), or ``None``."""
    if not text.isascii():  # some letters outside ASCII have ASCII lower case: never a name
        return None
    try:
        return board.index(text.lstrip("0") if text.isdigit() else text)
    except KeyError:
        return None


def extent(board: Board) -> str:
    """Which squares there are: ``1-50, or files a-j and ranks 1-10``."""
    files = f"files a-{max(name[0] for name in board.algebraic)} and ranks 1-{board.rows}"
    return f"1-{board.size}, or {files}" if has_numbers(board) else files


def shown(text: str, limit: int = 40) -> str:
    """``text`` as an error message may quote it: printable, on one line, of bounded length."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(char if char.isprintable() else "?" for char in cut)


def listed(items: Sequence[Item], name: Callable[[Item], str], limit: int = 12) -> str:
    """The names of the first ``limit`` items, with commas, and how many more there are."""
    more = len(items) - limit
    return ", ".join(name(item) for item in items[:limit]) + (f" and {more} more" if more > 0 else "")
