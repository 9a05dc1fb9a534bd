"""The thread that calls functions after a while."""

from __future__ import annotations

import gc
import threading
import time
import weakref

from damd.alarms import Alarms

PATIENCE_S = 30.0


def test_calls_come_in_the_order_of_their_moments() -> None:
    alarms, called, done = Alarms(), [], threading.Event()
    begun = time.monotonic()
    alarms.after(0.15, done.set)
    for seconds in (0.1, 0.02, 0.05, 0.02, -1.0):
        alarms.after(seconds, lambda seconds=seconds: called.append((seconds, time.monotonic() - begun)))
    assert done.wait(PATIENCE_S)
    assert [seconds for seconds, _ in called] == [-1.0, 0.02, 0.02, 0.05, 0.1]
    assert all(after >= seconds for seconds, after in called)


def test_what_is_cancelled_is_not_called() -> None:
    alarms, called, done = Alarms(), [], threading.Event()
    doomed = [alarms.after(seconds, lambda: called.append("no")) for seconds in (0.01, 0.02, 0.03)]
    alarms.after(0.05, done.set)
    for alarm in doomed:
        alarm.cancel()
        alarm.cancel()
    assert done.wait(PATIENCE_S)
    assert called == []


def test_a_cancel_waits_for_the_call_under_way() -> None:
    alarms, called, begun = Alarms(), [], threading.Event()

    def slow() -> None:
        begun.set()
        time.sleep(0.2)
        called.append("slow")

    alarm = alarms.after(0, slow)
    other = alarms.after(0, lambda: called.append("other"))
    assert begun.wait(PATIENCE_S)
    other.cancel()
    assert called == [], "of another call it does not wait for the end"
    alarm.cancel()
    assert called == ["slow"]
    time.sleep(0.05)
    assert called == ["slow"]


def test_a_call_may_cancel_itself_and_set_another() -> None:
    alarms, done = Alarms(), threading.Event()

    def again(number: int) -> None:
        current.cancel()
        if number:
            alarms.after(0, lambda: again(number - 1))
        else:
            done.set()

    current = alarms.after(0.01, lambda: again(3))
    assert done.wait(PATIENCE_S)


def test_whoever_was_called_or_cancelled_is_not_kept() -> None:
    class Owner:
        def __init__(self) -> None:
            self.called = threading.Event()

        def call(self) -> None:
            self.called.set()

    alarms = Alarms()
    called, cancelled = Owner(), Owner()
    alarms.after(0, called.call)
    alarm = alarms.after(1000, cancelled.call)
    assert called.called.wait(PATIENCE_S)
    alarm.cancel()
    gone = [weakref.ref(called), weakref.ref(cancelled)]
    gc.disable()
    try:
        del called, cancelled
        end = time.monotonic() + PATIENCE_S
        while gone[0]() is not None and time.monotonic() < end:
            time.sleep(0.01)  # the thread may still be on its way out of the call
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()


def test_many_threads_at_once() -> None:
    alarms = Alarms()
    counts = [0] * 8

    def work(which: int) -> None:
        for number in range(200):
            called = threading.Event()
            alarm = alarms.after(0.0005 * (number % 3), called.set)
            if number % 2:
                assert called.wait(PATIENCE_S)
            alarm.cancel()
            counts[which] += 1

    threads = [threading.Thread(target=work, args=(which,)) for which in range(len(counts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert counts == [200] * 8
