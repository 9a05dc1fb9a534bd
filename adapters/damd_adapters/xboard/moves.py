"""Moves as XBoard can hold them: a piece goes from one square to another and takes up to two others off on the way.

A claim of a missed capture and the ply after it are one such move: the claimed piece is taken off on the way, too. So a
claim with a quiet move has one victim, and with a capture of one piece two. Of longer captures XBoard leaves pieces on its
board: whoever sends one has to put it right afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from damd.core.types import Ply, PlyKind
from damd.geometry import Board
from damd_adapters.table import Table
from damd_adapters.xboard.board import KING, Squares

#: So many victims can be told to XBoard, or clicked by its user.
MOST_VICTIMS = 2

_LEGS = re.compile(r"([a-z][0-9]{1,2})([a-z][0-9]{1,2})([a-z]?)")


@dataclass(frozen=True, slots=True)
class Move:
    """One turn: the plies that make it, claims first, and what it does to the board. ``victims`` are in order."""

    plies: tuple[Ply, ...]
    victims: tuple[int, ...]

    @classmethod
    def of(cls, plies: Sequence[Ply], board: Board) -> Move:
        """The move that these plies are, the last being no claim. Whoever stands where it ends is no victim on the way."""
        victims = [point for ply in plies[:-1] for point in ply.captured if point != plies[-1].end]
        return cls(tuple(plies), (*victims, *_in_order(plies[-1], board)))

    @property
    def last(self) -> Ply:
        return self.plies[-1]

    @property
    def exact(self) -> bool:
        """Whether XBoard makes the whole of it."""
        return len(self.victims) <= MOST_VICTIMS


def _in_order(ply: Ply, board: Board) -> list[int]:
    """The captured points in the order in which they are jumped."""
    victims: list[int] = []
    for begin, end in pairwise(ply.path):
        (x, y), (to_x, to_y) = board.xy[begin], board.xy[end]
        for point in ply.captured:
            at_x, at_y = board.xy[point]
            beyond = (at_x - x) * (to_y - y) != (at_y - y) * (to_x - x)
            between = min(x, to_x) <= at_x <= max(x, to_x) and min(y, to_y) <= at_y <= max(y, to_y)
            if not beyond and between and point not in victims:
                victims.append(point)
                break
    return victims


def legal_moves(table: Table, origin: int | None = None) -> Iterator[Move]:
    """The moves of the side to move, those after a claim last; from ``origin`` alone where that is given.

    A claim that leaves no ply after it is no move here.
    """
    board = table.rules.geometry
    plies = table.legal()
    for ply in plies:
        if ply.kind is not PlyKind.CLAIM and origin in (None, ply.origin):
            yield Move.of([ply], board)
    for claim in plies:
        if claim.kind is PlyKind.CLAIM:
            table.play(claim)
            try:
                following = [] if table.outcome() is not None else table.moves()
            finally:
                table.undo()
            for ply in following:
                if origin in (None, ply.origin):
                    yield Move.of([claim, ply], board)


def text_of(move: Move, squares: Squares) -> list[str]:
    """The lines that make XBoard play it; what they cannot say of a longer capture is left out."""
    last = move.last
    begin, end = squares.name(last.origin), squares.name(last.end) + (KING.lower() if last.promotes else "")
    victims = [squares.name(point) for point in move.victims[:MOST_VICTIMS]]
    if not victims:
        return [f"move {begin}{end}"]
    if len(victims) == 1:
        return [f"move {begin}{victims[0]},", f"move {victims[0]}{end}"]
    # The three legs of the protocol's text are cut short by XBoard 4.9.1, which reads its own long form well.
    return [f"move {begin}x{victims[0]}x{victims[1]}-{end}"]


def hint_of(move: Move, squares: Squares) -> str:
    """The move in one word."""
    last = move.last
    via = "".join("x" + squares.name(point) for point in move.victims[:MOST_VICTIMS])
    return f"{squares.name(last.origin)}{via}{'-' if via else ''}{squares.name(last.end)}"


@dataclass(frozen=True, slots=True)
class Clicked:
    """What XBoard says that its user did: origin, the squares of victims clicked on, and end."""

    origin: int
    victims: frozenset[int]
    end: int


def read_move(text: str, squares: Squares) -> Clicked:
    """``c3b4``, ``c3d4,d4e5``, with or without a letter for the promotion. Raises ``ValueError``."""
    points: list[int] = []
    for number, leg in enumerate(text.lower().split(",")):
        found = _LEGS.fullmatch(leg)
        if found is None:
            raise ValueError("moves are written as c3b4 or c3d4,d4e5")
        ends = [squares.point(found[1]), squares.point(found[2])]
        for name, point in zip(found.groups(), ends, strict=False):
            if point is None:
                raise ValueError(f"{name} is no playing square")
            points.append(point)
        if number and points[-2] != points[-3]:
            raise ValueError("each leg begins where the one before it ends")
    return Clicked(points[0], frozenset(points[1:-1:2]), points[-1])


def meant(clicked: Clicked, moves: Sequence[Move]) -> list[Move]:
    """The moves that the user can have meant: those with just these victims, otherwise those with these and more.

    Of a capture and a claim with the same result only the capture.
    """
    fitting = [
        move
        for move in moves
        if (move.last.origin, move.last.end) == (clicked.origin, clicked.end) and clicked.victims <= set(move.victims)
    ]
    exact = [move for move in fitting if len(move.victims) == len(clicked.victims)]
    found = exact or fitting
    without_claim = [move for move in found if len(move.plies) == 1]
    return without_claim if exact and without_claim else found


def marks(moves: Sequence[Move], clicked: Sequence[int]) -> dict[int, str]:
    """The colours of squares, with these victims clicked on already: where a piece may go, and what to click first.

    Y is a quiet move's end, R a capture's, B the end of a move that makes a king, C a piece to be taken off on the way.
    """
    colours: dict[int, str] = {}
    taken = frozenset(clicked)
    open_moves = [move for move in moves if taken <= set(move.victims)]
    for move in open_moves:
        left = [point for point in move.victims if point not in taken]
        if left and len(taken) < MOST_VICTIMS:
            colours[left[0]] = "C"
    by_end: dict[int, list[Move]] = {}
    for move in open_moves:
        by_end.setdefault(move.last.end, []).append(move)
    for end, candidates in by_end.items():
        found = meant(Clicked(candidates[0].last.origin, taken, end), candidates)
        if len(found) == 1 and (taken == set(found[0].victims) or not found[0].exact):
            move = found[0]
            colours.setdefault(end, "B" if move.last.promotes else "R" if move.victims else "Y")
    return colours
