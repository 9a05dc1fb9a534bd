"""Lines to standard output, and what becomes of them and of words on standard error where nobody reads."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import time

_logger = logging.getLogger("damd_adapters")
_hastened = False

#: Standard output and standard error.
_OUTPUT, _FAULTS = 1, 2
#: So often a pause looks whether the program ends meanwhile.
_LOOK_S = 0.1


def write(*lines: str) -> None:
    """Lines to standard output, at once. Raises ``BrokenPipeError`` where nobody reads any more.

    Waits for a reader that is slow: there is no better place to keep what it does not take.
    """
    for line in lines:
        _logger.debug("> %s", line)
    if _hastened:
        _leave_full()
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def nobody_reads() -> bool:
    """Whether standard output leads to somebody who has gone; ``False`` where the system cannot tell."""
    return bool(_events(_OUTPUT) & (select.POLLERR | select.POLLHUP)) if hasattr(select, "poll") else False


def pause(seconds: float) -> None:
    """Wait, for a reader that needs time; not when the program ends, and not where ``seconds`` is not above 0."""
    until = time.monotonic() + seconds
    while not _hastened and (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK_S))


def hasten() -> None:
    """The program ends: from now on no write waits for a reader, not even the one that does already, and no pause is made.

    For signal handlers that run while the event loop is held up by that write, to standard output or standard error.
    Where the system cannot tell whether there is room, the writes wait on.
    """
    global _hastened
    _hastened = True
    _leave_full()


def leave(descriptor: int = _OUTPUT) -> None:
    """What is written there from now on, or is being written, goes nowhere."""
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _leave_full() -> None:
    if hasattr(select, "poll"):
        for descriptor in (_OUTPUT, _FAULTS):
            if not _events(descriptor):
                leave(descriptor)


def _events(descriptor: int) -> int:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return next((what for _, what in poll.poll(0)), 0)
