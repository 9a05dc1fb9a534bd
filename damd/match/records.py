"""What was played: plies with clocks and scores, games with their ends, pairs of games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from damd.geometry import BLACK, WHITE
from damd.match.plain import as_rows

SIDES = ("White", "Black")


class Termination(Enum):
    """Why a game is over, each way with a name of its own. By rule the names are those of ``damd.core.types.Reason``."""

    FIRST_KING = "first-king"
    NO_PIECES = "no-pieces"
    NO_MOVES = "no-moves"
    ONE_EACH = "one-each"
    REPETITION = "repetition"
    MOVE_LIMIT = "move-limit"
    MATERIAL = "material"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    ADJUDICATED_WIN = "adjudicated-win"
    ADJUDICATED_DRAW = "adjudicated-draw"
    ADJUDICATED_LENGTH = "adjudicated-length"
    ADJUDICATED_TABLES = "adjudicated-tables"
    #: The position has more plies than can be listed: nobody can judge what is played in it.
    TOO_MANY_PLIES = "too-many-plies"
    TIME = "time"
    #: No answer at all, long after its time: the process had to be ended.
    STALL = "stall"
    #: The process ended by itself.
    CRASH = "crash"
    #: The process lives, or is not ours to see, but nothing comes from it and nothing can be sent.
    DISCONNECT = "disconnect"
    ILLEGAL_PLY = "illegal-ply"
    #: The manager was stopped; such a game counts for nothing and is played again.
    INTERRUPTED = "interrupted"

    @property
    def is_fault(self) -> bool:
        """Whether the loser broke down or broke the rules, rather than being beaten. Being late is told apart."""
        return self in _FAULTS

    @property
    def is_adjudicated(self) -> bool:
        return self in _ADJUDICATED


_FAULTS = frozenset({Termination.STALL, Termination.CRASH, Termination.DISCONNECT, Termination.ILLEGAL_PLY})
_ADJUDICATED = frozenset(
    {
        Termination.ADJUDICATED_WIN,
        Termination.ADJUDICATED_DRAW,
        Termination.ADJUDICATED_LENGTH,
        Termination.ADJUDICATED_TABLES,
        Termination.TOO_MANY_PLIES,
    }
)
#: Ends that nobody wins; of all others somebody does, by the rules or by the other's fault.
DRAWN = frozenset(
    {
        Termination.ONE_EACH,
        Termination.REPETITION,
        Termination.MOVE_LIMIT,
        Termination.MATERIAL,
        Termination.AGREEMENT,
        Termination.ADJUDICATED_DRAW,
        Termination.ADJUDICATED_LENGTH,
        Termination.TOO_MANY_PLIES,
    }
)
#: Ends that may be either: tables know wins and draws, and an interrupted game is neither.
_EITHER = frozenset({Termination.ADJUDICATED_TABLES, Termination.INTERRUPTED})


@dataclass(frozen=True, slots=True)
class PlyRecord:
    """One ply of the game itself, none of its opening.

    ``side`` is who played it, 0 White, 1 Black: openings may leave either to move, and a claim does not pass the turn.
    Times are milliseconds: ``taken_ms`` by the runner's watch, ``clock_ms`` what was left behind the ply (``None``
    without a clock), ``over_ms`` by how much it was too long even where that was forgiven, ``latency_ms`` what the
    watch saw above the time that the engine says it took. ``score`` is the mover's, in centipawns, ``mate`` in moves,
    negative when losing; at most one of them is there.
    """

    text: str
    side: int
    taken_ms: float = 0.0
    clock_ms: float | None = None
    over_ms: float = 0.0
    latency_ms: float | None = None
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One finished game.

    ``number`` is 1 or 2 within its pair; ``white`` and ``black`` are engines' names, ``winner`` a side or ``None``.
    ``rule`` is the name of the draw rule that ended it, ``note`` what went wrong or why it was adjudicated, the text
    of an illegal ply first. ``exit_code`` and ``stderr`` are the losing engine's where it broke down: an exit code
    below zero is the signal that ended it.
    """

    number: int
    white: str
    black: str
    winner: int | None
    termination: Termination
    plies: tuple[PlyRecord, ...] = as_rows()
    rule: str = ""
    note: str = ""
    exit_code: int | None = None
    stderr: str = ""
    started: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Raises ``ValueError`` for a result that its termination contradicts."""
        if self.number not in (1, 2):
            raise ValueError(f"number: a pair has games 1 and 2, not {self.number}")
        if self.winner not in (None, WHITE, BLACK):
            raise ValueError(f"winner: 0 is White, 1 is Black, null is nobody, not {self.winner}")
        if self.white == self.black:
            raise ValueError(f"white, black: {self.white} cannot play itself under one name")
        if self.termination not in _EITHER and (self.winner is None) != (self.termination in DRAWN):
            raise ValueError(f"winner: {self.termination.value} does not go with {self._winner_word()}")

    def _winner_word(self) -> str:
        return "a draw" if self.winner is None else "a winner"

    @property
    def winner_name(self) -> str | None:
        return None if self.winner is None else (self.white, self.black)[self.winner]

    @property
    def loser_name(self) -> str | None:
        return None if self.winner is None else (self.black, self.white)[self.winner]

    def side_of(self, engine: str) -> int:
        """The side that this engine had. Raises ``ValueError`` for an engine that did not play."""
        return (self.white, self.black).index(engine)

    def points(self, engine: str) -> int:
        """2 for a win, 1 for a draw, 0 for a loss: half points of chess."""
        return 1 if self.winner is None else 2 * (self.side_of(engine) == self.winner)

    def plies_of(self, engine: str) -> tuple[PlyRecord, ...]:
        """The plies that this engine played, claims among them."""
        side = self.side_of(engine)
        return tuple(ply for ply in self.plies if ply.side == side)

    def describe(self) -> str:
        """One line for people: who has won how, the right colour named."""
        how = self.termination.value + (f" ({self.rule})" if self.rule else "")
        if self.termination is Termination.INTERRUPTED:
            told = "interrupted"
        elif self.winner is None:
            told = f"Drawn: {how}"
        else:
            told = f"{SIDES[self.winner]} wins ({self.winner_name}): {how}"
        return f"{told}: {self.note}" if self.note else told


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The games of one pairing, all of them: what one line of the journal holds.

    ``pairing`` is the pairing's id. ``finished`` is the time of day (ISO 8601, UTC), ``worker`` where it was played.
    """

    pairing: str
    games: tuple[GameRecord, ...]
    finished: str = ""
    worker: str = ""

    def __post_init__(self) -> None:
        """Raises ``ValueError`` for games that cannot be those of one pairing."""
        if [game.number for game in self.games] not in ([1], [1, 2]):
            raise ValueError("games: game 1, or games 1 and 2, in that order")
        first = self.games[0]
        if any((game.white, game.black) != (first.black, first.white) for game in self.games[1:]):
            raise ValueError("games: the second game has the colours of the first reversed")
        if any(game.termination is Termination.INTERRUPTED for game in self.games):
            raise ValueError("games: an interrupted game counts for nothing, nor does its pair")

    @property
    def engines(self) -> tuple[str, str]:
        """White and Black of the first game."""
        return self.games[0].white, self.games[0].black

    def points(self, engine: str) -> int:
        """0 to 4 for a pair of two games, 2 a win and 1 a draw."""
        return sum(game.points(engine) for game in self.games)
