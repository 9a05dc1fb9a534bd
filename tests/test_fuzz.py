"""The daemon under thousands of lines, valid, spoilt and nonsense: alive, well formed, in order, clean at the end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fuzz import fuzz
from transcripts import Wrong

DAMD = [sys.executable, "-m", "damd"]


def run(seed: int, lines: int, output: Path) -> None:
    print(f"again with: python tests/fuzz.py --seed {seed} --lines {lines}")
    totals = fuzz(DAMD, seed, lines, output)
    print(totals)
    assert totals.lines >= lines
    assert totals.bestmoves > lines / 20  # the lines are not all nonsense


@pytest.mark.parametrize("seed", [1, 2])
def test_ten_thousand_lines(seed: int, tmp_path: Path) -> None:
    run(seed, 5_000, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_a_hundred_thousand_lines(seed: int, tmp_path: Path) -> None:
    run(seed, 25_000, tmp_path)


def test_a_failure_is_seen_and_written_out(tmp_path: Path) -> None:
    """A daemon that dies of one certain word: the fuzzer's file holds the line, and little else."""
    fragile = (
        "import subprocess, sys\n"
        "daemon = subprocess.Popen([sys.executable, '-m', 'damd'], stdin=subprocess.PIPE)\n"
        "for line in sys.stdin.buffer:\n"
        "    if b'perft' in line: daemon.kill(); sys.exit(1)\n"
        "    daemon.stdin.write(line); daemon.stdin.flush()\n"
        "    if line == b'quit\\n': break\n"
        "daemon.stdin.close(); daemon.wait()\n"
    )
    with pytest.raises(Wrong, match="enough lines"):
        fuzz([sys.executable, "-c", fragile], 2, 1_000, tmp_path, minimise_s=15)
    few = (tmp_path / "fuzz-2.few.lines").read_bytes().splitlines()
    assert any(b"perft" in line for line in few)
    assert len(few) < 20
