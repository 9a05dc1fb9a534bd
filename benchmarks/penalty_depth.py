"""Measures what declined captures cost the search: depths reached with the penalty rule and without it.

    python benchmarks/penalty_depth.py --movetime 200
    python benchmarks/penalty_depth.py --nodes 300000 --variant dam,dam-daman

In each game the start position and middle games, reached by seeded plies that are legal both ways, are searched under
the game's own rules and with missed captures forbidden, by turns. The exit code is 1 where a game's median depth under
its own rules lags by more than ``ALLOWED_LAG``.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from statistics import median

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.engine import Engine
from damd.limits import Info, Limits
from damd.rules import Rules
from damd.variants import VariantError, load

GAMES = "dam-haji,dam-haji-10,dam-haji-10-20,dam-haji-12,dam,dam-daman"
MIDDLE_GAMES = (8, 14, 20)  # plies from the start
ALLOWED_LAG = 3  # plies


def middle_game(rules: Rules, length: int, seed: int) -> list[Ply]:
    """Plies of a game without penalties that is not over and has a quiet ply after them."""
    chance = random.Random(f"{seed}/{rules.names.name}/{length}")
    while True:
        position = Position(rules)
        played: list[Ply] = []
        while len(played) < length and position.outcome() is None:
            played.append(chance.choice(position.plies()))
            position.play(played[-1])
        if position.outcome() is None and any(ply.kind is PlyKind.QUIET for ply in position.plies()):
            return played


def depth_reached(engine: Engine, plies: list[Ply], limits: Limits) -> int:
    """The last iteration that brought a result, from an empty table."""
    position = Position(engine.rules)
    for ply in plies:
        position.play(ply)
    engine.clear()
    engine.set_position(position)
    told: list[Info] = []
    engine.search(limits, told.append)
    return told[-1].depth


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="penalty_depth.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", default=GAMES, metavar="V[,V...]", help=f"({GAMES})")
    parser.add_argument("--seed", type=int, default=1, help="of the middle games (1)")
    parser.add_argument("--nodes", type=int, metavar="N")
    parser.add_argument("--movetime", type=int, metavar="MS", help="(200, without --nodes)")
    return parser


def main(words: list[str] | None = None) -> int:
    asked = arguments().parse_args(words)
    limits = Limits(nodes=asked.nodes, movetime_ms=asked.movetime or (None if asked.nodes else 200))
    print("| game | plies played: depth by the rule / forbidden | medians | |\n|---|---|---|---|")
    met = True
    try:
        for name in asked.variant.split(","):
            rules = load(name)
            forbidden = rules.without_penalty()
            depths = []
            for length in (0, *MIDDLE_GAMES):
                plies = middle_game(forbidden, length, asked.seed)
                depths.append([depth_reached(Engine(form), plies, limits) for form in (rules, forbidden)])
            by_rule, without = (median(pair[i] for pair in depths) for i in range(2))
            near = without - by_rule <= ALLOWED_LAG
            met = met and near
            each = ", ".join(f"{n}: {a}/{b}" for n, (a, b) in zip((0, *MIDDLE_GAMES), depths, strict=True))
            print(f"| {name} | {each} | {by_rule:g} / {without:g} | {'met' if near else 'missed'} |", flush=True)
    except VariantError as error:
        print(f"penalty_depth.py: {error}", file=sys.stderr)
        return 2
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
