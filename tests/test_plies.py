"""Plies as text: the one spelling that is written, every spelling that is read, and the reason of every refusal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from damd.core.position import Position
from damd.core.types import KingRun, Ply, PlyKind, TooManyPlies
from damd.geometry import Board
from damd.notation.fen import parse_fen
from damd.notation.plies import PlyError, explain_illegal, format_ply, parse_ply
from damd.notation.spelling import MAX_LENGTH
from damd.rules import Rules
from damd.variants import names
from needs import compiled_core
from outside import CASES, changed, rules_of
from positions import random_setup, start

VARIANTS = tuple(dict.fromkeys((*names(), "killer", "czech", "spanish", "thai", "turkish", "canadian")))

#: A flying king before a lattice of men: 26,612 plies.
LATTICE = "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"


def position(variant: str, fen: str, mode: str = "rule") -> Position:
    rules = rules_of(variant, mode)
    return Position(rules, parse_fen(fen, rules))


def read(text: str, where: Position, squares: str = "numeric") -> str:
    """The full path of the ply that ``text`` names."""
    return format_ply(parse_ply(text, where), where.board, squares)


def fault(text: str, where: Position, code: str = "illegal-ply") -> str:
    with pytest.raises(PlyError) as caught:
        parse_ply(text, where)
    assert caught.value.code == code
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 1200
    return caught.value.message


# Writing


def test_written() -> None:
    board = rules_of("international").geometry
    assert format_ply(Ply(PlyKind.QUIET, (31, 27)), board) == "32-28"
    assert format_ply(Ply(PlyKind.CAPTURE, (18, 27, 36), (22, 31)), board) == "19x28x37"
    assert format_ply(Ply(PlyKind.CLAIM, (21,), (21,)), board) == "x22"
    assert format_ply(Ply(PlyKind.CAPTURE, (18, 27, 36), (22, 31)), board, "algebraic") == "g7xe5xc3"
    board = rules_of("dam-daman").geometry
    claim = tuple(board.index(name) for name in ("b4", "c5", "d4"))
    assert format_ply(Ply(PlyKind.CLAIM, claim, claim), board) == "xb4xc5xd4"
    assert format_ply(Ply(PlyKind.CAPTURE, claim), board, "algebraic") == "b4xc5xd4"


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_written_is_read(variant: str) -> None:
    """Each ply by its written path, in both writings, with other marks and in capitals."""
    rules = rules_of(variant)
    random = Random(variant)
    for number in range(60):
        where = Position(rules, random_setup(rules, random) if number else start(rules))
        plies = where.plies()
        for ply in random.sample(plies, min(12, len(plies))):
            for squares in ("numeric", "algebraic"):
                text = format_ply(ply, where.board, squares)
                for spelling in {text, text.replace("x", ":"), text.upper(), f" {text}\n"}:
                    assert parse_ply(spelling, where) == ply
            if ply.kind is not PlyKind.CLAIM:
                assert parse_ply(text.replace("x", "-"), where) == ply
            if ply.kind is PlyKind.CAPTURE:
                assert parse_ply(text.replace("x", ""), where) == ply


# Every spelling, against routes enumerated one by one


def legal_routes(rules: Rules, where: Position) -> Iterator[tuple[reference.Identity, reference.Route]]:
    """Every legal capture route, by the reference, with the ply it makes."""
    setup = where.setup()
    pieces = reference.pieces_of(setup)
    if reference.game_over(rules, setup.side, pieces):
        return
    routes = list(reference.all_routes(rules, setup.side, pieces, 3000))
    legal = reference.chosen(rules, [route for route in routes if route.complete])
    if rules.penalty.take or rules.capture.going_on == "right":
        legal += [route for route in routes if not route.complete]
    for route in legal:
        captured = frozenset(route.captured)
        yield reference.Identity(PlyKind.CAPTURE, route.path[0], route.path[-1], captured, route.king_after), route


def trace(board: Board, route: reference.Route) -> list[int]:
    """The empty points that the route passes or lands on, without its origin and its last point."""
    points = []
    for number, over in enumerate(route.captured):
        here, landing = route.path[number : number + 2]
        direction = next(d for d in board.directions if landing in run(d.next, here) and over in run(d.next, here))
        line = run(direction.next, here)
        points += [point for point in line[: line.index(landing) + 1] if point != over]
    return points[:-1]


def run(following: Sequence[int], point: int) -> list[int]:
    line = []
    while (point := following[point]) != -1:
        line.append(point)
    return line


def is_part(part: Sequence[int], whole: Sequence[int]) -> bool:
    rest = iter(whole)
    return all(point in rest for point in part)


def meant(points: tuple[int, ...], routes: Sequence[tuple[reference.Identity, reference.Route]], board: Board) -> set:
    """The plies that a capture written as ``points`` can mean."""
    full = {ply for ply, route in routes if route.path == points}
    if full or len(points) < 2:
        return full
    found = {ply for ply, _ in routes if (ply.origin, ply.end) == points[:2] and ply.captured == frozenset(points[2:])}
    if len(set(points[2:])) < len(points[2:]):
        found = set()
    for ply, route in routes:
        if (ply.origin, ply.end) == (points[0], points[-1]) and is_part(points[1:-1], trace(board, route)):
            found.add(ply)
    return found


def spellings(route: reference.Route, board: Board, random: Random) -> Iterator[tuple[int, ...]]:
    """Texts that may name the route: whole, cut short, with points passed, in Hub's manner, and spoilt."""
    path = route.path
    yield path
    yield path[0], path[-1]
    yield (path[0], *(point for point in path[1:-1] if random.random() < 0.5), path[-1])
    yield (path[0], *(point for point in trace(board, route) if random.random() < 0.7), path[-1])
    yield path[0], path[-1], *random.sample(route.captured, len(route.captured))
    spoilt = list(path)
    spoilt[random.randrange(len(spoilt))] = random.randrange(board.size)
    yield tuple(spoilt)
    yield path[:-1]


def compare(rules: Rules, setup_seed: int) -> int:
    """Every capture of one random position in several spellings; how many were read."""
    random = Random(setup_seed)
    where = Position(rules, random_setup(rules, random))
    setup, board = where.setup(), where.board
    try:
        routes = list(legal_routes(rules, where))
    except reference.TooManyRoutes:
        return 0
    count = 0
    for _, route in random.sample(routes, min(6, len(routes))):
        for points in spellings(route, board, random):
            expected = meant(points, routes, board)
            text = "x".join(board.names[point] for point in points)
            try:
                found = {reference.identity(parse_ply(text, where), setup)}
            except PlyError as error:
                found = set(expected) if len(expected) > 1 and error.code == "ambiguous-ply" else set()
            assert expected == found, text
            count += len(found) == 1
    return count


@pytest.mark.parametrize("mode", ["rule", "forbidden"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_spelling_of_random_captures(variant: str, mode: str) -> None:
    rules = rules_of(variant, mode)
    if mode == "forbidden" and rules == rules_of(variant):
        return
    assert sum(compare(rules, seed) for seed in range(150)) > 100


@pytest.mark.long
@pytest.mark.parametrize("mode", ["rule", "forbidden"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_spelling_of_many_random_captures(variant: str, mode: str) -> None:
    for seed in range(1000, 2600):
        compare(rules_of(variant, mode), seed)


@pytest.mark.parametrize(
    "changes",
    [
        {"capture.going_on": "right", "capture.landing_goes_on": False},
        {"promotion.in_capture": "as-king", "capture.removal": "end-of-move"},
        {"promotion.in_capture": "as-man", "king.landing": "behind"},
        {"king.landing": "behind-king", "men.captures": ("forward-diagonal", "backward-diagonal"), "penalty.take": 0},
        {"king.capture": "adjacent"},
        {"king.about_turn": False, "capture.landing_goes_on": True, "penalty.take": 0},
        {"capture.choice": ("pieces", "earliest-king"), "capture.landing_goes_on": True, "penalty.take": 0},
    ],
)
def test_every_spelling_under_other_rules(changes: dict[str, object]) -> None:
    rules = changed(rules_of("dam-haji-10"), changes)
    assert sum(compare(rules, seed) for seed in range(100)) > 50


# Spellings by hand


def test_spellings_of_the_same_move() -> None:
    where = position("international", "W:W31-50:B1-20")
    for text in ("32-28", "3228", "32-028", "d4-e5", "D4-E5", "d4e5", "D4E5", "32-e5", " 32-28\r"):
        assert read(text, where) == "32-28"
    assert read("32-28", where, "algebraic") == "d4-e5"


def test_captures_cut_short() -> None:
    where = position("international", "W:WK47:B14,19,29,31,42")
    paths = sorted(format_ply(ply, where.board) for ply in where.plies())
    assert len(paths) == 2
    for text in ("47x36", "4736", "47-36", "47:36", "c1a3", "47x38x36"):
        message = fault(text, where, "ambiguous-ply")
        assert message.endswith("names 2 plies: " + ", ".join(paths)) or text == "c1a3"
    assert read("47x38x20x9x36", where) == next(path for path in paths if "x20x" in path)
    assert read("47x20x36", where) == read("47x9x36", where) == read("47x36x42x31x29x14", where)
    assert read("47x38x24x13x36", where) == "47x33x24x13x36"
    assert "names 2 plies" in fault("47x13x36", where, "ambiguous-ply")


def test_round_trips() -> None:
    where = position("international", "W:WK38:B18,19,32,33")
    assert read("38x38", where) == read("3838", where) == "38x24x13x27x38"
    assert read("38x27x13x24x38", where) == "38x24x13x27x38"
    assert read("38x43", where) == read("38x24x43", where) == "38x24x13x27x43"
    assert "38x24x13x27x38" in fault("38x24x13x27x32", where)


def test_routes_with_the_same_result() -> None:
    where = position("frisian", "W:WK4,36,41,42,43,44,46,47,48,49,50:B1,2,6,12,14,17,18,23")
    assert len(where.plies()) == 6
    assert read("4x24x22x11x13x22", where) == read("4x24x22x13x11x22", where)
    where = position("english", "B:W6,7,8,14,15,16,22,23,24:BK2")
    assert read("2x11x20x27x18x25", where) == read("2x25x16x7x24x23x22", where)
    assert "names 2 plies: " in fault("2x2", where, "ambiguous-ply")
    assert "names 4 plies: " in fault("2x4", where, "ambiguous-ply")


@pytest.mark.parametrize("case", [case for case in CASES if "legal" in case["expected"]], ids=lambda case: case["id"])
def test_cases(case: dict) -> None:
    """Every ply of the outside data is read by its spelling there, and takes what it takes there."""
    where = position(case["variant"], case["input"]["fen"], "forbidden")
    for row in case["expected"]["legal"]:
        text = row if isinstance(row, str) else row["move"]
        try:
            ply = parse_ply(text, where)
        except PlyError as error:
            assert error.code == "ambiguous-ply"  # noqa: PT017
            continue
        if not isinstance(row, str):
            assert sorted(ply.captured) == sorted(where.board.index(name) for name in row["captured"])


def test_case_of_a_short_form_that_names_two() -> None:
    where = position("international", "W:WK4:B13,20,32,37")
    message = fault("4x15", where, "ambiguous-ply")
    assert message == "4x15 names 2 plies: 4x27x38x15, 4x31x42x15"
    assert read("4x31x15", where) == "4x31x42x15"
    where = position("russian", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8")
    assert read("f8xb4", where, "algebraic") == "f8xb4"
    assert read("f8xh6xf4xd6xb4", where, "algebraic") == read("f8xf4xb4", where, "algebraic") == "f8xh6xf4xd6xb4"
    assert fault("f8xd6xb4", where, "ambiguous-ply") == "f8xd6xb4 names 2 plies: f8xh6xf4xd6xb4, f8xb4"


def test_full_path_wins_over_a_longer_capture_cut_short() -> None:
    where = position("dam-haji-10", "W:WK50:B44,33,22,35")
    paths = [format_ply(ply, where.board) for ply in where.plies() if ply.kind is PlyKind.CAPTURE]
    assert "50x39" in paths
    assert "50x39x28" in paths
    assert read("50x39", where) == "50x39"


def test_quiet_move_and_capture_with_the_same_ends() -> None:
    """Around the square: c1-c3 is free, and over d1, e2 and d3 a capture comes to c3 as well."""
    rules = changed(rules_of("turkish"), {"capture.compulsory": False})
    where = Position(rules, parse_fen("W:WKc1:BKd1,e2,d3,Kh8", rules))
    captures = [ply for ply in where.plies() if ply.kind is PlyKind.CAPTURE and ply.end == where.board.index("c3")]
    assert len(captures) == 1
    assert parse_ply("c1-c3", where).kind is PlyKind.QUIET
    assert parse_ply("c1xc3", where) == captures[0]
    assert fault("c1c3", where, "ambiguous-ply") == "c1c3 names 2 plies: c1-c3, " + format_ply(captures[0], where.board)


def test_digits_without_a_mark() -> None:
    where = position("dam", "W:W21,22:B1,2")
    assert read("2117", where) == "21-17"
    where = position("dam", "W:WK1,K11:B21,3", "forbidden")
    assert "is not a square" in fault("111111", where)
    where = position("dam-daman", "W:Wa3,a4,b3,b4,c3:BKe9")
    assert "is not a square" in fault("34", where)


# Claims


def test_claims() -> None:
    where = position("dam-haji", "W:W5:B1,K32:P1,32")
    assert read("x32", where) == read(":32", where) == read("X32", where) == read("xg1", where) == "x32"
    where = position("dam-daman", "W:WKa1:BKc1,Kb2,Kc3,Ke1:P*3")
    for text in ("xc1xe1xb2", "xb2xe1xc1", ":e1:b2:c1", "xB2E1C1", "xe1-b2-c1"):
        assert read(text, where) == "xc1xe1xb2"


def test_faults_of_claims() -> None:
    where = position("dam-haji", "W:W5,21:B1,12,K32:P1,32")
    assert fault("x12", where) == "the piece on 12 has not missed a capture; what may be claimed is 1, 32"
    assert fault("x21", where) == "there is no piece of Black on 21 to claim"
    assert fault("x1x32", where) == "a claim takes exactly 1 piece here, not 2: x1, x32"
    assert fault("x1x1", where) == "1 is claimed twice"
    assert "is not a square" in fault("x33", where)
    assert "is no ply" in fault("x", where)
    assert "no right to claim" in fault("x12", position("dam-haji", "W:W5,21:B1,12,K32"))
    assert "captures cannot be missed here" in fault("x12", position("dam-haji", "W:W5,21:B1,12,K32", "forbidden"))
    where = position("dam-daman", "W:WKa1:BKc1,Kb2,Kc3,Ke1:P*3")
    message = fault("xc1xe1", where)
    assert message.startswith("a claim takes exactly 3 pieces here, not 2: xc1xe1xb2, xc1xe1xc3")


# Reasons


@pytest.mark.parametrize(
    ("variant", "fen", "text", "message"),
    [
        ("international", "W:W31-50:B1-20", "", "an empty text is no ply: plies are written as 32-28, 19x28x37 or x22"),
        ("international", "W:W31-50:B1-20", "32--28", "32--28 is no ply: plies are written as 32-28, 19x28x37 or x22"),
        ("international", "W:W31-50:B1-20", "32-", "32- is no ply: plies are written as 32-28, 19x28x37 or x22"),
        ("international", "W:W31-50:B1-20", "32-51", "51 is not a square: squares are 1-50, or files a-j and ranks 1-10"),
        ("international", "W:W31-50:B1-20", "a3-a4", "a4 is not a square: squares are 1-50, or files a-j and ranks 1-10"),
        ("international", "W:W31-50:B1-20", "draw", "draw is not a square: squares are 1-50, or files a-j and ranks 1-10"),
        ("dam-daman", "W:Wa1,b2,c2,d2:Ba9,b8,c8,d8", "1-2", "1 is not a square: squares are files a-e and ranks 1-9"),
        (
            "dam-daman",
            "W:Wa1,b2,c2,d2:Ba9,b8,c8,d8",
            "a1-",
            "a1- is no ply: plies are written as c5-c6, c5xa5xe1 or xb4xc5xd4",
        ),
        ("international", "W:W31-50:B1-20", "32", "32 is no ply alone: origin and end are needed, as in 32-27"),
        ("international", "W:W31-50:B1-20", "28-23", "there is no piece on 28"),
        ("international", "W:W31-50:B1-20", "e5-f6", "there is no piece on e5"),
        ("international", "W:W31-50:B1-20", "20-25", "the piece on 20 is Black's, and White is to move"),
        ("international", "W:W31-50:B1-20", "32-37", "37 is occupied"),
        ("international", "W:W31-50:B1-20", "32-32", "the man on 32 has to move"),
        (
            "international",
            "W:W31-50:B1-20",
            "32-23",
            "the man on 32 (one step forward-diagonal) cannot go to 23; it can go 32-27, 32-28",
        ),
        ("international", "W:W31-50:B1-20", "42-38", "38 is occupied"),
        ("international", "W:W31-50:B1-20", "32x28", "32x28 captures nothing: the quiet move is written 32-28"),
        ("international", "W:W31-50:B1-20", "32x23", "the man on 32 can capture nothing"),
        ("international", "W:W28,31,37:B22,12", "31-26", "a capture is compulsory: 28x17x8"),
        ("international", "W:W28,31,37:B22,12", "c3-b4", "b4 is occupied; a capture is compulsory: e5xc7xe9"),
        (
            "international",
            "W:W28,31,37:B22,12",
            "31-21",
            "the man on 31 (one step forward-diagonal) cannot go to 21; a capture is compulsory: 28x17x8",
        ),
        ("international", "W:W28,31,37:B22,12", "28x17", "the capture has to go on from 17; legal is 28x17x8"),
        ("international", "W:W28,31,37:B22,12", "28-17", "the capture has to go on from 17; legal is 28x17x8"),
        ("international", "W:W28,31,37:B22,12", "28x8x3", "the man on 28 cannot capture on to 8; legal is 28x17x8"),
        (
            "international",
            "W:W28,31,37:B22,12",
            "28x17x3",
            "from 17 to 3 is too far: a man captures only the piece next to it, and lands right behind it; legal is 28x17x8",
        ),
        ("international", "W:W28,31,37:B22,12", "28x16", "no legal capture from 28 ends on 16; legal is 28x17x8"),
        ("international", "W:W28,31,37:B22,12", "31x22", "22 is occupied; legal is 28x17x8"),
        (
            "international",
            "W:W28,31,37:B22,12",
            "x22",
            "there is nothing to claim: captures cannot be missed here, so no piece is forfeited",
        ),
        (
            "international",
            "W:W28,31,30:B22,12,24",
            "30x19",
            "the largest number of pieces must be captured: 30x19 takes 1, 28x17x8 takes 2; legal is 28x17x8",
        ),
        (
            "italian",
            "W:W31,32,K25:B12,13,20,21,28,7,K14,K5",
            "32x23",
            "the largest number of pieces must be captured: 32x23 takes 1, 25x18x11x4 takes 3; legal is 25x18x11x4",
        ),
        (
            "russian",
            "W:WKg1:Bf2,e5",
            "g1xa7",
            "behind f2 the capture has to land where it can go on, not on a7; legal are g1xd4xh8, g1xd4xg7, g1xd4xf6",
        ),
        (
            "killer",
            "W:WK46:BK37,5",
            "46x28",
            "a king that captures a king last halts right behind it, not on 28; legal is 46x32",
        ),
        (
            "frisian",
            "W:WK1,13:B30,K46:L1=3",
            "1-6",
            "the king on 1 has made 3 quiet moves in a row, another piece has to move: 13-8, 13-9",
        ),
        ("dam", "W:W21:B", "21-17", "the game is over: White has won (no-pieces)"),
        (
            "dam",
            "B:WK2:BK7",
            "7-8",
            "the king on 7 (any distance forward-diagonal or backward-diagonal) cannot go to 8; it can go 7-3, 7-10",
        ),
        ("dam-daman", "W:WKa3:BKa4", "a3-b3", "the game is over: a draw (one-each)"),
        ("dam-haji", "W:W5:B1", "5-1", "the game is over: Black has won (no-moves); 1 is occupied"),
    ],
)
def test_reasons(variant: str, fen: str, text: str, message: str) -> None:
    where = position(variant, fen)
    found = fault(text, where)
    assert found.startswith(message) if variant == "dam" else found == message
    assert explain_illegal(text, where) == found


def test_case_of_a_king_that_moved_three_times() -> None:
    where = position("frisian", "W:WK1,13:B30,K46")
    for text in ("1-6", "46-41", "6-1", "41-46", "1-6", "46-41"):
        where.play(parse_ply(text, where))
    assert where.setup().king_runs[0] == KingRun(5, 3)
    assert fault("6-1", where) == "the king on 6 has made 3 quiet moves in a row, another piece has to move: 13-8, 13-9"


# Bounds


@compiled_core
def test_lists_are_cut() -> None:
    where = position("dam-haji-10", LATTICE)
    assert len(where.plies()) > 26_000
    for text in ("50-45", "7-12", "2x35x51", "x7", "2", "2x51", "2-2x"):
        fault(text, where)
    message = fault("2-40", where, "ambiguous-ply")
    assert message.startswith("2-40 names 161 plies: 2x11x")
    assert message.endswith(" and 149 more")
    assert message.count(",") == 11
    assert "too many captures: write the full path" in fault("2x" + "13x" * 100 + "13", where, "ambiguous-ply")


@compiled_core
def test_long_texts_in_a_position_with_many_plies_take_little_time() -> None:
    where = position("dam-haji-10", LATTICE)
    plies = where.plies()
    longest = max(plies, key=lambda ply: len(ply.path))
    path = [where.board.names[point] for point in longest.path]
    assert parse_ply("x".join(path), where) == longest
    for text in (
        "x".join(path[::2]),
        "x".join((*path[:3], path[-1])),
        "x".join((path[0], *path[-2:])),
        "x".join(path[::-1]),
    ):
        began = time.perf_counter()
        read_or_refuse(text, where, plies)
        assert time.perf_counter() - began < 10


def test_too_many_plies_are_the_callers_affair() -> None:
    rules = replace(rules_of("dam-haji-12"))
    lattice = ",".join(str(12 * row + column) for row in range(1, 6) for column in range(2, 7))
    where = Position(rules, parse_fen(f"W:WK72:B{lattice}", rules))
    try:
        plies = where.plies()
    except TooManyPlies:
        plies = []
    if not plies:
        with pytest.raises(TooManyPlies):
            parse_ply("72-66", where)


def test_overlong_texts() -> None:
    where = position("international", "W:W31-50:B1-20")
    assert f"at most {MAX_LENGTH}" in fault("32-28" + " " * MAX_LENGTH, where)
    assert fault("32-" + "0" * 400 + "28x", where)


ALPHABET = "0123456789abcdefghijkl-x:X K\u00b2\u0660\x00"


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(VARIANTS), st.integers(0, 2**32), st.data())
def test_any_text_is_read_or_refused(variant: str, seed: int, data: st.DataObject) -> None:
    rules = rules_of(variant)
    random = Random(seed)
    where = Position(rules, random_setup(rules, random))
    plies = where.plies()
    text = format_ply(random.choice(plies), where.board, random.choice(("numeric", "algebraic"))) if plies else ""
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.text(ALPHABET, max_size=4)) + text[at + data.draw(st.integers(0, 3)) :]
    read_or_refuse(text, where, plies)
    read_or_refuse(data.draw(st.text()), where, plies)


def read_or_refuse(text: str, where: Position, plies: list[Ply]) -> None:
    try:
        assert parse_ply(text, where) in plies
    except PlyError as error:
        caught = error
    else:
        return
    assert caught.code in ("illegal-ply", "ambiguous-ply")
    assert caught.message.isprintable()
    assert caught.token.isprintable()
    assert 0 < len(caught.message) < 1500
    assert explain_illegal(text, where)
