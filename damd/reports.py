"""What a running search tells: its results, from its own thread, and from another one how far it has come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from damd.core.position import Position
from damd.core.types import Ply
from damd.limits import Current, Info, Progress, score_of

#: Seconds of search from which on a failed window is told, and how far the search has come.
BOUNDS_FROM = 0.5
PROGRESS_FROM = 1.0
PROGRESS_EVERY = 1.0
#: How often the other thread looks which root ply the core is at; plies that are over sooner are not told.
LOOK_EVERY = 0.2
#: An iteration that begins earlier than this, or has more root plies, does not tell which one it is at: naming them
#: takes time, and nearly all such iterations are over before anybody wants to know.
NAMES_FROM = 0.05
MOST_NAMES = 1000
SHORTEST_RATE = 0.0005  # seconds of search below which nodes a second mean nothing

#: A ply as the core names it: its code and the bits that it takes off.
Coded = tuple[int, list[int]]


@dataclass(frozen=True, slots=True)
class Line:
    """What an iteration has found: the score for the side to move, its bound if it is one, the line and its first ply."""

    score: int
    plies: tuple[Ply, ...]
    first: Coded
    bound: str = ""


class Reports:
    """The reports of one search; ``search`` is the core's, prepared, ``clock_began`` what its time is counted from.

    ``look`` belongs to another thread, all else to the one that searches. Reports are told one after the other and
    in order; whoever waits for the thread that looks knows that no more will come.
    """

    def __init__(
        self,
        search: Any,
        position: Position,
        fullness: Callable[[], int],
        on_info: Callable[[Info], None],
        on_progress: Callable[[Progress | Current], None] | None,
    ) -> None:
        self.clock_began = self._began = self._told = time.monotonic()
        self._search = search
        self._position = position
        self._fullness = fullness
        self._on_info = on_info
        self._on_progress = on_progress
        self._telling = threading.Lock()
        self._names: dict[tuple[int, tuple[int, ...]], Ply] = {}
        # The iteration under way, and its root plies in the order in which the core takes them.
        self._depth = 0
        self._order: list[Coded] = []
        self._last: Current | None = None

    # -- in the searching thread -----------------------------------------------------------------------------------

    def iterating(self, depth: int, first: int) -> None:
        """The core is about to search the root plies from place ``first`` on."""
        order: list[Coded] = []
        roots = self._search.roots.number
        if self._on_progress is not None and roots <= MOST_NAMES and time.monotonic() - self._began >= NAMES_FROM:
            # The core moves a ply only once it has searched it: up to then it stands where it stands now.
            order = [self._search.roots.ply(place) for place in range(roots)]
            if not self._names:
                self._names = {_key(coded): ply for coded in order for ply in self._position.follow([coded])}
        with self._telling:
            self._depth, self._order, self._search.current = depth, order, first

    def iterated(self) -> None:
        """The core has come back."""
        with self._telling:
            self._depth, self._order = 0, []

    def failed(self, depth: int, number: int, line: Line) -> None:
        """A window was missed: its bound is told if the search has been long enough for a client to want it."""
        if time.monotonic() - self._began >= BOUNDS_FROM:
            self.result(depth, number, line)

    def result(self, depth: int, number: int, line: Line) -> None:
        """Tell a line; ``number`` is its rank, from 1."""
        with self._telling:
            now = self._told = time.monotonic()
            nodes, time_ms, nps, hashfull = self._figures(now)
            seldepth = max(depth, int(self._search.seldepth))
            score = score_of(line.score, line.bound)
            self._on_info(Info(depth, seldepth, number, score, nodes, time_ms, nps, hashfull, line.plies))

    # -- in another thread -----------------------------------------------------------------------------------------

    def next_look(self, now: float) -> float | None:
        """The moment from which on ``look`` may have something to tell; ``None`` if nobody wants to be told."""
        return None if self._on_progress is None else max(now + LOOK_EVERY, self._began + PROGRESS_FROM)

    def look(self) -> None:
        """Tell what there is to tell of an iteration under way. Nothing where a result is being told just now."""
        tell = self._on_progress
        if tell is None or not self._telling.acquire(blocking=False):
            return
        try:
            now = time.monotonic()
            if not self._depth:
                return
            if now - self._told >= PROGRESS_EVERY:
                self._told = now
                tell(Progress(*self._figures(now)))
            current = self._current()
            if current is not None and current != self._last:
                self._last = current
                tell(current)
        finally:
            self._telling.release()

    def _current(self) -> Current | None:
        place = int(self._search.current)
        ply = self._names.get(_key(self._order[place])) if place < len(self._order) else None
        return None if ply is None else Current(self._depth, ply, place + 1)

    def _figures(self, now: float) -> tuple[int, int, int, int]:
        """Nodes, milliseconds on the clock, nodes a second, permille of the table."""
        nodes, elapsed = int(self._search.nodes), now - self._began
        nps = int(nodes / elapsed) if elapsed > SHORTEST_RATE else 0
        return nodes, int(1000 * (now - self.clock_began)), nps, self._fullness()


def _key(coded: Coded) -> tuple[int, tuple[int, ...]]:
    return coded[0], tuple(coded[1])
