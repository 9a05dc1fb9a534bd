"""Makes the ballots that come with damd: all openings of so many plies that a search finds balanced.

    python benchmarks/ballots.py --all                          makes them all again
    python benchmarks/ballots.py --check                        tells which are not what their heads say
    python benchmarks/ballots.py --variant dam-haji --plies 4   others, on standard output

An opening is any line of legal plies, nobody missing a capture, whose position is new, leaves nothing to capture and is
worth at most ``--bound`` centipawns to either side after a search of ``--nodes`` positions. Without ``--plies`` it has
3 plies, or as many more as it takes until there are 30 openings: some games begin with an exchange.

Searches are bounded by nodes, each from an empty table: the same damd makes the same files on every machine, and what
a file was made from is said in it. A damd whose search has changed finds other values, and so other openings: the
digest in the head is that of all values, so that ``--check`` tells this from a file that somebody has changed. Ballots
of an older search are as fit as ever; they need not be made again.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import NoReturn

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from damd import __version__
from damd.core.position import Position
from damd.core.types import TooManyPlies
from damd.engine import Engine, Limits, Score
from damd.geometry import WHITE
from damd.match.first_plies import TooManyLines, first_plies
from damd.match.openings import BALLOTS, opening_position
from damd.rules import Rules
from damd.variants import VariantError, load, names

PROGRAM = "python benchmarks/ballots.py"
HASH_MB = 4
NODES = 20_000
BOUND = 40
#: Where nobody says how long openings are, they have the first of these lengths that leaves enough of them.
LENGTHS = range(3, 9)
ENOUGH = 30
#: More lines of one length are not looked at.
MOST_LINES = 10_000


class BallotsError(ValueError):
    """Ballots that cannot be made, or a file that does not say how it was made."""


@dataclass(frozen=True, slots=True)
class Making:
    """What ballots are made from; without ``plies`` they are as long as it takes."""

    variant: str
    plies: int | None = None
    nodes: int = NODES
    bound: int = BOUND

    def __str__(self) -> str:
        """The command that makes them."""
        length = "" if self.plies is None else f" --plies {self.plies}"
        return f"{PROGRAM} --variant {self.variant}{length} --nodes {self.nodes} --bound {self.bound}"


@dataclass(frozen=True, slots=True)
class Ballots:
    """What was made: ``kept`` of the ``searched`` of all ``positions``, and a digest of what those were worth."""

    making: Making
    plies: int
    positions: int
    searched: int
    kept: tuple[tuple[str, ...], ...]
    digest: str

    def text(self) -> str:
        """The file: what it was made from, and a numbered line an opening."""
        making = self.making
        among = f"{len(self.kept)} of {self.searched} positions"
        longer = making.plies is None and self.plies > LENGTHS[0]
        lines = [
            f"# Balanced: {among}, within {making.bound} centipawns by {making.nodes} nodes.",
            f"# They leave nothing to capture; {self.plies} plies lead to {self.positions} positions in all.",
            *([f"# Fewer plies leave fewer than {ENOUGH} openings."] if longer else []),
            f"# {making}",
            f"# damd {__version__}, values {self.digest}",
            f'[Variant "{making.variant}"]',
            *(f"{number}. {' '.join(opening)}" for number, opening in enumerate(self.kept, 1)),
        ]
        return "\n".join(lines) + "\n"


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


def make(rules: Rules, making: Making) -> Ballots:
    """Raises ``BallotsError``."""
    if making.plies is not None:
        return _make(rules, making, making.plies)
    for plies in LENGTHS:
        made = _make(rules, making, plies)
        if len(made.kept) >= ENOUGH:
            return made
    raise BallotsError(f"there are no {ENOUGH} balanced openings of up to {LENGTHS[-1]} plies; say --plies or --bound")


def _make(rules: Rules, making: Making, plies: int) -> Ballots:
    try:
        found = list(first_plies(rules, plies, MOST_LINES))
    except (TooManyLines, TooManyPlies):
        raise BallotsError(f"there are more openings of {plies} plies than can be looked at; say --plies") from None
    quiet = [opening for opening in found if not opening.captures]
    engine = Engine(rules, hash_mb=HASH_MB)
    kept = []
    digest = blake2b(digest_size=4)
    for opening in quiet:
        worth = value(engine, opening_position(opening, rules), making.nodes)
        digest.update(f"{' '.join(opening.plies)}={worth}\n".encode())
        if worth is not None and abs(worth) <= making.bound:
            kept.append(opening.plies)
    return Ballots(making, plies, len(found), len(quiet), tuple(kept), digest.hexdigest())


class Verdict(Enum):
    """What becomes of making a file again."""

    SAME = "as made"
    OTHER_SEARCH = "made by another search"
    CHANGED = "not what its head says"


def check(text: str) -> tuple[Verdict, str]:
    """Makes a file again: the verdict, and what it rests on. Raises ``BallotsError``, ``VariantError``."""
    old_values = _after(text, "values ")
    again = make_again(text)
    new = again.text()
    if again.digest != old_values:
        changed = len(set(_openings(text)) ^ set(_openings(new)))
        return Verdict.OTHER_SEARCH, f"values {old_values}, now {again.digest}; {changed} openings would come or go"
    if _made(text) != _made(new):
        return Verdict.CHANGED, f"{len(_openings(text))} openings, {len(again.kept)} when made again"
    return Verdict.SAME, f"{len(again.kept)} openings"


def make_again(text: str) -> Ballots:
    """What the head of a file says how to make. Raises ``BallotsError``, ``VariantError``."""
    try:
        asked = arguments(_Raising).parse_args(shlex.split(_after(text, PROGRAM)))
    except ValueError as fault:
        raise BallotsError(f"the command in its head is none: {fault}") from None
    if asked.variant is None:
        raise BallotsError("the command in its head says no variant")
    return make(load(asked.variant), _making(asked, asked.variant))


class _Raising(argparse.ArgumentParser):
    """Reads a command that nobody has typed: what is wrong with it is no reason to end."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _after(text: str, mark: str) -> str:
    """What follows the mark in the line of the head that has it. Raises ``BallotsError``."""
    for line in text.splitlines():
        if line.startswith("#") and mark in line:
            return line.partition(mark)[2].strip()
    raise BallotsError(f'nothing in its head says "{mark.strip()}"')


def _openings(text: str) -> list[str]:
    return [line.partition(". ")[2] for line in text.splitlines() if line[:1].isdigit()]


def _made(text: str) -> list[str]:
    """The file without the version that made it."""
    return [line for line in text.splitlines() if not line.startswith("# damd ")]


def _making(asked: argparse.Namespace, variant: str) -> Making:
    return Making(variant, asked.plies, asked.nodes, asked.bound)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def arguments(kind: type[argparse.ArgumentParser] = argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser = kind(prog="ballots.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--variant", metavar="NAME", help="make those of one variant")
    what.add_argument("--all", action="store_true", help="make those of every variant, into --folder")
    what.add_argument("--check", action="store_true", help="make the files of --folder again and compare")
    parser.add_argument("--plies", type=int, choices=range(1, 9), help="the length of an opening")
    parser.add_argument("--nodes", type=_count, default=NODES, metavar="N", help=f"positions a search looks at ({NODES})")
    parser.add_argument("--bound", type=int, default=BOUND, metavar="CP", help=f"how unbalanced it may be ({BOUND})")
    parser.add_argument("--variant-path", metavar="DIR", help="a folder with variant files of your own")
    parser.add_argument("--output", type=Path, metavar="FILE", help="of one variant; default: standard output")
    parser.add_argument("--folder", type=Path, default=BALLOTS, metavar="DIR", help="of all; default: where damd has them")
    return parser


def make_one(asked: argparse.Namespace) -> int:
    rules = load(asked.variant, asked.variant_path)
    made = make(rules, _making(asked, rules.name))
    if asked.output is None:
        sys.stdout.write(made.text())
    else:
        _write(made, asked.output)
    return 0


def make_all(asked: argparse.Namespace) -> int:
    for name in names():
        began = time.monotonic()
        made = make(load(name), _making(asked, name))
        _write(made, asked.folder / f"{name}.ballots")
        took = f"{time.monotonic() - began:.1f} s"
        print(f"{name}: {len(made.kept)} openings of {made.plies} plies, {made.positions} positions, {took}", flush=True)
    return 0


def check_all(folder: Path) -> int:
    """0 where nobody has changed a file and every variant has one."""
    files = {file.stem: file for file in folder.glob("*.ballots")}
    fine = True
    for name in sorted({*files, *names()}):
        as_it_ought_to_be, told = _look(files[name]) if name in files else (False, "has no ballots")
        fine = fine and as_it_ought_to_be
        print(f"{name}: {told}", flush=True)
    return 0 if fine else 1


def _look(file: Path) -> tuple[bool, str]:
    """Whether all is well with a file, and what is to be said of it."""
    try:
        verdict, why = check(file.read_text(encoding="utf-8"))
    except (BallotsError, VariantError, UnicodeDecodeError) as error:
        return False, str(error)
    return verdict is not Verdict.CHANGED, f"{verdict.value}: {why}"


def _write(made: Ballots, file: Path) -> None:
    file.write_text(made.text(), encoding="utf-8", newline="\n")


def main(words: Sequence[str] | None = None) -> int:
    asked = arguments().parse_args(words)
    try:
        if asked.check:
            return check_all(asked.folder)
        return make_all(asked) if asked.all else make_one(asked)
    except (BallotsError, VariantError, OSError) as error:
        print(f"ballots.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
