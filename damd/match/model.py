"""What a tournament is before anything of it is played: engines, conditions, openings, pairings."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from damd.match.plain import as_text, setting
from damd.match.timecontrol import TimeControl, parse_time_control

#: How an engine is spoken to. All but the first go through a bridge, a program of its own.
PROTOCOLS = ("damd", "hub", "dxp")
#: When an engine's process is begun anew: after it broke down alone, or before every game.
RESTARTS = ("fault", "game")
FORMATS = ("match", "round-robin", "gauntlet", "swiss", "knockout")
OPENING_FORMATS = ("pdn", "fen", "openings", "ballots", "json")
ORDERS = ("sequential", "shuffled")
MISSED_CAPTURE = ("rule", "forbidden")
#: Points for a win, a draw and a loss, as text and in the units that tables count in.
SCORINGS = ("2-1-0", "1-half-0")
SPRT_MODELS = ("normalized", "logistic")
SIDES_RESIGNING = ("one", "both")

#: Seeds are whole numbers below this one: every engine's option for a seed holds that.
SEEDS = 1 << 31

DEFAULT_TIME = TimeControl(base_ms=10_000, increment_ms=100)


class PlanError(ValueError):
    """A tournament that cannot be planned; the message says why and what would do."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """One engine: how to start it and how to speak to it. A table ``[[engine]]``."""

    name: str = setting("what tables call the engine; each its own")
    command: tuple[str, ...] = setting("the program and its arguments, a list or a command line", split=True)
    protocol: str = setting("how it is spoken to; hub and dxp go through damd's bridges", "damd", words=PROTOCOLS)
    options: tuple[tuple[str, str], ...] = setting("its options, as it names them", ())
    folder: str = setting("where it is started; relative to the file, or where the manager is", "")
    environment: tuple[tuple[str, str], ...] = setting("what is added to the manager's environment", ())
    time: TimeControl | None = field(
        default=None, metadata=as_text("its own time control, instead of the tournament's", parse_time_control)
    )
    restart: str = setting(
        "when its process is begun anew: after a fault alone, or before every game", "fault", words=RESTARTS
    )


@dataclass(frozen=True, slots=True)
class OpeningsSpec:
    """Where openings come from: the table ``[openings]``."""

    file: str = setting("a file of ballots, openings, FENs or games; without one the variant's own ballots", "")
    format: str = setting("what the file is, where its name does not tell", "", words=("", *OPENING_FORMATS))
    order: str = setting("in the file's order, or in one that the seed decides", "shuffled", words=ORDERS)
    plies: int = setting("how many plies of a game in PDN or JSON are an opening", 6, low=0, high=200)
    limit: int = setting("only so many openings are taken, the first of the order; 0 takes all", 0, low=0, high=1_000_000)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When the arbiter ends a game that the rules do not end yet: the table ``[adjudication]``."""

    draw_score: int = setting("a draw: both engines' scores are within so many centipawns", 10, low=0, high=10_000)
    draw_plies: int = setting("for so many plies running; 0 switches it off", 0, low=0, high=1000)
    draw_from: int = setting("but not before this ply", 60, low=0, high=10_000)
    resign_score: int = setting("a win: an engine says that it is so many centipawns behind", 600, low=1, high=100_000)
    resign_plies: int = setting("for so many of its own plies running; 0 switches it off", 0, low=0, high=1000)
    resign_sides: str = setting("whose scores have to say so", "both", words=SIDES_RESIGNING)
    max_plies: int = setting("a game of so many plies is drawn; 0 is no bound", 400, low=0, high=100_000)


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of ``elo1`` against ``elo0``, of the first engine against the second: the table ``[sprt]``."""

    elo0: float = setting("the Elo difference that is to be refuted", 0.0, low=-1000, high=1000)
    elo1: float = setting("the Elo difference that is to be shown", 5.0, low=-1000, high=1000)
    alpha: float = setting("how likely a wrong H1 may be", 0.05, low=0.0001, high=0.4999)
    beta: float = setting("how likely a wrong H0 may be", 0.05, low=0.0001, high=0.4999)
    model: str = setting("what the Elo are: of scores, or of scores over their deviation", "normalized", words=SPRT_MODELS)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A whole tournament, as its file says it and as the first line of its journal keeps it: ``[tournament]``."""

    engines: tuple[EngineSpec, ...]
    variant: str = setting("the game, by name, alias or title")
    format: str = setting("who meets whom", "round-robin", words=FORMATS)
    rounds: int = setting(
        "openings that every encounter gets, 0 for all that there are; of swiss the number of rounds, of knockout the "
        "pairs of games of an encounter, 0 for what is usual",
        0,
        low=0,
        high=1_000_000,
    )
    pairs: int = setting("pairs of games of one encounter of a Swiss round", 1, low=1, high=1000)
    seed: int = setting("decides the order of the openings and every game's own seed", 0, low=0, high=SEEDS - 1)
    time: TimeControl = field(
        default=DEFAULT_TIME, metadata=as_text("time control of engines without their own", parse_time_control)
    )
    margin_ms: int = setting("an engine may be late by so much; it is recorded all the same", 0, low=0, high=600_000)
    reverse: bool = setting("whether every opening is played twice, colours reversed", True)
    recover: bool = setting("whether the tournament goes on after an engine has broken down", False)
    scoring: str = setting("how tables count a win, a draw and a loss", "2-1-0", words=SCORINGS)
    missed_capture: str = setting("whether missed captures are as the rules say, or illegal", "rule", words=MISSED_CAPTURE)
    variant_path: str = setting("a folder of the user's own variants; relative to the file", "")
    event: str = setting("what the tournament is called", "")
    openings: OpeningsSpec = OpeningsSpec()
    adjudication: Adjudication = Adjudication()
    sprt: Sprt | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The engines' names, in order: the first is the one that a gauntlet and a match are about."""
        return tuple(engine.name for engine in self.engines)

    def engine(self, name: str) -> EngineSpec:
        """Raises ``KeyError``."""
        for engine in self.engines:
            if engine.name == name:
                return engine
        raise KeyError(name)

    def time_of(self, name: str) -> TimeControl:
        """The time control of that engine. Raises ``KeyError``."""
        return self.engine(name).time or self.time


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game begins: plies from ``fen``, or from the start position where that is empty.

    ``name`` is what its file calls it. ``captures`` is true where the side to move behind it has to capture, so that
    the first ply of the game may be the rest of an exchange.
    """

    fen: str = ""
    plies: tuple[str, ...] = ()
    name: str = ""
    captures: bool = False

    def __str__(self) -> str:
        return self.name or " ".join(filter(None, [self.fen, *self.plies])) or "start position"


@dataclass(frozen=True, slots=True)
class GamePlan:
    """One game to be played. ``number`` is 1 or 2 within its pairing."""

    id: str
    number: int
    white: str
    black: str
    seed: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two engines and an opening, fixed before anything runs: the unit that is played, journalled and resumed.

    ``id`` is ``ROUND-NUMBER``, both from 1. ``white`` has White in the first game. ``opening`` is a place in the
    tournament's list of openings. With ``reverse`` there is a second game, colours reversed.
    """

    id: str
    round: int
    number: int
    white: str
    black: str
    opening: int
    seed: int
    reverse: bool = True

    def games(self) -> tuple[GamePlan, ...]:
        """Its games in order, the seed of each its own."""
        plans = [GamePlan(f"{self.id}.1", 1, self.white, self.black, derived_seed(self.seed, 1))]
        if self.reverse:
            plans.append(GamePlan(f"{self.id}.2", 2, self.black, self.white, derived_seed(self.seed, 2)))
        return tuple(plans)

    @property
    def engines(self) -> frozenset[str]:
        return frozenset((self.white, self.black))


@dataclass(frozen=True, slots=True)
class Bye:
    """An engine that nobody was left for in a round of a Swiss tournament, and the points that it gets, 2 a win."""

    round: int
    engine: str
    points: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is known of the plan: every pairing so far, and whether those are all.

    Where it is not ``complete`` more pairings come once all of these are played. ``placing`` are the engines of a
    knockout, the one that came furthest first; other formats are ranked by points.
    """

    pairings: tuple[Pairing, ...]
    complete: bool = True
    byes: tuple[Bye, ...] = ()
    placing: tuple[str, ...] = ()


def derived_seed(seed: int, *words: object) -> int:
    """A seed below ``SEEDS`` that depends on ``seed`` and the words alone: the same on every machine and Python."""
    return int.from_bytes(_digest(seed, words)[:8], "big") % SEEDS


def shuffled(count: int, seed: int, *words: object) -> list[int]:
    """The numbers below ``count`` in an order that depends on ``seed`` and the words alone, every order as likely."""
    return sorted(range(count), key=lambda index: _digest(seed, (*words, index)))


def _digest(seed: int, words: tuple[object, ...]) -> bytes:
    text = "/".join(map(str, (seed, *words)))
    return blake2b(text.encode(), digest_size=16).digest()
