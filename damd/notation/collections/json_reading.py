"""Reads JSON lines (see ``damd.notation.collections.json_lines``)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from damd.core.position import Position
from damd.core.types import Ply, Setup, TooManyPlies
from damd.notation.collections.header import RulesByTags, Source
from damd.notation.collections.json_lines import REASON_TAG, REASONS, WINNERS, reason_of
from damd.notation.collections.lines import LineError, read_lines
from damd.notation.collections.pool import Pool
from damd.notation.fen import FenError, parse_fen
from damd.notation.pdn.model import MAX_DEPTH, Command, Comment, Fault, Game, Line, Node, ReadGame, Verdict, not_read
from damd.notation.pdn.results import Result, first_side, read_result
from damd.notation.plies import PlyError, parse_ply
from damd.notation.squares import shown
from damd.rules import Rules
from damd.variants import VariantError

#: PDN's readers take so many digits, and there are files that number marks of their own.
MAX_NAG = 99_999

_LINE_KEYS = ("plies", "comments", "notes")
_KEYS = ("variant", "missed_capture", "fen", "winner", "score", "reason", "tags", *_LINE_KEYS)
_NOTE_KEYS = ("ply", "strength", "nags", "comments", "clocks", "variations")
#: Tags that other keys say, and which.
_SAID_ELSEWHERE = {
    "variant": "variant",
    "gametype": "variant",
    "missedcapture": "missed_capture",
    "fen": "fen",
    "setup": "fen",
}
_TAG_NAME = re.compile(r"[^\W\d_][\w+-]*")
_STRENGTH = re.compile(r"(?:[!?]+|\([!?]+\))+")
_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def read_json(source: Source) -> Iterator[ReadGame]:
    """The games of the file, a line each, with their faults. Of a game with an illegal ply what stands before it is kept."""
    reader = _Reader(source)
    number = 0
    for line in read_lines(source.stream):
        if line.text.strip() or line.fault:
            number += 1
            yield reader.game(line.number, number, line.text, line.fault)


class _Reader:
    """Reads one object after the other. What makes a game unreadable is a ``LineError``; other faults are collected."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._by_tags = RulesByTags(source.variant_path)
        self._pool = Pool()
        self._faults: list[Fault] = []
        self._place = (0, 0)

    def game(self, line: int, number: int, text: str, fault: str) -> ReadGame:
        self._faults, self._place = [], (line, number)
        game: Game | None = None
        rest = ""
        try:
            if fault:
                raise LineError(fault)
            row = _parsed(text)
            if _HALF.search(text):
                self._halves(row)
            game, rest = self._game(row)
        except (LineError, VariantError) as wrong:
            self._fault(0, "", str(wrong))
        except RecursionError:
            self._fault(0, "", "brackets in brackets, too deep to be read")
        return ReadGame(number, line, game.tags if game else (), game, tuple(self._faults), rest)

    def _fault(self, ply: int, token: str, message: str, *, warning: bool = False) -> None:
        self._faults.append(Fault(self._source.name, *self._place, ply, token, message, warning))

    def _game(self, row: dict[str, Any]) -> tuple[Game, str]:
        self._unknown(row, _KEYS, "")
        named = [("Variant", row.get("variant")), ("MissedCapture", row.get("missed_capture"))]
        said = [(name, _text(value, name)) for name, value in named if value is not None]
        rules = self._by_tags.rules(said, self._source.rules)
        if rules is None:
            raise LineError("no variant: nothing says which game this is")
        fen = row.get("fen")
        start = None if fen is None else self._setup(fen, rules)
        line, rest = self._line(row, rules, start, 0)
        tags, result = self._read_tags(row.get("tags", {}))
        end = self._verdict(row, result, rules)
        return self._with_reason(Game(rules, tags, start, line, end.verdict, end.score), row.get("reason")), rest

    def _halves(self, row: dict[str, Any]) -> None:
        """Say where halves of characters stand: they are no text that could be written."""
        try:
            json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError as half:
            found = f"\\u{ord(half.object[half.start]):04x}"
            self._fault(0, found, "half a character, of which the other half is not there: read as ?", warning=True)

    def _unknown(self, row: dict[str, Any], known: tuple[str, ...], where: str) -> None:
        for key in row:
            if key not in known:
                self._fault(0, shown(key), f"no key{where}: it is left out; there are {', '.join(known)}", warning=True)

    def _setup(self, fen: object, rules: Rules) -> Setup:
        try:
            return self._pool.at(rules, parse_fen(_text(fen, "fen"), rules)).setup()
        except FenError as wrong:
            raise LineError(f"fen: {wrong.message}") from wrong

    # Who has won

    def _verdict(self, row: dict[str, Any], result: str, rules: Rules) -> Result:
        if "winner" not in row and "score" not in row:
            return read_result(result, first_side(rules, self._source.first_score))
        word = row.get("winner")
        if word is not None and (not isinstance(word, str) or word not in WINNERS):
            raise LineError(f"winner is one of {', '.join(WINNERS)} or null, not {_quoted(word)}")
        verdict, score = WINNERS[word] if word else Verdict.UNKNOWN, _text(row.get("score", ""), "score")
        if result and read_result(result, first_side(rules, self._source.first_score)).verdict is not verdict:
            self._fault(0, "Result", f"left out: {shown(result)} does not say what winner says", warning=True)
        said = read_result(score, first_side(rules, self._source.first_score)).verdict
        if said not in (Verdict.UNKNOWN, verdict):
            self._fault(0, shown(score), "left out: this score does not say what winner says", warning=True)
            score = ""
        return Result(verdict, score)

    def _with_reason(self, game: Game, reason: object) -> Game:
        """The game with a tag for a reason that its last position does not show."""
        if reason is None:
            return game
        if not isinstance(reason, str) or reason not in REASONS:
            raise LineError(f"reason is one of {', '.join(sorted(REASONS))} or null, not {_quoted(reason)}")
        if reason in (reason_of(game, self._pool), game.tag(REASON_TAG)):
            return game
        if game.tag(REASON_TAG):
            self._fault(0, "reason", f"left out: the tag {REASON_TAG} says something else", warning=True)
            return game
        return replace(game, tags=(*game.tags, (REASON_TAG, reason)))

    def _read_tags(self, value: object) -> tuple[tuple[tuple[str, str], ...], str]:
        """The tags, and the value of Result, which is none of them."""
        pairs = list(value.items()) if isinstance(value, dict) else _list(value, "tags")
        tags: list[tuple[str, str]] = []
        result = ""
        for pair in pairs:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise LineError(f"tags are an object, or a list of pairs, not {_quoted(pair)}")
            name, text = _text(pair[0], "tags"), _text(pair[1], f"tags: {shown(str(pair[0]))}")
            if not _TAG_NAME.fullmatch(name):
                raise LineError(f"{shown(name) or 'nothing'} is no name of a tag: letters, digits, _, + and - are")
            if name.lower() == "result":
                result = text
            elif name.lower() in _SAID_ELSEWHERE:
                key = _SAID_ELSEWHERE[name.lower()]
                self._fault(0, name, f"not read as a tag: the key {key} says it", warning=True)
            else:
                tags.append((name, text))
        return tuple(tags), result

    # Plies

    def _line(self, row: dict[str, Any], rules: Rules, start: Setup | None, main: int, depth: int = 0) -> tuple[Line, str]:
        """The line that ``row`` holds, and what could not be played of it; ``main`` is the main line's ply it belongs to."""
        items = _list(row.get("plies", []), "plies")
        notes = self._notes(_list(row.get("notes", []), "notes"), len(items))
        position = self._pool.at(rules, start)
        played: list[tuple[Ply | None, Setup | None]] = []
        before: dict[int, Setup] = {}
        for number, item in enumerate(items, 1):
            if notes.get(number, _NOTHING).variations:
                before[number] = position.setup()
            try:
                played.append(self._step(item, position, rules))
            except (PlyError, TooManyPlies, FenError) as wrong:
                told = str(wrong) if isinstance(wrong, TooManyPlies) else wrong.message
                token = shown(item) if isinstance(item, str) else ""
                where = "in a variation: " if depth else ""
                self._fault(
                    main or number,
                    token,
                    f"{where}{told}{f'; the plies before it are kept ({number - 1})' if number > 1 else ''}",
                )
                break
        nodes = []
        for number, (ply, setup) in enumerate(played, 1):
            note = notes.get(number, _NOTHING)
            comments, variations = note.comments, note.variations
            if variations and depth == MAX_DEPTH:
                self._fault(main or number, "", f"variations more than {MAX_DEPTH} deep: left out")
                comments = (*comments, *(not_read(json.dumps(variation, ensure_ascii=False)) for variation in variations))
                variations = ()
            lines = tuple(self._variation(one, rules, before[number], main or number, depth + 1) for one in variations)
            nodes.append(Node(ply, setup, note.strength, note.nags, comments, lines))
        left = [item if isinstance(item, str) else json.dumps(item) for item in items[len(played) :]]
        if left:
            beyond = [note for note in row.get("notes", []) if note["ply"] > len(played)]
            left += [json.dumps({"notes": beyond}, ensure_ascii=False)] if beyond else []
        return Line(tuple(nodes), _comments(row.get("comments", []))), " ".join(left)

    def _variation(self, row: dict[str, Any], rules: Rules, start: Setup, main: int, depth: int) -> Line:
        line, rest = self._line(row, rules, start, main, depth)
        return line.with_rest(rest)

    def _step(self, item: object, position: Position, rules: Rules) -> tuple[Ply | None, Setup | None]:
        """Play a ply, or put up the position of an object with a FEN."""
        if isinstance(item, str):
            ply = parse_ply(item, position)
            position.play(ply)
            return ply, None
        if not isinstance(item, dict) or set(item) != {"fen"}:
            raise LineError(f'plies are texts, or {{"fen": "…"}} for a position put up; {_quoted(item)} is neither')
        position.set(parse_fen(_text(item["fen"], "fen"), rules))
        return None, position.setup()

    def _notes(self, values: list[Any], plies: int) -> dict[int, _Note]:
        notes: dict[int, _Note] = {}
        for value in values:
            if not isinstance(value, dict):
                raise LineError(f"notes are objects, not {_quoted(value)}")
            self._unknown(value, _NOTE_KEYS, " of a note")
            number = value.get("ply")
            if type(number) is not int or not 1 <= number <= plies:
                raise LineError(f"notes: ply is the number of one of the {plies} plies, not {_quoted(number)}")
            if number in notes:
                raise LineError(f"notes: two for ply {number}")
            notes[number] = _note(value)
        return notes


@dataclass(frozen=True, slots=True)
class _Note:
    """What is said about one ply. The variations are still to be read."""

    strength: str = ""
    nags: tuple[int, ...] = ()
    comments: tuple[Comment, ...] = ()
    variations: tuple[dict[str, Any], ...] = ()


_NOTHING = _Note()


def _note(value: dict[str, Any]) -> _Note:
    strength = _text(value.get("strength", ""), "strength")
    if strength and not _STRENGTH.fullmatch(strength):
        raise LineError(f"strength is a mark such as ! or ?!, not {shown(strength)}")
    nags = _list(value.get("nags", []), "nags")
    for nag in nags:
        if type(nag) is not int or not 0 <= nag <= MAX_NAG:
            raise LineError(f"nags are numbers from 0 to {MAX_NAG}, not {_quoted(nag)}")
    variations = _list(value.get("variations", []), "variations")
    for variation in variations:
        if not isinstance(variation, dict) or not set(variation) <= set(_LINE_KEYS):
            raise LineError(f"variations are objects of {', '.join(_LINE_KEYS)}, not {_quoted(variation)}")
    return _Note(strength, tuple(nags), _comments(value.get("comments", [])), tuple(variations))


def _comments(value: object) -> tuple[Comment, ...]:
    return tuple(_comment(item) for item in _list(value, "comments"))


def _comment(value: object) -> Comment:
    if isinstance(value, str):
        return Comment(_text(value, "comments"))
    if not isinstance(value, dict) or not set(value) <= {"text", "commands"}:
        raise LineError(f"comments are texts, or objects of text and commands, not {_quoted(value)}")
    commands = []
    for pair in _list(value.get("commands", []), "commands"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise LineError(f"commands are pairs of a name and a value, not {_quoted(pair)}")
        commands.append(Command(_text(pair[0], "commands"), _text(pair[1], "commands")))
    return Comment(_text(value.get("text", ""), "text"), tuple(commands))


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as wrong:
        raise LineError(f"no JSON: {wrong.msg}, at character {wrong.pos + 1}") from wrong
    except ValueError as wrong:
        raise LineError(f"no JSON that is read here: {wrong}") from wrong
    if not isinstance(value, dict):
        raise LineError(f"each line is an object, not {_quoted(value)}")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise LineError(f"{shown(next(key for key in keys if keys.count(key) > 1))} stands twice in one object")
    return row


def _list(value: object, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise LineError(f"{key}: a list is needed, not {_quoted(value)}")
    return value


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise LineError(f"{key}: a text is needed, not {_quoted(value)}")
    # Halves of characters (\ud83d alone) are no text that could be written.
    return value.encode("utf-8", "replace").decode("utf-8")


def _quoted(value: object) -> str:
    return shown(json.dumps(value, ensure_ascii=False))
