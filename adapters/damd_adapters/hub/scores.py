"""Scores in men, as Hub writes them, and damd's: hundredths of a man, or a win in so many moves.

A forced end in ``n`` plies is worth ``100 - n/100`` men; from 80 to 90 men an endgame base has seen a win. Ordinary scores
therefore stay below 80.
"""

from __future__ import annotations

import math

from damd.client.types import Score

__all__ = ["read_score", "write_score"]

_FORCED_CP = 10_000
_FORCED_LEAST_CP = 9_000
_ORDINARY_MOST_CP = 7_999


def write_score(score: Score) -> str:
    """The score in men with two decimals, ``0.02`` or ``-99.98``. Bounds are not told apart: Hub has none."""
    return f"{_hundredths(score) / 100:.2f}"


def read_score(text: str) -> Score:
    """What a Hub engine's score means. Raises ``ValueError`` for what is no number."""
    men = float(text)
    if not math.isfinite(men):
        raise ValueError(f"no score: {text}")
    hundredths = round(100 * men)
    if abs(hundredths) < _FORCED_LEAST_CP:
        return Score("cp", hundredths)
    plies = max(0, _FORCED_CP - abs(hundredths))
    # A win comes with an own ply: in 1, 3, 5 plies. A loss comes with the opponent's: in 0, 2, 4.
    return Score("mate", max(1, (plies + 1) // 2) if hundredths > 0 else -((plies + 1) // 2))


def _hundredths(score: Score) -> int:
    if score.kind != "mate":
        return max(-_ORDINARY_MOST_CP, min(score.value, _ORDINARY_MOST_CP))
    plies = 2 * score.value - 1 if score.value > 0 else -2 * score.value
    worth = max(_FORCED_LEAST_CP, _FORCED_CP - plies)
    return worth if score.value > 0 else -worth
