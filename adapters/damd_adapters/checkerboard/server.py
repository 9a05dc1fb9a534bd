"""The line server: connections of DLLs, two for each CheckerBoard, and the sessions behind them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from damd.client import EngineError
from damd.client.lines import LineSplitter
from damd.core.types import TooManyPlies
from damd.rules import Rules
from damd.variants import VariantError
from damd_adapters.checkerboard import commands, wire
from damd_adapters.checkerboard.engine import EngineCommand
from damd_adapters.checkerboard.layouts import BoardError
from damd_adapters.checkerboard.moves import LONGEST_LIST
from damd_adapters.checkerboard.session import Reply, Session
from damd_adapters.launch import logger

#: More connections, and more games at the same time (each has an engine), are refused.
MAX_CONNECTIONS, MAX_SESSIONS = 32, 8
#: Who has connected says within so many seconds who he is; who does not read what he is sent is dropped.
HELLO_S, WRITE_S = 10.0, 10.0
#: During a search a line goes out at least so often, so that the DLL sees that the server is there.
SIGN_OF_LIFE_S = 1.0
#: So many lines may wait behind a search; a DLL sends none.
_WAITING_LINES = 8
_CHUNK_BYTES = 16 * 1024


class Gone(Exception):
    """The peer has left, or is told so: the message is its last line, if there is one."""


class Peer:
    """One connection: bounded lines in, lines out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._splitter = LineSplitter(wire.MAX_LINE_BYTES)
        self._lines: deque[str] = deque()
        self._unended = 0  # bytes behind the last line end
        self._reading: asyncio.Task[bytes] | None = None
        self.name = ":".join(str(part) for part in (writer.get_extra_info("peername") or ("?",))[:2])

    def arriving(self) -> asyncio.Task[bytes]:
        """Ends when there is more to read; the same task until ``take`` has taken what it brought."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._reader.read(_CHUNK_BYTES))
        return self._reading

    @property
    def waiting(self) -> bool:
        """Whether a whole line has been read already."""
        return bool(self._lines)

    async def line(self) -> str:
        """The next line. Raises ``Gone`` at the end of the input and after a line that is too long."""
        while not self._lines:
            await self.take()
        line = self._lines.popleft()
        logger.debug("%s < %s", self.name, line)
        return line

    async def take(self) -> None:
        """Wait for bytes and make lines of them; perhaps none is complete yet. Raises as ``line`` does."""
        try:
            data = await asyncio.shield(self.arriving())
        except OSError as fault:
            raise Gone from fault
        self._reading = None
        if not data:
            raise Gone
        self._lines += [line for line in self._splitter.feed(data) if line.strip()]
        _, end, rest = data.rpartition(b"\n")
        self._unended = len(rest) if end else self._unended + len(data)
        if self._splitter.dropped or self._unended > wire.MAX_LINE_BYTES:
            raise Gone(wire.error(f"a line of more than {wire.MAX_LINE_BYTES} bytes"))

    def put_back(self, lines: list[str]) -> None:
        """Lines that ``line`` is to give once more, before all others."""
        self._lines.extendleft(reversed(lines))

    def send(self, line: str) -> None:
        logger.debug("%s > %s", self.name, line)
        if not self._writer.is_closing():
            self._writer.write(line.encode("ascii", "replace") + b"\n")

    async def flush(self) -> None:
        """Raises ``Gone`` where the peer does not read."""
        try:
            async with asyncio.timeout(WRITE_S):
                await self._writer.drain()
        except (TimeoutError, OSError) as fault:
            raise Gone from fault

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._writer.close()
        with contextlib.suppress(OSError, TimeoutError):  # it is gone either way
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()


@dataclass(slots=True)
class _Shared:
    """A session and how many connections it has."""

    game: str
    session: Session
    connections: int = 0


@dataclass(slots=True)
class Server:
    """Serves DLLs until it is cancelled, or has been without connections for ``idle_s`` seconds."""

    command: EngineCommand
    load: Callable[[str], Rules]
    name: str
    longest_list: int = LONGEST_LIST
    idle_s: float | None = None
    _sessions: dict[str, _Shared] = field(default_factory=dict)
    _serving: set[asyncio.Task[None]] = field(default_factory=set)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, host: str, port: int, listening: Callable[[str, int], None]) -> None:
        """Listen. ``listening`` is called with the address once connections are taken. Raises ``OSError``."""
        server = await asyncio.start_server(self._connected, host, port, limit=_CHUNK_BYTES)
        try:
            address = server.sockets[0].getsockname()
            listening(address[0], address[1])
            await self._until_idle()
        finally:
            server.close()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)

    async def _until_idle(self) -> None:
        while True:
            self._changed.clear()
            wait = self.idle_s if not self._serving else None
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                return

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a connection is served by a task")
        peer = Peer(reader, writer)
        self._serving.add(task)
        self._changed.set()
        try:
            if len(self._serving) > MAX_CONNECTIONS:
                raise Gone(wire.error(f"more than {MAX_CONNECTIONS} connections"))
            await self._serve(peer)
        except Gone as end:
            if str(end):
                peer.send(str(end))
                with contextlib.suppress(Gone):
                    await peer.flush()
        except asyncio.CancelledError:
            pass  # the server ends; asyncio would report a connection that is cancelled
        finally:
            self._serving.discard(task)
            self._changed.set()
            await peer.close()

    async def _serve(self, peer: Peer) -> None:
        try:
            async with asyncio.timeout(HELLO_S):
                first = await peer.line()
        except TimeoutError:
            raise Gone(wire.error(f"no HELLO within {HELLO_S:g} seconds")) from None
        try:
            hello = wire.parse_hello(first)
            shared = self._session(hello)
        except (wire.BadLine, VariantError, BoardError) as fault:
            raise Gone(wire.error(str(fault))) from None
        shared.connections += 1
        try:
            peer.send(wire.ready(shared.game, shared.session.squares.layout.gametype, self.name))
            await (self._commands if hello.channel == wire.COMMANDS else self._moves)(peer, shared.session)
        finally:
            shared.connections -= 1
            if not shared.connections:
                self._sessions.pop(hello.session)
                await shared.session.close()

    def _session(self, hello: wire.Hello) -> _Shared:
        shared = self._sessions.get(hello.session)
        rules = self.load(hello.game)
        if shared is None:
            if len(self._sessions) >= MAX_SESSIONS:
                raise wire.BadLine(f"more than {MAX_SESSIONS} sessions at the same time")
            session = Session(rules, self.command, self.longest_list)
            shared = self._sessions[hello.session] = _Shared(rules.names.name, session)
        elif shared.game != rules.names.name:
            raise wire.BadLine(f"session {hello.session} plays {shared.game}, not {rules.names.name}")
        return shared

    # The channels

    async def _commands(self, peer: Peer, session: Session) -> None:
        while True:
            await peer.flush()
            line = await peer.line()
            word, _, rest = line.strip().partition(" ")
            try:
                if word == "COMMAND":
                    handled, reply = await commands.answer(session, rest)
                    peer.send(wire.answer(handled, reply))
                elif word == "LEGAL":
                    peer.send(wire.legal(session.legal(wire.parse_legal(rest))))
                else:
                    raise wire.BadLine(f"{wire.shown(word)}: this channel takes COMMAND and LEGAL")
            except (wire.BadLine, BoardError, TooManyPlies) as fault:
                peer.send(wire.error(str(fault)))
            await asyncio.sleep(0)  # a flood of commands does not hold up the others

    async def _moves(self, peer: Peer, session: Session) -> None:
        while True:
            await peer.flush()
            line = await peer.line()
            word, _, rest = line.strip().partition(" ")
            try:
                if word == "MOVE":
                    reply = await self._choose(peer, session, wire.parse_move(rest))
                    peer.send(wire.status(reply.status))
                    peer.send(wire.done(reply.result, reply.board, reply.record))
                elif word != "PLAYNOW":  # one that crossed the move that it asks for is nothing
                    raise wire.BadLine(f"{wire.shown(word)}: this channel takes MOVE and PLAYNOW")
            except (wire.BadLine, BoardError, TooManyPlies) as fault:
                peer.send(wire.error(str(fault)))
            except EngineError as fault:
                peer.send(wire.error(f"damd's engine: {fault}"))
            await asyncio.sleep(0)

    async def _choose(self, peer: Peer, session: Session, request: wire.MoveRequest) -> Reply:
        """Let the session think; meanwhile say that it does, and listen for ``PLAYNOW`` and for the peer's end."""
        shown = [wire.status("damd is waiting for its engine")]

        def tell(text: str) -> None:
            shown[0] = wire.status(text)
            peer.send(shown[0])

        hurry = asyncio.Event()
        thinking = asyncio.create_task(session.move(request, tell, hurry))
        kept: list[str] = []
        try:
            while True:
                while peer.waiting:
                    line = await peer.line()
                    hurry.set() if line.strip() == "PLAYNOW" else kept.append(line)
                if len(kept) > _WAITING_LINES:
                    raise Gone(wire.error(f"more than {_WAITING_LINES} lines during a search"))
                await peer.flush()
                news = {thinking, peer.arriving()}
                done, _ = await asyncio.wait(news, timeout=SIGN_OF_LIFE_S, return_when=asyncio.FIRST_COMPLETED)
                if thinking in done:
                    return await thinking
                if done:
                    await peer.take()
                else:
                    peer.send(shown[0])
        finally:
            peer.put_back(kept)
            thinking.cancel()
            await asyncio.gather(thinking, return_exceptions=True)  # also where it has failed in the same moment
