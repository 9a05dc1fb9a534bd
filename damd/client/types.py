"""The values a client gets and gives: frozen, typed, without behaviour that talks to an engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

#: Kinds of options that the protocol knows.
OPTION_KINDS = ("check", "spin", "combo", "button", "string")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each kind of call waits, in seconds, where the call is not given a time of its own.

    A call's time covers everything it does, its turn included.
    """

    handshake_s: float = 10.0  #: start of the process to ``uciok``
    ready_s: float = 10.0  #: ``isready``, and commands without an answer of their own (``position``, ``setoption`` …)
    reply_s: float = 10.0  #: ``fen``, ``moves``, ``explain``, ``result``, ``eval``, ``help``, raw commands
    search_s: float = 600.0  #: a search by depth, nodes or mate distance; ``perft``
    margin_s: float = 10.0  #: a search by time may take so much longer than its time
    analysis_s: float = 3600.0  #: an analysis or pondering, from ``go`` to its end
    stop_s: float = 10.0  #: ``stop`` to ``bestmove``
    quit_s: float = 3.0  #: ``quit`` to the end of the process; then its group is terminated
    terminate_s: float = 2.0  #: termination to the end; then the group is killed


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search ends; every field is optional, several may be combined. Times are milliseconds."""

    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    movetime_ms: int | None = None
    white_time_ms: int | None = None
    black_time_ms: int | None = None
    white_increment_ms: int | None = None
    black_increment_ms: int | None = None
    moves_to_go: int | None = None
    infinite: bool = False

    @property
    def bounded(self) -> bool:
        """Whether a search under this limit ends by itself."""
        ends = (self.depth, self.nodes, self.mate, self.movetime_ms, self.white_time_ms, self.black_time_ms)
        return not self.infinite and any(value is not None for value in ends)

    def words(self) -> list[str]:
        """The words of a ``go`` command."""
        pairs = (
            ("wtime", self.white_time_ms),
            ("btime", self.black_time_ms),
            ("winc", self.white_increment_ms),
            ("binc", self.black_increment_ms),
            ("movestogo", self.moves_to_go),
            ("depth", self.depth),
            ("nodes", self.nodes),
            ("mate", self.mate),
            ("movetime", self.movetime_ms),
        )
        words = [word for name, value in pairs if value is not None for word in (name, str(value))]
        return [*words, "infinite"] if self.infinite else words

    def timeout_s(self, timeouts: Timeouts) -> float:
        """How long a client waits for the ``bestmove`` of such a search."""
        if not self.bounded:
            return timeouts.analysis_s
        clocks = [value for value in (self.white_time_ms, self.black_time_ms) if value is not None]
        increment = max(self.white_increment_ms or 0, self.black_increment_ms or 0)
        times = [max(clocks) + increment] if clocks else []
        if self.movetime_ms is not None:
            times.append(self.movetime_ms)
        longest = max(0.0, min(times) / 1000) if times else math.inf
        return longest + timeouts.margin_s if times else timeouts.search_s


@dataclass(frozen=True, slots=True)
class EngineId:
    """Who the engine says it is. ``notes`` are the ``info string`` lines before ``uciok``."""

    name: str = ""
    author: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """One declared option. ``kind`` is one of ``OPTION_KINDS``; ``default`` has the kind's type.

    ``low`` and ``high`` belong to ``spin``, ``choices`` to ``combo``. A button has no default.
    """

    name: str
    kind: str
    default: bool | int | str | None = None
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A score for the side to move: ``cp`` hundredths of a man, or ``mate`` in so many moves (negative: against).

    ``bound`` is empty for an exact score, else ``lowerbound`` or ``upperbound``.
    """

    kind: str
    value: int
    bound: str = ""


class Chances(NamedTuple):
    """What the engine expects for the side to move, in permille; 1000 in all."""

    win: int
    draw: int
    loss: int

    @property
    def expectation(self) -> float:
        """The expected score: 1 for a sure win, 0.5 for a sure draw."""
        total = self.win + self.draw + self.loss
        return (self.win + self.draw / 2) / total if total else 0.5


@dataclass(frozen=True, slots=True)
class InfoLine:
    """One ``info`` line; a field that it does not have is ``None`` or empty. ``raw`` is the whole line.

    Of a long search some lines only tell how far it is: figures, or ``currmove``, the ply of the root that it has
    come to, and ``currmovenumber``, its place from 1. They have no ``score``.
    """

    raw: str = ""
    depth: int | None = None
    seldepth: int | None = None
    multipv: int | None = None
    score: Score | None = None
    wdl: Chances | None = None
    nodes: int | None = None
    time_ms: int | None = None
    nps: int | None = None
    hashfull: int | None = None
    tbhits: int | None = None
    sbhits: int | None = None
    cpuload: int | None = None
    currmove: str | None = None
    currmovenumber: int | None = None
    refutation: tuple[str, ...] = ()
    currline: tuple[str, ...] = ()
    pv: tuple[str, ...] = ()
    string: str | None = None


@dataclass(frozen=True, slots=True)
class BestMove:
    """The answer to a ``go``. ``ply`` is ``None`` where there is none to play, or where the engine resigns.

    ``draw`` offers a draw, or accepts the one that the ``go`` offered (``ply`` is then not played).
    """

    ply: str | None
    ponder: str | None = None
    draw: bool = False
    resign: bool = False


@dataclass(frozen=True, slots=True)
class EngineErrorLine:
    """One ``error CODE message`` line."""

    code: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A finished search.

    ``infos`` are its ``info`` lines in order, at most the last ``client.search.KEPT_INFOS``, of more than that rather
    those with a score; ``errors`` the error lines that came with it (a limit that was out of range, say), the search
    having run all the same.
    """

    best: BestMove
    infos: tuple[InfoLine, ...] = ()
    errors: tuple[EngineErrorLine, ...] = ()

    @property
    def ply(self) -> str | None:
        return self.best.ply

    def last(self, multipv: int = 1) -> InfoLine | None:
        """The last line of that variation which has a score, bounds aside where an exact one is there."""
        scored = [info for info in self.infos if info.score is not None and (info.multipv or 1) == multipv]
        exact = [info for info in scored if info.score is not None and not info.score.bound]
        best = exact or scored
        return best[-1] if best else None


@dataclass(frozen=True, slots=True)
class GameResult:
    """What ``result`` answers. ``outcome``: ``ongoing``, ``white``, ``black`` (the winner) or ``draw``.

    ``rule`` is the name of the draw rule that ended the game, empty where none did.
    """

    outcome: str
    reason: str = ""
    rule: str = ""

    @property
    def over(self) -> bool:
        return self.outcome != "ongoing"


@dataclass(frozen=True, slots=True)
class PlyExplanation:
    """What ``explain`` answers about a ply. ``verdict`` is ``legal``, ``illegal`` or ``ambiguous``.

    ``kind`` (``quiet``, ``capture``, ``claim``) is there for a legal one. ``rules`` are keys of the variant file: those
    that forbid the ply, or that bear on a legal one; ``fault`` is the word for what forbids it under any rules.
    ``plies`` are the first of ``total``: the ply itself in full, all that an ambiguous one may mean, or what is to be
    played instead of an illegal one.
    """

    text: str
    verdict: str
    kind: str = ""
    fault: str = ""
    rules: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    plies: tuple[str, ...] = ()
    total: int = 0

    @property
    def legal(self) -> bool:
        return self.verdict == "legal"


@dataclass(frozen=True, slots=True)
class BenchResult:
    """What ``bench`` measured."""

    nodes: int
    time_ms: int
    nps: int


@dataclass(frozen=True, slots=True)
class PerftResult:
    """How many lines of play there are: ``total``, and for each root ply, in the engine's order."""

    total: int
    divide: tuple[tuple[str, int], ...] = ()
