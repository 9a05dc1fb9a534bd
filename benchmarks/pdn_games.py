"""The same games for everybody who reads PDN: damd against itself, a few random plies first, always the same ones.

They are written without a result, ``*``: py-draughts stops where a ply begins like the text of the Result tag, as ``1-18``
does in a draw, ``1-1``, and would read fewer plies than the others.
"""

from __future__ import annotations

import random

from damd.core.position import Position
from damd.engine import Engine
from damd.limits import Limits
from damd.notation.pdn import Game, Line, Node, write_game
from damd.variants import load

RANDOM_PLIES = 6
NODES = 60
#: Longer games are cut.
PLIES = 150


def engine_games(count: int, variant: str = "international") -> list[str]:
    """``count`` games as PDN texts, the same for the same version of damd."""
    rules = load(variant)
    engine = Engine(rules, hash_mb=1)
    return [_game(engine, Position(rules), random.Random(f"pdn {variant} {number}")) for number in range(count)]


def _game(engine: Engine, position: Position, dice: random.Random) -> str:
    nodes = []
    engine.clear()
    for number in range(PLIES):
        plies = position.plies()
        if not plies or position.outcome():
            break
        ply = dice.choice(plies)
        if number >= RANDOM_PLIES and len(plies) > 1:
            engine.set_position(position)
            ply = engine.search(Limits(nodes=NODES), lambda _: None).best or ply
        nodes.append(Node(ply))
        position.play(ply)
    return write_game(Game(position.rules, (("Event", "damd"),), None, Line(tuple(nodes))))
