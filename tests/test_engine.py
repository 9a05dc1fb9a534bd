"""The engine: limits, clocks, stops, choices; real searches throughout, compiled or interpreted as built."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from damd.core import builds
from damd.core.position import Position
from damd.core.types import PlyKind, Reason, TooManyPlies
from damd.engine import Engine, Info, Limits, Result
from damd.limits import Score, score_of
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.variants import load, names
from needs import compiled_core

TEXTS = ("dam-haji", "dam-haji-10", "dam-haji-12", "dam", "dam-daman")


def engine_at(variant: str, fen: str | None = None, *plies: str) -> Engine:
    rules = load(variant)
    engine = Engine(rules, 4)
    position = Position(rules, parse_fen(fen, rules) if fen else None)
    for text in plies:
        position.play(parse_ply(text, position))
    engine.set_position(position)
    return engine


def searched(engine: Engine, limits: Limits) -> tuple[Result, list[Info]]:
    """The result and the reports; bounds, which only searches that take long report, are left out."""
    infos: list[Info] = []
    return engine.search(limits, infos.append), [info for info in infos if not info.score.bound]


def written(engine: Engine, result: Result) -> str:
    assert result.best is not None
    return format_ply(result.best, engine.position.board)


@pytest.mark.parametrize("variant", names())
def test_every_variation_is_legal_from_the_root(variant: str) -> None:
    engine = engine_at(variant)
    key = engine.position.key
    result, infos = searched(engine, Limits(depth=6))
    assert [info.depth for info in infos] == list(range(1, 7))
    for info in infos:
        position = Position(engine.rules)
        for ply in info.pv:
            position.play(ply)
        assert info.pv
    assert result.best == infos[-1].pv[0]
    assert engine.position.key == key
    assert engine.position.played == 0


@pytest.mark.parametrize(
    ("variant", "fen", "best"),
    [
        ("dam-haji", "W:W18:B9:P9", "x9"),  # the claim takes the last piece: no turn passes
        ("international", "W:WK1:B7", None),
        ("dam", "W:W18:B15", "18x11"),
        ("dam-daman", "W:WKc5,Kc6:BKd5", None),
    ],
)
def test_a_win_in_one_is_found(variant: str, fen: str, best: str | None) -> None:
    engine = engine_at(variant, fen)
    result, infos = searched(engine, Limits(depth=6))
    assert infos[-1].score == Score("mate", 1)
    if best is not None:
        assert written(engine, result) == best
    position = engine.position
    assert result.best is not None
    position.play(result.best)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 0


@pytest.mark.parametrize("variant", [*TEXTS, "russian", "english", "italian", "frisian"])
def test_an_announced_win_is_shown_to_its_end(variant: str) -> None:
    rules = load(variant)
    rules = replace(rules, end=replace(rules.end, move_limit=0, repetition=0))
    random = Random(7)
    shown = 0
    while shown < 5:
        position = Position(rules)
        while position.outcome() is None and min(position.pieces) > 3:
            position.play(random.choice(position.plies()))
        if position.outcome() is not None:
            continue
        engine = Engine(rules, 2)
        engine.set_position(position)
        _, infos = searched(engine, Limits(depth=6))
        score = infos[-1].score
        if score.kind != "mate":
            continue
        shown += 1
        side, turns = position.side, position.fullmoves * 2 + position.side
        for ply in infos[-1].pv:
            position.play(ply)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == (side if score.value > 0 else 1 - side)
        passed = position.fullmoves * 2 + position.side - turns
        assert score.value == (passed // 2 + 1 if score.value > 0 else -((passed + 1) // 2))


def test_scores_by_distance_count_turns() -> None:
    assert score_of(30000) == Score("mate", 1)  # a claim wins in the turn that is running
    assert score_of(29999) == Score("mate", 1)
    assert score_of(29998) == Score("mate", 2)
    assert score_of(29997) == Score("mate", 2)
    assert score_of(-30000) == Score("mate", 0)
    assert score_of(-29999) == Score("mate", -1)
    assert score_of(-29998) == Score("mate", -1)
    assert score_of(-29997) == Score("mate", -2)
    assert score_of(-35) == Score("cp", -35)


def test_a_capture_that_loses_is_declined() -> None:
    # 17x26 would let 30x21x14x... sweep the board; the price of declining is one man.
    engine = engine_at("dam-haji", "W:W22,27,32:B10,17,18,K3")
    position = engine.position
    captures = [ply for ply in position.plies() if ply.kind is PlyKind.CAPTURE]
    assert captures
    result, infos = searched(engine, Limits(depth=9))
    assert result.best is not None
    best = infos[-1].score
    # Whatever is chosen is at least as good as the best capture alone.
    forced, forced_infos = searched(
        engine_at("dam-haji", "W:W22,27,32:B10,17,18,K3"), Limits(depth=9, root_plies=tuple(captures))
    )
    assert forced.best in captures
    assert value(best) >= value(forced_infos[-1].score)


def value(score: Score) -> int:
    return score.value if score.kind == "cp" else (10000 - score.value if score.value > 0 else -10000 - score.value)


DAM_PENDING = "W:Wa1,c1,e1,b2,c2,d2,a3,b3,c3,d3,e3,a4,b4,c4,d4,e4:Ba6,b6,c6,d6,e6,a7,b7,c7,d7,e7,b8,c8,d8,a9,c9,e9:P*3"


def test_a_dam_is_claimed_and_does_not_drown_the_search() -> None:
    engine = engine_at("dam-daman", DAM_PENDING)
    assert sum(ply.kind is PlyKind.CLAIM for ply in engine.position.plies()) == 560
    result, infos = searched(engine, Limits(nodes=60_000))
    assert result.best is not None
    assert result.best.kind is PlyKind.CLAIM
    assert result.ponder is None
    assert infos[-1].depth >= 4
    assert infos[-1].score.value > 250


def test_no_claim_as_ponder_ply_nor_beside_one() -> None:
    for variant in ("dam-haji", "dam-daman"):
        engine = engine_at(variant)
        for _ in range(20):
            if engine.position.outcome():
                break
            result, _infos = searched(engine, Limits(depth=3))
            assert result.best is not None
            if result.ponder is not None:
                assert PlyKind.CLAIM not in (result.best.kind, result.ponder.kind)
            # The worst move on purpose, to get rights into the game.
            worst = [ply for ply in engine.position.plies() if ply.kind is PlyKind.QUIET]
            engine.position.play(worst[0] if worst else result.best)


def test_the_root_is_searched_though_the_position_has_occurred() -> None:
    engine = engine_at("international", "W:WK1,31:BK50,20", "1-6", "50-45", "6-1", "45-50")
    assert engine.position.repetitions == 2
    result, infos = searched(engine, Limits(depth=3))
    assert result.best in engine.position.plies()
    assert infos


def test_a_third_repetition_is_avoided_when_winning() -> None:
    shuffle = ("1-6", "5-10", "6-1", "10-5")
    engine = engine_at("international", "W:WK1,K2,K3,45,46,47:BK5", *shuffle)
    result, _ = searched(engine, Limits(depth=6))
    assert result.best is not None
    engine.position.play(result.best)
    assert engine.position.repetitions < 3


def test_two_who_shuffle_are_drawn_by_repetition() -> None:
    position = engine_at("international", "W:WK1,31:BK50,20").position
    for text in ("1-6", "50-45", "6-1", "45-50") * 2:
        assert position.outcome() is None
        position.play(parse_ply(text, position))
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, Reason.REPETITION)


def test_a_loss_has_priority_over_the_counter() -> None:
    position = engine_at("international", "W:W6:B1:H200:F90").position
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (1, Reason.NO_MOVES)


def test_the_move_limit_is_a_draw_in_the_search_too() -> None:
    engine = engine_at("international", "W:WK1,K2,K3:BK50:H49:F90")
    result, infos = searched(engine, Limits(depth=5))
    assert result.best is not None
    assert infos[-1].score == Score("cp", 0)


def test_the_search_knows_that_the_first_king_wins() -> None:
    rules = load("international")
    rules = replace(rules, end=replace(rules.end, first_king=True))
    engine = Engine(rules, 2)
    for fen, turns in (("W:W12,41:B16,26,4", 2), ("W:W12,11:B7,8,9,20", 1)):
        engine.set_position(Position(rules, parse_fen(fen, rules)))
        _, infos = searched(engine, Limits(depth=5))
        assert infos[-1].score == Score("mate", turns)


@pytest.mark.parametrize(
    ("variant", "fen", "turns"),
    [
        ("dam", "B:W5,6,15,16,22,24:BK12,18", 2),
        ("dam", "W:WK4,6:BK9,17,20", 3),
        ("dam-haji", "W:WK12:B20,K23", 3),
        ("international", "B:W12,16,20,27,38:BK49", 3),
        ("international", "W:WK36:B27,29,35,K39", 3),
    ],
)
def test_who_is_ahead_and_shut_in_is_not_taken_for_safe(variant: str, fen: str, turns: int) -> None:
    """What the search prunes for being so much ahead has to have a ply to make."""
    _, infos = searched(engine_at(variant, fen), Limits(depth=9))
    assert infos[-1].score == Score("mate", turns)


def test_the_search_knows_that_one_piece_each_waits_for_a_capture() -> None:
    rules = load("dam")
    rules = replace(rules, end=replace(rules.end, one_each="unless-capture"))
    engine = Engine(rules, 2)
    for fen, score in (("W:WK32,27:BK23", Score("mate", 1)), ("W:WK32:B27,K1", Score("cp", 0))):
        engine.set_position(Position(rules, parse_fen(fen, rules)))
        _, infos = searched(engine, Limits(depth=5))
        assert infos[-1].score == score, fen


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman", "international"])
@pytest.mark.parametrize("nodes", [1, 2, 37, 5000])
def test_a_node_limit_is_kept(variant: str, nodes: int) -> None:
    result, infos = searched(engine_at(variant), Limits(nodes=nodes))
    assert result.best is not None
    assert infos
    assert infos[-1].nodes <= nodes + 1


@pytest.mark.parametrize("variant", TEXTS)
def test_after_clear_a_search_repeats_itself(variant: str) -> None:
    engine = engine_at(variant)
    first = searched(engine, Limits(depth=7))
    engine.clear()
    second = searched(engine, Limits(depth=7))
    assert [(i.depth, i.seldepth, i.score, i.nodes, i.pv) for i in first[1]] == [
        (i.depth, i.seldepth, i.score, i.nodes, i.pv) for i in second[1]
    ]
    assert first[0] == second[0]


def test_after_clear_a_large_table_knows_nothing() -> None:
    engine = Engine(load("dam"), hash_mb=200)  # so large that the system is asked for fresh pages
    first, again = (searched(engine, Limits(depth=9))[1] for _ in range(2))
    assert again[-1].nodes < first[-1].nodes
    engine.clear()
    assert searched(engine, Limits(depth=9))[1][-1].nodes == first[-1].nodes


def test_several_lines_are_different_and_ordered() -> None:
    engine = engine_at("dam-haji-10-20")
    engine.multipv = 4
    _, infos = searched(engine, Limits(depth=5))
    last = [info for info in infos if info.depth == 5]
    assert [info.multipv for info in last] == [1, 2, 3, 4]
    assert len({info.pv[0] for info in last}) == 4
    assert all(value(a.score) >= value(b.score) for a, b in pairwise(last))


def test_only_the_chosen_plies_are_searched() -> None:
    engine = engine_at("international")
    chosen = tuple(parse_ply(text, engine.position) for text in ("32-28", "31-27"))
    result, infos = searched(engine, Limits(depth=4, root_plies=chosen))
    assert result.best in chosen
    assert all(info.pv[0] in chosen for info in infos)


def test_without_a_ply_there_is_no_choice() -> None:
    result, infos = searched(engine_at("international", "W:W6:B1"), Limits(depth=5))
    assert result == Result(None)
    assert infos == []


def test_a_clock_is_kept() -> None:
    engine = engine_at("dam-haji-10-20")
    for limits, most in (
        (Limits(movetime_ms=60), 1.0),
        (Limits(time_ms=(300, 300), increment_ms=(10, 10)), 1.0),
        (Limits(time_ms=(1, 1)), 1.0),
        (Limits(time_ms=(0, 0)), 1.0),
        (Limits(time_ms=(-50, 10)), 1.0),
        (Limits(time_ms=(1000, 1000), moves_to_go=1), 3.0),
    ):
        began = time.monotonic()
        result, infos = searched(engine, limits)
        assert result.best is not None
        assert infos
        assert time.monotonic() - began < most


class Running:
    """A search in a thread of its own."""

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self.infos: list[Info] = []
        self.results: list[Result] = []
        self.task = engine.task(limits)
        self.thread = threading.Thread(target=self.start)
        self.thread.start()

    def start(self) -> None:
        self.results.append(self.task.run(self.infos.append))

    def wait(self, seconds: float = 30) -> Result:
        self.thread.join(seconds)
        assert not self.thread.is_alive()
        return self.results[0]


def test_infinite_holds_its_answer_back() -> None:
    running = Running(engine_at("international", "W:WK1:B7"), Limits(infinite=True))
    time.sleep(0.3)
    assert running.thread.is_alive()
    running.task.stop()
    assert running.wait().best is not None


def test_a_stop_before_the_search_runs_is_not_lost() -> None:
    engine = engine_at("international")
    task = engine.task(Limits(infinite=True))
    task.stop()
    infos: list[Info] = []
    assert task.run(infos.append).best is not None
    assert infos
    # and it does not stop the next one
    _result, infos = searched(engine, Limits(depth=5))
    assert infos[-1].depth == 5


def test_ponder_waits_for_the_hit_and_then_keeps_the_clock() -> None:
    engine = engine_at("dam-daman")
    running = Running(engine, Limits(ponder=True, movetime_ms=50))
    time.sleep(0.2)
    assert running.thread.is_alive()
    running.task.ponder_hit()
    assert running.wait().best is not None
    running = Running(engine, Limits(ponder=True, depth=1))
    time.sleep(0.1)
    assert running.thread.is_alive()
    running.task.stop()
    assert running.wait().best is not None


def test_mate_ends_when_it_is_found() -> None:
    engine = engine_at("international", "W:WK1:B7")
    _, infos = searched(engine, Limits(mate=1))
    assert infos[-1].score == Score("mate", 1)
    _, infos = searched(engine_at("dam"), Limits(mate=2))
    assert infos[-1].depth == 5


@pytest.mark.parametrize(
    ("variant", "fen", "turns"),
    [
        ("international", "W:WK36:B27,29,35,K39", 3),
        ("international", "W:WK4,K5,K11:B1,10,13,31", 3),
        ("dam", "B:W8,21,29:BK3,K14", 3),
    ],
)
def test_a_search_for_a_win_overlooks_none(variant: str, fen: str, turns: int) -> None:
    """It prunes and reduces nothing, and trusts no table that was written by a search that does."""
    engine = engine_at(variant, fen)
    for depth in (5, 7):
        searched(engine, Limits(depth=depth))
    _, infos = searched(engine, Limits(mate=turns))
    assert infos[-1].score == Score("mate", turns)
    assert infos[-1].depth <= 2 * turns
    _, infos = searched(engine, Limits(mate=turns - 1))
    assert infos[-1].score != Score("mate", turns - 1)


def test_draws_and_resigning_are_off_unless_wanted() -> None:
    lost = "W:W50:BK1,K2,K3,K4,K5,6,7,8,9,10"
    engine = engine_at("international", lost)
    for _ in range(4):
        result, _ = searched(engine, Limits(depth=2, draw_offered=True))
        assert not result.offers_draw
        assert not result.resigns
    engine.resign = engine.draw_offers = True
    engine.clear()
    for _ in range(3):
        result, _ = searched(engine, Limits(depth=2, draw_offered=True))
        assert result.offers_draw  # a lost game is gladly drawn
        assert not result.resigns
    engine.clear()
    results = [searched(engine, Limits(depth=2))[0] for _ in range(3)]
    assert [result.resigns for result in results] == [False, False, True]
    # Another game, and analysis, begin from nothing.
    engine.set_position(Position(engine.rules, engine.position.setup()))
    assert not searched(engine, Limits(depth=2))[0].resigns
    engine.set_position(Position(engine.rules, engine.position.setup()))
    chosen = tuple(engine.position.plies()[:1])
    assert not any(searched(engine, Limits(depth=2, root_plies=chosen))[0].resigns for _ in range(4))
    won = engine_at("international", "B:W50:BK1,K2,K3,K4,K5,6,7,8,9,10")
    won.draw_offers = True
    assert not searched(won, Limits(depth=2, draw_offered=True))[0].offers_draw


@compiled_core
def test_a_table_that_cannot_be_had_leaves_the_old_one() -> None:
    engine = engine_at("dam-haji")
    with pytest.raises(MemoryError):
        engine.set_hash(1 << 22)
    assert engine.hash_mb == 4
    assert searched(engine, Limits(depth=4))[0].best is not None
    engine.set_hash(2)
    assert searched(engine, Limits(depth=4))[0].best is not None


def test_an_engine_goes_when_nobody_holds_it() -> None:
    # Its table may be gigabytes: it must not wait for the cyclic collector.
    engine = engine_at("dam-haji")
    searched(engine, Limits(depth=2))
    engine.bench(1)
    gone = weakref.ref(engine)
    gc.disable()
    try:
        del engine
        assert gone() is None
    finally:
        gc.enable()


def test_rules_change_with_the_width_of_the_board() -> None:
    engine = engine_at("dam-haji")
    for variant in ("dam-haji-12", "dam-daman", "dam-haji-12", "international"):
        engine.set_rules(load(variant))
        assert searched(engine, Limits(depth=3))[0].best in engine.position.plies()


def test_bench_repeats_itself_and_leaves_the_position_alone() -> None:
    engine = engine_at("dam-daman", None, "c4-c5")
    key = engine.position.key
    first, _ = engine.bench(4)
    second, _ = engine.bench(4)
    assert first == second > 0
    assert engine.position.key == key


@pytest.mark.parametrize("variant", ["dam-haji", "dam", "russian"])
def test_the_bench_counts_the_same_nodes_in_every_build(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes, _ = Engine(load(variant), 1).bench(4)
    with monkeypatch.context() as patch:
        patch.setattr(builds, "NARROW_BITS", 0)  # bitboards of 128 bits for small boards too
        assert Engine(load(variant), 1).bench(4)[0] == nodes
    monkeypatch.setenv("DAMD_CORE", "interpreted")
    assert Engine(load(variant), 1).bench(4)[0] == nodes


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman", "italian", "dam-haji-12"])
def test_both_builds_search_the_same_tree(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def tree() -> list[Info]:
        engine = engine_at(variant)
        engine.set_hash(512)  # room enough for both: a row of the interpreted table takes more memory
        return searched(engine, Limits(depth=4))[1]

    as_built = tree()
    monkeypatch.setenv("DAMD_CORE", "interpreted")
    interpreted = tree()
    assert [(i.depth, i.score, i.nodes, i.pv) for i in as_built] == [(i.depth, i.score, i.nodes, i.pv) for i in interpreted]


@compiled_core
@pytest.mark.parametrize(
    ("variant", "fen"),
    [
        ("dam-haji-10", "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"),
        ("dam-daman", "W:WKe5:Bd7,b8,d5,b4,b7,d6,e6,a5,d4,b3,b6,e4,c6,Kc1"),
        ("dam-haji-10", "B:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"),
    ],
)
def test_explosive_positions_are_searched(variant: str, fen: str) -> None:
    engine = engine_at(variant, fen)
    result, infos = searched(engine, Limits(depth=2))
    assert result.best is not None
    assert infos


def test_explosive_positions_are_refused_interpreted() -> None:
    rules = load("dam-haji-10")
    lattice = parse_fen("W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40", rules)
    position = Position(rules, lattice, build="interpreted")
    with pytest.raises(TooManyPlies):
        position.count()
    with pytest.raises(TooManyPlies):
        position.plies()
    assert position.setup() == lattice
