"""Where the pairings of a run are played: in this process, in workers' processes beside it, or on a cluster.

The runner asks for a place that is free, plays one pairing there, and leaves it once the record is in the journal.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from damd.match.player import Pin
from damd.match.records import PairRecord
from damd.match.tasks import PairTask, Slot, Tell
from damd.match.workers import RemoteSlot, Worker

#: One event loop follows so many games without being late itself; of more, waiting for one another shows in the clocks.
ONE_LOOP = 4


@dataclass(frozen=True, slots=True)
class Cluster:
    """Workers of Dask: those that are at the scheduler of that ``address``, or else ``workers`` of our own here.

    With ``resource``, of those, a game takes one of that resource of its worker, and workers without it get none.
    ``wait_s`` is how long a run waits for workers when there are none.
    """

    address: str = ""
    workers: int = 0
    resource: str = ""
    wait_s: float = 600.0


class Place(Protocol):
    """One pairing at a time is played here."""

    async def play(self, task: PairTask, tell: Tell) -> PairRecord:
        """All games of the pairing. Raises ``Unfit`` and ``WorkerLost``."""


class Places(Protocol):
    """All of them. They may become more and fewer while the run goes on."""

    async def open(self) -> None:
        """Be ready. Raises ``WorkerLost``."""

    async def take(self) -> Place:
        """One that is free, as soon as there is one."""

    def leave(self, place: Place) -> None:
        """It is free again: what was played there is in the journal, or is not wanted any more."""

    async def watch(self, tell: Tell) -> None:
        """Look after them until cancelled, where that has to be done. Raises ``WorkerLost`` when it is no use any more."""

    async def close(self) -> None:
        """End whatever is still played and all engines; may be called again."""


@asynccontextmanager
async def watched(places: Places, tell: Tell) -> AsyncIterator[None]:
    """They are looked after while the block runs, which ends with whatever ends them.

    Of the failures of a task group within the first one is raised, by itself.
    """
    try:
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(places.watch(tell))
            yield
            watch.cancel()
    except BaseExceptionGroup as failures:
        failure: BaseException = failures
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        raise failure from None


class LocalPlaces:
    """On this machine: in this process as long as it is not late itself; of more, as many in each of some workers."""

    def __init__(self, count: int, *, pinned: bool = False) -> None:
        cores = processors()
        core = [cores[place % len(cores)] if pinned else None for place in range(count)]
        self._places: list[Slot] | list[RemoteSlot]
        if count <= ONE_LOOP:
            turn = asyncio.Lock()
            self._places = [Slot(None if one is None else Pin(one, turn)) for one in core]
        else:
            workers = [Worker() for _ in range(-(-count // ONE_LOOP))]
            self._places = [RemoteSlot(workers[place % len(workers)], place, core[place]) for place in range(count)]
        self._free: asyncio.Queue[Place] = asyncio.Queue()
        for place in self._places:
            self._free.put_nowait(place)

    async def open(self) -> None:
        """Engines and workers are started when they are first needed."""

    async def take(self) -> Place:
        return await self._free.get()

    def leave(self, place: Place) -> None:
        self._free.put_nowait(place)

    async def watch(self, tell: Tell) -> None:
        """A worker that is lost shows where it played."""

    async def close(self) -> None:
        await asyncio.gather(*(place.close() for place in self._places))


def processors() -> list[int]:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
