"""The session that begins behind the handshake.

A client waits for ``uciok`` at every start. Rules, positions and the engine take twice as long to import as all
that ``uci`` needs, so they are left to the first other line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from damd.daemon.answer import Answer
from damd.daemon.handshake import checked_folder, first_values, handshake
from damd.protocol.errors import ProtocolError

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
