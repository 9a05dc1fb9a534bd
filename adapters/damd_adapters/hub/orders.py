"""One ``go``, from its line to its ``done``, and what is said about it on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from damd.client import EngineError, Search

__all__ = ["ANALYZE", "PONDER", "THINK", "Order"]

THINK, PONDER, ANALYZE = "think", "ponder", "analyze"


@dataclass(slots=True, eq=False)
class Order:
    """A search that was asked for. ``stop`` and ``hit`` count whether it has begun or still waits.

    ``endless`` is true where it must not end by itself, a hit aside.
    """

    kind: str
    endless: bool = False
    stopped: bool = False
    was_hit: bool = False
    _search: Search | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def pondering(self) -> bool:
        return self.kind == PONDER and not self.was_hit

    @property
    def holds_up(self) -> bool:
        """Whether what waits behind it would wait for ever."""
        return not self.stopped and (self.endless or self.pondering)

    def begin(self, search: Search) -> None:
        """The engine searches; what was said before reaches it now."""
        self._search = search
        if self.was_hit:
            self._do(search.ponder_hit())
        if self.stopped:
            self._do(search.stop())

    def stop(self) -> None:
        """The search ends as soon as it can; it still has its result, or fails where the engine does not stop in time."""
        if not self.stopped:
            self.stopped = True
            if self._search is not None:
                self._do(self._search.stop())

    def hit(self) -> None:
        """The ply pondered on was played."""
        if self.pondering:
            self.was_hit = True
            if self._search is not None:
                self._do(self._search.ponder_hit())

    def _do(self, doing: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(_quietly(doing))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _quietly(doing: Coroutine[Any, Any, object]) -> None:
    """A search that fails tells whoever waits for its result."""
    with suppress(EngineError):
        await doing
