"""Makes the ballots that come with damd: all openings of so many plies that a search finds balanced.

    python benchmarks/ballots.py --variant dam-haji --plies 3 --output damd/match/ballots/dam-haji.ballots

Every legal opening without claims is taken whose position is new, is not over, leaves no claim and is worth at most
``--bound`` centipawns to either side after ``--nodes`` positions of search. Searches are bounded by nodes, each from an
empty table: the same damd makes the same file on every machine. What was made, and from how much, is said in the file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from damd import __version__
from damd.core.position import Position
from damd.core.types import PlyKind, TooManyPlies
from damd.engine import Engine, Limits, Score
from damd.geometry import WHITE
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply
from damd.rules import Rules
from damd.variants import VariantError, load

HASH_MB = 4


def openings(position: Position, plies: int) -> Iterator[tuple[str, ...]]:
    """Every line of so many plies, claims excepted, in the generator's order; the position stands behind it meanwhile."""
    if not plies:
        yield ()
        return
    if position.outcome() is not None:
        return
    for ply in position.plies():
        if ply.kind is not PlyKind.CLAIM:
            text = format_ply(ply, position.board)
            with position.after(ply):
                for rest in openings(position, plies - 1):
                    yield (text, *rest)


def value(engine: Engine, position: Position, nodes: int) -> int | None:
    """What the position is worth to White in centipawns; ``None`` where the game is won by force or nothing was said."""
    scores: list[Score] = []
    engine.clear()
    engine.set_position(position)
    engine.search(Limits(nodes=nodes), lambda info: scores.append(info.score))
    exact = [score for score in scores if not score.bound]
    if not exact or exact[-1].kind != "cp":
        return None
    return exact[-1].value if position.side == WHITE else -exact[-1].value


def balanced(rules: Rules, plies: int, nodes: int, bound: int) -> tuple[int, list[tuple[str, ...]]]:
    """How many openings lead to a position of their own, and those that are balanced."""
    engine = Engine(rules, hash_mb=HASH_MB)
    position = Position(rules)
    seen: set[str] = set()
    kept = []
    for opening in openings(position, plies):
        place = format_fen(position.setup(), rules)
        if place in seen:
            continue
        seen.add(place)
        if position.outcome() is not None or position.setup().right is not None:
            continue
        worth = value(engine, position, nodes)
        if worth is not None and abs(worth) <= bound:
            kept.append(opening)
    return len(seen), kept


def ballots_text(rules: Rules, plies: int, nodes: int, bound: int) -> str:
    """The file: what it was made from, and a numbered line an opening."""
    total, kept = balanced(rules, plies, nodes, bound)
    made = f"python benchmarks/ballots.py --variant {rules.name} --plies {plies} --nodes {nodes} --bound {bound}"
    found = f"{len(kept)} of the {total} positions that {plies} plies lead to"
    lines = [
        f"# Balanced: {found} are within {bound} centipawns after {nodes} nodes",
        f"# damd {__version__}: {made}",
        f'[Variant "{rules.name}"]',
        *(f"{number}. {' '.join(opening)}" for number, opening in enumerate(kept, 1)),
    ]
    return "\n".join(lines) + "\n"


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ballots.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", required=True, metavar="NAME")
    parser.add_argument("--plies", type=int, choices=(1, 2, 3, 4), default=3, help="the length of an opening (3)")
    parser.add_argument("--nodes", type=int, default=20_000, metavar="N", help="positions a search looks at (20000)")
    parser.add_argument("--bound", type=int, default=40, metavar="CP", help="how unbalanced it may be (40)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: standard output")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    asked = arguments().parse_args(words)
    try:
        text = ballots_text(load(asked.variant), asked.plies, asked.nodes, asked.bound)
        if asked.output is None:
            sys.stdout.write(text)
        else:
            asked.output.write_text(text, encoding="utf-8", newline="\n")
    except (VariantError, TooManyPlies, OSError) as error:
        print(f"ballots.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
