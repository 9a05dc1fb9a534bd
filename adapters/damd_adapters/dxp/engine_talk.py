"""What is said on a connection to a DXP program that is used as an engine: games begun, played and ended."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from damd.protocol.errors import Code, ProtocolError
from damd_adapters.dxp.events import SEARCHED, TIME_OVER, Events, TimeOver
from damd_adapters.dxp.link import Link, LinkError
from damd_adapters.dxp.messages import (
    Accept,
    Back,
    BackAccept,
    BackRequest,
    Chat,
    End,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MessageError,
    Move,
    StartPosition,
)
from damd_adapters.uci.engine import EngineFault, Host


@dataclass(frozen=True, slots=True)
class Manners:
    """What the command line says about games and times. With ``follows`` it is the program that asks for games.

    ``minutes`` 0: as the clocks of ``go`` say, and only with such. ``moves`` 0: no limit.
    """

    name: str = "damd"
    follows: bool = False
    minutes: int = 0
    moves: int = 0
    retry_s: float = 10.0
    gap_s: float = 0.1
    answer_s: float = 15.0
    patience_s: float = 120.0


class Stopped:
    """The wait was ended by ``stop``."""


STOPPED = Stopped()


class Talk:
    """The conversation over one connection. Every call raises ``EngineFault`` at its end.

    ``name`` is the program's, ``played`` whether a game has begun.
    """

    def __init__(self, link: Link, manners: Manners, host: Host) -> None:
        self.name = "the DXP program"
        self.played = False
        self._link, self._manners, self._host = link, manners, host
        self._events = Events(link, None)

    async def send(self, message: Message) -> None:
        try:
            await self._link.send(message)
        except LinkError as fault:
            raise EngineFault(str(fault)) from fault

    async def next(self, seconds: float, stop: asyncio.Event | None = None) -> Message | TimeOver | Stopped:
        """The next message that is about the game; chats are passed on, and nothing is taken back."""
        until = asyncio.get_running_loop().time() + seconds
        stopping = asyncio.create_task(stop.wait()) if stop is not None else None
        try:
            while True:
                try:
                    event = await self._events.next(until, stopping)
                except LinkError as fault:
                    raise EngineFault(str(fault)) from fault
                match event:
                    case Chat(words):
                        self._host.remark(f"{self.name} says: {words}", debug=False)
                    case BackRequest():
                        await self.send(BackAccept(Back.NO))
                    case MessageError():
                        self._host.remark(f"{self.name} has sent no message of DXP: {event}", debug=False)
                    case _ if event is SEARCHED:
                        return STOPPED
                    case TimeOver() | GameRequest() | GameAccept() | Move() | GameEnd() | BackAccept():
                        return event
        finally:
            if stopping is not None:
                stopping.cancel()

    async def close(self) -> None:
        await self._events.close()

    # Games

    async def ask(self, request: GameRequest) -> None:
        """Ask for a game and get it. Raises ``ProtocolError`` where it is refused."""
        await self.send(request)
        while True:
            match await self._answer("to the game request; a program that asks for games itself needs --role follower"):
                case GameAccept(name, code):
                    self.name = name
                    if code is not Accept.YES:
                        raise _refused(f"{name} refuses the game, with code {int(code)} of DXP")
                    self._began()
                    return
                case GameRequest(name):
                    await self.send(GameAccept(self._manners.name, Accept.NONE))
                    raise EngineFault(f"{name} asks for games itself: use --role follower")

    async def follow(self, side: int, start: StartPosition, own_start: StartPosition) -> None:
        """Wait for the program to ask for a game from ``start`` in which it plays ``side``.

        ``own_start`` is the position that a request without one means. Raises ``ProtocolError`` where it asks for another.
        """
        while True:
            message = await self._answer("which asks for a game; a program that waits for one needs --role initiator")
            if not isinstance(message, GameRequest):
                continue
            self.name = message.name
            if (message.start or own_start, message.follower) == (start, 1 - side):
                await self.send(GameAccept(self._manners.name, Accept.YES))
                self._began()
                return
            await self.send(GameAccept(self._manners.name, Accept.NOT_THIS))
            colour = "black" if message.follower == 0 else "white"
            where = "from another position" if (message.start or own_start) != start else f"as {colour}"
            raise _refused(f"{self.name} asks for a game {where}, and is needed for another one")

    def _began(self) -> None:
        self.played = True
        self._events.progress()

    async def end(self, leaves: bool = False) -> bool:
        """Say that the game is over and hear the answer; whether the program stays for another one."""
        await self.send(GameEnd(End.UNKNOWN, leaves))
        while True:
            message = await self._answer("to the end of the game")
            if isinstance(message, GameEnd):
                return not message.leaves

    async def _answer(self, what: str) -> Message:
        message = await self.next(self._manners.answer_s)
        if message is TIME_OVER or isinstance(message, TimeOver | Stopped):
            raise EngineFault(f"{self.name}: no answer within {self._manners.answer_s:g} s {what}")
        return message


def _refused(text: str) -> ProtocolError:
    return ProtocolError(Code.BAD_VALUE, "go", text)
