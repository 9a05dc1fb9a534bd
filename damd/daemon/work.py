"""Answers that take time: searches, perft and bench, each as one object that runs in the worker's thread.

The object is made by the session, run once by the worker, and stopped from the thread that reads lines.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from damd.core.position import Position, Stopped
from damd.core.types import Ply, TooManyPlies
from damd.engine import Engine, Info, Limits, Result
from damd.geometry import Board
from damd.notation.plies import format_ply
from damd.protocol.errors import Code, ProtocolError
from damd.rules import Rules

Say = Callable[[str], None]


class Work:
    """What the three kinds of work have in common."""

    @property
    def bounded(self) -> bool:
        """True where the work ends by itself: lines then wait for it instead of being refused."""
        return True

    def run(self, say: Say) -> None:
        """Do it and say every line of the answer. Called once, in the worker's thread."""
        raise NotImplementedError

    def stop(self) -> None:
        """End it soon, also where it has not begun. From any thread, more than once if need be."""
        raise NotImplementedError

    def ponder_hit(self) -> bool:
        """The ply pondered on was made. False where nothing was pondered on."""
        return False


class SearchWork(Work):
    """One ``go``: info lines, then exactly one ``bestmove``."""

    def __init__(self, engine: Engine, limits: Limits, squares: str) -> None:
        self._engine = engine
        self._limits = limits
        self._squares = squares
        self._pondering = limits.ponder
        self._stopped = False
        self._released = threading.Event()

    @property
    def bounded(self) -> bool:
        return self._stopped or not (self._limits.infinite or self._pondering)

    def run(self, say: Say) -> None:
        position = self._engine.position
        if position.plies():
            result = self._search(say)
        else:
            # Nothing to search, but nothing may be said too early either.
            if not self.bounded:
                self._released.wait()
            result = Result(None)
        say(bestmove_line(result, position.board, self._squares))

    def _search(self, say: Say) -> Result:
        limits = self._limits
        if self._stopped:
            # Stopped while it waited in line: the shortest search that has a line and a ply to answer.
            limits = replace(limits, depth=1, infinite=False, ponder=False)
        elif limits.ponder and not self._pondering:
            limits = replace(limits, ponder=False)
        board = self._engine.position.board

        def report(info: Info) -> None:
            say(info_line(info, board, self._squares))
            # The engine knows of no search before it has begun one. What it was told between our decision
            # above and its beginning is told again here; there is at least one report a search.
            if self._stopped:
                self._engine.stop()
            elif limits.ponder and not self._pondering:
                self._engine.ponder_hit()

        return self._engine.search(limits, report)

    def stop(self) -> None:
        self._stopped = True
        self._released.set()
        self._engine.stop()

    def ponder_hit(self) -> bool:
        if self._stopped or not self._pondering:
            return False
        self._pondering = False
        if not self._limits.infinite:
            self._released.set()
        self._engine.ponder_hit()
        return True


class PerftWork(Work):
    """One ``perft``: a line for each root ply, then the total. Works on a position of its own."""

    def __init__(self, position: Position, depth: int, squares: str) -> None:
        self._position = position
        self._depth = depth
        self._squares = squares

    def run(self, say: Say) -> None:
        try:
            total = self._count(say)
        except Stopped:
            say(ProtocolError(Code.STOPPED, f"perft {self._depth}", "ended before the count was complete").line())
        except TooManyPlies as fault:
            say(ProtocolError(Code.TOO_MANY_PLIES, f"perft {self._depth}", str(fault)).line())
        else:
            say(f"total {total}")

    def _count(self, say: Say) -> int:
        position = self._position
        if self._depth == 0:
            return 1
        total = 0
        for ply in position.plies():
            position.play(ply)
            count = position.perft(self._depth - 1)
            position.undo()
            say(f"{format_ply(ply, position.board, self._squares)}: {count}")
            total += count
        return total

    def stop(self) -> None:
        self._position.stop()


class _BenchEngine(Engine):
    """An engine that can be told to leave a bench, whichever of its searches it is in."""

    left = False

    def search(self, limits: Limits, on_info: Callable[[Info], None]) -> Result:
        def report(info: Info) -> None:
            if self.left:
                self.stop()
            on_info(info)

        return Result(None) if self.left else super().search(limits, report)


class BenchWork(Work):
    """One ``bench``. It has an engine of its own, so that options and earlier searches do not change the count."""

    def __init__(self, rules: Rules, depth: int | None) -> None:
        self._engine = _BenchEngine(rules)
        self._depth = depth

    def run(self, say: Say) -> None:
        nodes, seconds = self._engine.bench(self._depth)
        if self._engine.left:
            say(ProtocolError(Code.STOPPED, "bench", "ended before its last search").line())
            return
        rate = round(nodes / seconds) if seconds > 0 else 0
        say(f"bench nodes {nodes} time {round(seconds * 1000)} nps {rate}")

    def stop(self) -> None:
        self._engine.left = True
        self._engine.stop()


def info_line(info: Info, board: Board, squares: str) -> str:
    """The ``info`` line of one report."""
    score = f"{info.score.kind} {info.score.value}" + (f" {info.score.bound}" if info.score.bound else "")
    text = (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv} score {score} nodes {info.nodes} "
        f"nps {info.nps} hashfull {info.hashfull} time {info.time_ms}"
    )
    return f"{text} pv {plies_text(info.pv, board, squares)}" if info.pv else text


def bestmove_line(result: Result, board: Board, squares: str) -> str:
    """The ``bestmove`` line of a result."""
    if result.resigns:
        return "bestmove resign"
    if result.best is None:
        return "bestmove (none)"
    text = f"bestmove {format_ply(result.best, board, squares)}"
    if result.ponder is not None:
        text += f" ponder {format_ply(result.ponder, board, squares)}"
    return text + (" draw" if result.offers_draw else "")


def plies_text(plies: tuple[Ply, ...] | list[Ply], board: Board, squares: str) -> str:
    """The plies, separated by blanks."""
    return " ".join(format_ply(ply, board, squares) for ply in plies)
