"""``explain``: every rule that forbids a ply is named, rightly, and what is to be played instead; what a legal one is."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from argparse import ArgumentParser
from dataclasses import dataclass, field, fields, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from damd.client import AsyncEngine, PlyExplanation, SyncEngine, UnreadableAnswer
from damd.client.parsing import parse_explanation
from damd.client.testing import ScriptedPeer
from damd.core.position import Position
from damd.core.types import Ply, PlyKind, Setup, TooManyPlies
from damd.daemon.session import Session
from damd.geometry import DIRECTION_WORDS
from damd.notation.causes import NAMED, Fault
from damd.notation.explanation import Explanation, Verdict, explain
from damd.notation.fen import format_fen, parse_fen
from damd.notation.plies import format_ply
from damd.rules import CRITERIA, CaptureRules, KingRules, MenRules, Rules
from damd.tools import explain as tool
from needs import compiled_core
from outside import changed, rules_of
from positions import random_setup
from talking import ROOT
from test_plies import LATTICE, VARIANTS
from test_switches import rules as any_rules


@dataclass(frozen=True, slots=True)
class Row:
    """One text in one position: what the heading says behind it, and what the sentences say among other things."""

    variant: str
    fen: str
    text: str
    heading: str
    says: str
    plies: str = ""
    mode: str = "rule"
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def position(self) -> Position:
        rules = changed(rules_of(self.variant, self.mode), self.changes)
        return Position(rules, parse_fen(self.fen, rules))

    def __str__(self) -> str:
        return f"{self.variant}:{self.text}:{self.heading}"


FORBIDDEN = (
    # men
    Row("international", "W:W32:B1", "32-38", "illegal rule men.moves", "(one step forward-diagonal)", "32-27 32-28"),
    Row("turkish", "W:Wd4,a2:Bd8", "d4-d3", "illegal rule men.moves", "(one step forward or sideways)", "d4-d5 d4-c4 d4-e4"),
    Row("dam-daman", "W:Wc3,a3,a4,b4:Ba9,b8,c8,d8", "c3-c2", "illegal rule men.moves", "cannot go to c2"),
    Row("dam-haji", "W:W18,29:B23", "18x27", "illegal rule men.captures", "never backward-diagonal", "18-14 18-15"),
    Row("dam-haji", "W:W18,29:B23", "18-27", "illegal rule men.captures", "never backward-diagonal", mode="forbidden"),
    Row("english", "B:W10:B14", "14x7", "illegal rule men.captures", "A man captures forward-diagonal"),
    Row("czech", "W:W18:B23", "18x27", "illegal rule men.captures", "never backward-diagonal"),
    Row("turkish", "W:Wd4,a2:Bd3", "d4xd2", "illegal rule men.captures", "forward or sideways, never backward"),
    Row("international", "W:W28:B18", "28x8", "illegal rule men.captures", "never forward."),
    Row("italian", "W:W31,32:BK19,24,K27,28", "31x22", "illegal rule men.take_kings", "the piece on 27 is", "32x23"),
    # kings
    Row("dam", "B:WK2:BK7", "7-8", "illegal rule king.moves", "cannot go to 8"),
    Row("frisian", "W:WK28:B1", "28-8", "illegal rule king.moves", "any distance"),
    Row("international", "W:WK28:B18", "28x8", "illegal rule king.captures", "never forward."),
    Row("english", "W:WK29:B22", "29x18", "illegal rule king.flying", "A king goes one step", "29-25"),
    Row("english", "W:WK29:B5", "29-22", "illegal rule king.flying", "(one step ", "29-25"),
    Row("italian", "W:WK29:B5", "29-15", "illegal rule king.flying", "(one step "),
    Row("english", "W:WK29:B5", "29-8", "illegal rule king.flying", "(one step "),
    Row(
        "dam",
        "W:WK29:B22",
        "29x18",
        "illegal rule king.capture",
        "only the piece next to it",
        "29-25",
        changes={"king.capture": "adjacent"},
    ),
    Row("thai", "W:WK5:B14", "5x23", "illegal rule king.landing", "right behind the piece", "5x18"),
    Row("dam", "W:WK29:B25", "29x18", "illegal rule king.landing", "right behind", changes={"king.landing": "behind"}),
    Row("killer", "W:WK46:BK37,5", "46x28", "illegal rule king.landing", "captures a king last halts", "46x32"),
    Row("turkish", "W:WKd4:Bd6,d2,h8", "d4xd7xd1", "illegal rule king.about_turn", "180 degrees", "d4xd8 d4xd7 d4xd1"),
    Row("frisian", "W:WK1,13:B30,K46:L1=3", "1-6", "illegal rule king.quiet_limit", "3 quiet moves", "13-8 13-9"),
    Row(
        "frysk",
        "W:WK1,13:B30,K46:L1=1",
        "1-6",
        "illegal rule king.quiet_limit",
        "1 quiet move,",
        "13-8 13-9",
        changes={"king.quiet_limit": 1},
    ),
    # the duty to capture
    Row("international", "W:W28,31,37:B22,12", "31-26", "illegal rule capture.compulsory", "compulsory", "28x17x8"),
    Row("dam-haji", "W:W22,32:B18,5", "32-28", "illegal rule capture.compulsory", "compulsory", "22x15", mode="forbidden"),
    Row("international", "W:W28,31,37:B22,12", "31-21", "illegal rule men.moves,capture.compulsory", "cannot go", "28x17x8"),
    Row("international", "W:W28,31,37:B22,12", "37-31", "illegal fault occupied rule capture.compulsory", "occupied"),
    Row("international", "W:W28,31,37:B22,12", "28x17", "illegal rule capture.going_on", "go on from 17", "28x17x8"),
    Row("dam-haji", "W:W27:B24,16,23", "27x20", "illegal rule capture.going_on", "go on from 20", mode="forbidden"),
    Row("russian", "W:WK29:B22,14", "29x15", "illegal rule capture.landing_goes_on", "not on 15", "29x18x5 29x18x9"),
    Row("pool", "W:WK17:B19,K22", "17x31", "illegal rule capture.landing_goes_on", "Behind 22", "17x26x12 17x26x16"),
    Row("czech", "W:WK17:B19,K22", "17x31", "illegal rule capture.landing_goes_on", "Behind 22", "17x26x12 17x26x16"),
    Row(
        "dam-haji",
        "W:WK10:B7,17",
        "10x3x21",
        "illegal rule capture.removal",
        "captured on 7 stays on the board",
        "10x3 10x21",
        "forbidden",
        {"capture.removal": "end-of-move"},
    ),
    Row("international", "W:WK6:B5,17,31,34,43", "6x39x48x26x12", "illegal fault twice", "none is jumped twice"),
    # between captures
    Row("international", "W:W28,31,30:B22,12,24", "30x19", "illegal rule capture.choice", "takes 1, 28x17x8 takes 2"),
    Row("turkish", "W:Wc3,f3:Bc4,c6,f4", "f3xf5", "illegal rule capture.choice", "The largest number", "c3xc5xc7"),
    Row("frisian", "W:WK2:B3,22", "2x32", "illegal rule capture.choice", "2x32 takes 1 man, 2x4x27 takes 2 men"),
    Row("frysk", "W:WK2:B8,22", "2x32", "illegal rule capture.choice", "of highest value"),
    Row("frisian", "B:WK37:B42,K46", "42x31", "illegal rule capture.choice", "equal in value, a king must capture"),
    Row("czech", "W:W21,K32:B17,10,27", "21x14x7", "illegal rule capture.choice", "A king must capture where one can"),
    Row("spanish", "W:WK22:BK13,15", "22x12", "illegal rule capture.choice", "takes no kings, 22x9 takes 1 king", "22x9"),
    Row("italian", "W:WK21,29:B26,28", "29x22", "illegal rule capture.choice", "equal in pieces, a king must capture"),
    Row(
        "italian",
        "B:W13,K21,K32:BK18",
        "18x9",
        "illegal rule capture.choice",
        "and kind of capturer, the largest number of k",
    ),
    Row("italian", "B:W9,11,K12,27:BK8,K14", "14x7x16", "illegal rule capture.choice", "takes a king, then a man", "8x15x6"),
    # promotion on the way
    Row("dam", "W:W10:B7,8,24", "10x3x12", "illegal rule promotion.in_capture", "its capture ends there", "10x3"),
    Row("english", "W:W11:B6,7", "11x2x9", "illegal rule promotion.in_capture", "its capture ends there", "11x2"),
    Row("international", "W:W12:B8,9", "12x3x20", "illegal rule promotion.in_capture", "goes on as a man", "12x3x14"),
    Row("turkish", "W:Wc6:Bc7,f8", "c6xc8xh8", "illegal rule promotion.in_capture", "goes on as a man", "c6xc8"),
    # claims, and the end
    Row("dam-haji", "W:W5,21:B1,12,K32:P1,32", "x12", "illegal rule penalty.liable", "has not missed a capture", "x1 x32"),
    Row("dam-haji", "W:W5,21:B1,12,K32:P1,32", "x1x32", "illegal rule penalty.take", "exactly 1 piece here", "x1 x32"),
    Row("dam-daman", "W:WKa1,Kc5:BKc1,Kb2,Ke1:P*3", "xc1xe1", "illegal rule penalty.take", "exactly 3 pieces", "xc1xe1xb2"),
    Row(
        "dam-haji", "W:W5,21:B1,12", "x12", "illegal fault no-right rule penalty.take", "nothing to claim", mode="forbidden"
    ),
    Row("dam", "W:W5,21:B1,12", "x12", "illegal fault no-right rule penalty.take", "nothing to claim", "21-17"),
    Row("dam-haji", "W:W5,21:B1,12", "x12", "illegal fault no-right", "Black has not just missed a capture", "21-17"),
    Row("dam-haji", "W:W5,21:B1,12,K32:P1,32", "x1x1", "illegal fault twice", "claimed twice", "x1 x32"),
    Row("dam-haji", "W:W5,21:B1,12,K32:P1,32", "x21", "illegal fault no-piece", "no piece of Black on 21", "x1 x32"),
    Row("dam-daman", "W:WKa3:BKa4", "a3xa5", "illegal rule end.one_each", "a draw (one-each)"),
    Row("turkish", "W:WKa1:BKh8", "a1-a2", "illegal rule end.one_each", "a draw (one-each)"),
    Row(
        "international",
        "W:W32:BK46,1",
        "32-28",
        "illegal rule end.first_king",
        "Black has won (first-king)",
        changes={"end.first_king": True},
    ),
    Row("dam", "W:W21:B", "21-17", "illegal fault game-over", "White has won (no-pieces)"),
    Row("dam-haji", "W:W5:B1", "5-9", "illegal rule men.moves", "Black has won (no-moves)"),
    # what no rule would change
    Row("international", "W:W31-50:B1-20", "32-", "illegal fault unreadable", "32- is no ply"),
    Row("international", "W:W31-50:B1-20", "hello", "illegal fault unreadable", "hello is not a square"),
    Row("international", "W:W31-50:B1-20", "20-25", "illegal fault turn", "is Black's, and White is to move"),
    Row("international", "W:W31-50:B1-20", "28-23", "illegal fault no-piece", "no piece on 28"),
    Row("international", "W:W31-50:B1-20", "32-32", "illegal fault no-move", "has to move", "32-27 32-28"),
    Row("international", "W:W31-50:B1-20", "32", "illegal fault no-move", "origin and end", "32-27 32-28"),
    Row("dam-haji", "W:W5:B1", "5", "illegal fault no-move", "origin and end are needed."),
    Row("international", "W:W31-50:B1-20", "42-38", "illegal fault occupied", "38 is occupied"),
    Row("international", "W:WK46,37:B1", "46-28", "illegal fault blocked", "since 37 is occupied"),
    Row("international", "W:WK46:B37,32", "46x28", "illegal fault blocked", "37 and 32 cannot be jumped at once"),
    Row("international", "W:W31-50:B1-20", "32-23", "illegal fault distance", "one step", "32-27 32-28"),
    Row("international", "W:W33:B19", "33x9", "illegal fault no-line", "can capture nothing"),
    Row("international", "W:W33:B24", "33x20", "illegal fault distance", "too far"),
    Row("international", "W:W31-50:B1-20", "32-25", "illegal fault no-line", "cannot go to 25"),
    Row("international", "W:W31-50:B1-20", "32x28", "illegal fault nothing-taken", "written 32-28", "32-28"),
    Row("international", "W:W28,31,37:B22,12", "28x16", "illegal fault no-route", "from 28 ends on 16", "28x17x8"),
    # a route that another rule would open
    Row(
        "english", "W:W22:B18,19", "22x24", "illegal rule men.captures", "from 22 ends on 24 with men.captures = [", "22x15"
    ),
)

LEGAL = (
    Row("international", "W:W31-50:B1-20", "32-28", "legal kind quiet", "A quiet move of a man.", "32-28"),
    Row(
        "international", "W:W28,31,37:B22,12,1", "28x8", "legal kind capture rule capture.compulsory", "12 and 22", "28x17x8"
    ),
    Row(
        "international",
        "W:W28:B22",
        "28x17",
        "legal kind capture rule capture.compulsory,end.no_moves",
        "It is the only legal ply.",
        "28x17",
    ),
    Row("english", "B:W32:B5,10,27", "5-9", "legal kind quiet", "A quiet move of a man", "5-9"),
    Row(
        "international",
        "W:W28,31,30:B22,12,24",
        "28x8",
        "legal kind capture rule capture.compulsory,capture.choice",
        "It takes 2 pieces, the most possible.",
    ),
    Row(
        "frisian",
        "W:WK13:BK9,K10,17,22,41",
        "13x15",
        "legal kind capture rule capture.compulsory,capture.choice",
        "It takes 2 kings, the highest value possible.",
        "13x4x15",
    ),
    Row(
        "italian",
        "W:W31,32,K25:B12,13,20,21,28,7,K14,K5",
        "25x4",
        "legal kind capture rule capture.compulsory,capture.choice",
        "It captures a king as early as possible.",
    ),
    Row(
        "spanish", "W:WK22:BK13,15", "22x9", "legal kind capture rule capture.compulsory,capture.choice", "It takes 1 king,"
    ),
    Row("czech", "W:W21,K32:B17,10,27", "32x3", "legal kind capture rule capture.compulsory,capture.choice", "by a king"),
    Row(
        "russian",
        "W:W11:B6,7,1",
        "11x2x13",
        "legal kind capture rule promotion.zone,capture.compulsory",
        "The man becomes a king on 13.",
    ),
    Row("english", "B:W32,K1:B25", "25-29", "legal kind quiet rule promotion.zone", "The man becomes a king on 29."),
    Row("frisian", "W:WK1,13:B30,K46:L1=2", "1-6", "legal kind quiet rule king.quiet_limit", "quiet move 3 in a row"),
    Row("dam", "W:WK29:B25", "29x22", "legal kind capture rule end.no_moves", "White wins (no-pieces)"),
    Row("losing", "W:W35:B30", "35x24", "legal kind capture rule end.no_moves", "Black wins (no-pieces)"),
    Row(
        "dam-daman",
        "W:WKa3:BKa4,Ke9",
        "a3xa5",
        "legal kind capture rule capture.compulsory,end.one_each",
        "The game is then over: a draw (one-each).",
        changes={"penalty.take": 0},
    ),
    Row(
        "international",
        "W:W7:B40",
        "7-1",
        "legal kind quiet rule promotion.zone,end.first_king",
        "White wins (first-king)",
        changes={"end.first_king": True},
    ),
    # what a ply costs
    Row(
        "dam-haji",
        "W:W27,29:B3,10,16,23,24",
        "29-25",
        "legal kind quiet rule penalty.take,penalty.liable",
        "It declines the captures 27x18, 27x20x11: Black gets the right to take 27 off the board.",
    ),
    Row(
        "dam-haji",
        "W:W27,29:B3,10,16,23,24",
        "27x20",
        "legal kind capture rule penalty.take,penalty.liable",
        "It stops a capture that could go on, as in 27x20x11: Black gets the right to take 20 off the board.",
    ),
    Row("dam-haji", "W:W27,29:B3,10,16,23,24", "27x20x11", "legal kind capture", "men on 16 and 24"),
    Row(
        "dam-haji",
        "W:W22,26,32:B18,5",
        "32-28",
        "legal kind quiet rule penalty.take,penalty.liable",
        "It declines the capture 22x15: Black gets the right to take 22 off the board.",
    ),
    Row(
        "dam-daman",
        "W:Wa1,c1,e1,c7:Ba5,a6,e5,e6,b8,d8,c9",
        "c7xa9",
        "legal kind capture rule promotion.zone,penalty.take,penalty.liable",
        "Black gets the right to take any 3 of White's pieces off the board.",
    ),
    Row(
        "dam-haji",
        "W:W5,21:B1,12,K32:P1,32",
        "x32",
        "legal kind claim rule penalty.take",
        "White takes Black's king on 32 off the board for a missed capture, and stays to move.",
    ),
    Row(
        "dam-haji",
        "W:W5,21:B1,12,K32:P1,32",
        "21-17",
        "legal kind quiet rule penalty.take",
        "It waives the right to take one of 1, 32 off the board.",
    ),
    Row(
        "dam-daman",
        "W:Wa1,Kb2,c2,e1:BKc9,Ke9,Kb4:P*3",
        "xb4xc9xe9",
        "legal kind claim rule penalty.take,end.no_moves",
        "kings on b4, c9 and e9 off the board",
    ),
    Row(
        "dam-daman",
        "W:WKb3,a1,c1,e1:Bb4,d8,b8,e7,a7,a6,d7:P*3",
        "xa7xb8xd8",
        "legal kind claim rule penalty.take",
        "White takes Black's men",
    ),
    Row(
        "dam-daman",
        "W:WKb3,a1,c1,e1:Bb4,d8,b8,e7:P*3",
        "xb4xe7xb8",
        "legal kind claim rule penalty.take,promotion.few_pieces",
        "it is a king from now on",
    ),
    Row(
        "dam-daman",
        "W:WKb3,a1,c1,e1:Bb4,d8,b8,e7",
        "b3xb5",
        "legal kind capture rule promotion.few_pieces",
        "Black is left with 3 pieces, and all of them are kings from now on.",
    ),
)

AMBIGUOUS = (
    Row("international", "W:WK4:B13,20,32,37", "4x15", "ambiguous", "names 2 plies", "4x27x38x15 4x31x42x15"),
    Row("english", "B:W6,7,8,14,15,16,22,23,24:BK2", "2x4", "ambiguous", "names 4 plies"),
)


def checked(row: Row) -> Explanation:
    position = row.position
    before = position.setup()
    found = explain(row.text, position, "numeric")
    assert found.heading == f"explain {row.text} {row.heading}"
    assert any(row.says in sentence for sentence in found.sentences), found.sentences
    assert all(sentence.isprintable() and sentence.endswith(".") for sentence in found.sentences)
    if row.plies:
        assert list(found.plies) == row.plies.split()
    assert position.setup() == before
    return found


@pytest.mark.parametrize("row", FORBIDDEN, ids=str)
def test_what_forbids(row: Row) -> None:
    checked(row)


@pytest.mark.parametrize("row", LEGAL, ids=str)
def test_what_is_legal(row: Row) -> None:
    found = checked(row)
    assert found.total == len(found.plies) == 1


@pytest.mark.parametrize("row", AMBIGUOUS, ids=str)
def test_what_is_ambiguous(row: Row) -> None:
    found = checked(row)
    assert found.total == len(found.plies) > 1
    for path in found.plies:
        assert explain(path, row.position, "numeric").plies == (path,)


def test_every_rule_about_plies_has_a_position() -> None:
    """Whoever adds a rule adds a position that it forbids something in."""
    sections = {"men": MenRules, "king": KingRules, "capture": CaptureRules}
    keys = {f"{name}.{key.name}" for name, section in sections.items() for key in fields(section)}
    keys |= {"promotion.in_capture", "penalty.take", "penalty.liable", "end.one_each", "end.first_king"}
    named = {key for row in FORBIDDEN for word in row.heading.split()[1:] if "." in word for key in word.split(",")}
    assert named == keys
    faults = {row.heading.split()[2] for row in FORBIDDEN if " fault " in row.heading}
    assert faults == {fault.value for fault in Fault}


def test_every_criterion_has_a_position() -> None:
    """``Row.says`` shows which one decides; here only that no criterion is missing."""
    told = {
        criterion for row in FORBIDDEN if row.heading.endswith(".choice") for criterion in row.position.rules.capture.choice
    }
    assert told == set(CRITERIA)
    texts = " ".join(
        sentence for row in FORBIDDEN for sentence in explain(row.text, row.position, "numeric").sentences
    ).lower()
    for words in (
        "number of pieces",
        "highest value",
        "a king must capture where",
        "number of kings",
        "as early as possible",
    ):
        assert words in texts


def test_squares_are_written_as_asked() -> None:
    position = Row("international", "W:W28,31,37:B22,12", "", "", "").position
    assert explain("c3-d4", position, "algebraic").plies == ("e5xc7xe9",)
    assert explain("c3-d4", position, "numeric").plies == ("28x17x8",)
    assert explain("37-31", position, "algebraic").sentences[0] == "b4 is occupied."
    assert explain("c3-b4", position, "numeric").sentences[0] == "31 is occupied."


def test_told() -> None:
    position = Row("international", "W:W28,31,37:B22,12", "", "", "").position
    assert explain("31-26", position, "numeric").told() == [
        "31-26 is illegal (capture.compulsory).",
        "A capture is compulsory.",
        "Instead: 28x17x8.",
    ]
    assert explain("20-25", position, "numeric").told()[0] == "20-25 is illegal."
    legal = explain("28x8", position, "numeric").told()
    assert legal[0] == "28x8 is legal (capture.compulsory, end.no_moves)."
    assert not any(line.startswith("Instead") for line in legal)
    position = Row("international", "W:WK4:B13,20,32,37", "", "", "").position
    assert explain("4x15", position, "numeric").told()[-1] == "It may be: 4x27x38x15, 4x31x42x15."


@compiled_core
def test_long_lists_are_cut() -> None:
    position = Row("dam-haji-10", LATTICE, "", "", "").position
    for text in ("50-45", "7-12", "2x35x51", "x7", "2", "2-40", "2x" + "13x" * 100 + "13", "2-1"):
        found = explain(text, position, "numeric")
        assert len(found.plies) <= NAMED
        assert sum(map(len, found.sentences)) < 2000
    found = explain("2-40", position, "numeric")
    assert found.verdict is Verdict.AMBIGUOUS
    assert (found.total, len(found.plies)) == (161, NAMED)
    assert found.told()[-1].endswith(" and 149 more.")


# Properties: what is said holds in random positions of every variant


def random_position(rules: Rules, random: Random) -> Position | None:
    position = Position(rules, random_setup(rules, random))
    try:
        position.plies()
    except TooManyPlies:
        return None
    return position


def random_text(position: Position, random: Random) -> str:
    """An origin, mostly one of the mover's pieces, and an end, mostly near it."""
    board, setup = position.board, position.setup()
    ours = sorted(setup.men[setup.side] | setup.kings[setup.side])
    origin = random.choice(ours) if ours and random.random() < 0.85 else random.randrange(board.size)
    near = [direction.next[origin] for direction in board.directions]
    near += [direction.next[point] for point, direction in zip(near, board.directions, strict=True) if point >= 0]
    near = [point for point in near if point >= 0]
    end = random.choice(near) if random.random() < 0.7 else random.randrange(board.size)
    return f"{board.names[origin]}{random.choice('-x')}{board.names[end]}"


def meant(text: str, rules: Rules, setup: Setup) -> list[str]:
    """The paths of the plies that an origin and an end name, by the reference."""
    board = rules.geometry
    origin, end = (board.index(name) for name in text.replace("x", "-").split("-"))
    found = [
        (ply.kind, format_ply(ply, board))
        for ply, _ in reference.plies(rules, setup, 3000)
        if ply.kind is not PlyKind.CLAIM and (ply.origin, ply.end) == (origin, end)
    ]
    quiet = [path for kind, path in found if kind is PlyKind.QUIET]
    captures = [path for kind, path in found if kind is PlyKind.CAPTURE]
    if "-" in text and quiet:
        return quiet
    exact = text.replace("-", "x")
    return [exact] if exact in captures else captures


def check_verdicts(rules: Rules, random: Random, positions: int) -> int:
    """Legal are exactly the legal plies; how many texts were legal."""
    legal = 0
    for _ in range(positions):
        position = random_position(rules, random)
        if position is None:
            continue
        setup = position.setup()
        for text in {random_text(position, random) for _ in range(5)}:
            found = explain(text, position, "numeric")
            try:
                expected = meant(text, rules, setup)
            except reference.TooManyRoutes:
                continue
            assert found.text == text
            if not expected:
                assert found.verdict is Verdict.ILLEGAL, (text, format_fen(setup, rules))
                assert found.fault or found.rules
            elif len(expected) == 1:
                assert found.verdict is Verdict.LEGAL
                assert found.plies == (expected[0],)
                legal += 1
            else:
                assert found.verdict is Verdict.AMBIGUOUS
                assert sorted(found.plies) == sorted(expected)[:NAMED] or found.total > NAMED
    return legal


#: The rules that forbid plies in a position as it stands, and under which values they do not.
PERMISSIVE: dict[str, tuple[Any, ...]] = {
    "men.moves": (DIRECTION_WORDS,),
    "men.captures": (DIRECTION_WORDS,),
    "men.take_kings": (True,),
    "king.moves": (DIRECTION_WORDS,),
    "king.captures": (DIRECTION_WORDS,),
    "king.flying": (True,),
    "king.capture": ("far",),
    "king.landing": ("any",),
    "king.about_turn": (True,),
    "king.quiet_limit": (0,),
    "capture.compulsory": (False,),
    "capture.going_on": ("right",),
    "capture.landing_goes_on": (False,),
    "capture.removal": ("at-once", "end-of-move"),
    "capture.choice": ((),),
    "promotion.in_capture": ("as-man", "as-king"),
    "end.first_king": (False,),
    "end.one_each": ("never",),
}


def others(rules: Rules, key: str) -> list[Rules]:
    """The same rules with another value there, under which that rule no longer forbids what it forbids."""
    there = {direction.word(0) for direction in rules.geometry.directions}
    found = []
    for value in PERMISSIVE[key]:
        wanted = tuple(word for word in value if word in there) if value == DIRECTION_WORDS else value
        section, name = key.split(".")
        present = getattr(getattr(rules, section), name)
        if sorted(present) != sorted(wanted) if isinstance(present, tuple) else present != wanted:
            found.append(changed(rules, {key: wanted}))
    return found


def under(rules: Rules, setup: Setup) -> Position:
    return Position(rules, setup if rules.king.quiet_limit else replace(setup, king_runs=(None, None)))


def becomes_legal(text: str, rules: Rules, setup: Setup, rounds: int = 12) -> bool:
    """Whether the ply is legal once every rule that is named is another, and those that are named then, and so on.

    A rule that is named must be one that forbids: named again it would have no other value left.
    """
    try:
        found = explain(text, under(rules, setup), "numeric")
    except TooManyPlies:
        return True
    if found.verdict is not Verdict.ILLEGAL:
        return True
    assert rounds, (text, format_fen(setup, rules))
    if found.fault is not None:
        return False
    ways = [rules]
    for key in found.rules:
        ways = [other for way in ways for other in others(way, key)]
        assert ways, f"{key} is named and forbids nothing"
    return any(becomes_legal(text, way, setup, rounds - 1) for way in ways)


def check_rules(rules: Rules, random: Random, positions: int) -> int:
    """The rules that are named forbid; how many texts were forbidden by rules alone."""
    count = 0
    for _ in range(positions):
        position = random_position(rules, random)
        for text in {random_text(position, random) for _ in range(5)} if position else ():
            found = explain(text, position, "numeric")
            if found.verdict is Verdict.ILLEGAL and found.fault is None and not found.rules[0].startswith("end."):
                assert becomes_legal(text, rules, position.setup()), (text, format_fen(position.setup(), rules))
                count += 1
    return count


def check_switches(rules: Rules, random: Random, positions: int) -> set[str]:
    """A ply that one other rule would make legal is forbidden by that rule; the rules that were met."""
    met = set()
    for _ in range(positions):
        position = random_position(rules, random)
        if position is None:
            continue
        setup = position.setup()
        legal = {reference.identity(ply, setup) for ply in position.plies()}
        for key in PERMISSIVE:
            for other in others(rules, key):
                for ply in sample(under(other, setup), legal, random):
                    text = format_ply(ply, position.board)
                    found = explain(text, position, "numeric")
                    if found.verdict is Verdict.ILLEGAL:
                        assert found.fault is None, (key, text, format_fen(setup, rules))
                        assert key in found.rules or becomes_legal(text, rules, setup)
                        met.update(found.rules)
    return met


def sample(position: Position, legal: set[reference.Identity], random: Random) -> list[Ply]:
    """Some of the position's plies that are not among the ``legal`` ones of another."""
    setup = position.setup()
    try:
        new = [ply for ply in position.plies() if reference.identity(ply, setup) not in legal]
    except TooManyPlies:
        return []
    return random.sample(new, min(2, len(new)))


def check_faults(rules: Rules, random: Random, positions: int) -> int:
    """Where no rule is named no single rule is to blame; how many texts were looked at."""
    count = 0
    for _ in range(positions):
        position = random_position(rules, random)
        for text in {random_text(position, random) for _ in range(3)} if position else ():
            found = explain(text, position, "numeric")
            if found.fault in (None, Fault.GAME_OVER) or found.rules:
                continue
            for key in PERMISSIVE:
                for other in others(rules, key):
                    assert not legal_as_it_stands(text, under(other, position.setup())), (key, text, found)
            count += 1
    return count


def legal_as_it_stands(text: str, position: Position) -> bool:
    """Whether it is a full path; an origin and an end may be those of a capture that was never meant."""
    try:
        found = explain(text, position, "numeric")
    except TooManyPlies:
        return False
    return found.verdict is Verdict.LEGAL and found.plies[0].replace("x", "-") == text.replace("x", "-")


MODES = [(variant, mode) for variant in VARIANTS for mode in ("rule", "forbidden")]
MODES = [(variant, mode) for variant, mode in MODES if mode == "rule" or rules_of(variant).penalty.take]


@pytest.mark.parametrize(("variant", "mode"), MODES)
def test_legal_are_exactly_the_legal_plies(variant: str, mode: str) -> None:
    assert check_verdicts(rules_of(variant, mode), Random(variant), 25) > 0


@pytest.mark.parametrize(("variant", "mode"), MODES)
def test_the_rules_that_are_named_forbid(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    # Where captures may be missed, and pieces go nearly everywhere, hardly a rule forbids a ply.
    assert check_rules(rules, Random(variant), 20) > (0 if rules.penalty.take else 5) or rules.board.kind == "tailed"


@pytest.mark.parametrize(("variant", "mode"), MODES)
def test_what_one_rule_forbids_is_laid_to_it(variant: str, mode: str) -> None:
    assert check_switches(rules_of(variant, mode), Random(variant), 8)


@pytest.mark.parametrize(("variant", "mode"), MODES)
def test_where_no_rule_is_named_none_is_to_blame(variant: str, mode: str) -> None:
    assert check_faults(rules_of(variant, mode), Random(variant), 3) > 0


@given(any_rules(), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_any_rules(made: Rules, seed: int) -> None:
    check_verdicts(made, Random(seed), 3)
    check_rules(made, Random(seed + 1), 2)
    check_switches(made, Random(seed + 2), 1)


@pytest.mark.long
@pytest.mark.timeout(14_400)
@given(any_rules(), st.integers(0, 2**32))
@settings(max_examples=3000, deadline=None)
def test_any_rules_for_long(made: Rules, seed: int) -> None:
    check_verdicts(made, Random(seed), 10)
    check_rules(made, Random(seed + 1), 10)
    check_switches(made, Random(seed + 2), 5)
    check_faults(made, Random(seed + 3), 5)


ALPHABET = "0123456789abcdefghijkl-x:X K\u00b2\u0660\x00"


@given(st.sampled_from(VARIANTS), st.integers(0, 2**32), st.one_of(st.text(), st.text(ALPHABET, max_size=12)))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_any_text_is_explained(variant: str, seed: int, text: str) -> None:
    position = random_position(rules_of(variant), Random(seed))
    if position is None:
        return
    found = explain(text, position, "numeric")
    assert found.heading.isprintable()
    assert len(found.heading.split()) >= 3
    assert found.heading.split()[2] == found.verdict.value
    assert all(line.isprintable() for line in found.told())


# The protocol, the client and the tool


def replies(*lines: str) -> list[str]:
    session = Session()
    return [reply for line in lines for reply in session.answer(line).lines]


def test_replies() -> None:
    assert replies("position fen W:W22,32:B18,5", "explain 32-28") == [
        "explain 32-28 legal kind quiet rule penalty.take,penalty.liable",
        "  A quiet move of a man.",
        "  It declines the capture 22x15: Black gets the right to take 22 off the board.",
        "plies 1 32-28",
    ]
    forbidden = "setoption name MissedCapture value forbidden"
    assert replies(forbidden, "position fen W:W22,32:B18,5", "explain 32-28") == [
        "explain 32-28 illegal rule capture.compulsory",
        "  A capture is compulsory.",
        "plies 1 22x15",
    ]
    assert replies("position fen W:W21:B", "explain 21-17")[-1] == "plies 0"
    assert replies("setoption name Squares value algebraic", "explain c3-b4")[-1] == "plies 1 c3-b4"


def test_replies_to_what_is_no_ply() -> None:
    assert replies("explain") == ["error missing-argument explain: expected explain PLY"]
    heading, sentence, plies = replies("explain " + "9" * 3000)
    assert heading == f"explain {'9' * 39}… illegal fault unreadable"
    assert plies.startswith("plies 7 ")
    assert len(sentence) < 200
    assert replies("explain 22-17 please")[0] == "error unknown-token please: the command ends before this word"
    assert replies("explain 22-17 please")[1] == "explain 22-17 legal kind quiet"
    assert replies("explain 22-17", "fen") == [*replies("explain 22-17"), *replies("fen")]


def test_too_many_plies_are_the_callers_affair() -> None:
    fen = "W:WK2:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60"
    with pytest.raises(TooManyPlies):
        explain("2-14", Row("dam-haji-12", fen, "", "", "").position, "numeric")


def test_the_client_reads_it() -> None:
    lines = tuple(replies("position fen W:W22,32:B18,5", "explain 32-28"))
    assert parse_explanation(lines) == PlyExplanation(
        "32-28",
        "legal",
        kind="quiet",
        rules=("penalty.take", "penalty.liable"),
        sentences=(
            "A quiet move of a man.",
            "It declines the capture 22x15: Black gets the right to take 22 off the board.",
        ),
        plies=("32-28",),
        total=1,
    )
    found = parse_explanation(("explain 20-25 illegal fault turn new-field 7", "plies 30 21-17"))
    assert found == PlyExplanation("20-25", "illegal", fault="turn", plies=("21-17",), total=30)
    assert not found.legal
    for spoilt in (lines[:-1], lines[1:], ("explain 1-2 perhaps", "plies 0"), ("explain 1-2 legal", "plies many"), ()):
        assert parse_explanation(spoilt) is None


def test_the_client_asks() -> None:
    async def talk() -> None:
        peer = ScriptedPeer()
        peer.expect("explain 32-28", ["explain 32-28 illegal rule capture.compulsory", "  A capture.", "plies 1 22x15"])
        peer.expect("explain 32-28", ["no idea"])
        async with await AsyncEngine.connect(peer, handshake=False) as engine:
            found = await engine.explain("32-28")
            assert (found.legal, found.rules, found.plies) == (False, ("capture.compulsory",), ("22x15",))
            with pytest.raises(UnreadableAnswer):
                await engine.explain("32-28")
            with pytest.raises(ValueError, match="not one word"):
                await engine.explain("32-28 quit")
        peer.assert_done()

    asyncio.run(talk())


def test_the_client_asks_damd() -> None:
    with SyncEngine.start([sys.executable, "-m", "damd"], cwd=ROOT) as engine:
        assert engine.explain("22-18").legal
        found = engine.explain("22-13")
        assert (found.verdict, found.fault, found.total) == ("illegal", "distance", 2)
        assert engine.explain("hello").fault == "unreadable"


def run_tool(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    parser = ArgumentParser()
    tool.add(parser.add_subparsers())
    code = tool.run(parser.parse_args(["explain", *arguments]))
    return code, capsys.readouterr().out


def test_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--variant", "international", "--fen", "W:W28,31,37:B22,12")
    assert run_tool(capsys, "31-26", "28x8", *where) == (
        1,
        "31-26 is illegal (capture.compulsory).\n  A capture is compulsory.\n  Instead: 28x17x8.\n"
        "28x8 is legal (capture.compulsory, end.no_moves).\n"
        "  A capture by a man, 28x17x8: it takes Black's men on 12 and 22.\n"
        "  A capture is compulsory.\n  It is the only legal ply.\n"
        "  The game is then over: White wins (no-pieces).\n",
    )
    assert run_tool(capsys, "28x8", *where)[0] == 0
    assert run_tool(capsys, "10-14", "--moves", "22-18")[0] == 0
    assert run_tool(capsys, "x22")[0] == 1


def test_the_tool_writes_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run_tool(capsys, "22-13", "22-18", "--json", "--squares", "algebraic")
    assert code == 1
    first, second = (json.loads(line) for line in text.splitlines())
    assert first == {
        "variant": "dam-haji",
        "fen": "W:Wa3,c3,e3,g3,b2,d2,f2,h2,a1,c1,e1,g1:Bb8,d8,f8,h8,a7,c7,e7,g7,b6,d6,f6,h6",
        "ply": "22-13",
        "verdict": "illegal",
        "kind": None,
        "fault": "distance",
        "rules": [],
        "sentences": ["The man on c3 (one step forward-diagonal) cannot go to a5."],
        "plies": ["c3-b4", "c3-d4"],
        "total": 2,
    }
    assert (second["verdict"], second["kind"], second["plies"]) == ("legal", "quiet", ["c3-d4"])


def test_faults_are_those_of_the_protocol() -> None:
    page = (ROOT / "protocol.md").read_text(encoding="utf-8")
    section = page[page.index("### explain") :]
    words = re.findall(r"^\| `([a-z-]+)` \|", section[: section.index("\n### ", 5)], re.MULTILINE)
    assert words == [fault.value for fault in Fault]
