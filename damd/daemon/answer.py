"""What a session gives back for one line: lines, and work that takes time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

#: Takes one line of output.
Say = Callable[[str], None]


class Work(ABC):
    """What takes time, and says the rest of an answer from the worker's thread."""

    @property
    def bounded(self) -> bool:
        """True where the work ends by itself: lines then wait for it instead of being refused."""
        return True

    @abstractmethod
    def run(self, say: Say) -> None:
        """Do it and say every line of the answer. Called once, in the worker's thread."""

    @abstractmethod
    def stop(self) -> None:
        """End it soon, also where it has not begun. From any thread, more than once if need be."""

    def ponder_hit(self) -> bool:
        """The ply pondered on was made. False where nothing was pondered on."""
        return False


@dataclass(frozen=True, slots=True)
class Answer:
    """The lines of an answer; ``work`` says the rest of them, where there is a rest."""

    lines: list[str] = field(default_factory=list)
    work: Work | None = None
