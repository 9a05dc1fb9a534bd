"""Writing variant files in tests, asking what is wrong with them, and changing rules key by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from damd import variants
from damd.rules import DrawRule, Force, Rules, Span
from damd.variants import VariantError
from damd.variants.loader import SECTIONS, examine

#: Sections that say how damd plays, not what is played.
NO_RULES = ("evaluation",)


def write(folder: Path, text: str, name: str = "mine") -> str:
    """Writes a variant file and gives its path."""
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def faults(file: str) -> list[str]:
    """``KEY: message`` of every fault."""
    return [f"{fault.key}: {fault.message}" for fault in examine(file).faults]


def fault(file: str) -> tuple[str, str]:
    """The only fault: its key and its message; ``load_file`` must raise the same."""
    found = examine(file).faults
    assert len(found) == 1, [str(one) for one in found]
    with pytest.raises(VariantError) as raised:
        variants.load_file(file)
    assert str(raised.value) == str(found[0])
    return found[0].key, found[0].message


def other_values(rules: Rules, section: str, key: str) -> list[Any]:
    """Values that a key could have instead of its own, each with another meaning."""
    old = getattr(getattr(rules, section), key)
    declared = SECTIONS[section][key].metadata
    if isinstance(old, bool):
        return [not old]
    if isinstance(old, int):
        values: list[Any] = [declared["low"], declared["low"] + 1, declared["high"] - 1, declared["high"]]
        return [value for value in values if value != old]
    if key == "draws":
        return [value for value in draw_rules() if value != old]
    if isinstance(old, tuple):
        words: Sequence[str] = declared["words"] or ("another", "second")
        lists = [(word,) for word in words] + [tuple(words)]
        return [value for value in lists if set(value) != set(old)]
    if declared["words"]:
        return [word for word in declared["words"] if word != old]
    return ["30"] if section == "start" else ["another"]


def draw_rules() -> list[tuple[DrawRule, ...]]:
    """Draw rules of every shape, each but for the last list alone."""
    king = Force(kings=Span(1, 1))
    least = [Span(1), Span(2), Span(6)]
    exact = [Span(0, 0), Span(1, 1), Span(3, 3), Span(5, 5)]
    between = [Span(1, 2), Span(4, 5), Span(1, 3), Span(4, 6)]
    spans = [*exact, *least, Span(0, 1), Span(0, 2), Span(0, 7), *between]
    forces = [Force(**{what: span}) for what in ("pieces", "men", "kings") for span in spans]
    rules = [DrawRule("a", 9, force, Force()) for force in forces]
    rules += [
        DrawRule("a", 9, Force(pieces=Span(3, 3), kings=Span(1)), king),
        DrawRule("a", 9, Force(pieces=Span(3, 3), kings=Span(1), men=Span(1)), king),
        DrawRule("a", 9, Force(kings=Span(2, 2), men=Span(0, 0)), king),
        DrawRule("a", 9, Force(kings=Span(2, 2), men=Span(1, 1)), king),
    ]
    for limit in (1, 9):
        rules += [
            DrawRule("a", limit),
            DrawRule("a", limit, renewed_by="balance"),
            DrawRule("a", limit, renewed_by="progress"),
            DrawRule("a", limit, Force(kings=Span(2, 2)), king),
            DrawRule("a", limit, Force(kings=Span(2, 2)), king, pieces=Span(4, 5)),
            DrawRule("a", limit, king, king),
            DrawRule("a", limit, king, king, pieces=Span(4, 5)),
            DrawRule("a", limit, pieces=Span(4, 5)),
        ]
    rules += [
        DrawRule("a", 9, Force(kings=Span(2, 2)), king, renewed_by="balance"),
        DrawRule("a", 9, Force(kings=Span(2, 2)), king, renewed_by="progress"),
        DrawRule("a", 9, Force(kings=Span(2, 2)), king, main_road="one"),
        DrawRule("a", 9, Force(kings=Span(2, 2)), king, main_road="other"),
        DrawRule("a", 9, king, king, main_road="one"),
        DrawRule("a", 9, king, king, unless_capture=True),
        DrawRule("a", 9, king, king, replaces_move_limit=True),
    ]
    return [(), *((rule,) for rule in rules), tuple(rules[:2])]


def without_local_names(rules: Rules) -> Rules:
    return replace(rules, names=replace(rules.names, local=()))
