"""One conversation with one process of the engine: line by line, with times, and written down."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from damd.check.link import Link
from damd.check.model import Failed, Patience
from damd.client.parsing import first_word
from damd.notation.squares import shown

#: Of a line so much is written down, and of a conversation so many lines: the first and the last.
_SHOWN_CHARACTERS = 240
_KEPT_ENTRIES = 150
#: Output to one command; more of it is an engine that never stops talking.
_MOST_CHARACTERS = 64 * 1024 * 1024
#: Of stderr so many lines are told.
_LAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Heard:
    """A line of the engine, and when it came (the event loop's time, in seconds)."""

    text: str
    at: float

    @property
    def word(self) -> str:
        return first_word(self.text)


class Talk:
    """The receiver of a ``Link``. What is waited for and does not come raises ``Failed``, with what came instead."""

    def __init__(self, link: Link, patience: Patience) -> None:
        self.link = link
        self.patience = patience
        self.exit_code: int | None = None
        self.has_ended = False
        self._stderr = self._detail = ""
        self._unread: deque[Heard] = deque()
        self._said = 0  # characters since it was last spoken to
        self._news = asyncio.Event()
        self._first: list[str] = []
        self._last: deque[str] = deque(maxlen=_KEPT_ENTRIES)
        self._left_out = 0

    # What the link calls

    def line_received(self, line: str) -> None:
        self._note("<", line)
        self._said += len(line)
        if self._said <= _MOST_CHARACTERS:
            self._unread.append(Heard(line, self.now))
        self._news.set()

    def connection_ended(self, exit_code: int | None, stderr: str, detail: str) -> None:
        self.exit_code, self._stderr, self._detail = exit_code, stderr, detail
        self.has_ended = True
        self._note("=", self._ending())
        self._news.set()

    # Sending

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def send(self, *lines: str) -> None:
        """All lines at once; whether the engine still reads them shows in what it answers."""
        self._said = 0
        for line in lines:
            self._note(">", line)
        self.link.write(lines)

    def send_bytes(self, data: bytes) -> None:
        self._said = 0
        self._note(">", repr(data)[1:])
        self.link.write_bytes(data)

    def close_input(self) -> None:
        self._note(">", "(end of input)")
        self.link.note_offspring()
        self.link.close_input()

    def hang_up(self) -> None:
        self._note(">", "(end of input; nobody reads the output any more)")
        self.link.note_offspring()
        self.link.hang_up()

    # Receiving

    async def until(self, *words: str, seconds: float | None = None) -> list[Heard]:
        """All lines up to the first that begins with one of ``words`` (default: within ``patience.answer_s``)."""
        limit = self.patience.answer_s if seconds is None else seconds
        deadline = self.now + limit
        found: list[Heard] = []
        while not found or found[-1].word not in words:
            remaining = deadline - self.now
            heard = await self._next(remaining)
            if heard is None and self.has_ended:
                raise Failed(f"{self._ending()}; {' or '.join(words)} was waited for")
            if heard is None:
                raise Failed(f"no {' or '.join(words)} within {limit:g} s" + _instead(found))
            found.append(heard)
        return found

    async def ask(self, *lines: str) -> list[str]:
        """Send, and return what was said up to the ``readyok`` of an ``isready`` behind it."""
        self.send(*lines, "isready")
        return [heard.text for heard in (await self.until("readyok"))[:-1]]

    async def silence(self, seconds: float) -> list[str]:
        """What is said within that time: nothing, if all is well. An engine that ends meanwhile raises ``Failed``."""
        deadline = self.now + seconds
        said = []
        while (heard := await self._next(deadline - self.now)) is not None:
            said.append(heard.text)
        if self.has_ended:
            raise Failed(self._ending())
        return said

    async def first_of(self, word: str, seconds: float) -> Heard | None:
        """The first line that begins with ``word``, ``None`` where none comes in that time; other lines are passed over."""
        deadline = self.now + seconds
        while (heard := await self._next(deadline - self.now)) is not None:
            if heard.word == word:
                return heard
        if self.has_ended:
            raise Failed(self._ending())
        return None

    async def ending(self, seconds: float) -> list[str]:
        """Wait for the end of the process; what it said until then. Raises ``Failed`` where it does not end by itself."""
        deadline = self.now + seconds
        said = []
        while (heard := await self._next(deadline - self.now)) is not None:
            said.append(heard.text)
        if not self.has_ended:
            raise Failed(f"it has not ended after {seconds:g} s")
        if self._detail:
            raise Failed(f"it did not end by itself: {self._detail}")
        return said

    async def close(self) -> None:
        """End the process, whatever state it is in; none of it is left."""
        await self.link.close(0.5, 1.0)

    def transcript(self) -> list[str]:
        if not self._last:
            return list(self._first)
        gap = [f"... {self._left_out} lines ..."] if self._left_out else []
        return [*self._first, *gap, *self._last]

    async def _next(self, seconds: float) -> Heard | None:
        """The next line; ``None`` where none comes in time, or none ever will."""
        deadline = self.now + max(0.0, seconds)
        while True:
            if self._said > _MOST_CHARACTERS:
                raise Failed(f"more than {_MOST_CHARACTERS // 2**20} MiB of output to one command")
            if self._unread:
                return self._unread.popleft()
            if self.has_ended or self.now >= deadline:
                return None
            self._news.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._news.wait()
            except TimeoutError:
                continue  # a line may have come in the last moment

    def _ending(self) -> str:
        code = "" if self.exit_code is None else f" with exit code {self.exit_code}"
        code += f" ({self._detail})" if self._detail else ""
        words = [line for line in self._stderr.splitlines() if line.strip()][-_LAST_WORDS:]
        last = f"; its last words on stderr: {' / '.join(shown(line, 200) for line in words)}" if words else ""
        return f"the engine has ended{code}{last}"

    def _note(self, mark: str, line: str) -> None:
        entry = f"{mark} {shown(line, _SHOWN_CHARACTERS)}"
        if len(self._first) < _KEPT_ENTRIES:
            self._first.append(entry)
            return
        self._left_out += len(self._last) == _KEPT_ENTRIES
        self._last.append(entry)


def _instead(found: Sequence[Heard]) -> str:
    return f", but {len(found)} other lines, the last one {shown(found[-1].text, 80)}" if found else ", nothing at all"
