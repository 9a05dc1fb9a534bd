"""How far a value can be from what the men's numbers alone say: where that decides, the search looks at nothing else."""

from __future__ import annotations

import dataclasses

import numpy as np

from damd.weights.model import LARGEST_WEIGHT, MOST_DOUBT, UNIT, Weights
from training.samples import Array

#: Of so many positions without kings a value differs in one by more than the doubt from that of the men alone.
DOUBTED = 200


def with_doubt(weights: Weights, values: Array, counts: Array) -> Weights:
    """The weights with ``alone`` and ``doubt`` from positions without kings; unknown where few or too far apart.

    ``values`` are the positions' in centipawns, ``counts`` the men that one side, seen from which they are, has more than
    the other, for the full board and for the empty one: two columns.
    """
    unknown = dataclasses.replace(weights, alone=(0, 0), doubt=0)
    if len(values) < DOUBTED:
        return unknown
    full, empty = (int(pair) for pair in np.rint(UNIT * np.linalg.lstsq(counts.astype(np.float64), values, rcond=None)[0]))
    if max(abs(full), abs(empty)) > LARGEST_WEIGHT:
        return unknown
    rest = abs(values - counts @ np.array([full, empty]) / UNIT)
    doubt = int(np.ceil(np.quantile(rest, 1 - 1 / DOUBTED)))
    if not 0 < doubt <= MOST_DOUBT:
        return unknown
    return dataclasses.replace(weights, alone=(full, empty), doubt=doubt)


def doubt_text(weights: Weights) -> str:
    """In words, centipawns."""
    if not weights.doubt:
        return "doubt not known"
    full, empty = (number / UNIT for number in weights.alone)
    return f"men alone {full:.1f} and {empty:.1f}, doubt {weights.doubt} centipawns"
