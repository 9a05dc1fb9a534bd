"""How long a search may think, and when it has thought enough: pure decisions, and a task over a scripted core."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damd import reports, task
from damd.clock import Allowance, Thinking, allowance_of
from damd.core.codes import MATE
from damd.core.position import Position
from damd.core.types import Ply
from damd.engine import Engine
from damd.limits import Info, Limits, Result
from damd.notation.fen import parse_fen
from damd.variants import load
from needs import compiled_core
from test_engine import Running

PLIES = Position(load("dam-haji")).plies()


def clock(left: int, increment: int = 0, moves_to_go: int | None = None) -> Limits:
    return Limits(time_ms=(left, 777), increment_ms=(increment, 777), moves_to_go=moves_to_go)


def allowed(limits: Limits, pieces: int = 12, overhead_ms: int = 20) -> tuple[float | None, float | None]:
    """Target and most in milliseconds."""
    allowance = allowance_of(limits, 0, pieces, overhead_ms)
    return (
        None if allowance.target is None else 1000 * allowance.target,
        None if allowance.most is None else 1000 * allowance.most,
    )


def certain(limits: Limits, pieces: int = 12, overhead_ms: int = 20) -> tuple[float, float]:
    target, most = allowed(limits, pieces, overhead_ms)
    assert target is not None
    assert most is not None
    return target, most


# The part of the clock


@pytest.mark.parametrize(
    "limits",
    [Limits(), Limits(depth=5), Limits(nodes=7), Limits(infinite=True, movetime_ms=5), Limits(time_ms=(None, 5))],
)
def test_without_a_clock_of_its_own_a_side_has_all_the_time(limits: Limits) -> None:
    assert allowed(limits) == (None, None)


def test_a_move_time_is_used_up_but_for_the_overhead() -> None:
    assert allowed(Limits(movetime_ms=500)) == (None, 480)
    assert allowed(Limits(movetime_ms=500, time_ms=(9000, 9000))) == (None, 480)
    assert allowed(Limits(movetime_ms=10)) == (None, 1)
    assert allowed(Limits(movetime_ms=0), overhead_ms=0) == (None, 1)


def test_each_side_has_its_own_clock() -> None:
    limits = Limits(time_ms=(100_000, 1000), increment_ms=(0, 0))
    white, black = (allowance_of(limits, side, 12, 20) for side in range(2))
    assert white.target is not None
    assert black.target is not None
    assert white.target > 50 * black.target


CLOCKS = st.builds(
    clock,
    st.integers(-10_000, 10_000_000),
    st.sampled_from([0, 1, 10, 1000, 60_000, 10_000_000]),
    st.one_of(st.none(), st.integers(1, 1000)),
)


@given(CLOCKS, st.integers(1, 30), st.sampled_from([0, 5, 20, 300, 5000]))
def test_no_turn_takes_more_than_the_clock_has(limits: Limits, pieces: int, overhead_ms: int) -> None:
    target, most = certain(limits, pieces, overhead_ms)
    left = limits.time_ms[0]
    assert left is not None
    assert 0 < target <= most <= max(1, left - overhead_ms) + 1e-9


@pytest.mark.parametrize("left", [20, 1, 0, -50])
@pytest.mark.parametrize("increment", [0, 10, 60_000])
def test_an_empty_clock_is_answered_at_once(left: int, increment: int) -> None:
    assert certain(clock(left, increment))[1] <= 1


def test_the_last_turn_of_a_period_may_have_the_rest_of_it() -> None:
    target, most = certain(clock(10_000, moves_to_go=1))
    assert most == 9980
    assert 5000 < target < most
    second, most_of_two = certain(clock(10_000, moves_to_go=2))
    assert second < target
    assert most_of_two < 9000
    shares = [certain(clock(10_000, moves_to_go=moves))[0] for moves in (1, 2, 3, 10, 40, 50)]
    assert shares == sorted(shares, reverse=True)
    assert certain(clock(10_000, moves_to_go=1000)) == certain(clock(10_000, moves_to_go=50))


def test_a_clock_lasts_for_a_game_of_any_length() -> None:
    for increment in (0, 100):
        left, taken = 60_000.0, []
        for _ in range(200):
            target, _ = certain(clock(int(left), increment))
            taken.append(target)
            left += increment - target - increment / 10
            assert left > 50
        assert 1500 < taken[0] == max(taken) < 3000
        # At the end it lives on its increment.
        assert taken[-1] == pytest.approx(0.9 * increment, abs=5)


def test_only_an_increment() -> None:
    target, most = certain(clock(1000, 1000))
    assert 500 < target < most < 980
    left = 10.0
    for _ in range(50):
        left += 1000 - certain(clock(int(left), 1000))[0]
        assert left > 500
    assert left < 7000, "time that comes back is for use"


def test_many_pieces_mean_many_turns() -> None:
    assert certain(clock(60_000), 30)[0] < certain(clock(60_000), 12)[0] < certain(clock(60_000), 3)[0]


def test_an_overhead_larger_than_thought_does_not_empty_the_clock() -> None:
    """Each answer loses 9 ms on the way; the clock stays where the increment can bear it."""
    left = 100.0
    for _ in range(500):
        left += 10 - certain(clock(int(left), 10))[0] - 9
        assert left > 0
    assert left > 20


# Whether to go on


def thought(steps: Sequence[tuple[float, Ply, int, float]], began: float = 0.0) -> tuple[Thinking, float]:
    """After iterations of so many seconds, with ply, score and share of each; and the time now."""
    thinking, now = Thinking(began), began
    for seconds, ply, score, share in steps:
        now += seconds
        thinking.finished(now, ply, score, share)
    return thinking, now


def doubling(count: int, first: float = 0.001) -> list[float]:
    return [first * 2**number for number in range(count)]


def calm(count: int, share: float = 0.6) -> list[tuple[float, Ply, int, float]]:
    return [(seconds, PLIES[0], 10, share) for seconds in doubling(count)]


def test_an_easy_ply_is_worth_little() -> None:
    usual = thought(calm(9))[0].worth
    easy = thought(calm(9, share=0.95))[0].worth
    assert easy < usual / 2
    assert 0.6 < usual < 1.2
    # A ply is not easy after a few iterations, nor one that is new.
    assert thought(calm(4, share=0.95))[0].worth > 1.5 * easy
    changed = [*calm(9, share=0.95), (0.5, PLIES[1], 10, 0.95)]
    assert thought(changed)[0].worth > 2 * easy


def test_a_new_best_ply_is_worth_more_and_is_forgotten_again() -> None:
    steps = calm(6)
    worths = [thought(steps)[0].worth]
    for number in range(6):
        steps.append((0.064 * 2**number, PLIES[1], 10, 0.6))
        worths.append(thought(steps)[0].worth)
    assert worths[1] == max(worths) > 1.3 * worths[0]
    assert worths[1:] == sorted(worths[1:], reverse=True)
    assert worths[-1] == pytest.approx(worths[0], rel=0.05)
    back_and_forth = [replace_ply(step, PLIES[number % 2]) for number, step in enumerate(calm(8))]
    assert thought(back_and_forth)[0].worth > worths[1]


def replace_ply(step: tuple[float, Ply, int, float], ply: Ply) -> tuple[float, Ply, int, float]:
    return (step[0], ply, *step[2:])


def test_a_falling_score_is_worth_more() -> None:
    usual = thought(calm(8))[0].worth
    worths = [thought([*calm(7), (0.128, PLIES[0], 10 - fall, 0.6)])[0].worth for fall in (0, 10, 40, 90, 5000)]
    assert worths[0] == worths[1] == usual, "scores always swing a little"
    assert worths[1] < worths[2] < worths[3] <= worths[4]
    assert worths[4] > 1.7 * usual
    assert thought([*calm(7), (0.128, PLIES[0], 300, 0.6)])[0].worth == usual, "a rise is no trouble"
    lost = [
        (seconds, PLIES[0], score, 0.6)
        for seconds, score in zip(doubling(4), (-2000, -MATE, 1 - MATE, 2 - MATE), strict=True)
    ]
    assert thought(lost)[0].worth < 1.5, "beyond lost there is no further fall"


def test_the_next_iteration_is_begun_if_it_ends_nearer_to_the_target() -> None:
    """Iterations double: after 255 ms the next one would end at 511 ms."""
    thinking, now = thought(calm(8))
    assert now == pytest.approx(0.255)
    fair = (now + now + 0.256) / 2 / thinking.worth
    assert thinking.enough(now, 0.0, Allowance(0.99 * fair, 10.0))
    assert not thinking.enough(now, 0.0, Allowance(1.01 * fair, 10.0))
    assert not thinking.enough(now, 0.0, Allowance(None, 0.3)), "without a target a limit is for use"


def test_no_iteration_is_begun_that_cannot_end() -> None:
    thinking, now = thought(calm(8))
    assert thinking.enough(now, 0.0, Allowance(5.0, 0.50))
    assert not thinking.enough(now, 0.0, Allowance(5.0, 0.52))
    slower, now = thought([(seconds, PLIES[0], 10, 0.6) for seconds in (0.001, 0.003, 0.009, 0.027, 0.081)])
    assert slower.enough(now, 0.0, Allowance(5.0, now + 0.2)), "each takes three times as long"
    assert not slower.enough(now, 0.0, Allowance(5.0, now + 0.25))
    # How long the next takes is not guessed from a hiccup, or from two that took no time.
    odd, now = thought([(1e-9, PLIES[0], 0, 0.5), (1e-3, PLIES[0], 0, 0.5), (1e-9, PLIES[0], 0, 0.5)])
    assert not odd.enough(now, 0.0, Allowance(0.01, 0.05))


def test_time_of_the_opponent_counts_as_thought() -> None:
    """The iteration under way began at 10.255 and is expected to end at 10.511."""
    thinking, _ = thought(calm(8), began=10.0)
    allowance = Allowance(0.55, 1.5)
    assert not thinking.enough(10.256, 10.256, allowance)
    assert thinking.enough(10.4, 10.4, allowance), "hit late in it: long enough thought already"
    assert thinking.enough(20.0, 20.0, allowance), "overdue by far"
    assert not thinking.enough(10.4, 10.4, Allowance(3.0, 15.0))


# A task over a scripted core


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the core: so long it takes, and what it finds."""

    seconds: float = 0.0
    score: int = 10
    best: int = 0
    share: float = 0.6


class ScriptedRoots:
    """Its root plies, in the order of the list."""

    def __init__(self, core: ScriptedCore) -> None:
        self._core = core

    @property
    def number(self) -> int:
        return len(self._core.listed)

    def ply(self, place: int) -> tuple[int, list[int]]:
        return self._core.listed[place]

    def share(self) -> float:
        return self._core.step.share


class ScriptedLines:
    """Its principal variation, of one ply."""

    def __init__(self, core: ScriptedCore) -> None:
        self._core = core

    def principal(self) -> list[tuple[int, list[int]]]:
        return [self._core.listed[self._core.step.best]]


class ScriptedCore:
    """Stands for the compiled search: it takes the clock's time and returns what it was told to."""

    def __init__(self, steps: Sequence[Step], now: list[float], position: Position) -> None:
        self.nodes = self.seldepth = self.current = self.node_limit = 0
        self.roots = ScriptedRoots(self)
        self.lines = ScriptedLines(self)
        self.windows: list[tuple[int, int]] = []
        self.depths: list[int] = []
        self._steps = list(steps)
        self.step = Step()
        self._now = now
        self._position = position
        self.listed: list[tuple[int, list[int]]] = []

    def prepare(self, chosen: Sequence[int] | None) -> int:
        count = self._position.core.list_plies()
        indices = range(count) if chosen is None else chosen
        self.listed = [self._position.core.listed_ply(index) for index in indices]
        return self.roots.number

    def iterate(self, depth: int, alpha: int, beta: int, first: int) -> int:
        self.windows.append((alpha, beta))
        self.depths.append(depth)
        self.step = self._steps.pop(0) if self._steps else replace(self.step, seconds=2 * self.step.seconds)
        self._now[0] += self.step.seconds
        self.nodes += 1000
        assert first == 0
        return min(max(self.step.score, alpha), beta)

    def out(self) -> bool:
        return bool(self._position.core.stopped())


class Scripted:
    """An engine whose core is scripted. ``allowed`` is what every search may take."""

    multipv = 1

    def __init__(self, steps: Sequence[Step], now: list[float], allowance: Allowance, fen: str | None = None) -> None:
        rules = load("dam-haji")
        self.position = Position(rules, parse_fen(fen, rules) if fen else None)
        self.core = ScriptedCore(steps, now, self.position)
        self.allowed = allowance

    def allowance(self, limits: Limits) -> Allowance:  # noqa: ARG002
        return self.allowed

    def core_search(self, _limits: Limits) -> Any:
        return self.core

    def table_fullness(self) -> int:
        return 0

    def evaluate(self) -> int:
        return 0

    def expected_after(self, code: int, taken: list[int]) -> Ply | None:  # noqa: ARG002
        return None

    def conclude(self, limits: Limits, best: Ply, ponder: Ply | None, score: int) -> Result:  # noqa: ARG002
        return Result(best, ponder)


class Times:
    """A clock that only the scripted core moves."""

    def __init__(self, now: list[float]) -> None:
        self._now = now

    def monotonic(self) -> float:
        return self._now[0]


def ran(
    monkeypatch: pytest.MonkeyPatch,
    steps: Sequence[Step],
    allowance: Allowance,
    limits: Limits | None = None,
    fen: str | None = None,
) -> tuple[Scripted, list[Info], Result, float]:
    """A search that is run to its end: the engine, what it reported, its result, and the seconds that it took."""
    now = [100.0]
    for module in (task, reports):
        monkeypatch.setattr(module, "time", Times(now))
    engine = Scripted(steps, now, allowance, fen)
    infos: list[Info] = []
    result = task.SearchTask(engine, limits or Limits()).run(infos.append)
    return engine, infos, result, now[0] - 100


def growing(count: int, **fields: Any) -> list[Step]:
    return [Step(seconds, **fields) for seconds in doubling(count)]


ROOMY = Allowance(1.0, 5.0)


def test_a_search_ends_near_its_target(monkeypatch: pytest.MonkeyPatch) -> None:
    _, infos, _, took = ran(monkeypatch, growing(20), ROOMY)
    assert 0.5 < took < 1.5
    _, _, _, easily = ran(monkeypatch, growing(20, share=0.97), ROOMY)
    assert easily < took / 2
    unsure = [replace(step, best=number % 2) for number, step in enumerate(growing(20))]
    _, infos, result, longer = ran(monkeypatch, unsure, ROOMY)
    assert took < longer <= 5
    assert result.best == infos[-1].pv[0]


def test_a_fall_at_the_end_buys_another_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = growing(20)
    _, infos, _, took = ran(monkeypatch, steps, ROOMY)
    depth = infos[-1].depth
    # Inside the window: a search that has missed it takes longer anyway.
    steps[depth - 1 :] = [replace(step, score=-29) for step in steps[depth - 1 :]]
    engine, infos, _, longer = ran(monkeypatch, steps, ROOMY)
    assert infos[-1].depth == depth + 1
    assert engine.core.depths == list(range(1, depth + 2))
    assert took < longer <= 5


def test_a_forced_ply_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    forced = "W:W32:B1,2"
    assert len(Scripted([], [0.0], ROOMY, forced).position.plies()) == 2
    chosen = tuple(Scripted([], [0.0], ROOMY, forced).position.plies()[:1])
    _, infos, _, _ = ran(monkeypatch, growing(20), ROOMY, Limits(root_plies=chosen), forced)
    assert [info.depth for info in infos] == [1]
    _, infos, _, _ = ran(monkeypatch, growing(5), Allowance(), Limits(depth=5, root_plies=chosen), forced)
    assert [info.depth for info in infos] == [1, 2, 3, 4, 5], "asked for a depth it searches that deep"


@pytest.mark.parametrize("sign", [1, -1])
def test_an_end_that_was_seen_is_enough(monkeypatch: pytest.MonkeyPatch, sign: int) -> None:
    _, infos, _, _ = ran(monkeypatch, growing(20, score=sign * (MATE - 3)), Allowance(100.0, 500.0))
    assert infos[-1].depth == 7


@given(
    st.lists(
        st.builds(Step, st.floats(1e-5, 0.5), st.integers(-100, 100), st.integers(0, 6), st.floats(0, 1)),
        min_size=1,
        max_size=15,
    ),
    st.floats(0.01, 2.0),
)
def test_every_search_of_a_clock_ends_by_itself(steps: list[Step], target: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        engine, infos, result, took = ran(patch, steps, Allowance(target, 5 * target))
    assert result.best in engine.position.plies()
    assert [info.depth for info in infos] == sorted(info.depth for info in infos)
    # The last iteration may be the one that made it too long, none is begun after that.
    assert took <= 5 * target + max(2 * steps[-1].seconds, *(step.seconds for step in steps)) * 4


@pytest.mark.parametrize("limits", [Limits(time_ms=(0, 0)), Limits(infinite=True), Limits(ponder=True, time_ms=(0, 0))])
@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        ("dam-haji-10", "B:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"),
        ("dam-daman", "W:WKe5:Bd7,b8,d5,b4,b7,d6,e6,a5,d4,b3,b6,e4,c6,Kc1"),
    ],
)
@compiled_core
def test_a_monstrous_position_is_answered_in_time(
    monkeypatch: pytest.MonkeyPatch, variant: str, fen: str, limits: Limits
) -> None:
    """One ply deep there are more than ten thousand positions: where time is up it is not searched to the end."""
    monkeypatch.setattr(task, "FIRST_GRACE", 0.001)
    rules = load(variant)
    infos: list[Info] = []
    # All of dam-daman's take a few milliseconds, in which a busy machine may not wake who ends the search.
    for _ in range(20 if variant == "dam-daman" else 1):
        infos.clear()
        engine = Engine(rules, 4)
        engine.set_position(Position(rules, parse_fen(fen, rules)))
        search = engine.task(limits)
        if limits.infinite or limits.ponder:
            search.stop()
        result = search.run(infos.append)
        assert result.best in engine.position.plies()
        assert [info.pv[0] for info in infos] == [result.best]
        if infos[0].nodes < 8000:
            break
    assert infos[0].nodes < 8000
    # and nothing of it is left for the next search
    infos.clear()
    engine.search(Limits(depth=1), infos.append)
    assert infos[0].nodes > 10_000


# Failed windows


def test_failed_windows_are_told_in_long_searches_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def bounds(seconds: float) -> list[tuple[int, str, int]]:
        steps = [Step(seconds), Step(), Step(), Step(), Step(score=500, best=1), Step(score=500, best=1)]
        steps += [Step(score=500, best=1), Step(score=-300, best=2)]
        _, infos, _, _ = ran(monkeypatch, steps, Allowance(), Limits(depth=6))
        assert [(info.depth, info.score.value) for info in infos if not info.score.bound] == [
            *((depth, 10) for depth in range(1, 5)), (5, 500), (6, -300)
        ]  # fmt: skip
        return [(info.depth, info.score.bound, info.score.value) for info in infos if info.score.bound]

    assert bounds(0.49) == []
    told = bounds(0.5)
    assert [(depth, bound) for depth, bound, _ in told] == [
        *((5, "lowerbound"),) * 2, *((6, "upperbound"),) * 3
    ]  # fmt: skip
    assert [value for _, _, value in told] == [50, 170, 460, 340, -140]


def test_what_raised_the_score_is_answered_where_it_cannot_be_searched_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [Step(1.0), Step(), Step(), Step(), Step(score=500, best=3)]
    now = [100.0]
    for module in (task, reports):
        monkeypatch.setattr(module, "time", Times(now))
    engine = Scripted(steps, now, Allowance())
    search = task.SearchTask(engine, Limits(infinite=True))
    infos: list[Info] = []

    def stop(info: Info) -> None:
        infos.append(info)
        if info.score.bound and not search._stopped:
            search.stop()
            engine.core.iterate = lambda *_: -32000  # type: ignore[method-assign]

    result = search.run(stop)
    assert result.best == engine.position.plies()[3]
    assert [(info.depth, info.score.bound) for info in infos[-3:]] == [(4, ""), (5, "lowerbound"), (5, "lowerbound")]


# Pondering


def test_the_own_clock_is_the_one_that_counts_after_a_hit() -> None:
    """Whose turn it is must not be read from a board that is being searched."""
    rules = load("international")
    for _ in range(12):
        engine = Engine(rules, 1)
        running = Running(engine, Limits(ponder=True, time_ms=(50, 3_000_000)))
        while len(running.infos) < 4:
            time.sleep(0.005)
        running.task.ponder_hit()
        assert running.wait(20).best is not None


def test_a_hit_after_long_thought_is_answered_at_once() -> None:
    engine = Engine(load("international"), 1)
    hit: list[int] = []

    def ponder_hit(info: Info) -> None:
        if info.depth == 5:
            search.ponder_hit()
        hit.append(info.depth)

    search = engine.task(Limits(ponder=True, time_ms=(21, 21)))
    assert search.run(ponder_hit).best is not None
    assert max(hit) <= 6
