"""Openings of a tournament: read from ballots, lists, FENs, PDN or JSON lines, checked, each position once.

What is wrong with a line, and what is worth knowing of it, is told by line: what is illegal or ends the game is left
out, what leads to a position that is there already too. An opening behind which the side to move has to capture, or may
claim, stays, and is told: the first ply of such a game is the end of an exchange.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from damd.core.position import Position, start_setup
from damd.core.types import PlyKind, Setup, TooManyPlies
from damd.match.first_plies import TooManyLines, first_plies
from damd.match.model import OPENING_FORMATS, Opening, OpeningsSpec
from damd.notation.collections.fens import read_entry
from damd.notation.collections.header import Source
from damd.notation.collections.json_reading import read_json
from damd.notation.collections.listed import NAME_TAG, NUMBER_TAG, read_listed
from damd.notation.collections.openings import read_ballot, read_opening
from damd.notation.collections.pool import Pool
from damd.notation.fen import format_fen, parse_fen
from damd.notation.pdn import Reading, read_games
from damd.notation.pdn.model import Fault, Game, ReadGame
from damd.notation.plies import format_ply, parse_ply
from damd.rules import Rules
from damd.variants.fault import suggestion

#: The ends of the names of files, and what such files are.
SUFFIXES = {
    ".pdn": "pdn",
    ".fen": "fen",
    ".fens": "fen",
    ".epd": "fen",
    ".openings": "openings",
    ".opening": "openings",
    ".lines": "openings",
    ".ballots": "ballots",
    ".ballot": "ballots",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}

#: Kinds of notes: an opening that is left out is one of the first two.
LEFT_OUT, DUPLICATE, CAPTURE, CLAIM, WARNING = "left out", "duplicate", "capture", "claim", "warning"
KINDS = (LEFT_OUT, DUPLICATE, CAPTURE, CLAIM, WARNING)

#: Where the ballots are that come with damd, a file a variant.
BALLOTS = Path(__file__).with_name("ballots")

#: What a variant without ballots gets: all openings of the first of these lengths that no more lines than these lead to.
LENGTHS = (2, 1)
MOST_LINES = 10_000


class OpeningsError(ValueError):
    """There are no openings to be had: the file and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be said of an opening: ``line`` is where it stands, ``number`` its place in the file, from 1."""

    line: int
    number: int
    kind: str
    message: str

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class OpeningSet:
    """Openings in the order of their file, and what is to be said of them."""

    source: str
    openings: tuple[Opening, ...]
    notes: tuple[Note, ...] = ()

    def counts(self) -> dict[str, int]:
        """How many openings each kind of note is about; kinds of none are left out."""
        found = Counter(note.kind for note in self.notes)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    def __str__(self) -> str:
        told = ", ".join(f"{count} {kind}" for kind, count in self.counts().items())
        return f"{self.source}: {len(self.openings)} openings" + (f" ({told})" if told else "")


def load_openings(spec: OpeningsSpec, rules: Rules, variant_path: str | None = None) -> OpeningSet:
    """The openings that a tournament asks for. Raises ``OpeningsError`` where there are none."""
    if not spec.file:
        return own_ballots(rules)
    kind = spec.format or format_of(spec.file)
    try:
        with open(spec.file, "rb") as stream:
            return read_openings(stream, spec.file, kind, rules, plies=spec.plies, variant_path=variant_path)
    except OSError as error:
        raise OpeningsError(f"{spec.file}: cannot read this file: {error.strerror}") from None


def format_of(file: str) -> str:
    """What a file is by its name. Raises ``OpeningsError``."""
    suffix = Path(file).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    hint = suggestion(suffix, tuple(SUFFIXES)) if suffix else ""
    raise OpeningsError(f"{file}: what is it? Say it with format, one of {', '.join(OPENING_FORMATS)}{hint}")


def own_ballots(rules: Rules) -> OpeningSet:
    """The ballots that come with damd; for a variant that has none all openings of two plies, and a note that says so.

    Nobody has looked whether those are balanced. Openings that leave something to capture are not among them, unless all
    do; one ply is taken, or the start position alone, where there are more lines than can be looked at.
    """
    file = BALLOTS / f"{rules.name}.ballots"
    if rules.name and file.is_file():
        return read_openings(BytesIO(file.read_bytes()), f"ballots of {rules.name}", "ballots", rules)
    for plies in LENGTHS:
        try:
            found = tuple(first_plies(rules, plies, MOST_LINES))
        except (TooManyLines, TooManyPlies):
            continue
        if found:
            return _unweighed(found, plies)
    return _told_set("start position", (Opening(),), "every game begins in the start position")


def _unweighed(found: tuple[Opening, ...], plies: int) -> OpeningSet:
    quiet = tuple(opening for opening in found if not opening.captures) or found
    length = f"{plies} plies" if plies > 1 else "one ply"
    return _told_set(f"openings of {length}", quiet, f"games begin behind {length}, balanced or not")


def _told_set(source: str, openings: tuple[Opening, ...], what: str) -> OpeningSet:
    return OpeningSet(source, openings, (Note(0, 1, WARNING, f"the variant has no ballots of its own: {what}"),))


def read_openings(
    stream: BinaryIO, name: str, kind: str, rules: Rules, *, plies: int = 6, variant_path: str | None = None
) -> OpeningSet:
    """The openings of a file, ``name`` being what notes and faults call it; ``kind`` is one of ``OPENING_FORMATS``.

    ``plies`` are taken of a game in PDN or JSON, all of them elsewhere. Raises ``OpeningsError`` where none is left.
    """
    source = Source(stream, name, rules, variant_path)
    collector = _Collector(rules, plies if kind in ("pdn", "json") else None)
    for read in _READERS[kind](source):
        collector.add(read)
    if not collector.openings:
        why = f"; line {collector.notes[0].line}: {collector.notes[0].message}" if collector.notes else ""
        raise OpeningsError(f"{name}: no opening of {rules.name} is in it{why}")
    return OpeningSet(name, tuple(collector.openings), tuple(collector.notes))


_READERS: dict[str, Callable[[Source], Iterator[ReadGame]]] = {
    "pdn": lambda source: read_games(source.stream, source.name, Reading(source.rules, source.variant_path)),
    "fen": lambda source: read_listed(source, read_entry),
    "openings": lambda source: read_listed(source, read_opening),
    "ballots": lambda source: read_listed(source, read_ballot),
    "json": read_json,
}


class _Collector:
    """Takes what is read one by one; ``plies`` is how many are taken at most."""

    def __init__(self, rules: Rules, plies: int | None) -> None:
        self.openings: list[Opening] = []
        self.notes: list[Note] = []
        self._rules = rules
        self._plies = plies
        self._pool = Pool()
        self._seen: dict[str, int] = {}

    def add(self, read: ReadGame) -> None:
        serious = [fault for fault in read.faults if not fault.warning and self._matters(fault.ply)]
        for fault in read.faults:
            if fault.warning:
                self._note(read, WARNING, fault.message)
        if serious or read.game is None:
            self._note(read, LEFT_OUT, _told(serious[0]) if serious else "nothing of it can be read")
            return
        self._add_game(read, read.game)

    def _matters(self, ply: int) -> bool:
        """Whether a fault is in the part that is taken: what follows in a game is none of the opening's business."""
        return not ply or self._plies is None or ply <= self._plies

    def _add_game(self, read: ReadGame, game: Game) -> None:
        if game.rules.name != self._rules.name:
            self._note(read, LEFT_OUT, f"it is of {game.rules.name}, not of {self._rules.name}")
            return
        position = self._pool.at(self._rules, game.start)
        played: list[str] = []
        try:
            for node in game.line.nodes[: self._plies]:
                if node.ply is None:
                    break
                text = format_ply(node.ply, position.board)
                try:
                    position.play(node.ply)
                except ValueError:
                    self._note(read, LEFT_OUT, f"ply {len(played) + 1} {text} is not legal under the tournament's rules")
                    return
                played.append(text)
            self._add_position(read, game, position, tuple(played))
        except TooManyPlies:
            self._note(read, LEFT_OUT, "it leads to a position with too many plies to be listed")

    def _add_position(self, read: ReadGame, game: Game, position: Position, played: tuple[str, ...]) -> None:
        outcome = position.outcome()
        if outcome is not None:
            self._note(read, LEFT_OUT, f"the game is over in its position: {outcome.reason.value}")
            return
        place = format_fen(position.setup(), self._rules)
        if place in self._seen:
            self._note(read, DUPLICATE, f"it leads to the position of number {self._seen[place]}")
            return
        self._seen[place] = read.number
        plies = position.plies()
        captures = any(ply.kind is PlyKind.CAPTURE for ply in plies)
        if captures:
            self._note(read, CAPTURE, "the side to move has to capture behind it")
        if any(ply.kind is PlyKind.CLAIM for ply in plies):
            self._note(read, CLAIM, "the side to move may claim behind it")
        name = game.tag(NAME_TAG) or (f"ballot {game.tag(NUMBER_TAG)}" if game.tag(NUMBER_TAG) else "")
        self.openings.append(Opening(self._fen(game.start), played, name, captures))

    def _fen(self, start: Setup | None) -> str:
        """The FEN that a game begins with; empty for the start position."""
        if start is None or start == start_setup(self._rules):
            return ""
        return format_fen(start, self._rules, full=(start.halfmoves, start.fullmoves) != (0, 1))

    def _note(self, read: ReadGame, kind: str, message: str) -> None:
        self.notes.append(Note(read.line, read.number, kind, message))


def _told(fault: Fault) -> str:
    return f"ply {fault.ply} {fault.token}: {fault.message}" if fault.ply else fault.message


def opening_position(opening: Opening, rules: Rules) -> Position:
    """The position behind an opening, its plies in the history. Raises what reading its FEN and plies raises."""
    position = Position(rules, parse_fen(opening.fen, rules) if opening.fen else None)
    for text in opening.plies:
        position.play(parse_ply(text, position))
    return position
