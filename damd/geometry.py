"""Boards as points, names and straight lines; nothing here knows a rule or a game.

A board is built from its points and its lines. From the lines follow the directions: all steps along
lines that share one vector are one direction, so a direction is a partial map point -> next point. Every
point also has a bit, chosen so that a direction moves every bit by the same distance: that is what lets the
core move all pieces at once (see ``Direction.shift``).

Coordinates are seen from White's side: ``x`` grows to the right, ``y`` upwards, White sits at ``y = 0``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

FORWARD = "forward"
BACKWARD = "backward"
SIDEWAYS = "sideways"
FORWARD_DIAGONAL = "forward-diagonal"
BACKWARD_DIAGONAL = "backward-diagonal"

#: The words by which rules name directions, seen from the side that moves.
DIRECTION_WORDS = (FORWARD, BACKWARD, SIDEWAYS, FORWARD_DIAGONAL, BACKWARD_DIAGONAL)

WHITE = 0
BLACK = 1


@dataclass(frozen=True, slots=True)
class Direction:
    """All steps of a board that share one vector.

    ``next`` has one entry a point: the neighbour's index, or -1 where no line goes on. ``shift`` is the
    distance (positive or negative, never 0) between the bits of a point and of its neighbour, the same for
    every point. ``opposite`` is the index of the reversed direction.
    """

    dx: int
    dy: int
    next: tuple[int, ...]
    shift: int
    opposite: int

    def word(self, side: int) -> str:
        """The direction's word (one of ``DIRECTION_WORDS``) for White (0) or Black (1)."""
        ahead = self.dy if side == WHITE else -self.dy
        if ahead == 0:
            return SIDEWAYS
        if self.dx == 0:
            return FORWARD if ahead > 0 else BACKWARD
        return FORWARD_DIAGONAL if ahead > 0 else BACKWARD_DIAGONAL


@dataclass(frozen=True, slots=True)
class Board:
    """A board: ``len(names)`` points in board order (the order in which lists of squares are written).

    ``names`` is what the game's notation prints, ``algebraic`` the file-and-rank names (the same on boards
    that have no numbers). ``xy`` are coordinates, ``bits`` the core's bit of each point, ``width`` the number
    of bits a bitboard of this board needs. ``zones[word][side]`` are the points where a man of that side may
    be promoted; every board has the zone ``far-row``.
    """

    kind: str
    columns: int
    rows: int
    names: tuple[str, ...]
    algebraic: tuple[str, ...]
    xy: tuple[tuple[int, int], ...]
    bits: tuple[int, ...]
    lines: tuple[tuple[int, ...], ...]
    directions: tuple[Direction, ...]
    zones: dict[str, tuple[frozenset[int], frozenset[int]]]

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def width(self) -> int:
        return max(self.bits) + 1

    @property
    def main_road(self) -> frozenset[int]:
        """The points of the diagonals that join two corners (main road, long diagonal); none on boards without one."""
        corners = {0, self.columns - 1}, {0, self.rows - 1}
        found: set[int] = set()
        for line in self.lines:
            (x1, y1), (x2, y2) = self.xy[line[0]], self.xy[line[-1]]
            if {x1, x2} == corners[0] and {y1, y2} == corners[1]:
                found.update(line)
        return frozenset(found)

    def index(self, name: str) -> int:
        """The point called ``name`` (number or algebraic, any case). Raises ``KeyError``."""
        return self.points[name.lower()]

    @property
    def points(self) -> Mapping[str, int]:
        """The points by name, number or algebraic, in small letters. Whoever looks up many asks for it once."""
        return _index_of(self.names, self.algebraic)


@lru_cache(maxsize=64)
def _index_of(names: tuple[str, ...], algebraic: tuple[str, ...]) -> dict[str, int]:
    table = {name.lower(): point for point, name in enumerate(algebraic)}
    table.update({name.lower(): point for point, name in enumerate(names)})
    return table


def _make(
    kind: str,
    columns: int,
    rows: int,
    names: list[str],
    algebraic: list[str],
    xy: list[tuple[int, int]],
    bits: list[int],
    lines: list[tuple[int, ...]],
    zones: dict[str, tuple[frozenset[int], frozenset[int]]] | None = None,
) -> Board:
    """Derive the directions from the lines and check that the bits fit them."""
    steps: dict[tuple[int, int], dict[int, int]] = {}
    line_of_step: dict[tuple[int, int], int] = {}
    for number, line in enumerate(lines):
        for a, b in pairwise(line):
            for p, q in ((a, b), (b, a)):
                vector = (xy[q][0] - xy[p][0], xy[q][1] - xy[p][1])
                if p in steps.setdefault(vector, {}):
                    raise ValueError(f"two lines run from {names[p]} to {names[q]}")
                steps[vector][p] = q
                line_of_step[p, q] = number
    vectors = sorted(steps, key=lambda v: (-v[1], v[0]))
    directions = []
    for vector in vectors:
        following = steps[vector]
        shifts = {bits[q] - bits[p] for p, q in following.items()}
        if len(shifts) != 1:
            raise ValueError(f"direction {vector} moves bits by different distances: {sorted(shifts)}")
        for p, q in following.items():
            if q in following and line_of_step[p, q] != line_of_step[q, following[q]]:
                raise ValueError(f"two lines meet end to end at {names[q]}: a jump would change lines")
        directions.append(
            Direction(
                dx=vector[0],
                dy=vector[1],
                next=tuple(following.get(p, -1) for p in range(len(names))),
                shift=shifts.pop(),
                opposite=vectors.index((-vector[0], -vector[1])),
            )
        )
    top = max(y for _, y in xy)
    far = (
        frozenset(p for p, (_, y) in enumerate(xy) if y == top),
        frozenset(p for p, (_, y) in enumerate(xy) if y == 0),
    )
    return Board(
        kind=kind,
        columns=columns,
        rows=rows,
        names=tuple(names),
        algebraic=tuple(algebraic),
        xy=tuple(xy),
        bits=tuple(bits),
        lines=tuple(lines),
        directions=tuple(directions),
        zones={"far-row": far, **(zones or {})},
    )


def _straight_lines(xy: list[tuple[int, int]], vectors: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Every maximal line of at least two points along each of the vectors."""
    at = {point: number for number, point in enumerate(xy)}
    lines = []
    for dx, dy in vectors:
        for x, y in xy:
            if (x - dx, y - dy) in at:
                continue
            line = []
            while (x, y) in at:
                line.append(at[x, y])
                x, y = x + dx, y + dy
            if len(line) > 1:
                lines.append(tuple(line))
    return lines


def diagonal(columns: int, rows: int, mirrored: bool = False, numbering: str = "top-left") -> Board:
    """The dark squares of a chequered board, with diagonals and the files and ranks of dark squares.

    ``mirrored`` puts the playing squares on the other colour (bottom-left corner not played on).
    ``numbering`` is where square 1 lies and how it goes on: ``top-left`` (rightwards and down) or
    ``bottom-right`` (leftwards and up, PDN notation N1).
    """
    xy = []
    for row in range(rows):  # from the top
        first = (rows - 1 - row + (1 if mirrored else 0)) % 2
        xy += [(column, rows - 1 - row) for column in range(first, columns, 2)]
    if numbering == "bottom-right":
        xy.reverse()
    # Bits follow the half-linear form (x + (columns+1) * row) / 2: both diagonals then move by one distance,
    # and one unused bit in two rows keeps the edges apart.
    offset = min(x + (columns + 1) * (rows - 1 - y) for x, y in xy)
    bits = [(x + (columns + 1) * (rows - 1 - y) - offset) // 2 for x, y in xy]
    return _make(
        "diagonal",
        columns,
        rows,
        [str(number + 1) for number in range(len(xy))],
        [_square_name(x, y) for x, y in xy],
        xy,
        bits,
        _straight_lines(xy, [(1, 1), (1, -1), (2, 0), (0, 2)]),
    )


def square(columns: int, rows: int, mirrored: bool = False, numbering: str = "top-left") -> Board:
    """Every square of the board, joined along files and ranks. Only the default layout exists."""
    if mirrored or numbering != "top-left":
        raise ValueError("a board of all squares is neither mirrored nor renumbered")
    xy = [(column, rows - 1 - row) for row in range(rows) for column in range(columns)]
    return _make(
        "square",
        columns,
        rows,
        [_square_name(x, y) for x, y in xy],
        [_square_name(x, y) for x, y in xy],
        xy,
        list(range(len(xy))),
        _straight_lines(xy, [(1, 0), (0, 1)]),
    )


_TAILED_ROWS = ("a1 c1 e1", "b2 c2 d2", "b8 c8 d8", "a9 c9 e9", *(" ".join(f"{f}{r}" for f in "abcde") for r in range(3, 8)))
_TAILED_FILES = (*(" ".join(f"{f}{r}" for r in range(3, 8)) for f in "abde"), " ".join(f"c{r}" for r in range(1, 10)))
_TAILED_DIAGONALS = (
    "a3 b4 c5 d6 e7",
    "e3 d4 c5 b6 a7",
    "a1 b2 c3 d4 e5",
    "e1 d2 c3 b4 a5",
    "a9 b8 c7 d6 e5",
    "e9 d8 c7 b6 a5",
)


def tailed(columns: int, rows: int, mirrored: bool = False, numbering: str = "top-left") -> Board:
    """The 37 points of dam-daman: a square of 5 by 5 points with a triangle (tail) at either end.

    20 lines, 76 edges; a1 is White's left corner. The zone ``tail`` is the opponent's whole triangle.
    """
    if (columns, rows) != (5, 9) or mirrored or numbering != "top-left":
        raise ValueError("the tailed board has 5 columns and 9 rows and is neither mirrored nor renumbered")
    texts = [line.split() for line in (*_TAILED_ROWS, *_TAILED_FILES, *_TAILED_DIAGONALS)]
    names = sorted({name for line in texts for name in line}, key=lambda n: (n[1], n[0]))
    xy = [("abcde".index(name[0]), int(name[1]) - 1) for name in names]
    at = {name: number for number, name in enumerate(names)}
    white_tail = frozenset(at[name] for name in ("a1", "c1", "e1", "b2", "c2", "d2"))
    black_tail = frozenset(at[name] for name in ("a9", "c9", "e9", "b8", "c8", "d8"))
    return _make(
        "tailed",
        columns,
        rows,
        names,
        names,
        xy,
        [y * columns + x for x, y in xy],
        [tuple(at[name] for name in line) for line in texts],
        {"tail": (black_tail, white_tail)},
    )


def _square_name(x: int, y: int) -> str:
    return f"{'abcdefghijklmnopqrstuvwxyz'[x]}{y + 1}"


BUILDERS: dict[str, Callable[..., Board]] = {"diagonal": diagonal, "square": square, "tailed": tailed}


@lru_cache(maxsize=64)
def build(kind: str, columns: int, rows: int, mirrored: bool = False, numbering: str = "top-left") -> Board:
    """The board of that kind; raises ``ValueError`` for a kind or a size that does not exist."""
    if kind not in BUILDERS:
        raise ValueError(f"unknown kind of board: {kind}")
    if kind != "tailed" and not (4 <= columns <= 12 and 4 <= rows <= 12):
        raise ValueError("a board has 4 to 12 columns and rows")
    if kind == "diagonal" and columns % 2:
        raise ValueError("a chequered board has an even number of columns")
    board = BUILDERS[kind](columns, rows, mirrored, numbering)
    if board.width > 128:
        raise ValueError(f"a {columns}x{rows} board of this kind does not fit a bitboard")
    return board
