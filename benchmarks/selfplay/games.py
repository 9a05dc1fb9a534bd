"""One game under the arbiter's eyes, and a match of paired games."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.selfplay.control import Control
from benchmarks.selfplay.openings import Opening
from benchmarks.selfplay.pace import Pace
from benchmarks.selfplay.players import Answer, Fault, Player, Turn
from damd.core.position import Position
from damd.core.types import Ply, PlyKind, TooManyPlies
from damd.notation.fen import format_fen
from damd.notation.plies import PlyError, format_ply, parse_ply
from damd.rules import Rules

#: Ends that the arbiter made, a draw each: too long a game, and a position whose plies cannot be listed.
ADJUDICATED = MAX_PLIES, TOO_MANY_PLIES = ("max-plies", "too-many-plies")


@dataclass(frozen=True, slots=True)
class Overrun:
    """A ply that took longer than it might.

    ``control_late_ms`` is how late the control was by its end, ``waited_ms`` how long the player was kept from a
    processor; ``None`` where that is not known.
    """

    ply: int
    allowed_ms: float
    taken_ms: float
    control_late_ms: float | None = None
    waited_ms: float | None = None

    @property
    def over_ms(self) -> float:
        return self.taken_ms - self.allowed_ms


@dataclass(slots=True)
class SideFigures:
    """What one side did: sums over its plies. Plies that were the only legal one do not count for the depth."""

    plies: int = 0
    nodes: int = 0
    taken_ms: float = 0.0
    depth_plies: int = 0
    depth_sum: int = 0
    overruns: list[Overrun] = field(default_factory=list)

    def add(self, other: SideFigures) -> None:
        self.plies += other.plies
        self.nodes += other.nodes
        self.taken_ms += other.taken_ms
        self.depth_plies += other.depth_plies
        self.depth_sum += other.depth_sum
        self.overruns += other.overruns


@dataclass(frozen=True, slots=True)
class Ending:
    """``winner`` is a side, or ``None``; ``text`` tells of a fault."""

    winner: int | None
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all games of a match have in common."""

    pace: Pace
    max_plies: int = 300
    control: Control | None = None


class Game:
    """One game between White and Black, from the end of its opening. It judges; players only answer."""

    def __init__(
        self, rules: Rules, opening: Opening, players: Sequence[Player], conditions: Conditions, side_of_a: int = 0
    ) -> None:
        self.position = Position(rules)
        self.played: list[str] = []
        self.figures = (SideFigures(), SideFigures())
        self._players = players
        self._conditions = conditions
        self._paces = [conditions.pace, conditions.pace]
        self._paces[side_of_a] = conditions.pace.of_a()
        self._clocks_ms = [float(conditions.pace.base_ms)] * 2
        self._offer: int | None = None
        for ply in opening:
            self._make(ply)

    async def play(self, dice: Sequence[random.Random]) -> Ending:
        """Play it to its end. A side that cannot go on, or plays what is not legal, loses."""
        for side, player in enumerate(self._players):
            try:
                await player.new_game(self.position.rules, dice[side])
            except Fault as fault:
                return self._lost(side, fault)
        while True:
            ending = self._ended() or await self._turn()
            if ending is not None:
                return ending

    def _ended(self) -> Ending | None:
        try:
            outcome = self.position.outcome()
            if outcome is not None:
                return Ending(outcome.winner, outcome.reason.value)
            self.position.plies()
        except TooManyPlies:
            return Ending(None, TOO_MANY_PLIES)
        return Ending(None, MAX_PLIES) if len(self.played) >= self._conditions.max_plies else None

    async def _turn(self) -> Ending | None:
        side = self.position.side
        pace = self._paces[side]
        offered = self._offer == 1 - side
        allowed_ms = pace.allowed_ms(self._clocks_ms[side])
        turn = Turn(self.position, tuple(self.played), pace.limit(self._clocks_ms), offered)
        try:
            answer, late_ms = await self._ask(side, turn)
        except Fault as fault:
            return self._lost(side, fault)
        self._count(self.figures[side], answer)
        if allowed_ms is not None and answer.taken_ms > allowed_ms:
            overrun = Overrun(len(self.played) + 1, allowed_ms, answer.taken_ms, late_ms, answer.waited_ms)
            self.figures[side].overruns.append(overrun)
        if answer.resigns:
            return Ending(1 - side, "resignation")
        if answer.draw and offered:
            return Ending(None, "agreement")
        try:
            ply = parse_ply(answer.text, self.position)
        except PlyError as error:
            return self._lost(side, Fault("illegal-ply", f"{answer.text}: {error.message}"))
        if answer.draw:
            self._offer = side
        elif offered:
            self._offer = None
        ends_turn = ply.kind is not PlyKind.CLAIM
        self._clocks_ms[side] = pace.left_ms(self._clocks_ms[side], answer.taken_ms, ends_turn)
        self._make(ply)
        return None

    async def _ask(self, side: int, turn: Turn) -> tuple[Answer, float | None]:
        """The answer; and how late the control was, which sleeps while the player thinks."""
        control, player = self._conditions.control, self._players[side]
        if control is None:
            return await player.choose(turn), None
        async with control.watching() as watch:
            answer = await player.choose(turn)
        return answer, watch.late_ms

    def _count(self, figures: SideFigures, answer: Answer) -> None:
        figures.plies += 1
        figures.nodes += answer.nodes
        figures.taken_ms += answer.taken_ms
        if answer.depth is not None and len(self.position.plies()) > 1:
            figures.depth_plies += 1
            figures.depth_sum += answer.depth

    def _make(self, ply: Ply) -> None:
        self.played.append(format_ply(ply, self.position.board))
        self.position.play(ply)

    def _lost(self, side: int, fault: Fault) -> Ending:
        fen = format_fen(self.position.setup(), self.position.rules)
        return Ending(1 - side, fault.reason, f"{fault.text} (ply {len(self.played) + 1}, {fen})")


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two games to be played: ``number`` counts a game's pairs from 1."""

    rules: Rules
    number: int
    opening: Opening


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was played. ``white``, ``winner``: 0 is A, 1 is B. ``figures`` are A's and B's."""

    pairing: Pairing
    white: int
    winner: int | None
    reason: str
    text: str
    plies: int
    figures: tuple[SideFigures, SideFigures]

    @property
    def points(self) -> int:
        """A's half points."""
        return 1 if self.winner is None else 2 * (1 - self.winner)


Pair = tuple[Record, Record]


class Match:
    """Paired games between A and B. ``pairs`` grows as they are finished; an interrupted match keeps those it has."""

    def __init__(
        self,
        makers: Sequence[Callable[[], Player]],
        pairings: Iterable[Pairing],
        conditions: Conditions,
        seed: int,
        told: Callable[[Pair], None],
    ) -> None:
        """``makers`` make A and B; ``told`` hears of every finished pair."""
        self.pairs: list[Pair] = []
        self.names = ["", ""]
        self._makers = makers
        self._waiting = deque(pairings)
        self._games = list({pairing.rules.names.name: pairing.rules for pairing in self._waiting}.values())
        self._conditions = conditions
        self._seed = seed
        self._told = told

    async def run(self, concurrency: int) -> None:
        """Play all, so many games at a time. Raises ``EngineError`` where a side cannot play at all."""
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(concurrency):
                    group.create_task(self._play_on())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _play_on(self) -> None:
        """Play pairs as long as some are waiting, with one process a side."""
        players = [make() for make in self._makers]
        try:
            for player in players:
                await player.open(self._games)
            self.names = [player.describe() for player in players]
            while self._waiting:
                pairing = self._waiting.popleft()
                pair = (await self._play(players, pairing, 0), await self._play(players, pairing, 1))
                self.pairs.append(pair)
                self._told(pair)
        finally:
            await asyncio.gather(*(player.close() for player in players))

    async def _play(self, players: Sequence[Player], pairing: Pairing, white: int) -> Record:
        sides = (white, 1 - white)
        game = Game(pairing.rules, pairing.opening, [players[who] for who in sides], self._conditions, sides[0])
        place = f"{self._seed}/{pairing.rules.names.name}/{pairing.number}/{white}"
        ending = await game.play([random.Random(f"{place}/{side}") for side in range(2)])
        figures = (game.figures[sides[0]], game.figures[sides[1]])  # of A, B: the exchange is its own inverse
        winner = None if ending.winner is None else sides[ending.winner]
        return Record(pairing, white, winner, ending.reason, ending.text, len(game.played), figures)
