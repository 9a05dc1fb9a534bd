"""The way to the engine under check: a transport that can also misbehave as clients do."""

from __future__ import annotations

import asyncio
from typing import Protocol

from damd.check import processes
from damd.client.transport import ProcessTransport, Transport

#: What an engine has started gets so long to end after it.
_GRACE_S = 1.0


class Link(Transport, Protocol):
    """A transport with what only checks do to an engine."""

    def write_bytes(self, data: bytes) -> None:
        """Send bytes as they are: no line end is added."""

    def close_input(self) -> None:
        """The end of the engine's input; the engine is left alone."""

    def hang_up(self) -> None:
        """The end of its input, and nobody reads its output any more: the client has died."""

    def note_offspring(self) -> None:
        """Remember what the engine has started; asked before it ends."""

    async def left_behind(self) -> list[int]:
        """After the engine's end: the numbers of processes that it started and that did not end with it."""


class ProcessLink(ProcessTransport):
    """An engine's process. What it leaves behind is told and ended."""

    _noted: frozenset[processes.Running] = frozenset()
    _left: asyncio.Task[list[int]] | None = None
    _hung_up = False

    def write_bytes(self, data: bytes) -> None:
        pipe = self._stdin()
        if pipe is not None and not pipe.is_closing():
            pipe.write(data)

    def close_input(self) -> None:
        pipe = self._stdin()
        if pipe is not None:
            pipe.close()

    def hang_up(self) -> None:
        self._hung_up = True
        if self._process is not None:
            for descriptor in (0, 1):
                pipe = self._process.get_pipe_transport(descriptor)
                if pipe is not None:
                    pipe.close()

    def note_offspring(self) -> None:
        if self._pid:
            self._noted |= processes.offspring(self._pid)

    async def left_behind(self) -> list[int]:
        if self._left is None:
            self._left = asyncio.create_task(self._look_behind())
        return await self._left

    async def close(self, quit_s: float, terminate_s: float) -> None:
        if not self._exited.is_set():
            self.note_offspring()
        await super().close(quit_s, terminate_s)

    def _start_ending(self) -> None:
        if self._hung_up and not self._exited.is_set():
            return  # it was we who closed its output: that it ends is its own business
        super()._start_ending()

    async def _end_group(self, terminate_s: float) -> None:
        left = await self.left_behind()
        await super()._end_group(terminate_s)
        if left:  # in a session of their own the group's signals do not reach them
            processes.end(set(self._noted), kill=False)
            await self._wait_for_offspring(terminate_s)
            processes.end(set(self._noted), kill=True)

    async def _look_behind(self) -> list[int]:
        """Also those of its session that nobody had noted."""
        self.note_offspring()
        return sorted(process.pid for process in await self._wait_for_offspring(_GRACE_S))

    async def _wait_for_offspring(self, seconds: float) -> set[processes.Running]:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (left := processes.alive(set(self._noted))) and loop.time() < until:
            await asyncio.sleep(0.02)
        return left
