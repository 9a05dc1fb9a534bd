"""Lines in, bounded: from standard input or a socket."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from damd.client.lines import LineSplitter
from damd_adapters.launch import logger

#: A longer line is dropped and reported: no client's is. A whole game of 1,000 plies has some 20,000 characters.
MAX_LINE_BYTES = 1024 * 1024
_CHUNK_BYTES = 64 * 1024
#: So many lines may wait; a peer that floods is then not read until some have been answered.
_WAITING_LINES = 1000


class Overlong(Exception):
    """A line over the limit was dropped; its place in the input is here."""


class Lines:
    """Lines as they come; ``await lines.next()`` gives the next one and ``None`` at the end of the input.

    Bytes that are not UTF-8 become replacement characters; a byte order mark at the very beginning is none of the first
    line. Raises ``Overlong`` in the place of a line over the limit.
    """

    def __init__(self, read: Callable[[], bytes] | None = None, limit: int = MAX_LINE_BYTES) -> None:
        """``read`` blocks until there are bytes, none being the end; standard input where it is left out."""
        self._splitter = LineSplitter(limit)
        self._read = read or (lambda: os.read(0, _CHUNK_BYTES))
        self._waiting: deque[str | None] = deque()
        self._room = threading.Semaphore(_WAITING_LINES)
        self._arrived = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._watched = self._paused = False
        self._begun = False
        if read is None:
            self._watch()
        if not self._watched:
            threading.Thread(target=self._collect, daemon=True).start()

    async def next(self) -> str | None:
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        line = self._waiting[0]
        if line is None:
            return None
        self._waiting.popleft()
        self._room.release()
        if self._paused and len(self._waiting) < _WAITING_LINES:
            self._watch()
        begun, self._begun = self._begun, True
        if line == _DROPPED:
            raise Overlong
        if not begun:
            line = line.removeprefix(codecs.BOM_UTF8.decode())
        logger.debug("< %s", line)
        return line

    def _watch(self) -> None:
        """Let the event loop itself wait for standard input, which is quicker than by a thread.

        Where it cannot (Windows, files) nothing happens.
        """
        with contextlib.suppress(NotImplementedError, OSError):
            self._loop.add_reader(0, self._readable)
            self._watched = True
        self._paused = False

    def _readable(self) -> None:
        lines = self._next_lines()
        self._waiting.extend(lines)
        self._paused = lines[-1:] != [None] and len(self._waiting) >= _WAITING_LINES
        if self._paused or lines[-1:] == [None]:
            self._loop.remove_reader(0)
        self._arrived.set()

    def _collect(self) -> None:
        while True:
            for line in self._next_lines():
                self._room.acquire()
                try:
                    self._loop.call_soon_threadsafe(self._arrive, line)
                except RuntimeError:
                    return  # the loop has ended before its input
                if line is None:
                    return

    def _next_lines(self) -> list[str | None]:
        """Read once: the lines that are complete now, ``None`` as the last one at the end."""
        try:
            data = self._read()
        except OSError:
            data = b""
        lines: list[str | None] = []
        for piece in data.splitlines(keepends=True):
            dropped = self._splitter.dropped
            lines += self._splitter.feed(piece)
            lines += [_DROPPED] * (self._splitter.dropped - dropped)
        return lines if data else [*self._splitter.finish(), None]

    def _arrive(self, line: str | None) -> None:
        self._waiting.append(line)
        self._arrived.set()


#: Stands for a line that was dropped: no line holds a line end.
_DROPPED = "\n"


def put_away(*tasks: asyncio.Task[Any] | None) -> None:
    """End tasks whose results nobody wants any more; what they failed of is not reported."""
    for task in tasks:
        if task is not None:
            task.cancel()
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
