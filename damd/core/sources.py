"""Which files make the compiled core, and the digest that tells a stale build from a fresh one.

The build writes ``digest()`` into each compiled module as ``SOURCE_DIGEST``; in the sources it is empty.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

#: Compiled modules, as stems of files in this folder, each with a ``.py`` and a ``.pxd``.
MODULES = ("board", "evaluation", "lines", "network", "ordering", "search", "table")

#: Plain Python whose ``NAME = number`` lines the build declares to C, so that the compiled modules use constants.
CONSTANTS = "codes"

#: Sub-packages of this folder and the C macros that they are compiled with.
WIDTHS: dict[str, tuple[tuple[str, str], ...]] = {"narrow": (), "wide": (("DAMD_WIDE", "1"),)}


def files(folder: Path = FOLDER) -> list[Path]:
    """Every file that a compiled module is made from, in the order of their names."""
    found = {folder / f"{module}.py" for module in (*MODULES, CONSTANTS)}
    found.update(folder.glob("*.pxd"))
    found.update(folder.glob("*.h"))
    return sorted(found)


def digest(folder: Path = FOLDER) -> str:
    """SHA-256 over names and contents of ``files``, the same whichever line ends a checkout has."""
    total = sha256()
    for file in files(folder):
        content = file.read_bytes().replace(b"\r\n", b"\n")
        total.update(f"{file.name} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()
