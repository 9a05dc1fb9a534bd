"""A search that plays below its strength, the way people do.

It looks less far. It does not see what follows some of the plies beyond a first glance: so it walks into shots, and
leaves out sacrifices that would win. Among plies that are close it errs about which is the best. It does not notice some
captures, and some rights to a claim, at all. It never plays an illegal ply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from damd.core.codes import MATE
from damd.core.types import Ply, PlyKind
from damd.levels import Dice, Level
from damd.limits import Current, Info, Limits, Progress, Result
from damd.reports import Line, Reports
from damd.task import Searcher, SearchTask

# What dice are thrown for.
_MISSES_CAPTURE, _MISSES_RIGHT, _OVERLOOKS, _ERRS = range(4)

#: Where there are more plies nobody looks at them one by one: a DAM has some 575.
_MOST_PLIES = 600

#: Of a ply that was not searched.
_NO_CODE: tuple[int, list[int]] = (0, [])


class WeakSearcher(Searcher, Protocol):
    """What a weak task asks of its engine besides."""

    def weak_search(self, limits: Limits) -> Any: ...


class WeakTask(SearchTask):
    """A search by a player of this level. ``dice`` decide about the faults: equal dice, equal faults."""

    def __init__(self, engine: WeakSearcher, limits: Limits, level: Level, dice: Dice) -> None:
        super().__init__(engine, limits)
        self._weak_engine = engine
        self._level = level
        self._dice = dice

    def _search(self, on_info: Callable[[Info], None], on_progress: Callable[[Progress | Current], None] | None) -> Result:
        engine, level, limits = self._weak_engine, self._level, self._limits
        position = engine.position
        count = position.count()
        if not count:
            return Result(None)
        plies = position.plies() if count <= _MOST_PLIES else []
        noticed = self._noticed(plies)
        known = {} if level.glance else {plies[index]: self._at_once(plies[index]) for index in noticed}
        search = engine.weak_search(limits)
        search.node_limit = min(limits.nodes or level.nodes, level.nodes)
        roots = search.prepare(noticed or None)
        reports = self._new_reports(search, on_info, on_progress)
        thoughts, glance = self._weigh(search, reports, roots)
        if not thoughts:
            thoughts = [self._unsearched(search, reports)]
        position.resume()
        chosen = self._choice(thoughts, glance or known, {ply: index for index, ply in enumerate(plies)})
        ponder = chosen.plies[1] if len(chosen.plies) > 1 else None
        return engine.conclude(limits, chosen.plies[0], ponder, chosen.score)

    def _noticed(self, plies: list[Ply]) -> list[int]:
        """The places of the plies that are noticed; all of them, where there would be none."""
        throw, misses = self._dice.throw, self._level.misses
        sees_right = throw(_MISSES_RIGHT) >= misses
        noticed = []
        for index, ply in enumerate(plies):
            if ply.kind is PlyKind.CLAIM:
                seen = sees_right
            else:
                seen = ply.kind is PlyKind.QUIET or throw(_MISSES_CAPTURE, index) >= misses
            if seen:
                noticed.append(index)
        return noticed or list(range(len(plies)))

    def _at_once(self, ply: Ply) -> Line:
        """What the position right behind the ply is worth, whatever the answer to it. Nobody overlooks the game's end."""
        position = self._engine.position
        side = position.side
        with position.after(ply):
            outcome = position.outcome()
            if outcome is not None:
                score = 0 if outcome.winner is None else MATE if outcome.winner == side else -MATE
            else:
                score = self._engine.evaluate() if position.side == side else -self._engine.evaluate()
        return Line(score, (ply,), _NO_CODE)

    def _weigh(self, search: Any, reports: Reports, roots: int) -> tuple[list[Line], dict[Ply, Line]]:
        """The best plies of the last full iteration, and what was known of them at the first glance."""
        level = self._level
        shown = min(self._engine.multipv, roots)
        lines = min(max(shown, level.lines), roots)
        thoughts: list[Line] = []
        glance: dict[Ply, Line] = {}
        for depth in range(1, min(self._deepest(), level.depth) + 1):
            found: list[Line] = []
            for place in range(lines):
                line = self._iterate(search, reports, depth, place, None)
                if line is not None:
                    found.append(line)
                if search.out():
                    break
            if len(found) == lines or not thoughts:
                thoughts = sorted(found, key=lambda line: -line.score)
                for number, line in enumerate(thoughts[:shown], 1):
                    reports.result(depth, number, line)
            if depth == level.glance:
                glance = {line.plies[0]: line for line in thoughts}
            if self._done(search.out(), depth, roots, thoughts[0] if thoughts else None, search.roots.share()):
                break
        return thoughts, glance

    def _choice(self, thoughts: list[Line], known: dict[Ply, Line], places: dict[Ply, int]) -> Line:
        """What seems best: of each ply what was seen in the end, or what was known at a glance where that is overlooked."""
        deep = {line.plies[0]: line for line in thoughts}
        # At a glance no other ply was better than the last of those that were weighed.
        least = min((line.score for line in known.values()), default=MATE)
        best, most = thoughts[0], -float("inf")
        for ply in {**deep, **known}:
            place = places.get(ply, 0)
            line = deep.get(ply)
            if self._dice.throw(_OVERLOOKS, place) < self._level.overlooks:
                line = known.get(ply) or (line and replace(line, score=min(line.score, least)))
            if line is not None:
                opinion = line.score + self._level.noise * self._dice.error(_ERRS, place)
                if opinion > most:
                    best, most = line, opinion
        return best
