"""What people see of the games: lines on stdout, notes on stderr, the games in a PDN file."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import date

from damd_adapters.dxp import NAME
from damd_adapters.dxp.game import SIDES, Game, Result
from damd_adapters.launch import logger

#: So many chats of one connection are shown; the log has all of them.
SHOWN_CHATS = 200


def say(line: str) -> None:
    """A line for people and scripts on stdout, at once. Raises ``BrokenPipeError``."""
    logger.debug("# %s", line)
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """A note for people on stderr."""
    logger.debug("! %s", text)
    sys.stderr.write(f"{NAME}: {text}\n")
    sys.stderr.flush()


class Report:
    """The games of one run: told as they come and counted. ``pdn`` is the file that they are appended to.

    Raises ``OSError`` where that cannot be written to.
    """

    def __init__(self, pdn: str | None = None) -> None:
        self._pdn = pdn
        if pdn is not None:
            with open(pdn, "a", encoding="utf-8"):
                pass
        self.games = 0
        self.faults = 0
        self._scores: Counter[str] = Counter()

    def begins(self, game: Game, names: tuple[str, str]) -> None:
        """A game begins; ``names`` are White's and Black's."""
        moves = f"{game.moves} moves" if game.moves else "no limit of moves"
        say(f"game {self.games + 1}: {names[0]} (white) - {names[1]} (black), {game.minutes:g} min, {moves}")

    def ended(self, game: Game, names: tuple[str, str], result: Result) -> None:
        """It has ended: said, counted and written down. Raises ``OSError`` where the file cannot be written."""
        self.games += 1
        self.faults += result.fault
        score = (
            "drawn" if result.draw else "unknown" if result.winner is None else "won" if result.winner == game.us else "lost"
        )
        self._scores[score] += 1
        say(f"game {self.games}: {result} after {game.plies} plies; {SIDES[game.us]} was ours")
        if self._pdn is not None:
            text = _written(game, names, result, self.games)
            with open(self._pdn, "a", encoding="utf-8") as file:
                file.write(text)

    def close(self) -> None:
        """Say how the games went."""
        scores = ", ".join(f"{self._scores[score]} {score}" for score in ("won", "drawn", "lost", "unknown"))
        say(f"{self.games} {'game' if self.games == 1 else 'games'}: {scores}")


def _written(game: Game, names: tuple[str, str], result: Result, number: int) -> str:
    from damd.notation import pdn  # the files' reader and writer, and only for those who want a file

    verdict = pdn.Verdict.DRAW if result.draw else pdn.Verdict.UNKNOWN
    if result.winner is not None:
        verdict = (pdn.Verdict.WHITE, pdn.Verdict.BLACK)[result.winner]
    day = date.today()
    tags = (
        ("Event", "DXP game"),
        ("Date", f"{day:%Y.%m.%d}"),
        ("Round", str(number)),
        ("White", names[0]),
        ("Black", names[1]),
        ("Termination", result.reason),
    )
    line = pdn.Line(tuple(pdn.Node(ply) for ply in game.table.played))
    return pdn.write_game(pdn.Game(game.rules, tags, game.setup, line, verdict))
