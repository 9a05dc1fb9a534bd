"""The example files: each is one house rule in one line, and its rows show what the line changes."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from damd import rows, variants
from damd.rules import Names, Rules
from damd.variants import commands
from damd.variants.loader import SECTIONS, examine
from damd.variants.model import Example, Perft
from damd.variants.sheet import describe

FOLDER = Path(__file__).parent.parent / "examples"
FILES = sorted(FOLDER.glob("*.toml"))

#: The keys that a house rule may be about, and values of which one has to be shown.
SHOWN: dict[str, tuple[Any, ...]] = {
    "king.flying": (True, False),
    "men.captures": (("forward-diagonal",), ("forward-diagonal", "backward-diagonal")),
    "capture.choice": ((), ("pieces",)),
    "capture.compulsory": (False,),
    "penalty.take": (0,),
    "promotion.in_capture": ("stop", "as-man", "as-king"),
    "king.landing": ("behind",),
    "capture.removal": ("at-once", "end-of-move"),
    "start.first": ("black",),
}


def keys_set(file: Path) -> dict[str, Any]:
    """The keys of rules that a file sets, with their values."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        f"{section}.{key}": tuple(value) if isinstance(value, list) else value
        for section in SECTIONS
        for key, value in table.get(section, {}).items()
    }


def nameless(rules: Rules) -> Rules:
    return replace(rules, names=Names())


def answer(row: Perft | Example) -> tuple[object, ...]:
    return tuple(sorted(row.plies)) if isinstance(row, Example) else row.counts


def differ(own: Rules, base: Rules, shown: Sequence[Perft | Example]) -> bool:
    """True where two rows give one position both rules, and different answers."""
    return any(
        mine.fen == theirs.fen and mine.rules == own and theirs.rules == base and answer(mine) != answer(theirs)
        for mine in shown
        for theirs in shown
        if type(mine) is type(theirs)
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
class TestEachFile:
    def test_it_is_one_line_and_says_what_it_is(self, file: Path) -> None:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith("# House rule: ")
        assert lines[1].startswith('base = "')
        assert len(keys_set(file)) == 1
        assert lines[3] == ""

    def test_its_rows_agree(self, file: Path) -> None:
        out = io.StringIO()
        assert commands.check([file], out, rows.run_rows) == 0, out.getvalue()
        assert "rows agree" in out.getvalue()

    def test_its_rows_show_the_difference(self, file: Path) -> None:
        variant = examine(str(file)).variant
        assert variant is not None
        base = variants.load(tomllib.loads(file.read_text(encoding="utf-8"))["base"])
        shown = [replace(row, rules=nameless(row.rules)) for row in (*variant.perft, *variant.examples)]
        own, theirs = nameless(variant.rules), nameless(base)
        assert differ(own, theirs, shown) or differ(own.without_penalty(), theirs.without_penalty(), shown)

    @pytest.mark.parametrize("language", variants.languages())
    def test_its_sheet_differs_from_the_base_s(self, file: Path, language: str) -> None:
        base = variants.load(tomllib.loads(file.read_text(encoding="utf-8"))["base"])
        rules = variants.load_file(file)
        assert describe(nameless(rules), language) != describe(nameless(base), language)


def test_the_house_rules_are_all_shown() -> None:
    shown = [item for file in FILES for item in keys_set(file).items()]
    assert [(key, value) for key, values in SHOWN.items() for value in values if (key, value) not in shown] == []


def test_the_readme_lists_them() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    for file in FILES:
        line = file.read_text(encoding="utf-8").splitlines()[2]
        key, value = line.split(" = ", 1)
        row = next((row for row in readme.splitlines() if row.startswith("| `") and f"`{key} = " in row), "")
        assert value in row or value == '["forward-diagonal"]', line


def test_the_folder_can_be_offered() -> None:
    assert variants.names(FOLDER)[-len(FILES) :] == tuple(file.stem for file in FILES)
    assert len(FILES) > 15
