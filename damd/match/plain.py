"""Values as tables, lists, numbers and texts, for TOML and JSON, and back with every fault told by its key.

What a field takes is declared once, at the field: its type and, in its metadata, words, bounds and forms (``setting``).
"""

from __future__ import annotations

import shlex
import types
from collections.abc import Callable
from dataclasses import MISSING, Field, field, fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Union, get_args, get_origin, get_type_hints

from damd.variants.fault import suggestion

#: A table of texts in TOML and JSON.
PAIRS = tuple[tuple[str, str], ...]

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_LONGEST = 80
#: Whole numbers below this one are numbers of either kind.
_WHOLE = 1 << 53


def setting(
    doc: str,
    default: Any = MISSING,
    *,
    words: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    split: bool = False,
) -> Any:
    """A field with its description.

    ``words`` lists the texts it may have, ``low`` and ``high`` bound a number. With ``split`` a list of texts may be
    written as a command line.
    """
    told = {"doc": doc, "words": words, "low": low, "high": high, "split": split}
    return field(metadata=told) if default is MISSING else field(default=default, metadata=told)


def as_text(doc: str, read: Callable[[str], Any]) -> dict[str, Any]:
    """The metadata of a field that is written as a text: ``str`` makes it, ``read`` reads it or raises ``ValueError``."""
    return {"doc": doc, "read": read}


def as_rows() -> Any:
    """A field that holds a tuple of small dataclasses, each written as a list of its fields' values."""
    return field(default=(), metadata={"rows": True})


class Faults:
    """Collects what is wrong: ``found`` has the key and a message for each."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def add(self, key: str, message: str) -> None:
        self.found.append((key, message))


class _Unread(Exception):
    """A value could not be read; why is among the faults."""


def to_plain(value: Any, *, whole: bool = False) -> Any:
    """A dataclass as a table; without the fields that have their default, unless it is to be ``whole``."""
    if is_dataclass(value):
        kind: Any = type(value)
        table: dict[str, Any] = {}
        for declared in fields(value):
            own = getattr(value, declared.name)
            if own == declared.default and not whole:
                continue
            if declared.metadata.get("rows"):
                table[declared.name] = [_row(item) for item in own]
            elif declared.metadata.get("read") and own is not None:
                table[declared.name] = str(own)
            elif _hints(kind)[declared.name] == PAIRS:
                table[declared.name] = dict(own)
            else:
                table[declared.name] = to_plain(own, whole=whole)
        return table
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [to_plain(item, whole=whole) for item in value]
    return value


def _row(item: Any) -> list[Any]:
    """The values of its fields, without those at the end that have their default."""
    kind: Any = type(item)
    values_of, defaults = _reader(kind)
    values = list(values_of(item))
    while values and values[-1] == defaults[len(values) - 1]:
        values.pop()
    return values


@cache
def _reader(kind: Any) -> tuple[Callable[[Any], tuple[Any, ...]], list[Any]]:
    """What gives the values of a row's fields, and their defaults."""
    declared = fields(kind)
    return attrgetter(*(one.name for one in declared)), [one.default for one in declared]


def from_plain(kind: type, data: Any, key: str, faults: Faults) -> Any:
    """The value of that dataclass which ``data`` says; ``None`` where there are faults, all of which are added."""
    before = len(faults.found)
    try:
        made = _dataclass(kind, data, key, faults)
    except _Unread:
        return None
    return made if len(faults.found) == before else None


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _dataclass(kind: type, data: Any, key: str, faults: Faults) -> Any:
    if not isinstance(data, dict):
        raise _told(faults, key, f"must be a table, not {shown(data)}")
    declared = {one.name: one for one in fields(kind)}
    values = {}
    for name, value in data.items():
        place = f"{key}.{name}" if key else name
        if name not in declared:
            faults.add(place, f"unknown key{suggestion(name, tuple(declared))}")
            continue
        try:
            values[name] = _field(declared[name], _hints(kind)[name], value, place, faults)
        except _Unread:
            values[name] = None
    for name, one in declared.items():
        if name not in data and one.default is MISSING:
            faults.add(f"{key}.{name}" if key else name, f"is missing: {one.metadata.get('doc', 'it has no default')}")
            values[name] = None
    if any(place == key or place.startswith((f"{key}.", f"{key}[")) for place, _ in faults.found) or (
        not key and faults.found
    ):
        raise _Unread
    try:
        return kind(**values)
    except ValueError as wrong:
        raise _told(faults, key, str(wrong)) from None


def _field(declared: Field[Any], kind: Any, data: Any, key: str, faults: Faults) -> Any:
    told = declared.metadata
    if told.get("rows"):
        return _rows(get_args(kind)[0], data, key, faults)
    if told.get("read") is not None and data is not None:
        if not isinstance(data, str):
            raise _told(faults, key, f"must be a text, not {shown(data)}")
        try:
            return told["read"](data)
        except ValueError as wrong:
            raise _told(faults, key, str(wrong)) from None
    if told.get("split") and isinstance(data, str):
        try:
            data = shlex.split(data)
        except ValueError as wrong:
            raise _told(faults, key, f"{shown(data)}: {str(wrong).lower()}") from None
    value = _value(kind, data, key, faults)
    message = _bounds_fault(value, told) if "doc" in told else ""
    if message:
        raise _told(faults, key, message)
    return value


def _value(kind: Any, data: Any, key: str, faults: Faults) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        return _value(next(one for one in get_args(kind) if one is not type(None)), data, key, faults)
    if kind == PAIRS:
        return _pairs(data, key, faults)
    if origin is tuple:
        if not isinstance(data, list):
            raise _told(faults, key, f"must be a list, not {shown(data)}")
        inner = get_args(kind)[0]
        return tuple(_value(inner, item, f"{key}[{place}]", faults) for place, item in enumerate(data, 1))
    if is_dataclass(kind):
        return _dataclass(kind, data, key, faults)  # type: ignore[arg-type]
    if issubclass(kind, Enum):
        words = tuple(str(one.value) for one in kind)
        if data not in words:
            raise _told(faults, key, _word_fault(data, words))
        return kind(data)
    if kind is float and type(data) is int and abs(data) < _WHOLE:
        return float(data)
    if type(data) is not kind:
        raise _told(faults, key, f"must be {_KINDS[kind]}, not {shown(data)}")
    return data


def _pairs(data: Any, key: str, faults: Faults) -> PAIRS:
    """A table of texts; numbers, true and false are taken for the texts that an engine would be told."""
    if not isinstance(data, dict):
        raise _told(faults, key, f"must be a table, not {shown(data)}")
    found = []
    for name, value in data.items():
        if isinstance(value, bool):
            found.append((name, "true" if value else "false"))
        elif isinstance(value, str | int | float):
            found.append((name, str(value)))
        else:
            raise _told(faults, f"{key}.{name}", f"must be a text, a number, true or false, not {shown(value)}")
    return tuple(found)


def _rows(kind: Any, data: Any, key: str, faults: Faults) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise _told(faults, key, f"must be a list, not {shown(data)}")
    columns = _columns(kind)
    made = []
    for place, row in enumerate(data, 1):
        if not isinstance(row, list) or len(row) > len(columns):
            raise _told(faults, f"{key}[{place}]", f"must be a list of at most {len(columns)} values, not {shown(row)}")
        misfit = _misfit(kind, tuple(map(type, row)))
        if misfit is not None:
            raise _told(faults, f"{key}[{place}].{columns[misfit][0]}", f"{shown(row[misfit])} is not of its kind")
        try:
            made.append(kind(*row))
        except (TypeError, ValueError) as wrong:
            raise _told(faults, f"{key}[{place}]", str(wrong)) from None
    return tuple(made)


@cache
def _columns(kind: Any) -> tuple[tuple[str, frozenset[type]], ...]:
    """The fields of a row and the types that each may have; a whole number may stand for any number."""
    columns = []
    for one in fields(kind):
        hint = _hints(kind)[one.name]
        allowed = set(get_args(hint)) or {hint}
        columns.append((one.name, frozenset(allowed | {int} if float in allowed else allowed)))
    return tuple(columns)


@lru_cache(maxsize=256)
def _misfit(kind: Any, found: tuple[type, ...]) -> int | None:
    """Which value of a row with values of these types is of a type that its field cannot have; few rows differ."""
    for place, (value, (_, allowed)) in enumerate(zip(found, _columns(kind), strict=False)):
        if value not in allowed:
            return place
    return None


def _bounds_fault(value: Any, told: Any) -> str:
    words, low, high = told.get("words"), told.get("low"), told.get("high")
    if words and isinstance(value, str) and value not in words:
        return _word_fault(value, words)
    if isinstance(value, int | float) and not isinstance(value, bool) and low is not None and not low <= value <= high:
        return f"must be {low} to {high}, not {value}"
    if isinstance(value, str) and not value.isprintable():
        return "must not hold line breaks or other control characters"
    return ""


def _word_fault(value: Any, words: tuple[str, ...]) -> str:
    hint = suggestion(value, words) if isinstance(value, str) else ""
    return f"{shown(value)} is not one of {', '.join(filter(None, words))}{hint}"


def _told(faults: Faults, key: str, message: str) -> _Unread:
    faults.add(key, message)
    return _Unread()


def shown(value: Any) -> str:
    """A value as a message shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return f'"{cut}"' if isinstance(value, str) else cut
