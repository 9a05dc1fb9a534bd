"""What a legal ply is, which rules leave no other, and what it costs, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from damd.core.position import Position
from damd.core.types import Ply, PlyKind, Right, Setup, TooManyPlies
from damd.notation.causes import NAMED, Cause, both, paths
from damd.notation.illegal import end_key
from damd.notation.routes import Routes, quiet_ends
from damd.notation.spelling import format_ply
from damd.notation.squares import SIDES, listed, names_of
from damd.notation.weighing import Weighed, haul
from damd.rules import Rules


@dataclass(frozen=True, slots=True)
class Account:
    """What there is to say about a legal ply: sentences, each with the rules that it is about."""

    causes: tuple[Cause, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for cause in self.causes for key in cause.rules))


def account(ply: Ply, position: Position, squares: str) -> Account:
    """What ``ply``, one of ``position.plies()``, is, what forces it and what it costs. The position stays."""
    return Account(tuple(_Accountant(ply, position, squares).told()))


class _Accountant:
    """One legal ply in one position."""

    def __init__(self, ply: Ply, position: Position, squares: str) -> None:
        self._ply = ply
        self._position = position
        self._rules: Rules = position.rules
        self._squares = squares
        self._names = names_of(self._rules.geometry, squares)
        self._before = position.setup()
        self._plies = position.plies()
        with position.after(ply):
            self._after = position.setup()
            self._outcome = position.outcome()
        self._side, self._other = SIDES[self._before.side], SIDES[1 - self._before.side]

    def told(self) -> list[Cause]:
        causes = [self._what(), *self._promotion()]
        if self._ply.kind is not PlyKind.CLAIM:
            causes += [*self._forced(), *self._run(), *self._cost(), *self._waived()]
        if len(self._plies) == 1:
            causes.append(Cause("it is the only legal ply"))
        return [*causes, *self._end()]

    # What it is

    def _what(self) -> Cause:
        ply = self._ply
        if ply.kind is PlyKind.CLAIM:
            what = f"a claim: {self._side} takes {self._other}'s {self._pieces(ply.captured)} off the board"
            return Cause(f"{what} for a missed capture, and stays to move", ("penalty.take",))
        kind = "king" if ply.origin in self._before.kings[self._before.side] else "man"
        if ply.kind is PlyKind.QUIET:
            return Cause(f"a quiet move of a {kind}")
        return Cause(f"a capture by a {kind}, {self._path(ply)}: it takes {self._other}'s {self._pieces(ply.captured)}")

    def _pieces(self, points: Sequence[int]) -> str:
        """``man on 22``, ``men on 22 and 31 and king on 5``."""
        theirs = 1 - self._before.side
        parts = []
        for word, plural, where in (("man", "men", self._before.men), ("king", "kings", self._before.kings)):
            there = [self._names[point] for point in points if point in where[theirs]]
            if there:
                parts.append(f"{plural if len(there) > 1 else word} on {both(there)}")
        return " and ".join(parts)

    def _promotion(self) -> list[Cause]:
        causes = []
        if self._ply.promotes:
            causes.append(Cause(f"the man becomes a king on {self._names[self._ply.end]}", ("promotion.zone",)))
        for side in (0, 1):
            before, after = self._before, self._after
            left = len(after.men[side] | after.kings[side])
            fewer = left < len(before.men[side] | before.kings[side])
            if fewer and before.men[side] and not after.men[side] and 0 < left <= self._rules.promotion.few_pieces:
                become = "all of them are kings" if left > 1 else "it is a king"
                what = f"{SIDES[side]} is left with {_count(left, 'piece')}, and {become} from now on"
                causes.append(Cause(what, ("promotion.few_pieces",)))
        return causes

    # What forces it

    def _forced(self) -> list[Cause]:
        if self._ply.kind is not PlyKind.CAPTURE or self._after.right is not None:
            return []
        causes = []
        side = self._before.side
        ours = self._before.men[side] | self._before.kings[side]
        must = self._rules.capture.compulsory and not self._rules.penalty.take
        if must and any(quiet_ends(self._rules, self._before, point) for point in ours):
            causes.append(Cause("a capture is compulsory", ("capture.compulsory",)))
        return causes + self._precedence()

    def _precedence(self) -> list[Cause]:
        """The criteria that leave fewer captures than there would be without them."""
        criteria = self._rules.capture.choice
        counts = [self._count_with(criteria[:number]) for number in range(len(criteria))]
        counts.append(len(self._plies))
        deciding = [criterion for number, criterion in enumerate(criteria) if counts[number] != counts[number + 1]]
        if not deciding:
            return []
        routes = Routes(self._rules, self._before, self._ply.origin)
        taken = routes.kings_taken(routes.walk(self._ply.path)[-1][2])
        weighed = Weighed(taken, routes.start.king)
        kings = sum(taken)
        words = {
            "pieces": f"it takes {_count(len(taken), 'piece')}, the most possible",
            "value": f"it takes {haul(len(taken) - kings, kings)}, the highest value possible",
            "by-king": f"it {weighed.told('by-king')}: a king must capture where one can",
            "kings": f"it takes {_count(kings, 'king')}, the most possible",
            "earliest-king": "it captures a king as early as possible",
        }
        return [Cause(words[criterion], ("capture.choice",)) for criterion in deciding]

    def _count_with(self, criteria: tuple[str, ...]) -> int:
        """How many plies there would be with these criteria alone; -1 for more than can be listed."""
        rules = replace(self._rules, capture=replace(self._rules.capture, choice=criteria))
        try:
            return Position(rules, self._before, build=self._position.build).count()
        except TooManyPlies:
            return -1

    def _run(self) -> list[Cause]:
        limit = self._rules.king.quiet_limit
        run = self._after.king_runs[self._before.side]
        if not limit or run is None or run.point != self._ply.end or self._ply.kind is not PlyKind.QUIET:
            return []
        return [Cause(f"it is quiet move {run.count} in a row of this king, of {limit} at most", ("king.quiet_limit",))]

    # What it costs

    def _cost(self) -> list[Cause]:
        right = self._after.right
        if right is None:
            return []
        missed = self._missed()
        if self._ply.kind is PlyKind.CAPTURE:
            what = "it stops a capture that could go on"
            what += f", as in {self._listed(missed)}" if missed else ""
        else:
            word = "capture" if len(missed) == 1 else "captures"
            what = f"it declines the {word} {self._listed(missed)}" if missed else "it declines a capture"
        gives = f"{what}: {self._other} gets the right to take {self._forfeit(right, self._after)} off the board"
        return [Cause(gives, ("penalty.take", "penalty.liable"))]

    def _missed(self) -> list[Ply]:
        """The captures that would have been made without a miss: all, or those that go on from this one."""
        free = replace(self._before, right=None)
        plies = Position(self._rules.without_penalty(), free, build=self._position.build).plies()
        captures = sorted((ply for ply in plies if ply.kind is PlyKind.CAPTURE), key=lambda ply: ply.path)
        path = self._ply.path
        return captures if self._ply.kind is PlyKind.QUIET else [ply for ply in captures if ply.path[: len(path)] == path]

    def _forfeit(self, right: Right, setup: Setup) -> str:
        """What may be taken by the side to move in ``setup``."""
        theirs = setup.men[1 - setup.side] | setup.kings[1 - setup.side]
        number = min(right.take, len(right.points or theirs))
        if not right.points:
            whose = SIDES[1 - setup.side]
            return f"any {number} of {whose}'s pieces" if number > 1 else f"one of {whose}'s pieces"
        named = listed(right.points, lambda point: self._names[point], NAMED)
        return named if len(right.points) <= number else f"{number if number > 1 else 'one'} of {named}"

    def _waived(self) -> list[Cause]:
        right = self._before.right
        if right is None or not any(ply.kind is PlyKind.CLAIM for ply in self._plies):
            return []
        forfeit = self._forfeit(right, self._before)
        return [Cause(f"it waives the right to take {forfeit} off the board", ("penalty.take",))]

    def _end(self) -> list[Cause]:
        outcome = self._outcome
        if outcome is None:
            return []
        result = "a draw" if outcome.winner is None else f"{SIDES[outcome.winner]} wins"
        key = end_key(outcome)
        return [Cause(f"the game is then over: {result} ({outcome.rule or outcome.reason.value})", (key,) if key else ())]

    # Words

    def _path(self, ply: Ply) -> str:
        return format_ply(ply, self._rules.geometry, self._squares)

    def _listed(self, plies: Sequence[Ply]) -> str:
        return paths(plies, self._rules, self._squares)


def _count(number: int, word: str) -> str:
    return f"1 {word}" if number == 1 else f"{number or 'no'} {word}s"
