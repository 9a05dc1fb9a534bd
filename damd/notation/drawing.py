"""The board drawn with plain characters for a terminal of 80 columns, White below or, turned, Black.

``w`` and ``b`` are men, ``W`` and ``B`` kings; a piece in brackets may be claimed. An empty point shows its name.
Boards whose points fill a grid are drawn as rows of cells; a board with lines of its own is drawn with its lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from damd.core.types import Setup
from damd.geometry import BLACK, WHITE, Board
from damd.notation.squares import NUMERIC, SIDES, listed, names_of
from damd.rules import Rules

#: Columns and text rows from one point to the next where lines are drawn; both even, so that diagonals meet.
_STEP_X, _STEP_Y = 8, 2
#: Columns of one cell, and before the first, where no lines are drawn.
_CELL, _MARGIN = 5, 4

#: Gets a point and what is drawn there, a piece with one column on either side; gives it back with what makes a
#: terminal show it differently, in as many columns.
Paint = Callable[[int, str], str]


def draw(setup: Setup, rules: Rules, *, squares: str = NUMERIC) -> str:
    """The board as lines of text, and under it who is to move and what may be claimed."""
    rows = draw_board(setup, rules, squares=squares)
    return "\n".join(row.rstrip() for row in [*rows, "", *_captions(setup, rules, names_of(rules.geometry, squares))])


def draw_board(
    setup: Setup,
    rules: Rules,
    *,
    squares: str = NUMERIC,
    turned: bool = False,
    moved: int | None = None,
    paint: Paint | None = None,
) -> list[str]:
    """The board alone, a text a row. ``turned`` puts Black below; the piece on ``moved`` stands in parentheses."""
    board = rules.geometry
    names = names_of(board, squares)
    marks = [_mark(setup, point, names[point], moved) for point in range(board.size)]
    view = _View(board, turned, marks, paint or _plain)
    rows = _grid(view, names) if _is_grid(board) else _lines(view)
    return [row.rstrip() for row in rows]


@dataclass(frozen=True, slots=True)
class _View:
    """What is drawn: the board as it is seen, what stands on each point, and how that is shown."""

    board: Board
    turned: bool
    marks: list[str]
    paint: Paint

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


def _mark(setup: Setup, point: int, name: str, moved: int | None) -> str:
    """What stands on the point: a piece, in brackets if it is liable, or the point's name."""
    for side, (man, king) in enumerate((("w", "W"), ("b", "B"))):
        if point in setup.men[side] or point in setup.kings[side]:
            letter = king if point in setup.kings[side] else man
            liable = setup.right is not None and side != setup.side and point in setup.right.points
            return f"[{letter}]" if liable else f"({letter})" if point == moved else f" {letter} "
    return name


def _is_grid(board: Board) -> bool:
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
            _join(canvas, place(one), place(other))
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


def _join(canvas: list[list[str]], one: tuple[int, int], other: tuple[int, int]) -> None:
    """Draw a straight line between two places of the canvas, one character a row, or a column in flat lines."""
    (column, row), (last_column, last_row) = one, other
    if row == last_row:
        for at in range(min(column, last_column), max(column, last_column) + 1):
            canvas[row][at] = "-"
        return
    slope = (last_column - column) * (last_row - row)
    sign = "|" if slope == 0 else "\\" if slope > 0 else "/"
    for at in range(min(row, last_row), max(row, last_row) + 1):
        canvas[at][column + (last_column - column) * (at - row) // (last_row - row)] = sign


def _captions(setup: Setup, rules: Rules, names: tuple[str, ...]) -> list[str]:
    mover, other = SIDES[setup.side], SIDES[1 - setup.side]
    lines = [f"{mover} to move"]
    right = setup.right
    if right is not None:
        number = str(right.take) if right.points else f"any {right.take}"
        points = f": {listed(right.points, lambda point: names[point], limit=12)}" if right.points else ""
        lines.append(f"{mover} may first take off {number} of {other}'s pieces{points}")
    for side in (WHITE, BLACK):
        run = setup.king_runs[side]
        if run is not None and run.count:
            times = f"{run.count} of {rules.king.quiet_limit}"
            lines.append(f"{SIDES[side]}'s king on {names[run.point]} has made {times} quiet moves in a row")
    return lines


def _centred(text: str, width: int, painted: str | None = None) -> str:
    """``text`` in the middle of ``width`` columns, to the right where it cannot be, and shown as ``painted``."""
    left = (width - len(text) + 1) // 2
    return " " * left + (text if painted is None else painted) + " " * (width - left - len(text))
