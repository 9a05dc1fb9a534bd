"""One search, from its ``go`` to its ``bestmove``."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any

from damd.client.errors import EngineError, EngineTimeout
from damd.client.parsing import parse_info
from damd.client.types import BestMove, EngineErrorLine, InfoLine, Limit, SearchResult, Timeouts

#: Of a search so many ``info`` lines are kept, the last ones, and no more than so many characters of them; an
#: iteration that falls further behind loses the oldest. For the result a long search's progress is dropped before
#: what it has found: lines with a score stay longest.
KEPT_INFOS = 4096
KEPT_CHARACTERS = 256 * 1024 * 1024


class _Kept:
    """The last lines, within the bounds above."""

    def __init__(self, scores_stay: bool) -> None:
        self.lines: deque[InfoLine] = deque()
        self._scores_stay = scores_stay
        self._scoreless = 0
        self._characters = 0

    def add(self, info: InfoLine) -> None:
        self.lines.append(info)
        self._count(info, 1)
        while len(self.lines) > KEPT_INFOS or (self._characters > KEPT_CHARACTERS and len(self.lines) > 1):
            place = 0
            if self._scores_stay and self._scoreless:
                place = next(place for place, info in enumerate(self.lines) if info.score is None)
            self._count(self.lines[place], -1)
            del self.lines[place]

    def take(self) -> InfoLine:
        info = self.lines.popleft()
        self._count(info, -1)
        return info

    def _count(self, info: InfoLine, sign: int) -> None:
        self._characters += sign * len(info.raw)
        self._scoreless += sign * (info.score is None)


class Search:
    """A search under way. Got from ``AsyncEngine.start_search``, ``ponder`` or ``analysis``; not made by hand.

    Iterate over it for its ``info`` lines as they come (one iteration in all); await ``result()`` for its end. It
    ends at its limit, by ``stop()``, or when its time is over: the engine is then sent ``stop`` and whoever waits
    gets ``EngineTimeout``. As a context manager it is stopped at the end of the block.
    """

    def __init__(
        self, send: Callable[[str], None], limit: Limit, timeouts: Timeouts, timeout_s: float, ponder: bool
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._send = send
        self._timeouts = timeouts
        self._stopped = False
        self._closed = False
        self._unread = _Kept(scores_stay=False)
        self._infos = _Kept(scores_stay=True)
        self._errors: list[EngineErrorLine] = []
        self._wake = asyncio.Event()
        self._finished: asyncio.Future[SearchResult] = self._loop.create_future()
        self._finished.add_done_callback(retrieve)
        self._timer = self._loop.call_later(timeout_s, self._expire, timeout_s)
        self.limit = limit
        self.pondering = ponder

    @property
    def done(self) -> bool:
        """Whether the result is there, or the reason why there will be none."""
        return self._finished.done()

    @property
    def unstopped(self) -> bool:
        """Whether the engine is searching and has not been told to stop."""
        return not self._closed and not self._stopped

    @property
    def ahead(self) -> bool:
        """Whether an iteration goes on without waiting: there is another line, or the end."""
        return bool(self._unread.lines) or self.done

    @property
    def infos(self) -> tuple[InfoLine, ...]:
        return tuple(self._infos.lines)

    async def result(self) -> SearchResult:
        """Wait for the end. The search's own time-out applies; a cancelled wait leaves the search running."""
        return self._finished.result() if self.done else await asyncio.shield(self._finished)

    async def stop(self, timeout: float | None = None) -> SearchResult:
        """End the search and wait for its ``bestmove`` (``Timeouts.stop_s``). Also right where it has ended already."""
        seconds = self._timeouts.stop_s if timeout is None else timeout
        self._send_stop()
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                return await self.result()
        except TimeoutError:
            if scope.expired():
                self.abandon(EngineTimeout("stop", seconds))
                raise EngineTimeout("stop", seconds) from None
            raise

    async def ponder_hit(self) -> None:
        """The awaited ply was played: the search goes on under its limit, whose time begins now.

        Without effect where the search has ended already.
        """
        if self.pondering and self.unstopped and not self.done:
            self._send("ponderhit")
            seconds = self.limit.timeout_s(self._timeouts)
            self._timer.cancel()
            self._timer = self._loop.call_later(seconds, self._expire, seconds)
        self.pondering = False

    def abandon(self, error: EngineError) -> None:
        """Give the search up: it is told to stop, its ``bestmove`` will be swallowed, whoever waits gets ``error``."""
        self._send_stop()
        self._end(error=error)

    def __aiter__(self) -> Search:
        return self

    async def __anext__(self) -> InfoLine:
        while not self._unread.lines:
            if self._finished.done():
                error = self._finished.exception()
                if error is not None:
                    raise error
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        return self._unread.take()

    async def __aenter__(self) -> Search:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.done:
            return
        if error is None:
            await self.stop()
        else:
            self.abandon(EngineError("the search was given up"))

    # What the dialogue calls

    def info_received(self, line: str) -> None:
        if not self._finished.done():
            info = parse_info(line)
            self._infos.add(info)
            self._unread.add(info)
            self._wake.set()

    def error_received(self, error: EngineErrorLine) -> None:
        self._errors.append(error)

    def closed(self, best: BestMove | None, error: Exception | None = None) -> None:
        """The engine has answered ``bestmove``, or never will because of ``error``."""
        self._closed = True
        if best is not None:
            self._end(SearchResult(best, self.infos, tuple(self._errors)))
        else:
            self._end(error=error)

    def _end(self, result: SearchResult | None = None, error: Exception | None = None) -> None:
        self._timer.cancel()
        if not self._finished.done():
            if result is not None:
                self._finished.set_result(result)
            else:
                self._finished.set_exception(error or EngineError("the search was given up"))
        self._wake.set()

    def _send_stop(self) -> None:
        if self.unstopped:
            self._stopped = True
            self._send("stop")

    def _expire(self, seconds: float) -> None:
        self.abandon(EngineTimeout("go", seconds))


def retrieve(future: asyncio.Future[Any]) -> None:
    """What nobody waits for any more may fail without a word in the event loop's log."""
    if not future.cancelled():
        future.exception()
