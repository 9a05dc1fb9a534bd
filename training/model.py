"""The evaluation as a linear model of chances, and the free numbers that training finds behind its weights.

A position's *logit* is the sum of its weights; White's expected half points are twice its logistic. Weights are pairs,
for the full and for the empty board. Training moves free numbers, all independent and small beforehand, from which the
weights follow linearly. That ties what must be equal and keeps near to each other what is likely to be near:

- The halves of a pair are alike.
- Fillings of a pattern that differ on few points are alike: what is known of one is a guess about the other. So weights
  of fillings that were never seen follow from those that were.
- What is known of one distribution of men and kings tells nothing about another: the terms do that.
- A position turned by half a turn with colours swapped has the opposite value, exactly. On a board that a reflection
  maps to itself the reflected position has the same value, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from damd.geometry import Board
from damd.weights.model import KINGS_COUNTED, TERMS, material_count, mirror
from training.samples import Array

_SWAPPED = np.array([0, 2, 1])  # a point's filling after the colours were swapped


@dataclass(frozen=True, slots=True)
class Prior:
    """How far weights are from nothing before anything is seen, in logits, and how alike.

    ``term`` is the deviation of a term's contribution where it occurs and is as large as usual, ``king`` that of a king's
    place, ``filling`` that of a pattern, ``material`` that of what men and kings there are. ``halves`` is the correlation
    of the halves of a pair, ``neighbours`` that of two fillings for each point on which they differ.
    """

    term: float = 2.0
    king: float = 0.3
    filling: float = 0.25
    material: float = 0.5
    halves: float = 0.8
    neighbours: float = 0.85


def opposed(materials: Array, exchanged: Array) -> Array:
    """A table of materials in which both sides are judged alike: an entry and that with the colours swapped add up to 0."""
    return np.asarray((materials - materials[exchanged]) / 2)


@dataclass(frozen=True, slots=True)
class Logits:
    """Weights in logits: pairs by term, by point of a White king, and by entry of all tables; numbers by material."""

    terms: Array
    kings: Array
    tables: Array
    materials: Array


def exchanged(men: int) -> Array:
    """For each entry of a table of materials, of so many men, that with the colours swapped."""
    side = (men + 1) * (KINGS_COUNTED + 1)
    return np.arange(side * side).reshape(side, side).T.ravel()


def reflection(board: Board) -> tuple[int, ...] | None:
    """Each point's image in the board's vertical middle line, ``None`` where that maps no board to itself."""
    right = max(x for x, _ in board.xy) + min(x for x, _ in board.xy)
    at = {place: point for point, place in enumerate(board.xy)}
    if not all((right - x, y) in at for x, y in board.xy):
        return None
    image = tuple(at[right - x, y] for x, y in board.xy)
    lines = {frozenset(line) for line in board.lines}
    return image if {frozenset(image[point] for point in line) for line in board.lines} == lines else None


def images(patterns: Sequence[Sequence[int]], point_image: Sequence[int], swap: bool) -> Array:
    """For each entry of the tables that of the mapped filling, colours swapped or not.

    Raises ``ValueError`` where the patterns are not mapped to each other.
    """
    place_of = {frozenset(pattern): number for number, pattern in enumerate(patterns)}
    starts = np.cumsum([0, *(3 ** len(pattern) for pattern in patterns)])
    image = np.empty(starts[-1], np.int64)
    for number, pattern in enumerate(patterns):
        mapped = [point_image[point] for point in pattern]
        other = place_of.get(frozenset(mapped))
        if other is None:
            raise ValueError(f"no pattern is the image of that of points {list(pattern)}")
        entries = np.arange(3 ** len(pattern))
        target = np.zeros_like(entries)
        for place, point in enumerate(mapped):
            digit = entries // 3**place % 3
            target += (_SWAPPED[digit] if swap else digit) * 3 ** patterns[other].index(point)
        image[starts[number] : starts[number + 1]] = starts[other] + target
    return image


class Model:
    """Free numbers to weights, and the slope in the weights back to that in the free numbers."""

    def __init__(
        self, board: Board, patterns: Sequence[Sequence[int]], men: int, usual: Array, known: Array, prior: Prior
    ) -> None:
        """``men`` are a side's most that the table of materials tells apart.

        ``usual`` is each term's usual size where it occurs, 0 where it never does: it keeps its pair of ``known``.
        """
        self.patterns = [tuple(pattern) for pattern in patterns]
        self._known = known
        self._prior = prior
        self._term = np.divide(prior.term, usual, out=np.zeros(len(TERMS)), where=usual > 0)[:, None]
        apart, together = _root(prior.halves, 2)
        self._halves = apart * np.eye(2) + together * np.ones((2, 2))
        self._apart, self._together = _root(prior.neighbours, 3)
        self._points = board.size
        self._entries = sum(3 ** len(pattern) for pattern in self.patterns)
        turned = mirror(board)
        self._ties = [(images(self.patterns, turned, True), -1.0)]
        self._king_image: Array | None = None
        reflected = reflection(board)
        if reflected is not None:
            self._ties.append((images(self.patterns, reflected, False), 1.0))
            self._king_image = np.array(reflected)
        self._sizes: dict[int, list[int]] = {}
        start = 0
        for pattern in self.patterns:
            self._sizes.setdefault(len(pattern), []).append(start)
            start += 3 ** len(pattern)
        self._exchanged = exchanged(men)
        self.free = 2 * (len(TERMS) + self._points + self._entries) + material_count(men, KINGS_COUNTED)

    def weights(self, free: Array) -> Logits:
        terms, kings, tables, materials = self._parts(free)
        return Logits(
            terms=self._known + self._term * (terms @ self._halves),
            kings=self._tied_kings(self._prior.king * (kings @ self._halves)),
            tables=self._tied(self._prior.filling * (self._near(tables) @ self._halves)),
            materials=self._prior.material * self._opposed(materials),
        )

    def slope(self, slope: Logits) -> Array:
        """Every step of ``weights`` is a symmetric matrix, so this takes the same steps the other way round."""
        return np.concatenate(
            [
                ((self._term * slope.terms) @ self._halves).ravel(),
                ((self._prior.king * self._tied_kings(slope.kings)) @ self._halves).ravel(),
                self._near(self._prior.filling * (self._tied(slope.tables) @ self._halves)).ravel(),
                self._prior.material * self._opposed(slope.materials),
            ]
        )

    def alike(self, marks: Array) -> Array:
        """Marks of table entries, spread to those that have the same weight or the opposite one."""
        for image, _ in self._ties:
            marks = marks | marks[image]
        return marks

    def _parts(self, free: Array) -> tuple[Array, Array, Array, Array]:
        pairs, materials = np.split(free, [2 * (len(TERMS) + self._points + self._entries)])
        terms, kings, tables = np.split(pairs.reshape(-1, 2), [len(TERMS), len(TERMS) + self._points])
        return terms, kings, tables, materials

    def _tied(self, tables: Array) -> Array:
        for image, sign in self._ties:
            tables = (tables + sign * tables[image]) / 2
        return tables

    def _opposed(self, materials: Array) -> Array:
        return opposed(materials, self._exchanged)

    def _tied_kings(self, kings: Array) -> Array:
        return kings if self._king_image is None else (kings + kings[self._king_image]) / 2

    def _near(self, tables: Array) -> Array:
        """Spread each entry over its neighbours: the same small matrix along every point of every pattern."""
        result = np.empty_like(tables)
        for length, starts in self._sizes.items():
            rows = np.arange(3**length)[:, None] + np.array(starts)
            block = tables[rows]  # filling, pattern, half
            for place in range(length):
                digits = block.reshape(3 ** (length - place - 1), 3, -1)
                together = self._together * (digits[:, 0] + digits[:, 1] + digits[:, 2])
                block = self._apart * digits + together[:, None]
            result[rows] = block.reshape(*rows.shape, 2)
        return result


def _root(correlation: float, size: int) -> tuple[float, float]:
    """The symmetric square root of the matrix with 1 on the diagonal and ``correlation`` elsewhere.

    What it has on the diagonal over the rest, and the rest.
    """
    apart = math.sqrt(1 - correlation)
    return apart, (math.sqrt(1 + (size - 1) * correlation) - apart) / size
