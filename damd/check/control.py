"""A process that only sleeps: how late the machine itself is while an engine is measured."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

#: It sleeps so long again and again, and remembers for so long by how much each sleep was too long.
TICK_MS = 2.0
WINDOW_MS = 200.0

#: ``begin`` begins the sleeping, ``end`` ends it and is answered.
_SLEEPER = """
import collections, os, sys, threading, time
tick, window = (float(word) / 1000 for word in sys.argv[1:])
begun, ended = threading.Semaphore(0), threading.Event()
def listen():
    for line in sys.stdin:
        (begun.release if line == "begin\\n" else ended.set)()
    os._exit(0)
threading.Thread(target=listen, daemon=True).start()
while begun.acquire():
    late = collections.deque()
    while not ended.is_set():
        before = time.perf_counter()
        time.sleep(tick)
        now = time.perf_counter()
        late.append((now, now - before - tick))
        while late[0][0] < now - window:
            late.popleft()
    ended.clear()
    print(1000 * sum(by for _, by in late), flush=True)
"""


@dataclass(slots=True)
class Watch:
    """One stretch. ``late_ms``: how much later than it should the machine did things at its end, known once it is over."""

    late_ms: float = 0.0


class Control:
    """The sleeping process; started when it is first needed. One stretch is measured at a time, others wait."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            if process.returncode is None:
                process.kill()
            await process.wait()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[Watch]:
        """It sleeps for as long as the block runs."""
        async with self._lock:
            if self._process is None:
                self._process = await _started()
                async with self._stretch(self._process):
                    pass  # its start is not to be measured
            async with self._stretch(self._process) as watch:
                yield watch

    @asynccontextmanager
    async def _stretch(self, process: asyncio.subprocess.Process) -> AsyncIterator[Watch]:
        watch = Watch()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the control process has no pipes")
        process.stdin.write(b"begin\n")
        try:
            yield watch
        finally:
            process.stdin.write(b"end\n")
            answer = await process.stdout.readline()
            if not answer:
                raise RuntimeError("the control process has ended")
            watch.late_ms = float(answer)


async def _started() -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _SLEEPER, str(TICK_MS), str(WINDOW_MS)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
