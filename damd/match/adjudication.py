"""Ends that the arbiter makes from what engines say of their games, before the rules make one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from damd.match.model import Adjudication
from damd.match.records import SIDES, PlyRecord, Termination


@dataclass(frozen=True, slots=True)
class Verdict:
    """An end: ``winner`` is a side, or ``None`` for a draw; ``note`` says from what it follows."""

    winner: int | None
    termination: Termination
    note: str


class Adjudicator:
    """Follows one game from the end of its opening: is told of every ply, and says when the game is to be ended.

    A ply without a score breaks every run; a score of mate counts as a score beyond any number.
    """

    def __init__(self, settings: Adjudication) -> None:
        self._settings = settings
        self._plies = 0
        self._level = 0  # plies running whose score was near 0
        kept = max(1, settings.resign_plies)
        self._last: tuple[deque[float], deque[float]] = (deque(maxlen=kept), deque(maxlen=kept))

    def after(self, ply: PlyRecord) -> Verdict | None:
        """What follows from this ply, the next of the game."""
        settings = self._settings
        self._plies += 1
        value = _value(ply)
        if value is None:
            self._last[ply.side].clear()
        else:
            self._last[ply.side].append(value)
        self._level = self._level + 1 if value is not None and abs(value) <= settings.draw_score else 0
        return self._win() or self._draw() or self._end()

    def _win(self) -> Verdict | None:
        settings = self._settings
        if not settings.resign_plies:
            return None
        for loser in range(2):
            winner = 1 - loser
            gives_up = self._says(loser, lambda value: value <= -settings.resign_score)
            agreed = settings.resign_sides == "one" or self._says(winner, lambda value: value >= settings.resign_score)
            if gives_up and agreed:
                who = "both engines" if settings.resign_sides == "both" else SIDES[loser]
                note = f"{who} at {settings.resign_score / 100:.2f} or more for {settings.resign_plies} plies"
                return Verdict(winner, Termination.ADJUDICATED_WIN, note)
        return None

    def _says(self, side: int, judged: Callable[[float], bool]) -> bool:
        """Whether this is so of as many of its last plies as it takes."""
        last = self._last[side]
        return len(last) == self._settings.resign_plies and all(map(judged, last))

    def _draw(self) -> Verdict | None:
        settings = self._settings
        if not settings.draw_plies or self._level < settings.draw_plies or self._plies < settings.draw_from:
            return None
        note = f"both engines within {settings.draw_score / 100:.2f} for {settings.draw_plies} plies"
        return Verdict(None, Termination.ADJUDICATED_DRAW, note)

    def _end(self) -> Verdict | None:
        longest = self._settings.max_plies
        if not longest or self._plies < longest:
            return None
        return Verdict(None, Termination.ADJUDICATED_LENGTH, f"{longest} plies")


def _value(ply: PlyRecord) -> float | None:
    if ply.mate is not None:
        return float("inf") if ply.mate > 0 else float("-inf")
    return ply.score
