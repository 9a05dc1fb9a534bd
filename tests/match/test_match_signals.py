"""A manager that is told to end, loses its terminal or has nobody who reads it: it ends, leaves nobody and loses nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from damd.match import live
from damd.match.journal import read_journal
from match_runs import ENGINES, begun, engine_text, left_over

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


def engines(*modes: str) -> list[str]:
    command = (sys.executable, str(ENGINES / "contestant.py"))
    named = [engine_text(f"{place}-{mode}", (*command, mode)) for place, mode in enumerate(modes)]
    return [word for text in named for word in ("--engine", text)]


ENDLESS = (*engines("fine", "fine"), "--tc", "nodes=1", "--games", "10000")


def begun_and_playing(*words: str, folder: Path, first: Callable[[], object] | None = None) -> subprocess.Popen[bytes]:
    """The manager, in the middle of a game."""
    process = begun(*words, "--events", folder=folder, mark=str(folder), first=first)
    assert process.stdout is not None
    while b'"move"' not in (line := process.stdout.readline()):
        assert line, process.communicate()[1]
    return process


def ended(process: subprocess.Popen[bytes], folder: Path) -> str:
    """What it says on stderr; it leaves no process."""
    _, err = process.communicate(timeout=60)
    assert left_over(str(folder)) == []
    assert b"Traceback" not in err
    return err.decode()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_a_run_as_ctrl_c_does(name: str, tmp_path: Path) -> None:
    process = begun_and_playing(*ENDLESS, folder=tmp_path)
    process.send_signal(signal.Signals[name])
    assert "interrupted; go on with: damd match --resume match.jsonl" in ended(process, tmp_path)
    assert process.returncode == 130
    read_journal(str(tmp_path / "match.jsonl"))


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_engines_are_tried_leaves_none(name: str, tmp_path: Path) -> None:
    process = begun(*engines("silent", "fine"), "--games", "2", folder=tmp_path, mark=str(tmp_path))
    until = time.monotonic() + 60
    while len(left_over(str(tmp_path))) < 2:  # the manager and an engine
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.Signals[name])
    assert ended(process, tmp_path) == ""
    assert process.returncode == 130
    assert os.listdir(tmp_path) == []


def test_more_signals_change_nothing(tmp_path: Path) -> None:
    process = begun_and_playing(*engines("deaf", "fine"), "--tc", "nodes=1", "--games", "2", folder=tmp_path)
    assert process.stdout is not None
    process.stdout.readline()  # another ply
    time.sleep(0.5)  # until it is deaf
    for one in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):  # its end takes 2 seconds
        process.send_signal(one)
        time.sleep(0.1)
    assert "interrupted" in ended(process, tmp_path)
    assert process.returncode == 130


def test_what_nohup_ignores_stays_ignored(tmp_path: Path) -> None:
    words = (*engines("fine", "fine"), "--tc", "nodes=1", "--games", "4")
    process = begun_and_playing(*words, folder=tmp_path, first=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    assert ended(process, tmp_path) == ""
    assert process.returncode == 0


@pytest.mark.long
def test_a_reader_that_takes_nothing_holds_up_no_end(tmp_path: Path) -> None:
    process = begun(*ENDLESS, "--events", folder=tmp_path, mark=str(tmp_path))
    assert process.stdout is not None
    process.stdout.readline()
    journal, until = tmp_path / "match.jsonl", time.monotonic() + 60
    while not journal.exists() or journal.stat().st_size < 60_000:  # the pipe has been full for long
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert "interrupted" in ended(process, tmp_path)
    assert process.returncode == 130


def test_nobody_waits_for_a_reader_when_the_run_is_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_MOST_WAITING", 10)
    monkeypatch.setattr(live, "_MOMENT_S", 0.05)
    reading, writing = os.pipe()
    with open(reading), open(writing, "w") as stream:
        tape = live.Tape(stream)
        tape.put(*["x" * 10_000] * 50)
        waiting = threading.Thread(target=tape.settle)
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
        tape.hurry()
        waiting.join(60)
        assert not waiting.is_alive()
        tape.close()
        assert tape.stuck
        os.set_blocking(reading, False)
        read = 0
        while tape.stuck:  # until its thread has written what it is at
            with contextlib.suppress(BlockingIOError):
                read += len(os.read(reading, 1 << 20))
            time.sleep(0.001)
        assert read > 10_000


def close_all(numbers: Iterable[int]) -> None:
    for number in numbers:
        os.close(number)


@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_nothing_is_printed_into_a_journal(closed: tuple[int, ...], tmp_path: Path) -> None:
    """The number of a stream that was closed is that of the next file which is opened."""
    words = (*engines("fine", "fine"), "--tc", "nodes=1", "--games", "2")
    process = begun(*words, folder=tmp_path, mark=str(tmp_path), first=lambda: close_all(closed))
    assert ended(process, tmp_path) == ""
    assert process.returncode == 0
    assert len(read_journal(str(tmp_path / "match.jsonl")).records) == 1


def test_a_name_that_the_output_cannot_have_ends_no_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    named = engine_text("Zürich", (sys.executable, str(ENGINES / "contestant.py"), "fine"))
    process = begun("--engine", named, *engines("fine"), "--tc", "nodes=1", "--games", "2", folder=tmp_path)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"Z\\xfcrich against 0-fine: " in out
