"""What a refusal is made of: causes, each a rule's key or one of a few faults that are the same under all rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from damd.core.types import Ply
from damd.notation.spelling import format_ply
from damd.notation.squares import listed
from damd.rules import Rules

#: Of the plies that are to be played instead so many are named.
NAMED = 12


class Fault(Enum):
    """Why a text names no legal ply where no rule of a variant decides. The words are stable."""

    UNREADABLE = "unreadable"
    GAME_OVER = "game-over"
    TURN = "turn"
    NO_PIECE = "no-piece"
    NO_MOVE = "no-move"
    OCCUPIED = "occupied"
    BLOCKED = "blocked"
    NO_LINE = "no-line"
    DISTANCE = "distance"
    NOTHING = "nothing-taken"
    TWICE = "twice"
    NO_ROUTE = "no-route"
    NO_RIGHT = "no-right"


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason, and what is to be said about it.

    ``rules`` are keys of the variant file, such as ``men.captures``: with another value there, this reason would be
    gone. ``fault`` is what no rule would change. A claim where captures cannot be missed has both; a remark has
    neither.
    """

    clause: str
    rules: tuple[str, ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text is no legal ply. ``instead`` are the plies to be played, in the order of their paths.

    ``lead`` is what stands before them in one sentence with the causes; empty where they are not worth telling.
    """

    causes: tuple[Cause, ...]
    instead: tuple[Ply, ...] = ()
    lead: str = "; legal"

    @property
    def fault(self) -> Fault | None:
        return next((cause.fault for cause in self.causes if cause.fault is not None), None)

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for cause in self.causes for key in cause.rules))

    def message(self, rules: Rules, squares: str) -> str:
        """All in one line of bounded length."""
        text = "; ".join(dict.fromkeys(cause.clause for cause in self.causes))
        if not self.lead or not self.instead:
            return text
        verb = (" are " if len(self.instead) > 1 else " is ") if self.lead == "; legal" else ""
        return text + self.lead + verb + paths(self.instead, rules, squares)


def in_order(plies: Sequence[Ply]) -> tuple[Ply, ...]:
    return tuple(sorted(plies, key=lambda ply: ply.path))


def paths(plies: Sequence[Ply], rules: Rules, squares: str) -> str:
    """The plies' full paths, the first of them."""
    return listed(plies, lambda ply: format_ply(ply, rules.geometry, squares), NAMED)


def either(words: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def both(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def pieces(number: int) -> str:
    return "1 piece" if number == 1 else f"{number} pieces"
