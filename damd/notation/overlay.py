"""What a drawing shows beside the position: the ply that led to it, arrows and marked points; and how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from damd.core.types import Ply, PlyKind, Setup
from damd.geometry import Board
from damd.notation.plies import PlyError, PositionView, parse_ply
from damd.notation.spelling import Spelling, read_spellings
from damd.notation.squares import SIDES, extent, find_point, names_of


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is drawn over a position.

    ``last`` is the ply that led to it and ``before`` the position it was made in, where that is known: it tells what
    the captured pieces were. Arrows are plies that need not be legal; pieces on their ``captured`` points are crossed.
    """

    last: Ply | None = None
    before: Setup | None = None
    arrows: tuple[Ply, ...] = ()
    marks: frozenset[int] = frozenset()


NOTHING = Overlay()


def read_last(text: str, setup: Setup, board: Board) -> Ply:
    """The ply that led to ``setup``, as it is written: what it took is known where its path leaves no choice.

    Raises ``PlyError`` where it cannot have led there: its end holds no piece of the side that was to move, or
    another of its points is occupied.
    """
    spelling = _one_spelling(text, board)
    names = names_of(board, spelling.squares)
    points = spelling.points
    occupied = frozenset().union(*setup.men, *setup.kings)
    mover = 1 - setup.side
    if spelling.claim:
        emptied: tuple[int, ...] = points
        ply = Ply(PlyKind.CLAIM, tuple(sorted(points)), tuple(sorted(points)))
    else:
        _require_steps(points, text, "origin and end are needed, two squares, as in 32-28")
        if points[-1] not in setup.men[mover] | setup.kings[mover]:
            message = f"{SIDES[mover]} made the last ply, and there is no piece of {SIDES[mover]} on {names[points[-1]]}"
            raise PlyError("illegal-ply", text, message)
        captured = _surely_jumped(points, board) if spelling.mark == "x" else ()
        emptied = tuple(point for point in (*points, *captured) if point != points[-1])
        ply = Ply(PlyKind.CAPTURE if spelling.mark == "x" else PlyKind.QUIET, points, captured)
    for point in emptied:
        if point in occupied:
            raise PlyError("illegal-ply", text, f"this would have left {names[point]} empty, and a piece stands there")
    return ply


def read_arrow(text: str, position: PositionView) -> Ply:
    """An arrow: with dashes from square to square whatever the rules say; a capture or claim has to be a legal ply.

    Raises ``PlyError``, and lets pass what ``position.plies()`` raises where there are too many plies to list.
    """
    spelling = _one_spelling(text, position.board)
    if spelling.mark == "x":
        return parse_ply(text, position)
    _require_steps(spelling.points, text, "an arrow leads from one square to another, as in 32-28")
    return Ply(PlyKind.QUIET, spelling.points)


def read_mark(text: str, board: Board) -> int:
    """The point of that name. Raises ``PlyError``."""
    point = find_point(board, text)
    if point is None:
        raise PlyError("illegal-ply", text, f"not a square: squares are {extent(board)}")
    return point


def _one_spelling(text: str, board: Board) -> Spelling:
    spellings = read_spellings(text, board)
    if len(spellings) > 1:
        raise PlyError("ambiguous-ply", text, "this divides in several ways: put - or x between the squares")
    return spellings[0]


def _require_steps(points: tuple[int, ...], text: str, message: str) -> None:
    if len(points) < 2 or any(one == other for one, other in pairwise(points)):
        raise PlyError("illegal-ply", text, message)


def _surely_jumped(points: tuple[int, ...], board: Board) -> tuple[int, ...]:
    """Of each leg that passes a single point, that point; a longer leg does not tell which of its points was taken."""
    jumped = set()
    for origin, end in pairwise(points):
        for direction in board.directions:
            passed, point = list[int](), direction.next[origin]
            while point not in (-1, end):
                passed.append(point)
                point = direction.next[point]
            if point == end and len(passed) == 1:
                jumped.add(passed[0])
    return tuple(sorted(jumped))
