"""The protocol as text: options, ``go``, ``position``, ``setoption``, errors, and the tables made from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damd.core.types import Reason
from damd.daemon.session import Session
from damd.protocol import tables
from damd.protocol.commands import BY_NAME, COMMANDS, GO, REASONS, Kind, When
from damd.protocol.errors import Code, ProtocolError, code_of
from damd.protocol.grammar import parse_go, parse_position, parse_setoption, unknown_command
from damd.protocol.options import OPTIONS, OptionKind, find, read_number

KEYWORDS = [argument.keyword for argument in GO]


def codes(request) -> list[str]:
    return [error.code.text for error in request.errors]


# go


def test_go_keywords_come_in_any_order():
    one = parse_go(["depth", "5", "wtime", "1000", "btime", "2000", "ponder", "searchmoves", "32-28", "31-27"])
    two = parse_go(["searchmoves", "32-28", "31-27", "ponder", "btime", "2000", "wtime", "1000", "depth", "5"])
    assert one == two
    assert one.searchmoves == ("32-28", "31-27")
    assert one.numbers == {"depth": 5, "wtime": 1000, "btime": 2000}
    assert one.flags == {"ponder"}
    assert one.limited
    assert not one.errors


def test_searchmoves_ends_at_every_keyword():
    for keyword in KEYWORDS:
        request = parse_go(["searchmoves", "32-28", keyword, "3"])
        # Given twice, the last one counts.
        expected = {"perft": (), "searchmoves": ("3",)}.get(keyword, ("32-28",))
        assert request.searchmoves[: len(expected)] == expected, keyword


def test_searchmoves_needs_plies():
    for tokens in (["searchmoves"], ["searchmoves", "depth", "2"]):
        request = parse_go(tokens)
        assert codes(request) == ["missing-argument"]
        assert request.skipped


def test_bad_tokens_are_named_and_skipped():
    request = parse_go(["dpeth", "5", "nodes", "100"])
    assert codes(request) == ["unknown-token", "unknown-token"]
    assert "did you mean depth?" in request.errors[0].line()
    assert request.numbers == {"nodes": 100}
    assert request.skipped


@pytest.mark.parametrize(
    "text", ["depth x", "depth", "movetime nan", "nodes 1_000", "depth 5.0", "depth ५", "depth 1e3", "depth --5"]
)
def test_a_go_that_loses_its_limit_is_known_as_such(text):
    request = parse_go(text.split())
    assert request.errors
    assert request.skipped
    assert not request.limited


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("depth 0", 1),
        ("depth 999999999999", 99),
        ("nodes 0", 1),
        ("depth " + "9" * 60000, 99),
        ("movetime -1", 0),
        ("depth -" + "9" * 5000, 1),
    ],
)
def test_numbers_are_clamped_with_an_error(text, number):
    request = parse_go(text.split())
    assert list(request.numbers.values()) == [number]
    assert codes(request) == ["out-of-range"]
    assert request.limited
    assert not request.skipped
    assert len(request.errors[0].line()) < 200


def test_clocks_may_be_below_zero():
    assert parse_go(["wtime", "-200", "btime", "0", "winc", "0", "binc", "0", "movestogo", "0"]).errors == ()


def test_of_a_keyword_given_twice_the_last_counts():
    assert parse_go(["depth", "3", "depth", "4"]).numbers == {"depth": 4}


def test_perft_stands_for_itself():
    request = parse_go(["depth", "4", "infinite", "perft", "3", "searchmoves", "32-28"])
    assert request.numbers == {"perft": 3}
    assert codes(request) == ["unknown-token"] * 3
    lost = parse_go(["perft", "x"])
    assert lost.skipped
    assert not lost.limited


@given(st.lists(st.one_of(st.sampled_from(KEYWORDS), st.integers().map(str), st.text("abc019-:x", min_size=1, max_size=6))))
def test_any_tokens_parse(tokens):
    request = parse_go(tokens)
    for error in request.errors:
        assert error.line().isprintable()
    for keyword, number in request.numbers.items():
        argument = next(argument for argument in GO if argument.keyword == keyword)
        assert argument.low <= number <= argument.high


# position, setoption


def test_position():
    assert parse_position(["startpos"]) == parse_position(["startpos", "moves"])
    assert parse_position(["startpos", "moves", "32-28", "19-23"]).moves == ("32-28", "19-23")
    request = parse_position(["fen", "[FEN", '"W:W31:B20"]', "moves", "31-27"])
    assert request.fen == '[FEN "W:W31:B20"]'
    assert request.moves == ("31-27",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "missing-argument"),
        ("fen", "missing-argument"),
        ("fen moves 32-28", "missing-argument"),
        ("moves 32-28", "unknown-token"),
        ("W:W31:B20", "unknown-token"),
        ("startpos 32-28", "unknown-token"),
    ],
)
def test_position_refuses(text, code):
    with pytest.raises(ProtocolError) as caught:
        parse_position(text.split())
    assert caught.value.code.text == code
    assert "position (startpos | fen FEN) [moves PLY...]" in caught.value.line()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name hASH value 16", ("hASH", "16")),
        ("name Clear Hash", ("Clear Hash", None)),
        ("name Debug Log File value", ("Debug Log File", "")),
        ("name X Y value a value b", ("X Y", "a value b")),
        ("  name   Move   Overhead   value   100  ", ("Move Overhead", "100")),
        ("name VariantPath value /a  b/c", ("VariantPath", "/a  b/c")),
    ],
)
def test_setoption(text, expected):
    assert parse_setoption(text) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "missing-argument"),
        ("name", "missing-argument"),
        ("Hash 16", "unknown-token"),
        ("name value 3", "missing-argument"),
    ],
)
def test_setoption_refuses(text, code):
    with pytest.raises(ProtocolError) as caught:
        parse_setoption(text)
    assert caught.value.code.text == code


# Options


def test_names_of_options_are_found_in_any_case_and_spacing():
    assert find("hASH").name == "Hash"
    assert find("move   OVERHEAD").name == "Move Overhead"
    with pytest.raises(ProtocolError, match="did you mean MultiPV"):
        find("MultiPB")


def test_values_of_options():
    assert find("Hash").read("32") == ("32", None)
    value, error = find("Hash").read("0")
    assert value == "1"
    assert error is not None
    assert error.code is Code.OUT_OF_RANGE
    assert find("Ponder").read("TRUE") == ("true", None)
    assert find("VariantPath").read("<empty>") == ("", None)
    assert find("VariantPath").read(None) == ("", None)
    assert find("Clear Hash").read("whatever") == ("", None)
    for name, value in (
        ("Hash", "much"),
        ("Ponder", "yes"),
        ("MissedCapture", "never"),
        ("Squares", ""),
        ("Hash", None),
        ("UCI_Variant", ""),
    ):
        with pytest.raises(ProtocolError):
            find(name).read(value)


def test_every_default_is_a_value_that_the_option_takes():
    for option in OPTIONS:
        if option.kind is not OptionKind.BUTTON:
            assert option.read(option.default) == (option.default, None)


def test_option_lines_are_those_of_uci():
    lines = {option.name: option.line() for option in OPTIONS}
    assert lines["Hash"] == "option name Hash type spin default 16 min 1 max 1048576"
    assert lines["Clear Hash"] == "option name Clear Hash type button"
    assert lines["VariantPath"] == "option name VariantPath type string default <empty>"
    assert lines["MissedCapture"] == "option name MissedCapture type combo default rule var rule var forbidden"
    assert lines["Ponder"] == "option name Ponder type check default false"


@given(st.integers())
def test_every_number_is_read(number):
    read = read_number(str(number))
    assert read is not None
    assert read == number or abs(number) >= 10**18


# Errors


@given(st.text())
def test_an_error_is_one_printable_line(text):
    line = ProtocolError(Code.ILLEGAL_PLY, text, text).line()
    assert line.isprintable()
    assert line.startswith("error illegal-ply ")


def test_codes():
    assert len({code.text for code in Code}) == len(Code)
    for code in Code:
        assert code_of(code.text) is code


def test_a_slip_is_met_with_a_suggestion():
    assert unknown_command("israedy").line() == "error unknown-command israedy: no such command, did you mean isready?"
    assert unknown_command("xyzzy").line() == "error unknown-command xyzzy: no such command, try help"


# Tables


def test_every_command_is_answered_by_the_session():
    assert list(Session()._handlers) == [command.name for command in COMMANDS]


def test_the_reasons_are_those_of_the_core():
    assert list(REASONS) == [reason.value for reason in Reason]


def test_usage():
    assert BY_NAME["position"].usage == "position (startpos | fen FEN) [moves PLY...]"
    assert BY_NAME["setoption"].usage == "setoption name NAME [value VALUE]"
    assert BY_NAME["debug"].usage == "debug on|off"
    assert BY_NAME["go"].usage.startswith("go [searchmoves PLY...] [ponder] [wtime MS]")


def test_commands_that_overtake():
    at_once = {command.name for command in COMMANDS if command.when is When.AT_ONCE}
    assert at_once == {"stop", "ponderhit", "debug", "quit"}
    assert BY_NAME["isready"].when is When.READY


def test_help_knows_every_command():
    overview = tables.help_lines()
    assert [line.split()[1].rstrip(":") for line in overview] == [command.name for command in COMMANDS]
    for command in COMMANDS:
        lines = tables.help_lines(command.name)
        assert lines[1] == f"  usage: {command.usage}"
        assert all(line.startswith("  ") for line in lines[1:])
    with pytest.raises(ProtocolError, match="did you mean perft"):
        tables.help_lines("pertf")


def test_every_keyword_of_go_says_what_it_does():
    for argument in GO:
        assert argument.doc
        assert argument.kind in (Kind.FLAG, Kind.NUMBER, Kind.PLIES)


def test_tables_are_refreshed_between_their_marks():
    text = "a\n<!-- table: errors -->\nby hand\n<!-- end of table -->\nb\n"
    fresh = tables.refreshed(text)
    assert fresh.startswith("a\n<!-- table: errors -->\n\n| code | meaning |\n")
    assert fresh.endswith("|\n\n<!-- end of table -->\nb\n")
    assert "by hand" not in fresh
    assert tables.refreshed(fresh) == fresh
    with pytest.raises(KeyError):
        tables.refreshed("<!-- table: nothing -->\n<!-- end of table -->")
    assert tables.absent(fresh) == ["commands", "go", "options"]
