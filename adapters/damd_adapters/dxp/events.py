"""What a player waits for: the peer's messages, the user's commands, the end of a search, or the end of its patience."""

from __future__ import annotations

import asyncio
from typing import Any

from damd_adapters.dxp.link import Link, LinkError
from damd_adapters.dxp.messages import Message, MessageError
from damd_adapters.streams import Lines, Overlong

#: So many messages that are none are borne with before a game and in each.
MAX_FAULTS = 20
#: So many messages may come without the game getting on.
MAX_IDLE_MESSAGES = 1000


class PeerFault(LinkError):
    """The peer does what DXP does not allow, and goes on doing it: the connection is given up."""


class Searched:
    """The search has ended."""


class TimeOver:
    """Nothing else has come in the time allowed."""


SEARCHED, TIME_OVER = Searched(), TimeOver()
Event = Message | MessageError | str | Searched | TimeOver


class Events:
    """Waits for the first of several things, loses none of them, and keeps floods within bounds."""

    def __init__(self, link: Link, console: Console | None) -> None:
        self._link, self._console = link, console
        self._receiving: asyncio.Task[Message] | None = None
        self._again: Message | None = None
        self._idle = self._faults = 0

    async def next(self, until: float, search: asyncio.Task[Any] | None = None) -> Event:
        """The next event; a command is its line. ``until`` is a time of the loop; a message that is none counts as one.

        Raises ``LinkError``: the connection has ended, or the peer floods it.
        """
        if self._again is not None:
            message, self._again = self._again, None
            return message
        if self._receiving is None:
            self._receiving = asyncio.create_task(self._link.receive())
        commands = self._console.waiting() if self._console is not None else None
        tasks = [task for task in (search, self._receiving, commands) if task is not None]
        timeout = max(0.0, until - asyncio.get_running_loop().time())
        done, _ = await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        # The peer comes first: what it says may make the search's result worth nothing.
        if self._receiving in done:
            return self._received()
        if search is not None and search in done:
            return SEARCHED
        if self._console is not None and commands in done:
            return self._console.taken()
        return TIME_OVER

    def begin(self) -> None:
        """A game begins: nothing counts that was before it."""
        self._idle = self._faults = 0

    def progress(self) -> None:
        """The game has got on: what may come without that is counted from here."""
        self._idle = 0

    def again(self, message: Message) -> None:
        """Give this message once more: another place has use for it."""
        self._again = message

    async def close(self) -> None:
        """Wait for nothing any more."""
        task, self._receiving = self._receiving, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _received(self) -> Message | MessageError:
        assert self._receiving is not None
        task, self._receiving = self._receiving, None
        self._idle += 1
        if self._idle > MAX_IDLE_MESSAGES:
            task.exception()
            raise PeerFault(f"{self._link.peer} has sent {MAX_IDLE_MESSAGES} messages that are no move: given up")
        try:
            return task.result()
        except MessageError as fault:
            self._faults += 1
            if self._faults > MAX_FAULTS:
                raise PeerFault(
                    f"{self._link.peer} has sent {self._faults} messages that are none, at last {fault}"
                ) from None
            return fault


class Console:
    """The user's commands, a line each, from standard input; after its end there are none."""

    def __init__(self) -> None:
        self._lines = Lines(limit=1000)
        self._task: asyncio.Task[str | None] | None = None
        self._ended = False

    def waiting(self) -> asyncio.Task[str | None] | None:
        if self._task is None and not self._ended:
            self._task = asyncio.create_task(self._next())
        return self._task

    def taken(self) -> str:
        """The line that has come, empty at the end of the input."""
        assert self._task is not None
        line = self._task.result()
        self._task, self._ended = None, line is None
        return line or ""

    async def _next(self) -> str | None:
        try:
            return await self._lines.next()
        except Overlong:
            return "(a line that is too long)"

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
