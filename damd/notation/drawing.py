"""The board drawn with characters for a terminal of 80 columns, White below or, turned, Black.

``w`` and ``b`` are men, ``W`` and ``B`` kings, or what ``Signs`` says; a piece in brackets may be claimed. An empty
point shows its name. The points of the last ply stand in parentheses, what it took has an ``x`` before it, marked
points stand between stars.
Boards whose points fill a grid are drawn as rows of cells; a board with lines of its own is drawn with its lines.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from damd.core.types import PlyKind, Setup
from damd.geometry import Board
from damd.notation.captions import captions
from damd.notation.overlay import NOTHING, Overlay
from damd.notation.squares import NUMERIC, names_of
from damd.rules import Rules

#: Columns and text rows from one point to the next where lines are drawn; both even, so that diagonals meet.
_STEP_X, _STEP_Y = 8, 2
#: Columns of one cell, and before the first, where no lines are drawn.
_CELL, _MARGIN = 5, 4
#: Columns of the terminal.
_WIDTH = 80

#: Gets a point and what is drawn there, a piece with one column on either side; gives it back with what makes a
#: terminal show it differently, in as many columns.
Paint = Callable[[int, str], str]


@dataclass(frozen=True, slots=True)
class Signs:
    """The characters of a drawing: men and kings of either side, flat and upright lines, falling and rising ones."""

    pieces: tuple[tuple[str, str], tuple[str, str]]
    lines: tuple[str, str, str, str]


ASCII = Signs((("w", "W"), ("b", "B")), ("-", "|", "\\", "/"))
UNICODE = Signs((("⛀", "⛁"), ("⛂", "⛃")), ("─", "│", "╲", "╱"))


def draw(
    setup: Setup,
    rules: Rules,
    *,
    squares: str = NUMERIC,
    turned: bool = False,
    overlay: Overlay = NOTHING,
    signs: Signs = ASCII,
) -> str:
    """The board as lines of text, and under it who is to move, what may be claimed and what ``overlay`` holds."""
    rows = draw_board(setup, rules, squares=squares, turned=turned, overlay=overlay, signs=signs)
    words = captions(setup, rules, squares=squares, overlay=overlay)
    return "\n".join([*rows, "", *(line for sentence in words for line in _wrapped(sentence))])


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, _WIDTH, break_on_hyphens=False)


def draw_board(
    setup: Setup,
    rules: Rules,
    *,
    squares: str = NUMERIC,
    turned: bool = False,
    moved: int | None = None,
    overlay: Overlay = NOTHING,
    signs: Signs = ASCII,
    paint: Paint | None = None,
) -> list[str]:
    """The board alone, a text a row. ``turned`` puts Black below; the piece on ``moved`` stands in parentheses."""
    board = rules.geometry
    names = names_of(board, squares)
    last = overlay.last
    path = frozenset(last.path) if last is not None and last.kind is not PlyKind.CLAIM else frozenset[int]()
    around = _Around(
        liable=frozenset(setup.right.points) if setup.right is not None else frozenset(),
        marked=overlay.marks,
        passed=path if moved is None else path | {moved},
        taken=frozenset(last.captured) if last is not None else frozenset(),
    )
    marks = []
    for point, name in enumerate(names):
        letter = _letter(setup, point, signs)
        marks.append(around.piece(point, letter) if letter else around.name(point, name))
    view = _View(board, turned, marks, paint or _plain, signs)
    rows = _grid(view, names) if is_grid(board) else _lines(view)
    return [row.rstrip() for row in rows]


@dataclass(frozen=True, slots=True)
class _View:
    """What is drawn: the board as it is seen, what stands on each point, and how that is shown."""

    board: Board
    turned: bool
    marks: list[str]
    paint: Paint
    signs: Signs

    def seen(self, point: int) -> tuple[int, int]:
        """Column and row from the top left, as they are seen."""
        x, y = self.board.xy[point]
        return (self.board.columns - 1 - x, y) if self.turned else (x, self.board.rows - 1 - y)

    def rank(self, row: int) -> str:
        return str(row + 1 if self.turned else self.board.rows - row)

    def files(self, margin: int, width: int) -> str:
        letters = "abcdefghijkl"[: self.board.columns]
        return " " * margin + "".join(_centred(letter, width) for letter in (letters[::-1] if self.turned else letters))


def _plain(point: int, text: str) -> str:  # noqa: ARG001
    return text


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a piece or a name, the first that holds."""

    liable: frozenset[int]
    marked: frozenset[int]
    passed: frozenset[int]
    taken: frozenset[int]

    def piece(self, point: int, letter: str) -> str:
        """A piece with one column on either side."""
        if point in self.liable:
            return f"[{letter}]"
        return f"*{letter}*" if point in self.marked else f"({letter})" if point in self.passed else f" {letter} "

    def name(self, point: int, name: str) -> str:
        """The name of an empty point."""
        if point in self.marked:
            return f"*{name}*"
        return f"x{name}" if point in self.taken else f"({name})" if point in self.passed else name


def _letter(setup: Setup, point: int, signs: Signs) -> str:
    """The piece on the point; empty where there is none."""
    for side, (man, king) in enumerate(signs.pieces):
        if point in setup.kings[side]:
            return king
        if point in setup.men[side]:
            return man
    return ""


def is_grid(board: Board) -> bool:
    """True if every direction leads from every point to the neighbour that lies there, where there is one."""
    at = {place: point for point, place in enumerate(board.xy)}
    return all(
        direction.next[point] == at.get((x + direction.dx, y + direction.dy), -1)
        for direction in board.directions
        for point, (x, y) in enumerate(board.xy)
    )


def _grid(view: _View, names: tuple[str, ...]) -> list[str]:
    """Cells, ranks to the left, files below; to the right which points lie in the row, where they have numbers."""
    board = view.board
    at = {view.seen(point): point for point in range(board.size)}
    rows = []
    for row in range(board.rows):
        points = [at[column, row] for column in range(board.columns) if (column, row) in at]
        cells = [" " * _CELL] * board.columns
        for point in points:
            mark = view.marks[point]
            cells[view.seen(point)[0]] = _centred(mark, _CELL, view.paint(point, mark))
        text = f"{view.rank(row):>{_MARGIN - 1}} " + "".join(cells)
        if names != board.algebraic:
            text += f" {names[points[0]]:>3} - {names[points[-1]]}"
        rows.append(text)
    return [*rows, "", view.files(_MARGIN, _CELL)]


def _lines(view: _View) -> list[str]:
    """The points joined by the board's lines, ranks to the left, files below."""
    board = view.board
    height = (board.rows - 1) * _STEP_Y + 1
    canvas = [[" "] * (board.columns * _STEP_X) for _ in range(height)]

    def place(point: int) -> tuple[int, int]:
        column, row = view.seen(point)
        return column * _STEP_X + _STEP_X // 2, row * _STEP_Y

    for line in board.lines:
        for one, other in pairwise(line):
            _join(canvas, place(one), place(other), view.signs)
    for point, mark in enumerate(view.marks):
        column, row = place(point)
        margin = "" if mark.startswith(" ") else " "
        width = len(mark) + 2 * len(margin)
        first = column - (width - 1) // 2
        # Painted, it is longer than the columns it takes: it goes into the first of them, whole.
        canvas[row][first : first + width] = [margin + view.paint(point, mark) + margin, *[""] * (width - 1)]
    rows = []
    for number, cells in enumerate(canvas):
        rank = "" if number % _STEP_Y else view.rank(number // _STEP_Y)
        rows.append(f"{rank:>{_MARGIN - 1}} " + "".join(cells))
    return [*rows, "", view.files(_MARGIN, _STEP_X)]


def _join(canvas: list[list[str]], one: tuple[int, int], other: tuple[int, int], signs: Signs) -> None:
    """Draw a straight line between two places of the canvas, one character a row, or a column in flat lines."""
    (column, row), (last_column, last_row) = one, other
    flat, upright, falling, rising = signs.lines
    if row == last_row:
        for at in range(min(column, last_column), max(column, last_column) + 1):
            canvas[row][at] = flat
        return
    slope = (last_column - column) * (last_row - row)
    sign = upright if slope == 0 else falling if slope > 0 else rising
    for at in range(min(row, last_row), max(row, last_row) + 1):
        canvas[at][column + (last_column - column) * (at - row) // (last_row - row)] = sign


def _centred(text: str, width: int, painted: str | None = None) -> str:
    """``text`` in the middle of ``width`` columns, to the right where it cannot be, and shown as ``painted``."""
    left = (width - len(text) + 1) // 2
    return " " * left + (text if painted is None else painted) + " " * (width - left - len(text))
