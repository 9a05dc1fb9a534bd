"""The client against a scripted peer: late answers, cancelled calls, deaths, the synchronous wrapper, the parsers."""

from __future__ import annotations

import asyncio
import re
import threading
import time

import pytest

from damd.client import (
    AsyncEngine,
    CommandRefused,
    EngineBusy,
    EngineTerminated,
    EngineTimeout,
    InfoLine,
    Limit,
    OptionInfo,
    Score,
    SyncEngine,
    Timeouts,
)
from damd.client.lines import LineSplitter
from damd.client.parsing import parse_info, parse_option
from damd.client.testing import ScriptedPeer
from damd.protocol.commands import COMMANDS
from test_client import QUICK, talk, until


def test_a_late_answer_never_goes_to_the_next_call() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        peer.always("isready")
        with pytest.raises(EngineTimeout):
            await engine.fen(timeout=0.05)
        task = asyncio.create_task(engine.fen())
        await until(lambda: peer.received.count("fen") == 2)
        peer.say("fen OLD", "readyok", "fen NEW", "readyok")
        assert await task == "NEW"

        with pytest.raises(EngineTimeout):
            await engine.is_ready(timeout=0.02)
        task = asyncio.create_task(engine.fen())
        await until(lambda: peer.received.count("fen") == 3)
        peer.say("readyok")  # the one of is_ready
        await asyncio.sleep(0.02)
        assert not task.done()
        peer.say("fen THIRD", "readyok")
        assert await task == "THIRD"

    def script(peer: ScriptedPeer) -> None:
        for _ in range(3):
            peer.expect("fen")

    talk(script, play)


def test_a_second_bestmove_is_not_the_next_search_s() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        assert (await engine.go(Limit(depth=1))).ply == "1-2"
        assert (await engine.go(Limit(depth=2))).ply == "5-6"
        assert engine.unexpected == ("bestmove 3-4",)

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go depth 1", ["bestmove 1-2", "bestmove 3-4"])
        peer.expect("go depth 2", ["bestmove 5-6"])

    talk(script, play)


def test_a_refused_go_has_no_bestmove() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        with pytest.raises(CommandRefused, match="too-long"):
            await engine.go(Limit(depth=1))
        assert (await engine.go(Limit(depth=2))).ply == "1-2"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go depth 1", ["error too-long 65536 bytes"])
        peer.expect("go depth 2", ["bestmove 1-2"])

    talk(script, play)


def test_calls_of_several_tasks_wait_for_one_another() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        answers = await asyncio.gather(*(engine.fen() for _ in range(20)), engine.moves(), engine.is_ready())
        assert list(answers[:20]) == [f"F{number}" for number in range(1, 21)]
        assert answers[20] == ("1-2",)

    numbers = iter(range(1, 100))

    def script(peer: ScriptedPeer) -> None:
        peer.always("fen", lambda _: [f"fen F{next(numbers)}"])
        peer.always("moves", ["moves 1-2"])

    talk(script, play)


def test_a_given_up_perft_is_stopped() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        with pytest.raises(EngineTimeout):
            await engine.perft(9, timeout=0.05)
        task = asyncio.create_task(engine.perft(1))
        await asyncio.sleep(0.02)
        peer.say("error stopped there is no total")
        assert (await task).total == 7
        with pytest.raises(CommandRefused, match="out-of-range"):
            await engine.perft(100)
        assert await engine.fen() == "F"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("perft 9")
        peer.expect("stop")
        peer.expect("perft 1", ["32-28: 7", "total 7"])
        peer.expect("perft 100", ["error out-of-range 100: 99 is used"])
        peer.expect("stop", ["error stopped there is no total"])
        peer.expect("fen", ["fen F"])

    talk(script, play)


def test_death_ends_every_wait() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        async with engine.analysis() as search:
            ready = asyncio.create_task(engine.is_ready())
            await until(lambda: peer.received[-1] == "isready")
            peer.die(3, "Segmentation fault\n")
            with pytest.raises(
                EngineTerminated, match="exit code 3; its last words on stderr: Segmentation fault"
            ) as caught:
                _ = [info async for info in search]
            assert caught.value.exit_code == 3
            with pytest.raises(EngineTerminated):
                await ready
            with pytest.raises(EngineTerminated):
                await search.result()
        for call in (engine.fen(), engine.go(Limit(depth=1)), engine.is_ready(), engine.new_game()):
            with pytest.raises(EngineTerminated):
                await call
        assert engine.exit_code == 3

    def script(peer: ScriptedPeer) -> None:
        peer.always("isready")
        peer.expect("go infinite")

    talk(script, play)


def test_a_stop_that_is_not_heeded() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        search = await engine.start_search()
        with pytest.raises(EngineTimeout, match="stop"):
            await search.stop(timeout=0.05)
        with pytest.raises(EngineTimeout, match="fen"):
            await engine.fen(timeout=0.05)
        peer.say("bestmove 1-2")
        assert await engine.fen() == "F"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go infinite")
        peer.expect("stop")
        peer.expect("fen", ["fen F"])

    talk(script, play)


def test_an_exception_in_the_block_stops_the_analysis() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        with pytest.raises(KeyError):
            async with engine.analysis():
                raise KeyError
        assert await engine.fen() == "F"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go infinite")
        peer.expect("stop", ["bestmove 1-2"])
        peer.expect("fen", ["fen F"])

    talk(script, play)


def test_the_peer_reports_what_it_did_not_expect() -> None:
    peer = ScriptedPeer()
    peer.handshake()
    peer.expect("fen", ["fen F"])

    async def run() -> None:
        async with await AsyncEngine.connect(peer) as engine:
            with pytest.raises(EngineTerminated, match="expected 'fen', got 'moves'"):
                await engine.moves()

    asyncio.run(run())
    with pytest.raises(AssertionError, match="expected 'fen', got 'moves'"):
        peer.assert_done()
    unfinished = ScriptedPeer()
    unfinished.expect(re.compile("go .*"))
    with pytest.raises(AssertionError, match="still expected"):
        unfinished.assert_done()


def test_synchronous() -> None:
    peer = ScriptedPeer()
    peer.handshake("Peer", options=["option name Hash type spin default 16 min 1 max 64"])
    peer.always(re.compile("(setoption|position|ucinewgame|gameover|debug).*"))
    peer.always("fen", ["fen F"])
    peer.always("moves", ["moves 1-2 3-4"])
    peer.always("result", ["result draw repetition"])
    peer.always("eval", ["eval cp 5"])
    peer.always("perft 1", ["1-2: 1", "total 1"])
    peer.always("bench 2", ["bench nodes 1 time 2 nps 3"])
    peer.always("d", ["drawing"])
    peer.always("help", ["help d: draws"])
    peer.always("go depth 1", ["info depth 1", "bestmove 1-2"])
    peer.always("go infinite", ["info depth 1", "info depth 2"])
    peer.always("go ponder depth 3")
    peer.always(re.compile("stop|ponderhit"), ["bestmove 3-4"])
    with SyncEngine.connect(peer, timeouts=QUICK) as engine:
        assert (engine.id.name, engine.alive, engine.timeouts) == ("Peer", True, QUICK)
        engine.set_option("Hash", 2)
        engine.set_options({"Hash": 3})
        engine.debug()
        engine.new_game()
        engine.position(plies=["1-2"])
        engine.game_over("white", "resignation")
        engine.is_ready()
        assert engine.fen() == "F"
        assert engine.moves() == ("1-2", "3-4")
        assert engine.result().reason == "repetition"
        assert engine.eval() == 5
        assert engine.perft(1).total == 1
        assert engine.bench(2).nps == 3
        assert engine.display() == "drawing"
        assert engine.help() == "help d: draws"
        assert engine.command("d") == ("drawing",)
        assert engine.go(Limit(depth=1)).ply == "1-2"
        with engine.analysis() as search:
            for info in search:
                if info.depth == 2:
                    break
            with pytest.raises(EngineBusy):
                engine.fen()
        assert search.done
        assert len(search.infos) == 2
        pondering = engine.ponder(Limit(depth=3))
        pondering.ponder_hit()
        assert pondering.result().ply == "3-4"
        assert engine.start_search().stop().ply == "3-4"
        with pytest.raises(KeyError), engine.analysis():
            raise KeyError
        assert (engine.errors, engine.unexpected, engine.stderr) == ((), (), "")
    assert engine.exit_code == 0
    assert engine.quit() == 0
    with pytest.raises(RuntimeError, match="not used after closing"):
        engine.fen()
    assert not [thread for thread in threading.enumerate() if thread.name == "damd-client"]


def test_timeouts_follow_the_limit() -> None:
    timeouts = Timeouts()
    assert Limit(movetime_ms=1500).timeout_s(timeouts) == 11.5
    assert Limit(white_time_ms=60_000, black_time_ms=2000, black_increment_ms=1000).timeout_s(timeouts) == 71
    assert Limit(white_time_ms=-500).timeout_s(timeouts) == 10
    assert Limit(depth=3).timeout_s(timeouts) == 600
    assert Limit(infinite=True, movetime_ms=5).timeout_s(timeouts) == 3600


@pytest.mark.parametrize(
    ("line", "info"),
    [
        ("info", InfoLine()),
        ("info depth", InfoLine()),
        ("info depth x seldepth 4", InfoLine(seldepth=4)),
        ("info depth seldepth 4", InfoLine(seldepth=4)),
        ("info score", InfoLine()),
        ("info score cp depth 3", InfoLine(depth=3)),
        ("info score lowerbound cp 4", InfoLine(score=Score("cp", 4, "lowerbound"))),
        ("info score mate -3 upperbound nps 7", InfoLine(score=Score("mate", -3, "upperbound"), nps=7)),
        ("info wdl 1 2 3 score cp +5", InfoLine(wdl=(1, 2, 3), score=Score("cp", 5))),
        ("info wdl 1 2 x", InfoLine()),
        ("info pv a b multipv 2 nonsense 3 tbhits 4", InfoLine(pv=("a", "b"), multipv=2, tbhits=4)),
        ("info currmove 1-2 currmovenumber 3 cpuload 5", InfoLine(currmove="1-2", currmovenumber=3, cpuload=5)),
        ("info refutation a b c currline 1 a b", InfoLine(refutation=("a", "b", "c"), currline=("1", "a", "b"))),
        ("info depth 3 string two  blanks pv a", InfoLine(depth=3, string="two  blanks pv a")),
        ("info string", InfoLine(string="")),
        ("info nodes 1_000 time ²", InfoLine()),
        ("info nodes " + "9" * 5000, InfoLine()),
        ("info hashfull 5 sbhits 1", InfoLine(hashfull=5, sbhits=1)),
    ],
)
def test_info_lines(line: str, info: InfoLine) -> None:
    read = parse_info(line)
    assert read.raw == line
    for name in InfoLine.__slots__:
        if name != "raw":
            assert getattr(read, name) == getattr(info, name), name


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name A type check default true", OptionInfo("A", "check", True)),
        ("option name Two Words type button", OptionInfo("Two Words", "button")),
        ("option name A type spin default -5 min -10 max 10", OptionInfo("A", "spin", -5, -10, 10)),
        ("option name A type spin min 1 max x default 3", OptionInfo("A", "spin", 3, 1, None)),
        ("option name A type string default min max  var", OptionInfo("A", "string", "min max  var")),
        ("option name A type string", OptionInfo("A", "string", "")),
        ("option name A type combo var x y var z default x y", OptionInfo("A", "combo", "x y", choices=("x y", "z"))),
        ("option name type type combo default q var q", OptionInfo("type", "combo", "q", choices=("q",))),
        ("option name A", None),
        ("option name A type slider default 3", None),
        ("option name type check", None),
        ("option", None),
    ],
)
def test_option_lines(line: str, option: OptionInfo | None) -> None:
    assert parse_option(line) == option


def test_long_lines_of_blanks_are_read_in_linear_time() -> None:
    begin = time.perf_counter()
    blanks = " " * 2_000_000
    assert parse_option("option name a" + blanks) is None
    assert parse_option(f"option name a type combo default x{blanks}var y") == OptionInfo("a", "combo", "x", choices=("y",))
    assert parse_info("info pv" + blanks + "1-2").pv == ("1-2",)
    assert time.perf_counter() - begin < 5


def test_lines_from_chunks() -> None:
    splitter = LineSplitter(limit=10)
    assert splitter.feed(b"one\ntw") == ["one"]
    assert splitter.feed(b"o\r\n\n\xff\n") == ["two", "", "\N{REPLACEMENT CHARACTER}"]
    assert splitter.feed(b"0123456789") == []
    assert splitter.feed(b"0123456789" * 1000) == []
    assert splitter.feed(b"\nnext\n") == ["next"]
    assert splitter.dropped == 1
    assert splitter.finish() == []
    assert splitter.feed(b"last") == []
    assert splitter.finish() == ["last"]
    assert splitter.finish() == []


def test_every_command_of_the_protocol_has_its_method() -> None:
    """The commands' table is the client's list of duties."""
    names = {
        "uci": "handshake",
        "isready": "is_ready",
        "setoption": "set_option",
        "register": "command",
        "ucinewgame": "new_game",
        "gameover": "game_over",
        "d": "display",
        "stop": "start_search",
        "ponderhit": "ponder",
    }
    for command in COMMANDS:
        method = names.get(command.name, command.name)
        assert callable(getattr(AsyncEngine, method)), command.name
        assert callable(getattr(SyncEngine, method)), command.name


def test_a_position_and_a_search_at_once() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        first = await engine.go(Limit(depth=1), position=(None, ["1-2"]))
        assert (first.ply, [info.depth for info in first.infos]) == ("3-4", [1])
        assert peer.received[-3:] == ["position startpos moves 1-2", "isready", "go depth 1"]
        # What comes before the readyok is no word of the search: not the lines of the one before, not the refusal.
        search = await engine.start_search(Limit(depth=2), position=("B:W1:B2", []))
        assert [info.depth async for info in search] == [2]
        with pytest.raises(CommandRefused, match="illegal-ply") as refused:
            await engine.go(Limit(depth=3), position=(None, ["9-9"]))
        assert refused.value.call == "position"
        assert (await engine.go(Limit(depth=4))).ply == "7-8"
        assert engine.errors == ()

    def script(peer: ScriptedPeer) -> None:
        peer.expect("position startpos moves 1-2")
        peer.expect("go depth 1", ["info depth 1 score cp 0", "bestmove 3-4"])
        peer.expect("position fen B:W1:B2", ["info depth 7 score cp 0"])
        peer.expect("go depth 2", ["info depth 2 score cp 0", "bestmove 3-4"])
        peer.expect("position startpos moves 9-9", ["error illegal-ply 9-9 is no move"])
        peer.expect("go depth 3")
        peer.expect("stop", ["bestmove 5-6"])
        peer.expect("go depth 4", ["bestmove 7-8"])

    talk(script, play)


def test_a_position_that_is_never_answered() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        with pytest.raises(EngineTimeout):
            await engine.go(Limit(depth=1), position=(None, []))
        with pytest.raises(EngineTimeout):
            await engine.fen(timeout=0.05)  # the search that was begun has still to end

    def script(peer: ScriptedPeer) -> None:
        peer.expect("position startpos")
        peer.expect("isready")
        peer.expect("go depth 1")
        peer.expect("stop")

    talk(script, play, timeouts=Timeouts(ready_s=0.05, stop_s=0.05))
