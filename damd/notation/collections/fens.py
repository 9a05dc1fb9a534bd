"""FEN lists: a position a line, as tools, problem collections and sets of ballots have them.

    # a remark; empty lines say nothing either
    [Variant "international"]
    W:W28,32,37:B14,18,23
    B:WK4:B13,20.  ; White is a man down
    [FEN "W:W31-50:B1-20"] *
    W:W31,32:B1,2 bm 32-28; id "first";

Behind a FEN may stand a result and anything else: remarks behind ``;``, ``#`` or in braces, and what other programs
write there (EPD's operations), which is kept as a remark. A line of tags without a FEN says which game the lines
below it are of.
"""

from __future__ import annotations

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


def read_entry(text: str) -> Entry | None:
    """What the line says, ``None`` where that is nothing. Raises ``LineError``."""
    if is_silent(text):
        return None
    tags, rest = split_tags(text.strip())
    fens = [value for name, value in tags if name.upper() == "FEN"]
    others = tuple((name, value) for name, value in tags if name.upper() != "FEN")
    if not fens and tags:
        return check_header(tags, rest)
    if len(fens) > 1:
        raise LineError("two FENs in a line: each position has a line of its own")
    fen, rest = (fens[0], rest) if fens else split_fen(rest)
    result, remark = split_result(rest)
    return Entry(others, fen=fen, result=result, remark=unmarked(remark))
