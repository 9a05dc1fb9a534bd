"""Opponents behind the Hub protocol, in whole games against a real process."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from benchmarks import strength
from benchmarks.selfplay import hub

SMALL = Path(__file__).parent / "engines" / "small_hub.py"


def run(capsys: pytest.CaptureFixture[str], manner: str = "", *more: str) -> tuple[int, str]:
    words = ["--a", "greedy", "--b", f"hub:{sys.executable} {SMALL} {manner}", "--games", "2", "--seed", "3", *more]
    code = strength.main([*words] if "--variant" in more else [*words, "--variant", "international", "--movetime", "50"])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_whole_games(capsys):
    code, said = run(capsys)
    assert code == 0, said
    assert "small 1, by Hub" in said
    assert re.search(r"international +2 ", said)


@pytest.mark.parametrize(
    ("manner", "reason"),
    [("wrong", "illegal"), ("dead", "crash"), ("silent", "stall")],
)
def test_faults_lose_the_game(capsys, monkeypatch, manner, reason):
    monkeypatch.setattr(hub, "_GRACE_S", 0.5)
    code, said = run(capsys, manner)
    assert code == 1
    assert reason in said


def test_other_games_are_refused(capsys):
    code, said = run(capsys, "", "--variant", "dam", "--movetime", "50")
    assert code == 2
    assert "international draughts alone" in said
