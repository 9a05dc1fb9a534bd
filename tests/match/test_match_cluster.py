"""Tournaments on Dask clusters: whoever comes, leaves or is killed, every pair is played and journalled once."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from commands import damd
from damd import cli
from damd.match import dask_places
from damd.match.events import Caution, Event, GameEnd, Move, PairEnd, RunEnd
from damd.match.journal import Header, Journal, read_journal
from damd.match.model import EngineSpec, Opening, Sprt, Tournament
from damd.match.openings import own_ballots
from damd.match.places import Cluster
from damd.match.player import Unfit
from damd.match.runner import Runner, RunSettings, try_engines
from damd.match.timecontrol import parse_time_control
from damd.match.views.report import Report
from damd.variants import load
from match_runs import (
    DAMD,
    ENGINES,
    OPENINGS,
    PATIENCE,
    begun,
    contestant,
    engine_text,
    left_over,
    of,
    play,
    wait_for_nobody,
)

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found by what Linux tells of them")

FAKE = (sys.executable, str(ENGINES / "contestant.py"))
TWO = ("--engine", engine_text("a", (*FAKE, "fine")), "--engine", engine_text("b", (*FAKE, "fine")))


def processes(mark: str, word: str) -> list[int]:
    """Processes with ``mark`` in their environment and ``word`` in their command."""
    found = []
    for pid in left_over(mark):
        try:
            if word.encode() in Path("/proc", str(pid), "cmdline").read_bytes():
                found.append(pid)
        except OSError:  # it has just ended
            continue
    return found


def engines_of(mark: str) -> list[int]:
    return processes(mark, "contestant.py")


def own_workers(mark: str) -> list[int]:
    """Those of a cluster that this process has started."""
    return processes(mark, "spawn_main")


def wait_until(what: str, true: Callable[[], Any]) -> None:
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def told(journal: Path) -> dict[str, Any]:
    """What was played, without times and places."""
    return {
        record.pairing: [
            (game.white, game.black, game.winner, game.termination, [(ply.text, ply.score) for ply in game.plies])
            for game in record.games
        ]
        for record in read_journal(str(journal)).records
    }


@dataclass
class Done:
    end: RunEnd
    journal: Path
    events: list[Event] = field(default_factory=list)

    @property
    def cautions(self) -> list[str]:
        return [event.message for event in self.events if isinstance(event, Caution)]


def on_cluster(
    tournament: Tournament,
    folder: Path,
    cluster: Cluster,
    *,
    resume: bool = False,
    recover: bool = False,
    hears: Callable[[Event, Runner], None] = lambda *_: None,
    openings: Sequence[Opening] = OPENINGS,
) -> Done:
    folder.mkdir(exist_ok=True)
    file = folder / "cluster.jsonl"
    events: list[Event] = []
    settings = RunSettings(patience=PATIENCE, recover=recover, cluster=cluster)
    cautions = asyncio.run(try_engines(tournament, settings))

    async def run(journal: Journal) -> RunEnd:
        def tell(event: Event) -> None:
            events.append(event)
            hears(event, runner)

        runner = Runner(journal, settings, tell, cautions=cautions)
        return await runner.run()

    header = Header(tournament, tuple(openings))
    with Journal.resume(str(file)) if resume else Journal.create(str(file), header) as journal:
        return Done(asyncio.run(run(journal)), file, events)


# A cluster that is there


@dataclass
class Machines:
    """A scheduler, and workers that come when they are asked to: all in processes of their own."""

    address: str
    mark: str
    folder: Path
    running: list[subprocess.Popen[bytes]]

    def worker(self, *words: str, threads: int = 1) -> None:
        """One more; returns once it is there."""
        log = self.folder / f"{len(self.running)}.log"
        words = ("--no-nanny", "--nthreads", str(threads), "--no-dashboard", *words)
        self.running.append(dask("worker", self.address, *words, folder=self.folder, mark=self.mark, log=log))
        wait_until("a worker does not come", lambda: "Registered to:" in log.read_text())

    def cluster(self, **changes: Any) -> Cluster:
        return Cluster(self.address, **{"wait_s": 60.0, **changes})


def dask(*words: str, folder: Path, mark: str, log: Path, failures: int = 3) -> subprocess.Popen[bytes]:
    settings = {
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures),
        "DASK_TEMPORARY_DIRECTORY": str(folder),
    }
    with log.open("wb") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            cwd=folder,
            env={**os.environ, **settings, "MATCH_MARK": mark},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )


@contextmanager
def scheduler(folder: Path, failures: int = 3) -> Iterator[Machines]:
    folder.mkdir()
    file, log = folder / "scheduler.json", folder / "scheduler.log"
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    process = dask("scheduler", *words, folder=folder, mark=str(folder), log=log, failures=failures)
    machines = Machines("", str(folder), folder, [process])
    try:
        wait_until("the scheduler does not start", lambda: file.exists() and file.read_text().strip().endswith("}"))
        machines.address = json.loads(file.read_text())["address"]
        yield machines
    finally:
        for process in reversed(machines.running):
            process.kill()
            process.wait()
    wait_for_nobody(machines.mark)


def test_workers_may_join_and_be_killed(tmp_path: Path) -> None:
    """From no worker at all to one, to two, and back to one; one of the engines is a bad one."""
    engines = [contestant("a"), contestant("b"), contestant("bad", "crash", 3)]
    tournament = of(engines, rounds=2)

    def hears(event: Event, _: Runner) -> None:
        if isinstance(event, Caution) and "there are no workers" in event.message and "seconds at most" in event.message:
            machines.worker()
        elif isinstance(event, PairEnd) and event.finished == 4:
            machines.worker(threads=2)
        elif isinstance(event, Move) and len(machines.running) == 3:
            machines.running[1].kill()

    with scheduler(tmp_path / "dask") as machines:
        done = on_cluster(tournament, tmp_path, machines.cluster(), recover=True, hears=hears)
        assert (done.end.reason, done.end.finished) == ("finished", 12)
        assert machines.running[1].poll() == -signal.SIGKILL
        assert engines_of(machines.mark) == []
    records = read_journal(str(done.journal)).records
    assert len({record.pairing for record in records}) == len(records) == 6
    assert len({record.worker for record in records}) == 2
    lost = Counter(game.loser_name for record in records for game in record.games if game.termination.is_fault)
    assert lost == {"bad": 8}
    assert sum("seconds at most" in message for message in done.cautions) == 1
    assert sum("yet: whether the engines can be had" in message for message in done.cautions) == 1
    kinds = Counter(type(event) for event in done.events)
    assert kinds[Move] >= sum(len(game.plies) for record in records for game in record.games), "each is told, or more"
    assert kinds[GameEnd] >= 12
    play(tournament, tmp_path, recover=True)
    assert told(done.journal) == told(tmp_path / "journal.jsonl")
    tables = [Report(read_journal(str(tmp_path / name))).standings() for name in ("cluster.jsonl", "journal.jsonl")]
    assert tables[0] == tables[1]


@pytest.mark.long
def test_a_run_that_ends_early_leaves_no_game_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = [contestant("a"), contestant("b")]
    slow = of([contestant("a", "hang", 3), contestant("b", "hang", 5)], rounds=4)
    test = of([two[0], contestant("b", "resign")], format="match", rounds=200, sprt=Sprt(elo0=0, elo1=400))

    def interrupted(event: Event, runner: Runner) -> None:
        if isinstance(event, Move):
            runner.interrupt()

    with scheduler(tmp_path / "dask") as machines:
        machines.worker(threads=2)
        done = on_cluster(slow, tmp_path / "interrupted", machines.cluster(), hears=interrupted)
        assert (done.end.reason, bool(done.end.resume)) == ("interrupted", True)
        assert engines_of(machines.mark) == []

        done = on_cluster(test, tmp_path / "decided", machines.cluster())
        assert (done.end.reason, done.end.resume) == ("sprt", "")
        assert 0 < done.end.finished < 400
        assert engines_of(machines.mark) == []

        with monkeypatch.context() as patched:
            patched.setattr("damd.match.cluster.rules_of", lambda _: load("thai"))
            with pytest.raises(Unfit, match="the worker's rules of dam-haji are not the manager's"):
                on_cluster(of(two), tmp_path / "other", machines.cluster())
            patched.setattr("damd.match.cluster.__version__", "0.0")
            with pytest.raises(Unfit, match=r"the worker has damd \S+, the manager 0.0: they must be the same \(on "):
                on_cluster(of(two), tmp_path / "other", machines.cluster())

        def lost(event: Event, _: Runner) -> None:
            if isinstance(event, Move):
                machines.running[0].kill()

        done = on_cluster(slow, tmp_path / "lost", machines.cluster(), hears=lost)
        assert done.end.reason == "failed"
        assert f"the scheduler at {machines.address} has gone" in done.end.message
        wait_until("workers without a scheduler play on", lambda: not engines_of(machines.mark))


def test_a_pair_that_ends_its_worker_ends_the_run(tmp_path: Path) -> None:
    tournament = of([contestant("a"), contestant("b", "kill-parent")], rounds=2)
    with scheduler(tmp_path / "dask", failures=0) as machines:
        machines.worker("--resources", "game=1", threads=4)
        done = on_cluster(tournament, tmp_path, machines.cluster(resource="game"))
        assert (done.end.reason, done.end.finished) == ("failed", 0)
        assert "is given up, its workers have ended: 1 of them, at last tcp://127.0.0.1:" in done.end.message
        assert "--resume" in done.end.resume
        wait_until("engines outlive their worker", lambda: not engines_of(machines.mark))
        done = on_cluster(tournament, tmp_path, machines.cluster(resource="coin", wait_s=0.2), resume=True)
        assert done.end.reason == "failed"
        assert "there are no workers with the resource coin at tcp://127.0.0.1:" in done.end.message
        assert "nor have any come within 0.2 seconds" in done.end.message


# A cluster of the run's own


def at_a_terminal(*words: str, folder: Path) -> subprocess.Popen[bytes]:
    """In a process group, which Ctrl-C goes to."""
    return subprocess.Popen(
        [*DAMD, "match", *words, "--cluster", "2", "--overload", "--events"],
        cwd=folder,
        env={**os.environ, "MATCH_MARK": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ends_quietly(manager: subprocess.Popen[bytes], folder: Path) -> None:
    """Behind Ctrl-C: with its own words alone, and nobody left."""
    out, err = manager.communicate(timeout=60)
    assert (manager.returncode, json.loads(out.splitlines()[-1])["reason"]) == (130, "interrupted")
    assert [line for line in err.decode().splitlines() if "go on with: damd match --resume" not in line] == []
    assert left_over(str(folder)) == []


def test_killed_interrupted_and_gone_on_with_it_comes_to_the_same(tmp_path: Path) -> None:
    mark = str(tmp_path)
    words = (*TWO, "--games", "12", "--tc", "nodes=10", "--seed", "3")
    manager = at_a_terminal(*words, folder=tmp_path)
    assert manager.stdout is not None
    kinds: Counter[str] = Counter()
    for line in manager.stdout:
        kind = json.loads(line)["event"]
        kinds[kind] += 1
        if kind == "move" and kinds[kind] == 1:
            os.kill(own_workers(mark)[0], signal.SIGKILL)
        if kind == "pair-end" and kinds[kind] == 2:
            os.killpg(manager.pid, signal.SIGINT)  # as a terminal does
            break
    ends_quietly(manager, tmp_path)
    assert 2 <= len(told(tmp_path / "match.jsonl")) < 6
    assert damd("match", "--resume", "match.jsonl", folder=tmp_path).code == 0
    assert damd("match", *words, "--journal", "whole.jsonl", folder=tmp_path).code == 0
    assert told(tmp_path / "match.jsonl") == told(tmp_path / "whole.jsonl")


# What cannot be


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--cluster", "0"), 2, "1 to 1000"),
        (("--cluster", "2", "--scheduler", "tcp://x:1"), 2, "--cluster and --scheduler"),
        (("--cluster", "2", "--concurrency", "2"), 2, "--concurrency: --cluster says how many"),
        (("--scheduler", "tcp://x:1", "--concurrency", "1"), 2, "--concurrency: --scheduler says how many"),
        (("--cluster", "1", "--pin"), 2, "--pin: goes with games of this process, not with --cluster"),
        (("--cluster", "1", "--dry-run"), 2, "--cluster: nothing is played"),
        (("--cluster", "1", "--resource", "game"), 2, "--resource: goes with --scheduler"),
        (("--resource", "game"), 2, "--resource: goes with --scheduler or --cluster"),
        (("--worker-wait", "9"), 2, "--worker-wait: goes with"),
        (("--scheduler", "tcp://x:1", "--worker-wait", "0"), 2, "1 to 86400"),
        (("--scheduler", "tcp://x:1", "--overload"), 2, "--overload: the threads of its workers"),
        (("--scheduler", "x:8786"), 2, "'x:8786' is no address: write tcp://HOST:PORT"),
        (("--scheduler", "tcp://x:99999"), 2, "is no address"),
        (("--scheduler", "tcp://x"), 2, "is no address"),
        (("--cluster", "999"), 1, "999 games at once are too many"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_makes_no_sense_is_said_in_a_line(
    words: tuple[str, ...],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert exit_code("match", *TWO, *words) == code
    err = capsys.readouterr().err
    assert said in err.splitlines()[-1], err
    assert os.listdir(tmp_path) == []


def exit_code(*words: str) -> int:
    """Also where the words are at fault by themselves."""
    try:
        return cli.main(list(words))
    except SystemExit as end:
        return int(end.code or 0)


def test_nothing_to_be_played_with_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["match", "--report", "x.jsonl", "--cluster", "2"]) == 2
    assert "--cluster: nothing is played" in capsys.readouterr().err


def test_without_dask_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dask_places, "find_spec", lambda _: None)
    assert cli.main(["match", *TWO, "--cluster", "1"]) == 1
    assert "the package distributed, which is not installed: pip install 'damd[cluster]'" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_nothing_of_dask_is_imported_without_need() -> None:
    program = "import sys, damd.tools.match, damd.match.runner; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("listening", [False, True])
def test_a_scheduler_that_does_not_answer_is_told_and_no_journal_begun(
    listening: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("damd.match.cluster.CONNECT_S", 0.3)
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        if listening:
            there.listen()
        address = f"tcp://127.0.0.1:{there.getsockname()[1]}"
        assert cli.main(["match", *TWO, "--scheduler", address]) == 1
    assert f"damd: no Dask scheduler at {address}: " in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


# The big ones


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_hundred_pairs_and_workers_killed_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))
    engines = [EngineSpec("a", DAMD), EngineSpec("b", DAMD, time=parse_time_control("nodes=60"))]
    tournament = of(engines, format="match", rounds=200)
    openings = own_ballots(load("dam-haji")).openings
    seed = time.time_ns()
    dice = random.Random(seed)
    moments = set(dice.sample(range(10, 180), 8))

    def hears(event: Event, _: Runner) -> None:
        if isinstance(event, PairEnd) and event.finished // 2 in moments:
            moments.discard(event.finished // 2)
            threading.Timer(dice.random(), kill_one).start()

    def kill_one() -> None:
        for pid in dice.sample(own_workers(str(tmp_path)), 1):
            os.kill(pid, signal.SIGKILL)

    done = on_cluster(tournament, tmp_path, Cluster(workers=2), hears=hears, openings=openings)
    assert (done.end.reason, done.end.finished) == ("finished", 400), seed
    assert moments == set()
    records = read_journal(str(done.journal)).records
    assert len({record.pairing for record in records}) == len(records) == 200
    assert len({record.worker for record in records}) > 4, "who was killed has been replaced"
    play(tournament, tmp_path, concurrency=2, openings=openings)
    assert told(done.journal) == told(tmp_path / "journal.jsonl"), seed


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_pair_that_ends_every_worker_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With workers that are started anew: the default is to give up with the fourth."""
    monkeypatch.setenv("MATCH_MARK", str(tmp_path))
    tournament = of([contestant("a"), contestant("b", "kill-parent")], rounds=2)
    done = on_cluster(tournament, tmp_path, Cluster(workers=2))
    assert (done.end.reason, done.end.finished) == ("failed", 0)
    assert "is given up, its workers have ended: 4 of them" in done.end.message
    assert engines_of(str(tmp_path)) == []


@pytest.mark.long
@pytest.mark.parametrize("moment_s", [0.0, 0.3, 0.6, 1.0, 1.5, 2.0])
def test_interrupted_while_it_starts(moment_s: float, tmp_path: Path) -> None:
    manager = at_a_terminal(*TWO, "--games", "40", "--tc", "movetime=0.2", folder=tmp_path)
    assert manager.stdout is not None
    assert json.loads(manager.stdout.readline())["event"] == "run-start"
    time.sleep(moment_s)
    os.killpg(manager.pid, signal.SIGINT)
    ends_quietly(manager, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_engines_of_a_manager_that_is_killed_end_and_the_workers_live_on(tmp_path: Path) -> None:
    with scheduler(tmp_path / "dask") as machines:
        machines.worker(threads=2)
        words = (*TWO, "--games", "40", "--tc", "movetime=0.2", "--scheduler", machines.address, "--events")
        for moment in (1, 30):
            (folder := tmp_path / str(moment)).mkdir()
            manager = begun(*words, folder=folder, mark=machines.mark)
            assert manager.stdout is not None
            count = moment
            while count:
                count -= b'"move"' in manager.stdout.readline()
                assert manager.poll() is None, manager.communicate()
            manager.kill()
            assert b"Traceback" not in manager.communicate()[1]
            wait_until("the engines of a dead manager play on", lambda: not engines_of(machines.mark))
        assert on_cluster(of([contestant("a"), contestant("b")]), tmp_path, machines.cluster()).end.reason == "finished"


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_manager_that_is_killed_leaves_nobody(tmp_path: Path) -> None:
    words = (*TWO, "--games", "40", "--tc", "nodes=10", "--seed", "3", "--cluster", "2", "--overload", "--events")
    dice = random.Random(time.time_ns())
    for _ in range(3):
        manager = begun(*words, folder=tmp_path, mark=str(tmp_path))
        assert manager.stdout is not None
        count = dice.randint(1, 60)
        while count and manager.poll() is None:
            count -= b'"move"' in manager.stdout.readline()
        manager.kill()
        assert b"Traceback" not in manager.communicate()[1]
        wait_for_nobody(str(tmp_path))
        words = ("--resume", "match.jsonl", "--cluster", "2", "--overload", "--events")
    done = damd("match", "--resume", "match.jsonl", "--cluster", "2", "--overload", folder=tmp_path)
    assert (done.code, "40 of 40 games" in done.out) == (0, True), done.err
    assert left_over(str(tmp_path)) == []
