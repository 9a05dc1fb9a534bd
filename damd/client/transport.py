"""The way lines travel to an engine and back: the interface, and a process at the other end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from damd.client.errors import EngineError
from damd.client.lines import LineSplitter

logger = logging.getLogger("damd.client")

#: So much of stderr is kept, its end.
STDERR_TAIL_BYTES = 64 * 1024
#: After the process has ended its output counts as over when nothing has come for so long (a child may hold the pipe).
_QUIET_S = 0.3
#: An engine that has closed its output gets so long to end by itself.
_LINGER_S = 1.0

Command = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class Receiver(Protocol):
    """Who hears from a transport; called in the event loop."""

    def line_received(self, line: str) -> None: ...

    def connection_ended(self, exit_code: int | None, stderr: str, detail: str) -> None:
        """Called once, after the last line. ``exit_code`` is ``None`` where none is known."""


class Transport(Protocol):
    """Carries lines. Writing never blocks; ``drain`` waits until the other side has taken enough of it."""

    async def open(self, receiver: Receiver) -> None: ...

    def write(self, lines: Sequence[str]) -> None: ...

    async def drain(self) -> None: ...

    async def close(self, quit_s: float, terminate_s: float) -> None:
        """End the connection, at first gently; returns when the other side is gone."""

    def kill(self) -> None:
        """End it at once, without waiting."""

    def stderr_tail(self) -> str: ...


class ProcessTransport(asyncio.SubprocessProtocol):
    """An engine's process, in a process group of its own so that whatever it starts ends with it.

    ``command`` is the program and its arguments; a single string is the program alone, not a shell's line. ``env``
    replaces the environment where it is given.
    """

    def __init__(
        self, command: Command, cwd: str | os.PathLike[str] | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        parts = [command] if isinstance(command, str | os.PathLike) else command
        self._command = [os.fspath(part) for part in parts]
        if not self._command:
            raise ValueError("an empty command")
        self._cwd, self._env = cwd, env
        self._splitter = LineSplitter()
        self._stderr = bytearray()
        self._process: asyncio.SubprocessTransport | None = None
        self._receiver: Receiver | None = None
        self._pid = 0
        self._group_ended = False
        self._exit_code: int | None = None
        self._output_open = True
        self._last_heard = 0.0
        self._exited = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._ending: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process's number; ``None`` before it is started."""
        return self._pid or None

    # What an engine object calls

    async def open(self, receiver: Receiver) -> None:
        """Start the process. Raises ``EngineError`` where that is not possible."""
        self._receiver = receiver
        kinds: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            kinds = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        loop = asyncio.get_running_loop()
        try:
            process, _ = await loop.subprocess_exec(lambda: self, *self._command, cwd=self._cwd, env=self._env, **kinds)
        except OSError as error:
            raise EngineError(f"cannot start {self._command[0]}: {error.strerror or error}") from error
        self._process = process

    def write(self, lines: Sequence[str]) -> None:
        pipe = self._stdin()
        if pipe is not None and not pipe.is_closing():
            pipe.write("".join(line + "\n" for line in lines).encode("utf-8"))

    async def drain(self) -> None:
        await self._writable.wait()

    def stderr_tail(self) -> str:
        return self._stderr.decode("utf-8", "replace")

    async def close(self, quit_s: float, terminate_s: float) -> None:
        """Close stdin and wait; then terminate the group; then kill it. Leaves no process and no zombie."""
        if self._process is None:
            return
        pipe = self._stdin()
        if pipe is not None:
            pipe.close()
        if not await self._ends_within(quit_s):
            self._signal(kill=False)
            if not await self._ends_within(terminate_s):
                self.kill()
                await self._exited.wait()
        await self._end_group(terminate_s)
        if self._ending is not None:
            await self._ending

    def kill(self) -> None:
        self._signal(kill=True)

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._process = cast("asyncio.SubprocessTransport", transport)
        self._pid = self._process.get_pid()
        self._last_heard = asyncio.get_running_loop().time()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._stderr += data
            del self._stderr[:-STDERR_TAIL_BYTES]
            return
        self._last_heard = asyncio.get_running_loop().time()
        self._deliver(self._splitter.feed(data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        if fd == 0:
            self._writable.set()
        elif fd == 1:
            self._output_open = False
            self._deliver(self._splitter.finish())
            self._start_ending()

    def process_exited(self) -> None:
        self._exit_code = self._process.get_returncode() if self._process else None
        self._exited.set()
        self._writable.set()
        self._start_ending()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    # The end

    def _deliver(self, lines: list[str]) -> None:
        if self._receiver is not None:
            for line in lines:
                self._receiver.line_received(line)

    def _start_ending(self) -> None:
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end())

    async def _end(self) -> None:
        """Bring a process of which one half has ended to its whole end, and tell the receiver once."""
        detail = ""
        if not self._exited.is_set() and not await self._ends_within(_LINGER_S):
            detail = "it had closed its output and was terminated"
            self._signal(kill=False)
            if not await self._ends_within(_LINGER_S):
                self.kill()
                await self._exited.wait()
        loop = asyncio.get_running_loop()
        while self._output_open and loop.time() - self._last_heard < _QUIET_S:
            await asyncio.sleep(0.02)
        if self._output_open:
            self._deliver(self._splitter.finish())
        if self._splitter.dropped:
            logger.warning("%d lines over the length limit were dropped", self._splitter.dropped)
        if self._process is not None:
            self._process.close()
        if self._receiver is not None:
            receiver, self._receiver = self._receiver, None
            receiver.connection_ended(self._exit_code, self.stderr_tail(), detail)
        await self._end_group(_LINGER_S)

    async def _ends_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        except TimeoutError:
            return False
        return True

    async def _end_group(self, terminate_s: float) -> None:
        """After the engine itself: whatever it has left behind in its group."""
        if self._group_lives():
            self._signal(kill=False)
            loop = asyncio.get_running_loop()
            until = loop.time() + terminate_s
            while self._group_lives() and loop.time() < until:
                await asyncio.sleep(0.02)
            self.kill()
        self._group_ended = True

    def _group_lives(self) -> bool:
        if sys.platform == "win32" or self._group_ended:
            return False
        try:
            os.killpg(self._pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _signal(self, *, kill: bool) -> None:
        """Signal the whole group; on Windows, which has no such signal, the process itself."""
        if not self._pid or self._group_ended:
            return  # the number may belong to another process by now
        try:
            if sys.platform == "win32":
                if self._process is not None and not self._exited.is_set():
                    self._process.kill() if kill else self._process.send_signal(signal.CTRL_BREAK_EVENT)
            else:
                os.killpg(self._pid, signal.SIGKILL if kill else signal.SIGTERM)
        except (ProcessLookupError, PermissionError) as error:
            logger.debug("signalling group %d: %s", self._pid, error)

    def _stdin(self) -> asyncio.WriteTransport | None:
        if self._process is None:
            return None
        return cast("asyncio.WriteTransport | None", self._process.get_pipe_transport(0))
