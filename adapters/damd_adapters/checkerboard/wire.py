"""The lines between the DLL and the server; PROTOCOL.md beside the DLL's source describes them.

Every line of the DLL but ``PLAYNOW`` is answered by exactly one line that ends it, ``ERROR`` where it cannot be obeyed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from damd_adapters.checkerboard.layouts import SQUARES

VERSION = "1"
COMMANDS, MOVES = "commands", "moves"
#: A longer line of a DLL is refused, and its connection closed: a game history of 1,000 plies has 6,000 characters.
MAX_LINE_BYTES = 8192
#: A reply that the GUI may put into a buffer of 256 characters.
SHORT_REPLY = 250
#: What the GUI shows while an engine thinks, and any other reply.
LONG_REPLY = 1023

_SESSION = re.compile(r"[A-Za-z0-9-]{1,40}")
_BOARD = re.compile(rf"[0-9a-f]{{{SQUARES}}}")
_NUMBER = re.compile(r"[0-9]{1,10}")


class BadLine(ValueError):
    """A line that cannot be obeyed; the message names the token at fault and what would have been right."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first line of a connection: which channel of which session it is, and the game."""

    channel: str
    game: str
    session: str


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """What ``getmove`` was called with; the time is in seconds, the board x-major."""

    colour: int
    seconds: float
    info: int
    more_info: int
    board: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LegalRequest:
    """What ``islegal`` was called with; origin and end are CheckerBoard's numbers."""

    colour: int
    origin: int
    end: int
    board: tuple[int, ...]


def parse_hello(line: str) -> Hello:
    words = line.split()
    if words[:1] != ["HELLO"] or len(words) != 5:
        raise BadLine(f"{shown(line)}: a connection begins with HELLO {VERSION} {COMMANDS}|{MOVES} GAME SESSION")
    _, version, channel, game, session = words
    if version != VERSION:
        raise BadLine(f"version {shown(version)}: this server speaks version {VERSION}; use the DLL that came with it")
    if channel not in (COMMANDS, MOVES):
        raise BadLine(f"channel {shown(channel)}: there are {COMMANDS} and {MOVES}")
    if not _SESSION.fullmatch(session):
        raise BadLine(f"session {shown(session)}: 1 to 40 letters, digits and hyphens")
    return Hello(channel, game, session)


def parse_move(rest: str) -> MoveRequest:
    """What follows ``MOVE``."""
    words = _words(rest, 5, "MOVE COLOUR SECONDS INFO MOREINFO BOARD")
    return MoveRequest(
        _number(words[0], "the colour"),
        _seconds(words[1]),
        _number(words[2], "info"),
        _number(words[3], "moreinfo"),
        _board(words[4]),
    )


def parse_legal(rest: str) -> LegalRequest:
    """What follows ``LEGAL``."""
    words = _words(rest, 4, "LEGAL COLOUR FROM TO BOARD")
    numbers = [_number(word, name) for word, name in zip(words, ("the colour", "from", "to"), strict=False)]
    return LegalRequest(numbers[0], numbers[1], numbers[2], _board(words[3]))


def board_text(board: Sequence[int]) -> str:
    return "".join(f"{piece:x}" for piece in board)


def ready(game: str, gametype: int, name: str) -> str:
    return f"READY {VERSION} {game} {gametype} {plain(name, SHORT_REPLY)}"


def answer(handled: bool, reply: str) -> str:
    return f"ANSWER {int(handled)} {_escaped(plain(reply, LONG_REPLY))}"


def legal(record: str | None) -> str:
    return "LEGAL 0 -" if record is None else f"LEGAL 1 {record}"


def status(text: str) -> str:
    return "STATUS " + _escaped(plain(text, LONG_REPLY))


def done(result: int, board: Sequence[int], record: str | None) -> str:
    return f"DONE {result} {board_text(board)} {record or '-'}"


def error(text: str) -> str:
    return "ERROR " + plain(text.replace("\n", " "), SHORT_REPLY)


def plain(text: str, limit: int) -> str:
    """Text as the GUI shows it whatever its code page: ASCII, no signs that control, no % that it might read as a format."""
    kept = "".join(sign if sign == "\n" or (" " <= sign <= "~" and sign != "%") else "?" for sign in text)
    return kept[:limit]


def shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _words(rest: str, count: int, usage: str) -> list[str]:
    words = rest.split()
    if len(words) != count:
        raise BadLine(f"{len(words)} words after {usage.split()[0]}: it is written {usage}")
    return words


def _number(word: str, name: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise BadLine(f"{name}, {shown(word)}, is no whole number from 0")
    return int(word)


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise BadLine(f"the time, {shown(word)}, is no number of seconds from 0")
    return seconds


def _board(word: str) -> tuple[int, ...]:
    if not _BOARD.fullmatch(word):
        raise BadLine(f"the board, {shown(word)}, has to be {SQUARES} digits 0 to 9, a to f, column by column")
    return tuple(int(sign, 16) for sign in word)
