"""Run by the tests with pydraughts's own Python: its DXPEngine plays whole games against the program on a port.

Arguments: the port, and the colour that it is to play in each game (``w`` and ``b``). A JSON line a game tells how it
went: the moves, the position's FEN, and whether the library holds the game for over.
"""

import json
import random
import sys
import time

import draughts
from draughts.engine import DXPEngine
from draughts.engines.dxp_communication import dxp_classes


class Clock:
    """The library sleeps for seven seconds when it leaves, for nothing."""

    @staticmethod
    def sleep(seconds):
        time.sleep(min(seconds, 0.05))


dxp_classes.time = Clock


def play(port, colour, chance):
    board = draughts.Board(variant="standard", fen="startpos")
    engine = DXPEngine(options={"port": port, "initial-time": 60})
    moves = []
    if colour == "w":
        push(board, moves, chance)
    while not board.is_over():
        found = engine.play(board).move
        if found is None:
            break
        board.push(found)
        moves.append(found.steps_move)
        if not board.is_over():
            push(board, moves, chance)
    ended = engine.sender.current.result
    engine.quit()
    return {"moves": len(moves), "over": board.is_over(), "fen": board.fen, "peer": engine.id["name"], "ended": ended}


def push(board, moves, chance):
    legal = board.legal_moves()
    captures = [move for move in legal if move.captures]
    move = chance.choice(captures or legal)
    board.push(move)
    moves.append(move.steps_move)


for number, colour in enumerate(sys.argv[2:]):
    print(json.dumps(play(sys.argv[1], colour, random.Random(number))), flush=True)
