"""Counts the leaves of international draughts with py-draughts; run by its environment's Python."""

import json
import sys
import time

from draughts import StandardBoard


def perft(board: StandardBoard, depth: int) -> int:
    moves = list(board.legal_moves)
    if depth == 1:
        return len(moves)
    leaves = 0
    for move in moves:
        board.push(move)
        leaves += perft(board, depth - 1)
        board.pop()
    return leaves


board = StandardBoard()
start = time.perf_counter()
leaves = perft(board, int(sys.argv[1]))
print(json.dumps({"leaves": leaves, "seconds": time.perf_counter() - start}))
