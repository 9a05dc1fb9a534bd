"""How strict PDN spells a ply: origin and end, or the long form where those name several."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.geometry import Board
from damd.notation.pdn.gametypes import pdn_squares
from damd.notation.squares import names_of
from damd.rules import Rules


def short_ply(ply: Ply, plies: Sequence[Ply], rules: Rules, squares: str | None = None, separator: str | None = None) -> str:
    """``ply``, one of the legal ``plies``: ``32-28``, ``19x37``, or ``4x31x42x15`` where 4 to 15 is not this one alone.

    A claim is ``x22`` or ``xb4xc5xd4`` whatever the separator. ``squares`` and ``separator`` are the game's own ones in
    PDN where they are left out.
    """
    several = sum(1 for other in plies if other.kind is ply.kind and other.origin == ply.origin and other.end == ply.end)
    return _spelled(ply, several > 1, rules, squares or pdn_squares(rules), separator or rules.notation.separator)


def short_ply_at(index: int, position: Position, squares: str, separator: str) -> str:
    """The same of ply ``index`` of ``position.plies()``, without making that list."""
    ply = position.ply_at(index)
    several = ply.kind is PlyKind.CAPTURE and len(position.between(ply.origin, ply.end)) > 1
    return _spelled(ply, several, position.rules, squares, separator)


def _spelled(ply: Ply, several: bool, rules: Rules, squares: str, separator: str) -> str:
    names = names_of(rules.geometry, squares)
    if ply.kind is PlyKind.CLAIM:
        return "x" + "x".join(names[point] for point in ply.path)
    if ply.kind is PlyKind.QUIET:
        return f"{names[ply.origin]}-{names[ply.end]}"
    points = long_form(ply.path, ply.captured, rules.geometry) if several else (ply.origin, ply.end)
    return separator.join(names[point] for point in points)


def long_form(path: Sequence[int], captured: Sequence[int], board: Board) -> tuple[int, ...]:
    """The points of a capture's long form.

    Listed are the points where it turns, and where it goes straight on the one right behind the captured piece;
    nothing more than the end for the last piece.
    """
    legs = [_leg(origin, end, captured, board) for origin, end in pairwise(path)]
    points = [path[0]]
    for (direction, behind), (following, _), landing in zip(legs, legs[1:], path[1:], strict=False):
        points.append(behind if direction == following else landing)
    return (*points, path[-1])


def _leg(origin: int, end: int, captured: Sequence[int], board: Board) -> tuple[int, int]:
    """The direction of one jump, and the point right behind the piece that it takes."""
    taken = frozenset(captured)
    for number, direction in enumerate(board.directions):
        behind = -1
        point = direction.next[origin]
        while point >= 0 and point != end:
            if behind < 0 and point in taken:
                behind = direction.next[point]
            point = direction.next[point]
        if point == end and behind >= 0:
            return number, behind
    raise ValueError(f"no jump leads from {board.names[origin]} to {board.names[end]}")
