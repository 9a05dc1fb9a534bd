"""Run by the tests with pydraughts's own Python: whole games of its HubEngine's engine against random moves.

Arguments: the engine's command, and for each game a variant and the colour of the engine (``standard:w``). A JSON line
a game tells the moves as Hub writes them, what the library said about the engine's lines, and whether the game is over.
"""

import json
import logging
import random
import sys

import draughts
from draughts.engine import HubEngine, Limit

LONGEST = 160
LIMITS = (Limit(depth=3), Limit(movetime=0.02), Limit(time=3, inc=0.1), Limit(nodes=300), Limit(time=2.0980000000000001))
HUB_NAMES = {"standard": "normal", "breakthrough": "bt", "antidraughts": "losing"}

complaints = []


class Complaints(logging.Handler):
    def emit(self, record):
        complaints.append(record.getMessage())


logging.getLogger("pydraughts").addHandler(Complaints(logging.WARNING))


def play(engine, variant, colour, chance):
    board = draughts.Board(variant=variant, fen="startpos")
    engine.configure({"variant": HUB_NAMES[variant], "book-ply": 0, "tt-size": 16})
    engine.send("new-game")
    moves, infos, turn = [], 0, "w"
    while not board.is_over() and len(moves) < LONGEST:
        if turn == colour:
            result = engine.play(board, LIMITS[len(moves) % len(LIMITS)], False)
            move = result.move
            infos += "depth" in result.info and "score" in result.info
        else:
            move = chance.choice(board.legal_moves())
        board.push(move)
        moves.append(move.hub_move)
        turn = "b" if turn == "w" else "w"
    return {"variant": variant, "moves": moves, "over": board.is_over(), "infos": infos, "complaints": complaints}


def main():
    engine = HubEngine([sys.argv[1], "hub"])
    assert {"normal", "killer", "bt", "frisian", "losing"} <= engine.variants
    assert {"variant", "tt-size", "ponder"} <= engine.options
    engine.init()
    engine.ping()
    for number, words in enumerate(sys.argv[2:]):
        variant, colour = words.split(":")
        print(json.dumps(play(engine, variant, colour, random.Random(number))), flush=True)
    engine.quit()
    engine.p.communicate(timeout=30)
    assert engine.p.returncode == 0


main()
