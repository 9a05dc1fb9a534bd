"""What the handshake says: who the daemon is, its options, and the values that they have at the start.

Kept apart from the session: a client waits for ``uciok`` at every start, and this imports no rules and no engine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from damd import __version__, variants
from damd.core import builds
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import OPTIONS


def first_values(variant_path: str) -> dict[str, str]:
    """The value that each option has at the start."""
    return {option.name: option.default for option in OPTIONS} | {"VariantPath": variant_path}


def handshake(values: Mapping[str, str], first_path: str) -> list[str]:
    """The answer to ``uci``: an error line in it where the folder of the user's variants has become unreadable."""
    lines = [
        f"id name damd {__version__}",
        "id author the damd authors",
        f"info string core {builds.load('board', builds.NARROW_BITS)[1]}",
        f"info string variant {values['UCI_Variant']}, missed capture {values['MissedCapture']}, "
        f"first mover {values['FirstMover']}",
    ]
    try:
        names = variants.names(values["VariantPath"] or None)
    except variants.VariantError as fault:
        lines.append(ProtocolError(Code.BAD_VARIANT, "", str(fault)).line())
        names = variants.names()
    for option in OPTIONS:
        if option.name == "UCI_Variant":
            option = option.with_choices(names)
        elif option.name == "VariantPath":
            option = replace(option, default=first_path)
        lines.append(option.line())
    return [*lines, "uciok"]


def checked_folder(path: str) -> str:
    """``path`` where it is a folder of readable variant files, or empty. Raises ``ProtocolError``."""
    folder = os.path.expanduser(path)
    if folder:
        try:
            variants.names(folder)
        except variants.VariantError as fault:
            told = fault.message if fault.file == folder else str(fault)  # the folder is named already
            raise ProtocolError(Code.BAD_VALUE, path, told) from fault
        except ValueError as fault:  # a path with a NUL
            raise ProtocolError(Code.BAD_VALUE, path, str(fault)) from fault
    return folder
