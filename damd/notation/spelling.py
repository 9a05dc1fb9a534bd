"""Plies as text: how they are written, and what a text says before any position is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from damd.core.types import Ply, PlyKind
from damd.geometry import Board
from damd.notation.squares import ALGEBRAIC, NUMERIC, extent, find_point, has_numbers, names_of, shown

#: Longer texts are refused unread; a capture of every piece of the largest board, long form, is shorter.
MAX_LENGTH = 512

_CAPTURE_MARKS = "xX:"


class PlyError(ValueError):
    """A text that does not name exactly one legal ply.

    ``code`` is ``illegal-ply`` or ``ambiguous-ply``, ``token`` the text (cut where it is very long), ``message``
    the reason, of bounded length however many plies there are.
    """

    def __init__(self, code: str, token: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.token = shown(token)
        self.message = message


@dataclass(frozen=True, slots=True)
class Spelling:
    """What a text says: a claim or a move, and the squares it names, in its order.

    ``mark`` is what stands between the squares of a move: ``x`` if anything there marks a capture, ``-`` for
    dashes alone, empty for nothing at all. ``squares`` is the writing the text uses, for answers in kind.
    """

    claim: bool
    points: tuple[int, ...]
    mark: str
    squares: str


def format_ply(ply: Ply, board: Board, squares: str = NUMERIC) -> str:
    """The ply's full path: ``32-28``, ``19x28x37``, ``c5xa5xe1``; of a claim ``x22``, ``xb4xc5xd4``."""
    names = names_of(board, squares)
    path = [names[point] for point in ply.path]
    if ply.kind is PlyKind.QUIET:
        return "-".join(path)
    return ("x" if ply.kind is PlyKind.CLAIM else "") + "x".join(path)


def read_spellings(text: str, board: Board) -> list[Spelling]:
    """What ``text`` can say on this board: one spelling, or several where digits without a mark divide in several ways.

    Raises ``PlyError`` where it can say nothing.
    """
    if len(text) > MAX_LENGTH:
        raise PlyError("illegal-ply", text, f"a ply of {len(text)} characters: at most {MAX_LENGTH} are read")
    bare = text.strip()
    claim = bare[:1] != "" and bare[0] in _CAPTURE_MARKS
    pieces, marks = _pieces(bare[1:] if claim else bare)
    if len(pieces) == 1 and not claim and pieces[0].isdigit() and find_point(board, pieces[0]) is None:
        divided = _divided(pieces[0], board)
        if divided:
            return [Spelling(False, points, "", NUMERIC) for points in divided]
    points = tuple(_point(piece, text, board) for piece in pieces)
    algebraic = not has_numbers(board) or not any(piece.isdigit() for piece in pieces)
    mark = "x" if "x" in marks or claim else "-" if "-" in marks else ""
    return [Spelling(claim, points, mark, ALGEBRAIC if algebraic else NUMERIC)]


def _pieces(text: str) -> tuple[list[str], set[str]]:
    """The texts of the squares and the kinds of marks between them (``x``, ``-`` or empty)."""
    pieces = [""]
    marks = set()
    for char in text:
        if char in _CAPTURE_MARKS or char == "-":
            marks.add("-" if char == "-" else "x")
            pieces.append("")
        elif char.isalpha() and pieces[-1][-1:].isdigit() and pieces[-1][0].isalpha():
            marks.add("")  # c5a5: a letter after a complete point begins the next one
            pieces.append(char)
        else:
            pieces[-1] += char
    return pieces, marks


def _point(piece: str, text: str, board: Board) -> int:
    point = find_point(board, piece)
    if point is not None:
        return point
    example = "32-28, 19x28x37 or x22" if has_numbers(board) else "c5-c6, c5xa5xe1 or xb4xc5xd4"
    if not piece:
        raise PlyError("illegal-ply", text, f"{shown(text) or 'an empty text'} is no ply: plies are written as {example}")
    raise PlyError("illegal-ply", text, f"{shown(piece)} is not a square: squares are {extent(board)}")


def _divided(digits: str, board: Board) -> list[tuple[int, ...]]:
    """The ways to read ``digits`` as origin and end: ``3228``, ``3838``."""
    found: list[tuple[int, ...]] = []
    for cut in range(1, len(digits)):
        origin, end = digits[:cut], digits[cut:]
        if len(digits) <= 4 and "0" not in (origin[0], end[0]):
            first, last = find_point(board, origin), find_point(board, end)
            if first is not None and last is not None:
                found.append((first, last))
    return found
