"""From lines to values. Pure, and nothing here raises on an engine's line: what cannot be read is left out."""

from __future__ import annotations

import re
from typing import Any

from damd.client.types import (
    OPTION_KINDS,
    BenchResult,
    BestMove,
    Chances,
    EngineErrorLine,
    GameResult,
    InfoLine,
    OptionInfo,
    PerftResult,
    PlyExplanation,
    Score,
)

_NUMBERS = {
    "depth": "depth",
    "seldepth": "seldepth",
    "multipv": "multipv",
    "nodes": "nodes",
    "time": "time_ms",
    "nps": "nps",
    "hashfull": "hashfull",
    "tbhits": "tbhits",
    "sbhits": "sbhits",
    "cpuload": "cpuload",
    "currmovenumber": "currmovenumber",
}
_LISTS = ("pv", "refutation", "currline")
_INFO_WORDS = frozenset((*_NUMBERS, *_LISTS, "score", "wdl", "currmove", "string"))
_BOUNDS = ("lowerbound", "upperbound")
_NO_PLY = frozenset(("(none)", "0000", "none", "null", "nullmove"))
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
_OUTCOMES = ("ongoing", "white", "black", "draw")
_VERDICTS = ("legal", "illegal", "ambiguous")


def integer(text: str) -> int | None:
    """The decimal number that ``text`` is, otherwise ``None``. Stricter than ``int``: no blanks, no ``1_000``."""
    if len(text) <= 30 and text.isascii() and text.isdigit():
        return int(text)
    return int(text) if _INTEGER.fullmatch(text) else None


def first_word(line: str) -> str:
    return line.split(None, 1)[0] if line.strip() else ""


def after_first_word(line: str) -> str:
    parts = line.split(None, 1)
    return parts[1].rstrip() if len(parts) == 2 else ""


def parse_info(line: str) -> InfoLine:
    """Read an ``info`` line: fields in any order, unknown words skipped, a field with a bad value left out.

    ``string`` takes the rest of the line; a list of plies ends at the next field's word.
    """
    found: dict[str, Any] = {"raw": line}
    words = line.split()
    at = 1
    while at < len(words):
        word = words[at]
        at += 1
        if word == "string":
            found["string"] = line.split(None, at)[at].rstrip() if at < len(words) else ""
            break
        if word in _LISTS:
            end = at
            while end < len(words) and words[end] not in _INFO_WORDS:
                end += 1
            found[word] = tuple(words[at:end])
            at = end
        elif word in _NUMBERS and at < len(words):
            number = integer(words[at])
            if number is not None:
                found[_NUMBERS[word]] = number
                at += 1
        elif word == "currmove" and at < len(words) and words[at] not in _INFO_WORDS:
            found["currmove"] = words[at]
            at += 1
        elif word == "wdl":
            numbers = [number for text in words[at : at + 3] if (number := integer(text)) is not None and number >= 0]
            if len(numbers) == 3:
                found["wdl"] = Chances(*numbers)
                at += 3
        elif word == "score":
            at = _parse_score(words, at, found)
    return InfoLine(**found)


def _parse_score(words: list[str], at: int, found: dict[str, Any]) -> int:
    kind, value, bound = "", None, ""
    while at < len(words):
        if words[at] in ("cp", "mate") and at + 1 < len(words) and integer(words[at + 1]) is not None:
            kind, value = words[at], integer(words[at + 1])
            at += 2
        elif words[at] in _BOUNDS:
            bound = words[at]
            at += 1
        else:
            break
    if value is not None:
        found["score"] = Score(kind, value, bound)
    return at


def parse_bestmove(line: str) -> BestMove:
    """Read a ``bestmove`` line; without a ply it says that there is none."""
    words = line.split()[1:]
    ply = words[0] if words else None
    rest = words[1:]
    ponder = None
    if "ponder" in rest:
        at = rest.index("ponder") + 1
        if at < len(rest) and rest[at] != "draw" and rest[at].lower() not in _NO_PLY:
            ponder = rest[at]
    resign = ply == "resign"
    if ply is None or resign or ply.lower() in _NO_PLY:
        ply = None
    return BestMove(ply, ponder, "draw" in rest, resign)


def parse_error(line: str) -> EngineErrorLine:
    words = line.split(None, 2)
    return EngineErrorLine(words[1] if len(words) > 1 else "", words[2].rstrip() if len(words) > 2 else "")


def parse_result(line: str) -> GameResult | None:
    words = line.split()
    if not 2 <= len(words) <= 4 or words[0] != "result" or words[1] not in _OUTCOMES:
        return None
    return GameResult(*words[1:])


def parse_explanation(lines: tuple[str, ...]) -> PlyExplanation | None:
    """Read ``explain``'s heading, the sentences behind it and the ``plies`` that end it; other lines are passed over."""
    heading = next((line.split() for line in lines if first_word(line) == "explain"), [])
    ending = next((line.split() for line in lines if first_word(line) == "plies"), [])
    total = integer(ending[1]) if len(ending) > 1 else None
    if len(heading) < 3 or heading[2] not in _VERDICTS or total is None or total < 0:
        return None
    found = dict(zip(heading[3::2], heading[4::2], strict=False))
    return PlyExplanation(
        heading[1],
        heading[2],
        found.get("kind", ""),
        found.get("fault", ""),
        tuple(key for key in found.get("rule", "").split(",") if key),
        tuple(line.strip() for line in lines if line[:1].isspace()),
        tuple(ending[2:]),
        total,
    )


def parse_bench(line: str) -> BenchResult | None:
    words = line.split()
    numbers = [integer(word) for word in words[2:7:2]]
    if words[:1] != ["bench"] or words[1:6:2] != ["nodes", "time", "nps"] or len(words) != 7 or None in numbers:
        return None
    nodes, time_ms, nps = (number or 0 for number in numbers)
    return BenchResult(nodes, time_ms, nps)


def parse_perft(lines: tuple[str, ...]) -> PerftResult | None:
    """Read ``PLY: COUNT`` lines and the ``total COUNT`` that ends them; other lines are passed over."""
    divide = []
    for line in lines:
        counted = re.fullmatch(r"\s*(\S+):\s+([0-9]+)\s*", line)
        if counted:
            divide.append((counted[1], int(counted[2])))
            continue
        total = re.fullmatch(r"\s*total\s+([0-9]+)\s*", line)
        if total:
            return PerftResult(int(total[1]), tuple(divide))
    return None


def parse_option(line: str) -> OptionInfo | None:
    """Read an ``option`` line; ``None`` where it has no name or no known type.

    Names, a string's default and the choices of a combo may hold blanks.
    """
    words = [(match.group(), match.start(), match.end()) for match in re.finditer(r"\S+", line)]
    kinds = [at for at in range(3, len(words) - 1) if words[at][0] == "type" and words[at + 1][0] in OPTION_KINDS]
    if not kinds or [word for word, _, _ in words[:2]] != ["option", "name"]:
        return None
    at = kinds[0]
    name, kind = line[words[2][1] : words[at - 1][2]], words[at + 1][0]
    rest = line[words[at + 1][2] :].strip()
    if kind == "button":
        return OptionInfo(name, kind)
    if kind == "string":
        text = rest.removeprefix("default").strip()
        return OptionInfo(name, kind, "" if text == "<empty>" else text)
    fields: dict[str, list[str]] = {"default": [], "min": [], "max": [], "var": []}
    pieces = re.split(r"(?<!\S)(default|min|max|var)(?!\S)", rest)
    for word, text in zip(pieces[1::2], pieces[2::2], strict=True):
        fields[word].append(text.strip())
    default = fields["default"][0] if fields["default"] else ""
    if kind == "check":
        return OptionInfo(name, kind, default.lower() == "true")
    if kind == "spin":
        bounds = [integer(fields[word][0]) if fields[word] else None for word in ("min", "max")]
        return OptionInfo(name, kind, integer(default), bounds[0], bounds[1])
    return OptionInfo(name, kind, default, choices=tuple(fields["var"]))
