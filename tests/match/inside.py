"""A link to a faulty engine in this process, and a clerk who tells what he is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from damd.check.control import Watch
from damd.client.transport import Receiver
from faulty_engine import Fault, FaultyEngine


class Inside:
    """A link to a faulty engine in this process."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._receiver: Receiver | None = None
        self._ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._engine = FaultyEngine(fault, self._hear, self._leave)

    async def open(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._engine.start()

    def write(self, lines: Sequence[str]) -> None:
        self.write_bytes("".join(line + "\n" for line in lines).encode())

    async def drain(self) -> None:
        return

    def write_bytes(self, data: bytes) -> None:
        self._engine.feed(data)

    def close_input(self) -> None:
        self._engine.end_of_input()

    def hang_up(self) -> None:
        if not self._fault.outlives:
            self._engine.end_of_input()

    def note_offspring(self) -> None:
        return

    async def left_behind(self) -> list[int]:
        return []

    async def close(self, quit_s: float, terminate_s: float) -> None:  # noqa: ARG002
        self.kill()
        await self._ended.wait()

    def kill(self) -> None:
        self._engine.kill(-9)

    def stderr_tail(self) -> str:
        return ""

    def _hear(self, line: str) -> None:
        self._loop.call_soon_threadsafe(self._deliver, line)

    def _deliver(self, line: str) -> None:
        if self._receiver is not None and not self._ended.is_set():
            self._receiver.line_received(line)

    def _leave(self, code: int) -> None:
        self._loop.call_soon_threadsafe(self._end, code)

    def _end(self, code: int) -> None:
        self._ended.set()
        if self._receiver is not None:
            self._receiver.connection_ended(code, "", "")


class Punctual:
    """A clerk of a machine that is never late."""

    def __init__(self, late_ms: float = 0.0) -> None:
        self._late_ms = late_ms

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[Watch]:
        watch = Watch()
        yield watch
        watch.late_ms = self._late_ms
