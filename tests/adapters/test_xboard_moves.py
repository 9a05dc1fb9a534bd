"""What XBoard is told of moves and positions, looked at by a board that does with it what XBoard does."""

from __future__ import annotations

import itertools
import re
from random import Random

import pytest

from damd import variants
from damd.core.types import PlyKind
from damd_adapters.table import Table
from damd_adapters.xboard.board import Squares, shown_well
from damd_adapters.xboard.desk import Desk, Refused
from damd_adapters.xboard.moves import Clicked, legal_moves, marks, meant, read_move, text_of

SHOWN = [name for name in variants.names() if shown_well(variants.load(name))]


def after(picture: str, lines: list[str], rows: int) -> str:
    """XBoard's board after the ``move`` lines: a piece goes, what stands on the squares of its way is taken off."""
    squares = read_picture(picture, rows)
    text = "".join(line.removeprefix("move ") for line in lines)
    promoted = re.search(r"[0-9]([a-z])$", text)
    names = re.findall(r"[a-j][0-9]", text.rstrip("k") if promoted else text)
    way = [*names[:1], *(names[1:-1:2] if "," in text else names[1:-1]), names[-1]]
    piece = squares.pop(way[0])
    for victim in way[1:-1]:
        del squares[victim]
    squares[way[-1]] = ("K" if piece.isupper() else "k") if promoted else piece
    return write_picture(squares, rows)


def read_picture(picture: str, rows: int) -> dict[str, str]:
    found = {}
    for y, rank in zip(reversed(range(rows)), picture.split("/"), strict=True):
        x = 0
        for item in re.findall(r"[0-9]+|.", rank):
            if item.isdigit():
                x += int(item)
            else:
                found[f"{'abcdefghij'[x]}{y + (rows != 10)}"] = item
                x += 1
    return found


def write_picture(squares: dict[str, str], rows: int) -> str:
    ranks = []
    for y in reversed(range(rows)):
        rank = "".join(squares.get(f"{'abcdefghij'[x]}{y + (rows != 10)}", "1") for x in range(rows))
        ranks.append(re.sub("1+", lambda ones: str(len(ones[0])), rank))
    return "/".join(ranks)


@pytest.mark.parametrize("variant", SHOWN)
def test_every_move_of_random_games_is_told_exactly_and_read_back(variant):
    random = Random(variant)
    desk = Desk(variants.load(variant))
    squares = desk.squares
    claims = 0
    for _ in range(2):
        desk.restart()
        for _ in range(35):
            moves = desk.moves()
            if not moves or desk.outcome() is not None:
                break
            before = squares.fen(desk.table.position.setup())
            assert squares.setup(before).men == desk.table.position.setup().men
            for move in random.sample(moves, min(len(moves), 6)):
                lines = text_of(move, squares)
                clicked = read_move(",".join(legs(lines)), squares)
                found = meant(clicked, moves)
                assert move in found
                desk.play(move)
                now = squares.fen(desk.table.position.setup())
                desk.undo(1)
                if move.exact:
                    assert [same.last for same in found] == [move.last] * len(found)
                    assert after(before.split()[0], lines, squares.rows) == now.split()[0]
                claims += len(move.plies) > 1
            best = max(len(move.victims) for move in moves)
            desk.play(
                random.choice([move for move in moves if len(move.victims) == best] if random.random() < 0.5 else moves)
            )
    assert claims or not desk.rules.penalty.take


def legs(lines: list[str]) -> list[str]:
    """The move as XBoard hands it on to a second engine."""
    text = "".join(line.removeprefix("move ") for line in lines)
    if "x" in text:
        names = re.findall(r"[a-j][0-9]", text)
        return [begin + end for begin, end in itertools.pairwise(names)]
    return [leg.rstrip("k") if leg[-1] == "k" else leg for leg in text.split(",")]


@pytest.mark.parametrize("variant", SHOWN)
def test_the_set_up_is_the_game_s(variant):
    rules = variants.load(variant)
    squares, table = Squares(rules), Table(rules)
    line = squares.setup_line(table.position.setup())
    found = re.fullmatch(r"setup \((\S+)\) (\d+)x\2\+0_fairy (\S+) w - - 0 1", line)
    assert found
    assert len(found[1]) == 12  # an even number of pieces, twelve at least
    board = read_picture(found[3], rules.board.rows)
    assert len(board) == len(table.position.setup().men[0]) * 2
    assert max(int(name[1:]) for name, letter in board.items() if letter == "M") < rules.board.rows // 2
    assert squares.setup(line.split(" ", 3)[3]).men == table.position.setup().men


def test_boards_that_xboard_cannot_show_are_refused():
    for name in ("dam-daman", "turkish", "canadian", "dam-haji-12"):
        with pytest.raises(ValueError, match="8x8 and 10x10"):
            Squares(variants.load(name))


@pytest.mark.parametrize(
    ("variant", "piece", "king"),
    [
        ("dam-haji", "mfFfcafmF", "mBcafmF"),
        ("english", "mfFfcafmF", "mFcafmF"),
        ("frisian", "mfFcafmWcafmF", "mBcafmWcafmF"),
    ],
)
def test_pieces_are_described_by_the_rules(variant, piece, king):
    assert Squares(variants.load(variant)).piece_lines() == [f"piece M& {piece}", f"piece K& {king}"]


def at(variant: str, fen: str) -> Desk:
    desk = Desk(variants.load(variant))
    desk.set_position(desk.squares.fen(Table.from_fen(desk.rules, fen).position.setup()))
    return desk


def test_two_victims_are_clicked_one_after_the_other():
    desk = at("russian", "W:Wc3,g1:Bd4,f6,h8,a7")
    assert desk.lift("c3") == "8/8/8/8/3C4/8/8/8"
    assert desk.lift("d4") == "8/8/5C2/8/8/8/8/8"
    assert desk.lift("f6") == "8/6R1/8/8/8/8/8/8"
    assert desk.read("c3d4,d4f6,f6g7")[0].last.kind is PlyKind.CAPTURE
    assert desk.lift("g1") == "8/8/8/8/8/8/8/8"  # a capture is compulsory


def test_a_longer_capture_is_one_click():
    desk = at("russian", "W:Wc1,h2:Bd2,f4,f6,d6,h8,a7")
    assert desk.lift("c1") == "8/8/8/2R5/8/8/3C4/8"
    move, clicked = desk.read("c1c5")
    assert len(move.victims) == 4
    desk.play(move, clicked.victims)
    assert desk.stale
    desk.undo(1)
    assert not desk.stale


def test_a_man_that_becomes_a_king_is_marked_blue():
    desk = at("dam-haji", "W:Wb6:Bh8,h2")
    assert desk.lift("b6") == "8/Y1Y5/8/8/8/8/8/8"
    desk = at("dam-haji", "W:Wc7:Bh8,h2")
    assert desk.lift("c7") == "1B1B4/8/8/8/8/8/8/8"
    assert desk.crowns("b8")
    assert not desk.crowns("c7")


def test_a_claim_is_a_victim_on_the_way():
    desk = at("dam-haji", "B:W23,27:B1,19")
    assert not desk.claims()
    desk.table = Table.from_fen(desk.rules, "B:W23,27,21:B1,19:P27")
    desk._forget()
    names = {move.plies[-1]: move for move in desk.moves() if len(move.plies) == 2}
    assert all(desk.squares.name(move.victims[0]) == "f2" for move in names.values())
    # b8-a7 with the claim of f2, which XBoard is told as a capture from afar.
    move, _ = desk.read("b8f2,f2a7")
    assert [ply.kind for ply in move.plies] == [PlyKind.CLAIM, PlyKind.QUIET]
    assert desk.lift("b8") == "8/Y1Y5/8/8/8/8/5C2/8"
    assert desk.lift("f2") == "8/Y1Y5/8/8/8/8/8/8".replace("Y", "R")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "moves are written as"),
        ("c3", "moves are written as"),
        ("c3d4d5", "moves are written as"),
        ("z9a1", "z9 is no playing square"),
        ("c3c4", "c4 is no playing square"),
        ("c3d4,e5f6", "each leg begins where"),
        ("c3e5", "no such move"),
        ("c3d4,d4c3", "no legal move"),
        ("a" * 500, "moves are written as"),
    ],
)
def test_texts_that_are_no_moves_are_refused(text, words):
    with pytest.raises(Refused, match=words):
        Desk(variants.load("dam-haji")).read(text)


def test_a_missed_capture_is_explained():
    desk = at("russian", "W:Wc3,g1:Bd4,h8")
    with pytest.raises(Refused, match="a capture is compulsory, by c3"):
        desk.read("g1f2")


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("", "pieces and the side to move"),
        ("8/8/8/8/8/8/8/8 x", "pieces and the side to move"),
        ("8/8 w", "2 ranks on a board of 8"),
        ("9/8/8/8/8/8/8/8 w", "rank 8 has 9 squares"),
        ("8/8/8/8/8/8/8/Q7 w", "Q is no piece"),
        ("8/8/8/8/8/8/8/²M6 w", "² is no piece"),
        ("8/8/8/8/8/8/8/1M6 w", "beside the playing squares"),
        ("1M6/8/8/8/8/8/8/8 w", "stands where men are promoted"),
        ("8/8/8/8/8/8/8/99999999M w", "beside the playing squares"),
    ],
)
def test_positions_that_are_none_are_refused(fen, words):
    desk = Desk(variants.load("dam-haji"))
    with pytest.raises(Refused, match=words):
        desk.set_position(fen)
    assert not desk.moves()
    with pytest.raises(Refused, match="illegal position"):
        desk.read("c3d4")
    desk.restart()
    assert desk.moves()


def test_of_two_captures_with_one_end_the_clicks_decide():
    # Two ways round to the same square: the piece to be taken first tells them apart.
    desk = at("international", "W:WK4:B13,20,32,37")
    end = {desk.squares.name(move.last.end) for move in desk.moves()}
    several = [name for name in end if len([move for move in desk.moves() if desk.squares.name(move.last.end) == name]) > 1]
    assert several
    point = desk.squares.point(several[0])
    moves = [move for move in desk.moves() if move.last.end == point]
    for move in moves:
        found = meant(Clicked(move.last.origin, frozenset(move.victims[:2]), point), desk.moves())
        assert found == [move]
    assert len(meant(Clicked(moves[0].last.origin, frozenset(), point), desk.moves())) == len(moves)


def test_marks_lead_to_every_move():
    """Whoever follows the colours can play everything that can be played, and nothing else."""
    random = Random(3)
    for name in ("dam-haji", "russian", "international"):
        desk = Desk(variants.load(name))
        for _ in range(80):
            moves = desk.moves()
            if not moves or desk.outcome() is not None:
                break
            for origin in {move.last.origin for move in moves}:
                own = [move for move in moves if move.last.origin == origin]
                reached = set()
                explore(own, (), reached)
                playable = {move.plies for move in own if move.exact or len(direct(move, own)) == 1}
                assert {move.plies for move in reached} >= {plies for plies in playable if len(plies) == 1}
            desk.play(random.choice(moves))


def direct(move, moves):
    return meant(Clicked(move.last.origin, frozenset(), move.last.end), moves)


def explore(moves, clicked, reached):
    for point, colour in marks(moves, clicked).items():
        if colour == "C":
            explore(moves, (*clicked, point), reached)
        else:
            found = meant(Clicked(moves[0].last.origin, frozenset(clicked), point), moves)
            assert len(found) == 1
            reached.add(found[0])


def test_a_claim_is_a_move_of_two_plies_only_where_something_follows():
    table = Table.from_fen(variants.load("dam-haji"), "B:W23:B1:P23")
    assert all(len(move.plies) == 1 for move in legal_moves(table))  # the claim wins at once
