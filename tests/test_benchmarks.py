"""What the benchmarks measure in, and how they read what a search reports."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks import figures, pdn, pdn_games, processes
from benchmarks.positions import MIDDLE_GAMES
from benchmarks.processes import Daemon, DameRs, PdnReader
from damd.core.position import Position
from damd.notation.fen import format_fen, parse_fen
from damd.notation.pdn import read_games
from damd.variants import load, names


def test_every_game_is_searched_in_three_middle_games() -> None:
    assert set(MIDDLE_GAMES) == {load(name).names.name for name in names()}
    for game, fens in MIDDLE_GAMES.items():
        rules = load(game)
        start = sum(Position(rules).pieces)
        assert len(set(fens)) == 3
        for fen in fens:
            position = Position(rules, parse_fen(fen, rules))
            assert format_fen(position.setup(), rules) == fen
            assert position.outcome() is None
            assert start / 3 < sum(position.pieces) < start
            assert len(position.plies()) > 3


class Puppet(Daemon):
    """A daemon without a process."""

    def __init__(self, **options: str) -> None:
        self.told: list[str] = [f"{name}={value}" for name, value in options.items()]

    def __exit__(self, *_: object) -> None: ...

    def send(self, line: str) -> None:
        self.told.append(line)

    def ask(self, line: str, start: str) -> list[str]:
        self.told += [line, f"until {start}"]
        rate = 3_000_000 + 100_000 * sum(told.startswith("position fen") for told in self.told)
        return [
            "info depth 8 seldepth 9 multipv 1 score cp 1 nodes 10 nps 9 hashfull 0 time 1 pv 1-2",
            f"info nodes 40 nps {rate} hashfull 0 time 1000",
            "info depth 9 currmove 1-2 currmovenumber 1",
            "bestmove 1-2",
        ]


def test_a_search_rate_is_the_last_that_was_reported() -> None:
    daemon = Puppet(Hash="64")
    assert daemon.search_rate(None, 300) == 3_000_000
    assert daemon.search_rate("W:W1:B2", 300) == 3_100_000
    assert daemon.told == [
        *("Hash=64", "ucinewgame", "position startpos", "go movetime 300", "until bestmove "),
        *("ucinewgame", "position fen W:W1:B2", "go movetime 300", "until bestmove "),
    ]


DAME = """depth  9  seldepth 14  score   +0.02  nodes       61000  time   0.049s  pv 31-27 20-24
depth 10  seldepth 21  score   +0.00  nodes      800000  time   0.400s  pv 31-27 20-24 34-30
bestmove 31-27 (2.00 Mnps)
"""


def test_the_rows_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []

    def run(command: list[Any], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append([str(word) for word in command[1:]])
        return subprocess.CompletedProcess(command, 0, DAME)

    monkeypatch.setattr(processes.subprocess, "run", run)
    monkeypatch.setattr(figures, "Daemon", Puppet)
    monkeypatch.setattr(DameRs, "install", lambda _: None)
    found = figures.search(2)
    assert len(found.rows) == len(MIDDLE_GAMES) + 1
    assert len(commands) == 8
    assert commands[0] == ["search", "--time", "0.4", "--hash", "64"]
    assert commands[1][:3] == ["search", "--fen", MIDDLE_GAMES["international"][0]]
    at = next(number for number, row in enumerate(found.rows) if row.figure.startswith("search, international, "))
    ours, beside = found.rows[at : at + 2]
    # The puppet grows faster with every position that it is given.
    assert ours.measured == "3.3 (3.15 to 3.45) million nodes/s"
    assert (beside.figure[:20], beside.measured, beside.met) == ("… beside dame-rs 0.2", "1.65 times", True)


def test_everybody_reads_the_same_plies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that reads fewer plies of a game than damd is not compared: it says so instead."""
    made = []

    def engine_games(count: int) -> list[str]:
        made.append(count)
        return [f"game {number}" for number in range(count)]

    lost = {"pydraughts": 0, "py-draughts": 0}

    def read(peer: PdnReader, games: Path) -> tuple[int, float]:
        count = len(json.loads(games.read_text(encoding="utf-8")))
        assert count == peer.games
        return 100 * count - lost[peer.package], count / 10

    monkeypatch.setattr(pdn, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(pdn_games, "engine_games", engine_games)
    monkeypatch.setattr(PdnReader, "install", lambda _: None)
    monkeypatch.setattr(PdnReader, "read", read)
    monkeypatch.setattr(pdn, "damd_reads", lambda games: (100 * len(json.loads(games.read_text(encoding="utf-8"))), 10.0))
    found = pdn.pdn(2)
    assert made == [pdn.GAMES], "the games are kept"
    assert [row.measured for row in found.rows] == ["10 thousand plies/s", "10 times", "10 times"]
    assert "1,000 engine games without results, 100,000 plies" in found.rows[0].figure
    assert "pydraughts 0.6.7 on 10 of them" in found.rows[1].figure
    for package, plies in (("pydraughts", "999 plies of 1000"), ("py-draughts", "99999 plies of 100000")):
        lost[package] = 1
        with pytest.raises(RuntimeError, match=f"{package} reads {plies}"):
            pdn.pdn(1)
        lost[package] = 0


def test_the_games_that_everybody_reads() -> None:
    texts = pdn_games.engine_games(2)
    assert texts == pdn_games.engine_games(2)
    for text in texts:
        # Not a result that a ply could begin with: py-draughts would take 1-18 for it.
        assert '[Result "*"]' in text
        (read,) = read_games([text])
        assert read.game is not None
        assert read.faults == ()
        assert len(read.game.line.nodes) > 30
