"""What a well-formed answer line of the daemon looks like, one pattern a kind, and what each input line is answered with.

Written from the protocol's promises, not from the daemon's code, so that the two can disagree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from damd.protocol.commands import BY_NAME, REASONS
from damd.protocol.errors import Code
from damd.protocol.grammar import parse_go
from damd.protocol.options import OPTIONS
from damd.protocol.words import read_number

SQUARE = r"(?:[1-9][0-9]?|[a-l](?:1[0-2]|[1-9]))"
PLY = rf"(?:{SQUARE}-{SQUARE}|{SQUARE}(?:x{SQUARE})+|(?:x{SQUARE})+)"
_PIECES = rf"(?:K?{SQUARE}(?:,K?{SQUARE})*)?"
_RUN = rf"{SQUARE}=[0-9]+"
_RIGHT = rf"\*[1-9]|{SQUARE}(?:,{SQUARE})*"
_FEN = rf"[WB]:W{_PIECES}:B{_PIECES}(?::P(?:{_RIGHT}))?(?::L{_RUN}(?:,{_RUN})?)?(?::H[0-9]+:F[1-9][0-9]*)?"
_SCORE = r"score (?:cp|mate) -?[0-9]+(?: (?:lower|upper)bound)?(?: wdl [0-9]+ [0-9]+ [0-9]+)?"
_COUNTS = r"nodes [0-9]+ nps [0-9]+ hashfull (?:1000|[0-9]{1,3}) time [0-9]+"

_KEYS = r"[a-z]+\.[a-z_]+(?:,[a-z]+\.[a-z_]+)*"
_LEGAL = rf"legal kind (?:quiet|capture|claim)(?: rule {_KEYS})?"

PATTERNS = {
    "id": r"id (?:name|author) \S.*",
    "option": r"option name \S.* type (?:button|(?:check|spin|combo|string) default \S.*)",
    "uciok": r"uciok",
    "readyok": r"readyok",
    "remark": r"info string \S.*",
    "info": rf"info depth [0-9]+ seldepth [0-9]+ multipv [1-9][0-9]* {_SCORE} {_COUNTS}(?: pv {PLY}(?: {PLY})*)?",
    "progress": rf"info (?:{_COUNTS}|depth [1-9][0-9]* currmove {PLY} currmovenumber [1-9][0-9]*)",
    "bestmove": rf"bestmove (?:{PLY}(?: ponder {PLY})?(?: draw)?|\(none\)|resign)",
    "fen": rf"fen {_FEN}",
    "moves": rf"moves(?: {PLY})*",
    "explain": rf"explain \S+ (?:{_LEGAL}|illegal(?: fault [a-z-]+)?(?: rule {_KEYS})?|ambiguous)",
    "plies": rf"plies [0-9]+(?: {PLY}){{0,12}}",
    "result": rf"result (?:ongoing|(?:white|black|draw) (?:{'|'.join(REASONS)})(?: [a-z][a-z0-9-]*)?)",
    "count": rf"{PLY}: [0-9]+",
    "total": r"total [0-9]+",
    "eval": r"eval cp -?[0-9]+",
    "bench": r"bench nodes [0-9]+ time [0-9]+ nps [0-9]+",
    "help": rf"help (?:{'|'.join(BY_NAME)}): \S.*",
    "indented": r"  .*",
    "variant": r"variant [a-z0-9-]+ missed-capture (?:rule|forbidden)",
    "key": r"key [0-9a-f]{16}",
    "side": r"side (?:white|black)",
    "right": rf"right (?:none|{_RIGHT})",
    "clock": r"clock [a-z][a-z0-9-]* plies [0-9]+ left [0-9]+",
    "king": r"king [a-z0-9]+ moves [1-9][0-9]* left [0-9]+",
    "counters": r"counters halfmoves [0-9]+ fullmoves [1-9][0-9]* repetitions [0-9]+",
    "error": rf"error (?:{'|'.join(code.text for code in Code)}) \S.*",
}
_COMPILED = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}
_BY_FIRST_WORD = {
    "info": ("info", "progress", "remark"),
    "": ("indented",),
    **{word: (word,) for word in PATTERNS if word not in ("remark", "info", "progress", "count", "indented")},
}


def kind_of(line: str) -> str:
    """The kind of an answer line: a key of ``PATTERNS``, for an error ``error:CODE``. Raises ``ValueError``."""
    if not line.isprintable():
        raise ValueError(f"not printable: {line[:200]!r}")
    word = "" if line.startswith(" ") else line.split(" ", 1)[0]
    for kind in _BY_FIRST_WORD.get(word, ("count",)):
        if _COMPILED[kind].fullmatch(line):
            return f"error:{line.split()[1]}" if kind == "error" else kind
    raise ValueError(f"not well formed: {line[:200]!r}")


@dataclass(frozen=True, slots=True)
class Part:
    """So many lines of these kinds; ``high`` ``None`` is any number."""

    kinds: frozenset[str]
    low: int
    high: int | None


def _lines(kinds: str, low: int = 1, high: int | None = 1) -> Part:
    return Part(frozenset(kinds.split()), low, high)


def _errors(codes: str, high: int | None = 1, low: int = 0) -> Part:
    return Part(frozenset(f"error:{code}" for code in codes.split()), low, high)


#: One way to answer a line: parts in order.
Block = tuple[Part, ...]

_SURPLUS = _errors("unknown-token")
_SILENT: tuple[Block, ...] = ((_SURPLUS,),)
_SEARCHED = (_lines("info progress", 0, None), _lines("bestmove"))
_COUNTED = (_lines("count", 0, None), _lines("total error:stopped error:too-many-plies"))
_GO_ERRORS = "unknown-token missing-argument bad-value out-of-range illegal-ply ambiguous-ply"

_BLOCKS: dict[str, tuple[Block, ...]] = {
    "uci": (
        (
            _SURPLUS,
            _lines("id", 2, 2),
            _errors("bad-variant"),
            _lines("option", len(OPTIONS), len(OPTIONS)),
            _lines("uciok"),
        ),
    ),
    "setoption": ((_errors("unknown-option bad-value out-of-range missing-argument unknown-token bad-variant no-memory"),),),
    "register": ((),),
    "ucinewgame": _SILENT,
    "position": ((_errors("bad-fen illegal-ply ambiguous-ply too-many-plies missing-argument unknown-token"),),),
    "help": ((_errors("unknown-command", low=1),), (_lines("help"), _lines("help indented", 0, None))),
    "d": (
        (
            _SURPLUS,
            _lines("indented", 5, 40),
            *(_lines(kind) for kind in ("variant", "fen", "key", "side", "right")),
            _lines("clock", 0, 17),
            _lines("king", 0, 2),
            _lines("counters"),
        ),
    ),
    "fen": ((_SURPLUS, _lines("fen")),),
    "moves": ((_SURPLUS, _lines("moves")),),
    "explain": (
        (_errors("missing-argument", low=1),),
        (_SURPLUS, _lines("explain"), _lines("indented", 1, 20), _lines("plies")),
    ),
    "result": ((_SURPLUS, _lines("result")),),
    "eval": ((_SURPLUS, _lines("eval")),),
    "gameover": ((_errors("missing-argument bad-value unknown-token"),),),
}


@dataclass(frozen=True, slots=True)
class Expected:
    """How a line is answered: ``blocks`` are the alternatives.

    ``at_once`` lines are answered whatever runs. ``loose`` is the number of error lines that may come with such
    an answer at any time. ``searches`` is true of a ``go`` that ends with ``bestmove``; it ``may_be_endless``
    where lines behind it can be refused, and is ``endless`` where no ``bestmove`` may come before ``stop`` (or
    ``ponderhit``, if it ``ponders``).
    """

    name: str
    blocks: tuple[Block, ...] = ((),)
    at_once: bool = False
    loose: int = 0
    searches: bool = False
    counts: bool = False
    may_be_endless: bool = False
    endless: bool = False
    ponders: bool = False

    def refused_by(self, line: str, kind: str) -> bool:
        """Whether ``line`` refuses this command during a search without end."""
        if self.name in BY_NAME:
            return line.startswith(f"error searching {self.name}: ")
        return kind in ("error:unknown-command", "error:too-long", "error:bad-encoding")


def expected(data: bytes) -> Expected | None:
    """What is due for one line of input; ``None`` for a blank line."""
    data = data.removesuffix(b"\r")
    if len(data) > 65536:
        return Expected("", ((_errors("too-long", low=1),),))
    try:
        words = data.decode("utf-8").split()
    except UnicodeDecodeError:
        return Expected("", ((_errors("bad-encoding", low=1),),))
    if not words:
        return None
    name, rest = words[0], words[1:]
    if name in ("stop", "ponderhit", "quit"):
        return Expected(name, at_once=True, loose=bool(rest))
    if name == "debug":
        # Each word but one "on" or "off" has an error; so has none at all.
        return Expected(name, at_once=True, loose=len(rest) - bool({"on", "off"} & set(rest)) if rest else 1)
    if name == "isready":
        return Expected(name, at_once=True, loose=bool(rest))
    if name == "go":
        return _expected_of_go(rest)
    if name in ("perft", "bench"):
        return _expected_of_count(name, rest)
    return Expected(name, _BLOCKS.get(name, ((_errors("unknown-command", low=1),),)))


def _expected_of_go(words: list[str]) -> Expected:
    request = parse_go(words)
    errors = _errors(_GO_ERRORS, None)
    if "perft" in request.numbers:
        return Expected("go", ((errors, *_COUNTED),), counts=True)
    infinite, ponders = "infinite" in request.flags, "ponder" in request.flags
    return Expected(
        "go",
        ((errors, *_SEARCHED),),
        searches=True,
        may_be_endless=infinite or ponders or not request.limited,
        endless=infinite or ponders,
        ponders=ponders and not infinite,
    )


def _expected_of_count(name: str, words: list[str]) -> Expected:
    if not words and name == "perft":
        return Expected(name, ((_errors("missing-argument", low=1),),))
    if words and read_number(words[0]) is None:
        return Expected(name, ((_errors("bad-value", low=1),),))
    work = _COUNTED if name == "perft" else (_lines("bench error:stopped"),)
    return Expected(name, ((_errors("out-of-range unknown-token", 2), *work),), counts=name == "perft")
