"""Positions for the tests: a small reader of FENs, start positions, the outside data and random positions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import reference
from damd.core.types import KingRun, Ply, PlyKind, Right, Setup
from damd.geometry import Board
from damd.rules import Rules

DATA = Path(__file__).parent / "data"


def load_json(name: str) -> Any:
    """A file of the outside data."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def load_lines(name: str) -> list[Any]:
    """A file of the outside data that has one value a line."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def read_fen(text: str, rules: Rules) -> Setup:
    """The position of a correct FEN without counters; a reader of its own, to check the daemon's by."""
    board = rules.geometry
    side, *fields = text.split(":")
    men: dict[str, frozenset[int]] = {"W": frozenset(), "B": frozenset()}
    kings = dict(men)
    right = None
    for text_of_field in fields:
        letter, points = text_of_field[0], text_of_field[1:]
        if letter == "P":
            right = Right(3) if points == "*3" else Right(1, tuple(read_points(points, board)))
        else:
            names = [name for name in points.split(",") if name]
            men[letter] = frozenset(p for name in names if name[0] != "K" for p in read_points(name, board))
            kings[letter] = frozenset(p for name in names if name[0] == "K" for p in read_points(name[1:], board))
    return Setup("WB".index(side), (men["W"], men["B"]), (kings["W"], kings["B"]), right)


def read_points(text: str, board: Board) -> list[int]:
    """Points and ranges of points, separated by commas."""
    points: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        points += range(board.index(first), board.index(last or first) + 1)
    return points


def start(rules: Rules) -> Setup:
    """The start position."""
    board = rules.geometry
    men = frozenset(read_points(rules.start.white, board)), frozenset(read_points(rules.start.black, board))
    return Setup(("white", "black").index(rules.start.first), men, (frozenset(), frozenset()))


def setup_of(fen: str, rules: Rules) -> Setup:
    """The position of that FEN, or the start position for ``startpos``."""
    return start(rules) if fen == "startpos" else read_fen(fen, rules)


@dataclass(frozen=True, slots=True)
class Outside:
    """One ply as other programs report it: where it begins, where it ends, what is there afterwards."""

    ends: tuple[int, ...]
    claim: bool
    after: Setup


def outside_ply(text: str, after: str, rules: Rules) -> Outside:
    """One ply of a fixture."""
    board = rules.geometry
    points = [board.index(name) for name in text.replace("-", "x").split("x") if name]
    claim = text.startswith("x")
    ends = tuple(sorted(points)) if claim else (points[0], points[-1])
    return Outside(ends, claim, bare(read_fen(after, rules)))


def as_outside(ply: Ply, after: Setup) -> Outside:
    """A ply of ours in the terms of the outside data."""
    claim = ply.kind is PlyKind.CLAIM
    return Outside(ply.captured if claim else (ply.origin, ply.end), claim, bare(after))


def bare(setup: Setup) -> Setup:
    """The position without its counters and king runs, which the outside data do not write."""
    return replace(setup, king_runs=(None, None), halfmoves=0, fullmoves=1)


def name_path(ply: Ply, board: Board) -> str:
    """The ply in words, for the message of a failed comparison."""
    sign = "-" if ply.kind is PlyKind.QUIET else "x"
    names = sign.join(board.names[point] for point in ply.path)
    return "x" + names if ply.kind is PlyKind.CLAIM else names


def bounded(counts: list[int], most: int, deepest: int = 20) -> list[int]:
    """The counts by depth that are within a bound, from depth 1 on."""
    depth = 0
    while depth < min(len(counts), deepest) and counts[depth] <= most:
        depth += 1
    return counts[:depth]


def random_setup(rules: Rules, random: Random) -> Setup:
    """Any position of the rules: crowded or bare, with few or many kings, long captures, men about to promote."""
    board = rules.geometry
    zones = board.zones[rules.promotion.zone]
    side = random.randrange(2)
    men: tuple[set[int], set[int]] = (set(), set())
    kings: tuple[set[int], set[int]] = (set(), set())
    none_yet = rules.end.first_king and random.random() < 0.9  # mostly before the first king, which ends the game
    for colour, point, king in random_pieces(board, side, random):
        crowned = point in zones[colour]
        if not (none_yet and crowned):
            (kings if crowned or (king and not none_yet) else men)[colour].add(point)
    setup = Setup(
        side=side,
        men=(frozenset(men[0]), frozenset(men[1])),
        kings=(frozenset(kings[0]), frozenset(kings[1])),
        right=random_right(rules, random, sorted(men[1 - side] | kings[1 - side])),
        king_runs=(random_run(rules, random, kings[0]), random_run(rules, random, kings[1])),
        halfmoves=random.choice((0, 1, 7)),
        fullmoves=random.choice((1, 2, 40)),
    )
    return reference.tidy(rules, setup)


def random_pieces(board: Board, side: int, random: Random) -> Iterator[tuple[int, int, bool]]:
    """Sides, points and whether a king; ``side`` is the one to move."""
    free = list(range(board.size))
    random.shuffle(free)
    style = random.choice(("any", "any", "promoting", "lattice"))
    share = [random.choice((0.0, 0.1, 0.5, 1.0)) for _ in (0, 1)]
    most = min(20, board.size // 2 - 2)
    counts = [random.randint(1, random.choice((1, 3, 6, most))) for _ in (0, 1)]
    if style == "promoting":  # men one or two rows before the far row
        row = max(y for _, y in board.xy) - 1 if side == 0 else 1
        free.sort(key=lambda point: abs(board.xy[point][1] - row) > 1)
    if style == "lattice":  # a few pieces before others that stand apart: long captures
        row, column = random.randrange(2), random.randrange(2)
        free.sort(key=lambda point: board.xy[point][0] % 2 != column or board.xy[point][1] % 2 != row)
        counts[side], counts[1 - side] = random.randint(1, 2), random.randint(3, 9)
        yield from ((side, free.pop(), random.random() < 0.7) for _ in range(counts[side]))
        yield from ((1 - side, free.pop(0), random.random() < share[0]) for _ in range(min(counts[1 - side], len(free))))
        return
    for colour in (side, 1 - side):
        for _ in range(counts[colour]):
            point = free.pop(0) if random.random() < 0.7 else free.pop()
            yield colour, point, random.random() < share[colour]


def random_right(rules: Rules, random: Random, opponents: list[int]) -> Right | None:
    take = rules.penalty.take
    if not take or not opponents or random.random() < 0.6:
        return None
    if rules.penalty.liable == "any-piece":
        return Right(take)
    return Right(take, tuple(sorted(random.sample(opponents, random.randint(1, min(4, len(opponents)))))))


def random_run(rules: Rules, random: Random, kings: set[int]) -> KingRun | None:
    if not rules.king.quiet_limit or not kings or random.random() < 0.5:
        return None
    return KingRun(random.choice(sorted(kings)), random.randint(1, rules.king.quiet_limit))


def random_plies(rules: Rules, setup: Setup, random: Random, length: int, limit: int) -> Iterator[Turn]:
    """A random game of at most ``length`` plies from ``setup``, position by position, as the reference plays it.

    Ends early at a position with more than ``limit`` routes. The kinds of plies are drawn first, so that a
    hundred claims do not hide the moves.
    """
    for _ in range(length + 1):
        try:
            choices = reference.plies(rules, setup, limit)
        except reference.TooManyRoutes:
            return
        played = random.choice(with_kind(choices, random)) if choices else None
        yield Turn(setup, choices, played)
        if played is None:
            return
        setup = played[1]


def with_kind(choices: list[tuple[Ply, Setup]], random: Random) -> list[tuple[Ply, Setup]]:
    kinds = sorted({ply.kind for ply, _ in choices}, key=lambda kind: kind.value)
    kind = random.choice(kinds)
    return [(ply, after) for ply, after in choices if ply.kind is kind]


@dataclass(frozen=True, slots=True)
class Turn:
    """A position of a random game, its legal plies with what follows them, and the one that was played."""

    setup: Setup
    choices: list[tuple[Ply, Setup]]
    played: tuple[Ply, Setup] | None


def write(setup: Setup, board: Board) -> str:
    """The position in words, for the message of a failed comparison."""

    def names(points: frozenset[int], sign: str) -> list[str]:
        return [sign + board.names[point] for point in sorted(points)]

    sides = [",".join(names(setup.kings[side], "K") + names(setup.men[side], "")) for side in (0, 1)]
    text = f"{'WB'[setup.side]}:W{sides[0]}:B{sides[1]}"
    if setup.right is not None:
        points = ",".join(board.names[point] for point in setup.right.points) or f"*{setup.right.take}"
        text += f":P{points}"
    runs = [f"{board.names[run.point]}+{run.count}" if run else "-" for run in setup.king_runs]
    return f"{text} runs {' '.join(runs)} H{setup.halfmoves} F{setup.fullmoves}"


def without_kings(setup: Setup) -> Setup:
    """The same position with its men alone, and so without rights and runs."""
    return replace(setup, kings=(frozenset(), frozenset()), right=None, king_runs=(None, None))
