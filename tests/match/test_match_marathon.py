"""The big tournaments: mixed ones of 300 games, 10,000 tiny games, tests that end on the right side. Run with ``--long``."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from pathlib import Path

import pytest

from damd.match.journal import read_journal
from damd.match.model import Adjudication, EngineSpec, Sprt
from damd.match.openings import own_ballots
from damd.match.player import Patience
from damd.match.records import Termination
from damd.match.timecontrol import parse_time_control
from damd.variants import load
from match_runs import DAMD, contestant, left_over, of, play

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]

#: 28 encounters, two games each: 336 games.
ROUNDS = 6
FAULTS = {
    "crash": Termination.CRASH,
    "die-at-start": Termination.CRASH,
    "hang": Termination.STALL,
    "hang-up": Termination.DISCONNECT,
    "illegal": Termination.ILLEGAL_PLY,
    "flood": None,
    "oversleep": None,
}


def test_three_hundred_mixed_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every engine against every other, four games at once; every game is lost by whoever misbehaves first."""
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))
    engines = [EngineSpec("damd", DAMD, options=(("Hash", "1"),)), *(contestant(mode, mode, 4) for mode in FAULTS)]
    openings = own_ballots(load("dam-haji")).openings
    tournament = of(engines, rounds=ROUNDS, recover=True, adjudication=Adjudication(max_plies=60))
    patience = Patience(start_s=60, answer_s=20, thinking_s=15)
    done = play(tournament, tmp_path, concurrency=4, patience=patience, openings=openings)
    assert done.end.reason == "finished"
    assert len(done.games) == ROUNDS * 28 * 2
    played = Counter(frozenset((game.white, game.black)) for game in done.games)
    assert set(played.values()) == {2 * ROUNDS}
    for game in done.games:
        loser = FAULTS.get(game.loser_name or "")
        if game.termination.is_fault:
            assert game.termination is loser, game.describe()
        else:
            assert all(FAULTS.get(name) is None for name in (game.white, game.black)), game.describe()
    assert left_over(str(tmp_path)) == []


def test_ten_thousand_tiny_games(tmp_path: Path) -> None:
    """What is measured: the runner's own time for a move, beside engines that hardly think."""
    engines = [EngineSpec(name, DAMD, options=(("Hash", "1"),)) for name in "ab"]
    tournament = of(
        engines,
        format="match",
        rounds=5000,
        time=parse_time_control("depth=1"),
        adjudication=Adjudication(max_plies=12),
    )
    openings = own_ballots(load("dam-haji")).openings
    began = time.process_time()
    done = play(tournament, tmp_path, concurrency=2, openings=openings)
    own_s = time.process_time() - began
    assert (done.end.reason, len(done.games)) == ("finished", 10_000)
    assert len(read_journal(str(tmp_path / "journal.jsonl")).records) == 5000
    plies = [ply for game in done.games for ply in game.plies]
    latency = statistics.median(ply.latency_ms for ply in plies if ply.latency_ms is not None)
    print(
        f"\n{len(plies)} plies, {1000 * own_s / len(plies):.3f} ms CPU of the manager each, median latency {latency:.3f} ms"
    )


@pytest.mark.parametrize(("first", "second", "decision"), [("400", "200", "H1"), ("200", "400", "H0")])
def test_a_test_at_half_the_nodes_has_the_right_sign(first: str, second: str, decision: str, tmp_path: Path) -> None:
    engines = [
        EngineSpec("a", DAMD, time=parse_time_control(f"nodes={first}"), options=(("Hash", "1"),)),
        EngineSpec("b", DAMD, time=parse_time_control(f"nodes={second}"), options=(("Hash", "1"),)),
    ]
    # Whole games: what is cut short is drawn, and says nothing.
    tournament = of(
        engines, format="match", rounds=3000, sprt=Sprt(elo0=0, elo1=40), adjudication=Adjudication(max_plies=200)
    )
    openings = own_ballots(load("dam-haji")).openings
    done = play(tournament, tmp_path, concurrency=2, openings=openings)
    assert done.end.reason == "sprt"
    assert decision in done.end.message
