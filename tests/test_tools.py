"""``damd moves`` and ``damd fen``: what scripts ask of positions, through the real command."""

from __future__ import annotations

import json
from random import Random

import pytest

from commands import damd
from damd import variants
from damd.core.position import Position
from damd.core.types import Ply, Setup
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply, parse_ply
from damd.tools.fen import flipped, mirrored
from positions import random_setup

LIST = """\
# a list
[Variant "dam-haji"]
W:W22:B18,5 bm 22x15; id "a";

rubbish
[FEN "W:W32:B1."] *
[Variant "dam-daman"]
W:WKc5:BKd2,Kb5:P*3
[Variant "international"] [FEN "W:W50:B1"] 1-0
"""


def test_moves_of_a_position() -> None:
    assert damd("moves", "international", "--fen", "W:W28,32:B22").lines == ["28x17"]
    after = damd("moves", "international", "--moves", "32-28 19-23", "28x19")
    assert sorted(after.lines) == ["13x24", "14x23"]
    assert damd("moves", "--fen", "W:W5:B1").out == ""


def test_the_spellings_of_moves() -> None:
    fen = ("--fen", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8")
    full = damd("moves", "russian", *fen, "--squares", "algebraic")
    assert full.lines == ["f8xb4", "f8xh6xf4xd6xb4", "h4xf6xd4xb6"]
    assert damd("moves", "russian", *fen, "--spelling", "short").lines == ["3x17", "3x12x19x10x17", "20x9"]
    assert damd("moves", "russian", *fen, "--spelling", "pdn").lines == ["f8:b4", "f8:h6:f4:d6:b4", "h4:b6"]


def test_moves_as_objects() -> None:
    ended = damd("moves", "dam-haji", "--fen", "W:W6,22:B18", "--json")
    row = json.loads(ended.out)
    assert (row["variant"], row["fen"]) == ("dam-haji", "W:W6,22:B18")
    by_ply = {ply["ply"]: ply for ply in row["plies"]}
    assert by_ply["22x15"] == {
        "ply": "22x15",
        "short": "22x15",
        "kind": "capture",
        "path": ["22", "15"],
        "captured": ["18"],
        "promotes": False,
        "fen": "B:W6,15:B",
    }
    assert by_ply["6-1"]["promotes"]
    assert by_ply["6-1"]["fen"] == "B:WK1,22:B18:P22"


def test_moves_of_a_list() -> None:
    ended = damd("moves", "--fen", "-", given=LIST)
    assert ended.code == 1
    assert [len(line.split()) for line in ended.lines][:2] == [2, 2]
    assert ended.lines[3] == "50-44 50-45"
    assert ended.faults == ["<stdin>:5: rubbish is no side to move: the FEN has to begin with W: or B:"]
    rows = [json.loads(line) for line in damd("moves", "--fen", "-", "--json", given=LIST).lines]
    assert [row["variant"] for row in rows] == ["dam-haji", "dam-haji", "dam-daman", "international"]


def test_explanations_say_which_position_of_a_list_they_are_about() -> None:
    ended = damd("explain", "22-17", "22x15", "--fen", "-", given=LIST)
    assert ended.code == 1
    heads = [line for line in ended.lines if not line.startswith("  ")]
    assert heads[0].startswith("<stdin>:3: W:W22:B5,18: 22-17 is legal")
    assert [head.split(":")[1] for head in heads] == ["3", "3", "6", "6", "8", "8", "9", "9"]
    assert ended.faults == ["<stdin>:5: rubbish is no side to move: the FEN has to begin with W: or B:"]
    rows = [json.loads(line) for line in damd("explain", "22-17", "--fen", "-", "--json", given=LIST).lines]
    assert [(row["line"], row["variant"], row["fen"], row["ply"]) for row in rows] == [
        (3, "dam-haji", "W:W22:B5,18", "22-17"),
        (6, "dam-haji", "W:W32:B1", "22-17"),
        (8, "dam-daman", "W:WKc5:BKd2,Kb5:P*3", "22-17"),
        (9, "international", "W:W50:B1", "22-17"),
    ]
    (alone,) = (json.loads(line) for line in damd("explain", "18-15", "--moves", "22-18 9-14", "--json").lines)
    assert "line" not in alone
    assert alone["fen"].startswith("W:W18,21,23,")


def test_the_lines_of_a_list_are_in_objects() -> None:
    for tool in (("moves", "--fen", "-"), ("fen", "-")):
        rows = [json.loads(line) for line in damd(*tool, "--json", given=LIST).lines]
        assert [row["line"] for row in rows] == [3, 6, 8, 9]
    assert "line" not in json.loads(damd("fen", "--json").out)


def test_fens_are_written_the_one_way() -> None:
    ended = damd("fen", "b:b20,k6:w31-33.", '[FEN "W:Wa1,K50:B20"]', "--variant", "international")
    assert (ended.code, ended.lines, ended.err) == (0, ["B:W31,32,33:BK6,20", "W:W46,K50:B20"], "")
    assert damd("fen", "W:W46:B20", "--variant", "international", "--squares", "algebraic").lines == ["W:Wa1:Bi7"]
    assert damd("fen").lines == ["W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"]


def test_one_line_for_each_bad_fen() -> None:
    ended = damd("fen", "W:W31,31:B20", "W:W31:B20", "?:W31:B20", "--variant", "international")
    assert (ended.code, ended.lines) == (1, ["W:W31:B20"])
    assert ended.faults == [
        "damd: FEN 1: square 31 is used twice, in field W",
        "damd: FEN 3: side to move unknown (?): the FEN has to begin with W or B",
    ]


def test_a_list_of_fens() -> None:
    ended = damd("fen", "-", given=LIST.replace("\n", "\r\n").encode("utf-8-sig"))
    assert (ended.code, len(ended.faults)) == (1, 1)
    assert ended.lines == ["W:W22:B5,18", "W:W32:B1", "W:WKc5:BKd2,Kb5:P*3", "W:W50:B1"]


def test_what_stands_below_an_unknown_game_is_not_read_as_another() -> None:
    given = '[Variant "no-such-game"]\nW:W31:B20\n[Variant "international"]\nW:W32:B20\n'
    ended = damd("fen", "-", given=given)
    assert (ended.code, ended.lines) == (1, ["W:W32:B20"])
    assert len(ended.faults) == 1
    assert ended.faults[0].startswith('<stdin>:1: unknown variant "no-such-game"')


def test_plies_before_a_fen() -> None:
    ended = damd("fen", "W:W23,32:B19,1", "--moves", "32-27", "x23", "--full")
    assert ended.lines == ["B:W27:B1,19:H0:F1"]
    ended = damd("fen", "W:W23,32:B19,1", "--moves", "32-27", "2-7")
    assert (ended.code, ended.lines) == (1, [])
    assert ended.faults == ["damd: ply 2 2-7: there is no piece on 2"]


def test_keys_and_objects() -> None:
    one, two = damd("fen", "W:W31:B20", "W:W31:B20:H4:F9", "--variant", "international", "--key").lines
    assert one == two
    key, fen = one.split()
    assert (len(key), fen) == (16, "W:W31:B20")
    row = json.loads(damd("fen", "W:W23,K6:B19,1:P19:H2:F7", "--json").out)
    assert row["white"] == {"men": ["23"], "kings": ["6"]}
    assert row["right"] == {"take": 1, "squares": ["19"]}
    assert (row["side"], row["halfmoves"], row["fullmoves"], row["result"]) == ("white", 2, 7, None)
    ended = damd("fen", "W:W5:B1", "--json")
    assert json.loads(ended.out)["result"] == {"winner": "black", "reason": "no-moves"}
    frisian = json.loads(damd("fen", "W:WK1,13:B30,K46:L1=2", "--variant", "frisian", "--json").out)
    assert frisian["white"]["run"] == {"king": "1", "moves": 2}


def test_boards_turned_round() -> None:
    assert damd("fen", "W:W31,K5:B20", "--variant", "international", "--flip").lines == ["B:W31:B20,K46"]
    assert damd("fen", "W:WKc5:BKd2,Kb5:P*3", "--variant", "dam-daman", "--mirror").lines == ["W:WKc5:BKb2,Kd5:P*3"]
    ended = damd("fen", "W:W31:B20", "--variant", "international", "--mirror")
    assert (ended.code, ended.lines) == (1, [])
    assert ended.faults == ["damd: this board has no mirror image on its own squares"]


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman", "international", "italian", "frisian"])
def test_a_flipped_position_has_the_same_plies_flipped(variant: str) -> None:
    rules = variants.load(variant)
    board = rules.geometry
    random = Random(7)
    at = {xy: point for point, xy in enumerate(board.xy)}

    def check(turn: object, x_sign: int, y_sign: int) -> None:
        to = [at[x if x_sign > 0 else board.columns - 1 - x, y if y_sign > 0 else board.rows - 1 - y] for x, y in board.xy]
        for _ in range(40):
            setup = Position(rules, random_setup(rules, random)).setup()
            other = Position(rules, turn(setup, board))  # type: ignore[operator]
            assert turn(other.setup(), board) == setup  # type: ignore[operator]
            here = {_identity(ply, to) for ply in Position(rules, setup).plies()}
            assert here == {_identity(ply, range(board.size)) for ply in other.plies()}, format_fen(setup, rules)

    check(flipped, -1, -1)
    if variant == "dam-daman":
        check(mirrored, -1, 1)


def _identity(ply: Ply, to: object) -> tuple[object, ...]:
    captured = frozenset(to[point] for point in ply.captured)  # type: ignore[index]
    ends = () if ply.kind.value == "claim" else (to[ply.origin], to[ply.end])  # type: ignore[index]
    return ply.kind, ends, captured, ply.promotes


def test_short_spellings_name_the_ply() -> None:
    from damd.notation.pdn import short_ply

    for variant in ("international", "russian", "dam-haji", "dam-daman", "italian"):
        rules, random = variants.load(variant), Random(3)
        for _ in range(60):
            position = Position(rules, random_setup(rules, random))
            plies = position.plies()
            for ply in random.sample(plies, min(8, len(plies))):
                text = short_ply(ply, plies, rules, "numeric", "x")
                assert parse_ply(text, position) == ply, (text, format_ply(ply, position.board))


def test_setups_keep_what_they_say_when_flipped() -> None:
    rules = variants.load("frisian")
    setup = Setup(0, (frozenset({30}), frozenset()), (frozenset({2}), frozenset({40})), None, (None, None), 4, 9)
    turned = flipped(setup, rules.geometry)
    assert (turned.side, turned.halfmoves, turned.fullmoves) == (1, 4, 9)
    assert turned.men == (frozenset(), frozenset({19}))
    assert turned.kings == (frozenset({9}), frozenset({47}))
