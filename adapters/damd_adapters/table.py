"""The game that an adapter follows by damd's own rules: what foreign moves mean, and what damd's plies are there."""

from __future__ import annotations

from collections.abc import Iterable

from damd.core.position import Position
from damd.core.types import Outcome, Ply, PlyKind, Setup
from damd.notation.fen import format_fen, parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.rules import Rules


class Table:
    """A position with the plies that led to it. Not shared between tasks that change it at the same time."""

    def __init__(self, rules: Rules, setup: Setup | None = None) -> None:
        """At the start position, or at ``setup``. Raises ``ValueError`` for one that is no position of the game."""
        self.rules = rules
        self.position = Position(rules, setup)
        self._fen = None if setup is None else format_fen(self.position.setup(), rules, full=True)
        self._played: list[Ply] = []
        self._texts: list[str] = []

    @classmethod
    def from_fen(cls, rules: Rules, fen: str, plies: Iterable[str] = ()) -> Table:
        """From a FEN and plies in any spelling that damd reads. Raises ``FenError`` and ``PlyError``."""
        table = cls(rules, parse_fen(fen, rules))
        for text in plies:
            table.play(table.read(text))
        return table

    @property
    def fen(self) -> str | None:
        """The full FEN that the game began with, ``None`` for the start position: as ``AsyncEngine.position`` takes it."""
        return self._fen

    @property
    def played(self) -> tuple[Ply, ...]:
        """The plies since then."""
        return tuple(self._played)

    @property
    def texts(self) -> tuple[str, ...]:
        """The plies since then, in damd's spelling: as ``AsyncEngine.position`` takes them."""
        return tuple(self._texts)

    @property
    def side(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return self.position.side

    def legal(self) -> list[Ply]:
        """The legal plies, claims included; none where the pieces have ended the game."""
        return self.position.plies()

    def moves(self) -> list[Ply]:
        """The legal plies that are no claims, for protocols that know none."""
        return [ply for ply in self.position.plies() if ply.kind is not PlyKind.CLAIM]

    def outcome(self) -> Outcome | None:
        return self.position.outcome()

    def read(self, text: str) -> Ply:
        """The ply that a text means here, in any spelling that damd reads, Hub's included. Raises ``PlyError``."""
        return parse_ply(text, self.position)

    def spell(self, ply: Ply) -> str:
        """A ply in damd's spelling."""
        return format_ply(ply, self.rules.geometry)

    def play(self, ply: Ply) -> None:
        """Make a legal ply. Raises ``ValueError`` for another one."""
        text = self.spell(ply)
        self.position.play(ply)
        self._played.append(ply)
        self._texts.append(text)

    def play_at(self, index: int) -> None:
        """Make ply ``index`` of ``position.plies()``: for whole games, for which listing all plies each time is slow."""
        ply = self.position.ply_at(index)
        self.position.play_at(index)
        self._played.append(ply)
        self._texts.append(self.spell(ply))

    def undo(self) -> None:
        """Take back the last ply. Raises ``IndexError`` where there is none."""
        self.position.undo()
        self._played.pop()
        self._texts.pop()
