"""Runs the test rows of variant files against the core: perft counts and complete lists of plies."""

from __future__ import annotations

from collections.abc import Sequence

from damd.core.position import Position
from damd.core.types import TooManyPlies
from damd.notation.fen import FenError, parse_fen
from damd.notation.plies import PlyError, format_ply, parse_ply
from damd.variants.model import START, Example, Perft


def run_rows(rows: Sequence[Perft | Example]) -> list[tuple[str, str]]:
    """A fault ``(key, message)`` for everything in which the rows and the core disagree; empty where they agree."""
    faults: list[tuple[str, str]] = []
    for row in rows:
        try:
            setup = None if row.fen == START else parse_fen(row.fen, row.rules)
            position = Position(row.rules, setup)
            messages = _perft(row, position) if isinstance(row, Perft) else _example(row, position)
        except FenError as error:
            messages = [f"bad FEN: {error}"]
        except TooManyPlies as error:
            messages = [f"too many plies: {error}"]
        faults += [(row.key, f"{row.fen}: {message}") for message in messages]
    return faults


def _perft(row: Perft, position: Position) -> list[str]:
    for depth, count in enumerate(row.counts, start=1):
        leaves = position.perft(depth)
        if leaves != count:
            # Deeper counts are wrong for the same reason.
            return [f"perft {depth} is {leaves}, not {count}"]
    return []


def _example(row: Example, position: Position) -> list[str]:
    messages = []
    listed = set()
    for text in row.plies:
        try:
            listed.add(parse_ply(text, position))
        except PlyError as error:
            messages.append(f"{text}: {error.message}")
    missing = [ply for ply in position.plies() if ply not in listed]
    if missing:
        texts = " ".join(format_ply(ply, position.board) for ply in missing)
        messages.append(f"legal but not listed: {texts}")
    return messages
