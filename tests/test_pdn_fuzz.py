"""The PDN and FEN readers over mutated texts: no crash, no hang, and every fault one clear line."""

from __future__ import annotations

import pytest

from fuzz_pdn import run


def test_mutated_texts() -> None:
    faulty, faults = run(seed=4, count=5_000)
    assert 1_000 < faulty < faults


@pytest.mark.long
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_many_mutated_texts(seed: int) -> None:
    faulty, _ = run(seed, 50_000)
    assert faulty > 10_000
