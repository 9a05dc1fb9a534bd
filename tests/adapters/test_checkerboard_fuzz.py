"""Lines of all kinds against the CheckerBoard server: each is answered once, the server lives, and a true question still has
its true answer."""

from __future__ import annotations

from random import Random

import pytest

from checkerboard_gui import GAMES, Connection, Server, start_board, wire_board

START = wire_board(start_board())
WORDS = [
    *(
        "COMMAND",
        "LEGAL",
        "MOVE",
        "PLAYNOW",
        "HELLO",
        "get",
        "set",
        "name",
        "about",
        "help",
        "movelist",
        "gamehist",
        "hashsize",
    ),
    *(
        "staticevaluation",
        "allscores",
        "book",
        "W:W31:B3",
        "B:W1:B",
        "W:WK1-4:BK29-32",
        "24-19",
        "9-14",
        "0",
        "1",
        "2",
        "-1",
    ),
    *(
        "999999999999",
        "1e9",
        "nan",
        "\\\\n",
        "%s%n",
        "",
        " ",
        "\t",
        "\u00e9",
        "\u65e5",
        START,
        START[:-1],
        "x" * 300,
        "W:",
        ":",
        "K",
    ),
]
#: Pieces and what is none.
DIGITS = "0000000000005566669a9a37f"


def board(random: Random) -> str:
    """Mostly a position: pieces where there can be some."""
    free = random.random() < 0.2
    return "".join(random.choice(DIGITS) if free or sum(divmod(at, 8)) % 2 == 0 else "0" for at in range(64))


def fen(random: Random) -> str:
    squares = [str(number) for number in range(random.randrange(2), random.choice((33, 33, 33, 40)))]
    random.shuffle(squares)
    some = [random.choice(("", "K", "k")) + square for square in squares[: random.randrange(14)]]
    half = random.randrange(len(some) + 1)
    return f"{random.choice('WBwbX')}:W{','.join(some[:half])}:B{','.join(some[half:])}"


def history(random: Random) -> str:
    moves = [f"{random.randrange(34)}-{random.randrange(34)}" for _ in range(random.randrange(4))]
    return " ".join([fen(random), *moves])


def line(random: Random, channel: str) -> str:
    kind = random.random()
    if kind < 0.3:
        return " ".join(random.choice(WORDS) for _ in range(random.randrange(8)))
    if channel == "moves":
        # Times of a hundredth of a second: the fuzzer wants answers, not thought.
        seconds = random.choice(("0", "0.001", "0.01", "x", "-3"))
        clock = random.choice((0, 2, 4, 8, 12, 99999, -1))
        return f"MOVE {random.randrange(4)} {seconds} {clock} {random.randrange(3)} {board(random)}"
    if kind < 0.5:
        return f"LEGAL {random.randrange(4)} {random.randrange(35)} {random.randrange(35)} {board(random)}"
    topic = random.choice(("get movelist", "get movelist", "set gamehist", "staticevaluation", "get", "set"))
    if topic in ("get", "set"):
        return f"COMMAND {topic} {random.choice(WORDS)} {random.choice(WORDS)}"
    return f"COMMAND {topic} {history(random) if topic == 'set gamehist' else fen(random)}"


def is_answered(text: str, channel: str) -> bool:
    """Whether the server says anything to that line."""
    words = text.split()
    return bool(words) and not (channel == "moves" and words[0] == "PLAYNOW")


def final(connection: Connection) -> str:
    """The line that ends an answer."""
    while True:
        said = connection.line()
        assert said is not None
        assert said.isascii()
        assert len(said) <= 2100
        if not said.startswith("STATUS "):
            return said


def fuzz(server: Server, seed: int, lines: int) -> None:
    random = Random(seed)
    games = list(GAMES)
    for number in range(max(1, lines // 500)):
        game = random.choice(games)
        channels = {name: server.channel(name, game, f"f{number}") for name in ("commands", "moves")}
        for _ in range(500):
            # A move costs a search: one in ten.
            channel = "moves" if random.random() < 0.1 else "commands"
            text = line(random, channel)
            channels[channel].send(text)
            if is_answered(text, channel):
                said = final(channels[channel])
                assert said.startswith(("ANSWER ", "LEGAL ", "DONE ", "ERROR ")), (text, said)
        assert channels["commands"].command("get gametype") == (True, str(GAMES[game]))
        assert channels["commands"].command("get movelist B:W1:B") == (True, "movelist 0")
        channels["moves"].send(f"MOVE 1 0.01 0 0 {START}")
        assert final(channels["moves"]).startswith("DONE ")
        if random.random() < 0.5:  # some leave in the middle of a search
            channels["moves"].send(f"MOVE 1 60 2 0 {START}")
        for connection in channels.values():
            connection.close()


def beginnings(server: Server, seed: int, count: int) -> None:
    """Bytes of all kinds on connections of their own."""
    random = Random(seed)
    for _ in range(count):
        with Connection(server.port) as connection:
            connection.socket.sendall(random.randbytes(random.randrange(1, 300)).replace(b"\n", b"") + b"\n")
            said = connection.line()
            assert said is None or said.startswith("ERROR ")


def test_a_few_thousand_lines():
    with Server("--option", "Hash=1") as server:
        fuzz(server, 1, 2000)
        beginnings(server, 1, 100)
        server.end()


@pytest.mark.long
def test_a_hundred_thousand_lines():
    with Server("--option", "Hash=1") as server:
        fuzz(server, 2, 100_000)
        beginnings(server, 2, 2000)
        server.end()
