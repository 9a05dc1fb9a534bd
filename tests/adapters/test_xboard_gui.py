"""XBoard itself, on a virtual screen: a game is played by clicks, and its board is looked at after every move."""

from __future__ import annotations

import itertools
import re
import time
from pathlib import Path
from random import Random

import pytest

from damd import variants
from damd_adapters.xboard.desk import Desk
from damd_adapters.xboard.moves import Move, marks, meant, read_move
from xboard_screen import MISSING, Screen

pytestmark = pytest.mark.skipif(
    bool(MISSING),
    reason=f"XBoard IS NOT TRIED, there is no {', '.join(MISSING)} here (Debian: xboard xvfb xdotool imagemagick)",
)

#: An engine that answers at once and misses captures.
_WEAK = ("Hash=1", "UCI_LimitStrength=true", "UCI_Elo=1000")


def pieces_of(desk: Desk) -> dict[str, str]:
    """The pieces as XBoard has to show them."""
    found = {}
    setup = desk.table.position.setup()
    for side in (0, 1):
        for letter, points in (("M", setup.men[side]), ("K", setup.kings[side])):
            shown = letter if desk.squares.side(side) == 0 else letter.lower()
            found |= {desk.squares.name(point): shown for point in points}
    return found


class User:
    """Somebody who clicks, and follows the game by our rules."""

    def __init__(self, screen: Screen, variant: str) -> None:
        self.screen = screen
        self.desk = Desk(variants.load(variant))
        self.told: list[str] = []
        self.repainted = 0
        self._at = screen.heard("< piece K")

    def move(self, move: Move) -> None:
        """Click a move, see the answer, and look at the board."""
        desk, screen = self.desk, self.screen
        points = [move.last.origin, *(move.victims if move.exact else ()), move.last.end]
        own = [other for other in desk.moves() if other.last.origin == move.last.origin]
        if not move.victims and marks(own, ()).get(move.last.end) == "C":
            points.append(move.last.end)  # on to the square of a piece that is claimed: the first click is the claim
        for point in points:
            screen.click(desk.squares.name(point), desk.squares.rows)
            time.sleep(0.1)
        at = screen.heard("> usermove", self._at)
        desk.play(move)
        if desk.outcome() is None:
            at = self._answer(at)
        self._at = at
        if desk.outcome() is None:
            screen.until_shown(desk.squares, pieces_of(desk))

    def _answer(self, at: int) -> int:
        """Take the engine's move from what it has said; the index behind it."""
        desk, screen = self.desk, self.screen
        end = screen.heard(r"< move .*[^,]$", at)
        time.sleep(0.2)
        lines = screen.conversation()
        words = "".join(line.removeprefix("< move ") for line in lines[at:end] if line.startswith("< move"))
        names = re.findall(r"[a-j]\d", words)
        text = ",".join(begin + to for begin, to in itertools.pairwise(names)) if "x" in words else words
        found = meant(read_move(text, desk.squares), desk.moves())
        fens = [line.removeprefix("< setboard ") for line in lines[end:] if line.startswith("< setboard ")]
        if fens:
            self.repainted += 1
            found = [move for move in found if self._fen_after(move) == fens[-1]]
        assert len(found) == 1, (words, fens, found)
        desk.play(found[0])
        told = [line for line in lines[end:] if line.startswith("< telluser")]
        if told:
            self.told += told
            screen.close_dialog()
        return len(lines)

    def _fen_after(self, move: Move) -> str:
        self.desk.play(move)
        try:
            return self.desk.squares.fen(self.desk.table.position.setup())
        finally:
            self.desk.undo(1)


def play(screen: Screen, variant: str, seed: int, most: int) -> User:
    """A game of so many moves at most, by somebody who takes what he can."""
    random = Random(seed)
    user = User(screen, variant)
    screen.until_shown(user.desk.squares, pieces_of(user.desk))
    for _ in range(most):
        moves = user.desk.moves()
        if not moves or user.desk.outcome() is not None:
            break
        best = max(len(move.victims) for move in moves)
        user.move(random.choice([move for move in moves if len(move.victims) == best] if random.random() < 0.7 else moves))
    return user


def test_a_short_game_is_played_by_clicks(tmp_path: Path) -> None:
    with Screen(tmp_path, "dam-haji", "-searchDepth", "2", options=_WEAK) as screen:
        user = play(screen, "dam-haji", seed=1, most=9)
        assert user.desk.turns == 18
        screen.save(tmp_path / "xboard.png")
        lines = screen.conversation()
    assert not [line for line in lines if line.startswith(("< Error", "< Illegal", "< tellusererror"))]


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "seed"),
    [
        ("dam-haji", 1),
        ("dam-haji-10", 7),
        ("international", 2),
        ("international", 5),
        ("dam", 10),
        ("english", 3),
        ("italian", 4),
    ],
)
def test_whole_games_are_played_by_clicks(tmp_path: Path, variant: str, seed: int) -> None:
    with Screen(tmp_path, variant, "-searchDepth", "2", options=_WEAK) as screen:
        user = play(screen, variant, seed, most=70)
        if user.desk.outcome() is not None:
            screen.heard(r"> result (1-0|0-1|1/2-1/2) \{")
        lines = screen.conversation()
    assert user.desk.turns > 20
    assert not [line for line in lines if line.startswith(("< Error", "< Illegal", "< tellusererror"))]
