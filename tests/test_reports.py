"""What a search says while it runs: by hand, over a real core, and over a pipe."""

from __future__ import annotations

import gc
import re
import weakref
from itertools import pairwise

import pytest

from damd import reports, task
from damd.clock import Allowance
from damd.core.position import Position
from damd.core.types import Ply
from damd.engine import Engine
from damd.limits import Current, Info, Limits, Progress
from damd.notation.fen import parse_fen
from damd.notation.plies import parse_ply
from damd.reports import Line, Reports
from damd.variants import load
from replies import kind_of
from talking import Daemon
from test_clock import Scripted, Times
from test_engine import Running

Told = Info | Progress | Current


class Desk:
    """Reports over a scripted core, and a clock that the test moves; ``told`` is what was told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fen: str | None = None) -> None:
        self.now = [50.0]
        monkeypatch.setattr(reports, "time", Times(self.now))
        self.engine = Scripted([], self.now, Allowance(), fen)
        self.core = self.engine.core
        self.core.prepare(None)
        self.plies = self.engine.position.plies()
        self.told: list[Told] = []
        self.reports = self.over(self.told.append)

    def over(self, tell: object) -> Reports:
        return Reports(self.core, self.engine.position, lambda: 7, tell, tell)  # type: ignore[arg-type]

    def result(self, depth: int = 1, bound: str = "") -> None:
        line = Line(10, (self.plies[0],), self.core.roots.ply(0), bound)
        if bound:
            self.reports.failed(depth, 1, line)
        else:
            self.reports.result(depth, 1, line)

    def after(self, seconds: float) -> list[Told]:
        """What a look tells so much later."""
        self.now[0] += seconds
        before = len(self.told)
        self.reports.look()
        return self.told[before:]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_nothing_is_looked_at_before_a_second_is_over(desk: Desk) -> None:
    began = desk.now[0]
    assert desk.reports.next_look(began) == began + 1
    assert desk.reports.next_look(began + 0.9) == pytest.approx(began + 1.1)
    assert desk.reports.next_look(began + 7) == pytest.approx(began + 7.2)
    silent = Reports(desk.core, desk.engine.position, lambda: 7, desk.told.append, None)
    assert silent.next_look(began) is None
    silent.look()
    assert desk.told == []


def test_figures_come_a_second_after_whatever_had_them(desk: Desk) -> None:
    desk.reports.iterating(1, 0)
    desk.core.nodes = 3000
    assert desk.after(0.9) == []
    assert desk.after(0.2) == [Progress(3000, 1100, 2727, 7)]
    assert desk.after(0.5) == []
    desk.reports.iterated()
    desk.result()
    desk.reports.iterating(2, 0)
    assert [told for told in desk.after(0.9) if isinstance(told, Progress)] == []
    assert [told for told in desk.after(0.2) if isinstance(told, Progress)] == [Progress(3000, 2700, 1111, 7)]


def test_time_is_counted_from_the_clock_and_speed_from_the_search(desk: Desk) -> None:
    desk.now[0] += 9
    desk.reports.clock_began = desk.now[0]
    desk.core.nodes = 5000
    desk.now[0] += 1
    desk.result()
    assert isinstance(desk.told[0], Info)
    assert (desk.told[0].time_ms, desk.told[0].nps) == (1000, 500)


def test_the_ply_that_the_core_is_at_is_told_once(desk: Desk) -> None:
    desk.now[0] += 1
    desk.reports.iterating(5, 0)
    assert desk.after(0.1)[-1] == Current(5, desk.plies[0], 1)
    assert desk.after(0.1) == []
    desk.core.current = 3
    assert desk.after(0.1) == [Current(5, desk.plies[3], 4)]
    desk.reports.iterated()
    desk.core.current = 4
    assert desk.after(0.1) == [], "between iterations it is at none"
    desk.reports.iterating(6, 2)
    assert desk.after(0.1) == [Current(6, desk.plies[2], 3)], "a further variation begins behind the first ones"


def test_plies_are_named_as_they_stood_when_the_iteration_began(desk: Desk) -> None:
    """The core moves a better ply to the front while the iteration runs."""
    desk.now[0] += 1
    desk.reports.iterating(5, 0)
    desk.core.listed.insert(0, desk.core.listed.pop(2))
    desk.core.current = 3
    assert desk.after(0.1)[-1] == Current(5, desk.plies[3], 4)
    desk.reports.iterating(6, 0)
    assert desk.after(0.1) == [Current(6, desk.plies[2], 1)]


def test_iterations_that_begin_early_do_not_name_their_plies(desk: Desk) -> None:
    desk.now[0] += 0.049
    desk.reports.iterating(5, 0)
    assert [type(told) for told in desk.after(3)] == [Progress]


def test_too_many_plies_are_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_NAMES", 6)
    desk = Desk(monkeypatch)
    assert desk.core.roots.number == 7
    desk.now[0] += 1
    desk.reports.iterating(5, 0)
    assert [type(told) for told in desk.after(3)] == [Progress]


def test_bounds_are_told_after_half_a_second(desk: Desk) -> None:
    desk.result(5, "lowerbound")
    desk.now[0] += 0.49
    desk.result(5, "lowerbound")
    assert desk.told == []
    desk.now[0] += 0.02
    desk.result(5, "upperbound")
    assert isinstance(desk.told[0], Info)
    assert (desk.told[0].score.value, desk.told[0].score.bound) == (10, "upperbound")


def test_one_is_told_at_a_time(desk: Desk) -> None:
    """A look during a result has nothing to tell, and does not wait."""

    def tell(told: Told) -> None:
        desk.told.append(told)
        desk.now[0] += 5
        desk.reports.look()

    desk.reports = desk.over(tell)
    desk.reports.iterating(1, 0)
    desk.result()
    assert [type(told) for told in desk.told] == [Info]


# Over the real core


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "BOUNDS_FROM", 0.0)
    monkeypatch.setattr(reports, "NAMES_FROM", 0.0)
    monkeypatch.setattr(reports, "PROGRESS_FROM", 0.0)
    monkeypatch.setattr(reports, "PROGRESS_EVERY", 0.02)
    monkeypatch.setattr(reports, "LOOK_EVERY", 0.0005)


def engine_in(variant: str, fen: str | None = None) -> Engine:
    rules = load(variant)
    engine = Engine(rules, 4)
    engine.set_position(Position(rules, parse_fen(fen, rules) if fen else None))
    return engine


class Listening(Running):
    """A search in a thread, with all that it told in order."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self.told: list[Told] = []
        super().__init__(engine, limits)

    def start(self) -> None:
        self.results.append(self.task.run(self.told.append, self.told.append))


@pytest.mark.usefixtures("talkative")
@pytest.mark.parametrize(("variant", "lines", "chosen"), [("international", 1, 0), ("dam-daman", 3, 0), ("dam", 1, 4)])
def test_a_search_tells_where_it_is(variant: str, lines: int, chosen: int) -> None:
    engine = engine_in(variant)
    engine.multipv = lines
    plies = engine.position.plies()
    root_plies = tuple(plies[:chosen])
    running = Listening(engine, Limits(infinite=True, root_plies=root_plies))
    places: list[Current] = []
    while len(places) < 10 or sum(isinstance(told, Progress) for told in running.told) < 3:
        running.thread.join(0.05)
        places = [told for told in running.told if isinstance(told, Current)]
    running.task.stop()
    result = running.wait()
    told = list(running.told)
    assert result.best in (root_plies or plies)
    assert all(place.ply in (root_plies or plies) for place in places)
    assert all(1 <= place.number <= (chosen or len(plies)) for place in places)
    assert all(before != after for before, after in pairwise(places))
    assert {place.number for place in places} > {1}
    figures = [figure for figure in told if not isinstance(figure, Current)]
    assert all(a.nodes <= b.nodes and a.time_ms <= b.time_ms for a, b in pairwise(figures))
    best: dict[int, Ply] = {}
    for one in told:
        if isinstance(one, Info) and one.multipv == 1:
            best[one.depth] = one.pv[0]
        elif isinstance(one, Current):
            assert one.depth - 1 == max(best, default=0), "told while the iteration after the last result runs"
            if one.number == 1 and lines == 1:
                assert one.ply == best[one.depth - 1]
    running.thread.join()
    assert running.told == told, "nothing is told once the search has answered"


SHARP = [
    ("international", "W:W27,28,32,33,37,38,39,42,43,48:B7,8,9,12,13,14,18,19,22,24"),
    ("dam-haji", "W:W18,21,23,26,29,30,31,32:B2,3,4,7,8,10,12,15"),
    ("russian", "W:Wa1,c1,e1,g3,c3,d4,f2,h2:Bb8,d8,f8,a7,c7,g7,f6,h6"),
    ("english", "W:W18,21,22,25,26,29,30,32:B2,3,5,7,8,10,12,15"),
    ("dam-haji-10", None),
]


@pytest.mark.usefixtures("talkative")
def test_failed_windows_are_told_and_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "ASPIRATION", 1)
    failed = set()
    for variant, fen in SHARP:
        engine = engine_in(variant, fen)
        infos: list[Info] = []
        engine.search(Limits(depth=6), infos.append)
        assert [info.depth for info in infos if not info.score.bound] == list(range(1, 7))
        for info, following in pairwise(infos):
            position = Position(engine.rules, engine.position.setup())
            for ply in info.pv:
                position.play(ply)
            if info.score.bound:
                failed.add(info.score.bound)
                assert following.depth == info.depth, "the same depth again, with a wider window"
                assert info.depth > 4
    assert failed == {"lowerbound", "upperbound"}


@pytest.mark.usefixtures("talkative")
def test_what_fails_in_the_other_thread_is_not_lost() -> None:
    def tell(_: Progress | Current) -> None:
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        engine_in("international").task(Limits(infinite=True)).run(lambda _: None, tell)


# Over a pipe


def test_a_long_search_over_a_pipe() -> None:
    """From a second on: figures once a second, root plies now and then; whole lines, in order, none after bestmove."""
    with Daemon() as daemon:
        daemon.send("setoption name UCI_Variant value international", "position startpos moves 32-28 19-23", "go infinite")
        lines: list[str] = []
        while sum("currmove " in line for line in lines) < 4 or sum(line.startswith("info nodes") for line in lines) < 2:
            lines.append(daemon.line() or "")
        daemon.send("stop")
        lines += daemon.until("bestmove ")
        assert daemon.ask() == []
    assert {kind_of(line) for line in lines} == {"info", "progress", "bestmove"}
    position = Position(load("international"))
    for text in ("32-28", "19-23"):
        position.play(parse_ply(text, position))
    for line in lines:
        current = re.fullmatch(r"info depth (\d+) currmove (\S+) currmovenumber (\d+)", line)
        if current:
            assert parse_ply(current[2], position) in position.plies()
            assert 1 <= int(current[3]) <= len(position.plies())
    times = [int(found[1]) for line in lines if (found := re.search(r" time (\d+)", line))]
    assert times == sorted(times)
    first = next(number for number, line in enumerate(lines) if kind_of(line) == "progress")
    figures = [int(line.split()[-1]) for line in lines if line.startswith("info nodes ")]
    assert figures[0] >= 1000
    assert all(after - before >= 1000 for before, after in pairwise(figures))
    assert all("depth" in line for line in lines[:first])


@pytest.mark.parametrize("go", ["go depth 3", "go nodes 500", "go movetime 200"])
def test_short_searches_are_terse(go: str) -> None:
    with Daemon() as daemon:
        daemon.send("isready", go)
        daemon.until("readyok")
        lines = daemon.until("bestmove ")
    assert {kind_of(line) for line in lines} == {"info", "bestmove"}
    assert not any("bound" in line for line in lines)


def test_a_finished_search_keeps_nothing_alive() -> None:
    """Its listeners know it, it knows the core, and the core a table that may be gigabytes."""

    class Listener:
        def __init__(self, engine: Engine) -> None:
            self.search = engine.task(Limits(depth=2))

        def run(self) -> None:
            self.search.run(self.told, self.told)

        def told(self, _: Told) -> None: ...

    engine = engine_in("dam")
    listener = Listener(engine)
    listener.run()
    gone = weakref.ref(engine)
    gc.disable()
    try:
        del engine, listener
        assert gone() is None
    finally:
        gc.enable()
