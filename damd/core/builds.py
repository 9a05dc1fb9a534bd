"""Which build of the core runs: the compiled one for the board's width where it is there, else the interpreted.

``DAMD_CORE=interpreted`` in the environment asks for the interpreted one, ``DAMD_CORE=compiled`` makes a
missing compiled one an error.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

COMPILED = "compiled"
INTERPRETED = "interpreted"
NARROW_BITS = 64


def load(module: str, width: int, build: str | None = None) -> tuple[Any, str]:
    """The core's ``module`` ("board" or "search") for boards of ``width`` bits, and the kind of build it is.

    ``build`` is "compiled", "interpreted" or, for what the environment says, ``None``. Raises ``ImportError``
    where a compiled one is asked for and is not there, ``ValueError`` for another word.
    """
    wanted = build or os.environ.get("DAMD_CORE") or ""
    if wanted not in ("", COMPILED, INTERPRETED):
        raise ValueError(f"unknown build of the core: {wanted} (compiled or interpreted)")
    if wanted != INTERPRETED:
        package = "narrow" if width <= NARROW_BITS else "wide"
        try:
            return import_module(f"damd.core.{package}.{module}"), COMPILED
        except ModuleNotFoundError as fault:
            if wanted == COMPILED:
                raise ImportError(f"the core is not compiled for {width} bits") from fault
    return import_module(f"damd.core.{module}"), INTERPRETED
