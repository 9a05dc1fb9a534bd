"""How fast games are read from PDN and checked, beside two libraries in Python on the same games."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.figures import Figures, Row, speed
from benchmarks.pdn_games import engine_games
from benchmarks.processes import CACHE, Command, PyDraughtsPdn, PydraughtsPdn
from damd import __version__

GAMES = 1000
TARGET = 5.0


def games_file(count: int) -> Path:
    """The first of the games that everybody reads: made once for a version of damd, and kept."""
    file = CACHE / f"pdn-games-{__version__}-{count}.json"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        all_games = CACHE / f"pdn-games-{__version__}-{GAMES}.json"
        games = json.loads(all_games.read_text(encoding="utf-8")) if all_games.exists() else engine_games(GAMES)
        all_games.write_text(json.dumps(games), encoding="utf-8")
        file.write_text(json.dumps(games[:count]), encoding="utf-8")
    return file


def pdn(rounds: int) -> Figures:
    """Plies a second of processor time, everybody in a process of its own, in turns."""
    peers = (PydraughtsPdn(), PyDraughtsPdn())
    for peer in peers:
        peer.install()
    file = games_file(GAMES)
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer.package: [] for peer in peers}
    total = 0
    for _ in range(rounds):
        command: Command = [sys.executable, Path(__file__).with_name("pdn_damd.py"), file]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        total = answer["plies"]
        ours.append(total / answer["seconds"])
        for peer in peers:
            plies, seconds = peer.read(games_file(peer.games))
            if peer.games == GAMES and plies != total:
                raise RuntimeError(f"{peer.package} reads {plies} plies of {total}")
            theirs[peer.package].append(plies / seconds)
    fastest = max(peers, key=lambda peer: median(theirs[peer.package]))
    rows = [Row(f"PDN read and checked, {GAMES:,} engine games, {total:,} plies, international", plies_rate(median(ours)))]
    for peer in peers:
        ratio = median(mine / its for mine, its in zip(ours, theirs[peer.package], strict=True))
        beside = f"… beside {peer.package} {peer.version} ({plies_rate(median(theirs[peer.package]))})"
        target = (f"{TARGET:g} times", ratio >= TARGET) if peer is fastest else ("", None)
        rows.append(Row(beside, f"{ratio:.3g} times", *target))
    return Figures(rows, {"damd": ours, **theirs})


def plies_rate(rate: float) -> str:
    return f"{speed(rate).removesuffix('/s')} plies/s"
