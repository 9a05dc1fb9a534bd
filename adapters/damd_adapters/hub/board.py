"""Positions and moves as Hub writes them.

A position is the side to move and one letter a point in board order, which is the order of the numbers where there are
any: ``w`` and ``b`` for men, ``W`` and ``B`` for kings, ``e`` for nothing. Hub itself knows 51 characters; the same with
33, 65 or 73 characters, and with 38 for the board of 37 points, is damd's extension.

A move is ``32-28``, or ``28x19x23``: origin, end and all captured points, never the points landed on between. They are
written in board order and read in any; where a single capture can be meant they may be left out. Origin and end may be
the same point. A claim, where the rules have such, is written as damd writes it: ``x22``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from damd.core.position import Position
from damd.core.types import Ply, PlyKind, Setup, TooManyPlies
from damd.geometry import BLACK, WHITE, Board
from damd.notation.plies import explain_illegal, parse_ply
from damd.notation.spelling import PlyError, Spelling, format_ply, read_spellings
from damd.notation.squares import SIDES, listed, shown
from damd.rules import Rules

__all__ = [
    "HubPositionError",
    "PlyError",
    "find_move",
    "read_line",
    "read_move",
    "read_position",
    "write_move",
    "write_position",
]

_SIDE_LETTERS = "WB"
_MEN = "wb"
_KINGS = "WB"
_EMPTY = "e"


class HubPositionError(ValueError):
    """A text that is no position. ``token`` is the part at fault, ``message`` says why and what would be right."""

    def __init__(self, token: str, message: str) -> None:
        super().__init__(message)
        self.token = shown(token)
        self.message = message


def write_position(setup: Setup, board: Board) -> str:
    """The position's text. Rights, king runs and counters are lost: Hub cannot say them."""
    letters = [_EMPTY] * board.size
    for side in (WHITE, BLACK):
        for point in setup.men[side]:
            letters[point] = _MEN[side]
        for point in setup.kings[side]:
            letters[point] = _KINGS[side]
    return _SIDE_LETTERS[setup.side] + "".join(letters)


def read_position(text: str, rules: Rules) -> Setup:
    """The position that a text describes on the board of ``rules``. Raises ``HubPositionError``.

    Men of a side that the rules crown for its being small are read as kings.
    """
    board = rules.geometry
    side, squares = _SIDE_LETTERS.find(text[:1]) if text else -1, text[1:]
    if side < 0:
        raise HubPositionError(text[:1], f"a position begins with the side to move, W or B, not with {shown(text[:1])!r}")
    if len(squares) != board.size:
        raise HubPositionError(text, f"expected {board.size} squares, got {len(squares)}")
    for number, letter in enumerate(squares):
        if letter not in "wWbBe":
            name = board.names[number]
            raise HubPositionError(letter, f"{shown(letter)!r} on square {name}: expected w, W, b, B or e")
    men, kings = _points(squares, _MEN), _points(squares, _KINGS)
    for each in (WHITE, BLACK):
        if len(men[each]) + len(kings[each]) <= rules.promotion.few_pieces:
            kings[each].update(men[each])
            men[each].clear()
        last = men[each] & board.zones[rules.promotion.zone][each]
        if last:
            name = board.names[min(last)]
            raise HubPositionError(name, f"{SIDES[each]}'s man on square {name} stands where men are promoted")
    return Setup(
        side=side,
        men=(frozenset(men[WHITE]), frozenset(men[BLACK])),
        kings=(frozenset(kings[WHITE]), frozenset(kings[BLACK])),
    )


def write_move(ply: Ply, board: Board) -> str:
    """The ply's text, captured points always included."""
    if ply.kind is PlyKind.CLAIM:
        return format_ply(ply, board)
    names = board.names
    if ply.kind is PlyKind.QUIET:
        return f"{names[ply.origin]}-{names[ply.end]}"
    return "x".join(names[point] for point in (ply.origin, ply.end, *ply.captured))


def read_move(text: str, position: Position) -> Ply:
    """The legal ply that a text means in this position. Raises ``PlyError``, and what ``position.plies`` raises."""
    return position.ply_at(find_move(text, position))


def read_line(texts: Iterable[str], position: Position) -> list[Ply]:
    """The plies that damd's texts stand for, one after another, up to the first that cannot be played; the position stays.

    What an engine tells is in full paths: looked up by its ends, a ply of a variation takes some microseconds.
    """
    found: list[Ply] = []
    left = list(texts)
    try:
        while left:
            steps = _steps(left, position)
            made = position.play_steps(steps) if steps else []
            found += made
            left = left[len(made) :]
            if left and not made:
                index = _told(left[0], position)
                if index is None:
                    break
                found.append(position.ply_at(index))
                position.play_at(index)
                left = left[1:]
    except TooManyPlies:
        pass  # positions that are not listed end the line too
    finally:
        for _ in found:
            position.undo()
    return found


def find_move(text: str, position: Position) -> int:
    """Its place among ``position.plies()``, for ``play_at``: the list itself is not made. Raises as ``read_move`` does."""
    spelling = _spelling(text, position.board)
    points = spelling.points
    if spelling.claim:
        found = _claims(spelling, position)
    else:
        found = _moves(points[0], points[1], points[2:], spelling.mark, position)
    if len(found) == 1:
        return found[0]
    if found:
        meant = listed([position.ply_at(index) for index in found], lambda ply: write_move(ply, position.board))
        raise PlyError("ambiguous-ply", text, f"{shown(text)} can mean {len(found)} moves: {meant}")
    raise PlyError("illegal-ply", text, _refusal(text, spelling, position))


def _steps(texts: Sequence[str], position: Position) -> list[int]:
    """What ``position.play_steps`` takes for these, up to the first that is spelt otherwise than usually."""
    steps: list[int] = []
    named = position.board.points
    try:
        for text in texts:
            points = _route(text, named)
            if len(points) == 1:
                break
            steps.append(position.step(points[0], points[-1], capture="x" in text))
    except KeyError:
        pass  # a claim, say
    return steps


def _route(text: str, named: Mapping[str, int]) -> list[int]:
    """The points of a ply in its usual spelling. Raises ``KeyError`` for another one."""
    return [named[name.lower()] for name in text.replace("-", "x").split("x")]


def _told(text: str, position: Position) -> int | None:
    """The place of the ply that an engine of damd's protocol calls so; ``None`` where there is no such ply."""
    try:
        points = _route(text, position.board.points)
        found = position.between(points[0], points[-1])
        if len(found) == 1 and len(points) > 1:
            return found[0]
    except KeyError:
        pass  # a claim, or a spelling other than the usual one
    try:
        return position.plies().index(parse_ply(text, position))
    except PlyError:
        return None


def _points(squares: str, letters: str) -> tuple[set[int], set[int]]:
    return (
        {point for point, letter in enumerate(squares) if letter == letters[WHITE]},
        {point for point, letter in enumerate(squares) if letter == letters[BLACK]},
    )


def _spelling(text: str, board: Board) -> Spelling:
    """What a text says: a claim, or a move of two points or more with a mark between them."""
    spelling = read_spellings(text, board)[0]
    dashes = spelling.mark == "-" and len(spelling.points) > 2
    if spelling.claim or (spelling.mark and len(spelling.points) > 1 and not dashes):
        return spelling
    names = [board.names[point] for point in spelling.points]
    example = f"{'-'.join(names[:2])}" if len(names) > 1 else "32-28"
    raise PlyError("illegal-ply", text, f"{shown(text)} is no move: moves are written as {example} or 28x19x23")


def _moves(origin: int, end: int, captured: tuple[int, ...], mark: str, position: Position) -> list[int]:
    """The moves from here to there that capture these; captures of anything where none are named."""
    taken = tuple(sorted(captured))
    there = [(index, position.ply_at(index)) for index in position.between(origin, end)]
    quiet = [index for index, ply in there if ply.kind is PlyKind.QUIET and mark == "-"]
    return quiet or [index for index, ply in there if ply.kind is PlyKind.CAPTURE and taken in ((), ply.captured)]


def _claims(spelling: Spelling, position: Position) -> list[int]:
    wanted = tuple(sorted(spelling.points))
    return [index for index, ply in enumerate(position.plies()) if ply.kind is PlyKind.CLAIM and ply.captured == wanted]


def _refusal(text: str, spelling: Spelling, position: Position) -> str:
    """Why the move is none here, for people."""
    names = position.board.names
    if spelling.claim or len(spelling.points) == 2:
        return explain_illegal(text, position)
    origin, end = spelling.points[:2]
    nearest = [position.ply_at(index) for index in position.between(origin, end)]
    captures = [ply for ply in nearest if ply.kind is PlyKind.CAPTURE]
    if captures:
        right = listed(captures, lambda ply: write_move(ply, position.board))
        return f"{shown(text)} names other captured squares than those of {right}"
    return explain_illegal(f"{names[origin]}x{names[end]}", position)
