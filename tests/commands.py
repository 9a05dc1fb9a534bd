"""The real command in a process of its own, for tests of the tools."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 60


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def faults(self) -> list[str]:
        return self.err.splitlines()


def damd(*arguments: str, given: str | bytes = "", folder: Path | None = None) -> Ended:
    """Run ``python -m damd`` with ``given`` on its stdin."""
    data = given.encode() if isinstance(given, str) else given
    done = subprocess.run(
        [sys.executable, "-m", "damd", *arguments],
        input=data,
        capture_output=True,
        cwd=folder,
        timeout=PATIENCE_S,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
