"""The client against real processes: engines that misbehave, and an ordinary UCI engine that knows nothing of damd."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from damd.client import (
    AsyncEngine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Limit,
    OptionInfo,
    Score,
    SyncEngine,
    Timeouts,
    UnreadableAnswer,
)

ENGINES = Path(__file__).parent / "engines"
TIMEOUTS = Timeouts(ready_s=10, search_s=60, stop_s=0.5, quit_s=1.0, terminate_s=0.5)
posix = pytest.mark.skipif(os.name != "posix", reason="signals and process groups")


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(ENGINES / name), *arguments]


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    """Every test ends with as many children as it began with: no process and no zombie is left."""
    before = children()
    yield
    for _ in range(100):
        if children() <= before:
            return
        time.sleep(0.02)
    raise AssertionError(f"left behind: {children() - before}")


def children() -> set[str]:
    """The children of this process, dead ones included; empty where the system does not tell."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat") if Path("/proc/self/stat").exists() else ():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended in between
        if fields[1] == str(os.getpid()):
            found.add(stat.parent.name)
    return found


def with_engine(mode: str, play: Callable[[AsyncEngine], Awaitable[None]], timeouts: Timeouts = TIMEOUTS) -> None:
    async def run() -> None:
        async with await AsyncEngine.start(command("misbehaving.py", mode), timeouts=timeouts) as engine:
            await play(engine)

    asyncio.run(run())


def test_a_death_tells_exit_code_and_stderr() -> None:
    async def play(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTerminated, match="exit code 3") as caught:
            await engine.go(Limit(depth=1))
        assert (caught.value.exit_code, caught.value.stderr) == (3, "first line\nout of memory, sorry\n")
        with pytest.raises(EngineTerminated, match="out of memory"):
            await engine.is_ready()

    with_engine("die", play)


@posix
def test_a_death_by_signal() -> None:
    async def play(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTerminated) as caught:
            await engine.go(Limit(depth=1))
        assert caught.value.exit_code == -9

    with_engine("die-by-signal", play)


def test_a_last_line_without_its_end() -> None:
    async def play(engine: AsyncEngine) -> None:
        result = await engine.go(Limit(depth=1))
        assert result.ply == "1-2"
        assert len(result.infos) == 1
        with pytest.raises(EngineTerminated):
            await engine.go(Limit(depth=1))
        assert engine.exit_code == 0

    with_engine("die-at-last-word", play)


def test_a_death_in_the_handshake() -> None:
    async def run() -> None:
        with pytest.raises(EngineTerminated, match="no such network file"):
            await AsyncEngine.start(command("misbehaving.py", "die-in-handshake"))

    asyncio.run(run())


def test_half_a_handshake() -> None:
    async def run() -> None:
        with pytest.raises(EngineTimeout, match="uci"):
            await AsyncEngine.start(command("misbehaving.py", "no-uciok"), timeouts=Timeouts(handshake_s=0.5, quit_s=0.1))

    asyncio.run(run())


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(EngineError, match="cannot start /no/such/engine"):
        SyncEngine.start("/no/such/engine")
    with pytest.raises(ValueError, match="empty command"):
        SyncEngine.start([])


@pytest.mark.parametrize("mode", ["hang", "deaf"])
def test_a_hang_times_out_and_is_killed(mode: str) -> None:
    async def play(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTimeout, match="go"):
            await engine.go(Limit(movetime_ms=10), timeout=0.2)
        with pytest.raises(EngineTimeout, match="isready"):
            await engine.is_ready(timeout=0.1)

    with_engine(mode, play, Timeouts(quit_s=0.2, terminate_s=0.3))


def test_an_engine_that_no_longer_reads() -> None:
    """Megabytes that nobody takes: the write times out, and so does the next call."""
    plies = ["11-22"] * 1_000_000

    async def play(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTimeout):
            await engine.go(Limit(depth=1), timeout=0.1)
        with pytest.raises(EngineTimeout, match="position"):
            await engine.position(plies=plies, timeout=0.3)

    with_engine("hang", play, Timeouts(quit_s=0.2, terminate_s=0.3))


def test_a_flood_of_lines() -> None:
    async def play(engine: AsyncEngine) -> None:
        result = await engine.go(Limit(depth=1))
        assert result.ply == "1-2"
        assert len(result.infos) == 4096
        await engine.is_ready()

    with_engine("flood", play)


def test_progress_does_not_push_out_what_was_found() -> None:
    async def play(engine: AsyncEngine) -> None:
        async with engine.analysis() as search:
            result = await search.result()
            heard = [info async for info in search]
        assert len(result.infos) == 4096
        scored = [info.depth for info in result.infos if info.score is not None]
        assert scored == [1, 2]
        last = result.last()
        assert last is not None
        assert last.pv == ("1-2",)
        assert result.infos[-1].currmovenumber == 5000
        assert len(heard) == 4096, "who listens late misses the oldest lines, whatever they say"
        assert heard[-2:] == list(result.infos[-2:])
        await engine.is_ready()

    with_engine("long", play)


def test_garbage_is_passed_over() -> None:
    async def play(engine: AsyncEngine) -> None:
        result = await engine.go(Limit(depth=1))
        assert result.ply == "1-2"
        last = result.last()
        assert last is not None
        assert (last.depth, last.score, last.nodes, last.pv) == (3, Score("cp", 7, "lowerbound"), 12, ("1-2", "3-4"))
        assert last.string == "not the end"
        await engine.is_ready()
        assert (await engine.go(Limit(depth=1))).ply == "1-2"

    with_engine("garbage", play)


def test_lines_of_several_mebibytes() -> None:
    async def play(engine: AsyncEngine) -> None:
        result = await engine.go(Limit(depth=1))
        assert len(result.infos[0].pv) == 1_000_000
        assert len(result.infos[1].string or "") == 8_000_000
        assert len(await engine.moves()) == 600_000

    with_engine("huge", play)


def test_two_bestmoves_for_one_go() -> None:
    async def play(engine: AsyncEngine) -> None:
        for _ in range(5):
            assert (await engine.go(Limit(depth=1))).ply == "1-2"

    with_engine("two-bestmoves", play)


def test_closed_output_counts_as_the_end() -> None:
    async def play(engine: AsyncEngine) -> None:
        with pytest.raises(EngineTerminated, match="closed its output"):
            await engine.go(Limit(depth=1))

    with_engine("close-stdout", play)


def test_the_tail_of_stderr_is_kept() -> None:
    async def play(engine: AsyncEngine) -> None:
        await engine.go(Limit(depth=1))
        await asyncio.sleep(0.1)
        assert engine.stderr.endswith("line 19999 of nothing worth reading\n")
        assert len(engine.stderr) <= 64 * 1024

    with_engine("chatter-on-stderr", play)


@posix
@pytest.mark.parametrize(("mode", "seconds"), [("ignore-quit", 1.0), ("ignore-everything", 1.5)])
def test_an_engine_that_ignores_quit(mode: str, seconds: float) -> None:
    async def play(engine: AsyncEngine) -> None:
        begin = time.monotonic()
        await engine.close()
        assert seconds - 0.1 <= time.monotonic() - begin < seconds + 3
        assert engine.exit_code == (-15 if mode == "ignore-quit" else -9)
        await engine.close()

    with_engine(mode, play)


@posix
def test_a_child_that_outlives_the_engine_is_killed() -> None:
    """It holds the pipes open and ignores SIGTERM: the engine's death is seen all the same, and the child ends."""
    pids: list[int] = []

    async def play(engine: AsyncEngine) -> None:
        async with engine.analysis() as search:
            begin = time.monotonic()
            pids.append(int((await anext(search)).string or ""))
            with pytest.raises(EngineTerminated, match="exit code 7"):
                await anext(search)
            assert time.monotonic() - begin < 10

    with_engine("leave-child", play)
    assert len(pids) == 1
    for _ in range(200):
        if not running(pids[0]):
            return
        time.sleep(0.02)
    raise AssertionError("the child runs on")


def running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    if not Path("/proc/self/stat").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_cancelled_close_kills_at_once() -> None:
    async def play(engine: AsyncEngine) -> None:
        closing = asyncio.create_task(engine.close())
        await asyncio.sleep(0.05)
        begin = time.monotonic()
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert time.monotonic() - begin < 2

    with_engine("ignore-everything", play, Timeouts(quit_s=30, terminate_s=30))


def test_a_dropped_synchronous_engine_is_closed() -> None:
    engine = SyncEngine.start(command("misbehaving.py", "ignore-quit"), timeouts=TIMEOUTS)
    assert len(engine.moves()) == 600_000
    del engine


def test_an_engine_dropped_in_its_own_thread_is_closed() -> None:
    """The garbage collector runs in whichever thread it likes."""
    engine = SyncEngine.start(command("misbehaving.py", "die"), timeouts=TIMEOUTS)
    thread = next(thread for thread in threading.enumerate() if thread.name == "damd-client")
    holder = [engine]
    engine._loop._loop.call_soon_threadsafe(holder.clear)
    del engine
    thread.join(10)
    assert not thread.is_alive()


def test_an_ordinary_uci_engine() -> None:
    async def run() -> None:
        async with await AsyncEngine.start(command("small_uci.py"), timeouts=TIMEOUTS) as engine:
            assert engine.id.name == "Small UCI 1"
            assert engine.options["Style of Play"] == OptionInfo(
                "Style of Play", "combo", "Very Solid", choices=("Very Solid", "Normal", "Risky")
            )
            await engine.set_options({"Style of Play": "risky", "Clear Hash": None, "Hash": 1024, "Debug Log File": ""})
            await engine.new_game()
            await engine.position(plies=["e2e4", "e7e5"])
            result = await engine.go(Limit(white_time_ms=1000, black_time_ms=1000))
            assert (result.best.ply, result.best.ponder) == ("d2d4", "d7d5")
            assert result.infos[-1].wdl == (990, 10, 0)
            last = result.last()
            assert last is not None
            assert last.score == Score("cp", 30)
            async with engine.analysis() as search:
                assert [info.depth async for info in search if info.depth] if search.done else True
                await engine.is_ready()
            assert (await search.result()).ply == "d2d4"
            pondering = await engine.ponder(Limit(white_time_ms=1000))
            await asyncio.sleep(0.02)
            assert not pondering.done
            await pondering.ponder_hit()
            assert (await pondering.result()).ply == "d2d4"
            missed = await engine.ponder(Limit(white_time_ms=1000))
            assert (await missed.stop()).ply == "d2d4"
            with pytest.raises(UnreadableAnswer, match="Unknown command: 'fen'"):
                await engine.fen()
            for _ in range(20):  # stopped at once, searched again at once
                search = await engine.start_search()
                await search.stop()
            assert (await engine.quit()) == 0
            assert engine.unexpected == ()

    asyncio.run(run())
