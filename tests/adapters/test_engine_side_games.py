"""Whole games of damd against Hub engines behind the adapter: dame-rs, and damd itself behind Hub. All by the client."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from random import Random

import pytest

from damd.client import AsyncEngine, Limit, SyncEngine
from damd.core.types import Outcome
from damd.variants import load
from damd_adapters.table import Table
from hub_engines import DAME, ENV, NO_DAME, adapter, dame

DAMD = [sys.executable, "-m", "damd"]
needs_dame = pytest.mark.skipif(not DAME.installed, reason=NO_DAME)


async def play(
    commands: Sequence[Sequence[str]], variant: str, games: int, limits: Sequence[Limit], seed: int = 1
) -> list[Outcome]:
    """Games between two engines, each beginning with four random plies; every ply is checked. Colours change."""
    random, rules = Random(seed), load(variant).without_penalty()
    outcomes = []
    engines = [await AsyncEngine.start(command, env=ENV) for command in commands]
    try:
        for engine in engines:
            await engine.set_options({"UCI_Variant": variant, "MissedCapture": "forbidden"})
        for number in range(games):
            for engine in engines:
                await engine.new_game()
            table = Table(rules)
            for _ in range(4):
                table.play(random.choice(table.legal()))
            while (outcome := table.outcome()) is None:
                mover = (table.side + number) % 2
                await engines[mover].position(table.fen, table.texts)
                result = await engines[mover].go(limits[mover])
                assert result.ply, (engines[mover].id, table.texts, result.errors)
                assert not result.errors
                table.play(table.read(result.ply))
            outcomes.append(outcome)
    finally:
        for engine in engines:
            await engine.close()
    assert [engine.exit_code for engine in engines] == [0, 0]
    return outcomes


@needs_dame
def test_two_games_against_dame():
    outcomes = asyncio.run(play([DAMD, adapter(dame())], "international", 2, [Limit(nodes=500), Limit(depth=3)]))
    assert len(outcomes) == 2


@needs_dame
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_games_against_dame_by_the_clock():
    clocks = Limit(white_time_ms=800, black_time_ms=800, white_increment_ms=10, black_increment_ms=10)
    outcomes = asyncio.run(play([DAMD, adapter(dame())], "international", 20, [clocks, clocks], seed=2))
    assert len(outcomes) == 20


@needs_dame
def test_dame_is_at_home_in_the_synchronous_client():
    with SyncEngine.start(adapter(dame()), env=ENV) as engine:
        assert engine.id.name.startswith("dame ")
        engine.set_option("hash", 2)
        engine.new_game()
        engine.position(plies=["32-28", "19-23", "28x19"])
        assert set(engine.moves()) == {"14x23", "13x24"}
        result = engine.go(Limit(depth=4))
        assert result.ply in ("14x23", "13x24")
        last = result.last()
        assert last is not None
        assert last.depth == 4
        assert last.pv[0] == result.ply
        assert last.nodes
        with engine.analysis() as search:
            for info in search:
                if (info.depth or 0) >= 6:
                    break
        assert search.result().ply in ("14x23", "13x24")


@needs_dame
def test_dame_plays_on_after_a_draw():
    with SyncEngine.start(adapter(dame()), env=ENV) as engine:
        engine.position("W:WK46:BK6", ["46-41", "6-1", "41-46", "1-6"] * 3)
        assert engine.result().reason == "repetition"
        result = engine.go(Limit(depth=2))
        assert result.ply in engine.moves()
        assert not result.errors


@needs_dame
def test_dame_plays_at_the_terminal():
    command = [*DAMD, "play", "international", "--side", "none", "--depth", "2", "--fen", "W:W31:B20"]
    words = [*command, "--engine", " ".join(f"'{word}'" for word in adapter(dame()))]
    run = subprocess.run(words, env=ENV, input="quit\nno\n", capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert f"dame {DAME.version}" in run.stdout
    assert "White plays " in run.stdout


@pytest.mark.parametrize("variant", ["international", "dam-daman"])
def test_damd_behind_hub_behind_damd(variant):
    """There and back: nothing is lost on the way through two adapters."""
    hub = [sys.executable, "-m", "damd_adapters.hub", "--variant", variant]
    limits = [Limit(nodes=300), Limit(depth=2)]
    assert asyncio.run(play([DAMD, adapter(hub)], variant, 1, limits, seed=3))


def test_the_same_answers_with_and_without_the_way_round():
    async def answers(command: Sequence[str]) -> list[tuple[object, ...]]:
        found = []
        async with await AsyncEngine.start(command, env=ENV) as engine:
            await engine.set_option("UCI_Variant", "brazilian")
            for plies in ([], ["22-18"], ["22-18", "11-15", "18x11"]):
                await engine.new_game()
                await engine.position(plies=plies)
                result = await engine.go(Limit(depth=5))
                last = result.last()
                assert last is not None
                found.append((result.best, last.depth, last.score, last.nodes, last.pv))
        return found

    hub = [sys.executable, "-m", "damd_adapters.hub"]
    assert asyncio.run(answers(adapter(hub))) == asyncio.run(answers(DAMD))
