"""Whole games by UGI: the manager of the tests plays them, and our rules look at every ply."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from damd import variants
from damd.core.types import PlyKind
from damd_adapters.table import Table
from talking import PATIENCE_S, ROOT
from ugi_manager import Played, Player, play


def judge(game: Played, variant: str, start: str = "startpos") -> Table:
    """The table after the game; fails where a ply, a turn or the result is not ours."""
    rules = variants.load(variant)
    table = Table(rules) if start == "startpos" else Table.from_fen(rules, start)
    for text, first in zip(game.moves, game.turns, strict=True):
        assert first == (table.side == 0)
        assert table.outcome() is None
        table.play(table.read(text))
    outcome = table.outcome()
    expected = "none" if outcome is None else "draw" if outcome.winner is None else ("p1win", "p2win")[outcome.winner]
    assert game.results == (expected, expected)
    assert game.over == (outcome is not None,) * 2
    return table


@pytest.fixture(scope="module")
def players():
    with Player("--option", "Hash=1") as one, Player("--option", "Hash=1") as other:
        yield one, other
        for player in (one, other):
            player.close_input()
            assert player.exit_code() == 0
            assert player.stderr() == ""


def tell(players: tuple[Player, Player], *lines: str) -> None:
    for player in players:
        player.send(*lines)


#: Played in every run; the others only in long ones. Among them are those with claims, and a board without numbers.
OFTEN = ("dam-haji", "dam-daman", "frisian", "losing")


@pytest.mark.parametrize(
    "variant", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in variants.names()]
)
def test_a_game_of_every_variant_is_played_to_its_end(variant, players):
    # Weak play misses captures, so that there is something to be claimed.
    tell(players, f"setoption name UCI_Variant value {variant}", "setoption name Skill Level value 3")
    game = play(players, "go nodes 60", most=160)
    table = judge(game, variant)
    assert table.outcome() is not None or len(game.moves) == 160


def test_a_claim_keeps_the_turn(players):
    tell(players, "setoption name UCI_Variant value dam-haji", "setoption name Skill Level value 20")
    start = "B:W23,27:B1,19:P23"
    game = play(players, "go depth 6", start, most=2)
    table = judge(game, "dam-haji", start)
    assert [ply.kind for ply in table.played] == [PlyKind.CLAIM, PlyKind.QUIET]
    assert game.turns == [False, False]


def test_draws_by_history_end_the_game(players):
    tell(players, "setoption name UCI_Variant value international")
    shuffle = ["46-41", "5-10", "41-46", "10-5"]
    start = "W:WK46,31,32:BK5,19,20"
    for count, expected in ((1, "false"), (2, "true")):
        for player in players:
            assert player.query("gameover", start, shuffle * count) == expected
    assert players[0].query("result", start, shuffle * 2) == "draw"
    assert players[0].query("result", start, shuffle) == "none"
    limit = "W:WK46,31,32:BK5,19,20:H49"
    assert players[0].query("gameover", limit, ["46-41"]) == "true"
    assert players[0].query("result", limit, ["46-41"]) == "draw"
    five_moves = "W:WK46:BK5,K50:H9"
    assert players[0].query("result", five_moves, []) == "none"


def test_clocks_are_the_players(players):
    tell(players, "setoption name UCI_Variant value english")
    # Black begins, who is player 2.
    assert players[0].query("p1turn", "startpos", []) == "false"
    game = play(players, "go p1time 100000 p2time 30 p1inc 0 p2inc 0 depth 3", most=6)
    judge(game, "english")


def test_a_refused_ply_ends_the_game_without_a_result(players):
    tell(players, "setoption name UCI_Variant value dam-haji")
    for player in players:
        player.place("startpos", ["22-18", "22-18"])
        assert "illegal-ply ply 2 22-18" in player.until("info string error")[-1]
        assert player.query("gameover", "startpos", ["22-18", "22-18"]) == "true"
        assert player.query("result", "startpos", ["22-18", "22-18"]) == "none"
        player.send("go depth 2")
        assert player.two_words("bestmove") == "(none)"
        assert player.query("gameover", "startpos", ["22-18"]) == "false"


@pytest.mark.skipif(shutil.which("cutegames") is None, reason="THE REAL cutegames IS NOT TRIED: it is not on the PATH")
@pytest.mark.parametrize(("variant", "skill"), [("dam-haji", "2"), ("dam-daman", "3")])
def test_the_manager_that_the_manager_here_is_modelled_on(variant, skill, tmp_path):
    openings, games, settings = tmp_path / "openings.txt", tmp_path / "games.pgn", tmp_path / "settings.json"
    openings.write_text("startpos\n")
    engine = {"path": sys.executable, "parameters": "-m damd_adapters.ugi --option=Hash=1", "protocol": "UGI"}
    settings.write_text(
        json.dumps(
            {
                "game": "generic",
                "games": 2,
                "verbose": True,
                "tournament": "roundrobin",
                "protocol": {"askturn": True, "gameover": "both"},
                "openings": {"path": str(openings), "repeat": True, "shuffle": False},
                "adjudication": {"timeoutbuffer": 1000},
                "timecontrol": {"type": "nodes", "nodes": 200},
                "options": {"UCI_Variant": variant},
                "pgn": {"enabled": True, "verbose": True, "override": True, "path": str(games)},
                "engines": [{"name": "one", **engine}, {"name": "other", **engine, "options": {"Skill Level": skill}}],
            }
        )
    )
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters"), os.environ.get("PYTHONPATH", "")])
    command = [shutil.which("cutegames"), "--settings", str(settings)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert "Games finished: 2" in done.stdout
    texts = list(games.read_text().split("[Event ")[1:])
    assert len(texts) == 2
    for text in texts:
        assert "Adjudicated" not in text
        words = text.split("\n\n")[1].split()
        table = Table(variants.load(variant))
        for move in [word for word in words[:-1] if not word.endswith(".")]:
            table.play(table.read(move))
        outcome = table.outcome()
        assert outcome is not None
        assert words[-1] == ("1/2-1/2" if outcome.winner is None else ("1-0", "0-1")[outcome.winner])
