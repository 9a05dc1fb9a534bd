"""``python -m damd.match.worker``: plays pairings for a manager, as ``damd.match.workers`` says."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import threading
from typing import BinaryIO

from damd.match.player import Pin, Unfit
from damd.match.tasks import Slot
from damd.match.workers import LENGTH_BYTES, Finished, Order, Told, frame


class Desk:
    """Takes orders and writes what comes of them."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._slots: dict[int, Slot] = {}
        self._turn = asyncio.Lock()
        self._ended = asyncio.Event()
        self._games: set[asyncio.Task[None]] = set()

    async def serve(self, source: BinaryIO) -> None:
        """Until the orders end, or a game does with what nobody expects, which is raised."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(source, loop), daemon=True).start()
        try:
            await self._ended.wait()
        finally:
            for game in self._games:
                game.cancel()
            results = await asyncio.gather(*self._games, return_exceptions=True)
            await asyncio.gather(*(slot.close() for slot in self._slots.values()))
        for result in results:
            if isinstance(result, Exception):
                raise result

    def _read(self, source: BinaryIO, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            length = source.read(LENGTH_BYTES)
            data = source.read(int.from_bytes(length, "big"))
            if len(length) < LENGTH_BYTES or not data:
                loop.call_soon_threadsafe(self._ended.set)
                return
            loop.call_soon_threadsafe(self._begin, pickle.loads(data))

    def _begin(self, order: Order) -> None:
        game = asyncio.get_running_loop().create_task(self._play(order))
        self._games.add(game)
        game.add_done_callback(self._over)

    def _over(self, game: asyncio.Task[None]) -> None:
        if not game.cancelled() and game.exception() is not None:
            self._ended.set()
        else:
            self._games.discard(game)

    async def _play(self, order: Order) -> None:
        place = order.place
        pin = None if order.core is None else Pin(order.core, self._turn)
        slot = self._slots.setdefault(place, Slot(pin))
        try:
            record = await slot.play(order.task, lambda event: self._send(Told(place, event)))
        except Unfit as fault:
            self._send(Finished(place, None, str(fault)))
        else:
            self._send(Finished(place, record))

    def _send(self, message: Told | Finished) -> None:
        try:
            self._output.write(frame(message))
            self._output.flush()
        except OSError:  # the manager has gone, and with it whoever wanted to know
            self._ended.set()


def main() -> None:
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no frame
    asyncio.run(_serve(output))


async def _serve(output: BinaryIO) -> None:
    await Desk(output).serve(sys.stdin.buffer)


if __name__ == "__main__":
    main()
