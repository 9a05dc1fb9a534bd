"""Opening lists and ballots: plies from the start position, or from a FEN, a line an opening.

    # an opening list
    [Variant "english"]
    9-13 22-18 6-9 ; Kelso cross
    1. 11-15 23-19 2. 8-11
    B:W21-32:B1-12 10-14 24-19

In a list of **ballots** the number before a line is the ballot's, and a ballot may be a position alone:

    12. 9-13 24-20 10-15
    13) Fife: 11-15 23-19 9-14
    14. W:W21-24,26-32:B1-6,8-12

What stands behind ``;`` or ``#``, in braces, or before a colon and a blank is the opening's name. Move numbers and
marks like ``!`` say nothing. A result may end the line.
"""

from __future__ import annotations

import re

from damd.notation.collections.entries import (
    Entry,
    check_header,
    is_silent,
    split_fen,
    split_result,
    split_tags,
    unmarked,
)
from damd.notation.collections.lines import LineError

_BALLOT = re.compile(r"(?:no\.?\s*|#\s*)?(\d{1,9})(?:\s*[.)]+\s*|:?\s+|:?$)", re.IGNORECASE)
_NUMBERED_FEN = re.compile(r"\d{1,9}[.)]\s*(?=[WBwb?]\s*:)")
#: A name has two letters that stand together; a point has one and a digit.
_IN_NAME = re.compile(r"[^\W\d_]{2}")
_NO_NAME = re.compile(r"[;#{]")
_FEN = re.compile(r'[WBwb?]\s*:|"')
_MOVE_NUMBER = re.compile(r"\d+(?:\.+|…)")
_MARKS = "!?"
#: Lines of more words are none: the longest games of the field's collections have a tenth of it.
MAX_WORDS = 10_000


def read_opening(text: str) -> Entry | None:
    """What a line of an opening list says, ``None`` where that is nothing. Raises ``LineError``."""
    return None if is_silent(text) else _entry(text.strip(), "")


def read_ballot(text: str) -> Entry | None:
    """What a line of a list of ballots says, ``None`` where that is nothing. Raises ``LineError``."""
    bare = text.strip()
    number = _BALLOT.match(bare)
    if number is None:
        return None if is_silent(bare) else _entry(bare, "")
    return _entry(bare[number.end() :], str(int(number[1])))


def _entry(text: str, number: str) -> Entry:
    tags, rest = split_tags(text)
    fens = [value for name, value in tags if name.upper() == "FEN"]
    others = tuple((name, value) for name, value in tags if name.upper() != "FEN")
    if tags and not fens and (not rest or not others):
        return check_header(tags, rest)
    if len(fens) > 1:
        raise LineError("two FENs in a line: each opening has a line of its own")
    name, rest = _split_name(rest)
    numbered = _NUMBERED_FEN.match(rest)
    if numbered:
        rest = rest[numbered.end() :]
    if not fens and _FEN.match(rest):
        fen, rest = split_fen(rest)
        fens = [fen]
    rest, remark = _without_remarks(rest)
    plies, result = _plies(rest)
    if not fens and not plies:
        raise LineError("neither plies nor a position: an opening is written as in 32-28 19-23")
    return Entry(
        others,
        number=number,
        name="; ".join(filter(None, [name, remark])),
        fen=fens[0] if fens else "",
        plies=tuple(plies),
        result=result,
    )


def _split_name(text: str) -> tuple[str, str]:
    """The name before a colon and a blank, or nothing, and the rest."""
    before, colon, rest = text.partition(":")
    if colon and rest[:1].isspace() and _IN_NAME.search(before) and not _NO_NAME.search(before):
        return before.strip(), rest.strip()
    return "", text


def _without_remarks(text: str) -> tuple[str, str]:
    """The text without what stands in braces and behind ``;`` or ``#``, and that."""
    remarks: list[str] = []

    def take(match: re.Match[str]) -> str:
        remarks.append(unmarked(match[0]))
        return " "

    bare = re.sub(r"\{[^{}]*\}|[;#].*", take, text)
    return bare, "; ".join(filter(None, remarks))


def _plies(text: str) -> tuple[list[str], str]:
    """The texts of the plies, and the result at the end."""
    plies: list[str] = []
    words = text.split()
    if len(words) > MAX_WORDS:
        raise LineError(f"{len(words)} words in a line: at most {MAX_WORDS} are read")
    for place, word in enumerate(words):
        result, _ = split_result(word)
        if result and place == len(words) - 1:
            return plies, result
        number = _MOVE_NUMBER.match(word)
        bare = (word[number.end() :] if number else word).rstrip(_MARKS)
        if bare.strip(".…"):
            plies.append(bare)
    return plies, ""
