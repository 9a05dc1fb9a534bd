"""The handshake, and the session that begins behind it.

A client waits for ``uciok`` at every start. Rules, positions and the engine take twice as long to import as all
that ``uci`` needs, so they are left to the first other line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from damd import __version__, variants
from damd.core import builds
from damd.daemon.answer import Answer
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import OPTIONS

if TYPE_CHECKING:
    from damd.daemon.session import Session


class Reception:
    """Answers for a session that is made only when a line needs it.

    Raises ``ProtocolError`` where ``variant_path`` is no folder of variants.
    """

    def __init__(self, variant_path: str = "") -> None:
        self._path = checked_folder(variant_path)
        self._session: Session | None = None

    def answer(self, line: str) -> Answer:
        """The answer to one line that is not blank."""
        if self._session is None and line.split() == ["uci"]:
            return Answer(handshake(first_values(self._path), self._path))
        return self._open().answer(line)

    def refusal(self, name: str) -> ProtocolError:
        """The error for a command that came during an unbounded search."""
        return self._open().refusal(name)

    def _open(self) -> Session:
        if self._session is None:
            from damd.daemon.session import Session

            self._session = Session(self._path)
        return self._session


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
            raise ProtocolError(Code.BAD_VALUE, path, str(fault)) from fault
    return folder
