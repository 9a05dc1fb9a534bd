"""Lines to the Hub program, as fast as they come or with pauses between them."""

from __future__ import annotations

import time

from damd_adapters.output import pause, write

__all__ = ["Voice"]


class Voice:
    """Writes to standard output. Raises ``BrokenPipeError`` where nobody reads any more.

    With ``gap_s`` no two lines are closer together. Of ``info`` lines that come faster the last one is written, before
    the next other line. There are programs that lose what they get with one read.
    """

    def __init__(self, gap_s: float = 0.0) -> None:
        self._gap_s = gap_s
        self._free_at = 0.0
        self._held: str | None = None
        self._together: list[str] = []

    def say(self, line: str) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._pause()
            write(held)
        self._pause()
        self._together.append(line)
        self._write_together()

    def info(self, line: str, more: bool = False) -> None:
        """A line that a later one may stand for. With ``more`` it may wait for that one, which is about to come."""
        if self._gap_s and time.monotonic() < self._free_at:
            self._held = line
            return
        self._held = None
        self._pause()
        self._together.append(line)
        if self._gap_s or not more:
            self._write_together()

    def _write_together(self) -> None:
        lines, self._together = self._together, []
        write(*lines)

    def _pause(self) -> None:
        if self._gap_s:
            pause(self._free_at - time.monotonic())
            self._free_at = time.monotonic() + self._gap_s
