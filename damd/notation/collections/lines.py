"""The lines of a file that may be larger than memory, whatever stands in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

#: Longer lines are skipped unread. The longest game of the field's collections takes a tenth of it.
MAX_BYTES = 1 << 20

_MARK = b"\xef\xbb\xbf"


class LineError(ValueError):
    """A line that cannot be read; the message says why and what would be right."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end. ``fault`` says why it has no text, where it has none."""

    number: int
    text: str
    fault: str = ""


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """Every line, numbered from 1, in whatever way the lines end."""
    number = 0
    while data := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(data) > MAX_BYTES and not data.endswith(b"\n"):
            while (rest := stream.readline(MAX_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield Line(number, "", f"a line of more than {MAX_BYTES} bytes: it is skipped")
            continue
        if number == 1:
            data = data.removeprefix(_MARK)
        # Old Macintosh files end their lines with CR alone: to `readline` they are one line.
        parts = data.rstrip(b"\r\n").split(b"\r")
        for part in parts[:-1]:
            yield Line(number, decoded(part))
            number += 1
        yield Line(number, decoded(parts[-1]))


def decoded(data: bytes) -> str:
    """UTF-8, or else what Western programs wrote before it: every byte is some character, so nothing is lost."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
