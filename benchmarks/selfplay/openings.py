"""Random openings: drawn by seed, fit to be played out, different from one another as far as there are so many."""

from __future__ import annotations

import random

from damd.core.position import Position
from damd.core.types import Ply, PlyKind, TooManyPlies
from damd.notation.fen import format_fen
from damd.rules import Rules

Opening = tuple[Ply, ...]

#: After so many vain draws in a row there are no more openings of a length.
_PATIENCE = 200
#: Where there are too few openings, longer ones are drawn, by so many plies at most.
_LONGER = 6


def draw_openings(rules: Rules, count: int, length: int, dice: random.Random) -> list[Opening]:
    """``count`` openings of ``length`` random plies, claims excepted.

    None ends the game, leaves a position that is decided at once, or leaves a claim: a game that begins with a gift
    measures nothing. No two lead to the same position; where there are not so many openings of that length the others
    are one or more plies longer, and only where these do not suffice either are openings repeated. Raises
    ``ValueError`` where there is no fit opening at all.
    """
    found: dict[str, Opening] = {}
    for plies in range(length, length + _LONGER + 1):
        vain = 0
        while len(found) < count and vain < _PATIENCE:
            position = Position(rules)
            opening = _draw(position, plies, dice)
            place = format_fen(position.setup(), rules)
            if opening is None or place in found:
                vain += 1
            else:
                found[place] = opening
                vain = 0
    if not found:
        raise ValueError(f"{rules.names.name}: no opening of {length} to {length + _LONGER} plies can be played out")
    distinct = list(found.values())
    return [distinct[number % len(distinct)] for number in range(count)]


def _draw(position: Position, plies: int, dice: random.Random) -> Opening | None:
    """Play so many random plies; ``None`` where the result is no opening."""
    drawn: list[Ply] = []
    try:
        for _ in range(plies):
            choices = [ply for ply in position.plies() if ply.kind is not PlyKind.CLAIM]
            if not choices or position.outcome():
                return None
            drawn.append(dice.choice(choices))
            position.play(drawn[-1])
        return None if position.setup().right or decided(position) else tuple(drawn)
    except TooManyPlies:
        return None


def decided(position: Position) -> bool:
    """Whether the game is over, or the side to move wins by its next ply, or loses by the ply after, whatever it does."""
    return position.outcome() is not None or _wins_at_once(position) or _loses_at_once(position)


def _wins_at_once(position: Position) -> bool:
    side = position.side
    for ply in position.plies():
        with position.after(ply):
            outcome = position.outcome()
        if outcome is not None and outcome.winner == side:
            return True
    return False


def _loses_at_once(position: Position) -> bool:
    side = position.side
    for ply in position.plies():
        with position.after(ply):
            outcome = position.outcome()
            lost = outcome.winner == 1 - side if outcome else position.side != side and _wins_at_once(position)
        if not lost:
            return False
    return True
