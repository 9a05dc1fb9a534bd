"""Writing variant files in tests and asking what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from damd import variants
from damd.variants import VariantError
from damd.variants.loader import examine


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
