"""The clocks of a game over DXP: minutes for the whole game and, where the request says so, a number of moves.

Neither side is told the other's time but for the seconds used for each move, and nobody polices a clock that has run
out: each keeps both clocks by its own watch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from damd.client import Limit
from damd.geometry import BLACK, WHITE
from damd_adapters.dxp.messages import MAX_SECONDS

#: What an engine is told that has used up its time: a little, for nobody stops it.
_LAST_MS = 10


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits of every search besides the clock's."""

    movetime_ms: int | None = None
    nodes: int | None = None
    depth: int | None = None


class Clocks:
    """Both sides' time in one game. ``minutes`` may be a fraction; ``moves`` 0 is no limit."""

    def __init__(self, minutes: float, moves: int, now: Callable[[], float] = time.monotonic) -> None:
        self.moves = moves
        self._now = now
        self._left = [minutes * 60.0, minutes * 60.0]
        self._made = [0, 0]
        self._running: tuple[int, float] | None = None
        self._before: list[tuple[list[float], list[int]]] = []

    def start(self, side: int) -> None:
        """Its clock runs, and goes on running if it does already; that of the other side stands."""
        if self._running is None or self._running[0] != side:
            self._running = (side, self._now())

    def press(self) -> float:
        """The side whose clock runs has made its move; the seconds it has used, as a move's field can hold them."""
        if self._running is None:
            return 0.0
        side, since = self._running
        self._before.append((list(self._left), list(self._made)))
        used = self._now() - since
        self._left[side] -= used
        self._made[side] += 1
        self._running = None
        return min(used, MAX_SECONDS)

    def back_to(self, plies: int) -> None:
        """The clocks are again what they were when so many plies had been played, and stand."""
        if plies < len(self._before):
            self._left, self._made = self._before[plies]
            del self._before[plies:]
        self._running = None

    def left_s(self, side: int) -> float:
        """How much time a side has, below 0 where it has used more."""
        running = self._running
        return self._left[side] - (self._now() - running[1] if running and running[0] == side else 0.0)

    def limit(self, side: int, caps: Caps) -> Limit:
        """What an engine is told that is to move for ``side``."""
        white, black = (max(_LAST_MS, int(self.left_s(each) * 1000)) for each in (WHITE, BLACK))
        clocks = Limit(white_time_ms=white, black_time_ms=black, movetime_ms=caps.movetime_ms)
        to_go = max(1, self.moves - self._made[side]) if self.moves else None
        return replace(clocks, moves_to_go=to_go, nodes=caps.nodes, depth=caps.depth)
