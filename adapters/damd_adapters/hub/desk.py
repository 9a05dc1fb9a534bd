"""The order of things: lines of a Hub program are obeyed one after another, some of them at once.

``ping``, ``stop`` and ``ponder-hit`` do not wait for the lines before them where a search is under way or to come. What
comes during a search without end, and is none of these, ends it; behind other searches it waits. So every ``go`` has its
``done``, however fast the lines come.
"""

from __future__ import annotations

import asyncio
from collections import deque

from damd_adapters.hub.grammar import HubSyntaxError, Message, error, read
from damd_adapters.hub.orders import ANALYZE, PONDER, THINK, Order
from damd_adapters.hub.voice import Voice
from damd_adapters.launch import logger
from damd_adapters.streams import Lines, Overlong

__all__ = ["COMMANDS", "MOST_BYTES", "Desk"]

#: Lines are no longer than this. A game of 10,000 moves is.
MOST_BYTES = 128 * 1024

#: What waits its turn; ``go`` does so as an ``Order``.
COMMANDS = frozenset(("hub", "set-param", "init", "new-game", "pos", "level"))

#: With so many lines waiting no more are read, until some have been obeyed.
_MOST_WAITING = 1000


class Desk:
    """Takes lines in (``read``) and gives them out in their order (``next``)."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._waiting: deque[Message | Order] = deque()
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._current: Order | None = None
        self._idle = False
        self._ended = False
        self.dealt_with = 0  #: lines given out so far
        self.started = False  #: whether there is an engine to obey them

    async def read(self, lines: Lines) -> None:
        """Until ``quit`` or the end of the input; what runs or waits is then told to stop."""
        while True:
            try:
                line = await lines.next()
                message = None if line is None else read(line)
            except Overlong:
                self._voice.say(error(f"a line of more than {MOST_BYTES} bytes was dropped"))
                continue
            except HubSyntaxError as fault:
                self._voice.say(error(f"bad line: {fault.message}"))
                continue
            if line is None or (message is not None and message.name == "quit"):
                break
            if message is not None:
                await self._take(message)
        self._stop()
        self._ended = True
        self._arrived.set()

    @property
    def searching(self) -> bool:
        return self._current is not None

    async def next(self) -> Message | Order | None:
        """The next line to obey, ``None`` after the last."""
        self._current = None
        while not self._waiting:
            if self._ended:
                return None
            self._arrived.clear()
            self._idle = True
            await self._arrived.wait()
            self._idle = False
        item = self._waiting.popleft()
        self.dealt_with += 1
        self._room.set()
        if isinstance(item, Order):
            self._current = item
        return item

    def begun(self) -> None:
        """The search of the order given out last is under way: what waits and does not have to is dealt with."""
        if self._current is None:
            return
        others = [item for item in self._waiting if not _is_ping(item)]
        for _ in range(len(self._waiting) - len(others)):
            self._voice.say("pong")
        self._waiting = deque(others)
        if others and self._current.holds_up:
            self._current.stop()

    async def _take(self, message: Message) -> None:
        if message.name == "stop":
            self._stop()
        elif message.name == "ponder-hit":
            self._hit()
        elif message.name == "ping":
            if self._current is not None or (self._idle and not self._waiting):
                self._voice.say("pong")
            else:
                await self._queue(message)
        elif message.name == "go":
            await self._queue(_order(message))
        elif message.name in COMMANDS:
            await self._queue(message)
        else:
            logger.debug("passed over: %s", message.name)

    async def _queue(self, item: Message | Order) -> None:
        if not _is_ping(item) and self._current is not None and self._current.holds_up:
            self._current.stop()
        while len(self._waiting) >= _MOST_WAITING:
            self._room.clear()
            await self._room.wait()
        self._waiting.append(item)
        self._arrived.set()

    def _stop(self) -> None:
        """The running search ends, and all that wait will as soon as they begin."""
        for order in self._orders():
            order.stop()

    def _hit(self) -> None:
        """A hit belongs to the running search if that ponders, else to the first that waits and will."""
        for order in self._orders():
            if order.pondering and not order.stopped:
                order.hit()
                return

    def _orders(self) -> list[Order]:
        running = [self._current] if self._current is not None else []
        return running + [item for item in self._waiting if isinstance(item, Order)]


def _is_ping(item: Message | Order) -> bool:
    return isinstance(item, Message) and item.name == "ping"


def _order(message: Message) -> Order:
    """What a ``go`` asks for; without a word, or with one that only other programs know, it is to think."""
    kinds = [kind for kind in (ANALYZE, PONDER) if kind in message]
    return Order(kinds[0] if kinds else THINK)
