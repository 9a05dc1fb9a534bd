"""The engine at XBoard's board: its turns with the claims in them, hints, and analysis."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from damd.client import AsyncEngine, EngineError, InfoLine, Limit, Search, SearchResult
from damd.core.types import Ply, PlyKind
from damd.notation.plies import PlyError
from damd_adapters.xboard.clocks import TimeControl
from damd_adapters.xboard.desk import Desk
from damd_adapters.xboard.moves import Move

#: A hint is what a search of so many positions finds.
_HINT = Limit(nodes=20_000)


@dataclass(frozen=True, slots=True)
class Turn:
    """What the engine does. ``plies`` are claims and a move, or claims that end the game; none where it resigns."""

    plies: tuple[Ply, ...] = ()
    resigns: bool = False
    offers_draw: bool = False


class Player:
    """Lets an engine think about the position on a desk; what it says meanwhile goes to ``tell``.

    All calls raise ``EngineError`` where the engine dies, is silent, or answers what is no legal ply.
    """

    def __init__(self, engine: AsyncEngine, tell: Callable[[InfoLine], None]) -> None:
        self._engine = engine
        self._tell = tell
        self._search: Search | None = None
        self._hurry = self._broken = False

    async def turn(self, desk: Desk, time: TimeControl, draw_offered: bool) -> Turn | None:
        """The engine's turn, thought out but not made on the desk. ``None`` where it was broken off."""
        begun = asyncio.get_running_loop().time()
        table = desk.table
        plies: list[Ply] = []
        offers = False
        self._hurry = False
        try:
            while (not plies or plies[-1].kind is PlyKind.CLAIM) and table.outcome() is None:
                spent = int(1000 * (asyncio.get_running_loop().time() - begun))
                result = await self._think(desk, time.limit(table.side, desk.turns // 2, spent), draw_offered)
                if result is None:
                    return None
                if result.best.resign:
                    return Turn(resigns=True)
                offers = offers or result.best.draw
                plies.append(_read(desk, result))
                table.play(plies[-1])
        finally:
            for _ in plies:
                table.undo()
        return Turn(tuple(plies), offers_draw=offers)

    async def analyse(self, desk: Desk) -> None:
        """Think without end, until ``break_off``."""
        self._hurry = False
        await self._think(desk, None, False)

    async def hint(self, desk: Desk) -> Move | None:
        """What the engine would do; ``None`` where there is no move. For between its turns."""
        moves = {move.plies: move for move in desk.moves()}
        if not moves or desk.outcome() is not None:
            return None
        table = desk.table
        plies: list[Ply] = []
        try:
            while tuple(plies) not in moves:
                found = await self._engine.go(_HINT, position=(table.fen, table.texts))
                plies.append(_read(desk, found))
                table.play(plies[-1])
                if table.outcome() is not None and tuple(plies) not in moves:
                    return None
        finally:
            for _ in plies:
                table.undo()
        return moves[tuple(plies)]

    async def move_now(self) -> None:
        """End the search that runs, or is about to begin; its ply is played."""
        self._hurry = True
        if self._search is not None and not self._search.done:
            await self._search.stop()

    async def break_off(self, task: asyncio.Task[None]) -> None:
        """End what runs in ``task`` without a trace."""
        self._broken = True
        try:
            await self.move_now()
            await task
        finally:
            self._broken = False

    async def _think(self, desk: Desk, limit: Limit | None, draw_offered: bool) -> SearchResult | None:
        """A search of the position on the table; ``None`` where it was broken off."""
        table = desk.table
        self._search = await self._engine.start_search(limit, draw_offered=draw_offered, position=(table.fen, table.texts))
        if self._hurry or self._broken:
            await self._search.stop()
        async for info in self._search:
            self._tell(info)
        result = await self._search.result()
        return None if self._broken else result


def _read(desk: Desk, result: SearchResult) -> Ply:
    """The engine's ply. Raises ``EngineError`` where it is none."""
    if result.ply is None:
        raise EngineError("the engine found no ply where there is one")
    try:
        return desk.table.read(result.ply)
    except PlyError as fault:
        raise EngineError(f"the engine answered {fault.token}: {fault.message}") from fault
