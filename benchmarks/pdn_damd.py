"""Reads and checks PDN games with damd. Games come as a JSON file of texts."""

import json
import sys
import time
from pathlib import Path

from damd.notation.pdn import read_games

games = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
plies = 0
start = time.process_time()
for read in read_games(games):
    assert read.game is not None
    assert not read.faults
    plies += len(read.game.line.nodes)
print(json.dumps({"plies": plies, "seconds": time.process_time() - start}))
