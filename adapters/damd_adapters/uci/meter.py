"""So many messages a second and no more: an engine that floods must not keep the adapter from hearing its client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

#: So many are passed on at once after a pause, and so many a second on end.
_AT_ONCE, _A_SECOND = 200, 50.0


class Meter(Generic[T]):
    """Passes messages on; of those beyond the rate only the last one is kept, for ``flush``."""

    def __init__(self, pass_on: Callable[[T], None]) -> None:
        self._pass_on = pass_on
        self._loop = asyncio.get_running_loop()
        self._room = float(_AT_ONCE)
        self._at = self._loop.time()
        self._held: list[T] = []

    def add(self, message: T) -> None:
        now = self._loop.time()
        self._room = min(float(_AT_ONCE), self._room + (now - self._at) * _A_SECOND)
        self._at = now
        if self._room < 1:
            self._held = [message]
            return
        self._room -= 1
        self._held = []
        self._pass_on(message)

    def flush(self) -> None:
        """Pass on what is held back."""
        held, self._held = self._held, []
        for message in held:
            self._pass_on(message)
