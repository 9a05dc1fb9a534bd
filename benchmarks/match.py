"""What the runner of tournaments costs: its own processor time for a move, and its share of a processor meanwhile."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.figures import Figures, Row
from damd.match.events import Event, Move
from damd.match.journal import Header, Journal
from damd.match.model import Adjudication, EngineSpec, Tournament
from damd.match.openings import own_ballots
from damd.match.runner import Runner, RunSettings
from damd.match.timecontrol import parse_time_control
from damd.variants import load

_GAME = "dam-haji"
#: Games so long that a whole game is sent for most moves.
_PLIES = 80
#: Games at once that are measured, and a move's time where the share is.
_AT_ONCE = (1, 2)
_MOVE_MS = 100


class Meter:
    """Hears of a run; the processor time of this process between one move and the next, in milliseconds."""

    def __init__(self) -> None:
        self.own_ms: list[float] = []
        self._before: float | None = None

    def __call__(self, event: Event) -> None:
        now = 1000 * time.process_time()
        if isinstance(event, Move) and self._before is not None:
            self.own_ms.append(now - self._before)
        self._before = now if isinstance(event, Move) else None


def runner(rounds: int) -> Figures:
    """A move at depth 1 beside engines that hardly think; and the share of a processor while they take 100 ms a move."""
    rows: list[Row] = []
    numbers: dict[str, object] = {}
    for at_once in _AT_ONCE:
        meter, _, _ = _played("depth=1", rounds, at_once)
        middle = median(meter.own_ms)
        games = "1 game" if at_once == 1 else f"{at_once} games at once"
        figure = f"match: the runner's own time for a move, {games}, {len(meter.own_ms)} moves, median"
        rows.append(Row(figure, f"{middle:.2f} ms", "under 1 ms", middle < 1))
        numbers[f"own_ms_{at_once}"] = meter.own_ms
    for at_once in _AT_ONCE:
        _, own_s, wall_s = _played(f"movetime={_MOVE_MS / 1000}", max(1, rounds // 4) * at_once, at_once)
        share = 100 * own_s / wall_s / at_once
        games = "1 game" if at_once == 1 else f"each of {at_once} games at once"
        figure = f"match: the runner's share of a processor at {_MOVE_MS} ms a move, {games}"
        rows.append(Row(figure, f"{share:.1f} %", "under 5 %", share < 5))
        numbers[f"share_{at_once}"] = {"own_s": own_s, "wall_s": wall_s}
    return Figures(rows, numbers)


def _played(limit: str, pairs: int, at_once: int) -> tuple[Meter, float, float]:
    """So many pairs of games of damd with itself; the runner's processor time and the time that passed, in seconds."""
    command = (sys.executable, "-m", "damd")
    tournament = Tournament(
        engines=tuple(EngineSpec(name, command, options=(("Hash", "1"),)) for name in "ab"),
        variant=_GAME,
        format="match",
        rounds=pairs,
        time=parse_time_control(limit),
        margin_ms=60_000,
        adjudication=Adjudication(max_plies=_PLIES),
    )
    header = Header(tournament, own_ballots(load(_GAME)).openings)
    meter = Meter()
    with TemporaryDirectory() as folder, Journal.create(str(Path(folder, "journal.jsonl")), header) as journal:
        own, passed = time.process_time(), time.perf_counter()
        end = asyncio.run(Runner(journal, RunSettings(at_once), meter).run())
        own, passed = time.process_time() - own, time.perf_counter() - passed
    if end.reason != "finished":
        raise RuntimeError(f"the match was not played: {end.message}")
    return meter, own, passed
