"""The tables of match.md, made of what the code declares. ``python -m damd.match.manual match.md`` refreshes them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from damd.match.events import EVENTS, Row
from damd.match.model import Adjudication, EngineSpec, OpeningsSpec, Sprt, Tournament
from damd.match.openings import BALLOTS
from damd.match.records import GameRecord, PairRecord, PlyRecord, Termination

_MARKED = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

#: What each termination means; in the order of ``Termination``.
TERMINATIONS: Mapping[Termination, str] = {
    Termination.FIRST_KING: "the first king has won",
    Termination.NO_PIECES: "a side has no pieces left",
    Termination.NO_MOVES: "the side to move has no legal ply",
    Termination.ONE_EACH: "one piece each is a draw in this game",
    Termination.REPETITION: "the position has been there too often",
    Termination.MOVE_LIMIT: "too many moves without progress; `rule` names the draw rule, where it is one",
    Termination.MATERIAL: "an ending has lasted too long; `rule` names the draw rule",
    Termination.AGREEMENT: "an engine has offered a draw, the other has accepted it",
    Termination.RESIGNATION: "an engine has resigned",
    Termination.ADJUDICATED_WIN: "the arbiter: the scores say that it is won, as `[adjudication]` has it",
    Termination.ADJUDICATED_DRAW: "the arbiter: the scores say that it is drawn, as `[adjudication]` has it",
    Termination.ADJUDICATED_LENGTH: "the arbiter: the game has lasted `max_plies`",
    Termination.ADJUDICATED_TABLES: "the arbiter: by endgame tables; nothing makes it yet",
    Termination.TOO_MANY_PLIES: "the arbiter: there are more plies than can be listed, so that nobody could judge one",
    Termination.TIME: "an engine was late by more than the margin, whatever it played",
    Termination.STALL: "no answer long after its time: the process was ended",
    Termination.CRASH: "the process has ended by itself; its exit code and the end of its stderr are kept",
    Termination.DISCONNECT: "the process has closed its output and lived on: it was ended",
    Termination.ILLEGAL_PLY: "what was played is not legal by the rules, or nothing was played; `note` has the text",
    Termination.INTERRUPTED: "never in a journal: the game is played again",
}


def _keys(kind: Any) -> list[str]:
    rows = [f"| `{one.name}` | {one.metadata['doc']}{_words(one)} | {_default(one)} |" for one in fields(kind) if _told(one)]
    return ["| Key | Meaning | Default |", "|---|---|---|", *rows]


def _told(one: Field[Any]) -> bool:
    return "doc" in one.metadata


def _words(one: Field[Any]) -> str:
    words = [f"`{word}`" for word in one.metadata.get("words", ()) if word]
    if words:
        return f": {', '.join(words)}"
    low, high = one.metadata.get("low"), one.metadata.get("high")
    return "" if low is None else f" ({low} to {high})"


def _default(one: Field[Any]) -> str:
    if one.default is MISSING:
        return "must be there"
    if one.default is None or one.default in ("", ()):
        return ""
    return f"`{str(one.default).lower() if isinstance(one.default, bool) else one.default}`"


def _event_tables() -> list[str]:
    lines: list[str] = []
    for event in EVENTS:
        lines += [f"`{event.KIND}`: {_sentence(event)}", "", *_meanings(event), ""]
    return [*lines, f"A row of `rows`: {_sentence(Row)}", "", *_meanings(Row)]


def _meanings(kind: Any) -> list[str]:
    return ["| Key | Meaning |", "|---|---|", *(f"| `{one.name}` | {one.metadata['doc']} |" for one in fields(kind))]


def _sentence(kind: type) -> str:
    text = " ".join((kind.__doc__ or "").split())
    return text[0].lower() + text[1:]


def _terminations() -> list[str]:
    rows = [f"| `{one.value}` | {'yes' if one.is_fault else ''} | {text} |" for one, text in TERMINATIONS.items()]
    return ["| Termination | A fault | What has happened |", "|---|---|---|", *rows]


def _fields_of(kind: Any) -> str:
    return ", ".join(f"`{one.name}`" for one in fields(kind))


def _record_fields() -> list[str]:
    rows = (("a pairing", PairRecord), ("a game", GameRecord), ("a ply, a list in this order", PlyRecord))
    return ["| Of | Fields |", "|---|---|", *(f"| {name} | {_fields_of(kind)} |" for name, kind in rows)]


def _ballots() -> list[str]:
    rows = []
    for file in sorted(BALLOTS.iterdir(), key=lambda file: file.stem):
        openings = [line.split()[1:] for line in file.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
        rows.append(f"| `{file.stem}` | {len(openings[0])} | {len(openings)} |")
    return ["| Variant | Plies | Openings |", "|---|---|---|", *rows]


#: Each table of the page by its name.
TABLES: Mapping[str, Callable[[], list[str]]] = {
    "tournament": lambda: _keys(Tournament),
    "engine": lambda: _keys(EngineSpec),
    "openings": lambda: _keys(OpeningsSpec),
    "ballots": _ballots,
    "adjudication": lambda: _keys(Adjudication),
    "sprt": lambda: _keys(Sprt),
    "events": _event_tables,
    "terminations": _terminations,
    "records": _record_fields,
}


def refreshed(text: str) -> str:
    """The page with its tables as they ought to be. Raises ``KeyError`` for the name of a table that there is not."""
    return _MARKED.sub(lambda found: "\n".join([found[1], *TABLES[found[2]](), "", found[3]]), text)


def absent(text: str) -> list[str]:
    """The tables that the page has no place for."""
    there = {found[2] for found in _MARKED.finditer(text)}
    return [name for name in TABLES if name not in there]


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
