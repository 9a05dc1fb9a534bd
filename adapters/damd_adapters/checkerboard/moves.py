"""Moves as CheckerBoard has them: what is on the board afterwards, its ``CBmove``, and its lists of moves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from damd.core.position import Position
from damd.core.types import Ply, PlyKind, Setup
from damd_adapters.checkerboard.layouts import COLOURS, KING, MAN, Squares

#: CheckerBoard has room for so many moves of a position and writes past it where a list has more (to 1.77a).
LONGEST_LIST = 28
#: A reply has room for so many characters.
REPLY_CHARACTERS = 1023


@dataclass(frozen=True, slots=True)
class Jump:
    """One piece taken: where the jump ends, which point becomes empty, and CheckerBoard's number of the piece."""

    landing: int
    taken: int
    piece: int


@dataclass(frozen=True, slots=True)
class Move:
    """A ply with what CheckerBoard wants to know of it; ``before`` and ``after`` are the moving piece."""

    ply: Ply
    before: int
    after: int
    jumps: tuple[Jump, ...]

    @classmethod
    def of(cls, ply: Ply, setup: Setup, squares: Squares) -> Move:
        """A legal ply of the position ``setup``."""
        colour = COLOURS[setup.side]
        before = colour | (KING if ply.origin in setup.kings[setup.side] else MAN)
        after = colour | KING if ply.promotes else before
        jumps = []
        if ply.kind is PlyKind.CAPTURE:
            for start, landing in zip(ply.path, ply.path[1:], strict=False):
                taken = next(point for point in ply.captured if _between(start, point, landing, squares))
                theirs = KING if taken in setup.kings[1 - setup.side] else MAN
                jumps.append(Jump(landing, taken, COLOURS[1 - setup.side] | theirs))
        return cls(ply, before, after, tuple(jumps))

    def record(self, squares: Squares) -> str:
        """The fields of a ``CBmove``: jumps, new and old piece, from, to; for each jump landing, taken and its piece."""
        places = squares.places
        numbers = [len(self.jumps), self.after, self.before, *places[self.ply.origin], *places[self.ply.end]]
        for jump in self.jumps:
            numbers += [*places[jump.landing], *places[jump.taken], jump.piece]
        return ",".join(map(str, numbers))

    def entry(self, squares: Squares) -> str:
        """The move in an answer to ``get movelist``."""
        number = squares.read
        numbers = [len(self.jumps), self.before, self.after, number(self.ply.origin), number(self.ply.end)]
        for jump in self.jumps:
            numbers += [number(jump.landing), number(jump.taken), jump.piece]
        return ",".join(map(str, numbers)) + ";"


def moves_of(position: Position, squares: Squares) -> list[Move]:
    """The legal moves of a position; none where a side has no pieces."""
    setup = position.setup()
    return [Move.of(ply, setup, squares) for ply in position.plies() if ply.kind is not PlyKind.CLAIM]


def move_list(moves: Sequence[Move], squares: Squares, longest: int = LONGEST_LIST) -> str:
    """The answer to ``get movelist``.

    Where there are more moves than ``longest``, or than the reply has room for, some of each piece are listed and one
    ``;`` stands behind the last. That makes CheckerBoard use the list for the user's clicks alone: it takes the
    engine's move from the ``CBmove`` then, whether it is listed or not.
    """
    if not moves:
        return "movelist 0"
    entries = [move.entry(squares) for move in moves]
    whole = f"movelist {len(moves)},{''.join(entries)}"
    if len(moves) <= longest and len(whole) <= REPLY_CHARACTERS:
        return whole
    room = REPLY_CHARACTERS - len(f"movelist {len(moves)},;")
    kept: list[str] = []
    for move in _in_turns(moves):
        entry = move.entry(squares)
        if len(kept) < longest and len(entry) <= room:
            kept.append(entry)
            room -= len(entry)
    return f"movelist {len(kept)},{''.join(kept)};"


def _in_turns(moves: Sequence[Move]) -> list[Move]:
    """The first move of each piece, then the second of each, and so on."""
    seen: dict[int, int] = defaultdict(int)
    turns = []
    for index, move in enumerate(moves):
        turns.append((seen[move.ply.origin], index))
        seen[move.ply.origin] += 1
    return [moves[index] for _, index in sorted(turns)]


def _between(start: int, point: int, landing: int, squares: Squares) -> bool:
    """Whether ``point`` lies on the straight line between the two others."""
    (x1, y1), (x, y), (x2, y2) = (squares.places[each] for each in (start, point, landing))
    straight = (x - x1) * (y2 - y1) == (y - y1) * (x2 - x1)
    inside = min(x1, x2) < x < max(x1, x2) and min(y1, y2) < y < max(y1, y2)
    return straight and inside
