"""``damd-dxp --listen`` and peers of every kind: those that behave, and those that do not."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from damd.geometry import BLACK, WHITE
from damd_adapters.dxp.messages import StartPosition
from dxp_peers import Listening, Opponent, Wire
from programs import gone

#: Few nodes, and times that end soon.
QUICK = ("--nodes", "100", "--answer", "2", "--patience", "1", "--free-minutes", "0.005", "--idle", "1", "--gap", "1")


@pytest.fixture(scope="module")
def quick() -> Iterator[Listening]:
    with Listening(*QUICK) as program:
        yield program


@pytest.fixture(scope="module")
def slow() -> Iterator[Listening]:
    """One that thinks for longer than any test takes."""
    with Listening("--gap", "1", "--move-time", "600000") as program:
        yield program


def meet(program: Listening) -> Opponent:
    """A new connection; what the program said about earlier ones is read by then."""
    peer = Opponent.to(program.opened)
    program.until("connected: ")
    return peer


# Games


@pytest.mark.parametrize("follower", [WHITE, BLACK])
def test_a_whole_game(quick: Listening, follower: int) -> None:
    """Against the first legal ply damd wins; the peer is then to move and ends the game."""
    with meet(quick) as peer:
        peer.begin(follower)
        text = peer.answer() if follower == WHITE else ""
        while peer.table.outcome() is None:
            text = peer.turn()
        assert text.startswith("M")
        peer.send("E11")
        assert peer.answer() == "E00"
    winner = ("white", "black")[follower]
    assert quick.result().split(": ", 1)[1].startswith(f"{winner} wins (no-")


def test_games_in_a_row_on_one_connection(quick: Listening) -> None:
    with meet(quick) as peer:
        for follower in (WHITE, BLACK, WHITE):
            peer.begin(follower)
            if follower == WHITE:
                assert peer.answer().startswith("M")
            peer.send("E20")
            assert peer.answer() == "E00"
            assert "draw (the peer declares a draw)" in quick.result()


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("E00", "result unknown (the peer ends the game)"),
        ("E10", "white wins (resignation)"),
        ("E20", "draw (the peer declares a draw)"),
        ("E30", "black wins (the peer declares that it has won)"),
    ],
)
def test_the_peer_ends_the_game(quick: Listening, end: str, words: str) -> None:
    with meet(quick) as peer:
        peer.begin(WHITE)
        assert peer.answer().startswith("M")
        peer.send(end)
        assert peer.answer() == "E00"
    assert words in quick.result()


def test_set_up_positions(quick: Listening) -> None:
    """A lost position, Black to move first: damd is mated and says so."""
    with meet(quick) as peer:
        peer.begin(WHITE, fen="B:W35:B24,20,15")
        assert peer.turn("24-30") == "M000035240130"
        assert peer.turn("20x29") == "E10"
        peer.send("E00")
    assert "black wins (no-pieces)" in quick.result()


def test_the_start_position_sent_as_letters(quick: Listening) -> None:
    with meet(quick) as peer:
        board = "z" * 20 + "e" * 10 + "w" * 20
        peer.send(f"R01{'x':32}Z000000BW{board}")
        assert peer.until("A")[-1] == "0"
        assert peer.turn("32-28").startswith("M")


def test_h08_the_same_move_again_is_a_move(quick: Listening) -> None:
    """A king goes to and fro; each time damd answers."""
    with meet(quick) as peer:
        peer.begin(BLACK, fen="W:WK46:B15,25")
        for text in ("46-41", "41-46", "46-41"):
            assert peer.turn(text).startswith("M")


def test_a_draw_by_our_rules_is_declared_at_our_turn(quick: Listening) -> None:
    """Two kings against one: the peer does not know that five moves of each side are the end."""
    with meet(quick) as peer:
        peer.begin(BLACK, fen="W:WK46:BK2,K3")
        text = "M"
        while text.startswith("M"):
            text = peer.turn(safe(peer))
        assert text == "E20"
        assert peer.table.outcome() is not None
        peer.send("E00")
    assert "draw (five-moves)" in quick.result()


def safe(peer: Opponent) -> str:
    """A ply after which nothing can be captured."""
    for ply in peer.table.moves():
        peer.table.play(ply)
        taken = any(answer.captured for answer in peer.table.moves())
        peer.table.undo()
        if not taken:
            return peer.table.spell(ply)
    raise AssertionError(f"no safe ply: {peer.table.texts}")


def test_both_end_the_game_at_once(quick: Listening) -> None:
    """The mating move and the peer's own end come in one segment: there is one answer, and no deadlock."""
    with meet(quick) as peer:
        peer.begin(WHITE, fen="B:W35:B24,20,15")
        assert peer.turn("24-30").startswith("M")
        peer.send("M000020290124", "E31")
        assert peer.answer() == "E10"
        assert peer.rest() == []
    assert "black wins (no-pieces)" in quick.result()


def test_a_peer_that_answers_the_end_twice(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(WHITE, fen="B:W35:B24,20,15")
        assert peer.turn("24-30").startswith("M")
        assert peer.turn("20x29") == "E10"
        peer.send("E00", "E00")
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


def test_the_next_request_instead_of_an_answer_to_the_end(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(WHITE, fen="B:W35:B24,20,15")
        assert peer.turn("24-30").startswith("M")
        assert peer.turn("20x29") == "E10"
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


def test_the_limit_of_moves(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(BLACK, moves=2)
        assert peer.turn().startswith("M")
        assert peer.turn().startswith("M")
        peer.send("E00")  # four plies: the peer is to move
        assert peer.answer() == "E00"
        assert "result unknown (limit of moves) after 4 plies" in quick.result()
        peer.begin(WHITE, moves=2)
        assert peer.answer().startswith("M")
        assert peer.turn().startswith("M")
        assert peer.turn() == "E00"
        peer.send("E20")  # what the peer says is taken where nothing is known
    assert "draw (the peer declares a draw) after 4 plies" in quick.result()


@pytest.mark.parametrize("minutes", [0, 0.5, 999])
def test_h12_times_of_every_size(quick: Listening, minutes: float) -> None:
    with meet(quick) as peer:
        time = f"{minutes:03}" if isinstance(minutes, int) else "0.5"
        peer.send(f"R01{'x':32}Z{time}000A")
        assert peer.until("A")[-1] == "0"
        assert peer.turn().startswith("M")
        peer.send("E00")
        assert peer.answer() == "E00"
    quick.result()
    begun = [line for line in quick.all_lines if " min, " in line][-1]
    assert f", {minutes or 0.005:g} min, no limit of moves" in begun


def test_segments_of_one_byte(quick: Listening) -> None:
    with meet(quick) as peer:
        for byte in f"{peer.request(BLACK)}\0M0000322800\0".encode():
            peer.send_bytes(bytes([byte]))
        peer.table.play(peer.table.read("32-28"))
        assert peer.answer().startswith("M")


def test_everything_in_one_segment(quick: Listening) -> None:
    """A game that is begun, played, taken back, ended and begun again before anything is read."""
    with meet(quick) as peer:
        request = peer.request(BLACK)
        peer.send(request, "Chello", "M0000322800", "E20", request, "M0000312600", "B001W", "E10")
        assert [peer.until("A")[-1], peer.receive()] == ["0", "E00"]
        assert [peer.until("A")[-1], peer.receive(), peer.receive()] == ["0", "K0", "E00"]
        assert "draw (the peer declares a draw) after 1 plies" in quick.result()
        assert "black wins (resignation) after 0 plies" in quick.result()


def test_chat_between_and_in_games(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.send("Chello", "C\x1b[31mred")
        peer.begin(BLACK)
        peer.send("Cgood luck")
        assert peer.turn().startswith("M")


# Going back


def test_back_requests_are_carried_out(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(BLACK)
        first = peer.move("32-28")
        assert peer.answer().startswith("M")
        assert peer.turn("37-32").startswith("M")
        peer.send("B002W")
        assert peer.answer() == "K0"
        peer.table.undo()
        peer.table.undo()
        assert peer.turn("34-29").startswith("M")  # legal in that position alone, as the table knows
        peer.send("B001W")
        assert peer.answer() == "K0"
        while peer.table.played:
            peer.table.undo()
        assert peer.turn("34-30").startswith("M")
        assert peer.table.played[0] != first


def test_back_to_our_own_move(quick: Listening) -> None:
    """It is then damd's turn again."""
    with meet(quick) as peer:
        peer.begin(BLACK)
        assert peer.turn().startswith("M")
        peer.send("B001Z")
        assert peer.answer() == "K0"
        peer.table.undo()
        assert peer.answer().startswith("M")


def test_back_where_black_began(quick: Listening) -> None:
    """Black's first move is move 1, White's answer to it move 2."""
    with meet(quick) as peer:
        peer.begin(WHITE, fen="B:W31-50:B1-20")
        assert peer.turn("20-24").startswith("M")
        assert peer.turn("19-23" if "19-23" in map(peer.table.spell, peer.table.moves()) else None).startswith("M")
        peer.send("B001W")
        assert peer.answer() == "K2"
        peer.send("B002W")
        assert peer.answer() == "K0"
        for _ in range(3):
            peer.table.undo()
        assert peer.answer().startswith("M")


def test_back_to_where_the_game_never_was(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(BLACK)
        assert peer.turn().startswith("M")
        for request in ("B002Z", "B005W", "B999Z"):
            peer.send(request)
            assert peer.answer() == "K2"
        assert peer.turn().startswith("M")


def test_back_from_the_end_of_a_game(quick: Listening) -> None:
    """The peer takes back what let damd win."""
    with meet(quick) as peer:
        peer.begin(BLACK, fen="W:W35:B24,20,4")
        peer.move("35-30")
        assert peer.answer().startswith("M")
        assert peer.table.outcome() is not None
        peer.send("B001W")
        assert peer.answer() == "K0"
        peer.table.undo()
        peer.table.undo()
        peer.send("E20")
        assert peer.answer() == "E00"
    assert "draw (the peer declares a draw) after 0 plies" in quick.result()


# While damd thinks


def test_back_while_damd_thinks(slow: Listening) -> None:
    with meet(slow) as peer:
        peer.begin(BLACK, minutes=999)
        peer.move("32-28")
        peer.send("B001W")
        assert peer.answer() == "K0"
        peer.table.undo()
        peer.move("34-29")
        peer.send("Cstill there?", "B001Z")
        assert peer.answer() == "K0"
        peer.send("E10")
        assert peer.answer() == "E00"
    assert "black wins (resignation) after 1 plies" in slow.result()


def test_the_peer_ends_while_damd_thinks(slow: Listening) -> None:
    """Out of turn, as pydraughts does when it quits."""
    with meet(slow) as peer:
        peer.begin(BLACK, minutes=999)
        peer.move()
        peer.send("E01")
        assert peer.answer() == "E00"
    assert "result unknown (the peer ends the game)" in slow.result()


def test_the_peer_dies_while_damd_thinks(slow: Listening) -> None:
    with meet(slow) as peer:
        peer.begin(WHITE, minutes=999)
    assert "has closed the connection" in slow.result()
    with meet(slow) as peer:
        peer.begin(WHITE, minutes=999)
        peer.send("E00")
        assert peer.answer() == "E00"
    slow.result()


def test_out_of_turn_while_damd_thinks(slow: Listening) -> None:
    with meet(slow) as peer:
        peer.begin(BLACK, minutes=999)
        peer.move("32-28")
        peer.send("M0000373200")
        assert peer.until("C") == "Cerror: message M is out of turn"
        peer.send(f"A{'x':32}0")
        assert peer.until("C") == "Cerror: message A is out of turn"
        peer.send(peer.request(BLACK))
        assert peer.until("A")[-1] == "2"
        peer.send("K2")  # an answer to nothing, and one that changes nothing
        peer.send("E00")
        assert peer.until("E") == "E00"
    slow.result()


def test_a_flood_while_damd_thinks(slow: Listening) -> None:
    with meet(slow) as peer:
        peer.begin(WHITE, minutes=999)
        peer.send_bytes(b"Cspam\0" * 1100)
        assert peer.rest() == []
    assert "has sent 1000 messages that are no move: given up" in slow.result()


# Peers that misbehave


def test_another_version(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.send("R02" + "x" * 50)
        assert peer.until("A")[-1] == "1"
        assert "only 01 is known" in peer.until("C")
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


def test_a_position_that_is_none(quick: Listening) -> None:
    with meet(quick) as peer:
        position = StartPosition(WHITE, "w" + "e" * 48 + "z")
        peer.send(f"R01{'x':32}Z001000BW{position.squares}")
        assert peer.until("A")[-1] == "2"
        assert peer.until("C").startswith("Crefused: the position is none of International draughts: White's man on 1")
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ("M0000322700", "32-27 is illegal: legal are 31-"),
        ("M0000011000", "1-10 is illegal"),
        ("M000032280119", "32x28 taking 19 is illegal: legal is 32-28"),
    ],
)
def test_illegal_moves(quick: Listening, move: str, words: str) -> None:
    """The game is over, with no result; the next one may begin."""
    with meet(quick) as peer:
        peer.begin(BLACK)
        if move == "M0000322700":
            peer.table.play(peer.table.read("32-28"))
            peer.send("M0000322800")
            peer.answer()
        peer.send(move)
        if move == "M0000322700":
            assert "32-27 is illegal" in peer.until("C")
        else:
            assert words in peer.until("C")
        assert peer.until("E") == "E00"
        peer.send("E00")
        assert "result unknown (Opponent played an illegal ply" in quick.result()
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


def test_a_capture_of_the_wrong_pieces(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(BLACK, fen="W:W28,50:B23,22,4")
        peer.send("M00002819" + "0122")
        assert "28x19 taking 22 is illegal: legal is 28x19 (taking 23)" in peer.until("C")


@pytest.mark.parametrize("text", ["M0000322800", "K0", "B001W", f"A{'x':32}0"])
def test_messages_without_a_game(quick: Listening, text: str) -> None:
    with meet(quick) as peer:
        peer.send(text)
        assert peer.until("C") == f"Cerror: message {text[0]} without a game"
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


def test_garbage_is_borne_with_up_to_a_point(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.send("GET / HTTP/1.1", "\x1b[2J")
        assert peer.until("C").startswith("Cerror: 'GET / HTTP/1.1': unknown message 'G'")
        peer.begin(BLACK)
        peer.send("M000", "x" * 200)
        assert "4 characters instead of 11" in peer.until("C")
        assert "200 bytes: at most 127" in peer.until("C") + peer.until("C")
        assert peer.turn().startswith("M")
        peer.send_bytes(b"?\0" * 30)
        peer.rest()
    assert "messages that are none, at last '?': unknown message" in quick.result()


def test_an_answer_to_go_back_that_nobody_asked_for(quick: Listening) -> None:
    """The positions differ from there: there is no going on."""
    with meet(quick) as peer:
        peer.begin(BLACK)
        peer.send("K0")
        peer.rest()
    assert "has gone back where nothing was asked" in quick.result()


def test_silence_in_a_game_has_an_end(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(BLACK, minutes=0)
        assert peer.rest() == []
    assert "no move from Opponent within 1 s (0 s on its clock and 1 s of patience)" in quick.result()


def test_chatting_is_no_move(quick: Listening) -> None:
    """The time for a move runs on while the peer chats."""
    with meet(quick) as peer:
        peer.begin(BLACK, minutes=0)
        peer.socket.settimeout(0.05)
        received = None
        while received != "":
            peer.send("Cjust a moment")
            try:
                received = peer.receive() or ""
            except TimeoutError:
                continue
    assert "no move from Opponent" in quick.result()


def test_silence_after_the_end_has_an_end(quick: Listening) -> None:
    with meet(quick) as peer:
        peer.begin(WHITE, fen="B:W35:B24,20,15")
        assert peer.turn("24-30").startswith("M")
        assert peer.turn("20x29") == "E10"
        assert peer.rest() == []
    assert "black wins (no-pieces)" in quick.result()


@pytest.mark.parametrize("begun", [b"", b"R01half a reque"])
def test_silence_before_a_game_has_an_end(quick: Listening, begun: bytes) -> None:
    with meet(quick) as peer:
        peer.send_bytes(begun)
        assert peer.rest() == []


def test_sudden_death_at_every_point(quick: Listening) -> None:
    """Whatever was sent last, the next peer is served."""
    for script in ([], ["R01half"], ["game"], ["game", "M0000322800"], ["game", "M00003"], ["game", "E00"]):
        with meet(quick) as peer:
            for step in script:
                if step == "game":
                    peer.begin(BLACK)
                else:
                    peer.send_bytes(step.encode() + (b"\0" if len(step) in (3, 11) else b""))
        if "game" in script:
            quick.result()
    with meet(quick) as peer:
        peer.begin(BLACK)
        assert peer.turn().startswith("M")


def test_a_second_peer_is_sent_away(slow: Listening) -> None:
    with meet(slow) as peer:
        peer.begin(WHITE, minutes=999)
        with Opponent.to(slow.opened) as second:
            (words,) = second.rest()
            assert "busy" in words
        peer.send("E00")
        assert peer.answer() == "E00"
    slow.result()


def test_back_can_be_refused() -> None:
    with Listening(*QUICK, "--back", "refuse") as program, Opponent.to(program.opened) as peer:
        peer.begin(BLACK)
        assert peer.turn().startswith("M")
        peer.send("B001W")
        assert peer.answer() == "K2"
        assert peer.turn().startswith("M")


def test_after_the_last_game_the_program_ends() -> None:
    with Listening(*QUICK, "--games", "1") as program:
        with Opponent.to(program.opened) as peer:
            children = program.children()
            peer.begin(BLACK)
            peer.send("E10")
            assert peer.answer() == "E01"
        assert program.rest()[-1] == "1 game: 1 won, 0 drawn, 0 lost, 0 unknown"
        assert program.exit_code() == 0
        assert program.stderr() == ""
        assert all(gone(child) for child in children)


def test_a_game_that_was_broken_off_shows_in_the_exit_code() -> None:
    with Listening(*QUICK, "--games", "1") as program:
        with Wire.to(program.opened) as wire:
            wire.send(f"R01{'x':32}Z001000A")
            assert wire.until("A")[-1] == "0"
        assert program.exit_code() == 1
        assert "has closed the connection" in program.stderr()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_takes_the_engine_along(number: signal.Signals, code: int) -> None:
    """Though it has time for a long search."""
    with Listening("--move-time", "600000") as program, Opponent.to(program.opened) as peer:
        children = program.children()
        peer.begin(WHITE, minutes=999)
        program.until("game 1: ")
        program.process.send_signal(number)
        assert program.exit_code() == code
        assert program.rest()[-1] == "1 game: 0 won, 0 drawn, 0 lost, 1 unknown"
        assert program.stderr() == ""
        assert all(gone(child) for child in children)


def test_the_peer_has_another_result(quick: Listening) -> None:
    """It says that it has won where it has lost by the rules."""
    with meet(quick) as peer:
        peer.begin(BLACK, fen="W:W35:B24,20,15")
        assert peer.turn("35-30").startswith("M")
        peer.send("E30")
        assert peer.answer() == "E00"
    assert "black wins (no-pieces)" in quick.result()
