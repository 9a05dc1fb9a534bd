"""Fits an evaluation's weights to samples of self-play, and writes them.

    python -m training.fit VARIANT FILE.npz... --out FILE.weights

A share of the games is held out: it ends the training, and the losses are told about it.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from damd.core.tables import full_board
from damd.geometry import Board
from damd.rules import Rules
from damd.variants import VariantError, load
from damd.weights.default import worked_out
from damd.weights.files import WeightsError, save
from damd.weights.model import KINGS_COUNTED, LARGEST_WEIGHT, TERMS, UNIT, Weights, windows
from training import samples
from training.chances import Sheet, fit_chances, fit_steepness, logistic, loss
from training.descent import descend
from training.doubt import doubt_text, with_doubt
from training.model import Logits, Model, Prior
from training.samples import Array, Features, Samples, SamplesError

#: Every game of this number is held out.
HELD_OUT = 10
#: Steps between two looks at the held-out games; so many looks without a gain end the training.
LOOK = 5
PATIENCE = 6
#: What one man is worth on the average where more than half of all pieces are on the board, centipawns.
MAN = 100.0
#: A man that decides less than this many logits cannot be what others are measured by.
LEAST_MAN = 0.02

#: Fillings' weights are multiples of so many units, half a centipawn: finer ones tell nothing and fill the file.
GRAIN = UNIT // 2


@dataclass(frozen=True, slots=True)
class Choices:
    """How to train. ``result`` is the share of the game's result in what is learnt, the search's score has the rest.

    ``trust`` is what one position counts beside the prior: positions of one game tell much the same.
    """

    result: float = 0.7
    trust: float = 0.2
    steps: int = 300
    prior: Prior = dataclasses.field(default_factory=Prior)


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean cross entropies of the held-out games' results, in nats: of no knowledge, and of three evaluations."""

    nothing: float
    material: float
    untrained: float
    trained: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """What came of it after so many ``steps``, of a network's fit rounds.

    ``man`` is a man's worth in logits; ``clipped`` weights did not fit into 16 bits.
    """

    weights: Weights
    losses: Losses
    steps: int
    man: float
    clipped: int


def sheet_of(features: Features, full: int, board: Board, patterns: Sequence[Sequence[int]]) -> Sheet:
    return Sheet(features, full, board.size, [3 ** len(pattern) for pattern in patterns], men_counted(full))


def men_counted(full: int) -> int:
    """The men of a side that a table of materials tells apart, where a full board has so many pieces."""
    return (full + 1) // 2


def check_patterns(data: Samples, board: Board) -> None:
    """Raises ``SamplesError`` where the samples do not tell what stands on this board."""
    if data.features.fillings.shape[1] != len(windows(board)):
        raise SamplesError("samples made with other patterns than the board has now: play the games again")


def parted(data: Samples, board: Board) -> tuple[Samples, Samples]:
    """What is learnt from, and what is held out. Raises ``SamplesError`` where nothing can be learnt from the samples."""
    check_patterns(data, board)
    held = data.game % HELD_OUT == 0
    if held.all() or not held.any() or not len(data.whole):
        raise SamplesError("too few games: none is held out, or none is left to learn from")
    return data.rows(~held), data.rows(held)


def expected_scores(data: Samples, result: float) -> Array:
    """What is learnt of each position: White's expected score."""
    won = data.points / 2
    if result == 1:
        return np.asarray(won)
    steepness = fit_steepness(data.score, won, 100)
    return np.asarray(result * won + (1 - result) * logistic(steepness * data.score))


def fit(rules: Rules, data: Samples, choices: Choices = Choices()) -> Fitted:
    """Weights for the board's windows; fillings that never occurred weigh nothing.

    Raises ``SamplesError`` where nothing can be learnt from the samples.
    """
    board, begin = rules.geometry, worked_out(rules)
    patterns = windows(board)
    known, unseen = parted(data, board)
    known_sheet = sheet_of(known.features, data.full, board, patterns)
    unseen_sheet = sheet_of(unseen.features, data.full, board, patterns)
    squares = known.features.terms.astype(np.float64) ** 2
    usual = np.sqrt(squares.sum(axis=0) / np.maximum(1, np.count_nonzero(squares, axis=0)))
    start = np.array(begin.terms) / UNIT / begin.scale
    model = Model(board, patterns, men_counted(data.full), usual, start, choices.prior)
    learnt = expected_scores(known, choices.result)
    unseen_won = unseen.points / 2

    def function(free: Array) -> tuple[float, Array]:
        total, slope = known_sheet.slope(model.weights(free), learnt)
        count = choices.trust * len(known)
        return (choices.trust * total + float(free @ free) / 2) / count, (choices.trust * model.slope(slope) + free) / count

    best = Best(unseen_sheet, unseen_won, model)
    descend(function, np.zeros(model.free), choices.steps, best.watch, flat=1e-7)
    logits = model.weights(best.free)
    met = model.alike(known_sheet.met())
    logits = dataclasses.replace(logits, tables=np.where(met[:, None], logits.tables, 0))
    whole = sheet_of(data.whole, data.full, board, patterns).logits(logits)
    lacking = sheet_of(data.lacking, data.full, board, patterns).logits(logits)
    man = float(np.mean((whole - lacking) * np.where(data.lacking_side == 0, 1, -1)))
    if not abs(man) >= LEAST_MAN:  # nor is what is no number
        raise SamplesError(f"a man decides nothing in these games ({man:+.4f} logits): there is no measure")
    chances = fit_chances(unseen_sheet.logits(logits), unseen.points)
    weights, clipped = rounded(logits, patterns, men_counted(data.full), MAN / abs(man), chances.steepness, chances.draw)
    weights = measured(weights, unseen, board)
    trained = unseen_sheet.logits(as_logits(weights, MAN / abs(man)))
    return Fitted(weights, losses(known, unseen, trained), best.step, man, clipped)


def measured(weights: Weights, data: Samples, board: Board) -> Weights:
    """The weights with their doubt about these positions."""
    of_men = data.features.rows(~np.any(data.features.kings, axis=1))
    values = sheet_of(of_men, data.full, board, weights.patterns).logits(as_logits(weights, 1))
    more, share = of_men.terms[:, TERMS.index("man")], of_men.phase.clip(0, data.full) / data.full
    return with_doubt(weights, values, np.column_stack([more * share, more * (1 - share)]))


class Best:
    """Keeps the free numbers that were best about the held-out games, and ends the training that does not gain."""

    def __init__(self, sheet: Sheet, won: Array, model: Model) -> None:
        self._sheet, self._won, self._model = sheet, won, model
        self.free = np.zeros(model.free)
        self.step = 0
        self._loss = np.inf
        self._vain = 0

    def watch(self, step: int, free: Array) -> bool:
        if step % LOOK:
            return False
        found = loss(self._sheet.logits(self._model.weights(free)), self._won)
        if found < self._loss:
            self.free, self.step, self._loss, self._vain = free, step, found, 0
        else:
            self._vain += 1
        return self._vain >= PATIENCE


def losses(known: Samples, unseen: Samples, trained: Array) -> Losses:
    """The simpler evaluations' steepness is fitted to the games that were learnt from."""
    won, unseen_won = known.points / 2, unseen.points / 2

    def of(scores: Array, unseen_scores: Array, unit: float) -> float:
        return loss(fit_steepness(scores, won, unit) * unseen_scores, unseen_won)

    return Losses(
        nothing=loss(np.zeros(len(unseen)), unseen_won),
        material=of(material(known.features), material(unseen.features), 1),
        untrained=of(known.untrained, unseen.untrained, 100),
        trained=loss(trained, unseen_won),
    )


def material(features: Features) -> Array:
    """White's men and kings less Black's, a king for two men and a half."""
    return np.asarray(features.terms[:, TERMS.index("man")] + 2.5 * features.terms[:, TERMS.index("king")])


def rounded(
    logits: Logits, patterns: Sequence[Sequence[int]], men: int, scale: float, steepness: float, draw: float
) -> tuple[Weights, int]:
    """Weights in whole units, ``scale`` centipawns to a logit of the model, and how many had to be cut to 16 bits."""
    factor = UNIT * scale
    grains = ((logits.terms, 1), (logits.kings, 1), (logits.tables, GRAIN), (logits.materials, GRAIN))
    exact = [grain * np.rint(factor / grain * part).astype(np.int64) for part, grain in grains]
    terms, kings, tables, materials = (part.clip(-LARGEST_WEIGHT, LARGEST_WEIGHT) for part in exact)
    clipped = sum(int(np.count_nonzero(abs(part) > LARGEST_WEIGHT)) for part in exact)
    weights = Weights(
        terms=tuple((int(full), int(empty)) for full, empty in terms),
        king_points=tuple((int(full), int(empty)) for full, empty in kings),
        patterns=tuple(tuple(pattern) for pattern in patterns),
        tables=tables.astype("<i2").tobytes(),
        scale=float(f"{scale / steepness:.4g}"),
        draw=float(f"{draw:.4g}"),
        men=men,
        kings=KINGS_COUNTED,
        materials=materials.astype("<i2").tobytes(),
        trained=True,
    )
    return weights, clipped


def as_logits(weights: Weights, scale: float) -> Logits:
    """The weights in logits of ``scale`` centipawns."""
    tables = np.frombuffer(weights.tables, "<i2").reshape(-1, 2)
    materials = np.frombuffer(weights.materials, "<i2")
    parts = (weights.terms, weights.king_points, tables, materials)
    return Logits(*(np.asarray(part) / (UNIT * scale) for part in parts))


def adopted(data: Samples, rules: Rules) -> Samples:
    """Samples of a game that is played much like this one, as if they were its own. Raises ``SamplesError``."""
    board, other = rules.geometry, load(data.variant).geometry
    if (board.kind, board.xy) != (other.kind, other.xy):
        raise SamplesError(f"{data.variant} is not played on the board of {rules.names.name}")
    return dataclasses.replace(data, variant=rules.names.name)


def gathered(variant: str, own: Sequence[Path], kindred: Sequence[Path]) -> tuple[Rules, Samples]:
    """The game's rules and each position of these files once, ``kindred`` those of like games. Says how many there are.

    Raises ``OSError``, ``VariantError`` or ``SamplesError``.
    """
    rules = load(variant)
    parts = [samples.load(path) for path in own]
    data = samples.join([*parts, *(adopted(samples.load(path), rules) for path in kindred)]).distinct()
    if data.variant != rules.names.name:
        raise SamplesError(f"samples of {data.variant}")
    full = full_board(rules)
    if data.full != full:
        raise SamplesError(f"samples of a game of {data.full} pieces, not {full}")
    print(f"{data.variant}: {len(data)} positions of {len(np.unique(data.game))} games")
    return rules, data


def add_files(parser: argparse.ArgumentParser) -> None:
    """What is learnt from and where it goes, the same for both kinds of fit."""
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("data", nargs="+", type=Path, metavar="FILE.npz")
    parser.add_argument(
        "--kindred", action="append", default=[], type=Path, metavar="FILE.npz", help="samples of a like game, same board"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.weights")


def tell(fitted: Fitted, taken: float) -> None:
    weights, found = fitted.weights, fitted.losses
    made = "rounds" if weights.network else "steps"
    print(f"{fitted.steps} {made}, {taken:.0f} s; a man is {fitted.man:+.3f} logits; {fitted.clipped} weights cut")
    print(
        f"held-out loss: nothing {found.nothing:.4f}, material {found.material:.4f}, "
        f"untrained {found.untrained:.4f}, trained {found.trained:.4f}"
    )
    print(f"scale {weights.scale:g} centipawns, draw {weights.draw:g}, {doubt_text(weights)}")
    for name, (full, empty) in zip(TERMS, weights.terms, strict=True):
        print(f"{name:12}{full / UNIT:9.1f}{empty / UNIT:9.1f}")


def arguments() -> argparse.ArgumentParser:
    default = Choices()
    parser = argparse.ArgumentParser(prog="fit", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_files(parser)
    parser.add_argument(
        "--result", type=float, default=default.result, metavar="X", help=f"share of the result ({default.result})"
    )
    parser.add_argument(
        "--trust", type=float, default=default.trust, metavar="X", help=f"what a position counts ({default.trust})"
    )
    parser.add_argument("--steps", type=int, default=default.steps, metavar="N", help=f"at most ({default.steps})")
    for member in dataclasses.fields(Prior):
        value = getattr(default.prior, member.name)
        parser.add_argument(f"--{member.name}", type=float, default=value, metavar="X", help=f"of the prior ({value})")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    parser = arguments()
    asked = parser.parse_args(words)
    if not (0 <= asked.result <= 1 and asked.trust > 0 and 0 <= asked.neighbours < 1 and 0 <= asked.halves < 1):
        parser.error("--result, --neighbours and --halves are from 0 to 1, --trust is above 0")
    prior = Prior(**{member.name: getattr(asked, member.name) for member in dataclasses.fields(Prior)})
    try:
        rules, data = gathered(asked.variant, asked.data, asked.kindred)
        began = time.monotonic()
        fitted = fit(rules, data, Choices(asked.result, asked.trust, asked.steps, prior))
        save(fitted.weights, rules.geometry, asked.out)
    except (OSError, VariantError, SamplesError, WeightsError) as error:
        print(f"fit: {error}", file=sys.stderr)
        return 2
    tell(fitted, time.monotonic() - began)
    return 0


if __name__ == "__main__":
    sys.exit(main())
