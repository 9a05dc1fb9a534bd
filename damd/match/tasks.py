"""One pairing to be played: all that it takes as a value, and who plays it in this process."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from damd.match.arbiter import Arbiter
from damd.match.events import Caution, Event
from damd.match.model import Opening, Pairing, Tournament
from damd.match.player import Breakdown, Game, Patience, Pin, Player, Unfit, undisturbed
from damd.match.records import GameRecord, PairRecord
from damd.match.settings import rules_of
from damd.notation.squares import shown
from damd.rules import Rules

Tell = Callable[[Event], None]

#: Of what an engine that cannot be started has written to stderr so many lines are told, and so much of each.
_LAST_WORDS, _WORDS = 3, 200


class WorkerLost(Exception):
    """Whoever was to play cannot be had, or has gone in the middle of it; the message says who."""


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
        self._known: tuple[Tournament, Game, Rules] | None = None

    async def play(self, task: PairTask, tell: Tell) -> PairRecord:
        """All games of the pairing. Raises ``Unfit``."""
        tournament, pairing = task.tournament, task.pairing
        game, rules = self._game_of(tournament)
        await self._prepare(task, game)
        games: list[GameRecord] = []
        for plan in pairing.games():
            players = (self._players[plan.white], self._players[plan.black])
            games.append(await Arbiter(tournament, rules, task.opening, plan, players, tell).play())
        finished = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return PairRecord(pairing.id, tuple(games), finished, f"{socket.gethostname()}:{os.getpid()}")

    async def close(self) -> None:
        """End its engines."""
        players, self._players = self._players, {}
        await undisturbed(_close_all(list(players.values())))

    def _game_of(self, tournament: Tournament) -> tuple[Game, Rules]:
        """Read once, for all pairings of the tournament."""
        if self._known is None or self._known[0] != tournament:
            self._known = (tournament, Game.of(tournament), rules_of(tournament))
        return self._known[1:]

    async def _prepare(self, task: PairTask, game: Game) -> None:
        wanted = task.pairing.engines
        others = [name for name in self._players if name not in wanted]
        await undisturbed(_close_all([self._players.pop(name) for name in others]))
        for name in wanted - set(self._players):
            self._players[name] = Player(task.tournament.engine(name), game, task.patience, self._pin)


async def _close_all(players: Sequence[Player]) -> None:
    await asyncio.gather(*(player.close() for player in players))


async def tried(tournament: Tournament, patience: Patience, *, recover: bool) -> list[Caution]:
    """Each engine once, on this machine: most of what is wrong with a tournament shows here.

    Returns what is not quite right. Raises ``Unfit``, also for an engine that breaks down, unless ``recover`` goes on.
    """
    game, found = Game.of(tournament), []
    for spec in tournament.engines:
        player = Player(spec, game, patience)
        try:
            await player.open()
        except Breakdown as broken:
            words = [shown(line, _WORDS) for line in broken.stderr.splitlines() if line.strip()][-_LAST_WORDS:]
            said = f"; the last of its stderr: {' / '.join(words)}" if words else ""
            message = f"{spec.name} cannot be started: {broken}{said}"
            if not recover:
                raise Unfit(message) from None
            found.append(Caution(message))
        finally:
            await player.close()
        found += [Caution(warning) for warning in player.warnings]
    return found
