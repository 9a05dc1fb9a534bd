"""Which weights a game is played with."""

from __future__ import annotations

from damd.rules import Rules
from damd.weights import file_of
from damd.weights.default import worked_out
from damd.weights.files import load
from damd.weights.model import Weights


def weights_of(rules: Rules) -> Weights:
    """Those that the variant names, or weights worked out from the rules where it names none that fit its board.

    A variant may inherit weights and change the board: then they do not apply. Raises ``WeightsError`` where a file
    cannot be read.
    """
    name = rules.evaluation.weights
    weights = load(file_of(name), rules.geometry) if name else None
    return worked_out(rules) if weights is None else weights
