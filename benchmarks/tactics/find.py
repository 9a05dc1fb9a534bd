"""Finds positions with one winning ply in games that damd plays against itself.

    python benchmarks/tactics/find.py --variant dam,dam-haji --seed 1 [--rows N] [--games N] [--out FOLDER]

A position is kept where a search of 100,000 nodes finds a ply that wins, and one ten times as long agrees that it wins
and that no other ply does. A game gives one position at most; those won by declining a capture are drawn, not played.
What has been found stands in ``FOLDER/VARIANT.jsonl`` at once, in lines that ``benchmarks/strength.py --tactics`` reads.
The same arguments find the same positions: numbers limit all searches, no clock does.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.tactics.games import Games
from benchmarks.tactics.judge import Judge, Line, Pair
from benchmarks.tactics.kinds import Kind, Kinds
from benchmarks.tactics.traps import Traps
from damd.core.position import Position
from damd.core.types import Setup
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply
from damd.rules import Rules
from damd.variants import VariantError, load

FOLDER = Path(__file__).resolve().parent

#: At most so many of 30 are of a kind, and so many in games without penalties, which have two kinds only.
MOST = {Kind.TRAP: 5, Kind.CLAIM: 8, Kind.ENDING: 8, Kind.SHOT: 14}
MOST_OF_TWO = {Kind.ENDING: 12, Kind.SHOT: 18}
#: Nodes of the first look at a position.
LOOK_NODES = 1500
#: What makes that call for longer ones: the best ply's expected score, and how far the next is behind.
PROMISING = 0.75
PROMISING_LEAD = 0.2
#: Rounds of drawing traps, where there are penalties: some games have none to be found.
TRAP_ROUNDS = 400
#: How many plies of the winning line a note shows.
SHOWN = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A problem; ``fen`` is without counters."""

    fen: str
    best: str
    kind: Kind
    note: str

    def text(self, rules: Rules) -> str:
        """Its line in the file."""
        return json.dumps({"variant": rules.names.name, "fen": self.fen, "best": self.best, "note": self.note})


#: Where positions come from: dice and the kinds wanted in, positions out.
Source = Callable[[random.Random, Container[Kind]], Iterable[Setup]]


class Finder:
    """Looks for problems in the positions of a source."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._judge = Judge(rules)
        self._kinds = Kinds(rules)
        self.sources: dict[str, Source] = {
            "games": Games(rules).positions,
            "traps": Traps(rules, self._judge, self._kinds).positions,
        }

    def problem(self, source: Source, dice: random.Random, wanted: Container[Kind]) -> Row | None:
        """The first problem of a wanted kind that the source has for these dice."""
        for setup in source(dice, wanted):
            pair = self._judge.look(setup, LOOK_NODES)
            if pair is None or not pair.promises(PROMISING, PROMISING_LEAD):
                continue
            best, kind = pair.best.plies[0], self._kinds.kind_of(setup, pair.best)
            if kind is None or kind not in wanted or not self._judge.finds(setup, best):
                continue
            verified = self._judge.verify(setup, best)
            if verified is not None and self._kinds.kind_of(setup, verified.best) is kind:
                return self._row(setup, kind, verified)
        return None

    def _row(self, setup: Setup, kind: Kind, pair: Pair) -> Row:
        board = self._rules.geometry
        line = " ".join(format_ply(ply, board) for ply in pair.best.plies[:SHOWN])
        next_best = format_ply(pair.other.plies[0], board)
        note = f"{kind.value}: {line}; {_score(pair.best)}, next best {next_best} {_score(pair.other)}"
        fen = format_fen(Position(self._rules, setup).setup(), self._rules)  # few pieces may be crowned
        return Row(fen, format_ply(pair.best.plies[0], board), kind, note)


def _score(line: Line) -> str:
    return f"mate {line.score.value}" if line.score.kind == "mate" else f"{line.score.value:+d}"


def find(rules: Rules, rows: int, games: int, seed: int) -> Iterator[Row]:
    """So many problems, or those that so many games have; each game follows from its number and the seed."""
    most = {kind: -(-number * rows // 30) for kind, number in (MOST if rules.penalty.take else MOST_OF_TWO).items()}
    search = Search(Finder(rules), f"{seed}/{rules.names.name}", rows)
    trap = {Kind.TRAP: most.pop(Kind.TRAP, 0)}
    yield from search.rows("traps", min(games, TRAP_ROUNDS), trap)
    yield from search.rows("games", games, most)


class Search:
    """A search for so many rows, of which no two have the same position."""

    def __init__(self, finder: Finder, seed: str, rows: int) -> None:
        self._finder = finder
        self._seed = seed
        self._left = rows
        self._fens: set[str] = set()

    def rows(self, source: str, rounds: int, most: Mapping[Kind, int]) -> Iterator[Row]:
        """Those of so many rounds of a source: one of each at most, so many of a kind at most."""
        positions, kinds = self._finder.sources[source], Counter[Kind]()
        for number in range(rounds):
            wanted = {kind for kind in most if kinds[kind] < most[kind]}
            if not wanted or not self._left:
                return
            row = self._finder.problem(positions, random.Random(f"{self._seed}/{source}/{number}"), wanted)
            if row is not None and row.fen not in self._fens:
                self._fens.add(row.fen)
                kinds[row.kind] += 1
                self._left -= 1
                yield row


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="find.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", required=True, metavar="V[,V...]")
    parser.add_argument("--rows", type=int, default=30, metavar="N", help="positions a variant (30)")
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="games a variant at most (10000)")
    parser.add_argument("--seed", type=int, required=True, metavar="S")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="FOLDER", help="where the files go (here)")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    parser = arguments()
    asked = parser.parse_args(words)
    if min(asked.rows, asked.games) < 1:
        parser.error("--rows and --games are 1 or more")
    try:
        variants = [load(name.strip()) for name in asked.variant.split(",")]
        asked.out.mkdir(parents=True, exist_ok=True)
        for rules in variants:
            write(rules, asked)
    except (OSError, VariantError) as error:
        print(f"find.py: {error}", file=sys.stderr)
        return 2
    return 0


def write(rules: Rules, asked: argparse.Namespace) -> None:
    """Write and tell what is found in one variant. Raises ``OSError``."""
    name, number, began = rules.names.name, 0, time.monotonic()
    with (asked.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        for number, row in enumerate(find(rules, asked.rows, asked.games, asked.seed), 1):
            print(row.text(rules), file=file, flush=True)
            print(f"{name} {number}, {time.monotonic() - began:.0f} s: {row.fen} {row.note}", flush=True)
    print(f"{name}, seed {asked.seed}: {number} of {asked.rows} positions", flush=True)


if __name__ == "__main__":
    sys.exit(main())
