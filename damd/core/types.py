"""Plain values at the core's border: what a position is set from, what a ply is, how a game ended.

Points are indices into ``Board.names`` (board order); sides are 0 (White) and 1 (Black).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PlyKind(Enum):
    """A quiet move, a capture, or a claim of the right that a missed capture gave."""

    QUIET = "quiet"
    CAPTURE = "capture"
    CLAIM = "claim"


@dataclass(frozen=True, slots=True)
class Ply:
    """One legal ply.

    ``path`` is the origin and every landing point, in order; of a claim, the points taken in board order.
    ``captured`` are the points taken off, in board order. Two plies of one position are the same ply when
    origin, end, captured set and resulting piece are the same; ``path`` is then the route whose landing points
    come first in board order. ``promotes`` is true where the moved man is a king afterwards.
    """

    kind: PlyKind
    path: tuple[int, ...]
    captured: tuple[int, ...] = ()
    promotes: bool = False

    @property
    def origin(self) -> int:
        return self.path[0]

    @property
    def end(self) -> int:
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Right:
    """A pending right to take ``take`` pieces of the side not to move.

    ``points`` are the liable points in board order; empty where any piece is liable.
    """

    take: int
    points: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class KingRun:
    """How many consecutive quiet moves a side has just made with the king that now stands on ``point``."""

    point: int
    count: int


@dataclass(frozen=True, slots=True)
class Setup:
    """A whole position: what a FEN says.

    ``men`` and ``kings`` hold White's and Black's points. ``halfmoves`` counts plies since the last capture,
    claim, promotion or forward move of a man; ``fullmoves`` numbers the move, from 1.
    """

    side: int
    men: tuple[frozenset[int], frozenset[int]]
    kings: tuple[frozenset[int], frozenset[int]]
    right: Right | None = None
    king_runs: tuple[KingRun | None, KingRun | None] = (None, None)
    halfmoves: int = 0
    fullmoves: int = 1


class Reason(Enum):
    """Why a game is over."""

    FIRST_KING = "first-king"
    NO_PIECES = "no-pieces"
    NO_MOVES = "no-moves"
    ONE_EACH = "one-each"
    REPETITION = "repetition"
    MOVE_LIMIT = "move-limit"
    MATERIAL = "material"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: ``winner`` is 0, 1, or ``None`` for a draw.

    ``rule`` is the name of the draw rule (``DrawRule.name``) that ended it, empty where none did.
    """

    winner: int | None
    reason: Reason
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """A count that draws the game when it reaches ``limit``: ``name`` is the draw rule's, or ``move-limit``.

    ``plies`` is how far it has come, in plies without claims, ``limit`` at most.
    """

    name: str
    plies: int
    limit: int

    @property
    def left(self) -> int:
        """How many plies are left."""
        return self.limit - self.plies


class TooManyPlies(Exception):
    """The position has more plies (or states of one capture) than the generator's stated bound."""
