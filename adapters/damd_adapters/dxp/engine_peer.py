"""The DXP program behind ``damd-dxp --engine``: where it is, and the connection to it.

HOST:PORT                   it listens there, and was started by somebody else
CMD                         it is started so, and listens on port 27531
connect=HOST:PORT CMD       it is started so, and listens there
listen=HOST:PORT [CMD]      it connects to this port, started so or by somebody else
"""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass

from damd_adapters import launch
from damd_adapters.dxp.engine_program import Program
from damd_adapters.dxp.link import DEFAULT_PORT, LOOPBACK, Link, LinkError, Listener, parse_address

#: A process that has hung up gets so long to end, so that its last words can be told.
_MOMENT_S = 1.0
_ADDRESS = re.compile(r"[0-9]+|\S*:[0-9]+")


@dataclass(frozen=True, slots=True)
class Place:
    """How a peer is reached: ``command`` starts it, where it is not empty, and ``listens`` says who connects to whom."""

    host: str
    port: int
    command: Sequence[str] = ()
    listens: bool = True

    @property
    def text(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        """What people are told: the command, or where it listens."""
        return " ".join(self.command) or self.text


def place_of(text: str) -> Place:
    """What the command line says. Raises ``ValueError``."""
    first, _, rest = text.strip().partition(" ")
    try:
        for word, listens in (("connect=", True), ("listen=", False)):
            if first.startswith(word):
                command = tuple(launch.command(rest)) if rest.strip() or listens else ()
                return Place(*parse_address(first.removeprefix(word)), command, listens)
        if _ADDRESS.fullmatch(text.strip()):
            return Place(*parse_address(text))
        return Place(LOOPBACK, DEFAULT_PORT, tuple(launch.command(text)))
    except ArgumentTypeError as fault:
        raise ValueError(str(fault)) from None


class Reached:
    """A peer that is being reached, or has been: its process, where we have started one, and one connection."""

    def __init__(self, place: Place, retry_s: float, gap_s: float) -> None:
        self.place = place
        self._retry_s, self._gap_s = retry_s, gap_s
        self._program = Program(place.command) if place.command else None
        self._listener: Listener | None = None
        self._link: Link | None = None

    async def connect(self) -> Link:
        """Start it and get the connection, within ``retry_s`` seconds. Raises ``LinkError``."""
        place, program = self.place, self._program
        if not place.listens:
            self._listener = await Listener.open(place.host, place.port, self._gap_s)
        if program is None:
            self._link = await self._meet()
            return self._link
        await program.start()
        meeting = asyncio.create_task(self._meet())
        # A process that has ended will not listen any more.
        program.lost.add_done_callback(lambda _: meeting.cancel())
        try:
            self._link = await meeting
        except asyncio.CancelledError:
            if not program.lost.done():
                raise
            raise LinkError(f"{program.lost.result()}: there is no connection yet") from None
        finally:
            meeting.cancel()
        return self._link

    async def _meet(self) -> Link:
        if self._listener is not None:
            return await self._listener.accept(self._retry_s)
        return await Link.connect(self.place.host, self.place.port, self._retry_s, self._gap_s)

    async def ended(self) -> str:
        """How the process that we have started has ended, if it has or does so in a moment; otherwise nothing."""
        if self._program is None:
            return ""
        await asyncio.wait([self._program.lost], timeout=_MOMENT_S)
        return self._program.lost.result() if self._program.lost.done() else ""

    async def close(self) -> None:
        """End the connection and the process."""
        if self._link is not None:
            await self._link.close()
        if self._listener is not None:
            await self._listener.close()
        if self._program is not None:
            await self._program.close()

    def kill(self) -> None:
        if self._program is not None:
            self._program.kill()
