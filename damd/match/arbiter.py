"""One game under the arbiter's eyes: he asks, stops the clock, and only then looks at what was answered.

A ply is judged by the rules of the core, the game by its draw rules; engines only answer. A claim keeps the clock running:
the same side is asked again, without an increment. An engine that is late has lost on time whatever it has played.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from damd.client import Limit
from damd.core.position import Position
from damd.core.types import PlyKind, TooManyPlies
from damd.geometry import BLACK, WHITE
from damd.match.adjudication import Adjudicator
from damd.match.events import Event, GameEnd, GameStart, Move
from damd.match.model import GamePlan, Opening, Tournament
from damd.match.openings import opening_position
from damd.match.player import Answer, Breakdown
from damd.match.records import GameRecord, PlyRecord, Termination
from damd.match.timecontrol import SideClock, TimeControl
from damd.notation.plies import PlyError, format_ply, parse_ply
from damd.rules import Rules

_OUTCOMES = {None: "draw", WHITE: "white", BLACK: "black"}
#: What the protocol's ``gameover`` has a word for; other ends go by the nearest of them.
_TOLD = {Termination.AGREEMENT: "agreement", Termination.RESIGNATION: "resignation"}


class Contestant(Protocol):
    """What the arbiter asks of a player: see ``damd.match.player.Player``."""

    async def new_game(self, seed: int) -> None: ...

    async def choose(
        self, fen: str, plies: Sequence[str], limit: Limit, allowed_ms: float | None, draw_offered: bool
    ) -> Answer: ...

    async def game_over(self, outcome: str, reason: str) -> None: ...

    async def drop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class End:
    """Why the game is over; ``winner`` is a side or ``None``."""

    winner: int | None
    termination: Termination
    rule: str = ""
    note: str = ""
    exit_code: int | None = None
    stderr: str = ""


class Arbiter:
    """Leads one game. ``tell`` hears of everything that happens in it."""

    def __init__(
        self,
        tournament: Tournament,
        rules: Rules,
        opening: Opening,
        plan: GamePlan,
        players: Sequence[Contestant],
        tell: Callable[[Event], None],
    ) -> None:
        """``players`` are White and Black. Raises what reading the opening raises."""
        self._plan, self._opening, self._players, self._tell = plan, opening, players, tell
        self._position: Position = opening_position(opening, rules)
        self._played = list(opening.plies)
        self._records: list[PlyRecord] = []
        self._clocks = [SideClock(tournament.time_of(name), tournament.margin_ms) for name in (plan.white, plan.black)]
        self._adjudicator = Adjudicator(tournament.adjudication)
        self._offer: int | None = None

    async def play(self) -> GameRecord:
        """The game, from the end of its opening to its own. Raises ``Unfit``."""
        plan = self._plan
        started, began = datetime.now(UTC), time.perf_counter()
        self._tell(GameStart(plan.id, plan.white, plan.black, str(self._opening), self._opening.fen, self._opening.plies))
        end = await self._begin() or await self._middle()
        await self._part(end)
        record = GameRecord(
            number=plan.number,
            white=plan.white,
            black=plan.black,
            winner=end.winner,
            termination=end.termination,
            plies=tuple(self._records),
            rule=end.rule,
            note=end.note,
            exit_code=end.exit_code,
            stderr=end.stderr,
            started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            seconds=round(time.perf_counter() - began, 3),
        )
        self._tell(GameEnd.of(plan.id, record))
        return record

    async def _begin(self) -> End | None:
        for side, player in enumerate(self._players):
            try:
                await player.new_game(self._plan.seed)
            except Breakdown as broken:
                return _lost(side, broken)
        return None

    async def _middle(self) -> End:
        end = self._ended_by_rule()
        while end is None:
            end = await self._turn()
        return end

    def _ended_by_rule(self) -> End | None:
        try:
            outcome = self._position.outcome()
            if outcome is not None:
                return End(outcome.winner, Termination(outcome.reason.value), outcome.rule)
            self._position.plies()
        except TooManyPlies:
            return End(None, Termination.TOO_MANY_PLIES)
        return None

    async def _turn(self) -> End | None:
        side = self._position.side
        clock, offered = self._clocks[side], self._offer == 1 - side
        allowed_ms = clock.allowed_ms()
        waited_ms = None if allowed_ms is None else allowed_ms + clock.margin_ms
        try:
            answer = await self._players[side].choose(
                self._opening.fen, self._played, limit_of(side, clock), waited_ms, offered
            )
        except Breakdown as broken:
            return _lost(side, broken)
        # The clock has stopped: what follows takes nobody's time.
        return self._judge(side, answer, offered)

    def _judge(self, side: int, answer: Answer, offered: bool) -> End | None:
        agreed = answer.draw and offered
        if answer.text is None or answer.resigns or agreed:
            return self._without_ply(side, answer, agreed)
        try:
            ply = parse_ply(answer.text, self._position)
        except PlyError as error:
            late = self._late(side, answer, ends_turn=True)
            return late or End(1 - side, Termination.ILLEGAL_PLY, note=f"{error.token}: {error.message}")
        clock = self._clocks[side]
        spent = clock.spend(answer.taken_ms, ends_turn=ply.kind is not PlyKind.CLAIM)
        text = format_ply(ply, self._position.board)
        record = PlyRecord(
            text=text,
            side=side,
            taken_ms=answer.taken_ms,
            clock_ms=None if clock.left_ms is None else round(clock.left_ms, 3),
            over_ms=round(spent.over_ms, 3),
            latency_ms=answer.latency_ms,
            score=answer.score,
            mate=answer.mate,
            depth=answer.depth,
            nodes=answer.nodes,
        )
        self._records.append(record)
        self._played.append(text)
        self._position.play(ply)
        self._tell(Move.of(self._plan.id, len(self._records), record))
        if spent.flagged:
            return _on_time(side, spent.over_ms)
        if answer.draw:
            self._offer = side
        elif offered:
            self._offer = None
        by_rule = self._ended_by_rule()
        if by_rule is not None:
            return by_rule
        verdict = self._adjudicator.after(record)
        return None if verdict is None else End(verdict.winner, verdict.termination, note=verdict.note)

    def _without_ply(self, side: int, answer: Answer, agreed: bool) -> End:
        """The end that an answer makes in which nothing is played."""
        late = self._late(side, answer, ends_turn=True)
        if late is not None:
            return late
        if answer.resigns:
            return End(1 - side, Termination.RESIGNATION)
        if agreed:
            return End(None, Termination.AGREEMENT)
        return End(1 - side, Termination.ILLEGAL_PLY, note="(none): there are plies to play")

    def _late(self, side: int, answer: Answer, *, ends_turn: bool) -> End | None:
        spent = self._clocks[side].spend(answer.taken_ms, ends_turn=ends_turn)
        return _on_time(side, spent.over_ms) if spent.flagged else None

    async def _part(self, end: End) -> None:
        """Tell the engines of an end that they cannot see; whoever fails at that is begun anew before the next game."""
        if end.winner is not None and end.termination.is_fault:
            await self._players[1 - end.winner].drop()
        told = _TOLD.get(end.termination)
        if told is None:
            return
        for player in self._players:
            try:
                await player.game_over(_OUTCOMES[end.winner], told)
            except Breakdown:
                continue  # its process is gone, and the game is over


def limit_of(side: int, clock: SideClock) -> Limit:
    """What an engine is told of its time; it is not told of the other's, which may be of another kind."""
    control: TimeControl = clock.control
    left_ms = None if clock.left_ms is None else max(1, int(clock.left_ms))
    increment_ms = control.increment_ms or None
    own = (left_ms, increment_ms)
    white, black = (own, (None, None)) if side == WHITE else ((None, None), own)
    return Limit(
        depth=control.depth,
        nodes=control.nodes,
        movetime_ms=control.movetime_ms,
        white_time_ms=white[0],
        white_increment_ms=white[1],
        black_time_ms=black[0],
        black_increment_ms=black[1],
        moves_to_go=clock.turns_to_go,
    )


def _on_time(side: int, over_ms: float) -> End:
    return End(1 - side, Termination.TIME, note=f"late by {over_ms:.0f} ms")


def _lost(side: int, broken: Breakdown) -> End:
    return End(1 - side, broken.termination, note=broken.note, exit_code=broken.exit_code, stderr=broken.stderr)
