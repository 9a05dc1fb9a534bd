"""The file of a tournament: from TOML to a ``Tournament``, every fault told at once by its key.

    [tournament]
    variant = "dam-haji"
    format = "round-robin"
    time = "10+0.1"
    rounds = 20
    seed = 7

    [openings]
    file = "mine.ballots"

    [adjudication]
    resign_plies = 4

    [[engine]]
    name = "full"
    command = "damd"
    options = { Hash = 64 }

    [[engine]]
    name = "half"
    command = ["damd"]
    time = "5+0.05"

``[sprt]`` makes a match a sequential test. ``damd.match.model`` declares every key, its default and its meaning.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from damd import variants
from damd.match.model import EngineSpec, Tournament
from damd.match.plain import Faults, from_plain, shown, to_plain
from damd.match.timecontrol import TimeControl
from damd.rules import Rules
from damd.variants import VariantError
from damd.variants.fault import suggestion

#: The tables of a file beside ``[tournament]``, and the fields of ``Tournament`` that they are.
_TABLES = {"openings": "openings", "adjudication": "adjudication", "sprt": "sprt", "engine": "engines"}
_SECTIONS = ("tournament", *_TABLES)
_LONGEST_NAME = 60
#: Seconds in a minute of DXP, which knows no others, and the highest number of its fields.
_DXP_UNIT_MS = 60_000
_DXP_HIGH = 999


class SettingsError(ValueError):
    """What is wrong with a tournament's file: ``faults`` has the key and a message for each. The text has them all."""

    def __init__(self, file: str, faults: Sequence[tuple[str, str]]) -> None:
        super().__init__(file, tuple(faults))
        self.file = file
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n".join(": ".join(filter(None, (self.file, key, message))) for key, message in self.faults)


def read_settings(file: str, *, seed: int = 0, whole: bool = True) -> Tournament:
    """The tournament of that file, its folders and files made absolute. ``seed`` is that of a file without one.

    Where it is not yet the ``whole`` of a tournament, ``check_tournament`` is left to the caller. Raises ``SettingsError``.
    """
    table = _read_toml(file)
    faults = Faults()
    made = tournament_of(table, faults, seed=seed, whole=whole)
    if made is None:
        raise SettingsError(file, faults.found)
    return _absolute(made, os.path.dirname(os.path.abspath(file)))


def read_engines(file: str) -> tuple[EngineSpec, ...]:
    """The engines of a file; what else it says is not read. Raises ``SettingsError``."""
    table = _read_toml(file)
    faults = Faults()
    rows = table.get("engine", [])
    if not isinstance(rows, list) or not rows:
        raise SettingsError(file, [("engine", "there is none: write [[engine]] with a name and a command")])
    engines = [from_plain(EngineSpec, row, f"engine[{place}]", faults) for place, row in enumerate(rows, 1)]
    for key in table:
        if key not in _SECTIONS:
            faults.add(key, f"unknown table{suggestion(key, _SECTIONS)}")
    if not faults.found:
        _check_engines(engines, faults)
    if faults.found:
        raise SettingsError(file, faults.found)
    folder = os.path.dirname(os.path.abspath(file))
    return tuple(_engine_in(engine, folder) for engine in engines)


def tournament_of(table: dict[str, Any], faults: Faults, *, seed: int = 0, whole: bool = True) -> Tournament | None:
    """The tournament that a table of this form says; ``None`` where there are faults, all of which are added.

    With ``whole`` also those that ``check_tournament`` finds.
    """
    for key in table:
        if key not in _SECTIONS:
            faults.add(key, f"unknown table{suggestion(key, _SECTIONS)}; known are {', '.join(_SECTIONS)}")
    own = table.get("tournament", {})
    if not isinstance(own, dict):
        faults.add("tournament", f"must be a table, not {shown(own)}")
        return None
    for key in _TABLES.values():
        if key in own:
            faults.add(
                f"tournament.{key}", "is a table of its own: write [[engine]]" if key == "engines" else f"write [{key}]"
            )
    inner = Faults()
    parts = {name: table[key] for key, name in _TABLES.items() if key in table}
    made: Tournament | None = from_plain(Tournament, {"seed": seed, **own, "engines": [], **parts}, "", inner)
    for key, message in inner.found:
        faults.add(_key_in_file(key), message)
    if faults.found or made is None:
        return None
    if whole:
        check_tournament(made, faults)
    return None if faults.found else made


def table_of(tournament: Tournament) -> dict[str, Any]:
    """The table that ``tournament_of`` reads back to the same, defaults among it: they may change, a tournament may not."""
    own = to_plain(tournament, whole=True)
    table = {key: own.pop(name) for key, name in _TABLES.items()}
    return {"tournament": own, **table}


def _key_in_file(key: str) -> str:
    first = key.partition(".")[0].partition("[")[0]
    for table, name in _TABLES.items():
        if first == name:
            return table + key[len(name) :]
    return f"tournament.{key}" if key else "tournament"


def _read_toml(file: str) -> dict[str, Any]:
    try:
        with open(file, "rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        message = f"cannot read this file: {error.strerror}"
    except UnicodeDecodeError as error:
        message = f"not UTF-8 (at byte {error.start})"
    except ValueError as error:  # beside TOMLDecodeError what int() says of thousands of digits
        message = f"not TOML: {error}"
    except RecursionError:
        message = "nested too deeply"
    raise SettingsError(file, [("", message)])


# What no key by itself shows


def check_tournament(tournament: Tournament, faults: Faults) -> None:
    """Add what is wrong with a tournament as a whole: also for one that a command line made."""
    if len(tournament.engines) < 2:
        faults.add("engine", f"a tournament is between 2 engines or more, not {len(tournament.engines)}")
    _check_engines(tournament.engines, faults)
    try:
        rules_of(tournament)
    except VariantError as wrong:
        faults.add("tournament.variant", str(wrong))
    if tournament.format == "match" and len(tournament.engines) > 2:
        faults.add("tournament.format", f"a match is between 2 engines, not {len(tournament.engines)}")
    if tournament.pairs != 1 and tournament.format != "swiss":
        faults.add("tournament.pairs", f"goes with the format swiss, not with {tournament.format}")
    if tournament.sprt is not None:
        if tournament.format != "match":
            faults.add("sprt", f"goes with the format match, not with {tournament.format}")
        if tournament.sprt.elo0 >= tournament.sprt.elo1:
            faults.add("sprt.elo1", f"must be above elo0, {tournament.sprt.elo0:g}, not {tournament.sprt.elo1:g}")
    for place, engine in enumerate(tournament.engines, 1):
        message = protocol_fault(engine.protocol, engine.time or tournament.time)
        if message:
            faults.add(f"engine[{place}].time" if engine.time else "tournament.time", f"{engine.name}: {message}")


def rules_of(tournament: Tournament) -> Rules:
    """The rules in force. Raises ``VariantError``."""
    rules = variants.load(tournament.variant, tournament.variant_path or None)
    return rules.without_penalty() if tournament.missed_capture == "forbidden" else rules


def protocol_fault(protocol: str, time: TimeControl) -> str:
    """Why a protocol cannot carry a time control, and what it can; empty where it can.

    DXP has whole minutes for the game, and a number of moves that the game is to end with: nothing else.
    """
    if protocol != "dxp":
        return ""
    if time.base_ms is None or time.movetime_ms or time.depth or time.nodes:
        return f"DXP knows a clock alone, not {time}: write 5:00 or 75/10:00"
    if time.increment_ms:
        return f"DXP knows no increment, as in {time}: write 5:00 or 75/10:00"
    if time.base_ms % _DXP_UNIT_MS or not 1 <= time.base_ms // _DXP_UNIT_MS <= _DXP_HIGH:
        return f"DXP knows whole minutes up to {_DXP_HIGH}, not {time}: write 5:00 or 75/10:00"
    if time.turns is not None and time.turns > _DXP_HIGH:
        return f"DXP knows up to {_DXP_HIGH} moves, not {time.turns}"
    return ""


def _check_engines(engines: Sequence[EngineSpec], faults: Faults) -> None:
    seen: dict[str, int] = {}
    for place, engine in enumerate(engines, 1):
        key = f"engine[{place}]"
        if not engine.name.strip() or engine.name != engine.name.strip() or len(engine.name) > _LONGEST_NAME:
            faults.add(f"{key}.name", f"{shown(engine.name)} must be 1 to {_LONGEST_NAME} characters without blanks around")
        elif engine.name in seen:
            faults.add(f"{key}.name", f"{shown(engine.name)} is the name of engine[{seen[engine.name]}] already")
        seen.setdefault(engine.name, place)
        if not engine.command or not engine.command[0]:
            faults.add(f"{key}.command", 'is empty: write a program and its arguments, as in "damd --log game.txt"')


def _absolute(tournament: Tournament, folder: str) -> Tournament:
    """With files and folders that were relative to the tournament's own file."""
    file, path = tournament.openings.file, tournament.variant_path
    return replace(
        tournament,
        engines=tuple(_engine_in(engine, folder) for engine in tournament.engines),
        openings=replace(tournament.openings, file=os.path.join(folder, file) if file else ""),
        variant_path=os.path.join(folder, path) if path else "",
    )


def _engine_in(engine: EngineSpec, folder: str) -> EngineSpec:
    return replace(engine, folder=os.path.join(folder, engine.folder)) if engine.folder else engine
