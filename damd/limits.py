"""What a search is told and what it tells: limits in, reports and a result out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from damd.core.codes import MATE, MATE_RANGE
from damd.core.types import Ply


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

    @property
    def chooses(self) -> bool:
        """Whether the search chooses a ply to be played: no analysis, no problem to be solved."""
        return not (self.infinite or self.root_plies or self.mate is not None)


@dataclass(frozen=True, slots=True)
class Score:
    """``kind`` "cp": centipawns; "mate": full moves to the end, negative when losing.

    ``bound`` is "", "lowerbound" or "upperbound".
    """

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
class Progress:
    """What a long search says between two reports, whatever the iteration may bring."""

    nodes: int
    time_ms: int
    nps: int
    hashfull: int


@dataclass(frozen=True, slots=True)
class Current:
    """The ply of the root that a long search has come to; ``number`` counts from 1 in the core's present order."""

    depth: int
    ply: Ply
    number: int


@dataclass(frozen=True, slots=True)
class Result:
    """The choice; ``best`` is ``None`` where there is no legal ply. ``offers_draw`` also accepts an offer."""

    best: Ply | None
    ponder: Ply | None = None
    offers_draw: bool = False
    resigns: bool = False


def score_of(score: int, bound: str = "") -> Score:
    """The core's score as centipawns or full moves to the end; claims on the way count no move."""
    if score > MATE_RANGE:
        return Score("mate", (MATE - score) // 2 + 1, bound)
    if score < -MATE_RANGE:
        return Score("mate", -((MATE + score + 1) // 2), bound)
    return Score("cp", score, bound)


@dataclass(frozen=True, slots=True)
class WinModel:
    """How scores turn into chances: a score ``s`` wins with the logistic of ``s / scale - draw``.

    ``scale`` is in centipawns, above 0; the greater ``draw``, at least 0, the more games are drawn.
    """

    scale: float
    draw: float


def chances(score: Score, model: WinModel) -> tuple[int, int, int]:
    """Win, draw and loss in permille, 1000 in all, for the side that the score is for. A bound counts as a score."""
    if score.kind == "mate":
        return (1000, 0, 0) if score.value > 0 else (0, 0, 1000)
    ratio = score.value / model.scale
    win, loss = (round(1000 / (1 + math.exp(min(model.draw - side, 700.0)))) for side in (ratio, -ratio))
    loss = min(loss, 1000 - win)
    return win, 1000 - win - loss, loss
