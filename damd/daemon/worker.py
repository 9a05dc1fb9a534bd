"""Who is answered when: the queue of lines behind a search, and the thread that searches.

All decisions are taken by ``Desk`` in one thread, one event after the other: a line, the end of a piece of
work, the end of input. So ``Desk`` needs no lock and is tested without threads.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Protocol

from damd.daemon.answer import Answer, Say, Work
from damd.protocol.errors import ProtocolError


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

    ``start`` hands a piece of work to whoever runs it; ``finished`` is to be called when it has said everything.
    ``input_ended`` says that no line will come; ``exit_code`` is ``None`` until the daemon has to end. With
    ``strict`` the first error ends it, with code 1.
    """

    def __init__(self, session: Answers, start: Callable[[Work], None], say: Say, strict: bool = False) -> None:
        self.exit_code: int | None = None
        self._session = session
        self._start = start
        self._say = say
        self._strict = strict
        self._running: Work | None = None
        self._waiting: deque[_Waiting] = deque()
        self.input_ended = False
        self._leaving: int | None = None

    @property
    def leaving(self) -> bool:
        """True once the daemon ends as soon as the running work has answered."""
        return self._leaving is not None

    # Events

    def line(self, line: str) -> None:
        """A line has come in."""
        words = line.split()
        if not words or self._leaving is not None:
            return
        if words[0] in ("stop", "ponderhit", "debug", "quit"):
            self._at_once(words, line)
        else:
            self._queue(_Waiting(words, line))

    def unreadable(self, error: ProtocolError) -> None:
        """A line has come in that is no text."""
        if self._leaving is None:
            self._queue(_Waiting([], "", error))

    def end_of_input(self) -> None:
        """No more lines will come: what waits is still answered, in order, but nothing searches without end."""
        self.input_ended = True
        self._go_on()

    def finished(self, with_error: bool = False) -> None:
        """The running work has said its last line."""
        self._running = None
        if with_error and self._strict:
            self._leave(1)
        self._go_on()

    # Decisions

    def _at_once(self, words: list[str], line: str) -> None:
        if words[0] == "quit":
            self._tell(self._session.answer(line).lines)
            self._leave(0)
            return
        if words[0] == "stop":
            self._stop()
        elif words[0] == "ponderhit":
            self._ponder_hit()
        self._tell(self._session.answer(line).lines)

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

    def _leave(self, code: int) -> None:
        """End as soon as the running work has answered; nothing that waits is answered any more."""
        if self._leaving is None:
            self._leaving = code
        self._waiting.clear()
        if self._running is None:
            self.exit_code = self._leaving
        else:
            self._running.stop()

    def _queue(self, waiting: _Waiting) -> None:
        self._waiting.append(waiting)
        self._go_on()

    def _go_on(self) -> None:
        """Answer what waits, as far as the running work allows; at the end of everything, end."""
        while self._waiting and self._leaving is None:
            head = self._waiting[0]
            if self._running is not None and head.name != "isready":
                if self._running.bounded:
                    break
                self._waiting.popleft()
                self._refuse(head)
            else:
                self._waiting.popleft()
                self._answer(head)
        if self._leaving is not None:
            self._leave(self._leaving)
        elif self.input_ended and not self._waiting:
            if self._running is None:
                self.exit_code = 0
            elif not self._running.bounded:
                self._running.stop()

    def _answer(self, waiting: _Waiting) -> None:
        if waiting.error is not None:
            self._tell([waiting.error.line()])
            return
        answer = self._session.answer(waiting.line)
        self._tell(answer.lines)
        if answer.work is None or self._leaving is not None:
            return
        if waiting.stopped:
            answer.work.stop()
        if waiting.hit:
            answer.work.ponder_hit()
        self._running = answer.work
        self._start(answer.work)

    def _refuse(self, waiting: _Waiting) -> None:
        error = waiting.error or self._session.refusal(waiting.name)
        self._tell([error.line()])

    def _tell(self, lines: list[str]) -> None:
        for line in lines:
            self._say(line)
            if self._strict and line.startswith("error "):
                self._leave(1)
                return


class Worker:
    """The thread that runs work. It calls ``finished(with_error)`` or ``failed(exception)``, in its own thread."""

    def __init__(self, say: Say, finished: Callable[[bool], None], failed: Callable[[BaseException], None]) -> None:
        self._say = say
        self._finished = finished
        self._failed = failed
        self._todo: SimpleQueue[Work] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, work: Work) -> None:
        """Run it as soon as the work before it has ended."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="worker", daemon=True)
            self._thread.start()
        self._todo.put(work)

    def _loop(self) -> None:
        while True:
            work = self._todo.get()
            errors = False

            def say(line: str) -> None:
                nonlocal errors
                errors = errors or line.startswith("error ")
                self._say(line)

            try:
                work.run(say)
            except BaseException as fault:  # noqa: BLE001 - handed on: the main thread ends the daemon
                self._failed(fault)
            else:
                self._finished(errors)
