"""Hub's lines, positions, moves, scores and levels, without any process."""

from __future__ import annotations

from random import Random

import pytest

from damd.client import InfoLine, Limit, OptionInfo, Options, Score
from damd.core.position import Position
from damd.variants import load, names
from damd_adapters.hub.board import (
    HubPositionError,
    PlyError,
    find_move,
    read_line,
    read_move,
    read_position,
    write_move,
    write_position,
)
from damd_adapters.hub.grammar import HubSyntaxError, Message, read, write
from damd_adapters.hub.levels import Level, LevelError
from damd_adapters.hub.params import ParamError, Params
from damd_adapters.hub.report import info_line
from damd_adapters.hub.scores import read_score, write_score
from damd_adapters.hub.variants import HUB_NAMES, hub_name, listed, variant_name
from damd_adapters.table import Table

INTERNATIONAL = load("international")
BRAZILIAN = load("brazilian")


# Lines


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("go think", Message("go", (("think", None),))),
        ("  hub \r", Message("hub")),
        ('set-param name=nonsense value=""', Message("set-param", (("name", "nonsense"), ("value", "")))),
        ("level time = 60.0\tmoves=\t75", Message("level", (("time", "60.0"), ("moves", "75")))),
        ('pos pos=Wb moves="32-28 19-23"', Message("pos", (("pos", "Wb"), ("moves", "32-28 19-23")))),
        ('id name="a=b" author="é #!"', Message("id", (("name", "a=b"), ("author", "é #!")))),
        ("level infinite depth=3 infinite", Message("level", (("infinite", None), ("depth", "3"), ("infinite", None)))),
    ],
)
def test_lines_are_read(line, expected):
    assert read(line) == expected
    assert read(str(expected)) == expected


@pytest.mark.parametrize("line", ["", " ", "\r", "\t \r"])
def test_blank_lines_are_nothing(line):
    assert read(line) is None


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("=", "a command begins"),
        ('"hub"', "a command begins"),
        ("go =think", "a value|an argument begins"),
        ("pos pos=", "a value is missing after pos="),
        ("pos pos= ", "a value is missing"),
        ('pos moves="32-28', "quotes of moves are not closed"),
        ('id name="a\\"b"', "blank is needed"),
        ('id name="a"b=c', "blank is needed"),
        ("id name=a=b", "an argument begins|blank is needed"),
        ("go\x00think", "blank is needed"),
        ("\x1b[2J", "a command begins"),
    ],
)
def test_other_lines_are_refused_and_said_why(line, word):
    with pytest.raises(HubSyntaxError, match=word) as caught:
        read(line)
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 200


def test_the_last_of_repeated_arguments_counts():
    message = read("level depth=3 depth=5 infinite")
    assert message is not None
    assert message.get("depth") == "5"
    assert message.get("infinite") == ""
    assert message.get("time") is None
    assert "infinite" in message
    assert "time" not in message


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("32-28", "32-28"),
        ("32-28 19-23", '"32-28 19-23"'),
        ("", '""'),
        ("a=b", '"a=b"'),
        ('say "x"', "\"say 'x'\""),
        ('"x"', "'x'"),
        ("two\nlines", '"two lines"'),
        ("a\x00b", '"a b"'),
        ("é", "é"),
    ],
)
def test_values_are_quoted_where_they_have_to_be_and_nowhere_else(value, written):
    line = write("info", (("pv", value),))
    assert line == f"info pv={written}"
    assert read(line) is not None


@pytest.mark.parametrize("name", ["", "a b", "a=b", '"', "\n"])
def test_names_that_cannot_be_are_not_written(name):
    with pytest.raises(ValueError, match="no name"):
        write(name)
    with pytest.raises(ValueError, match="no name"):
        write("info", ((name, None),))


# Positions


@pytest.mark.parametrize("variant", names())
def test_positions_and_moves_of_every_game_come_back(variant):
    rules = load(variant).without_penalty()
    random = Random(variant)
    table = Table(rules)
    moves = []
    while len(moves) < 40 and (plies := table.moves()):
        ply = random.choice(plies)
        text = write_move(ply, rules.geometry)
        others = text.split("x")
        if len(others) > 2:
            shuffled = others[2:]
            random.shuffle(shuffled)
            assert read_move("x".join(others[:2] + shuffled), table.position) == ply
        assert read_move(text, table.position) == ply
        moves.append(text)
        table.play(ply)
        setup = table.position.setup()
        back = read_position(write_position(setup, rules.geometry), rules)
        assert (back.side, back.men, back.kings) == (setup.side, setup.men, setup.kings)
    again = Table(rules)
    for text in moves:
        again.play_at(find_move(text, again.position))
    assert again.texts == table.texts
    told = read_line([*table.texts, "nonsense"], Position(rules))
    assert [write_move(ply, rules.geometry) for ply in told] == moves


def test_the_start_of_international_draughts():
    start = "W" + 20 * "b" + 10 * "e" + 20 * "w"
    assert write_position(Position(INTERNATIONAL).setup(), INTERNATIONAL.geometry) == start


@pytest.mark.parametrize(("variant", "length"), [("dam", 33), ("turkish", 65), ("canadian", 73), ("dam-daman", 38)])
def test_the_extensions(variant, length):
    rules = load(variant)
    assert len(write_position(Position(rules).setup(), rules.geometry)) == length


# H17
@pytest.mark.parametrize(
    ("variant", "text", "reason"),
    [
        ("brazilian", "Bbbbbebbbbbwbeeeewwweeweeewwewwwww", "expected 32 squares, got 33"),
        ("brazilian", "W" + 31 * "e", "expected 32 squares, got 31"),
        ("brazilian", "W" + 50 * "e", "expected 32 squares, got 50"),
        ("international", "W" + 49 * "e", "expected 50 squares, got 49"),
        ("international", "W" + 51 * "e", "expected 50 squares, got 51"),
        ("international", "W" + 32 * "e", "expected 50 squares, got 32"),
        ("international", "W", "expected 50 squares, got 0"),
        ("international", "", "begins with the side to move"),
        ("international", 51 * "e", "begins with the side to move, W or B, not with 'e'"),
        ("international", "w" + 50 * "e", "begins with the side to move, W or B, not with 'w'"),
        ("international", "W" + 7 * "e" + "x" + 42 * "e", "'x' on square 8: expected w, W, b, B or e"),
        ("international", "W" + 49 * "e" + "\x07", "on square 50: expected"),
        ("international", "WeWwe" + 46 * "e", "White's man on square 3 stands where men are promoted"),
        ("international", "W" + 49 * "e" + "b", "Black's man on square 50 stands where men are promoted"),
        ("dam-daman", "W" + 9 * "w" + 27 * "e" + "w", "White's man on square e9 stands where men are promoted"),
    ],
)
def test_wrong_positions(variant, text, reason):
    with pytest.raises(HubPositionError) as caught:
        read_position(text, load(variant))
    assert reason in caught.value.message
    assert caught.value.message.isprintable()


# Moves


# H01
def test_captured_squares_in_any_order():
    position = Position(BRAZILIAN, read_position("Bbbbbebbbbbwbeeeewwweeweeewwewwww", BRAZILIAN))
    ply = read_move("7x21x11x17x18x19", position)
    assert ply == read_move("7x21x11x19x18x17", position)
    assert [BRAZILIAN.geometry.names[point] for point in ply.path] == ["7", "16", "23", "14", "21"]
    assert position.plies() == [ply]


# H02
def test_single_captures_with_and_without_the_captured_square():
    position = Position(INTERNATIONAL, read_position("W" + 22 * "e" + "b" + 4 * "e" + "w" + 22 * "e", INTERNATIONAL))
    ply = read_move("28x19", position)
    assert ply == read_move("28x19x23", position) == read_move("28-19", position)
    assert write_move(ply, INTERNATIONAL.geometry) == "28x19x23"


def test_a_capture_that_ends_where_it_began():
    squares = ["e"] * 50
    for square in (12, 13, 22, 23):
        squares[square - 1] = "b"
    squares[27] = "w"
    position = Position(INTERNATIONAL, read_position("W" + "".join(squares), INTERNATIONAL))
    (ply,) = position.plies()
    assert write_move(ply, INTERNATIONAL.geometry) == "28x28x12x13x22x23"
    assert read_move("28x28x23x22x13x12", position) == read_move("28x28", position) == ply


def test_a_claim_is_written_as_damd_writes_it():
    rules = load("dam-haji")
    table = Table.from_fen(rules, "W:W23,32:B19,1", ["32-27"])
    claims = [ply for ply in table.legal() if ply not in table.moves()]
    assert [write_move(ply, rules.geometry) for ply in claims] == ["x23"]
    assert read_move("x23", table.position) == claims[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("32-27", "illegal-ply"),
        ("28-22", "illegal-ply"),
        ("28x19x24", "names other captured squares than those of 28x19x23"),
        ("28x19x23x23", "names other captured squares"),
        ("28x17x22", "illegal-ply"),
        ("28x99x23", "is not a square"),
        ("2819", "is no move: moves are written as"),
        ("28", "is no move"),
        ("28-19-23", "is no move"),
        ("x23", "illegal-ply"),
        ("", "is no ply"),
        ("x" * 600, "characters"),
        ("28x" + "x".join(["23"] * 100), "names other captured squares|illegal-ply"),
    ],
)
def test_wrong_moves(text, reason):
    position = Position(INTERNATIONAL, read_position("W" + 22 * "e" + "b" + 4 * "e" + "w" + 22 * "e", INTERNATIONAL))
    with pytest.raises(PlyError) as caught:
        read_move(text, position)
    assert any(each in caught.value.message or each == caught.value.code for each in reason.split("|"))


def test_an_omitted_capture_that_can_be_two_is_ambiguous():
    text = "W" + 13 * "e" + "b" + 4 * "e" + "b" + 9 * "e" + "beb" + 6 * "e" + "W" + 12 * "e"
    position = Position(INTERNATIONAL, read_position(text, INTERNATIONAL))
    with pytest.raises(PlyError, match="can mean 2 moves: 38x36x") as caught:
        read_move("38x36", position)
    assert caught.value.code == "ambiguous-ply"
    assert read_move("38x36x31x19x29", position) != read_move("38x36x31x14x29", position)


# Scores


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score("cp", 2), "0.02"),
        (Score("cp", -130), "-1.30"),
        (Score("cp", 0), "0.00"),
        (Score("cp", 7_999), "79.99"),
        (Score("mate", 2), "99.97"),
        (Score("mate", 1), "99.99"),
        (Score("mate", -1), "-99.98"),
        (Score("mate", 0), "-100.00"),
        (Score("mate", 20), "99.61"),
    ],
)
def test_scores_both_ways(score, text):
    assert write_score(score) == text
    assert read_score(text) == score


@pytest.mark.parametrize(
    ("score", "text"), [(Score("cp", 30_000), "79.99"), (Score("cp", -9_500), "-79.99"), (Score("mate", 9_999), "90.00")]
)
def test_scores_out_of_hubs_range_stay_of_their_kind(score, text):
    assert write_score(score) == text


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("85.10", Score("cp", 8_510)),
        ("100.00", Score("mate", 1)),
        ("-99.99", Score("mate", -1)),
        ("90", Score("mate", 500)),
        ("1e3", Score("mate", 1)),
        ("-1000", Score("mate", 0)),
    ],
)
def test_scores_of_other_engines(text, score):
    assert read_score(text) == score


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "", "#3", "mate"])
def test_no_scores(text):
    with pytest.raises(ValueError):
        read_score(text)


# Games


def test_the_names_of_the_games():
    assert {load(name).names.hub for name in names()} == {"", *HUB_NAMES}
    for name in names():
        hub = hub_name(name)
        assert hub == (load(name).names.hub or name)
        assert variant_name(hub) == name
    assert hub_name("breakthrough") == variant_name("bt").replace("breakthrough", "bt")
    assert listed(("dam", "losing", "international", "normal")) == ("normal", "losing", "dam")
    assert listed(names())[: len(HUB_NAMES)] == HUB_NAMES


# Levels


@pytest.mark.parametrize(
    ("lines", "limit"),
    [
        (["level depth=12"], Limit(depth=12)),
        (["level nodes=100000"], Limit(nodes=100_000)),
        (["level move-time=0.1"], Limit(movetime_ms=100)),
        (["level time=60.000 moves=75"], Limit(white_time_ms=60_000, white_increment_ms=0, moves_to_go=75)),
        # The increment comes before the move: 29 and 1 are a clock of 30 seconds.
        (["level time=29 inc=1"], Limit(white_time_ms=30_000, white_increment_ms=1_000)),
        (["level time=6.098000000000001"], Limit(white_time_ms=6_098, white_increment_ms=0)),
        # What is zero is left out.
        (["level inc=2.000"], Limit(white_time_ms=2_000, white_increment_ms=2_000)),
        (["level moves=3"], Limit(white_time_ms=0, white_increment_ms=0, moves_to_go=3)),
        (["level depth=9", "level move-time=2", "level handicap=3 ply=4"], Limit(depth=9, movetime_ms=2_000)),
        (["level depth=9", "level depth=7 depth=8"], Limit(depth=8)),
        (["level infinite"], Limit(infinite=True)),
        (["level depth=5", "level infinite"], Limit(infinite=True)),
        ([], Limit(movetime_ms=1_000_000_000)),
        (["level depth=0"], Limit(depth=1)),
        (["level time=-3"], Limit(white_time_ms=-3_000, white_increment_ms=0)),
        (["level nodes=" + 30 * "9"], Limit(nodes=10**15)),
        (["level time=1e30"], Limit(white_time_ms=2**31 - 1, white_increment_ms=0)),
        (["level time=1e308 inc=1e308"], Limit(white_time_ms=2**31 - 1, white_increment_ms=2**31 - 1)),
        (["level move-time=1e308"], Limit(movetime_ms=2**31 - 1)),
    ],
)
def test_levels(lines, limit):
    level = Level()
    for line in lines:
        message = read(line)
        assert message is not None
        level = level.with_line(message)
    assert level.limit(0, analysis=False) == limit
    assert level.bounded == (bool(lines) and not limit.infinite)
    black = level.limit(1, analysis=False)
    assert (black.black_time_ms, black.black_increment_ms) == (limit.white_time_ms, limit.white_increment_ms)
    analysis = level.limit(0, analysis=True)
    assert analysis == (limit if level.bounded else Limit(infinite=True))


@pytest.mark.parametrize(
    "text", ["depth=x", "depth=1.5", "depth=-1", "nodes=", "time=nan", "time=inf", "inc=1_0", "move-time=abc", "moves=٣"]
)
def test_wrong_levels(text):
    name, _, value = text.partition("=")
    with pytest.raises(LevelError, match=name):
        Level().with_line(Message("level", ((name, value),)))


# Params

OPTIONS = Options(
    (
        OptionInfo("UCI_Variant", "combo", "dam-haji", choices=("dam-haji", "international", "breakthrough")),
        OptionInfo("Squares", "combo", "numeric", choices=("numeric", "algebraic")),
        OptionInfo("Hash", "spin", 16, 1, 1_048_576),
        OptionInfo("Clear Hash", "button"),
        OptionInfo("Move Overhead", "spin", 20, 0, 5000),
        OptionInfo("Ponder", "check", False),
        OptionInfo("UCI_LimitStrength", "check", True),
        OptionInfo("Notes", "string", ""),
        OptionInfo("Style", "combo", "very solid", choices=("very solid", "wild")),
        OptionInfo("Depth Bonus", "spin", None),
    )
)


def params() -> Params:
    return Params(OPTIONS, ("dam-haji", "international", "breakthrough"), "international")


def test_params_are_named_as_hub_programs_know_them():
    assert params().lines() == [
        'param name=variant value=normal type=enum values="normal bt dam-haji"',
        "param name=tt-size value=20 type=int min=16 max=30",
        "param name=move-overhead value=20 type=int min=0 max=5000",
        "param name=ponder value=false type=bool",
        "param name=limit-strength value=true type=bool",
        'param name=notes value="" type=string',
        "param name=depth-bonus value=0 type=int",
    ]


@pytest.mark.parametrize(
    ("name", "value", "option", "becomes"),
    [
        ("variant", "bt", "UCI_Variant", "breakthrough"),
        ("variant", "breakthrough", "UCI_Variant", "breakthrough"),
        ("variant", "normal", "UCI_Variant", "international"),
        ("UCI_Variant", "dam-haji", "UCI_Variant", "dam-haji"),
        ("tt-size", "24", "Hash", "256"),
        ("tt-size", "16", "Hash", "1"),
        ("hash", "100", "Hash", "100"),
        ("Move Overhead", "7", "Move Overhead", "7"),
        ("move-overhead", "7", "Move Overhead", "7"),
        ("ponder", "TRUE", "Ponder", "true"),
        ("ponder", "0", "Ponder", "false"),
        ("clear-hash", "true", "Clear Hash", None),
        ("Clear Hash", "", "Clear Hash", None),
        ("notes", "a b", "Notes", "a b"),
        ("depth-bonus", "-4", "Depth Bonus", "-4"),
    ],
)
def test_params_set_options(name, value, option, becomes):
    change = params().change(name, value)
    assert change is not None
    assert (change.option, change.value, change.note) == (option, becomes, "")


@pytest.mark.parametrize(
    ("name", "value"), [("book", "true"), ("bb-size", "5"), ("threads", "4"), ("multi-pv", "3"), ("clear-hash", "false")]
)
def test_params_without_a_meaning_are_passed_over(name, value):
    assert params().change(name, value) is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("tt-size", "44", "tt-size takes a number from 16 to 30, not 44: 30 is used"),
        ("tt-size", "-1", "tt-size takes a number from 16 to 30, not -1: 16 is used"),
    ],
)
def test_numbers_out_of_range_are_brought_into_it(name, value, said):
    change = params().change(name, value)
    assert change is not None
    assert change.note == said


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("variant", "chess", "variant takes normal, bt, dam-haji, not 'chess'"),
        ("tt-size", "big", "tt-size takes a number from 16 to 30, not 'big'"),
        ("tt-size", 30 * "9", "tt-size takes a number"),
        ("ponder", "maybe", "ponder takes true or false, not 'maybe'"),
        ("depth-bonus", "", "depth-bonus takes a number, not"),
    ],
)
def test_values_that_cannot_be_are_refused(name, value, said):
    with pytest.raises(ParamError) as caught:
        params().change(name, value)
    assert said in str(caught.value)


def test_params_show_what_was_set():
    made = params()
    made.changed("hash", "100")
    made.changed("UCI_Variant", "breakthrough")
    made.changed("clear hash", None)
    assert made.lines()[0].startswith("param name=variant value=bt ")
    assert made.lines()[1].startswith("param name=tt-size value=22 ")


# Reports


# H03 and what else programs trip over: nothing that is zero, one ply without quotes, several with them
@pytest.mark.parametrize(
    ("info", "line"),
    [
        (
            InfoLine(depth=1, seldepth=1, score=Score("cp", 2), nodes=9, time_ms=0, nps=0, pv=("32-28",)),
            "info depth=1 max-depth=1 score=0.02 nodes=9 pv=32-28",
        ),
        (
            InfoLine(depth=2, score=Score("mate", 2), nodes=90, time_ms=1, nps=90_400, pv=("32-28", "19-23", "28x19")),
            'info depth=2 score=99.97 nodes=90 time=0.001 nps=0.090 pv="32-28 19-23 28x19x23"',
        ),
        (InfoLine(depth=2, score=Score("cp", 1), nps=400, pv=("32-99", "19-23")), "info depth=2 score=0.01"),
        (InfoLine(depth=2, score=Score("cp", 1), pv=("32-28", "1-50")), "info depth=2 score=0.01 pv=32-28"),
        (InfoLine(depth=2, nodes=5, nps=5), None),
        (InfoLine(depth=2, score=Score("cp", 1, "lowerbound"), pv=("32-28",)), None),
        (InfoLine(depth=2, multipv=2, score=Score("cp", 1), pv=("32-28",)), None),
    ],
)
def test_reports(info, line):
    table = Table(INTERNATIONAL)
    assert info_line(info, table) == line
    assert table.texts == ()
    assert table.position.played == 0
