"""What an engine says about plies and searches, judged by our own rules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from damd.check.model import Failed
from damd.client.parsing import integer, parse_bestmove
from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.notation.plies import PlyError, parse_ply
from damd.notation.spelling import format_ply, read_spellings
from damd.notation.squares import listed, shown

#: One ply as engines have to write it: protocol.md, "Plies as text".
_SQUARE = r"(?:[1-9][0-9]*|[a-z][1-9][0-9]*)"
_PLY = re.compile(rf"{_SQUARE}-{_SQUARE}|{_SQUARE}(?:x{_SQUARE})+|x{_SQUARE}(?:x{_SQUARE})*")

_NATURAL = ("depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "currmovenumber", "tbhits")
_BOUNDS = ("lowerbound", "upperbound")
#: Words of an ``info`` line that end a list of plies.
_FIELDS = frozenset((*_NATURAL, "score", "wdl", "pv", "currmove", "string", "refutation", "currline", "cpuload", "sbhits"))
_PERMILLE = 1000


def legal(text: str, position: Position, what: str = "bestmove") -> Ply:
    """The legal ply that the text names. Raises ``Failed`` where it names none, or more than one."""
    try:
        return parse_ply(text, position)
    except PlyError as fault:
        plies = listed(position.plies(), lambda ply: format_ply(ply, position.board)) or "none at all"
        raise Failed(f"{what} {shown(text)} is no legal ply: {fault.message}; legal: {plies}") from None


def spelling_fault(text: str, ply: Ply, position: Position) -> str:
    """What is wrong with how the engine has written this ply; empty where nothing is."""
    proper = format_ply(ply, position.board)
    if not _PLY.fullmatch(text):
        return f"{shown(text)} is not written as plies are: {proper}"
    spelling = read_spellings(text, position.board)[0]
    if ("x" in text) != (ply.kind is not PlyKind.QUIET) or len(spelling.points) != len(ply.path):
        return f"{shown(text)} leaves out a part: {proper} has every landing point"
    return ""


def info_fault(line: str) -> str:
    """What is malformed in an ``info`` line; empty where nothing is. Fields that the protocol does not know pass."""
    words = line.split()
    at = 1
    while at < len(words):
        word, rest = words[at], words[at + 1 :]
        at += 1
        if word == "string":
            return ""
        if word in _NATURAL:
            number = integer(rest[0]) if rest else None
            if number is None or number < 0:
                return f"{word} needs a whole number from 0 on, not {shown(rest[0]) if rest else 'nothing'}"
            at += 1
        elif word == "score":
            if len(rest) < 2 or rest[0] not in ("cp", "mate") or integer(rest[1]) is None:
                return f"score needs cp or mate and a whole number, not {shown(' '.join(rest[:2]))}"
            at += 2
        elif word == "wdl":
            chances = [integer(text) for text in rest[:3]]
            if len(chances) < 3 or None in chances or sum(number or 0 for number in chances) != _PERMILLE:
                return f"wdl needs three numbers that make 1000, not {shown(' '.join(rest[:3]))}"
            at += 3
        elif word in ("pv", "currmove") and (not rest or rest[0] in _FIELDS):
            return f"{word} needs a ply"
    return ""


def bestmove_fault(line: str) -> str:
    """What is malformed in a ``bestmove`` line; empty where nothing is."""
    words = line.split()
    rest = words[2:]
    if len(words) < 2:
        return "bestmove needs a ply, or (none)"
    if rest[:1] == ["ponder"]:
        if len(rest) < 2 or rest[1] == "draw":
            return "ponder needs a ply"
        rest = rest[2:]
    if rest[:1] == ["draw"]:
        rest = rest[1:]
    return f"{shown(rest[0])} has no place in it" if rest else ""


def variation(plies: Sequence[str], position: Position, what: str) -> list[Ply]:
    """The plies of a variation, each legal behind the ones before; the position is played on. Raises ``Failed``."""
    found = []
    for number, text in enumerate(plies, 1):
        ply = legal(text, position, f"ply {number} of {what},")
        position.play(ply)
        found.append(ply)
    return found


def answer(line: str, position: Position) -> Ply | None:
    """The ply of a ``bestmove`` line, which must be there exactly if there is a legal one. Raises ``Failed``."""
    fault = bestmove_fault(line)
    if fault:
        raise Failed(f"{shown(line, 100)}: {fault}")
    best = parse_bestmove(line)
    if best.resign:
        raise Failed("it resigns: for these checks an engine has to play on, the option Resign off")
    if best.draw:
        raise Failed("it offers a draw: for these checks an engine has to play on, the option DrawOffers off")
    if not position.plies():
        if best.ply is not None:
            raise Failed(f"bestmove {shown(best.ply)} where there is no legal ply")
        if line.split()[1] != "(none)":
            raise Failed(f"{shown(line)} where there is no legal ply: written bestmove (none)")
        return None
    if best.ply is None:
        plies = listed(position.plies(), lambda ply: format_ply(ply, position.board))
        raise Failed(f"{shown(line)} although there are legal plies: {plies}")
    return legal(best.ply, position)
