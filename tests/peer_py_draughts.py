"""Lists legal plies with py-draughts; run by its environment's Python.

A line in: its name of a variant, a blank, a FEN. A line out: a JSON list with, for each ply, where it begins, where it
ends and the FEN afterwards.
"""

import json
import sys

import draughts


def answer(variant: str, fen: str) -> list[tuple[str, str, str]]:
    board = getattr(draughts, variant + "Board").from_fen(fen)
    rows = []
    for move in board.legal_moves:
        names = str(move).replace("-", "x").split("x")
        board.push(move)
        rows.append((names[0], names[-1], board.fen.removeprefix('[FEN "').removesuffix('"]')))
        board.pop()
    return rows


for line in sys.stdin:
    print(json.dumps(answer(*line.split())), flush=True)
