"""Ways over the board: whether a capture that somebody writes down is one, and which ply it makes.

The core keeps one route for each ply. A text may follow another: over other landing points, or other pieces first.
Here a route is walked jump by jump over the board's lines, by the rules and nothing else, so that such a text can
be told from a wrong one. It is slow beside the core and only asked about one text at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from damd.core.types import Ply, Setup
from damd.geometry import Board
from damd.rules import Rules

#: From how many places jumps may be tried for one text: 0.3 s; positions with thousands of long captures exist.
MAX_STEPS = 10_000


class TooManyRoutesError(Exception):
    """More routes than ``MAX_STEPS`` would have to be tried."""


@dataclass(frozen=True, slots=True)
class State:
    """A piece in the middle of a capture: where it stands, what it has captured in order, how it came."""

    point: int
    captured: tuple[int, ...] = ()
    direction: int = -1
    king: bool = False
    halted: bool = False


@dataclass(frozen=True, slots=True)
class Jump:
    """One victim in one direction, with the empty points before it and the points behind it to land on."""

    direction: int
    victim: int
    before: tuple[int, ...]
    landings: tuple[int, ...]


class Routes:
    """The captures of the piece on ``origin``, route by route.

    ``fault`` of a finished walk is empty or one of ``goes-on`` (it has to be continued), ``landing`` (it has to
    land where it can be continued) and ``behind`` (it has to halt right behind the last piece).
    """

    def __init__(self, rules: Rules, setup: Setup, origin: int, max_steps: int = MAX_STEPS) -> None:
        self._rules = rules
        self._max_steps = max_steps
        self._board: Board = rules.geometry
        self._side = setup.side
        other = 1 - setup.side
        self._own = (setup.men[setup.side] | setup.kings[setup.side]) - {origin}
        self._enemies = setup.men[other] | setup.kings[other]
        self._enemy_kings = setup.kings[other]
        self._zone = self._board.zones[rules.promotion.zone][setup.side]
        self._steps = 0
        self._was_king = origin in setup.kings[setup.side]
        self.start = State(origin, king=self._was_king)

    def jumps(self, state: State) -> list[Jump]:
        """Every jump from there."""
        self._steps += 1
        if self._steps > self._max_steps:
            raise TooManyRoutesError
        if state.halted:
            return []
        king = self._rules.king
        flying = state.king and king.flying
        words = king.captures if state.king else self._rules.men.captures
        found = []
        for number, direction in enumerate(self._board.directions):
            if direction.word(self._side) not in words:
                continue
            if state.king and not king.about_turn and state.direction >= 0 and direction.opposite == state.direction:
                continue
            victim, before = direction.next[state.point], []
            if flying and king.capture == "far":
                while victim >= 0 and self._is_free(victim, state):
                    before.append(victim)
                    victim = direction.next[victim]
            if victim not in self._enemies or victim in state.captured:
                continue
            if victim in self._enemy_kings and not state.king and not self._rules.men.take_kings:
                continue
            landings = []
            landing = direction.next[victim]
            while landing >= 0 and self._is_free(landing, state):
                landings.append(landing)
                landing = direction.next[landing] if flying and king.landing != "behind" else -1
            if landings:
                found.append(Jump(number, victim, tuple(before), tuple(landings)))
        return found

    def after(self, state: State, jump: Jump, landing: int) -> State:
        """The piece after that jump to that point."""
        crowned = not state.king and landing in self._zone
        return State(
            point=landing,
            captured=(*state.captured, jump.victim),
            direction=jump.direction,
            king=state.king or (crowned and self._rules.promotion.in_capture == "as-king"),
            halted=crowned and self._rules.promotion.in_capture == "stop",
        )

    def is_promoted(self, state: State) -> bool:
        """True if a man that ends there is a king afterwards."""
        return not self._was_king and (state.king or state.point in self._zone)

    def can_go_on(self, state: State) -> bool:
        return bool(self.jumps(state))

    def fault(self, before: State, jump: Jump, after: State) -> str:
        """Why a capture may not end with that jump; empty where it may, as far as this piece is concerned."""
        rules = self._rules
        halts_behind = after.king and rules.king.landing == "behind-king" and jump.victim in self._enemy_kings
        if halts_behind and after.point != jump.landings[0]:
            return "behind"
        if rules.penalty.take or rules.capture.going_on == "right":
            return ""
        if self.can_go_on(after):
            return "goes-on"
        if rules.capture.landing_goes_on:
            others = (self.after(before, jump, landing) for landing in jump.landings if landing != after.point)
            if any(self.can_go_on(other) for other in others):
                return "landing"
        return ""

    def walk(self, points: Sequence[int]) -> list[tuple[State, Jump, State]]:
        """The jumps along ``points``, of which the first is the origin, as far as there are such jumps."""
        done = []
        state = self.start
        for landing in points[1:]:
            jump = next((jump for jump in self.jumps(state) if landing in jump.landings), None)
            if jump is None:
                break
            following = self.after(state, jump, landing)
            done.append((state, jump, following))
            state = following
        return done

    def passes(self, ply: Ply, points: Sequence[int]) -> bool:
        """True if some legal route of the capture ``ply`` runs from the first of ``points`` over the others to the last.

        The points between are landing points or empty points passed, in order, as many as the writer cared for.
        """
        if ply.origin != points[0] or ply.end != points[-1]:
            return False
        canonical = self.walk(ply.path)
        if len(canonical) < len(ply.path) - 1:
            return False
        between = tuple(points[1:-1])
        number = 0
        for _, jump, state in canonical[:-1]:
            number = _advance(between, number, (*jump.before, *_run(jump, state.point)))
        _, jump, last = canonical[-1]
        number = _advance(between, number, (*jump.before, *_run(jump, last.point)[:-1]))
        if number == len(between):
            return True
        return self._search(_Goal(frozenset(ply.captured), self._order(last), self.is_promoted(last), ply.end, between))

    def _search(self, goal: _Goal) -> bool:
        """Depth first over all routes within the goal's captured set; a state that failed once is not tried again."""
        failed: set[tuple[int, frozenset[int], int, bool, int]] = set()
        # A stack of its own: a capture may have more jumps than there is room for on Python's.
        stack = [(self.start, 0)]
        while stack:
            state, number = stack.pop()
            mark = (state.point, frozenset(state.captured), state.direction, state.king, number)
            if mark in failed:
                continue
            failed.add(mark)
            for jump in self.jumps(state):
                if jump.victim not in goal.captured or not self._in_order(goal, state, jump):
                    continue
                for landing in jump.landings:
                    after = self.after(state, jump, landing)
                    trace = (*jump.before, *_run(jump, landing))
                    if len(after.captured) < len(goal.captured):
                        stack.append((after, _advance(goal.between, number, trace)))
                    elif (
                        landing == goal.end
                        and _advance(goal.between, number, trace[:-1]) == len(goal.between)
                        and self.is_promoted(after) == goal.promoted
                        and not self.fault(state, jump, after)
                    ):
                        return True
        return False

    def ending(self, points: Sequence[int]) -> Iterator[tuple[State, Jump, State]]:
        """The last jumps of all captures, complete or not, that run over ``points``; some of the points may be left out."""
        seen: set[tuple[int, frozenset[int], int, bool, int]] = set()
        stack = [(self.start, 0)]
        between, end = tuple(points[1:-1]), points[-1]
        while stack:
            state, number = stack.pop()
            mark = (state.point, frozenset(state.captured), state.direction, state.king, number)
            if mark in seen:
                continue
            seen.add(mark)
            for jump in self.jumps(state):
                for landing in jump.landings:
                    after = self.after(state, jump, landing)
                    trace = (*jump.before, *_run(jump, landing))
                    if landing == end and _advance(between, number, trace[:-1]) == len(between):
                        yield state, jump, after
                    stack.append((after, _advance(between, number, trace)))

    def kings_taken(self, state: State) -> tuple[bool, ...]:
        """Which of the pieces captured so far are kings, in order."""
        return tuple(victim in self._enemy_kings for victim in state.captured)

    def same_ply(self, ply: Ply, end: State) -> bool:
        """True if a walk that ended so makes the capture ``ply``."""
        if ply.end != end.point or ply.captured != tuple(sorted(end.captured)):
            return False
        canonical = self.walk(ply.path)
        last = canonical[-1][2] if canonical else end
        return self.is_promoted(end) == self.is_promoted(last) and self._order(end) == self._order(last)

    def _order(self, state: State) -> tuple[bool, ...]:
        """Which captured pieces were kings, in order, where the rules look at the order."""
        if "earliest-king" not in self._rules.capture.choice:
            return ()
        return self.kings_taken(state)

    def _in_order(self, goal: _Goal, state: State, jump: Jump) -> bool:
        return not goal.order or goal.order[len(state.captured)] == (jump.victim in self._enemy_kings)

    def _is_free(self, point: int, state: State) -> bool:
        if point in self._own:
            return False
        if point in state.captured:
            return self._rules.capture.removal == "at-once"
        return point not in self._enemies


@dataclass(frozen=True, slots=True)
class _Goal:
    """The ply that a search looks for another route of, and the points that route has to pass."""

    captured: frozenset[int]
    order: tuple[bool, ...]
    promoted: bool
    end: int
    between: tuple[int, ...]


def quiet_ends(rules: Rules, setup: Setup, origin: int) -> list[int]:
    """Where the piece on ``origin`` could go if there were no captures and no limit for kings."""
    king = origin in setup.kings[setup.side]
    words = rules.king.moves if king else rules.men.moves
    occupied = frozenset().union(*setup.men, *setup.kings)
    found = []
    for direction in rules.geometry.directions:
        if direction.word(setup.side) in words:
            end = direction.next[origin]
            while end >= 0 and end not in occupied:
                found.append(end)
                end = direction.next[end] if king and rules.king.flying else -1
    return sorted(found)


def _run(jump: Jump, landing: int) -> tuple[int, ...]:
    """The points behind the victim, as far as the landing point."""
    return jump.landings[: jump.landings.index(landing) + 1]


def _advance(wanted: tuple[int, ...], number: int, trace: tuple[int, ...]) -> int:
    """How many of ``wanted`` are met, in order, after ``trace``, where ``number`` were met before."""
    for point in trace:
        if number < len(wanted) and wanted[number] == point:
            number += 1
    return number
