"""The core counts as other programs do: from the start positions, and from positions full of kings and captures."""

from __future__ import annotations

import pytest

from damd.core.position import Position, build_kind
from damd.core.types import Setup
from damd.rules import Rules
from outside import COUNTS, PERFT, perft_rules, rules_of
from positions import bounded, load_json, setup_of, start

#: Leaves of one count that an ordinary run waits for.
MOST = 2_000_000 if build_kind() == "compiled" else 5_000
INTERPRETED = 1_000


def require_counts(rules: Rules, setup: Setup, counts: list[int], build: str | None = None) -> None:
    position = Position(rules, setup, build=build)
    before = position.setup(), position.key
    assert [position.perft(depth) for depth in range(1, len(counts) + 1)] == counts
    assert (position.setup(), position.key) == before


@pytest.mark.parametrize(("variant", "mode"), COUNTS)
def test_counts_from_the_start(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    require_counts(rules, start(rules), bounded(load_json("counts.json")[variant][mode], MOST))


@pytest.mark.parametrize(("variant", "mode"), COUNTS)
def test_counts_from_the_start_in_the_interpreted_core(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    require_counts(rules, start(rules), bounded(load_json("counts.json")[variant][mode], INTERPRETED), "interpreted")


@pytest.mark.parametrize("variant", PERFT)
def test_perft(variant: str) -> None:
    rules = perft_rules(variant)
    for fen, row in load_json("perft.json")[variant].items():
        require_counts(rules, setup_of(fen, rules), bounded(row["counts"], MOST))


@pytest.mark.parametrize("variant", PERFT)
def test_perft_in_the_interpreted_core(variant: str) -> None:
    rules = perft_rules(variant)
    for fen, row in load_json("perft.json")[variant].items():
        require_counts(rules, setup_of(fen, rules), bounded(row["counts"], INTERPRETED, deepest=6), "interpreted")


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("variant", "mode"), COUNTS)
def test_all_counts_from_the_start(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    require_counts(rules, start(rules), load_json("counts.json")[variant][mode])


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("variant", PERFT)
def test_all_perft(variant: str) -> None:
    rules = perft_rules(variant)
    for fen, row in load_json("perft.json")[variant].items():
        require_counts(rules, setup_of(fen, rules), row["counts"])


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman", "russian", "frisian"])
def test_divide_adds_up(variant: str) -> None:
    rules = rules_of(variant)
    position = Position(rules, start(rules))
    rows = position.divide(3)
    assert [ply for ply, _ in rows] == position.plies()
    assert sum(count for _, count in rows) == position.perft(3)
    assert position.perft(0) == 1
