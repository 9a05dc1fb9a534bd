"""Which processes an engine has started, as far as the system tells: on Linux all, elsewhere none."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass

_PROC = "/proc"
#: Where fields stand in what follows the name in ``/proc/PID/stat``.
_STATE, _PARENT, _SESSION, _STARTED = 0, 1, 3, 19


@dataclass(frozen=True, slots=True)
class Running:
    """One process that has not ended. ``started`` tells it from a later one with the same number."""

    pid: int
    parent: int
    session: int
    started: int


def running() -> dict[int, Running]:
    """All processes by number; zombies are none. Empty where the system has no ``/proc``."""
    found = {}
    try:
        names = os.listdir(_PROC)
    except OSError:
        return {}
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"{_PROC}/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if len(fields) > _STARTED and fields[_STATE] not in (b"Z", b"X"):
            numbers = (int(fields[at]) for at in (_PARENT, _SESSION, _STARTED))
            found[int(name)] = Running(int(name), *numbers)
    return found


def offspring(root: int) -> set[Running]:
    """What ``root`` and its children have started and what shares its session, ``root`` itself apart."""
    table = running()
    children: dict[int, list[Running]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process)
    found = {process for process in table.values() if process.session == root and process.pid != root}
    pending = [root]
    while pending:
        for process in children.get(pending.pop(), ()):
            if process not in found:
                pending.append(process.pid)
            found.add(process)
    return found


def alive(noted: set[Running]) -> set[Running]:
    """Those that have not ended."""
    table = running()
    return {process for process in noted if process.pid in table and table[process.pid].started == process.started}


def end(noted: set[Running], kill: bool) -> None:
    """Terminate or kill those that have not ended."""
    for process in alive(noted):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL if kill else signal.SIGTERM)
