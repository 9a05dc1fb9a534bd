"""The client and the real daemon together, over a pipe."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from damd.client import (
    AsyncEngine,
    CommandRefused,
    EngineBusy,
    EngineTimeout,
    GameResult,
    Limit,
    OptionError,
    SyncEngine,
    Timeouts,
)
from damd.protocol.options import OPTIONS
from damd.variants import names
from needs import compiled_core

DAMD = [sys.executable, "-m", "damd"]
ROOT = Path(__file__).parent.parent
TIMEOUTS = Timeouts(handshake_s=60, ready_s=60, reply_s=60, stop_s=30, quit_s=20)

#: A king amid a lattice of men: 26,612 plies on a line of more than a MiB.
LATTICE = "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"


@pytest.fixture(scope="module")
def shared() -> Iterator[SyncEngine]:
    with SyncEngine.start(DAMD, cwd=ROOT, timeouts=TIMEOUTS) as engine:
        yield engine
    assert engine.exit_code == 0
    assert engine.stderr == ""
    assert engine.errors == ()
    assert engine.unexpected == ()


@pytest.fixture
def damd(shared: SyncEngine) -> SyncEngine:
    """The daemon with its defaults, in the start position of the default game."""
    for option in OPTIONS:
        if option.name in shared.options and option.kind.value != "button":
            shared.set_option(option.name, shared.options[option.name].default)
    shared.new_game()
    shared.position()
    return shared


def test_it_says_who_it_is(damd: SyncEngine) -> None:
    assert damd.id.name.startswith("damd ")
    assert damd.id.notes[0] in ("core compiled", "core interpreted")
    assert [option.name for option in OPTIONS] == list(damd.options)
    assert damd.options["UCI_Variant"].choices == names()
    assert damd.handshake() == damd.id


@pytest.mark.parametrize("variant", names())
def test_every_game_is_played(damd: SyncEngine, variant: str) -> None:
    damd.set_option("UCI_Variant", variant)
    damd.new_game()
    plies: list[str] = []
    for _ in range(6):
        legal = damd.moves()
        assert damd.result() == GameResult("ongoing")
        result = damd.go(Limit(depth=2))
        assert result.ply in legal
        last = result.last()
        assert last is not None
        assert last.pv[0] == result.ply
        plies.append(str(result.ply))
        damd.position(plies=plies)
    fen = damd.fen(full=True)
    legal = damd.moves()
    damd.position(fen)
    assert damd.fen(full=True) == fen
    assert damd.moves() == legal
    counted = damd.perft(1)
    assert (counted.total, tuple(ply for ply, _ in counted.divide)) == (len(legal), legal)


def test_errors_are_the_call_s_own(damd: SyncEngine) -> None:
    with pytest.raises(CommandRefused, match="bad-fen") as caught:
        damd.position("W:W33:B1")
    assert caught.value.errors[0].code == "bad-fen"
    with pytest.raises(CommandRefused, match="illegal-ply"):
        damd.position(plies=["22-18", "22-18"])
    with pytest.raises(CommandRefused, match="unknown-command"):
        damd.command("joho")
    with pytest.raises(CommandRefused, match="bad-value"):
        damd.game_over("draw", "boredom")
    with pytest.raises(OptionError, match="did you mean"):
        damd.set_option("UCI_Varient", "dam")
    assert len(damd.moves()) == 7
    result = damd.go(Limit(depth=1_000_000, nodes=50))
    assert [error.code for error in result.errors] == ["out-of-range"]
    with pytest.raises(CommandRefused, match="too-long"):
        damd.go(Limit(depth=1), search_moves=["22-18"] * 20_000)
    assert damd.go(Limit(depth=1), search_moves=["22-18"]).ply == "22-18"


def test_the_end_of_a_game(damd: SyncEngine) -> None:
    damd.position("W:W5:B1")
    assert damd.moves() == ()
    assert damd.result() == GameResult("black", "no-moves")
    assert damd.go(Limit(depth=3)).best.ply is None
    damd.position()
    damd.game_over("white", "resignation")
    assert damd.result() == GameResult("white", "resignation")
    damd.position()
    assert not damd.result().over


def test_analysis_ponder_and_stop(damd: SyncEngine) -> None:
    with damd.analysis() as search:
        for info in search:
            if (info.depth or 0) >= 3:
                break
        with pytest.raises(EngineBusy):
            damd.moves()
        damd.is_ready()
    assert search.result().ply in damd.moves()
    hit = damd.ponder(Limit(white_time_ms=200, black_time_ms=200))
    hit.ponder_hit()
    assert hit.result().ply
    assert damd.ponder(Limit(depth=2)).stop().ply
    for _ in range(50):
        assert damd.start_search().stop().ply


def test_the_rest_of_the_commands(damd: SyncEngine) -> None:
    assert isinstance(damd.eval(), int)
    assert "variant dam-haji" in damd.display()
    assert "position" in damd.help()
    assert damd.help("go").startswith("help go:")
    assert damd.bench(1).nodes > 0
    damd.debug(True)
    damd.position()
    damd.debug(False)
    damd.set_option("Clear Hash")


@compiled_core
def test_a_line_of_mebibytes(damd: SyncEngine) -> None:
    damd.set_option("UCI_Variant", "dam-haji-10")
    damd.position(LATTICE)
    plies = damd.moves()
    assert len(plies) == len(set(plies)) == 26_612
    assert damd.go(Limit(depth=1)).ply in plies


def test_a_count_that_takes_too_long_is_ended(damd: SyncEngine) -> None:
    with pytest.raises(EngineTimeout, match="perft"):
        damd.perft(40, timeout=0.5)
    assert damd.perft(2).total == 49
    with pytest.raises(CommandRefused, match="out-of-range"):
        damd.perft(1000)
    assert damd.perft(2).total == 49


def test_cancelled_searches_leave_no_bestmove_behind() -> None:
    async def run() -> None:
        async with await AsyncEngine.start(DAMD, cwd=ROOT, timeouts=TIMEOUTS) as engine:
            for number in range(30):
                task = asyncio.create_task(engine.go(Limit(depth=60), search_moves=["22-17"]))
                await asyncio.sleep(0.002 * (number % 7))
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                assert (await engine.go(Limit(depth=1), search_moves=["22-18"])).ply == "22-18"
            search = await engine.start_search()
            assert not search.done
            assert await engine.quit() == 0
            assert engine.unexpected == ()

    asyncio.run(run())


def test_two_daemons_play_a_game() -> None:
    async def run() -> tuple[GameResult, int]:
        async with (
            await AsyncEngine.start(DAMD, cwd=ROOT, timeouts=TIMEOUTS) as white,
            await AsyncEngine.start(DAMD, cwd=ROOT, timeouts=TIMEOUTS) as black,
        ):
            plies: list[str] = []
            for engine in (white, black):
                await engine.set_option("UCI_Variant", "russian")
            while len(plies) < 300:
                await asyncio.gather(*(engine.position(plies=plies) for engine in (white, black)))
                results = await asyncio.gather(white.result(), black.result())
                assert results[0] == results[1]
                if results[0].over:
                    return results[0], len(plies)
                mover = white if (await white.fen()).startswith("W") else black
                ply = (await mover.go(Limit(nodes=300))).ply
                assert ply is not None
                plies.append(ply)
            return GameResult("ongoing"), len(plies)

    result, length = asyncio.run(run())
    assert result.over, f"no end after {length} plies"
