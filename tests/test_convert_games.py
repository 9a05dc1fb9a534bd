"""Whole games of every variant, claims among their plies, through every format and back with the real tool."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from damd import variants
from damd.cli import main
from damd.core.position import Position
from damd.core.types import PlyKind, TooManyPlies
from damd.notation.pdn import Game, Line, Node, Verdict, write_game
from damd.rules import Rules

WITH_CLAIMS = [name for name in variants.names() if variants.load(name).penalty.take]
#: Games with something of their own in FEN or spelling: counters of kings, letters, Black begins, a number of several.
SOME = [*WITH_CLAIMS, "frisian", "russian", "english", "killer"]


def game_of(rules: Rules, random: Random, plies: int) -> Game:
    """A game of random plies up to its end; rights to claim are mostly used."""
    position, nodes = Position(rules), []
    for _ in range(plies):
        try:
            legal = [] if position.outcome() else position.plies()
        except TooManyPlies:
            break
        if not legal:
            break
        claims = [ply for ply in legal if ply.kind is PlyKind.CLAIM]
        nodes.append(Node(random.choice(claims if claims and random.random() < 0.7 else legal)))
        ply = nodes[-1].ply
        assert ply is not None
        position.play(ply)
    outcome = position.outcome()
    winner = None if outcome is None else outcome.winner
    verdict = (
        Verdict.UNKNOWN if outcome is None else Verdict.DRAW if winner is None else (Verdict.WHITE, Verdict.BLACK)[winner]
    )
    return Game(rules, (("White", "A"), ("Black", "B")), None, Line(tuple(nodes)), verdict)


def check(variant: str, count: int, plies: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, random = variants.load(variant), Random(variant)
    modes = (rules, rules.without_penalty()) if rules.penalty.take else (rules,)
    games = [game_of(each, random, plies) for _ in range(count) for each in modes]
    if rules.penalty.take:
        assert any(ply.kind is PlyKind.CLAIM for game in games for ply in game.line.plies())
    text = "".join(map(write_game, games))
    (folder / "games.pdn").write_text(text, encoding="utf-8")

    def convert(source: str, target: str, *options: str) -> str:
        assert main(["convert", str(folder / source), "-o", str(folder / target), *options]) == 0
        assert "warning" not in capsys.readouterr().err.replace("warning: a capture is to be made at once", "")
        return (folder / target).read_text(encoding="utf-8")

    objects = convert("games.pdn", "games.jsonl")
    assert convert("games.jsonl", "back.pdn") == text
    assert convert("back.pdn", "back.jsonl") == objects
    rows = [json.loads(line) for line in objects.splitlines()]

    fens = convert("games.pdn", "all.fen", "--positions", "all")
    assert convert("games.jsonl", "again.fen", "--positions", "all") == fens
    assert convert("all.fen", "positions.jsonl").count("\n") == sum(len(row["plies"]) + 1 for row in rows)
    assert convert("positions.jsonl", "back.fen") == fens

    for kind in ("openings", "ballots"):
        lines = convert("games.pdn", f"games.{kind}")
        back = [json.loads(line) for line in convert(f"games.{kind}", "listed.jsonl").splitlines()]
        for key in ("variant", "missed_capture", "fen", "plies", "winner", "reason"):
            assert [row[key] for row in back] == [row[key] for row in rows]
        assert convert("listed.jsonl", f"back.{kind}") == lines


@pytest.mark.parametrize("variant", SOME)
def test_whole_games_through_every_format(variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(variant, 1, 60, tmp_path, capsys)


@pytest.mark.long
@pytest.mark.parametrize("variant", variants.names())
def test_many_whole_games_through_every_format(variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(variant, 4, 200, tmp_path, capsys)
