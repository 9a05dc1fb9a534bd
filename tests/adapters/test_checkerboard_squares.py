"""CheckerBoard's squares, positions and lists of moves against our geometry and our rules."""

from __future__ import annotations

from random import Random

import pytest

from checkerboard_gui import CZECH, GAMES, GuiMove, distinct, fen, from_wire, number, read_list, read_record, start_board
from damd import variants
from damd.core.position import Position
from damd.core.types import Setup
from damd.geometry import BLACK, WHITE
from damd_adapters.checkerboard.layouts import LAYOUTS, BoardError, Numbering, Squares, same_position
from damd_adapters.checkerboard.moves import Move, move_list, moves_of
from damd_adapters.checkerboard.wire import board_text
from positions import random_setup, read_fen, start


def squares_of(game: str) -> Squares:
    return Squares.of(variants.load(game))


@pytest.mark.parametrize("game", GAMES)
def test_numbers_are_those_of_the_gui(game):
    squares = squares_of(game)
    assert squares.layout.gametype == GAMES[game]
    assert sorted(squares.told(point) for point in range(32)) == list(range(1, 33))
    for point, place in enumerate(squares.places):
        assert (sum(place) % 2, squares.told(point)) == (0, number(place, GAMES[game]))
        assert squares.point(squares.told(point)) == point
        moves, _ = read_list(f"movelist 1,0,5,5,{squares.read(point)},{squares.read(point)};", GAMES[game])
        assert moves[0].origin == place


@pytest.mark.parametrize("game", [game for game in GAMES if GAMES[game] != CZECH])
def test_numbers_are_those_of_our_notation(game):
    squares = squares_of(game)
    names = squares.rules.geometry.names
    assert [str(squares.told(point)) for point in range(32)] == list(names)


@pytest.mark.parametrize("game", GAMES)
def test_neighbours_are_neighbours_and_forward_is_forward(game):
    squares = squares_of(game)
    for direction in squares.rules.geometry.directions:
        for point, following in enumerate(direction.next):
            if following >= 0:
                (x, y), (to_x, to_y) = squares.places[point], squares.places[following]
                assert abs(to_x - x) == abs(direction.dx)
                assert y - to_y == direction.dy  # White's forward is towards y = 0, where Black sits


@pytest.mark.parametrize("game", GAMES)
def test_start_positions(game):
    squares = squares_of(game)
    board = squares.board(start(squares.rules))
    assert from_wire(board_text(board)) == start_board()
    for colour, side in ((1, WHITE), (2, BLACK)):
        setup = squares.setup(colour, board)
        assert setup.side == side
        assert setup.men == start(squares.rules).men
        assert squares.read_fen(fen(start_board(), colour, GAMES[game])) == setup


def test_only_checkerboards_games():
    for name in variants.names():
        rules = variants.load(name)
        if name in GAMES:
            assert Squares.of(rules).layout == LAYOUTS[GAMES[name]]
        else:
            with pytest.raises(BoardError, match=f"CheckerBoard does not play {name}: its games have the GameTypes 21, 22"):
                Squares.of(rules)


def walk(game: str, setup: Setup, random: Random, plies: int) -> int:
    """Play on at random and look at every listed move on the GUI's board; how many were looked at."""
    squares = squares_of(game)
    position = Position(squares.rules, setup)
    seen = 0
    for _ in range(plies):
        moves = moves_of(position, squares)
        if not moves:
            break
        here = position.setup()
        board = from_wire(board_text(squares.board(here)))
        colour = 2 if here.side else 1
        assert same_position(squares.setup(colour, squares.board(here)), here)
        assert same_position(squares.read_fen(fen(board, colour, GAMES[game])), here)
        listed, all_of_them = read_list(move_list(moves, squares), GAMES[game])
        assert all_of_them == (len(listed) == len(moves))
        results = []
        for move in moves:
            told = read_record(move.record(squares))
            with position.after(move.ply):
                after = from_wire(board_text(squares.board(position.setup())))
            assert told.on(board) == after
            assert not told.path or told.path[-1] == told.end
            assert told in listed or not all_of_them
            results.append(after)
        assert all(move.on(board) in results for move in listed)
        assert distinct(results) == len(moves)  # the GUI tells moves apart by the board afterwards
        seen += len(moves)
        position.play(random.choice(moves).ply)
    return seen


@pytest.mark.parametrize("game", GAMES)
def test_every_move_of_random_games_and_positions(game):
    random = Random(5)
    rules = variants.load(game)
    seen = sum(walk(game, start(rules), random, 60) for _ in range(2))
    seen += sum(walk(game, random_setup(rules, random), random, 3) for _ in range(25))
    assert seen > 500


@pytest.mark.parametrize(
    ("game", "told", "expected"),
    [
        ("italian", "B:W31:B3", "movelist 2,0,6,6,3,6;0,6,6,3,7;"),
        ("italian", "B:W11,13,19,21:B6,9", "movelist 2,2,6,6,6,22,15,11,5,22,19,5;2,6,6,9,25,18,13,5,25,21,5;"),
        ("russian", "W:W11:B6,7", "movelist 2,2,5,9,11,9,2,7,6,9,6,6;2,5,9,11,13,2,7,6,13,6,6;"),
        ("english", "W:WK4:B8", "movelist 1,1,9,9,4,11,11,8,6;"),
        ("english", "B:W1:B", "movelist 0"),
        ("english", "W:W6:B1,2", "movelist 0"),
    ],
)
def test_lists_of_moves_to_the_letter(game, told, expected):
    squares = squares_of(game)
    position = Position(squares.rules, squares.read_fen(told))
    assert move_list(moves_of(position, squares), squares) == expected


def test_a_list_that_is_too_long_has_some_moves_of_each_piece_and_is_not_believed_to_be_all():
    squares = squares_of("russian")
    position = Position(squares.rules, read_fen("W:WK9,K15,K18,K22,K27,K30:B4", squares.rules))
    moves = moves_of(position, squares)
    assert len(moves) > 28
    listed, all_of_them = read_list(move_list(moves, squares), GAMES["russian"])
    assert len(listed) == 28
    assert not all_of_them
    assert {move.origin for move in listed} == {squares.places[move.ply.origin] for move in moves}
    assert move_list(moves, squares, 100).count(";") == len(moves)


def test_a_list_has_no_more_characters_than_the_gui_has_room_for():
    squares = squares_of("english")
    setup = read_fen("B:W6,7,8,14,15,16,22,23,24:BK2", squares.rules)
    moves = moves_of(Position(squares.rules, setup), squares) * 4
    listed, all_of_them = read_list(move_list(moves, squares), GAMES["english"])
    assert not all_of_them
    assert 10 < len(listed) < 28


def test_pieces_taken_are_told_in_the_order_of_the_jumps():
    squares = squares_of("brazilian")
    setup = read_fen("W:WK13:B9,17,19,27", squares.rules)
    (ply,) = Position(squares.rules, setup).plies()
    told = read_record(Move.of(ply, setup, squares).record(squares))
    assert [number(each, 26) for each in told.path] == [6, 24, 31, 13]
    assert [number(each, 26) for each in told.taken] == [9, 19, 27, 17]
    assert isinstance(told, GuiMove)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no FEN"),
        ("W:W1", "is no FEN"),
        ("X:W1:B2", "is no FEN"),
        ("W:W1:W2", "White's and Black's pieces begin with W and with B"),
        ("W:W33:B1", "33 is no square: they are numbered 1 to 32"),
        ("W:W0:B1", "0 is no square"),
        ("W:W1-99:B1", "99 is no square"),
        ("W:W9-3:B1", "'9-3' runs backwards"),
        ("W:W5,5:B1", "square 5 is used twice"),
        ("W:W5:BK5", "square 5 is used twice"),
        ("W:WQ5:B1", "'Q5' is no piece"),
        ("W:W" + "5," * 3000 + ":B1", "square 5 is used twice"),
        ("W:" + "W" * 5000, "is no FEN"),
    ],
)
def test_bad_fens(text, message):
    with pytest.raises(BoardError) as fault:
        squares_of("english").read_fen(text)
    assert message in str(fault.value)
    assert len(str(fault.value)) < 200


@pytest.mark.parametrize(
    ("colour", "square", "piece", "message"),
    [
        (3, 0, 6, "3 is no colour"),
        (1, 0, 3, "3 on column 0, row 0 is no piece"),
        (1, 0, 7, "7 on column 0, row 0 is no piece"),
        (1, 0, 13, "13 on column 0, row 0 is no piece"),
        (1, 0, 4, "4 on column 0, row 0 is no piece"),
        (1, 1, 6, "a piece on column 0, row 1, which is not played on"),
    ],
)
def test_bad_boards(colour, square, piece, message):
    board = [0] * 64
    board[square] = piece
    with pytest.raises(BoardError, match=message):
        squares_of("english").setup(colour, board)
    with pytest.raises(BoardError, match="a board of 3 squares: there are 64"):
        squares_of("english").setup(1, [0] * 3)


def test_a_numbering():
    assert Numbering(4, 4, -1).number(6, 0) == 1
