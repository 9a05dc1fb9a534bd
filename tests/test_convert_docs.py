"""The examples of formats.md are what the commands say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import damd
from talking import ROOT

FORMATS = ROOT / "formats.md"


def blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """The examples, each with the number of its first line."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line == "```console":
            end = lines.index("```", number)
            yield number + 2, lines[number + 1 : end]


def commands(block: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The commands of an example, each with the lines below it."""
    starts = [number for number, line in enumerate(block) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=True):
        yield block[start][2:], block[start + 1 : end]


ALL = list(blocks(FORMATS.read_text(encoding="utf-8")))


def test_there_are_examples() -> None:
    assert len(ALL) > 5


@pytest.mark.parametrize(("number", "block"), ALL, ids=[f"formats.md:{number}" for number, _ in ALL])
def test_example(number: int, block: list[str], tmp_path: Path) -> None:
    for command, below in commands(block):
        words = shlex.split(command)
        if words[0] == "cat":
            (tmp_path / words[1]).write_text("".join(f"{line}\n" for line in below), encoding="utf-8")
            continue
        assert words[0] == "damd"
        given = b""
        if "<" in words:
            given = (tmp_path / words.pop()).read_bytes()
            words.pop()
        ended = damd(*words[1:], given=given, folder=tmp_path)
        said = [*ended.lines, *(f"! {line}" for line in ended.faults), *([f"= {ended.code}"] if ended.code else [])]
        assert len(said) == len(below), f"{number}: {command}: {said}"
        for line, expected in zip(said, below, strict=True):
            pattern = ".*".join(re.escape(part) for part in expected.split("..."))
            assert re.fullmatch(pattern, line), f"{number}: {command}: {line}"
