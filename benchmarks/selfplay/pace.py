"""How much each side may search: the same limit for every ply, or a clock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from damd.client import Limit

_CLOCK = re.compile(r"([0-9]+)\+([0-9]+)")


@dataclass(frozen=True, slots=True)
class Pace:
    """``fixed`` for every ply, or where there is none a clock of ``base_ms`` and ``increment_ms`` a turn.

    With ``odds`` A may search so many times as long, or so many times as many nodes; raises ``ValueError`` for odds where
    neither is fixed.
    """

    fixed: Limit | None = None
    base_ms: int = 0
    increment_ms: int = 0
    odds: int = 1

    def __post_init__(self) -> None:
        if self.odds != 1 and (self.fixed is None or not (self.fixed.movetime_ms or self.fixed.nodes)):
            raise ValueError("--odds are of --movetime or --nodes")

    @classmethod
    def clock(cls, text: str) -> Pace:
        """From ``BASE_MS+INC_MS``. Raises ``ValueError``."""
        found = _CLOCK.fullmatch(text)
        if not found or int(found[1]) == 0:
            raise ValueError(f"not a clock of BASE_MS+INC_MS: {text!r}")
        return cls(None, int(found[1]), int(found[2]))

    def of_a(self) -> Pace:
        """A's own pace."""
        if self.fixed is None:
            return self
        movetime_ms, nodes = (limit and limit * self.odds for limit in (self.fixed.movetime_ms, self.fixed.nodes))
        return replace(self, fixed=replace(self.fixed, movetime_ms=movetime_ms, nodes=nodes))

    def limit(self, clocks_ms: Sequence[float]) -> Limit:
        """What the engine is told; ``clocks_ms`` are White's and Black's."""
        if self.fixed is not None:
            return self.fixed
        white, black = (int(clock) for clock in clocks_ms)
        return Limit(
            white_time_ms=white,
            black_time_ms=black,
            white_increment_ms=self.increment_ms,
            black_increment_ms=self.increment_ms,
        )

    def allowed_ms(self, clock_ms: float) -> float | None:
        """How long this ply may take; ``None`` where time is no limit."""
        if self.fixed is None:
            return max(0.0, clock_ms)
        return self.fixed.movetime_ms

    def left_ms(self, clock_ms: float, taken_ms: float, ends_turn: bool) -> float:
        """The clock after a ply. It may fall below zero: an overrun is paid back out of later increments."""
        return clock_ms - taken_ms + (self.increment_ms if ends_turn else 0)

    def __str__(self) -> str:
        if self.fixed is None:
            return f"{self.base_ms}+{self.increment_ms} ms"
        unit = " ms" if self.fixed.movetime_ms is not None else ""
        return " ".join(self.fixed.words()) + unit + (f", A's {self.odds} times that" if self.odds > 1 else "")
