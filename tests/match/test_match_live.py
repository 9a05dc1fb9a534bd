"""What is shown of a run: plain lines, JSON, the live table; a reader that leaves disturbs nobody."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pexpect
import pytest

from damd.match.events import (
    EVENTS,
    Caution,
    Event,
    GameEnd,
    GameStart,
    Move,
    PairEnd,
    RoundStart,
    Row,
    RunEnd,
    RunStart,
    Sprt,
    Standings,
    as_json,
)
from damd.match.live import JsonLines, LiveTable, PlainLines, Tape, duration
from match_runs import ENGINES, engine_text

FAKE = (sys.executable, str(ENGINES / "contestant.py"), "fine")
#: One of each kind.
RUN: list[Event] = [
    RunStart("j.jsonl", "dam-haji", "match", ("a", "ü"), 7, 4, 2, complete=True),
    Caution("look [out]", "1-1.1"),
    GameStart("2-1.1", "a", "ü", "ballot 3", "", ("22-18",)),
    Move("2-1.1", 1, 1, "11-15", 12.5, 9987.5, 0.0, 0.3, -14, None, 9, 48211),
    GameEnd("2-1.1", "a", "ü", 1, "no-moves", "", "", 1, 61.0, None, "", "Black wins (ü): no-moves"),
    PairEnd("2-1", 4, 4),
    RoundStart(6, complete=False),
    GameStart("3-1.1", "ü", "a", "ballot 4", "", ("22-18",)),
    GameEnd("3-1.1", "ü", "a", 0, "no-moves", "", "", 1, 1.0, None, "", "White wins (ü): no-moves"),
    Sprt(1.5, -2.94, 2.94, ""),
    Standings((Row(1, "ü", 4, 2, 2, 0, 6, 80.25, None, 0, 0, 0), Row(2, "a", 4, 0, 2, 2, 2, None, None, 0, 0, 0))),
    RunEnd("interrupted", "interrupted", 4, 6, "damd match --resume j.jsonl"),
]


def test_there_is_one_of_each() -> None:
    assert {type(event) for event in RUN} == set(EVENTS)


def test_plain_lines() -> None:
    lines: list[str] = []
    plain = PlainLines(lambda *given: lines.extend(given))
    for event in RUN:
        plain(event)
    assert lines == [
        "dam-haji, match of a, ü: 4 games, 2 of them in the journal already; seed 7; journal j.jsonl",
        "warning: look [out] (game 1-1.1)",
        "3/4  2-1.1  a - ü  Black wins (ü): no-moves (1 ply, 61.0 s)",
        "4/6  3-1.1  ü - a  White wins (ü): no-moves (1 ply, 1.0 s)",
        "interrupted: interrupted; 4 of 6 games are in the journal\ngo on with: damd match --resume j.jsonl",
    ]


def test_a_game_that_is_played_again_is_counted_once() -> None:
    lines: list[str] = []
    plain = PlainLines(lambda *given: lines.extend(given))
    (first, *_) = ends = [event for event in RUN if isinstance(event, GameEnd)]
    for event in (RUN[0], first, *ends):
        plain(event)
    assert [line.split()[:2] for line in lines[1:]] == [["3/4", "2-1.1"], ["3/4", "2-1.1"], ["4/4", "3-1.1"]]


def test_json_reads_back() -> None:
    lines: list[str] = []
    listener = JsonLines(lines.append)
    for event in RUN:
        listener(event)
    assert all(line.isascii() for line in lines)
    assert [json.loads(line)["event"] for line in lines] == [event.KIND for event in RUN]
    assert json.loads(as_json(RUN[10]))["rows"][0]["engine"] == "ü"
    assert json.loads(as_json(RUN[3]))["mate"] is None


def test_the_live_table() -> None:
    console = pytest.importorskip("rich.console")
    shown = io.StringIO()
    with LiveTable(console.Console(file=shown, force_terminal=True, width=100)) as table:
        for event in RUN[:4]:
            table(event)
        table._live.refresh()
        assert "2-1.1  a - ü  ply 1 11-15, -0.14, 10.0 s left" in shown.getvalue()
        for event in RUN[4:]:
            table(event)
    text = shown.getvalue()
    assert "warning: look [out]" in text
    assert "SPRT: LLR 1.50 (-2.94, 2.94), goes on" in text
    assert "1  ü           4  2  2  0       6  +80    -" in text
    assert "4 of 6 games" in text
    assert text.replace("\x1b[?25h", "").rstrip().endswith("go on with: damd match --resume j.jsonl")


def test_durations() -> None:
    assert [duration(seconds) for seconds in (0, 59.6, 3599.4, 3723)] == ["0:00", "1:00", "59:59", "1:02:03"]


def test_a_reader_that_leaves_disturbs_nobody() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stream = open(writing, "w")  # noqa: SIM115 - closing it fails
    with Tape(stream) as tape:
        tape.put("one", "two")
        tape.settle()
    assert tape.broken
    with pytest.raises(BrokenPipeError):
        stream.close()


def test_on_a_terminal_a_table_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    engines = [word for name in "ab" for word in ("--engine", engine_text(name, FAKE))]
    words = ["-m", "damd", "match", *engines, "--games", "2", "--seed", "3", "--tc", "nodes=1"]
    terminal = pexpect.spawn(sys.executable, words, cwd=str(tmp_path), timeout=60, encoding="utf-8", dimensions=(40, 120))
    terminal.expect(r"Engine +Games")
    terminal.expect("2 of 2 games")
    terminal.expect("all games are played")
    terminal.expect("a against b: ")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
