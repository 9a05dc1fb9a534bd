"""The parts of the self-play script: its statistics, its openings, its built-in opponents and its arbiter."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.selfplay import report
from benchmarks.selfplay.control import Control
from benchmarks.selfplay.elo import elo_of, estimate
from benchmarks.selfplay.games import Conditions, Ending, Game, Overrun, SideFigures
from benchmarks.selfplay.openings import decided, draw_openings
from benchmarks.selfplay.pace import Pace
from benchmarks.selfplay.players import Answer, Fault, Turn, pick_greedy, pick_random
from benchmarks.selfplay.waiting import Waiting
from damd.client import Limit
from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.rules import Rules
from damd.variants import load


def at(variant: str, fen: str) -> Position:
    rules = load(variant)
    return Position(rules, parse_fen(fen, rules))


def texts(position: Position, plies: Sequence[Ply]) -> list[str]:
    return [format_ply(ply, position.board) for ply in plies]


# Statistics


@pytest.mark.parametrize(
    ("results", "elo", "error", "los"),
    [
        ((71, 100, 168, 89, 72), -3.127, 18.803, 0.3721),
        ((5, 20, 100, 40, 10), 29.853, 21.032, 0.9974),
        ((0, 2, 95, 3, 0), 1.737, 7.613, 0.6727),
    ],
)
def test_known_estimates(results: tuple[int, ...], elo: float, error: float, los: float) -> None:
    found = estimate(results)
    assert found.pairs == sum(results)
    assert found.elo == pytest.approx(elo, abs=0.0006)
    assert found.elo_error == pytest.approx(error, abs=0.0006)
    assert found.los == pytest.approx(los, abs=0.00006)
    mirrored = estimate(results[::-1])
    assert mirrored.elo == pytest.approx(-elo, abs=0.0006)
    assert mirrored.score_error == pytest.approx(found.score_error)


def test_what_results_do_not_tell() -> None:
    won = estimate((0, 0, 0, 0, 50))
    assert (won.score, won.elo, won.score_error, won.los) == (1.0, None, None, None)
    drawn = estimate((0, 0, 7, 0, 0))
    assert (drawn.score, drawn.elo, drawn.elo_error, drawn.los) == (0.5, 0.0, None, None)
    nearly = estimate((0, 0, 0, 1, 9))
    assert nearly.elo is not None
    assert nearly.elo_error is None, "the interval reaches a score that has no Elo"
    for nothing in ((0, 0, 0, 0, 0), (1, 2, 3), (-1, 0, 0, 0, 3)):
        with pytest.raises(ValueError, match="five kinds"):
            estimate(nothing)
    assert elo_of(0.75) == pytest.approx(190.8485)
    assert elo_of(0.0) is None


# Openings


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman", "international"])
def test_openings_are_fit_and_different(variant: str) -> None:
    rules = load(variant)
    openings = draw_openings(rules, 8, 2, random.Random("7"))
    assert openings == draw_openings(rules, 8, 2, random.Random("7"))
    assert openings != draw_openings(rules, 8, 2, random.Random("8"))
    places = set()
    for opening in openings:
        assert len(opening) == 2
        position = Position(rules)
        for ply in opening:
            assert ply.kind is not PlyKind.CLAIM
            position.play(ply)
        setup = position.setup()
        assert setup.right is None
        assert not decided(position)
        places.add((setup.men, setup.kings))
    assert len(places) == len(openings)


def test_too_few_openings_grow_longer() -> None:
    rules = load("dam-haji-10")
    openings = draw_openings(rules, 12, 2, random.Random("1"))
    assert len(set(openings)) == 12
    assert sorted(len(opening) for opening in openings)[:6] == [2, 2, 2, 2, 2, 3]
    assert draw_openings(rules, 2, 0, random.Random("1"))[0] == ()
    assert report.openings_text([*openings, openings[0]]).endswith(", 1 of them repeated")


@pytest.mark.parametrize(
    ("variant", "fen", "is_decided"),
    [
        ("dam", "W:W22:B18", True),  # takes the last piece
        ("dam", "W:W5:B1", True),  # cannot move
        ("dam", "W:W28:B19,3", True),  # its only ply is taken, and nothing is left
        ("dam", "W:W30,31,32:B1,2,3", False),
    ],
)
def test_decided(variant: str, fen: str, is_decided: bool) -> None:
    assert decided(at(variant, fen)) is is_decided


# Built-in opponents


def test_greedy_takes_what_counts_most() -> None:
    position = at("dam-haji", "W:W27,29:B3,10,16,23,24")
    picked = {pick_greedy(position, random.Random(seed)) for seed in range(20)}
    assert texts(position, list(picked)) == ["27x20x11"]
    position.play(parse_ply("29-25", position))
    assert {pick_greedy(position, random.Random(seed)).kind for seed in range(20)} == {PlyKind.CLAIM}
    start = Position(load("dam-haji"))
    assert len({pick_greedy(start, random.Random(seed)) for seed in range(100)}) == 7, "among equals any"


def test_random_claims_and_waives() -> None:
    position = at("dam-haji", "W:W27,29:B3,10,16,23,24")
    position.play(parse_ply("29-25", position))
    picked = {pick_random(position, random.Random(seed)) for seed in range(300)}
    assert picked == set(position.plies())
    assert {ply.kind for ply in picked} > {PlyKind.CLAIM}


# The arbiter


class Puppet:
    """A player who answers what it was told to, each time in so many milliseconds."""

    def __init__(self, *answers: Answer | Fault | str, taken_ms: float = 0.0) -> None:
        self.answers = list(answers)
        self.turns: list[Turn] = []
        self.taken_ms = taken_ms

    async def open(self, games: Sequence[Rules]) -> None: ...

    async def new_game(self, rules: Rules, dice: random.Random) -> None: ...

    async def close(self) -> None: ...

    def describe(self) -> str:
        return "puppet"

    async def choose(self, turn: Turn) -> Answer:
        self.turns.append(turn)
        answer = self.answers.pop(0)
        if isinstance(answer, Fault):
            raise answer
        return Answer(answer, taken_ms=self.taken_ms) if isinstance(answer, str) else answer


def played(
    white: Puppet, black: Puppet, *opening: str, variant: str = "dam-haji", pace: Pace | None = None, max_plies: int = 300
) -> tuple[Ending, Game]:
    rules = load(variant)
    position = Position(rules)
    plies = []
    for text in opening:
        plies.append(parse_ply(text, position))
        position.play(plies[-1])
    conditions = Conditions(pace or Pace(Limit(depth=1)), max_plies)
    game = Game(rules, tuple(plies), (white, black), conditions)
    return asyncio.run(game.play([random.Random(0), random.Random(1)])), game


def test_faults_lose() -> None:
    ending, _ = played(Puppet("22-18"), Puppet("22-18"))
    assert (ending.winner, ending.reason) == (0, "illegal-ply")
    assert "22-18" in ending.text
    assert "(ply 2, B:W18," in ending.text
    ending, _ = played(Puppet(Fault("crash", "alas")), Puppet())
    assert (ending.winner, ending.reason) == (1, "crash")
    assert ending.text.startswith("alas (ply 1, ")
    ending, _ = played(Puppet("(none)"), Puppet())
    assert (ending.winner, ending.reason) == (1, "illegal-ply")


def test_players_may_end_the_game() -> None:
    ending, _ = played(Puppet(Answer("", resigns=True)), Puppet())
    assert ending == Ending(1, "resignation")
    black = Puppet(Answer("9-13", draw=True))
    ending, game = played(Puppet(Answer("22-18", draw=True)), black)
    assert ending == Ending(None, "agreement")
    assert black.turns[0].draw_offered
    assert game.played == ["22-18"], "the ply of an accepted offer is not played"
    white = Puppet(Answer("22-18", draw=True), "18-14")
    ending, _ = played(white, Puppet("9-13"), max_plies=3)
    assert ending == Ending(None, "max-plies")
    assert not white.turns[1].draw_offered


@pytest.mark.parametrize("side_of_a", [0, 1])
def test_odds_are_for_the_side_that_a_plays(side_of_a: int) -> None:
    players = (Puppet("22-18"), Puppet("9-13"))
    conditions = Conditions(Pace(Limit(movetime_ms=20), odds=3), 2)
    asyncio.run(Game(load("dam-haji"), (), players, conditions, side_of_a).play([random.Random(0), random.Random(1)]))
    limits = [player.turns[0].limit for player in players]
    assert limits[side_of_a] == Limit(movetime_ms=60)
    assert limits[1 - side_of_a] == Limit(movetime_ms=20)


@pytest.mark.parametrize("fixed", [Limit(depth=3), None])
def test_odds_need_time_or_nodes_that_are_fixed(fixed: Limit | None) -> None:
    with pytest.raises(ValueError, match="--odds are of"):
        Pace(fixed, 100, 10, odds=2)


def test_a_claim_keeps_turn_and_clock() -> None:
    """White misses a capture; Black claims, and is asked again on the same clock before the increment comes."""
    white = Puppet("24-20", taken_ms=30)
    black = Puppet("x18", Fault("crash", "enough"), taken_ms=40)
    ending, game = played(white, black, "22-18", "11-15", pace=Pace.clock("1000+100"))
    assert ending.winner == 0
    assert game.played == ["22-18", "11-15", "24-20", "x18"]
    first, second = (turn.limit for turn in black.turns)
    assert (first.white_time_ms, first.black_time_ms) == (1070, 1000)
    assert (second.white_time_ms, second.black_time_ms) == (1070, 960)
    assert second.black_increment_ms == 100


def test_overruns_are_measured_and_paid_back() -> None:
    white = Puppet("22-18", "18-14", taken_ms=130.0)
    black = Puppet("9-13", "10x17", taken_ms=1.0)
    ending, game = played(white, black, pace=Pace.clock("100+10"), max_plies=3)
    assert ending.reason == "max-plies"
    first, second = game.figures[0].overruns
    assert (first.ply, first.allowed_ms, first.over_ms) == (1, 100.0, 30.0)
    assert (second.ply, second.allowed_ms, second.over_ms) == (3, 0.0, 130.0)
    assert white.turns[1].limit.white_time_ms == -20
    assert game.figures[1].overruns == []
    assert report.overruns_text(game.figures[0].overruns) == "2 overruns, worst 130.0 ms, 1 above 50 ms"
    _, game = played(Puppet("22-18", taken_ms=20.0), Puppet(), pace=Pace(Limit(movetime_ms=15)), max_plies=1)
    assert [overrun.over_ms for overrun in game.figures[0].overruns] == [5.0]
    _, game = played(Puppet("22-18", taken_ms=1e6), Puppet(), max_plies=1)
    assert game.figures[0].overruns == []


def test_the_depth_of_forced_plies_does_not_count() -> None:
    white = Puppet(Answer("22-18", depth=6, nodes=10), Answer("18x9", depth=1, nodes=5))
    ending, game = played(white, Puppet("9-14"), variant="dam", max_plies=3)
    assert ending.reason == "max-plies"
    figures = game.figures[0]
    assert (figures.plies, figures.nodes, figures.depth_plies) == (2, 15, 1)
    assert report.side_text(figures, timed=False) == "2 plies, depth 6.00 on average"


def test_whose_lateness_it_is() -> None:
    assert report.unshared(Overrun(1, 0.0, 60.0))
    assert report.unshared(Overrun(1, 0.0, 60.0, 5.0))
    assert not report.unshared(Overrun(1, 0.0, 60.0, 30.0))
    assert not report.unshared(Overrun(1, 0.0, 40.0, -1.0))
    assert report.unshared(Overrun(1, 0.0, 100.0, 30.0, 40.0)), "both are the machine's, and the same time"
    assert not report.unshared(Overrun(1, 0.0, 100.0, 30.0, 55.0))
    assert report.unshared(Overrun(1, 0.0, 60.0, None, None))
    figures = SideFigures()
    figures.add(SideFigures(plies=3, nodes=600, taken_ms=2.0, overruns=[Overrun(1, 5.0, 6.0)]))
    assert report.side_text(figures, timed=True) == "3 plies, 300,000 nodes/s, 1 overruns, worst 1.0 ms, 0 above 50 ms"


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this system does not tell who waits")
def test_who_is_kept_from_a_processor() -> None:
    """More processes than processors, all of which compute: each waits for some of the time, and a sleeper does not."""
    spin = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(spin) for _ in range(2 * (os.cpu_count() or 1) + 1)]
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        time.sleep(0.2)
        waits = [Waiting(process.pid) for process in processes]
        asleep = Waiting(sleeper.pid)
        time.sleep(1.0)
        waited = [waiting.so_far_ms() or 0.0 for waiting in waits]
        slept = asleep.so_far_ms()
    finally:
        for process in processes:
            process.kill()
            process.wait()
        sleeper.communicate(b"\n")
    assert sum(waited) > 500
    assert slept is not None
    assert slept < 50


def test_of_no_process_nothing_is_known() -> None:
    assert Waiting(None).so_far_ms() is None


def test_the_control_sleeps() -> None:
    async def run() -> tuple[list[float], Control]:
        async with Control() as control:
            for seconds in (0.0, 0.005, 0.3):
                async with control.watching() as watch:
                    await asyncio.sleep(seconds)
                assert watch.late_ms == control.late_ms[-1]
            with pytest.raises(Fault):
                async with control.watching():
                    raise Fault("crash", "the player's own")
            return control.late_ms, control

    late, control = asyncio.run(run())
    assert len(late) == 4
    assert all(-0.5 < figure < 5000 for figure in late)
    lines = report.control_lines([], control)
    assert lines[0].startswith("control: 4 plies slept through, late in the last 200 ms of each by median ")


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be held up here")
def test_a_machine_that_is_late_shows_in_the_control() -> None:
    """A process that is held up stands for a machine that is busy with something else."""

    async def run() -> tuple[float, float]:
        async with Control() as control:
            assert control.pid is not None
            async with control.watching() as held_up:
                await asyncio.sleep(0.05)
                os.kill(control.pid, signal.SIGSTOP)
                await asyncio.sleep(0.15)
                os.kill(control.pid, signal.SIGCONT)
            async with control.watching() as later:
                await asyncio.sleep(0.02)
            return held_up.late_ms, later.late_ms

    held_up, later = asyncio.run(run())
    assert held_up > 100
    assert later < held_up, "what is over is not held against a later ply"
