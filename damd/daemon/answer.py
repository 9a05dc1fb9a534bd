"""What a session gives back for one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damd.daemon.work import Work

#: Takes one line of output.
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """The lines of an answer; ``work`` says the rest of them, where there is a rest."""

    lines: list[str] = field(default_factory=list)
    work: Work | None = None
