"""CheckerBoard's board and square numbers, game by game, and what they are on our boards.

CheckerBoard hands over ``board[x][y]``: x is the column, y the row, and Black's side is y = 0 in every game. Only
squares with x + y even are played on. It numbers them by game; a numbering is ``base + row * y + column * (x // 2)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from damd.core.types import Setup
from damd.geometry import BLACK, WHITE
from damd.rules import Rules

EMPTY, OF_WHITE, OF_BLACK, MAN, KING = 0, 1, 2, 4, 8
#: CheckerBoard's colours as numbers, by our sides.
COLOURS = (OF_WHITE, OF_BLACK)
WIDTH = 8
SQUARES = WIDTH * WIDTH


class BoardError(ValueError):
    """A board, a FEN or a number that is not one of the game."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the square (x, y) is numbered: ``base + row * y + column * (x // 2)``."""

    base: int
    row: int
    column: int

    def number(self, x: int, y: int) -> int:
        return self.base + self.row * y + self.column * (x // 2)


@dataclass(frozen=True, slots=True)
class Layout:
    """What differs between CheckerBoard's games.

    ``reversed_columns`` is whether x runs from White's right to his left. ``told`` numbers the squares in what
    CheckerBoard sends, ``read`` in the lists of moves that it reads; they are one but for a slip of CheckerBoard's.
    """

    gametype: int
    reversed_columns: bool
    told: Numbering
    read: Numbering


#: 1 is at Black's right hand, on the board that our games without a mirrored board use.
_USUAL = Numbering(4, 4, -1)
#: 1 is at Black's left hand.
_FROM_LEFT = Numbering(1, 4, 1)
#: 1 is at White's right hand.
_FROM_WHITE = Numbering(32, -4, -1)

#: By the number that ``get gametype`` answers: the first one of a PDN GameType.
LAYOUTS = {
    layout.gametype: layout
    for layout in (
        Layout(21, True, _USUAL, _USUAL),
        Layout(22, False, _FROM_LEFT, _FROM_LEFT),
        Layout(24, False, _FROM_WHITE, _FROM_WHITE),
        Layout(25, True, _USUAL, _USUAL),
        Layout(26, True, _USUAL, _USUAL),
        # CheckerBoard marks this one as unchecked. It writes 32 for x = y = 0 and reads that square as 34 (to 1.77a).
        Layout(29, True, _FROM_WHITE, Numbering(34, -4, -1)),
    )
}


@dataclass(frozen=True, slots=True)
class Squares:
    """The squares of one game: our points, CheckerBoard's columns and rows, and its numbers."""

    rules: Rules
    layout: Layout
    places: tuple[tuple[int, int], ...] = field(init=False)  #: (x, y) of each point
    _points: dict[tuple[int, int], int] = field(init=False)
    _told: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        last = WIDTH - 1
        places = tuple((last - x if self.layout.reversed_columns else x, last - y) for x, y in self.rules.geometry.xy)
        object.__setattr__(self, "places", places)
        object.__setattr__(self, "_points", {place: point for point, place in enumerate(places)})
        object.__setattr__(self, "_told", {self.layout.told.number(*place): point for point, place in enumerate(places)})

    @classmethod
    def of(cls, rules: Rules) -> Squares:
        """The squares of a game that CheckerBoard knows. Raises ``BoardError`` for another one."""
        number = rules.names.gametype.partition(",")[0]
        layout = LAYOUTS.get(int(number)) if number.isdigit() else None
        if layout is None or (rules.geometry.columns, rules.geometry.rows) != (WIDTH, WIDTH):
            raise BoardError(f"CheckerBoard does not play {rules.name}: its games have the GameTypes {_listed(LAYOUTS)}")
        return cls(rules, layout)

    def told(self, point: int) -> int:
        """The number by which CheckerBoard calls a point."""
        return self.layout.told.number(*self.places[point])

    def read(self, point: int) -> int:
        """The number that makes CheckerBoard think of that point when it stands in a list of moves."""
        return self.layout.read.number(*self.places[point])

    def point(self, number: int) -> int:
        """The point of a number that CheckerBoard sends. Raises ``BoardError``."""
        if number not in self._told:
            raise BoardError(f"{number} is no square: they are numbered 1 to {len(self._told)}")
        return self._told[number]

    # Positions

    def setup(self, colour: int, board: Sequence[int]) -> Setup:
        """The position of a board (x-major, 64 numbers) with ``colour`` to move. Raises ``BoardError``."""
        if colour not in COLOURS:
            raise BoardError(f"{colour} is no colour: {OF_WHITE} is White, {OF_BLACK} is Black")
        if len(board) != SQUARES:
            raise BoardError(f"a board of {len(board)} squares: there are {SQUARES}")
        men: tuple[set[int], set[int]] = (set(), set())
        kings: tuple[set[int], set[int]] = (set(), set())
        for index, piece in enumerate(board):
            if piece == EMPTY:
                continue
            place = divmod(index, WIDTH)
            side = COLOURS.index(piece & 3) if piece & 3 in COLOURS else None
            if side is None or piece & ~3 not in (MAN, KING):
                raise BoardError(f"{piece} on column {place[0]}, row {place[1]} is no piece")
            if place not in self._points:
                raise BoardError(f"a piece on column {place[0]}, row {place[1]}, which is not played on")
            (men if piece & MAN else kings)[side].add(self._points[place])
        return Setup(COLOURS.index(colour), _frozen(men), _frozen(kings))

    def board(self, setup: Setup) -> list[int]:
        """The board of a position, x-major."""
        board = [EMPTY] * SQUARES
        for kind, sets in ((MAN, setup.men), (KING, setup.kings)):
            for side, points in enumerate(sets):
                for point in points:
                    x, y = self.places[point]
                    board[x * WIDTH + y] = COLOURS[side] | kind
        return board

    def read_fen(self, text: str) -> Setup:
        """The position of a FEN as CheckerBoard writes it, men on any row. Raises ``BoardError``."""
        fields = [part.strip() for part in text.strip().removesuffix(".").split(":")]
        if len(fields) != 3 or fields[0].upper() not in _LETTERS:
            raise BoardError(f"{_shown(text)} is no FEN: it is written like B:W18,K20:B1-4,K7")
        men: tuple[set[int], set[int]] = (set(), set())
        kings: tuple[set[int], set[int]] = (set(), set())
        if sorted(part[:1].upper() for part in fields[1:]) != ["B", "W"]:
            raise BoardError(f"{_shown(text)} is no FEN: White's and Black's pieces begin with W and with B")
        for part in fields[1:]:
            side = _LETTERS.index(part[0].upper())
            for item in filter(None, (item.strip() for item in part[1:].split(","))):
                for point in self._piece(item):
                    if any(point in points for points in (*men, *kings)):
                        raise BoardError(f"square {self.told(point)} is used twice")
                    (kings if item[0] in "Kk" else men)[side].add(point)
        return Setup(_LETTERS.index(fields[0].upper()), _frozen(men), _frozen(kings))

    def _piece(self, item: str) -> list[int]:
        found = _PIECE.fullmatch(item)
        if not found:
            raise BoardError(f"{_shown(item)} is no piece: it is written like 18, K20 or 1-4")
        first = int(found[1])
        last = int(found[2] or first)
        if last < first:
            raise BoardError(f"{_shown(item)} runs backwards")
        self.point(last)  # before the range is walked through
        return [self.point(number) for number in range(first, last + 1)]


_LETTERS = ("W", "B")
_PIECE = re.compile(r"[Kk]?([0-9]{1,2})(?:-([0-9]{1,2}))?")


def same_position(one: Setup, other: Setup) -> bool:
    """Whether side to move and pieces are the same, whatever the counters."""
    return replace(one, halfmoves=other.halfmoves, fullmoves=other.fullmoves) == other


def _frozen(sets: tuple[set[int], set[int]]) -> tuple[frozenset[int], frozenset[int]]:
    return frozenset(sets[WHITE]), frozenset(sets[BLACK])


def _listed(numbers: Sequence[int] | dict[int, Layout]) -> str:
    return ", ".join(str(number) for number in numbers)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
