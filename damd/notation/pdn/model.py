"""A game as PDN records it, free of how it was spelled: rules, tags, plies with remarks and variations, the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from damd.core.types import Ply, Setup
from damd.geometry import BLACK, WHITE
from damd.rules import Rules

#: So deep do variations stand in variations at most: deeper ones are neither read nor written.
MAX_DEPTH = 64

#: Characters of one game at most. A larger one is read so far; the rest, up to the next tag, is left out.
MAX_GAME = 1 << 20

#: Tags, in small letters, that ``Game`` holds in other fields.
DERIVED = frozenset({"variant", "gametype", "missedcapture", "fen", "setup", "result"})


class Verdict(Enum):
    """Who has won, said outright: PDN's ``1-0`` means one thing here and another there."""

    WHITE = "white"
    BLACK = "black"
    DRAW = "draw"
    BOTH_LOSE = "both-lose"
    UNKNOWN = "unknown"

    @property
    def winner(self) -> int | None:
        """0 for White, 1 for Black, ``None`` where nobody has won."""
        return {Verdict.WHITE: WHITE, Verdict.BLACK: BLACK}.get(self)


@dataclass(frozen=True, slots=True)
class Command:
    """What a comment says to programs: ``[%clk 0:09:57]`` is ``clk`` and ``0:09:57``."""

    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment: its commands, and its text without them, blanks and ends of lines made single blanks."""

    text: str = ""
    commands: tuple[Command, ...] = ()


def not_read(text: str) -> Comment:
    """What could not be read, kept as a comment."""
    return Comment(f"not read: {text}")


@dataclass(frozen=True, slots=True)
class Node:
    """One ply, or a position that is put up in the middle of a game: exactly one of ``ply`` and ``setup`` is there.

    ``strength`` is the mark glued to the ply (``!``, ``?!``, ``(?)``), ``nags`` the numbers of ``$n``. ``comments``
    stand behind the ply. ``variations`` are lines that could have been played in its stead, from the same position.
    """

    ply: Ply | None = None
    setup: Setup | None = None
    strength: str = ""
    nags: tuple[int, ...] = ()
    comments: tuple[Comment, ...] = ()
    variations: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Plies in order; ``comments`` stand before the first of them."""

    nodes: tuple[Node, ...] = ()
    comments: tuple[Comment, ...] = ()

    def plies(self) -> Iterator[Ply]:
        """The plies of the line itself, claims among them, positions put up and variations left out."""
        return (node.ply for node in self.nodes if node.ply is not None)

    def with_rest(self, rest: str) -> Line:
        """The line with what could not be read of it as a comment at its end; itself where that is nothing."""
        if not rest:
            return self
        comment = not_read(rest)
        if not self.nodes:
            return Line((), (*self.comments, comment))
        last = replace(self.nodes[-1], comments=(*self.nodes[-1].comments, comment))
        return Line((*self.nodes[:-1], last), self.comments)


@dataclass(frozen=True, slots=True)
class Game:
    """One game.

    ``rules`` are those in force, with missed captures forbidden where the game says so. ``start`` is ``None`` for the
    start position of the rules. ``tags`` are all tags in the file's order except those that the other fields hold:
    Variant, GameType, MissedCapture, FEN, SetUp and Result, which are made anew when the game is written.
    ``score`` is the result's text where ``verdict`` does not say all of it (``4-6``, ``1+ - 1-``).
    """

    rules: Rules
    tags: tuple[tuple[str, str], ...] = ()
    start: Setup | None = None
    line: Line = Line()
    verdict: Verdict = Verdict.UNKNOWN
    score: str = ""

    def tag(self, name: str, default: str = "") -> str:
        """The value of the first tag of that name."""
        return next((value for tag, value in self.tags if tag == name), default)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in a file, and where. A warning leaves nothing out of the game; anything else does.

    ``game`` counts from 1, ``ply`` counts the plies of the main line, claims among them, from 1; 0 is before any.
    """

    file: str
    line: int
    game: int
    ply: int
    token: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: game {self.game}" + (f", ply {self.ply}" if self.ply else "")
        kind = "warning: " if self.warning else ""
        return f"{place}: {kind}{self.token + ': ' if self.token else ''}{self.message}"


@dataclass(frozen=True, slots=True)
class ReadGame:
    """One game of a file, as far as it could be read.

    ``game`` is ``None`` where nothing tells which game it is of. ``tags`` are all of its tags, as they stand there.
    ``rest`` is the main line's text from the first ply that could not be read, or from a FEN tag that could not.
    """

    number: int
    line: int
    tags: tuple[tuple[str, str], ...]
    game: Game | None
    faults: tuple[Fault, ...] = ()
    rest: str = ""
