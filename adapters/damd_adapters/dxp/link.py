"""DXP over TCP: a connection that carries messages, made by us or by the peer.

TCP is a stream: a segment may hold several messages or a part of one, so a message lasts until its NUL. All that is
kept is bounded, and everything that waits has a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
from collections import deque

from damd_adapters.dxp.messages import MAX_BYTES, Chat, Message, MessageError, chats, parse, shown
from damd_adapters.launch import logger

DEFAULT_PORT = 27531
LOOPBACK = "127.0.0.1"

#: Between two messages of ours without one of the peer's. Some clients (DXC100, pydraughts) strip the NULs of all that
#: they receive at once, so that two messages in one segment become a single one that means nothing.
GAP_S = 0.1
#: A peer that has taken nothing for so long does not read any more.
SEND_S = 10.0
#: So many seconds pass between two attempts to connect.
_AGAIN_S = 0.25
_ATTEMPT_S = 5.0
#: A connection that is closed gets so long to send what is on its way.
_CLOSE_S = 1.0
#: Who connects while another peer is served waits so long for its end.
_HANDOVER_S = 1.5
_CHUNK = 4096

_ADDRESS = re.compile(r"(\[[0-9A-Za-z:.%]+\]|[^:\[\]\s]*)(?::([0-9]{1,5}))?")


class LinkError(ConnectionError):
    """A connection that cannot be made or has failed; the text says which and how, for people."""


class LinkClosed(LinkError):
    """The peer has closed the connection, or it broke."""


class LinkTimeout(LinkError):
    """The peer was silent, or did not read, for longer than was allowed."""


class Framer:
    """Cuts a stream into messages. Between two calls it keeps 127 bytes at most."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self._dropped = 0

    @property
    def begun(self) -> bytes:
        """What has come of a message that is not complete; of one that is too long only the beginning."""
        return bytes(self._begun)

    def feed(self, data: bytes) -> list[bytes | MessageError]:
        """The messages that are complete now, without their NULs; empty ones are left out.

        In the place of a message of more than 127 bytes stands what is wrong with it.
        """
        *complete, rest = data.split(b"\0")
        found: list[bytes | MessageError] = []
        for part in complete:
            self._keep(part)
            if self._dropped:
                length = len(self._begun) + self._dropped
                text = self._begun.decode("latin-1")
                found.append(MessageError(text, f"a message of {length} bytes: at most {MAX_BYTES} are allowed"))
            elif self._begun:
                found.append(bytes(self._begun))
            self._begun.clear()
            self._dropped = 0
        self._keep(rest)
        return found

    def _keep(self, part: bytes) -> None:
        room = MAX_BYTES - len(self._begun)
        self._begun += part[:room]
        self._dropped += max(0, len(part) - room)


class Link:
    """One connection. Made by ``connect`` or by a ``Listener``; used from one event loop.

    ``peer`` is the address of the other side, ``accepted`` whether it has made the connection.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gap_s: float = GAP_S, accepted: bool = False
    ) -> None:
        self._reader, self._writer = reader, writer
        self._gap_s = gap_s
        self.accepted = accepted
        self._framer = Framer()
        self._waiting: deque[bytes | MessageError] = deque()
        self._may_send_at = 0.0
        self._sending = asyncio.Lock()
        self._gone = asyncio.Event()
        self.peer = _endpoint(writer.get_extra_info("peername"))
        # A machine that vanishes without a word is found out in the end.
        with contextlib.suppress(OSError, AttributeError):
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        writer.transport.set_write_buffer_limits(high=_CHUNK)

    @classmethod
    async def connect(cls, host: str, port: int, patience_s: float, gap_s: float = GAP_S) -> Link:
        """Connect; an engine that is not listening yet is asked again and again for ``patience_s`` seconds.

        Raises ``LinkError``.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + patience_s
        where = _endpoint((host, port))
        while True:
            left = max(0.1, until - loop.time())
            try:
                async with asyncio.timeout(min(_ATTEMPT_S, left)):
                    reader, writer = await asyncio.open_connection(host, port, limit=_CHUNK)
                return cls(reader, writer, gap_s)
            except TimeoutError:
                fault = "no answer"
            except socket.gaierror as error:
                raise LinkError(f"cannot connect to {where}: {error.strerror}") from None
            except OSError as error:
                fault = _reason(error)
            if loop.time() + _AGAIN_S >= until:
                raise LinkError(
                    f"no connection to {where} within {patience_s:g} s ({fault}): does a DXP program listen there?"
                )
            await asyncio.sleep(_AGAIN_S)

    @property
    def closing(self) -> bool:
        """Whether this side has closed the connection, or found it broken."""
        return self._writer.is_closing()

    async def receive(self, timeout_s: float | None = None) -> Message:
        """The next message; without ``timeout_s`` it is waited for without end. A cancelled call loses nothing.

        Raises ``MessageError`` in the place of bytes that are no message (the connection goes on), ``LinkClosed`` and
        ``LinkTimeout``.
        """
        scope = asyncio.timeout(timeout_s)
        try:
            async with scope:
                while not self._waiting:
                    await self._read()
        except TimeoutError:
            if not scope.expired():
                raise
            raise LinkTimeout(f"{self.peer} has been silent for {timeout_s:g} s") from None
        taken = self._waiting.popleft()
        if isinstance(taken, MessageError):
            raise taken
        message = parse(taken)
        if not isinstance(message, Chat):
            self._may_send_at = 0.0
        return message

    async def send(self, message: Message) -> None:
        """Send a message, somewhat later where another one was sent just now. Raises ``LinkClosed`` and ``LinkTimeout``."""
        loop = asyncio.get_running_loop()
        async with self._sending:
            await asyncio.sleep(max(0.0, self._may_send_at - loop.time()))
            logger.debug("> %s", message.text)
            if self._writer.is_closing():
                raise LinkClosed(f"the connection to {self.peer} is closed")
            self._writer.write(message.text.encode("ascii") + b"\0")
            self._may_send_at = loop.time() + self._gap_s
            scope = asyncio.timeout(SEND_S)
            try:
                async with scope:
                    await self._writer.drain()
            except TimeoutError:
                if not scope.expired():
                    raise LinkClosed(f"the connection to {self.peer} broke: it timed out") from None
                raise LinkTimeout(f"{self.peer} has read nothing for {SEND_S:g} s") from None
            except OSError as error:
                raise LinkClosed(f"the connection to {self.peer} broke: {_reason(error)}") from None

    async def say(self, words: str) -> None:
        """Send words for people, as one chat or several. Raises as ``send`` does."""
        for chat in chats(words):
            await self.send(chat)

    async def close(self, linger_s: float = 0.0) -> None:
        """Close the connection; returns when it is gone. The peer gets ``linger_s`` seconds to close it first.

        A peer that reads on after the end (pydraughts would do so for ever) should be let go first. Where there is time
        for that, nobody else may be receiving.
        """
        if linger_s and not self.closing:
            await self._drop(linger_s)
        self._writer.close()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._writer.wait_closed()
        except OSError:
            self._writer.transport.abort()
        self._gone.set()

    async def gone(self) -> None:
        """Wait until this side has closed the connection."""
        await self._gone.wait()

    async def _drop(self, seconds: float) -> None:
        """Pass over what the peer still says, until it closes the connection or the time is over."""
        with contextlib.suppress(OSError):
            async with asyncio.timeout(seconds):
                while await self._reader.read(_CHUNK):
                    await asyncio.sleep(0)

    async def _read(self) -> None:
        try:
            data = await self._reader.read(_CHUNK)
        except OSError as error:
            raise LinkClosed(f"the connection to {self.peer} broke: {_reason(error)}") from None
        if not data:
            begun = self._framer.begun.decode("latin-1")
            where = f" in the middle of a message: {shown(begun)}" if begun else ""
            raise LinkClosed(f"{self.peer} has closed the connection{where}")
        for message in self._framer.feed(data):
            logger.debug("< %s", message if isinstance(message, MessageError) else message.decode("latin-1"))
            self._waiting.append(message)
        # Where there is always something to read, reading never waits: others get their turn here.
        await asyncio.sleep(0)


class Listener:
    """A port on which one peer at a time is served; others are told so and sent away."""

    def __init__(self, gap_s: float = GAP_S) -> None:
        self._gap_s = gap_s
        self._server: asyncio.Server | None = None
        self._arrived: asyncio.Queue[Link] = asyncio.Queue()
        self._served: Link | None = None
        self._queued = False
        self.address = ""

    @classmethod
    async def open(cls, host: str, port: int, gap_s: float = GAP_S) -> Listener:
        """Listen; port 0 takes a free one, which ``address`` tells. Raises ``LinkError``."""
        made = cls(gap_s)
        try:
            made._server = await asyncio.start_server(made._arrive, host, port, limit=_CHUNK)
        except OSError as error:
            raise LinkError(f"cannot listen on {_endpoint((host, port))}: {_reason(error)}") from None
        made.address = _endpoint(made._server.sockets[0].getsockname())
        return made

    async def accept(self, timeout_s: float | None = None) -> Link:
        """The next peer. Raises ``LinkTimeout``; without ``timeout_s`` it waits without end."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self._arrived.get()
        except TimeoutError:
            raise LinkTimeout(f"nobody has connected to {self.address} within {timeout_s:g} s") from None

    async def close(self) -> None:
        """Listen no more. The connection that is served is its user's to close; one that waits is closed."""
        if self._server is not None:
            self._server.close()
        while not self._arrived.empty():
            await self._arrived.get_nowait().close()

    async def _arrive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(reader, writer, self._gap_s, accepted=True)
        # A peer that has left and comes again at once may be here before its end was noticed.
        if self._served is not None and not self._queued:
            self._queued = True
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._served.gone(), _HANDOVER_S)
            self._queued = False
        if self._served is None or self._served.closing:
            self._served = link
            self._arrived.put_nowait(link)
            return
        logger.debug("%s is sent away: %s is served", link.peer, self._served.peer)
        with contextlib.suppress(LinkError):
            await link.say("busy: another program is connected; only one at a time is served")
        await link.close()


def parse_address(text: str, host: str = LOOPBACK, port: int = DEFAULT_PORT) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``, ``HOST``, ``:PORT`` or ``PORT``, an IPv6 host in brackets. Raises ``ValueError``."""
    bare = text.strip()
    found = _ADDRESS.fullmatch(f":{bare}" if bare.isdigit() else bare)
    if not bare or found is None:
        raise ValueError(f"{text!r} is no address: HOST:PORT, HOST or PORT was expected, an IPv6 host in brackets")
    if found[2] and int(found[2]) > 65535:
        raise ValueError(f"{text!r} is no address: a port is 0 to 65535")
    return found[1].strip("[]") or host, int(found[2]) if found[2] else port


def _endpoint(address: object) -> str:
    """An address as people write it."""
    if not isinstance(address, tuple) or len(address) < 2:
        return "the peer"
    host, port = address[:2]
    return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"


def _reason(error: OSError) -> str:
    """Why, in a few words: what the system says, without the address that is told already."""
    return os.strerror(error.errno) if error.errno else str(error) or type(error).__name__
