"""What stands on one line of a collection, as text: tags, a FEN, plies, a result, remarks.

Nothing here knows rules: whether the FEN is a position and the plies are legal is somebody else's question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from damd.notation.collections.lines import LineError
from damd.notation.fen import MAX_LENGTH
from damd.notation.squares import shown

#: Tags that say which game the lines below them are of.
RULE_TAGS = ("Variant", "GameType", "MissedCapture")

_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"((?:[^"\\]|\\.)*)"\s*\]\s*')
_REMARK = re.compile(r"[;#{]")
_RESULT = re.compile(r"(\*|1/2-1/2|[0-2]-[0-2])(?=[\s;#{]|$)")
#: Those that cannot be squares: they end a FEN whose last list is empty.
_NO_SQUARES = re.compile(r"(\*|1/2-1/2|[0-2]-0|0-[0-2])(?=[\s;#{]|$)")
#: A FEN goes on behind a blank where one of these stands before it ...
_OPEN = re.compile(r"(?:[:,\-=]\s*[WBPLHFwbplhf]?\s*[Kk]?|^[WBwb?])$")
#: ... or one of these behind it.
_GOES_ON = re.compile(r"[:,\-=.]")
#: So far before a blank it is looked for them.
_NEAR = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """What a line says. Without FEN and plies it says what the lines below it are (``RULE_TAGS``)."""

    tags: tuple[tuple[str, str], ...] = ()
    number: str = ""
    name: str = ""
    fen: str = ""
    plies: tuple[str, ...] = ()
    result: str = ""
    remark: str = ""

    @property
    def is_header(self) -> bool:
        return bool(self.tags) and not (self.fen or self.plies)


def is_silent(text: str) -> bool:
    """True for lines that say nothing: empty ones and remarks."""
    bare = text.lstrip()
    return not bare or bare[0] in "#;%"


def split_tags(text: str) -> tuple[list[tuple[str, str]], str]:
    """The tags that ``text`` begins with, and the rest. Raises ``LineError``."""
    tags = []
    at = 0
    while text.startswith("[", at):
        match = _TAG.match(text, at)
        if match is None:
            raise LineError(f'{shown(text[at:])} is no tag: a tag is [Name "value"]')
        tags.append((match[1], re.sub(r"\\(.)", r"\1", match[2])))
        at = match.end()
    return tags, text[at:]


def split_fen(text: str) -> tuple[str, str]:
    """The FEN that ``text`` begins with, and the rest. A FEN may have blanks wherever it cannot end."""
    if text.startswith('"'):
        end = text.find('"', 1)
        return (text[: end + 1], text[end + 1 :].strip()) if end > 0 else (text, "")
    remark = _REMARK.search(text)
    body = text[: remark.start()] if remark else text
    for blank in re.finditer(r"\s+", body[:MAX_LENGTH]):
        before = body[max(0, blank.start() - _NEAR) : blank.start()]
        goes_on = _OPEN.search(before) or _GOES_ON.match(body, blank.end())
        if blank.end() == len(body) or not goes_on or _NO_SQUARES.match(text, blank.end()):
            return body[: blank.start()], text[blank.end() :].strip()
    return body.rstrip(), text[len(body) :].strip()


def split_result(text: str) -> tuple[str, str]:
    """The result that ``text`` begins with, or nothing, and the rest."""
    match = _RESULT.match(text)
    return (match[1], text[match.end() :].strip()) if match else ("", text)


def check_header(tags: list[tuple[str, str]], rest: str) -> Entry:
    """The header that these tags are. Raises ``LineError`` where they are something else."""
    known = {name.lower(): name for name in RULE_TAGS}
    unfit = [name for name, _ in tags if name.lower() not in known]
    if unfit or rest:
        raise LineError(
            f"{shown(unfit[0] if unfit else rest)} in a line of tags: only {', '.join(RULE_TAGS)} stand alone in a list "
            f"(files of games are PDN)"
        )
    return Entry(tuple((known[name.lower()], value) for name, value in tags))


def unmarked(remark: str) -> str:
    """A remark without the signs that make it one."""
    if remark.startswith("{") and remark.find("}") == len(remark) - 1:
        return remark[1:-1].strip()
    return remark[1:].strip() if remark.startswith((";", "#")) else remark
