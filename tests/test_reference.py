"""The second witness itself: it agrees with the outside data and with the examples of the rules.

The core's tests compare the core with it; here it is compared with what it has no part in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import reference
from damd.core.types import KingRun, Outcome, Ply, PlyKind, Reason, Right, Setup
from damd.rules import Rules
from outside import (
    CASES,
    COUNTS,
    EXAMPLES,
    FIXTURES,
    PERFT,
    Example,
    changed,
    fixture,
    perft_rules,
    require_case,
    require_example,
    require_fixture,
    rules_of,
)
from positions import bounded, load_json, name_path, read_fen, setup_of, start


@pytest.mark.parametrize("variant", FIXTURES)
def test_fixtures_sampled(variant: str) -> None:
    rules = rules_of(variant)
    for position in fixture(variant)[::2]:
        require_fixture(reference.plies, rules, position)


@pytest.mark.long
@pytest.mark.parametrize("variant", FIXTURES)
def test_fixtures(variant: str) -> None:
    rules = rules_of(variant)
    for position in fixture(variant):
        require_fixture(reference.plies, rules, position)


def require_counts(rules: Rules, setup: Setup, counts: list[int]) -> None:
    found = [reference.perft(rules, setup, depth) for depth in range(1, len(counts) + 1)]
    assert found == counts


@pytest.mark.parametrize(("variant", "mode"), COUNTS)
def test_start_counts_to_small_depths(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    require_counts(rules, start(rules), bounded(load_json("counts.json")[variant][mode], 2000))


@pytest.mark.long
@pytest.mark.parametrize(("variant", "mode"), COUNTS)
def test_start_counts(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    require_counts(rules, start(rules), bounded(load_json("counts.json")[variant][mode], 50_000))


@pytest.mark.parametrize("variant", PERFT)
def test_perft_to_small_depths(variant: str) -> None:
    rules = perft_rules(variant)
    for fen, row in load_json("perft.json")[variant].items():
        require_counts(rules, setup_of(fen, rules), bounded(row["counts"], 600, deepest=6))


@pytest.mark.long
@pytest.mark.parametrize("variant", PERFT)
def test_perft(variant: str) -> None:
    rules = perft_rules(variant)
    for fen, row in load_json("perft.json")[variant].items():
        require_counts(rules, setup_of(fen, rules), bounded(row["counts"], 20_000, deepest=8))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.variant} {example.fen}")
def test_examples(example: Example) -> None:
    require_example(reference.plies, example)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_cases(case: dict[str, Any]) -> None:
    require_case(reference.plies, case)


def after(rules: Rules, setup: Setup, text: str) -> Setup:
    """The position after the ply that is written so."""
    found = [after for ply, after in reference.plies(rules, setup) if name_path(ply, rules.geometry) == text]
    assert len(found) == 1, text
    return found[0]


def points(rules: Rules, text: str) -> tuple[int, ...]:
    return tuple(rules.geometry.index(name) for name in text.split())


def test_declined_capture_makes_every_capable_piece_liable_where_it_stands_now() -> None:
    rules = rules_of("dam-haji")
    setup = read_fen("W:W18,23,32:B14,19,1", rules)
    assert after(rules, setup, "32-28").right == Right(1, points(rules, "18 23"))
    moved = after(rules, read_fen("W:WK26,18:B22,14", rules), "26-31")
    assert moved.right == Right(1, points(rules, "18 31"))


def test_stopped_capture_makes_only_its_piece_liable() -> None:
    rules = rules_of("dam-haji")
    setup = read_fen("W:W27,29:B16,23,24,31", rules)
    assert after(rules, setup, "27x20").right == Right(1, points(rules, "20"))
    assert after(rules, setup, "27x20x11").right is None
    assert after(rules, setup, "27x18").right is None


def test_stopping_is_free_where_going_on_is_a_right() -> None:
    rules = changed(rules_of("dam-haji"), {"capture.going_on": "right"})
    setup = read_fen("W:W27,29:B16,23,24,31", rules)
    assert after(rules, setup, "27x20").right is None
    assert after(rules, setup, "29-25").right == Right(1, points(rules, "27"))
    forbidden = rules.without_penalty()
    texts = [name_path(ply, rules.geometry) for ply, _ in reference.plies(forbidden, setup)]
    assert sorted(texts) == ["27x18", "27x20", "27x20x11"]


def test_claim_keeps_the_turn_and_clears_the_right() -> None:
    rules = rules_of("dam-haji")
    setup = replace(read_fen("B:W5,K32:B1,2:P5,32", rules), halfmoves=7, fullmoves=9)
    claimed = after(rules, setup, "x32")
    assert claimed == replace(read_fen("B:W5:B1,2", rules), halfmoves=0, fullmoves=9)


def test_any_piece_takes_three_or_all() -> None:
    rules = rules_of("dam-daman")
    five = read_fen("W:Wa3,b3,c3,d3:Ba7,b7,c7,d7,e7:P*3", rules)
    assert sum(ply.kind is PlyKind.CLAIM for ply, _ in reference.plies(rules, five)) == 10
    two = read_fen("W:Wa3,b3,c3,d3:BKa7,Kb7:P*3", rules)
    claims = [(ply, left) for ply, left in reference.plies(rules, two) if ply.kind is PlyKind.CLAIM]
    assert [ply.captured for ply, _ in claims] == [points(rules, "a7 b7")]
    assert reference.outcome(rules, claims[0][1]) == Outcome(0, Reason.NO_PIECES)


def test_few_pieces_are_crowned_after_claims_and_captures_and_when_set() -> None:
    rules = rules_of("dam-daman")
    setup = read_fen("W:Wa3,b3,c3,d3:Ba7,b7,c7,d7,e7:P*3", rules)
    claimed = after(rules, setup, "xa7xb7xc7")
    assert claimed.men[1] == frozenset()
    assert claimed.kings[1] == frozenset(points(rules, "d7 e7"))
    assert reference.tidy(rules, read_fen("W:Wa3,b3:Ba7,b7,c7,d7", rules)).kings[0] == frozenset(points(rules, "a3 b3"))
    captured = after(rules, read_fen("W:Wa3,b3,c5,d3:Bc6,a7,b7,e7", rules), "c5xc7")
    assert captured.kings[1] == frozenset(points(rules, "a7 b7 e7"))


def test_choice_decides_between_complete_captures_only_where_captures_can_be_missed() -> None:
    rules = changed(rules_of("dam-haji"), {"capture.choice": ("pieces",)})
    setup = read_fen("W:W27,29:B3,10,16,23,24", rules)
    texts = {name_path(ply, rules.geometry): left.right for ply, left in reference.plies(rules, setup)}
    assert "27x18" not in texts
    assert texts["27x20x11"] is None
    assert texts["27x20"] == Right(1, points(rules, "20"))
    assert texts["29-25"] == Right(1, points(rules, "27"))


def test_king_halts_behind_a_king_that_is_its_last_capture() -> None:
    rules = rules_of("killer")
    texts = [name_path(ply, rules.geometry) for ply, _ in reference.plies(rules, read_fen("W:WK46:BK28", rules))]
    assert texts == ["46x23"]
    texts = [name_path(ply, rules.geometry) for ply, _ in reference.plies(rules, read_fen("W:WK46:B28", rules))]
    assert sorted(texts) == ["46x10", "46x14", "46x19", "46x23", "46x5"]


def test_halfmoves_count_what_can_be_taken_back() -> None:
    rules = rules_of("dam-daman")
    setup = replace(read_fen("W:Wa3,b3,c3,Kd5:Ba7,b7,c7,Ke7", rules), halfmoves=5, fullmoves=3)
    assert after(rules, setup, "a3-a4").halfmoves == 0
    assert after(rules, setup, "c3-b4").halfmoves == 0
    assert after(rules, setup, "c3-d3").halfmoves == 6
    assert after(rules, setup, "d5-e5").halfmoves == 6
    promoting = replace(read_fen("W:Wa3,b3,c3,c8:Ba7,b7,c7,Ke7", rules), halfmoves=5)
    assert after(rules, promoting, "c8-c9").halfmoves == 0


def test_fullmoves_grow_after_blacks_turn_whoever_began() -> None:
    rules = rules_of("english")
    first = after(rules, start(rules), "11-15")
    assert (first.side, first.fullmoves) == (0, 2)
    assert after(rules, first, "23-18").fullmoves == 2


def test_one_king_may_make_three_quiet_moves_in_a_row() -> None:
    rules = rules_of("frisian")
    setup = read_fen("W:WK46,50:B15", rules)
    for number, text in enumerate(("46-41", "41-46", "46-41"), 1):
        setup = after(rules, setup, text)
        assert setup.king_runs[0] == KingRun(rules.geometry.index(text[-2:]), number)
        setup = after(rules, setup, ("15-20", "20-25", "25-30")[number - 1])
    texts = [name_path(ply, rules.geometry) for ply, _ in reference.plies(rules, setup)]
    assert sorted(texts) == ["50-44", "50-45"]
    assert after(rules, setup, "50-44").king_runs[0] is None


def test_a_barred_king_may_capture_and_loses_if_nothing_moves() -> None:
    rules = rules_of("frisian")
    barred = (KingRun(rules.geometry.index("46"), 3), None)
    stuck = replace(read_fen("W:WK46,6:B1,K5", rules), king_runs=barred)
    assert [name_path(ply, rules.geometry) for ply, _ in reference.plies(rules, stuck)] == []
    assert reference.outcome(rules, stuck) == Outcome(1, Reason.NO_MOVES)
    capturing = replace(read_fen("W:WK46,6:B1,28", rules), king_runs=barred)
    assert {ply.kind for ply, _ in reference.plies(rules, capturing)} == {PlyKind.CAPTURE}


def test_the_limit_of_king_moves_ends_with_the_last_man() -> None:
    rules = rules_of("frisian")
    barred = (KingRun(rules.geometry.index("46"), 3), None)
    setup = replace(read_fen("B:WK46,18:B12", rules), king_runs=barred)
    taken = after(rules, setup, "12x23")
    assert taken.king_runs == (None, None)
    assert reference.plies(rules, taken)


def test_loss_comes_before_a_draw_by_counting() -> None:
    rules = rules_of("international")
    stuck = replace(read_fen("W:W6:B1", rules), halfmoves=60)
    assert reference.outcome(rules, stuck, 3) == Outcome(1, Reason.NO_MOVES)
    moving = replace(read_fen("W:W16,K50:B1,K2", rules), halfmoves=50)
    assert reference.outcome(rules, moving) == Outcome(None, Reason.MOVE_LIMIT)
    assert reference.outcome(rules, replace(moving, halfmoves=49)) is None
    assert reference.outcome(rules, replace(moving, halfmoves=0), 3) == Outcome(None, Reason.REPETITION)
    giveaway = changed(rules, {"end.no_moves": "win"})
    assert reference.outcome(giveaway, stuck) == Outcome(0, Reason.NO_MOVES)


def test_no_ply_follows_the_end() -> None:
    rules = rules_of("dam-haji")
    assert reference.plies(rules, read_fen("W:W:B1", rules)) == []
    assert reference.plies(rules, read_fen("W:W32:B", rules)) == []
    assert reference.outcome(rules, read_fen("W:W:B", rules)) == Outcome(1, Reason.NO_PIECES)
    assert reference.outcome(rules, read_fen("W:W32:B", rules)) == Outcome(0, Reason.NO_PIECES)


def test_equal_results_are_one_ply_with_the_first_route() -> None:
    rules = rules_of("english")
    ring = read_fen("W:WK25:B9,10,17,18,21,22", rules)
    listed = [ply for ply, _ in reference.plies(rules, ring)]
    assert len({reference.identity(ply, ring) for ply in listed}) == len(listed)
    international = rules_of("international")
    setup = read_fen("W:WK38:B18,19,32,33", international)
    assert Ply(PlyKind.CAPTURE, points(international, "38 24 13 27 43"), points(international, "18 19 32 33")) in [
        ply for ply, _ in reference.plies(international, setup)
    ]
