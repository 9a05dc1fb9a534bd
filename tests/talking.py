"""A daemon in a process of its own, and a dialogue with it. Everything has a time-out."""

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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Nothing here takes so long; a machine that is busy with other things may be slow.
PATIENCE_S = 60.0


class Daemon:
    """``python -m damd`` over pipes. A thread collects its lines, so that nothing is lost and nothing blocks."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "damd", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.all_lines: list[str] = []
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8").removesuffix("\n"))
        self._lines.put(None)

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):  # what was still to be flushed has no reader any more
                pipe.close()

    def send(self, *lines: str) -> None:
        self.send_bytes("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def line(self, timeout: float = PATIENCE_S) -> str | None:
        """The next line; ``None`` at the end of output. Raises ``TimeoutError``."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"no line within {timeout} s; so far: {self.all_lines[-20:]}") from None
        if line is not None:
            self.all_lines.append(line)
        return line

    def until(self, *starts: str, timeout: float = PATIENCE_S) -> list[str]:
        """All lines up to the first that begins with one of ``starts``."""
        end = time.monotonic() + timeout
        lines: list[str] = []
        while True:
            line = self.line(max(0.0, end - time.monotonic()))
            assert line is not None, f"output ended before {starts}: {lines}"
            lines.append(line)
            if line.startswith(starts):
                return lines

    def ask(self, *lines: str) -> list[str]:
        """Send lines; what is said up to ``readyok``, without it."""
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]

    def silent(self, seconds: float, allowed: tuple[str, ...] = ("info ",)) -> None:
        """Check that nothing but ``allowed`` comes for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                line = self.line(left)
            except TimeoutError:
                return
            assert line is not None, "output ended"
            assert line.startswith(allowed), line

    def rest(self, timeout: float = PATIENCE_S) -> list[str]:
        """All lines up to the end of output."""
        lines = []
        while (line := self.line(timeout)) is not None:
            lines.append(line)
        return lines

    def exit_code(self, timeout: float = PATIENCE_S) -> int:
        return self.process.wait(timeout)

    def stderr(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


def converse(*lines: str, arguments: tuple[str, ...] = ()) -> list[str]:
    """All that a daemon says to lines that are piped into it at once."""
    with Daemon(*arguments) as daemon:
        daemon.send(*lines)
        daemon.close_input()
        said = daemon.rest()
        assert daemon.exit_code() == 0
        assert daemon.stderr() == ""
        return said


@dataclass(frozen=True)
class Dialogue:
    """One fenced block of a text: its place, and its lines."""

    file: str
    number: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


def dialogues(file: Path) -> Iterator[Dialogue]:
    """Every fenced block of a Markdown text with a line that begins with ``> ``, by the convention of protocol.md."""
    fence, start = None, 0
    block: list[str] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence, start, block = line.strip(), number, []
        elif fence is not None and line.strip() == "```":
            if any(text.startswith("> ") for text in block):
                yield Dialogue(file.name, start, tuple(block))
            fence = None
        elif fence is not None:
            block.append(line)


def run(dialogue: Dialogue) -> None:
    """Hold the dialogue with a new daemon and check every line of it."""
    lines = list(dialogue.lines)
    arguments: list[str] = []
    exit_code = 0
    if lines[0].startswith("$ damd"):
        arguments = lines.pop(0).split()[2:]
    if lines[-1].startswith("= "):
        exit_code = int(lines.pop()[2:])
    with Daemon(*arguments) as daemon:
        anything = False
        for line in lines:
            if line.startswith("> "):
                daemon.send(line[2:])
            elif line == "< ...":
                anything = True
            else:
                assert line.startswith("< "), f"{dialogue}: neither input nor output: {line}"
                _expect(daemon, line[2:], anything)
                anything = False
        daemon.close_input()
        rest = daemon.rest()
        assert anything or not rest, f"{dialogue}: more was said: {rest}"
        assert daemon.exit_code() == exit_code
        assert daemon.stderr() == ""


def _expect(daemon: Daemon, expected: str, anything_before: bool) -> None:
    pattern = re.compile(".*".join(re.escape(part) for part in expected.split("...")))
    skipped = []
    while True:
        line = daemon.line()
        assert line is not None, f"output ended before {expected!r}: {skipped}"
        if pattern.fullmatch(line):
            return
        assert anything_before, f"expected {expected!r}, got {line!r}"
        skipped.append(line)
