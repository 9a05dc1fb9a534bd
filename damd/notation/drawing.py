"""The board drawn with plain characters, White below, for a terminal of 80 columns.

``w`` and ``b`` are men, ``W`` and ``B`` kings; a piece in brackets may be claimed. An empty point shows its name.
Boards whose points fill a grid are drawn as rows of cells; a board with lines of its own is drawn with its lines.
"""

from __future__ import annotations

from itertools import pairwise

from damd.core.types import Setup
from damd.geometry import BLACK, WHITE, Board
from damd.notation.squares import NUMERIC, SIDES, listed, names_of
from damd.rules import Rules

#: Columns and text rows from one point to the next where lines are drawn; both even, so that diagonals meet.
_STEP_X, _STEP_Y = 8, 2
#: Columns of one cell, and before the first, where no lines are drawn.
_CELL, _MARGIN = 5, 4


def draw(setup: Setup, rules: Rules, *, squares: str = NUMERIC) -> str:
    """The board as lines of text, and under it who is to move and what may be claimed."""
    board = rules.geometry
    names = names_of(board, squares)
    marks = [_mark(setup, point, names[point]) for point in range(board.size)]
    rows = _grid(board, marks, names) if _is_grid(board) else _lines(board, marks)
    return "\n".join(row.rstrip() for row in [*rows, "", *_captions(setup, rules, names)])


def _mark(setup: Setup, point: int, name: str) -> str:
    """What stands on the point: a piece, in brackets if it is liable, or the point's name."""
    for side, (man, king) in enumerate((("w", "W"), ("b", "B"))):
        if point in setup.men[side] or point in setup.kings[side]:
            letter = king if point in setup.kings[side] else man
            liable = setup.right is not None and side != setup.side and point in setup.right.points
            return f"[{letter}]" if liable else letter
    return name


def _is_grid(board: Board) -> bool:
    """True if every direction leads from every point to the neighbour that lies there, where there is one."""
    at = {place: point for point, place in enumerate(board.xy)}
    return all(
        direction.next[point] == at.get((x + direction.dx, y + direction.dy), -1)
        for direction in board.directions
        for point, (x, y) in enumerate(board.xy)
    )


def _grid(board: Board, marks: list[str], names: tuple[str, ...]) -> list[str]:
    """Cells, ranks to the left, files below; to the right which points lie in the row, where they have numbers."""
    at = {place: point for point, place in enumerate(board.xy)}
    rows = []
    for y in reversed(range(board.rows)):
        points = [at[x, y] for x in range(board.columns) if (x, y) in at]
        cells = (_centred(marks[at[x, y]] if (x, y) in at else "", _CELL) for x in range(board.columns))
        row = f"{y + 1:>{_MARGIN - 1}} " + "".join(cells)
        if names != board.algebraic:
            row += f" {names[points[0]]:>3} - {names[points[-1]]}"
        rows += [row]
    return [*rows, "", _files(board, _MARGIN, _CELL)]


def _files(board: Board, margin: int, width: int) -> str:
    return " " * margin + "".join(_centred("abcdefghijkl"[x], width) for x in range(board.columns))


def _lines(board: Board, marks: list[str]) -> list[str]:
    """The points joined by the board's lines, ranks to the left, files below."""
    height = (board.rows - 1) * _STEP_Y + 1
    canvas = [[" "] * (board.columns * _STEP_X) for _ in range(height)]

    def place(point: int) -> tuple[int, int]:
        x, y = board.xy[point]
        return x * _STEP_X + _STEP_X // 2, (board.rows - 1 - y) * _STEP_Y

    for line in board.lines:
        for one, other in pairwise(line):
            _join(canvas, place(one), place(other))
    for point, mark in enumerate(marks):
        column, row = place(point)
        padded = f" {mark} "
        first = column - (len(padded) - 1) // 2
        canvas[row][first : first + len(padded)] = padded
    rows = []
    for number, cells in enumerate(canvas):
        rank = "" if number % _STEP_Y else str(board.rows - number // _STEP_Y)
        rows.append(f"{rank:>{_MARGIN - 1}} " + "".join(cells))
    return [*rows, "", _files(board, _MARGIN, _STEP_X)]


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


def _centred(text: str, width: int) -> str:
    """``text`` in the middle of ``width`` columns, to the right where it cannot be."""
    left = (width - len(text) + 1) // 2
    return " " * left + text + " " * (width - left - len(text))
