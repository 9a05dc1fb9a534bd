"""More games at once than one event loop can follow in time: processes of their own, each of which follows a few.

A worker (``damd.match.worker``) plays pairings in as many places as it is asked to. Manager and worker exchange frames, a
length of four bytes and a pickled message, over the worker's stdin and stdout; when its stdin ends the worker ends its
engines and itself, so none outlives a manager that was killed.
"""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from damd.match.events import Event
from damd.match.player import GRACE_S, Unfit, undisturbed
from damd.match.records import PairRecord
from damd.match.tasks import PairTask, WorkerLost

LENGTH_BYTES = 4
#: A worker gets so long to end its engines, which takes them two graces at most.
_END_S = 3 * GRACE_S + 2.0


@dataclass(frozen=True, slots=True)
class Order:
    """What a worker is to play, in which of its places and on which processor."""

    place: int
    core: int | None
    task: PairTask


@dataclass(frozen=True, slots=True)
class Told:
    """What has happened in a place."""

    place: int
    event: Event


@dataclass(frozen=True, slots=True)
class Finished:
    """A pairing is played; ``unfit`` says why it could not be."""

    place: int
    record: PairRecord | None
    unfit: str = ""


def frame(message: Order | Told | Finished) -> bytes:
    data = pickle.dumps(message)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


class Worker:
    """One worker's process, started when it is first needed."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._waiting: dict[int, tuple[asyncio.Future[PairRecord], Callable[[Event], None]]] = {}

    async def play(self, order: Order, tell: Callable[[Event], None]) -> PairRecord:
        """Raises ``Unfit`` and ``WorkerLost``. Cancelled, it leaves the pairing to be ended by ``close``."""
        async with self._starting:
            if self._process is None:
                self._process = await _started()
                self._reading = asyncio.create_task(self._read(self._process))
        stdin = self._process.stdin
        if stdin is None or self._reading is None or self._reading.done():
            raise WorkerLost("a worker's process has ended")
        done: asyncio.Future[PairRecord] = asyncio.get_running_loop().create_future()
        self._waiting[order.place] = (done, tell)
        try:
            stdin.write(frame(order))
            return await done
        finally:
            self._waiting.pop(order.place, None)

    async def close(self) -> None:
        """End it and its engines; may be called again."""
        process, self._process = self._process, None
        if process is not None:
            await undisturbed(self._end(process))

    async def _end(self, process: Process) -> None:
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(_END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        if self._reading is not None:
            await self._reading

    async def _read(self, process: Process) -> None:
        if process.stdout is None:
            raise RuntimeError("a worker without a pipe")
        try:
            while True:
                length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
                self._take(pickle.loads(await process.stdout.readexactly(length)))
        except asyncio.IncompleteReadError:
            code = await process.wait()
            self._give_up(WorkerLost(f"a worker's process has ended with exit code {code}"))
        except Exception as fault:  # noqa: BLE001 - raised where the pairing is waited for; nobody waits for this task
            self._give_up(fault)

    def _give_up(self, fault: Exception) -> None:
        for done, _ in self._waiting.values():
            if not done.done():
                done.set_exception(fault)

    def _take(self, message: Told | Finished) -> None:
        waiting = self._waiting.get(message.place)
        if waiting is None or waiting[0].done():
            return
        done, tell = waiting
        if isinstance(message, Told):
            tell(message.event)
        elif message.record is None:
            done.set_exception(Unfit(message.unfit))
        else:
            done.set_result(message.record)


class RemoteSlot:
    """A place in a worker, to be used like a ``Slot``."""

    def __init__(self, worker: Worker, place: int, core: int | None) -> None:
        self._worker, self._place, self._core = worker, place, core

    async def play(self, task: PairTask, tell: Callable[[Event], None]) -> PairRecord:
        """Raises ``Unfit`` and ``WorkerLost``."""
        return await self._worker.play(Order(self._place, self._core, task), tell)

    async def close(self) -> None:
        """End the worker, the other places' too: they have the same end."""
        await self._worker.close()


async def _started() -> Process:
    # Ctrl-C goes to the manager alone, who ends its workers.
    kinds: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        kinds = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return await asyncio.create_subprocess_exec(sys.executable, "-m", "damd.match.worker", stdin=PIPE, stdout=PIPE, **kinds)
