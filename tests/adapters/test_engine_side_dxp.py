"""A DXP program as an engine of damd's protocol: games made of positions, time by the minute, and what cannot be told."""

from __future__ import annotations

import asyncio
import re
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from damd.client import AsyncEngine, Limit
from damd.geometry import BLACK, WHITE
from damd.variants import load
from damd_adapters.dxp import main
from damd_adapters.dxp.engine_peer import Place, place_of
from damd_adapters.dxp.engine_side import DxpEngine
from damd_adapters.dxp.engine_talk import Manners
from damd_adapters.table import Table
from dxp_peers import Opponent
from foreign import Inside
from hub_engines import ENV
from programs import Program, gone
from talking import PATIENCE_S

INTERNATIONAL = load("international")
QUICK = Manners(gap_s=0.0)
START = "W:W31-50:B1-20"
TEN = "wtime 600000 btime 600000"


class Server:
    """A port where the adapter's connections arrive."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(PATIENCE_S)
        self.port = self.socket.getsockname()[1]

    def accept(self) -> Opponent:
        return Opponent(self.socket.accept()[0])


@contextmanager
def meeting(manners: Manners = QUICK) -> Iterator[tuple[Inside, Opponent]]:
    """The adapter and the program behind it."""
    server = Server()
    with server.socket:
        place = Place("127.0.0.1", server.port)
        with Inside(lambda host: DxpEngine(place, INTERNATIONAL, manners, host)) as adapter, server.accept() as program:
            yield adapter, program


def answered(adapter: Inside) -> list[str]:
    return adapter.until("bestmove")


# The command line


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("127.0.0.1:27532", Place("127.0.0.1", 27532)),
        ("27532", Place("127.0.0.1", 27532)),
        ("[::1]:27531", Place("::1", 27531)),
        ("scan dxp", Place("127.0.0.1", 27531, ("scan", "dxp"))),
        ("'my scan' dxp", Place("127.0.0.1", 27531, ("my scan", "dxp"))),
        ("connect=:5000 scan dxp", Place("127.0.0.1", 5000, ("scan", "dxp"))),
        ("listen=:5000 tool --client", Place("127.0.0.1", 5000, ("tool", "--client"), listens=False)),
        ("listen=0.0.0.0:5000", Place("0.0.0.0", 5000, (), listens=False)),
    ],
)
def test_places(text, place):
    assert place_of(text) == place


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--engine", "connect=:5000"], "an empty command"),
        (["--engine", "'scan"], "No closing quotation"),
        (["--engine", "host:99999"], "a port is 0 to 65535"),
        (["--engine", ":1", "--variant", "brazilian"], "is not played on squares 1 to 50"),
        (["--engine", ":1", "--variant", "chess"], 'unknown variant "chess"'),
    ],
)
def test_usage(capsys, words, reason):
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("damd-dxp: ")
    assert reason in said.err


# Games


def test_a_game_ply_by_ply():
    with meeting() as (adapter, program):
        adapter.send("position startpos", f"go {TEN}")
        request = program.accept()
        assert (request.name, request.follower, request.minutes, request.moves, request.start) == (
            "damd",
            WHITE,
            10,
            0,
            None,
        )
        program.move("32-28")
        assert answered(adapter) == ["bestmove 32-28"]
        adapter.send("position startpos moves 32-28 19-23", "go wtime 599000 btime 598000")
        assert program.until("M") == "M0000192300"
        program.table.play(program.table.read("19-23"))
        program.move("28x19")
        assert answered(adapter) == ["bestmove 28x19"]
        adapter.send("position startpos moves 32-28 19-23 28x19 14x23", "go wtime 590000 btime 597000")
        assert program.until("M") == "M000014230119"
        program.table.play(program.table.read("14x23"))
        program.move("37-32")
        assert answered(adapter) == ["bestmove 37-32"]
        adapter.close_input()
        assert program.receive() == "E01"
        program.send("E00")
        assert adapter.exit_code() == 0


def test_the_second_to_move():
    with meeting() as (adapter, program):
        adapter.send("position startpos moves 32-28", f"go {TEN}")
        assert program.accept().follower == BLACK
        assert program.until("M") == "M0000322800"
        program.table.play(program.table.read("32-28"))
        program.move("19-23")
        assert answered(adapter) == ["bestmove 19-23"]


def test_another_position_is_another_game():
    with meeting() as (adapter, program):
        adapter.send("position startpos", f"go {TEN}")
        program.accept()
        program.move()
        answered(adapter)
        adapter.send("position fen W:WK50,31:BK1 moves 31-27 1-6", f"go {TEN}")
        assert program.receive() == "E00"
        program.send("E00")
        request = program.accept()
        assert request.follower == WHITE
        assert request.start is not None
        assert (request.start.side, request.start.squares) == (WHITE, "eeeeeZ".ljust(26, "e") + "w".ljust(23, "e") + "W")
        program.send("M0000504500")
        assert answered(adapter) == ["bestmove 50-45"]
        adapter.send("ucinewgame")
        assert program.receive() == "E00"
        program.send("E00")
        assert adapter.ask() == []


def test_a_game_goes_on_after_a_position_that_begun_it_midway():
    with meeting() as (adapter, program):
        played = "32-28 19-23 28x19 14x23"
        adapter.send(f"position startpos moves {played}", f"go {TEN}")
        request = program.accept()
        assert request.start is not None
        program.table = Table.from_fen(INTERNATIONAL, START, played.split())
        first = program.table.spell(program.move("37-32"))
        assert answered(adapter) == [f"bestmove {first}"]
        adapter.send(f"position startpos moves {played} {first} 10-14", f"go {TEN}")
        assert program.until("M") == "M0000101400"


def test_the_program_gives_up():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.send("E10")
        assert program.receive() == "E00"
        assert answered(adapter) == ["bestmove resign"]
        adapter.send(f"go {TEN}")
        program.accept()


@pytest.mark.parametrize(("message", "words"), [("E00", "without a result"), ("E20", "as a draw"), ("E30", "as won")])
def test_the_program_ends_the_game_otherwise(message, words):
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.send(message)
        error, best = answered(adapter)
        assert error == f"error illegal-ply Opponent has ended the game {words} instead of a ply"
        assert best == "bestmove (none)"


def test_a_program_that_leaves_after_a_game_is_called_again():
    server = Server()
    with server.socket:
        place = Place("127.0.0.1", server.port)
        with Inside(lambda host: DxpEngine(place, INTERNATIONAL, QUICK, host)) as adapter:
            for _ in range(2):
                with server.accept() as program:
                    adapter.send("ucinewgame", f"go {TEN}")
                    program.accept()
                    program.send("E11")
                    assert program.receive() == "E00"
                    assert answered(adapter) == ["bestmove resign"]
                    adapter.send("ucinewgame")


@pytest.mark.parametrize("ended", [True, False])
def test_a_program_that_hangs_up_between_games_is_called_again(ended):
    server = Server()
    with server.socket:
        place = Place("127.0.0.1", server.port)
        with Inside(lambda host: DxpEngine(place, INTERNATIONAL, QUICK, host)) as adapter:
            with server.accept() as program:
                adapter.send("position startpos", f"go {TEN}")
                program.accept()
                if ended:
                    program.send("E10")
                    assert program.receive() == "E00"
                else:
                    program.move()
                answered(adapter)
            adapter.send("ucinewgame", f"go {TEN}")
            with server.accept() as program:
                program.accept()
                program.move("32-28")
                assert answered(adapter) == ["bestmove 32-28"]


def test_a_request_in_a_game_is_refused():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.send(program.request(BLACK))
        assert program.until("A")[-1] == "3"
        program.move("32-28")
        assert answered(adapter) == ["bestmove 32-28"]


def test_words_and_wishes_on_the_way():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.send("Chello", "B001W")
        assert program.receive() == "K2"
        assert adapter.until("info") == ["info string Opponent says: hello"]
        program.send("nonsense", "M0000322800")
        remark, best = answered(adapter)
        assert remark.startswith("info string Opponent has sent no message of DXP: 'nonsense': unknown message")
        assert best == "bestmove 32-28"


def test_the_program_refuses():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.until("R")
        program.send(f"A{'Opponent':32}2")
        assert answered(adapter) == ["error bad-value go: Opponent refuses the game, with code 2 of DXP", "bestmove (none)"]


# H13: programs that ask for games themselves


def test_the_program_asks_for_the_game():
    with meeting(replace(QUICK, follows=True)) as (adapter, program):
        program.send(program.request(BLACK))
        adapter.send("position startpos", f"go {TEN}")
        assert program.until("A")[-1] == "0"
        program.move("32-28")
        assert answered(adapter) == ["bestmove 32-28"]


@pytest.mark.parametrize(
    ("follower", "fen", "reason"),
    [(WHITE, None, "asks for a game as black"), (BLACK, "W:W31:B20", "asks for a game from another position")],
)
def test_the_program_asks_for_another_game(follower, fen, reason):
    with meeting(replace(QUICK, follows=True)) as (adapter, program):
        program.send(program.request(follower, fen=fen))
        adapter.send("position startpos", f"go {TEN}")
        assert program.until("A")[-1] == "2"
        error, best = answered(adapter)
        assert error == f"error bad-value go: Opponent {reason}, and is needed for another one"
        assert best == "bestmove (none)"


def test_both_ask():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.until("R")
        program.send(program.request(BLACK))
        assert program.until("A")[-1] == "3"
        assert adapter.rest() == ["error internal Opponent asks for games itself: use --role follower"]


def test_a_program_that_connects_to_us():
    port = free_port()
    place = place_of(f"listen=:{port}")
    with Inside(lambda host: DxpEngine(place, INTERNATIONAL, QUICK, host)) as adapter:
        adapter.send(f"go {TEN}")
        with connected(port) as program:
            program.accept()
            program.move("32-28")
            assert answered(adapter) == ["bestmove 32-28"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def connected(port: int) -> Opponent:
    """A connection to a port where somebody listens soon."""
    for _ in range(400):
        try:
            return Opponent.to(port)
        except ConnectionRefusedError:
            asyncio.run(asyncio.sleep(0.01))
    raise TimeoutError(port)


def test_a_program_that_listens_late():
    port = free_port()
    with Inside(lambda host: DxpEngine(Place("127.0.0.1", port), INTERNATIONAL, QUICK, host)) as adapter:
        adapter.send("uci")
        assert f"id name DXP program at 127.0.0.1:{port}" in adapter.until("uciok")
        adapter.send(f"go {TEN}")
        with socket.create_server(("127.0.0.1", port)) as server, Opponent(server.accept()[0]) as program:
            program.accept()
            program.move("32-28")
            assert answered(adapter) == ["bestmove 32-28"]


def test_nobody_listens():
    with Program("dxp", "--engine", f":{free_port()}", "--retry", "0.3") as adapter:
        [line] = adapter.rest()
        assert re.fullmatch(
            r"error internal no connection to 127\.0\.0\.1:\d+ within 0\.3 s \(.*\): does a DXP program listen there\?", line
        )
        assert adapter.exit_code() == 1
        assert adapter.stderr() == f"damd-dxp: {line.removeprefix('error internal ')}\n"


# T26: times


@pytest.mark.parametrize(
    ("go", "error"),
    [
        ("go movetime 1000", "unknown-token movetime: "),
        ("go depth 5", "unknown-token depth: "),
        ("go nodes 500", "unknown-token nodes: "),
        ("go mate 2", "unknown-token depth: "),
        ("go wtime 60000 btime 60000 winc 1000", "unknown-token winc or binc: "),
        ("go wtime 60000 btime 60000 movestogo 40", "unknown-token movestogo: "),
        ("go wtime 90000 btime 60000", "bad-value 90000: "),
        ("go wtime 30000 btime 30000", "bad-value 30000: "),
        ("go wtime 60000000 btime 60000", "bad-value 60000000: "),
    ],
)
def test_times_that_dxp_does_not_know(go, error):
    with meeting() as (adapter, program):
        adapter.send(go)
        said = answered(adapter)
        assert said[0].startswith(f"error {error}")
        assert said[1:] == ["bestmove (none)"]
        adapter.send("go wtime 60000 btime 1")
        assert program.accept().minutes == 1


@pytest.mark.parametrize("go", ["go infinite", "go ponder wtime 60000 btime 60000"])
def test_searches_without_end_are_refused_when_they_are_stopped(go):
    with meeting() as (adapter, _):
        adapter.send(go)
        adapter.silent(0.05, ())
        adapter.send("stop")
        said = answered(adapter)
        assert said[0].startswith(f"error unknown-token {go.split()[1]}: ")
        assert said[1:] == ["bestmove (none)"]


def test_minutes_by_option():
    with meeting() as (adapter, program):
        assert adapter.ask("setoption name Minutes value 3") == []
        adapter.send("go movetime 1000 depth 3")
        assert program.accept().minutes == 3
        assert adapter.until("info string depth") == [
            "info string movetime is passed over: the program has 3 minutes a game",
            "info string depth is passed over: the program has 3 minutes a game",
        ]
        program.move("32-28")
        assert answered(adapter) == ["bestmove 32-28"]
        adapter.send("position startpos moves 32-28 19-23", "go movetime 1000")
        program.until("M")
        program.send("M000028190123")
        assert answered(adapter) == ["bestmove 28x19"]


def test_a_program_that_thinks_cannot_be_stopped():
    server = Server()
    with server.socket:
        place = Place("127.0.0.1", server.port)
        with Inside(lambda host: DxpEngine(place, INTERNATIONAL, QUICK, host)) as adapter:
            with server.accept() as program:
                adapter.send(f"go {TEN}")
                program.accept()
                adapter.send("stop")
                error, best = answered(adapter)
                assert error.startswith("error stopped Opponent thinks on, and DXP cannot stop it")
                assert best == "bestmove (none)"
                assert program.receive() is None
            adapter.send("ucinewgame", f"go {TEN}")
            with server.accept() as program:
                program.accept()
                program.move("32-28")
                assert answered(adapter) == ["bestmove 32-28"]


def test_one_that_moves_just_then_has_moved():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        adapter.send("stop")
        program.move("32-28")
        assert answered(adapter) == ["bestmove 32-28"]


# What it does wrong


@pytest.mark.parametrize(("message", "token"), [("M0000325000", "M0000325000"), ("M000032280123", "M000032280123")])
def test_an_illegal_move(message, token):
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.send(message)
        error, best = answered(adapter)
        assert error.startswith(f"error illegal-ply {token}: played by Opponent in W:W31,32,33,")
        assert best == "bestmove (none)"
        # The positions differ: the next search begins another game.
        adapter.send("position startpos moves 32-28 19-23", f"go {TEN}")
        assert program.receive() == "E00"
        program.send("E00")
        assert program.accept().start is not None


def test_the_connection_is_lost_in_a_game():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.socket.close()
        last = adapter.rest()[-1]
        assert re.fullmatch(r"error internal 127\.0\.0\.1:\d+ has closed the connection", last)
        assert adapter.exit_code() == 1


def test_a_silent_program():
    with meeting(replace(QUICK, minutes=0, patience_s=0.2, answer_s=0.2)) as (adapter, program):
        adapter.send(f"go {TEN}")
        program.until("R")
        assert adapter.rest()[-1].startswith("error internal the DXP program: no answer within 0.2 s to the game request")
    with meeting(replace(QUICK, patience_s=-599.8)) as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        assert re.fullmatch(r"error internal Opponent has not moved within 0\.2\d* s", adapter.rest()[-1])


def test_a_flood():
    with meeting() as (adapter, program):
        adapter.send(f"go {TEN}")
        program.accept()
        program.offer(b"Cspam\0" * 1100)  # the connection ends before all of them are sent
        assert "messages that are no move: given up" in adapter.rest()[-1]


# Real programs


def test_a_program_that_does_not_start(tmp_path):
    with Program("dxp", "--engine", str(tmp_path / "nothing")) as adapter:
        assert adapter.rest() == [f"error internal cannot start {tmp_path / 'nothing'}: No such file or directory"]
    words = shlex.join([sys.executable, "-c", "import sys; sys.exit('no board')"])
    with Program("dxp", "--engine", f"connect=:{free_port()} {words}") as adapter:
        [line] = adapter.rest()
        assert "ended with exit code 1; its last words on stderr: no board: there is no connection yet" in line
        assert adapter.exit_code() == 1


QUIET = """
import os, socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
os.close(1)
peer = server.accept()[0]
peer.recv(99)
peer.sendall(b"A" + b"Quiet".ljust(32) + b"0\\0M0000322800\\0")
peer.recv(99)
print("this is the end", file=sys.stderr)
sys.exit(3)
"""


def test_a_program_that_closes_its_output_and_then_dies():
    """Moby Dam sends its output to a file of its own."""
    port = free_port()
    words = shlex.join([sys.executable, "-c", QUIET, str(port)])
    with Program("dxp", "--engine", f"connect=:{port} {words}") as adapter:
        adapter.send(f"go {TEN}")
        assert adapter.until("bestmove") == ["bestmove 32-28"]
        adapter.send("position startpos moves 32-28 19-23", f"go {TEN}")
        last = adapter.rest()[-1]
        assert "has closed the connection; " in last
        assert last.endswith("the engine has ended with exit code 3; its last words on stderr: this is the end")
        assert adapter.exit_code() == 1


def test_damd_behind_dxp_behind_damd():
    """Two adapters and a program that the first one starts, in a whole game by the client."""
    port = free_port()
    program = [sys.executable, "-m", "damd_adapters.dxp", "--listen", f"127.0.0.1:{port}", "--nodes", "200"]
    command = [sys.executable, "-m", "damd_adapters.dxp", "--engine", f"connect=127.0.0.1:{port} {shlex.join(program)}"]

    async def game() -> Table:
        table = Table(INTERNATIONAL)
        async with await AsyncEngine.start(command, env=ENV) as engine:
            await engine.new_game()
            while table.outcome() is None:
                if table.side == WHITE:
                    table.play(table.legal()[0])
                    continue
                await engine.position(table.fen, table.texts)
                result = await engine.go(Limit(white_time_ms=300_000, black_time_ms=300_000))
                assert result.ply, result.errors
                table.play(table.read(result.ply))
        assert engine.exit_code == 0
        return table

    table = asyncio.run(game())
    assert len(table.played) > 10
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)


def test_no_process_is_left():
    port = free_port()
    program = [sys.executable, "-m", "damd_adapters.dxp", "--listen", f"127.0.0.1:{port}"]
    with Program("dxp", "--engine", f"connect=:{port} {shlex.join(program)}") as adapter:
        adapter.ask("ucinewgame")
        children = adapter.children()
        adapter.process.terminate()
        assert adapter.exit_code() == 143
        assert all(gone(pid) for pid in children)
