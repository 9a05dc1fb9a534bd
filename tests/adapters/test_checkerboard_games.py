"""Whole games on a CheckerBoard's board, with the real daemon; every board is looked at by our rules."""

from __future__ import annotations

from random import Random

import pytest

from checkerboard_gui import BLACK, CZECH, GAMES, WHITE, Gui, Server, fen
from damd import variants
from damd.core.position import Position
from damd.core.types import PlyKind, Setup
from damd.notation.fen import parse_fen

DRAW, WIN, LOSS, UNKNOWN = 0, 1, 2, 3
#: CheckerBoard's Brazilian games are begun by Black, other than the rules have it.
BLACK_BEGINS = ("english", "brazilian")


@pytest.fixture(scope="module")
def server():
    with Server("--option", "Hash=1") as server:
        yield server
        server.end()


class Judge:
    """Follows a game by our rules, by the boards alone."""

    def __init__(self, gui: Gui) -> None:
        self.gui = gui
        self.rules = variants.load(gui.game)
        self.position = Position(self.rules, self.seen())

    def seen(self) -> Setup:
        """The GUI's board as a position, by the FEN that it writes; its numbers of Czech are not those of the notation."""
        numbers = GAMES["russian"] if self.gui.type == CZECH else self.gui.type
        return parse_fen(fen(self.gui.board, self.gui.colour, numbers), self.rules)

    def follow(self) -> None:
        """The GUI's board is what exactly one legal ply makes of the position; that ply is made."""
        now = self.seen()
        found = []
        for ply in self.position.plies():
            with self.position.after(ply):
                after = self.position.setup()
            if (after.side, after.men, after.kings) == (now.side, now.men, now.kings):
                found.append(ply)
        assert len(found) == 1, (fen(self.gui.board, self.gui.colour, self.gui.type), found)
        assert found[0].kind is not PlyKind.CLAIM
        self.position.play(found[0])


def play(server: Server, game: str, seed: int, most: int) -> int:
    """The engine against moves chosen at random from its own lists; how many plies were played."""
    random = Random(seed)
    engine_side = random.choice((WHITE, BLACK))
    with Gui(server, game, session=f"{game}{seed}", colour=BLACK if game in BLACK_BEGINS else WHITE) as gui:
        gui.commands.command("set hashsize 1")
        judge = Judge(gui)
        while len(gui.past) < most:
            listed, _ = gui.listed()
            outcome = judge.position.outcome()
            assert (not listed) == (not judge.position.plies())
            if not listed or outcome is not None:
                break
            if gui.colour == engine_side:
                side = judge.position.side
                result = gui.engine_moves()
                judge.follow()
                outcome = judge.position.outcome()
                if outcome is not None and outcome.winner is not None:
                    assert result == (WIN if outcome.winner == side else LOSS)
            else:
                gui.play(random.choice(listed))
                judge.follow()
        if not gui.listed()[0]:
            assert gui.ask_move()[0] == LOSS
        return len(gui.past)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(server, game):
    assert play(server, game, 1, 80) > 20


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_many_whole_games(server, game):
    for seed in range(2, 12):
        assert play(server, game, seed, 300) > 10


def test_a_draw_by_repetition_is_seen_when_it_comes(server):
    """Two kings in the double corners: the histories grow, and the engine that repeats for the third time says so."""
    with Gui(server, "english") as gui:
        gui.board = {(1, 7): WHITE | 8, (6, 0): BLACK | 8}
        judge = Judge(gui)
        results = []
        while judge.position.outcome() is None and len(gui.past) < 90:
            results.append(gui.engine_moves())
            judge.follow()
        outcome = judge.position.outcome()
        assert outcome is not None
        assert outcome.winner is None
        assert all(move.reversible for _, _, move in gui.past)
        assert results == [UNKNOWN] * (len(results) - 1) + [DRAW]
