"""One search as an object: its iterations, its clock, and the ways other threads may end it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from damd.alarms import ALARMS, Alarm
from damd.clock import Allowance, Thinking
from damd.core.codes import INFINITE_SCORE, MATE, MATE_RANGE
from damd.core.position import Position
from damd.core.types import Ply
from damd.limits import Current, Info, Limits, Progress, Result
from damd.reports import Line, Reports

MAX_DEPTH = 99  # iterations; the core goes at most MAX_PLY levels deep
ASPIRATION = 40  # half the first window, centipawns; it grows fourfold
WIDEST_ASPIRATION = 300
#: Seconds that the first iteration may go on after a stop. Nearly always that is enough, and worth it: then the
#: answer rests on a search of every ply. In positions of thousands of captures it may be cut short, too.
FIRST_GRACE = 0.01


class Searcher(Protocol):
    """What a task asks of its engine."""

    position: Position
    multipv: int

    def allowance(self, limits: Limits) -> Allowance: ...

    def core_search(self, limits: Limits) -> Any: ...

    def table_fullness(self) -> int: ...

    def evaluate(self) -> int: ...

    def expected_after(self, code: int, taken: list[int]) -> Ply | None: ...

    def conclude(self, limits: Limits, best: Ply, ponder: Ply | None, score: int) -> Result: ...


class SearchTask:
    """One search: limits, clock, iterations and reports. Made by ``Engine.task``.

    ``run`` blocks in the thread that calls it, once; ``stop`` and ``ponder_hit`` come from any thread, at any time.
    """

    def __init__(self, engine: Searcher, limits: Limits) -> None:
        self._engine = engine
        self._limits = limits
        self._condition = threading.Condition()
        self._clock_began = time.monotonic()
        # Asked for now: once the core searches, whose turn it is cannot be read from the board.
        self._own_time = engine.allowance(limits)
        self._allowance = Allowance() if limits.ponder else self._own_time
        self._thinking = Thinking(self._clock_began)
        self._reports: Reports | None = None
        self._settled = False
        self._stopped = False
        self._pondering = limits.ponder
        self._running = False
        self._stoppable = False
        self._overdue = False
        self._alarms: dict[str, Alarm] = {}
        self._fault: BaseException | None = None

    # -- from other threads ----------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End it: it answers with what it has found, a search of one ply at the least where that does not take long."""
        with self._condition:
            self._stop()

    def ponder_hit(self) -> None:
        """The ply pondered on was played: from now on an ordinary search, whose clock starts now.

        It answers at once where it has thought long enough already.
        """
        with self._condition:
            if self._pondering:
                self._pondering = False
                self._clock_began = time.monotonic()
                self._allowance = self._own_time
                if self._reports is not None:
                    self._reports.clock_began = self._clock_began
                if self._running:
                    self._set_alarm()
                if self._stoppable and self._enough(self._clock_began):
                    self._stop()
                self._condition.notify_all()

    @property
    def pondering(self) -> bool:
        """Whether it waits for a ponder hit."""
        return self._pondering

    def _stop(self) -> None:
        self._stopped = True
        if self._stoppable:
            self._engine.position.stop()
        elif self._running:
            self._be_patient()
        self._condition.notify_all()

    def _set_alarm(self) -> None:
        most = self._allowance.most
        if most is not None:
            self._alarms["time"] = ALARMS.after(self._clock_began + most - time.monotonic(), self._time_up)

    def _be_patient(self) -> None:
        if "patience" not in self._alarms:
            self._alarms["patience"] = ALARMS.after(FIRST_GRACE, self._insist)

    def _insist(self) -> None:
        """A stop has waited for the first iteration long enough; until the plies are listed it waits all the same."""
        with self._condition:
            self._overdue = True
            if self._running and self._reports is not None:
                self._stoppable = True
                self._engine.position.stop()

    # -- in the searching thread -----------------------------------------------------------------------------------

    def run(
        self, on_info: Callable[[Info], None], on_progress: Callable[[Progress | Current], None] | None = None
    ) -> Result:
        """Search and return the choice; reports go to ``on_info`` in this thread, one at least where there is a ply.

        A long search tells ``on_progress`` how far it has come, in a thread of its own, but never while ``on_info``
        is told something, and no more once ``run`` has returned.

        Returns after a limit or ``stop``; with ``infinite`` or ``ponder`` never before ``stop`` or ``ponder_hit``.
        """
        with self._condition:
            self._running = True
            self._set_alarm()
            if self._stopped:
                self._be_patient()
        try:
            result = self._search(on_info, on_progress)
            with self._condition:
                while not self._stopped and (self._limits.infinite or self._pondering):
                    self._condition.wait()
        finally:
            with self._condition:
                self._running = self._stoppable = False
                self._condition.notify_all()
            for alarm in self._alarms.values():
                alarm.cancel()
            # Alarms and listeners know this task: a circle would keep the core's table until the next collection.
            self._alarms.clear()
            self._reports = None
            self._engine.position.resume()
        if self._fault is not None:
            raise self._fault
        return result

    def _time_up(self) -> None:
        """In the alarms' thread: the clock has nothing left for this turn."""
        with self._condition:
            if self._running and not self._stopped:
                self._stop()

    def _look(self) -> None:
        """In the alarms' thread: tell how far the search has come, and look again after a while."""
        try:
            with self._condition:
                reports = self._reports if self._running and not self._stopped else None
            if reports is not None:
                reports.look()
                self._look_later(reports)
        except BaseException as fault:  # noqa: BLE001 - handed on: the searching thread raises it
            self._fault = fault
            self.stop()

    def _look_later(self, reports: Reports) -> None:
        now = time.monotonic()
        moment = reports.next_look(now)
        with self._condition:
            if moment is not None and self._running and not self._stopped:
                self._alarms["look"] = ALARMS.after(moment - now, self._look)

    def _search(self, on_info: Callable[[Info], None], on_progress: Callable[[Progress | Current], None] | None) -> Result:
        position, limits = self._engine.position, self._limits
        if not position.count():
            return Result(None)
        search = self._engine.core_search(limits)
        search.node_limit = limits.nodes or 0
        wanted = set(limits.root_plies)
        roots = search.prepare([i for i, ply in enumerate(position.plies()) if ply in wanted] if wanted else None)
        if not roots:
            return Result(None)
        reports = self._new_reports(search, on_info, on_progress)
        best = self._deepen(search, reports, roots) or self._unsearched(search, reports)
        position.resume()
        ponder = best.plies[1] if len(best.plies) > 1 else self._engine.expected_after(*best.first)
        return self._engine.conclude(limits, best.plies[0], ponder, best.score)

    def _new_reports(
        self, search: Any, on_info: Callable[[Info], None], on_progress: Callable[[Progress | Current], None] | None
    ) -> Reports:
        reports = Reports(search, self._engine.position, self._engine.table_fullness, on_info, on_progress)
        with self._condition:
            reports.clock_began = self._clock_began
            self._reports = reports
            if self._overdue:
                self._stoppable = True
                self._engine.position.stop()
        self._look_later(reports)
        return reports

    def _unsearched(self, search: Any, reports: Reports) -> Line:
        """Where nodes or time were too few for a single ply: the first in the core's order, with a static score."""
        first = search.roots.ply(0)
        line = Line(self._engine.evaluate(), self._engine.position.follow([first]), first)
        reports.result(1, 1, line)
        return line

    def _deepen(self, search: Any, reports: Reports, roots: int) -> Line | None:
        """Iterate until a limit or ``stop``; the best line of the last iteration that has found one."""
        lines = min(self._engine.multipv, roots)
        best: Line | None = None
        for depth in range(1, self._deepest() + 1):
            found: list[Line] = []
            share = 0.0
            for number in range(lines):
                guess = best.score if best is not None and number == 0 and depth > 4 else None
                line = self._iterate(search, reports, depth, number, guess)
                if number == 0:
                    share = search.roots.share()
                if line is not None:
                    found.append(line)
                if search.out():
                    break
            found.sort(key=lambda line: -line.score)
            for number, line in enumerate(found, 1):
                reports.result(depth, number, line)
            if found:
                best = found[0]
            if self._done(search.out(), depth, roots, best, share):
                break
        return best

    def _deepest(self) -> int:
        limits = self._limits
        if self._stopped:
            return 1
        depth = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        return depth if limits.mate is None else min(depth, max(1, 2 * limits.mate + 1))

    def _done(self, out: bool, depth: int, roots: int, best: Line | None, share: float) -> bool:
        """After an iteration: whether it was the last one. From the first one on a stop takes hold at once."""
        now = time.monotonic()
        with self._condition:
            self._stoppable = True
            if self._stopped:
                self._engine.position.stop()
                return True
            if out or best is None:
                return out
            mate, score = self._limits.mate, best.score
            if mate is not None and score > MATE_RANGE and (MATE - score) // 2 + 1 <= mate:
                return True
            # A forced ply needs no thought, a win or loss that was seen to its end no more of it.
            self._settled = roots == 1 or (abs(score) > MATE_RANGE and depth > 2 * (MATE - abs(score)))
            self._thinking.finished(now, best.plies[0], score, share)
            return not self._pondering and self._enough(now)

    def _enough(self, now: float) -> bool:
        """Whether the clock is better saved than spent on another iteration."""
        allowance = self._allowance
        if allowance.target is None:
            return False
        return self._settled or self._thinking.enough(now, self._clock_began, allowance)

    def _iterate(self, search: Any, reports: Reports, depth: int, place: int, guess: int | None) -> Line | None:
        """One line of one iteration; ``None`` where the search ended before it had found any."""
        margin = ASPIRATION
        low, high = -INFINITE_SCORE, INFINITE_SCORE
        if guess is not None and abs(guess) < MATE_RANGE:
            low, high = guess - margin, guess + margin
        better: Line | None = None
        while True:
            reports.iterating(depth, place)
            self._stop_again()
            score = search.iterate(depth, low, high, place)
            reports.iterated()
            if search.out() and (score == -INFINITE_SCORE or (score <= low and low > -INFINITE_SCORE)):
                # What had raised the score past the window is still the best that is known.
                return better
            bound = ""
            if score <= low and low > -INFINITE_SCORE:
                bound = "upperbound"
                low = -INFINITE_SCORE if margin > WIDEST_ASPIRATION else low - 3 * margin
            elif score >= high and high < INFINITE_SCORE:
                bound = "lowerbound"
                high = INFINITE_SCORE if margin > WIDEST_ASPIRATION else high + 3 * margin
            codes = search.lines.principal()
            plies = self._engine.position.follow(codes)
            if not plies:
                return better  # a stop has cut the listing short
            line = Line(score, plies, codes[0], bound)
            if not bound or search.out():
                return line
            better = line if bound == "lowerbound" else None
            reports.failed(depth, place + 1, line)
            margin *= 4

    def _stop_again(self) -> None:
        """A stop may have come while the position was listed, which takes it back."""
        with self._condition:
            if self._stopped and self._stoppable:
                self._engine.position.stop()
