"""Single jumps that are none: what is in the way of one, and by which rules it is not made.

A text names the points of a capture. Where ``Routes`` knows no such jump, the line to the next point is looked at
here as if the rules were wider: what would have to be different, and where the piece would then be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from damd.core.types import Setup
from damd.geometry import Direction
from damd.notation.causes import Cause, Fault, both, either
from damd.notation.routes import State
from damd.rules import Rules


@dataclass(frozen=True, slots=True)
class Leg:
    """The causes that a jump has against it, and the piece after it; ``after`` is ``None`` where nothing is jumped."""

    causes: tuple[Cause, ...]
    after: State | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """The way to the next point: its direction, the points between, and of these the one piece that is jumped."""

    number: int
    direction: Direction
    between: tuple[int, ...]
    victim: int = -1

    @property
    def before(self) -> bool:
        """Whether there is a point before the piece that is jumped."""
        return self.between[0] != self.victim

    @property
    def behind(self) -> bool:
        """Whether there is a point between that piece and the landing point."""
        return self.between[-1] != self.victim


class Legs:
    """The jumps of the piece on ``origin``; ``name`` writes a point."""

    def __init__(self, rules: Rules, setup: Setup, origin: int, name: Callable[[int], str]) -> None:
        self._rules = rules
        self._side = setup.side
        self._own = (setup.men[setup.side] | setup.kings[setup.side]) - {origin}
        other = 1 - setup.side
        self._enemies = setup.men[other] | setup.kings[other]
        self._enemy_kings = setup.kings[other]
        self._zone = rules.geometry.zones[rules.promotion.zone][setup.side]
        self._at_once = rules.capture.removal == "at-once"
        self._name = name
        self._start = State(origin, king=origin in setup.kings[setup.side])

    def walk(self, points: Sequence[int]) -> Iterator[Leg]:
        """The legs along ``points``, up to the first that jumps nothing."""
        state, crowned = self._start, -1
        for target in points[1:]:
            leg = self._leg(state, target, crowned)
            yield leg
            if leg.after is None:
                return
            state = leg.after
            if crowned < 0 and not self._start.king and target in self._zone:
                crowned = target

    def _leg(self, state: State, target: int, crowned: int) -> Leg:
        """``crowned`` is the point where the man came to the promotion zone before; -1 where it did not."""
        line = self._line(state.point, target)
        if line is None:
            what = f"no line leads from {self._name(state.point)} to {self._name(target)}"
            return Leg((Cause(what, fault=Fault.NO_LINE),))
        taken = frozenset(state.captured)
        staying = () if self._at_once else tuple(point for point in (*line.between, target) if point in taken)
        victims = [point for point in line.between if point in self._enemies - taken]
        fault = self._in_the_way(state, target, line, victims)
        if fault is not None:
            return Leg((fault,))
        found = _Line(line.number, line.direction, line.between, victims[0])
        causes = []
        if staying:
            named = both([self._name(point) for point in staying])
            what = f"what was captured on {named} stays on the board until the capture is over, and is in the way"
            causes.append(Cause(what, ("capture.removal",)))
        king, forbidden = self._forbidden(state, found, target, crowned)
        causes += forbidden
        if any(cause.fault for cause in causes):
            return Leg(tuple(causes))
        return Leg(tuple(causes), self._after(state, found, target, king))

    def _line(self, point: int, target: int) -> _Line | None:
        for number, direction in enumerate(self._rules.geometry.directions):
            between = []
            following = direction.next[point]
            while following >= 0 and following != target:
                between.append(following)
                following = direction.next[following]
            if following == target:
                return _Line(number, direction, tuple(between))
        return None

    def _in_the_way(self, state: State, target: int, line: _Line, victims: Sequence[int]) -> Cause | None:
        """What makes it no jump under any rules."""
        if target in self._own or target in self._enemies - set(state.captured):
            return Cause(f"{self._name(target)} is occupied", fault=Fault.OCCUPIED)
        own = [self._name(point) for point in line.between if point in self._own]
        ends = f"between {self._name(state.point)} and {self._name(target)}"
        if own:
            return Cause(f"{both(own)} {_is(own)} occupied by a piece of the same side, {ends}", fault=Fault.BLOCKED)
        if len(victims) > 1:
            named = both([self._name(point) for point in victims])
            return Cause(f"{named} cannot be jumped at once, {ends}", fault=Fault.BLOCKED)
        if victims:
            return None
        again = [self._name(point) for point in line.between if point in state.captured]
        if again and not self._at_once:
            return Cause(f"the piece on {again[0]} has been captured already: none is jumped twice", fault=Fault.TWICE)
        return Cause(f"there is nothing to capture {ends}", fault=Fault.NOTHING)

    def _forbidden(self, state: State, line: _Line, target: int, crowned: int) -> tuple[bool, list[Cause]]:
        """Whether the piece would jump as a king, and what forbids it."""
        if state.king:
            return True, self._against_a_king(state, line)
        as_man = self._against_a_man(state.point, line, target)
        if crowned < 0:
            return False, as_man
        place = self._name(crowned)
        if state.halted:
            stops = Cause(f"the man becomes a king on {place}, and its capture ends there", ("promotion.in_capture",))
            return (True, [stops, *self._against_a_king(state, line)]) if as_man else (False, [stops])
        if as_man:
            stays = Cause(f"the man that came to {place} goes on as a man", ("promotion.in_capture",))
            as_king = self._against_a_king(state, line)
            if len(as_king) < len(as_man) or any(cause.fault for cause in as_man):
                return True, [stays, *as_king]
        return False, as_man

    def _against_a_man(self, start: int, line: _Line, target: int) -> list[Cause]:
        causes = []
        men = self._rules.men
        if line.before or line.behind:
            ways = f"from {self._name(start)} to {self._name(target)}"
            what = f"{ways} is too far: a man captures only the piece next to it, and lands right behind it"
            causes.append(Cause(what, fault=Fault.DISTANCE))
        if line.direction.word(self._side) not in men.captures:
            causes.append(self._direction(line, "man", men.captures))
        if line.victim in self._enemy_kings and not men.take_kings:
            what = f"a man may not capture a king, as the piece on {self._name(line.victim)} is"
            causes.append(Cause(what, ("men.take_kings",)))
        return causes

    def _against_a_king(self, state: State, line: _Line) -> list[Cause]:
        causes = []
        king = self._rules.king
        if not king.flying and (line.before or line.behind):
            what = "a king goes one step: it captures only the piece next to it, and lands right behind it"
            causes.append(Cause(what, ("king.flying",)))
        else:
            if line.before and king.capture == "adjacent":
                causes.append(Cause("a king captures only the piece next to it", ("king.capture",)))
            if line.behind and king.landing == "behind":
                causes.append(Cause("a king lands right behind the piece that it captures", ("king.landing",)))
        if line.direction.word(self._side) not in king.captures:
            causes.append(self._direction(line, "king", king.captures))
        if not king.about_turn and state.direction >= 0 and line.direction.opposite == state.direction:
            causes.append(Cause("a king may not turn by 180 degrees between two jumps", ("king.about_turn",)))
        return causes

    def _direction(self, line: _Line, kind: str, words: Sequence[str]) -> Cause:
        way = line.direction.word(self._side)
        key = "men.captures" if kind == "man" else "king.captures"
        return Cause(f"a {kind} captures {either(words) or 'nothing'}, never {way}", (key,))

    def _after(self, state: State, line: _Line, target: int, king: bool) -> State:
        crowned = not king and target in self._zone
        return State(
            point=target,
            captured=(*state.captured, line.victim),
            direction=line.number,
            king=king or (crowned and self._rules.promotion.in_capture == "as-king"),
            halted=crowned and self._rules.promotion.in_capture == "stop",
        )


def _is(words: Sequence[str]) -> str:
    return "is" if len(words) == 1 else "are"
