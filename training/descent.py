"""Finding the lowest point of a smooth function of very many numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from training.samples import Array

Function = Callable[[Array], tuple[float, Array]]

_MEMORY = 12
_ENOUGH = 1e-4  # the part of the fall promised by the slope that a step must bring
_SHORTEST = 1e-10


def descend(function: Function, start: Array, steps: int, watch: Callable[[int, Array], bool], flat: float = 1e-9) -> Array:
    """Walk downhill by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno; the point reached.

    ``function`` answers value and slope. ``watch`` sees each point with its number, from 0, and ends the walk by
    answering true. It also ends after ``steps``, where no step leads down any more, or where a step's fall is less
    than ``flat`` of the value.
    """
    point = start
    value, slope = function(point)
    known: deque[tuple[Array, Array, float]] = deque(maxlen=_MEMORY)
    for number in range(steps):
        if watch(number, point):
            return point
        direction = -_newton(slope, known)
        promised = float(slope @ direction)
        if promised >= 0:  # rounding has spoilt what is known
            known.clear()
            direction, promised = -slope, -float(slope @ slope)
        length = 1.0 if known else min(1.0, 1.0 / (float(np.linalg.norm(slope)) or 1.0))
        while True:
            there = point + length * direction
            there_value, there_slope = function(there)
            if there_value <= value + _ENOUGH * length * promised:
                break
            length /= 2
            if length < _SHORTEST:
                return point
        move, change = there - point, there_slope - slope
        curvature = float(move @ change)
        if curvature > 0:
            known.append((move, change, curvature))
        fall = value - there_value
        point, value, slope = there, there_value, there_slope
        if fall <= flat * abs(value):
            break
    watch(steps, point)
    return point


def _newton(slope: Array, known: deque[tuple[Array, Array, float]]) -> Array:
    """The slope times the inverse curvature, as far as the last steps tell it."""
    result = slope.copy()
    factors = []
    for move, change, curvature in reversed(known):
        factor = float(move @ result) / curvature
        factors.append(factor)
        result -= factor * change
    if known:
        _, change, curvature = known[-1]
        result *= curvature / float(change @ change)
    for (move, change, curvature), factor in zip(known, reversed(factors), strict=True):
        result += (factor - float(change @ result) / curvature) * move
    return result
