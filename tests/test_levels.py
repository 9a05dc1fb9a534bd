"""Play below full strength: legal, repeatable, weaker the lower the level, and wrong in the ways of people."""

from __future__ import annotations

import time
from dataclasses import astuple
from itertools import pairwise
from random import Random
from statistics import fmean

import pytest

from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.engine import Engine, Info, Limits, Result
from damd.levels import FULL_SKILL, HIGHEST_ELO, LOWEST_ELO, Dice, level_of_elo, level_of_skill
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply
from damd.variants import load, names
from needs import compiled_core

RUNGS = (0, 5, 10, 15, 20)
GAMES = ("dam-haji", "dam-daman", "international")

#: Black's man on 19 can be taken.
SHOT = "W:W23,27,28,29,30,31,32:B19,1,2,3,4,5,6"


def engine_at(variant: str, fen: str | None = None, skill: int = FULL_SKILL) -> Engine:
    rules = load(variant)
    engine = Engine(rules, 2)
    engine.skill = skill
    engine.set_position(Position(rules, parse_fen(fen, rules) if fen else None))
    return engine


def searched(engine: Engine, limits: Limits) -> tuple[Result, list[Info]]:
    infos: list[Info] = []
    return engine.search(limits, infos.append), infos


def choices(engine: Engine, count: int, limits: Limits) -> list[Ply]:
    """What it plays, asked so often about one position."""
    found = []
    for _ in range(count):
        result, _infos = searched(engine, limits)
        assert result.best is not None
        found.append(result.best)
    return found


# The ladder


def test_levels_grow_with_the_skill() -> None:
    levels = [level_of_skill(skill) for skill in range(FULL_SKILL + 1)]
    for weaker, stronger in pairwise(levels):
        assert weaker.depth <= stronger.depth
        assert weaker.glance <= stronger.glance
        assert weaker.nodes < stronger.nodes
        assert weaker.overlooks >= stronger.overlooks
        assert weaker.misses >= stronger.misses
        assert weaker.noise >= stronger.noise
        assert astuple(weaker) != astuple(stronger)
        assert weaker.lines >= stronger.lines >= 1
    assert all(level.glance < level.depth for level in levels)
    full = levels[-1]
    assert (full.overlooks, full.misses, full.noise) == (0, 0, 0)


def test_elo_spans_the_skills() -> None:
    assert level_of_elo(LOWEST_ELO) == level_of_skill(0)
    assert level_of_elo(HIGHEST_ELO) == level_of_skill(FULL_SKILL)
    nodes = [level_of_elo(elo).nodes for elo in range(LOWEST_ELO, HIGHEST_ELO + 1, 25)]
    assert nodes == sorted(set(nodes))


def test_dice_look_thrown_and_are_not() -> None:
    dice = Dice(1 << 63, 3)
    throws = [dice.throw(purpose, 5) for purpose in range(4000)]
    assert throws == [Dice(1 << 63, 3).throw(purpose, 5) for purpose in range(4000)]
    assert len(set(throws)) == 4000
    assert all(0 < throw < 1 for throw in throws)
    assert fmean(throws) == pytest.approx(0.5, abs=0.03)
    assert fmean(throw < 0.1 for throw in throws) == pytest.approx(0.1, abs=0.02)
    errors = [dice.error(purpose) for purpose in range(4000)]
    assert fmean(abs(error) < 1 for error in errors) > 0.5
    assert fmean(error > 3 for error in errors) == pytest.approx(0.05, abs=0.015)
    seeds = {Dice(*seed).throw(0) for seed in ((), (0,), (0, 0), (1,), (1, 0), (0, 1), (1 << 63,), (1, 1))}
    assert len(seeds) == 8


# One search


@pytest.mark.parametrize("variant", GAMES)
@pytest.mark.parametrize("elo", [None, 1234])
def test_a_game_is_played_again_after_clear(variant: str, elo: int | None) -> None:
    engine = engine_at(variant, skill=4)
    engine.elo = elo
    games = []
    for _ in range(2):
        engine.set_position(Position(engine.rules))
        engine.clear()
        game = []
        for _ in range(12):
            result, infos = searched(engine, Limits(nodes=20_000))
            assert result.best is not None
            game.append((result, [(info.depth, info.score, info.nodes, info.pv) for info in infos]))
            engine.position.play(result.best)
        games.append(game)
        # Neither the table's size nor what is in it matters.
        engine.set_hash(1)
        searched(engine, Limits(infinite=False, depth=6, root_plies=tuple(engine.position.plies())))
    assert games[0] == games[1]


def test_in_one_game_the_same_position_gets_other_answers() -> None:
    assert len(set(choices(engine_at("international", skill=0), 20, Limits(nodes=5000)))) > 1
    assert len(set(choices(engine_at("international"), 3, Limits(depth=3)))) == 1


#: Played by the interpreted core too, which takes seconds a game.
SAMPLED = ("dam-haji", "dam", "dam-daman", "international")


@pytest.mark.parametrize(
    "variant", [pytest.param(name, marks=pytest.mark.sample) if name in SAMPLED else name for name in names()]
)
@pytest.mark.parametrize("skill", [0, 7])
def test_only_legal_plies_are_played(variant: str, skill: int) -> None:
    engine = engine_at(variant, skill=skill)
    for _ in range(60):
        if engine.position.outcome() is not None:
            break
        result, infos = searched(engine, Limits(nodes=300))
        assert result.best in engine.position.plies()
        assert infos
        for info in infos:
            position = Position(engine.rules, engine.position.setup())
            for ply in info.pv:
                position.play(ply)
        assert infos[-1].nodes <= 301
        engine.position.play(result.best)


@pytest.mark.parametrize("nodes", [1, 2, 37])
@pytest.mark.parametrize("skill", [0, 10, 19])
def test_a_node_limit_is_kept(nodes: int, skill: int) -> None:
    result, infos = searched(engine_at("dam-daman", skill=skill), Limits(nodes=nodes))
    assert result.best is not None
    assert infos[-1].nodes <= nodes + 1


def test_more_time_is_not_used() -> None:
    engine = engine_at("international", skill=3)
    for limits in (Limits(movetime_ms=60_000), Limits(time_ms=(600_000, 600_000)), Limits(depth=40), Limits(nodes=10**9)):
        _, infos = searched(engine, limits)
        assert infos[-1].depth <= level_of_skill(3).depth
        assert infos[-1].nodes <= level_of_skill(3).nodes + 1


def test_several_lines_are_shown_as_ever() -> None:
    engine = engine_at("international", skill=5)
    engine.multipv = 3
    _, infos = searched(engine, Limits(depth=3))
    last = [info for info in infos if info.depth == infos[-1].depth]
    assert [info.multipv for info in last] == [1, 2, 3]
    assert len({info.pv[0] for info in last}) == 3
    engine.multipv = 1
    _, infos = searched(engine, Limits(depth=3))
    assert {info.multipv for info in infos} == {1}


@pytest.mark.parametrize("limits", [Limits(mate=3), Limits(depth=6, root_plies=())])
def test_an_analysis_has_full_strength(limits: Limits) -> None:
    weak, strong = engine_at("dam-haji", skill=0), engine_at("dam-haji")
    if limits.mate is None:
        limits = Limits(depth=limits.depth, root_plies=tuple(weak.position.plies()))
    found = [searched(engine, limits) for engine in (weak, strong)]
    assert found[0][0] == found[1][0]
    assert [(i.depth, i.nodes, i.pv) for i in found[0][1]] == [(i.depth, i.nodes, i.pv) for i in found[1][1]]
    assert found[0][1][-1].depth > level_of_skill(0).depth


def test_an_endless_search_has_full_strength() -> None:
    engine = engine_at("dam-haji", skill=0)
    task = engine.task(Limits(infinite=True))
    infos: list[Info] = []

    def note(info: Info) -> None:
        infos.append(info)
        if info.depth >= 5:
            task.stop()

    assert task.run(note).best is not None
    assert infos[-1].depth >= 5


def test_elo_goes_before_skill() -> None:
    engine = engine_at("dam-haji", skill=15)
    engine.elo = LOWEST_ELO
    _, infos = searched(engine, Limits(depth=9))
    assert infos[-1].depth == level_of_skill(0).depth
    engine.elo = None
    _, infos = searched(engine, Limits(depth=9))
    assert infos[-1].depth > level_of_skill(0).depth


@pytest.mark.parametrize("stop_first", [True, False])
def test_pondering_waits_at_every_level(stop_first: bool) -> None:
    engine = engine_at("dam-haji", skill=0)
    task = engine.task(Limits(ponder=True, movetime_ms=1000))
    if stop_first:
        task.stop()
        assert task.run(lambda _: None).best is not None
        return
    began = time.monotonic()
    result = task.run(lambda _: task.ponder_hit())
    assert result.best is not None
    assert time.monotonic() - began < 60


# What a weak player overlooks


def test_captures_and_claims_are_missed_sometimes_where_that_is_legal() -> None:
    taken = [ply.kind is PlyKind.CAPTURE for ply in choices(engine_at("dam-haji", SHOT, 0), 200, Limits(depth=5))]
    assert 0.7 < fmean(taken) < 1
    claim = "B:W21,22,32:B14,3,4:P21,22"
    claims = [ply.kind is PlyKind.CLAIM for ply in choices(engine_at("dam-haji", claim, 0), 200, Limits(depth=5))]
    assert 0.5 < fmean(claims) < 1
    for skill in (15, FULL_SKILL):
        assert all(ply.kind is PlyKind.CAPTURE for ply in choices(engine_at("dam-haji", SHOT, skill), 30, Limits(depth=5)))


@pytest.mark.parametrize(
    ("variant", "fen"),
    [("dam-haji", "W:W18,32,K2:B9:P9"), ("dam-haji", "W:W18,32,K8:B15"), ("international", "W:WK1,32,33:B7")],
)
def test_a_win_on_the_spot_is_hardly_ever_overlooked(variant: str, fen: str) -> None:
    engine = engine_at(variant, fen, 0)
    wins = 0
    for ply in choices(engine, 100, Limits(depth=3)):
        with engine.position.after(ply):
            outcome = engine.position.outcome()
            wins += outcome is not None and outcome.winner == 0
    assert wins >= 80


@compiled_core
def test_shots_escape_the_weak() -> None:
    """28-23 gives two men and wins six: full strength sees it, the lower the level the more seldom it is seen."""
    fen = "W:W25,28,29,35,37,39,40,41,42,43,44,45,46,47,48,50:B2,3,4,5,6,7,10,11,13,14,15,16,17,18,19,20,26"
    share = {}
    for skill in (0, 5, 19, FULL_SKILL):
        engine = engine_at("international", fen, skill)
        played = choices(engine, 3 if skill == FULL_SKILL else 60, Limits(nodes=10_000))
        share[skill] = fmean(format_ply(ply, engine.position.board) == "28-23" for ply in played)
    assert share[0] < share[5] < share[19] <= share[FULL_SKILL] == 1
    assert share[0] < 0.3
    assert share[19] > 0.9


@compiled_core
def test_a_ply_is_the_rarer_the_worse_it_is() -> None:
    """What a ply throws away, seen at full strength: the less the stronger the player, and never as much as by chance."""
    fen = "W:W26,29,30,34,35,36,37,39,41,42,44,46,47,48,50:B2,3,4,5,6,7,11,14,15,16,17,18,19,20,27"
    engine = engine_at("international", fen)
    engine.multipv = 50
    _, infos = searched(engine, Limits(depth=7))
    score = {info.pv[0]: info.score.value for info in infos if info.depth == 7}
    assert len(score) == len(engine.position.plies())
    best = max(score.values())
    lost = {}
    for skill in (0, 5, 15):
        engine = engine_at("international", fen, skill)
        lost[skill] = fmean(best - score[ply] for ply in choices(engine, 60, Limits(nodes=100_000)))
    assert lost[15] <= lost[5] < lost[0]
    assert lost[5] < 0.5 * fmean(best - value for value in score.values())


@compiled_core
def test_plenty_of_plies_are_no_trouble() -> None:
    dam = "W:Wa1,c1,e1,b2,c2,d2,a3,b3,c3,d3,e3,a4,b4,c4,d4,e4:Ba6,b6,c6,d6,e6,a7,b7,c7,d7,e7,b8,c8,d8,a9,c9,e9:P*3"
    played = choices(engine_at("dam-daman", dam, 0), 60, Limits(depth=3))
    claims = [ply.kind is PlyKind.CLAIM for ply in played]
    assert 0.5 < fmean(claims) < 1
    many = "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"
    result, infos = searched(engine_at("dam-haji-10", many, 0), Limits(depth=2))
    assert result.best is not None
    assert infos


def test_without_a_ply_there_is_no_choice() -> None:
    assert searched(engine_at("international", "W:W6:B1", 0), Limits(depth=5)) == (Result(None), [])
    only, infos = searched(engine_at("international", "W:W28,50:B22", 0), Limits(time_ms=(60_000, 60_000)))
    assert only.best is not None
    assert infos


# Games


def points(engines: tuple[Engine, Engine], opening: list[Ply], limits: Limits) -> float:
    """Of the first engine, which plays White and then Black after the opening."""
    total = 0.0
    for first in (0, 1):
        position = Position(engines[0].rules)
        for engine in engines:
            engine.clear()
        for ply in opening:
            position.play(ply)
        for _ in range(200):
            outcome = position.outcome()
            if outcome is not None:
                break
            engine = engines[position.side ^ first]
            engine.set_position(Position(position.rules, position.setup()))
            result, _infos = searched(engine, limits)
            assert result.best is not None
            position.play(result.best)
        outcome = position.outcome()
        total += 0.5 if outcome is None or outcome.winner is None else float(outcome.winner == first)
    return total


def score_of_match(variant: str, stronger: int, weaker: int, pairs: int, nodes: int) -> float:
    """The share of points that one skill makes against another, from random openings of four plies."""
    rules = load(variant)
    engines = engine_at(variant, skill=stronger), engine_at(variant, skill=weaker)
    dice = Random(f"{variant}/{pairs}")
    total = 0.0
    for _ in range(pairs):
        position = Position(rules)
        opening = []
        for _ in range(4):
            opening.append(dice.choice(position.plies()))
            position.play(opening[-1])
        total += points(engines, opening, Limits(nodes=nodes))
    return total / (2 * pairs)


@compiled_core
@pytest.mark.parametrize("variant", GAMES)
def test_full_skill_beats_none(variant: str) -> None:
    assert score_of_match(variant, FULL_SKILL, 0, 3, 3000) >= 5 / 6


@compiled_core
def test_the_middle_lies_between() -> None:
    assert score_of_match("dam-haji", 10, 0, 3, 20_000) >= 5 / 6
    assert score_of_match("dam-haji", FULL_SKILL, 10, 3, 10_000) >= 4 / 6


@compiled_core
@pytest.mark.long
@pytest.mark.parametrize(("weaker", "stronger"), list(pairwise(RUNGS)))
def test_each_rung_beats_the_one_below(weaker: int, stronger: int) -> None:
    scores = {variant: score_of_match(variant, stronger, weaker, 10, 100_000) for variant in GAMES}
    print(f"skill {stronger} against {weaker}: {scores}")
    assert min(scores.values()) > 0.5
    assert fmean(scores.values()) > 0.6
