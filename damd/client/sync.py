"""The synchronous client: the asynchronous one, run by a thread of its own."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import threading
import weakref
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from damd.client.engine import AsyncEngine
from damd.client.options import Options, OptionValue
from damd.client.search import Search
from damd.client.transport import Command, ProcessTransport, Transport
from damd.client.types import (
    BenchResult,
    EngineErrorLine,
    EngineId,
    GameResult,
    InfoLine,
    Limit,
    PerftResult,
    PlyExplanation,
    SearchResult,
    Timeouts,
)

T = TypeVar("T")


class _Loop:
    """An event loop in a daemon thread. ``run`` hands it a coroutine and waits."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._last: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._serve, name="damd-client", daemon=True)
        self._thread.start()

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """The coroutine's result. An interrupt (Ctrl-C) cancels it, so that a search is stopped, and is raised on."""
        if threading.current_thread() is self._thread or self._loop.is_closed():
            call.close()
            raise RuntimeError("a synchronous engine is not used after closing, nor from its own event loop")
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return future.result()
        except BaseException:
            if not future.done():
                future.cancel()
                concurrent.futures.wait([future], timeout=1.0)
            raise

    def end(self, last: Coroutine[Any, Any, None] | None = None) -> None:
        """Run the last coroutine and end the thread; may be called again.

        In the thread itself, where the garbage collector may happen to run, it only sees to it that they do.
        """
        if self._loop.is_closed() or threading.current_thread() is self._thread:
            if last is not None and not self._loop.is_closed():
                self._last = self._loop.create_task(last)
                self._last.add_done_callback(lambda _: self._loop.stop())
            elif last is not None:
                last.close()
            return
        try:
            if last is not None:
                self.run(last)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


def _end(loop: _Loop, engine: AsyncEngine) -> None:
    """Close both; also where the engine object was dropped, or the program ends, without closing."""
    loop.end(engine.close())


class SyncSearch:
    """A search under way; see ``Search``. Iterating waits for each ``info`` line."""

    def __init__(self, loop: _Loop, search: Search) -> None:
        self._loop = loop
        self._search = search

    @property
    def done(self) -> bool:
        return self._search.done

    @property
    def infos(self) -> tuple[InfoLine, ...]:
        return self._search.infos

    def result(self) -> SearchResult:
        return self._loop.run(self._search.result())

    def stop(self, timeout: float | None = None) -> SearchResult:
        return self._loop.run(self._search.stop(timeout))

    def ponder_hit(self) -> None:
        self._loop.run(self._search.ponder_hit())

    def __iter__(self) -> Iterator[InfoLine]:
        return self

    def __next__(self) -> InfoLine:
        info = self._loop.run(_next_info(self._search))
        if info is None:
            raise StopIteration
        return info


async def _next_info(search: Search) -> InfoLine | None:
    return await anext(search, None)


async def _leave(search: Search, error: BaseException | None) -> None:
    await search.__aexit__(type(error) if error is not None else None, error, None)


class SyncEngine:
    """``AsyncEngine`` for programs without an event loop: the same methods, errors and time-outs, blocking.

    May be used from several threads; their calls wait for one another as those of several tasks do.
    """

    def __init__(self, loop: _Loop, engine: AsyncEngine) -> None:
        self._loop = loop
        self._engine = engine
        self._finalizer = weakref.finalize(self, _end, loop, engine)

    @classmethod
    def start(
        cls,
        command: Command,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        timeouts: Timeouts | None = None,
        handshake: bool = True,
    ) -> Self:
        return cls.connect(ProcessTransport(command, cwd, env), timeouts=timeouts, handshake=handshake)

    @classmethod
    def connect(cls, transport: Transport, *, timeouts: Timeouts | None = None, handshake: bool = True) -> Self:
        loop = _Loop()
        try:
            engine = loop.run(AsyncEngine.connect(transport, timeouts=timeouts, handshake=handshake))
        except BaseException:
            loop.end()
            raise
        return cls(loop, engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._finalizer()

    def quit(self) -> int | None:
        self.close()
        return self.exit_code

    @property
    def id(self) -> EngineId:
        return self._engine.id

    @property
    def options(self) -> Options:
        return self._engine.options

    @property
    def timeouts(self) -> Timeouts:
        return self._engine.timeouts

    @property
    def alive(self) -> bool:
        return self._engine.alive

    @property
    def exit_code(self) -> int | None:
        return self._engine.exit_code

    @property
    def stderr(self) -> str:
        return self._engine.stderr

    @property
    def errors(self) -> tuple[EngineErrorLine, ...]:
        return self._engine.errors

    @property
    def unexpected(self) -> tuple[str, ...]:
        return self._engine.unexpected

    def handshake(self, *, timeout: float | None = None) -> EngineId:
        return self._loop.run(self._engine.handshake(timeout=timeout))

    def is_ready(self, *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.is_ready(timeout=timeout))

    def debug(self, on: bool = True, *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.debug(on, timeout=timeout))

    def set_option(self, name: str, value: OptionValue = None, *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.set_option(name, value, timeout=timeout))

    def set_options(self, values: Mapping[str, OptionValue], *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.set_options(values, timeout=timeout))

    def new_game(self, *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.new_game(timeout=timeout))

    def position(self, fen: str | None = None, plies: Iterable[str] = (), *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.position(fen, plies, timeout=timeout))

    def game_over(self, outcome: str, reason: str, *, timeout: float | None = None) -> None:
        self._loop.run(self._engine.game_over(outcome, reason, timeout=timeout))

    def go(
        self,
        limit: Limit,
        *,
        search_moves: Iterable[str] = (),
        draw_offered: bool = False,
        position: tuple[str | None, Iterable[str]] | None = None,
        timeout: float | None = None,
    ) -> SearchResult:
        call = self._engine.go(
            limit, search_moves=search_moves, draw_offered=draw_offered, position=position, timeout=timeout
        )
        return self._loop.run(call)

    def start_search(
        self,
        limit: Limit | None = None,
        *,
        search_moves: Iterable[str] = (),
        draw_offered: bool = False,
        ponder: bool = False,
        position: tuple[str | None, Iterable[str]] | None = None,
        timeout: float | None = None,
    ) -> SyncSearch:
        call = self._engine.start_search(
            limit, search_moves=search_moves, draw_offered=draw_offered, ponder=ponder, position=position, timeout=timeout
        )
        return SyncSearch(self._loop, self._loop.run(call))

    def ponder(
        self, limit: Limit, *, search_moves: Iterable[str] = (), draw_offered: bool = False, timeout: float | None = None
    ) -> SyncSearch:
        return self.start_search(limit, search_moves=search_moves, draw_offered=draw_offered, ponder=True, timeout=timeout)

    @contextlib.contextmanager
    def analysis(
        self, limit: Limit | None = None, *, search_moves: Iterable[str] = (), timeout: float | None = None
    ) -> Iterator[SyncSearch]:
        search = self.start_search(limit, search_moves=search_moves, timeout=timeout)
        try:
            yield search
        except BaseException as error:
            self._loop.run(_leave(search._search, error))
            raise
        self._loop.run(_leave(search._search, None))

    def fen(self, *, full: bool = False, timeout: float | None = None) -> str:
        return self._loop.run(self._engine.fen(full=full, timeout=timeout))

    def moves(self, *, timeout: float | None = None) -> tuple[str, ...]:
        return self._loop.run(self._engine.moves(timeout=timeout))

    def explain(self, ply: str, *, timeout: float | None = None) -> PlyExplanation:
        return self._loop.run(self._engine.explain(ply, timeout=timeout))

    def result(self, *, timeout: float | None = None) -> GameResult:
        return self._loop.run(self._engine.result(timeout=timeout))

    def eval(self, *, timeout: float | None = None) -> int:
        return self._loop.run(self._engine.eval(timeout=timeout))

    def perft(self, depth: int, *, timeout: float | None = None) -> PerftResult:
        return self._loop.run(self._engine.perft(depth, timeout=timeout))

    def bench(self, depth: int | None = None, *, timeout: float | None = None) -> BenchResult:
        return self._loop.run(self._engine.bench(depth, timeout=timeout))

    def display(self, *, timeout: float | None = None) -> str:
        return self._loop.run(self._engine.display(timeout=timeout))

    def help(self, command: str | None = None, *, timeout: float | None = None) -> str:
        return self._loop.run(self._engine.help(command, timeout=timeout))

    def command(self, line: str, *, ends: str | None = None, timeout: float | None = None) -> tuple[str, ...]:
        return self._loop.run(self._engine.command(line, ends=ends, timeout=timeout))
