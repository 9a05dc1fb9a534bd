"""Levels of strength, and the dice that a weak player's faults are thrown with. Pure numbers: no position, no search.

All constants that decide how strong a level is stand in ``_LADDER``. Its ``elo`` column is not set but measured: matches
of each rung against the one below it, in three games of different kinds, the differences rounded to 100. Whoever changes
the search or the evaluation much measures anew, here for skill 5 against 0 (the top rung is set by its ``UCI_Elo``):

    python benchmarks/strength.py --a . --b . --variant dam-haji,dam-daman,international --games 12 --seed 7 \\
        --random-plies 4 --nodes 200000 --option-a "Skill Level=5" --option-b "Skill Level=0"

protocol.md shows the figures, and `pytest --long tests/test_levels.py` checks that each rung still beats the one below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Level:
    """How a player of limited strength looks at a position.

    He sees ``depth`` plies deep and ``nodes`` positions far at most, and weighs his ``lines`` best plies against each
    other. With a chance of ``overlooks`` for each ply he sees only ``glance`` plies of what follows it, 0 being the
    position right behind it. ``misses`` is the chance that a capture, or the right to a claim, escapes him altogether.
    What he thinks of a ply is off by some ``noise`` centipawns.
    """

    depth: int
    nodes: int
    lines: int
    glance: int
    overlooks: float
    misses: float
    noise: float


@dataclass(frozen=True, slots=True)
class _Rung:
    """A level of the ladder; what lies between two is interpolated."""

    skill: int
    elo: int
    depth: float
    nodes: float
    lines: float
    overlooks: float
    misses: float
    noise: float


_LADDER = (
    _Rung(0, 1000, depth=1, nodes=1_000, lines=8, overlooks=0.35, misses=0.10, noise=35),
    _Rung(5, 1600, depth=3, nodes=3_000, lines=8, overlooks=0.35, misses=0.05, noise=35),
    _Rung(10, 2000, depth=5, nodes=10_000, lines=7, overlooks=0.14, misses=0.02, noise=18),
    _Rung(15, 2300, depth=8, nodes=30_000, lines=5, overlooks=0.06, misses=0.0, noise=8),
    _Rung(20, 2500, depth=12, nodes=100_000, lines=1, overlooks=0.0, misses=0.0, noise=0),
)

#: The skill of a player that is not weakened.
FULL_SKILL = _LADDER[-1].skill
LOWEST_ELO = _LADDER[0].elo
#: Where the scale ends: full skill with the last rung's depth and nodes.
HIGHEST_ELO = _LADDER[-1].elo


def level_of_skill(skill: float) -> Level:
    """The level of a skill from 0 to ``FULL_SKILL``; broken ones lie between their neighbours."""
    at = next((i for i in range(1, len(_LADDER)) if skill <= _LADDER[i].skill), len(_LADDER) - 1)
    low, high = _LADDER[at - 1], _LADDER[at]
    part = (skill - low.skill) / (high.skill - low.skill)
    depth = math.floor(_between(low.depth, high.depth, part))
    return Level(
        depth=depth,
        nodes=round(low.nodes * (high.nodes / low.nodes) ** part),
        lines=math.ceil(_between(low.lines, high.lines, part)),
        glance=depth // 3,
        overlooks=_between(low.overlooks, high.overlooks, part),
        misses=_between(low.misses, high.misses, part),
        noise=_between(low.noise, high.noise, part),
    )


def level_of_elo(elo: int) -> Level:
    """The level that plays as strong as ``elo`` says, from ``LOWEST_ELO`` to ``HIGHEST_ELO``."""
    at = next((i for i in range(1, len(_LADDER)) if elo <= _LADDER[i].elo), len(_LADDER) - 1)
    low, high = _LADDER[at - 1], _LADDER[at]
    return level_of_skill(_between(low.skill, high.skill, (elo - low.elo) / (high.elo - low.elo)))


def _between(low: float, high: float, part: float) -> float:
    return low + (high - low) * part


class Dice:
    """Numbers that look thrown and depend on nothing but the ``seeds`` and what they are thrown for."""

    def __init__(self, *seeds: int) -> None:
        self._state = _mixed(0, seeds)

    def throw(self, *purpose: int) -> float:
        """A number between 0 and 1, neither of them; the same for the same purpose."""
        return (((_mixed(self._state, purpose) >> 12) << 1) + 1) / (1 << 53)

    def error(self, *purpose: int) -> float:
        """An error of judgement: mostly within 1 of 0, above 3 once in 20 throws.

        Whoever takes the best of several numbers after adding such errors takes each of them the more rarely the
        worse it is: the odds of two fall by a factor of e for each 1 between them.
        """
        return -math.log(-math.log(self.throw(*purpose)))


def _mixed(state: int, words: tuple[int, ...]) -> int:
    """``state`` and ``words`` as 64 well mixed bits; of each word 64 bits count."""
    for word in words:
        state = (state + word + 0x9E3779B97F4A7C15) & _WORD
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _WORD
        state ^= state >> 31
    return state
