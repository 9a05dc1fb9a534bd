"""An engine as one text on the command line.

    damd                                             the command alone; its program's name is the engine's
    name=half cmd=damd time=5+0.05 option.Hash=64    words KEY=VALUE, blanks within quotes

Keys are those of ``[[engine]]``: ``name``, ``command`` (``cmd``), ``protocol``, ``folder``, ``time`` (``tc``), ``restart``;
and ``option.NAME`` and ``env.NAME``.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from damd.variants.fault import suggestion

_KEYS = ("name", "command", "protocol", "folder", "time", "restart")
_SHORT = {"cmd": "command", "tc": "time"}
_TABLES = {"option": "options", "env": "environment"}


class EngineWordsError(ValueError):
    """A text that says no engine; the message names the word at fault."""


def engine_tables(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The tables ``[[engine]]`` that the texts say, each with a name of its own. Raises ``EngineWordsError``."""
    tables = [_table(text) for text in texts]
    taken = {table["name"] for table in tables if "name" in table}
    for table in tables:
        if "name" not in table:
            table["name"] = _free(PurePath(shlex.split(table["command"])[0]).stem, taken)
            taken.add(table["name"])
    return tables


def _table(text: str) -> dict[str, Any]:
    try:
        words = shlex.split(text)
    except ValueError as wrong:
        raise EngineWordsError(f"{text}: {str(wrong).lower()}") from None
    if not words:
        raise EngineWordsError("an empty text: write a command, or name=… cmd=…")
    if "=" not in words[0]:
        return {"command": text}
    table: dict[str, Any] = {}
    for word in words:
        _take(word, table)
    if not table.get("command", "").strip():
        raise EngineWordsError(f"{text}: no command: write cmd=… too")
    return table


def _take(word: str, table: dict[str, Any]) -> None:
    key, mark, value = word.partition("=")
    if not mark:
        raise EngineWordsError(f"{word!r} is not of the form KEY=VALUE; a value with blanks stands within quotes")
    outer, dot, inner = key.partition(".")
    if dot and outer in _TABLES and inner:
        table.setdefault(_TABLES[outer], {})[inner] = value
        return
    name = _SHORT.get(key, key)
    if name not in _KEYS:
        known = (*_KEYS, *_SHORT, *(f"{one}.NAME" for one in _TABLES))
        raise EngineWordsError(f"{key!r} is no key of an engine{suggestion(key, known)}; known are {', '.join(known)}")
    if name in table:
        raise EngineWordsError(f"{word!r}: {name} is given twice")
    table[name] = value


def _free(name: str, taken: set[str]) -> str:
    """The name, or with a number where it is taken."""
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}-{count}"
    return found
