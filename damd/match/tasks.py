"""One pairing to be played: all that it takes as a value, and who plays it in this process."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from damd.match.arbiter import Arbiter
from damd.match.events import Event
from damd.match.model import Opening, Pairing, Tournament
from damd.match.player import Game, Patience, Pin, Player, undisturbed
from damd.match.records import GameRecord, PairRecord
from damd.match.settings import rules_of

Tell = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class PairTask:
    """One pairing with all that is needed to play it: a value without ties to this process."""

    tournament: Tournament
    pairing: Pairing
    opening: Opening
    patience: Patience


class Slot:
    """Plays pairings one after the other; the engines of the last one stay there for the next."""

    def __init__(self, pin: Pin | None = None) -> None:
        self._pin = pin
        self._players: dict[str, Player] = {}

    async def play(self, task: PairTask, tell: Tell) -> PairRecord:
        """All games of the pairing. Raises ``Unfit``."""
        tournament, pairing = task.tournament, task.pairing
        rules = rules_of(tournament)
        await self._prepare(task)
        games: list[GameRecord] = []
        for game in pairing.games():
            players = (self._players[game.white], self._players[game.black])
            games.append(await Arbiter(tournament, rules, task.opening, game, players, tell).play())
        finished = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return PairRecord(pairing.id, tuple(games), finished, f"{socket.gethostname()}:{os.getpid()}")

    async def close(self) -> None:
        """End its engines."""
        players, self._players = self._players, {}
        await undisturbed(_close_all(list(players.values())))

    async def _prepare(self, task: PairTask) -> None:
        wanted = task.pairing.engines
        others = [name for name in self._players if name not in wanted]
        await undisturbed(_close_all([self._players.pop(name) for name in others]))
        game = Game.of(task.tournament)
        for name in wanted - set(self._players):
            self._players[name] = Player(task.tournament.engine(name), game, task.patience, self._pin)


async def _close_all(players: Sequence[Player]) -> None:
    await asyncio.gather(*(player.close() for player in players))
