"""The game on XBoard's board: our table, the turns that XBoard counts, and how far its board is behind ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damd.core.types import Outcome, Ply, PlyKind, TooManyPlies
from damd.rules import Rules
from damd_adapters.table import Table
from damd_adapters.xboard.board import Squares
from damd_adapters.xboard.moves import MOST_VICTIMS, Clicked, Move, legal_moves, marks, meant, read_move


class Refused(Exception):
    """What XBoard sent cannot be played; the reason is for its user."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """What XBoard counts as one move. ``whole``: it took off all that was taken off."""

    plies: int
    whole: bool


class Desk:
    """One game. Moves are read and undone by XBoard's turns: a claim and the ply after it are one."""

    def __init__(self, rules: Rules) -> None:
        """At the start position. Raises ``ValueError`` for a game that XBoard cannot show."""
        self.squares = Squares(rules)
        self.table = Table(rules)
        self.fault = ""  # why the position that was sent is none
        self._turns: list[_Turn] = []
        self._moves: list[Move] | None = None
        self._clicked: list[int] = []

    @property
    def rules(self) -> Rules:
        return self.table.rules

    @property
    def turns(self) -> int:
        """How many moves XBoard has counted since the start or the last position."""
        return len(self._turns)

    @property
    def stale(self) -> bool:
        """Whether XBoard still shows pieces that have been taken off."""
        return not all(turn.whole for turn in self._turns)

    def repainted(self) -> None:
        """XBoard shows our position again."""
        self._turns = [_Turn(turn.plies, True) for turn in self._turns]

    def outcome(self) -> Outcome | None:
        return self.table.outcome()

    def restart(self) -> None:
        """Back to the start position."""
        self._set(Table(self.rules))

    def set_position(self, fen: str) -> None:
        """Put up XBoard's FEN. Raises ``Refused``; until the next position nothing can be played then."""
        try:
            table = Table(self.rules, self.squares.setup(fen))
            table.position.count()
        except (ValueError, TooManyPlies) as fault:
            self.fault = str(fault)
            raise Refused(f"Illegal position: {fault}") from fault
        self._set(table)

    def _set(self, table: Table) -> None:
        self.table, self.fault = table, ""
        self._turns = []
        self._forget()

    def _forget(self) -> None:
        self._moves, self._clicked = None, []

    # Moves

    def moves(self) -> list[Move]:
        """All moves of the side to move."""
        if self._moves is None:
            self._moves = [] if self.fault else list(legal_moves(self.table))
        return self._moves

    def read(self, text: str) -> tuple[Move, Clicked]:
        """The one move that XBoard's text means, and what its user has clicked. Raises ``Refused``."""
        if self.fault:
            raise Refused(f"illegal position: {self.fault}")
        try:
            clicked = read_move(text, self.squares)
        except ValueError as fault:
            raise Refused(str(fault)) from fault
        found = meant(clicked, self.moves())
        if not found:
            raise Refused(self._why_not(clicked))
        if len(found) > 1:
            raise Refused("it could be several captures, click on the pieces to be taken first")
        return found[0], clicked

    def _why_not(self, clicked: Clicked) -> str:
        captures = [move for move in self.moves() if move.last.kind is PlyKind.CAPTURE and len(move.plies) == 1]
        if captures and len(captures) == len([move for move in self.moves() if len(move.plies) == 1]):
            names = sorted({self.squares.name(move.last.origin) for move in captures})
            return f"a capture is compulsory, by {' or '.join(names)}"
        if not self.moves():
            return "the game is over"
        return "no legal move" if clicked.victims else "no such move; click on the pieces to be taken, too"

    def play(self, move: Move, shown: frozenset[int] | None = None) -> None:
        """Make a move. ``shown`` are the victims that XBoard knows of; all that it can hold where it is left out."""
        for ply in move.plies:
            self.table.play(ply)
        known = len(shown) if shown is not None else min(len(move.victims), MOST_VICTIMS)
        self._turns.append(_Turn(len(move.plies), known == len(move.victims)))
        self._forget()

    def play_claim(self, claim: Ply) -> None:
        """Make a claim that ends the game: XBoard has no move for it."""
        self.table.play(claim)
        self._turns.append(_Turn(1, False))
        self._forget()

    def undo(self, turns: int) -> None:
        """Take back so many moves. Raises ``Refused`` where there are not so many."""
        if len(self._turns) < turns:
            raise Refused("no move to take back")
        for _ in range(turns):
            for _ in range(self._turns.pop().plies):
                self.table.undo()
        self._forget()

    # Claims

    def claims(self) -> list[Ply]:
        """The claims of the side to move."""
        return [] if self.fault else [ply for ply in self.table.legal() if ply.kind is PlyKind.CLAIM]

    def last_claim(self) -> Ply | None:
        """The claim to be made where there is nothing else to do: one that wins, if there is one."""
        claims = self.claims()
        if not claims or self.moves() or self.outcome() is not None:
            return None
        side = self.table.side
        for claim in claims:
            self.table.play(claim)
            outcome = self.table.outcome()
            self.table.undo()
            if outcome is not None and outcome.winner == side:
                return claim
        return claims[0]

    # What the user's hand does

    def lift(self, name: str) -> str | None:
        """A piece is picked up, or carried on from a victim that was clicked: the squares to be marked."""
        point = self.squares.point(name)
        if point is None or self.fault:
            return None
        if any(move.last.origin == point for move in self.moves()):
            self._clicked = [point]
        elif self._clicked and len(self._clicked) <= MOST_VICTIMS and self.marks().get(point) == "C":
            self._clicked.append(point)
        else:
            self._clicked = []
        return self.squares.picture(self.marks())

    def marks(self) -> dict[int, str]:
        """The colours of squares for the piece in hand."""
        if not self._clicked:
            return {}
        origin, *victims = self._clicked
        return marks([move for move in self.moves() if move.last.origin == origin], victims)

    def crowns(self, name: str) -> bool:
        """Whether the piece in hand becomes a king on that square."""
        point = self.squares.point(name)
        return point is not None and self.marks().get(point) == "B"


def claim_text(claims: Sequence[Ply], squares: Squares, side: int) -> str:
    """How the user is told of a right to claim; ``side`` is the one whose pieces may be taken."""
    names = [squares.name(point) for claim in claims for point in claim.captured]
    most = max(len(claim.captured) for claim in claims)
    shown = (f"{most} of " if most > 1 else "") + " or ".join(dict.fromkeys(names))
    return "\n".join(
        (
            f"{squares.side_name(side)} missed a capture: you may take {shown} off the board.",
            f"Pick up the piece that you will move, click on {shown},",
            "then on the square where your piece goes.",
            "If you move without that, the right is gone.",
        )
    )
