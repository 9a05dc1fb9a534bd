"""From what ``getmove`` is told to the limit of a search, and from a search to what CheckerBoard shows and returns."""

from __future__ import annotations

import re

from damd.client import InfoLine, Limit, Score, SearchResult
from damd.core.types import Outcome
from damd.geometry import WHITE
from damd_adapters.checkerboard.layouts import Squares
from damd_adapters.checkerboard.wire import LONG_REPLY, MoveRequest

DRAW, WIN, LOSS, UNKNOWN = 0, 1, 2, 3

_EXACT = 2
_INCREMENT_SHIFT = 2
#: Milliseconds of a unit of time, by the increment mode; mode 0 is no increment.
_UNIT_MS = (0, 1, 10, 100)
_LONGEST_MS = 2_147_483_647
#: So much of a variation is shown.
_SHOWN_PLIES = 12


def is_exact(request: MoveRequest) -> bool:
    """Whether the user wants all of the time to be used."""
    return bool(request.info & _EXACT)


def limit_of(request: MoveRequest, side: int, choices: int) -> Limit:
    """When to stop thinking about a position with so many moves.

    A clock where there is one; else the time given, which a single move does not need unless it is exact.
    """
    unit = _UNIT_MS[request.info >> _INCREMENT_SHIFT & 3]
    if unit:
        left = (request.more_info >> 16 & 0xFFFF) * unit
        increment = (request.more_info & 0xFFFF) * unit
        if side == WHITE:
            return Limit(white_time_ms=left, white_increment_ms=increment)
        return Limit(black_time_ms=left, black_increment_ms=increment)
    if choices == 1 and not is_exact(request):
        return Limit(depth=1)
    return Limit(movetime_ms=round(min(request.seconds * 1000, _LONGEST_MS)))


def result_of(search: SearchResult, outcome: Outcome | None, side: int) -> int:
    """What ``getmove`` returns: whether ``side``, which has just moved, has won, drawn or lost, as far as that is certain.

    CheckerBoard ends a match game at once where an engine says so. So a draw is one by the rules, and a win or loss one
    that is on the board or that the search has seen to its end.
    """
    if outcome is not None:
        return DRAW if outcome.winner is None else WIN if outcome.winner == side else LOSS
    last = search.last()
    if last is None or last.score is None or last.score.kind != "mate" or last.score.bound or last.pv[:1] != (search.ply,):
        return UNKNOWN
    return WIN if last.score.value > 0 else LOSS


class Report:
    """What the status bar shows of a running search: its newest line, or all moves with their scores."""

    def __init__(self, squares: Squares, every_move: bool) -> None:
        self._squares = squares
        self._every_move = every_move
        self._scores: dict[int, tuple[str, str]] = {}
        self._depth = 0
        self.text = "damd is thinking"

    def add(self, info: InfoLine) -> bool:
        """Take an ``info`` line; whether the text is another one now."""
        before = self.text
        if info.score is None or not info.pv:
            return False
        if self._every_move:
            self._add_move(info)
        elif (info.multipv or 1) == 1:
            self.text = self._line(info)
        return self.text != before

    def _line(self, info: InfoLine) -> str:
        parts = [f"depth {info.depth or 0}" + (f"/{info.seldepth}" if info.seldepth else "")]
        if info.score is not None:
            parts.append(f"eval {score_text(info.score)}")
        if info.time_ms is not None:
            parts.append(f"{info.time_ms / 1000:.2f} s")
        if info.nps is not None:
            parts.append(f"{info.nps / 1000:.0f} kN/s")
        return "  ".join([*parts, "pv " + " ".join(self._named(ply) for ply in info.pv[:_SHOWN_PLIES])])[:LONG_REPLY]

    def _add_move(self, info: InfoLine) -> None:
        rank = info.multipv or 1
        if rank == 1:
            self._scores.clear()
            self._depth = info.depth or 0
        if info.score is not None:
            self._scores[rank] = (self._named(info.pv[0]), score_text(info.score))
        listed = ", ".join(f"{move} {score}" for _, (move, score) in sorted(self._scores.items()))
        self.text = f"depth {self._depth}: {listed}"[:LONG_REPLY]

    def _named(self, ply: str) -> str:
        """A ply of the engine's with CheckerBoard's numbers; algebraic squares are left as they are."""
        geometry, squares = self._squares.rules.geometry, self._squares
        if not _NUMERIC.fullmatch(ply):
            return ply
        return _NUMBER.sub(
            lambda found: str(squares.told(geometry.index(found[0]))) if found[0] in geometry.names else found[0], ply
        )


_NUMERIC = re.compile(r"[0-9]+(?:[-x][0-9]+)+")
_NUMBER = re.compile(r"[0-9]+")


def score_text(score: Score) -> str:
    """A score for the side to move: men and hundredths, or a win or loss in so many moves."""
    mark = {"lowerbound": ">=", "upperbound": "<="}.get(score.bound, "")
    if score.kind == "mate":
        return f"{mark}{'win' if score.value > 0 else 'loss'} in {abs(score.value)}"
    return f"{mark}{score.value / 100:+.2f}"
