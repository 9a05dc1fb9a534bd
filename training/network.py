"""The evaluation's network, fitted to samples by stochastic descent.

    python -m training.network VARIANT FILE.npz... --out FILE.weights [--begin OTHER.weights | --measure OTHER.weights]

What a position is worth is what its men and kings are by number, and what the network says of where they stand, seen by the
side to move. As in ``training.fit`` every tenth game is held out, and a man is worth 100 centipawns on the average.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from damd.core.tables import full_board
from damd.geometry import Board
from damd.rules import Rules
from damd.variants import VariantError
from damd.weights.default import worked_out
from damd.weights.files import WeightsError, save
from damd.weights.files import load as load_weights
from damd.weights.model import (
    FIRST_LAYER,
    KINGS_COUNTED,
    LARGEST_WEIGHT,
    LAYER_UNIT,
    ROW_UNIT,
    SECOND_LAYER,
    TERMS,
    UNIT,
    Weights,
    material_count,
    mirror,
    windows,
)
from training.chances import fit_chances, fit_steepness, logistic, loss, material_numbers
from training.doubt import doubt_text, with_doubt
from training.fit import (
    LEAST_MAN,
    MAN,
    Fitted,
    add_files,
    check_patterns,
    expected_scores,
    gathered,
    losses,
    men_counted,
    parted,
    tell,
)
from training.model import exchanged, opposed
from training.samples import Array, Features, Samples, SamplesError

#: Rows of one step, and how often all of them are gone through.
BATCH = 4096
ROUNDS = 20
#: The first steps' length; it shrinks to nothing along half a cosine.
PACE = 2e-3
#: The same for a network that is fitted already: longer ones would take it apart before they mend it.
PACE_ON = 5e-4
#: What is taken off each number at a step, beside the pace: keeps what hardly matters small.
DECAY = 1e-4
#: Adam's memories of slopes and of their squares (Kingma and Ba, 2014).
_MEMORY, _SQUARES = 0.9, 0.999

_BIAS = 8.0  # the largest bias
_CHUNK = 1 << 15

#: The terms beside the network: what is counted without looking for it.
_COUNTED = ("man", "king")


@dataclass(frozen=True, slots=True)
class Seen:
    """Positions as their side to move sees them.

    ``pieces`` has a column for each row of the network, 1 where there is a piece; ``counts`` what it has more of men and
    of kings, for the full board and for the empty one; ``kind`` is the number of its materials in their table.
    """

    pieces: Array
    counts: Array
    kind: Array

    def __len__(self) -> int:
        return len(self.pieces)

    def rows(self, wanted: Array | slice) -> Seen:
        """Some of the rows: a mask, row numbers or a slice."""
        return Seen(*(getattr(self, member.name)[wanted] for member in fields(self)))


def seen(features: Features, side: Array, full: int, board: Board) -> Seen:
    """``side`` is each row's side to move, ``full`` the phase of the full board."""
    n, turned = board.size, np.array(mirror(board))
    here = np.zeros((len(features), 4, n), np.uint8)
    where = {point: (number, place) for number, window in enumerate(windows(board)) for place, point in enumerate(window)}
    for point, (number, place) in where.items():
        filling = features.fillings[:, number].astype(np.int64) // 3**place % 3
        here[:, 0, point] = filling == 1
        here[:, 2, point] = filling == 2
    for column in features.kings.T.astype(np.int64):
        rows = np.flatnonzero(column > 0)
        here[rows, 1, column[rows] - 1] = 1
        rows = np.flatnonzero(column < 0)
        here[rows, 3, turned[-column[rows] - 1]] = 1
    black = np.flatnonzero(side)
    here[black] = here[black][:, np.array([2, 3, 0, 1])][:, :, turned]
    share = features.phase.clip(0, full) / full
    more = features.terms[:, [TERMS.index(name) for name in _COUNTED]] * np.where(side, -1, 1)[:, None]
    counts = np.concatenate([more * share[:, None], more * (1 - share)[:, None]], axis=1)
    men = men_counted(full)
    from_white = material_numbers(features, men)
    kind = np.where(side, exchanged(men)[from_white], from_white).astype(np.int32)
    return Seen(here.reshape(len(features), 4 * n), counts.astype(np.float32), kind)


class Layers:
    """The network's numbers while they are fitted, in logits; ``parts`` go by their names."""

    def __init__(self, points: int, begin: Sequence[float], men: int, dice: np.random.Generator) -> None:
        """``begin`` are the terms' logits, ``men`` those of a side that the table of materials tells apart."""
        self.parts: dict[str, Array] = {
            "rows": dice.standard_normal((4 * points, FIRST_LAYER)) * 0.1,
            "bias": np.full(FIRST_LAYER, 0.3),
            "across": dice.standard_normal((FIRST_LAYER, SECOND_LAYER)) / np.sqrt(FIRST_LAYER),
            "second_bias": np.full(SECOND_LAYER, 0.1),
            "out": dice.standard_normal(SECOND_LAYER) / np.sqrt(SECOND_LAYER),
            "last": np.zeros(1),
            "terms": np.array(begin),
            "materials": np.zeros(material_count(men, KINGS_COUNTED)),
        }
        self.parts = {name: part.astype(np.float32) for name, part in self.parts.items()}
        self.men = men
        self._exchanged = exchanged(men)
        # No sum can be more than 16 bits hold, even with a piece on every point.
        most = (LARGEST_WEIGHT / ROW_UNIT - _BIAS) / points - 1 / ROW_UNIT
        self._bounds = {"rows": most, "bias": _BIAS, "across": LARGEST_WEIGHT / LAYER_UNIT, "second_bias": _BIAS}

    def take(self, weights: Weights, board: Board, logits: float) -> None:
        """Begin with the network of these weights, a centipawn of which is so many logits."""
        rows, bias, across, second_bias, out, last = numbers_of(weights, board)
        unit = logits / UNIT
        terms = np.array([weights.terms[TERMS.index(name)] for name in _COUNTED])
        taken = {
            "rows": rows / ROW_UNIT,
            "bias": bias / ROW_UNIT,
            "across": across.T / LAYER_UNIT,
            "second_bias": second_bias / ROW_UNIT,
            "out": out * unit,
            "last": last * unit,
            "terms": terms.T.ravel() * unit,
        }
        if (weights.men, weights.kings) == (self.men, KINGS_COUNTED):
            taken["materials"] = np.frombuffer(weights.materials, "<i2") * unit
        self.parts |= {name: part.astype(np.float32) for name, part in taken.items()}

    def logits(self, data: Seen) -> Array:
        chunks = [data.rows(slice(first, first + _CHUNK)) for first in range(0, len(data), _CHUNK)]
        return np.concatenate([self.forward(chunk)[-1] for chunk in chunks]) if chunks else np.zeros(0, np.float32)

    def slope(self, data: Seen, expected: Array) -> dict[str, Array]:
        """That of the mean cross entropy about ``expected``, by part."""
        parts = self.parts
        sums, first, second_sums, second, logits = self.forward(data)
        error = ((logistic(logits) - expected) / len(expected)).astype(sums.dtype)
        back = error[:, None] * parts["out"] * ((second_sums > 0) & (second_sums < 1))
        count = len(parts["materials"])
        slopes = {
            "materials": opposed(np.bincount(data.kind, error, count), self._exchanged),
            "terms": data.counts.T @ error,
            "last": error.sum(keepdims=True),
            "out": second.T @ error,
            "second_bias": back.sum(axis=0),
            "across": first.T @ back,
        }
        back = (back @ parts["across"].T) * ((sums > 0) & (sums < 1))
        return slopes | {"bias": back.sum(axis=0), "rows": data.pieces.T.astype(back.dtype) @ back}

    def materials(self) -> Array:
        """The table of materials: what one side has more by them, the other has less."""
        return opposed(self.parts["materials"], self._exchanged)

    def cut(self) -> None:
        """Keep what a file can hold."""
        for name, most in self._bounds.items():
            np.clip(self.parts[name], -most, most, out=self.parts[name])

    def forward(self, data: Seen) -> tuple[Array, ...]:
        """Sums and numbers of the first layer and of the second, and the logits."""
        parts = self.parts
        sums = data.pieces.astype(parts["rows"].dtype) @ parts["rows"] + parts["bias"]
        first = np.clip(sums, 0, 1)
        second_sums = first @ parts["across"] + parts["second_bias"]
        second = np.clip(second_sums, 0, 1)
        counted = data.counts @ parts["terms"] + self.materials()[data.kind]
        return sums, first, second_sums, second, second @ parts["out"] + parts["last"] + counted


def descend(
    layers: Layers, data: Seen, expected: Array, rounds: int, seed: int, pace: float, watch: Callable[[int], None]
) -> None:
    """Adam's method over shuffled batches, ``pace`` the first steps' length. ``watch`` hears of each round, from 1."""
    dice = np.random.default_rng(seed)
    order = np.arange(len(data))
    size = min(BATCH, len(data))
    steps = rounds * (len(data) // size)
    slopes = {name: np.zeros_like(part) for name, part in layers.parts.items()}
    squares = {name: np.zeros_like(part) for name, part in layers.parts.items()}
    step = 0
    for number in range(1, rounds + 1):
        dice.shuffle(order)
        for first in range(0, len(data) - size + 1, size):
            rows = order[first : first + size]
            found = layers.slope(data.rows(rows), expected[rows])
            step += 1
            length = pace * (1 + np.cos(np.pi * step / steps)) / 2
            for name, part in layers.parts.items():
                slopes[name] += (1 - _MEMORY) * (found[name] - slopes[name])
                squares[name] += (1 - _SQUARES) * (found[name] ** 2 - squares[name])
                usual = np.sqrt(squares[name] / (1 - _SQUARES**step)) + 1e-8
                part -= (length * (slopes[name] / (1 - _MEMORY**step) / usual + DECAY * part)).astype(np.float32)
            layers.cut()
        watch(number)


def fit_network(
    rules: Rules, data: Samples, result: float = 0.7, rounds: int = ROUNDS, seed: int = 1, before: Weights | None = None
) -> Fitted:
    """Weights with a network for this game; ``result`` is the share of the game's result in what is learnt.

    ``before`` is a network to go on from, so that what other samples have taught it is not lost.
    Raises ``SamplesError`` where nothing can be learnt from the samples.
    """
    board, begin = rules.geometry, worked_out(rules)
    known, unseen = parted(data, board)
    views = [seen(part.features, part.side, data.full, board) for part in (known, unseen)]
    learnt = expected_scores(known, result)
    learnt = np.where(known.side, 1 - learnt, learnt).astype(np.float32)
    start = np.array([begin.terms[TERMS.index(name)] for name in _COUNTED]) / UNIT / begin.scale
    layers = Layers(board.size, start.T.ravel().tolist(), men_counted(data.full), np.random.default_rng(seed))
    unseen_won = np.where(unseen.side, 2 - unseen.points, unseen.points) / 2
    if before is not None:
        layers.take(before, board, fit_steepness(values(before, views[0], board), learnt, 100))
    best, best_round, lowest = layers.parts, 0, np.inf

    def watch(number: int) -> None:
        nonlocal lowest, best_round, best
        found = loss(layers.logits(views[1]), unseen_won)
        if found < lowest:
            lowest, best_round, best = found, number, {name: part.copy() for name, part in layers.parts.items()}

    if before is not None:
        watch(0)
    descend(layers, views[0], learnt, rounds, seed, PACE if before is None else PACE_ON, watch)
    layers.parts = best
    worth = [
        layers.logits(seen(block, np.zeros(len(block), np.uint8), data.full, board)) for block in (data.whole, data.lacking)
    ]
    man = float(np.mean((worth[0] - worth[1]) * np.where(data.lacking_side == 0, 1, -1)))
    if not abs(man) >= LEAST_MAN:  # nor is what is no number
        raise SamplesError(f"a man decides nothing in these games ({man:+.4f} logits): there is no measure")
    scale = MAN / abs(man)
    from_white = np.where(unseen.side, -1, 1)
    chances = fit_chances(layers.logits(views[1]) * from_white, unseen.points)
    weights, clipped = rounded(layers, begin, board, scale, chances.steepness, chances.draw)
    weights = measured(weights, views[1], board)
    trained = values(weights, views[1], board) / scale * from_white
    return Fitted(weights, losses(known, unseen, trained), best_round, man, clipped)


def rounded(
    layers: Layers, begin: Weights, board: Board, scale: float, steepness: float, draw: float
) -> tuple[Weights, int]:
    """As the core takes them, ``scale`` centipawns a logit, and how many had to be cut; claims keep their worth."""
    parts = layers.parts
    units = [
        parts["rows"].ravel() * ROW_UNIT,
        parts["bias"] * ROW_UNIT,
        parts["across"].T.ravel() * LAYER_UNIT,
        parts["second_bias"] * ROW_UNIT,
        parts["out"] * scale * UNIT,
        parts["last"] * scale * UNIT,
    ]
    numbers = np.rint(np.concatenate(units))
    exact = np.zeros((len(TERMS), 2))
    for place, name in enumerate(_COUNTED):
        exact[TERMS.index(name)] = np.rint(parts["terms"][place :: len(_COUNTED)] * (scale * UNIT))
    claim = TERMS.index("claim")
    exact[claim] = np.rint(np.array(begin.terms[claim]) * (scale / begin.scale))
    materials = np.rint(layers.materials() * (scale * UNIT))
    cut = sum(int(np.count_nonzero(abs(part) > LARGEST_WEIGHT)) for part in (numbers, exact, materials))
    terms = exact.clip(-LARGEST_WEIGHT, LARGEST_WEIGHT)
    return Weights(
        terms=tuple((int(full), int(empty)) for full, empty in terms),
        king_points=((0, 0),) * board.size,
        patterns=(),
        tables=b"",
        scale=float(f"{scale / steepness:.4g}"),
        draw=float(f"{draw:.4g}"),
        men=layers.men,
        kings=KINGS_COUNTED,
        materials=materials.clip(-LARGEST_WEIGHT, LARGEST_WEIGHT).astype("<i2").tobytes(),
        trained=True,
        network=numbers.clip(-LARGEST_WEIGHT, LARGEST_WEIGHT).astype("<i2").tobytes(),
    ), cut


def values(weights: Weights, data: Seen, board: Board) -> Array:
    """Centipawns for the side to move, rounded as the core rounds them but for the terms."""
    pairs = np.array([weights.terms[TERMS.index(name)] for name in _COUNTED])
    materials = np.frombuffer(weights.materials, "<i2")
    counted = data.counts @ pairs.T.ravel() + (materials[data.kind] if weights.men else 0)
    return np.asarray(spoken(weights, data, board) + counted / UNIT)


def spoken(weights: Weights, data: Seen, board: Board) -> Array:
    """What the network itself says, centipawns, exactly as the core does."""
    rows, bias, across, second_bias, out, last = numbers_of(weights, board)
    found = []
    for first in range(0, len(data), _CHUNK):
        # Products of doubles are several times as fast, and exact for numbers as small as these.
        sums = data.pieces[first : first + _CHUNK].astype(np.float64) @ rows + bias
        second = np.floor((sums.clip(0, ROW_UNIT) @ across.T + second_bias * LAYER_UNIT) / LAYER_UNIT).clip(0, ROW_UNIT)
        found.append(np.floor((second @ out + last * ROW_UNIT) / (ROW_UNIT * UNIT)))
    return np.concatenate(found) if found else np.zeros(0)


def numbers_of(weights: Weights, board: Board) -> tuple[Array, ...]:
    """A network's whole numbers: rows, biases, the second layer's rows and biases, what its numbers add, what is added."""
    numbers = np.frombuffer(weights.network, "<i2").astype(np.int64)
    ends = np.cumsum([4 * board.size * FIRST_LAYER, FIRST_LAYER, FIRST_LAYER * SECOND_LAYER, SECOND_LAYER, SECOND_LAYER])
    rows, bias, across, second_bias, out, last = np.split(numbers, ends)
    return rows.reshape(-1, FIRST_LAYER), bias, across.reshape(SECOND_LAYER, FIRST_LAYER), second_bias, out, last


def measured(weights: Weights, data: Seen, board: Board) -> Weights:
    """The weights with their doubt about these positions."""
    points = board.size
    of_men = ~np.any(data.pieces[:, points : 2 * points], axis=1) & ~np.any(data.pieces[:, 3 * points :], axis=1)
    chosen = data.rows(of_men)
    men = chosen.counts[:, _COUNTED.index("man") :: len(_COUNTED)]
    return with_doubt(weights, values(weights, chosen, board), men)


def network_of(path: Path, rules: Rules) -> Weights:
    """The weights in that file. Raises ``WeightsError`` where they have no network for the game's board."""
    weights = load_weights(path, rules.geometry)
    if weights is None or not weights.network:
        raise WeightsError(str(path), f"no network for the board of {rules.names.name}")
    others = [pair for name, pair in zip(TERMS, weights.terms, strict=True) if name not in (*_COUNTED, "claim")]
    if weights.patterns or any(map(any, (*others, *weights.king_points))):
        raise WeightsError(str(path), "terms, kings' places or patterns beside the network, as training does not make them")
    if (weights.men, weights.kings) not in ((0, 0), (men_counted(full_board(rules)), KINGS_COUNTED)):
        raise WeightsError(str(path), "a table of other materials than training makes")
    return weights


def measured_again(weights: Weights, rules: Rules, data: Samples) -> Weights:
    """The weights, with their doubt about all of these positions. Raises ``SamplesError``."""
    check_patterns(data, rules.geometry)
    weights = measured(weights, seen(data.features, data.side, data.full, rules.geometry), rules.geometry)
    print(doubt_text(weights))
    return weights


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="network", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_files(parser)
    parser.add_argument("--result", type=float, default=0.7, metavar="X", help="share of the result (0.7)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"over all samples ({ROUNDS})")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of what it begins with and of the order (1)")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--begin", type=Path, metavar="FILE", help="go on from the network of these weights")
    given.add_argument(
        "--measure", type=Path, metavar="FILE", help="fit nothing: measure the doubt of these weights by the samples"
    )
    return parser


def main(words: Sequence[str] | None = None) -> int:
    parser = arguments()
    asked = parser.parse_args(words)
    if not (0 <= asked.result <= 1 and asked.rounds >= 1 and asked.seed >= 0):
        parser.error("--result is from 0 to 1, --rounds is 1 or more, --seed 0 or more")
    try:
        rules, data = gathered(asked.variant, asked.data, asked.kindred)
        if asked.measure is not None:
            save(measured_again(network_of(asked.measure, rules), rules, data), rules.geometry, asked.out)
            return 0
        before = None if asked.begin is None else network_of(asked.begin, rules)
        began = time.monotonic()
        fitted = fit_network(rules, data, asked.result, asked.rounds, asked.seed, before)
        save(fitted.weights, rules.geometry, asked.out)
    except (OSError, VariantError, SamplesError, WeightsError) as error:
        print(f"network: {error}", file=sys.stderr)
        return 2
    tell(fitted, time.monotonic() - began)
    return 0


if __name__ == "__main__":
    sys.exit(main())
