"""The drawn board: one picture of each kind, and what must hold of every picture."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from damd.core.position import Position
from damd.core.types import Setup
from damd.notation.drawing import UNICODE, draw
from damd.notation.fen import parse_fen
from damd.notation.overlay import Overlay
from damd.notation.plies import parse_ply
from damd.notation.squares import names_of
from damd.variants import names
from outside import rules_of
from positions import random_setup, start

VARIANTS = tuple(dict.fromkeys((*names(), "spanish", "thai", "turkish", "canadian", "frysk")))


def picture(variant: str, fen: str, squares: str = "numeric") -> list[str]:
    rules = rules_of(variant)
    return draw(parse_fen(fen, rules), rules, squares=squares).split("\n")


def test_squares_with_numbers() -> None:
    assert picture("dam-haji", "W:WK4,K5,K10,24:B15,17,K26:P17,26") == [
        "  8        1         2         3         W     1 - 4",
        "  7   W         6         7         8          5 - 8",
        "  6        9         W         11        12    9 - 12",
        "  5   13        14        b         16        13 - 16",
        "  4       [b]        18        19        20   17 - 20",
        "  3   21        22        23        w         21 - 24",
        "  2        25       [B]        27        28   25 - 28",
        "  1   29        30        31        32        29 - 32",
        "",
        "      a    b    c    d    e    f    g    h",
        "",
        "White to move",
        "White may first take off 1 of Black's pieces: 17, 26",
    ]


def test_squares_with_names() -> None:
    assert picture("dam-haji", "B:W24:B15,K26", "algebraic") == [
        "  8        b8        d8        f8        h8",
        "  7   a7        c7        e7        g7",
        "  6        b6        d6        f6        h6",
        "  5   a5        c5        b         g5",
        "  4        b4        d4        f4        h4",
        "  3   a3        c3        e3        w",
        "  2        b2        B         f2        h2",
        "  1   a1        c1        e1        g1",
        "",
        "      a    b    c    d    e    f    g    h",
        "",
        "Black to move",
    ]


def test_points_with_lines() -> None:
    assert picture("dam-daman", "W:WKa5,c3,c1,Ke1:BKb2,Kb4,Ka9,c8:P*3") == [
        "  9     B ------------- c9 ------------ e9",
        "            \\           |           /",
        "  8             b8 ---- b ----- d8",
        "                    \\   |   /",
        "  7     a7 ---- b7 ---- c7 ---- d7 ---- e7",
        "        |   \\   |   /   |   \\   |   /   |",
        "  6     a6 ---- b6 ---- c6 ---- d6 ---- e6",
        "        |   /   |   \\   |   /   |   \\   |",
        "  5     W ----- b5 ---- c5 ---- d5 ---- e5",
        "        |   \\   |   /   |   \\   |   /   |",
        "  4     a4 ---- B ----- c4 ---- d4 ---- e4",
        "        |   /   |   \\   |   /   |   \\   |",
        "  3     a3 ---- b3 ---- w ----- d3 ---- e3",
        "                    /   |   \\",
        "  2             B ----- c2 ---- d2",
        "            /           |           \\",
        "  1     a1 ------------ w ------------- W",
        "",
        "        a       b       c       d       e",
        "",
        "White to move",
        "White may first take off any 3 of Black's pieces",
    ]


def test_mirrored_board_and_numbers_from_the_other_corner() -> None:
    rows = picture("spanish", "B:W1:B32,K20")
    assert rows[0] == "  8   b         31        30        29        32 - 29"
    assert rows[3] == "  5        B         19        18        17   20 - 17"
    assert rows[7] == "  1        4         3         2         w     4 - 1"
    assert picture("italian", "W:W:B")[0] == "  8   1         2         3         4          1 - 4"


def test_all_squares() -> None:
    rows = picture("turkish", "W:WKd4:Bh8")
    assert rows[0] == "  8   a8   b8   c8   d8   e8   f8   g8   b"
    assert rows[4] == "  4   a4   b4   c4   W    e4   f4   g4   h4"


def test_king_runs() -> None:
    rows = picture("frisian", "B:WK31,6:B20,K50:L31=3,50=1")
    assert rows[-3:] == [
        "Black to move",
        "White's king on 31 has made 3 of 3 quiet moves in a row",
        "Black's king on 50 has made 1 of 3 quiet moves in a row",
    ]


def test_liable_pieces_stay_distinct_where_lines_are_drawn() -> None:
    rules = rules_of("dam-daman")
    rules = replace(rules, penalty=replace(rules.penalty, take=1, liable="capable-piece"))
    rows = draw(parse_fen("W:WKa5:BKb2,Ka9:Pb2,a9", rules), rules).split("\n")
    assert rows[0].startswith("  9    [B] ----")
    assert rows[14] == "  2            [B] ---- c2 ---- d2"


def after(variant: str, fen: str, plies: str, **how: object) -> list[str]:
    """The picture after some plies, with the last of them."""
    rules = rules_of(variant)
    position = Position(rules, parse_fen(fen, rules))
    last = None
    for text in plies.split():
        last = parse_ply(text, position)
        position.play(last)
    marks = frozenset({0, 4})
    return draw(position.setup(), rules, overlay=Overlay(last=last, marks=marks), **how).split("\n")  # type: ignore[arg-type]


def test_the_last_ply_and_marks() -> None:
    assert after("dam-haji", "W:WK10:B1,7,17", "10x21x3") == [
        "  8       *b*        2        (W)        4     1 - 4",
        "  7  *5*        6         x7        8          5 - 8",
        "  6        9        (10)       11        12    9 - 12",
        "  5   13        14        15        16        13 - 16",
        "  4       x17        18        19        20   17 - 20",
        "  3  (21)       22        23        24        21 - 24",
        "  2        25        26        27        28   25 - 28",
        "  1   29        30        31        32        29 - 32",
        "",
        "      a    b    c    d    e    f    g    h",
        "",
        "Black to move",
        "Last ply: 10x21x3",
        "Marked: 1, 5",
    ]


def test_a_claim_leaves_what_it_took() -> None:
    rows = after("dam-haji", "W:W23,32:B19,1", "32-27 x23")
    assert rows[5] == "  3   21        22       x23        24        21 - 24"
    assert rows[6].split()[3] == "w"
    assert "(" not in "".join(rows)


def test_turned_with_lines_in_unicode() -> None:
    rows = after("dam-daman", "W:Wa1,b2,c3,d4:BKe9,c8,a7,e7", "d4-d5", turned=True, signs=UNICODE, squares="algebraic")
    assert rows[:7] == [
        "  1     e1 ------------ c1 ----------- *⛀*".replace("-", "─"),
        "            ╲           │           ╱",
        "  2             d2 --- *c2* --- ⛀".replace("-", "─"),
        "                    ╲   │   ╱",
        "  3     e3 ---- d3 ---- ⛀ ----- b3 ---- a3".replace("-", "─"),
        "        │   ╲   │   ╱   │   ╲   │   ╱   │",
        "  4     e4 --- (d4) --- c4 ---- b4 ---- a4".replace("-", "─"),
    ]
    assert rows[8].startswith("  5     e5 ─── (⛀) ────")
    assert rows[16].startswith("  9     ⛃ ───")
    assert rows[18] == "        e       d       c       b       a"


@pytest.mark.parametrize("variant", VARIANTS)
def test_turned_and_marked_pictures_fit_too(variant: str) -> None:
    rules = rules_of(variant)
    board = rules.geometry
    every = Overlay(marks=frozenset(range(board.size)))
    bare = Setup(0, (frozenset(), frozenset()), (frozenset(), frozenset()))
    for setup in (bare, start(rules)):
        for squares in ("numeric", "algebraic"):
            upright, turned = (
                draw(setup, rules, squares=squares, overlay=every, turned=how).split("\n") for how in (False, True)
            )
            for rows in (upright, turned):
                assert max(len(row) for row in rows) <= 80
                assert " ".join(rows).count("*") == 2 * board.size
            if squares == "algebraic" and setup is bare:
                # Files and ranks of a turned board run the other way.
                across = [row.split()[1:] for row in upright if "*" in row]
                assert [row.split()[1:][::-1] for row in turned if "*" in row] == across[::-1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_picture_fits_and_shows_every_point(variant: str) -> None:
    rules = rules_of(variant)
    random = Random(variant)
    setups = [start(rules), *(random_setup(rules, random) for _ in range(30))]
    for setup in setups:
        for squares in ("numeric", "algebraic"):
            text = draw(setup, rules, squares=squares)
            lines = text.split("\n")
            board = "\n".join(lines[: lines.index("")])
            assert text.isascii()
            assert max(len(line) for line in lines) <= 80
            assert not any(line != line.rstrip() for line in lines)
            words = board.replace("[", " ").replace("]", " ").split()
            for side, (man, king) in enumerate((("w", "W"), ("b", "B"))):
                assert words.count(man) == len(setup.men[side])
                assert words.count(king) == len(setup.kings[side])
            occupied = frozenset().union(*setup.men, *setup.kings)
            for point, name in enumerate(names_of(rules.geometry, squares)):
                assert point in occupied or name in words
            liable = setup.right.points if setup.right else ()
            assert board.count("[") == len(liable)
