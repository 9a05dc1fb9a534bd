"""Output that is written whole or not at all, also where somebody stops the program in the middle."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO

#: Stands for stdin and stdout where a file is asked for.
STANDARD = "-"


class Interrupted(BaseException):
    """Somebody wants the program to end. Not an ``Exception``: nothing on the way may take it for a fault."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def die(self) -> None:
        """End the process by the signal itself, so that who started it knows."""
        signal.signal(self.number, signal.SIG_DFL)
        os.kill(os.getpid(), self.number)


class Output:
    """A file that takes its place when all is written, or stdout, which gets whole pieces only.

    Used as a context. A file that was there before stays as it is until the end; an exception, ``Interrupted`` among
    them, leaves it so. What is there and is no ordinary file (a pipe, a device) is written at once.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._target = os.path.realpath(path)
        self._part: Path | None = None
        self._stream: BinaryIO = sys.stdout.buffer
        self._writing = False
        self._number = 0
        self._before: dict[int, object] = {}

    def __enter__(self) -> Output:
        if self._path != STANDARD:
            if not os.path.exists(self._target) or os.path.isfile(self._target):
                self._part = Path(f"{self._target}.{os.getpid()}.part")
            self._stream = self._part.open("xb") if self._part else open(self._target, "wb")
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self._close(whole=kind is None)
        finally:
            for number, handler in self._before.items():
                signal.signal(number, handler)  # type: ignore[arg-type]

    def write(self, text: str) -> None:
        """Write a piece that must not be torn. Raises ``OSError``, and ``Interrupted`` once it is written."""
        with self._whole():
            self._stream.write(text.encode("utf-8", "replace"))

    def _close(self, *, whole: bool) -> None:
        with self._whole():
            if self._path == STANDARD:
                self._stream.flush()
                return
            try:
                self._stream.close()
                if self._part is not None and whole:
                    if os.path.exists(self._target):
                        shutil.copymode(self._target, self._part)
                    self._part.replace(self._target)
            finally:
                if self._part is not None:
                    self._part.unlink(missing_ok=True)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        self._writing = True
        try:
            yield
        finally:
            self._writing = False
        if self._number:
            raise Interrupted(self._number)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """The first signal waits for what is being written; a second one does not."""
        if self._writing and not self._number:
            self._number = number
            return
        raise Interrupted(number)
