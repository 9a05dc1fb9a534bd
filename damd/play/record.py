"""Saved games: a text, one fact a line, that people can read and write as well.

    damd game 1
    variant dam-haji
    missed-capture rule
    start W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12:H0:F1
    people white
    strength level 5
    ply 22-18
    ply 9-14
    result black resignation

``people`` are the sides that persons play: white, black, both or none. ``strength`` is ``level N``, ``depth N``,
``nodes N`` or ``time SECONDS``, once each at most. ``ply`` takes every spelling that names one legal ply.
``result`` is there when the game is over. Lines that are empty or begin with ``#`` say nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from damd import variants
from damd.core.types import Outcome, Reason
from damd.notation.display import outcome_words
from damd.notation.fen import FenError, format_fen, parse_fen
from damd.notation.plies import PlyError, format_ply, parse_ply
from damd.notation.squares import shown
from damd.play.game import Game, Unplayable
from damd.play.strength import DEFAULT, LEVELS, Strength, time_ms
from damd.rules import Rules

HEADER = "damd game 1"
WINNERS = {"white": 0, "black": 1, "draw": None}
PEOPLE = {"white": frozenset((0,)), "black": frozenset((1,)), "both": frozenset((0, 1)), "none": frozenset[int]()}
#: Longer files are no saved games; the longest game that has been seen takes a hundredth of it.
_MAX_BYTES = 4_000_000
#: Ends that the players make, and that no position shows.
_BY_PLAYERS = (Reason.AGREEMENT, Reason.RESIGNATION)


class RecordError(Exception):
    """A file that is no saved game, or cannot be read or written; the message names it, and the line."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game and how it is played: all that is saved of it."""

    game: Game
    missed_capture: str
    people: frozenset[int]
    strength: Strength


def rules_for(variant: str, missed_capture: str, path: str | None) -> Rules:
    """The rules of a variant, with missed captures as it has them (``rule``) or ``forbidden``."""
    rules = variants.load(variant, path)
    return rules.without_penalty() if missed_capture == "forbidden" else rules


def people_word(people: frozenset[int]) -> str:
    return next(word for word, sides in PEOPLE.items() if sides == people)


def write(record: Record) -> str:
    """The text of a saved game."""
    game, strength = record.game, record.strength
    lines = [
        HEADER,
        f"variant {game.rules.name}",
        f"missed-capture {record.missed_capture}",
        f"start {format_fen(game.start, game.rules, full=True)}",
        f"people {people_word(record.people)}",
    ]
    limits = (("level", strength.level), ("depth", strength.depth), ("nodes", strength.nodes))
    lines += [f"strength {word} {value}" for word, value in limits if value is not None]
    lines += [f"strength time {strength.time_ms / 1000:g}"] if strength.time_ms is not None else []
    lines += [f"ply {format_ply(played.ply, game.rules.geometry)}" for played in game.played]
    outcome = game.outcome
    if outcome is not None:
        lines.append(f"result {outcome_words(outcome)}")
    return "".join(f"{line}\n" for line in lines)


def save(record: Record, file: str) -> None:
    """Write the file whole or not at all. Raises ``RecordError``."""
    called = shown(file, 200)
    try:
        target = os.path.realpath(os.path.expanduser(file))
        if os.path.exists(target) and not os.path.isfile(target):
            raise RecordError(f"{called}: there is something else of that name")
        _replace(target, write(record))
    except (OSError, ValueError) as fault:
        raise RecordError(f"{called}: {_reason(fault)}") from fault


def _replace(target: str, text: str) -> None:
    part = Path(f"{target}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8") as handle:
            handle.write(text)
        if os.path.exists(target):
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def load(file: str, path: str | None = None) -> Record:
    """Read a saved game; ``path`` is the folder of the user's own variants. Raises ``RecordError``."""
    try:
        with open(os.path.expanduser(file), "rb") as handle:
            data = handle.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise RecordError(f"{file}: too long for a saved game")
        return read(data.decode("utf-8-sig"), file, path)
    except UnicodeDecodeError as fault:
        raise RecordError(f"{file}: no text in UTF-8") from fault
    except (OSError, ValueError) as fault:
        raise RecordError(f"{file}: {_reason(fault)}") from fault


def read(text: str, file: str, path: str | None = None) -> Record:
    """The saved game of that text; every ply is checked. Raises ``RecordError``, which names ``file`` and line."""
    lines = _lines(text, file)
    number, header, _ = next(lines, (1, "", ""))
    if header != HEADER:
        raise RecordError(f"{file}:{number}: not a saved game: it should begin with {HEADER!r}")
    reader = _Reader(path)
    for number, key, value in lines:
        try:
            reader.take(key, value)
        except (ValueError, Unplayable, variants.VariantError) as fault:
            raise RecordError(f"{file}:{number}: {_reason(fault)}") from fault
    try:
        return reader.record()
    except (ValueError, Unplayable, variants.VariantError) as fault:
        raise RecordError(f"{file}: {_reason(fault)}") from fault


def _lines(text: str, file: str) -> Iterator[tuple[int, str, str]]:
    """Number, first word and rest of each line that says something; of the first one the whole line."""
    first = True
    for number, line in enumerate(text.splitlines(), 1):
        bare = " ".join(line.split())
        if not bare or bare.startswith("#"):
            continue
        if first:
            yield number, bare, ""
            first = False
            continue
        key, _, value = bare.partition(" ")
        if not value:
            raise RecordError(f"{file}:{number}: {shown(key)} says nothing")
        yield number, key, value


class _Reader:
    """What the lines so far have said. ``take`` and ``record`` raise ``ValueError`` with what is wrong."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._facts: dict[str, str] = {}
        self._strength: Strength | None = None
        self._game: Game | None = None

    def take(self, key: str, value: str) -> None:
        if "result" in self._facts:
            raise ValueError("the result is the last line")
        if key == "ply":
            game = self._started()
            if game.outcome is not None and not game.plies():
                raise ValueError(f"ply {shown(value)}: the game is over ({outcome_words(game.outcome)})")
            game.play(parse_ply(value, game.position))
        elif key == "strength":
            self._add_strength(value)
        elif key in self._facts:
            raise ValueError(f"{key} is said twice")
        else:
            self._take_fact(key, value)
            self._facts[key] = value

    def _take_fact(self, key: str, value: str) -> None:
        match key:
            case "variant" | "missed-capture" if self._game is not None:
                raise ValueError(f"{key} belongs before start")
            case "variant":
                variants.load(value, self._path)
            case "missed-capture" | "people":
                words = tuple(PEOPLE) if key == "people" else ("rule", "forbidden")
                if value not in words:
                    raise ValueError(f"{key} is one of {', '.join(words)}, not {shown(value)}")
            case "start":
                if "variant" not in self._facts:
                    raise ValueError("start belongs behind variant")
                rules = rules_for(self._facts["variant"], self._missed_capture, self._path)
                self._game = Game(rules, parse_fen(value, rules))
            case "result":
                self._end(value)
            case _:
                raise ValueError(f"{shown(key)} is no word of a saved game")

    def record(self) -> Record:
        people = PEOPLE[self._facts.get("people", "white")]
        return Record(self._started(), self._missed_capture, people, self._strength or DEFAULT)

    @property
    def _missed_capture(self) -> str:
        return self._facts.get("missed-capture", "rule")

    def _started(self) -> Game:
        if self._game is None:
            raise ValueError("a saved game says variant and start before its plies")
        return self._game

    def _add_strength(self, text: str) -> None:
        word, _, value = text.partition(" ")
        known = self._strength or Strength()
        if word == "level" and value.isdecimal() and 1 <= int(value) <= len(LEVELS):
            self._strength = replace(known, level=int(value))
        elif word == "depth" and value.isdecimal() and 1 <= int(value) <= 99:
            self._strength = replace(known, depth=int(value))
        elif word == "nodes" and value.isdecimal() and int(value):
            self._strength = replace(known, nodes=int(value))
        elif word == "time" and (milliseconds := time_ms(value)) is not None:
            self._strength = replace(known, time_ms=milliseconds)
        else:
            raise ValueError(f"strength is level 1-{len(LEVELS)}, depth N, nodes N or time SECONDS, not {shown(text)}")

    def _end(self, text: str) -> None:
        game = self._started()
        word, name, rule = (*text.split(maxsplit=2), "", "", "")[:3]
        reasons = {reason.value: reason for reason in Reason}
        if word not in WINNERS or name not in reasons:
            raise ValueError(f"{shown(text)} is no result: white, black or draw and a reason are")
        outcome = Outcome(WINNERS[word], reasons[name], rule)
        if outcome.reason in _BY_PLAYERS and game.outcome is None:
            if (outcome.winner is None) != (outcome.reason is Reason.AGREEMENT):
                raise ValueError(f"{shown(text)}: this reason does not go with this result")
            game.end(outcome.winner, outcome.reason)
        elif outcome != game.outcome:
            found = outcome_words(game.outcome) if game.outcome else "the game is not over"
            raise ValueError(f"{shown(text)} is not what the plies lead to: {found}")


def _reason(fault: Exception) -> str:
    if isinstance(fault, OSError):
        return fault.strerror or str(fault)
    return fault.message if isinstance(fault, FenError | PlyError) else str(fault)
