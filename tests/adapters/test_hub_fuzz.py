"""Lines of all kinds, thousands of them: each ``go`` has its ``done``, each ``ping`` its ``pong``, and all of it is Hub."""

from __future__ import annotations

from random import Random

import pytest

from damd_adapters.hub.grammar import Message
from hub_program import START, Hub, known
from talking import PATIENCE_S

_WORDS = tuple(
    "hub init set-param name value pos moves level depth nodes time inc infinite go think ponder analyze stop ping "
    'ponder-hit new-game = == " "" "32-28 error info done wait id -1 0 3 999999999999999999999 nan 1e9 1_0 ٣ \x00 \x7f true '
    "false 32-28 19-23 28x19 28x19x23 x23 33-28 1-2 a3-a4 c5xa5xb5 variant normal bt dam-daman turkish pos=W moves= depth=3 "
    f'moves=" nodes=50 move-time=0.001 level= =3 {START} {START[:33]} {START}e'.split(" ")
)
_SENSIBLE = (
    "pos",
    "pos start",
    f"pos pos={START}",
    f'pos pos={START} moves="32-28 19-23 28x19"',
    'pos moves="32-28 19-23 28x19x23 14x23x19"',
    "pos moves=32-28",
    "level depth=2",
    "level nodes=100",
    "level move-time=0.001",
    "level time=0.05 inc=0.001 moves=3",
    "level infinite",
    "go",
    "go think",
    "go ponder",
    "go analyze",
    "stop",
    "ping",
    "ponder-hit",
    "new-game",
    "init",
    "set-param name=skill-level value=4",
    "set-param name=nonsense value=3",
    "set-param name=variant value=losing",
    "set-param name=variant value=normal",
)


#: Long runs are made on machines that have other things to do.
LONGEST_S = 10 * PATIENCE_S


def fuzzed(random: Random) -> str:
    kind = random.random()
    if kind < 0.5:
        return random.choice(_SENSIBLE)
    words = [random.choice(_WORDS) for _ in range(random.randrange(1, 7))]
    if kind < 0.85:
        words.insert(0, random.choice(("pos", "level", "set-param", "go", "set-param name=variant", 'pos moves="32-28')))
    line = (" " if random.random() < 0.8 else "=").join(words)
    # A table's size could take the machine's memory, the handshake is long, and depths of any size take any time.
    return "ping" if any(word in line for word in ("tt-size", "hash", "hub", "quit")) else line


def owed(lines: list[str]) -> tuple[int, int, int]:
    """How many ``done``, ``pong`` and ``ready`` these lines are owed."""
    names = [message.name for line in lines if (message := readable(line))]
    return names.count("go"), names.count("ping"), names.count("init")


def readable(line: str) -> Message | None:
    try:
        return known(line) if line.strip(" \t\r") else None
    except ValueError:
        return None


def run(seed: int, lines: int, stretch: int = 50) -> None:
    random = Random(seed)
    with Hub("--option", "Hash=1") as hub:
        for number in range(lines // stretch):
            sent = []
            for _ in range(stretch):
                line = fuzzed(random)
                sent.append(line)
                if line.split()[:1] == ["go"] and random.random() < 0.7:
                    sent.append("stop")
            sent += ["stop", f"level depth=end{number}", "init"]
            hub.send_bytes("".join(f"{line}\n" for line in sent).encode())
            said = hub.until(f'error message="level: depth takes a whole number, not end{number}"', timeout=LONGEST_S)
            said += hub.until("ready", timeout=LONGEST_S)
            require_answers(sent, said)
        hub.send("quit")
        assert hub.rest() == []
        assert hub.exit_code() == 0
        assert hub.stderr() == ""


def require_answers(sent: list[str], said: list[str]) -> None:
    names = [known(line).name for line in said]
    assert set(names) <= {"info", "done", "pong", "ready", "error"}
    done, pong, ready = owed(sent)
    assert (names.count("done"), names.count("pong"), names.count("ready")) == (done, pong, ready), sent


def test_two_thousand_lines_are_answered():
    run(seed=3, lines=2_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_hundred_thousand_lines_are_answered(seed):
    run(seed=50 + seed, lines=25_000)
