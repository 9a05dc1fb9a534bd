"""Where PDN comes from: a stream of bytes or text of any length, as numbered pieces of lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, TextIO, cast

from damd.notation.collections.lines import decoded

Source = BinaryIO | TextIO | Iterable[bytes] | Iterable[str]

#: A longer line is read in pieces, cut at a blank where there is one.
PIECE = 1 << 16

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NEWLINES = re.compile(r"[^\n]*\n|[^\n]+")
_ENDS = re.compile(r"\r\n|\r|\n")


def numbered_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The text's lines without their ends, each with its number from 1; a long line comes in several pieces.

    UTF-16 is known by its mark; a line that is not UTF-8 is what Western programs wrote before it, and no byte is
    ever a fault.
    """
    number = 1
    first = True
    for data, ended in _pieces(source):
        if first and isinstance(data, bytes) and data.startswith(_UTF16) and hasattr(source, "read"):
            yield from _numbered_utf16(data, cast(BinaryIO, source))
            return
        text = decoded(data) if isinstance(data, bytes) else data
        if first:
            text = text.removeprefix("\ufeff")
            first = False
        if "\r" not in text:
            yield number, text.removesuffix("\n")
        else:
            lines = _ENDS.split(text)
            if ended and lines[-1] == "":
                lines.pop()
            for offset, line in enumerate(lines):
                yield number + offset, line
            number += len(lines) - 1
        if ended:
            number += 1


def _pieces(source: Source) -> Iterator[tuple[bytes | str, bool]]:
    """Pieces of lines, and whether a line ends with the piece."""
    if not hasattr(source, "readline"):
        for lines in source:
            for line in lines.splitlines(keepends=True) if isinstance(lines, bytes) else _NEWLINES.findall(lines):
                for start in range(0, len(line), PIECE):
                    yield line[start : start + PIECE], start + PIECE >= len(line)
        return
    kept: bytes | str | None = None
    while piece := source.readline(PIECE):
        if kept is not None:
            piece = kept + piece
            kept = None
        ended = piece[-1:] in (b"\n", "\n")
        if not ended and len(piece) >= PIECE:
            blank = piece.rfind(b" " if isinstance(piece, bytes) else " ")
            if blank > 0:
                kept, piece = piece[blank:], piece[:blank]
        yield piece, ended
    if kept is not None:
        yield kept, True


def _numbered_utf16(begun: bytes, source: BinaryIO) -> Iterator[tuple[int, str]]:
    rest = iter(lambda: source.read(PIECE), b"")
    decoder = codecs.getincrementaldecoder("utf-16")("replace")

    def lines() -> Iterator[str]:
        held = ""
        held += decoder.decode(begun)
        for data in rest:
            parts = (held + decoder.decode(data)).split("\n")
            held = parts.pop()
            if len(held) > PIECE:
                yield held
                held = ""
            yield from parts
        yield from (held + decoder.decode(b"", final=True)).split("\n")

    for number, line in enumerate(lines(), 1):
        yield number, line.removesuffix("\r")
