"""Lines of all kinds, thousands of them: everything that is owed is answered, in UGI's form, and it ends cleanly."""

from __future__ import annotations

from random import Random

import pytest

from programs import Program

_WORDS = [
    "ugi",
    "isready",
    "uginewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "stop",
    "ponderhit",
    "query",
    "setoption",
    "name",
    "value",
    "debug",
    "on",
    "off",
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "movetime",
    "depth",
    "nodes",
    "infinite",
    "ponder",
    "searchmoves",
    "movestogo",
    "mate",
    "perft",
    "draw",
    "wtime",
    "gameover",
    "p1turn",
    "result",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "50",
    "999999999999999999999",
    "x23",
    "22-18",
    "11-15",
    "18x11",
    "a1-b2",
    "W:W32:B1",
    "B:W1,2:BK3",
    "é",
    "<empty>",
    "UCI_Variant",
    "MissedCapture",
    "MultiPV",
    "dam-haji",
    "dam-daman",
    "international",
    "english",
    "forbidden",
    "rule",
    "true",
    "x",
    "%",
    "\x01",
]
_SENSIBLE = (
    "position startpos",
    "position startpos moves 22-18 11-15",
    "position fen B:W23,27:B1,19:P23 moves x23",
    "position fen W:WK1:B17,18,26",
    "query gameover",
    "query p1turn",
    "query result",
    "isready",
    "uginewgame",
    "go depth 2",
    "go nodes 100",
    "go movetime 1",
    "go p1time 50 p2time 50 p1inc 1 p2inc 1 depth 3",
    "go ponder depth 2",
    "go infinite",
    "stop",
    "ponderhit",
    "setoption name UCI_Variant value dam-daman",
    "setoption name UCI_Variant value international",
    "setoption name UCI_Variant value dam-haji",
    "setoption name MissedCapture value forbidden",
    "setoption name MissedCapture value rule",
)
#: Where a response may not be asked and no search begun: the words by which both are owed.
_OWED = {"isready": "readyok", "query": "response", "go": "bestmove"}


def fuzzed(random: Random) -> str:
    kind = random.random()
    if kind < 0.6:
        return random.choice(_SENSIBLE)
    words = [random.choice(_WORDS) for _ in range(random.randrange(1, 8))]
    if kind < 0.8:
        words.insert(0, random.choice(("go", "position", "query", "setoption name", "position startpos moves")))
    line = " ".join(words)
    # A table of that size could take the machine's memory; the handshake is long.
    return "isready" if line.startswith("ugi") or "Hash" in line else line


def run(seed: int, lines: int, stretch: int = 40) -> None:
    random = Random(seed)
    with Program("ugi", "--option", "Hash=1") as program:
        for number in range(lines // stretch):
            sent = [fuzzed(random) for _ in range(stretch)]
            program.send_bytes("".join(f"{line}\n" for line in (*sent, "stop", f"end{number}", "isready")).encode())
            said = program.until(f"info string error unknown-command end{number}") + program.until("readyok")
            check(sent, said)
        program.send("quit")
        assert all(line.startswith("info ") for line in program.rest())
        assert program.exit_code() == 0
        assert program.stderr() == ""


def check(sent: list[str], said: list[str]) -> None:
    """What was owed has been said, but for lines that a search without end has refused."""
    assert all(line.split()[0] in ("info", "readyok", "response", "bestmove") for line in said)
    assert all(len(line.split()) == 2 for line in said if line.startswith(("response", "bestmove")))
    words = [line.split()[0] for line in sent if line.split()] + ["isready"]
    for word, answer in _OWED.items():
        refused = sum(line.startswith(f"info string error searching {word}:") for line in said)
        assert sum(line.startswith(answer) for line in said) == words.count(word) - refused


def test_two_thousand_lines_are_answered():
    run(seed=5, lines=2_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_hundred_thousand_lines_are_answered(seed):
    run(seed=100 + seed, lines=25_000)
