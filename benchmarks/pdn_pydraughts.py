"""Reads and checks PDN games with pydraughts; run by its environment's Python. Games come as a JSON file of texts."""

import json
import sys
import time
from pathlib import Path

from draughts import Board, Move
from draughts.PDN import PDNReader

games = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
plies = 0
start = time.process_time()
for game in games:
    for read in PDNReader(game).games:
        board = Board(read.variant)
        for text in read.moves:
            move = Move(board, pdn_move=text)
            board.push(move)
            plies += 1
print(json.dumps({"plies": plies, "seconds": time.process_time() - start}))
