"""An adapter in a process of its own, and lines to and from it."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading

from talking import PATIENCE_S, ROOT, Daemon

#: An engine that shakes hands and then does as its argument says.
MISBEHAVING = ROOT / "tests" / "engines" / "misbehaving.py"


class Program(Daemon):
    """``python -m damd_adapters.NAME`` over pipes, as ``Daemon`` is the daemon."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.process = _started(name, *arguments, stdout=subprocess.PIPE)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.all_lines: list[str] = []
        threading.Thread(target=self._collect, daemon=True).start()

    def stderr_free(self) -> bool:
        """End its input and wait; whether it ended well and had nothing to say on standard error."""
        self.close_input()
        self.rest()
        return self.exit_code() == 0 and self.stderr() == ""

    def children(self) -> list[int]:
        """The processes that it has started and that are still there; none where the system does not tell."""
        return _children(self.process.pid)


def abandoned(name: str, lines: str, until: bytes) -> tuple[int, list[int], str]:
    """What becomes of an adapter that is sent lines and left by whoever started it once it has said ``until``.

    Its exit code, the processes that it had started, and its words on standard error.
    """
    reading, writing = os.pipe()
    with _started(name, "--option", "Hash=1", stdout=writing) as process:
        os.close(writing)
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(lines.encode())
        process.stdin.flush()
        said = b""
        while until not in said:
            said += os.read(reading, 65536)
        children = _children(process.pid)
        process.stdin.close()
        os.close(reading)
        return process.wait(PATIENCE_S), children, process.stderr.read().decode()


def _started(name: str, *arguments: str, stdout: int) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", f"damd_adapters.{name}", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=stdout, stderr=pipe, env={**os.environ, "PYTHONPATH": path})


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def gone(pid: int) -> bool:
    """Whether there is no such process any more (a zombie is gone)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def misbehaving(mode: str) -> str:
    """The command line of an engine that behaves so."""
    return f"{sys.executable} {MISBEHAVING} {mode}"
