"""A scripted engine for tests, without a process: it expects lines and answers them.

peer = ScriptedPeer()
peer.handshake(options=["option name Hash type spin default 16 min 1 max 1024"])
peer.expect("go depth 1", ["info depth 1 score cp 3 pv 32-28", "bestmove 32-28"])
async with await AsyncEngine.connect(peer) as engine:
    result = await engine.go(Limit(depth=1))
peer.assert_done()
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from damd.client.transport import Receiver

Expected = str | re.Pattern[str]
Answers = Iterable[str] | Callable[[str], Iterable[str]]


class ScriptedPeer:
    """A transport whose other side follows a script.

    Each line that the client sends must be the next one expected, or one of those answered ``always``; at any
    other the peer dies (so that the client does not wait), and ``assert_done`` raises ``AssertionError``. A
    pattern must match the whole line. Answers arrive after the client's call has returned to the event loop, in order.
    """

    def __init__(self) -> None:
        self.received: list[str] = []
        self._script: deque[tuple[Expected, Answers]] = deque()
        self._standing: list[tuple[Expected, Answers]] = []
        self._receiver: Receiver | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failure = ""
        self._ended = False
        self._stderr = ""
        self.always("isready", ["readyok"])
        self.always("quit")

    # The script

    def expect(self, line: Expected, answers: Answers = ()) -> None:
        """The next line, and what it is answered with: lines, or a function from the line sent to lines."""
        self._script.append((line, answers))

    def always(self, line: Expected, answers: Answers = ()) -> None:
        """A line that may come at any time, any number of times; expected lines go first.

        ``isready`` and ``quit`` are answered so from the beginning; a later ``always`` replaces an earlier one.
        """
        self._standing.insert(0, (line, answers))

    def handshake(self, name: str = "Peer", author: str = "nobody", options: Iterable[str] = ()) -> None:
        """Expect ``uci`` and answer it."""
        self.expect("uci", [f"id name {name}", f"id author {author}", *options, "uciok"])

    def say(self, *lines: str) -> None:
        """Lines out of turn, from the event loop's thread or another."""
        if self._loop is None:
            raise RuntimeError("the peer is not connected")
        self._loop.call_soon_threadsafe(self._deliver, list(lines))

    def die(self, exit_code: int | None = 1, stderr: str = "") -> None:
        """End as a process does."""
        if self._loop is None:
            raise RuntimeError("the peer is not connected")
        self._loop.call_soon_threadsafe(self._end, exit_code, stderr)

    def assert_done(self) -> None:
        """Raises ``AssertionError`` where an unexpected line came, or an expected one has not."""
        if self._failure:
            raise AssertionError(self._failure)
        if self._script:
            raise AssertionError(f"still expected: {[_text(line) for line, _ in self._script]}")

    # The transport

    async def open(self, receiver: Receiver) -> None:
        self._loop = asyncio.get_running_loop()
        self._receiver = receiver

    def write(self, lines: Sequence[str]) -> None:
        for line in lines:
            if not self._ended:
                self._take(line)

    async def drain(self) -> None:
        return

    async def close(self, quit_s: float, terminate_s: float) -> None:  # noqa: ARG002
        self._end(0, self._stderr)

    def kill(self) -> None:
        self._end(-9, self._stderr)

    def stderr_tail(self) -> str:
        return self._stderr

    def _take(self, line: str) -> None:
        self.received.append(line)
        if self._script and _matches(self._script[0][0], line):
            _, answers = self._script.popleft()
        else:
            for expected, standing in self._standing:
                if _matches(expected, line):
                    answers = standing
                    break
            else:
                following = _text(self._script[0][0]) if self._script else "nothing"
                self._failure = self._failure or f"expected {following!r}, got {line!r}"
                self.die(None, self._failure)
                return
        self.say(*(answers(line) if callable(answers) else answers))

    def _deliver(self, lines: list[str]) -> None:
        for line in lines:
            if self._receiver is not None and not self._ended:
                self._receiver.line_received(line)

    def _end(self, exit_code: int | None, stderr: str) -> None:
        if not self._ended and self._receiver is not None:
            self._ended = True
            self._stderr = stderr
            self._receiver.connection_ended(exit_code, stderr, "")


def _matches(expected: Expected, line: str) -> bool:
    return line == expected if isinstance(expected, str) else expected.fullmatch(line) is not None


def _text(expected: Expected) -> str:
    return expected if isinstance(expected, str) else expected.pattern
