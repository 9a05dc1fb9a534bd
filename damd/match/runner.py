"""Runs a tournament: plays what the plan has and the journal has not, some pairings at a time, in one event loop.

A pairing is the unit: a ``PairTask`` is all that is needed to play one, a value that can be sent elsewhere, and what comes
back is a ``PairRecord``. It is in the journal, for good, before anybody counts it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from damd.match.dask_places import cluster_places
from damd.match.events import Caution, PairEnd, RoundStart, RunEnd, RunStart, Sprt, Standings
from damd.match.journal import Journal, JournalError
from damd.match.model import Opening, Pairing, Schedule, Tournament
from damd.match.places import Cluster, LocalPlaces, Place, Places, processors, watched
from damd.match.plan import left_to_play, plan, repeated_openings
from damd.match.player import DEFAULT_PATIENCE, Patience, Unfit, undisturbed
from damd.match.records import PairRecord, Termination
from damd.match.standings import SERIOUS_TIME_LOSSES, standings
from damd.match.statistics import sprt
from damd.match.tasks import PairTask, Tell, WorkerLost, tried

#: So many games are too many for one manager, on whatever machine.
MOST_AT_ONCE = 256
#: Terminations behind which a tournament stops unless it is to recover: the engine's process was lost.
BROKEN_DOWN = frozenset({Termination.CRASH, Termination.STALL, Termination.DISCONNECT})
#: Standings are made anew no more often than costs one part in so many of the time.
_STANDINGS_PART = 50
#: Time losses are no accident any more from so many on.
_FEW = 3


class TooMany(ValueError):
    """More games at once than can be played in earnest; the message says what can."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run is done, which no result may depend on. ``recover`` goes on behind a breakdown, as the tournament may.

    A ``cluster`` says by itself how many games are played at once, and where.
    """

    concurrency: int = 1
    patience: Patience = DEFAULT_PATIENCE
    recover: bool = False
    pinned: bool = False
    cluster: Cluster | None = None


def check_concurrency(wanted: int, *, overload: bool = False) -> None:
    """Raises ``TooMany``."""
    cores = len(processors())
    if wanted > MOST_AT_ONCE:
        raise TooMany(f"{wanted} games at once are too many for one manager: at most {MOST_AT_ONCE}")
    if wanted > cores and not overload:
        raise TooMany(f"{wanted} games at once on {cores} processors would take each other's time: --overload allows it")


async def try_engines(tournament: Tournament, settings: RunSettings) -> list[Caution]:
    """Each engine once, before there is a journal: most of what is wrong with a tournament shows here.

    On a cluster that is there already they are tried on each of its machines. Returns what is not quite right. Raises
    ``Unfit``, also for an engine that breaks down, unless that is to be recovered from; and ``WorkerLost``.
    """
    recover = settings.recover or tournament.recover
    if settings.cluster is None or not settings.cluster.address:
        return await tried(tournament, settings.patience, recover=recover)
    places = cluster_places(settings.cluster)
    try:
        await places.open()
        return await places.try_engines(tournament, settings.patience, recover=recover)
    finally:
        await places.close()


class _Stop(Exception):
    """The run is to end before the plan does."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Runner:
    """One run of the tournament of a journal. ``tell`` hears of everything; it must not take long."""

    def __init__(
        self,
        journal: Journal,
        settings: RunSettings,
        tell: Tell,
        settle: Callable[[], None] | None = None,
        cautions: Sequence[Caution] = (),
    ) -> None:
        """``settle`` is called in a thread behind each pairing: whoever writes what is told catches up there.

        ``cautions`` are those of ``try_engines``, told behind the beginning.
        """
        self._journal, self._settings, self._tell, self._settle = journal, settings, tell, settle
        self._tournament = journal.header.tournament
        self._recover = settings.recover or self._tournament.recover
        self._cautions = cautions
        self._board = _Board(journal, tell)
        self._writing = asyncio.Lock()
        self._work: asyncio.Task[None] | None = None
        self._interrupted = False
        self._places: Places = _places(settings)

    def interrupt(self) -> None:
        """End the run soon: what is being played counts for nothing and is played again."""
        if self._work is not None and not self._interrupted:
            self._interrupted = True
            self._work.cancel()

    async def run(self) -> RunEnd:
        """Play, and end the engines whatever happens. The end that is returned has been told too.

        Raises ``PlanError`` for a journal that is none of its own plan.
        """
        schedule = self._plan()
        self._tell(self._beginning(schedule))
        for caution in self._cautions:
            self._tell(caution)
        self._work = asyncio.create_task(self._play_rounds(schedule))
        try:
            reason, message = await self._outcome(self._work)
        finally:
            self._work.cancel()
            await self._places.close()
        self._board.catch_up()
        self._board.show(always=True)
        end = self._board.ending(reason, message)
        self._tell(end)
        return end

    async def _outcome(self, work: asyncio.Task[None]) -> tuple[str, str]:
        try:
            await work
        except _Stop as stop:
            return stop.reason, stop.message
        except (Unfit, JournalError, WorkerLost) as error:
            return "failed", str(error)
        except asyncio.CancelledError:
            if not self._interrupted:
                raise
            return "interrupted", "interrupted"
        return "finished", "all games are played"

    def _plan(self) -> Schedule:
        header = self._journal.header
        schedule = plan(self._tournament, len(header.openings), self._journal.records)
        self._board.schedule = schedule
        return schedule

    def _beginning(self, schedule: Schedule) -> RunStart:
        tournament = self._tournament
        return RunStart(
            self._journal.file,
            tournament.variant,
            tournament.format,
            tournament.names,
            tournament.seed,
            self._board.games,
            self._board.finished,
            schedule.complete,
        )

    async def _play_rounds(self, schedule: Schedule) -> None:
        """Each time all that is known; formats that depend on results know more then."""
        left = left_to_play(schedule, self._journal.records)
        if not left:
            return
        self._stop_if_decided()
        if repeated_openings(schedule):
            self._tell(Caution("there are fewer openings than rounds: engines that think alike play the same games again"))
        await self._places.open()
        while left:
            await self._play(left)
            schedule = self._plan()
            left = left_to_play(schedule, self._journal.records)
            if left:
                self._tell(RoundStart(self._board.games, schedule.complete))

    async def _play(self, pairings: Sequence[Pairing]) -> None:
        async with watched(self._places, self._tell), asyncio.TaskGroup() as games:
            for pairing in pairings:
                place = await self._places.take()
                games.create_task(self._play_at(place, pairing))

    async def _play_at(self, place: Place, pairing: Pairing) -> None:
        header, patience = self._journal.header, self._settings.patience
        try:
            task = PairTask(self._tournament, pairing, header.openings[pairing.opening], patience)
            record = await place.play(task, self._tell)
            async with self._writing:
                # For good, and without the other games' waiting for the disk.
                await undisturbed(asyncio.to_thread(self._journal.append, record))
            self._board.add(record)
            if self._settle is not None:
                await asyncio.to_thread(self._settle)
            self._stop_if_broken(record)
            self._stop_if_decided()
        finally:
            self._places.leave(place)

    def _stop_if_broken(self, record: PairRecord) -> None:
        if self._recover:
            return
        for game in record.games:
            if game.termination in BROKEN_DOWN:
                raise _Stop("breakdown", f"{game.loser_name} has broken down: {game.describe()}")

    def _stop_if_decided(self) -> None:
        decision = self._board.decision()
        if decision:
            raise _Stop("sprt", f"the sequential test has ended: {decision} is accepted")


def _places(settings: RunSettings) -> Places:
    if settings.cluster is not None:
        return cluster_places(settings.cluster)
    return LocalPlaces(settings.concurrency, pinned=settings.pinned)


class _Board:
    """What is counted while the run goes on, without going through all records each time."""

    def __init__(self, journal: Journal, tell: Tell) -> None:
        self.schedule = Schedule(())
        self.finished = 0  # games
        self._journal, self._tell = journal, tell
        self._tournament = journal.header.tournament
        self._light: list[PairRecord] = []
        self._counts = [0] * (5 if self._tournament.reverse else 3)
        self._late: dict[str, int] = {}
        self._shown, self._cost = 0.0, 0.0
        for record in journal.records:
            self._count(record)

    @property
    def games(self) -> int:
        """Games that are planned so far."""
        return sum(1 + pairing.reverse for pairing in self.schedule.pairings)

    def add(self, record: PairRecord) -> None:
        """A pairing is journalled."""
        self._count(record)
        self._tell(PairEnd(record.pairing, self.finished, self.games))
        self._warn(record)
        if self._tournament.sprt is not None:
            self._tell(Sprt.of(sprt(self._counts, self._tournament.sprt)))
        self.show()

    def catch_up(self) -> None:
        """Count what was journalled while the run was being ended; both are in the same order."""
        for record in self._journal.records[len(self._light) :]:
            self._count(record)

    def decision(self) -> str:
        """The sequential test's, empty while there is none."""
        test = self._tournament.sprt
        return "" if test is None else sprt(self._counts, test).decision

    def show(self, *, always: bool = False) -> None:
        """Tell the standings, unless that was done a moment ago."""
        began = time.perf_counter()
        if not always and began - self._shown < _STANDINGS_PART * self._cost:
            return
        self._tell(Standings.of(standings(self._tournament, self.schedule, self._light)))
        self._shown = time.perf_counter()
        self._cost = self._shown - began

    def ending(self, reason: str, message: str) -> RunEnd:
        left = bool(left_to_play(self.schedule, self._light)) and reason != "sprt"
        resume = f"damd match --resume {quote(self._journal.file)}" if left else ""
        return RunEnd(reason, message, self.finished, self.games, resume)

    def _count(self, record: PairRecord) -> None:
        # Of its plies the standings ask for those alone that were too long.
        light = [replace(game, plies=tuple(ply for ply in game.plies if ply.over_ms > 0)) for game in record.games]
        self._light.append(replace(record, games=tuple(light)))
        self.finished += len(light)
        if self._tournament.sprt is not None:
            self._counts[record.points(self._tournament.names[0])] += 1
        for game in record.games:
            if game.termination is Termination.TIME and game.loser_name is not None:
                self._late[game.loser_name] = self._late.get(game.loser_name, 0) + 1

    def _warn(self, record: PairRecord) -> None:
        for game in record.games:
            place = f"{record.pairing}.{game.number}"
            if game.termination.is_fault:
                self._tell(Caution(game.describe(), place))
            elif game.termination is Termination.TIME:
                late, played = self._late[game.loser_name or ""], self.finished
                if late >= _FEW and late * SERIOUS_TIME_LOSSES > played:
                    self._tell(Caution(f"{game.loser_name} has lost {late} games on time: its results say little", place))


def plan_lines(tournament: Tournament, openings: Sequence[Opening], schedule: Schedule) -> list[str]:
    """The plan as text, a line a game."""
    lines = [
        f"{game.id}  {game.white} - {game.black}  {openings[pairing.opening]}  seed {game.seed}"
        for pairing in schedule.pairings
        for game in pairing.games()
    ]
    games = len(lines)
    rest = "" if schedule.complete else "; later rounds are matched by the results"
    return [*lines, f"{games} games of {len(tournament.engines)} engines, tournament's seed {tournament.seed}{rest}"]
