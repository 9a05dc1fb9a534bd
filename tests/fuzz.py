"""Drives the real daemon over its pipes with a fuzzer's lines and checks everything that it says.

    python tests/fuzz.py --seed 7 --lines 100000

The lines depend on the seed alone; when they meet a running search depends on the machine. A failure writes all
lines sent so far to a file, and that file, or the part of it that still fails, can be played again with ``--replay``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from damd.protocol.grammar import parse_go
from fuzz_lines import Fuzzer
from transcripts import Said, Totals, Transcript, Wrong

ROOT = Path(__file__).parent.parent
#: Lines between two checkpoints, at which everything before has been answered.
STRETCH = 60
#: A checkpoint's answer has to come within so many seconds.
ANSWER_S = 60.0
#: Without a ``stop`` at its end a stretch may take so long; then it gets one.
_PATIENCE_S = 2.0
#: The daemon's address space, so that the largest ``Hash`` cannot be had.
_ADDRESS_SPACE = 1536 * 1024 * 1024
#: Memory may grow by so much between the first and the last checkpoint with equal options.
GROWTH_KIB = 64 * 1024
#: glibc keeps freed tables of up to 32 MiB for later unless told not to: the check is for what the daemon keeps.
_GIVE_BACK = {"MALLOC_MMAP_THRESHOLD_": "262144", "MALLOC_TRIM_THRESHOLD_": "262144"}


class Daemon:
    """The process, with a thread that takes its lines as they come."""

    def __init__(self, command: Sequence[str]) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            cwd=ROOT,
            env={**os.environ, **_GIVE_BACK},
            preexec_fn=_limit_memory if os.name == "posix" else None,
        )
        self.sent = 0
        self._said: list[Said] = []
        self._news = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            text = line.decode("utf-8", "backslashreplace")
            with self._news:
                self._said.append(Said(text[:-1] if text.endswith("\n") else text + "(without its end)", self.sent))
                self._news.notify()
        with self._news:
            self._ended = True
            self._news.notify()

    def begin(self) -> None:
        """A new stretch: forget what was said."""
        with self._news:
            self._said.clear()
        self.sent = 0

    def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self.sent += 1
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except OSError as fault:
            raise Wrong(f"the daemon has gone: {self.last_words()}") from fault

    def heard(self, true: Callable[[list[Said]], bool], seconds: float) -> bool:
        """Whether what was said becomes so within the time."""
        with self._news:
            self._news.wait_for(lambda: self._ended or true(self._said), seconds)
            return true(self._said)

    def said(self) -> list[Said]:
        with self._news:
            return list(self._said)

    def resident_kib(self) -> int | None:
        """The memory that the process holds; ``None`` where the system does not tell."""
        try:
            text = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return None
        return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS")), None)

    def last_words(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")[-2000:]

    def end(self, quit_line: bool) -> None:
        """End it by ``quit`` or by the end of input. Raises ``Wrong`` where it does not end cleanly."""
        assert self._process.stdin is not None
        if quit_line:
            self.send(b"quit")
        else:
            self._process.stdin.close()
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            raise Wrong("it does not end") from None
        if code != 0:
            raise Wrong(f"exit code {code}: {self.last_words()}")
        if self.last_words():
            raise Wrong(f"words on stderr: {self.last_words()}")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout, self._stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what it did not take is of no interest


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))


def stretches(seed: int, lines: int) -> Iterator[list[bytes]]:
    """So many lines of a seed, in stretches between checkpoints."""
    fuzzer = Fuzzer(seed)
    while lines > 0:
        stretch = [fuzzer.line() for _ in range(min(lines, STRETCH))]
        lines -= len(stretch)
        yield stretch


def is_short(lines: Sequence[bytes]) -> bool:
    """Whether all searches of the stretch end by themselves, soon: it can then go without a ``stop``."""
    for data in lines:
        words = data.decode("utf-8", "replace").split()
        if words[:1] in (["perft"], ["bench"]):
            if words[1:2] not in (["0"], ["1"], ["2"]):
                return False
        elif words[:1] == ["go"]:
            request = parse_go(words[1:])
            numbers = request.numbers
            soon = numbers.get("depth", 9) <= 4 or numbers.get("nodes", 9999) <= 2000 or numbers.get("movetime", 99) <= 20
            if request.flags & {"infinite", "ponder"} or not (soon or numbers.get("perft", 9) <= 2):
                return False
    return True


def play(daemon: Daemon, number: int, lines: Sequence[bytes]) -> Totals:
    """Send a stretch and a checkpoint, wait, and check all answers. Raises ``Wrong``."""
    daemon.begin()
    sent = list(lines)
    for line in lines:
        daemon.send(line)
    mark = f"checkpoint{number}"
    tail = [b"isready", mark.encode()]
    if not is_short(lines):
        tail.insert(0, b"stop")
    for line in tail:
        daemon.send(line)
    sent += tail

    def answered(said: list[Said]) -> bool:
        return bool(said) and said[-1].text.startswith(f"error unknown-command {mark}:")

    if not daemon.heard(answered, _PATIENCE_S):
        if b"stop" not in tail:
            daemon.send(b"stop")
            sent.append(b"stop")
        if not daemon.heard(answered, ANSWER_S):
            last = [said.text[:200] for said in daemon.said()[-3:]]
            raise Wrong(f"stretch {number}: no answer to {mark} within {ANSWER_S} s; last: {last}; {daemon.last_words()}")
    try:
        return Transcript(sent).check(daemon.said())
    except Wrong as fault:
        raise Wrong(f"stretch {number}: {fault}") from None


def run(command: Sequence[str], parts: Iterable[Sequence[bytes]], quit_line: bool = True, memory: bool = True) -> Totals:
    """Play all stretches against one daemon and end it by ``quit``, or by the end of input. Raises ``Wrong``."""
    daemon = Daemon(command)
    totals = Totals()
    first = None
    try:
        for number, lines in enumerate(parts):
            totals.add(play(daemon, number, lines))
            if memory and number % 25 == 24:
                play(daemon, number, [b"setoption name Hash value 1", b"setoption name UCI_Variant value dam-haji", b"uci"])
                resident = daemon.resident_kib()
                first = first or resident
                if first is not None and resident is not None and resident > first + GROWTH_KIB:
                    raise Wrong(f"stretch {number}: memory grew from {first} to {resident} KiB")
        daemon.end(quit_line)
    finally:
        daemon.kill()
    return totals


def minimised(command: Sequence[str], lines: Sequence[bytes], seconds: float) -> list[bytes]:
    """Fewer lines that still fail, as far as the time goes: halves, quarters … are left out as long as it fails."""
    end = time.monotonic() + seconds
    lines = list(lines)
    size = len(lines) // 2
    while size and time.monotonic() < end:
        at = 0
        while at < len(lines) and time.monotonic() < end:
            fewer = lines[:at] + lines[at + size :]
            if fails(command, fewer):
                lines = fewer
            else:
                at += size
        size //= 2
    return lines


def fails(command: Sequence[str], lines: Sequence[bytes]) -> bool:
    try:
        run(command, [lines], memory=False)
    except Wrong:
        return True
    return False


def fuzz(command: Sequence[str], seed: int, lines: int, output: Path, minimise_s: float = 60.0) -> Totals:
    """The whole thing. A failure names the file with the lines that led to it, fewer of them where that was found."""
    played: list[list[bytes]] = []

    def noted() -> Iterator[list[bytes]]:
        for part in stretches(seed, lines):
            played.append(part)
            yield part

    try:
        return run(command, noted(), quit_line=seed % 2 == 0)
    except Wrong as fault:
        output.mkdir(parents=True, exist_ok=True)
        every = output / f"fuzz-{seed}.lines"
        every.write_bytes(b"\n".join(line for part in played for line in part) + b"\n")
        found = f"seed {seed}: {fault}\nall lines: {every}"
        if fails(command, played[-1]):
            few = output / f"fuzz-{seed}.few.lines"
            few.write_bytes(b"\n".join(minimised(command, played[-1], minimise_s)) + b"\n")
            found += f"\nenough lines: {few}"
        raise Wrong(found) from None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--output", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--replay", type=Path, help="play the lines of this file instead, in stretches as they were")
    options = parser.parse_args()
    command = [sys.executable, "-m", "damd"]
    begin = time.monotonic()
    if options.replay:
        lines = options.replay.read_bytes().split(b"\n")[:-1]
        totals = run(command, [lines[at : at + STRETCH] for at in range(0, len(lines), STRETCH)])
    else:
        totals = fuzz(command, options.seed, options.lines, options.output)
    print(f"seed {options.seed}: {totals}, {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()
