"""Run by the tests with py-draughts's own Python: whole games of its HubEngine's engine against random moves.

Arguments: the engine's path, and for each game the engine's colour. A JSON line a game tells the moves as Hub writes them.
"""

import json
import random
import sys

from draughts import StandardBoard
from draughts.engines.hub import HubEngine, move_to_hub_notation

LONGEST = 160


def play(engine, colour, chance):
    board = StandardBoard()
    engine.new_game()
    moves, scores, turn = [], 0, "w"
    while board.legal_moves and len(moves) < LONGEST:
        if turn == colour:
            engine.depth_limit = 2 if len(moves) % 3 else None
            move, score = engine.get_best_move(board, with_evaluation=True)
            scores += abs(score) <= 100
        else:
            move = chance.choice(list(board.legal_moves))
        board.push(move)
        moves.append(move_to_hub_notation(move))
        turn = "b" if turn == "w" else "w"
    return {"variant": "standard", "moves": moves, "scores": scores, "over": not board.legal_moves}


def main():
    with HubEngine(sys.argv[1], time_limit=0.02, init_timeout=60) as engine:
        assert engine.info.name == "damd"
        assert engine.params["variant"].value == "normal"
        assert engine.ping()
        for number, colour in enumerate(sys.argv[2:]):
            print(json.dumps(play(engine, colour, random.Random(number))), flush=True)


main()
