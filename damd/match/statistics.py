"""What results say about strength: score, Elo, normalized Elo, likelihood of superiority, and a sequential test.

The unit is the pair: two games from one opening with colours reversed. Both depend on the opening, so errors come from
the five results a pair can have, not from single games. Where games are not paired the three results of a game take
their place: every function takes the numbers of five kinds of pairs or of three kinds of games, worst first.

Nothing here is ever nan or infinite: what the results do not tell is ``None``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from damd.match.model import Sprt

_NORMAL = NormalDist()
#: Two-sided 95 %.
WIDTH = _NORMAL.inv_cdf(0.975)
#: A result that has not occurred counts as so many, so that the test of one-sided results stays finite.
_UNSEEN = 1e-3
#: Elo of a score is 400 log10(odds): so many Elo are a factor e of the odds.
_PER_E = 400 / math.log(10)
#: One deviation of a single game's score is so many normalized Elo.
_PER_DEVIATION = 2 * _PER_E
_BISECTIONS = 60
_ROUNDS = 30

Counts = Sequence[int]


@dataclass(frozen=True, slots=True)
class Estimate:
    """``score`` is from 0 to 1; errors are half the width of the 95 % interval, ``low`` and ``high`` its ends.

    ``elo`` is ``None`` where every game was won, or lost; ``elo_low`` then still says how strong one is at least, and
    ``elo_error`` is there only where both ends are. ``nelo`` is ``None`` there too. ``los`` is the likelihood, from 0
    to 1, of being the stronger.
    """

    units: int
    score: float
    score_low: float
    score_high: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    nelo: float | None
    nelo_error: float
    los: float

    @property
    def score_error(self) -> float:
        return (self.score_high - self.score_low) / 2

    @property
    def elo_error(self) -> float | None:
        if self.elo_low is None or self.elo_high is None:
            return None
        return (self.elo_high - self.elo_low) / 2


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a sequential test stands: ``decision`` is "H0", "H1" or, between the bounds, empty.

    A test that has stopped did so at an extreme of its results: the Elo measured then reads too far out.
    """

    llr: float
    lower: float
    upper: float
    decision: str


def elo_of(score: float) -> float | None:
    """The Elo difference at which ``score`` is expected; ``None`` at 0 and 1 and beyond."""
    return _PER_E * math.log(score / (1 - score)) if 0 < score < 1 else None


def score_of(elo: float) -> float:
    """The score that is expected at an Elo difference."""
    return 1 / (1 + math.exp(-max(-4000.0, min(4000.0, elo)) / _PER_E))


def estimate(counts: Counts) -> Estimate:
    """From the numbers of pairs that brought 0, 1/2, 1, 3/2 and 2 points, or of games lost, drawn and won.

    Raises ``ValueError`` for other numbers, or where there are none.
    """
    _check(counts)
    units = sum(counts)
    score = _mean(counts)
    if not 0 < score < 1:
        return _one_sided(counts, units, score)
    spread = _spread(counts)
    deviation = math.sqrt(_variance(spread))
    mean = _mean(spread)
    error = deviation / math.sqrt(sum(spread))
    low, high = mean - WIDTH * error, mean + WIDTH * error
    scale = _PER_DEVIATION / math.sqrt(_games(counts))
    return Estimate(
        units=units,
        score=score,
        score_low=max(0.0, low),
        score_high=min(1.0, high),
        elo=elo_of(score),
        elo_low=elo_of(low),
        elo_high=elo_of(high),
        nelo=(mean - 0.5) / deviation * scale,
        nelo_error=WIDTH / math.sqrt(units) * scale,
        los=_NORMAL.cdf((mean - 0.5) / error),
    )


def _one_sided(counts: Counts, units: int, score: float) -> Estimate:
    """Everything won, or everything lost: Wilson's interval, which is not of no width where no spread was seen."""
    least = units / (units + WIDTH**2)
    low, high = (least, 1.0) if score else (0.0, 1 - least)
    sign = 1 if score else -1
    scale = _PER_DEVIATION / math.sqrt(_games(counts))
    return Estimate(
        units=units,
        score=score,
        score_low=low,
        score_high=high,
        elo=None,
        elo_low=elo_of(low),
        elo_high=elo_of(high),
        nelo=None,
        nelo_error=WIDTH / math.sqrt(units) * scale,
        los=_NORMAL.cdf(sign * math.sqrt(units)),
    )


def _spread(counts: Counts) -> list[float]:
    """The counts with a trace of what has not occurred; where all ended alike one more is taken to be a neighbour.

    All pairs drawn is usual in draughts, and says that one is hardly stronger, not that the error is nothing.
    """
    if sum(count > 0 for count in counts) > 1:
        return [count or _UNSEEN for count in counts]
    only = next(place for place, count in enumerate(counts) if count)
    spread = [float(count) for count in counts]
    spread[only - 1] = spread[only + 1] = 0.5
    return spread


def sprt(counts: Counts, test: Sprt) -> SprtState:
    """Where the test stands; no results stand at 0. Raises ``ValueError`` for numbers that are no counts."""
    lower = math.log(test.beta / (1 - test.alpha))
    upper = math.log((1 - test.beta) / test.alpha)
    if not any(counts) and len(counts) in (3, 5):
        return SprtState(0.0, lower, upper, "")
    llr = likelihood_ratio(counts, test)
    return SprtState(llr, lower, upper, "H1" if llr >= upper else "H0" if llr <= lower else "")


def likelihood_ratio(counts: Counts, test: Sprt) -> float:
    """The logarithm of how much likelier the results are under ``elo1`` than under ``elo0``, each at its best.

    The distribution that explains the results best is compared among those of either hypothesis: those with the mean
    of that Elo, or, normalized, with the ratio of mean to deviation.

    Where one engine has won everything neither explains that, and comparing them would hardly ever end: the hypotheses
    are then read as "at most elo0" and "at least elo1", the further of which is certain of such results. Under the
    nearer they are no likelier than exp(-ratio), so the test's errors are kept. Raises ``ValueError`` as ``estimate``
    does.
    """
    _check(counts)
    weights = [count or _UNSEEN for count in counts]
    total = sum(weights)
    seen = [weight / total for weight in weights]
    values = _values(counts)
    if test.model == "logistic":
        expected = [score_of(elo) for elo in (test.elo0, test.elo1)]
        under: list[Sequence[float]] = [_with_mean(seen, [value - score for value in values]) or seen for score in expected]
    else:
        scale = math.sqrt(_games(counts)) / _PER_DEVIATION
        under = [_with_ratio(seen, values, elo * scale) for elo in (test.elo0, test.elo1)]
    if counts[-1] == sum(counts):
        return -counts[-1] * math.log(under[0][-1])
    if counts[0] == sum(counts):
        return counts[0] * math.log(under[1][0])
    return total * sum(part * math.log(one / zero) for part, zero, one in zip(seen, under[0], under[1], strict=True))


def _with_mean(seen: Sequence[float], offsets: Sequence[float]) -> list[float] | None:
    """The likeliest distribution in which ``offsets`` have the mean 0, given what was seen; ``None`` where none has.

    It is seen / (1 + x offset) for the one x that makes the mean 0.
    """
    low, high = min(offsets), max(offsets)
    if low >= 0 or high <= 0:
        return None
    x = _root(
        lambda x: sum(part * offset / (1 + x * offset) for part, offset in zip(seen, offsets, strict=True)),
        -1 / high,
        -1 / low,
    )
    made = [part / (1 + x * offset) for part, offset in zip(seen, offsets, strict=True)]
    return [part / sum(made) for part in made]


def _with_ratio(seen: Sequence[float], values: Sequence[float], ratio: float) -> list[float]:
    """The likeliest distribution whose mean is ``ratio`` deviations above a half, given what was seen.

    A fixed point: where mean and deviation are known to be near m and d, that condition is, to the first order, that
    value - 1/2 - ratio d (1 + ((value - m) / d)²) / 2 has the mean 0. Ratios out of all reach leave the last step made.
    """
    made = [1 / len(values)] * len(values)
    for _ in range(_ROUNDS):
        mean = sum(part * value for part, value in zip(made, values, strict=True))
        variance = sum(part * (value - mean) ** 2 for part, value in zip(made, values, strict=True))
        deviation = math.sqrt(variance)
        offsets = [value - 0.5 - ratio * deviation * (1 + ((value - mean) / deviation) ** 2) / 2 for value in values]
        before, found = made, _with_mean(seen, offsets)
        if found is None:
            break
        made = found
        if max(abs(one - other) for one, other in zip(before, made, strict=True)) < 1e-9:
            break
    return made


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from plus to minus infinity between ``low`` and ``high`` crosses 0."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _check(counts: Counts) -> None:
    if len(counts) not in (3, 5) or min(counts) < 0 or not any(counts):
        raise ValueError(f"not the numbers of five kinds of pairs or three kinds of games: {list(counts)}")


def _games(counts: Counts) -> int:
    """Games in what is counted: two in a pair."""
    return 2 if len(counts) == 5 else 1


def _values(counts: Sequence[float]) -> list[float]:
    return [place / (len(counts) - 1) for place in range(len(counts))]


def _mean(counts: Sequence[float]) -> float:
    return sum(count * value for count, value in zip(counts, _values(counts), strict=True)) / sum(counts)


def _variance(counts: Sequence[float]) -> float:
    mean = _mean(counts)
    return sum(count * (value - mean) ** 2 for count, value in zip(counts, _values(counts), strict=True)) / sum(counts)
