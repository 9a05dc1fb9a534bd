"""A process that only sleeps: how late the machine itself is, beside engines that are measured over a pipe as it is."""

from __future__ import annotations

import asyncio
import sys
import time
from types import TracebackType
from typing import Self

_SLEEPER = """
import sys, time
for line in sys.stdin:
    time.sleep(float(line))
    print(flush=True)
"""


class Control:
    """The sleeping process; ``late_ms`` has one figure a sleep. Used by one game at a time."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _SLEEPER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        await self._answer(0.0)  # its start is not to be measured
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def sleep(self, asked_ms: float) -> float:
        """Let it sleep, and return by how much its answer came later than asked."""
        began = time.perf_counter()
        await self._answer(asked_ms)
        late_ms = (time.perf_counter() - began) * 1000 - asked_ms
        self.late_ms.append(late_ms)
        return late_ms

    async def _answer(self, asked_ms: float) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("the control process is not running")
        process.stdin.write(f"{asked_ms / 1000:.6f}\n".encode())
        if not await process.stdout.readline():
            raise RuntimeError("the control process has ended")
