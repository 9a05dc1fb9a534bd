"""damd's protocol as an adapter with a foreign engine speaks it: the answers are the daemon's, and so is their order."""

from __future__ import annotations

import asyncio
import select
import shlex
import subprocess
import sys

import pytest

from damd.client import EngineId, Score
from damd.daemon.session import Session as DaemonSession
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import Option, OptionKind
from damd.rules import Rules
from damd_adapters.table import Table
from damd_adapters.uci.engine import Choice, EngineFault, ForeignEngine, Host, Limits, Report, Tell
from damd_adapters.uci.session import Session
from foreign import Inside, children_of
from hub_engines import ENV, Scripted, scripted
from programs import gone
from replies import kind_of
from talking import PATIENCE_S


class Puppet(ForeignEngine):
    """Searches until the test lets it go on; a search with a depth ends by itself, with the table's first ply."""

    identity = EngineId("puppet", "the tests")
    variants = ("international", "brazilian", "frisian", "dam-haji")
    options = (
        Option("Strings", OptionKind.SPIN, "3", 1, 9),
        Option("Mode", OptionKind.COMBO, "Open", choices=("Open", "shut")),
    )

    def __init__(self, host: Host) -> None:
        self.host = host
        self.calls: list[str] = []
        self.fault: Exception | None = None
        self.release = asyncio.Event()
        self._prepared = True

    async def start(self) -> None:
        self.calls.append("start")

    def set_variant(self, rules: Rules) -> None:
        self.calls.append(f"variant {rules.name}")

    def set_option(self, name: str, value: str) -> None:
        self.calls.append(f"{name} {value}")

    @property
    def prepared(self) -> bool:
        return self._prepared

    async def prepare(self) -> None:
        self.calls.append("prepare")
        await asyncio.sleep(0.01)
        self._prepared = True

    async def new_game(self) -> None:
        self.calls.append("new game")

    async def search(self, table: Table, limits: Limits, tell: Tell) -> Choice:
        self.calls.append(f"search {limits}")
        self.release.clear()
        plies = table.legal()
        tell(Report(depth=1, score=Score("cp", 5), line=(plies[0],)))
        if self.fault is not None:
            raise self.fault
        if limits.depth is None or limits.depth > 50:
            await self.release.wait()
        return Choice(plies[0])

    def stop(self) -> None:
        self.calls.append("stop")
        self.release.set()

    def ponder_hit(self) -> None:
        self.calls.append("hit")
        self.release.set()

    async def close(self) -> None:
        self.calls.append("close")

    def kill(self) -> None:
        self.calls.append("kill")


class Stage(Inside):
    """The server with a puppet."""

    puppet: Puppet

    def __init__(self) -> None:
        def make(host: Host) -> Puppet:
            self.puppet = Puppet(host)
            return self.puppet

        super().__init__(make)


BEST = "bestmove 31-26"
INFO = "info depth 1 score cp 5 pv 31-26"


# The order of answers


def test_lines_wait_behind_a_bounded_search_and_isready_does_not():
    with Stage() as stage:
        stage.send("go depth 99")
        assert stage.until("info") == [INFO]
        stage.send("isready", "fen", "isready")
        assert stage.until("readyok") == ["readyok"]
        stage.silent(0.05, ())
        stage.send("stop")
        said = stage.until("readyok")
        assert [line.split()[0] for line in said] == ["bestmove", "fen", "readyok"]


def test_lines_are_refused_during_an_unbounded_search():
    with Stage() as stage:
        stage.send("go infinite")
        assert stage.until("info") == [INFO]
        stage.send("fen", "go depth 1", "nonsense", "bench")
        assert stage.until("error unknown-command bench") == [
            "error searching fen: not during a search without end, send stop first",
            "error searching go: not during a search without end, send stop first",
            "error unknown-command nonsense: no such command, try help",
            "error unknown-command bench: puppet behind this adapter cannot do that",
        ]
        stage.send("stop")
        assert stage.until("bestmove") == [BEST]


def test_stop_ends_every_search_that_waits():
    with Stage() as stage:
        stage.send("go depth 99", "go infinite", "fen", "go ponder movetime 5", "stop")
        assert [line.split()[0] for line in stage.ask("moves") if not line.startswith("info")] == [
            "bestmove",
            "bestmove",
            "fen",
            "bestmove",
            "moves",
        ]


def test_ponderhit_waits_with_its_search():
    with Stage() as stage:
        stage.send("go depth 99", "go ponder depth 2", "ponderhit", "stop")
        assert [stage.until("bestmove")[-1] for _ in range(2)] == [BEST, BEST]
        assert "hit" not in stage.puppet.calls


def test_ponderhit_lets_go():
    with Stage() as stage:
        stage.send("go ponder movetime 5")
        stage.until("info")
        stage.silent(0.05, ())
        stage.send("ponderhit", "ponderhit")
        assert stage.until("bestmove") == [BEST]
        assert stage.puppet.calls.count("hit") == 1


def test_quit_drops_what_waits():
    with Stage() as stage:
        stage.send("go depth 99", "fen", "go depth 1", "quit", "moves")
        assert stage.rest() == [INFO, BEST]
        assert stage.exit_code() == 0
        assert stage.puppet.calls[-1] == "close"


def test_the_end_of_input_is_a_quit_behind_the_last_line():
    with Stage() as stage:
        stage.send("go depth 3", "fen", "go infinite")
        stage.close_input()
        assert [line.split()[0] for line in stage.rest()] == ["info", "bestmove", "fen", "info", "bestmove"]
        assert stage.exit_code() == 0


def test_nothing_overtakes_a_preparation():
    with Stage() as stage:
        stage.send("ucinewgame", "isready")
        assert stage.until("readyok") == ["readyok"]
        assert stage.puppet.calls == ["start", "prepare", "new game"]


def test_stop_without_a_search_is_nothing():
    with Stage() as stage:
        assert stage.ask("stop", "ponderhit", "stop") == []
        stage.send("go depth 3")
        assert stage.until("bestmove") == [INFO, BEST]


# Faults


def test_limits_that_cannot_be_told_are_an_error_and_a_bestmove():
    with Stage() as stage:
        stage.ask()
        stage.puppet.fault = ProtocolError(Code.UNKNOWN_TOKEN, "nodes", "no such thing")
        stage.send("go nodes 5")
        assert stage.until("bestmove") == [INFO, "error unknown-token nodes: no such thing", "bestmove (none)"]
        stage.puppet.fault = None
        stage.send("go depth 1")
        assert stage.until("bestmove") == [INFO, BEST]


def test_a_lost_engine_is_the_last_line():
    with Stage() as stage:
        stage.ask()
        stage.puppet.fault = EngineFault("it fell off the table")
        stage.send("go depth 1", "fen")
        assert stage.rest() == [INFO, "error internal it fell off the table"]
        assert stage.exit_code() == 1


def test_a_lost_engine_between_searches():
    with Stage() as stage:
        stage.ask()
        stage._loop.call_soon_threadsafe(stage.puppet.host.failed, EngineFault("gone"))
        assert stage.rest() == ["error internal gone"]
        assert stage.exit_code() == 1


# What is asked of the engine


@pytest.mark.parametrize(
    ("go", "limits"),
    [
        ("go depth 4 nodes 9", Limits(depth=4, nodes=9)),
        ("go mate 3 depth 9", Limits(depth=5)),
        ("go depth 2 wtime 5 winc 3", Limits(depth=2, time_ms=(5, 5), increment_ms=(3, 0))),
        ("go depth 2 wtime 5 btime -7 movestogo 9", Limits(depth=2, time_ms=(5, -7), moves_to_go=9)),
        ("go nonsense", Limits(depth=1)),
        ("go perft 3", Limits(depth=1)),
        ("go searchmoves 31-26", Limits(depth=1)),
        ("go draw depth 6", Limits(depth=6)),
    ],
)
def test_limits(go, limits):
    with Stage() as stage:
        stage.send(go)
        assert stage.until("bestmove")[-1] == BEST
        assert stage.puppet.calls[-1] == f"search {limits}"


def test_what_the_engine_cannot_do_is_told():
    with Stage() as stage:
        stage.send("go depth 2 searchmoves 31-26 perhaps")
        assert stage.until("bestmove") == [
            "error unknown-token searchmoves: the engine behind this adapter cannot do that",
            INFO,
            BEST,
        ]


def test_a_search_without_limits_has_no_end():
    with Stage() as stage:
        stage.send("go")
        stage.until("info")
        stage.send("stop")
        assert stage.until("bestmove") == [BEST]
        assert f"search {Limits(infinite=True)}" in stage.puppet.calls


def test_without_a_legal_ply_the_engine_is_not_asked():
    with Stage() as stage:
        stage.send("position fen W:W6:B1", "go depth 3")
        assert stage.until("bestmove") == ["bestmove (none)"]
        stage.send("go infinite")
        stage.silent(0.05, ())
        stage.send("stop")
        assert stage.until("bestmove") == ["bestmove (none)"]
        assert not any(call.startswith("search") for call in stage.puppet.calls)


def test_options():
    with Stage() as stage:
        assert stage.ask(
            "setoption name strings value 12",
            "setoption name MODE value OPEN",
            "setoption name Mode value SHUT",
            "setoption name Mod value x",
            "setoption name UCI_Variant value Standard",
            "setoption name UCI_Variant value frisian",
            "setoption name UCI_Variant value chess",
            "setoption name UCI_Variant",
        ) == [
            "error out-of-range 12: Strings takes a number from 1 to 9, 9 is used",
            "error unknown-option Mod: no such option, did you mean Mode?",
            "error bad-value chess: UCI_Variant takes international, brazilian, frisian, dam-haji",
            "error missing-argument UCI_Variant: needs value international, brazilian, frisian, dam-haji",
        ]
        assert stage.puppet.calls[1:] == ["Strings 9", "Mode Open", "Mode shut", "variant frisian"]


# The daemon's answers


class Dialogue:
    """The same lines for a session of the daemon and for one of the adapter."""

    def __init__(self) -> None:
        engine = Puppet.__new__(Puppet)
        engine.calls, engine._prepared = [], True
        self.adapter = Session(engine)
        self.daemon = DaemonSession()
        for line in ("setoption name MissedCapture value forbidden", "setoption name UCI_Variant value international"):
            self.daemon.answer(line)

    def both(self, line: str) -> tuple[list[str], list[str]]:
        return self.adapter.answer(line).lines, self.daemon.answer(line).lines


SAME = (
    "fen",
    "position startpos moves 32-28 19-23",
    "position startpos moves 32-28 19-23 28x19 14x23",
    "fen full",
    "d",
    "moves",
    "result",
    "explain 37-32",
    "explain 37-33",
    "explain",
    "position startpos moves 32-28 19-23 28x19 14x23 1-2",
    "fen",
    "position startpos moves 32-28 19-23 28x19 14x23 37-32 20-24 32-28",
    "fen",
    "position fen W:W31,31:B20",
    "position fen W:W31,45:B5:P31",
    "position fen",
    "position",
    "position here",
    "position startpos 32-28",
    "position fen W:WK4:B13,20,32,37 moves 4x15",
    "position fen b:b20,k6:w31-33. moves 6-1",
    "fen full",
    "gameover draw agreement",
    "result",
    "gameover white agreement",
    "gameover red",
    "gameover draw perhaps",
    "position startpos",
    "result",
    "position fen W:W6:B1",
    "result",
    "moves",
    "position fen B:WK1,K2,K33:BK50 moves 50x28",
    "d",
    "position fen W:WK1:BK50:H9 moves 1-7",
    "result",
    "debug",
    "debug perhaps on",
    "debug off off",
    "isready now",
    "stop now",
    "quit now",
    "register me",
    "setoption",
    "setoption name",
    "fen half",
    "moves all",
    "ucinewgame please",
    "israedy",
    "help fen",
    "help hlep",
    "setoption name UCI_Variant value frisian",
    "position fen W:WK46,K5:BK1,20:L46=2",
    "d",
    "setoption name UCI_Variant value dam-haji",
    "position fen W:W22,32:B18,5",
    "explain 32-28",
    "moves",
)


def test_positions_and_errors_are_answered_as_the_daemon_does():
    dialogue = Dialogue()
    for line in SAME:
        adapter, daemon = dialogue.both(line)
        assert adapter == daemon, line


def test_every_line_is_one_of_the_protocol():
    dialogue = Dialogue()
    for line in (*SAME, "uci", "help", "bench"):
        for answer in dialogue.adapter.answer(line).lines:
            assert kind_of(answer), answer


def test_help_lists_what_there_is():
    listed = {line.split()[1].rstrip(":") for line in Dialogue().adapter.answer("help").lines}
    assert {"uci", "go", "position", "explain"} <= listed
    assert not listed & {"perft", "eval", "bench"}


# Lines


def test_unreadable_lines_and_the_end_of_the_output(tmp_path):
    with Scripted(tmp_path, {}) as adapter:
        adapter.send_bytes(b"\xef\xbb\xbfisready\r\n")
        assert adapter.until("readyok") == ["readyok"]
        adapter.send_bytes(b"fen \xff\nmoves " + b"x" * 70_000 + b"\n   \nisready")
        adapter.close_input()
        assert adapter.rest() == [
            "error bad-encoding fen \ufffd: not UTF-8, the line is skipped",
            "error too-long a line of more than 65536 bytes, it is skipped",
            "readyok",
        ]
        assert adapter.exit_code() == 0
        assert adapter.stderr() == ""


@pytest.mark.skipif(not hasattr(select, "poll"), reason="nobody can be asked whether a pipe has a reader")
def test_it_ends_when_nobody_reads_any_more(tmp_path):
    engine = shlex.join(scripted(tmp_path, {"go": [["sleep"]]}))
    command = [sys.executable, "-m", "damd_adapters.hub", "--engine", engine]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"isready\ngo depth 3\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"readyok\n"
    engines = children_of(process.pid)
    process.stdin.close()
    process.stdout.close()
    assert process.wait(PATIENCE_S) == 1
    assert all(gone(pid) for pid in engines)
