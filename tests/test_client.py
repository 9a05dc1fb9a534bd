"""The client against a scripted peer: what it sends, how it reads answers, and that no answer goes to the wrong call."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from damd.client import (
    AsyncEngine,
    BenchResult,
    BestMove,
    CommandRefused,
    EngineBusy,
    EngineErrorLine,
    EngineTimeout,
    GameResult,
    Limit,
    OptionError,
    OptionInfo,
    PerftResult,
    Score,
    Timeouts,
    UnreadableAnswer,
)
from damd.client.testing import ScriptedPeer

OPTIONS = (
    "option name Hash type spin default 16 min 1 max 64",
    "option name Clear Hash type button",
    "option name UCI_Variant type combo default dam-haji var dam-haji var two words",
    "option name Ponder type check default false",
    "option name VariantPath type string default <empty>",
)
QUICK = Timeouts(handshake_s=2, ready_s=2, reply_s=2, search_s=2, margin_s=2, analysis_s=5, stop_s=1)


def talk(
    script: Callable[[ScriptedPeer], None],
    play: Callable[[AsyncEngine, ScriptedPeer], Awaitable[Any]],
    timeouts: Timeouts = QUICK,
) -> list[str]:
    """Run ``play`` against a peer that shakes hands and then follows ``script``; what the peer has heard."""
    peer = ScriptedPeer()
    peer.handshake(options=OPTIONS)
    script(peer)

    async def run() -> None:
        async with await AsyncEngine.connect(peer, timeouts=timeouts) as engine:
            await play(engine, peer)

    asyncio.run(run())
    peer.assert_done()
    return [line for line in peer.received if line not in ("isready", "quit")]


def unscripted(peer: ScriptedPeer) -> None:
    pass


async def until(true: Callable[[], bool]) -> None:
    for _ in range(500):
        if true():
            return
        await asyncio.sleep(0.002)
    raise AssertionError("it never came")


def test_handshake() -> None:
    peer = ScriptedPeer()
    peer.expect(
        "uci",
        [
            "Welcome to the peer",
            "id name Peer 1.0",
            "id author A. B.",
            "info string core compiled",
            "joho",
            *OPTIONS,
            "uciok",
        ],
    )

    async def run() -> None:
        async with await AsyncEngine.connect(peer) as engine:
            assert engine.id.name == "Peer 1.0"
            assert engine.id.author == "A. B."
            assert engine.id.notes == ("core compiled",)
            assert list(engine.options) == ["Hash", "Clear Hash", "UCI_Variant", "Ponder", "VariantPath"]
            assert engine.options["hASH"] == OptionInfo("Hash", "spin", 16, 1, 64)
            assert engine.options["uci_variant"].choices == ("dam-haji", "two words")
            assert engine.options["VariantPath"].default == ""
            assert engine.options["Ponder"].default is False
            assert engine.alive
        assert not engine.alive

    asyncio.run(run())
    assert peer.received == ["uci", "quit"]


def test_handshake_that_never_ends() -> None:
    peer = ScriptedPeer()
    peer.expect("uci", ["id name Half"])

    async def run() -> None:
        with pytest.raises(EngineTimeout, match=r"no answer to uci within 0\.05 s"):
            await AsyncEngine.connect(peer, timeouts=Timeouts(handshake_s=0.05))

    asyncio.run(run())


def test_set_option_sends_what_the_declaration_allows() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        await engine.set_option("hash", 32)
        await engine.set_options({"Clear Hash": None, "UCI_Variant": "TWO WORDS", "ponder": True, "VariantPath": ""})
        await engine.set_option("VariantPath", "/a folder/of mine")
        for name, value, message in (
            ("Hahs", 3, "no option 'Hahs'; did you mean Hash"),
            ("Hash", 65, "takes 1 to 64, not 65"),
            ("Hash", "many", "takes a whole number, not 'many'"),
            ("Hash", True, "takes a whole number"),
            ("Clear Hash", 1, "takes no value"),
            ("UCI_Variant", "chess", "takes dam-haji, two words, not 'chess'"),
            ("Ponder", "perhaps", "takes true or false"),
            ("VariantPath", "a\nquit", "one line"),
        ):
            with pytest.raises(OptionError, match=re.escape(message)):
                await engine.set_option(name, value)

    def script(peer: ScriptedPeer) -> None:
        for line in (
            "setoption name Hash value 32",
            "setoption name Clear Hash",
            "setoption name UCI_Variant value two words",
            "setoption name Ponder value true",
            "setoption name VariantPath value <empty>",
            "setoption name VariantPath value /a folder/of mine",
        ):
            peer.expect(line)

    talk(script, play)


def test_positions_and_games() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        await engine.new_game()
        await engine.position()
        await engine.position(plies=["32-28", "19-23"])
        await engine.position("W:WK1:BK50", [])
        await engine.position("W:W5:B1,K32:P1,32", ("x32",))
        await engine.game_over("draw", "agreement")
        await engine.debug(False)
        for bad in (["32-28 19-23"], ["quit\n"], [""], ["\0"]):
            with pytest.raises(ValueError, match=r"one word|one line"):
                await engine.position(plies=bad)
        with pytest.raises(ValueError, match="one line"):
            await engine.position("W:W1:B2\nquit")

    heard = talk(lambda peer: peer.always(re.compile("(ucinewgame|position|gameover|debug).*")), play)
    assert heard[1:] == [
        "ucinewgame",
        "position startpos",
        "position startpos moves 32-28 19-23",
        "position fen W:WK1:BK50",
        "position fen W:W5:B1,K32:P1,32 moves x32",
        "gameover draw agreement",
        "debug off",
    ]


def test_an_error_line_is_raised_by_the_call_that_it_answers() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        with pytest.raises(CommandRefused, match="position: bad-fen: square 51 is off the board") as caught:
            await engine.position("W:W51:B1")
        assert caught.value.errors == (EngineErrorLine("bad-fen", "square 51 is off the board"),)
        with pytest.raises(CommandRefused, match="unknown-command"):
            await engine.fen()
        peer.say("error internal out of turn")
        await engine.is_ready()
        assert engine.errors == (EngineErrorLine("internal", "out of turn"),)

    def script(peer: ScriptedPeer) -> None:
        peer.expect("position fen W:W51:B1", ["error bad-fen square 51 is off the board"])
        peer.expect("fen", ["error unknown-command fen"])

    talk(script, play)


def test_questions() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        assert await engine.fen() == "W:W31:B20:P20"
        assert await engine.fen(full=True) == "W:W31:B20:P20:H3:F9"
        assert await engine.moves() == ("x20", "31-27")
        assert await engine.moves() == ()
        assert await engine.result() == GameResult("ongoing")
        assert await engine.result() == GameResult("white", "no-moves")
        assert not GameResult("ongoing").over
        assert await engine.eval() == -12
        assert await engine.perft(2) == PerftResult(5, (("31-27", 2), ("31x22", 3)))
        assert await engine.bench() == BenchResult(1000, 20, 50000)
        assert await engine.help("d") == "help d: draws\n  usage: d"
        assert await engine.display() == "a board\n\nfen F"
        assert await engine.command("variants") == ("info string none", "one", "two")
        with pytest.raises(UnreadableAnswer, match="result who knows"):
            await engine.result()
        with pytest.raises(UnreadableAnswer, match="said nothing"):
            await engine.moves()
        with pytest.raises(ValueError, match="go: not a command"):
            await engine.command("go depth 3")

    def script(peer: ScriptedPeer) -> None:
        peer.expect("fen", ["info string late", "fen W:W31:B20:P20 "])
        peer.expect("fen full", ["fen W:W31:B20:P20:H3:F9"])
        peer.expect("moves", ["moves x20 31-27"])
        peer.expect("moves", ["moves"])
        peer.expect("result", ["result ongoing"])
        peer.expect("result", ["result white no-moves"])
        peer.expect("eval", ["eval cp -12"])
        peer.expect("perft 2", ["31-27: 2", "31x22: 3", "total 5"])
        peer.expect("bench", ["bench nodes 1000 time 20 nps 50000"])
        peer.expect("help d", ["help d: draws", "info string x", "  usage: d"])
        peer.expect("d", ["a board", "", "fen F"])
        peer.expect("variants", ["info string none", "one", "two"])
        peer.expect("result", ["result who knows"])
        peer.expect("moves")

    talk(script, play)


def test_a_search() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        limit = Limit(white_time_ms=1000, black_time_ms=-5, white_increment_ms=10, moves_to_go=3, depth=4, nodes=9, mate=2)
        result = await engine.go(limit, search_moves=["32-28", "x22"], draw_offered=True)
        assert result.best == BestMove("32-28", "19-23", draw=True)
        assert result.ply == "32-28"
        assert [info.depth for info in result.infos] == [1, 2, None, None, 3, 3]
        assert result.errors == (EngineErrorLine("out-of-range", "mate takes 3 to 49"),)
        last = result.last()
        assert last is not None
        assert (last.depth, last.score, last.pv, last.time_ms) == (2, Score("cp", -4), ("32-28", "19-23"), 7)
        assert result.last(multipv=2) is None
        figures, current, bound = result.infos[-3:]
        assert (figures.depth, figures.nodes, figures.nps, figures.time_ms) == (None, 20, 1000, 1007)
        assert (current.depth, current.currmove, current.currmovenumber, current.score) == (3, "31-27", 2, None)
        assert bound.score == Score("cp", 30, "lowerbound")
        with pytest.raises(ValueError, match="use analysis"):
            await engine.go(Limit())
        with pytest.raises(ValueError, match="use analysis"):
            await engine.go(Limit(depth=3, infinite=True))

    def script(peer: ScriptedPeer) -> None:
        peer.expect(
            "go draw wtime 1000 btime -5 winc 10 movestogo 3 depth 4 nodes 9 mate 2 searchmoves 32-28 x22",
            [
                "error out-of-range mate takes 3 to 49",
                "info depth 1 score cp 3 pv 32-28",
                "info depth 2 seldepth 9 score cp -4 nodes 10 nps 1000 time 7 hashfull 0 pv 32-28 19-23",
                "info string hello",
                "info nodes 20 nps 1000 hashfull 1 time 1007",
                "info depth 3 currmove 31-27 currmovenumber 2",
                "info depth 3 score cp 30 lowerbound pv 31-27",
                "bestmove 32-28 ponder 19-23 draw",
            ],
        )

    talk(script, play)


@pytest.mark.parametrize(
    ("line", "best"),
    [
        ("bestmove 32-28", BestMove("32-28")),
        ("bestmove (none)", BestMove(None)),
        ("bestmove 0000", BestMove(None)),
        ("bestmove", BestMove(None)),
        ("bestmove resign", BestMove(None, resign=True)),
        ("bestmove x22 draw", BestMove("x22", draw=True)),
        ("bestmove e2e4 ponder (none)", BestMove("e2e4")),
        ("  bestmove\te2e4  ponder\te7e5  ", BestMove("e2e4", "e7e5")),
        ("bestmove e2e4 ponder", BestMove("e2e4")),
    ],
)
def test_bestmoves(line: str, best: BestMove) -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        assert (await engine.go(Limit(depth=1))).best == best

    talk(lambda peer: peer.expect("go depth 1", [line]), play)


def test_analysis_streams_and_is_stopped() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        depths = []
        async with engine.analysis(search_moves=["32-28"]) as search:
            peer.say("info depth 1 score cp 1")
            async for info in search:
                depths.append(info.depth)
                if info.depth == 3:
                    break
                peer.say(f"info depth {len(depths) + 1} score cp 1")
            with pytest.raises(EngineBusy):
                await engine.fen()
            with pytest.raises(EngineBusy):
                await engine.go(Limit(depth=1))
            await engine.is_ready()
            assert not search.done
        assert depths == [1, 2, 3]
        assert (await search.result()).ply == "32-28"
        assert (await search.stop()).ply == "32-28"
        assert [info.depth async for info in search] == [4]
        assert await engine.fen() == "F"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go infinite searchmoves 32-28")
        peer.expect("stop", ["info depth 4 score cp 9", "bestmove 32-28"])
        peer.expect("fen", ["fen F"])

    assert "stop" in talk(script, play)


def test_a_finite_analysis_ends_by_itself() -> None:
    async def play(engine: AsyncEngine, _: ScriptedPeer) -> None:
        async with engine.analysis(Limit(depth=2)) as search:
            assert [info.depth async for info in search] == [1, 2]
        assert (await search.result()).ply == "1-2"

    talk(lambda peer: peer.expect("go depth 2", ["info depth 1", "info depth 2", "bestmove 1-2"]), play)


def test_pondering() -> None:
    limit = Limit(white_time_ms=500, black_time_ms=500)

    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        hit = await engine.ponder(limit)
        await hit.ponder_hit()
        assert (await hit.result()).ply == "1-2"
        missed = await engine.ponder(limit)
        assert (await missed.stop()).ply == "3-4"
        premature = await engine.ponder(limit)
        peer.say("bestmove 5-6")
        await until(lambda: premature.done)
        await premature.ponder_hit()
        assert (await premature.stop()).ply == "5-6"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go ponder wtime 500 btime 500")
        peer.expect("ponderhit", ["bestmove 1-2"])
        peer.expect("go ponder wtime 500 btime 500")
        peer.expect("stop", ["bestmove 3-4"])
        peer.expect("go ponder wtime 500 btime 500")

    talk(script, play)


def test_a_cancelled_search_swallows_its_bestmove() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        task = asyncio.create_task(engine.go(Limit(depth=50)))
        await until(lambda: "go depth 50" in peer.received)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert peer.received[-1] == "stop"
        following = asyncio.create_task(engine.go(Limit(depth=1)))
        await asyncio.sleep(0.02)
        assert peer.received[-1] == "stop"  # nothing is sent before the old search has ended
        peer.say("info depth 9 score cp 100 pv 9-9", "bestmove 9-9")
        result = await following
        assert result.ply == "1-2"
        assert [info.depth for info in result.infos] == [1]

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go depth 50")
        peer.expect("stop")
        peer.expect("go depth 1", ["info depth 1", "bestmove 1-2"])

    talk(script, play)


def test_a_search_out_of_time_is_stopped() -> None:
    async def play(engine: AsyncEngine, peer: ScriptedPeer) -> None:
        with pytest.raises(EngineTimeout, match=r"no answer to go within 0\.05 s"):
            await engine.go(Limit(nodes=10), timeout=0.05)
        assert peer.received[-1] == "stop"
        with pytest.raises(EngineTimeout, match="fen"):
            await engine.fen(timeout=0.05)
        peer.say("bestmove 9-9")
        assert (await engine.go(Limit(depth=1))).ply == "1-2"
        async with engine.analysis(timeout=0.05) as search:
            with pytest.raises(EngineTimeout):
                _ = [info async for info in search]
        assert (await engine.go(Limit(depth=1))).ply == "3-4"

    def script(peer: ScriptedPeer) -> None:
        peer.expect("go nodes 10")
        peer.expect("stop")
        peer.expect("go depth 1", ["bestmove 1-2"])
        peer.expect("go infinite")
        peer.expect("stop", ["bestmove 0-0"])
        peer.expect("go depth 1", ["bestmove 3-4"])

    talk(script, play)
