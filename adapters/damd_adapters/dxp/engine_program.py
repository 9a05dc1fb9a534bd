"""The process of a DXP program that the adapter has started. What is said to it goes another way: by TCP.

So its standard output may be closed or redirected, as Moby Dam's is, without any harm.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from damd.client import EngineTerminated
from damd.client.lines import LineSplitter
from damd_adapters.dxp.link import LinkError
from damd_adapters.launch import logger
from damd_adapters.uci.engine import last_words

_QUIT_S, _TERMINATE_S = 0.5, 0.5
_CHUNK = 4096
_KEPT_BYTES = 4096
_LONGEST_LINE = 4096
#: What has been written at the very end is read for so long after the end.
_DRAIN_S = 0.2


class Program:
    """A process in a group of its own. ``lost`` is done, with how, when it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._stderr = bytearray()
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Raises ``LinkError`` where that is not possible."""
        kinds: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            kinds = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=pipe, stdout=pipe, stderr=pipe, **kinds
            )
        except OSError as fault:
            raise LinkError(f"cannot start {self._command[0]}: {fault.strerror or fault}") from fault
        self._watching = asyncio.create_task(self._watch(self._process))

    async def close(self) -> None:
        """Close its input and wait; then terminate the group; then kill it. Leaves no process."""
        process = self._process
        if process is None or self._watching is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        for seconds, number in ((_QUIT_S, signal.SIGTERM), (_TERMINATE_S, None)):
            await asyncio.wait([self._watching], timeout=seconds)
            if not self._watching.done():
                self._signal(number)
        await self._watching
        self._signal(None)  # what it may have started itself
        self._process = None  # from now on its number may be another one's

    def kill(self) -> None:
        self._signal(None)

    def _signal(self, number: int | None) -> None:
        """Signal the whole group, ``None`` to kill; on Windows, which has no such signal, the process itself."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended already
            if sys.platform != "win32":
                os.killpg(process.pid, signal.SIGKILL if number is None else number)
            elif process.returncode is None:
                process.kill()

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        splitter = LineSplitter(_LONGEST_LINE)
        reading = [
            asyncio.create_task(_read(process.stdout, lambda data: _log(splitter.feed(data)))),
            asyncio.create_task(_read(process.stderr, self._keep)),
        ]
        try:
            code = await process.wait()
            await asyncio.wait(reading, timeout=_DRAIN_S)  # a child of its own may hold them open
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)
        if not self.lost.done():
            ended = EngineTerminated(code, last_words(self._stderr.decode("utf-8", "replace")))
            self.lost.set_result(f"{self._command[0]}: {ended}")

    def _keep(self, data: bytes) -> None:
        self._stderr += data
        del self._stderr[:-_KEPT_BYTES]


async def _read(stream: asyncio.StreamReader | None, take: Callable[[bytes], None]) -> None:
    """Take all that is written, so that nobody waits for room."""
    while stream is not None and (data := await stream.read(_CHUNK)):
        take(data)


def _log(lines: Sequence[str]) -> None:
    for line in lines:
        logger.debug("engine > %s", line)
