"""``damd-hub`` in a process of its own, and what Hub programs ask it."""

from __future__ import annotations

from damd_adapters.hub.grammar import Message, read
from programs import Program

#: The start of international draughts.
START = "W" + 20 * "b" + 10 * "e" + 20 * "w"


class Hub(Program):
    """An adapter process and what Hub programs ask it."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("hub", *arguments, "hub")

    def next_of(self, *names: str) -> list[str]:
        """All lines up to the first of one of these names, each a line of Hub's grammar and no ``error``."""
        lines = []
        while True:
            line = self.line()
            assert line is not None, f"output ended before {names}: {lines}"
            message = read(line)
            assert message is not None
            assert message.name != "error" or "error" in names, line
            lines.append(line)
            if message.name in names:
                return lines

    def done(self, *lines: str) -> Message:
        """Send lines with a ``go`` among them; the ``done``."""
        self.send(*lines)
        return known(self.next_of("done")[-1])

    def complaint(self, *lines: str) -> str:
        """Send lines of which one is wrong; the message about it, the only thing that is said."""
        self.send(*lines, "ping")
        (line,) = self.next_of("error")
        assert self.line() == "pong"
        return known(line).get("message") or ""


def known(line: str) -> Message:
    message = read(line)
    assert message is not None
    return message
