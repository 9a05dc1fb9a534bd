"""Comparing the core with the reference, position by position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import reference
from damd.core.position import Position
from damd.core.types import Ply, Right, Setup
from damd.rules import Rules
from positions import name_path, random_plies, write

#: Positions with more routes than this are left out of random comparisons; the explosive ones have their own tests.
ROUTES = 4000

#: Of more plies than this, half as many are played.
MANY = 60

_NOTHING: frozenset[int] = frozenset()
_EMPTY = Setup(0, (_NOTHING, _NOTHING), (_NOTHING, _NOTHING))


class Comparison:
    """The core under one set of rules, in one build, beside the reference."""

    def __init__(self, rules: Rules, build: str | None = None) -> None:
        self.rules = rules
        self.build = build
        self.position = Position(rules, _EMPTY, build=build)
        self.other = Position(rules, _EMPTY, build=build)

    def game(self, setup: Setup, random: Random, length: int) -> int:
        """Play a random game in the core and in the reference; return how many positions agreed."""
        position = self.position
        position.set(setup)
        seen: dict[Setup, int] = {}
        keys: dict[int, Setup] = {}
        agreed = 0
        history: list[Setup] = []
        for turn in random_plies(self.rules, setup, random, length, ROUTES):
            uncounted = replace(turn.setup, halfmoves=0, fullmoves=1)
            if not turn.setup.halfmoves:  # what resets the counter cuts the search for repetitions
                seen.clear()
            seen[uncounted] = seen.get(uncounted, 0) + 1
            history.append(turn.setup)
            difference = self.difference(position, turn.setup, turn.choices, seen[uncounted], history)
            if difference:
                told = self.smallest(turn.setup) or difference
                raise AssertionError(f"{told}\nfrom {self.words(turn.setup)}\n{self.rules}")
            assert keys.setdefault(position.key, uncounted) == uncounted, f"key of two positions: {self.words(turn.setup)}"
            agreed += 1
            if turn.played is not None:
                position.play(turn.played[0])
        while position.played:
            position.undo()
        assert position.setup() == setup
        return agreed

    def difference(
        self,
        position: Position,
        setup: Setup,
        choices: list[tuple[Ply, Setup]],
        occurrences: int,
        history: Sequence[Setup] = (),
    ) -> str:
        """What is different between the core's position and the reference's, in words; nothing where they agree."""
        board = self.rules.geometry
        if position.setup() != setup:
            return f"setup is {self.words(position.setup())}, should be {self.words(setup)}"
        if position.repetitions != occurrences:
            return f"repetitions is {position.repetitions}, should be {occurrences}"
        listed = position.plies()
        expected = {ply for ply, _ in choices}
        if len(listed) != len(set(listed)):
            return f"plies are listed twice: {[name_path(ply, board) for ply in listed if listed.count(ply) > 1]}"
        if set(listed) != expected:
            surplus = [(name_path(ply, board), ply) for ply in set(listed) - expected]
            missing = [(name_path(ply, board), ply) for ply in expected - set(listed)]
            return f"core has {surplus}\nreference has {missing}"
        outcome = reference.outcome(self.rules, setup, occurrences, history)
        if position.outcome() != outcome:
            return f"outcome is {position.outcome()}, should be {outcome}"
        clocks = {clock.name: clock.plies for clock in position.clocks() if clock.name != "move-limit"}
        running = {
            draw.name: min(count, 2 * draw.limit)
            for draw, count in reference.endings(self.rules, history or [setup])
            if count is not None
        }
        if clocks != running:
            return f"clocks are {clocks}, should be {running}"
        if position.perft(1) != len(listed):
            return f"perft 1 is {position.perft(1)}, should be {len(listed)}"
        key = position.key
        if len(choices) > MANY:
            choices = Random(len(choices)).sample(choices, MANY // 2)
        for ply, after in choices:
            with position.after(ply):
                found, found_key = position.setup(), position.key
            if found != after:
                return f"after {name_path(ply, board)} {self.words(found)}, should be {self.words(after)}"
            if position.setup() != setup or position.key != key:
                return f"{name_path(ply, board)} taken back gives {self.words(position.setup())}"
            self.other.set(after)
            if self.other.key != found_key:
                return f"the key after {name_path(ply, board)} is not the key of {self.words(after)}"
            if self.other.setup() != after:
                return f"{self.words(after)} is set as {self.words(self.other.setup())}"
        return ""

    def smallest(self, setup: Setup) -> str:
        """The difference in the smallest position that shows one; nothing where the history is needed."""
        found = ""
        todo = [setup]
        while todo:
            smaller = todo.pop()
            difference = self.difference_in(smaller)
            if difference:
                found = f"{self.words(smaller)}\n{difference}"
                todo = list(with_one_less(smaller))
        return found

    def difference_in(self, setup: Setup) -> str:
        setup = reference.tidy(self.rules, setup)
        try:
            choices = reference.plies(self.rules, setup, ROUTES)
        except reference.TooManyRoutes:
            return ""
        position = Position(self.rules, setup, build=self.build)
        return self.difference(position, setup, choices, 1)

    def words(self, setup: Setup) -> str:
        return write(setup, self.rules.geometry)


def with_one_less(setup: Setup) -> Iterator[Setup]:
    """Positions like this one, each without one piece, or without its right, runs or counters."""
    for side in (0, 1):
        for point in setup.men[side] | setup.kings[side]:
            gone = {point}
            men = setup.men[0] - gone, setup.men[1] - gone
            kings = setup.kings[0] - gone, setup.kings[1] - gone
            right = setup.right
            if right is not None and right.points:
                left = tuple(liable for liable in right.points if liable != point)
                right = Right(right.take, left) if left else None
            yield replace(setup, men=men, kings=kings, right=right)
    plain = replace(setup, right=None, king_runs=(None, None), halfmoves=0, fullmoves=1)
    if plain != setup:
        yield plain


def core_plies(rules: Rules, setup: Setup, build: str | None = None) -> list[tuple[Ply, Setup]]:
    """The core's plies with the position after each, as ``reference.plies`` lists them."""
    position = Position(rules, setup, build=build)
    found = []
    for ply in position.plies():
        with position.after(ply):
            found.append((ply, position.setup()))
    return found
