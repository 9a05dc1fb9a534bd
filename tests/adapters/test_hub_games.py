"""Whole games of other people's Hub clients against damd through ``damd-hub``; every move is legal by our rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from damd.variants import load
from damd_adapters.hub.board import read_move
from damd_adapters.table import Table
from peers import PEERS, Peer
from talking import PATIENCE_S, ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="starts the adapter by a shell script")

NAMES = {"standard": "international", "breakthrough": "breakthrough", "antidraughts": "losing"}
PYDRAUGHTS, PY_DRAUGHTS = PEERS["pydraughts"], PEERS["py-draughts"]


def adapter(folder: Path, *arguments: str) -> Path:
    """A program that these clients can start: they take a path and add ``hub``. What it says on stderr is kept."""
    file = folder / "damd-hub"
    words = " ".join(arguments)
    file.write_text(
        f"#!/bin/sh\nexport PYTHONPATH='{ROOT}:{ROOT / 'adapters'}' TESTED_IN='{folder}'\n"
        f"exec '{sys.executable}' -m damd_adapters.hub {words} \"$@\" 2>'{folder / 'stderr'}'\n",
        encoding="utf-8",
    )
    file.chmod(0o755)
    return file


def play(peer: Peer, script: str, program: Path, *games: str) -> list[dict[str, object]]:
    """The games that the client has played, checked by our rules."""
    if not peer.package.installed:
        pytest.skip(f"{peer.package.package} is not installed: python tests/peers.py")
    command = [peer.package.python, Path(__file__).with_name(script), program, *games]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60 * PATIENCE_S, check=False)
    assert told.returncode == 0, told.stderr
    assert (program.parent / "stderr").read_text(encoding="utf-8") == ""
    assert running(program.parent) == []
    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(found) == len(games)
    for game in found:
        table = Table(load(NAMES[str(game["variant"])]))
        for text in game["moves"]:
            table.play(read_move(text, table.position))
        assert game["over"] or len(game["moves"]) == 160
        if game["over"]:
            assert table.outcome() is not None
    return found


def running(folder: Path) -> list[str]:
    """The processes that have this folder in their environment: the adapter's, and the engine's."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (entry / "environ").read_bytes():
                found.append(entry.name)
        except OSError:
            continue  # it has just ended, or is somebody else's
    return found


def pydraughts(folder: Path, *games: str) -> None:
    for game in play(PYDRAUGHTS, "peer_pydraughts_hub.py", adapter(folder), *games):
        assert game["complaints"] == []
        assert game["infos"]


def py_draughts(folder: Path, gap_ms: int, *games: str) -> None:
    """It loses lines that it does not read before the next one comes: hence the gap, which a busy machine needs."""
    for game in play(PY_DRAUGHTS, "peer_py_draughts_hub.py", adapter(folder, "--slow-handshake", str(gap_ms)), *games):
        assert game["scores"]


def test_two_games_with_pydraughts(tmp_path):
    pydraughts(tmp_path, "standard:w", "antidraughts:b")


def test_two_games_with_py_draughts(tmp_path):
    py_draughts(tmp_path, 60, "w", "b")


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_games_with_pydraughts(tmp_path):
    pydraughts(tmp_path, *(f"{variant}:{colour}" for variant in NAMES for colour in "wb"), *["standard:w", "standard:b"] * 7)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_games_with_py_draughts(tmp_path):
    py_draughts(tmp_path, 400, *("w", "b") * 10)
