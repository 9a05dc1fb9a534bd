"""The asynchronous client: one engine, one method a command."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Self

from damd.client.dialogue import Dialogue
from damd.client.errors import EngineError, UnreadableAnswer
from damd.client.options import Options, OptionValue
from damd.client.parsing import (
    after_first_word,
    first_word,
    integer,
    parse_bench,
    parse_explanation,
    parse_option,
    parse_perft,
    parse_result,
)
from damd.client.search import Search
from damd.client.transport import Command, ProcessTransport, Transport
from damd.client.types import (
    BenchResult,
    EngineErrorLine,
    EngineId,
    GameResult,
    Limit,
    PerftResult,
    PlyExplanation,
    SearchResult,
    Timeouts,
)


class AsyncEngine:
    """A client for one engine that speaks damd's protocol or plain UCI.

    Start one with ``start`` (or ``connect``, over another transport) and close it, best by ``async with``. All
    calls belong to the event loop it was started in.

    Every call takes ``timeout`` in seconds, its own default being the named field of ``Timeouts``; when that time
    is over it raises ``EngineTimeout``. A call that the engine answers with ``error`` lines raises
    ``CommandRefused`` (a search that runs in spite of them lists them in its result); error lines that answer
    nothing are kept in ``errors``. When the process has ended every call raises ``EngineTerminated``.

    Calls wait for one another. While a search is open, calls other than ``is_ready``, ``debug`` and closing raise
    ``EngineBusy``. A cancelled or timed-out call leaves the conversation in step: a search is stopped and its
    ``bestmove`` swallowed, late answers are never taken for another call's.
    """

    def __init__(self, transport: Transport, timeouts: Timeouts | None = None) -> None:
        self.timeouts = timeouts or Timeouts()
        self.id = EngineId()
        self.options = Options()
        self._transport = transport
        self._dialogue = Dialogue(transport, self.timeouts)
        self._closing: asyncio.Task[None] | None = None

    # Life

    @classmethod
    async def start(
        cls,
        command: Command,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        timeouts: Timeouts | None = None,
        handshake: bool = True,
    ) -> Self:
        """Start the engine's process and do the handshake. A string is the program alone, no shell is involved.

        Raises ``EngineError`` where it cannot be started; after any failure no process is left.
        """
        return await cls.connect(ProcessTransport(command, cwd, env), timeouts=timeouts, handshake=handshake)

    @classmethod
    async def connect(cls, transport: Transport, *, timeouts: Timeouts | None = None, handshake: bool = True) -> Self:
        """Talk over a transport that has not been opened yet (``testing.ScriptedPeer``, say)."""
        engine = cls(transport, timeouts)
        await transport.open(engine._dialogue)
        try:
            if handshake:
                await engine.handshake()
        except BaseException:
            transport.kill()
            await engine.close()
            raise
        return engine

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Send ``quit`` and close stdin; after ``quit_s`` terminate the process group, after ``terminate_s`` kill it.

        Returns when the process is gone; may be called again. A cancelled close kills at once.
        """
        if self._closing is None:
            if not self._dialogue.ended:
                self._dialogue.send("quit")
            self._closing = asyncio.create_task(self._transport.close(self.timeouts.quit_s, self.timeouts.terminate_s))
        try:
            await asyncio.shield(self._closing)
        except asyncio.CancelledError:
            self._transport.kill()
            await self._closing
            raise

    async def quit(self) -> int | None:
        """``close``, and the exit code."""
        await self.close()
        return self.exit_code

    @property
    def alive(self) -> bool:
        return not self._dialogue.ended and self._closing is None

    @property
    def exit_code(self) -> int | None:
        """The process's exit code, ``None`` while it runs or where there is none."""
        return self._dialogue.exit_code

    @property
    def stderr(self) -> str:
        """The tail of what the engine has written to stderr."""
        return self._transport.stderr_tail()

    @property
    def errors(self) -> tuple[EngineErrorLine, ...]:
        """The last error lines that answered no call."""
        return tuple(self._dialogue.errors)

    @property
    def unexpected(self) -> tuple[str, ...]:
        """The beginnings of the last lines that were no answer to anything."""
        return tuple(self._dialogue.unexpected)

    # Set-up

    async def handshake(self, *, timeout: float | None = None) -> EngineId:
        """``uci``: fills ``id`` and ``options``. Lines before it and unknown ones are passed over (``handshake_s``)."""
        async with self._turn("uci", timeout, self.timeouts.handshake_s):
            lines = await self._dialogue.ask("uci", "uci", ends=frozenset(("uciok",)))
        names: dict[str, str] = {}
        options, notes = [], []
        for line in lines:
            words = line.split(None, 2)
            if words[:1] == ["id"] and len(words) == 3:
                names[words[1]] = words[2].rstrip()
            elif words[:2] == ["info", "string"]:
                notes.append(words[2].rstrip() if len(words) == 3 else "")
            elif words[:1] == ["option"]:
                option = parse_option(line)
                if option is not None:
                    options.append(option)
                else:
                    self._dialogue.unexpected.append(line[:300])
        self.id = EngineId(names.get("name", ""), names.get("author", ""), tuple(notes))
        self.options = Options(options)
        return self.id

    async def is_ready(self, *, timeout: float | None = None) -> None:
        """``isready`` to ``readyok`` (``ready_s``); may be called at any time, also during a search."""
        async with self._dialogue.limited("isready", self.timeouts.ready_s if timeout is None else timeout):
            await self._dialogue.ask("isready")

    async def debug(self, on: bool = True, *, timeout: float | None = None) -> None:
        """``debug on`` or ``off`` (``ready_s``); may be called at any time."""
        async with self._dialogue.limited("debug", self.timeouts.ready_s if timeout is None else timeout):
            await self._dialogue.ask("debug", f"debug {'on' if on else 'off'}")

    async def set_option(self, name: str, value: OptionValue = None, *, timeout: float | None = None) -> None:
        """Set an option (``ready_s``). Names and combo choices in any case; a button takes no value.

        Raises ``OptionError`` before anything is sent where the engine's declaration does not allow it.
        """
        await self._tell("setoption", self.options.command(name, value), timeout)

    async def set_options(self, values: Mapping[str, OptionValue], *, timeout: float | None = None) -> None:
        """Set several options; all are checked before the first is sent. ``timeout`` is each one's."""
        lines = [self.options.command(name, value) for name, value in values.items()]
        for line in lines:
            await self._tell("setoption", line, timeout)

    async def new_game(self, *, timeout: float | None = None) -> None:
        """``ucinewgame``: what follows has nothing to do with what was (``ready_s``)."""
        await self._tell("ucinewgame", "ucinewgame", timeout)

    async def position(self, fen: str | None = None, plies: Iterable[str] = (), *, timeout: float | None = None) -> None:
        """Set the position: the start position or a FEN, and the plies played since (``ready_s``)."""
        await self._tell("position", _position_line(fen, plies), timeout)

    async def game_over(self, outcome: str, reason: str, *, timeout: float | None = None) -> None:
        """``gameover``: the players have ended the game, as ``white``, ``black`` or ``draw``, for a reason (``ready_s``)."""
        await self._tell("gameover", " ".join(["gameover", *_tokens((outcome, reason))]), timeout)

    # Searching

    async def go(
        self,
        limit: Limit,
        *,
        search_moves: Iterable[str] = (),
        draw_offered: bool = False,
        position: tuple[str | None, Iterable[str]] | None = None,
        timeout: float | None = None,
    ) -> SearchResult:
        """Search and wait for the end. ``search_moves`` restricts the root, ``draw_offered`` tells of the opponent's offer.

        ``position`` is set before, as for ``start_search``.

        Waits ``Timeouts.margin_s`` longer than a search by time may take, ``search_s`` for one by depth, nodes or
        mate. Raises ``ValueError`` for a limit under which no search ends: that is ``analysis``.
        """
        if not limit.bounded:
            raise ValueError("a search without a limit ends only by stop: use analysis or start_search")
        search = await self.start_search(
            limit, search_moves=search_moves, draw_offered=draw_offered, position=position, timeout=timeout
        )
        try:
            return await search.result()
        except asyncio.CancelledError:
            search.abandon(EngineError("the search was given up"))
            raise

    async def start_search(
        self,
        limit: Limit | None = None,
        *,
        search_moves: Iterable[str] = (),
        draw_offered: bool = False,
        ponder: bool = False,
        position: tuple[str | None, Iterable[str]] | None = None,
        timeout: float | None = None,
    ) -> Search:
        """Send ``go`` and return the running search; no limit is ``infinite``.

        ``position``, a FEN or ``None`` and plies, is set before, with one wait for both less than by the call of that name;
        where it is refused nothing is searched. ``timeout`` runs from here to the ``bestmove``; default as for ``go``,
        ``analysis_s`` without a limit.
        """
        limit = Limit(infinite=True) if limit is None and not ponder else limit or Limit()
        words = [*(["ponder"] if ponder else []), *(["draw"] if draw_offered else []), *limit.words()]
        moves = _tokens(search_moves)
        if moves:
            words += ["searchmoves", *moves]
        lasting = self.timeouts.analysis_s if ponder else limit.timeout_s(self.timeouts)
        line = None if position is None else _position_line(*position)
        async with self._turn("go", None, self.timeouts.ready_s + self.timeouts.stop_s):
            return await self._dialogue.begin(words, limit, ponder, lasting if timeout is None else timeout, line)

    async def ponder(
        self, limit: Limit, *, search_moves: Iterable[str] = (), draw_offered: bool = False, timeout: float | None = None
    ) -> Search:
        """Think in the opponent's time: ``go ponder`` (``analysis_s`` until ``ponder_hit`` or ``stop``).

        The position is that after the awaited ply. ``Search.ponder_hit`` starts the limit's time, ``Search.stop``
        ends the search, whose result is then worth nothing.
        """
        return await self.start_search(
            limit, search_moves=search_moves, draw_offered=draw_offered, ponder=True, timeout=timeout
        )

    @asynccontextmanager
    async def analysis(
        self, limit: Limit | None = None, *, search_moves: Iterable[str] = (), timeout: float | None = None
    ) -> AsyncIterator[Search]:
        """``async with engine.analysis() as search: async for info in search: …``; stopped at the end of the block."""
        search = await self.start_search(limit, search_moves=search_moves, timeout=timeout)
        async with search:
            yield search

    # Asking

    async def fen(self, *, full: bool = False, timeout: float | None = None) -> str:
        """The position's FEN, with the counters where ``full`` (``reply_s``)."""
        return await self._reply("fen", "fen full" if full else "fen", timeout)

    async def moves(self, *, timeout: float | None = None) -> tuple[str, ...]:
        """All legal plies, none where the game is over (``reply_s``)."""
        return tuple((await self._reply("moves", "moves", timeout)).split())

    async def explain(self, ply: str, *, timeout: float | None = None) -> PlyExplanation:
        """Why a ply is legal or not, by which rules, and what to play instead (``reply_s``). An illegal one is no error."""
        lines = await self.command(" ".join(["explain", *_tokens((ply,))]), timeout=timeout)
        explanation = parse_explanation(lines)
        if explanation is None:
            raise UnreadableAnswer("explain", lines)
        return explanation

    async def result(self, *, timeout: float | None = None) -> GameResult:
        """Whether and how the game has ended (``reply_s``)."""
        text = "result " + await self._reply("result", "result", timeout)
        result = parse_result(text)
        if result is None:
            raise UnreadableAnswer("result", (text,))
        return result

    async def eval(self, *, timeout: float | None = None) -> int:
        """The static evaluation for the side to move, in hundredths of a man (``reply_s``)."""
        text = await self._reply("eval", "eval", timeout)
        for word in text.split():
            value = integer(word)
            if value is not None:
                return value
        raise UnreadableAnswer("eval", ("eval " + text,))

    async def perft(self, depth: int, *, timeout: float | None = None) -> PerftResult:
        """Count the lines of play so many plies deep (``search_s``). Given up, it is told to stop."""
        async with self._turn("perft", timeout, self.timeouts.search_s):
            lines = await self._dialogue.ask("perft", f"perft {depth}", ends=frozenset(("total", "error")))
        result = parse_perft(lines)
        if result is None:
            raise UnreadableAnswer("perft", lines)
        return result

    async def bench(self, depth: int | None = None, *, timeout: float | None = None) -> BenchResult:
        """Let the engine measure itself (``search_s``)."""
        async with self._turn("bench", timeout, self.timeouts.search_s):
            line = "bench" if depth is None else f"bench {depth}"
            lines = await self._dialogue.ask("bench", line, ends=frozenset(("bench", "error")))
        result = parse_bench(lines[-1])
        if result is None:
            raise UnreadableAnswer("bench", lines)
        return result

    async def display(self, *, timeout: float | None = None) -> str:
        """The board drawn for people, and what else belongs to the position: ``d`` (``reply_s``)."""
        return "\n".join(await self.command("d", timeout=timeout))

    async def help(self, command: str | None = None, *, timeout: float | None = None) -> str:
        """The engine's help text, of one command or of all (``reply_s``)."""
        lines = await self.command("help" if command is None else f"help {command}", timeout=timeout)
        return "\n".join(line for line in lines if first_word(line) != "info")

    async def command(self, line: str, *, ends: str | None = None, timeout: float | None = None) -> tuple[str, ...]:
        """Send any line that starts no search and return the lines it is answered with (``reply_s``).

        Those are the lines before the ``readyok`` of the ``isready`` that is sent behind it. An answer that a
        ``readyok`` may overtake (``bench``) needs ``ends``, the first word of its last line. ``go`` is not for here.
        """
        word = first_word(line)
        if not word or word in ("go", "quit", "stop", "ponderhit", "isready", "uci"):
            raise ValueError(f"{word or 'an empty line'}: not a command to be sent this way")
        async with self._turn(word, timeout, self.timeouts.reply_s):
            if ends is None:
                return await self._dialogue.ask(word, line)
            return await self._dialogue.ask(word, line, ends=frozenset((ends, "error")))

    # Helpers

    def _turn(self, call: str, timeout: float | None, default: float) -> AbstractAsyncContextManager[None]:
        return self._dialogue.turn(call, default if timeout is None else timeout)

    async def _tell(self, call: str, line: str, timeout: float | None) -> None:
        async with self._turn(call, timeout, self.timeouts.ready_s):
            await self._dialogue.ask(call, line)

    async def _reply(self, word: str, line: str, timeout: float | None) -> str:
        """The rest of the one answer line that begins with ``word``."""
        lines = await self.command(line, timeout=timeout)
        for answer in lines:
            if first_word(answer) == word:
                return after_first_word(answer)
        raise UnreadableAnswer(word, lines)


def _position_line(fen: str | None, plies: Iterable[str]) -> str:
    played = _tokens(plies)
    start = "startpos" if fen is None else f"fen {fen}"
    return " ".join(["position", start, *(["moves", *played] if played else [])])


def _tokens(texts: Iterable[str]) -> Sequence[str]:
    """Checks that each is one word, so that no argument becomes another command's word."""
    words = [texts] if isinstance(texts, str) else list(texts)
    if " ".join(words).split() == words:  # a long game's plies, asked of every ply
        return words
    for word in words:
        if not word or len(word.split()) != 1 or word != word.strip():
            raise ValueError(f"not one word: {word!r}")
    return words
