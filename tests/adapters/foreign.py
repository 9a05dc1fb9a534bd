"""The server of damd's protocol for a foreign engine, in this process: quicker to start than an adapter."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path

from damd_adapters.uci.desk import Desk
from damd_adapters.uci.engine import EngineFault, ForeignEngine, Host
from damd_adapters.uci.session import Session
from talking import PATIENCE_S, Daemon


class Inside(Daemon):
    """Session, desk and engine in a thread with an event loop; lines to and from them as to a daemon's process."""

    def __init__(self, make_engine: Callable[[Host], ForeignEngine]) -> None:
        self._make_engine = make_engine
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.all_lines: list[str] = []
        self.code: int | None = None
        self.fault: EngineFault | None = None
        self._failure: BaseException | None = None
        self._loop = asyncio.new_event_loop()
        self._begun = threading.Event()
        self._session: Session | None = None
        self._before = set(children_of(os.getpid()))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._begun.wait(PATIENCE_S)

    # What the engine is given

    def failed(self, fault: EngineFault) -> None:
        self.desk.failed(fault)

    def remark(self, text: str, *, debug: bool = True) -> None:
        if self._session is not None and (self._session.debug or not debug):
            self._lines.put(f"info string {text}")

    # What a test calls

    def __exit__(self, *_: object) -> None:
        self.send("quit")
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        if self._failure is not None:
            raise self._failure

    def send(self, *lines: str) -> None:
        for line in lines:
            self._call(self.desk.line, line)

    def close_input(self) -> None:
        self._call(self.desk.end_of_input)

    def exit_code(self) -> int:
        self._thread.join(PATIENCE_S)
        assert self.code is not None
        return self.code

    def children(self) -> list[int]:
        """The processes that have been started since the beginning; none where the system does not tell."""
        return [pid for pid in children_of(os.getpid()) if pid not in self._before]

    # The thread

    def _call(self, action: Callable[..., None], *words: str) -> None:
        """In the thread, if its loop still runs: a server that has ended hears nothing, like a closed pipe."""
        with contextlib.suppress(RuntimeError):  # the loop is closed, whatever was seen of the thread before
            self._loop.call_soon_threadsafe(action, *words)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as failure:  # noqa: BLE001 - raised again where the test ends
            self._failure = failure
        finally:
            self._begun.set()
            self._lines.put(None)
            self._loop.close()

    async def _serve(self) -> None:
        engine = self._make_engine(self)
        try:
            await engine.start()
            self._session = Session(engine)
            self.desk = Desk(self._session, self._lines.put)
            self._begun.set()
            self.code = await self.desk.ended
            self.fault = self.desk.fault
        finally:
            await engine.close()


def children_of(pid: int) -> list[int]:
    """The processes that this one has started and that are still there; none where the system does not tell."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile
            found += [int(child) for child in path.read_text(encoding="ascii").split()]
    return found
