"""What a worker of a Dask cluster does for a manager: plays a pairing, and stops as soon as nobody wants it any more.

A run that was interrupted or has ended early and a manager that was killed look alike from here: the scheduler has taken
the task back. Engines are begun anew for each pairing, so that none waits on a machine for whoever may not come back.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import socket
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from damd import __version__
from damd.match.events import Caution, Event
from damd.match.model import Tournament
from damd.match.player import Patience, Unfit
from damd.match.records import PairRecord
from damd.match.settings import rules_of
from damd.match.tasks import PairTask, Slot, tried
from damd.rules import Rules
from damd.variants import VariantError

if TYPE_CHECKING:
    from distributed import Worker

#: A level of logging that nothing has.
SILENT = logging.CRITICAL + 1
#: So often a worker looks whether what it plays is still wanted.
_LOOK_S = 0.25
_ENDING = frozenset({"closing", "closed", "failed", "stopping", "stopped"})
#: Tasks of each run that this process is at.
_busy: set[tuple[str, object]] = set()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """A pairing, for a worker whose damd is of that version and has these rules: others would play another game."""

    task: PairTask
    rules: Rules


@dataclass(frozen=True, slots=True)
class Trial:
    """Engines that a worker is to start once, as ``Order`` has it of the rules."""

    tournament: Tournament
    rules: Rules
    patience: Patience
    recover: bool


@dataclass(frozen=True, slots=True)
class Done:
    """What has come of an order or a trial; ``unfit`` says why nothing has, and where."""

    record: PairRecord | None = None
    cautions: tuple[Caution, ...] = ()
    unfit: str = ""


def play(run: str, version: str, order: bytes) -> Done:
    """A pickled ``Order``, played in this thread; its events go out under the topic ``run``."""
    from distributed import get_worker

    worker = get_worker()

    async def played() -> Done:
        given = _read(order, Order, version)
        task, slot = given.task, Slot()
        _check_rules(task.tournament, given.rules)

        def tell(event: Event) -> None:
            worker.log_event(run, {"pairing": task.pairing.id, "event": pickle.dumps(event)})

        try:
            return Done(await slot.play(task, tell))
        finally:
            await slot.close()

    return _done(run, worker, played)


def try_engines(run: str, version: str, trial: bytes) -> Done:
    """A pickled ``Trial``."""
    from distributed import get_worker

    async def begun() -> Done:
        wanted = _read(trial, Trial, version)
        _check_rules(wanted.tournament, wanted.rules)
        return Done(cautions=tuple(await tried(wanted.tournament, wanted.patience, recover=wanted.recover)))

    return _done(run, get_worker(), begun)


async def idle(run: str, within_s: float) -> None:
    """Wait until this worker is at nothing of that run, but no longer than that."""
    until = time.monotonic() + within_s
    while any(name == run for name, _ in _busy) and time.monotonic() < until:
        await asyncio.sleep(_LOOK_S / 5)


def dask_setup(_worker: Worker) -> None:
    """Of a manager's own workers: Ctrl-C is the manager's to hear, and what there is to be told is his to tell.

    Dask's workers write a traceback when they are ended while they start.
    """
    if hasattr(os, "setsid"):
        os.setsid()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # with one that has come already
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, before)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def silence() -> None:
    """Dask's logs to stderr, in this process."""
    for handler in logging.getLogger("distributed").handlers:
        handler.setLevel(SILENT)


def _done(run: str, worker: Worker, work: Callable[[], Coroutine[Any, Any, Done]]) -> Done:
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing" and worker.status.name not in _ENDING

    _busy.add((run, key))
    try:
        return asyncio.run(_while_wanted(work(), wanted))
    except (Unfit, VariantError) as fault:
        return Done(unfit=f"{fault} (on {socket.gethostname()})")
    finally:
        _busy.discard((run, key))


async def _while_wanted(work: Coroutine[Any, Any, Done], wanted: Callable[[], bool]) -> Done:
    from distributed import Reschedule

    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait({task}, timeout=_LOOK_S))[0]:
            if not wanted():
                # Nothing hears of this, unless it is wanted again meanwhile.
                raise Reschedule
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait({task})


def _read(data: bytes, kind: type[T], version: str) -> T:
    """Raises ``Unfit`` where versions differ: what was sent might not even be read."""
    if version != __version__:
        raise Unfit(f"the worker has damd {__version__}, the manager {version}: they must be the same")
    order = pickle.loads(data)
    if not isinstance(order, kind):
        raise TypeError(f"{kind.__name__} is expected, not {type(order).__name__}")
    return order


def _check_rules(tournament: Tournament, rules: Rules) -> None:
    """Raises ``Unfit`` and ``VariantError``."""
    if rules_of(tournament) != rules:
        raise Unfit(f"the worker's rules of {tournament.variant} are not the manager's: their variant files differ")
