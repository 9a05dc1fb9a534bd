"""The game on the board: positions, levels and searches."""

from __future__ import annotations

from damd.client import AsyncEngine, CommandRefused
from damd.core.types import TooManyPlies
from damd.notation.fen import format_fen
from damd.rules import Rules
from damd_adapters.hub.desk import Desk
from damd_adapters.hub.grammar import Message, error
from damd_adapters.hub.levels import Level, LevelError
from damd_adapters.hub.orders import ANALYZE, PONDER, Order
from damd_adapters.hub.position import PosError, Positions
from damd_adapters.hub.report import done_line, info_line
from damd_adapters.hub.voice import Voice

__all__ = ["Play"]

#: Engines take lines of 65,536 bytes; a longer game is sent as the position that it has led to.
_MOST_CHARACTERS = 60_000


class Play:
    """What ``pos``, ``level`` and ``go`` do, under the rules that it was made for."""

    def __init__(self, rules: Rules, engine: AsyncEngine, desk: Desk, voice: Voice) -> None:
        self._engine = engine
        self._desk = desk
        self._voice = voice
        self._level = Level()
        self._positions = Positions(rules)

    def pos(self, line: Message) -> None:
        """Set the position. The level that was given before counts no more."""
        self._level = Level()
        try:
            self._positions.set(line)
        except PosError as fault:
            self._voice.say(error(str(fault)))

    def level(self, line: Message) -> None:
        """What one line says is added to what others have said."""
        try:
            self._level = self._level.with_line(line)
        except LevelError as fault:
            self._voice.say(error(str(fault)))

    async def go(self, order: Order) -> None:
        """Search. Says exactly one ``done``, or raises ``EngineError``."""
        level, self._level = self._level, Level()
        order.endless = not level.bounded
        table = self._positions.table
        try:
            if not table.position.count():
                self._voice.say("done")
                return
            limit = level.limit(table.side, order.kind == ANALYZE)
            search = await self._engine.start_search(limit, ponder=order.kind == PONDER, position=self._position())
            order.begin(search)
            self._desk.begun()
            async for info in search:
                line = info_line(info, table)
                if line is not None:
                    self._voice.info(line, more=search.ahead)
            result = await search.result()
        except (CommandRefused, TooManyPlies) as fault:
            self._voice.say(error(str(fault)))
            self._voice.say("done")
            return
        for complaint in result.errors:
            self._voice.say(error(complaint.message or complaint.code))
        self._voice.say(done_line(result, table))

    def _position(self) -> tuple[str | None, tuple[str, ...]]:
        """Told only now: programs set positions that they change again before they let anybody search."""
        table = self._positions.table
        fen, plies = table.fen, table.texts
        if sum(len(ply) + 1 for ply in plies) > _MOST_CHARACTERS:
            return format_fen(table.position.setup(), table.rules, full=True), ()
        return fen, plies
