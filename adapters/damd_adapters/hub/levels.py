"""How long a search may last: the ``level`` lines since the last ``pos`` or ``go``, taken together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from damd.client.types import Limit
from damd.geometry import WHITE
from damd_adapters.hub.grammar import Message, shown

__all__ = ["Level", "LevelError"]

#: So long thinks who is told no limit at all.
_NO_LIMIT_S = 1e6
_MOST_MS = 2**31 - 1
_MOST_NODES = 10**15
_MOST_DEPTH = 99
_MOST_MOVES = 1000


class LevelError(ValueError):
    """A ``level`` line with a value that is none; the message says which and what would be right."""


@dataclass(frozen=True, slots=True)
class Level:
    """What Hub's levels say; times are seconds. Fields that were not given are ``None``.

    ``inc_s`` is added to the clock before the move, so ``time_s`` does not hold it yet. Programs leave out what is zero:
    moves or an increment without a time mean that the clock is at zero.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time_s: float | None = None
    moves: int | None = None
    time_s: float | None = None
    inc_s: float | None = None
    infinite: bool = False

    def with_line(self, line: Message) -> Level:
        """This level with what another ``level`` line says; what Hub does not know is passed over. Raises ``LevelError``."""
        found: dict[str, Any] = {"infinite": True} if "infinite" in line else {}
        for name, most in (("depth", _MOST_DEPTH), ("nodes", _MOST_NODES), ("moves", _MOST_MOVES)):
            if (text := line.get(name)) is not None:
                found[name] = min(_count(name, text), most)
        for name in ("move-time", "time", "inc"):
            if (text := line.get(name)) is not None:
                found[name.replace("-", "_") + "_s"] = _seconds(name, text)
        return replace(self, **found)

    @property
    def on_clock(self) -> bool:
        return any(value is not None for value in (self.moves, self.time_s, self.inc_s))

    @property
    def bounded(self) -> bool:
        """Whether a search at this level ends by itself."""
        caps = (self.depth, self.nodes, self.move_time_s)
        return not self.infinite and (self.on_clock or any(cap is not None for cap in caps))

    def limit(self, side: int, analysis: bool) -> Limit:
        """The same for damd's protocol, for the side to move. An analysis without a level has no end."""
        if self.infinite or (analysis and not self.bounded):
            return Limit(infinite=True)
        if not self.bounded:
            return Limit(movetime_ms=_milliseconds(_NO_LIMIT_S))
        limit = Limit(
            depth=None if self.depth is None else max(1, self.depth),
            nodes=None if self.nodes is None else max(1, self.nodes),
            movetime_ms=None if self.move_time_s is None else max(0, _milliseconds(self.move_time_s)),
        )
        if not self.on_clock:
            return limit
        increment = max(0.0, self.inc_s or 0.0)
        clock_ms, increment_ms = _milliseconds((self.time_s or 0.0) + increment), _milliseconds(increment)
        limit = replace(limit, moves_to_go=self.moves or None)
        if side == WHITE:
            return replace(limit, white_time_ms=clock_ms, white_increment_ms=increment_ms)
        return replace(limit, black_time_ms=clock_ms, black_increment_ms=increment_ms)


def _count(name: str, text: str) -> int:
    number = _number(text)
    if number is None or number != int(number) or number < 0:
        raise LevelError(f"level: {name} takes a whole number, not {shown(text) or 'nothing'}")
    return int(number)


def _seconds(name: str, text: str) -> float:
    number = _number(text)
    if number is None:
        raise LevelError(f"level: {name} takes a number of seconds, not {shown(text) or 'nothing'}")
    return number


def _number(text: str) -> float | None:
    try:
        number = float(text) if len(text) <= 40 and text.isascii() and "_" not in text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _milliseconds(seconds: float) -> int:
    return round(max(-_MOST_MS, min(1000 * seconds, _MOST_MS)))  # which may be beyond all numbers before it is cut
