"""``damd-dxp --connect``: it asks for games; and what both roles have in common."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from damd.geometry import BLACK, WHITE
from damd.notation.pdn import read_games
from damd_adapters.dxp import main
from damd_adapters.dxp.messages import GameRequest, parse
from dxp_peers import Dxp, InThread, Listening, Opponent, Wire
from programs import gone, misbehaving
from talking import PATIENCE_S

QUICK = ("--retry", "0.3", "--nodes", "100", "--answer", "5", "--patience", "5", "--gap", "1")


class Door:
    """A port on which the test waits for ``damd-dxp``."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(PATIENCE_S)
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"

    def open(self) -> Opponent:
        return Opponent(self._socket.accept()[0])

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def door() -> Iterator[Door]:
    made = Door()
    yield made
    made.close()


@contextmanager
def calling(door: Door, *arguments: str, kind: type[Dxp] = InThread) -> Iterator[tuple[Dxp, Opponent]]:
    """A program that has connected to the test."""
    with kind("--connect", door.address, *QUICK, *arguments) as program, door.open() as peer:
        yield program, peer
        door.close()
        peer.socket.close()


def ended(program: Dxp, code: int, words: str) -> None:
    """It has ended by itself, with no traceback, and no engine is left."""
    program.rest()
    assert program.exit_code() == code
    said = program.stderr()
    assert words in said
    assert "Traceback" not in said


def test_games_with_alternating_colours(door: Door) -> None:
    with calling(door, "--games", "3", "--minutes", "7", "--moves", "40", "--colour", "black", kind=Dxp) as (program, peer):
        children = program.children()
        for number, follower in enumerate((WHITE, BLACK, WHITE), 1):
            assert peer.accept() == GameRequest("damd 0.1.0", follower, 7, 40)
            if follower == WHITE:
                peer.move()
            assert peer.answer().startswith("M")
            if follower == BLACK:
                assert peer.turn().startswith("M")
            peer.send("E10")
            assert peer.answer() == ("E01" if number == 3 else "E00")
        assert peer.receive() is None
        ended(program, 0, "")
        assert program.all_lines[-1] == "3 games: 3 won, 0 drawn, 0 lost, 0 unknown"
        assert all(gone(child) for child in children)


def test_a_position_of_our_own(door: Door) -> None:
    with calling(door, "--fen", "B:W35,K46:B24,20", "--name", " Größe ") as (_, peer):
        request = parse(peer.until("R").encode())
        assert isinstance(request, GameRequest)
        assert request.name == "Gr??e"
        assert request.start is not None
        assert request.start.side == BLACK
        assert {place: char for place, char in enumerate(request.start.squares, 1) if char != "e"} == {
            20: "z",
            24: "z",
            35: "w",
            46: "W",
        }


def test_the_peer_leaves_after_a_game(door: Door) -> None:
    with calling(door, "--games", "5") as (program, peer):
        peer.accept()
        assert peer.answer().startswith("M")
        peer.send("E11")
        assert peer.answer() == "E00"
        ended(program, 0, "")


@pytest.mark.parametrize(
    ("code", "words"), [(1, "does not know version 01"), (2, "refuses this game"), (3, "refuses any game")]
)
def test_refusals(door: Door, code: int, words: str) -> None:
    with calling(door) as (program, peer):
        peer.until("R")
        peer.send(f"A{'Stubborn':32}{code}")
        ended(program, 1, f"damd-dxp: Stubborn {words}")


def test_no_answer_to_the_request(door: Door) -> None:
    with calling(door, "--answer", "0.5") as (program, peer):
        peer.until("R")
        peer.send("Chm", "E00")
        ended(program, 1, "has not answered the game request within 0.5 s: if it asks for games itself, follow it")


def test_h13_both_ask_for_games(door: Door) -> None:
    with calling(door) as (program, peer):
        peer.send(peer.request(WHITE))
        assert peer.until("A")[-1] == "3"
        ended(program, 1, "asks for games too: one side has to be the follower (--role follower)")


def test_h13_the_peer_is_the_initiator(door: Door) -> None:
    with calling(door, "--role", "follower") as (program, peer):
        peer.begin(WHITE)
        assert peer.answer().startswith("M")
        peer.send("E31")
        assert peer.answer() == "E00"
        ended(program, 0, "")


def test_h13_the_peer_waits_for_games() -> None:
    """``--listen``, and yet it is this side that asks."""
    with Listening(*QUICK, "--role", "initiator", "--games", "1") as program, Opponent.to(program.opened) as peer:
        assert peer.accept().follower == BLACK
        assert peer.answer().startswith("M")
        assert peer.turn().startswith("M")
        peer.send("E21")
        assert peer.answer() == "E01"


def test_h13_nobody_listens() -> None:
    door = Door()
    door.close()
    with InThread("--connect", door.address, *QUICK) as program:
        ended(program, 1, f"no connection to {door.address} within 0.3 s")


def test_h13_the_peer_listens_later() -> None:
    door = Door()
    door.close()
    with InThread("--connect", door.address, *QUICK, "--retry", str(PATIENCE_S)) as program:
        with pytest.raises(TimeoutError):
            program.line(0.5)
        server = socket.create_server(("127.0.0.1", int(door.address.rpartition(":")[2])))
        with server, Opponent(server.accept()[0]) as peer:
            peer.accept()
            assert peer.answer().startswith("M")


def test_reconnecting(door: Door) -> None:
    """The connection is lost in a game: that game is broken off, the other ones are played."""
    with InThread("--connect", door.address, *QUICK, "--games", "2") as program:
        with door.open() as peer:
            assert peer.accept().follower == BLACK
            assert peer.answer().startswith("M")
        with door.open() as peer:
            assert peer.accept().follower == WHITE
            peer.move()
            assert peer.answer().startswith("M")
            peer.send("E10")
            assert peer.answer() == "E01"
        ended(program, 1, "has closed the connection")
        assert program.all_lines[-1] == "2 games: 1 won, 0 drawn, 0 lost, 1 unknown"


def test_a_peer_that_hangs_up_at_once(door: Door) -> None:
    with InThread("--connect", door.address, *QUICK) as program:
        for _ in range(3):
            door.open().socket.close()
        ended(program, 1, "has ended 3 connections before a game began: given up")


# Engines


@pytest.mark.parametrize("mode", ["die", "garbage"])
def test_an_engine_that_fails_in_a_game(door: Door, tmp_path: Path, mode: str) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(ENGINE, encoding="utf-8")
    with calling(door, "--daemon", f"{sys.executable} {engine} {mode}") as (program, peer):
        peer.accept()
        assert peer.until("C").startswith("Cerror: the engine has ")
        assert peer.until("E") == "E01"
        peer.send("E00")
        ended(program, 1, "the engine has ")
        assert "1 game: 0 won, 0 drawn, 0 lost, 1 unknown" in program.all_lines


#: Shakes hands and fails at ``go``.
ENGINE = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Failing\\noption name UCI_Variant type combo default international var international\\nuciok")
    elif word == "isready":
        print("readyok")
    elif word == "go":
        if sys.argv[1] == "die":
            break
        print("bestmove 1-50")
    elif word == "quit":
        break
    sys.stdout.flush()
"""


def test_an_engine_that_does_not_start(door: Door) -> None:
    for engine, words in (("no-such-program", "cannot start no-such-program"), (misbehaving("die"), "has ended")):
        with InThread("--connect", door.address, "--daemon", engine) as program:
            program.rest()
            assert program.exit_code() == 1
            said = program.stderr()
            assert "Traceback" not in said
            assert words in said or "UCI_Variant" in said


# Commands


def test_commands_of_the_user(door: Door) -> None:
    with calling(door, "--console", "--games", "2", "--minutes", "999", "--name", "Console", kind=Dxp) as (program, peer):
        peer.accept()
        assert peer.answer().startswith("M")
        program.send("chat good luck", "nonsense", "", "back")
        assert peer.until("C") == "Cgood luck"
        assert peer.until("B") == "B001W"
        peer.send("K2")
        program.send("back 5", "back")
        assert peer.until("B") == "B001W"
        peer.move()  # it crosses the request
        peer.send("K0")
        while peer.table.played:
            peer.table.undo()
        assert peer.answer().startswith("M")
        program.send("resign")
        peer.move()
        assert peer.answer() == "E10"
        peer.send("E00")
        peer.accept()
        peer.move()
        assert peer.answer().startswith("M")
        program.send("quit")
        peer.move()
        assert peer.answer() == "E01"
        peer.send("E00")
        ended(program, 0, "the commands are chat WORDS, back [N], resign, draw and quit")
        assert "2 games: 0 won, 0 drawn, 1 lost, 1 unknown" in program.all_lines


def test_the_user_does_not_want_to_wait() -> None:
    with Listening(*QUICK, "--console") as program:
        program.send("resign", "quit")
        ended(program, 0, "damd-dxp: nobody is connected: the only command is quit\n")


def test_a_request_to_go_back_that_is_not_answered(door: Door) -> None:
    with calling(door, "--console", "--answer", "0.5", "--patience", "60", kind=Dxp) as (program, peer):
        peer.accept()
        assert peer.answer().startswith("M")
        program.send("back")
        assert peer.until("B") == "B001W"
        peer.move()
        assert peer.until("C").startswith("Cthe request to go back was not answered")
        assert peer.answer().startswith("M")


def test_both_ask_to_go_back(door: Door) -> None:
    with calling(door, "--console", "--minutes", "999", "--patience", "60", kind=Dxp) as (program, peer):
        peer.accept()
        assert peer.answer().startswith("M")
        program.send("back")
        assert peer.until("B") == "B001W"
        peer.send("B001W")
        assert peer.answer() == "K2"
        peer.send("K2")
        assert peer.turn().startswith("M")


# Files and the command line


def test_games_as_pdn(door: Door, tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    file.write_text('[Event "older"]\n[GameType "20"]\n\n1. 32-28 *\n\n', encoding="utf-8")
    with calling(door, "--games", "2", "--pdn", str(file)) as (program, peer):
        peer.accept()
        assert peer.answer().startswith("M")
        assert peer.turn().startswith("M")
        peer.send("E10")
        assert peer.answer() == "E00"
        peer.accept()
        peer.move()
        peer.answer()
        peer.send("E20")
        peer.answer()
        ended(program, 0, "")
    with file.open(encoding="utf-8") as source:
        games = list(read_games(source))
    assert not any(game.faults for game in games)
    played = [game.game for game in games if game.game is not None]
    assert [len(list(game.line.plies())) for game in played] == [1, 3, 2]
    assert [(game.tag("White"), game.verdict.value) for game in played[1:]] == [
        ("damd 0.1.0", "white"),
        ("Opponent", "draw"),
    ]
    assert [game.tag("Termination") for game in played[1:]] == ["resignation", "the peer declares a draw"]


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no" / "games.pdn"
    assert main(["--listen", "0", "--pdn", str(path)]) == 1
    assert capsys.readouterr().err == f"damd-dxp: {path}: No such file or directory\n"


def test_a_log_holds_the_conversation(door: Door, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with calling(door, "--log", str(log), kind=Dxp) as (program, peer):
        peer.accept()
        peer.answer()
        peer.send("Chello", "E11")
        peer.until("E")
        ended(program, 0, "chat from Opponent: hello")
    text = log.read_text(encoding="utf-8")
    assert "> R01damd" in text
    assert "< Chello" in text
    assert "< E11" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "one of the arguments --listen --connect --engine is required"),
        (["--listen", "--connect", "x"], "not allowed with argument"),
        (["--connect", "host:99999"], "a port is 0 to 65535"),
        (["--connect", "a:b:c"], "is no address"),
        # T26: DXP has minutes for the whole game and a number of moves, and nothing else
        (["--listen", "--minutes", "1000"], "a whole number, 0 to 999, was expected"),
        (["--listen", "--minutes", "0.5"], "a whole number, 0 to 999, was expected"),
        (["--listen", "--minutes", "5+3"], "a whole number, 0 to 999, was expected"),
        (["--listen", "--moves", "1000"], "a whole number, 0 to 999, was expected"),
        (["--listen", "--moves", "-1"], "a whole number, 0 to 999, was expected"),
        (["--listen", "--free-minutes", "0"], "a number above 0"),
        (["--listen", "--patience", "nan"], "a number above 0"),
        (["--listen", "--games", "x"], "a whole number, 0 or more"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--variant", "russian"], "russian is not played on squares 1 to 50"),
        (["--variant", "canadian"], "canadian is not played on squares 1 to 50"),
        (["--variant", "dam-haji-10"], "dam-haji-10 has claims of missed captures"),
        (["--fen", "W:W1:B50"], "stands where men are promoted"),
    ],
)
def test_games_that_dxp_cannot_carry(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--listen", "0", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_another_game_of_fifty_squares() -> None:
    """Where both sides know it: in frisian draughts a man captures straight ahead."""
    with Listening(*QUICK, "--variant", "frisian") as program, Wire.to(program.opened) as wire:
        wire.send(f"R01{'x':32}Z001000BW" + "".join({28: "w", 18: "z", 1: "z"}.get(square, "e") for square in range(1, 51)))
        assert wire.until("A")[-1] == "0"
        wire.send("M000028080118")
        assert wire.until("M")[0] == "M"
