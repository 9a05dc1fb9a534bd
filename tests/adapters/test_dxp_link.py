"""DXP over TCP: messages whatever the segments, waiting with an end, and addresses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

import pytest

from damd_adapters.dxp import link as link_module
from damd_adapters.dxp.link import Framer, Link, LinkClosed, LinkError, LinkTimeout, Listener, parse_address
from damd_adapters.dxp.messages import Chat, GameEnd, Message, MessageError, Move, parse

#: All kinds of messages, as they follow one another in a game with everything in it.
STREAM = [
    f"R01{'x' * 32}Z001002A",
    f"R01{'x' * 32}Z001002BW{'w' * 25}{'z' * 25}",
    f"A{'x' * 32}0",
    "M0000322800",
    "Chello",
    "M00001335021930",
    "B001W",
    "K0",
    "E10",
    "E00",
]
BYTES = b"".join(text.encode() + b"\0" for text in STREAM)
PATIENCE_S = 30.0


def texts(framer: Framer, *segments: bytes) -> list[str]:
    found = []
    for segment in segments:
        for part in framer.feed(segment):
            assert isinstance(part, bytes)
            found.append(part.decode())
    return found


def test_split_at_every_position() -> None:
    for place in range(len(BYTES) + 1):
        assert texts(Framer(), BYTES[:place], BYTES[place:]) == STREAM


def test_split_at_every_two_positions() -> None:
    data = BYTES[: len(BYTES) // 2]
    whole = texts(Framer(), data)
    for first in range(len(data) + 1):
        for second in range(first, len(data) + 1, 7):
            assert texts(Framer(), data[:first], data[first:second], data[second:]) == whole


def test_byte_by_byte_and_all_at_once() -> None:
    assert texts(Framer(), *(BYTES[place : place + 1] for place in range(len(BYTES)))) == STREAM
    assert texts(Framer(), BYTES) == STREAM


def test_h10_over_long() -> None:
    framer = Framer()
    longest = b"C" + b"x" * 126
    data = longest + b"\0" + longest + b"y\0" + b"E10\0"
    for place in range(len(data) + 1):
        found = framer.feed(data[:place]) + framer.feed(data[place:])
        assert [isinstance(part, MessageError) for part in found] == [False, True, False], place
        assert found[0] == longest
        assert "a message of 128 bytes: at most 127" in str(found[1])
        assert found[2] == b"E10"


def test_a_flood_without_an_end_is_not_kept() -> None:
    framer = Framer()
    for _ in range(1000):
        assert framer.feed(b"x" * 4096) == []
        assert len(framer.begun) <= 127
    (fault,) = framer.feed(b"\0")
    assert "a message of 4096000 bytes" in str(fault)
    assert texts(framer, b"E10\0") == ["E10"]


def test_nothing_between_two_ends_is_nothing() -> None:
    assert texts(Framer(), b"\0\0E10\0\0\0E00\0\0") == ["E10", "E00"]


# Over sockets


def run(talk: Callable[[Link, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], gap_s: float = 0.0) -> None:
    """One connection: our link, and the raw stream of the peer."""

    async def meet() -> None:
        listener = await Listener.open("127.0.0.1", 0, gap_s)
        host, port = parse_address(listener.address)
        reader, writer = await asyncio.open_connection(host, port)
        link = await listener.accept(PATIENCE_S)
        try:
            async with asyncio.timeout(PATIENCE_S):
                await talk(link, reader, writer)
        finally:
            writer.close()
            await link.close()
            await listener.close()

    asyncio.run(meet())


async def send_on(link: Link, words: str, pause_s: float = 0.0) -> None:
    """Send until that fails."""
    while True:
        await link.send(Chat(words))
        await asyncio.sleep(pause_s)


def test_segments_split_and_joined_at_every_position() -> None:
    """Every place of a stream of two messages is once the end of a segment that has been taken in by itself."""
    messages: list[Message] = [Move(13, 35, (19, 30)), GameEnd()]
    data = b"".join(message.text.encode() + b"\0" for message in messages)

    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for place in range(len(data) + 1):
            receiving = asyncio.create_task(link.receive(PATIENCE_S))
            writer.write(data[:place])
            await writer.drain()
            await asyncio.sleep(0.002)
            assert not receiving.done() or place >= len(messages[0].text) + 1
            writer.write(data[place:])
            assert [await receiving, await link.receive(PATIENCE_S)] == messages

    run(talk)


def test_h10_framing() -> None:
    """Two messages in one segment; one in three; one of 128 bytes, after which the connection goes on."""

    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"M0000322800\0E00\0")
        assert [await link.receive(), await link.receive()] == [Move(32, 28), GameEnd()]
        for part in (b"M000", b"0322", b"800\0"):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.01)
        assert await link.receive() == Move(32, 28)
        writer.write(b"C" + b"x" * 127 + b"\0")
        with pytest.raises(MessageError, match="128 bytes"):
            await link.receive()
        writer.write(b"Ch\xc3\xa9\0E00\0")
        with pytest.raises(MessageError, match="only 1 to 127"):
            await link.receive()
        assert await link.receive() == GameEnd()

    run(talk)


def test_h08_the_same_text_twice_is_two_messages() -> None:
    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"M0001464100\0M0001464100\0M0001464100\0")
        assert [await link.receive() for _ in range(3)] == [Move(46, 41, (), 1)] * 3

    run(talk)


def test_a_cancelled_wait_loses_nothing() -> None:
    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in (b"M0000", b"3228", b"00\0"):
            writer.write(part)
            if part.endswith(b"\0"):
                break
            with pytest.raises(LinkTimeout):
                await link.receive(0.02)
        assert await link.receive() == Move(32, 28)

    run(talk)


def test_silence_has_an_end() -> None:
    async def talk(link: Link, _: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        with pytest.raises(LinkTimeout, match=r"127\.0\.0\.1:\d+ has been silent for 0\.05 s"):
            await link.receive(0.05)

    run(talk)


def test_a_flood_of_nothing_does_not_hold_off_the_end_of_a_wait() -> None:
    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def flood() -> None:
            while True:
                writer.write(b"\0" * 65536)
                await writer.drain()

        flooding = asyncio.create_task(flood())
        with pytest.raises(LinkTimeout):
            await link.receive(0.1)
        flooding.cancel()
        await asyncio.gather(flooding, return_exceptions=True)

    run(talk)


def test_half_a_message_at_the_end() -> None:
    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"E00\0M0000")
        writer.close()
        assert await link.receive() == GameEnd()
        for _again in range(2):
            with pytest.raises(LinkClosed, match="in the middle of a message: 'M0000'"):
                await link.receive()

    run(talk)


def test_sudden_death() -> None:
    """A reset while something is awaited, and sending into it."""

    async def talk(link: Link, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()
        with pytest.raises(LinkClosed):
            await link.receive()
        with pytest.raises(LinkClosed):
            await send_on(link, "is anybody there?", 0.01)

    run(talk)


def test_a_peer_that_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "SEND_S", 0.1)

    async def talk(link: Link, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        link._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        with pytest.raises(LinkTimeout, match=r"has read nothing for 0\.1 s"):
            await send_on(link, "x" * 126)

    run(talk)


def test_two_messages_in_a_row_are_two_segments() -> None:
    """A peer that strips the NULs of whatever it receives at once sees both; after an answer of its there is no wait."""

    async def talk(link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sending = asyncio.gather(link.send(Chat("one")), link.send(GameEnd()))
        assert await reader.read(1000) == b"Cone\0"
        assert await reader.read(1000) == b"E00\0"
        await sending
        writer.write(b"M0000322800\0")
        assert await link.receive() == Move(32, 28)
        assert link._may_send_at == 0.0

    run(talk, gap_s=0.3)


def test_one_peer_at_a_time() -> None:
    async def meet() -> None:
        listener = await Listener.open("127.0.0.1", 0, 0.0)
        host, port = parse_address(listener.address)
        _, first = await asyncio.open_connection(host, port)
        link = await listener.accept(PATIENCE_S)
        second, writer = await asyncio.open_connection(host, port)
        said = await second.read()
        assert isinstance(parse(said.removesuffix(b"\0")), Chat)
        assert b"busy" in said
        writer.close()
        first.write(b"E00\0")
        assert await link.receive(PATIENCE_S) == GameEnd()
        first.close()
        await link.close()
        _, third = await asyncio.open_connection(host, port)
        await (await listener.accept(PATIENCE_S)).close()
        third.close()
        await listener.close()

    asyncio.run(meet())


def test_nobody_connects() -> None:
    async def wait() -> None:
        listener = await Listener.open("127.0.0.1", 0)
        try:
            with pytest.raises(LinkTimeout, match="nobody has connected"):
                await listener.accept(0.05)
        finally:
            await listener.close()

    asyncio.run(wait())


def test_h13_an_engine_that_listens_later() -> None:
    async def connect() -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        connecting = asyncio.create_task(Link.connect("127.0.0.1", port, PATIENCE_S))
        await asyncio.sleep(0.4)
        assert not connecting.done()
        listener = await Listener.open("127.0.0.1", port)
        link = await connecting
        await (await listener.accept(PATIENCE_S)).close()
        await link.close()
        await listener.close()

    asyncio.run(connect())


def test_h13_an_engine_that_never_listens() -> None:
    async def connect() -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with pytest.raises(LinkError, match=rf"no connection to 127\.0\.0\.1:{port} within 0\.3 s .*DXP program"):
            await Link.connect("127.0.0.1", port, 0.3)
        with pytest.raises(LinkError, match=r"cannot connect to no\.such\.host\.invalid:1"):
            await Link.connect("no.such.host.invalid", 1, 0.3)

    asyncio.run(connect())


def test_a_port_that_is_taken() -> None:
    async def listen() -> None:
        listener = await Listener.open("127.0.0.1", 0)
        host, port = parse_address(listener.address)
        with pytest.raises(LinkError, match=f"cannot listen on {host}:{port}: "):
            await Listener.open(host, port)
        await listener.close()

    asyncio.run(listen())


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("10.0.0.5:4000", "10.0.0.5", 4000),
        ("10.0.0.5", "10.0.0.5", 27531),
        ("4000", "127.0.0.1", 4000),
        (":4000", "127.0.0.1", 4000),
        ("0", "127.0.0.1", 0),
        (" gui.example ", "gui.example", 27531),
        ("[::1]:4000", "::1", 4000),
        ("[::1]", "::1", 27531),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert parse_address(text) == (host, port)


@pytest.mark.parametrize("text", ["", " ", "::1", "a:b", "host:", "host:70000", "999999", "[::1", "::1]:5", "a b:1", "h:-1"])
def test_no_addresses(text: str) -> None:
    with pytest.raises(ValueError, match="is no address"):
        parse_address(text)
