"""What each line of a Hub program does. What only positions need is imported after ``wait``: programs wait for that."""

from __future__ import annotations

import asyncio
import time
from argparse import Namespace
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from damd.client import AsyncEngine, CommandRefused, OptionError
from damd_adapters.hub.desk import Desk
from damd_adapters.hub.grammar import Message, error, fields, write
from damd_adapters.hub.orders import Order
from damd_adapters.hub.params import ParamError
from damd_adapters.hub.setting import Setting
from damd_adapters.hub.voice import Voice

if TYPE_CHECKING:
    from damd_adapters.hub.play import Play

__all__ = ["Session"]

#: So often is looked whether the engine is still there.
_GLANCE_S = 0.5


class Session:
    """One Hub program and one engine; ``run`` is all of it."""

    def __init__(self, engine: AsyncEngine, desk: Desk, voice: Voice, options: Namespace) -> None:
        self._engine = engine
        self._desk = desk
        self._voice = voice
        self._options = options
        self._setting: Setting
        self._play: Play | None = None
        self._commands: dict[str, Callable[[Message], Awaitable[None]]] = {
            "set-param": self._set_param,
            "init": self._init,
            "new-game": self._new_game,
            "pos": self._pos,
            "level": self._level,
            "ping": self._ping,
        }

    async def run(self) -> None:
        """Obey the desk's lines up to the last. Raises ``EngineError`` where the engine has failed."""
        await self._engine.handshake()
        self._setting = await Setting.read(self._engine, self._options.variant, self._options.option)
        while True:
            item = await self._desk.next()
            if isinstance(item, Message) and item.name == "hub":
                self._hub()
            if not self._desk.started:
                await self._setting.start()
                self._desk.started = True
            if item is None:
                return
            if isinstance(item, Order):
                await self._game().go(item)
            elif item.name != "hub":
                await self._commands[item.name](item)

    async def watch(self) -> None:
        """Until the engine does not answer any more: raises ``EngineError`` then, also where nobody asks it anything."""
        asked_at = time.monotonic()
        while True:
            await asyncio.sleep(_GLANCE_S)
            if not self._engine.alive:
                await self._engine.is_ready()  # says how it has ended
            if self._desk.searching and time.monotonic() - asked_at >= self._options.patience:
                await self._engine.is_ready()
                asked_at = time.monotonic()

    def _game(self) -> Play:
        if self._play is None:
            from damd_adapters.hub.play import Play

            self._play = Play(self._setting.rules(), self._engine, self._desk, self._voice)
        return self._play

    def _hub(self) -> None:
        name, version = _named(self._engine.id.name)
        given = fields(name=name, version=version, author=self._engine.id.author or None)
        self._voice.say(write("id", tuple(given)))
        for line in self._setting.declarations():
            self._voice.say(line)
        self._voice.say("wait")

    async def _set_param(self, line: Message) -> None:
        name = line.get("name")
        if not name:
            self._voice.say(error("set-param: missing name"))
            return
        try:
            note, other_rules = await self._setting.set(name, line.get("value") or "")
        except (ParamError, OptionError, CommandRefused) as fault:
            self._voice.say(error(f"set-param: {fault}"))
            return
        if note:
            self._voice.say(error(f"set-param: {note}"))
        if other_rules:
            self._play = None

    async def _init(self, _line: Message) -> None:
        self._game()
        await self._engine.is_ready()
        self._voice.say("ready")

    async def _new_game(self, _line: Message) -> None:
        await self._engine.new_game()

    async def _pos(self, line: Message) -> None:
        self._game().pos(line)

    async def _level(self, line: Message) -> None:
        self._game().level(line)

    async def _ping(self, _line: Message) -> None:
        self._voice.say("pong")


def _named(text: str) -> tuple[str, str | None]:
    """Name and version of ``damd 0.1.0``; an engine without a name is one that has said nothing of itself."""
    name, _, version = text.rpartition(" ")
    if name and version[:1].isdigit():
        return name, version
    return text or "engine", None
