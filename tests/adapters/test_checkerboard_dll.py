"""The DLL for CheckerBoard: it builds without a warning, and under wine a small host calls it as CheckerBoard does."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from checkerboard_gui import (
    BLACK,
    GAMES,
    WHITE,
    Board,
    GuiMove,
    Server,
    fen,
    from_wire,
    number,
    read_list,
    read_record,
    start_board,
    wire_board,
)
from programs import Program
from talking import PATIENCE_S, ROOT

SOURCE = ROOT / "adapters" / "checkerboard"
START = wire_board(start_board())
TARGETS = {"64": ("x86_64-w64-mingw32", "damd.dll"), "32": ("i686-w64-mingw32", "damd32.dll")}


def need(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} (Debian: make, gcc-mingw-w64-x86-64, gcc-mingw-w64-i686, wine, wine64)")


def build(target: str, folder: Path) -> None:
    """One command, all warnings being errors."""
    made = subprocess.run(
        ["make", "-C", str(SOURCE), f"OUT={folder}", target], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert made.returncode == 0, made.stderr
    assert made.stderr == ""


@pytest.mark.parametrize("target", TARGETS)
def test_it_builds_and_exports_plain_names(target, tmp_path):
    machine, dll = TARGETS[target]
    need("make", f"{machine}-gcc", f"{machine}-objdump")
    build(target, tmp_path)
    shown = subprocess.run(
        [f"{machine}-objdump", "-p", str(tmp_path / dll)], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    ).stdout
    table = shown.partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
    assert sorted(line.split()[-1] for line in table.split("\n") if "[" in line) == ["enginecommand", "getmove", "islegal"]
    libraries = {name.lower() for name in re.findall(r"DLL Name: (\S+)", shown)}
    assert libraries == {"kernel32.dll", "msvcrt.dll", "ws2_32.dll"}  # what every Windows has


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Iterator[Path]:
    """A folder with the host, the DLL under each game's name, and a wine that is ended with all that it has started."""
    need("make", "x86_64-w64-mingw32-gcc", "wine")
    folder = tmp_path_factory.mktemp("engines")
    build("64", folder)
    build("host", folder)
    for game in GAMES:
        shutil.copy(folder / "damd.dll", folder / f"damd-{game}.dll")
    yield folder
    ending = next(
        (path for path in (shutil.which("wineserver"), "/usr/lib/wine/wineserver") if path and Path(path).exists()), None
    )
    if ending is not None:
        for word in ("-k", "-w"):
            subprocess.run([ending, word], env=wine_environment(folder), timeout=PATIENCE_S, check=False)
    shutil.rmtree(folder / "wine", ignore_errors=True)  # some 700 MB


def wine_environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    quiet = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=d;mshtml=d"}
    return {**os.environ, **quiet, "WINEPREFIX": str(folder / "wine"), "PYTHONPATH": path}


def write_settings(folder: Path, dll: str, **settings: object) -> None:
    lines = [f"{key} = {value}\r\n" for key, value in settings.items()]
    (folder / f"{dll}.ini").write_text("[damd]\r\n" + "".join(lines), encoding="ascii", newline="")


class Host(Program):
    """The host with one DLL, under wine; it is asked a line and answers a line."""

    def __init__(self, folder: Path, dll: str) -> None:
        self.process = subprocess.Popen(
            ["wine", "host.exe", f"{dll}.dll"],
            cwd=folder,
            env=wine_environment(folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.all_lines: list[str] = []
        threading.Thread(target=self._collect, daemon=True).start()

    def answer(self, line: str) -> str:
        self.send(line)
        said = self.line()
        assert said is not None, self.stderr()
        return said.removesuffix("\r")

    def command(self, text: str) -> tuple[bool, str]:
        word, handled, reply = self.answer(f"command {text}").split(" ", 2)
        assert word == "reply"
        return handled == "1", reply

    def status(self) -> str:
        return self.answer("status").removeprefix("status ")

    def move(self, request: str) -> tuple[int, Board, GuiMove]:
        assert self.answer(f"move {request}") == "thinking"
        return self.moved()

    def moved(self) -> tuple[int, Board, GuiMove]:
        word, result, board, record = self.answer("wait").split(" ")
        assert word == "moved"
        return int(result), from_wire(board), read_record(record)

    def finish(self) -> None:
        self.close_input()
        assert self.exit_code(PATIENCE_S) == 0


@pytest.fixture(scope="module")
def server():
    with Server("--option", "Hash=1") as server:
        yield server
        server.end()


@pytest.mark.parametrize("game", ["russian", pytest.param("english", marks=pytest.mark.long)])
def test_a_game_through_the_dll(folder, server, game):
    write_settings(folder, f"damd-{game}", port=server.port)
    random, kind = Random(3), GAMES[game]
    board, colour = start_board(), BLACK if game == "english" else WHITE
    with Host(folder, f"damd-{game}") as host:
        assert host.command("get gametype") == (True, str(kind))
        assert host.command("get movelist B:W1:B") == (True, "movelist 0")
        for ply in range(30):
            listed, _ = read_list(host.command(f"get movelist {fen(board, colour, kind)}")[1], kind)
            if not listed:
                break
            if ply % 2:
                move = random.choice(listed)
                origin, end = number(move.origin, kind), number(move.end, kind)
                said = host.answer(f"legal {colour} {origin} {end} {wire_board(board)}")
                assert said.startswith("legal 1 ")
                assert read_record(said.removeprefix("legal 1 ")).origin == move.origin
            else:
                assert host.command(f"set gamehist {fen(board, colour, kind)}")[0]
                _, after, move = host.move(f"{colour} 0.02 0 0 {wire_board(board)}")
                assert move.on(board) == after
                assert move in listed
                assert " pv " in host.status()
            board = move.on(board)
            colour ^= WHITE | BLACK
        assert host.answer(f"legal {colour} 1 32 {wire_board(board)}") == "legal 0"
        host.finish()


@pytest.mark.long
def test_calls_from_several_threads_during_a_search(folder, server):
    write_settings(folder, "damd-czech", port=server.port)
    with Host(folder, "damd-czech") as host:
        assert host.command("about")[1].count("\\n") == 3
        assert host.answer(f"move 1 86400 2 0 {START}") == "thinking"
        assert host.answer("hammer 6 100") == "right 600"
        assert host.command("staticevaluation W:WK31:BK3") == (True, "damd is thinking: ask again when it has moved")
        assert host.answer("playnow") == "playnow"
        result, board, move = host.moved()
        assert result == 3
        assert move.on(start_board()) == board
        host.finish()


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@pytest.mark.long
def test_no_server_is_told_and_one_that_comes_is_found(folder):
    port = free_port()
    write_settings(folder, "damd-italian", port=port)
    none = f"no server on 127.0.0.1 port {port}: start damd-checkerboard"
    with Host(folder, "damd-italian") as host:
        assert host.command("name") == (True, f"damd: {none}")
        assert host.command("get hashsize") == (False, f"? {none}")
        assert host.answer(f"legal 1 22 18 {START}") == "legal 0"
        result, board, _ = host.move(f"1 60 0 0 {START}")
        assert (result, board, host.status()) == (3, start_board(), f"damd: {none}")
        for _ in range(2):  # twice: it goes, and another one comes
            with Program("checkerboard", "--port", str(port), "--option", "Hash=1") as server:
                assert (server.line() or "").startswith("listening")
                while host.command("get gametype") != (True, "22"):  # for some seconds it does not try again
                    pass
                while host.move(f"1 0.01 0 0 {START}")[1] == start_board():
                    pass
                server.process.terminate()
                assert server.exit_code(PATIENCE_S) == 143
        assert host.command("get gametype")[0] is False
        host.finish()


@pytest.mark.long
def test_the_server_is_started_where_the_settings_say_so(folder):
    port = free_port()
    # What wine starts outside of itself does not know its own name: so the daemon is named too.
    command = f'Z:{sys.executable} -m damd_adapters.checkerboard --daemon "{sys.executable} -m damd" --option Hash=1'
    write_settings(folder, "damd-brazilian", port=port, start=command, idle=1)
    with Host(folder, "damd-brazilian") as host:
        assert host.command("get gametype") == (True, "26")
        _, board, move = host.move(f"1 0.01 0 0 {START}")
        assert move.on(start_board()) == board
        host.finish()
    deadline = time.monotonic() + PATIENCE_S  # it ends by itself
    while listens(port) and time.monotonic() < deadline:
        time.sleep(2.0)
    assert not listens(port)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE_S).close()
    except ConnectionRefusedError:
        return False
    return True


class FakeServer:
    """Says what it is given to every connection, and then nothing; closes it at once where it has nothing to say."""

    def __init__(self, *parts: bytes) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._parts = parts
        self._held: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                for part in self._parts:
                    connection.sendall(part)
                self._held.append(connection) if self._parts else connection.close()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *_: object) -> None:
        for held in (*self._held, self._socket):
            held.close()


READY = b"READY 1 spanish 24 fake\n"


@pytest.mark.long
@pytest.mark.parametrize(
    ("parts", "reply", "status"),
    [
        ((READY,), "damd-checkerboard does not answer", "damd-checkerboard has been silent for too long"),
        ((READY, b"x" * 100_000), "damd-checkerboard does not answer", "damd-checkerboard has ended"),
        ((READY, b"nonsense\n"), "nonsense", "nonsense"),
        ((READY, b"ERROR too bad\n"), "ERROR too bad", "too bad"),
        ((READY, b"DONE 1 55\n"), "DONE 1 55", ""),
        ((b"ERROR wrong door\n",), "wrong door", "wrong door"),
        ((), "what listens on 127.0.0.1 port PORT is not damd-checkerboard", "is not damd-checkerboard"),
    ],
)
def test_servers_that_do_wrong(folder, parts, reply, status):
    with FakeServer(*parts) as fake:
        write_settings(folder, "damd-spanish", port=fake.port, patience=1)
        with Host(folder, "damd-spanish") as host:
            handled, said = host.command("get gametype")
            assert not handled
            assert said == "? " + reply.replace("PORT", str(fake.port))
            result, board, _ = host.move(f"1 60 0 0 {START}")
            assert (result, board) == (3, start_board())
            assert status in host.status()
            host.finish()
