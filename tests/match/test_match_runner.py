"""Tournaments that are really played: every game is accounted for, every way to lose one is told, nobody is left."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from damd.match.events import Caution, Event, GameEnd, GameStart, Move, RunEnd, RunStart, Standings
from damd.match.journal import Header, Journal, JournalError, read_journal
from damd.match.model import Adjudication, EngineSpec, Opening, Sprt
from damd.match.plan import plan
from damd.match.player import Breakdown, Game, Patience, Pin, Player, Unfit
from damd.match.records import PairRecord, Termination
from damd.match.runner import Runner, RunSettings, processors
from damd.match.timecontrol import parse_time_control
from damd.match.views.games import pdn_games
from match_runs import DAMD, ENGINES, IMPATIENCE, OPENINGS, PATIENCE, contestant, left_over, of, play, wait_for_nobody

#: How an engine misbehaves, and what its games are lost by.
FAULTS = {
    "crash": Termination.CRASH,
    "killed": Termination.CRASH,
    "die-at-start": Termination.CRASH,
    "hang-up": Termination.DISCONNECT,
    "illegal": Termination.ILLEGAL_PLY,
    "rubbish": Termination.ILLEGAL_PLY,
    "nothing": Termination.ILLEGAL_PLY,
    "refuse": Termination.ILLEGAL_PLY,
    "resign": Termination.RESIGNATION,
}


def test_a_match_of_damd_with_itself(tmp_path: Path) -> None:
    engines = [EngineSpec("a", DAMD, options=(("Hash", "1"),)), EngineSpec("b", DAMD, time=parse_time_control("nodes=40"))]
    done = play(of(engines, format="match", rounds=2), tmp_path)
    assert done.end == RunEnd("finished", "all games are played", 4, 4, "")
    assert [(game.white, game.black) for game in done.games] == [("a", "b"), ("b", "a"), ("b", "a"), ("a", "b")]
    assert all(game.plies and game.plies[0].nodes for game in done.games)
    header, records = (contents := read_journal(str(tmp_path / "journal.jsonl"))).header, contents.records
    assert len(list(pdn_games(header, plan(header.tournament, 3), records))) == 4, "every ply is legal by the rules"
    kinds = [type(event) for event in done.events]
    assert kinds[0] is RunStart
    assert kinds[-2:] == [Standings, RunEnd]
    moves = [event for event in done.events if isinstance(event, Move)]
    assert len(moves) == sum(len(game.plies) for game in done.games)
    assert Counter(kinds)[GameStart] == Counter(kinds)[GameEnd] == 4


def test_each_way_to_lose_is_told_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))
    engines = [contestant("fine"), *(contestant(mode, mode) for mode in FAULTS)]
    done = play(of(engines, format="gauntlet", recover=True, reverse=False), tmp_path, concurrency=2)
    assert done.end.reason == "finished"
    assert len(done.games) == len(FAULTS)
    for mode, termination in FAULTS.items():
        lost = done.lost(mode)
        assert [game.termination for game in lost] == [termination], mode
        assert {game.winner_name for game in lost} == {"fine"}
    assert {(game.exit_code, game.stderr) for game in done.lost("crash")} == {(3, "out of memory, sorry\n")}
    assert {game.exit_code for game in done.lost("killed")} == {-9}
    assert {game.stderr for game in done.lost("die-at-start")} == {"no such network file\n"}
    assert all(
        game.note.startswith(("1-32: ", "Zürich: ", "(none): "))
        for game in done.games
        if "illegal" in game.termination.value
    )
    warned = [event.message for event in done.events if isinstance(event, Caution)]
    assert sum("die-at-start cannot be started" in message for message in warned) == 1
    assert left_over(str(tmp_path)) == []


def test_silence_is_a_stall_and_the_process_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))
    tournament = of([contestant("fine"), contestant("deaf", "deaf")], recover=True, reverse=False)
    done = play(tournament, tmp_path, patience=IMPATIENCE)
    (game,) = done.games
    assert (game.loser_name, game.termination, game.exit_code) == ("deaf", Termination.STALL, -9)
    assert "no answer to go" in game.note
    assert left_over(str(tmp_path)) == []


def test_silence_from_the_start_is_a_stall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))

    async def opened() -> None:
        await Player(contestant("x", "silent"), Game("dam-haji"), Patience(start_s=0.5)).open()

    with pytest.raises(Breakdown, match="stall: no answer to uci"):
        asyncio.run(opened())
    assert left_over(str(tmp_path)) == []


def test_noise_is_no_fault(tmp_path: Path) -> None:
    done = play(of([contestant("flood", "flood"), contestant("twice", "twice")]), tmp_path)
    assert done.end.reason == "finished"
    assert not any(game.termination.is_fault for game in done.games)


def test_who_is_late_has_lost_unless_that_is_forgiven(tmp_path: Path) -> None:
    own = parse_time_control("movetime=0.1")
    engines = [contestant("fine"), contestant("late", "oversleep", time=own)]
    strict = play(of(engines, reverse=False), tmp_path)
    (game,) = strict.games
    assert (game.loser_name, game.termination) == ("late", Termination.TIME)
    assert game.plies_of("late")[-1].over_ms > 0
    (folder := tmp_path / "lenient").mkdir()
    (game,) = play(of(engines, reverse=False, margin_ms=60_000), folder).games
    assert game.termination is not Termination.TIME
    assert any(ply.over_ms > 250 for ply in game.plies_of("late")), "what is forgiven is still recorded"


def test_draws_by_agreement_and_by_length(tmp_path: Path) -> None:
    done = play(of([contestant("one", "draw", 3), contestant("other", "draw", 3)]), tmp_path)
    assert {game.termination for game in done.games} == {Termination.AGREEMENT}
    assert {len(game.plies) for game in done.games} == {5}, "the acceptance is not played"
    (folder := tmp_path / "short").mkdir()
    done = play(of([contestant("one"), contestant("other")], adjudication=Adjudication(max_plies=4)), folder)
    assert {(game.termination, len(game.plies)) for game in done.games} == {(Termination.ADJUDICATED_LENGTH, 4)}


def test_a_breakdown_stops_the_run_and_says_how_to_go_on(tmp_path: Path) -> None:
    tournament = of([contestant("fine"), contestant("bad", "crash")], rounds=3)
    done = play(tournament, tmp_path)
    assert (done.end.reason, done.end.finished, done.end.games) == ("breakdown", 2, 6), "its pair is played to the end"
    assert "bad has broken down" in done.end.message
    assert done.end.resume == f"damd match --resume {tmp_path / 'journal.jsonl'}"
    done = play(tournament, tmp_path, resume=True, recover=True)
    assert (done.end.reason, done.end.resume, len(done.lost("bad"))) == ("finished", "", 6)


def test_what_cannot_be_had_at_all_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    wrong = {
        "nobody": replace(contestant("x"), command=("no-such-program",)),
        "option": replace(contestant("x"), options=(("Hsah", "3"),)),
        "common": replace(contestant("x"), options=(("UCI_Variant", "thai"),)),
        "dead": contestant("x", "die-at-start"),
    }
    said = {"nobody": "cannot start no-such-program", "option": "Hsah", "common": "the tournament's", "dead": "exit code 2"}
    for name, engine in wrong.items():
        (folder := tmp_path / name).mkdir()
        with pytest.raises(Unfit, match=said[name]):
            play(of([contestant("fine"), engine]), folder)
        assert os.listdir(folder) == [], "there is no journal that would have to be gone on with"


def test_a_sequential_test_ends_the_run(tmp_path: Path) -> None:
    tournament = of(
        [contestant("fine"), contestant("bad", "resign")], format="match", rounds=200, sprt=Sprt(elo0=0, elo1=200)
    )
    done = play(tournament, tmp_path)
    assert (done.end.reason, done.end.resume) == ("sprt", "")
    assert "H1" in done.end.message
    assert 0 < len(done.games) < 400
    assert play(tournament, tmp_path, resume=True).games == done.games, "nothing is left to be played"


def test_rounds_that_depend_on_results(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    engines = [contestant(name, mode) for name, mode in (("a", "fine"), ("b", "resign"), ("c", "resign"), ("d", "fine"))]
    done = play(of(engines, format="swiss", rounds=2), tmp_path)
    assert (done.end.reason, len(done.games)) == ("finished", 8)


@pytest.mark.skipif(sys.platform != "linux", reason="affinity is Linux's")
def test_engines_are_kept_on_their_processor() -> None:
    core = max(processors())

    async def mask() -> set[int]:
        player = Player(contestant("x"), Game("dam-haji"), PATIENCE, Pin(core, asyncio.Lock()))
        await player.open()
        assert player.pid is not None
        found = os.sched_getaffinity(player.pid)
        await player.close()
        return found

    before = processors()
    assert asyncio.run(mask()) == {core}
    assert processors() == before


def test_many_games_at_once_are_played_in_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))
    engines = [contestant("a"), contestant("b", "illegal")]
    done = play(of(engines, rounds=6), tmp_path, concurrency=5)
    assert (done.end.reason, len(done.games), len(done.lost("b"))) == ("finished", 12, 12)
    workers = {record.worker for record in read_journal(str(tmp_path / "journal.jsonl")).records}
    assert len(workers) == 2
    assert not any(worker.endswith(f":{os.getpid()}") for worker in workers)
    assert Counter(type(event) for event in done.events)[GameEnd] == 12
    assert left_over(str(tmp_path)) == []
    (folder := tmp_path / "gone").mkdir()
    tournament = of([contestant("a"), contestant("b")], rounds=6)
    done = play(tournament, folder, concurrency=5, hears=lambda event: kill_workers(str(tmp_path), event))
    assert (done.end.reason, done.games) == ("failed", [])
    assert "a worker's process has ended with exit code -9" in done.end.message
    assert "--resume" in done.end.resume
    wait_for_nobody(str(tmp_path))


def kill_workers(mark: str, event: Event) -> None:
    """As soon as somebody has moved."""
    for pid in left_over(mark) if isinstance(event, Move) else ():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            if b"damd.match.worker" in Path("/proc", str(pid), "cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("concurrency", [1, 5])
def test_a_listener_that_fails_ends_the_run(concurrency: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))

    def deaf(event: Event) -> None:
        if isinstance(event, Move):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play(of([contestant("a"), contestant("b")], rounds=6), tmp_path, concurrency=concurrency, hears=deaf)
    assert left_over(str(tmp_path)) == []


def test_a_full_disk_ends_the_run_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Journal.append

    def full(journal: Journal, record: PairRecord) -> None:
        if len(journal.records) == 1:
            raise JournalError(journal.file, "cannot be written: No space left on device")
        append(journal, record)

    monkeypatch.setattr(Journal, "append", full)
    tournament = of([contestant("a"), contestant("b", "resign")], rounds=3)
    done = play(tournament, tmp_path)
    assert (done.end.reason, done.end.finished, len(done.games)) == ("failed", 2, 2)
    assert "No space left on device" in done.end.message
    monkeypatch.undo()
    assert len(play(tournament, tmp_path, resume=True).games) == 6


def test_what_is_being_written_when_the_run_is_interrupted_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Journal.append

    async def run() -> RunEnd:
        loop = asyncio.get_running_loop()
        with Journal.create(str(tmp_path / "journal.jsonl"), Header(of(engines, rounds=2), OPENINGS)) as journal:
            runner = Runner(journal, RunSettings(), lambda _: None)

            def interrupted(journal: Journal, record: PairRecord) -> None:
                told = threading.Event()
                loop.call_soon_threadsafe(lambda: (runner.interrupt(), told.set()))
                told.wait()
                append(journal, record)

            monkeypatch.setattr(Journal, "append", interrupted)
            return await runner.run()

    engines = [contestant("a"), contestant("b", "resign")]
    end = asyncio.run(run())
    assert (end.reason, end.finished, end.games, bool(end.resume)) == ("interrupted", 2, 4, True)


def test_an_engine_behind_a_bridge(tmp_path: Path) -> None:
    hub = EngineSpec("hub", (sys.executable, str(ENGINES / "small_hub.py"), "fine"), protocol="hub")
    tournament = of([contestant("a"), hub], variant="international", adjudication=Adjudication(max_plies=20))
    done = play(tournament, tmp_path, openings=(Opening("", ("32-28",)),))
    assert done.end.reason == "finished"
    assert not any(game.termination.is_fault for game in done.games)
