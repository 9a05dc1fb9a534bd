"""DXP's seven messages: read, written, and refused with the field at fault."""

from __future__ import annotations

import random

import pytest

from damd_adapters.dxp.messages import (
    MAX_BYTES,
    Accept,
    Back,
    BackAccept,
    BackRequest,
    Chat,
    End,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MessageError,
    Move,
    StartPosition,
    VersionError,
    chats,
    clean_name,
    parse,
)

BOARD = "z" * 20 + "e" * 10 + "w" * 20
NAMES = ("Scan 3.1", "damd", "x" * 32)

#: Wire forms and what they mean; the first three were seen from a real program.
KNOWN: list[tuple[str, Message]] = [
    ("R01Scan 3.1                        Z001002A", GameRequest("Scan 3.1", 1, 1, 2)),
    ("AScan 3.1                        0", GameAccept("Scan 3.1", Accept.YES)),
    ("M00001335021930", Move(13, 35, (19, 30))),
    ("R01Tornado voor Windows 4.0        W060065A", GameRequest("Tornado voor Windows 4.0", 0, 60, 65)),
    (f"R01damd{' ' * 28}W000000BZ{BOARD}", GameRequest("damd", 0, 0, 0, StartPosition(1, BOARD))),
    ("M0012061100", Move(6, 11, (), 12)),
    ("M001205250422122320", Move(5, 25, (22, 12, 23, 20), 12)),
    ("M99994747024129", Move(47, 47, (41, 29), 9999)),
    ("E10", GameEnd(End.LOSES)),
    ("E21", GameEnd(End.DRAW, True)),
    ("CWhat do you think about move 35?", Chat("What do you think about move 35?")),
    ("B005Z", BackRequest(5, 1)),
    ("K2", BackAccept(Back.NO)),
]


@pytest.mark.parametrize(("text", "message"), KNOWN)
def test_written_as_read(text: str, message: Message) -> None:
    assert parse(text.encode()) == message
    assert message.text == text


def test_h09_field_widths() -> None:
    """The case's name field lacks a blank: what stands behind it is of fixed width, so it can be read all the same."""
    request = parse(b"R01name padded to 32 chars        W060065A")
    assert request == GameRequest("name padded to 32 chars", 0, 60, 65)
    written = request.text
    assert len(written) == 43
    assert (written[36:39], written[39:42]) == ("060", "065")
    assert parse(written.encode()) == request
    move = parse(b"M001205250422122320")
    assert move == Move(5, 25, (22, 12, 23, 20), 12)
    assert (move.text[1:5], move.text[5:7], move.text[7:9]) == ("0012", "05", "25")
    wide = f"R01{'x' * 32}W00600065A".encode()
    with pytest.raises(MessageError, match="45 characters instead of 43"):
        parse(wide)


def test_h12_minutes_under_one() -> None:
    head = f"R01{'x' * 32}W"
    assert parse(f"{head}000000A".encode()) == GameRequest("x" * 32, 0, 0, 0)
    half = parse(f"{head}0.5000A".encode())
    assert half == GameRequest("x" * 32, 0, 0.5, 0)
    assert half.text == f"{head}001000A", "the field has room for whole minutes"


@pytest.mark.parametrize(
    ("field", "minutes"), [("1.5", 1.5), (" 10", 10), ("10 ", 10), (".25", 0.25), ("7. ", 7), ("999", 999), ("0.0", 0)]
)
def test_reals_of_fixed_width(field: str, minutes: float) -> None:
    message = parse(f"R01{'x' * 32}Z{field}000A".encode())
    assert isinstance(message, GameRequest)
    assert message.minutes == minutes


def test_real_seconds_of_a_move() -> None:
    assert parse(b"M12.5322800") == Move(32, 28, (), 12.5)
    assert Move(32, 28, (), 0.4).text == "M0000322800"
    assert Move(32, 28, (), 1.6).text == "M0002322800"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "an empty message"),
        (b"X", "unknown message 'X': one begins with R, A, M, E, C, B, K"),
        (b"r01", "unknown message 'r'"),
        (b"R", "1 characters instead of 43"),
        (b"R01" + b"x" * 32 + b"B060065A", "'B' is no follower's colour: W (white) or Z (black) was expected"),
        (b"R01" + b"x" * 32 + b"W0x0065A", "'0x0' is no thinking time: 3 digits was expected"),
        (b"R01" + b"x" * 32 + b"W   065A", "'   ' is no thinking time"),
        (b"R01" + b"x" * 32 + b"W-01065A", "'-01' is no thinking time"),
        (b"R01" + b"x" * 32 + b"W001 .5A", "' .5' is no number of moves"),
        (b"R01" + b"x" * 32 + b"W001065C", "'C' is no position: A (start position) or B"),
        (b"R01" + b"x" * 32 + b"W001065B", "43 characters instead of 94"),
        (b"R01" + b"x" * 32 + b"W001065AW" + b"e" * 50, "94 characters instead of 43"),
        (b"R01" + b"x" * 31 + b"W001065C", "42 characters instead of 43"),
        (b"R01" + b"x" * 32 + b"W001065CW" + b"e" * 50, "'C' is no position: A (start position) or B"),
        (b"R01" + b"x" * 32 + b"W001065BB" + b"e" * 50, "'B' is no colour to move"),
        (b"R01" + b"x" * 32 + b"W001065BW" + b"e" * 49 + b"b", "'b' is no square: w, z, W, Z or e"),
        (b"R01" + b"x" * 32 + b"W001065BW" + b"e" * 51, "95 characters instead of 94"),
        (b"A" + b"x" * 31 + b"0", "33 characters instead of 34"),
        (b"A" + b"x" * 32 + b"4", "'4' is no code: 0 to 3 was expected"),
        (b"M000", "4 characters instead of 11"),
        (b"M0000322801", "11 characters instead of 13: a move of 1 captures"),
        (b"M000032280119 ", "14 characters instead of 13"),
        (b"M0000002800", "'00' is no square: 01 to 50 was expected"),
        (b"M0000325100", "'51' is no square"),
        (b"M00003228021919", "'1919' is no captured squares: each square once"),
        (b"M00x0322800", "'00x0' is no time: 4 digits"),
        (b"M0000ab2800", "'ab' is no square: 2 digits"),
        (b"M00003228-1", "'-1' is no number of captures"),
        (b"E1", "2 characters instead of 3"),
        (b"E40", "'4' is no reason: 0 to 3"),
        (b"E02", "'2' is no stop code: 0 to 1"),
        (b"C", "an empty chat: 1 to 126 characters follow the C"),
        (b"C" + b"x" * 127, "a message of 128 bytes: at most 127"),
        (b"Cna\xefve", "a byte of value 239: only 1 to 127 are allowed"),
        (b"E\x0010", "a byte of value 0"),
        (b"B000W", "'000' is no move number: 001 to 999"),
        (b"B01W", "4 characters instead of 5"),
        (b"B001B", "'B' is no colour to move"),
        (b"K3", "'3' is no code: 0 to 2"),
        (b"K", "1 characters instead of 2"),
    ],
)
def test_refused(data: bytes, words: str) -> None:
    with pytest.raises(MessageError) as caught:
        parse(data)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400


def test_another_version_is_told_apart() -> None:
    for data in (b"R02" + b"x" * 40, b"R99", f"R00{'x' * 32}W001065A".encode()):
        with pytest.raises(VersionError, match="only 01 is known"):
            parse(data)


def test_a_terminal_is_not_told_anything_by_an_error() -> None:
    with pytest.raises(MessageError) as caught:
        parse(b"\x1b[2J\x07")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "make",
    [
        lambda: GameRequest(" x", 0),
        lambda: GameRequest("x" * 33, 0),
        lambda: GameRequest("", 0),
        lambda: GameRequest("é", 0),
        lambda: GameRequest("x", 2),
        lambda: GameRequest("x", 0, 1000),
        lambda: GameRequest("x", 0, -1),
        lambda: GameRequest("x", 0, 1, 1000),
        lambda: StartPosition(0, "e" * 49),
        lambda: StartPosition(0, "b" * 50),
        lambda: GameAccept("x ", Accept.YES),
        lambda: Move(0, 1),
        lambda: Move(1, 51),
        lambda: Move(1, 2, (3, 3)),
        lambda: Move(1, 2, (), 10_000),
        lambda: Chat(""),
        lambda: Chat("x" * 127),
        lambda: Chat("a\0b"),
        lambda: BackRequest(0, 0),
        lambda: BackRequest(1000, 0),
    ],
)
def test_what_cannot_be_written_is_not_made(make: object) -> None:
    assert callable(make)
    with pytest.raises(ValueError):
        make()


def test_names_and_chats_are_made_to_fit() -> None:
    assert clean_name("  Großmeister\t1 ") == "Gro?meister?1"
    assert clean_name("x" * 40) == "x" * 32
    assert clean_name("") == clean_name(" ") == "?"
    words = " ".join(["word"] * 60)
    cut = chats(words)
    assert len(cut) == 3
    assert "".join(chat.words for chat in cut) == words
    assert chats("a\nb\tc") == (Chat("a b c"),)
    assert chats(" \n ") == ()


def _random_message(source: random.Random) -> Message:
    side = source.randrange(2)
    squares = source.sample(range(1, 51), 20)
    start = StartPosition(side, "".join(source.choice("wzWZe") for _ in range(50))) if source.random() < 0.5 else None
    return source.choice(
        [
            GameRequest(source.choice(NAMES), side, source.randrange(1000), source.randrange(1000), start),
            GameAccept(source.choice(NAMES), source.choice(list(Accept))),
            Move(squares[0], squares[1], tuple(squares[2 : source.randrange(2, 20)]), source.randrange(10_000)),
            GameEnd(source.choice(list(End)), source.random() < 0.5),
            Chat("".join(chr(source.randrange(1, 128)) for _ in range(source.randrange(1, 127)))),
            BackRequest(source.randrange(1, 1000), side),
            BackAccept(source.choice(list(Back))),
        ]
    )


def spoilt(source: random.Random) -> bytes:
    """A message, a spoilt one, or garbage."""
    data = bytearray(_random_message(source).text.encode())
    for _ in range(source.randrange(4)):
        place = source.randrange(len(data) + 1)
        match source.randrange(4):
            case 0:
                data[place:place] = bytes([source.randrange(256)])
            case 1:
                del data[place : place + source.randrange(1, 5)]
            case 2:
                data[place:place] = source.choice([b"\x80", b"9", b" ", b".", b"-1", b"\xff\xfe", b"A", b"x" * 120])
            case _:
                data[place : place + 1] = source.randbytes(1)
    return bytes(data)


def require_fuzz(count: int, seed: int) -> None:
    source = random.Random(seed)
    read = 0
    for _ in range(count):
        message = _random_message(source)
        assert len(message.text) <= MAX_BYTES
        assert parse(message.text.encode()) == message
        data = spoilt(source)
        try:
            again = parse(data)
        except MessageError:
            continue
        read += 1
        # What was read can be written; its written form is read as the same, times rounded.
        assert type(parse(again.text.encode())) is type(again)
    assert read > count // 10


def test_fuzzed_messages() -> None:
    require_fuzz(2_000, 1)


@pytest.mark.long
def test_many_fuzzed_messages() -> None:
    require_fuzz(100_000, 2)
