"""One search as an object: its clock, its iterations, and the ways other threads may end it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from damd.core.codes import INFINITE_SCORE, MATE, MATE_RANGE
from damd.core.position import Position
from damd.core.types import Ply
from damd.limits import Info, Limits, Result, score_of

MAX_DEPTH = 99  # iterations; the core goes at most MAX_PLY levels deep
ASPIRATION = 40  # half the first window, centipawns; it grows fourfold
WIDEST_ASPIRATION = 300
SHORTEST_RATE = 0.0005  # seconds of search below which nodes a second mean nothing


@dataclass(frozen=True, slots=True)
class Clock:
    """When a search should not begin another iteration, and when it must end; seconds of the monotonic clock."""

    began: float
    soft: float | None = None
    hard: float | None = None


class Searcher(Protocol):
    """What a task asks of its engine."""

    position: Position
    multipv: int

    def first_clock(self, limits: Limits) -> Clock: ...

    def core_search(self) -> Any: ...

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
        self._clock = Clock(time.monotonic()) if limits.ponder else engine.first_clock(limits)
        self._stopped = False
        self._pondering = limits.ponder
        self._running = False
        self._stoppable = False

    # -- from other threads ----------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End it: it answers with what it has found, a search of one ply at the least."""
        with self._condition:
            self._stopped = True
            if self._stoppable:
                self._engine.position.stop()
            self._condition.notify_all()

    def ponder_hit(self) -> None:
        """The ply pondered on was played: from now on an ordinary search, whose clock starts now."""
        with self._condition:
            if self._pondering:
                self._pondering = False
                self._clock = self._engine.first_clock(self._limits)
                self._condition.notify_all()

    @property
    def pondering(self) -> bool:
        """Whether it waits for a ponder hit."""
        return self._pondering

    # -- in the searching thread -----------------------------------------------------------------------------------

    def run(self, on_info: Callable[[Info], None]) -> Result:
        """Search and return the choice; reports go to ``on_info`` in this thread, one at least where there is a ply.

        Returns after a limit or ``stop``; with ``infinite`` or ``ponder`` never before ``stop`` or ``ponder_hit``.
        """
        self._running = True
        watch: threading.Thread | None = None
        if self._clock.hard is not None or self._pondering:
            watch = threading.Thread(target=self._watch, name="damd-clock", daemon=True)
            watch.start()
        try:
            result = self._search(on_info)
            with self._condition:
                while not self._stopped and (self._limits.infinite or self._pondering):
                    self._condition.wait()
            return result
        finally:
            with self._condition:
                self._running = self._stoppable = False
                self._condition.notify_all()
            if watch is not None:
                watch.join()
            self._engine.position.resume()

    def _watch(self) -> None:
        """The timer thread: stops the search at its hard limit, which a ponder hit may bring."""
        with self._condition:
            while self._running and not self._stopped:
                hard = self._clock.hard
                left = None if hard is None else hard - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._condition.wait(left)
            else:
                return
        self.stop()

    def _search(self, on_info: Callable[[Info], None]) -> Result:
        position, limits = self._engine.position, self._limits
        if not position.count():
            return Result(None)
        search = self._engine.core_search()
        search.node_limit = limits.nodes or 0
        wanted = set(limits.root_plies)
        roots = search.prepare([i for i, ply in enumerate(position.plies()) if ply in wanted] if wanted else None)
        if not roots:
            return Result(None)
        lines = min(self._engine.multipv, roots)
        best_line: tuple[Ply, ...] = ()
        best_code: tuple[int, list[int]] = (0, [])
        best_score = 0
        for depth in range(1, self._deepest() + 1):
            finished: list[tuple[int, tuple[Ply, ...], tuple[int, list[int]]]] = []
            for line in range(lines):
                score, pv = self._iterate(search, depth, line, best_score if line == 0 and depth > 4 else None)
                if pv:
                    finished.append((score, pv, search.line()[0]))
                if search.out():
                    break
            finished.sort(key=lambda entry: -entry[0])
            for number, (score, pv, _) in enumerate(finished):
                on_info(self._info(search, depth, number + 1, score, pv))
            if finished:
                best_score, best_line, best_code = finished[0]
            self._let_stop()
            if search.out() or self._enough(depth, roots, best_score):
                break
        if not best_line:
            # A node limit below the number of plies: the first in the core's order, with a static score.
            best_score = self._engine.evaluate()
            best_code = search.root_ply(0)
            best_line = position.follow([best_code])
            on_info(self._info(search, 1, 1, best_score, best_line))
        position.resume()
        ponder = best_line[1] if len(best_line) > 1 else self._engine.expected_after(*best_code)
        return self._engine.conclude(limits, best_line[0], ponder, best_score)

    def _deepest(self) -> int:
        limits = self._limits
        if self._stopped:
            return 1
        depth = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        return depth if limits.mate is None else min(depth, max(1, 2 * limits.mate + 1))

    def _let_stop(self) -> None:
        """From the second iteration on a stop takes hold at once: every answer rests on one full iteration."""
        with self._condition:
            self._stoppable = True
            if self._stopped:
                self._engine.position.stop()

    def _iterate(self, search: Any, depth: int, line: int, guess: int | None) -> tuple[int, tuple[Ply, ...]]:
        """One line of one iteration; an empty variation where the search ended before its first ply was done."""
        margin = ASPIRATION
        low, high = -INFINITE_SCORE, INFINITE_SCORE
        if guess is not None and abs(guess) < MATE_RANGE:
            low, high = guess - margin, guess + margin
        while True:
            score = search.iterate(depth, low, high, line)
            if search.out():
                if score == -INFINITE_SCORE or (score <= low and low > -INFINITE_SCORE):
                    return score, ()
                break
            if score <= low and low > -INFINITE_SCORE:
                low = -INFINITE_SCORE if margin > WIDEST_ASPIRATION else low - 3 * margin
            elif score >= high and high < INFINITE_SCORE:
                high = INFINITE_SCORE if margin > WIDEST_ASPIRATION else high + 3 * margin
            else:
                break
            margin *= 4
        return score, self._engine.position.follow(search.line())

    def _info(self, search: Any, depth: int, number: int, score: int, pv: tuple[Ply, ...]) -> Info:
        elapsed = time.monotonic() - self._clock.began
        return Info(
            depth=depth,
            seldepth=max(depth, int(search.seldepth)),
            multipv=number,
            score=score_of(score),
            nodes=int(search.nodes),
            time_ms=int(1000 * elapsed),
            nps=int(search.nodes / elapsed) if elapsed > SHORTEST_RATE else 0,
            hashfull=self._engine.table_fullness(),
            pv=pv,
        )

    def _enough(self, depth: int, roots: int, score: int) -> bool:
        """Whether a finished iteration makes the next one pointless or too late."""
        limits = self._limits
        if limits.mate is not None and score > MATE_RANGE and (MATE - score) // 2 + 1 <= limits.mate:
            return True
        if limits.infinite or self._pondering or self._clock.soft is None:
            return False
        # A forced ply needs no thought, a win or loss that was seen to its end no more of it.
        if roots == 1 or (abs(score) > MATE_RANGE and depth > 2 * (MATE - abs(score))):
            return True
        now = time.monotonic()
        return now - self._clock.began > 0.6 * (self._clock.soft - self._clock.began)
