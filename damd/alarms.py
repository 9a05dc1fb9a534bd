"""One thread for the whole process that calls functions after a while.

A thread that sleeps is woken sooner than a new one begins, above all on a busy machine, where a clock must not wait.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable


class Alarm:
    """A call that is due. Got from ``Alarms.after``; ``call`` is ``None`` once it is cancelled."""

    __slots__ = ("_alarms", "call")

    def __init__(self, alarms: Alarms, call: Callable[[], None]) -> None:
        self._alarms = alarms
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Make sure that it is not called any more, and is not being called when this returns.

        Inside the call itself it does not wait. May be called again.
        """
        self._alarms.cancel(self)


class Alarms:
    """Makes calls in a thread of its own, one after the other. They are to be short and must not raise."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, Alarm]] = []
        self._numbers = itertools.count()
        self._calling: Alarm | None = None
        self._thread: threading.Thread | None = None

    def after(self, seconds: float, call: Callable[[], None]) -> Alarm:
        """Have ``call`` called so much later, as soon as the calls before it are done."""
        alarm = Alarm(self, call)
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="damd-alarms", daemon=True)
                self._thread.start()
            entry = (time.monotonic() + seconds, next(self._numbers), alarm)
            heapq.heappush(self._due, entry)
            if self._due[0] is entry:
                self._changed.notify_all()
        return alarm

    def cancel(self, alarm: Alarm) -> None:
        """``Alarm.cancel``."""
        with self._changed:
            alarm.call = None
            while self._calling is alarm and threading.current_thread() is not self._thread:
                self._changed.wait()

    def _run(self) -> None:
        while True:
            call = self._next()
            call()
            del call  # whoever waits for the next one must not keep this one's owner alive
            with self._changed:
                self._calling = None
                self._changed.notify_all()

    def _next(self) -> Callable[[], None]:
        """Wait for the next call that is due."""
        with self._changed:
            while True:
                while self._due and self._due[0][2].call is None:
                    heapq.heappop(self._due)
                left = self._due[0][0] - time.monotonic() if self._due else None
                if left is None or left > 0:
                    self._changed.wait(left)
                    continue
                alarm = heapq.heappop(self._due)[2]
                if alarm.call is not None:
                    self._calling = alarm
                    return alarm.call


#: The process's own.
ALARMS = Alarms()
