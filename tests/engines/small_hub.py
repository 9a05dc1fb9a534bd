"""A Hub engine that plays the first legal ply of international draughts; ``silent``, ``dead`` and ``wrong`` misbehave."""

import re
import sys

from damd.core.position import Position
from damd.core.types import Ply, Setup
from damd.geometry import BLACK, WHITE
from damd.variants import load

RULES = load("international")


def setup_of(place: str) -> Setup:
    def points(letter: str) -> frozenset[int]:
        return frozenset(point for point, found in enumerate(place[1:]) if found == letter)

    return Setup(WHITE if place[0] == "W" else BLACK, (points("w"), points("b")), (points("W"), points("B")))


def spelled(ply: Ply) -> tuple[int, int, list[int]]:
    return ply.origin + 1, ply.end + 1, sorted(point + 1 for point in ply.captured)


def main(manner: str) -> None:
    position = Position(RULES)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "hub":
            print("id name=small version=1\nwait", flush=True)
        elif word == "init":
            print("init something\nready", flush=True)
        elif word == "pos":
            place, *moves = re.sub(r'pos=|moves=|"', "", rest).split()
            position = Position(RULES, setup_of(place))
            for move in moves:
                origin, end, *taken = map(int, re.split("[-x]", move))
                position.play(next(ply for ply in position.plies() if spelled(ply) == (origin, end, sorted(taken))))
        elif word == "go":
            if manner == "dead":
                sys.exit(3)
            if manner == "silent":
                continue
            origin, end, taken = spelled(position.plies()[0])
            # Captured squares may come in any order.
            move = "x".join(map(str, [origin, end, *reversed(taken)])) if taken else f"{origin}-{end}"
            print(f"info depth=1 nodes=7\ndone move={'1-50' if manner == 'wrong' else move}", flush=True)


main(sys.argv[1] if len(sys.argv) > 1 else "")
