"""Every switch of the rules: the core and the reference agree under combinations that no game has."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import reference
from comparing import Comparison
from damd.core.position import Position
from damd.core.types import KingRun
from damd.geometry import DIRECTION_WORDS
from damd.rules import (
    CRITERIA,
    BoardRules,
    CaptureRules,
    DrawRule,
    EndRules,
    Force,
    KingRules,
    MenRules,
    PenaltyRules,
    PromotionRules,
    Rules,
    Span,
)
from damd.variants.contradictions import contradictions
from outside import changed, rules_of
from positions import random_setup, read_fen

BOARDS = (
    BoardRules(),
    BoardRules(columns=10, rows=10),
    BoardRules(columns=12, rows=12),
    BoardRules(mirrored=True),
    BoardRules(kind="tailed", columns=5, rows=9),
    BoardRules(kind="square", columns=8, rows=8),
    BoardRules(columns=6, rows=7, mirrored=True, numbering="bottom-right"),
    BoardRules(columns=12, rows=10, numbering="bottom-right"),
    BoardRules(kind="square", columns=10, rows=10),
)


def some_of(words: tuple[str, ...], least: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(words), min_size=least, unique=True).map(tuple)


def spans(least: int) -> st.SearchStrategy[Span]:
    """Spans that leave some room from ``least`` pieces on."""
    return st.sampled_from((Span(), Span(least), Span(least, 3), Span(least, least + 1)))


@st.composite
def draw_rules(draw: st.DrawFn) -> tuple[DrawRule, ...]:
    """Rules for endings that random positions have, or come to within some plies."""
    return tuple(
        DrawRule(
            name,
            draw(st.integers(1, 3)),
            Force(pieces=draw(spans(1)), men=draw(spans(0)), kings=draw(spans(draw(st.integers(0, 1))))),
            Force(pieces=draw(spans(1)), kings=draw(spans(0))),
            draw(st.sampled_from((Span(), Span(2, 8)))),
            draw(st.sampled_from(("nobody", "nobody", "one", "other"))),
            draw(st.sampled_from(("nothing", "balance", "progress"))),
            draw(st.booleans()),
            draw(st.booleans()),
        )
        for name in ("first", "second")[: draw(st.integers(0, 2))]
    )


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Any rules without a contradiction; what no ply depends on stays as it is."""
    board = draw(st.sampled_from(BOARDS))
    words = tuple(word for word in DIRECTION_WORDS if word in words_of(board))
    penalty = draw(st.integers(0, 3))
    right = draw(st.booleans())
    flying = draw(st.booleans())
    landing = draw(st.sampled_from(("any", "behind", "behind-king")))
    few = draw(st.sampled_from((0, 0, 1, 3)))
    whole = CRITERIA if not right else ("by-king",)
    return Rules(
        board=board,
        men=MenRules(
            moves=draw(some_of(words, 1)),
            captures=draw(some_of(words, 0)),
            take_kings=draw(st.booleans()),
        ),
        king=KingRules(
            moves=draw(some_of(words, 1)),
            captures=draw(some_of(words, 1)),
            flying=flying,
            capture=draw(st.sampled_from(("far", "adjacent"))),
            landing=landing,
            about_turn=draw(st.booleans()),
            quiet_limit=draw(st.sampled_from((0, 1, 3))),
        ),
        capture=CaptureRules(
            compulsory=penalty > 0 or draw(st.booleans()),
            going_on="right" if right else "duty",
            landing_goes_on=draw(st.booleans()) and not (flying and landing != "behind" and (right or penalty > 0)),
            removal=draw(st.sampled_from(("at-once", "end-of-move"))),
            choice=draw(some_of(whole, 0)),
        ),
        promotion=PromotionRules(
            zone=draw(st.sampled_from(("far-row", "tail"))) if board.kind == "tailed" else "far-row",
            in_capture=draw(st.sampled_from(("stop", "as-man", "as-king"))),
            few_pieces=few,
        ),
        penalty=PenaltyRules(take=penalty, liable=draw(st.sampled_from(("capable-piece", "any-piece")))),
        end=EndRules(
            no_moves=draw(st.sampled_from(("loss", "win"))),
            first_king=not few and draw(st.sampled_from((False, False, True))),
            one_each=draw(st.sampled_from(("never", "at-once", "unless-capture"))),
            repetition=draw(st.sampled_from((0, 2, 3))),
            move_limit=draw(st.sampled_from((0, 1, 4))),
            draws=draw(draw_rules()),
        ),
    )


def words_of(board: BoardRules) -> set[str]:
    directions = Rules(board=board).geometry.directions
    return {direction.word(0) for direction in directions}


@given(rules())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_only_rules_without_contradictions_are_compared(made: Rules) -> None:
    # Draw rules that never hold, for lack of a road or of pieces, do no harm here.
    harmless = ("start.", "notation.", "end.")
    found = [fault for fault in contradictions(made, {}) if not fault.key.startswith(harmless)]
    assert not found


def compare(made: Rules, random: Random, length: int, build: str | None = None) -> None:
    comparison = Comparison(made, build)
    comparison.game(random_setup(made, random), random, length)


# The ordinary run repeats the same examples, so that it fails for who broke it; the long one looks for new ones.
# Failures are made small by ``Comparison``, which knows positions, rather than by hypothesis.
ORDINARY = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate),
)


@given(rules(), st.integers(0, 2**32))
@ORDINARY
def test_core_agrees_under_any_rules(made: Rules, seed: int) -> None:
    compare(made, Random(seed), 6)


@pytest.mark.long
@pytest.mark.timeout(14_400)
@given(rules(), st.integers(0, 2**32))
@settings(ORDINARY, max_examples=20_000, derandomize=False)
def test_core_agrees_under_any_rules_for_long(made: Rules, seed: int) -> None:
    compare(made, Random(seed), 8)


@given(rules(), st.integers(0, 2**32))
@settings(ORDINARY, max_examples=40)
def test_interpreted_core_agrees_under_any_rules(made: Rules, seed: int) -> None:
    compare(made, Random(seed), 3, "interpreted")


def test_crowning_the_last_men_ends_the_limit_of_king_moves() -> None:
    made = changed(rules_of("frisian"), {"promotion.few_pieces": 3})
    barred = (KingRun(made.geometry.index("46"), 3), None)
    setup = replace(read_fen("B:WK46,35,45,34:B29,7,8,9", made), king_runs=barred)
    position = Position(made, setup)
    (ply,) = position.plies()
    position.play(ply)
    assert position.setup().king_runs == (None, None)
    assert position.setup() == reference.plies(made, setup)[0][1]


def test_one_ply_that_one_route_completes_and_another_stops_is_listed_once_and_is_no_miss() -> None:
    changes = {
        "board.columns": 10,
        "board.rows": 10,
        "capture.choice": (),
        "capture.landing_goes_on": False,
        "penalty.take": 1,
    }
    made = changed(rules_of("turkish"), changes)
    setup = read_fen("W:WKb6:Bb10,f10,i10,d9,g9,d6,j4,Kh1", made)
    assert Comparison(made).difference_in(setup) == ""
    index = made.geometry.index
    (after,) = [
        after
        for ply, after in reference.plies(made, setup)
        if ply.end == index("g10")
        and set(ply.captured) == {index(name) for name in ("f10", "i10", "d9", "g9", "d6", "j4", "h1")}
    ]
    assert after.right is None
