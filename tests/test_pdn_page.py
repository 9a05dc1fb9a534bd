"""The page about PDN: its examples are read, and written again letter by letter."""

from __future__ import annotations

import re
from pathlib import Path

from damd.notation.pdn import Command, Comment, Game, Line, Reading, read_games, write_game
from damd.notation.pdn.model import MAX_DEPTH, MAX_GAME
from damd.notation.pdn.writing import changed
from damd.variants import load, names

PAGE = (Path(__file__).parent.parent / "pdn.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```pdn\n(.*?)```(?:\n\n```faults\n(.*?)```)?", PAGE, re.DOTALL)


def test_examples_with_faults_tell_these() -> None:
    examples = [example for example in EXAMPLES if example[1]]
    assert len(examples) == 2
    for pdn, told in examples:
        faults = [str(fault) for game in read_games([pdn], "games.pdn") for fault in game.faults]
        assert faults == told.splitlines()


def test_examples_of_what_is_written_are() -> None:
    written = [pdn for pdn, told in EXAMPLES if not told]
    assert len(written) == 2
    for pdn in written:
        (read,) = read_games([pdn])
        assert not read.faults
        assert read.game is not None
        assert write_game(read.game) == pdn + "\n"


def test_spellings_of_the_table_are_read() -> None:
    for row, variant, fen in (
        ("32-28", "international", ""),
        ("c3-d4", "russian", ""),
        ("28x19", "international", "W:W28:B23,40"),
        ("4x31x42x15", "international", "W:WK4:B13,20,32,37"),
    ):
        (cells,) = re.findall(rf"^\| ([^|]*`{row}`[^|]*)\|", PAGE, re.MULTILINE)
        for text in re.findall("`([^`]+)`", cells):
            tag = f'[FEN "{fen}"]\n' if fen else ""
            (read,) = read_games([f"{tag}1. {text} *"], reading=Reading(load(variant)))
            assert read.game is not None
            assert len(read.game.line.nodes) == 1, text


def test_what_pdn_does_not_hold_is_all_there() -> None:
    """Every kind that the writer knows has a row, by its example or its words."""
    section = PAGE[PAGE.index("## What PDN does not hold") : PAGE.index("## Commands in comments")]
    for comment, row, written in (
        (Comment("a } b"), "`}` in a comment", "{a ) b}"),
        (Comment("a\n b"), "ends of lines, tabs and runs of blanks", "{a b}"),
        (Comment("[%clk 1]"), "`[%clk 1]`", "{(%clk 1)}"),
        (Comment("", (Command("a b", "[x]"),)), "a command with brackets", "{(%a b [x])}"),
        (Comment("\0"), "control characters", "{?}"),
    ):
        game = Game(load("dam"), line=Line(comments=(comment,)))
        text = write_game(game)
        assert written in text
        assert len(list(changed(game, text))) == 1
        assert row in section
    assert f"{MAX_GAME:,} characters" in section
    assert f"up to {MAX_DEPTH} deep" in PAGE


def test_games_named_as_black_first_are_all() -> None:
    black = [name for name in names() if load(name).start.first == "black" and not load(name).start.by_agreement]
    assert "Black's in english, pool and thai draughts" in PAGE
    assert black == ["english", "pool", "thai"]
