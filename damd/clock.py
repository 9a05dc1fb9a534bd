"""How long a search may think: its part of the clock, and whether another iteration is worth its time.

Nothing here reads a clock: moments are handed in, in seconds of one monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass

from damd.core.types import Ply
from damd.limits import Limits

#: A clock without moves to go is shared out over so many turns, and one more for each own piece on the board.
FEWEST_TURNS = 20
MOST_TURNS = 50  # a period that is longer than this is shared out as if it were not
INCREMENT_PART = 0.8  # of the increment is for this turn
RESERVE_OVERHEADS = 2  # so many times the overhead are kept back, and spent only on the last turn of a period
MOST_SHARES = 5.0  # one turn takes no more of its shares than these, however hard it is
LEAST_MS = 1.0

#: An iteration takes so many times the time of the one before, until the search has shown its own rate.
FIRST_GROWTH = 2.0
LEAST_GROWTH, MOST_GROWTH = 1.2, 4.0

#: Centipawns: scores beyond do not fall any further, and a fall up to this is the usual swing between iterations.
FARTHEST_SCORE = 1500
USUAL_FALL = 12.0
WORST_FALL = 80.0

#: A ply that has been the best for so many iterations, and has so large a part of the last one's nodes, is easy.
EASY_ITERATIONS = 6
EASY_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Allowance:
    """Seconds of thought: the turn's fair ``target``, and the ``most`` it may take; ``None`` is no limit."""

    target: float | None = None
    most: float | None = None


def allowance_of(limits: Limits, side: int, pieces: int, overhead_ms: int) -> Allowance:
    """What ``limits`` allow ``side``, which has so many pieces; ``overhead_ms`` of it are lost on the way.

    A move time is used up; a clock is shared out over the turns to come.
    """
    if limits.infinite:
        return Allowance()
    if limits.movetime_ms is not None:
        return Allowance(None, max(LEAST_MS, limits.movetime_ms - overhead_ms) / 1000)
    left_ms = limits.time_ms[side]
    if left_ms is None:
        return Allowance()
    usable = max(LEAST_MS, left_ms - overhead_ms)
    turns = min(limits.moves_to_go or FEWEST_TURNS + pieces, MOST_TURNS)
    if turns == 1:
        return Allowance(0.8 * usable / 1000, usable / 1000)
    # An overhead that is larger than thought, turn after turn, must not use the clock up before anybody notices.
    reserve = RESERVE_OVERHEADS * overhead_ms
    increment = min(1.0, usable / reserve if reserve else 1.0) * limits.increment_ms[side]
    share = max(LEAST_MS, usable - reserve) / turns + INCREMENT_PART * increment
    # What is left must do for the other turns; an increment that comes back at once is no loss to them.
    part = max(0.5, turns**-0.5)
    most = min(usable, part * usable + (1 - part) * 0.8 * min(increment, usable), MOST_SHARES * share)
    return Allowance(min(share, 0.8 * most) / 1000, most / 1000)


class Thinking:
    """What the finished iterations of a search tell about the time that its position is worth.

    One that was begun on the opponent's time has thought since then: what is done need not be done again.
    """

    def __init__(self, began: float) -> None:
        self._began = began
        self._finished = began
        self._took = 0.0
        self._growth = FIRST_GROWTH
        self._best: Ply | None = None
        self._stable = 0
        self._unrest = 0.0
        self._usual_score = 0.0
        self._fall = 0.0
        self._share = 0.0

    def finished(self, now: float, best: Ply, score: int, share: float) -> None:
        """An iteration has ended with this ply; ``share`` is the part of its nodes spent on that ply, 0 to 1."""
        took = max(now - self._finished, 1e-6)
        if self._took:
            ratio = min(max(took / self._took, LEAST_GROWTH), MOST_GROWTH)
            self._growth = (self._growth + ratio) / 2
        self._took, self._finished = took, now
        first, same = self._best is None, best == self._best
        self._unrest = self._unrest / 2 + (0.0 if first or same else 1.0)
        self._stable = self._stable + 1 if same else 0
        self._best = best
        bounded = float(min(max(score, -FARTHEST_SCORE), FARTHEST_SCORE))
        self._fall = 0.0 if first else max(0.0, self._usual_score - bounded)
        self._usual_score = bounded if first else (self._usual_score + bounded) / 2
        self._share = share

    @property
    def worth(self) -> float:
        """The time this position deserves, as a multiple of the fair share."""
        rest = 0.85 + 0.5 * self._unrest
        doubt = min(max(1.5 - self._share, 0.5), 1.2)
        trouble = 1.0 + 0.8 * min(max(self._fall - USUAL_FALL, 0.0) / WORST_FALL, 1.0)
        worth = rest * doubt * trouble
        if self._stable >= EASY_ITERATIONS and self._share >= EASY_SHARE:
            worth /= 2
        return min(worth, 2.5)

    def enough(self, now: float, clock_began: float, allowance: Allowance) -> bool:
        """Whether to answer now rather than after the next iteration, which may be under way.

        It is worth while if it ends nearer to the target than now is, and within what is allowed at most. Where
        there is no target there is never enough.
        """
        if allowance.target is None:
            return False
        end = max(now, self._finished + self._growth * self._took)
        if allowance.most is not None and end - clock_began > allowance.most:
            return True
        return (now - self._began) + (end - self._began) > 2 * allowance.target * self.worth
