"""Lists legal plies with pydraughts; run by its environment's Python.

A line in: its name of a variant, a blank, a FEN. A line out: a JSON list with, for each ply, where it begins, where it
ends and the FEN afterwards.
"""

import json
import sys

from draughts import Board, Move


def answer(variant: str, fen: str) -> list[tuple[str, str, str]]:
    board = Board(variant, fen)
    plies, captures = board._legal_moves_board()
    rows = []
    for ply in plies:
        move = Move(board=board, board_move=ply, possible_moves=plies, possible_captures=captures)
        names = move.pdn_move.replace("-", "x").split("x")
        board.push(move)
        rows.append((names[0], names[-1], board.fen))
        board.pop()
    return rows


for line in sys.stdin:
    print(json.dumps(answer(*line.split())), flush=True)
