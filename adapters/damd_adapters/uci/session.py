"""The answers to the lines of damd's protocol: the position by damd's rules, the search by a foreign engine.

``Session.answer`` never waits: what takes time is a piece of work for the desk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from damd import variants
from damd.core.types import TooManyPlies
from damd.notation.fen import FenError, format_fen
from damd.notation.plies import PlyError
from damd.notation.squares import NUMERIC, shown
from damd.protocol.commands import BY_NAME
from damd.protocol.errors import Code, ProtocolError, code_of, printable
from damd.protocol.grammar import (
    PositionRequest,
    parse_debug,
    parse_gameover,
    parse_go,
    parse_position,
    parse_setoption,
    unknown_command,
    with_surplus,
)
from damd.protocol.options import Option, OptionKind
from damd.protocol.words import did_you_mean
from damd.rules import Rules
from damd_adapters.table import Table
from damd_adapters.uci.desk import Answer, Say, Work
from damd_adapters.uci.engine import Choice, ForeignEngine, Limits, Report
from damd_adapters.uci.words import bestmove_line, info_line, limits_of

VARIANT, MISSED = "UCI_Variant", "MissedCapture"


class Session:
    """One conversation of a client with a foreign engine that has been started."""

    def __init__(self, engine: ForeignEngine) -> None:
        self._engine = engine
        self.debug = False
        # Of two options with one name the first counts: the adapter's own.
        self._options: dict[str, Option] = {}
        for option in (*_own_options(engine), *engine.options):
            self._options.setdefault(option.name.lower(), option)
        self._rules = rules_of(engine.variants[0])
        self._table = Table(self._rules)
        # What the last ``position`` asked for, so that the next one need only play what is new.
        self._set_by = PositionRequest(None, ())
        self._agreed_end = ""
        self._handlers: dict[str, Callable[[str], Answer]] = {
            "uci": self._uci,
            "debug": self._debug_switch,
            "isready": lambda rest: Answer(with_surplus(rest, ["readyok"])),
            "setoption": self._setoption,
            "register": lambda _rest: Answer(),
            "ucinewgame": self._ucinewgame,
            "position": self._position,
            "go": self._go,
            "stop": lambda rest: Answer(with_surplus(rest)),
            "ponderhit": lambda rest: Answer(with_surplus(rest)),
            "quit": lambda rest: Answer(with_surplus(rest)),
            "help": self._help,
            "d": self._draw,
            "fen": self._fen,
            "moves": self._moves,
            "explain": self._explain,
            "result": self._result,
            "gameover": self._gameover,
        }

    def answer(self, line: str) -> Answer:
        """The answer to one line that is not blank. Errors are lines of it, never exceptions."""
        name, *rest = line.split(maxsplit=1)
        handler = self._handlers.get(name)
        if handler is None:
            return Answer([self._unknown(name).line()])
        try:
            return handler(rest[0] if rest else "")
        except ProtocolError as error:
            return Answer([error.line()])
        except TooManyPlies as fault:
            return Answer([ProtocolError(Code.TOO_MANY_PLIES, "", str(fault)).line()])

    def refusal(self, name: str) -> ProtocolError:
        """The error for a command that came during an unbounded search."""
        if name not in self._handlers:
            return self._unknown(name)
        return ProtocolError(Code.SEARCHING, name, "not during a search without end, send stop first")

    def _unknown(self, name: str) -> ProtocolError:
        if name in BY_NAME:
            said = f"{self._engine.identity.name or 'the engine'} behind this adapter cannot do that"
            return ProtocolError(Code.UNKNOWN_COMMAND, name, said)
        return unknown_command(name)

    # The handshake and the options

    def _uci(self, rest: str) -> Answer:
        identity = self._engine.identity
        lines = [f"id name {identity.name}", f"id author {identity.author or 'unknown'}"]
        lines += [f"info string {note}" for note in identity.notes]
        lines += [option.line() for option in self._options.values()]
        return Answer(with_surplus(rest, [*(printable(line) for line in lines), "uciok"]))

    def _debug_switch(self, rest: str) -> Answer:
        on, errors = parse_debug(rest)
        self.debug = self.debug if on is None else on
        return Answer([error.line() for error in errors])

    def _setoption(self, rest: str) -> Answer:
        name, value = parse_setoption(rest)
        option = self._options.get(name.lower())
        if option is None:
            hint = did_you_mean(name, tuple(known.name for known in self._options.values()))
            raise ProtocolError(Code.UNKNOWN_OPTION, shown(name), f"no such option{hint}")
        if option.name == VARIANT:
            return self._set_variant(option, value)
        text, error = _read(option, value)
        if option.name != MISSED:
            self._engine.set_option(option.name, text)
        return Answer([] if error is None else [error.line()])

    def _set_variant(self, option: Option, value: str | None) -> Answer:
        text, _ = option.read(None if value is None else variants.canonical(value))
        rules = rules_of(text)
        if rules != self._rules:
            self._rules = rules
            self._engine.set_variant(rules)
            self._begin(Table(rules))
        return Answer()

    def _ucinewgame(self, rest: str) -> Answer:
        return Answer(with_surplus(rest), _Preparation(self._engine, new_game=True))

    def _help(self, rest: str) -> Answer:
        from damd.protocol.tables import help_lines

        name = rest.strip()
        if name and name not in self._handlers:
            raise self._unknown(name)
        lines = help_lines(name)
        return Answer([line for line in lines if name or line.split(maxsplit=2)[1].rstrip(":") in self._handlers])

    # The position

    def _position(self, rest: str) -> Answer:
        request = parse_position(rest.split())
        before = self._set_by
        known = len(before.moves)
        if request.fen == before.fen and request.moves[:known] == before.moves:
            try:
                _play(self._table, request.moves, known)
            except (ProtocolError, TooManyPlies):
                # The plies before the bad one are played; what was there is set up again.
                self._table = self._made(before)
                raise
        else:
            self._begin(self._made(request))
        self._set_by = request
        self._agreed_end = ""
        return Answer([], None if self._engine.prepared else _Preparation(self._engine))

    def _made(self, request: PositionRequest) -> Table:
        """The table that a request asks for. Raises ``ProtocolError`` and ``TooManyPlies``."""
        try:
            table = Table(self._rules) if request.fen is None else Table.from_fen(self._rules, request.fen)
        except FenError as fault:
            raise ProtocolError(Code.BAD_FEN, fault.token, fault.message) from fault
        _play(table, request.moves, 0)
        return table

    def _begin(self, table: Table) -> None:
        self._table = table
        self._set_by = PositionRequest(None, ())
        self._agreed_end = ""

    def _draw(self, rest: str) -> Answer:
        from damd.notation.display import display

        return Answer(with_surplus(rest, display(self._table.position, "forbidden")))

    def _fen(self, rest: str) -> Answer:
        words = rest.split()
        full = words[:1] == ["full"]
        text = format_fen(self._table.position.setup(), self._rules, full=full)
        return Answer(with_surplus(" ".join(words[1:] if full else words), [f"fen {text}"]))

    def _moves(self, rest: str) -> Answer:
        plies = " ".join(self._table.spell(ply) for ply in self._table.legal())
        return Answer(with_surplus(rest, [f"moves {plies}".rstrip()]))

    def _explain(self, rest: str) -> Answer:
        from damd.notation.explanation import explain

        words = rest.split()
        if not words:
            raise ProtocolError(Code.MISSING_ARGUMENT, "explain", f"expected {BY_NAME['explain'].usage}")
        found = explain(words[0], self._table.position, NUMERIC)
        lines = [found.heading, *(f"  {sentence}" for sentence in found.sentences)]
        return Answer(with_surplus(" ".join(words[1:]), [*lines, " ".join(["plies", str(found.total), *found.plies])]))

    def _result(self, rest: str) -> Answer:
        from damd.notation.display import outcome_words

        return Answer(with_surplus(rest, [f"result {self._agreed_end or outcome_words(self._table.outcome())}"]))

    def _gameover(self, rest: str) -> Answer:
        self._agreed_end, beyond = parse_gameover(rest)
        return Answer(with_surplus(beyond))

    # Searching

    def _go(self, rest: str) -> Answer:
        request = parse_go(rest.split())
        errors = list(request.errors)
        skipped = request.skipped
        beyond = [("searchmoves", bool(request.searchmoves)), ("perft", "perft" in request.numbers)]
        for keyword in (word for word, given in beyond if given):
            errors.append(ProtocolError(Code.UNKNOWN_TOKEN, keyword, "the engine behind this adapter cannot do that"))
            skipped = True
        search = _Search(self._engine, self._table, limits_of(request, skipped))
        return Answer([error.line() for error in errors], search)


class _Preparation(Work):
    """The engine takes up a variant, options or a new game."""

    def __init__(self, engine: ForeignEngine, new_game: bool = False) -> None:
        self._engine = engine
        self._new_game = new_game

    async def run(self, say: Say) -> None:  # noqa: ARG002
        await self._engine.prepare()
        if self._new_game:
            await self._engine.new_game()


class _Search(Work):
    """One ``go``: info lines, then exactly one ``bestmove``, with an ``error`` before it where there is no ply to name."""

    searches = True

    def __init__(self, engine: ForeignEngine, table: Table, limits: Limits) -> None:
        self._engine = engine
        self._table = table
        self._limits = limits
        self._stopped = False
        self._pondering = limits.ponder
        self._begun = False
        self._free = asyncio.Event()  # whether the answer may be given

    @property
    def bounded(self) -> bool:
        return self._stopped or not (self._limits.infinite or self._pondering)

    async def run(self, say: Say) -> None:
        choice, error = await self._search(say)
        if not self.bounded:
            await self._free.wait()
        if error is not None:
            say(error.line())
        say(bestmove_line(choice, self._table.rules))

    async def _search(self, say: Say) -> tuple[Choice, ProtocolError | None]:
        def tell(report: Report) -> None:
            line = info_line(report, self._table.rules)
            if line:
                say(line)

        if not self._table.legal():
            return Choice(None), None
        if not self._engine.prepared:
            await self._engine.prepare()
        limits = self._limits if self._pondering else replace(self._limits, ponder=False)
        self._begun = True
        if self._stopped:
            asyncio.get_running_loop().call_soon(self._engine.stop)
        try:
            return await self._engine.search(self._table, limits, tell), None
        except ProtocolError as error:
            return Choice(None), error
        finally:
            self._begun = False

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._free.set()
            if self._begun:
                self._engine.stop()

    def ponder_hit(self) -> bool:
        if self._stopped or not self._pondering:
            return False
        self._pondering = False
        if self.bounded:
            self._free.set()
        if self._begun:
            self._engine.ponder_hit()
        return True


def rules_of(variant: str) -> Rules:
    """The rules of a game without claims: no foreign engine knows any. Raises ``VariantError``."""
    return variants.load(variant).without_penalty()


def _play(table: Table, moves: tuple[str, ...], known: int) -> None:
    """Play the plies from number ``known`` on, and make sure that the plies of the end can be listed."""
    for number, text in enumerate(moves[known:], known + 1):
        try:
            table.play(table.read(text))
        except PlyError as fault:
            raise ProtocolError(code_of(fault.code), f"ply {number} {text}", fault.message) from fault
    table.position.count()


def _own_options(engine: ForeignEngine) -> tuple[Option, ...]:
    """What the adapter itself is told."""
    return (
        Option(VARIANT, OptionKind.COMBO, engine.variants[0], choices=engine.variants),
        Option(MISSED, OptionKind.COMBO, "forbidden", choices=("forbidden",)),
    )


def _read(option: Option, value: str | None) -> tuple[str, ProtocolError | None]:
    """The value that an option is given; a foreign engine's choices keep their case."""
    if option.kind is OptionKind.COMBO and value is not None:
        known = {choice.lower(): choice for choice in option.choices}
        if value.lower() in known:
            return known[value.lower()], None
    return option.read(value)
