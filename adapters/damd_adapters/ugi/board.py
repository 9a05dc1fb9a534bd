"""The position that a manager speaks of: set by ``position`` lines that mostly repeat the line before."""

from __future__ import annotations

from collections.abc import Sequence

from damd.core.types import TooManyPlies
from damd.notation.fen import FenError
from damd.notation.plies import PlyError
from damd.protocol.errors import Code, ProtocolError
from damd.rules import Rules
from damd_adapters.table import Table


class Board:
    """The game as it stands by our rules. A ``position`` line that goes on from the last one plays only what is new."""

    def __init__(self, rules: Rules) -> None:
        self.table = Table(rules)
        self._fen: str | None = None
        self._moves: tuple[str, ...] = ()

    def set(self, fen: str | None, moves: Sequence[str]) -> None:
        """Put up the start position (``None``) or a FEN, and the plies after it.

        Raises ``ProtocolError`` with the token at fault; the position is then what it was.
        """
        known = len(self._moves)
        if fen == self._fen and tuple(moves[:known]) == self._moves:
            self._go_on(moves, known)
        else:
            table = _begin(self.table.rules, fen)
            _play(table, moves, 0)
            self.table = table
        self._fen, self._moves = fen, tuple(moves)

    def _go_on(self, moves: Sequence[str], known: int) -> None:
        before = len(self.table.played)
        try:
            _play(self.table, moves, known)
        except ProtocolError:
            while len(self.table.played) > before:
                self.table.undo()
            raise


def _begin(rules: Rules, fen: str | None) -> Table:
    if fen is None:
        return Table(rules)
    try:
        table = Table.from_fen(rules, fen)
        table.position.count()
    except FenError as fault:
        raise ProtocolError(Code.BAD_FEN, fault.token, str(fault)) from fault
    except TooManyPlies as fault:
        raise ProtocolError(Code.TOO_MANY_PLIES, "", str(fault)) from fault
    return table


def _play(table: Table, moves: Sequence[str], known: int) -> None:
    for number, text in enumerate(moves[known:], known + 1):
        try:
            table.play(table.read(text))
        except PlyError as fault:
            code = Code.AMBIGUOUS_PLY if fault.code == Code.AMBIGUOUS_PLY.text else Code.ILLEGAL_PLY
            raise ProtocolError(code, f"ply {number} {fault.token}", fault.message) from fault
        except TooManyPlies as fault:
            raise ProtocolError(Code.TOO_MANY_PLIES, f"ply {number} {text}", str(fault)) from fault
