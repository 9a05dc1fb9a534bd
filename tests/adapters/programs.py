"""An adapter in a process of its own, and lines to and from it."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from talking import PATIENCE_S, ROOT, Daemon

#: An engine that shakes hands and then does as its argument says.
MISBEHAVING = ROOT / "tests" / "engines" / "misbehaving.py"


class Program(Daemon):
    """``python -m damd_adapters.NAME`` over pipes, as ``Daemon`` is the daemon."""

    def __init__(self, name: str, *arguments: str) -> None:
        self.process = started(name, *arguments, stdout=subprocess.PIPE)
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
    with started(name, "--option", "Hash=1", stdout=writing) as process:
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


def signalled_unread(name: str, arguments: list[str], line: str, number: int, log: Path) -> tuple[int, list[int], str]:
    """What becomes of an adapter that is sent a line, whose answer nobody reads, and then a signal.

    Its exit code, the processes that it had started, and its words on standard error.
    """
    with full_pipe() as writing, started(name, "--log", str(log), *arguments, stdout=writing) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        await_log(log, r"^\S+ > ")
        children = _children(process.pid)
        process.send_signal(number)
        try:
            code = process.wait(PATIENCE_S)
        finally:
            process.kill()
        return code, children, process.stderr.read().decode()


@contextlib.contextmanager
def full_pipe() -> Iterator[int]:
    """The writing end of a pipe that has no more room and is not read."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, 4096 * b"-")
    os.set_blocking(writing, True)
    try:
        yield writing
    finally:
        os.close(writing)
        os.close(reading)


def await_log(log: Path, pattern: str) -> None:
    """Wait until a line of the adapter's ``--log`` matches."""
    until = time.monotonic() + PATIENCE_S
    while not log.exists() or not re.search(pattern, log.read_text(encoding="utf-8"), re.MULTILINE):
        assert time.monotonic() < until, f"the log has nothing like {pattern}"
        time.sleep(0.005)


def started(name: str, *arguments: str, stdout: int, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """``python -m damd_adapters.NAME``, its input a pipe."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", f"damd_adapters.{name}", *arguments]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, env={**os.environ, "PYTHONPATH": path}
    )


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
