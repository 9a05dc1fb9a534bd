"""Which line answers what: the bookkeeping between calls and an engine's output.

Searches are answered by one ``bestmove`` each, in the order of their ``go``; everything else belongs to the oldest
exchange that has not had its last line. A call that is given up leaves its entry behind, which swallows the answer
when it comes: that is why answers never go to the wrong call.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from damd.client.errors import CommandRefused, EngineBusy, EngineError, EngineTerminated, EngineTimeout
from damd.client.parsing import first_word, parse_bestmove, parse_error
from damd.client.search import Search, retrieve
from damd.client.transport import Transport
from damd.client.types import EngineErrorLine, Limit, Timeouts
from damd.protocol.errors import Code

logger = logging.getLogger("damd.client")

#: Of lines that belong to nothing so many are kept, and so much of each.
_KEPT_LINES, _KEPT_CHARACTERS = 100, 300
#: An exchange keeps so much of its answer; an engine that never stops talking must not fill the memory.
_ANSWER_CHARACTERS = 128 * 1024 * 1024
#: Error codes after which a ``go`` has no ``bestmove``: the engine has not taken the line at all.
_REFUSING = frozenset(code.text for code in (Code.SEARCHING, Code.TOO_LONG, Code.BAD_ENCODING, Code.UNKNOWN_COMMAND))

READY = frozenset(("readyok",))
#: Lines that end an exchange but may overtake other exchanges' lines, and are no part of an answer.
_MARKS = frozenset(("readyok", "uciok"))


@dataclass(slots=True, eq=False)
class Exchange:
    """Lines sent, of which the answer ends with a line whose first word is one of ``ends``."""

    call: str
    serial: int
    ends: frozenset[str]
    done: asyncio.Future[None]
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def keep(self, line: str) -> None:
        self.size += len(line) + 50
        if not self.done.done() and self.size <= _ANSWER_CHARACTERS:
            self.lines.append(line)


class Dialogue:
    """The one conversation over a transport; the transport's receiver."""

    def __init__(self, transport: Transport, timeouts: Timeouts) -> None:
        self.transport = transport
        self.timeouts = timeouts
        self.unexpected: deque[str] = deque(maxlen=_KEPT_LINES)
        self.errors: deque[EngineErrorLine] = deque(maxlen=_KEPT_LINES)
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._searches: deque[tuple[int, Search]] = deque()
        self._exchanges: deque[Exchange] = deque()
        self._serial = 0
        self._unsure = False  # a search has run since the last readyok: late lines of it may be under way
        self._ended: tuple[int | None, str, str] | None = None

    # Sending

    @property
    def ended(self) -> bool:
        return self._ended is not None

    @property
    def exit_code(self) -> int | None:
        return self._ended[0] if self._ended else None

    def terminated(self) -> EngineTerminated:
        exit_code, stderr, detail = self._ended or (None, self.transport.stderr_tail(), "")
        return EngineTerminated(exit_code, stderr, detail)

    def check_line(self, line: str) -> str:
        """Raises ``ValueError`` for what cannot be sent as one line of UTF-8."""
        if any(mark in line for mark in "\r\n\0"):
            raise ValueError(f"a command is one line, without NUL: {line[:100]!r}")
        line.encode("utf-8")
        return line

    def send(self, *lines: str) -> None:
        if self.ended:
            raise self.terminated()
        if logger.isEnabledFor(logging.DEBUG):
            for line in lines:
                logger.debug("<< %s", line[:_KEPT_CHARACTERS])
        self.transport.write(lines)

    def _send_if_alive(self, line: str) -> None:
        if not self.ended:
            self.send(line)

    @asynccontextmanager
    async def limited(self, call: str, seconds: float) -> AsyncIterator[None]:
        """A block that takes at most so long; ``EngineTimeout`` names the call."""
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                yield
        except TimeoutError:
            if scope.expired():
                raise EngineTimeout(call, seconds) from None
            raise

    @asynccontextmanager
    async def turn(self, call: str, seconds: float) -> AsyncIterator[None]:
        """The right to talk: one call at a time, none beside an open search, none before a given-up call has ended.

        Everything within, the wait included, takes at most so long.
        """
        async with self.limited(call, seconds), self._lock:
            while True:
                if self.ended:
                    raise self.terminated()
                if any(search.unstopped for _, search in self._searches):
                    raise EngineBusy(f"{call}: a search is open")
                if not self._searches and all(exchange.ends & _MARKS for exchange in self._exchanges):
                    break
                self._changed.clear()
                await self._changed.wait()
            yield

    async def ask(self, call: str, *lines: str, ends: frozenset[str] = READY) -> tuple[str, ...]:
        """Send and return what came up to the last line. Raises ``CommandRefused`` where an ``error`` line came.

        With the ordinary end the lines are followed by ``isready``, so that also commands without an answer of
        their own are known to be done, and an error known to be theirs. Without lines it only waits for
        ``readyok``; errors are then none of its own and kept in ``errors``.
        """
        for line in lines:
            self.check_line(line)
        self.send(*lines, *(["isready"] if ends is READY else []))
        exchange = self._expect(call, ends)
        calm = ends is READY and not self._searches
        try:
            await self.transport.drain()
            await exchange.done
        except BaseException:
            exchange.done.cancel()
            exchange.lines.clear()
            if exchange in self._exchanges and not ends & _MARKS:
                self._send_if_alive("stop")
            raise
        if calm:
            self._unsure = False
        if lines:
            self._check(exchange)
        for error in _errors(exchange):
            self._error(error, None)
        return tuple(exchange.lines)

    async def begin(
        self, words: Sequence[str], limit: Limit, ponder: bool, timeout_s: float, position: str | None = None
    ) -> Search:
        """Send a ``go``, within a turn. Late lines of an earlier search are waited for first.

        With a ``position`` line both go out at once; where it is refused the search is given up and ``CommandRefused``
        is raised.
        """
        go = self.check_line(" ".join(["go", *words]))
        exchange = None
        if position is not None:
            self.send(self.check_line(position), "isready", go)
            exchange = self._expect("position", READY)
        else:
            if self._unsure:
                await self.ask("isready")
            self.send(go)
        search = Search(self._send_if_alive, limit, self.timeouts, timeout_s, ponder)
        self._searches.append((self._next_serial(), search))
        self._unsure = True
        try:
            await self.transport.drain()
            if exchange is not None:
                await exchange.done
                self._check(exchange)
        except BaseException:
            if exchange is not None:
                exchange.done.cancel()
            search.abandon(EngineError("the search was given up"))
            raise
        return search

    def _expect(self, call: str, ends: frozenset[str]) -> Exchange:
        """What has just been sent is going to be answered."""
        exchange = Exchange(call, self._next_serial(), ends, asyncio.get_running_loop().create_future())
        exchange.done.add_done_callback(retrieve)
        self._exchanges.append(exchange)
        return exchange

    def _check(self, exchange: Exchange) -> None:
        """Raises ``CommandRefused`` where its answer has an ``error`` line."""
        errors = _errors(exchange)
        if errors:
            raise CommandRefused(exchange.call, errors)

    def _next_serial(self) -> int:
        self._serial += 1
        return self._serial

    # Receiving

    def line_received(self, line: str) -> None:
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug(">> %s", line[:_KEPT_CHARACTERS])
        word = first_word(line)
        if not word and (self._searches or not self._exchanges):
            return
        if word == "bestmove":
            self._bestmove(line)
        elif word == "info" and self._searches and not self._before_search():
            self._searches[0][1].info_received(line)
        elif word in _MARKS:
            self._mark(word)
        else:
            self._other(word, line)

    def connection_ended(self, exit_code: int | None, stderr: str, detail: str) -> None:
        self._ended = (exit_code, stderr, detail)
        while self._searches:
            self._searches.popleft()[1].closed(None, self.terminated())
        while self._exchanges:
            exchange = self._exchanges.popleft()
            if not exchange.done.done():
                exchange.done.set_exception(self.terminated())
        self._changed.set()

    def _bestmove(self, line: str) -> None:
        if not self._searches:
            self._keep_unexpected(line)
            return
        self._searches.popleft()[1].closed(parse_bestmove(line))
        self._changed.set()

    def _mark(self, word: str) -> None:
        for exchange in self._exchanges:
            if word in exchange.ends:
                self._close(exchange)
                return
        self._keep_unexpected(word)

    def _other(self, word: str, line: str) -> None:
        if self._before_search():
            exchange = self._exchanges[0]
            exchange.keep(line)
            if word in exchange.ends:
                self._answered(exchange, word, line)
        elif word == "error":
            self._error(parse_error(line), self._searches[0][1] if self._searches else None)
        else:
            self._keep_unexpected(line)

    def _before_search(self) -> bool:
        """Whether an exchange has still to end before the oldest search can have begun."""
        return bool(self._exchanges) and (not self._searches or self._exchanges[0].serial < self._searches[0][0])

    def _error(self, error: EngineErrorLine, search: Search | None) -> None:
        if search is None:
            logger.warning("an error line that answers nothing: %s %s", error.code, error.message)
            self.errors.append(error)
            return
        search.error_received(error)
        if error.code in _REFUSING:
            self._searches.popleft()
            search.closed(None, CommandRefused("go", (error,)))
            self._changed.set()

    def _answered(self, exchange: Exchange, word: str, line: str) -> None:
        error = parse_error(line) if word == "error" else None
        if error is not None and error.code == Code.OUT_OF_RANGE.text:
            # The engine goes on, with another number than the caller's: he is told, the answer is still to come.
            if not exchange.done.done():
                exchange.done.set_exception(CommandRefused(exchange.call, (error,)))
            return
        self._close(exchange)

    def _close(self, exchange: Exchange) -> None:
        self._exchanges.remove(exchange)
        if not exchange.done.done():
            exchange.done.set_result(None)
        self._changed.set()

    def _keep_unexpected(self, line: str) -> None:
        logger.info("a line that answers nothing: %s", line[:_KEPT_CHARACTERS])
        self.unexpected.append(line[:_KEPT_CHARACTERS])


def _errors(exchange: Exchange) -> tuple[EngineErrorLine, ...]:
    return tuple(parse_error(line) for line in exchange.lines if first_word(line) == "error")
