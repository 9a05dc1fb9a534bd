"""One manager at the other end: its lines in order, the engine that plays, and what is answered when."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from damd.client import AsyncEngine, CommandRefused, EngineError, OptionError, Search, SearchResult
from damd.notation.plies import PlyError
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.grammar import parse_position, parse_setoption
from damd.protocol.words import did_you_mean
from damd.variants import VariantError
from damd_adapters.game import Game, decides
from damd_adapters.output import nobody_reads
from damd_adapters.streams import MAX_LINE_BYTES, Lines, Overlong, put_away
from damd_adapters.ugi import words
from damd_adapters.ugi.board import Board

#: So many lines may wait behind a search; then the input is not read until the search has ended.
_MOST_WAITING = 1000

#: After the end of the input it is looked so often, in seconds, whether there is still somebody to be answered.
_LOOK_S = 1.0

#: What ``query`` may be asked, and how it is answered.
_QUERIES: dict[str, Callable[[Board], str]] = {
    "gameover": lambda board: "true" if board.table.outcome() is not None else "false",
    "p1turn": lambda board: "true" if board.table.side == 0 else "false",
    "result": lambda board: words.result_word(board.table.outcome()),
}
#: The same after a ``position`` that was refused: the game cannot go on from there.
_REFUSED = {"gameover": "true", "result": "none"}


@dataclass(slots=True)
class _Waiting:
    """A line behind a search. ``stopped``: a ``stop`` came after it, so a ``go`` ends as soon as it has begun."""

    line: str
    stopped: bool = False


class Session:
    """Answers a manager. Lines are obeyed in order; ``stop``, ``ponderhit``, ``isready`` and ``quit`` during a search too.

    Other lines wait behind a search that ends by itself, and are refused during one that does not.
    """

    def __init__(self, engine: AsyncEngine, game: Game, write: Callable[[str], None]) -> None:
        """Raises ``VariantError`` where the rules of the engine's game are not known here."""
        self._engine = engine
        self._game = game
        self._write = write
        self._board = Board(game.rules())
        self._refused = False
        self._search: Search | None = None
        self._lasting = False
        self._answer: asyncio.Task[None] | None = None
        self._waiting: deque[_Waiting] = deque()
        self._over = False
        self._commands: dict[str, Callable[[list[str], str], Awaitable[None]]] = {
            "ugi": self._handshake,
            "isready": self._ready,
            "setoption": self._set_option,
            "uginewgame": self._new_game,
            "position": self._set_position,
            "query": self._query,
            "go": self._go,
            "debug": self._debug,
            "stop": self._stop,
            "ponderhit": self._ponder_hit,
            "quit": self._quit,
        }

    async def run(self, lines: Lines) -> None:
        """Serve until ``quit`` or the end of the input, after which searches that end by themselves still answer.

        Raises ``EngineError`` where the engine dies or does not answer in time, ``BrokenPipeError`` where
        nobody is left to be answered.
        """
        reading: asyncio.Task[str | None] | None = None
        ended = False
        try:
            while not self._over:
                await self._advance()
                if self._over or (ended and not self._waiting and (self._lasting or not self._searching)):
                    break
                if reading is None and not ended and len(self._waiting) < _MOST_WAITING:
                    reading = asyncio.create_task(lines.next())
                tasks = [task for task in (reading, self._answer) if task is not None]
                await asyncio.wait(tasks, timeout=_LOOK_S if ended else None, return_when=asyncio.FIRST_COMPLETED)
                if ended and nobody_reads():
                    raise BrokenPipeError
                if reading is not None and reading.done():
                    ended, reading = await self._take(reading), None
            await self._end_search()
        finally:
            put_away(reading, self._answer)

    async def _take(self, reading: asyncio.Task[str | None]) -> bool:
        """Obey the line that was read if it must not wait, or put it behind those that do; whether it was the end."""
        try:
            line = reading.result()
        except Overlong:
            self._write(words.error_line(Code.TOO_LONG.text, f"a line of more than {MAX_LINE_BYTES} bytes was skipped"))
            return False
        if line is None:
            return True
        word = _first_word(line)
        if word in ("stop", "ponderhit", "quit"):
            await self._obey(line)
        elif word:
            self._waiting.append(_Waiting(line))
        return False

    async def _advance(self) -> None:
        """See to a search that has ended, and to the lines that need not wait any more."""
        if self._answer is not None and self._answer.done():
            answer, self._answer, self._search = self._answer, None, None
            answer.result()
        while self._waiting and not self._over:
            word = _first_word(self._waiting[0].line)
            searching = self._searching
            if searching and not self._lasting and word not in ("isready", "query"):
                return
            waiting = self._waiting.popleft()
            if searching and word not in ("isready", "query"):
                fault = ProtocolError(Code.SEARCHING, word, "not during a search without end, send stop first")
                self._write(words.error_of(fault))
                continue
            await self._obey(waiting.line)
            if waiting.stopped and not searching:
                await self._stop([], "")

    @property
    def _searching(self) -> bool:
        return self._answer is not None and not self._answer.done()

    async def _end_search(self) -> None:
        """A search that still runs answers now: nobody will send ``stop`` any more."""
        if self._answer is not None:
            if self._searching:
                await self._stop([], "")
            await self._answer

    async def _obey(self, line: str) -> None:
        word, *rest = line.split()
        command = self._commands.get(word)
        try:
            if command is None:
                hint = did_you_mean(word, tuple(self._commands))
                raise ProtocolError(Code.UNKNOWN_COMMAND, word, f"no command of UGI{hint}")
            await command(rest, line)
        except ProtocolError as fault:
            self._write(words.error_of(fault))

    # Commands

    async def _handshake(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        """``ugi``: asks the engine once more, for its list of games may have grown."""
        identity = await self._engine.handshake()
        self._write(f"id name {identity.name or 'an engine of the damd protocol'}")
        self._write(f"id author {identity.author or 'unknown'}")
        for option in self._engine.options.values():
            if option.name.lower() not in words.HIDDEN_OPTIONS:
                self._write(words.option_line(option))
        self._write("ugiok")

    async def _ready(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        await self._engine.is_ready()
        self._write("readyok")

    async def _debug(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        if rest not in (["on"], ["off"]):
            raise ProtocolError(Code.UNKNOWN_TOKEN, " ".join(rest), "debug takes on or off")
        await self._engine.debug(rest == ["on"])

    async def _set_option(self, rest: list[str], line: str) -> None:
        name, value = parse_setoption(line.split(None, 1)[1] if rest else "")
        if name not in self._engine.options or name.lower() in words.HIDDEN_OPTIONS:
            known = tuple(known for known in self._engine.options if known.lower() not in words.HIDDEN_OPTIONS)
            raise ProtocolError(Code.UNKNOWN_OPTION, name, f"no such option{did_you_mean(name, known)}")
        try:
            if decides(name):
                await self._set_game(name, value or "")
            else:
                await self._engine.set_option(name, None if value == "<empty>" else value)
        except OptionError as fault:
            raise ProtocolError(Code.BAD_VALUE, value or "", str(fault)) from fault
        except VariantError as fault:
            raise ProtocolError(Code.BAD_VARIANT, value or "", str(fault)) from fault
        except CommandRefused as fault:
            raise ProtocolError(Code.BAD_VALUE, value or "", str(fault)) from fault

    async def _set_game(self, name: str, value: str) -> None:
        """Set an option that the rules follow from, here and there; neither where one of the two refuses."""
        game = self._game.with_option(name, value)
        rules = game.rules()
        if name.lower() == "uci_variant":
            value = game.variant
        await self._engine.set_option(name, None if value == "<empty>" else value)
        if name.lower() == "variantpath":
            await self._engine.handshake()  # its list of games may be another one now
        self._game = game
        if rules != self._board.table.rules:
            self._board, self._refused = Board(rules), False

    async def _new_game(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        await self._engine.new_game()
        self._refused = False

    async def _set_position(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        request = parse_position(rest)
        self._refused = True
        self._board.set(request.fen, request.moves)
        self._refused = False

    async def _query(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        question = " ".join(rest)
        if question not in _QUERIES:
            # Something is answered all the same: a manager waits for a response to everything that it asks.
            self._write("response unknown")
            raise ProtocolError(Code.UNKNOWN_TOKEN, question, f"query takes {', '.join(_QUERIES)}")
        answer = _REFUSED.get(question) if self._refused else None
        self._write(f"response {answer or _QUERIES[question](self._board)}")

    # Searching

    async def _go(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        request = words.read_go(rest)
        for fault in request.errors:
            self._write(words.error_of(fault))
        if self._refused:
            self._write("bestmove (none)")
            raise ProtocolError(Code.ILLEGAL_PLY, "go", "the last position was refused, there is nothing to search")
        ponder = "ponder" in request.flags
        limit = words.limit_of(request)
        table = self._board.table
        try:
            self._search = await self._engine.start_search(
                limit, search_moves=request.searchmoves, ponder=ponder, position=(table.fen, table.texts)
            )
        except CommandRefused as fault:
            self._write("bestmove (none)")
            raise ProtocolError(Code.BAD_VALUE, "go", str(fault)) from fault
        self._lasting = ponder or limit is None
        self._answer = asyncio.create_task(self._tell(self._search))

    async def _tell(self, search: Search) -> None:
        """Pass on what a search says, and its ply at the end."""
        async for info in search:
            self._write(info.raw)
        result = await search.result()
        for error in result.errors:
            self._write(words.error_line(error.code, error.message))
        self._write(f"bestmove {self._chosen(result)}")

    def _chosen(self, result: SearchResult) -> str:
        best = result.best
        if best.resign:
            self._write("info string the engine resigns, which UGI cannot say")
        if best.ply is None:
            return "(none)"
        try:
            self._board.table.read(best.ply)
        except PlyError as fault:
            self._write(words.error_line(fault.code, f"the engine answered {fault.token}: {fault.message}"))
            return "(none)"
        return best.ply

    async def _stop(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        for waiting in self._waiting:
            waiting.stopped = True
        self._lasting = False
        if self._search is not None and self._searching:
            try:
                await self._search.stop()
            except EngineError:
                return  # whoever waits for the search learns of it
            if self._answer is not None:
                await self._answer

    async def _ponder_hit(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        if self._search is not None and self._searching and self._search.pondering:
            await self._search.ponder_hit()
            self._lasting = self._search.limit.infinite or not self._search.limit.bounded

    async def _quit(self, rest: list[str], line: str) -> None:  # noqa: ARG002
        self._waiting.clear()
        self._over = True


def _first_word(line: str) -> str:
    return next(iter(line.split(None, 1)), "")
