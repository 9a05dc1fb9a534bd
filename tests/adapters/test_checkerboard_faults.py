"""The CheckerBoard server with engines that misbehave, and the program's own beginning and end."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time

import pytest

from checkerboard_gui import BLACK, WHITE, Gui, Server, start_board, wire_board
from programs import Program, gone, misbehaving
from talking import PATIENCE_S, ROOT

START = wire_board(start_board())
UNKNOWN = 3


def first_error(gui: Gui, seconds: float = 0.05) -> str:
    gui.moves.send(f"MOVE {gui.colour} {seconds} 0 0 {wire_board(gui.board)}")
    shown, line = gui.moves.finish()
    assert line.startswith("ERROR "), shown
    return line


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("die", r"ERROR damd's engine: the engine has ended with exit code 3; its last words on stderr: first line out of"),
        ("two-bestmoves", r"ERROR damd's engine: the engine played no legal move: .*"),
        ("garbage", r"ERROR damd's engine: the engine played no legal move: .*"),
        ("die-in-handshake", r"ERROR damd's engine: the engine has ended with exit code 2; its last words .*"),
    ],
)
def test_an_engine_that_fails_is_told_and_started_anew(mode, message):
    with Server("--daemon", misbehaving(mode)) as server, Gui(server, "english", colour=BLACK) as gui:
        assert gui.commands.command("get gametype") == (True, "21")
        for _ in range(2):
            assert re.match(message, first_error(gui))
        assert gui.listed()[1]
        gui.__exit__()
        server.end()
        assert server.children() == []


def test_an_engine_that_does_not_stop_is_ended():
    """It begins to search and says nothing more; meanwhile there are signs of life. Soon after PLAYNOW it is dead."""
    with Server("--daemon", misbehaving("hang")) as server, Gui(server, "english", colour=BLACK) as gui:
        gui.moves.send(f"MOVE {BLACK} 86400 0 0 {START}")
        assert [gui.moves.line() for _ in range(2)] == ["STATUS damd is thinking"] * 2
        (engine,) = server.children()
        gui.moves.send("PLAYNOW")
        assert gui.moves.finish()[1] == "ERROR damd's engine: no answer to stop within 3 s"
        assert gone(engine)
        server.end()


def test_no_engine_at_all():
    with Server("--daemon", "no-such-engine") as server, Gui(server, "english", colour=BLACK) as gui:
        assert gui.commands.command("name") == (
            True,
            "damd without an engine: cannot start no-such-engine: No such file or directory",
        )
        assert gui.commands.command("get hashsize") == (
            False,
            "? damd's engine: cannot start no-such-engine: No such file or directory",
        )
        assert first_error(gui) == "ERROR damd's engine: cannot start no-such-engine: No such file or directory"
        server.end()


# The program


def test_it_ends_when_nobody_has_been_there_for_a_while():
    with Server("--idle", "0.5", "--option", "Hash=1") as server:
        with Gui(server, "russian") as gui:
            assert gui.engine_moves() == UNKNOWN
            engines = server.children()
            time.sleep(1.0)
            assert gui.engine_moves() == UNKNOWN  # somebody is there
        assert server.exit_code(PATIENCE_S) == 0
        assert all(gone(engine) for engine in engines)
        assert server.stderr() == ""


def test_it_ends_in_the_middle_of_a_search_and_leaves_no_engine():
    with Server() as server, Gui(server, "russian") as gui:
        gui.moves.send(f"MOVE {WHITE} 86400 2 0 {START}")
        while not (gui.moves.line() or "").startswith("STATUS depth"):
            pass
        engines = server.children()
        assert engines
        server.end()
        assert all(gone(engine) for engine in engines)
        lines = []
        while (line := gui.moves.line()) is not None:
            lines.append(line)
        assert all(line.startswith("STATUS ") for line in lines)


def test_a_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with Program("checkerboard", "--port", str(port)) as program:
            assert program.line() is None
            assert program.exit_code(PATIENCE_S) == 1
            said = program.stderr()
            assert said.startswith("damd-checkerboard: ")
            assert str(port) in said
            assert "Errno" not in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "'70000' is no whole number from 0 to 65535"),
        (["--idle", "0"], "'0' is no number of seconds above 0"),
        (["--longest-list", "0"], "'0' is no whole number from 1 to 1000"),
        (["--option", "Hash"], "'Hash' is not of the form NAME=VALUE"),
    ],
)
def test_wrong_usage(arguments, message):
    ended = subprocess.run(
        [sys.executable, "-m", "damd_adapters.checkerboard", *arguments],
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'adapters'}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 2
    assert message in ended.stderr
