"""Variant files: from TOML text to typed, checked rules.

A file is checked key by key against the declarations in ``damd.rules``, then as a whole. All faults are
collected, so that one run tells an author everything; ``read_file`` raises the first of them.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import Field, dataclass, fields, replace
from typing import Any

from damd.rules import LocalNames, Names, Rules
from damd.variants import ALIASES, SUFFIX, built_in_file, canonical, languages, name_fault, names, well_formed
from damd.variants.contradictions import contradictions
from damd.variants.draws import read_rows
from damd.variants.fault import VariantError, suggestion
from damd.variants.model import START, Example, Perft, Variant
from damd.weights import SUFFIX as WEIGHTS_SUFFIX

Declared = dict[str, Field[Any]]


def _declared(section: type | object) -> Declared:
    return {key.name: key for key in fields(section) if key.metadata}  # type: ignore[arg-type]


#: The sections a file may have and the fields in each of them.
SECTIONS: dict[str, Declared] = {section.name: _declared(getattr(Rules(), section.name)) for section in fields(Rules)}

#: The fields of the tables [names.CODE], one a language.
_LOCAL = _declared(LocalNames)

_ROWS = {"perft": ("fen", "counts", "missed_capture", "rules"), "example": ("fen", "plies", "missed_capture", "rules")}
_MISSED_CAPTURE = ("rule", "forbidden")
_KINDS = {bool: "true or false", int: "a whole number", str: "a text", tuple: "a list of texts"}
_GAMETYPE = re.compile(r"\d{1,2}(,[WB],\d{1,2},\d{1,2},[ANS][0-3],[01])?")

Values = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as far as it could be read: ``variant`` is ``None`` where there are faults.

    ``levels`` says which file of the chain of bases set a key: 0 the first base, and so on up to this file.
    """

    file: str
    variant: Variant | None
    faults: tuple[VariantError, ...]
    levels: dict[str, int]


def read_file(file: str) -> Variant:
    """The variant in that file. Raises the first ``VariantError`` found."""
    reading = examine(file)
    if reading.variant is None:
        raise reading.faults[0]
    return reading.variant


def examine(file: str) -> Reading:
    """Read a file and collect everything that is wrong with it or with its bases."""
    return _examine(file, ())


def file_of_alias(alias: str, folder: str) -> str | None:
    """The file in a user's folder that claims the alias; faulty files claim none.

    Raises ``VariantError`` where two files claim it.
    """
    found: str | None = None
    for name in names(folder):
        file = os.path.join(folder, name + SUFFIX)
        if built_in_file(name):
            continue
        variant = examine(file).variant
        if variant is None or alias not in variant.rules.names.aliases:
            continue
        if found is not None:
            raise VariantError(file, "names.aliases", f'"{alias}" is claimed by {found} as well')
        found = file
    return found


class _Faults:
    """Collects the faults of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[VariantError] = []

    def add(self, key: str, message: str) -> None:
        self.found.append(VariantError(self.file, key, message))

    def touch(self, keys: tuple[str, ...], prefix: str) -> bool:
        return any(
            fault.key == prefix + key or fault.key.startswith(f"{prefix}{key}[") for fault in self.found for key in keys
        )


@dataclass(frozen=True, slots=True)
class _Game:
    """What the rows of a file are about. Only where it is ``judged`` are its rules fit to look for contradictions."""

    rules: Rules
    levels: dict[str, int]
    judged: bool


def _examine(file: str, chain: tuple[str, ...]) -> Reading:
    faults = _Faults(file)
    stem = os.path.basename(file).removesuffix(SUFFIX)
    built_in = built_in_file(stem)
    is_built_in = built_in is not None and os.path.realpath(file) == os.path.realpath(built_in)
    table = _read_toml(file, faults)
    if not is_built_in and (table is not None or os.path.isfile(file)):  # what is no file need not be called like one
        fault = name_fault(stem, file)
        if fault:
            faults.found.append(fault)
    if table is None:
        return Reading(file, None, tuple(faults.found), {})

    base = _base(table.pop("base", None), file, (*chain, os.path.realpath(file)), faults)
    rows = {kind: table.pop(kind, []) for kind in _ROWS}
    values = _sections(table, "", faults)
    own = values.get("evaluation", {})
    if own.get("weights", "").endswith(WEIGHTS_SUFFIX):
        own["weights"] = os.path.join(os.path.dirname(os.path.abspath(file)), own["weights"])
    own_names = _names(values.pop("names", {}), stem, is_built_in, faults)
    base_rules = base.variant.rules if base and base.variant else Rules()
    rules = _changed(replace(base_rules, names=own_names), values)
    levels = _levels(values, base, base_rules)
    # What a faulty base leaves open must not be called a contradiction.
    game = _Game(rules, levels, judged=not any(fault.key == "base" or fault.file != file for fault in faults.found))
    if game.judged:
        _contradictions(game, "", faults)
    perft = [_perft(row, key, game, faults) for key, row in _row_tables("perft", rows["perft"], faults)]
    examples = [_example(row, key, game, faults) for key, row in _row_tables("example", rows["example"], faults)]
    variant = Variant(file, rules, tuple(filter(None, perft)), tuple(filter(None, examples)))
    return Reading(file, None if faults.found else variant, tuple(faults.found), levels)


def _levels(values: Values, base: Reading | None, base_rules: Rules) -> dict[str, int]:
    levels = dict(base.levels) if base else {}
    own = max(levels.values(), default=-1) + 1
    for section, keys in values.items():
        for key, value in keys.items():
            # Saying again what the base's board is does not make it another board.
            if section != "board" or value != getattr(base_rules.board, key):
                levels[f"{section}.{key}"] = own
    return levels


def _read_toml(file: str, faults: _Faults) -> dict[str, Any] | None:
    try:
        with open(file, "rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        faults.add("", f"cannot read this file: {error.strerror}")
    except UnicodeDecodeError as error:
        faults.add("", f"not UTF-8 (at byte {error.start})")
    except ValueError as error:  # not TOML's own error alone: a number of thousands of digits is one of Python's
        faults.add("", f"not TOML: {error}")
    except RecursionError:
        faults.add("", "nested too deeply")
    return None


def _base(name: object, file: str, chain: tuple[str, ...], faults: _Faults) -> Reading | None:
    """The base's own reading; its faults become this file's."""
    if name is None:
        return None
    if not isinstance(name, str):
        faults.add("base", f"must be a text, not {_shown(name)}")
        return None
    folder = os.path.dirname(file)
    plain = canonical(name)
    base_file = built_in_file(plain)
    if base_file is None and well_formed(plain) and os.path.isfile(os.path.join(folder, plain + SUFFIX)):
        base_file = os.path.join(folder, plain + SUFFIX)
    if base_file is None:
        beside = [entry.removesuffix(SUFFIX) for entry in os.listdir(folder or ".") if entry.endswith(SUFFIX)]
        hint = suggestion(plain, (*names(), *ALIASES, *beside))
        faults.add("base", f'no variant "{name}", neither built in nor beside this file{hint}')
        return None
    if os.path.realpath(base_file) in chain:
        circle = [os.path.basename(link).removesuffix(SUFFIX) for link in (*chain, os.path.realpath(base_file))]
        faults.add("base", f"the bases go round in a circle: {' -> '.join(circle)}")
        return None
    base = _examine(base_file, chain)
    faults.found.extend(base.faults)
    return base


def _sections(table: dict[str, Any], prefix: str, faults: _Faults) -> Values:
    """The well-typed values of a table of sections; everything else is a fault."""
    values: Values = {}
    for section, content in table.items():
        place = prefix + section
        if section not in SECTIONS:
            homes = [home for home, keys in SECTIONS.items() if section in keys]
            # Keys of a section that is written twice or not at all are the commonest slip.
            hint = f"; the key belongs into [{homes[0]}]" if homes else suggestion(section, (*SECTIONS, *_ROWS, "base"))
            faults.add(place, f"unknown {'section' if isinstance(content, dict) else 'key'}{hint}")
        elif not isinstance(content, dict):
            faults.add(place, f"must be a section, not {_shown(content)}")
        elif section == "names":
            values[section] = _names_section(content, place, faults)
        else:
            values[section] = _section(SECTIONS[section], content, place, faults)
    return values


def _names_section(content: dict[str, Any], place: str, faults: _Faults) -> dict[str, Any]:
    """The names and, a table for each language, those in languages of the game's own."""
    plain, local = {}, []
    for key, value in content.items():
        if key in SECTIONS["names"] or not (isinstance(value, dict) or key in languages()):
            plain[key] = value
        elif key not in languages():
            faults.add(f"{place}.{key}", f"unknown language; rule sheets are written in {', '.join(languages())}")
        elif not isinstance(value, dict):
            faults.add(f"{place}.{key}", f"must be a table with the keys {' and '.join(_LOCAL)}, not {_shown(value)}")
        else:
            local.append(LocalNames(key, **_section(_LOCAL, value, f"{place}.{key}", faults)))
    return {**_section(SECTIONS["names"], plain, place, faults), "local": tuple(local)}


def _section(section: Declared, content: dict[str, Any], place: str, faults: _Faults) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in content.items():
        declared = section.get(key)
        if declared is None:
            faults.add(f"{place}.{key}", f"unknown key{_key_hint(section, key)}")
            continue
        if declared is SECTIONS["end"]["draws"]:
            draws = read_rows(value, f"{place}.{key}", _type_fault, faults.add)
            values |= {} if draws is None else {key: draws}
            continue
        message = _type_fault(value, declared)
        if message:
            faults.add(f"{place}.{key}", message)
        else:
            values[key] = tuple(value) if isinstance(value, list) else value
    return values


def _key_hint(section: Declared, key: str) -> str:
    hint = suggestion(key, tuple(section))
    homes = [home for home, keys in SECTIONS.items() if key in keys]
    return f"; [{homes[0]}] has such a key" if homes and not hint else hint


def _type_fault(value: object, declared: Field[Any]) -> str:
    """What is wrong with a value by itself: its type, its range or its words. Empty where nothing is."""
    kind = type(declared.default)
    right = isinstance(value, list) if kind is tuple else type(value) is kind
    if not right:
        return f"must be {_KINDS[kind]}, not {_shown(value)}"
    meta = declared.metadata
    if isinstance(value, int) and kind is int and not meta["low"] <= value <= meta["high"]:
        return f"must be {meta['low']} to {meta['high']}, not {value}"
    texts = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            return f"must be a list of texts, but item {number + 1} is {_shown(text)}"
        if not text.isprintable():
            return "must not hold line breaks or other control characters"
        if meta["words"] is not None and text not in meta["words"]:
            allowed = ", ".join(f'"{word}"' for word in meta["words"])
            return f'"{text}" is not one of {allowed}{suggestion(text, meta["words"])}'
        if text in texts[:number]:
            return f'"{text}" is listed twice'
    return ""


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _names(values: dict[str, Any], stem: str, is_built_in: bool, faults: _Faults) -> Names:
    """What the variant is called: never inherited, and the name always the file's."""
    own = Names(**{"name": stem, "title": stem, **values})
    if own.name != stem:
        faults.add("names.name", f'"{own.name}" is not the name of the file, "{stem}", by which the variant goes')
    for alias in own.aliases:
        if not well_formed(alias):
            faults.add("names.aliases", f'"{alias}" cannot be a name: use a-z, 0-9 and single hyphens')
        elif alias == own.name:
            faults.add("names.aliases", f'"{alias}" is the name itself')
        elif not is_built_in and (built_in_file(alias) or alias in ALIASES):
            faults.add("names.aliases", f'"{alias}" is a built-in variant already')
    if own.gametype and not _GAMETYPE.fullmatch(own.gametype):
        faults.add("names.gametype", f'"{own.gametype}" is not a PDN GameType such as "20" or "20,W,10,10,N2,0"')
    return own


def _changed(rules: Rules, values: Values) -> Rules:
    return replace(rules, **{section: replace(getattr(rules, section), **keys) for section, keys in values.items()})


def _contradictions(game: _Game, prefix: str, faults: _Faults) -> None:
    # A key that is at fault by itself kept its base's value: what follows from that would only confuse. And a row
    # need not repeat what its file was told.
    for found in list(contradictions(game.rules, game.levels)):
        if not faults.touch(found.keys, prefix) and not faults.touch(found.keys, ""):
            faults.add(prefix + found.key, found.message)


def _row_tables(kind: str, rows: object, faults: _Faults) -> list[tuple[str, dict[str, Any]]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        faults.add(kind, f"must be rows: write [[{kind}]]")
        return []
    tables = []
    for number, row in enumerate(rows, start=1):
        key = f"{kind}[{number}]"
        for name in row:
            if name not in _ROWS[kind]:
                faults.add(f"{key}.{name}", f"unknown key{suggestion(name, _ROWS[kind])}")
        tables.append((key, row))
    return tables


def _perft(row: dict[str, Any], key: str, game: _Game, faults: _Faults) -> Perft | None:
    before = len(faults.found)
    fen, rules = _row_head(row, key, game, faults)
    counts = row.get("counts")
    if not isinstance(counts, list) or not counts or not all(type(count) is int and count >= 0 for count in counts):
        faults.add(f"{key}.counts", "must be a list of whole numbers, one a depth, from depth 1")
        return None
    return Perft(key, fen, tuple(counts), rules) if len(faults.found) == before else None


def _example(row: dict[str, Any], key: str, game: _Game, faults: _Faults) -> Example | None:
    before = len(faults.found)
    fen, rules = _row_head(row, key, game, faults)
    plies = row.get("plies")
    if not isinstance(plies, list) or not all(isinstance(ply, str) for ply in plies):
        faults.add(f"{key}.plies", "must be the list of all legal plies, each a text")
        return None
    return Example(key, fen, tuple(plies), rules) if len(faults.found) == before else None


def _row_head(row: dict[str, Any], key: str, game: _Game, faults: _Faults) -> tuple[str, Rules]:
    """A row's FEN and the rules it is about."""
    fen = row.get("fen")
    if not isinstance(fen, str) or not fen.isprintable() or not fen:
        faults.add(f"{key}.fen", f'must be a FEN or "{START}"')
    rules = game.rules
    changes = row.get("rules", {})
    if isinstance(changes, dict):
        values = _sections(changes, f"{key}.rules.", faults)
        if values.pop("names", None) is not None:
            faults.add(f"{key}.rules.names", "a row cannot rename the game")
        rules = _changed(rules, values)
        if values and game.judged:
            own = max(game.levels.values(), default=-1) + 1
            levels = {f"{section}.{name}": own for section, keys in values.items() for name in keys}
            _contradictions(_Game(rules, {**game.levels, **levels}, True), f"{key}.rules.", faults)
    else:
        faults.add(f"{key}.rules", "must be a table such as {king = {quiet_limit = 0}}")
    missed = row.get("missed_capture", "rule")
    if missed not in _MISSED_CAPTURE:
        faults.add(f"{key}.missed_capture", f'must be "rule" or "forbidden", not {_shown(missed)}')
    return str(fen), rules.without_penalty() if missed == "forbidden" else rules
