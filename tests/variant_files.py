"""Writing variant files in tests, asking what is wrong with them, and changing rules key by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from damd import variants
from damd.rules import Rules
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
    if isinstance(old, tuple):
        words: Sequence[str] = declared["words"] or ("another", "second")
        lists = [(word,) for word in words] + [tuple(words)]
        return [value for value in lists if set(value) != set(old)]
    if declared["words"]:
        return [word for word in declared["words"] if word != old]
    return ["30"] if section == "start" else ["another"]


def without_local_names(rules: Rules) -> Rules:
    return replace(rules, names=replace(rules.names, local=()))
