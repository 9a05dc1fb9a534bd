"""Scores of many positions under a model, how wrong they are about results, and the chances that a score means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from damd.weights.model import KINGS_COUNTED, TERMS, material_count
from training.descent import descend
from training.model import Logits
from training.samples import Array, Features

_CHUNK = 1 << 15  # rows whose working arrays stay in a processor's cache


def logistic(logits: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -40, 40))))


def loss(logits: Array, expected: Array) -> float:
    """The mean cross entropy of expected scores of 0 to 1, in nats."""
    if not len(logits):
        return 0.0
    return float(np.mean(np.logaddexp(0, logits.astype(np.float64)) - expected * logits))


def material_numbers(features: Features, men: int) -> Array:
    """The number of each row's men and kings in a table of materials of so many men."""
    of_side = []
    kings = [np.count_nonzero(features.kings * sign > 0, axis=1) for sign in (1, -1)]
    all_men = features.phase.astype(np.int64) - kings[0] - kings[1]
    for sign, own in zip((1, -1), kings, strict=True):
        own_men = (all_men + sign * features.terms[:, TERMS.index("man")]) // 2
        of_side.append(own_men.clip(0, men) * (KINGS_COUNTED + 1) + own.clip(0, KINGS_COUNTED))
    return np.asarray(of_side[0] * ((men + 1) * (KINGS_COUNTED + 1)) + of_side[1])


class Sheet:
    """Features laid out for passes over all rows: by pattern, single precision, the full board's share of each row."""

    def __init__(self, features: Features, full: int, points: int, entries: list[int], men: int) -> None:
        """``points`` are the board's, ``entries`` the sizes of the patterns' tables, ``men`` those of the materials'."""
        self._share = (features.phase / full).astype(np.float32)
        self._terms = features.terms.astype(np.float32)
        self._kings = np.ascontiguousarray(features.kings.T) + np.int16(points)
        self._fillings = np.ascontiguousarray(features.fillings.T)
        self._materials = material_numbers(features, men)
        self._kinds = material_count(men, KINGS_COUNTED)
        self._points = points
        self._entries = entries
        self._starts = np.cumsum([0, *entries])

    def __len__(self) -> int:
        return len(self._share)

    def met(self) -> Array:
        """Which entries of the tables occur."""
        counts = [np.bincount(column, minlength=size) for column, size in zip(self._fillings, self._entries, strict=True)]
        return np.concatenate(counts) > 0

    def logits(self, weights: Logits) -> Array:
        """Each row's logit."""
        prepared = self._prepare(weights)
        return np.concatenate(
            [self._logits(prepared, slice(first, first + _CHUNK))[0] for first in range(0, len(self), _CHUNK)]
            or [np.zeros(0, np.float32)]
        )

    def slope(self, weights: Logits, expected: Array) -> tuple[float, Logits]:
        """The summed cross entropy about ``expected``, and its slope in the weights."""
        prepared = self._prepare(weights)
        total = 0.0
        terms = np.zeros((self._terms.shape[1], 2))
        kings = np.zeros((2 * self._points + 1, 2))
        tables = np.zeros((self._starts[-1], 2))
        materials = np.zeros(self._kinds)
        for first in range(0, len(self), _CHUNK):
            rows = slice(first, first + _CHUNK)
            logits, fillings, places = self._logits(prepared, rows)
            total += float(np.sum(np.logaddexp(0, logits) - expected[rows] * logits, dtype=np.float64))
            error = (logistic(logits) - expected[rows]).astype(np.float32)
            materials += np.bincount(self._materials[rows], error, self._kinds)
            halves = np.empty((2, len(error)), np.float32)
            halves[0] = error * self._share[rows]
            halves[1] = error - halves[0]
            terms += (halves @ self._terms[rows]).T
            for half in range(2):
                for place in places:
                    kings[:, half] += np.bincount(place, halves[half], 2 * self._points + 1)
                for start, size, column in zip(self._starts, self._entries, fillings, strict=False):
                    tables[start : start + size, half] += np.bincount(column, halves[half], size)
        # A Black king's place counts the other way.
        kings = kings[self._points + 1 :] - kings[: self._points][::-1]
        return total, Logits(terms, kings, tables, materials)

    def _prepare(self, weights: Logits) -> tuple[Array, Array, list[Array], Array]:
        """Pairs as complex numbers, so that one look-up fetches both halves; kings from Black's last to White's last."""
        kings = _complex(weights.kings)
        tables = _complex(weights.tables)
        signed = np.concatenate([-kings[::-1], np.zeros(1, np.complex64), kings])
        split = [tables[start : start + size] for start, size in zip(self._starts, self._entries, strict=False)]
        return _complex(weights.terms), signed, split, weights.materials.astype(np.float32)

    def _logits(
        self, prepared: tuple[Array, Array, list[Array], Array], rows: slice
    ) -> tuple[Array, list[Array], list[Array]]:
        """Of some rows: logits, and the look-ups made, patterns' and kings'."""
        terms, kings, tables, materials = prepared
        counted = self._terms[rows]
        pairs = counted @ terms.real + 1j * (counted @ terms.imag)
        places = [column[rows].astype(np.intp) for column in self._kings if np.any(column[rows] != self._points)]
        for place in places:
            pairs += kings[place]
        fillings = [column[rows].astype(np.intp) for column in self._fillings]
        for table, column in zip(tables, fillings, strict=True):
            pairs += table[column]
        share = self._share[rows]
        return pairs.imag + share * (pairs.real - pairs.imag) + materials[self._materials[rows]], fillings, places


def _complex(pairs: Array) -> Array:
    return np.asarray(pairs[:, 0] + 1j * pairs[:, 1]).astype(np.complex64)


@dataclass(frozen=True, slots=True)
class Chances:
    """White wins with the logistic of ``steepness * score - draw``, Black with that of ``-steepness * score - draw``."""

    steepness: float
    draw: float


_PRESUMED = np.log(np.array([1.0, 0.5]))


def fit_steepness(scores: Array, expected: Array, unit: float) -> float:
    """What to multiply scores by to have logits of expected scores; ``unit`` is a score worth about one logit."""
    scaled = scores / unit
    count = max(1, len(scaled))

    def function(point: Array) -> tuple[float, Array]:
        logits = point[0] * scaled
        return loss(logits, expected), np.array([float((logistic(logits) - expected) @ scaled) / count])

    return float(descend(function, np.array([1.0]), 100, lambda _number, _point: False)[0]) / unit


def fit_chances(logits: Array, points: Array) -> Chances:
    """The chances that logits mean for results of 0, 1, 2 half points: the likeliest steepness and margin of draws.

    Something is presumed of both, so that they mean something where no game was drawn, or few were played.
    """
    scores = logits.astype(np.float64)
    won, drawn, lost = (points == result for result in (2, 1, 0))

    def function(point: Array) -> tuple[float, Array]:
        steepness, draw = np.exp(point)
        above, below = steepness * scores - draw, -steepness * scores - draw
        white, black = logistic(above), logistic(below)
        level = np.maximum(1 - white - black, 1e-12)
        total = -(np.log(np.maximum(white, 1e-12)[won]).sum() + np.log(np.maximum(black, 1e-12)[lost]).sum())
        total -= np.log(level[drawn]).sum()
        # The slope of each row's loss in what stands in the two logistics.
        by_above = np.where(won, white - 1, 0) + np.where(drawn, white * (1 - white) / level, 0)
        by_below = np.where(lost, black - 1, 0) + np.where(drawn, black * (1 - black) / level, 0)
        slope = np.array([(by_above - by_below) @ scores, -(by_above + by_below).sum()])
        count = 1 + len(scores)
        away = point - _PRESUMED
        return (float(total) + float(away @ away) / 2) / count, (slope * np.exp(point) + away) / count

    found = descend(function, _PRESUMED, 200, lambda _number, _point: False)
    steepness, draw = np.exp(found)
    return Chances(float(steepness), float(draw))
