"""The process that only sleeps, beside engines that are measured over a pipe as it is, with the figures of a whole match."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from damd.check import control
from damd.check.control import WINDOW_MS, Watch

__all__ = ["WINDOW_MS", "Control", "Watch"]


class Control(control.Control):
    """``late_ms`` has one figure a stretch."""

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []

    async def __aenter__(self) -> Self:
        """Starts it at once: its start is not to fall into a game."""
        async with super().watching():
            pass
        return self

    @property
    def pid(self) -> int | None:
        """The process's number while it runs."""
        return None if self._process is None else self._process.pid

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[Watch]:
        """It sleeps for as long as the block runs."""
        watch = None
        try:
            async with super().watching() as watch:
                yield watch
        finally:
            if watch is not None:
                self.late_ms.append(watch.late_ms)
