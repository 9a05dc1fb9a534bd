"""Ends that the arbiter makes: draws, wins and the longest game, from what engines say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from damd.match.adjudication import Adjudicator, Verdict
from damd.match.model import Adjudication
from damd.match.records import DRAWN, PlyRecord, Termination


def end_of(settings: Adjudication, scores: Sequence[int | str | None], first: int = 0) -> tuple[int, Verdict] | None:
    """After which ply, counted from 1, the game is ended; scores are the movers', in turn, ``#3`` a mate."""
    arbiter = Adjudicator(settings)
    for number, score in enumerate(scores):
        side = (first + number) % 2
        mate = int(score[1:]) if isinstance(score, str) else None
        verdict = arbiter.after(PlyRecord("", side, score=score if isinstance(score, int) else None, mate=mate))
        if verdict is not None:
            return number + 1, verdict
    return None


def test_a_draw_takes_small_scores_of_both_for_long_enough_and_late_enough() -> None:
    asked = Adjudication(draw_score=10, draw_plies=4, draw_from=6)
    found = end_of(asked, [0] * 20)
    assert found == (6, Verdict(None, Termination.ADJUDICATED_DRAW, "both engines within 0.10 for 4 plies"))
    assert end_of(asked, [0, 0, 0, 11, 0, 0, 0, -10, 0])[0] == 8  # type: ignore[index]
    assert end_of(asked, [0, 11] * 20) is None
    assert end_of(asked, [0, 0, 0, None] * 20) is None
    assert end_of(asked, [0, 0, 0, "#9"] * 20) is None
    assert end_of(Adjudication(draw_plies=0), [0] * 300) is None


@pytest.mark.parametrize("first", [0, 1])
def test_a_win_takes_the_losers_word_and_the_winners(first: int) -> None:
    asked = Adjudication(resign_score=500, resign_plies=2)
    losing = [-500, 500] * 2
    number, verdict = end_of(asked, losing, first) or (0, None)
    assert number == 4
    assert verdict == Verdict(1 - first, Termination.ADJUDICATED_WIN, "both engines at 5.00 or more for 2 plies")
    assert end_of(asked, [-500, 400] * 9, first) is None
    assert end_of(asked, [-499, 500] * 9, first) is None
    assert end_of(asked, [-500, 500, 0, 500, -500, 500, 0, 500], first) is None


def test_one_word_may_be_enough() -> None:
    asked = Adjudication(resign_score=500, resign_plies=3, resign_sides="one")
    number, verdict = end_of(asked, [20, -600, 20, "#-4", 20, -700]) or (0, None)
    assert number == 6
    assert verdict is not None
    assert verdict.winner == 0
    assert verdict.note == "Black at 5.00 or more for 3 plies"
    assert end_of(asked, [20, -600, 20, None, 20, -700, 20, -700]) is None


def test_the_longest_game_is_drawn() -> None:
    assert end_of(Adjudication(max_plies=3), [900, -100, 300, 5]) == (
        3,
        Verdict(None, Termination.ADJUDICATED_LENGTH, "3 plies"),
    )
    assert end_of(Adjudication(max_plies=0), [None] * 1000) is None


def test_a_win_comes_before_the_end_of_the_longest_game() -> None:
    asked = Adjudication(resign_score=500, resign_plies=2, max_plies=4)
    assert end_of(asked, [-500, 500] * 2)[1].winner == 1  # type: ignore[index]


def test_what_the_arbiter_draws_is_a_draw() -> None:
    assert {Termination.ADJUDICATED_DRAW, Termination.ADJUDICATED_LENGTH} <= DRAWN
    assert Termination.ADJUDICATED_WIN not in DRAWN
