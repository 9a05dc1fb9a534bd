"""Signals that end what is under way: Ctrl-C, SIGTERM, and SIGHUP when a terminal closes."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def heed(stop: Callable[[], object]) -> None:
    """In the running event loop: call ``stop`` at each of them. An ignored SIGHUP, as under ``nohup``, stays ignored."""
    loop = asyncio.get_running_loop()
    for one in _ending():
        try:
            loop.add_signal_handler(one, stop)
        except NotImplementedError:  # Windows: the handler runs between two steps of the loop
            signal.signal(one, lambda *_: loop.call_soon_threadsafe(stop))


def run_until_signalled(work: Coroutine[Any, Any, Result]) -> Result:
    """``asyncio.run``, but each of them cancels the work. Raises ``KeyboardInterrupt`` then."""

    async def heeding() -> Result:
        task = asyncio.current_task()
        if task is not None and sys.platform != "win32":  # there Ctrl-C does so anyhow, and is all there is
            heed(task.cancel)
        return await work

    try:
        return asyncio.run(heeding())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _ending() -> list[signal.Signals]:
    found = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        found.append(signal.SIGHUP)
    return found
