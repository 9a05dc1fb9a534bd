"""Who is answered when, as protocol.md has it: the lines that wait behind a search, and the search.

Everything happens in one event loop, one event after the other, so nothing is locked.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from damd.protocol.errors import Code, ProtocolError
from damd_adapters.uci.engine import EngineFault

#: Takes one line of output.
Say = Callable[[str], None]


class Work(ABC):
    """What takes time, and says the rest of an answer."""

    #: ``isready`` is answered beside a search, and behind everything else.
    searches = False

    @property
    def bounded(self) -> bool:
        """True where the work ends by itself: lines then wait for it instead of being refused."""
        return True

    @abstractmethod
    async def run(self, say: Say) -> None:
        """Do it and say every line of the answer. Called once. Raises ``EngineFault``."""

    def stop(self) -> None:  # noqa: B027 - what need not be stopped does nothing
        """End it soon, also where it has not begun; more than once if need be."""

    def ponder_hit(self) -> bool:
        """The ply pondered on was made. False where nothing was pondered on."""
        return False


@dataclass(frozen=True, slots=True)
class Answer:
    """The lines of an answer; ``work`` says the rest of them, where there is a rest."""

    lines: list[str] = field(default_factory=list)
    work: Work | None = None


class Answers(Protocol):
    """What the desk asks of a session."""

    def answer(self, line: str) -> Answer: ...

    def refusal(self, name: str) -> ProtocolError: ...


@dataclass(slots=True)
class _Waiting:
    """A line that waits, or an unreadable one's error. ``stopped`` and ``hit`` wait with it for its search."""

    words: list[str]
    line: str
    error: ProtocolError | None = None
    stopped: bool = False
    hit: bool = False

    @property
    def name(self) -> str:
        return self.words[0] if self.words else ""


class Desk:
    """Answers lines in order, with the exceptions that protocol.md lists.

    ``ended`` is done with the exit code when everything is answered that has to be. ``leaving`` is set by ``quit``:
    what runs has been told to stop then. ``fault`` is why the engine is lost, where it is.
    """

    def __init__(self, session: Answers, say: Say) -> None:
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.leaving = asyncio.Event()
        self.fault: EngineFault | None = None
        self.input_ended = False
        self._session = session
        self._say = say
        self._running: Work | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: deque[_Waiting] = deque()

    # Events

    def line(self, line: str) -> None:
        """A line has come in."""
        words = line.split()
        if not words or self.leaving.is_set() or self.ended.done():
            return
        if words[0] in ("stop", "ponderhit", "debug", "quit"):
            self._at_once(words[0], line)
        else:
            self._queue(_Waiting(words, line))

    def unreadable(self, error: ProtocolError) -> None:
        """A line has come in that is no text."""
        if not self.leaving.is_set() and not self.ended.done():
            self._queue(_Waiting([], "", error))

    def end_of_input(self) -> None:
        """No more lines will come: what waits is still answered, in order, but nothing searches without end."""
        self.input_ended = True
        self._go_on()

    def failed(self, fault: EngineFault) -> None:
        """The engine is gone: nothing more can be answered."""
        if self.ended.done():
            return
        self.fault = fault
        self.cancel()
        self._say(ProtocolError(Code.INTERNAL, "", str(fault)).line())
        self._end(1)

    def broken(self, fault: Exception) -> None:
        """Nothing can go on because of ``fault``: ``ended`` raises it."""
        if not self.ended.done():
            self.cancel()
            self.ended.set_exception(fault)

    def cancel(self) -> None:
        """Give up the running work; it says nothing more."""
        self._running = None
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()

    # Decisions

    def _at_once(self, name: str, line: str) -> None:
        if name == "stop":
            self._stop()
        elif name == "ponderhit":
            self._ponder_hit()
        self._tell(self._session.answer(line).lines)
        if name == "quit":
            self.leaving.set()
            self._waiting.clear()
            if self._running is not None:
                self._running.stop()
            self._go_on()

    def _stop(self) -> None:
        for waiting in self._waiting:
            waiting.stopped = True
        if self._running is not None:
            self._running.stop()
            self._go_on()

    def _ponder_hit(self) -> None:
        if self._running is not None and self._running.ponder_hit():
            self._go_on()
            return
        for waiting in self._waiting:
            if waiting.name == "go" and "ponder" in waiting.words and not waiting.hit and not waiting.stopped:
                waiting.hit = True
                return

    def _queue(self, waiting: _Waiting) -> None:
        self._waiting.append(waiting)
        self._go_on()

    def _go_on(self) -> None:
        """Answer what waits, as far as the running work allows; at the end of everything, end."""
        while self._waiting and not self.ended.done():
            head, running = self._waiting[0], self._running
            if running is None or (running.searches and head.name == "isready"):
                self._waiting.popleft()
                self._answer(head)
            elif running.bounded:
                break
            else:
                self._waiting.popleft()
                self._tell([(head.error or self._session.refusal(head.name)).line()])
        if self._waiting or not (self.input_ended or self.leaving.is_set()):
            return
        if self._running is None:
            self._end(0)
        elif not self._running.bounded:
            self._running.stop()

    def _answer(self, waiting: _Waiting) -> None:
        if waiting.error is not None:
            self._tell([waiting.error.line()])
            return
        answer = self._session.answer(waiting.line)
        self._tell(answer.lines)
        work = answer.work
        if work is None:
            return
        if waiting.stopped:
            work.stop()
        if waiting.hit:
            work.ponder_hit()
        self._running = work
        self._task = asyncio.get_running_loop().create_task(self._run(work))

    async def _run(self, work: Work) -> None:
        try:
            await work.run(self._say)
        except EngineFault as fault:
            self.failed(fault)
        except Exception as fault:  # noqa: BLE001 - handed on to whoever waits for the end
            self.broken(fault)
        else:
            self._running = None
            self._go_on()

    def _tell(self, lines: list[str]) -> None:
        for line in lines:
            self._say(line)

    def _end(self, code: int) -> None:
        if not self.ended.done():
            self.ended.set_result(code)
