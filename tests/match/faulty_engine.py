"""An engine that keeps the protocol but for one fault: in this process, or as a program of its own.

It is damd's session and desk over a searcher that thinks of nothing and takes its time. A fault changes what it hears or
says, or how it ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from queue import SimpleQueue

from damd.core.position import Position
from damd.core.types import Ply
from damd.daemon.session import Session
from damd.daemon.transport import LineSplitter
from damd.daemon.worker import Desk, Worker
from damd.engine import Info, Limits, Result, Score
from damd.rules import Rules
from fakes import FakeEngine

#: A search by time ends so long before its time is over.
_EARLY_MS = 5


class Died(Exception):
    """The engine ends on the spot, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def same(line: str) -> Iterable[str]:
    return [line]


@dataclass(frozen=True)
class Fault:
    """What is wrong with an engine; nothing, if all is left out.

    ``hears`` gets each line that it is sent and gives the lines that it understands; ``says`` the same for its answers.
    Both may raise ``Died``. ``made`` makes both for one process, where they have something to remember.
    """

    banner: str = ""
    made: Callable[[], tuple[Callable[[str], Iterable[str]], Callable[[str], Iterable[str]]]] | None = None
    hears: Callable[[str], Iterable[str]] = same
    reads: Callable[[bytes], bytes] = bytes
    says: Callable[[str], Iterable[str]] = same
    slow_stop_s: float = 0.0
    oversleeps_s: float = 0.0
    waits: bool = True  # for stop, where it has nothing left to think about
    ponders: bool = True
    counts_searchmoves: bool = True
    ranks: bool = True
    exit_code: int = 0
    ends: bool = True  # with its input
    outlives: bool = False  # its client
    leaves_child: bool = False


class Thinker(FakeEngine):
    """Searches without thinking: the first plies, then a wait."""

    fault = Fault()

    def task(self, limits: Limits) -> Thought:
        return Thought(self, limits, self.fault)


class Thought:
    """One search."""

    def __init__(self, engine: Thinker, limits: Limits, fault: Fault) -> None:
        self._engine, self._limits, self._fault = engine, limits, fault
        self._stopped, self._hit = threading.Event(), threading.Event()
        self._wake = threading.Event()

    def stop(self) -> None:
        self._stopped.set()
        self._wake.set()

    def ponder_hit(self) -> None:
        self._hit.set()
        self._wake.set()

    def run(self, on_info: Callable[[Info], None], on_progress: object = None) -> Result:  # noqa: ARG002
        position, limits = self._engine.position, self._limits
        plies = list(limits.root_plies if self._fault.counts_searchmoves else ()) or position.plies()
        best, answer = (plies[0], _answer(position, plies[0])) if plies else (None, None)
        wanted = self._engine.multipv if self._fault.ranks else 1
        for rank, ply in enumerate(plies[: max(1, wanted)], 1):
            second = _answer(position, ply)
            line = (ply,) if second is None else (ply, second)
            on_info(Info(1, 2, rank, Score("cp", 13 - rank), 40, 1, 40000, 0, line))
        self._wait(len(plies))
        return Result(best, answer)

    def _wait(self, choices: int) -> None:
        limits, fault = self._limits, self._fault
        if limits.ponder and fault.ponders:
            self._wake.wait()
        if limits.infinite and (fault.waits or choices > 1):
            self._stopped.wait()
        if self._stopped.is_set():
            time.sleep(fault.slow_stop_s)
            return
        milliseconds = _time_ms(limits, self._engine.position.side)
        if milliseconds is not None:
            self._stopped.wait(max(0.0, milliseconds) / 1000)
            time.sleep(fault.oversleeps_s)


def _time_ms(limits: Limits, side: int) -> float | None:
    clock = limits.time_ms[side]
    if limits.movetime_ms is not None:
        return limits.movetime_ms - _EARLY_MS
    return None if clock is None else clock / 20


def _answer(position: Position, ply: Ply) -> Ply | None:
    with position.after(ply):
        if ply.kind.value == "claim" or position.outcome() is not None:
            return None
        return position.plies()[0]


class FaultyEngine:
    """The engine: bytes in by ``feed``, lines out by ``write``; ``ended`` is called once, with its exit code."""

    def __init__(self, fault: Fault, write: Callable[[str], None], ended: Callable[[int], None]) -> None:
        hears, says = (fault.hears, fault.says) if fault.made is None else fault.made()
        self._fault = replace(fault, hears=hears, says=says)
        self._write, self._ended = write, ended
        self._splitter = LineSplitter()
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._over = threading.Event()
        self._worker = Worker(self._say, lambda errors: self._events.put(lambda: self._desk.finished(errors)), self._failed)
        self._desk = Desk(Session("", self._thinker), self._worker.start, self._say)  # type: ignore[arg-type]
        self._exit: int | None = None

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def feed(self, data: bytes) -> None:
        self._events.put(lambda: self._take(self._fault.reads(data)))

    def end_of_input(self) -> None:
        def end() -> None:
            for line in self._splitter.end():
                self._hear(line)
            if self._fault.ends:
                self._desk.end_of_input()

        self._events.put(end)

    def kill(self, code: int) -> None:
        def die() -> None:
            self._exit = code

        self._events.put(die)

    def _thinker(self, rules: Rules, hash_mb: int = 16) -> Thinker:
        made = Thinker(rules, hash_mb)
        made.fault = self._fault
        return made

    def _run(self) -> None:
        for line in self._fault.banner.splitlines():
            self._write(line)
        while self._exit is None:
            event = self._events.get()
            try:
                event()
            except Died as death:
                self._exit = death.code
                break
            if self._desk.exit_code is not None:
                self._exit = self._desk.exit_code or self._fault.exit_code
        self._over.set()
        self._ended(self._exit)

    def _take(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            self._hear(line)

    def _hear(self, line: object) -> None:
        if not isinstance(line, str):
            for text in self._fault.hears(line.line()):  # type: ignore[attr-defined]
                if text == line.line():  # type: ignore[attr-defined]
                    self._desk.unreadable(line)  # type: ignore[arg-type]
            return
        for text in self._fault.hears(line):
            self._desk.line(text)

    def _say(self, line: str) -> None:
        if self._over.is_set():
            return
        try:
            lines = list(self._fault.says(line))
        except Died as death:
            code = death.code
            self._events.put(lambda: self._die(code))
            return
        for text in lines:
            self._write(text)

    def _die(self, code: int) -> None:
        raise Died(code)

    def _failed(self, fault: BaseException) -> None:
        def end() -> None:
            raise fault

        self._events.put(end)


def serve(fault: Fault) -> None:
    """The engine on this process's stdin and stdout."""

    def write(line: str) -> None:
        try:
            os.write(1, (line + "\n").encode())
        except OSError:  # nobody reads it
            os._exit(0)

    if fault.leaves_child:
        subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(60)"],
            **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL),  # type: ignore[call-overload]
            start_new_session=True,
        )
    engine = FaultyEngine(fault, write, os._exit)
    engine.start()
    while data := os.read(0, 65536):
        engine.feed(data)
    engine.end_of_input()
    threading.Event().wait()


if __name__ == "__main__":
    from faults import FAULTS

    serve(FAULTS[sys.argv[1]].fault)
