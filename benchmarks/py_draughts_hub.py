"""py-draughts' Turbo engine behind the Hub protocol; run by its environment's Python.

--b "hub:PYTHON benchmarks/py_draughts_hub.py"
"""

import sys
from typing import Any

from draughts import StandardBoard
from draughts.engines import TurboEngine


def move_of(board: StandardBoard, text: str) -> Any:
    """The legal move that Hub writes like this."""
    parts = text.replace("-", "x").split("x")
    wanted = (int(parts[0]), int(parts[1]), sorted(int(part) for part in parts[2:]))
    for move in board.legal_moves:
        if spelled(move) == wanted:
            return move
    raise ValueError(f"no legal move {text} in {board.fen}")


def spelled(move: Any) -> tuple[int, int, list[int]]:
    """Origin, end and captured squares, numbered from 1."""
    return move.square_list[0] + 1, move.square_list[-1] + 1, sorted(square + 1 for square in move.captured_list)


def fen_of(place: str) -> str:
    def squares(man: str, king: str) -> str:
        found = [f"{'K' * (letter == king)}{number}" for number, letter in enumerate(place[1:], 1) if letter in (man, king)]
        return ",".join(found)

    return f"{place[0]}:W{squares('w', 'W')}:B{squares('b', 'B')}"


def answer(board: StandardBoard, engine: TurboEngine) -> str:
    origin, end, taken = spelled(engine.get_best_move(board))
    return "x".join(map(str, [origin, end, *taken])) if taken else f"{origin}-{end}"


def main() -> None:
    board, seconds = StandardBoard(), 1.0
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "hub":
            print("id name=py-draughts-Turbo\nwait", flush=True)
        elif word == "init":
            print("ready", flush=True)
        elif word == "new-game":
            engine = TurboEngine(depth_limit=None, time_limit=seconds)
        elif word == "pos":
            words = rest.replace('"', "").replace("moves=", "").split()
            board = StandardBoard.from_fen(fen_of(words[0].removeprefix("pos=")))
            for text in words[1:]:
                board.push(move_of(board, text))
        elif word == "level":
            seconds = float(rest.removeprefix("move-time="))
        elif word == "go":
            engine.time_limit = seconds
            print(f"done move={answer(board, engine)}", flush=True)
        elif word == "quit":
            return


main()
