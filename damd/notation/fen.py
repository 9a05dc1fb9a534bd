"""Positions as text: PDN's FEN with fields for a pending right, king runs and counters.

    W:W18,K19,23:B8,K17:P22,31:L46=2:H0:F1

The side to move, then in any order White's and Black's pieces (``K`` before a king; ``31-50`` is a range, and
``K10-12`` are three kings), and the fields that are not always there:

``P``  a pending right: the points that may be taken (``P22,31``), or how many of any (``P*3``)
``L``  quiet moves that a side has just made with one king, where the rules limit them (``L46=2``, ``L46=2,5=1``)
``H``  plies since the last capture, claim, promotion or forward move of a man
``F``  the number of the move, from 1

Read, never written: lower case, blanks around anything, a trailing dot, quotes or the whole ``[FEN "..."]`` tag
around, leading zeros, numbers and algebraic names side by side, a side to move that is given twice
(``W:W:W31,32:B1,2``). What can be read in two ways is an error, not a guess.
"""

from __future__ import annotations

from damd.core.types import KingRun, Right, Setup
from damd.geometry import BLACK, WHITE, Board
from damd.notation.squares import NUMERIC, SIDES, extent, find_point, has_numbers, names_of, shown
from damd.rules import Rules

#: Longer texts are refused unread; the longest FEN of a board of 72 squares has about 700 characters.
MAX_LENGTH = 4096
#: The largest number in an ``H`` or ``F`` field.
MAX_COUNTER = 999_999

_LETTERS = "WB"
_FIELDS = "W (White's pieces), B (Black's), P (right), L (king runs), H (plies), F (move number)"
#: Not blanks for ``str.strip``, but copied along with a text now and then.
_INVISIBLE = "\ufeff\u200b"


class FenError(ValueError):
    """A text that is no position. ``token`` is the part at fault, ``message`` says why and what would be right."""

    def __init__(self, token: str, message: str) -> None:
        super().__init__(message)
        self.token = shown(token)
        self.message = message


def parse_fen(text: str, rules: Rules, *, board: Board | None = None) -> Setup:
    """The position that ``text`` describes on the board of ``rules``.

    ``board`` is that board with other names for its points, where the text has those.

    Where the rules crown the men of a side with few pieces, such a side is read with its men crowned. Raises
    ``FenError`` for anything else than one position that the rules allow.
    """
    fields = [field.strip() for field in _bare(text).split(":")]
    side = _side(fields[0])
    reader = _Reader(rules, side, board or rules.geometry)
    rest = fields[1:]
    if _is_doubled(rest, side):
        rest = rest[1:]
    later: list[str] = []
    for field in rest:
        letter = field[:1].upper()
        if not letter:
            raise FenError(text, "a field is empty: between two colons stands one of " + _FIELDS)
        if letter in _LETTERS:
            reader.pieces(field)
        elif letter in "PLHF":
            later.append(field)
        else:
            raise FenError(field, f"unknown field {shown(field)}: a field is one of {_FIELDS}")
    reader.close_pieces()
    for field in later:
        reader.extra(field)
    return reader.setup()


def format_fen(setup: Setup, rules: Rules, *, full: bool = False, squares: str = NUMERIC) -> str:
    """The one canonical FEN of ``setup``; ``full`` adds the ``H`` and ``F`` counters.

    Without ``full`` the text holds what changes legal plies: pieces, side to move, pending right and, where the
    rules have a limit, king runs. ``squares`` is ``numeric`` or ``algebraic``.
    """
    names = names_of(rules.geometry, squares)
    fields = [_LETTERS[setup.side]]
    for side in (WHITE, BLACK):
        kings = setup.kings[side]
        points = sorted(setup.men[side] | kings)
        fields.append(_LETTERS[side] + ",".join(("K" if point in kings else "") + names[point] for point in points))
    if setup.right is not None:
        liable = ",".join(names[point] for point in setup.right.points)
        fields.append("P" + (liable or f"*{setup.right.take}"))
    runs = [run for run in setup.king_runs if run is not None and run.count > 0] if rules.king.quiet_limit else []
    if runs:
        fields.append("L" + ",".join(f"{names[run.point]}={run.count}" for run in runs))
    if full:
        fields += [f"H{setup.halfmoves}", f"F{setup.fullmoves}"]
    return ":".join(fields)


def _bare(text: str) -> str:
    """``text`` without what may stand around a FEN: blanks, tag, quotes, dot."""
    if len(text) > MAX_LENGTH:
        raise FenError(text, f"a FEN of {len(text)} characters: at most {MAX_LENGTH} are read")
    bare = text.strip().strip(_INVISIBLE).strip()
    if bare.startswith("["):
        inner = bare[1:].removesuffix("]").strip()
        if not bare.endswith("]") or inner[:3].upper() != "FEN" or not inner[3:].lstrip().startswith('"'):
            raise FenError(bare, 'a tag is read only if it is a whole FEN tag: [FEN "W:W31:B20"]')
        bare = inner[3:].strip()
    if bare.startswith('"'):
        if len(bare) < 2 or not bare.endswith('"'):
            raise FenError(bare, "the quotes around the FEN are not closed")
        bare = bare[1:-1].strip()
    bare = bare.removesuffix(".").rstrip()
    if not bare:
        raise FenError(text, "an empty FEN: at least the side to move and both sides' pieces are needed, as in W:W31:B20")
    return bare


def _side(field: str) -> int:
    letter = field.upper()
    if letter in ("W", "B"):
        return _LETTERS.index(letter)
    if letter == "?":
        raise FenError(field, "side to move unknown (?): the FEN has to begin with W or B")
    if not letter:
        raise FenError(field, "side to move missing: the FEN has to begin with W or B")
    raise FenError(field, f"{shown(field)} is no side to move: the FEN has to begin with W: or B:")


def _is_doubled(fields: list[str], side: int) -> bool:
    """True if ``fields`` begin with the side to move once more: bare, with both colours still to come."""
    if not fields or fields[0].upper() != _LETTERS[side]:
        return False
    colours = [field[:1].upper() for field in fields[1:3]]
    return sorted(colours) == ["B", "W"]


class _Reader:
    """Collects the fields of one FEN; pieces come first, for the other fields speak of them."""

    def __init__(self, rules: Rules, side: int, board: Board) -> None:
        self._rules = rules
        self._board = board
        self._side = side
        self._men: tuple[set[int], set[int]] = (set(), set())
        self._kings: tuple[set[int], set[int]] = (set(), set())
        self._owner: dict[int, str] = {}  # point -> field that put a piece there
        self._seen: set[str] = set()
        self._right: Right | None = None
        self._runs: list[KingRun | None] = [None, None]
        self._halfmoves = 0
        self._fullmoves = 1

    def setup(self) -> Setup:
        return Setup(
            side=self._side,
            men=(frozenset(self._men[WHITE]), frozenset(self._men[BLACK])),
            kings=(frozenset(self._kings[WHITE]), frozenset(self._kings[BLACK])),
            right=self._right,
            king_runs=(self._runs[WHITE], self._runs[BLACK]),
            halfmoves=self._halfmoves,
            fullmoves=self._fullmoves,
        )

    # Pieces

    def pieces(self, field: str) -> None:
        """Read ``W31-50`` or ``bk6,20``; nothing after the letter is a side without pieces."""
        side = _LETTERS.index(field[0].upper())
        name = self._once(field)
        for item in self._items(field[1:], name):
            king, points = self._piece(item, field[0].isupper(), name)
            for point in points:
                if point in self._owner:
                    where = f"in {name}" if self._owner[point] == name else f"in {self._owner[point]} and in {name}"
                    raise FenError(item, f"square {self._board.names[point]} is used twice, {where}")
                self._owner[point] = name
                (self._kings if king else self._men)[side].add(point)

    def close_pieces(self) -> None:
        """Check what can only be said when both sides are known; crown sides with few pieces."""
        for side in (WHITE, BLACK):
            if _LETTERS[side] not in self._seen:
                raise FenError(
                    _LETTERS[side],
                    f"{SIDES[side]}'s pieces are missing: the FEN needs a field {_LETTERS[side]}, empty if there are none",
                )
            men, kings = self._men[side], self._kings[side]
            if len(men) + len(kings) <= self._rules.promotion.few_pieces:
                kings |= men
                men.clear()
            last = sorted(men & self._board.zones[self._rules.promotion.zone][side])
            if last:
                square = self._board.names[last[0]]
                raise FenError(square, f"{SIDES[side]}'s man on {square} stands where men are promoted: a king is K{square}")

    def _piece(self, item: str, upper_field: bool, name: str) -> tuple[bool, list[int]]:
        """Whether ``item`` speaks of kings, and of which points."""
        if item[:1] in ("K", "k"):
            item = item[0] + item[1:].lstrip()
        king, rest = False, item
        if item[:1] == "k" and self._board.columns > 10:
            # On wide boards a small k is also a file: the file in `W:Wk6`, as it is written here, either in `w:wk6`.
            point, other = find_point(self._board, item), find_point(self._board, item[1:])
            if point is not None and other is not None and not upper_field:
                raise FenError(item, f"{item} in {name} can be the point {item} or a king on {item[1:]}: write K for kings")
            king = point is None and not upper_field
        else:
            king = item[:1] in ("K", "k")
        rest = item[1:] if king else item
        if item[:1] == "B" and None not in (find_point(self._board, item), find_point(self._board, item[1:])):
            raise FenError(item, f"{item} in {name} can be the point {item.lower()} or Black's {item[1:]}: write either")
        if "-" in rest:
            return king, self._range(rest, item, name)
        return king, [self._point(rest, item, name)]

    def _range(self, text: str, item: str, name: str) -> list[int]:
        first, last = (part.strip() for part in text.split("-", 1))
        if has_numbers(self._board) and not (first + last).isdigit():
            raise FenError(item, f"{shown(item)} in {name}: a range is of numbers here, as in 31-35, or K31-35 for kings")
        low, high = self._point(first, item, name), self._point(last, item, name)
        numbered = has_numbers(self._board)
        if int(first) > int(last) if numbered else low > high:
            right = f"{self._board.names[high]}-{self._board.names[low]}"
            raise FenError(item, f"the range {shown(item)} in {name} runs backwards: write {right}")
        if not numbered:
            return list(range(low, high + 1))
        # Numbers run as the points do, unless they are somebody else's names for them.
        return [self._point(str(number), item, name) for number in range(int(first), int(last) + 1)]

    def _point(self, text: str, item: str, name: str) -> int:
        point = find_point(self._board, text)
        if point is not None:
            return point
        if not text:
            raise FenError(item, f"a square is missing in {name}" + (f" after {shown(item)}" if item else ""))
        files = "abcdefghijkl"[: self._board.columns]
        if text.isascii() and (text.isdigit() or (text[0].lower() in files and text[1:].isdigit())):
            raise FenError(item, f"square {shown(text)} in {name} is off the board: squares are {extent(self._board)}")
        for length in range(min(len(text) - 1, 3), 0, -1):
            if find_point(self._board, text[:length]) is not None:
                tail = shown(text[length:])
                raise FenError(item, f"{tail} after square {text[:length]} in {name}: only a comma or a colon can follow")
        raise FenError(item, f"{shown(item)} in {name} is no square: squares are {extent(self._board)}, K before a king")

    def _items(self, text: str, name: str) -> list[str]:
        items = [item.strip() for item in text.split(",")]
        if items == [""]:
            return []
        if "" in items:
            raise FenError(text, f"a comma without a square in {name}")
        return items

    def _once(self, field: str) -> str:
        """The field's name for messages; a second field of that letter is an error."""
        letter = field[0].upper()
        name = f"field {letter}"
        if letter in self._seen:
            raise FenError(field, f"a second {name}: each field stands once")
        self._seen.add(letter)
        return name

    # Fields that are not always there

    def extra(self, field: str) -> None:
        """Read a field other than pieces."""
        name = self._once(field)
        letter, body = field[0].upper(), field[1:].strip()
        if letter == "P":
            self._read_right(field, body, name)
        elif letter == "L":
            self._read_runs(field, body, name)
        elif letter == "H":
            self._halfmoves = _number(field, body, name, 0)
        else:
            self._fullmoves = _number(field, body, name, 1)

    def _read_right(self, field: str, body: str, name: str) -> None:
        penalty = self._rules.penalty
        if penalty.take == 0:
            raise FenError(field, f"{name} without a penalty in force: captures cannot be missed here, nobody has a right")
        other = 1 - self._side
        theirs = self._men[other] | self._kings[other]
        if penalty.liable == "any-piece":
            right = f"P*{penalty.take}"
            if body != f"*{penalty.take}":
                raise FenError(field, f"{name}: the right is to take any {penalty.take} here, so it is written {right}")
            if not theirs:
                raise FenError(field, f"{name}: {SIDES[other]} has no piece that could be taken")
            self._right = Right(penalty.take)
            return
        points: set[int] = set()
        for item in self._items(body, name):
            if item.startswith("*"):
                raise FenError(item, f"{name}: here the pieces that may be taken are listed, as in P22,31; no {shown(item)}")
            point = self._point(item, item, name)
            square = self._board.names[point]
            if point in points:
                raise FenError(item, f"square {square} is used twice in {name}")
            if point not in theirs:
                raise FenError(item, f"{name}: there is no piece of {SIDES[other]} on {square} that could be taken")
            points.add(point)
        if not points:
            raise FenError(field, f"{name} names no square: write the pieces that may be taken, as in P22, or leave it out")
        self._right = Right(penalty.take, tuple(sorted(points)))

    def _read_runs(self, field: str, body: str, name: str) -> None:
        limit = self._rules.king.quiet_limit
        if limit == 0:
            raise FenError(field, f"{name}: the moves of one king are not limited here, so there is nothing to count")
        items = self._items(body, name)
        if not items:
            raise FenError(field, f"{name} is empty: write king and moves, as in L46=2, or leave it out")
        for item in items:
            square, equals, count = (part.strip() for part in item.partition("="))
            if not equals:
                raise FenError(item, f"{shown(item)} in {name}: a king's square and its moves are written as in L46=2")
            point = self._point(square, item, name)
            owners = [side for side in (WHITE, BLACK) if point in self._kings[side]]
            if not owners:
                raise FenError(item, f"{name}: there is no king on {self._board.names[point]}")
            if not (count.isascii() and count.isdigit() and len(count) <= 3 and 1 <= int(count) <= limit):
                raise FenError(item, f"{shown(item)} in {name}: a king has made 1 to {limit} moves in a row")
            if self._runs[owners[0]] is not None:
                raise FenError(item, f"{name}: a second king of {SIDES[owners[0]]}, but only one can have moved last")
            self._runs[owners[0]] = KingRun(point, int(count))


def _number(field: str, body: str, name: str, low: int) -> int:
    """The counter of an ``H`` or ``F`` field."""
    if not (body.isascii() and body.isdigit() and len(body) <= 9 and low <= int(body) <= MAX_COUNTER):
        raise FenError(field, f"{shown(field)}: {name} is a number from {low} to {MAX_COUNTER}")
    return int(body)
