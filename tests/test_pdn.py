"""Reading PDN: everything that is found in files, faults with their places, and games one at a time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from damd.core.position import Position, start_setup
from damd.core.types import PlyKind
from damd.geometry import BLACK, WHITE
from damd.notation.fen import format_fen, parse_fen
from damd.notation.pdn import (
    Clock,
    Command,
    Comment,
    ReadGame,
    Reading,
    Verdict,
    clocks,
    format_clock,
    play_texts,
    read_games,
    splitting,
    write_game,
)
from damd.notation.pdn.gametypes import parse_gametype, renamed
from damd.notation.pdn.model import MAX_DEPTH
from damd.notation.plies import format_ply
from damd.variants import load, names
from outside import rules_of
from positions import load_lines

CASES = {case["id"]: case for case in load_lines("pdn_cases.jsonl")}


def read(text: str | bytes, variant: str = "", **options: str) -> list[ReadGame]:
    data = text.encode() if isinstance(text, str) else text
    rules = load(variant) if variant else None
    return list(read_games(io.BytesIO(data), "x.pdn", Reading(rules, **options)))


def one(text: str | bytes, variant: str = "", **options: str) -> ReadGame:
    games = read(text, variant, **options)
    assert len(games) == 1
    return games[0]


def plies(read: ReadGame) -> list[str]:
    assert read.game is not None
    return [format_ply(ply, read.game.rules.geometry) for ply in read.game.line.plies()]


def fen_after(read: ReadGame) -> str:
    assert read.game is not None
    game = read.game
    position = Position(game.rules, game.start)
    for ply in game.line.plies():
        position.play(ply)
    return format_fen(position.setup(), game.rules)


def faults(read: ReadGame) -> list[str]:
    return [str(fault) for fault in read.faults]


def case(name: str) -> list[ReadGame]:
    """The games of an outside case, read as its variant where they do not say."""
    row = CASES[name]
    return read(row["input"]["pdn"], row["variant"])


# The outside cases


@pytest.mark.parametrize("name", ["R27", "P07", "P19"])
def test_cases_of_positions(name: str) -> None:
    (game,) = case(name)
    assert not game.faults
    assert fen_after(game) == CASES[name]["expected"]["fen_after"]


@pytest.mark.parametrize("name", ["P01", "P06", "P07", "P14", "P15", "P24"])
def test_cases_of_plies(name: str) -> None:
    (game,) = case(name)
    assert not game.faults
    assert len(plies(game)) == CASES[name]["expected"]["moves"]


@pytest.mark.parametrize("name", ["P12", "P33"])
def test_cases_of_games_without_plies(name: str) -> None:
    games = case(name)
    assert [len(plies(game)) for game in games] == CASES[name]["expected"]["moves"]
    assert len(games) == CASES[name]["expected"]["games"]
    assert not any(game.faults for game in games)
    if name == "P12":
        assert [game.game.verdict for game in games if game.game] == [Verdict.WHITE, Verdict.WHITE]


def test_case_of_the_first_mover() -> None:
    (game,) = case("F18")
    assert plies(game) == ["11-15", "23-18", "8-11"]
    assert not game.faults


def test_case_of_a_draw_by_points() -> None:
    (game,) = case("P01")
    assert game.game is not None
    assert game.game.verdict is Verdict.DRAW


def test_case_of_points_that_look_like_a_ply() -> None:
    (game,) = case("P02")
    assert len(plies(game)) == 4
    assert game.game is not None
    assert (game.game.verdict, game.game.score) == (Verdict.UNKNOWN, "4-6")
    assert all(fault.warning for fault in game.faults)
    assert any("4-6: this is the game's result" in text for text in faults(game))


def test_case_of_marks_in_parentheses() -> None:
    """The case's third ply goes to an occupied square: its words are right, and the same with a ply that is legal."""
    (game,) = case("P04")
    assert faults(game) == ["x.pdn:1: game 1, ply 3: 38-32: 32 is occupied"]
    assert game.rest == "38-32 ( 37-32 ? 23-29 ! ) 12-18"
    game = one("1. 31-27(?) 18-23 2. 37-31 ( 2. 33-28? 23-29! ) 12-18", "international")
    assert not game.faults
    assert game.game is not None
    nodes = game.game.line.nodes
    assert [node.strength for node in nodes] == ["(?)", "", "", ""]
    assert [node.strength for node in nodes[2].variations[0].nodes] == ["?", "!"]


def test_case_of_a_stray_brace() -> None:
    (game,) = case("P05")
    assert len(plies(game)) == CASES["P05"]["expected"]["moves_before"]
    assert faults(game) == ["x.pdn:1: game 1: warning: }: no comment is open here: comments are not nested"]
    assert game.game is not None
    assert game.game.line.nodes[-1].comments == (Comment("nested { comment"),)


def test_case_of_leading_zeros() -> None:
    (game,) = case("P09")
    assert len(plies(game)) == 5
    assert faults(game) == ["x.pdn:1: game 1, ply 6: 02-07: 7 is occupied"]
    assert plies(one("01. 31-26 16-21 02. 34-29 11-16 03. 40-34 06-11", "international"))[-1] == "6-11"


def test_case_of_two_games_without_a_star() -> None:
    games = read('[Event "one"]\n\n1. c3-d4 d6-e5 1/2-1/2\n\n[Event "two"]\n[GameType "29"]\n1. c3-b4 1-0', "czech")
    assert [plies(game) for game in games] == [["22-18", "10-15"], ["22-17"]]
    assert [game.game.verdict for game in games if game.game] == [Verdict.DRAW, Verdict.WHITE]
    assert [game.line for game in games] == [1, 5]


def test_case_of_national_tags() -> None:
    (game,) = case("P14")
    assert game.game is not None
    assert game.game.tag("Bianco") == "A"
    assert dict(game.game.tags) == dict(game.tags)
    assert game.game.verdict is Verdict.WHITE


def test_case_of_the_winner_where_black_begins() -> None:
    (game,) = case("P16")
    assert game.game is not None
    assert game.game.verdict is Verdict.BLACK
    white = one(CASES["P16"]["input"]["pdn"], first_score="white")
    assert white.game is not None
    assert white.game.verdict is Verdict.WHITE
    with pytest.raises(ValueError, match="rules, white, black"):
        one("1. 32-28", "international", first_score="red")


def test_case_of_an_ambiguous_last_ply() -> None:
    row = CASES["P22"]
    game = one(f'[GameType "22"]\n[FEN "{row["input"]["fen"]}"]\n1... {row["input"]["moves"][0]} *')
    assert len(plies(game)) == 1
    assert [fault.warning for fault in game.faults] == [True]
    assert "3x10x17x26" in faults(game)[0]
    assert "3x10x19x26" in faults(game)[0]


def test_case_of_an_unfinished_capture() -> None:
    (game,) = case("P23")
    assert plies(game) == []
    assert faults(game) == ["x.pdn:2: game 1, ply 1: 4x31: the capture has to go on from 31; legal is 4x31x42x15"]
    assert game.rest == "4x31"


def test_case_of_clocks() -> None:
    (game,) = case("P24")
    assert game.game is not None
    told = [clocks(node.comments) for node in game.game.line.nodes]
    assert told[0] == (Clock("clock", 600, WHITE, running=False), Clock("clock", 600, BLACK, running=True))
    assert told[1] == (Clock("clock", 597, WHITE, running=True), Clock("clock", 598, BLACK, running=False))
    assert told[2] == ()


def test_case_of_gametypes() -> None:
    def variant(text: str) -> str:
        game = one(text)
        assert game.game is not None
        return game.game.rules.name

    assert variant('[GameType "20,W,10,10,N2,0"]\n1. 32-28') == "international"
    assert variant('[GameType "25"]\n1. c3-d4') == "russian"
    assert variant("1. a3-b4") == "russian"
    assert variant("1. 32-28 19-23 2. 37-32 14-19") == "international"
    assert variant('[FEN "W:W70,72:B1,2"] *') == "canadian"
    undecided = one("1. 11-15")
    assert undecided.game is None
    assert undecided.rest == "11-15"
    assert faults(undecided) == [
        "x.pdn:1: game 1: nothing says which game this is: it needs a Variant or GameType tag, or whoever reads it says so"
    ]


def test_case_of_an_absurd_ply() -> None:
    first, second = case("P30")
    assert len(plies(first)) == 2
    assert "game 1, ply 3: 99-1: 99 is not a square" in faults(first)[0]
    assert first.rest == "99-1 {x} 17-21"
    assert plies(second) == ["33-29"]
    assert not second.faults


def test_case_of_capital_squares() -> None:
    text = '[GameType "25"]\n\n1. A3-B4 B6-C5\n\n*\n[GameType "25"]\n1. A1-A5 *'
    first, second = read(text)
    assert plies(first) == ["21-17", "9-14"]
    assert len(second.faults) == 1
    assert "game 2, ply 1: A1-A5: the man on a1" in faults(second)[0]


# Which game it is


def test_variant_goes_before_gametype() -> None:
    game = one('[GameType "20"]\n[Variant "Killer"]\n1. 32-28 *').game
    assert game is not None
    assert game.rules.name == "killer"


def test_the_caller_knows_which_game_of_a_type_it_is() -> None:
    game = one('[GameType "20"]\n1. 32-28 *', "losing").game
    assert game is not None
    assert game.rules.name == "losing"
    game = one('[GameType "26"]\n1. c3-d4 *', "losing").game
    assert game is not None
    assert game.rules.name == "brazilian"


@pytest.mark.parametrize(("number", "variant"), [(20, "international"), (40, "frisian"), (27, "canadian"), (30, "turkish")])
def test_a_number_is_the_variant_that_has_its_long_form(number: int, variant: str) -> None:
    game = one(f'[GameType "{number}"] *').game
    assert game is not None
    assert game.rules.name == variant


@pytest.mark.parametrize(
    ("variant", "gametype", "other"),
    [
        ("dam-haji", "20", "international"),
        ("dam-haji", "20,W,10,10,N2,0", "international"),
        ("thai", "30,W,8,8,A0,0", "turkish"),
        ("Killer Draughts", "25", "russian"),
        ("killer", "99", "no game that is known here"),
        ("thai", "Turkish draughts", "turkish"),
        ("killer", "20", ""),
        ("losing", "20,W,10,10,N2,0", ""),
        ("dam", "25", ""),  # has none of its own: a type of its board may be what another program gives it
        ("dam-haji", "99", ""),
        ("thai", "Thai draughts", ""),
        ("thai", "no such game", ""),
    ],
)
def test_a_variant_and_a_gametype_that_contradict_each_other(variant: str, gametype: str, other: str) -> None:
    read = one(f'[Variant "{variant}"]\n[GameType "{gametype}"]\n*')
    assert read.game is not None
    assert read.game.rules == load(variant)
    what = f"{gametype} is of {other}, but Variant says {load(variant).name}: Variant is taken"
    assert faults(read) == ([f"x.pdn:1: game 1: warning: GameType: {what}"] if other else [])


def test_names_in_tags_may_be_titles() -> None:
    for text in ('[Variant "Killer Draughts"] *', '[GameType "Killer draughts"] *'):
        read = one(text)
        assert read.game is not None
        assert (read.game.rules.name, read.faults) == ("killer", ())
    assert faults(one('[Variant "Killer 10x10"]\n[GameType "25"] *')) == [
        'x.pdn:1: game 1: warning: Variant: unknown variant "Killer 10x10"; did you mean "killer"?'
    ]


def test_missed_captures() -> None:
    game = one('[Variant "dam-haji"]\n[MissedCapture "forbidden"]\n1. 22-17 *').game
    assert game is not None
    assert game.rules == load("dam-haji").without_penalty()
    other = one('[Variant "dam-haji"]\n[MissedCapture "maybe"]\n1. 22-17 *')
    assert "MissedCapture is forbidden or rule" in faults(other)[0]


def test_unknown_names_are_told_and_the_next_tag_is_asked() -> None:
    game = one('[Variant "chess"]\n[GameType "25"]\n1. c3-d4 *')
    assert plies(game) == ["22-18"]
    assert "Variant: unknown variant" in faults(game)[0]
    game = one('[GameType "russian"]\n1. c3-d4 *')
    assert not game.faults
    game = one('[GameType "99"]\n1. c3-d4 *')
    assert "no variant has the number 99" in faults(game)[0]
    assert plies(game) == ["22-18"]


@pytest.mark.parametrize("variant", [name for name in names() if "," in load(name).names.gametype])
def test_squares_of_each_gametype_are_those_of_the_variant(variant: str) -> None:
    rules = load(variant)
    own = parse_gametype(rules.names.gametype)
    assert own is not None
    assert renamed(rules.geometry, rules.board.mirrored, own) is rules.geometry


def test_a_gametype_with_other_squares_is_translated() -> None:
    unified = one('[GameType "23,W,8,8,A0,0"]\n1. c3-d4 f6-g5 2. d4-c5 b6xd4 3. e3xc5 *')
    assert not unified.faults
    assert unified.game is not None
    assert unified.game.start == start_setup(load("pool"), WHITE)
    assert plies(unified)[:2] == ["22-18", "11-16"]
    jamaican = one('[GameType "23,B,8,8,A1,1"]\n1. c3-d4 f6-g5 *')
    assert not jamaican.faults
    assert len(plies(jamaican)) == 2
    reversed_rows = one('[GameType "21,B,8,8,N3,0"]\n[FEN "B:W1-3:B29-32"]\n1. 29-25 *')
    assert not reversed_rows.faults
    assert reversed_rows.game is not None
    assert reversed_rows.game.start == parse_fen("B:W29-31:B1-4", load("english"))
    assert plies(reversed_rows) == ["1-5"]


def test_the_last_digit_of_a_gametype_alone_changes_nothing() -> None:
    game = one('[GameType "22,W,8,8,N2,0"]\n1. 21-17 12-15 *')
    assert not game.faults
    assert plies(game) == ["21-17", "12-15"]


def test_a_gametype_of_another_board_is_told() -> None:
    game = one('[GameType "20,W,8,8,N2,0"]\n1. 32-28 *')
    assert "a board of 8x8" in faults(game)[0]
    assert plies(game) == ["32-28"]


# Words


@pytest.mark.parametrize(
    "text",
    [
        "1. 32-28 19-23 2. 28x19 14x23",
        "1.32-28 19-23 2.28x19 14x23 *",
        "01. 32-28 19-23 02. 28X19 14:23",
        "1. 32-28 1... 19-23 2. 28-19 2. ... 14-23",
        "1. 3228 1923 2. 2819 1423",
        "1 32-28 19-23 2 28x19 14x23",
        "32-28 19 - 23 28 x19 14x 23",
        "1. 32-28 19-23 2. 28*19 14×23",
        "1. 32–28 19—23 2. 28x19 14x23",
        "% a remark 1. 31-27\n1. 32-28 19-23 % 2. 31-27\n2. 28x19 14x23",
        "1. 32-28!? 19-23?? 2. 28x19! $5 14x23(!?)",
        "\ufeff1. 32-28\r\n19-23\r\n2. 28x19 14x23\r\n",
        "1. 32-28\r19-23\r2. 28x19 14x23",
        "1. 32-28 (1. 31-27 (1. 33-29) 18-23) 19-23 {good} 2. 28x19 14x23",
        "1. 32-28 ; the first\n19-23 2. 28x19 14x23",
    ],
)
def test_spellings(text: str) -> None:
    game = one(text, "international")
    assert faults(game) == []
    assert plies(game) == ["32-28", "19-23", "28x19", "14x23"]


def test_one_letter_squares_are_files_and_ranks() -> None:
    game = one("1. c3 d4 d6-e5 2. b2c3 E7-D6", "russian")
    assert plies(game) == ["22-18", "10-15", "25-22", "7-10"]


def test_dots_and_numbers_say_nothing() -> None:
    assert plies(one("7. 32-28 … 19-23 3...28x19 .. 14x23", "international"))[-1] == "14x23"


def test_a_star_glued_to_a_ply_is_a_mark_where_the_game_goes_on() -> None:
    game = one("1. 32-28* 19-23*\n", "international").game
    assert game is not None
    assert [node.nags for node in game.line.nodes] == [(7,), ()]
    assert game.verdict is Verdict.UNKNOWN


def test_claims() -> None:
    text = '[Variant "dam-haji"]\n1. 22-18 10-15 2. 18-14 9x18 3. 24-20 x23 15-19 *'
    game = one(text)
    assert game.game is not None
    assert faults(game) == []
    assert [ply.kind for ply in game.game.line.plies()].count(PlyKind.CLAIM) == 1


@pytest.mark.parametrize(
    "claim", ["x 23 15-19", "X23 15-19", ":23 15-19", "xe3 15-19", "x23, 15-19", "x23/15-19", "x23+15-19"]
)
def test_claims_as_people_write_them(claim: str) -> None:
    game = one(f'[Variant "dam-haji"]\n1. 22-18 10-15 2. 18-14 9x18 3. 24-20 {claim} *')
    expected = "22-18 10-15 18-14 9x18 24-20 x23 15-19"
    assert " ".join(plies(game)) == expected, faults(game)


def test_marks_nags_comments_and_commands() -> None:
    text = "{a  game} {[%x]} 1. 32-28!! $1 {fine [%clk 0:10] here} $14 (1. 31-27 {or so} 18-23) {then} 1... 19-23 *"
    game = one(text, "international").game
    assert game is not None
    assert game.line.comments == (Comment("a game"), Comment("", (Command("x"),)))
    first = game.line.nodes[0]
    assert (first.strength, first.nags) == ("!!", (1, 14))
    assert first.comments == (Comment("fine here", (Command("clk", "0:10"),)), Comment("then"))
    assert [node.comments for node in first.variations[0].nodes] == [(Comment("or so"),), ()]
    assert clocks(first.comments) == (Clock("clk", 10.0),)


def test_clock_commands() -> None:
    def told(name: str, value: str) -> list[tuple[float, int | None, bool]]:
        return [(c.seconds, c.side, c.running) for c in clocks([Comment("", (Command(name, value),))])]

    assert told("clk", "1:02:03") == [(3723, None, False)]
    assert told("emt", "3.5") == [(3.5, None, False)]
    assert told("mct", "0:05") == [(5, None, False)]
    assert told("egt", "x") == []
    assert told("clock", "W0:10 b1:00:00") == [(10, WHITE, True), (3600, BLACK, False)]
    assert told("other", "0:05") == []
    assert [format_clock(seconds) for seconds in (0, 59.96, 3723, 7.25)] == ["0:00:00", "0:01:00", "1:02:03", "0:00:07.2"]


def test_positions_in_the_middle() -> None:
    text = '1. 32-28 /FEN "W:W31,32:B19,20"/ {set up} 1. 32-28 (1. 31-27) /FEN "W::"/ 28-22 *'
    game = one(text, "international")
    assert not game.faults
    assert game.game is not None
    nodes = game.game.line.nodes
    assert [node.setup is not None for node in nodes] == [False, True, False, True, False]
    assert nodes[1].setup == parse_fen("W:W31,32:B19,20", load("international"))
    assert nodes[3].setup is not None
    assert (nodes[3].setup.side, nodes[3].setup.men) == (WHITE, (frozenset({27, 30}), frozenset({18, 19})))
    assert len(nodes[2].variations) == 1


def test_an_unknown_move_passes_the_turn() -> None:
    game = one("1. 32-28 - - 2. 31-27 *", "international")
    assert plies(game) == ["32-28", "31-27"]
    assert faults(game) == ["x.pdn:1: game 1, ply 1: warning: - -: an unknown move: the board stays and White is to move"]


@pytest.mark.parametrize("value", ["W:W31:B31", "?:W31:B20", "nonsense"])
def test_a_position_that_cannot_be_read(value: str) -> None:
    game = one(f'[FEN "{value}"]\n[White "A"]\n1. 32-28 *', "international")
    assert game.game is not None
    assert game.game.line.nodes == ()
    assert game.rest == f'[FEN "{value}"] 32-28'
    assert len(game.faults) == 1
    assert not game.faults[0].warning
    game = one(f'1. 32-28 /FEN "{value}"/ 19-23 *', "international")
    assert plies(game) == ["32-28"]
    assert game.rest.endswith("19-23")


# Tags


def test_tags() -> None:
    text = '[Event "The \\"big\\" cup \\\\ x"] [Site "C:\\dir"]\n[Белые "Иванов"]\n'
    text += '[White Jansen]\n[Empty ""]\n[Name "a "b" c"]\n*'
    game = one(text, "international")
    assert game.tags == (
        ("Event", 'The "big" cup \\ x'),
        ("Site", "C:\\dir"),
        ("Белые", "Иванов"),
        ("White", "Jansen"),
        ("Empty", ""),
        ("Name", 'a "b" c'),
    )
    assert game.game is not None
    assert game.game.tags == tuple(pair for pair in game.tags if pair[1])


def test_derived_tags_are_fields() -> None:
    game = one('[Result "2-0"]\n[GameType "20"]\n[Setup "1"]\n[FEN "B:W31:B20."]\n[Round "3"]\n1... 20-24 2-0').game
    assert game is not None
    assert game.tags == (("Round", "3"),)
    assert game.start == parse_fen("B:W31:B20", load("international"))
    assert game.verdict is Verdict.WHITE


@pytest.mark.parametrize(
    ("tag", "ended", "verdict", "score"),
    [
        ("2-0", "*", Verdict.WHITE, ""),
        ("1-0", "1-0", Verdict.WHITE, ""),
        ("*", "0-2", Verdict.BLACK, ""),
        ("1/2-1/2", "", Verdict.DRAW, ""),
        ("½-½", "", Verdict.DRAW, ""),
        ("0-0", "", Verdict.BOTH_LOSE, ""),
        ("12-0", "", Verdict.WHITE, "12-0"),
        ("1.01-0.99", "1.01-0.99", Verdict.UNKNOWN, "1.01-0.99"),
        ("1+ - 1-", "1+ - 1-", Verdict.DRAW, "1+ - 1-"),
        ("5-5", "5-5", Verdict.DRAW, "5-5"),
        ("?", "", Verdict.UNKNOWN, ""),
        ("unfinished", "", Verdict.UNKNOWN, "unfinished"),
    ],
)
def test_results(tag: str, ended: str, verdict: Verdict, score: str) -> None:
    read = one(f'[Result "{tag}"]\n1. 32-28 19-23 {ended}', "international")
    assert read.game is not None
    assert (read.game.verdict, read.game.score) == (verdict, score)
    assert plies(read) == ["32-28", "19-23"]


def test_results_that_contradict_each_other() -> None:
    read = one('[Result "2-0"]\n1. 32-28 0-2', "international")
    assert read.game is not None
    assert read.game.verdict is Verdict.WHITE
    assert "ends with 0-2, but its tag says 2-0" in faults(read)[0]


def test_encodings() -> None:
    def event(data: bytes) -> str:
        game = one(data, "international").game
        assert game is not None
        return game.tag("Event")

    text = '[Event "Zażółć – Ó Brasília"]\n1. 32-28 *'
    assert event(text.encode()) == "Zażółć – Ó Brasília"
    assert event(text.encode("utf-8-sig")) == "Zażółć – Ó Brasília"
    assert event(text.encode("utf-16")) == "Zażółć – Ó Brasília"
    assert event('[Event "Brasília – ö"]\n*'.encode("cp1252")) == "Brasília – ö"
    assert event(b'[Event "\x81\x8d"]\n*') == "\x81\x8d"


# Where games begin and end


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("1. 32-28 *\n1. 31-27 *", [1, 1]),
        ("1. 32-28 2-0\n\n1. 31-27 19-23 1-1", [1, 2]),
        ('[Event "a"]\n1. 32-28\n[Event "b"]\n1. 31-27 18-23', [1, 2]),
        ("1. 32-28 2-0 {well played} *\n1. 31-27", [1, 1]),
        ('[Event "a"]\n[Event "b"]\n1. 31-27 *', [0, 1]),
        ("*\n*\n\n1-0", []),
        ("", []),
        ("{only a remark}", [0]),
        ("1. 1-10", [0]),
        ("1. 32-28 ( 1. 31-27 *\n[Event \"x\"]\n1. 33-29 *", [1, 1]),
        ('1. 32-28 {open\n\n[Event "x"]\n1. 33-29 *', [1, 1]),
    ],
)  # fmt: skip
def test_games_of_a_file(text: str, lengths: list[int]) -> None:
    assert [len(plies(game)) for game in read(text, "international")] == lengths


def test_a_comment_behind_the_result_is_the_games_own() -> None:
    game = one("1. 32-28 2-0 {well played} *", "international").game
    assert game is not None
    assert game.line.nodes[-1].comments == (Comment("well played"),)


def test_faults_have_their_places() -> None:
    text = '[Event "a"]\n1. 32-28\n19-23 2. 28x19\n14x24 3. 31-27 *\n\n[Event "b"]\n\n1. 32-28 (1. 31-27\n18-24) 19-23 )\n'
    games = read(text, "international")
    assert [(f.line, f.game, f.ply, f.token, f.warning) for game in games for f in game.faults] == [
        (4, 1, 4, "14x24", False),
        (9, 2, 0, ")", True),
        (9, 2, 2, "18-24", False),
    ]
    assert games[0].rest == "14x24 31-27"
    assert plies(games[1]) == ["32-28", "19-23"]
    assert games[1].game is not None
    assert len(games[1].game.line.nodes[0].variations[0].nodes) == 1


def test_words_that_are_none_are_left_out() -> None:
    game = one("1. 32-28 N 19-23 and so on", "international")
    assert plies(game) == ["32-28", "19-23"]
    assert all(fault.warning for fault in game.faults)


def test_what_is_open_is_settled_by_what_follows() -> None:
    fen = "W:WK4:B13,20,32,37"
    game = one(f'[FEN "{fen}"]\n1. 4x15 32-38 2. 15x42', "international")
    assert plies(game) == ["4x31x42x15", "32-38", "15x42"]
    game = one(f'[FEN "{fen}"]\n1. 4x15 37-42 *', "international")
    assert plies(game) == ["4x27x38x15", "37-42"]
    assert not game.faults


def test_play_texts() -> None:
    rules = load("international")
    position = Position(rules, parse_fen("W:WK4:B13,20,32,37", rules))
    done = play_texts(position, ["4x31", "31x42", "42x15", "32-37", "99-1", "1-2"])
    assert [format_ply(ply, rules.geometry) for ply in done.plies] == ["4x31x42x15", "32-37"]
    assert done.stopped == 4
    assert done.fault is not None
    done = play_texts(Position(rules, parse_fen("W:WK4:B13,20,32,37", rules)), ["4x15"])
    assert [index for index, _ in done.open] == [0]
    assert len(done.open[0][1]) == 2


def test_many_ambiguous_captures_are_bounded() -> None:
    """A capture of three ways again and again, by set-ups between them: each is told, and none takes long."""
    position = "B:W6,7,8,14,15,16,22,23,24:BK2"
    game = one('[GameType "21"]\n' + f'/FEN "{position}"/ 1. 2x4 {{x}}' * 300)
    assert len(plies(game)) == 300
    assert len(game.faults) == 101
    assert "is ambiguous" in faults(game)[0]


# Streaming


class _Endless(io.RawIOBase):
    """A file that is larger than memory, made as it is read."""

    def __init__(self, games: int) -> None:
        super().__init__()
        self._left = games
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._left:
            return 0
        self._left -= 1
        self.given += 1
        text = f'[Event "{self.given}"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n\n'.encode()
        buffer[: len(text)] = text
        return len(text)


def test_games_come_as_they_are_read() -> None:
    stream = _Endless(10**9)
    games = read_games(io.BufferedReader(stream, 4096), reading=Reading(load("international")))
    for number in range(1, 1001):
        game = next(games)
        assert game.number == number
        assert stream.given < number + 200


def test_lines_of_any_length() -> None:
    text = "1. 32-28 19-23 2. 28x19 14x23 * " * 2500
    games = read(text, "international")
    assert len(games) == 2500
    assert all(len(plies(game)) == 4 and game.line == 1 for game in games)


def test_a_game_that_is_too_large_is_told_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitting, "MAX_GAME", 20_000)
    moves = "1. 50-45 5-10 2. 45-50 10-5 "
    text = '[FEN "W:WK50:BK5"]\n' + moves * 1000 + "\n" + moves + '\n[Event "next"]\n1. 32-28 *'
    first, second = read(text.replace(" 2.", "\n2."), "international")
    assert 2_500 < len(plies(first)) < 3_000
    assert [fault.warning for fault in first.faults] == [False]
    assert "more than 20000 characters" in faults(first)[0]
    assert plies(second) == ["32-28"]


def test_text_streams_and_lists_are_sources() -> None:
    def sources() -> Iterator[object]:
        text = "1. 32-28\n19-23 *\n"
        yield io.StringIO(text)
        yield text.splitlines(keepends=True)
        yield [text.encode()]
        yield io.BytesIO(text.encode())

    for source in sources():
        (game,) = read_games(source, reading=Reading(load("international")))  # type: ignore[arg-type]
        assert plies(game) == ["32-28", "19-23"]


def test_deep_variations_are_bounded() -> None:
    deep = MAX_DEPTH + 20
    game = one("1. 32-28 " + "(1. 31-27 " * deep + ")" * deep + " 19-23", "international")
    assert plies(game) == ["32-28", "19-23"]
    assert f"variations more than {MAX_DEPTH} deep: left out" in faults(game)[0]
    assert game.game is not None
    node = game.game.line.nodes[0]
    for _ in range(MAX_DEPTH):
        node = node.variations[0].nodes[0]
    # What is left out is a comment: nothing is lost.
    assert node.comments == (Comment("not read: " + " ".join(["( 31-27"] * 20 + [")"] * 20)),)


def test_a_variation_before_any_ply_is_kept_as_text() -> None:
    game = one("(1. 31-27 {x}) 1. 32-28 19-23 *", "international")
    assert plies(game) == ["32-28", "19-23"]
    assert faults(game) == ["x.pdn:1: game 1: (: a variation before any ply: left out"]
    assert game.game is not None
    assert game.game.line.comments == (Comment("not read: ( 31-27 {x} )"),)


def test_written_games_are_read(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    read_one = one("1. 32-28 19-23 *", "international")
    assert read_one.game is not None
    file.write_text(write_game(read_one.game) * 3, encoding="utf-8")
    with file.open("rb") as stream:
        assert [read.game for read in read_games(stream, str(file))] == [read_one.game] * 3
    assert rules_of("international") == read_one.game.rules
