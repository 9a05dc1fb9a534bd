"""Hub engines behind ``damd-hub --engine`` for the tests: one that follows a script, and dame-rs."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

if not __package__:
    _ROOT = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(_ROOT / part) for part in ("", "adapters", "tests", "tests/adapters")]

from benchmarks.processes import DameRs
from damd_adapters.hub.engine_side import HubEngine, Patience
from foreign import Inside
from programs import Program
from talking import PATIENCE_S, ROOT

SCRIPTED = ROOT / "tests" / "engines" / "scripted_hub.py"
DAME = DameRs()
NO_DAME = f"{DAME.package} {DAME.version} is not installed: python tests/adapters/hub_engines.py"

#: For processes that are started without ``Program``.
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")])}

PATIENT = Patience.of(10)

#: Lines of the answer to one command, one answer after the other.
Script = dict[str, list[list[str]]]


def dame() -> list[str]:
    """The command of dame-rs as a Hub engine."""
    return [str(DAME.binaries / "dame"), "hub"]


def adapter(engine: Sequence[str], *arguments: str) -> list[str]:
    """The command of an engine of damd's protocol made of a Hub engine."""
    return [sys.executable, "-m", "damd_adapters.hub", *arguments, "--engine", shlex.join(engine)]


class _Told:
    """What a scripted engine has been told: its ``record``."""

    record: Path

    def told(self, count: int) -> list[str]:
        """So many lines, waited for."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            lines = self.record.read_text(encoding="utf-8").splitlines() if self.record.exists() else []
            if len(lines) >= count:
                return lines
            time.sleep(0.005)
        raise TimeoutError(f"the engine was told less than {count} lines: {lines}")


def scripted(folder: Path, script: Script) -> list[str]:
    """The command of an engine that follows a script."""
    return [sys.executable, "-I", "-S", str(SCRIPTED), str(folder / "record"), json.dumps(script)]


class Scripted(Program, _Told):
    """``damd-hub --engine`` with an engine that follows a script."""

    def __init__(self, folder: Path, script: Script, *arguments: str) -> None:
        self.record = folder / "record"
        super().__init__("hub", *arguments, "--engine", shlex.join(scripted(folder, script)))


class Inner(Inside, _Told):
    """The same without a process for the adapter."""

    def __init__(self, folder: Path, script: Script, game: str = "international", patience: Patience = PATIENT) -> None:
        self.record = folder / "record"
        command = scripted(folder, script)
        super().__init__(lambda host: HubEngine(command, game, patience, host))


if __name__ == "__main__":
    DAME.install()
