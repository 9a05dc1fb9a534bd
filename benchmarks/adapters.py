"""What the adapters cost: their start, and the time that one adds to each move."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median

from benchmarks.figures import Figures, Row
from benchmarks.processes import Daemon
from damd.core.position import Position
from damd.notation.plies import parse_ply
from damd.variants import load
from damd_adapters.hub.board import write_move

#: Searches so short that what is measured is the way there and back, in games so long that the whole game counts.
_DEPTH, _PLIES = 3, 60


class HubAdapter:
    """A ``damd-hub`` process and its two pipes."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "damd_adapters.hub"]
        # Compiled modules are kept, as after an install, whatever is the habit here.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
        )

    def __enter__(self) -> HubAdapter:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate("quit\n", timeout=30)

    def ask(self, lines: str, start: str) -> str:
        """Send lines; the first answer that begins with ``start``. Raises RuntimeError on an error or an early end."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for line in lines.splitlines():  # each with a flush, as programs do
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if line.startswith(start):
                return line.rstrip("\n")
            if not line or line.startswith("error"):
                raise RuntimeError(f"damd-hub answered {line.strip() or 'nothing'} where {start} was expected")


def hub(rounds: int) -> Figures:
    """From the start to ``wait``; and a move by Hub beside the same search asked of damd itself, ply by ply in turns."""
    _start()
    start_ms = [_start() for _ in range(3 * rounds)]
    added_ms: list[float] = []
    with HubAdapter() as adapter, Daemon(UCI_Variant="international", MissedCapture="forbidden") as daemon:
        adapter.ask("hub", "wait")
        adapter.ask("init", "ready")
        for _ in range(rounds):
            adapter.ask("new-game\nping", "pong")
            daemon.send("ucinewgame")
            daemon.ask("isready", "readyok")
            added_ms += _game(adapter, daemon)
    middle, start = median(added_ms), median(start_ms)
    rows = [
        Row(f"damd-hub: start to wait, median of {len(start_ms)}", f"{start:.0f} ms", "under 350 ms", start < 350),
        Row(
            f"damd-hub: added to a move (whole game sent, {len(added_ms)} moves), median",
            f"{middle:.2f} ms",
            "under 1 ms",
            middle < 1,
        ),
    ]
    return Figures(rows, {"start_ms": start_ms, "added_ms": added_ms})


def _start() -> float:
    """Milliseconds to ``wait``."""
    began = time.perf_counter()
    with HubAdapter() as adapter:
        adapter.ask("hub", "wait")
        return (time.perf_counter() - began) * 1000


def _game(adapter: HubAdapter, daemon: Daemon) -> list[float]:
    """Plays a game; for each ply the milliseconds that it took longer through the adapter."""
    rules = load("international")
    position = Position(rules)
    plies: list[str] = []
    moves: list[str] = []
    added: list[float] = []
    while len(plies) < _PLIES and position.count():
        played = f" moves {' '.join(plies)}" if plies else ""
        asked = f"position startpos{played}\ngo depth {_DEPTH}"
        game = f'pos moves="{" ".join(moves)}"\nlevel depth={_DEPTH}\ngo think'
        before = time.perf_counter()
        best = daemon.ask(asked, "bestmove ")[-1].split()[1]
        between = time.perf_counter()
        adapter.ask(game, "done ")
        added.append((time.perf_counter() - between - (between - before)) * 1000)
        ply = parse_ply(best, position)
        plies.append(best)
        moves.append(write_move(ply, rules.geometry))
        position.play(ply)
    return added
