"""Positions with known best plies: how many of them a player finds in its time."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.selfplay.players import Fault, Player, Turn
from damd.client import Limit
from damd.core.position import Position
from damd.core.types import Ply, TooManyPlies
from damd.notation.fen import parse_fen
from damd.notation.plies import PlyError, format_ply, parse_ply
from damd.rules import Rules
from damd.variants import VariantError, load


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of the file; any of ``best`` solves it."""

    line: int
    rules: Rules
    fen: str
    best: tuple[Ply, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a player made of a problem; ``text`` is what it answered, or what its fault was where it is ``faulty``."""

    problem: Problem
    solved: bool
    text: str
    taken_ms: float = 0.0
    depth: int | None = None
    faulty: bool = False

    def __str__(self) -> str:
        problem = self.problem
        board = problem.rules.geometry
        best = " or ".join(format_ply(ply, board) for ply in problem.best)
        depth = "" if self.depth is None else f" at depth {self.depth}"
        note = f": {problem.note}" if problem.note else ""
        verdict = f"solved by {self.text}" if self.solved else f"{self.text} instead of {best}"
        return f"{problem.rules.names.name}, line {problem.line}: {verdict}{depth}, {self.taken_ms:.0f} ms{note}"


def read_problems(file: Path) -> list[Problem]:
    """From JSON lines with ``variant``, ``fen``, ``best`` (a ply or a list) and, if wanted, ``note``.

    Raises ``ValueError`` naming the line that cannot be read or whose plies are not legal.
    """
    problems = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                problems.append(_problem(number, json.loads(line)))
            except (ValueError, KeyError, TypeError, VariantError, TooManyPlies) as error:
                kind = "lacks " if isinstance(error, KeyError) else ""
                raise ValueError(f"{file}, line {number}: {kind}{error}") from error
    if not problems:
        raise ValueError(f"{file} has no positions")
    return problems


def _problem(number: int, said: dict[str, Any]) -> Problem:
    rules = load(said["variant"])
    position = Position(rules, parse_fen(said["fen"], rules))
    texts = [said["best"]] if isinstance(said["best"], str) else list(said["best"])
    if not texts:
        raise ValueError("no best ply")
    best = tuple(parse_ply(text, position) for text in texts)
    return Problem(number, rules, said["fen"], best, said.get("note", ""))


async def attempts(player: Player, problems: Sequence[Problem], limit: Limit, seed: int) -> list[Attempt]:
    """Let the player, which is not open yet, try all. Raises ``EngineError`` where it cannot play at all."""
    try:
        await player.open([problem.rules for problem in problems])
        return [await _attempt(player, problem, limit, random.Random(f"{seed}/{problem.line}")) for problem in problems]
    finally:
        await player.close()


async def _attempt(player: Player, problem: Problem, limit: Limit, dice: random.Random) -> Attempt:
    position = Position(problem.rules, parse_fen(problem.fen, problem.rules))
    try:
        await player.new_game(problem.rules, dice)
        answer = await player.choose(Turn(position, (), limit, fen=problem.fen))
        solved = parse_ply(answer.text, position) in problem.best
    except (Fault, PlyError) as fault:
        return Attempt(problem, False, f"fault, {fault}", faulty=True)
    return Attempt(problem, solved, answer.text, answer.taken_ms, answer.depth)
