"""Every switch of the rules: the core and the reference agree under combinations that no game has."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comparing import Comparison
from damd.geometry import DIRECTION_WORDS
from damd.rules import (
    CRITERIA,
    BoardRules,
    CaptureRules,
    EndRules,
    KingRules,
    MenRules,
    PenaltyRules,
    PromotionRules,
    Rules,
)
from damd.variants.contradictions import contradictions
from positions import random_setup

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


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Any rules without a contradiction; what no ply depends on stays as it is."""
    board = draw(st.sampled_from(BOARDS))
    words = tuple(word for word in DIRECTION_WORDS if word in words_of(board))
    penalty = draw(st.integers(0, 3))
    right = draw(st.booleans())
    flying = draw(st.booleans())
    landing = draw(st.sampled_from(("any", "behind", "behind-king")))
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
            few_pieces=draw(st.sampled_from((0, 0, 1, 3))),
        ),
        penalty=PenaltyRules(take=penalty, liable=draw(st.sampled_from(("capable-piece", "any-piece")))),
        end=EndRules(
            no_moves=draw(st.sampled_from(("loss", "win"))),
            one_each=draw(st.booleans()),
            repetition=draw(st.sampled_from((0, 2, 3))),
            move_limit=draw(st.sampled_from((0, 1, 4))),
        ),
    )


def words_of(board: BoardRules) -> set[str]:
    directions = Rules(board=board).geometry.directions
    return {direction.word(0) for direction in directions}


@given(rules())
@settings(max_examples=200, deadline=None)
def test_only_rules_without_contradictions_are_compared(made: Rules) -> None:
    found = [fault for fault in contradictions(made, {}) if not fault.key.startswith(("start.", "notation."))]
    assert not found


def compare(made: Rules, random: Random, length: int) -> None:
    comparison = Comparison(made)
    comparison.game(random_setup(made, random), random, length)


@given(rules(), st.integers(0, 2**32))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_core_agrees_under_any_rules(made: Rules, seed: int) -> None:
    compare(made, Random(seed), 6)


@pytest.mark.long
@given(rules(), st.integers(0, 2**32))
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_core_agrees_under_any_rules_for_long(made: Rules, seed: int) -> None:
    compare(made, Random(seed), 8)
