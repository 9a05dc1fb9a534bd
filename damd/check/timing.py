"""Times of an engine beside a control: what the machine was late by is not held against the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from damd.check.model import Failed, Skipped

#: A sleeping control sees only a part of how late a working engine is served.
_SHARE = 2.0
#: One late answer may be an accident.
_ACCIDENTS = 1
#: Bounds of the histogram, in milliseconds.
_STEPS = (0, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class Timing:
    """One answer: how much ``over`` its time it came, and how late the machine was meanwhile, in milliseconds."""

    over_ms: float
    late_ms: float

    def is_late(self, margin_ms: float) -> bool:
        """By more than the margin and than the machine may have been."""
        return self.over_ms > margin_ms + _SHARE * self.late_ms

    def is_doubtful(self, margin_ms: float) -> bool:
        """Late, but the machine may have been the reason."""
        return self.over_ms > margin_ms and not self.is_late(margin_ms)


def judge(timings: Sequence[Timing], margin_ms: float, what: str) -> str:
    """What to tell of answers that were in time. Raises ``Failed``, or ``Skipped`` where the machine was too late."""
    late = [timing for timing in timings if timing.is_late(margin_ms)]
    doubtful = [timing for timing in timings if timing.is_doubtful(margin_ms)]
    told = f"{what}: {histogram([timing.over_ms for timing in timings])}"
    if len(late) > min(_ACCIDENTS, len(timings) - 1):
        raise Failed(f"{len(late)} of {len(timings)} come more than {margin_ms:g} ms late; {told}")
    if 2 * len(doubtful) >= len(timings):
        worst = max(timing.late_ms for timing in timings)
        raise Skipped(f"the machine itself is late, up to {worst:.0f} ms in 200: try again when it is less busy; {told}")
    return told


def histogram(overs: Sequence[float]) -> str:
    """``median 0.7 ms, most 1.9 ms (12 up to 2, 3 up to 5)``."""
    counts: dict[str, int] = {}
    for over in sorted(overs):
        step = next((f"up to {step}" for step in _STEPS if over <= step), f"over {_STEPS[-1]}")
        counts[step] = counts.get(step, 0) + 1
    table = ", ".join(f"{number} {step}" for step, number in counts.items())
    return f"median {median(overs):.1f} ms, most {max(overs):.1f} ms ({table})"
