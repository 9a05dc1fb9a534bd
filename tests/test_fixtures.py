"""The core agrees with independent programs and with the examples of the rules."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from comparing import core_plies
from damd.core.position import Position
from damd.core.types import Outcome, Reason
from outside import (
    CASES,
    EXAMPLES,
    FIXTURES,
    Example,
    fixture,
    require_case,
    require_example,
    require_fixture,
    rules_of,
)
from positions import load_lines, read_fen

interpreted_plies = partial(core_plies, build="interpreted")


@pytest.mark.parametrize("variant", FIXTURES)
def test_fixtures(variant: str) -> None:
    rules = rules_of(variant)
    for position in fixture(variant):
        require_fixture(core_plies, rules, position)


@pytest.mark.parametrize("variant", FIXTURES)
def test_fixtures_sampled_in_the_interpreted_core(variant: str) -> None:
    rules = rules_of(variant)
    for position in fixture(variant)[::8]:
        if len(position["plies"]) < 100:
            require_fixture(interpreted_plies, rules, position)


@pytest.mark.long
@pytest.mark.parametrize("variant", FIXTURES)
def test_fixtures_in_the_interpreted_core(variant: str) -> None:
    rules = rules_of(variant)
    for position in fixture(variant):
        require_fixture(interpreted_plies, rules, position)


@pytest.mark.parametrize("build", [None, "interpreted"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.variant} {example.fen}")
def test_examples(example: Example, build: str | None) -> None:
    require_example(partial(core_plies, build=build), example)


@pytest.mark.parametrize("build", [None, "interpreted"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_cases(case: dict[str, Any], build: str | None) -> None:
    require_case(partial(core_plies, build=build), case)


def case_called(name: str) -> dict[str, Any]:
    (case,) = [case for case in load_lines("cases.jsonl") if case["id"] == name]
    return dict(case)


def test_a_side_that_could_not_move_has_not_lost_before_its_turn() -> None:
    case = case_called("R23")
    rules = rules_of(case["variant"])
    position = Position(rules, read_fen(case["input"]["fen"], rules))
    assert position.outcome() is None
    assert len(position.plies()) == case["expected"]["n_legal"]


def test_a_loss_comes_before_a_full_counter() -> None:
    case = case_called("D13")
    rules = rules_of(case["variant"])
    setup = read_fen(case["input"]["fen"], rules)
    full = type(setup)(setup.side, setup.men, setup.kings, halfmoves=2 * rules.end.move_limit)
    assert Position(rules, full).outcome() == Outcome(1, Reason.NO_MOVES)


def test_a_game_does_not_end_before_a_capture_does() -> None:
    case = case_called("R26")
    rules = rules_of(case["variant"])
    position = Position(rules, read_fen(case["input"]["fen"], rules))
    # One jump of two: a program that judged the position then called the game over.
    (ply,) = position.plies()
    assert [rules.geometry.names[point] for point in ply.path] == case["input"]["cmd"].split()[1].split("x")
    position.play(ply)
    assert position.outcome() is None
    assert position.plies()
