"""Trains the weights of a game from nothing: generations of self-play, each with the weights fitted to the ones before.

    python -m training VARIANT --out FILE.weights [--size X] [--seed S] [--workers N] [--keep FOLDER]

The first generation plays with the weights worked out from the rules, the next with terms and patterns fitted to it, the
others with a network fitted to the one or two before. What is written is the network of the last two. The same arguments
make the same file on the same machine.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from damd.rules import Rules
from damd.variants import VariantError, load
from damd.weights.files import WeightsError, save
from damd.weights.model import Weights
from training import samples
from training.fit import fit, tell
from training.network import fit_network
from training.samples import Samples, SamplesError
from training.selfplay import play, told


@dataclass(frozen=True, slots=True)
class Generation:
    """So many games, so many nodes a ply; whether a network is fitted to them, and to the games of the one before."""

    games: int
    nodes: int
    network: bool


#: Each plays better than the one before, and is worth more games. Few games make good patterns, but no good network.
GENERATIONS = (Generation(3000, 300, False), Generation(8000, 300, True), Generation(16000, 600, True))


def train(rules: Rules, size: float, seed: int, workers: int, keep: Path | None = None) -> Weights:
    """The weights of the last generation; ``size`` multiplies the games, ``keep`` is a folder for what lies between.

    Raises ``OSError``, and ``SamplesError`` where nothing can be learnt from the games.
    """
    weights: Weights | None = None
    before: list[Samples] = []
    for number, generation in enumerate(GENERATIONS):
        games = max(1, round(size * generation.games))
        print(f"{rules.names.name}, generation {number}: {games} games of {generation.nodes} nodes a ply", flush=True)
        parts = play(rules, weights, games, generation.nodes, seed + number, workers)
        data = samples.join(told(parts, games)).distinct()
        began = time.monotonic()
        known = samples.join([*before, data]).distinct() if generation.network else data
        fitted = fit_network(rules, known) if generation.network else fit(rules, known)
        before = [data]
        weights = fitted.weights
        print(f"{len(known)} positions", end=", ")
        tell(fitted, time.monotonic() - began)
        if keep is not None:
            samples.save(data, keep / f"{rules.names.name}-{number}.npz")
            save(weights, rules.geometry, keep / f"{rules.names.name}-{number}.weights")
    assert weights is not None
    return weights


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="training", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.weights")
    parser.add_argument("--size", type=float, default=1.0, metavar="X", help="multiplies the numbers of games (1)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the first generation's, then one more each (1)")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes that play (1)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave each generation's samples and weights there")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    parser = arguments()
    asked = parser.parse_args(words)
    if not (0 < asked.size < math.inf) or asked.workers < 1:
        parser.error("--size is above 0, --workers 1 or more")
    try:
        rules = load(asked.variant)
        if asked.keep is not None:
            asked.keep.mkdir(parents=True, exist_ok=True)
        save(train(rules, asked.size, asked.seed, asked.workers, asked.keep), rules.geometry, asked.out)
    except (OSError, VariantError, SamplesError, WeightsError) as error:
        print(f"training: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
