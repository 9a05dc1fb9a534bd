"""Random openings: drawn by seed, fit to be played out, different from one another as far as there are so many."""

from __future__ import annotations

import random

from damd.core.position import Position
from damd.core.types import Ply, PlyKind, TooManyPlies
from damd.engine import Engine, Limits, Score
from damd.notation.fen import format_fen
from damd.rules import Rules

Opening = tuple[Ply, ...]

#: After so many vain draws in a row there are no more openings of a length.
_PATIENCE = 200
#: Where there are too few openings, longer ones are drawn, by so many plies at most.
_LONGER = 6
#: The search that looks whether an opening is decided: some ten plies deep.
_PROOF_NODES = 20_000


def draw_openings(rules: Rules, count: int, length: int, dice: random.Random) -> list[Opening]:
    """``count`` openings of ``length`` random plies, claims excepted.

    None ends the game, leaves a position that is won by force, or leaves a claim: a game that begins with a gift
    measures nothing. No two lead to the same position; where there are not so many openings of that length the others
    are one or more plies longer, and only where these do not suffice either are openings repeated. Raises
    ``ValueError`` where there is no fit opening at all.
    """
    found: dict[str, Opening] = {}
    unfit: set[str] = set()
    for plies in range(length, length + _LONGER + 1):
        vain = 0
        while len(found) < count and vain < _PATIENCE:
            position = Position(rules)
            opening = _draw(position, plies, dice)
            place = format_fen(position.setup(), rules)
            if opening is None or place in found or place in unfit:
                vain += 1
            elif decided(position):
                unfit.add(place)
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
        return None if position.setup().right else tuple(drawn)
    except TooManyPlies:
        return None


def decided(position: Position) -> bool:
    """Whether the game is over, or damd's own short search proves that it is won by force, for either side."""
    if position.outcome() is not None:
        return True
    engine = Engine(position.rules, hash_mb=1)
    engine.set_position(position)
    scores: list[Score] = []
    engine.search(Limits(nodes=_PROOF_NODES), lambda info: scores.append(info.score))
    return bool(scores) and scores[-1].kind == "mate"
