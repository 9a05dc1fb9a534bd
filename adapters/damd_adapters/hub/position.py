"""The position that ``pos`` lines speak of, and the game that led to it."""

from __future__ import annotations

from damd.core.types import TooManyPlies
from damd.rules import Rules
from damd_adapters.hub.board import HubPositionError, PlyError, find_move, read_position
from damd_adapters.hub.grammar import Message
from damd_adapters.table import Table

__all__ = ["PosError", "Positions"]


class PosError(ValueError):
    """A ``pos`` line that is wrong; the message says where."""


class Positions:
    """``table`` is where the last ``pos`` line has led.

    Programs send the whole game with every move: what a line has in common with the one before is not read again.
    """

    def __init__(self, rules: Rules) -> None:
        self._first = ""
        self._moves: list[str] = []
        self.table = Table(rules)

    def set(self, line: Message) -> None:
        """Raises ``PosError``: where the position is wrong nothing has changed, where a move is those before it are made."""
        first = line.get("pos") or ""
        moves = (line.get("moves") or "").split()
        if first != self._first or not self._back_to(moves):
            rules = self.table.rules
            try:
                self.table = Table(rules, read_position(first, rules) if first else None)
            except HubPositionError as fault:
                raise PosError(f"bad position: {fault.message}") from fault
            self._first, self._moves = first, []
        for number, text in enumerate(moves[len(self._moves) :], len(self._moves) + 1):
            try:
                self.table.play_at(find_move(text, self.table.position))
            except PlyError as fault:
                raise PosError(f"illegal move {number} {fault.token}: {fault.message}") from fault
            except TooManyPlies as fault:
                raise PosError(f"move {number}: {fault}") from fault
            self._moves.append(text)

    def _back_to(self, moves: list[str]) -> bool:
        """Take moves back until only those are left that ``moves`` begins with; false where that is not possible."""
        same = 0
        for mine, other in zip(self._moves, moves, strict=False):
            if mine != other:
                break
            same += 1
        try:
            while len(self._moves) > same:
                self.table.undo()
                self._moves.pop()
        except IndexError:
            return False  # it was too long ago
        return True
