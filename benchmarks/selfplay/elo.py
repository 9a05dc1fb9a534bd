"""What the results of paired games say about strength: score, Elo and likelihood of superiority with their errors.

The unit is the pair: two games from one opening with colours reversed. The two depend on each other through the
opening, so the error is computed from the five possible results of a pair, not from single games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

#: Two-sided 95 %.
_WIDTH = NormalDist().inv_cdf(0.975)
#: A result that has not occurred counts as so many pairs, so that its variance is not taken for nothing.
_UNSEEN = 1e-3


@dataclass(frozen=True, slots=True)
class Estimate:
    """``score`` is from 0 to 1, errors are half the 95 % interval, ``los`` the likelihood of being the stronger.

    ``None`` is what the results do not tell: Elo where every game was won or every game lost, or its error where the
    interval reaches such a score; errors and ``los`` where all pairs ended alike.
    """

    pairs: int
    score: float
    score_error: float | None
    elo: float | None
    elo_error: float | None
    los: float | None


def elo_of(score: float) -> float | None:
    """The logistic Elo difference at which ``score`` is expected."""
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else None


def estimate(results: Sequence[int]) -> Estimate:
    """From the numbers of pairs that brought 0, 1/2, 1, 3/2 and 2 points. Raises ``ValueError`` where there is no pair."""
    pairs = sum(results)
    if len(results) != 5 or min(results) < 0 or not pairs:
        raise ValueError(f"not the numbers of five kinds of pairs: {list(results)}")
    score = sum(count * points for points, count in enumerate(results)) / (4 * pairs)
    if sum(count > 0 for count in results) < 2:
        return Estimate(pairs, score, None, elo_of(score), None, None)
    weights = [count or _UNSEEN for count in results]
    total = sum(weights)
    mean = sum(weight * points / 4 for points, weight in enumerate(weights)) / total
    variance = sum(weight * (points / 4 - mean) ** 2 for points, weight in enumerate(weights)) / total
    deviation = math.sqrt(variance / total)
    error = _WIDTH * deviation
    low, high = elo_of(mean - error), elo_of(mean + error)
    elo_error = (high - low) / 2 if low is not None and high is not None else None
    los = NormalDist().cdf((mean - 0.5) / deviation)
    return Estimate(pairs, score, error, elo_of(score), elo_error, los)
