"""One game over DXP as this side sees it: position, clocks, what has been agreed on, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from damd.core.position import start_setup
from damd.core.types import Outcome, Ply, Setup
from damd.notation.fen import format_fen, parse_fen
from damd.rules import Rules
from damd_adapters.dxp.board import NotPlayable, position_of, setup_of
from damd_adapters.dxp.clock import Clocks
from damd_adapters.dxp.messages import End, GameRequest, StartPosition
from damd_adapters.table import Table

SIDES = ("white", "black")


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. ``winner`` is 0, 1 or, for a draw and where nobody knows, ``None``.

    ``fault`` is true where the game was broken off: by the peer, the connection or the engine.
    """

    winner: int | None = None
    draw: bool = False
    reason: str = ""
    fault: bool = False

    @property
    def known(self) -> bool:
        return self.draw or self.winner is not None

    def __str__(self) -> str:
        verdict = "draw" if self.draw else "result unknown" if self.winner is None else f"{SIDES[self.winner]} wins"
        return f"{verdict} ({self.reason})"

    @classmethod
    def by_rule(cls, outcome: Outcome) -> Result:
        return cls(outcome.winner, outcome.winner is None, outcome.rule or outcome.reason.value)


class Game:
    """A game that has been accepted. ``us`` is the side that this program plays."""

    def __init__(self, rules: Rules, request: GameRequest, us: int, free_minutes: float) -> None:
        """Raises ``NotPlayable`` for a position that is none of the game's."""
        self.rules = rules
        self.us = us
        self.minutes = request.minutes or free_minutes
        self.moves = request.moves
        #: The position that the game begins from, ``None`` for the start position.
        self.setup = _setup(request.start, rules)
        self.table = Table(rules, self.setup)
        self.clocks = Clocks(self.minutes, request.moves)
        self._first = self.table.side
        self._over_at: int | None = None
        self.outcome: Outcome | None = None
        self._look()

    @property
    def them(self) -> int:
        return 1 - self.us

    @property
    def our_turn(self) -> bool:
        return self.table.side == self.us

    @property
    def plies(self) -> int:
        return len(self.table.played)

    @property
    def full(self) -> bool:
        """Whether as many moves have been played as were agreed on."""
        return bool(self.moves) and self.plies >= 2 * self.moves

    def play(self, ply: Ply) -> None:
        self.table.play(ply)
        self._look()

    def ply_of(self, number: int, side: int) -> int | None:
        """How many plies had been played when ``side`` was to make the move of that number; ``None`` if it never was.

        A move is White's ply and Black's after it. So where Black begins with move 1, White's answer is move 2: that is
        how Scan counts.
        """
        ply = 2 * (number - 1) + side - self._first
        return ply if 0 <= ply <= self.plies else None

    def move_at(self, ply: int) -> tuple[int, int]:
        """The number and the side of the move that was to be made after so many plies."""
        number, side = divmod(ply + self._first, 2)
        return number + 1, side

    def back_to(self, plies: int) -> None:
        """Take moves back until so many plies are left; the clocks go back with them."""
        while self.plies > plies:
            self.table.undo()
        self.clocks.back_to(plies)
        if self._over_at is not None and self._over_at > plies:
            self._over_at = self.outcome = None
        self._look()

    def reason(self) -> End:
        """What the mover says who ends the game here: this side."""
        if self.outcome is None:
            return End.UNKNOWN
        if self.outcome.winner is None:
            return End.DRAW
        return End.WINS if self.outcome.winner == self.us else End.LOSES

    def ended_by_peer(self, reason: End) -> Result:
        """The result when the peer ends the game: by our rules where they know it, else what the peer says."""
        if self.outcome is not None:
            return Result.by_rule(self.outcome)
        if reason is End.LOSES:
            return Result(self.us, reason="resignation")
        if reason is End.WINS:
            return Result(self.them, reason="the peer declares that it has won")
        if reason is End.DRAW:
            return Result(draw=True, reason="the peer declares a draw")
        return Result(reason="limit of moves" if self.full else "the peer ends the game")

    def _look(self) -> None:
        """Notice how the game has ended. A draw counts from where it came about, though the peer may play on."""
        if self.outcome is None:
            self.outcome = self.table.outcome()
            self._over_at = self.plies if self.outcome is not None else None


def _setup(start: StartPosition | None, rules: Rules) -> Setup | None:
    """The position that was asked for, ``None`` where it is the start position."""
    if start is None or start == position_of(start_setup(rules)):
        return None
    try:
        return parse_fen(format_fen(setup_of(start), rules), rules)
    except ValueError as fault:
        raise NotPlayable(f"the position is none of {rules.names.title}: {fault}") from None
