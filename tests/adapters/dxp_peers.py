"""Peers of ``damd-dxp`` for the tests: a raw connection, and an opponent that plays by damd's rules and the test's whims."""

from __future__ import annotations

import contextlib
import io
import queue
import re
import socket
import threading
from types import TracebackType
from typing import Self

from damd.core.types import Ply
from damd.notation.fen import parse_fen
from damd.rules import Rules
from damd.variants import load
from damd_adapters.dxp import main
from damd_adapters.dxp.board import move_of, ply_of, position_of
from damd_adapters.dxp.messages import GameRequest, Move, parse
from damd_adapters.table import Table
from programs import Program
from talking import PATIENCE_S

INTERNATIONAL = load("international")


class Dxp(Program):
    """``damd-dxp`` in a process of its own. What it says on stderr is taken away, however much it is."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("dxp", *arguments)
        self._said = b""
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self._said = self.process.stderr.read()

    def stderr(self) -> str:
        """All of it, once the program has ended."""
        self._listener.join(PATIENCE_S)
        return self._said.decode()

    def result(self) -> str:
        """The line of the next game's end."""
        while True:
            line = self.until("game ")[-1]
            if re.match(r"game \d+: .* after \d+ plies", line):
                return line


class Listening(Dxp):
    """One that listens on a free port: ``opened``."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("--listen", "127.0.0.1:0", *arguments)
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)", self.until("listening on ")[-1])
        assert found
        self.opened = int(found[1])


class InThread(Dxp):
    """The command in a thread of the test, which saves the start of a process; it has to end by itself."""

    def __init__(self, *arguments: str) -> None:
        self._lines = queue.Queue()
        self.all_lines = []
        self._code: int | None = None
        self._faults = io.StringIO()
        self._streams = contextlib.ExitStack()
        self._streams.enter_context(contextlib.redirect_stdout(_Queued(self._lines)))
        self._streams.enter_context(contextlib.redirect_stderr(self._faults))
        self._thread = threading.Thread(target=self._run, args=(arguments,), daemon=True)
        self._thread.start()

    def _run(self, arguments: tuple[str, ...]) -> None:
        try:
            self._code = main(arguments)
        finally:
            self._lines.put(None)

    def __exit__(self, *_: object) -> None:
        self._thread.join(PATIENCE_S)
        self._streams.close()
        assert not self._thread.is_alive(), "it has not ended"

    def exit_code(self, timeout: float = PATIENCE_S) -> int:
        self._thread.join(timeout)
        assert self._code is not None
        return self._code

    def stderr(self) -> str:
        return self._faults.getvalue()


class _Queued(io.StringIO):
    """Puts whole lines into a queue; they are written whole."""

    def __init__(self, lines: queue.Queue[str | None]) -> None:
        super().__init__()
        self._queue = lines

    def write(self, text: str) -> int:
        for line in text.splitlines():
            self._queue.put(line)
        return len(text)


class Wire:
    """A raw connection to a program that speaks DXP. Everything has a time-out."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self._bytes = b""

    @classmethod
    def to(cls, port: int) -> Self:
        """A connection to the program that listens on this port."""
        return cls(socket.create_connection(("127.0.0.1", port), PATIENCE_S))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.socket.close()

    def send(self, *texts: str) -> None:
        """Messages, all in one segment."""
        self.send_bytes(b"".join(text.encode("latin-1") + b"\0" for text in texts))

    def send_bytes(self, data: bytes) -> None:
        self.socket.sendall(data)

    def offer(self, data: bytes) -> None:
        """Send as much as the other side takes, and read until it has nothing more to say."""
        with contextlib.suppress(ConnectionError):
            self.send_bytes(data)
            self.socket.shutdown(socket.SHUT_WR)
            while self.socket.recv(4096):
                pass

    def receive(self) -> str | None:
        """The next message, ``None`` where the connection has been closed."""
        while b"\0" not in self._bytes:
            try:
                data = self.socket.recv(4096)
            except ConnectionError:
                return None
            if not data:
                assert not self._bytes, "half a message at the end"
                return None
            self._bytes += data
        message, _, self._bytes = self._bytes.partition(b"\0")
        return message.decode("ascii")

    def until(self, letter: str) -> str:
        """The next message of that letter; others are passed over."""
        while True:
            message = self.receive()
            assert message is not None, f"the connection was closed before {letter}"
            if message.startswith(letter):
                return message

    def rest(self) -> list[str]:
        """All messages up to the end of the connection."""
        found = []
        while (message := self.receive()) is not None:
            found.append(message)
        return found


class Opponent(Wire):
    """The other player of a game: knows the position, plays what the test wants or its first legal ply."""

    def __init__(self, connection: socket.socket, rules: Rules = INTERNATIONAL) -> None:
        super().__init__(connection)
        self.rules = rules
        self.table = Table(rules)

    def request(self, follower: int, *, minutes: float = 1, moves: int = 0, fen: str | None = None) -> str:
        """The text of a game request; the table is set up for the game."""
        setup = parse_fen(fen, self.rules) if fen else None
        self.table = Table(self.rules, setup)
        return GameRequest("Opponent", follower, minutes, moves, position_of(setup) if setup else None).text

    def begin(self, follower: int, *, minutes: float = 1, moves: int = 0, fen: str | None = None) -> None:
        """Ask for a game and get it."""
        self.send(self.request(follower, minutes=minutes, moves=moves, fen=fen))
        assert self.until("A")[-1] == "0"

    def accept(self) -> GameRequest:
        """Wait for a request and accept it; the table is set up for the game."""
        request = parse(self.until("R").encode())
        assert isinstance(request, GameRequest)
        self.send(f"A{'Opponent':32}0")
        self.table = Table(self.rules)
        return request

    def move(self, text: str | None = None) -> Ply:
        """Make a ply, the first legal one where none is said."""
        ply = self.table.read(text) if text else self.table.moves()[0]
        self.send(move_of(ply).text)
        self.table.play(ply)
        return ply

    def answer(self) -> str:
        """The next move, game end, or word about going back; a move is made on the table, so it is a legal one."""
        while True:
            text = self.receive()
            assert text is not None, "the connection was closed"
            message = parse(text.encode())
            if isinstance(message, Move):
                self.table.play(ply_of(message, self.table))
            if text[0] in "MEKB":
                return text

    def turn(self, text: str | None = None) -> str:
        """Make a ply and get the answer."""
        self.move(text)
        return self.answer()
