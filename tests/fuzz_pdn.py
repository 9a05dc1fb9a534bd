"""Mutated PDN and FEN texts for the readers, the same ones for the same seed.

python tests/fuzz_pdn.py --seed 7 --inputs 50000
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Iterator
from functools import cache
from random import Random

from damd.notation.fen import FenError, format_fen, parse_fen
from damd.notation.pdn import Reading, read_games, write_game
from damd.notation.pdn.writing import changed
from damd.rules import Rules
from damd.variants import load, names
from pdn_games import random_game
from positions import load_lines, random_setup

#: One input may take so long, in seconds of this process: far more than any does.
PATIENCE_S = 5.0

_PIECES = (
    "{", "}", "(", ")", "[", "]", '"', "*", "/FEN ", '/FEN "W:W31:B20"/', "$", "$1", "!?", "(?)", ";", "%", "\\",
    "- -", "1-0", "0-0", "1/2-1/2", "1-1", "...", "…", "x", ":", "-", "\n", "\r", "\n\n", "\x00", "\ufeff", "½", "é",
    "[Event ", '[FEN "', '[GameType "25,W,8,8,A0,0"]', '[GameType "31,B,8,8,N3,1"]', '[Variant "dam-daman"]',
    '[Variant "frisian"]', "3228", "99-1", "x22", "c3", "a1b2c3", "32", "1.", "W:", ":P22", ":P*3", "K", "31-50",
    "*3", "999999999", ",", ".", " ", "\t", "[%clk 0:01]",
)  # fmt: skip


@cache
def rules_at_hand() -> tuple[Rules, ...]:
    return tuple(load(name) for name in names())


def texts(random: Random) -> tuple[list[str], list[str]]:
    """PDN and FEN texts to begin with: written games, outside cases, positions."""
    pdn = [row["input"]["pdn"] for row in load_lines("pdn_cases.jsonl") if "pdn" in row["input"]]
    fens = []
    for rules in rules_at_hand():
        pdn.append(write_game(random_game(rules, random, plies=12)))
        fens += [format_fen(random_setup(rules, random), rules, full=True) for _ in range(4)]
    return pdn, fens


def mutated(text: str, random: Random) -> bytes:
    """``text`` with some bytes or words of the language changed, left out, put in, doubled or cut off."""
    data = bytearray(text.encode("utf-8"))
    for _ in range(random.choice((1, 1, 2, 4, 12))):
        at = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind == 0:
            data[at:at] = random.choice(_PIECES).encode()
        elif kind == 1:
            data[at : at + random.randrange(1, 9)] = b""
        elif kind == 2:
            data[at : at + 1] = bytes([random.randrange(256)])
        elif kind == 3:
            data[at:at] = data[max(0, at - random.randrange(40)) : at]
        elif kind == 4 and len(data) > 1:
            other = random.randrange(len(data))
            data[at : at + 1], data[other : other + 1] = data[other : other + 1], data[at : at + 1]
        elif random.random() < 0.1:
            del data[at:]
    return bytes(data)


def inputs(seed: int, count: int) -> Iterator[tuple[str, bytes, Rules]]:
    """``count`` inputs, PDN and FEN in turns, each with the rules of the caller."""
    random = Random(seed)
    pdn, fens = texts(random)
    for number in range(count):
        kind, sources = (("pdn", pdn), ("fen", fens))[number % 2]
        yield kind, mutated(random.choice(sources), random), random.choice(rules_at_hand())


def check_pdn(data: bytes, rules: Rules | None, rewrite: bool = True) -> int:
    """Read a PDN text as a file; the number of its faults, each of which must be one clear line.

    ``rewrite`` writes what was read and reads it again.
    """
    lines = 0
    total = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
    for number, read in enumerate(read_games(io.BytesIO(data), "x", Reading(rules)), 1):
        assert read.number == number
        assert read.game is not None or read.faults
        for fault in read.faults:
            text = str(fault)
            assert text.isprintable(), text
            assert len(text) < 2000, text
            assert fault.message
            assert 1 <= fault.line <= 2 * total + 1
            lines += 1
        if rewrite and read.game is not None:
            text = write_game(read.game)
            again = list(read_games(io.BytesIO(text.encode("utf-8", "replace")), "y"))
            assert len(again) == 1
            if not read.faults and not any(changed(read.game, text)):
                assert again[0].game is not None
                assert again[0].game.line == read.game.line
    return lines


def check_fen(data: bytes, rules: Rules) -> int:
    """Read a FEN; 1 where it is refused, with a reason of one line."""
    try:
        setup = parse_fen(data.decode("utf-8", "replace"), rules)
    except FenError as fault:
        message = fault.message
        if not message.isprintable() or len(message) >= 500:
            raise AssertionError(f"no clear line: {message!r}") from fault
        return 1
    assert parse_fen(format_fen(setup, rules, full=True), rules) == setup
    return 0


def run(seed: int, count: int) -> tuple[int, int]:
    """Read that many inputs; how many of them had faults, and how many faults there were. Raises what goes wrong."""
    faulty = faults = 0
    for number, (kind, data, rules) in enumerate(inputs(seed, count)):
        began = time.process_time()
        try:
            found = (
                check_pdn(data, rules if number % 3 else None, not number % 8) if kind == "pdn" else check_fen(data, rules)
            )
        except Exception as error:
            error.add_note(f"seed {seed}, input {number}, {rules.name}: {data!r}")
            raise
        if time.process_time() - began > PATIENCE_S:
            raise AssertionError(f"seed {seed}, input {number} took more than {PATIENCE_S} s: {data!r}")
        faults += found
        faulty += bool(found)
    return faulty, faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, default=50_000)
    asked = parser.parse_args()
    faulty, faults = run(asked.seed, asked.inputs)
    print(f"{asked.inputs} inputs, {faulty} with faults, {faults} faults")


if __name__ == "__main__":
    main()
