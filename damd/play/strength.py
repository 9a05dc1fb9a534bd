"""How strong the engine plays: levels, or limits of one's own."""

from __future__ import annotations

from dataclasses import dataclass

from damd.client import Limit
from damd.levels import FULL_SKILL

#: Depth and nodes of the levels from 1. Either ends a search; the nodes keep a slow, interpreted core bearable, and an
#: engine that has no ``SKILL_OPTION`` is as weak as they make it.
LEVELS = (
    (1, 200),
    (2, 600),
    (3, 2_000),
    (4, 6_000),
    (5, 20_000),
    (7, 60_000),
    (9, 200_000),
    (12, 700_000),
    (16, 2_500_000),
    (60, 10_000_000),
)
SKILL_OPTION = "Skill Level"
#: Its values for the levels from 1, and what people call such a player, the last aside.
SKILLS = (0, 2, 4, 6, 8, 10, 12, 14, 17, FULL_SKILL)
PLAYERS = (
    "a beginner",
    "a beginner who has played a few games",
    "a learner",
    "a learner who has played many games",
    "a casual player",
    "a good casual player",
    "a practised player",
    "a good practised player",
    "a strong player who still errs",
)
#: Hints are thought about at least as hard as this level, or a beginner would be told a beginner's plies.
HINT_LEVEL = 7
#: No level thinks longer, whatever the machine.
LONGEST_MS = 30_000


@dataclass(frozen=True, slots=True)
class Strength:
    """What ends the engine's search: a level, limits of the person's own, or both; whatever is reached first.

    At least one field is set.
    """

    level: int | None = None
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None

    def limit(self) -> Limit:
        if self.level is None:
            return Limit(depth=self.depth, nodes=self.nodes, movetime_ms=self.time_ms)
        depth, nodes = LEVELS[self.level - 1]
        return Limit(
            depth=min(depth, self.depth or depth),
            nodes=min(nodes, self.nodes or nodes),
            movetime_ms=min(LONGEST_MS, self.time_ms or LONGEST_MS),
        )

    @property
    def skill(self) -> int:
        """The value of ``SKILL_OPTION``."""
        return FULL_SKILL if self.level is None else SKILLS[self.level - 1]

    @property
    def manner(self) -> str:
        """How such a level plays, as a sentence; empty where it is none."""
        if self.level is None:
            return ""
        return f"It plays like {PLAYERS[self.level - 1]}." if self.level <= len(PLAYERS) else "It plays as well as it can."

    def hint(self) -> Limit:
        """What ends the search for a hint, which is made with full skill: never less than a fair level."""
        return self.limit() if self.level is None else Strength(max(self.level, HINT_LEVEL)).limit()

    def __str__(self) -> str:
        parts = [f"level {self.level}"] if self.level is not None else []
        parts += [f"depth {self.depth}"] if self.depth is not None else []
        parts += [f"{self.nodes} nodes"] if self.nodes is not None else []
        parts += [f"{self.time_ms / 1000:g} s a ply"] if self.time_ms is not None else []
        return ", ".join(parts)


def time_ms(text: str) -> int | None:
    """Seconds, in words, as milliseconds; ``None`` for what is no time from 0.01 s to a day."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return round(seconds * 1000) if 0.01 <= seconds <= 86_400 else None


DEFAULT = Strength(level=5)
