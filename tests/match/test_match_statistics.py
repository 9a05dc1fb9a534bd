"""What results say about strength: known answers of other programs, and that nothing is ever nan or infinite."""

from __future__ import annotations

import math
from dataclasses import astuple
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damd.match.model import Sprt
from damd.match.ratings import rate
from damd.match.statistics import elo_of, estimate, likelihood_ratio, score_of, sprt
from damd.match.table import Score, Table
from damd.match.tiebreaks import buchholz, buchholz_cut, direct_encounter, ranked, sonneborn_berger, wins


def test_openbenchs_own_test() -> None:
    assert likelihood_ratio([39, 8843, 26675, 9240, 44], Sprt(0.5, 2.5)) == pytest.approx(2.941675207989, abs=1e-9)


@pytest.mark.parametrize(
    ("ll", "ld", "wl", "dd", "wd", "ww", "test", "expected"),
    [
        (365, 16618, 36029, 200, 16974, 390, Sprt(0, 2), 2.25),
        (127, 4883, 10311, 401, 5150, 104, Sprt(-1.75, 0.25), 3.01),
        (223, 9863, 20279, 1000, 10037, 246, Sprt(0.5, 2.5, model="logistic"), -3.07),
    ],
)
def test_fastchess_own_tests(ll: int, ld: int, wl: int, dd: int, wd: int, ww: int, test: Sprt, expected: float) -> None:
    assert likelihood_ratio([ll, ld, wl + dd, wd, ww], test) == pytest.approx(expected, abs=0.005)


#: Counts, then Elo and its error, likelihood of superiority, and the ratios logistic and normalized (0 to 5 Elo).
FISHTEST = [
    ([71, 100, 168, 89, 72], -3.127, 18.803, 0.3721, -0.3063, -0.2520),
    ([5, 20, 100, 40, 10], 29.853, 21.032, 0.9974, 1.2051, 0.7174),
    ([0, 2, 95, 3, 0], 1.737, 7.613, 0.6727, -0.2528, 0.0703),
]


@pytest.mark.parametrize(("counts", "elo", "error", "los", "logistic", "normalized"), FISHTEST)
def test_fishtests_answers(
    counts: list[int], elo: float, error: float, los: float, logistic: float, normalized: float
) -> None:
    found = estimate(counts)
    assert found.elo == pytest.approx(elo, abs=0.0005)
    assert found.elo_error == pytest.approx(error, abs=0.0005)
    assert found.los == pytest.approx(los, abs=0.00005)
    # Its ratios are the quadratic approximation, which ours, exact, are near.
    assert _quadratic(counts, "logistic") == pytest.approx(logistic, abs=0.00005)
    assert _quadratic(counts, "normalized") == pytest.approx(normalized, abs=0.00005)
    for model, expected in (("logistic", logistic), ("normalized", normalized)):
        ours = likelihood_ratio(counts, Sprt(0, 5, model=model))
        assert ours == pytest.approx(expected, rel=0.13)


def _quadratic(counts: list[int], model: str) -> float:
    weights = [count or 1e-3 for count in counts]
    total = sum(weights)
    mean = sum(weight * place / 4 for place, weight in enumerate(weights)) / total
    variance = sum(weight * (place / 4 - mean) ** 2 for place, weight in enumerate(weights)) / total
    if model == "logistic":
        zero, one = score_of(0), score_of(5)
        return total * (one - zero) * (2 * mean - zero - one) / (2 * variance)
    seen, one = (mean - 0.5) / math.sqrt(variance), 5 * math.sqrt(2) * math.log(10) / 800
    return total * (one * seen - one * one / 2)


def test_t01_unbalanced_openings_are_tested_by_pairs() -> None:
    counts = [379, 10170, 21828, 10640, 343]
    state = sprt(counts, Sprt(0, 2))
    assert state.llr == pytest.approx(2.946, abs=0.001)
    assert (round(state.lower, 3), round(state.upper, 3)) == (-2.944, 2.944)
    assert state.decision == "H1"
    found = estimate(counts)
    assert found.nelo == pytest.approx(3.05, abs=0.005)
    assert found.nelo_error == pytest.approx(2.31, abs=0.005)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
def test_t02_a_test_that_one_side_wins_throughout_ends(model: str) -> None:
    state = sprt([0, 0, 0, 0, 40], Sprt(0, 5, model=model))
    assert math.isfinite(state.llr)
    assert state.decision == "H1"
    assert sprt([40, 0, 0, 0, 0], Sprt(0, 5, model=model)).decision == "H0"
    assert sprt([0, 0, 0, 0, 2], Sprt(0, 5, model=model)).decision == ""
    llrs = [sprt([0, 0, 0, 0, pairs], Sprt(0, 5, model=model)).llr for pairs in range(1, 9)]
    assert all(one < other for one, other in pairwise(llrs))


def test_t03_nothing_but_drawn_pairs_is_no_trouble() -> None:
    for model in ("normalized", "logistic"):
        state = sprt([0, 0, 30, 0, 0], Sprt(0, 5, model=model))
        assert math.isfinite(state.llr)
        assert state.decision == ""
    found = estimate([0, 0, 30, 0, 0])
    assert (found.score, found.elo, found.nelo, found.los) == (0.5, 0.0, 0.0, 0.5)
    assert found.elo_error is not None
    assert 5 < found.elo_error < 20
    # One decisive pair more hardly changes what is known.
    neighbour = estimate([0, 0, 30, 1, 0]).elo_error
    assert neighbour is not None
    assert abs(neighbour - found.elo_error) < 10


def test_t23_four_pairs_won_outright_have_an_interval_of_some_width() -> None:
    found = estimate([0, 0, 0, 0, 4])
    assert found.elo is None
    assert found.elo_error is None
    assert found.elo_high is None
    assert found.elo_low is not None
    assert 0 < found.elo_low < 100
    assert found.score_low < found.score_high == 1
    assert 0.9 < found.los < 1
    lost = estimate([4, 0, 0, 0, 0])
    assert lost.elo_high == pytest.approx(-found.elo_low)
    assert lost.los == pytest.approx(1 - found.los)


def test_games_that_are_not_paired_are_counted_by_three() -> None:
    found = estimate([20, 60, 20])
    assert found.elo == 0
    deviation = math.sqrt(0.4 * 0.25)
    assert found.score_error == pytest.approx(1.959964 * deviation / 10, rel=1e-6)
    assert found.nelo_error == pytest.approx(1.959964 / 10 * 800 / math.log(10), rel=1e-6)
    assert sprt([0, 0, 0], Sprt()).llr == 0
    assert abs(likelihood_ratio([450, 1000, 550], Sprt(0, 10))) < 20


def test_elo_and_score_are_each_others_inverse() -> None:
    assert score_of(0) == 0.5
    assert score_of(400) == pytest.approx(10 / 11)
    assert elo_of(score_of(123.4)) == pytest.approx(123.4)
    assert elo_of(0) is elo_of(1) is elo_of(-0.1) is elo_of(1.1) is None
    assert 0 < score_of(-1e9) < score_of(1e9) < 1


@pytest.mark.parametrize("counts", [[], [0] * 5, [1, 2], [1, -1, 1], [0, 0, 0]])
def test_what_are_no_counts(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="not the numbers of five kinds of pairs"):
        estimate(counts)


COUNTS = st.sampled_from([0, 0, 1, 2, 30]) | st.integers(0, 10**6)


@given(
    counts=st.lists(COUNTS, min_size=5, max_size=5) | st.lists(COUNTS, min_size=3, max_size=3),
    elo0=st.floats(-1000, 999),
    width=st.floats(0.01, 1000),
    model=st.sampled_from(["normalized", "logistic"]),
)
@settings(max_examples=150, deadline=None)
def test_nothing_is_ever_nan_or_infinite(counts: list[int], elo0: float, width: float, model: str) -> None:
    if not any(counts):
        return
    found = estimate(counts)
    for value in astuple(found):
        assert value is None or math.isfinite(value)
    assert 0 <= found.score_low < found.score_high <= 1
    assert found.score_low - 1e-3 <= found.score <= found.score_high + 1e-3
    state = sprt(counts, Sprt(elo0, elo0 + width, model=model))
    assert math.isfinite(state.llr)
    if elo0 == 0:
        turned = estimate(counts[::-1])
        assert turned.los == pytest.approx(1 - found.los)


# Tables, tie-breaks, ratings


def table(scores: dict[str, tuple[int, int, int]], byes: dict[str, int] | None = None) -> Table:
    """From ``ab``: wins, draws and losses of a against b."""
    found = {}
    for (one, other), (won, drawn, lost) in ((tuple(key), value) for key, value in scores.items()):
        found[one, other], found[other, one] = Score(won, drawn, lost), Score(lost, drawn, won)
    return Table(tuple(sorted({name for both in found for name in both})), found, byes or {})


#: a beats b and draws with c; b beats c; d loses all.
FOUR = table({"ab": (1, 0, 0), "ac": (0, 1, 0), "bc": (1, 0, 0), "ad": (1, 0, 0), "bd": (1, 0, 0), "cd": (1, 0, 0)})


def test_points_are_two_for_a_win_and_one_for_a_draw() -> None:
    assert {name: FOUR.points(name) for name in FOUR.names} == {"a": 5, "b": 4, "c": 3, "d": 0}
    assert FOUR.score("a") == Score(2, 1, 0)
    assert table({"ab": (1, 0, 0)}, {"b": 3}).points("b") == 3


def test_tie_breaks() -> None:
    assert sonneborn_berger(FOUR) == {"a": 4 + 1.5 + 0, "b": 3 + 0, "c": 2.5 + 0, "d": 0}
    assert buchholz(FOUR) == {"a": 7, "b": 8, "c": 9, "d": 12}
    assert buchholz_cut(FOUR) == {"a": 7, "b": 8, "c": 9, "d": 9}
    assert wins(FOUR) == {"a": 2, "b": 2, "c": 1, "d": 0}
    assert ranked(FOUR) == ["a", "b", "c", "d"]


def test_equal_points_are_told_apart() -> None:
    # a and b have as many points; a's are against the better ones.
    level = table({"ac": (2, 0, 0), "ad": (0, 0, 2), "bc": (0, 0, 2), "bd": (2, 0, 0), "cd": (2, 0, 0), "ab": (0, 2, 0)})
    assert level.points("a") == level.points("b")
    assert ranked(level).index("a") < ranked(level).index("b")
    beaten = table({"ab": (0, 1, 1), "bc": (0, 1, 1), "ca": (0, 1, 1)})
    assert direct_encounter(beaten) == {"a": 4, "b": 4, "c": 4}
    assert ranked(beaten) == ["a", "b", "c"]


def test_ratings_of_two_engines_are_the_elo_of_their_score() -> None:
    found = rate(table({"ab": (89, 100, 71)}))
    a, b = found["a"], found["b"]
    assert a is not None
    assert b is not None
    expected = estimate([71, 100, 89])
    assert a.elo - b.elo == pytest.approx(expected.elo)
    assert a.elo + b.elo == pytest.approx(0)
    assert a.error is not None
    assert expected.elo_error is not None
    assert 2 * a.error == pytest.approx(expected.elo_error, rel=0.05)
    assert not a.bounded


def test_ratings_find_the_strengths_that_made_the_results() -> None:
    made = {"a": 100.0, "b": 20.0, "c": -120.0}
    scores = {}
    for both in ("ab", "ac", "bc"):
        expected = score_of(made[both[0]] - made[both[1]])
        won = round(10_000 * (expected - 0.25))
        scores[both] = (won, 5000, 5000 - won)
    for name, rating in rate(table(scores)).items():
        assert rating is not None
        assert rating.elo == pytest.approx(made[name], abs=0.5)
        assert rating.error is not None
        assert 0 < rating.error < 5


def test_one_sided_results_are_rated_within_bounds() -> None:
    for name, rating in rate(table({"ab": (2, 0, 0), "bc": (2, 0, 0), "ac": (2, 0, 0)})).items():
        assert rating is not None
        assert rating.bounded
        assert math.isfinite(rating.elo)
        assert (rating.elo > 0) == (name == "a") or name == "b"


def test_engines_that_have_not_met_are_not_compared() -> None:
    apart = table({"ab": (1, 1, 0), "cd": (1, 1, 0), "de": (1, 1, 1)})
    found = rate(apart)
    assert found["a"] is found["b"] is None
    assert all(found[name] is not None for name in "cde")
    assert rate(Table(("a", "b"), {}, {})) == {"a": None, "b": None}


def test_a_field_of_draws_is_level_but_not_certain() -> None:
    for rating in rate(table({"ab": (0, 20, 0), "bc": (0, 20, 0), "ac": (0, 20, 0)})).values():
        assert rating is not None
        assert rating.elo == pytest.approx(0)
        assert rating.error is not None
        assert rating.error > 1
