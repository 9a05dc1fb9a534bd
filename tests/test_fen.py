"""FEN: the canonical text, everything that is read beside it, and every error by its words."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damd.core.position import Position
from damd.core.types import KingRun, Right, Setup
from damd.notation.fen import MAX_LENGTH, FenError, format_fen, parse_fen
from damd.notation.plies import parse_ply
from damd.rules import Rules
from damd.variants import names
from outside import FIXTURES, changed, fixture, rules_of
from positions import load_lines, random_setup, read_fen, start

#: Every kind of board and of state: all that is on offer, and boards that the variants on offer lack.
VARIANTS = tuple(dict.fromkeys((*names(), "spanish", "thai", "turkish", "canadian")))

CASES = {case["id"]: case for case in load_lines("cases.jsonl")}

INTERNATIONAL = rules_of("international")
START = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"


def case(name: str) -> str:
    """The text of a case of the outside data."""
    return str(CASES[name]["input"]["fen"])


def same(text: str, other: str, rules: Rules = INTERNATIONAL) -> None:
    assert parse_fen(text, rules) == parse_fen(other, rules)


def fault(text: str, rules: Rules = INTERNATIONAL) -> FenError:
    with pytest.raises(FenError) as caught:
        parse_fen(text, rules)
    return caught.value


@pytest.mark.parametrize("variant", FIXTURES)
def test_fixtures_come_back_letter_by_letter(variant: str) -> None:
    rules = rules_of(variant)
    for position in fixture(variant):
        for fen in (position["fen"], *position["plies"].values()):
            setup = parse_fen(fen, rules)
            assert format_fen(setup, rules) == fen
            assert setup == read_fen(fen, rules)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_positions_come_back(variant: str) -> None:
    rules = rules_of(variant)
    random = Random(variant)
    for _ in range(200):
        setup = random_setup(rules, random)
        for squares in ("numeric", "algebraic"):
            full = format_fen(setup, rules, full=True, squares=squares)
            assert parse_fen(full, rules) == setup
            bare = format_fen(setup, rules, squares=squares)
            assert parse_fen(bare, rules) == replace(setup, halfmoves=0, fullmoves=1)
            assert full == f"{bare}:H{setup.halfmoves}:F{setup.fullmoves}"
        if rules.board.columns <= 10:  # on wider boards a small k may be a file
            text = format_fen(setup, rules)
            assert format_fen(parse_fen(text.lower(), rules), rules) == text


@pytest.mark.parametrize("variant", VARIANTS)
def test_position_takes_what_is_read_and_gives_it_back(variant: str) -> None:
    rules = rules_of(variant)
    random = Random(variant)
    for _ in range(20):
        text = format_fen(random_setup(rules, random), rules, full=True)
        assert format_fen(Position(rules, parse_fen(text, rules)).setup(), rules, full=True) == text


@pytest.mark.parametrize("variant", VARIANTS)
def test_start_position_is_written_and_read(variant: str) -> None:
    rules = rules_of(variant)
    setup = start(rules)
    assert parse_fen(format_fen(setup, rules), rules) == setup


def test_canonical_text() -> None:
    setup = Setup(0, (frozenset({17, 22}), frozenset({7})), (frozenset({18}), frozenset({16})), halfmoves=3, fullmoves=12)
    rules = rules_of("dam-haji")
    pending = replace(setup, right=Right(1, (7, 16)))
    assert format_fen(setup, rules) == "W:W18,K19,23:B8,K17"
    assert format_fen(pending, rules) == "W:W18,K19,23:B8,K17:P8,17"
    assert format_fen(pending, rules, full=True) == "W:W18,K19,23:B8,K17:P8,17:H3:F12"
    assert format_fen(pending, rules, squares="algebraic") == "W:Wd4,Kf4,e3:Bg7,Kb4:Pg7,b4"
    with pytest.raises(ValueError, match="numeric or algebraic"):
        format_fen(setup, rules, squares="roman")


def test_right_to_any_pieces() -> None:
    rules = rules_of("dam-daman")
    text = "W:WKb5,Ke9:BKe1,Ke6:P*3"
    assert parse_fen(text, rules).right == Right(3)
    assert format_fen(parse_fen(text, rules), rules) == text
    same("w:we9,b5:be6,e1:p*3", text, rules)


def test_king_runs() -> None:
    rules = rules_of("frisian")
    setup = parse_fen("B:WK46,31:BK5,20:L5=1,46=2", rules)
    assert setup.king_runs == (KingRun(45, 2), KingRun(4, 1))
    assert format_fen(setup, rules) == "B:W31,K46:BK5,20:L46=2,5=1"
    assert format_fen(setup, replace(rules, king=replace(rules.king, quiet_limit=0))) == "B:W31,K46:BK5,20"
    none = replace(setup, king_runs=(KingRun(45, 0), None))
    assert format_fen(none, rules) == "B:W31,K46:BK5,20"


# What is read beside the canonical text


@pytest.mark.parametrize(
    "text",
    [
        "W:W31-50:B1-20",
        "W:B1-20:W31-50",
        "W:W31-50:B1-20.",
        "W:W31-50:B1-20 .",
        '[FEN "W:W31-50:B1-20"]',
        '[fen  "W:W31-50:B1-20." ] ',
        '"W:W31-50:B1-20"',
        "\ufeff\u00a0W:W31-50:B1-20\u00a0\r\n",
        "w:w31-50:b1-20",
        "W : W 31 - 50 , : B 1 - 20".replace(" , ", " "),
        "W:W31-40,41-50:B01-010,11-20",
        "W:B20-20,1-19:W50,49,31-48",
        "W:W31-50:B1-20:H0:F1",
        "W:F1:B1-20:H0:W31-50",
        "W:W:W31-50:B1-20",
        "W:W:B1-20:W31-50",
        "W:Wb4,d4,f4,h4,j4,36-50:Bb10,D10,f10,4-20",
    ],
)
def test_other_spellings_of_the_start_position(text: str) -> None:
    assert format_fen(parse_fen(text, INTERNATIONAL), INTERNATIONAL) == START


def test_colours_in_either_order() -> None:
    same(case("F02"), str(CASES["F02"]["expected"]["same_as"]))
    assert len(Position(INTERNATIONAL, parse_fen(case("F02"), INTERNATIONAL)).plies()) == 9


def test_side_to_move_given_twice_is_read_and_never_written() -> None:
    same(case("F06"), "W:W31,32:B1,2")
    assert format_fen(parse_fen(case("F06"), INTERNATIONAL), INTERNATIONAL) == "W:W31,32:B1,2"
    same("W:W:W:B", "W:W:B")
    same("B:B:W31:B", "B:W31:B")
    assert fault("B:W:W31:B1").message == "a second field W: each field stands once"
    assert fault("W:W:W31:W32:B1").message == "a second field W: each field stands once"


def test_numbers_beside_algebraic_names() -> None:
    same(case("F10"), "W:WK46,K8,9:BK7,K41,23")


def test_lower_case() -> None:
    same(case("F11"), "B:W31,K6:B20")
    rules = rules_of("dam")
    same("w:wa1,kc3:bb6,kh8", "W:WA1,KC3:Bb6,KH8", rules)
    same("W:Wb2:Bb4", "W:W25:B17", rules)
    same("W:WKb4:BKb2", "W:WK17:BK25", rules)
    same("b:wb2:bb4", "B:W25:B17", rules)
    same("b:wkb4:bkb2,4", "B:WK17:BK25,4", rules)


def test_whole_tag_and_blanks() -> None:
    same(case("F12"), START)
    for blank in (" ", "\t", "\r\n", "\u00a0"):
        same(blank + case("F14") + blank, START)


def test_sides_without_pieces() -> None:
    empty = parse_fen(case("F15"), INTERNATIONAL)
    assert not any((*empty.men, *empty.kings))
    assert format_fen(empty, INTERNATIONAL) == "W:W:B"
    same("W:W:B.", "W:W:B")
    assert format_fen(parse_fen("B:W:B1", INTERNATIONAL), INTERNATIONAL) == "B:W:B1"
    position = Position(INTERNATIONAL, empty)
    assert position.plies() == []
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 1


def test_numbers_of_a_game_that_writes_algebraic_names() -> None:
    rules = rules_of("russian")
    setup = parse_fen(str(CASES["F17"]["input"]["fen_numeric"]), rules)
    assert setup == start(rules)
    ply = parse_ply(str(CASES["F17"]["input"]["first_move"]), Position(rules, setup))
    assert (ply.origin, ply.end) == (rules.geometry.index("22"), rules.geometry.index("18"))


@pytest.mark.parametrize("text", ["W:W1,K2:B50,B51", "W:W6:B50,B51"])
def test_protocol_case_of_a_square_off_the_board(text: str) -> None:
    assert "B51" in fault(text).message


def test_ranges() -> None:
    same("W:WK10-12,31:B1", "W:WK10,K11,K12,31:B1")
    rules = rules_of("dam-daman")
    same("W:Wa1-b2,Kc2-d2:Ba9-e9".replace("Ba9-e9", "BKa9-e9"), "W:Wa1,c1,e1,b2,Kc2,Kd2:BKa9,Kc9,Ke9", rules)
    turkish = rules_of("turkish")
    assert parse_fen("W:Wa3-h3,a2-h2:Ba7-h7,a6-h6", turkish) == start(turkish)
    assert "runs backwards: write 1-20" in fault("W:W31:B20-1").message
    assert "a range is of numbers" in fault("W:Wa1-c1:B20").message
    assert "a range is of numbers" in fault("W:WK31-K33:B20").message
    assert "off the board" in fault("W:W31-51:B20").message
    assert "a square is missing in field W after 31-" in fault("W:W31-:B20").message


def test_few_pieces_are_read_crowned() -> None:
    rules = rules_of("dam-daman")
    same("W:Wa9,b5,c5:Ba1,c1,e6", "W:WKb5,Kc5,Ka9:BKa1,Kc1,Ke6", rules)
    assert "a9" in fault("W:Wa9,b5,c5,d5:Be6", rules).message


def test_files_called_k() -> None:
    rules = rules_of("canadian")
    assert parse_fen("W:Wk1,Kk3,K5:Bk5", rules) == parse_fen("W:W72,K60,K5:B48", rules)
    assert "can be the point k5 or a king on 5: write K" in fault("w:wk5:b20", rules).message
    assert parse_fen("w:wk6:b20", rules) == parse_fen("W:WK6:B20", rules)  # k6 is no playing square
    assert "k6" in fault("W:Wk6:B20", rules).message
    assert parse_fen("W:Wk6:B20", INTERNATIONAL) == parse_fen("W:WK6:B20", INTERNATIONAL)


# Errors


@pytest.mark.parametrize(
    ("text", "token", "words"),
    [
        ("", "", "an empty FEN"),
        (".", ".", "an empty FEN"),
        ("[]", "[]", "whole FEN tag"),
        ('[FEN "W:W31:B20"', "[FEN ", "whole FEN tag"),
        ('[Event "W:W31:B20"]', "[Event", "whole FEN tag"),
        ('"W:W31:B20', '"W:', "quotes"),
        ("startpos", "startpos", "startpos is no side to move"),
        ("W", "W", "White's pieces are missing: the FEN needs a field W"),
        ("W:W31", "B", "Black's pieces are missing: the FEN needs a field B"),
        (":W31:B20", "", "side to move missing"),
        ("?:W29,13,11:B22,4,2", "?", "side to move unknown"),
        ("X:W31:B20", "X", "X is no side to move"),
        ("31:W31:B20", "31", "31 is no side to move"),
        ("W:W31:B20:", "W:W31", "a field is empty"),
        ("W::W31:B20", "W::", "a field is empty"),
        ("W:W31:B20:B21", "B21", "a second field B"),
        ("W:W31:B20:H1:H1", "H1", "a second field H"),
        ("W:W31:B20:G3", "G3", "unknown field G3"),
        ("W:W31:B20:+1+2", "+1+2", "unknown field +1+2"),
        ("W:31:B20", "31", "unknown field 31"),
        ("W:W31,31:B31", "31", "square 31 is used twice, in field W"),
        ("W:W31:B31", "31", "square 31 is used twice, in field W and in field B"),
        ("W:W31-35,K33:B20", "K33", "square 33 is used twice, in field W"),
        ("W:W31,b4:B20", "b4", "square 31 is used twice, in field W"),
        ("W:W51:B20", "51", "square 51 in field W is off the board: squares are 1-50, or files a-j and ranks 1-10"),
        ("W:W0:B20", "0", "square 0 in field W is off the board"),
        ("W:W31:Ba2", "a2", "square a2 in field B is off the board"),
        ("W:WK31:BK", "K", "a square is missing in field B after K"),
        ("W:W31,,32:B20", "31,,32", "a comma without a square in field W"),
        ("W:W31,:B20", "31,", "a comma without a square in field W"),
        ("W:W31:B20garbage", "20garbage", "garbage after square 20 in field B"),
        ("W:W31:B20 garbage", "20 garbage", "garbage after square 20 in field B"),
        ("W:W31:B2O", "2O", "O after square 2 in field B"),
        ("W:W31 32:B20", "31 32", "32 after square 31 in field W"),
        ("W:W31:B20..", "20.", ". after square 20 in field B"),
        ("W:Wx31:B20", "x31", "x31 in field W is no square"),
        ("W:W³¹:B20", "³¹", "³¹ in field W is no square"),
        ("W:W\u212a31:B20", "\u212a31", "in field W is no square"),
        ("W:W31:BB4", "B4", "B4 in field B can be the point b4 or Black's 4"),
        ("W:W5:B20", "5", "White's man on 5 stands where men are promoted: a king is K5"),
        ("W:W31:B20,i1", "50", "Black's man on 50 stands where men are promoted: a king is K50"),
        ("W:W31:B20:P20", "P20", "field P without a penalty in force"),
        ("W:W31:BK20:L20=1", "L20=1", "field L: the moves of one king are not limited here"),
        ("W:W31:B20:H", "H", "field H is a number from 0"),
        ("W:W31:B20:H-1", "H-1", "field H is a number from 0"),
        ("W:W31:B20:F0", "F0", "field F is a number from 1"),
        ("W:W31:B20:F1000000", "F1000000", "field F is a number from 1 to 999999"),
        ("W:W31:B20:H²", "H²", "field H is a number"),
        ("W:W31:B20:Hx", "Hx", "field H is a number"),
        ("W:W31:B20:H" + "9" * 4000, "H999", "field H is a number"),
    ],
)
def test_errors(text: str, token: str, words: str) -> None:
    error = fault(text)
    assert error.token.startswith(token)
    assert words in error.message
    assert str(error) == error.message


@pytest.mark.parametrize(
    ("variant", "text", "words"),
    [
        ("dam-haji", "W:W18:B8:P9", "field P: there is no piece of Black on 9"),
        ("dam-haji", "W:W18:B8:P18", "field P: there is no piece of Black on 18"),
        ("dam-haji", "W:W18:B8:P8,g7", "square 8 is used twice in field P"),
        ("dam-haji", "W:W18:B8:P", "field P names no square"),
        ("dam-haji", "W:W18:B8:P*1", "no *1"),
        ("dam-haji", "W:W18:B8:P33", "square 33 in field P is off the board: squares are 1-32"),
        ("dam-haji", "W:W18:B8:PK8", "K8 in field P is no square"),
        ("dam-haji", "W:W18:B8:P8:P8", "a second field P"),
        ("dam-daman", "W:WKb5:BKe1:P*2", "any 3 here, so it is written P*3"),
        ("dam-daman", "W:WKb5:BKe1:P", "it is written P*3"),
        ("dam-daman", "W:WKb5:BKe1:Pe1", "it is written P*3"),
        ("dam-daman", "W:WKb5:B:P*3", "Black has no piece that could be taken"),
        ("dam-daman", "W:WKb1:BKe1", "square b1 in field W is off the board: squares are files a-e and ranks 1-9"),
        ("dam-daman", "W:WK7:BKe1", "square 7 in field W is off the board"),
        ("dam-daman", "W:WKc2-a1:BKe1", "runs backwards: write a1-c2"),
        ("frisian", "W:WK1:BK20:L1=4", "a king has made 1 to 3 moves in a row"),
        ("frisian", "W:WK1:BK20:L1=0", "a king has made 1 to 3 moves in a row"),
        ("frisian", "W:WK1:BK20:L1=" + "9" * 3000, "a king has made 1 to 3 moves in a row"),
        ("frisian", "W:WK1:BK20:L1=²", "a king has made 1 to 3 moves in a row"),
        ("frisian", "W:WK1:BK20:L1", "are written as in L46=2"),
        ("frisian", "W:WK1:BK20:L", "field L is empty"),
        ("frisian", "W:W31:BK20:L31=1", "field L: there is no king on 31"),
        ("frisian", "W:WK1,K2:BK20:L1=1,2=1", "field L: a second king of White"),
    ],
)
def test_errors_of_rights_and_runs(variant: str, text: str, words: str) -> None:
    assert words in fault(text, rules_of(variant)).message


def test_a_right_needs_the_penalty_in_force() -> None:
    assert "without a penalty in force" in fault("W:W18:B8:P8", rules_of("dam-haji", "forbidden")).message
    any_one = changed(rules_of("dam-haji"), {"penalty.liable": "any-piece"})
    assert parse_fen("W:W18:B8:P*1", any_one).right == Right(1)


def test_messages_are_bounded_and_printable() -> None:
    for text in ("W:W31:B20\x07\n", "W:W\ud800:B20", "\x1b[31m", "W:W31:" + "x" * 4000, "Z" * 100_000, "W:W" + "0" * 4000):
        error = fault(text)
        assert error.message.isprintable()
        assert error.token.isprintable()
        assert len(error.message) < 300
    assert str(MAX_LENGTH) in fault("W:W31:B20" + " " * MAX_LENGTH).message


def read_or_refuse(text: str, rules: Rules) -> Setup | None:
    """The position, or ``None`` for a text that is refused as it should be."""
    try:
        return parse_fen(text, rules)
    except FenError as error:
        caught = error
    assert caught.message.isprintable()
    assert 0 < len(caught.message) < 300
    return None


ALPHABET = "WBKwbkPHFLphfl:,-.*=?[]\"' 0123456789abcdefghijkl\u00a0²\u212a\x00"


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Rules]:
    """A correct FEN with some characters changed, taken out, put in or repeated; or any text."""
    rules = rules_of(draw(st.sampled_from(VARIANTS)))
    setup = random_setup(rules, Random(draw(st.integers(0, 2**32))))
    text = format_fen(setup, rules, full=draw(st.booleans()), squares=draw(st.sampled_from(["numeric", "algebraic"])))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 3))
        text = text[:at] + draw(st.text(ALPHABET, max_size=3)) + text[at + length :]
    return text, rules


@settings(max_examples=800, deadline=None)
@given(mutated())
def test_mutated_text_is_read_or_refused(example: tuple[str, Rules]) -> None:
    text, rules = example
    setup = read_or_refuse(text, rules)
    if setup is not None:
        assert parse_fen(format_fen(setup, rules, full=True), rules) == setup
        Position(rules, setup)


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text(ALPHABET), st.sampled_from(VARIANTS))
def test_any_text_is_read_or_refused(text: str, variant: str) -> None:
    read_or_refuse(text, rules_of(variant))


def test_long_texts_take_little_time() -> None:
    began = time.perf_counter()
    for piece in ("1,", "1-50,", "K", ":", ":W", "W:", "-", "a", "9" * 100 + ",", "P1,", '"', "[", ".", "L1=1,"):
        for head in ("", "W:W", "W:W31:B20:P", "W:WK31:B20:L"):
            for rules in (INTERNATIONAL, rules_of("dam-haji-12"), rules_of("dam-daman"), rules_of("frisian")):
                fault(head + piece * 5000, rules)
                fault((head + piece * 5000)[:MAX_LENGTH], rules)
    assert time.perf_counter() - began < 30


def test_a_blank_may_stand_behind_k() -> None:
    rules = rules_of("international")
    assert parse_fen("W : W 31 , 32 : B 1 , K 2 : H 3 : F 4 .", rules) == parse_fen("W:W31,32:B1,K2:H3:F4", rules)
