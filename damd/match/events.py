"""What happens while a tournament runs, as values and as lines of JSON: one event a line, its kind under ``event``.

Readers pass over kinds and keys that they do not know: later versions may have more. Nothing is told here that is not in
the journal too, but for what is not finished yet.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from damd.match.plain import to_plain
from damd.match.records import GameRecord, PlyRecord
from damd.match.standings import Standing
from damd.match.statistics import SprtState


def _told(doc: str, **more: Any) -> Any:
    return field(metadata={"doc": doc}, **more)


@dataclass(frozen=True, slots=True)
class RunStart:
    """A run begins, or one is gone on with."""

    KIND: ClassVar[str] = "run-start"
    journal: str = _told("the journal's file")
    variant: str = _told("the game")
    format: str = _told("the tournament's format")
    engines: tuple[str, ...] = _told("the engines' names")
    seed: int = _told("the tournament's seed")
    games: int = _told("games that are planned so far, the finished ones among them")
    finished: int = _told("games that are in the journal already")
    complete: bool = _told("false where later rounds are not matched yet")


@dataclass(frozen=True, slots=True)
class RoundStart:
    """A format that depends on results has matched another round, or a knockout another pair of a level encounter."""

    KIND: ClassVar[str] = "round-start"
    games: int = _told("games that are planned so far, the finished ones among them")
    complete: bool = _told("false where later rounds are not matched yet")


@dataclass(frozen=True, slots=True)
class GameStart:
    """A game begins."""

    KIND: ClassVar[str] = "game-start"
    game: str = _told("the game's id: ROUND-PAIRING.NUMBER")
    white: str = _told("who has White")
    black: str = _told("who has Black")
    opening: str = _told("what the opening is called")
    fen: str = _told("the position that it begins with; empty for the start position")
    plies: tuple[str, ...] = _told("the opening's plies, which nobody has to play")


@dataclass(frozen=True, slots=True)
class Move:
    """A ply of the game has been played, and was legal. Of a figure that is not known the value is null."""

    KIND: ClassVar[str] = "move"
    game: str = _told("the game's id")
    number: int = _told("1 for the first ply behind the opening")
    side: int = _told("0 White, 1 Black; behind a claim the same side plays again")
    ply: str = _told("the ply")
    taken_ms: float = _told("how long it took, by the runner's watch")
    clock_ms: float | None = _told("what is left on its clock")
    over_ms: float = _told("by how much it was too long, even where that is forgiven")
    latency_ms: float | None = _told("what the runner's watch saw above the time that the engine last told")
    score: int | None = _told("the mover's score in centipawns")
    mate: int | None = _told("instead of the score: moves to the end, negative when losing")
    depth: int | None = _told("how deep it looked")
    nodes: int | None = _told("positions that it looked at")

    @classmethod
    def of(cls, game: str, number: int, ply: PlyRecord) -> Move:
        return cls(
            game,
            number,
            ply.side,
            ply.text,
            ply.taken_ms,
            ply.clock_ms,
            ply.over_ms,
            ply.latency_ms,
            ply.score,
            ply.mate,
            ply.depth,
            ply.nodes,
        )


@dataclass(frozen=True, slots=True)
class GameEnd:
    """A game is over. It counts once its pair is journalled; an interrupted pair is played again."""

    KIND: ClassVar[str] = "game-end"
    game: str = _told("the game's id")
    white: str = _told("who had White")
    black: str = _told("who had Black")
    winner: int | None = _told("0 White, 1 Black, null nobody")
    termination: str = _told("why it is over: see the terminations")
    rule: str = _told("the draw rule that ended it, where one did")
    note: str = _told("what went wrong, or why it was adjudicated")
    plies: int = _told("plies behind the opening")
    seconds: float = _told("how long it lasted")
    exit_code: int | None = _told("of an engine that broke down")
    stderr: str = _told("the last of what that engine wrote to stderr")
    text: str = _told("all of it in a sentence")

    @classmethod
    def of(cls, game: str, record: GameRecord) -> GameEnd:
        return cls(
            game,
            record.white,
            record.black,
            record.winner,
            record.termination.value,
            record.rule,
            record.note,
            len(record.plies),
            record.seconds,
            record.exit_code,
            record.stderr,
            record.describe(),
        )


@dataclass(frozen=True, slots=True)
class PairEnd:
    """The games of a pairing are in the journal, for good."""

    KIND: ClassVar[str] = "pair-end"
    pairing: str = _told("the pairing's id: ROUND-PAIRING")
    finished: int = _told("games that are in the journal")
    games: int = _told("games that are planned so far")


@dataclass(frozen=True, slots=True)
class Row:
    """An engine's line of the standings."""

    rank: int = _told("its place, from 1")
    engine: str = _told("its name")
    games: int = _told("games that it has finished")
    wins: int = _told("of them won")
    draws: int = _told("of them drawn")
    losses: int = _told("of them lost")
    points: int = _told("2 a win, 1 a draw")
    elo: float | None = _told("its rating; null before its first game")
    elo_error: float | None = _told("half the width of the rating's 95 % interval")
    faults: int = _told("games lost by breaking down or breaking the rules")
    time_losses: int = _told("games lost on time")
    overruns: int = _told("plies that took longer than allowed")


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings, after each pairing."""

    KIND: ClassVar[str] = "standings"
    rows: tuple[Row, ...] = _told("the engines, best first")

    @classmethod
    def of(cls, found: Sequence[Standing]) -> Standings:
        return cls(tuple(_row(standing) for standing in found))


def _row(standing: Standing) -> Row:
    score, rating = standing.score, standing.rating
    elo, error = (rating.elo, rating.error) if rating else (None, None)
    return Row(
        standing.rank,
        standing.name,
        score.games,
        score.wins,
        score.draws,
        score.losses,
        standing.points,
        None if elo is None else round(elo, 2),
        None if error is None else round(error, 2),
        standing.faults,
        standing.late,
        standing.overruns,
    )


@dataclass(frozen=True, slots=True)
class Sprt:
    """Where the sequential test stands, after each pairing."""

    KIND: ClassVar[str] = "sprt"
    llr: float = _told("the logarithm of the likelihood ratio")
    lower: float = _told("H0 is accepted at this one")
    upper: float = _told("H1 is accepted at this one")
    decision: str = _told("H0, H1, or empty while the test goes on")

    @classmethod
    def of(cls, state: SprtState) -> Sprt:
        return cls(round(state.llr, 4), round(state.lower, 4), round(state.upper, 4), state.decision)


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that people should know of and that ends nothing."""

    KIND: ClassVar[str] = "warning"
    message: str = _told("what it is")
    game: str = _told("the game's id, where it is about one", default="")


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The run is over: nothing follows."""

    KIND: ClassVar[str] = "run-end"
    reason: str = _told("finished, sprt, breakdown, interrupted or failed")
    message: str = _told("the reason in a sentence")
    finished: int = _told("games that are in the journal")
    games: int = _told("games that are planned so far")
    resume: str = _told("how to go on; empty where there is nothing left")


Event = RunStart | RoundStart | GameStart | Move | GameEnd | PairEnd | Standings | Sprt | Caution | RunEnd
#: All kinds, in the order in which they first come.
EVENTS: tuple[type[Event], ...] = (
    RunStart, RoundStart, GameStart, Move, GameEnd, PairEnd, Standings, Sprt, Caution, RunEnd,
)  # fmt: skip


def as_json(event: Event) -> str:
    """The event's line, in ASCII and without its end; every key is there."""
    return json.dumps({"event": event.KIND, **to_plain(event, whole=True)}, allow_nan=False)
