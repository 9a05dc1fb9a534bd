"""What a check is, how it ends, and how long it waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damd.check.trial import Trial

#: The groups, in the order in which they are run.
GROUPS = ("handshake", "options", "positions", "search", "control", "time", "ending")


class Verdict(Enum):
    """How a check ended; ``SKIP``: it does not apply here, or the machine was too late to tell."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"


class Failed(Exception):
    """The engine broke what the check asks for; the message is for its author."""


class Skipped(Exception):
    """The check says nothing about this engine here; the message says why."""


#: Raises ``Failed`` or ``Skipped``; returns a remark for the table, often empty.
Procedure = Callable[["Trial"], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Check:
    """One named check. ``promise`` is what an engine that passes it does."""

    group: str
    name: str
    promise: str
    procedure: Procedure


@dataclass(frozen=True, slots=True)
class Finding:
    """How one check ended. ``detail`` says what was wrong, or why it was left out.

    ``transcript`` is what was said, a line an entry, marked ``>`` (sent) or ``<`` (received); long stretches are cut.
    """

    check: Check
    verdict: Verdict
    detail: str
    seconds: float
    transcript: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the checks wait for an engine, and how much of its own time it is given."""

    answer_s: float = 10.0  #: any answer, the start of the process included
    search_s: float = 60.0  #: a shallow search by depth or nodes
    end_s: float = 5.0  #: ``quit``, or the end of input, to the end of the process
    check_s: float = 120.0  #: a whole check, beside what its searches by time take
    quiet_s: float = 0.3  #: how long nothing must be said where nothing was asked
    think_s: float = 0.5  #: how long a search without a limit is watched
    margin_ms: float = 100.0  #: ``stop`` to ``bestmove``; a search by time may take so much longer than its time
    budgets_ms: tuple[int, ...] = (50, 200, 500)  #: times that searches are given
    tries: int = 5  #: how often each time is measured
