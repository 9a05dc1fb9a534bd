"""What ``damd-dxp`` keeps of a game: clocks, positions as letters, moves by their squares, numbers of moves, results."""

from __future__ import annotations

import random

import pytest

from damd.client import Limit
from damd.core.types import Setup
from damd.geometry import BLACK, WHITE
from damd.notation.fen import format_fen, parse_fen
from damd_adapters.dxp.board import NotPlayable, move_of, ply_of, position_of, rules_of, setup_of
from damd_adapters.dxp.clock import Caps, Clocks
from damd_adapters.dxp.game import Game, Result
from damd_adapters.dxp.messages import End, GameRequest, Move, StartPosition, parse
from damd_adapters.table import Table
from positions import bare, random_setup

INTERNATIONAL = rules_of("international")


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


# T26: what a clock of DXP is to an engine


def test_t26_minutes_for_the_whole_game() -> None:
    assert Clocks(5, 0).limit(WHITE, Caps()) == Limit(white_time_ms=300_000, black_time_ms=300_000)


def test_t26_minutes_and_moves() -> None:
    """The number of moves is a limit of the game, so it says how many are still to be made in the time."""
    watch = Watch()
    clocks = Clocks(10, 3, watch)
    for made in range(4):
        assert clocks.limit(WHITE, Caps()).moves_to_go == max(1, 3 - made)
        for side in (WHITE, BLACK):
            clocks.start(side)
            clocks.press()


def test_t26_caps_of_a_search() -> None:
    limit = Clocks(1, 0).limit(BLACK, Caps(movetime_ms=50, nodes=1000, depth=7))
    assert limit == Limit(white_time_ms=60_000, black_time_ms=60_000, movetime_ms=50, nodes=1000, depth=7)


def test_each_side_has_its_own_time() -> None:
    watch = Watch()
    clocks = Clocks(1, 0, watch)
    clocks.start(WHITE)
    watch.seconds = 7.4
    assert clocks.left_s(WHITE) == pytest.approx(52.6)
    clocks.start(WHITE)  # it runs already
    watch.seconds = 10
    assert clocks.press() == 10
    watch.seconds = 11
    assert clocks.press() == 0, "no clock runs"
    clocks.start(BLACK)
    watch.seconds = 31
    assert clocks.press() == 20
    assert (clocks.left_s(WHITE), clocks.left_s(BLACK)) == (50, 40)
    limit = clocks.limit(WHITE, Caps())
    assert (limit.white_time_ms, limit.black_time_ms) == (50_000, 40_000)


def test_h12_time_that_is_used_up() -> None:
    """Nobody stops a player whose time is over; the engine gets a little, and seconds stay within their field."""
    watch = Watch()
    clocks = Clocks(0.005, 0, watch)
    clocks.start(WHITE)
    watch.seconds = 123_456
    assert clocks.left_s(WHITE) < 0
    assert clocks.limit(WHITE, Caps()).white_time_ms == 10
    assert move_of(INTERNATIONAL_MOVE, clocks.press()).text == "M9999322800"


def test_clocks_go_back() -> None:
    watch = Watch()
    clocks = Clocks(1, 40, watch)
    for side in (WHITE, BLACK, WHITE, BLACK):
        clocks.start(side)
        watch.seconds += 5
        clocks.press()
    clocks.start(WHITE)
    watch.seconds += 30
    clocks.back_to(2)
    assert (clocks.left_s(WHITE), clocks.left_s(BLACK)) == (55, 55)
    assert clocks.limit(WHITE, Caps()).moves_to_go == 39
    clocks.back_to(2)
    clocks.back_to(0)
    assert (clocks.left_s(WHITE), clocks.left_s(BLACK)) == (60, 60)


# Positions and moves


def test_positions_there_and_back() -> None:
    source = random.Random(5)
    for _ in range(200):
        setup = bare(random_setup(INTERNATIONAL, source))
        position = position_of(setup)
        assert setup_of(position) == setup
        assert setup_of(StartPosition(position.side, position.squares)) == setup


def test_letters_of_a_position() -> None:
    position = position_of(parse_fen("B:W31,K50:B1,K20", INTERNATIONAL))
    assert position.side == BLACK
    assert {place: char for place, char in enumerate(position.squares, 1) if char != "e"} == {
        1: "z",
        20: "Z",
        31: "w",
        50: "W",
    }


def test_every_legal_ply_there_and_back() -> None:
    """Through its wire form, the captured squares in any order."""
    source = random.Random(6)
    captures = 0
    for _ in range(60):
        table = Table.from_fen(INTERNATIONAL, format_fen(random_setup(INTERNATIONAL, source), INTERNATIONAL))
        for ply in table.moves():
            move = parse(move_of(ply, 3).text.encode())
            assert isinstance(move, Move)
            shuffled = Move(move.origin, move.end, tuple(source.sample(move.captured, len(move.captured))))
            assert ply_of(shuffled, table) == ply
            captures += len(ply.captured) > 1
    assert captures > 10


@pytest.mark.parametrize(
    ("fen", "move", "words"),
    [
        ("W:W31-50:B1-20", Move(32, 27), None),
        ("W:W31-50:B1-20", Move(32, 22), "32-22 is illegal: legal are 31-26, "),
        ("W:W28:B22,4", Move(28, 17), "28-17 is illegal: legal is 28x17 (taking 22)"),
        ("W:W28:B22,4", Move(28, 17, (4,)), "28x17 taking 4 is illegal: legal is 28x17 (taking 22)"),
        ("W:W28:B22,4", Move(17, 28, (22,)), "17x28 taking 22 is illegal: legal is 28x17 (taking 22)"),
        ("W:W6:B1", Move(6, 1), "6-1 is illegal: there is no legal ply"),
        (
            "W:WK4:B13,20,32,37",
            Move(4, 15, (13, 20, 32, 37)),
            "4x15 taking 13, 20, 32, 37 is illegal: legal are 4x27x38x15 (taking ",
        ),
    ],
)
def test_illegal_moves_are_explained(fen: str, move: Move, words: str | None) -> None:
    table = Table.from_fen(INTERNATIONAL, fen)
    if words is None:
        assert table.spell(ply_of(move, table)) == "32-27"
        return
    with pytest.raises(NotPlayable) as caught:
        ply_of(move, table)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 600


INTERNATIONAL_MOVE = Table(INTERNATIONAL).read("32-28")


# Games


def game(fen: str | None = None, us: int = WHITE, moves: int = 0) -> Game:
    start = position_of(parse_fen(fen, INTERNATIONAL)) if fen else None
    return Game(INTERNATIONAL, GameRequest("x", 1 - us, 1, moves, start), us, 5)


def play(it: Game, *texts: str) -> None:
    for text in texts:
        it.play(it.table.read(text))


def test_numbers_of_moves() -> None:
    it = game()
    play(it, "32-28", "19-23", "28x19")
    where = {ply: it.move_at(ply) for ply in range(4)}
    assert where == {0: (1, WHITE), 1: (1, BLACK), 2: (2, WHITE), 3: (2, BLACK)}
    assert all(it.ply_of(*move) == ply for ply, move in where.items())
    assert it.ply_of(3, WHITE) is None


def test_numbers_of_moves_where_black_begins() -> None:
    """As Scan 3.1 counts them, which dies of a number that it has not."""
    it = game("B:W31-50:B1-20")
    play(it, "20-24", "32-28")
    where = {ply: it.move_at(ply) for ply in range(3)}
    assert where == {0: (1, BLACK), 1: (2, WHITE), 2: (2, BLACK)}
    assert all(it.ply_of(*move) == ply for ply, move in where.items())
    assert it.ply_of(1, WHITE) is None
    assert it.ply_of(3, WHITE) is None


def test_a_draw_stays_one_though_the_peer_plays_on() -> None:
    it = game("W:WK46:BK2,K3")
    texts = ["46-41", "2-7", "41-46", "7-2"] * 3
    for text in texts:
        play(it, text)
        if it.outcome is not None:
            break
    assert it.outcome is not None
    assert it.outcome.winner is None
    ended_at = it.plies
    play(it, it.table.spell(it.table.moves()[0]))
    assert it.outcome.winner is None
    assert it.reason() is End.DRAW
    it.back_to(ended_at)
    assert it.outcome is not None
    it.back_to(ended_at - 1)
    assert it.outcome is None


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        (End.UNKNOWN, "result unknown (the peer ends the game)"),
        (End.LOSES, "white wins (resignation)"),
        (End.DRAW, "draw (the peer declares a draw)"),
        (End.WINS, "black wins (the peer declares that it has won)"),
    ],
)
def test_results_that_the_peer_declares(reason: End, result: str) -> None:
    assert str(game().ended_by_peer(reason)) == result


def test_our_rules_know_better() -> None:
    it = game("W:W35:B24,20,15", us=BLACK)
    play(it, "35-30", "24x35")
    assert it.reason() is End.WINS
    for reason in End:
        assert str(it.ended_by_peer(reason)) == "black wins (no-pieces)"


def test_results_are_told_in_words() -> None:
    assert not Result().known
    assert Result(draw=True).known
    assert Result(WHITE).known


def test_the_start_position_as_letters_is_the_start_position() -> None:
    assert game("W:W31-50:B1-20").setup is None
    assert isinstance(game("B:W31-50:B1-20").setup, Setup)
