"""The engine: a position, a table and searches of one variant. It never prints and never reads.

The choice between offering, accepting and resigning lives here; ``damd.clock`` decides about time, ``damd.task``
iterates, the core searches.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

from damd.clock import Allowance, allowance_of
from damd.core import builds
from damd.core.position import Position
from damd.core.tables import evaluation_spec
from damd.core.types import Ply, PlyKind
from damd.levels import FULL_SKILL, Dice, Level, level_of_elo, level_of_skill
from damd.limits import Info, Limits, Result, Score, WinModel
from damd.rules import Rules
from damd.strength import WeakTask
from damd.task import SearchTask

__all__ = ["Engine", "Info", "Limits", "Result", "Score", "SearchTask"]

BENCH_DEPTH = 8
RESIGN_SCORE = -900  # centipawns, three searches running
RESIGN_COUNT = 3
DRAW_SCORE = 10  # a draw is offered within so many centipawns of one's worth, once nothing has happened for a while
DRAW_HALFMOVES = 20
WEAK_HASH_MB = 1  # weak searches are small


class Engine:
    """One engine with one position; ``hash_mb`` MiB of table. Raises ``MemoryError`` where they cannot be had."""

    def __init__(self, rules: Rules, hash_mb: int = 16) -> None:
        self.multipv = 1
        self.move_overhead_ms = 10
        self.draw_offers = False
        self.resign = False
        self.skill = FULL_SKILL
        self.elo: int | None = None  # where it is given, ``skill`` does not matter
        self.hash_mb = hash_mb
        # Weak: a task knows its engine, and a circle would keep an engine's table until the next collection.
        self._latest: Callable[[], SearchTask | None] = lambda: None
        self._bad_scores = 0
        self._weak_searches = 0  # of this game
        self._contempt = 0
        self._drawn: int | None = None  # the score of White's draws in the table, where it may hold any
        self.rules = rules
        self.position = Position(rules)
        self._table: Any = self._module("table").Table(hash_mb)
        self._weak_table: Any = None
        self._in_use = self._table
        self._judgement: tuple[Any, WinModel] | None = None  # made when it is first asked for: daemons start fast
        self._searcher: Any = None

    def _module(self, name: str, position: Position | None = None) -> Any:
        """The core's module of that name, of the position's width and build."""
        position = position or self.position
        return builds.load(name, position.board.width, position.build)[0]

    # -- setting up ------------------------------------------------------------------------------------------------

    def set_rules(self, rules: Rules) -> None:
        """Play another game from now on, from its start position, with an empty table of the same size.

        On ``MemoryError`` the old game stays: boards of the other width need a table of their own.
        """
        position = Position(rules)
        kind = self._module("table", position).Table
        if isinstance(self._table, kind):
            self._table.clear()
        else:
            self._table = self._in_use = kind(self.hash_mb)
            self._weak_table = None
        self.rules = rules
        self.position = position
        self._judgement = self._searcher = None
        self._bad_scores = self._weak_searches = 0

    def _judge(self) -> tuple[Any, WinModel]:
        if self._judgement is None:
            # Not imported above: reading weights takes modules that a daemon which only starts can do without.
            from damd.weights.choice import weights_of

            weights = weights_of(self.rules)
            evaluation = self._module("evaluation").Evaluation(evaluation_spec(self.rules, weights))
            self._judgement = evaluation, WinModel(weights.scale, weights.draw)
        return self._judgement

    @property
    def _evaluation(self) -> Any:
        return self._judge()[0]

    @property
    def win_model(self) -> WinModel:
        """How scores of this game turn into chances."""
        return self._judge()[1]

    @property
    def _search(self) -> Any:
        if self._searcher is None:
            self._searcher = self._module("search").Search(self.position.core, self._evaluation, self._table)
        return self._searcher

    def set_position(self, position: Position) -> None:
        """Search this position from now on; its rules must be the engine's."""
        if position is not self.position:
            self.position = position
            self._bad_scores = 0
            self._searcher = None
            self._judge()  # before a clock runs

    def set_hash(self, megabytes: int) -> None:
        """Take a table of another size; on ``MemoryError`` the old one stays."""
        table = self._module("table").Table(megabytes)
        self._table = self._in_use = table
        self.hash_mb = megabytes
        if self._searcher is not None:
            self._searcher.share(table)

    def clear(self) -> None:
        """Forget all that was learned: the next search is as the first of a new process."""
        self._table.clear()
        if self._searcher is not None:
            self._searcher.forget()
        self._bad_scores = self._weak_searches = 0

    @property
    def contempt(self) -> int:
        """How many centipawns a draw is worth less than nothing to the side to move, in a search that chooses a ply.

        A new value clears the table: scores under another contempt mislead.
        """
        return self._contempt

    @contempt.setter
    def contempt(self, centipawns: int) -> None:
        if centipawns != self._contempt:
            self._contempt = centipawns
            self._table.clear()
            self._drawn = None

    # -- searching -------------------------------------------------------------------------------------------------

    def task(self, limits: Limits) -> SearchTask:
        """A search of the present position, to be run once; from now on it may be stopped, before it runs as well."""
        level = self._level(limits)
        task = SearchTask(self, limits) if level is None else self._weak_task(limits, level)
        self._latest = weakref.ref(task)
        return task

    def search(self, limits: Limits, on_info: Callable[[Info], None]) -> Result:
        """``task(limits).run(on_info)``."""
        return self.task(limits).run(on_info)

    def stop(self) -> None:
        """End the latest task; harmless where it has ended."""
        task = self._latest()
        if task is not None:
            task.stop()

    def ponder_hit(self) -> None:
        """``SearchTask.ponder_hit`` of the latest task."""
        task = self._latest()
        if task is not None:
            task.ponder_hit()

    # -- what a task needs -----------------------------------------------------------------------------------------

    def allowance(self, limits: Limits) -> Allowance:
        """How long the side to move may think."""
        side = self.position.side
        return allowance_of(limits, side, self.position.pieces[side], self.move_overhead_ms)

    def _level(self, limits: Limits) -> Level | None:
        """How such a search is weakened; ``None`` where it is not."""
        if not limits.chooses:
            return None
        if self.elo is not None:
            return level_of_elo(self.elo)
        return level_of_skill(self.skill) if self.skill < FULL_SKILL else None

    def _weak_task(self, limits: Limits, level: Level) -> WeakTask:
        self._weak_searches += 1
        return WeakTask(self, limits, level, Dice(self.position.key, self._weak_searches))

    def core_search(self, limits: Limits) -> Any:
        """The core's ``Search`` over the present position, its table ready for a new search."""
        self._search.contempt = self._contempt if limits.chooses else 0
        exact = limits.mate is not None
        if exact and not self._search.exact:
            self._table.clear()  # what is in it may have overlooked a win
        self._search.exact = exact
        # Scores of draws are the root's: those of the other side, or of an analysis, mislead.
        drawn = self._search.contempt if self.position.side else -self._search.contempt
        if self._drawn not in (drawn, None):
            self._table.clear()
        self._drawn = drawn
        self._in_use = self._table
        self._in_use.new_search()
        self._search.share(self._in_use)
        return self._search

    def weak_search(self, limits: Limits) -> Any:
        """The core's ``Search`` knowing nothing: what a strong search found before must not help a weak one."""
        self._search.contempt = self._contempt if limits.chooses else 0
        self._search.exact = False
        self._search.forget()
        if self._weak_table is None:
            self._weak_table = self._module("table").Table(WEAK_HASH_MB)
        self._weak_table.clear()
        self._in_use = self._weak_table
        self._search.share(self._in_use)
        return self._search

    def table_fullness(self) -> int:
        """Permille of the table that the present search has written."""
        return int(self._in_use.fullness())

    def conclude(self, limits: Limits, best: Ply, ponder: Ply | None, score: int) -> Result:
        """The result of a finished search, with what there is to say about draw and loss.

        Only searches that choose a move of a game count towards resigning, one a turn: no analysis, no claim.
        """
        claims = best.kind is PlyKind.CLAIM
        if ponder is not None and (claims or ponder.kind is PlyKind.CLAIM):
            ponder = None
        in_game = limits.chooses and not claims
        draw = -self._contempt if limits.chooses else 0  # what one is worth
        if in_game:
            self._bad_scores = self._bad_scores + 1 if score <= RESIGN_SCORE else 0
        accepts = offers = False
        if self.draw_offers:
            accepts = limits.draw_offered and score <= draw
            even = min(draw, 0) - DRAW_SCORE <= score <= draw + DRAW_SCORE
            quiet = self.position.halfmoves >= DRAW_HALFMOVES and even
            offers = quiet and in_game and not limits.draw_offered
        resigns = self.resign and in_game and not accepts and self._bad_scores >= RESIGN_COUNT
        return Result(best, ponder, accepts or (offers and not resigns), resigns)

    def expected_after(self, code: int, taken: list[int]) -> Ply | None:
        """The answer that the table expects to the ply of this code; none where that ends the game."""
        return self.position.answer_to(code, taken, self._search.remembered)

    # -- for the user ----------------------------------------------------------------------------------------------

    def evaluate(self) -> int:
        """The static evaluation in centipawns for the side to move."""
        return int(self._evaluation.value(self.position.core))

    def bench(self, depth: int | None = None, leave: Callable[[], bool] = lambda: False) -> tuple[int, float]:
        """Search the start position and a few of its followers to a fixed depth: (nodes, seconds).

        The table is cleared. Whoever wants to end it early lets ``leave`` be true and calls ``stop``.
        """
        rules, saved = self.rules, self.position
        nodes = 0
        self.clear()
        began = time.monotonic()
        for plies in (0, 6, 12, 20):
            position = Position(rules)
            for _ in range(plies):
                listed = position.plies()
                if position.outcome() is not None:
                    break
                position.play(listed[len(listed) // 2])
            if position.outcome() is not None:
                continue
            self.set_position(position)
            task = self.task(Limits(depth=depth or BENCH_DEPTH))
            if leave():
                break
            task.run(_ignore)
            nodes += int(self._search.nodes)
        elapsed = time.monotonic() - began
        self.set_position(saved)
        self.clear()
        return nodes, elapsed


def _ignore(info: Info) -> None:
    """A listener for searches that only count."""
