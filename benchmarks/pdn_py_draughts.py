"""Reads and checks PDN games with py-draughts; run by its environment's Python. Games come as a JSON file of texts."""

import json
import sys
import time
from pathlib import Path

from draughts import StandardBoard

games = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
plies = 0
start = time.process_time()
for game in games:
    plies += len(StandardBoard.from_pdn(game)._moves_stack)
print(json.dumps({"plies": plies, "seconds": time.process_time() - start}))
