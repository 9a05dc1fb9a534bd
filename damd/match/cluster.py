"""The places of a Dask cluster, one that is there or one of our own: as many games as its workers have threads.

What is out at any time is a window of twice as many pairings, so that nobody waits for the next one; workers may come and
go. A result is let go of once it is in the journal: until then the scheduler would have a lost one played again, and the
list of all of them would be played again and again.
"""

from __future__ import annotations

import asyncio
import pickle
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from time import monotonic
from uuid import uuid4

import dask
from distributed import Client, Future, KilledWorker, LocalCluster

from damd import __version__
from damd.match.cluster_task import SILENT, Done, Order, Trial, idle, play, silence, try_engines
from damd.match.events import Caution, Event
from damd.match.model import Tournament
from damd.match.places import Cluster, Place, watched
from damd.match.player import GRACE_S, Patience, Unfit, undisturbed
from damd.match.records import PairRecord
from damd.match.settings import rules_of
from damd.match.tasks import PairTask, Tell, WorkerLost
from damd.rules import Rules

#: A scheduler has to answer within so many seconds.
CONNECT_S = 10.0
#: And one that has answered gets so long to do so again, however busy it is.
_ANSWER_S = 60.0
#: Pairings that are out for each game that is played.
_WINDOW = 2
#: So often what the cluster has is looked at.
_LOOK_S = 1.0
#: A task that fails with what nobody expects is tried so often again.
_RETRIES = 2
#: Workers get so long to end engines, which takes them two graces at most.
_END_S = 3 * GRACE_S + 2.0


class ClusterPlaces:
    """See ``damd.match.places.Places``."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        # Two runs of one tournament at one scheduler would else be given each other's games.
        self._run = f"damd-{uuid4().hex[:12]}"
        self._client: Client | None = None
        self._own: LocalCluster | None = None
        self._held = ExitStack()
        self._address = cluster.address
        self._rules: Rules | None = None
        self._slots = 0
        self._out: set[Place] = set()
        self._tells: dict[str, Tell] = {}
        self._changed = asyncio.Event()
        self._unfinished = False

    async def open(self) -> None:
        """Raises ``WorkerLost`` where no scheduler answers within ``CONNECT_S``, or the own one cannot be started."""
        silence()
        if not self._address:
            self._address = await self._start()
        try:
            self._client = Client(self._address, asynchronous=True, timeout=CONNECT_S, set_as_default=False)
            async with asyncio.timeout(CONNECT_S + 1):  # Dask itself waits for ever for one that listens and is silent
                await self._client
        except TimeoutError:
            raise WorkerLost(f"no Dask scheduler at {self._address}: nothing answers for {CONNECT_S:g} seconds") from None
        except (OSError, ValueError, RuntimeError, ImportError) as error:
            raise WorkerLost(f"no Dask scheduler at {self._address}: {_sentence(error)}") from None
        self._client.subscribe_topic(self._run, self._hear)

    async def take(self) -> Place:
        while len(self._out) >= _WINDOW * self._slots:
            self._changed.clear()
            await self._changed.wait()
        place = ClusterPlace(self)
        self._out.add(place)
        return place

    def leave(self, place: Place) -> None:
        self._out.discard(place)
        self._changed.set()
        if isinstance(place, ClusterPlace) and place.future is not None:
            self._unfinished = self._unfinished or not place.future.done()
            place.future.release()

    async def watch(self, tell: Tell) -> None:
        """How many games the cluster has place for; raises ``WorkerLost`` when there was none for too long."""
        nobody_since: float | None = None
        while True:
            self._slots = await self._counted()
            self._changed.set()
            if self._slots:
                nobody_since = None
            elif nobody_since is None:
                nobody_since = monotonic()
                tell(Caution(f"{self._nobody()}: waiting for some, for {self._cluster.wait_s:g} seconds at most"))
            elif monotonic() - nobody_since >= self._cluster.wait_s:
                raise WorkerLost(f"{self._nobody()}, nor have any come within {self._cluster.wait_s:g} seconds")
            await asyncio.sleep(min(_LOOK_S, self._cluster.wait_s))

    async def try_engines(self, tournament: Tournament, patience: Patience, *, recover: bool) -> list[Caution]:
        """Each engine once on each machine that is there. Raises ``Unfit`` and ``WorkerLost``."""
        workers = {address.rpartition(":")[0]: address for address in await self._workers()}
        if not workers:
            return [Caution(f"{self._nobody()} yet: whether the engines can be had shows in the first games")]
        trial = pickle.dumps(Trial(tournament, rules_of(tournament), patience, recover))
        found: list[Event] = []
        async with watched(self, found.append), asyncio.TaskGroup() as group:
            trials = [group.create_task(self._trial(address, trial)) for address in workers.values()]
        for one in trials:
            found += [caution for caution in one.result().cautions if caution not in found]
        return [caution for caution in found if isinstance(caution, Caution)]

    async def close(self) -> None:
        await undisturbed(self._end())

    async def play_at(self, place: ClusterPlace, task: PairTask, tell: Tell) -> PairRecord:
        """Raises ``Unfit`` and ``WorkerLost``."""
        if self._rules is None:  # a run is of one tournament
            self._rules = rules_of(task.tournament)
        order = pickle.dumps(Order(task, self._rules))
        name = task.pairing.id
        place.future = self._connected().submit(
            play,
            self._run,
            __version__,
            order,
            key=f"pair-{name}-{self._run}",
            pure=False,
            retries=_RETRIES,
            resources=self._taken(),
        )
        self._tells[name] = tell
        try:
            record = (await self._outcome(place.future, f"pairing {name}")).record
        finally:
            del self._tells[name]
        if record is None:
            raise RuntimeError(f"pairing {name} was played without a record")
        return record

    # Within

    async def _start(self) -> str:
        """The scheduler's address of a cluster of our own: a process for each game, this machine alone can reach them.

        Raises ``WorkerLost``.
        """
        self._held.enter_context(_unheard_by_children())
        scratch = tempfile.TemporaryDirectory(prefix="damd-match-", ignore_cleanup_errors=True)
        # What Dask has in files: the scheduler's folder has no option of its own.
        self._held.enter_context(dask.config.set({"temporary-directory": self._held.enter_context(scratch)}))
        self._own = LocalCluster(
            n_workers=self._cluster.workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # no dashboard, but some port is listened at
            silence_logs=SILENT,
            asynchronous=True,
            memory_limit=None,
            preload=["damd.match.cluster_task"],
        )
        try:
            await undisturbed(_started(self._own))
        except (OSError, RuntimeError) as error:
            raise WorkerLost(f"no Dask cluster can be started here: {_sentence(error)}") from None
        return str(self._own.scheduler_address)

    def _connected(self) -> Client:
        if self._client is None:
            raise RuntimeError("a cluster is used before it is opened")
        return self._client

    def _taken(self) -> dict[str, int] | None:
        """What a task takes of its worker."""
        return {self._cluster.resource: 1} if self._cluster.resource else None

    def _nobody(self) -> str:
        able = f" with the resource {self._cluster.resource}" if self._cluster.resource else ""
        return f"there are no workers{able} at {self._address}"

    async def _workers(self) -> dict[str, int]:
        """How many games each worker has place for. Raises ``WorkerLost``."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._listed(self._connected())
        except TimeoutError:
            raise WorkerLost(f"the scheduler at {self._address} has not answered for {_ANSWER_S:g} seconds") from None
        except OSError as error:
            raise WorkerLost(f"the scheduler at {self._address} has gone: {_sentence(error)}") from None

    async def _listed(self, client: Client) -> dict[str, int]:
        name = self._cluster.resource
        if not name:
            return dict(await client.nthreads())
        found = (await client.scheduler.identity())["workers"]
        places = {address: min(one["nthreads"], int(one["resources"].get(name, 0))) for address, one in found.items()}
        return {address: count for address, count in places.items() if count > 0}

    async def _counted(self) -> int:
        return sum((await self._workers()).values())

    async def _trial(self, worker: str, trial: bytes) -> Done:
        """At that worker, or another one where that has gone meanwhile."""
        future = self._connected().submit(
            try_engines,
            self._run,
            __version__,
            trial,
            key=f"trial-{uuid4().hex[:12]}-{self._run}",
            workers=[worker],
            allow_other_workers=True,
            pure=False,
            retries=_RETRIES,
            resources=self._taken(),
            priority=1,
        )
        try:
            return await self._outcome(future, "the trial of the engines")
        finally:
            self._unfinished = self._unfinished or not future.done()
            future.release()

    async def _outcome(self, future: Future, what: str) -> Done:
        """Raises ``Unfit`` and ``WorkerLost``."""
        error = await future.exception()
        if isinstance(error, KilledWorker):
            raise WorkerLost(_killed(error, what))
        if error is not None:
            raise WorkerLost(f"{what} cannot be had of the cluster: {type(error).__name__}: {_sentence(error)}")
        try:
            done = await _fetched(future)
        except KilledWorker as killed:  # with the last of them went the result, which nobody could make again
            raise WorkerLost(_killed(killed, what)) from None
        except (OSError, CancelledError) as gone:
            raise WorkerLost(f"the scheduler at {self._address} has gone: {_sentence(gone)}") from None
        if not isinstance(done, Done):
            raise TypeError(f"{what} has come to {type(done).__name__}")
        if done.unfit:
            raise Unfit(done.unfit)
        return done

    def _hear(self, message: tuple[float, dict[str, object]]) -> None:
        """An event of a game that is out; of others nobody wants to hear any more."""
        _, told = message
        tell, event = self._tells.get(str(told["pairing"])), told["event"]
        if tell is not None and isinstance(event, bytes):
            tell(pickle.loads(event))

    async def _end(self) -> None:
        client, self._client = self._client, None
        own, self._own = self._own, None
        if client is not None:
            if self._unfinished and client.status == "running":
                await self._idle(client)
            with suppress(TimeoutError):
                async with asyncio.timeout(CONNECT_S):
                    await client.close()
        if own is not None:
            await own.close()
        self._held.close()

    async def _idle(self, client: Client) -> None:
        """Wait until the workers have ended what is not wanted any more; who does not answer does so by himself."""
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(_END_S + _LOOK_S):
                await client.run(idle, self._run, _END_S, on_error="ignore")


class ClusterPlace:
    """A pairing that is out."""

    def __init__(self, places: ClusterPlaces) -> None:
        self._places = places
        self.future: Future | None = None

    async def play(self, task: PairTask, tell: Tell) -> PairRecord:
        """Raises ``Unfit`` and ``WorkerLost``."""
        return await self._places.play_at(self, task, tell)


async def _started(cluster: LocalCluster) -> None:
    """To the end: one of which a half is there cannot be closed."""
    await cluster


async def _fetched(future: Future) -> object:
    """Its result. Cancelled, it goes on in peace: Dask would complain of its own tasks, and ends them with the future."""
    fetching = asyncio.ensure_future(future)
    fetching.add_done_callback(lambda fetched: fetched.cancelled() or fetched.exception())
    return await asyncio.shield(fetching)


@contextmanager
def _unheard_by_children() -> Iterator[None]:
    """Ctrl-C goes to all processes of a terminal: those that are started meanwhile do not hear it.

    A process has the mask of the thread that starts it. Here another thread hears it instead, which is all the same to
    the handlers. Workers take the mask off when they are out of the terminal's reach: see ``dask_setup``.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # where multiprocessing starts this one it takes the mask off
    over = threading.Event()
    threading.Thread(target=over.wait, daemon=True).start()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        over.set()


def _killed(error: KilledWorker, what: str) -> str:
    workers = error.allowed_failures + 1
    return f"{what} is given up, its workers have ended: {workers} of them, at last {error.last_worker.address}"


def _sentence(error: BaseException) -> str:
    """What it says, in a line that is not too long."""
    return " ".join(str(error).split())[:300] or type(error).__name__
