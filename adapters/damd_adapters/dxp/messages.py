"""DXP's seven messages, version 01: ASCII text of fixed fields, read with care and written exactly.

A message is what stands before the NUL that ends it (``link`` cuts the stream up). ``parse`` gives one of the seven
dataclasses or raises ``MessageError``; ``text`` of each is its wire form. Every object that exists can be written: a
field out of its range raises ``ValueError`` when the object is made.

The layouts are those of DamExchange 01. Read, never written: real numbers in the fields of time (Scan takes ``0.5``
in three places), blanks before or behind a number, blanks before a name, a request whose name is not filled up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from damd.geometry import BLACK, WHITE

VERSION = "01"
#: A message has 1 to so many bytes, each of them 1 to 127; the NUL is not counted.
MAX_BYTES = 127
MAX_CHAT = MAX_BYTES - 1
NAME_WIDTH = 32
SQUARES = 50
#: The largest numbers that the fields have room for.
MAX_MINUTES = MAX_MOVES = MAX_MOVE_NUMBER = 999
MAX_SECONDS = 9999

_COLOURS = "WZ"
_PIECES = frozenset("wzWZe")
_REQUEST = "a game request has 43 characters with A, 94 with B and a position"
_NUMBER = re.compile(r" *(\d+\.?\d*|\.\d+) *")


class MessageError(ValueError):
    """Bytes that are no message of DXP. ``token`` is the part at fault, ``message`` says what would be right."""

    def __init__(self, token: str, message: str) -> None:
        super().__init__(f"{shown(token)}: {message}" if token else message)
        self.token = token
        self.message = message


class VersionError(MessageError):
    """A game request of another version of DXP, whose fields are unknown. It is refused with ``Accept.VERSION``."""


class Accept(IntEnum):
    """The answer to a game request."""

    YES = 0
    VERSION = 1  #: the version is not known
    NOT_THIS = 2  #: this game is refused
    NONE = 3  #: any game is refused


class End(IntEnum):
    """Why the sender ends the game. The answer to a game end always says ``UNKNOWN``."""

    UNKNOWN = 0
    LOSES = 1  #: the sender gives up, or has lost
    DRAW = 2
    WINS = 3  #: the sender has won


class Back(IntEnum):
    """The answer to a request to go back."""

    YES = 0
    NOT_SUPPORTED = 1
    NO = 2  #: the game goes on where it is


@dataclass(frozen=True, slots=True)
class StartPosition:
    """A position to begin from: the side to move (0 White, 1 Black) and a letter for each square from 1 to 50.

    ``w`` and ``z`` are a white and a black man, ``W`` and ``Z`` kings, ``e`` is empty.
    """

    side: int
    squares: str

    def __post_init__(self) -> None:
        _check_side(self.side)
        _check(
            len(self.squares) == SQUARES and _PIECES.issuperset(self.squares),
            f"a position is {SQUARES} letters out of w, z, W, Z and e: {self.squares!r}",
        )


@dataclass(frozen=True, slots=True)
class GameRequest:
    """``R``: the initiator asks for a game.

    ``follower`` is the colour of who is asked. ``minutes`` are each side's for the whole game; 0 leaves them open.
    ``moves`` is how many moves the game has at most, 0 for no limit. ``start`` is ``None`` for the start position.
    """

    name: str
    follower: int
    minutes: float = 0
    moves: int = 0
    start: StartPosition | None = None

    def __post_init__(self) -> None:
        _check_name(self.name)
        _check_side(self.follower)
        _check_range("minutes", self.minutes, MAX_MINUTES)
        _check_range("moves", self.moves, MAX_MOVES)

    @property
    def text(self) -> str:
        """The wire form; minutes are rounded up to whole ones, for the field is one of digits."""
        minutes = math.ceil(self.minutes)
        start = f"B{_COLOURS[self.start.side]}{self.start.squares}" if self.start else "A"
        return f"R{VERSION}{self.name:{NAME_WIDTH}}{_COLOURS[self.follower]}{minutes:03}{self.moves:03}{start}"


@dataclass(frozen=True, slots=True)
class GameAccept:
    """``A``: the follower's answer to a game request."""

    name: str
    code: Accept

    def __post_init__(self) -> None:
        _check_name(self.name)

    @property
    def text(self) -> str:
        return f"A{self.name:{NAME_WIDTH}}{int(self.code)}"


@dataclass(frozen=True, slots=True)
class Move:
    """``M``: a ply by its squares, 1 to 50; ``captured`` in any order. Its player has used ``seconds`` for it."""

    origin: int
    end: int
    captured: tuple[int, ...] = ()
    seconds: float = 0

    def __post_init__(self) -> None:
        _check_range("seconds", self.seconds, MAX_SECONDS)
        for square in (self.origin, self.end, *self.captured):
            _check(1 <= square <= SQUARES, f"a square is 1 to {SQUARES}, not {square}")
        _check(len(set(self.captured)) == len(self.captured), f"a square is captured twice: {self.captured}")

    @property
    def text(self) -> str:
        captured = "".join(f"{square:02}" for square in self.captured)
        return f"M{round(self.seconds):04}{self.origin:02}{self.end:02}{len(self.captured):02}{captured}"


@dataclass(frozen=True, slots=True)
class GameEnd:
    """``E``: sent instead of a move it ends the game, and is answered by another one.

    ``leaves``: the sender wants no other game.
    """

    reason: End = End.UNKNOWN
    leaves: bool = False

    @property
    def text(self) -> str:
        return f"E{int(self.reason)}{int(self.leaves)}"


@dataclass(frozen=True, slots=True)
class Chat:
    """``C``: words for people, 1 to 126 ASCII characters."""

    words: str

    def __post_init__(self) -> None:
        _check(1 <= len(self.words) <= MAX_CHAT, f"a chat has 1 to {MAX_CHAT} characters, not {len(self.words)}")
        _check(_is_ascii(self.words), f"a chat is ASCII: {self.words!r}")

    @property
    def text(self) -> str:
        return f"C{self.words}"


@dataclass(frozen=True, slots=True)
class BackRequest:
    """``B``: the sender asks to go back to where ``side`` was to play its move ``number``, from 1."""

    number: int
    side: int

    def __post_init__(self) -> None:
        _check_side(self.side)
        _check(1 <= self.number <= MAX_MOVE_NUMBER, f"a move's number is 1 to {MAX_MOVE_NUMBER}, not {self.number}")

    @property
    def text(self) -> str:
        return f"B{self.number:03}{_COLOURS[self.side]}"


@dataclass(frozen=True, slots=True)
class BackAccept:
    """``K``: the answer to a request to go back."""

    code: Back

    @property
    def text(self) -> str:
        return f"K{int(self.code)}"


Message = GameRequest | GameAccept | Move | GameEnd | Chat | BackRequest | BackAccept


def parse(data: bytes) -> Message:
    """The message that ``data``, without its NUL, is. Raises ``MessageError``."""
    text = data.decode("latin-1")
    if not text:
        raise MessageError("", "an empty message: at least its letter was expected")
    if len(data) > MAX_BYTES:
        raise MessageError(text, f"a message of {len(data)} bytes: at most {MAX_BYTES} are allowed")
    if not _is_ascii(text):
        wrong = next(char for char in text if not "\0" < char < "\x80")
        raise MessageError(text, f"a byte of value {ord(wrong)}: only 1 to 127 are allowed")
    reader = _READERS.get(text[0])
    if reader is None:
        raise MessageError(text, f"unknown message {shown(text[0])}: one begins with {', '.join(_READERS)}")
    return reader(text)


def letter(message: Message) -> str:
    """The letter that tells what a message is."""
    return message.text[0]


def clean_name(name: str) -> str:
    """A name as its field can hold it: at most 32 ASCII characters, no blank at either end, none that cannot be seen."""
    seen = "".join(char if " " <= char <= "~" else "?" for char in name)
    return seen.strip()[:NAME_WIDTH].rstrip() or "?"


def chats(words: str) -> tuple[Chat, ...]:
    """``words`` as chats: what is not ASCII or cannot be seen becomes ``?``, long ones are cut up."""
    seen = "".join(char if " " <= char <= "~" else "?" for char in " ".join(words.split()))
    return tuple(Chat(seen[place : place + MAX_CHAT]) for place in range(0, len(seen), MAX_CHAT))


def shown(text: str) -> str:
    """A foreign text for people: in quotes, of bounded length, nothing in it that a terminal obeys."""
    cut = text if len(text) <= 140 else text[:140] + "…"
    return repr(cut)


# Reading


def _request(text: str) -> GameRequest:
    version = text[1:3]
    if len(version) == 2 and version != VERSION:
        raise VersionError(version, f"version {shown(version)} of DXP: only {VERSION} is known")
    if len(text) not in (43, 94):
        text = _filled_up(text)
    if text[42] not in "AB":
        _refuse(text[42], "position", "A (start position) or B (a position follows)")
    _exact(text, 43 if text[42] == "A" else 94, _REQUEST)
    start = None
    if text[42] == "B":
        wrong = next((char for char in text[44:] if char not in _PIECES), None)
        if wrong is not None:
            _refuse(wrong, "square", "w, z, W, Z or e")
        start = StartPosition(_side(text[43], "colour to move"), text[44:])
    minutes, moves = _real(text[36:39], "thinking time"), _whole(text[39:42], "number of moves")
    return GameRequest(_name(text[3:35]), _side(text[35], "follower's colour"), minutes, moves, start)


def _filled_up(text: str) -> str:
    """A request whose name was not filled up with blanks: what stands behind the name is of fixed width."""
    behind = 8 if text.endswith("A") else 59
    lacking = 3 + NAME_WIDTH + behind - len(text)
    if not 0 < lacking < NAME_WIDTH or text[7 - behind] not in "AB":
        _exact(text, 94 if text[42:43] == "B" else 43, _REQUEST)
    return text[:-behind] + " " * lacking + text[-behind:]


def _accept(text: str) -> GameAccept:
    _exact(text, 34, "the answer to a game request has a name of 32 characters and a code")
    return GameAccept(_name(text[1:33]), Accept(_code(text[33], len(Accept), "code")))


def _move(text: str) -> Move:
    if len(text) < 11:
        _exact(text, 11, "a move has at least time, origin, end and number of captures")
    count = _whole(text[9:11], "number of captures")
    _exact(text, 11 + 2 * count, f"a move of {count} captures")
    squares = [_square(text[place : place + 2]) for place in (5, 7, *range(11, len(text), 2))]
    if len(set(squares[2:])) < count:
        _refuse(text[11:], "captured squares", "each square once")
    return Move(squares[0], squares[1], tuple(squares[2:]), _real(text[1:5], "time"))


def _end(text: str) -> GameEnd:
    _exact(text, 3, "a game end has a reason and a stop code")
    return GameEnd(End(_code(text[1], len(End), "reason")), _code(text[2], 2, "stop code") == 1)


def _chat(text: str) -> Chat:
    if len(text) < 2:
        raise MessageError(text, f"an empty chat: 1 to {MAX_CHAT} characters follow the C")
    return Chat(text[1:])


def _back_request(text: str) -> BackRequest:
    _exact(text, 5, "a request to go back has a move's number and a colour")
    number = _whole(text[1:4], "move number")
    if number < 1:
        _refuse(text[1:4], "move number", "001 to 999")
    return BackRequest(number, _side(text[4], "colour to move"))


def _back_accept(text: str) -> BackAccept:
    _exact(text, 2, "the answer to a request to go back has a code")
    return BackAccept(Back(_code(text[1], len(Back), "code")))


_READERS: dict[str, Callable[[str], Message]] = {
    "R": _request,
    "A": _accept,
    "M": _move,
    "E": _end,
    "C": _chat,
    "B": _back_request,
    "K": _back_accept,
}


def _exact(text: str, width: int, reason: str) -> None:
    if len(text) != width:
        raise MessageError(text, f"{len(text)} characters instead of {width}: {reason}")


def _refuse(field: str, name: str, right: str) -> NoReturn:
    raise MessageError(field, f"{shown(field)} is no {name}: {right} was expected")


def _name(field: str) -> str:
    return clean_name(field)


def _side(field: str, name: str) -> int:
    if field not in _COLOURS:
        _refuse(field, name, "W (white) or Z (black)")
    return _COLOURS.index(field)


def _code(field: str, count: int, name: str) -> int:
    if not ("0" <= field <= "9" and int(field) < count):
        _refuse(field, name, f"0 to {count - 1}")
    return int(field)


def _whole(field: str, name: str) -> int:
    digits = field.strip(" ")
    if not digits.isdigit():
        _refuse(field, name, f"{len(field)} digits")
    return int(digits)


def _real(field: str, name: str) -> float:
    if _NUMBER.fullmatch(field) is None:
        _refuse(field, name, f"{len(field)} digits")
    number = float(field)
    return int(number) if number.is_integer() else number


def _square(field: str) -> int:
    square = _whole(field, "square")
    if not 1 <= square <= SQUARES:
        _refuse(field, "square", f"01 to {SQUARES}")
    return square


# Checks of the fields of objects that are made here


def _check(right: bool, message: str) -> None:
    if not right:
        raise ValueError(message)


def _check_side(side: int) -> None:
    _check(side in (WHITE, BLACK), f"a side is {WHITE} or {BLACK}, not {side}")


def _check_range(name: str, value: float, highest: int) -> None:
    _check(0 <= value <= highest, f"{name} are 0 to {highest}, not {value:g}")


def _check_name(name: str) -> None:
    _check(name == clean_name(name), f"a name has 1 to {NAME_WIDTH} ASCII characters, no blank at either end: {name!r}")


def _is_ascii(text: str) -> bool:
    return all("\0" < char < "\x80" for char in text)
