"""Positions used again and again: making one takes a millisecond, setting one up a hundredth of that."""

from __future__ import annotations

from damd.core.position import Position, start_setup
from damd.core.types import Setup
from damd.rules import Rules


class Pool:
    """One position for all games of the same rules: what ``at`` gives is good until it is called again."""

    def __init__(self) -> None:
        self._positions: dict[Rules, Position] = {}

    def at(self, rules: Rules, setup: Setup | None) -> Position:
        """The position of that setup, or the start position; without a history."""
        position = self._positions.get(rules)
        if position is None:
            position = self._positions[rules] = Position(rules)
        position.set(setup or start_setup(rules))
        return position
