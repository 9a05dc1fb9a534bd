"""Tournaments of fake engines and of damd, run for the tests: in this process, or by the command in one of its own."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from damd.match.events import Event, RunEnd
from damd.match.journal import Header, Journal
from damd.match.model import Adjudication, EngineSpec, Opening, Tournament
from damd.match.player import Patience
from damd.match.records import GameRecord
from damd.match.runner import Runner, RunSettings, try_engines
from damd.match.timecontrol import parse_time_control

ENGINES = Path(__file__).resolve().parent.parent / "engines"
ROOT = ENGINES.parent.parent
DAMD = (sys.executable, "-m", "damd")
#: A machine that is busy with other things may be slow: none of the waits is waited out where nothing is wrong.
PATIENCE = Patience(start_s=60, answer_s=20, thinking_s=60)
#: For engines that are silent on purpose.
IMPATIENCE = Patience(start_s=60, answer_s=20, thinking_s=2)
OPENINGS = (Opening("", ("22-18",)), Opening("", ("22-17", "11-15")), Opening("", ("23-18", "9-13")))


def contestant(name: str, mode: str = "fine", ply: int = 2, **changes: object) -> EngineSpec:
    """A fake engine: see ``tests/engines/contestant.py``."""
    return EngineSpec(name, (sys.executable, str(ENGINES / "contestant.py"), mode, str(ply)), **changes)  # type: ignore[arg-type]


def of(engines: Sequence[EngineSpec], **changes: object) -> Tournament:
    """Short games, an opening for each encounter."""
    given = {
        "variant": "dam-haji",
        "format": "round-robin",
        "rounds": 1,
        "time": parse_time_control("nodes=20"),
        "adjudication": Adjudication(max_plies=24),
        **changes,
    }
    return Tournament(engines=tuple(engines), **given)  # type: ignore[arg-type]


@dataclass
class Done:
    """What a run has come to."""

    end: RunEnd
    games: list[GameRecord]
    events: list[Event] = field(default_factory=list)

    def lost(self, name: str) -> list[GameRecord]:
        """The games that this engine has lost."""
        return [game for game in self.games if game.loser_name == name]


def play(
    tournament: Tournament,
    folder: Path,
    *,
    patience: Patience = PATIENCE,
    concurrency: int = 1,
    openings: Sequence[Opening] = OPENINGS,
    resume: bool = False,
    recover: bool = False,
    hears: Callable[[Event], None] | None = None,
) -> Done:
    """A run in this process, behind which no process of its engines may be left."""
    file = str(folder / "journal.jsonl")
    events: list[Event] = []
    header = Header(tournament, tuple(openings))

    def tell(event: Event) -> None:
        events.append(event)
        if hears is not None:
            hears(event)

    settings = RunSettings(concurrency, patience, recover)
    cautions = asyncio.run(try_engines(tournament, settings))
    with Journal.resume(file) if resume else Journal.create(file, header) as journal:
        end = asyncio.run(Runner(journal, settings, tell, cautions=cautions).run())
        records = sorted(journal.records, key=lambda record: record.pairing)
        return Done(end, [game for record in records for game in record.games], events)


def engine_text(name: str, command: Sequence[str]) -> str:
    return f"name={name} cmd={shlex.quote(shlex.join(command))}"


def left_over(mark: str) -> list[int]:
    """Processes that have ``mark`` in their environment: what a run has left behind. Linux alone tells."""
    found = []
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if name.isdigit() and int(name) != os.getpid():
            try:
                data = Path("/proc", name, "environ").read_bytes()
                state = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if mark.encode() in data and state not in "ZX":
                found.append(int(name))
    return found


def wait_for_nobody(mark: str) -> None:
    """Engines end when their manager has gone; that may take a moment."""
    until = time.monotonic() + 30
    while left_over(mark):
        assert time.monotonic() < until, "engines are left behind"
        time.sleep(0.05)


def begun(*words: str, folder: Path, mark: str = "", first: Callable[[], object] | None = None) -> subprocess.Popen[bytes]:
    """``damd match`` in a process of its own, with ``mark`` in its environment and its engines'.

    ``first`` is called in that process, before all else.
    """
    return subprocess.Popen(
        [*DAMD, "match", *words],
        cwd=folder,
        env={**os.environ, "MATCH_MARK": mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        preexec_fn=first,
    )
