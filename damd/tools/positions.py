"""Positions for tools that take many: from the command line, or a FEN list on stdin."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence

from damd.core.position import Position
from damd.core.types import Setup, TooManyPlies
from damd.notation.collections.pool import Pool
from damd.notation.fen import FenError, parse_fen
from damd.notation.plies import PlyError, parse_ply
from damd.rules import Rules
from damd.tools.common import AT_FAULT, FINE, note, rules_of
from damd.variants import VariantError

#: Stands for stdin where a FEN is asked for.
STDIN = "-"


class Positions:
    """The positions that ``fens`` name, each with ``plies`` played; none stands for the start position.

    ``-`` is the FEN list on stdin. ``where`` is what a message about the position that was given last begins with, ``line``
    its line where it is of that list. What is at fault is said on stderr, a line each, and left out; ``code`` is then 1.
    """

    def __init__(self, options: Namespace, fens: Sequence[str], plies: Sequence[str] = ()) -> None:
        self.code = FINE
        self.line: int | None = None
        self._options = options
        self._fens = fens
        self._plies = [text for word in plies for text in word.split()]
        self._pool = Pool()
        self.where = "damd: "

    def __iter__(self) -> Iterator[Position]:
        """One at a time: the same object may be given again, set to the next position."""
        try:
            rules = rules_of(self._options)
        except VariantError as fault:
            self.at_fault(str(fault))
            return
        if not self._fens:
            yield from self._played(rules, None)
        for number, fen in enumerate(self._fens, 1):
            if fen == STDIN:
                yield from self._listed(rules)
                continue
            self.where = f"damd: FEN {number}: " if len(self._fens) > 1 else "damd: "
            yield from self._read(fen, rules)

    def at_fault(self, text: str) -> None:
        """Say what is wrong with the position that was given last."""
        self.code = AT_FAULT
        note(f"{self.where}{text}")

    @property
    def place(self) -> dict[str, int]:
        """Where the position that was given last stands, for an object about it; empty where it is of no list."""
        return {} if self.line is None else {"line": self.line}

    def _listed(self, rules: Rules) -> Iterator[Position]:
        from damd.notation.collections.fens import read_entry
        from damd.notation.collections.header import Source, bound_entries
        from damd.notation.pdn.model import Fault

        source = Source(sys.stdin.buffer, "<stdin>", rules, self._options.variant_path or None)
        for bound in bound_entries(source, read_entry):
            self.line = bound.line
            self.where = f"<stdin>:{bound.line}: "
            if isinstance(bound, Fault) and bound.warning:
                note(f"{self.where}warning: {bound.message}")
            elif isinstance(bound, Fault):
                self.at_fault(bound.message)
            else:
                yield from self._read(bound.entry.fen, bound.rules)
        self.line = None

    def _read(self, fen: str, rules: Rules) -> Iterator[Position]:
        try:
            setup = parse_fen(fen, rules)
        except FenError as fault:
            self.at_fault(fault.message)
            return
        yield from self._played(rules, setup)

    def _played(self, rules: Rules, setup: Setup | None) -> Iterator[Position]:
        position = self._pool.at(rules, setup)
        try:
            for number, text in enumerate(self._plies, 1):
                try:
                    position.play(parse_ply(text, position))
                except PlyError as fault:
                    self.at_fault(f"ply {number} {fault.token}: {fault.message}")
                    return
        except TooManyPlies as fault:
            self.at_fault(str(fault))
            return
        yield position
