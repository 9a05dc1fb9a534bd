"""The programs that are measured, each a real process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "benchmarks"
EXE = ".exe" if sys.platform == "win32" else ""

#: A command and its arguments.
Command = Sequence["str | Path"]

#: The command that a user has after an install.
DAMD = Path(sys.executable).with_name("damd" + EXE)


class Daemon:
    """A damd process and its two pipes. ``option`` sets options before the handshake is over."""

    def __init__(self, **options: str) -> None:
        self.process = subprocess.Popen(
            [DAMD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1
        )
        self.handshake = self.ask("uci", "uciok")
        for name, value in options.items():
            self.send(f"setoption name {name} value {value}")
        self.ask("isready", "readyok")

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.send("quit")
        else:
            self.process.kill()
        self.process.communicate()

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, start: str) -> list[str]:
        """All lines up to the first that begins with ``start``. Raises RuntimeError on an error or an early end."""
        assert self.process.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            line = self.process.stdout.readline()
            if not line or line.startswith("error "):
                raise RuntimeError(f"damd answered {line.strip() or 'nothing'} where {start} was expected")
            lines.append(line.rstrip("\n"))
        return lines

    def ask(self, line: str, start: str) -> list[str]:
        self.send(line)
        return self.until(start)

    def perft(self, depth: int) -> tuple[int, float]:
        """Leaves of the current position's tree and the seconds from the command to the total."""
        start = time.perf_counter()
        total = self.ask(f"perft {depth}", "total ")[-1]
        return int(total.split()[1]), time.perf_counter() - start

    def search_rate(self, fen: str | None, milliseconds: int) -> float:
        """Nodes a second of a search with an empty table, in the start position or this one, as it reports them."""
        self.send("ucinewgame")
        self.send(f"position {f'fen {fen}' if fen else 'startpos'}")
        lines = self.ask(f"go movetime {milliseconds}", "bestmove ")
        reported = [found for line in lines if (found := re.search(r" nodes (\d+) nps (\d+) ", line))]
        return float(reported[-1][2])

    def peak_kib(self) -> int | None:
        return peak_kib(self.process.pid)


def peak_kib(pid: int) -> int | None:
    """The most memory that a running process has had, in KiB; None where the system does not tell."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^VmHWM:\s*(\d+) kB", status, re.MULTILINE)
    return int(found[1]) if found else None


class Package:
    """A package from the index, in an environment of its own under ``.cache``."""

    package: ClassVar[str]
    version: ClassVar[str]

    def __init__(self) -> None:
        self.folder = CACHE / f"{self.package}-{self.version}"
        self.binaries = self.folder / ("Scripts" if sys.platform == "win32" else "bin")
        self._done = self.folder / "installed"

    @property
    def python(self) -> Path:
        return self.binaries / ("python" + EXE)

    @property
    def installed(self) -> bool:
        return self._done.exists()

    def install(self) -> None:
        """Raises ``subprocess.CalledProcessError`` where the package cannot be had."""
        if self.installed:
            return
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--clear", self.folder], check=True)
        pip: Command = [sys.executable, "-m", "pip", "--quiet", "--python", self.python]
        subprocess.run([*pip, "install", f"{self.package}=={self.version}"], check=True, stdout=sys.stderr)
        self._done.touch()


class Peer(Package, ABC):
    """Another program to be measured beside damd.

    ``depth`` is how deep it can count in a moment, ``target`` how many times faster damd is to be.
    """

    depth: ClassVar[int]
    target: ClassVar[float]

    @abstractmethod
    def perft(self, depth: int) -> tuple[int, float]:
        """Leaves of the tree of international draughts, and the seconds that counting them took."""


class DameRs(Peer):
    """International draughts in Rust."""

    package = "dame-rs"
    version = "0.2.0"
    depth = 8
    target = 4.0

    def perft(self, depth: int) -> tuple[int, float]:
        """As the program itself measures, so without its start."""
        command: Command = [self.binaries / ("dame" + EXE), "perft", str(depth)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = re.search(r"= (\d+) in ([\d.]+)s", out)
        if not found:
            raise RuntimeError(f"dame perft answered {out!r}")
        return int(found[1]), float(found[2])

    def search_rate(self, fen: str | None, milliseconds: int, hash_mib: int) -> float:
        """Nodes a second of a search in the start position or this one, by its own clock, so without its start."""
        where: Command = ["--fen", fen] if fen else []
        limits: Command = ["--time", f"{milliseconds / 1000}", "--hash", str(hash_mib)]
        command: Command = [self.binaries / ("dame" + EXE), "search", *where, *limits]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        reported = re.findall(r"nodes +(\d+) +time +([\d.]+)s", out)
        if not reported:
            raise RuntimeError(f"dame search answered {out!r}")
        nodes, seconds = reported[-1]
        return int(nodes) / float(seconds)


class PdnReader(Package):
    """A package that reads PDN; ``script`` beside this file does it and prints plies and seconds of processor time."""

    script: ClassVar[str]
    games: ClassVar[int] = 1000

    def read(self, games: Path) -> tuple[int, float]:
        """Plies read and checked, and the seconds of processor time that took, without start and imports."""
        command: Command = [self.python, Path(__file__).with_name(self.script), games]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return answer["plies"], answer["seconds"]


class PyDraughtsPdn(PdnReader):
    """py-draughts reads a game's text into a board."""

    package = "py-draughts"
    version = "1.10.1"
    script = "pdn_py_draughts.py"


class PydraughtsPdn(PdnReader):
    """pydraughts reads the words of a game; a board then checks and plays them, a hundred in a second or so."""

    package = "pydraughts"
    version = "0.6.7"
    script = "pdn_pydraughts.py"
    games = 10


class PyDraughts(Peer):
    """Draughts in Python."""

    package = "py-draughts"
    version = "1.10.1"
    depth = 6
    target = 300.0

    def perft(self, depth: int) -> tuple[int, float]:
        """Without start and imports."""
        command: Command = [self.python, Path(__file__).with_name("py_draughts_perft.py"), str(depth)]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return answer["leaves"], answer["seconds"]
