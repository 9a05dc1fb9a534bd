"""Plays a game against itself and keeps calm positions with its result: what the evaluation is trained with.

    python -m training.selfplay VARIANT --games N --nodes N --seed S --out FILE.npz [--weights FILE] [--workers N]

Without --weights the weights are those worked out from the rules. The same arguments make the same samples,
whatever the number of workers.
"""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from damd.rules import Rules
from damd.variants import VariantError, load
from damd.weights.files import WeightsError
from damd.weights.files import load as load_weights
from damd.weights.model import Weights
from training import samples
from training.field import Field, Game, blank
from training.samples import Samples, gather_features

#: Games of one request to a worker.
_BUNDLE = 16

_LARGEST_SCORE = 3000


def record(rules: Rules, weights: Weights | None, nodes: int, seed: int, numbers: Sequence[int]) -> Samples:
    """The samples of the games of these numbers; each follows from its number and the seed alone."""
    field = Field(rules, weights, nodes)
    games = [field.play(random.Random(f"{seed}/{rules.names.name}/{number}")) for number in numbers]
    return as_samples(rules, field.full, numbers, games)


def as_samples(rules: Rules, full: int, numbers: Sequence[int], games: Sequence[Game]) -> Samples:
    """The arrays of what was kept of these games."""
    patterns = blank(rules)
    rows = [(number, game.points, moment) for number, game in zip(numbers, games, strict=True) for moment in game.moments]
    pairs = [pair for game in games for pair in game.pairs]
    scores = np.array([moment.score for _, _, moment in rows], np.int64)
    untrained = np.array([moment.untrained for _, _, moment in rows], np.int64)
    return Samples(
        variant=rules.names.name,
        full=full,
        features=gather_features([moment.counts for _, _, moment in rows], patterns),
        key=np.array([moment.key for _, _, moment in rows], np.uint64),
        side=np.array([moment.side for _, _, moment in rows], np.uint8),
        points=np.array([points for _, points, _ in rows], np.uint8),
        game=np.array([number for number, _, _ in rows], np.int32),
        score=scores.clip(-_LARGEST_SCORE, _LARGEST_SCORE).astype(np.int16),
        untrained=untrained.clip(-_LARGEST_SCORE, _LARGEST_SCORE).astype(np.int16),
        whole=gather_features([pair.whole for pair in pairs], patterns),
        lacking=gather_features([pair.lacking for pair in pairs], patterns),
        lacking_side=np.array([pair.side for pair in pairs], np.uint8),
    )


def play(rules: Rules, weights: Weights | None, games: int, nodes: int, seed: int, workers: int = 1) -> Iterator[Samples]:
    """The samples of games 0 to ``games - 1``, in order, some games at a time."""
    bundles = [range(first, min(first + _BUNDLE, games)) for first in range(0, games, _BUNDLE)]
    work = functools.partial(record, rules, weights, nodes, seed)
    if workers == 1:
        yield from map(work, bundles)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(work, bundles)


def told(parts: Iterable[Samples], games: int) -> Iterator[Samples]:
    """The same parts; progress goes to stderr, about ten times."""
    began, played, positions = time.monotonic(), 0, 0
    for part in parts:
        before, played, positions = played, min(games, played + _BUNDLE), positions + len(part)
        if played * 10 // games > before * 10 // games:
            taken = time.monotonic() - began
            print(f"{played} of {games} games, {positions} positions, {taken:.0f} s", file=sys.stderr, flush=True)
        yield part


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="selfplay", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("--games", type=int, required=True, metavar="N")
    parser.add_argument("--nodes", type=int, required=True, metavar="N", help="a search's limit")
    parser.add_argument("--seed", type=int, required=True, metavar="S")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.npz")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="play with these")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (1)")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    parser = arguments()
    asked = parser.parse_args(words)
    if min(asked.games, asked.nodes, asked.workers) < 1:
        parser.error("--games, --nodes and --workers are 1 or more")
    try:
        rules = load(asked.variant)
        weights = None
        if asked.weights is not None:
            weights = load_weights(asked.weights, rules.geometry)
            if weights is None:
                raise WeightsError(str(asked.weights), f"weights of another board than that of {asked.variant}")
        parts = told(play(rules, weights, asked.games, asked.nodes, asked.seed, asked.workers), asked.games)
        found = samples.join(parts)
        distinct = found.distinct()
        samples.save(distinct, asked.out)
    except (OSError, VariantError, WeightsError) as error:
        print(f"selfplay: {error}", file=sys.stderr)
        return 2
    results = np.bincount(distinct.points, minlength=3)
    print(
        f"{distinct.variant}: {len(distinct)} distinct of {len(found)} calm positions; "
        f"{results[2]} from games that White won, {results[1]} from drawn and {results[0]} from lost ones"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
