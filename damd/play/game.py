"""One game: where it began, what was played, what was taken back, and how it has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from damd.core.position import Position
from damd.core.types import Outcome, Ply, PlyKind, Reason, Setup, TooManyPlies
from damd.rules import Rules


class Unplayable(Exception):
    """A position that cannot be played on from: it has more plies than can be listed."""


@dataclass(frozen=True, slots=True)
class Played:
    """A ply of the game, who made it, and which captures it missed; all that was captured by the pieces instead."""

    side: int
    ply: Ply
    missed: tuple[Ply, ...] = ()


class Game:
    """A game under ``rules`` from ``start``. Whoever plays, here is only what was played.

    Raises ``Unplayable`` for a start with too many plies to list.
    """

    def __init__(self, rules: Rules, start: Setup) -> None:
        self.rules = rules
        self.start = start
        self.position = Position(rules, start)
        self.played: list[Played] = []
        self._undone: list[Ply] = []
        self._agreed: Outcome | None = None
        self.plies()

    @property
    def side(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return self.position.side

    @property
    def last(self) -> Played | None:
        return self.played[-1] if self.played else None

    @property
    def ended_by_players(self) -> bool:
        return self._agreed is not None

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended: by the players, or by the rules."""
        return self._agreed or self.position.outcome()

    def plies(self) -> list[Ply]:
        """The legal plies, also where a draw has ended the game."""
        try:
            return self.position.plies()
        except TooManyPlies as fault:
            raise Unplayable("this position has more plies than can be listed") from fault

    def claims(self) -> list[Ply]:
        return [ply for ply in self.plies() if ply.kind is PlyKind.CLAIM]

    def risky(self) -> set[Ply]:
        """The plies of this position that miss a capture, claims apart."""
        if not self.rules.penalty.take:
            return set()
        setup = self.position.setup()
        free = Setup(setup.side, setup.men, setup.kings, None, setup.king_runs)
        safe = {_identity(ply) for ply in Position(self.rules.without_penalty(), free).plies()}
        return {ply for ply in self.plies() if ply.kind is not PlyKind.CLAIM and _identity(ply) not in safe}

    def play(self, ply: Ply) -> Played:
        """Make a legal ply; what was taken back before can no longer be played again.

        Raises ``Unplayable``, and plays nothing, where the position after it could not be played on from.
        """
        played = self._push(ply)
        self._undone.clear()
        return played

    def _push(self, ply: Ply) -> Played:
        side = self.side
        captures = tuple(other for other in self.plies() if other.kind is PlyKind.CAPTURE)
        self.position.play(ply)
        try:
            self.plies()
        except Unplayable:
            self._set_up(len(self.played))
            raise
        right = self.position.setup().right is not None and self.side != side
        played = Played(side, ply, captures if right else ())
        self.played.append(played)
        return played

    def end(self, winner: int | None, reason: Reason) -> None:
        """The players end the game: by agreement, or by resignation."""
        self._agreed = Outcome(winner, reason)

    def go_on(self) -> None:
        """Take back an end that the players made."""
        self._agreed = None

    def undo(self, mine: Callable[[int], bool]) -> list[Ply]:
        """Take back the last ply of a side that is ``mine`` and all that follows it.

        Returns the plies in the order in which they had been played, none where there is nothing to take back.
        """
        count = len(self.played)
        while count and not mine(self.played[count - 1].side):
            count -= 1
        if not count:
            return []
        taken = [played.ply for played in self.played[count - 1 :]]
        self._set_up(count - 1)
        self._undone += reversed(taken)
        return taken

    def redo(self, mine: Callable[[int], bool]) -> list[Ply]:
        """Play again what was taken back, up to the next turn of a side that is ``mine``."""
        again: list[Ply] = []
        while self._undone and (not again or not mine(self.side)):
            ply = self._undone.pop()
            self._push(ply)
            again.append(ply)
        return again

    def _set_up(self, count: int) -> None:
        """The position after the first ``count`` plies."""
        self.position.set(self.start)
        del self.played[count:]
        for played in self.played:
            self.position.play(played.ply)


def _identity(ply: Ply) -> tuple[object, ...]:
    """What makes two plies one: all but the route."""
    return ply.kind, ply.origin, ply.end, ply.captured, ply.promotes
