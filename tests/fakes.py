"""Stand-ins for the slow or the outside: a scripted engine, and a desk without threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from damd.core.position import Position
from damd.core.types import Ply
from damd.daemon.answer import Work
from damd.daemon.session import Session
from damd.daemon.worker import Desk
from damd.engine import Info, Limits, Result, Score
from damd.limits import Current, Progress, WinModel
from damd.protocol.errors import ProtocolError
from damd.rules import Rules

#: The fake's table holds at most so many MiB.
FAKE_MEMORY = 1000


class FakeEngine:
    """Answers every search with its first ply, and keeps what it was asked in ``calls`` and ``limits``.

    ``during`` is called in the middle of a search; ``result`` overrides what it returns. ``progress`` is told first.
    """

    def __init__(self, rules: Rules, hash_mb: int = 16) -> None:
        self.calls: list[str] = [f"hash {hash_mb}"]
        self.limits: list[Limits] = []
        self.during: Callable[[], None] | None = None
        self.result: Result | None = None
        self.progress: list[Progress | Current] = []
        self.stopped = self.hit = False
        self.multipv = self.move_overhead_ms = 0
        self.draw_offers = self.resign = False
        self.skill = self.contempt = 0
        self.elo: int | None = None
        self.win_model = WinModel(100, 0.6)
        self.position = Position(rules)

    def set_rules(self, rules: Rules) -> None:
        self.calls.append(f"rules {rules.name}")
        self.position = Position(rules)

    def set_position(self, position: Position) -> None:
        self.calls.append("position")
        self.position = position

    def set_hash(self, megabytes: int) -> None:
        if megabytes > FAKE_MEMORY:
            raise MemoryError
        self.calls.append(f"hash {megabytes}")

    def clear(self) -> None:
        self.calls.append("clear")

    def evaluate(self) -> int:
        return -7

    def task(self, limits: Limits) -> FakeTask:
        return FakeTask(self, limits)

    def search(self, limits: Limits, on_info: Callable[[Info], None]) -> Result:
        self.limits.append(limits)
        plies = list(limits.root_plies) or self.position.plies()
        if plies:
            on_info(Info(1, 2, 1, Score("cp", 13), 40, 1, 40000, 0, (plies[0],)))
        if self.during is not None:
            self.during()
        best: Ply | None = plies[0] if plies else None
        return self.result or Result(best, None, offers_draw=False, resigns=False)


class FakeTask:
    """A search of the fake; one that was stopped or hit before it ran is what the real one makes of it."""

    def __init__(self, engine: FakeEngine, limits: Limits) -> None:
        self._engine = engine
        self._limits = limits
        engine.stopped = engine.hit = False

    def stop(self) -> None:
        self._engine.stopped = True

    def ponder_hit(self) -> None:
        self._engine.hit = True

    def run(
        self, on_info: Callable[[Info], None], on_progress: Callable[[Progress | Current], None] | None = None
    ) -> Result:
        if on_progress is not None:
            for progress in self._engine.progress:
                on_progress(progress)
        limits = self._limits
        if self._engine.stopped:
            limits = replace(limits, depth=1, infinite=False, ponder=False)
        elif self._engine.hit:
            limits = replace(limits, ponder=False)
        return self._engine.search(limits, on_info)


class Stage:
    """A session and its desk in one thread: work runs when the test says so.

    ``said`` are all lines of output; ``take()`` returns and forgets them.
    """

    def __init__(self, *, strict: bool = False, variant_path: str = "") -> None:
        self.engine: FakeEngine
        self.said: list[str] = []
        self.running: Work | None = None
        self.session = Session(variant_path, self._make_engine)  # type: ignore[arg-type]
        self.desk = Desk(self.session, self._start, self.said.append, strict)

    def _make_engine(self, rules: Rules, hash_mb: int) -> FakeEngine:
        self.engine = FakeEngine(rules, hash_mb)
        return self.engine

    def _start(self, work: Work) -> None:
        assert self.running is None, "two pieces of work at once"
        self.running = work

    def send(self, *lines: str | ProtocolError) -> list[str]:
        """Give the desk lines; what it said to them."""
        for line in lines:
            if isinstance(line, str):
                self.desk.line(line)
            else:
                self.desk.unreadable(line)
        return self.take()

    def finish(self) -> list[str]:
        """Run the running work to its end; what was said."""
        work = self.running
        assert work is not None, "nothing runs"
        before = len(self.said)
        work.run(self.said.append)
        self.running = None
        self.desk.finished(any(line.startswith("error ") for line in self.said[before:]))
        return self.take()

    def finish_all(self) -> list[str]:
        """Run whatever is running and comes after it; what was said."""
        said = []
        while self.running is not None:
            said += self.finish()
        return said

    def take(self) -> list[str]:
        said, self.said[:] = list(self.said), []
        return said
