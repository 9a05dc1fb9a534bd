"""What makes a winning ply a problem worth solving: the kind of trick that it is."""

from __future__ import annotations

from enum import Enum

from benchmarks.tactics.judge import Line
from damd.core.position import Position
from damd.core.types import PlyKind, Setup
from damd.rules import Rules

#: What a king weighs, in men.
_KING_VALUE = 3
#: An ending has at least so many pieces, and at most so many, or this part of those of the start where that is more.
_FEWEST_PIECES = 5
_FEW_PIECES = 8
_FEW_PART = 4
#: A trick shows within so many plies of its line.
_SIGHT = 11
#: A chain takes so many pieces, in one of the first plies after the claim, the opponent's counted.
_CHAIN = 2
_CHAIN_SIGHT = 4


class Kind(Enum):
    """Kinds of problems, by their name in the notes."""

    TRAP = "trap"  # a capture is declined, or not completed, and the penalty is worth it
    CLAIM = "claim"  # the piece that is claimed makes way for a chain
    ENDING = "ending"  # few pieces are left, and more is needed than to take or to promote one
    SHOT = "shot"  # pieces are given to win more, or the game

    @property
    def needs_penalty(self) -> bool:
        """Whether only games with a penalty know it."""
        return self in (Kind.TRAP, Kind.CLAIM)


class Kinds:
    """Tells the kinds of one game's problems apart."""

    def __init__(self, rules: Rules) -> None:
        self._position = Position(rules)
        self._few = max(_FEW_PIECES, sum(self._position.pieces) // _FEW_PART)

    def kind_of(self, setup: Setup, line: Line) -> Kind | None:
        """The kind of the win that ``line`` shows in this position; ``None`` where it is no trick."""
        position, first = self._position, line.plies[0]
        position.set(setup)
        if first.kind is PlyKind.CLAIM:
            return Kind.CLAIM if _has_chain(position, line) else None
        with position.after(first):
            if position.outcome() is None and position.setup().right is not None:
                return Kind.TRAP
        pieces = sum(position.pieces)
        if pieces > self._few:
            return Kind.SHOT if _gives_and_takes(position, line) else None
        plain = first.kind is PlyKind.CAPTURE or first.promotes
        is_trick = pieces >= _FEWEST_PIECES and (not plain or _gives_and_takes(position, line))
        return Kind.ENDING if is_trick else None


def _has_chain(position: Position, line: Line) -> bool:
    """Whether the side to move takes several pieces at once soon after its claim."""
    side, turns = position.side, 0
    for ply in line.plies:
        turns += ply.kind is not PlyKind.CLAIM
        if turns > _CHAIN_SIGHT:
            break
        if position.side == side and ply.kind is PlyKind.CAPTURE and len(ply.captured) >= _CHAIN:
            return True
        position.play(ply)
    return False


def _gives_and_takes(position: Position, line: Line) -> bool:
    """Whether the side to move is behind what it had before it is ahead of that, or wins the game."""
    side = position.side
    before = lowest = last = _balance(position, side)
    for ply in line.plies[:_SIGHT]:
        position.play(ply)
        last = _balance(position, side)
        lowest = min(lowest, last)
    return lowest < before and (last > before or line.score.kind == "mate")


def _balance(position: Position, side: int) -> int:
    setup = position.setup()
    worth = [len(men) + _KING_VALUE * len(kings) for men, kings in zip(setup.men, setup.kings, strict=True)]
    return worth[side] - worth[1 - side]
