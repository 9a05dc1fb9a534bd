"""Games from PDN, one at a time, however large the file is; what cannot be read is told, and the next game is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from damd.core.position import start_setup
from damd.core.types import Setup
from damd.geometry import Board
from damd.notation.fen import FenError, parse_fen
from damd.notation.pdn import lexer
from damd.notation.pdn.building import Builder, as_text
from damd.notation.pdn.gametypes import (
    GameType,
    as_written,
    contradiction,
    fits,
    parse_gametype,
    rules_of_gametype,
    rules_of_squares,
)
from damd.notation.pdn.lexer import escaped
from damd.notation.pdn.model import DERIVED, Fault, Game, Line, ReadGame, Verdict
from damd.notation.pdn.results import ENDINGS, Result, first_side, read_result
from damd.notation.pdn.settling import Player, squares_of
from damd.notation.pdn.source import Source, numbered_lines
from damd.notation.pdn.splitting import RawGame, raw_games
from damd.notation.squares import shown
from damd.rules import Rules
from damd.variants import VariantError, load

#: Characters of a fault's message: those that list plies are cut by themselves.
MAX_MESSAGE = 1000

#: No board has more; a larger number is a slip.
MAX_SQUARE = 72

_FEN_SQUARES = re.compile(r"\d{1,3}|[A-La-l]\d{1,2}")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read where it does not say itself.

    ``rules`` are those of games that name no game, if their squares are on its board. ``variant_path`` is a folder of
    variant files. ``first_score`` says whose the first number of a result is: ``rules`` (of the side that begins by
    the rules), ``white`` or ``black``.
    """

    rules: Rules | None = None
    variant_path: str | None = None
    first_score: str = "rules"


def read_games(source: Source, name: str = "<stdin>", reading: Reading = Reading()) -> Iterator[ReadGame]:
    """Every game of ``source``, in order, each with its faults. Never holds more than one game.

    Bytes are UTF-8, UTF-16 with a mark, or else read as Windows-1252. ``name`` is what faults call the source. Raises
    ``ValueError`` for an unknown ``first_score``, and what reading the source raises.
    """
    reader = _Reader(name, reading)
    for number, raw in enumerate(raw_games(numbered_lines(source)), 1):
        yield reader.game(number, raw)


@lru_cache(maxsize=256)
def _found(name: str, variant_path: str | None) -> Rules | str:
    """The variant of that name, or why there is none."""
    try:
        return load(name, variant_path)
    except VariantError as fault:
        return str(fault)


@dataclass(slots=True)
class _Told:
    """The faults of the game at hand."""

    file: str
    game: int
    faults: list[Fault] = field(default_factory=list)

    def fault(self, line: int, token: str, message: str, ply: int = 0, warning: bool = False) -> None:
        self.faults.append(Fault(self.file, line, self.game, ply, shown(token), shown(message, MAX_MESSAGE), warning))


class _Reader:
    """Reads the games of one file."""

    def __init__(self, name: str, reading: Reading) -> None:
        self._name = name
        self._reading = reading
        self._builders: dict[tuple[Rules, tuple[str, ...], tuple[str, ...]], Builder] = {}
        self._last: tuple[Rules, Board, Builder] | None = None
        self._started: tuple[Rules, Setup] | None = None  # the last rules and their start position
        if reading.rules is not None:
            first_side(reading.rules, reading.first_score)

    def game(self, number: int, raw: RawGame) -> ReadGame:
        told = _Told(self._name, number)
        for remark in raw.remarks:
            told.fault(remark.line, remark.token, remark.message, warning=remark.warning)
        values: dict[str, str] = {}
        for tag, value in raw.tags:
            if tag.lower() in DERIVED and tag.lower() in values:
                told.fault(raw.line, tag, "a second tag of that name: the first is taken", warning=True)
            values.setdefault(tag.lower(), value.strip())
        gametype = parse_gametype(values.get("gametype", ""))
        rules = self._rules(raw, values, gametype, told)
        if rules is None:
            return ReadGame(number, raw.line, tuple(raw.tags), None, tuple(told.faults), as_text(raw.words))
        other = self._contradiction(values, rules)
        if other:
            told.fault(raw.line, "GameType", other, warning=True)
        board = self._board(rules, gametype, raw, told, contradicted=bool(other))
        game, rest = self._read(raw, values, rules, gametype, board, told)
        faults = sorted(told.faults, key=lambda fault: fault.line) if told.faults else ()
        return ReadGame(number, raw.line, tuple(raw.tags), game, tuple(faults), rest)

    def _read(
        self,
        raw: RawGame,
        values: dict[str, str],
        rules: Rules,
        gametype: GameType | None,
        board: Board,
        told: _Told,
    ) -> tuple[Game, str]:
        first = gametype.first if gametype is not None else None
        start: Setup | None = None
        tags = tuple((tag, value) for tag, value in raw.tags if value.strip() and tag.lower() not in DERIVED)
        readable = True
        if values.get("fen"):
            try:
                start = parse_fen(values["fen"], rules, board=board)
            except FenError as fault:
                told.fault(raw.line, fault.token, f"FEN: {fault.message}")
                readable = False
        elif first is not None and first != self._start(rules).side:
            start = start_setup(rules, first)
        result = self._result(raw, values.get("result", ""), rules, first, told)
        if not readable:
            unread = f'[FEN "{escaped(values["fen"])}"] {as_text(raw.words)}'
            return Game(rules, tags, start, Line(), result.verdict, result.score), unread.rstrip()
        builder = self._builder(rules, board)
        line = builder.build(raw.words, start if start is not None else self._start(rules))
        for trouble in builder.troubles:
            told.fault(trouble.line, trouble.token, trouble.message, trouble.ply, trouble.warning)
        return Game(rules, tags, start, line, result.verdict, result.score), builder.rest

    def _start(self, rules: Rules) -> Setup:
        if self._started is None or self._started[0] is not rules:
            self._started = (rules, start_setup(rules))
        return self._started[1]

    def _builder(self, rules: Rules, board: Board) -> Builder:
        if self._last is not None and self._last[0] is rules and self._last[1] is board:
            return self._last[2]
        key = (rules, board.names, board.algebraic)
        if key not in self._builders:
            if len(self._builders) > 16:
                self._builders.clear()
            self._builders[key] = Builder(rules, Player(board))
        self._last = (rules, board, self._builders[key])
        return self._last[2]

    # Which game it is

    def _rules(self, raw: RawGame, values: dict[str, str], gametype: GameType | None, told: _Told) -> Rules | None:
        rules = self._named(values.get("variant", ""), "Variant", raw, told)
        if rules is None and gametype is not None:
            rules = self._typed(gametype, values["gametype"], raw, told)
        elif rules is None:
            rules = self._named(values.get("gametype", ""), "GameType", raw, told)
        if rules is None:
            rules = self._guessed(raw, values, told)
        mode = values.get("missedcapture", "").lower()
        if rules is None or not mode:
            return rules
        if mode == "forbidden":
            return rules.without_penalty()
        if mode != "rule":
            told.fault(raw.line, mode, "MissedCapture is forbidden or rule; read as rule", warning=True)
        return rules

    def _named(self, name: str, tag: str, raw: RawGame, told: _Told) -> Rules | None:
        if not name or name in "?-*":
            return None
        found = _found(name, self._reading.variant_path)
        if isinstance(found, str):
            told.fault(raw.line, tag, found, warning=True)
            return None
        return found

    def _typed(self, gametype: GameType, text: str, raw: RawGame, told: _Told) -> Rules | None:
        asked = self._reading.rules
        if asked is not None:
            own = parse_gametype(asked.names.gametype)
            if own is not None and own.number == gametype.number:
                return asked  # the caller knows better which game of that type it is
        rules = rules_of_gametype(gametype, self._reading.variant_path)
        if rules is None:
            told.fault(raw.line, "GameType", f"{shown(text)}: no variant has the number {gametype.number}", warning=True)
        return rules

    def _contradiction(self, values: dict[str, str], rules: Rules) -> str:
        """A word about a GameType of another game than Variant names; empty where one of them is not there or unknown."""
        variant, text, path = values.get("variant", ""), values.get("gametype", ""), self._reading.variant_path
        if not (variant and text) or isinstance(_found(variant, path), str):
            return ""
        return contradiction(rules, text, path)

    def _guessed(self, raw: RawGame, values: dict[str, str], told: _Told) -> Rules | None:
        """The game of a record that does not say: the caller's if its board has the squares, else what they tell."""
        texts = [text for kind, text, _ in raw.words if kind == lexer.PLY and text != values.get("result")]
        lists = ":".join(values.get("fen", "").split(":")[1:3])
        placed = {name.lower().lstrip("0") for name in _FEN_SQUARES.findall(re.sub("[WBK]", " ", lists))}
        asked = self._reading.rules
        # The first plies tell, not a slip further on.
        if asked is not None and fits(placed | squares_of(texts[:4]), asked.geometry):
            return asked
        squares = {name for name in placed | squares_of(texts) if not name.isdigit() or int(name) <= MAX_SQUARE}
        rules = rules_of_squares(squares, self._reading.variant_path) or asked
        if rules is None:
            what = "nothing says which game this is: it needs a Variant or GameType tag, or whoever reads it says so"
            told.fault(raw.line, "", what)
        elif rules != asked:
            what = f"no tag says which game this is: read as {rules.name} by its squares"
            told.fault(raw.line, "", what, warning=True)
        return rules

    def _board(self, rules: Rules, gametype: GameType | None, raw: RawGame, told: _Told, *, contradicted: bool) -> Board:
        try:
            return as_written(rules, gametype)
        except ValueError as fault:
            if not contradicted:
                told.fault(raw.line, "GameType", f"{fault}; squares are read as {rules.name} names them", warning=True)
            return rules.geometry

    # Its result

    def _result(self, raw: RawGame, tag: str, rules: Rules, first: int | None, told: _Told) -> Result:
        side = first_side(rules, self._reading.first_score)
        if first is not None and self._reading.first_score == "rules" and not rules.start.by_agreement:
            side = first
        tagged = read_result(tag, side)
        ended = self._ending(raw, tag, told)
        said = read_result(ended, side)
        if tagged.verdict is Verdict.UNKNOWN and not tagged.score:
            return said
        if said.verdict is not Verdict.UNKNOWN and said.verdict is not tagged.verdict:
            what = f"the game ends with {ended}, but its tag says {tag}: the tag is taken"
            told.fault(raw.line, ended, what, warning=True)
        if tagged.score and tagged.verdict is Verdict.UNKNOWN:
            what = f"the result {shown(tag)} does not say who has won: it is kept as it is"
            told.fault(raw.line, "", what, warning=True)
        return tagged

    @staticmethod
    def _ending(raw: RawGame, tag: str, told: _Told) -> str:
        """The result that ends the movetext; a word that only the Result tag tells from a ply is taken out of it."""
        words = raw.words
        last = next((index for index in range(len(words) - 1, -1, -1) if words[index][0] != lexer.COMMENT), None)
        if last is not None and raw.result in ("", "*"):
            kind, text, number = words[last]
            plain = "".join(text.split())
            if kind == lexer.POINTS or (kind == lexer.PLY and plain == "".join(tag.split()) and plain not in ENDINGS):
                del words[last]
                if kind == lexer.PLY:
                    told.fault(number, text, "this is the game's result, as its tag has it, and no ply", warning=True)
                return text
        return raw.result
