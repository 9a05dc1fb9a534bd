"""Between damd's positions and plies and DXP's: letters for the squares 1 to 50, and moves by their squares."""

from __future__ import annotations

from damd.core.types import Ply, Setup
from damd.geometry import BLACK, WHITE
from damd.rules import Rules
from damd.variants import load
from damd_adapters.dxp.messages import SQUARES, Move, StartPosition
from damd_adapters.table import Table

_EMPTY = "e"
_LETTERS = {"w": (WHITE, False), "z": (BLACK, False), "W": (WHITE, True), "Z": (BLACK, True)}


class NotPlayable(ValueError):
    """A game that DXP cannot carry, or a move that is not legal; the text says why."""


def rules_of(variant: str) -> Rules:
    """The rules of a game that DXP can carry. Raises ``NotPlayable`` and ``VariantError``."""
    rules = load(variant)
    check_rules(rules)
    return rules


def check_rules(rules: Rules) -> None:
    """Raises ``NotPlayable`` for a game that DXP cannot carry.

    It carries games on fifty squares with numbers in which a ply is told by origin, end and captured pieces. Which of
    them is played is nowhere in DXP: both sides have to know it.
    """
    if rules.geometry.names != tuple(str(number) for number in range(1, SQUARES + 1)):
        raise NotPlayable(f"{rules.name} is not played on squares 1 to {SQUARES}: DXP knows no others")
    if rules.penalty.take:
        raise NotPlayable(f"{rules.name} has claims of missed captures: DXP has no message for them")


def position_of(setup: Setup) -> StartPosition:
    """A position's letters; counters and runs, which DXP has no place for, are left out."""
    squares = [_EMPTY] * SQUARES
    for char, (side, king) in _LETTERS.items():
        for point in (setup.kings if king else setup.men)[side]:
            squares[point] = char
    return StartPosition(setup.side, "".join(squares))


def setup_of(position: StartPosition) -> Setup:
    """The position that the letters mean. Whether the rules allow it is for ``Table`` to say."""
    places: dict[tuple[int, bool], set[int]] = {kind: set() for kind in _LETTERS.values()}
    for point, char in enumerate(position.squares):
        if char != _EMPTY:
            places[_LETTERS[char]].add(point)
    men, kings = ((frozenset(places[WHITE, king]), frozenset(places[BLACK, king])) for king in (False, True))
    return Setup(side=position.side, men=men, kings=kings)


def move_of(ply: Ply, seconds: float = 0) -> Move:
    """A ply as DXP tells it."""
    return Move(ply.origin + 1, ply.end + 1, tuple(point + 1 for point in ply.captured), seconds)


def ply_of(move: Move, table: Table) -> Ply:
    """The legal ply that a move means at the table. Raises ``NotPlayable``, saying what is wrong with it."""
    wanted = (move.origin - 1, move.end - 1, tuple(sorted(square - 1 for square in move.captured)))
    plies = table.moves()
    for ply in plies:
        if (ply.origin, ply.end, ply.captured) == wanted:
            return ply
    near = [ply for ply in plies if (ply.origin, ply.end) == wanted[:2]]
    said = f"{move.origin}{'x' if move.captured else '-'}{move.end}"
    if move.captured:
        said += f" taking {', '.join(map(str, sorted(move.captured)))}"
    raise NotPlayable(f"{said} is illegal: {_right(near or plies, table)}")


def _right(plies: list[Ply], table: Table) -> str:
    if not plies:
        return "there is no legal ply"
    texts = [
        table.spell(ply) + (f" (taking {', '.join(str(point + 1) for point in ply.captured)})" if ply.captured else "")
        for ply in plies[:8]
    ]
    return "legal " + ("is " if len(plies) == 1 else "are ") + ", ".join(texts) + (" ..." if len(plies) > 8 else "")
