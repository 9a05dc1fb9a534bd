"""Draws by counting: the endings of each game, in the core, the reference and a witness that knows no variant file."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import reference
from damd.core.position import Position
from damd.core.types import Clock, Outcome, PlyKind, Reason, Setup
from damd.daemon.session import Session
from damd.engine import Engine, Info, Limits
from damd.limits import Score
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.rules import DrawRule, EndRules, Force, Rules, Span
from damd.variants import load, names
from endings import DEFAULT_MOVE_LIMIT, ENDINGS, MOVE_LIMITS, drawn_by, running
from positions import load_lines

MOVE_LIMIT = Reason.MOVE_LIMIT.value


def position_of(variant: str, fen: str, *plies: str, build: str | None = None) -> Position:
    rules = load(variant)
    position = Position(rules, parse_fen(fen, rules), build=build)
    for text in plies:
        position.play(parse_ply(text, position))
    return position


def clocks(position: Position) -> dict[str, int]:
    return {clock.name: clock.plies for clock in position.clocks()}


def case_called(name: str) -> dict[str, Any]:
    (case,) = [case for case in load_lines("cases.jsonl") if case["id"] == name]
    return dict(case)


# What other programs got wrong


@pytest.mark.parametrize("build", [None, "interpreted"])
def test_a_king_against_a_king_is_drawn_after_five_moves_each(build: str | None) -> None:
    given = case_called("D05")["input"]
    position = position_of("international", given["fen"], *given["moves"][:9], build=build)
    assert position.outcome() is None
    position.play(parse_ply(given["moves"][9], position))
    assert position.outcome() == Outcome(None, Reason.MATERIAL, "five-moves")


@pytest.mark.parametrize("build", [None, "interpreted"])
def test_the_older_count_goes_on_where_a_capture_brings_a_smaller_ending(build: str | None) -> None:
    case = case_called("D07")
    position = position_of("international", case["input"]["fen"], *case["input"]["moves"], build=build)
    left = {clock.name: clock.left for clock in position.clocks()}
    assert left["sixteen-moves"] == case["expected"]["sixteen_left"]
    assert left["five-moves"] == case["expected"]["five_left"]


@pytest.mark.parametrize("given", case_called("D09")["input"]["cases"], ids=lambda given: str(given["fen"]))
def test_russian_endings(given: dict[str, Any]) -> None:
    """The first count to run out if nothing happens; pieces are counted in total, those of both sides together."""
    running_now = position_of("russian", given["fen"]).clocks()
    assert min(clock.limit for clock in running_now) == 2 * given["limit_moves"]


def test_frisian_endings() -> None:
    two, one = case_called("D10")["input"]["cases"]
    assert Clock("two-kings", 0, two["draw_after_plies"]) in position_of("frisian", two["fen"]).clocks()
    assert Clock("one-king", 0, one["draw_after_plies"]) in position_of("frisian", one["fen"]).clocks()
    # The second pair of moves ends with a king that can be taken: the draw waits for it.
    moves = ("28-33", "1-7", "33-28", "7-12")
    drawn = position_of("frisian", one["fen"], *moves[:3], "7-1")
    assert drawn.outcome() == Outcome(None, Reason.MATERIAL, "one-king")
    waiting = position_of("frisian", one["fen"], *moves[:3], "7-23")
    assert any(ply.kind is PlyKind.CAPTURE for ply in waiting.plies())
    assert waiting.outcome() is None


def test_the_limit_of_king_moves_is_part_of_the_position() -> None:
    case = case_called("D11")
    position = position_of("frisian", case["input"]["fen"], *case["input"]["moves"])
    written = sorted(format_ply(ply, position.board) for ply in position.plies())
    assert written == sorted(case["expected"]["legal_now"])
    again = Position(position.rules, position.setup())
    assert again.key == position.key
    assert again.plies() == position.plies()
    forgotten = Position(position.rules, replace(position.setup(), king_runs=(None, None)))
    assert forgotten.key != position.key


# Every game


@pytest.mark.parametrize("variant", names())
def test_limits_are_those_of_the_rules(variant: str) -> None:
    end = load(variant).end
    assert end.move_limit == MOVE_LIMITS.get(variant, DEFAULT_MOVE_LIMIT)
    assert {(draw.name, draw.limit) for draw in end.draws} == {(each.name, each.limit) for each in ENDINGS.get(variant, ())}


def small_ending(rules: Rules, random: Random) -> Setup:
    """A few kings and fewer men."""
    board = rules.geometry
    zones = board.zones["far-row"]
    while True:
        count = random.choice((2, 2, 3, 4, 4, 4, 5, 6, 7))
        points = random.sample(range(board.size), count)
        white = random.choice((1, 1, count - 1, random.randint(1, count - 1)))
        sides = points[:white], points[white:]
        kings = [{point for point in side if random.random() < 0.8 or point in zones[n]} for n, side in enumerate(sides)]
        setup = Setup(
            side=random.randrange(2),
            men=(frozenset(sides[0]) - kings[0], frozenset(sides[1]) - kings[1]),
            kings=(frozenset(kings[0]), frozenset(kings[1])),
            halfmoves=random.choice((0, 0, 0, 1, 5)),
        )
        position = Position(rules, setup)
        # Long games are wanted: nothing hangs.
        if position.outcome() is None and not any(ply.kind is PlyKind.CAPTURE for ply in position.plies()):
            return setup


def play_endings(variant: str, games: int, build: str | None = None, length: int = 300) -> set[str]:
    """Random games from small endings, compared ply by ply; the counts that drew any of them.

    Plies that hang a piece are avoided where others are left, and the games go on beyond a draw, for the next count.
    """
    rules = load(variant)
    rules = replace(rules, end=replace(rules.end, repetition=0))
    random = Random(f"{variant} {games}")
    found: set[str] = set()
    for _ in range(games):
        position = Position(rules, small_ending(rules, random), build=build)
        history = [position.setup()]
        for _ in range(length):
            outcome = position.outcome()
            expected = running(variant, history, position.board)
            out = drawn_by(variant, history, position.board)
            limits = {draw.name: 2 * draw.limit for draw in rules.end.draws}
            counted = {name: count for name, count in clocks(position).items() if name != MOVE_LIMIT}
            assert counted == {name: min(count, limits[name]) for name, count in expected.items()}
            assert outcome == reference.outcome(rules, history[-1], history=history)
            can_capture = any(ply.kind is PlyKind.CAPTURE for ply in position.plies())
            waits = {"one-king"} if can_capture else set()
            if outcome is None:
                assert out <= waits
            elif outcome.winner is None:
                assert outcome.rule in out or (outcome.reason is Reason.MOVE_LIMIT and MOVE_LIMIT in out)
                found.add(outcome.rule or MOVE_LIMIT)
            else:
                break
            plies = position.plies()
            random.shuffle(plies)
            quiet = [ply for ply in plies[:6] if not hangs(position, ply)]
            position.play((quiet or plies)[0])
            history.append(position.setup())
    return found


def hangs(position: Position, ply: Any) -> bool:
    with position.after(ply):
        return any(answer.kind is PlyKind.CAPTURE for answer in position.plies())


WITH_ENDINGS = sorted(ENDINGS.keys() & set(names()))


@pytest.mark.parametrize("variant", WITH_ENDINGS)
def test_random_endings(variant: str) -> None:
    play_endings(variant, 4, length=60)


@pytest.mark.parametrize("variant", ["international", "russian", "brazilian", "spanish", "frisian"])
def test_random_endings_in_the_interpreted_core(variant: str) -> None:
    play_endings(variant, 1, "interpreted", 24)


@pytest.mark.long
@pytest.mark.parametrize("variant", WITH_ENDINGS)
def test_long_random_endings(variant: str) -> None:
    """They last long enough for most of the counts, and each game has some that draws."""
    assert play_endings(variant, 15)


# What the counts count


def test_a_man_that_moves_or_is_promoted_does_not_renew_the_count() -> None:
    position = position_of("international", "W:WK48,16:BK5", "16-11", "5-10", "11-6", "10-5")
    assert clocks(position) == {MOVE_LIMIT: 1, "sixteen-moves": 4, "five-moves": 4}


def test_a_new_balance_renews_the_count_where_the_rules_say_so() -> None:
    before, promotion = ("W:WKd8,a7:BKg1", "d8-e7", "g1-h2"), "a7-b8"
    assert clocks(position_of("brazilian", *before))["few-pieces"] == 2
    assert clocks(position_of("brazilian", *before, promotion))["few-pieces"] == 0
    assert clocks(position_of("russian", *before, promotion))["few-pieces"] == 3
    # A man's step is no new balance.
    assert clocks(position_of("russian", "W:Wa1,Kg1:BKb8,d8", "a1-b2", "d8-c7"))["balance-of-five"] == 2


def test_the_move_limit_does_not_count_in_an_ending_that_replaces_it() -> None:
    fen = "W:Wa1,Kg1:BKb8,d8:H59"
    position = position_of("russian", fen)
    assert position.outcome() is None
    assert [clock.name for clock in position.clocks()] == ["balance-of-five"]
    position.play(parse_ply("g1-h2", position))
    assert position.outcome() == Outcome(None, Reason.MATERIAL, "balance-of-five")


def test_the_main_road_must_be_held_all_the_time() -> None:
    held = ("a7-b8", "a1-h8", "b8-a7", "h8-a1")
    position = position_of("russian", "W:WKa7,b4,f4:BKa1", *held)
    assert clocks(position)["main-road"] == 4
    for text in ("a7-b8", "a1-b2"):
        position.play(parse_ply(text, position))
    assert clocks(position)["main-road"] == 6
    # No half-moves of a set-up position tell that it was held before.
    assert clocks(position_of("russian", "W:WKa7,b4,f4:BKa1:H4"))["main-road"] == 0
    assert "main-road" not in clocks(position_of("russian", "W:WKa7,b4,f4:BKc1"))


def test_the_first_position_counts_the_half_moves_that_its_fen_tells() -> None:
    position = position_of("international", "W:WK1:BK50:H9")
    assert clocks(position) == {MOVE_LIMIT: 9, "sixteen-moves": 9, "five-moves": 9}
    position.play(parse_ply("1-7", position))
    assert position.outcome() == Outcome(None, Reason.MATERIAL, "five-moves")
    position.undo()
    assert position.outcome() is None


def test_a_count_without_an_ending_is_a_move_limit() -> None:
    position = position_of("spanish", "W:WK1:BK32,28:H39", "1-5")
    assert position.outcome() == Outcome(None, Reason.MOVE_LIMIT, "twenty-moves")


def test_the_own_end_of_the_game_has_priority() -> None:
    assert position_of("international", "W:WK1:BK6,K7,K50:H90").outcome() is not None
    rules = load("international")
    lost = Position(rules, replace(parse_fen("W:W:BK1", rules), halfmoves=99))
    assert lost.outcome() == Outcome(1, Reason.NO_PIECES)
    stuck = "W:WK46:BK41,37"
    assert position_of("international", f"{stuck}:H80").outcome() == Outcome(1, Reason.NO_MOVES)


def test_claims_are_no_moves() -> None:
    """A claim within an ending neither counts as a move nor, where only its own end ends it, begins the count anew."""
    draws = (DrawRule("ten-pieces", 10, Force(kings=Span(1, 3)), Force(kings=Span(1, 3))),)
    rules = load("dam-haji")
    rules = replace(rules, end=replace(rules.end, draws=draws))
    position = Position(rules, parse_fen("W:WK29,K32:BK22,K5", rules))
    for text in ("32-28", "x29", "5-1"):
        ply = next((ply for ply in position.plies() if format_ply(ply, position.board) == text), None)
        assert ply is not None, (text, [format_ply(ply, position.board) for ply in position.plies()])
        position.play(ply)
    assert clocks(position) == {MOVE_LIMIT: 1, "ten-pieces": 2}


@pytest.mark.parametrize("build", [None, pytest.param("interpreted", marks=pytest.mark.long)])
def test_counts_survive_a_long_game(build: str | None) -> None:
    """The stack forgets what is far back; what it keeps is enough for the longest count."""
    draws = (DrawRule("long", 1000, Force(kings=Span(1)), Force(kings=Span(1))),)
    rules = load("international")
    rules = replace(rules, end=EndRules(repetition=0, move_limit=0, draws=draws))
    position = Position(rules, parse_fen("W:WK1,31:BK50,20", rules), build=build)
    for number in range(1500):
        if number % 50 == 0 or 990 < number < 1010:
            assert clocks(position)["long"] == min(position.halfmoves, 2000)
        for text in ("1-6", "50-45") if number % 2 == 0 else ("6-1", "45-50"):
            position.play(next(ply for ply in position.plies() if format_ply(ply, position.board) == text))
    assert position.outcome() == Outcome(None, Reason.MATERIAL, "long")


# The search


def searched(engine: Engine, fen: str, depth: int) -> list[Info]:
    found: list[Info] = []
    engine.set_position(Position(engine.rules, parse_fen(fen, engine.rules)))
    engine.search(Limits(depth=depth), found.append)
    return [info for info in found if info.pv and not info.score.bound]


@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        ("international", "W:WK1,K2,K3:BK50:H31"),
        ("russian", "W:WKg1,Ka7:BKb8:H9"),
        ("frisian", "W:WK28:BK1,K2:H13"),
        ("pool", "W:WK29,K30,K31:BK4:H25"),
        ("spanish", "W:WK29,K30,7:BK4:H39"),
    ],
)
def test_the_search_sees_the_draw_and_the_root_is_searched(variant: str, fen: str) -> None:
    engine = Engine(load(variant), 2)
    for full in (fen, fen[: fen.index("H") + 1] + "60"):
        infos = searched(engine, full, 4)
        assert infos[-1].score == Score("cp", 0)
        assert infos[-1].pv


def test_what_was_stored_under_another_count_is_not_believed() -> None:
    """With one table, late before early and early before late: a table knows no counts unless the key does."""
    engine = Engine(load("international"), 2)
    board = "W:WK47,K48,K49:BK5,1"  # no ending: a piece more
    ending = "W:WK47,K48,K49:BK5"  # the lone king holds the main road: no quick win
    early, late = f"{ending}:H0", f"{ending}:H29"
    for fen in (early, late, late, early, late, early):
        score = searched(engine, fen, 7)[-1].score
        assert (score == Score("cp", 0)) if fen is late else (score.value > 50)
    assert searched(engine, board, 5)[-1].score.value > 50


@pytest.mark.parametrize("left", [3, 4, 6, 8])
def test_a_search_near_the_draw_leaves_no_scores_for_one_far_from_it(left: int) -> None:
    engine = Engine(load("russian"), 4)
    board = "W:WKg1,Kh2:BKa3"
    before = searched(engine, f"{board}:H0", 7)[-1].score
    searched(engine, f"{board}:H{10 - left}", 7)
    assert searched(engine, f"{board}:H0", 7)[-1].score == before


# The protocol


def told(*lines: str) -> list[str]:
    session = Session()
    answers: list[str] = []
    for line in lines:
        answers += session.answer(line).lines
    return answers


def test_the_protocol_tells_counts_and_the_rule_that_ended_the_game() -> None:
    set_up = "setoption name UCI_Variant value international", "position fen W:WK1:BK50:H9"
    assert told(*set_up, "d")[-4:] == [
        "clock move-limit plies 9 left 41",
        "clock sixteen-moves plies 9 left 23",
        "clock five-moves plies 9 left 1",
        "counters halfmoves 9 fullmoves 1 repetitions 1",
    ]
    assert told(*set_up, "position fen W:WK1:BK50:H9 moves 1-7", "result") == ["result draw material five-moves"]
    frisian = "setoption name UCI_Variant value frisian", "position fen W:WK46,35:BK5,20:L46=2"
    assert "king 46 moves 2 left 1" in told(*frisian, "d")
