"""The engine of one session: started when it is needed, started anew after it has died, its options kept in mind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from damd.client import AsyncEngine, EngineError, Limit, OptionError, OptionInfo, OptionValue, Search, SearchResult, Timeouts
from damd.client.options import wire_value
from damd_adapters import launch
from damd_adapters.checkerboard.thinking import Report
from damd_adapters.table import Table

#: How long the engine may take where CheckerBoard waits for it: the DLL gives up after 20 seconds of silence.
TIMEOUTS = Timeouts(handshake_s=10.0, ready_s=5.0, reply_s=5.0, margin_s=5.0, stop_s=3.0, quit_s=2.0, terminate_s=1.0)
_VARIANT = "UCI_Variant"


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """How an engine is started: its command and the options that the user gives all of them."""

    words: Sequence[str]
    settings: Sequence[tuple[str, str]]
    timeouts: Timeouts = TIMEOUTS


@dataclass(slots=True)
class Driver:
    """One engine and what it is to be told. Everything raises ``EngineError`` where the engine is at fault."""

    command: EngineCommand
    variant: str
    _engine: AsyncEngine | None = None
    _wanted: dict[str, OptionValue] = field(default_factory=dict)
    _told: dict[str, OptionValue] = field(default_factory=dict)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def engine(self) -> AsyncEngine:
        """The engine, its game chosen. A dead one is replaced."""
        async with self._starting:
            if self._engine is None or not self._engine.alive:
                await self._drop()
                self._engine = await self._start()
                self._told = {}
            return self._engine

    async def _start(self) -> AsyncEngine:
        engine = await launch.start(self.command.words, self.command.settings, self.command.timeouts)
        try:
            if _VARIANT in engine.options:  # an engine without it plays one game, and takes no position of another
                await engine.set_option(_VARIANT, self.variant)
        except BaseException:
            await engine.close()
            raise
        return engine

    async def name(self) -> str:
        """What the engine calls itself."""
        return (await self.engine()).id.name or "an engine without a name"

    async def option(self, name: str) -> OptionInfo | None:
        """The engine's declaration of an option, ``None`` where it has none of that name."""
        return (await self.engine()).options.get(name)

    async def value(self, name: str) -> OptionValue:
        """What an option is set to, or will be before the next search."""
        return self._wanted[name] if name in self._wanted else await self.given(name)

    async def given(self, name: str) -> OptionValue:
        """What an option was at the engine's start: the user's setting, else the engine's default."""
        for setting, value in reversed(self.command.settings):
            if setting.lower() == name.lower():
                return value
        declared = await self.option(name)
        return declared.default if declared else None

    async def set(self, name: str, value: OptionValue) -> None:
        """Set an option before the next search. Raises ``OptionError`` for a value that it does not take."""
        declared = await self.option(name)
        if declared is None:
            raise OptionError(f"the engine has no option {name}")
        wire_value(declared, value)
        self._wanted[name] = value

    async def evaluate(self, table: Table) -> int:
        """The static evaluation of a position for the side to move, in hundredths of a man."""
        engine = await self.engine()
        await engine.position(table.fen, table.texts)
        return await engine.eval()

    async def think(
        self, table: Table, limit: Limit, report: Report, tell: Callable[[str], None], hurry: asyncio.Event
    ) -> SearchResult:
        """Search and say how it goes; ``hurry`` ends it early. An engine that is silent for too long is ended."""
        engine = await self.engine()
        hurrying: asyncio.Task[None] | None = None
        try:
            await self._set_wanted(engine)
            search = await engine.start_search(limit, position=(table.fen, table.texts))
            hurrying = asyncio.create_task(_stop_when(hurry, search))
            async for info in search:
                if report.add(info):
                    tell(report.text)
            return await search.result()
        except (TimeoutError, asyncio.CancelledError):
            await self._drop()  # what it may still be at would hold up the next search
            raise
        finally:
            if hurrying is not None:
                hurrying.cancel()

    async def close(self) -> None:
        async with self._starting:
            await self._drop()

    async def _set_wanted(self, engine: AsyncEngine) -> None:
        changed = {name: value for name, value in self._wanted.items() if self._told.get(name) != value}
        await engine.set_options(changed)
        self._told.update(changed)

    async def _drop(self) -> None:
        if self._engine is not None:
            engine, self._engine = self._engine, None
            await engine.close()


async def _stop_when(hurry: asyncio.Event, search: Search) -> None:
    await hurry.wait()
    with contextlib.suppress(EngineError):  # whoever waits for the search is told of it
        await search.stop()
