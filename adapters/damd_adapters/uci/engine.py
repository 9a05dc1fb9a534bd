"""What the server of damd's protocol asks of a foreign engine, and the values between the two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from damd.client import EngineId, Score
from damd.core.types import Ply
from damd.protocol.options import Option
from damd.rules import Rules
from damd_adapters.table import Table

#: Of a program's words to people so many lines are told, and so much of each.
_TOLD_LINES, _TOLD_CHARACTERS = 3, 100


class EngineFault(Exception):
    """The foreign engine cannot be used any more; the text says why, for people."""


def last_words(stderr: str) -> str:
    """The end of what a program has written to stderr, on one line: its last lines, each cut where it is long."""
    lines = [" ".join(line.split()) for line in stderr.splitlines() if line.strip()]
    return " / ".join(
        line if len(line) <= _TOLD_CHARACTERS else line[:_TOLD_CHARACTERS] + "..." for line in lines[-_TOLD_LINES:]
    )


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends. Times are milliseconds; the pairs are White's and Black's.

    A clock may be 0 or below. ``depth``, ``nodes`` and ``movetime_ms`` may be combined with each other and with clocks.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    time_ms: tuple[int | None, int | None] = (None, None)
    increment_ms: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    infinite: bool = False
    ponder: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What an engine has told about its search; a field that it has not is ``None``. The score is the mover's."""

    depth: int | None = None
    seldepth: int | None = None
    score: Score | None = None
    nodes: int | None = None
    nps: int | None = None
    time_ms: int | None = None
    line: tuple[Ply, ...] = ()

    def with_line(self, line: tuple[Ply, ...]) -> Report:
        """The same with the plies that are expected."""
        return replace(self, line=line)


@dataclass(frozen=True, slots=True)
class Choice:
    """How a search has ended: a legal ply and the answer that is expected, or giving up."""

    ply: Ply | None
    expected: Ply | None = None
    resigns: bool = False


class Host(Protocol):
    """What an engine tells outside of its answers."""

    def failed(self, fault: EngineFault) -> None:
        """The engine is gone: the adapter ends. Said once, at any time."""

    def remark(self, text: str, *, debug: bool = True) -> None:
        """Something for people: ``info string``. With ``debug`` only for those who have switched it on."""


#: Hears of a search's progress.
Tell = Callable[[Report], None]


class ForeignEngine(ABC):
    """One foreign engine, started once. Calls come one at a time, ``stop``, ``ponder_hit`` and ``kill`` aside.

    ``identity``, ``options`` and ``variants`` (damd's names, the default first) are known after ``start``. All
    coroutines raise ``EngineFault`` where the engine is lost.
    """

    identity: EngineId = EngineId()
    options: tuple[Option, ...] = ()
    variants: tuple[str, ...] = ()

    @abstractmethod
    async def start(self) -> None:
        """Start it and learn what it has. After a fault nothing is left but what ``close`` ends."""

    @abstractmethod
    def set_variant(self, rules: Rules) -> None:
        """The game from now on; one of ``variants``."""

    @abstractmethod
    def set_option(self, name: str, value: str) -> None:
        """One of ``options`` has this valid value from now on. Raises ``ProtocolError`` where it cannot be told so."""

    @property
    @abstractmethod
    def prepared(self) -> bool:
        """Whether variant and options are in force, so that a search begins at once."""

    @abstractmethod
    async def prepare(self) -> None:
        """Bring them into force."""

    @abstractmethod
    async def new_game(self) -> None:
        """What follows belongs to another game. ``prepare`` has been called."""

    @abstractmethod
    async def search(self, table: Table, limits: Limits, tell: Tell) -> Choice:
        """Search the table's position, which has legal plies and does not change meanwhile.

        Raises ``ProtocolError`` for an answer that is no legal ply, and for limits that cannot be told the engine.
        """

    @abstractmethod
    def stop(self) -> None:
        """End the running search soon. Without one, nothing."""

    @abstractmethod
    def ponder_hit(self) -> None:
        """The ply pondered on was played: the running search goes on under its limits. Without one, nothing."""

    @abstractmethod
    async def close(self) -> None:
        """End the engine, gently at first; within two seconds. Leaves no process. May be called again."""

    @abstractmethod
    def kill(self) -> None:
        """End it at once, without waiting."""
