"""The board as XBoard has it: names of squares, positions, the picture of a game that it does not know.

XBoard lets its White begin. Where Black begins in our game, our Black is XBoard's White, and the board is turned round.
On boards with ten ranks it counts them from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from damd.core.types import Setup
from damd.geometry import BACKWARD, BACKWARD_DIAGONAL, BLACK, FORWARD, FORWARD_DIAGONAL, SIDEWAYS, WHITE
from damd.notation.fen import parse_fen
from damd.rules import Rules

MAN, KING = "M", "K"

#: XBoard's pieces in its order, the king last: men are its knights and kings its queens. Its pawns would be promoted,
#: and its king be in check, by rules of its own.
_TABLE = ".M..K."

#: Sizes that XBoard shows well; it has no board of points, and letters for no more than a few pieces of larger ones.
SIZES = (8, 10)

#: Betza's letters for our directions: the diagonal ones are parts of F and B, the others of W and R.
_DIRECTIONS = {
    FORWARD_DIAGONAL: ("f", "F"),
    BACKWARD_DIAGONAL: ("b", "F"),
    FORWARD: ("f", "W"),
    BACKWARD: ("b", "W"),
    SIDEWAYS: ("s", "W"),
}
_FAR = {"F": "B", "W": "R"}


def shown_well(rules: Rules) -> bool:
    """Whether XBoard can show the game: chequered boards of 8x8 and 10x10."""
    board = rules.board
    return board.kind == "diagonal" and board.columns == board.rows and board.rows in SIZES


class Squares:
    """Points and sides of a game, and what XBoard calls them. Raises ``ValueError`` for a board that it cannot show."""

    def __init__(self, rules: Rules) -> None:
        if not shown_well(rules):
            raise ValueError("XBoard shows chequered boards of 8x8 and 10x10")
        self.rules = rules
        self.rows = rules.board.rows
        self.turned = rules.start.first == "black"
        self._first_rank = 0 if self.rows == 10 else 1
        last = self.rows - 1
        places = [(last - x, last - y) if self.turned else (x, y) for x, y in rules.geometry.xy]
        self._point_at = {place: point for point, place in enumerate(places)}
        self._names = tuple(f"{'abcdefghij'[x]}{y + self._first_rank}" for x, y in places)
        self._points = {name: point for point, name in enumerate(self._names)}

    def name(self, point: int) -> str:
        return self._names[point]

    def point(self, name: str) -> int | None:
        """The point that XBoard calls so, ``None`` for another square of its board or no square at all."""
        return self._points.get(name)

    def side(self, side: int) -> int:
        """XBoard's side for ours, and ours for XBoard's: 0 White, 1 Black."""
        return 1 - side if self.turned else side

    def side_name(self, side: int) -> str:
        """What XBoard's user calls our side."""
        return ("White", "Black")[self.side(side)]

    def renamed(self, text: str) -> str:
        """A text of ours with the squares in it, algebraic, as XBoard calls them."""
        known = self.rules.geometry.algebraic
        names = {ours: self._names[point] for point, ours in enumerate(known)}
        return re.sub(r"[a-j][0-9]{1,2}", lambda found: names.get(found[0], found[0]), text)

    # Positions

    def fen(self, setup: Setup) -> str:
        """XBoard's FEN of a position; a right to claim has no place in it."""
        pieces: dict[int, str] = {}
        for side in (WHITE, BLACK):
            for letter, points in ((MAN, setup.men[side]), (KING, setup.kings[side])):
                pieces |= dict.fromkeys(points, letter if self.side(side) == WHITE else letter.lower())
        return f"{self.picture(pieces)} {'wb'[self.side(setup.side)]} - - {setup.halfmoves} {setup.fullmoves}"

    def picture(self, letters: Mapping[int, str]) -> str:
        """Letters on points, and empty squares counted, as in the first field of a FEN and in ``highlight``."""
        ranks = []
        for y in reversed(range(self.rows)):
            rank, empty = "", 0
            for x in range(self.rows):
                letter = letters.get(self._point_at.get((x, y), -1))
                if letter is None:
                    empty += 1
                else:
                    rank += (str(empty) if empty else "") + letter
                    empty = 0
            ranks.append(rank + (str(empty) if empty else ""))
        return "/".join(ranks)

    def setup(self, fen: str) -> Setup:
        """The position that XBoard's FEN describes. Raises ``ValueError``, which says what is wrong."""
        fields = fen.split()
        if len(fields) < 2 or fields[1] not in ("w", "b"):
            raise ValueError("a position is pieces and the side to move, w or b")
        men: tuple[list[str], list[str]] = ([], [])
        for point, letter in self._read(fields[0]):
            side = self.side(WHITE if letter.isupper() else BLACK)
            men[side].append(("K" if letter.upper() == KING else "") + self.rules.geometry.names[point])
        mover = "WB"[self.side("wb".index(fields[1]))]
        # Our own reader knows what cannot stand where, and how few pieces are crowned.
        return parse_fen(f"{mover}:W{','.join(men[WHITE])}:B{','.join(men[BLACK])}", self.rules)

    def _read(self, picture: str) -> Iterable[tuple[int, str]]:
        ranks = picture.partition("[")[0].split("/")
        if len(ranks) != self.rows:
            raise ValueError(f"{len(ranks)} ranks on a board of {self.rows}")
        for y, rank in zip(reversed(range(self.rows)), ranks, strict=True):
            x = 0
            for item in re.findall(r"[0-9]{1,2}|.", rank):
                if item.isdecimal():
                    x += int(item)
                    continue
                if item.upper() not in (MAN, KING):
                    raise ValueError(f"{item} is no piece: men are M and m, kings K and k")
                point = self._point_at.get((x, y))
                if point is None or x >= self.rows:
                    raise ValueError(f"the {item} on rank {y + self._first_rank} stands beside the playing squares")
                yield point, item
                x += 1
            if x != self.rows:
                raise ValueError(f"rank {y + self._first_rank} has {x} squares, not {self.rows}")

    # What XBoard is told of the game

    def setup_line(self, setup: Setup) -> str:
        """The answer to ``variant``: pieces, size and start position."""
        size = f"{self.rows}x{self.rows}+0_fairy"
        return f"setup ({_TABLE}{_TABLE.lower()}) {size} {self.fen(setup)}"

    def piece_lines(self) -> list[str]:
        """How the pieces move, in Betza's notation: XBoard needs it to tell pieces apart in its own move list."""
        rules = self.rules
        men = _betza(rules.men.moves, rules.men.captures, far=False)
        kings = _betza(rules.king.moves, rules.king.captures, far=rules.king.flying)
        return [f"piece {MAN}& {men}", f"piece {KING}& {kings}"]


def _betza(moves: Iterable[str], captures: Iterable[str], far: bool) -> str:
    """Steps or slides, and captures as a leg on to the piece followed by one beyond it."""
    said = ""
    for letters, form in ((_together(moves), "m{ways}{piece}"), (_together(captures), "{ways}cafm{step}")):
        for step, ways in letters.items():
            said += form.format(ways=ways, piece=_FAR[step] if far else step, step=step)
    return said


def _together(directions: Iterable[str]) -> dict[str, str]:
    """The directions by Betza's letter, with the modifiers that single them out; all of a kind need none."""
    found: dict[str, str] = {}
    for way, step in (_DIRECTIONS[direction] for direction in directions):
        found[step] = found.get(step, "") + way
    return {step: "" if set(ways) == set("fb" if step == "F" else "fbs") else ways for step, ways in found.items()}
