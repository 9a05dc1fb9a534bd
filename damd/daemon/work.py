"""Answers that take time: searches, perft and bench, each as one object that runs in the worker's thread.

The object is made by the session, run once by the worker, and stopped from the thread that reads lines.
"""

from __future__ import annotations

import threading

from damd.core.position import Position, Stopped
from damd.core.types import Ply, TooManyPlies
from damd.daemon.answer import Say, Work
from damd.engine import Engine, Info, Limits, Result
from damd.geometry import Board
from damd.limits import Current, Progress, WinModel, chances
from damd.notation.plies import format_ply
from damd.protocol.errors import Code, ProtocolError
from damd.rules import Rules


class SearchWork(Work):
    """One ``go``: info lines, then exactly one ``bestmove``."""

    def __init__(self, engine: Engine, limits: Limits, squares: str, show_wdl: bool) -> None:
        self._board = engine.position.board
        self._limits = limits
        self._squares = squares
        self._model = engine.win_model if show_wdl else None
        self._pondering = limits.ponder
        self._stopped = False
        self._task = engine.task(limits)

    @property
    def bounded(self) -> bool:
        return self._stopped or not (self._limits.infinite or self._pondering)

    def run(self, say: Say) -> None:
        result = self._task.run(
            lambda info: say(info_line(info, self._board, self._squares, self._model)),
            lambda progress: say(progress_line(progress, self._board, self._squares)),
        )
        say(bestmove_line(result, self._board, self._squares))

    def stop(self) -> None:
        self._stopped = True
        self._task.stop()

    def ponder_hit(self) -> bool:
        if self._stopped or not self._pondering:
            return False
        self._pondering = False
        self._task.ponder_hit()
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
            with position.after(ply):
                count = position.perft(self._depth - 1)
            say(f"{format_ply(ply, position.board, self._squares)}: {count}")
            total += count
        return total

    def stop(self) -> None:
        self._position.stop()


class BenchWork(Work):
    """One ``bench``. It has an engine of its own, so that options and earlier searches do not change the count."""

    def __init__(self, rules: Rules, depth: int | None) -> None:
        self._engine = Engine(rules)
        self._depth = depth
        self._left = threading.Event()

    def run(self, say: Say) -> None:
        nodes, seconds = self._engine.bench(self._depth, self._left.is_set)
        if self._left.is_set():
            say(ProtocolError(Code.STOPPED, "bench", "ended before its last search").line())
            return
        rate = round(nodes / seconds) if seconds > 0 else 0
        say(f"bench nodes {nodes} time {round(seconds * 1000)} nps {rate}")

    def stop(self) -> None:
        self._left.set()
        self._engine.stop()


def info_line(info: Info, board: Board, squares: str, model: WinModel | None) -> str:
    """The ``info`` line of one report, with chances where there is a model of them."""
    score = f"{info.score.kind} {info.score.value}" + (f" {info.score.bound}" if info.score.bound else "")
    if model is not None:
        win, draw, loss = chances(info.score, model)
        score += f" wdl {win} {draw} {loss}"
    text = (
        f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv} score {score} nodes {info.nodes} "
        f"nps {info.nps} hashfull {info.hashfull} time {info.time_ms}"
    )
    return f"{text} pv {plies_text(info.pv, board, squares)}" if info.pv else text


def progress_line(progress: Progress | Current, board: Board, squares: str) -> str:
    """The ``info`` line that says how far a long search has come."""
    if isinstance(progress, Current):
        ply = format_ply(progress.ply, board, squares)
        return f"info depth {progress.depth} currmove {ply} currmovenumber {progress.number}"
    return f"info nodes {progress.nodes} nps {progress.nps} hashfull {progress.hashfull} time {progress.time_ms}"


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
