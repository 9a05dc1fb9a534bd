"""The engine: a position and a search with limits, clocks and reports. It never prints and never reads.

``Engine.search`` blocks in the thread that calls it; ``stop`` and ``ponder_hit`` come from any other. Iterations,
time and the choice between offering, accepting and resigning live here; the core searches.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from damd.core import builds
from damd.core.codes import INFINITE_SCORE, MATE, MATE_RANGE, MAX_PLY
from damd.core.position import Position
from damd.core.tables import evaluation_spec
from damd.core.types import Ply, PlyKind
from damd.rules import Rules

MAX_DEPTH = 99
BENCH_DEPTH = 8
DEFAULT_MOVES_LEFT = 30  # moves that a clock without moves to go is shared out over
RESIGN_SCORE = -900  # centipawns, three searches running
RESIGN_COUNT = 3
DRAW_SCORE = 10  # a draw is offered within so many centipawns of zero, once nothing has happened for a while
DRAW_HALFMOVES = 20
ASPIRATION = 40  # half the first window, centipawns


@dataclass(frozen=True, slots=True)
class Limits:
    """What ends a search; everything ``None`` or empty is no limit. Pairs are White's and Black's.

    ``infinite`` and ``ponder`` hold the answer back until ``stop`` (or ``ponder_hit``). A search without any
    limit runs until ``stop`` too, but may answer earlier when ``MAX_DEPTH`` is reached.
    """

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    movetime_ms: int | None = None
    time_ms: tuple[int | None, int | None] = (None, None)
    increment_ms: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    infinite: bool = False
    ponder: bool = False
    root_plies: tuple[Ply, ...] = ()
    draw_offered: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """``kind`` "cp": centipawns; "mate": full moves to the win, negative when losing. ``bound`` "", "lowerbound", "upperbound"."""

    kind: str
    value: int
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Info:
    """A report of the search about one line (``multipv`` counts from 1); ``hashfull`` in permille."""

    depth: int
    seldepth: int
    multipv: int
    score: Score
    nodes: int
    time_ms: int
    nps: int
    hashfull: int
    pv: tuple[Ply, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The choice; ``best`` is ``None`` where there is no legal ply. ``offers_draw`` also accepts an offer."""

    best: Ply | None
    ponder: Ply | None = None
    offers_draw: bool = False
    resigns: bool = False


@dataclass(slots=True)
class _Clock:
    """When the running search should not begin another iteration, and when it must end (monotonic seconds)."""

    began: float
    soft: float | None = None
    hard: float | None = None


@dataclass(slots=True)
class _Control:
    """What other threads tell the running search."""

    condition: threading.Condition = field(default_factory=threading.Condition)
    stopped: bool = False
    pondering: bool = False
    running: bool = False
    clock: _Clock = field(default_factory=lambda: _Clock(0.0))


class Engine:
    """One engine with one position; ``hash_mb`` MiB of table. Raises ``MemoryError`` where they cannot be had."""

    def __init__(self, rules: Rules, hash_mb: int = 16) -> None:
        self.multipv = 1
        self.move_overhead_ms = 10
        self.draw_offers = False
        self.resign = False
        self.hash_mb = hash_mb
        self._control = _Control()
        self._bad_scores = 0
        self._last_limits = Limits()
        self.rules = rules
        self.position = Position(rules)
        self._build()
        self._table = self._tables.Table(hash_mb)
        self._search = self._searches.Search(self.position.core, self._evaluation, self._table)

    def _build(self) -> None:
        width, build = self.position.board.width, self.position.build
        self._searches = builds.load("search", width, build)[0]
        self._tables = builds.load("table", width, build)[0]
        self._evaluation = builds.load("evaluation", width, build)[0].Evaluation(evaluation_spec(self.rules))

    # -- setting up ------------------------------------------------------------------------------------------------

    def set_rules(self, rules: Rules) -> None:
        """Play another game from now on, from its start position, with an empty table of the same size."""
        position = Position(rules)
        old = self._tables.Table
        self.rules = rules
        self.position = position
        self._build()
        if self._tables.Table is old:
            self._table.clear()
        else:
            self._table = None  # the old one goes first: both at once could be too much
            self._search = None
            self._table = self._tables.Table(self.hash_mb)
        self._search = self._searches.Search(position.core, self._evaluation, self._table)
        self._bad_scores = 0

    def set_position(self, position: Position) -> None:
        """Search this position from now on; its rules must be the engine's."""
        if position is not self.position:
            self.position = position
            self._search = self._searches.Search(position.core, self._evaluation, self._table)

    def set_hash(self, megabytes: int) -> None:
        """Take a table of another size; on ``MemoryError`` the old one stays."""
        table = self._tables.Table(megabytes)
        self._table = table
        self.hash_mb = megabytes
        self._search.share(table)

    def clear(self) -> None:
        """Forget all that was learned: the next search is as the first of a new process."""
        self._table.clear()
        self._search.forget()
        self._bad_scores = 0

    # -- from other threads ----------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End the running search at once; without one, nothing happens."""
        control = self._control
        with control.condition:
            if control.running:
                control.stopped = True
                self.position.stop()
                control.condition.notify_all()

    def ponder_hit(self) -> None:
        """The expected ply was played: the running ponder search becomes an ordinary one, its clock starts now."""
        control = self._control
        with control.condition:
            if control.running and control.pondering:
                control.pondering = False
                control.clock = self._clock_of(self._last_limits)
                control.condition.notify_all()

    # -- searching -------------------------------------------------------------------------------------------------

    def search(self, limits: Limits, on_info: Callable[[Info], None]) -> Result:
        """Search the position and return the choice; reports go to ``on_info`` in this thread.

        Returns after a limit or ``stop``; with ``infinite`` or ``ponder`` never before ``stop`` or ``ponder_hit``.
        """
        control = self._control
        with control.condition:
            self._last_limits = limits
            control.clock = _Clock(time.monotonic()) if limits.ponder else self._clock_of(limits)
            control.stopped = False
            control.pondering = limits.ponder
            control.running = True
            self.position.resume()
        watch = threading.Thread(target=self._watch, name="damd-clock", daemon=True)
        timed = control.clock.hard is not None or limits.ponder
        if timed:
            watch.start()
        try:
            result = self._search_position(limits, on_info)
            if limits.infinite or limits.ponder:
                self._hold_back(limits)
            return result
        finally:
            with control.condition:
                control.running = False
                control.condition.notify_all()
            if timed:
                watch.join()
            self.position.resume()

    def _hold_back(self, limits: Limits) -> None:
        control = self._control
        with control.condition:
            while not control.stopped and (limits.infinite or control.pondering):
                control.condition.wait()

    def _watch(self) -> None:
        """The timer thread: sets the stop flag at the hard limit, which a ponder hit may bring."""
        control = self._control
        with control.condition:
            while control.running and not control.stopped:
                hard = control.clock.hard
                left = None if hard is None else hard - time.monotonic()
                if left is not None and left <= 0:
                    control.stopped = True
                    self.position.stop()
                    return
                control.condition.wait(left)

    def _clock_of(self, limits: Limits) -> _Clock:
        """Soft and hard limits of the side to move, counted from now."""
        now = time.monotonic()
        clock = _Clock(now)
        side = self.position.side
        overhead = self.move_overhead_ms
        left = limits.time_ms[side]
        if limits.infinite:
            return clock
        if limits.movetime_ms is not None:
            clock.hard = now + max(1, limits.movetime_ms - overhead) / 1000
            clock.soft = clock.hard
        elif left is not None:
            usable = max(1, left - overhead)
            moves = min(limits.moves_to_go or DEFAULT_MOVES_LEFT, 50)
            share = usable / moves + 0.75 * limits.increment_ms[side]
            # With moves still to make in this period no single one may eat the clock.
            most = usable if moves == 1 else min(usable * 0.5, 4 * share)
            clock.soft = now + min(0.6 * share, most) / 1000
            clock.hard = now + max(1.0, min(most, usable)) / 1000
        return clock

    def _root_indices(self, limits: Limits, plies: list[Ply]) -> list[int] | None:
        if not limits.root_plies:
            return None
        wanted = set(limits.root_plies)
        return [index for index, ply in enumerate(plies) if ply in wanted]

    def _search_position(self, limits: Limits, on_info: Callable[[Info], None]) -> Result:
        position, search = self.position, self._search
        plies = position.plies()
        if not plies:
            return Result(None)
        self._table.new_search()
        search.node_limit = limits.nodes or 0
        roots = search.prepare(self._root_indices(limits, plies))
        if not roots:
            return Result(None)
        lines = min(self.multipv, roots)
        deepest = min(limits.depth or MAX_DEPTH, MAX_DEPTH)
        if limits.mate is not None:
            deepest = min(deepest, max(1, 2 * limits.mate + 1))
        best_line: tuple[Ply, ...] = ()
        best_score = 0
        for depth in range(1, deepest + 1):
            finished: list[tuple[int, tuple[Ply, ...]]] = []
            for line in range(lines):
                score, pv = self._iterate(depth, line, best_score if line == 0 and depth > 4 else None)
                if pv:
                    finished.append((score, pv))
                if search.out():
                    break
            finished.sort(key=lambda entry: -entry[0])
            for number, (score, pv) in enumerate(finished):
                on_info(self._info(depth, number + 1, score, pv))
            if finished:
                best_score, best_line = finished[0]
            if search.out() or self._enough(limits, depth, roots, best_score):
                break
        if not best_line:
            best_line = self._first_choice(on_info)
        return self._result(limits, best_line, best_score)

    def _iterate(self, depth: int, line: int, guess: int | None) -> tuple[int, tuple[Ply, ...]]:
        """One line of one iteration; an empty variation where the search ended before its first ply was done."""
        search = self._search
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
                low = -INFINITE_SCORE if margin > 300 else max(-INFINITE_SCORE, guess - 4 * margin if guess is not None else low)
            elif score >= high and high < INFINITE_SCORE:
                high = INFINITE_SCORE if margin > 300 else min(INFINITE_SCORE, guess + 4 * margin if guess is not None else high)
            else:
                break
            margin *= 4
        return score, self.position.follow(search.line())

    def _first_choice(self, on_info: Callable[[Info], None]) -> tuple[Ply, ...]:
        """The search ended before anything was searched: the first ply in the core's order, with a static score."""
        line = self.position.follow([self._search.root_ply(0)])
        on_info(self._info(1, 1, self._evaluation.value(self.position.core), line))
        return line

    def _info(self, depth: int, number: int, score: int, pv: tuple[Ply, ...]) -> Info:
        search = self._search
        elapsed = time.monotonic() - self._control.clock.began
        return Info(
            depth=depth,
            seldepth=max(depth, int(search.seldepth)),
            multipv=number,
            score=score_of(score),
            nodes=int(search.nodes),
            time_ms=int(1000 * elapsed),
            nps=int(search.nodes / elapsed) if elapsed > 0.0005 else 0,
            hashfull=int(self._table.fullness()),
            pv=pv,
        )

    def _enough(self, limits: Limits, depth: int, roots: int, score: int) -> bool:
        """Whether a finished iteration makes the next one pointless or too late."""
        control = self._control
        if limits.mate is not None and score > MATE_RANGE and (MATE - score) // 2 + 1 <= limits.mate:
            return True
        with control.condition:
            if limits.infinite or control.pondering:
                return False
            soft = control.clock.soft
            began = control.clock.began
        if soft is None or limits.movetime_ms is not None:
            return False
        # A forced ply needs no thought, a found win no more of it.
        if roots == 1 or (abs(score) > MATE_RANGE and depth > 2 * (MATE - abs(score))):
            return True
        now = time.monotonic()
        return now >= soft or now - began > 0.6 * (soft - began)

    def _result(self, limits: Limits, line: tuple[Ply, ...], score: int) -> Result:
        best = line[0]
        ponder = line[1] if len(line) > 1 else self._ponder_ply(best)
        if ponder is not None and PlyKind.CLAIM in (best.kind, ponder.kind):
            ponder = None
        self._bad_scores = self._bad_scores + 1 if score <= RESIGN_SCORE else 0
        resigns = self.resign and self._bad_scores >= RESIGN_COUNT
        offers = False
        if self.draw_offers:
            quiet = self.position.halfmoves >= DRAW_HALFMOVES and abs(score) <= DRAW_SCORE
            offers = score <= 0 if limits.draw_offered else quiet
        return Result(best, ponder, offers and not resigns, resigns)

    def _ponder_ply(self, best: Ply) -> Ply | None:
        """The answer that the table expects to ``best``; none where that ends the game."""
        position = self.position
        position.resume()
        position.play(best)
        try:
            if position.outcome() is not None:
                return None
            known = self._search.remembered()
            expected = position.follow([known]) if known is not None else ()
            return expected[0] if expected else None
        finally:
            position.undo()

    # -- for the user ----------------------------------------------------------------------------------------------

    def evaluate(self) -> int:
        """The static evaluation in centipawns for the side to move."""
        return int(self._evaluation.value(self.position.core))

    def bench(self, depth: int | None = None) -> tuple[int, float]:
        """Search the start position and a few of its followers to a fixed depth: (nodes, seconds). The table is cleared."""
        rules, saved = self.rules, self.position
        nodes = 0
        self.clear()
        began = time.monotonic()
        for plies in (0, 6, 12, 20):
            position = Position(rules)
            for _ in range(plies):
                listed = position.plies()
                if position.outcome() is not None:
                    break
                position.play(listed[len(listed) // 2])
            if position.outcome() is not None:
                continue
            self.set_position(position)
            last: list[int] = [0]
            self.search(Limits(depth=depth or BENCH_DEPTH), lambda info, last=last: last.__setitem__(0, info.nodes))
            nodes += last[0]
        elapsed = time.monotonic() - began
        self.set_position(saved)
        self.clear()
        return nodes, elapsed


def score_of(score: int) -> Score:
    """The core's score as centipawns or full moves to the end; claims on the way count no move."""
    if score > MATE_RANGE:
        return Score("mate", (MATE - score) // 2 + 1)
    if score < -MATE_RANGE:
        return Score("mate", -((MATE + score + 1) // 2))
    return Score("cp", score)


assert MAX_DEPTH < MAX_PLY
