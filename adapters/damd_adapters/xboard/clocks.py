"""Time controls, as XBoard tells them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from damd.client import Limit
from damd_adapters.xboard.faults import Fault, whole_number

#: The commands about time and depth.
CLOCK_WORDS = frozenset(("level", "st", "sd", "time", "otim"))


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What ``level``, ``st``, ``sd``, ``time`` and ``otim`` have said. Times are milliseconds; 0 or ``None``: not said."""

    turns: int = 0
    increment_ms: int = 0
    per_move_ms: int | None = None
    depth: int | None = None
    own_ms: int | None = None
    other_ms: int | None = None
    base_ms: int | None = None

    def begun(self) -> TimeControl:
        """The same control for a new game: full clocks, and no limit of depth."""
        return replace(self, depth=None, own_ms=self.base_ms, other_ms=self.base_ms)

    def told(self, word: str, text: str) -> TimeControl:
        """What ``word``, one of ``CLOCK_WORDS``, changes. Raises ``Fault``."""
        match word:
            case "level":
                return self._level(" ".join(text.split()))
            case "st":
                return replace(self, per_move_ms=1000 * whole_number(text, 0, 10**6))
            case "sd":
                return replace(self, depth=whole_number(text, 1, 99))
            case "time":
                return replace(self, own_ms=10 * whole_number(text, -(10**8), 10**8))
            case _:
                return replace(self, other_ms=10 * whole_number(text, -(10**8), 10**8))

    def _level(self, text: str) -> TimeControl:
        """``level TURNS BASE INCREMENT``; the base in minutes, or minutes and seconds."""
        found = re.fullmatch(r"(\d{1,6}) (\d{1,6})(?::(\d{1,2}))? (\d{1,6}(?:\.\d{1,3})?)", text)
        if found is None:
            raise Fault("level takes turns, minutes or minutes:seconds, and seconds of increment, as in level 40 5 0")
        increment = round(1000 * float(found[4]))
        base = 60_000 * int(found[2]) + 1000 * int(found[3] or 0) or increment
        control = replace(self, turns=int(found[1]), increment_ms=increment, per_move_ms=None, base_ms=base)
        return replace(control, own_ms=base, other_ms=base)

    def limit(self, side: int, turns_made: int, spent_ms: int = 0) -> Limit:
        """The limit for one turn of ``side`` (0 White): what has been spent of it already is taken off.

        ``turns_made`` are those of the engine since the game began. Without any word a turn takes five seconds.
        """
        if self.per_move_ms is not None:
            return Limit(movetime_ms=max(self.per_move_ms - spent_ms, 1), depth=self.depth)
        if self.own_ms is None:
            return Limit(movetime_ms=None if self.depth else 5000, depth=self.depth)
        own, other = max(self.own_ms - spent_ms, 1), self.other_ms
        white, black = (own, other) if side == 0 else (other, own)
        increment = self.increment_ms
        return Limit(
            depth=self.depth,
            white_time_ms=white,
            black_time_ms=black,
            white_increment_ms=increment or None,
            black_increment_ms=increment or None,
            moves_to_go=self.turns - turns_made % self.turns if self.turns else None,
        )
