"""A Hub engine as an engine of damd's protocol: what it is told, what the client hears, and what happens when it errs."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest

from damd.client import Score
from damd.core.position import start_setup
from damd.variants import load
from damd_adapters.hub.engine_params import level, params_of, report, variants_of
from damd_adapters.hub.engine_side import since_irreversible
from damd_adapters.hub.grammar import read
from damd_adapters.table import Table
from damd_adapters.uci.engine import Limits, Report
from hub_engines import PATIENT, Inner, Script, Scripted
from programs import Program, gone

WHOLE = [
    'id name=scripted version=1.0 author="A. Nobody"',
    'param name=variant value=normal type=enum values="normal killer bt frisian losing hexdame"',
    "param name=book value=true type=bool",
    "param name=threads value=1 type=int min=1 max=16",
    "param name=margin value=0.5 type=real min=0 max=1.5",
    'param name=style value=calm type=enum values="calm Wild"',
    'param name=book-file value="" type=string',
    "param name=ponder value=false type=bool",
    "param name=odd value=many type=int min=1 max=3",
    "wait",
]
PLAYS: Script = {"hub": [WHOLE], "go": [["info depth=1 score=0.02 nodes=9 pv=32-28", "done move=32-28 ponder=19-23"]]}


def finish(adapter: Inner) -> None:
    """End its input: it ends well, and says nothing more."""
    adapter.close_input()
    assert adapter.rest() == []
    assert adapter.exit_code() == 0


def params():
    return params_of(message for line in WHOLE if (message := read(line)) and message.name == "param")


# What it has


def test_who_it_is_and_its_parameters_as_options(tmp_path):
    with Scripted(tmp_path, PLAYS) as adapter:
        adapter.send("uci")
        said = adapter.until("uciok")
        assert adapter.stderr_free()
    assert said == [
        "id name scripted 1.0",
        "id author A. Nobody",
        "info string engine behind Hub",
        "option name UCI_Variant type combo default international var international var killer var breakthrough "
        "var frisian var losing",
        "option name MissedCapture type combo default forbidden var forbidden",
        "option name book type check default true",
        "option name threads type spin default 1 min 1 max 16",
        "option name margin type string default 0.5",
        "option name style type combo default calm var calm var Wild",
        "option name book-file type string default <empty>",
        "option name Ponder type check default false",
        "option name odd type string default many",
        "uciok",
    ]


def test_an_engine_without_a_parameter_for_the_game_plays_the_one_of_the_command_line(tmp_path):
    with Scripted(tmp_path, {}, "--variant", "brazilian") as adapter:
        adapter.send("uci")
        assert "option name UCI_Variant type combo default brazilian var brazilian" in adapter.until("uciok")
        assert adapter.ask("fen") == ["fen W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"]
        assert adapter.stderr_free()


def test_the_game_of_the_command_line_comes_first():
    assert list(variants_of(params(), "frisian")) == ["frisian", "international", "killer", "breakthrough", "losing"]
    assert next(iter(variants_of(params(), "turkish"))) == "international"
    assert variants_of({}, "russian") == {"russian": ""}


def test_values_that_hub_cannot_carry_are_refused(tmp_path):
    with Inner(tmp_path, PLAYS) as adapter:
        assert adapter.ask("setoption name margin value 2") == [
            "error bad-value 2: margin takes a number, at least 0 and at most 1.5"
        ]
        assert adapter.ask('setoption name book-file value a"b') == [
            'error bad-value a"b: book-file takes no ": Hub cannot carry it'
        ]
        assert adapter.ask("setoption name style value warm") == ["error bad-value warm: style takes calm, Wild"]
        assert adapter.ask("setoption name threads value 99") == [
            "error out-of-range 99: threads takes a number from 1 to 16, 16 is used"
        ]
        assert adapter.ask("setoption name UCI_Variant value dam") == [
            "error bad-value dam: UCI_Variant takes international, killer, breakthrough, frisian, losing"
        ]
        assert adapter.ask("setoption name MissedCapture value rule") == [
            "error bad-value rule: MissedCapture takes forbidden"
        ]
        adapter.send("go depth 1")
        assert adapter.until("bestmove")[-1] == "bestmove 32-28 ponder 19-23"
        assert "set-param name=threads value=16" in adapter.told(6)
        finish(adapter)


def test_only_what_differs_is_set_and_before_init(tmp_path):
    with Inner(tmp_path, PLAYS) as adapter:
        adapter.ask(
            "setoption name UCI_Variant value BT",
            "setoption name THREADS value 4",
            "setoption name style value wild",
            "setoption name book-file value my own book.dat",
            "setoption name Ponder value false",
            "ucinewgame",
        )
        assert adapter.told(7) == [
            "hub",
            "set-param name=variant value=bt",
            "set-param name=threads value=4",
            "set-param name=style value=Wild",
            'set-param name=book-file value="my own book.dat"',
            "init",
            "new-game",
        ]
        assert adapter.ask("ucinewgame", "setoption name threads value 4") == []
        assert adapter.told(8)[7:] == ["new-game"]
        finish(adapter)


def test_an_engine_is_started_anew_for_an_option_that_changes_later(tmp_path):
    with Inner(tmp_path, PLAYS) as adapter:
        adapter.ask("position startpos")
        before = adapter.children()
        adapter.ask("setoption name book value false", "position startpos")
        assert adapter.told(6) == ["hub", "init", "quit", "hub", "set-param name=book value=false", "init"]
        assert all(gone(pid) for pid in before)
        adapter.send("go depth 1")
        assert adapter.until("bestmove")[-1] == "bestmove 32-28 ponder 19-23"
        finish(adapter)


# What it is told


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        (Limits(depth=7), "level depth=7"),
        (Limits(nodes=5000, movetime_ms=250), "level nodes=5000 move-time=0.250"),
        (Limits(time_ms=(60_000, 1)), "level time=60.000"),
        (Limits(time_ms=(60_000, 1), moves_to_go=75), "level moves=75 time=60.000"),
        (Limits(time_ms=(30_000, 1), increment_ms=(1000, 9)), "level time=29.000 inc=1.000"),
        (Limits(time_ms=(500, 1), increment_ms=(1000, 9)), "level time=0.001 inc=0.499"),
        (Limits(time_ms=(-3, 1)), "level time=0.001"),
        (Limits(movetime_ms=0), "level move-time=0.001"),
        (Limits(infinite=True, depth=3), "level infinite"),
    ],
)
def test_limits(limits, line):
    assert str(level(limits, 0)) == line


def test_positions_begin_at_the_last_ply_that_cannot_be_undone():
    rules = load("international")
    table = Table.from_fen(rules, "W:WK50,31:BK1,20", ["31-27", "1-6", "50-45", "6-1"])
    setup, plies = since_irreversible(table)
    assert [table.spell(ply) for ply in plies] == ["1-6", "50-45", "6-1"]
    assert 26 in setup.men[0]
    assert table.texts == ("31-27", "1-6", "50-45", "6-1")
    assert since_irreversible(Table(rules)) == (start_setup(rules), ())


def test_no_plies_are_told_beyond_a_draw():
    """dame-rs takes none, and has no move where a position has occurred for the third time."""
    shuffle = ["46-41", "6-1", "41-46", "1-6"]
    table = Table.from_fen(load("international"), "W:WK46:BK6", shuffle)
    assert len(since_irreversible(table)[1]) == 4
    for more in (shuffle, [*shuffle, "46-41"]):
        table = Table.from_fen(table.rules, "W:WK46:BK6", [*shuffle, *more])
        assert since_irreversible(table) == (table.position.setup(), ())
        assert len(table.texts) == 4 + len(more)


def test_a_whole_conversation(tmp_path):
    script = PLAYS | {"go": [["done move=33-28"], ["done move=28x19x23 ponder=14x23x19"], ["done move=30-25"]]}
    with Inner(tmp_path, script) as adapter:
        adapter.send("position startpos moves 32-28 19-23", "go depth 2 nodes 100")
        # A move of the start position, and not of the one that it was told.
        error, best = adapter.until("bestmove")
        assert error.startswith("error illegal-ply 33-28: played by scripted 1.0 in W:W28,31,33,")
        assert best == "bestmove (none)"
        adapter.send("go wtime 5000 btime 9000 winc 100 binc 100")
        assert adapter.until("bestmove") == ["bestmove 28x19 ponder 14x23"]
        adapter.send("position fen W:WK50,30:BK1 moves 50-45 1-6", "go infinite", "stop")
        assert adapter.until("bestmove") == ["bestmove 30-25"]
        assert adapter.told(12)[2:] == [
            "pos pos=Wbbbbbbbbbbbbbbbbbbebeebeeeeweewewwwwwwwwwwwwwwwwww",
            "level depth=2 nodes=100",
            "go think",
            "pos pos=Wbbbbbbbbbbbbbbbbbbebeebeeeeweewewwwwwwwwwwwwwwwwww",
            "level time=4.900 inc=0.100",
            "go think",
            'pos pos=WBeeeeeeeeeeeeeeeeeeeeeeeeeeeeweeeeeeeeeeeeeeeeeeeW moves="50-45 1-6"',
            "level infinite",
            "go analyze",
            "stop",
        ]
        finish(adapter)


# What the client hears


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (  # H03: time and nps are missing where they are nothing
            'info depth=1 mean-depth=1.0 score=0.02 nodes=9 pv="32-28"',
            Report(depth=1, score=Score("cp", 2), nodes=9, nps=0, time_ms=0),
        ),
        ("info depth=9 nodes=3000 time=2.000", Report(depth=9, nodes=3000, nps=1500, time_ms=2000)),
        (
            "info depth=9 max-depth=21 score=-99.96 nodes=3000 time=0.5 nps=1.25",
            Report(depth=9, seldepth=21, score=Score("mate", -2), nodes=3000, nps=1_250_000, time_ms=500),
        ),
        ("info score=99.97 pv=1-2", Report(score=Score("mate", 2))),
        ("info depth=7.5 score=#3 nodes=-4 time=soon nps=nan", Report(nps=0, time_ms=0)),
        ("info depth=1 score=1e308 nodes=9 time=1e308 nps=1e308", Report(depth=1, nodes=9, nps=10**18, time_ms=10**18)),
        ("info depth=1 nodes=9 time=1e-308", Report(depth=1, nodes=9, nps=9_000_000, time_ms=0)),
        ("info", Report()),
    ],
)
def test_reports(line, expected):
    message = read(line)
    assert message is not None
    assert report(message) == expected


def test_a_line_is_told_up_to_what_is_no_ply(tmp_path):
    script = PLAYS | {
        "go": [['info depth=2 score=0.5 nodes=1 time=0.01 nps=1 pv="32-28 19-23 28x19x23 1-50 20-24"', "done move=32-28"]]
    }
    with Inner(tmp_path, script) as adapter:
        adapter.send("go depth 2")
        assert adapter.until("bestmove") == [
            "info depth 2 score cp 50 nodes 1 nps 1000000 time 10 pv 32-28 19-23 28x19",
            "bestmove 32-28",
        ]
        finish(adapter)


def test_pondering(tmp_path):
    script = PLAYS | {"go ponder": [["info depth=1 nodes=1"]], "ponder-hit": [["done move=31-27"]]}
    with Inner(tmp_path, script) as adapter:
        adapter.send("position startpos moves 32-28 19-23 28x19 14x23", "go ponder wtime 9000 btime 9000")
        adapter.until("info")
        adapter.send("ponderhit")
        assert adapter.until("bestmove") == ["bestmove 31-27"]
        assert adapter.told(6)[2:] == [
            "pos pos=Wbbbbbbbbbbbbbebbbbebeebeeeeeeewewwwwwwwwwwwwwwwwww",
            "level time=9.000",
            "go ponder",
            "ponder-hit",
        ]
        finish(adapter)


@pytest.mark.parametrize(
    ("go", "release"), [("go ponder depth 3", "ponderhit"), ("go infinite", "stop"), ("go ponder depth 3", "stop")]
)
def test_what_comes_too_early_is_held_back(tmp_path, go, release):
    with Inner(tmp_path, PLAYS) as adapter:
        adapter.send(go)
        assert adapter.until("info")[0].startswith("info depth 1 ")
        assert adapter.ask() == []
        adapter.send("fen")
        assert adapter.until("error") == ["error searching fen: not during a search without end, send stop first"]
        adapter.silent(0.1)
        adapter.send(release)
        assert adapter.until("bestmove") == ["bestmove 32-28 ponder 19-23"]
        # The engine has nothing to be told any more.
        assert adapter.told(5)[-1].startswith("go ")
        finish(adapter)


def test_stop_and_the_answer_cross(tmp_path):
    """However the two meet, every go has one bestmove, and a stop is never meant for the next search."""
    script = PLAYS | {"stop": [["error message=late"]]}
    with Inner(tmp_path, script) as adapter:
        for _ in range(30):
            adapter.send("go depth 1", "stop")
            assert adapter.until("bestmove")[-1] == "bestmove 32-28 ponder 19-23"
        assert adapter.ask("fen")[-1].startswith("fen ")
        finish(adapter)


def test_what_it_complains_about_is_a_remark(tmp_path):
    script = PLAYS | {"pos": [['error message="bad position"', "what is this?", "init eval", "pong"]]}
    with Inner(tmp_path, script) as adapter:
        adapter.send("go depth 1")
        said = adapter.until("bestmove")
        assert said[0] == "info string scripted 1.0: error bad position"
        assert not any("what is this" in line for line in said)
        adapter.send("debug on", "go depth 1")
        assert any("what is this" in line for line in adapter.until("bestmove"))
        finish(adapter)


# What it does wrong


@pytest.mark.parametrize(
    ("done", "token"),
    [
        ("done move=1-50", "1-50"),
        ("done move=32-37", "32-37"),
        ("done move=%&!", "%&!"),
        ("done", "done"),
        ("done move=28x19x23", "28x19x23"),
    ],
)
def test_an_illegal_ply_is_told_and_costs_the_search_only(tmp_path, done, token):
    script = PLAYS | {"go": [[done], ["done move=32-28"]]}
    with Inner(tmp_path, script) as adapter:
        adapter.send("go depth 1")
        error, best = adapter.until("bestmove")
        assert error.startswith(f"error illegal-ply {token}: played by scripted 1.0 in W:W31,32,33,")
        assert best == "bestmove (none)"
        adapter.send("go depth 1")
        assert adapter.until("bestmove") == ["bestmove 32-28"]
        finish(adapter)


def lost(adapter: Inner) -> str:
    """The last line where the engine is lost; the same without a process."""
    last = adapter.rest()[-1]
    assert adapter.exit_code() == 1
    assert last == f"error internal {adapter.fault}"
    return last


def ended(adapter: Scripted) -> str:
    """The last line of an adapter whose engine is lost; it has ended with exit code 1 and said so on stderr as well."""
    said = adapter.rest()
    assert adapter.exit_code() == 1
    stderr = adapter.stderr()
    assert said[-1].startswith("error internal ")
    assert stderr == f"damd-hub: {said[-1].removeprefix('error internal ')}\n"
    return said[-1]


def test_it_dies_in_a_search(tmp_path):
    with Scripted(tmp_path, PLAYS | {"go": [["info depth=1 nodes=1", "exit 7"]]}) as adapter:
        adapter.send("go depth 1")
        last = ended(adapter)
        assert "has ended with exit code 7; its last words on stderr: these are my last words" in last


def test_it_dies_between_searches(tmp_path):
    with Scripted(tmp_path, PLAYS | {"new-game": [["exit 3"]]}) as adapter:
        adapter.send("ucinewgame")
        assert "exit code 3" in ended(adapter)


def test_it_dies_in_init(tmp_path):
    with Inner(tmp_path, PLAYS | {"init": [["exit 1"]]}) as adapter:
        adapter.send("ucinewgame", "isready")
        assert "exit code 1" in lost(adapter)


def test_it_does_not_get_ready(tmp_path):
    with Inner(tmp_path, PLAYS | {"init": [["init eval"]]}, patience=replace(PATIENT, ready_s=0.3)) as adapter:
        adapter.send("ucinewgame")
        assert "no ready within 0.3 s" in lost(adapter)


def test_it_does_not_heed_stop(tmp_path):
    with Inner(
        tmp_path, PLAYS | {"go": [["info depth=1 nodes=1"]]}, patience=replace(PATIENT, overtime_s=0.1, stop_s=0.3)
    ) as adapter:
        adapter.send("go infinite")
        adapter.until("info")
        children = adapter.children()
        adapter.send("stop")
        assert lost(adapter) == "error internal scripted 1.0 did not answer stop within 0.3 s"
        assert all(gone(pid) for pid in children)


def test_a_search_by_time_that_goes_on_and_on_is_stopped(tmp_path):
    script = PLAYS | {"go": [["info depth=1 nodes=1"]], "stop": [["done move=31-27"]]}
    with Inner(tmp_path, script, patience=replace(PATIENT, overtime_s=0.1, stop_s=0.3)) as adapter:
        adapter.send("go movetime 20")
        assert adapter.until("bestmove")[-1] == "bestmove 31-27"
        assert adapter.told(6)[-1] == "stop"
        finish(adapter)


# H06: an engine that is started in another mode
def test_it_prints_a_board(tmp_path):
    board = ["Welcome!", "", " b b b b b", "b b b b b ", "type help"]
    with Scripted(tmp_path, {"start": [board], "hub": [["what?"]]}, "--patience", "0.5") as adapter:
        last = ended(adapter)
        assert last.startswith("error internal the engine did not speak Hub (is its argument hub missing?): no wait from ")
        assert last.endswith(" within 0.4 s; its first lines were: Welcome! / b b b b b / b b b b b")


def test_it_says_nothing(tmp_path):
    with Scripted(tmp_path, {"hub": [[]]}, "--patience", "0.5") as adapter:
        assert "did not speak Hub (is its argument hub missing?): no wait" in (last := ended(adapter))
        assert last.endswith("it printed nothing")


def test_it_cannot_be_started(tmp_path):
    with Program("hub", "--engine", str(tmp_path / "nothing")) as adapter:
        assert adapter.rest() == [f"error internal cannot start {tmp_path / 'nothing'}: No such file or directory"]
        assert adapter.exit_code() == 1


def test_a_flood(tmp_path):
    script = PLAYS | {"go": [["flood"]], "stop": [["done move=31-27"]]}
    with Inner(tmp_path, script) as adapter:
        adapter.send("go infinite")
        adapter.until("info")
        adapter.ask()
        adapter.send("stop")
        said = adapter.until("bestmove")
        assert said[-1] == "bestmove 31-27"
        # Many more lines have come in than were passed on.
        assert len(adapter.all_lines) < 3000
        finish(adapter)


def test_a_flood_of_complaints(tmp_path):
    with Scripted(tmp_path, PLAYS | {"pos": [["error message=again"] * 2000]}) as adapter:
        adapter.send("debug on", "go depth 1")
        assert adapter.until("bestmove")[-1] == "bestmove 32-28 ponder 19-23"
        assert 0 < sum(line.startswith("info string") for line in adapter.all_lines) < 1000
        assert adapter.stderr_free()


def test_garbage_in_a_search(tmp_path):
    words = [
        "\u3000=1",
        "a\u00a0b c=d",
        'info pv="' + "32-28 " * 5000 + '"',
        "info pv=1x2x3x4 depth=1",
        "done\u3000",
        "x" * 100_000,
    ]
    with Inner(tmp_path, PLAYS | {"go": [[*words, "done move=32-28 ponder=x9"]]}) as adapter:
        adapter.send("debug on", "go depth 1")
        assert adapter.until("bestmove")[-1] == "bestmove 32-28"
        finish(adapter)


def test_garbage_before_wait(tmp_path):
    script = PLAYS | {"start": [["\x00\x01", "param", 'param name="', "x" * 100_000, "error"]]}
    with Inner(tmp_path, script) as adapter:
        adapter.send("go depth 1")
        assert adapter.until("bestmove")[-1] == "bestmove 32-28 ponder 19-23"
        finish(adapter)


# The end


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_termination_takes_the_engine_along(tmp_path, number):
    script = PLAYS | {"go": [["deaf", "info depth=1 nodes=1", "sleep"]]}
    with Scripted(tmp_path, script) as adapter:
        adapter.send("go infinite")
        adapter.until("info")
        children = adapter.children()
        assert children
        adapter.process.send_signal(number)
        assert adapter.exit_code() == 128 + number
        assert all(gone(pid) for pid in children)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_is_a_quit(tmp_path):
    with Scripted(tmp_path, PLAYS | {"stop": [["done move=31-27"]], "go": [["info depth=1 nodes=1"]]}) as adapter:
        adapter.send("go infinite")
        adapter.until("info")
        adapter.process.send_signal(signal.SIGINT)
        assert adapter.rest() == ["bestmove 31-27"]
        assert adapter.exit_code() == 0


def test_quit_with_an_engine_that_hangs(tmp_path):
    script = PLAYS | {"go": [["deaf", "info depth=1 nodes=1", "sleep"]]}
    with Scripted(tmp_path, script) as adapter:
        adapter.send("go infinite")
        adapter.until("info")
        children = adapter.children()
        adapter.send("quit")
        adapter.rest()
        assert adapter.exit_code() == 0
        assert all(gone(pid) for pid in children)
