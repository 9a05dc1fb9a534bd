"""Lines of all kinds, thousands of them: every ping is answered, every line has a form that XBoard knows, and it ends."""

from __future__ import annotations

import re
from random import Random

import pytest

from programs import Program

_COMMANDS = (
    *(
        "new",
        "force",
        "go",
        "playother",
        "undo",
        "remove",
        "hint",
        "analyze",
        "exit",
        ".",
        "?",
        "draw",
        "post",
        "nopost",
        "bk",
    ),
    *("variant dam-haji", "variant international", "variant english", "variant dam-daman", "variant", "computer", "random"),
    *("usermove c3d4", "usermove c3b4", "usermove b6a5", "usermove e3f4,f4g5", "usermove a1a1", "usermove", "c3d4"),
    *(
        "lift c3",
        "lift d4",
        "put d4",
        "lift e9",
        "put",
        "hover c3",
        "level 40 5 0",
        "level 0 0:10 0.5",
        "level x",
        "st 0",
        "sd 2",
    ),
    *(
        "time 100",
        "otim -5",
        "time x",
        "memory 1",
        "memory x",
        "option Skill Level=3",
        "option Skill Level=20",
        "option",
        "cores 2",
    ),
    *(
        "setboard 8/8/3m4/2M5/8/8/8/8 w",
        "setboard 8/8/8/8/8/8/8/8 b",
        "setboard x",
        "result * {Engine aborts game}",
        "result 1-0",
    ),
    *(
        "setboard 7m/m7/8/2M5/8/8/7M/8 b - - 0 1",
        "protover 2",
        "xboard",
        "accepted x",
        "edit\na1\n.",
        "easy",
        "hard",
        "name é",
    ),
)
_FORMS = re.compile(
    r"move [a-j]\d{1,2}([a-j]\d{1,2}|x[a-j]\d{1,2})*(-[a-j]\d{1,2})?k?,?|pong -?\d+|Error \(.+\): .*|Illegal move \(.+\): .*"
    r"|(1-0|0-1|1/2-1/2) \{.+\}|setboard .+|telluser .+|tellusererror .+|feature .+|setup .+|piece [MK]& .+"
    r"|highlight [\dYRCB/]+|choice K|Hint: .+|stat01: .+|\d+ -?\d+ \d+ \d+ .+|resign|offer draw| no opening book|"
)


def fuzzed(random: Random) -> str:
    if random.random() < 0.85:
        return random.choice(_COMMANDS)
    words = " ".join(random.choice(_COMMANDS) for _ in range(random.randrange(1, 3))).split()
    random.shuffle(words)
    line = " ".join(words)
    return line if not line.startswith(("quit", "edit", "ping", "analyze")) else "force"


def run(seed: int, lines: int, stretch: int = 50) -> None:
    random = Random(seed)
    with Program("xboard", "--option", "Hash=1") as program:
        program.send("new", "variant dam-haji")
        for number in range(1, lines // stretch + 1):
            sent = [fuzzed(random) for _ in range(stretch)]
            # Whatever the lines have begun is short after these.
            program.send("exit", "force", "st 0", "sd 1", *sent, "?", "exit", "force", f"ping {number}")
            for line in program.until(f"pong {number}"):
                assert _FORMS.fullmatch(line), (line, sent)
        program.close_input()
        program.rest()
        assert program.exit_code() == 0
        assert program.stderr() == ""


def test_two_thousand_lines_are_answered():
    run(seed=11, lines=2_000)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_hundred_thousand_lines_are_answered(seed):
    run(seed=200 + seed, lines=25_000)


def test_bytes_that_are_no_text_and_lines_without_end_are_survived():
    with Program("xboard", "--option", "Hash=1") as program:
        program.send_bytes(b"\xff\xfe\x00\n\r\n   \n" + b"usermove " + b"c3" * 800_000 + b"\nping 1\r\n")
        lines = program.until("pong 1")
        program.send("ping 2")
        lines += program.until("pong 2")
        assert [line for line in lines if line.startswith("Error (too long)")]
        assert [line for line in lines if line.startswith("Error (unknown command)")]
        assert program.stderr_free()
