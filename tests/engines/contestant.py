"""An engine that plays legal plies, any of them, the same in the same game, and misbehaves once in a game.

``contestant.py MODE [PLY]``: at its PLYth answer of a game (2 without it) it does what ``MODES`` has. It declares
``UCI_Variant`` and ``Seed``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

from damd import variants
from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply, parse_ply


def say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def sleep_for_ever() -> None:
    while True:
        time.sleep(60)


def crash(_: str) -> None:
    sys.stderr.write("out of memory, sorry\n")
    sys.stderr.flush()
    os._exit(3)


def killed(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_parent(_: str) -> None:
    """Whoever has started it."""
    os.kill(os.getppid(), signal.SIGKILL)


def hang(_: str) -> None:
    sleep_for_ever()


def deaf(_: str) -> None:
    """Heeds no SIGTERM either."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep_for_ever()


def hang_up(_: str) -> None:
    os.close(1)
    sleep_for_ever()


def flood(_: str) -> None:
    block = "".join(f"info depth {n % 60} nodes {n} score cp 1 pv 1-2 3-4\n" for n in range(500))
    for _number in range(5):
        say(block, "x" * 100_000)


def oversleep(_: str) -> None:
    time.sleep(0.4)


def twice(ply: str) -> None:
    say(f"bestmove {ply}")


#: What happens before it answers as ever; some do not come back.
BEFORE: dict[str, Callable[[str], None]] = {
    "crash": crash,
    "killed": killed,
    "kill-parent": kill_parent,
    "hang": hang,
    "deaf": deaf,
    "hang-up": hang_up,
    "flood": flood,
    "oversleep": oversleep,
    "twice": twice,
}
#: What it answers instead.
INSTEAD = {
    "illegal": "bestmove 1-32",
    "rubbish": "bestmove Zürich",
    "nothing": "bestmove (none)",
    "resign": "bestmove resign",
}
MODES = ("fine", "silent", "die-at-start", "refuse", "draw", *BEFORE, *INSTEAD)


class Contestant:
    def __init__(self, mode: str, count: int) -> None:
        self._mode, self._count = mode, count
        self._rules = variants.load("dam-haji")
        self._position = Position(self._rules)
        self._words: list[str] = []
        self._seed = self._answers = 0

    def line(self, line: str) -> bool:
        """Whether it goes on."""
        words = line.split()
        word = words[0] if words else ""
        if word == "uci":
            self._shake_hands()
        elif word == "isready":
            say("readyok")
        elif word == "setoption" and words[2] == "UCI_Variant":
            self._rules, self._words = variants.load(words[4]), []
        elif word == "setoption" and words[2] == "Seed":
            self._seed = int(words[4])
        elif word == "ucinewgame":
            self._answers = 0
        elif word == "position" and self._mode == "refuse":
            say("error bad-fen this position is not to my liking")
        elif word == "position":
            self._set(words)
        elif word == "go":
            self._answer(words)
        return word != "quit"

    def _shake_hands(self) -> None:
        if self._mode == "die-at-start":
            sys.stderr.write("no such network file\n")
            sys.stderr.flush()
            os._exit(2)
        if self._mode != "silent":
            say("id name Contestant", "option name UCI_Variant type string default dam-haji")
            say("option name Seed type spin default 0 min 0 max 2147483647", "uciok")

    def _set(self, words: list[str]) -> None:
        """Only what is new is played: games are long, and there are many."""
        cut = words.index("moves") if "moves" in words else len(words)
        before, self._words = self._words, words
        if before and words[: len(before)] == before and "moves" in before:
            new = words[len(before) :]
        else:
            fen = " ".join(words[2:cut])
            self._position = Position(self._rules, parse_fen(fen, self._rules) if fen else None)
            new = words[cut + 1 :]
        for text in new:
            self._position.play(parse_ply(text, self._position))

    def _answer(self, words: list[str]) -> None:
        self._answers += 1
        plies = self._position.plies()
        ply = self._chosen(plies)
        if self._mode == "draw" and (self._answers >= self._count or "draw" in words):
            ply += " draw"
        if self._answers == self._count and self._mode in BEFORE:
            BEFORE[self._mode](ply)
        say(f"info depth 1 score cp {self._key() % 100} nodes {len(plies)} time 0 pv {ply.split()[0]}")
        say(INSTEAD[self._mode] if self._answers == self._count and self._mode in INSTEAD else f"bestmove {ply}")

    def _chosen(self, plies: list[Ply]) -> str:
        """Claims and captures first, so that games end; otherwise any."""
        rank = {PlyKind.CLAIM: 0, PlyKind.CAPTURE: 1, PlyKind.QUIET: 2}
        best = min(rank[ply.kind] for ply in plies)
        texts = sorted(format_ply(ply, self._position.board) for ply in plies if rank[ply.kind] == best)
        return texts[self._key() % len(texts)]

    def _key(self) -> int:
        return self._position.key ^ self._seed * 0x9E3779B1


def main() -> None:
    contestant = Contestant(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2)
    for line in sys.stdin:
        if not contestant.line(line):
            return


if __name__ == "__main__":
    main()
