"""An engine of damd's protocol for programs that speak Hub: GUIs, clients, servers' bots.

The engine is started at once, beside the reading of the first lines. Nothing waits for ever: an engine that is silent for
the time of ``--patience``, or has ended, is told to the Hub program by an ``error`` line, and the adapter ends with code 1.
"""

from __future__ import annotations

import asyncio
from argparse import Namespace
from typing import TYPE_CHECKING

from damd.client import AsyncEngine, EngineError, Timeouts
from damd_adapters import launch
from damd_adapters.hub.voice import Voice

if TYPE_CHECKING:
    from damd_adapters.hub.desk import Desk

__all__ = ["NAME", "run"]

NAME = "damd-hub"

#: An analysis or a search by depth may last as long as it likes: whether the engine is still there is asked meanwhile.
_FOR_EVER_S = 1e9
#: When the Hub program has gone the engine gets so long to answer each line that is left (and no longer than its patience),
#: then to end, then to end after being terminated.
_FAREWELL_S, _QUIT_S, _TERMINATE_S = 3.0, 1.0, 0.5


def run(options: Namespace) -> int:
    """The exit code: 0 after ``quit`` or the end of the input, 1 where the engine has failed."""
    return launch.run(NAME, options, lambda: _talk(options))


async def _talk(options: Namespace) -> int:
    """Until the Hub program goes. Raises ``EngineError`` where the engine fails; it is said by an ``error`` line then."""
    voice = Voice(options.slow_handshake / 1000)
    engine: AsyncEngine | None = None
    try:
        engine = await AsyncEngine.start(options.daemon, timeouts=_timeouts(options.patience), handshake=False)
        # While the engine starts the rest of this program does: that is why these are imported here.
        from damd_adapters.hub.desk import MOST_BYTES, Desk
        from damd_adapters.hub.session import Session
        from damd_adapters.streams import Lines

        desk = Desk(voice)
        session = Session(engine, desk, voice, options)
        reading = asyncio.create_task(desk.read(Lines(limit=MOST_BYTES)))
        working = asyncio.create_task(session.run())
        watching = asyncio.create_task(session.watch())
        tasks = (reading, working, watching)
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            await _wind_up(desk, working, min(_FAREWELL_S, options.patience))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    except EngineError as fault:
        from damd_adapters.hub.grammar import error

        voice.say(error(str(fault)))
        raise
    finally:
        if engine is not None:
            await engine.close()
    return launch.FINE


async def _wind_up(desk: Desk, working: asyncio.Task[None], farewell_s: float) -> None:
    """The Hub program has gone: what it has asked for before is done, as long as it goes on quickly."""
    while not working.done():
        before = desk.dealt_with
        await asyncio.wait((working,), timeout=farewell_s)
        if desk.started and desk.dealt_with == before and not working.done():
            raise EngineError(f"the engine has not answered within {farewell_s:g} s after the end of the input")
    working.result()


def _timeouts(patience_s: float) -> Timeouts:
    return Timeouts(
        handshake_s=patience_s,
        ready_s=patience_s,
        reply_s=patience_s,
        search_s=_FOR_EVER_S,
        margin_s=patience_s,
        analysis_s=_FOR_EVER_S,
        stop_s=patience_s,
        quit_s=_QUIT_S,
        terminate_s=_TERMINATE_S,
    )
