"""The terminal: wrapped text out, lines in, and Ctrl-C only where it can do no harm."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from types import FrameType

#: What is said is broken into lines of at most so many columns.
WIDTH = 79

_RESET = "\x1b[0m"
#: White's and Black's pieces. Both letter and ground are set, so that they differ, and can be read, whatever colours
#: the terminal has of its own: dark on light, bright on dark.
_PIECES = ("\x1b[30;47m", "\x1b[1;37;40m")
_KING = "\x1b[4m"
_STRONG = "\x1b[1m"


class Console:
    """Text to and from a person. ``read`` gets a prompt and returns a line; it raises ``EOFError`` at the end of input.

    With ``painted`` the pieces and what matters are set off by attributes, and ``busy`` shows a line that goes away.
    """

    def __init__(self, read: Callable[[str], str], write: Callable[[str], None], *, painted: bool = False) -> None:
        self._read = read
        self._write = write
        self.painted = painted

    def say(self, *paragraphs: str, strong: bool = False) -> None:
        """Each paragraph broken into lines."""
        for paragraph in paragraphs:
            for line in wrapped(paragraph) or [""]:
                self._write(f"{_STRONG}{line}{_RESET}\n" if strong and self.painted else f"{line}\n")

    def show(self, *rows: str) -> None:
        """Rows as they are."""
        self._write("".join(f"{row}\n" for row in rows))

    def ask(self, prompt: str) -> str:
        """A line without its blanks at either end. Raises ``EOFError``, and ``KeyboardInterrupt`` at Ctrl-C."""
        with interrupts():
            return self._read(prompt).strip()

    def paint_piece(self, side: int, king: bool, text: str) -> str:
        if not self.painted:
            return text
        return f"{_PIECES[side]}{_KING if king else ''}{text}{_RESET}"

    @contextlib.contextmanager
    def busy(self, text: str) -> Iterator[None]:
        """While the block runs ``text`` is shown where the next line will come, and Ctrl-C raises ``KeyboardInterrupt``."""
        if self.painted:
            self._write(text)
        try:
            with interrupts():
                yield
        finally:
            if self.painted:
                self._write("\r\x1b[K")


def wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


@contextlib.contextmanager
def interrupts() -> Iterator[None]:
    """Ctrl-C raises ``KeyboardInterrupt`` in this block; see ``quiet``."""
    with _handled(signal.default_int_handler):
        yield


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Ctrl-C does nothing in this block, but for ``interrupts`` within: a game is never left half changed."""
    # A function, not SIG_IGN, which the engine's process would inherit.
    with _handled(lambda _number, _frame: None):
        yield


@contextlib.contextmanager
def _handled(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def terminal(no_color: bool) -> Console:
    """The console of this process, with line editing where there is a terminal."""
    asked = sys.stdin.isatty()
    if asked:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (input() edits lines and remembers them from now on)
    for stream in (sys.stdin, sys.stdout):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # what is typed or shown may not fit the terminal's encoding
    plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    if sys.platform == "win32" and "WT_SESSION" not in os.environ:
        plain = True  # older consoles show attributes as rubbish

    def read(prompt: str) -> str:
        line = input(prompt)
        if not asked:
            _write(f"{line}\n")  # a transcript shows what was answered
        return line

    return Console(read, _write, painted=not plain)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
