"""How fast games are read from PDN and checked, beside two libraries in Python on the same games."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import median

from benchmarks import pdn_games
from benchmarks.figures import Figures, Row, speed
from benchmarks.processes import CACHE, Command, PdnReader, PyDraughtsPdn, PydraughtsPdn
from damd import __version__

GAMES = 1000
TARGET = 5.0


def games_file(count: int) -> Path:
    """The first of the games that everybody reads: made once for a version of damd and of their maker, and kept."""
    maker = blake2b(Path(pdn_games.__file__).read_bytes(), digest_size=4).hexdigest()

    def file_of(number: int) -> Path:
        return CACHE / f"pdn-games-{__version__}-{maker}-{number}.json"

    file = file_of(count)
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        all_games = file_of(GAMES)
        games = json.loads(all_games.read_text(encoding="utf-8")) if all_games.exists() else pdn_games.engine_games(GAMES)
        all_games.write_text(json.dumps(games), encoding="utf-8")
        file.write_text(json.dumps(games[:count]), encoding="utf-8")
    return file


def damd_reads(games: Path) -> tuple[int, float]:
    """Plies that damd reads and checks, and the seconds of processor time that takes, without start and imports."""
    command: Command = [sys.executable, Path(__file__).with_name("pdn_damd.py"), games]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer["plies"], answer["seconds"]


def pdn(rounds: int) -> Figures:
    """Plies a second of processor time, everybody in a process of its own, in turns.

    Raises ``RuntimeError`` where somebody reads fewer plies, or more, than damd of the same games.
    """
    peers = (PydraughtsPdn(), PyDraughtsPdn())
    for peer in peers:
        peer.install()
    plies = {count: damd_reads(games_file(count))[0] for count in {GAMES, *(peer.games for peer in peers)}}
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer.package: [] for peer in peers}
    for _ in range(rounds):
        total, seconds = damd_reads(games_file(GAMES))
        ours.append(total / seconds)
        for peer in peers:
            read, seconds = peer.read(games_file(peer.games))
            if read != plies[peer.games]:
                raise RuntimeError(f"{peer.package} reads {read} plies of {plies[peer.games]}")
            theirs[peer.package].append(read / seconds)
    return Figures(_rows(plies[GAMES], ours, theirs, peers), {"damd": ours, **theirs})


def _rows(total: int, ours: list[float], theirs: dict[str, list[float]], peers: Sequence[PdnReader]) -> list[Row]:
    fastest = max(peers, key=lambda peer: median(theirs[peer.package]))
    games = f"{GAMES:,} engine games without results, {total:,} plies, international"
    rows = [Row(f"PDN read and checked, {games}", plies_rate(median(ours)))]
    for peer in peers:
        ratio = median(mine / its for mine, its in zip(ours, theirs[peer.package], strict=True))
        few = f" on {peer.games} of them" if peer.games != GAMES else ""
        beside = f"… beside {peer.package} {peer.version}{few} ({plies_rate(median(theirs[peer.package]))})"
        target = (f"{TARGET:g} times", ratio >= TARGET) if peer is fastest else ("", None)
        rows.append(Row(beside, f"{ratio:.3g} times", *target))
    return rows


def plies_rate(rate: float) -> str:
    return f"{speed(rate).removesuffix('/s')} plies/s"
