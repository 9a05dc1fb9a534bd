"""A Hub engine's process: started, asked who it is, and heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from damd.client import EngineError, EngineTerminated, ProcessTransport
from damd_adapters.hub import grammar
from damd_adapters.hub.grammar import Message
from damd_adapters.launch import logger
from damd_adapters.uci.engine import EngineFault, last_words

#: What an engine prints that is started in another mode: so many lines are told, and so much of each.
_TOLD_LINES, _TOLD_CHARACTERS = 3, 80
#: What an engine says after the handshake.
_HEARD = frozenset(("info", "done", "error", "pong"))
#: More parameters than any engine has are not kept.
_MOST_PARAMS = 1000
#: Longer lines are logged cut.
_LOGGED_CHARACTERS = 1000
_QUIT_S, _TERMINATE_S = 0.7, 0.3


@dataclass(slots=True)
class Declared:
    """What an engine says of itself before ``wait``."""

    identity: Message = field(default_factory=lambda: Message("id"))
    params: list[Message] = field(default_factory=list)


class HubProcess:
    """One process. ``hear`` gets its messages after the handshake; ``lost`` is told once that it has ended unasked.

    ``odd`` gets lines that are none of Hub's.
    """

    def __init__(
        self,
        command: Sequence[str],
        hear: Callable[[Message], None],
        lost: Callable[[EngineFault], None],
        odd: Callable[[str], None],
    ) -> None:
        self.declared = Declared()
        self._name = command[0]
        self._transport = ProcessTransport(command)
        self._hear, self._lost, self._odd = hear, lost, odd
        self._first_lines: list[str] = []
        self._waits: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready: asyncio.Future[None] | None = None
        self._closed = False
        self._ended = False

    # What the engine object calls

    async def start(self, seconds: float) -> None:
        """Start it and hear it out up to ``wait``. Raises ``EngineFault``; ``close`` is still to be called then."""
        try:
            await self._transport.open(self)
        except EngineError as fault:
            raise EngineFault(str(fault)) from fault
        self.send(Message("hub"))
        await self._within(
            seconds, self._waits, f"the engine did not speak Hub (is its argument hub missing?): no wait from {self._name}"
        )

    async def init(self, settings: Sequence[tuple[str, str]], seconds: float) -> None:
        """Tell it values of its parameters, and wait until it is ready. Raises ``EngineFault``."""
        for name, value in settings:
            self.send(Message("set-param", (("name", name), ("value", value))))
        self._ready = asyncio.get_running_loop().create_future()
        self.send(Message("init"))
        await self._within(seconds, self._ready, f"{self._name} did not get ready after init: no ready")

    def send(self, message: Message) -> None:
        line = str(message)
        logger.debug("engine < %s", line)
        self._transport.write([line])

    async def close(self) -> None:
        """``quit`` and the end of its input; then it is terminated, then killed."""
        self._closed = True
        if not self._ended:
            self.send(Message("quit"))
        await self._transport.close(_QUIT_S, _TERMINATE_S)

    def kill(self) -> None:
        self._closed = True
        self._transport.kill()

    async def _within(self, seconds: float, answer: asyncio.Future[None], complaint: str) -> None:
        try:
            async with asyncio.timeout(seconds):
                await asyncio.shield(answer)
        except TimeoutError:
            stderr = last_words(self._transport.stderr_tail())
            heard = f"{self._said()}; on stderr: {stderr}" if stderr else self._said()
            raise EngineFault(f"{complaint} within {seconds:g} s; {heard}") from None
        finally:
            answer.cancel()

    def _said(self) -> str:
        lines = [line[:_TOLD_CHARACTERS] for line in self._first_lines]
        return f"its first lines were: {' / '.join(lines)}" if lines else "it printed nothing"

    # What the transport calls

    def line_received(self, line: str) -> None:
        logger.debug("engine > %s", line[:_LOGGED_CHARACTERS])
        if line.strip() and len(self._first_lines) < _TOLD_LINES:
            self._first_lines.append(line.strip())
        if self._closed:
            return
        try:
            message = grammar.read(line)
        except grammar.HubSyntaxError as fault:
            self._odd(f"{line[:_TOLD_CHARACTERS]}: {fault.message}")
            return
        if message is None:
            return
        if not self._waits.done():
            self._declare(message)
        elif message.name == "ready" and self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
        elif message.name in _HEARD:
            self._hear(message)
        else:
            self._odd(line[:_TOLD_CHARACTERS])

    def connection_ended(self, exit_code: int | None, stderr: str, detail: str) -> None:
        self._ended = True
        if self._closed:
            return
        self._closed = True
        fault = EngineFault(f"{self._name}: {EngineTerminated(exit_code, last_words(stderr), detail)}")
        if not self._waits.done():
            fault = EngineFault(f"the engine did not speak Hub (is its argument hub missing?): {fault}; {self._said()}")
        for answer in (self._waits, self._ready):
            if answer is not None and not answer.done():
                answer.set_exception(fault)
                return
        self._lost(fault)

    def _declare(self, message: Message) -> None:
        if message.name == "wait":
            self._waits.set_result(None)
        elif message.name == "id":
            self.declared.identity = message
        elif message.name == "param" and len(self.declared.params) < _MOST_PARAMS:
            self.declared.params.append(message)
