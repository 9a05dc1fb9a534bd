"""UGI line by line: what is answered, in which order, and what happens when somebody misbehaves."""

from __future__ import annotations

import asyncio
import os
import re
import time

import pytest

from damd.client import AsyncEngine, EngineTerminated, EngineTimeout, Timeouts
from damd.client.testing import ScriptedPeer
from damd_adapters.game import Game
from damd_adapters.ugi.session import Session
from programs import Program, abandoned, gone, misbehaving


@pytest.fixture(scope="module")
def shared():
    with Program("ugi", "--option", "Hash=1") as running:
        yield running
        running.close_input()
        assert running.exit_code() == 0
        assert running.stderr() == ""


@pytest.fixture
def ugi(shared):
    shared.send("setoption name UCI_Variant value dam-haji", "setoption name MissedCapture value rule", "position startpos")
    shared.ask()
    return shared


def piped(text: str, *arguments: str) -> list[str]:
    """What is said to lines that come all at once, with the end of input behind them."""
    with Program("ugi", "--option", "Hash=1", *arguments) as program:
        program.send_bytes(text.encode())
        program.close_input()
        said = program.rest()
        assert program.exit_code() == 0
        assert program.stderr() == ""
        return said


def without_info(lines: list[str]) -> list[str]:
    return [line for line in lines if not re.match(r"info (?!string)", line)]


def test_the_handshake_declares_what_ugi_can_say(ugi):
    ugi.send("ugi")
    lines = ugi.until("ugiok")
    assert lines[0].startswith("id name damd")
    assert lines[1].startswith("id author")
    options = {line.split(" type ")[0].removeprefix("option name "): line for line in lines[2:-1]}
    assert {"UCI_Variant", "MissedCapture", "Hash", "Clear Hash", "Skill Level"} <= set(options)
    assert not {"DrawOffers", "Resign"} & set(options)
    assert "default dam-haji var brazilian var" in options["UCI_Variant"]
    assert options["Hash"].endswith("type spin default 16 min 1 max 1048576")
    assert options["Clear Hash"].endswith("type button")
    assert options["VariantPath"].endswith("type string default <empty>")


def test_every_response_and_bestmove_has_two_words(ugi):
    ugi.send(
        "query p1turn", "query gameover", "query result", "go depth 3", "position startpos moves 22-18 10-14", "go nodes 500"
    )
    lines = [line for line in [*ugi.until("bestmove"), *ugi.until("bestmove")] if line.startswith(("response", "bestmove"))]
    assert lines[:3] == ["response true", "response false", "response none"]
    assert all(len(line.split()) == 2 for line in lines)


@pytest.mark.parametrize(
    ("position", "over", "turn", "result"),
    [
        ("startpos", "false", "true", "none"),
        ("startpos moves 22-18", "false", "false", "none"),
        ("fen W:W5:B1", "true", "true", "p2win"),
        ("fen B:W32:B28", "true", "false", "p1win"),
        ("fen W:W22:B", "true", "true", "p1win"),
        ("fen B:W27:B22,1:P27", "false", "false", "none"),
        ("fen B:W27:B1,22:P27 moves x27", "true", "false", "p2win"),
        ("fen W:WK46:BK50:H50", "true", "true", "draw"),
    ],
)
def test_queries_are_answered_by_our_rules(ugi, position, over, turn, result):
    if "46" in position:
        ugi.send("setoption name UCI_Variant value international")
    ugi.send(f"position {position}", "query gameover", "query p1turn", "query result")
    assert ugi.ask() == [f"response {over}", f"response {turn}", f"response {result}"]


def test_options_go_through_and_decide_the_rules(ugi):
    ugi.send("setoption name MissedCapture value forbidden", "position fen B:W23,32:B19,1", "go depth 2 searchmoves 1-5")
    lines = without_info(ugi.until("bestmove"))
    assert any("1-5" in line and "error" in line for line in lines)  # a capture may not be missed now
    ugi.send("setoption name uci_variant value CHECKERS", "position startpos", "query p1turn")
    assert ugi.ask() == ["response false"]
    ugi.send(
        "setoption name FirstMover value white", "position startpos", "query p1turn", "setoption name FirstMover value rule"
    )
    assert ugi.ask() == ["response true"]
    ugi.send("setoption name Clear Hash", "setoption name Hash value 2")
    assert ugi.ask() == []


def test_a_folder_of_own_variants_is_known_on_both_sides(ugi, tmp_path):
    (tmp_path / "house.toml").write_text('base = "english"\nking.flying = true\nstart.first = "white"\n')
    ugi.send(f"setoption name VariantPath value {tmp_path}", "setoption name UCI_Variant value house", "query p1turn", "ugi")
    lines = ugi.until("ugiok")
    assert lines[0] == "response true"
    assert any(line.startswith("option name UCI_Variant") and line.endswith(" var house") for line in lines)
    ugi.send("go depth 2")
    assert ugi.until("bestmove")[-1] != "bestmove (none)"
    ugi.send("setoption name UCI_Variant value dam-haji", "setoption name VariantPath value <empty>")
    assert ugi.ask() == []


@pytest.mark.parametrize(
    ("line", "code", "token"),
    [
        ("uig", "unknown-command", "uig: no command of UGI, did you mean ugi?"),
        ("uci", "unknown-command", "uci"),
        ("position", "missing-argument", "startpos"),
        ("position start", "unknown-token", "start"),
        ("position fen W:W31,31:B1", "bad-fen", "31"),
        ("position startpos moves 22-18 99-1", "illegal-ply", "ply 2 99-1"),
        ("position fen W:WK22:B18,14,17 moves 22x9", "illegal-ply", "ply 1 22x9"),
        ("setoption name Nonsense value 1", "unknown-option", "Nonsense"),
        ("setoption name Resign value true", "unknown-option", "Resign: no such option"),
        ("setoption name Hash value many", "bad-value", "many"),
        ("setoption name UCI_Variant value chess", "bad-variant", "chess"),
        ("setoption value", "unknown-token", "value"),
        ("setoption", "missing-argument", "setoption name"),
        ("debug perhaps", "unknown-token", "perhaps"),
        ("query", "unknown-token", "gameover, p1turn, result"),
        ("query moves", "unknown-token", "moves"),
    ],
)
def test_a_bad_line_names_its_fault_and_changes_nothing(ugi, line, code, token):
    ugi.send("position startpos moves 22-18", line)
    lines = ugi.ask()
    errors = [said for said in lines if said.startswith("info string error ")]
    assert len(errors) == 1
    assert errors[0].startswith(f"info string error {code} ")
    assert "mean Resign" not in errors[0]  # an option that UGI cannot use is not offered
    assert token in errors[0]
    if line.startswith("query"):
        assert lines[0] == "response unknown"
    ugi.send("query p1turn")
    assert ugi.ask() == ["response false"]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("go p1time", "missing-argument p1time"),
        ("go p2time soon depth 1", "bad-value soon: p2time needs a whole number"),
        ("go depth 0", "out-of-range 0: depth"),
        ("go draw depth 1", "unknown-token draw"),
        ("go perft 3", "unknown-token perft"),
        ("go dept 3", "unknown-token dept: no keyword of go, did you mean depth?"),
        ("go movetime -5", "out-of-range -5"),
    ],
)
def test_a_bad_word_of_go_is_named_and_the_search_ends(ugi, line, fault):
    ugi.send(line)
    lines = ugi.until("bestmove")
    assert any(said.startswith(f"info string error {fault}") for said in lines)
    assert lines[-1] != "bestmove (none)"


def test_isready_and_query_are_answered_during_a_search_and_the_rest_is_refused_or_waits(ugi):
    ugi.send("go infinite", "isready", "query p1turn", "position startpos moves 22-18", "uginewgame")
    lines = []
    while sum("error searching" in line for line in lines) < 2:
        lines += ugi.until("info string error", "readyok", "response")
    assert [line for line in without_info(lines) if "error" not in line] == ["readyok", "response true"]
    ugi.send("stop")
    assert ugi.until("bestmove")[-1] != "bestmove (none)"
    ugi.send("go depth 9", "position startpos moves 22-18", "query p1turn")
    lines = ugi.until("response")
    assert lines[-2].startswith("bestmove")  # it waited
    assert lines[-1] == "response false"
    ugi.send("stop", "stop", "ponderhit")
    assert ugi.ask() == []


def test_stop_ends_the_searches_that_wait_too(ugi):
    ugi.send("go infinite")
    ugi.until("info depth 2")
    ugi.send("stop", "go infinite", "stop", "go ponder p1time 1000", "ponderhit", "go depth 1")
    lines = [line for _ in range(4) for line in ugi.until("bestmove") if line.startswith("bestmove")]
    assert "bestmove (none)" not in lines
    assert without_info(ugi.ask()) == []


def test_one_line_after_another_that_only_adds_plies_is_played_on(ugi):
    moves: list[str] = []
    for _ in range(6):
        ugi.send("position startpos" + (" moves " + " ".join(moves) if moves else ""), "go depth 2")
        moves.append(ugi.until("bestmove")[-1].split()[1])
    ugi.send(f"position startpos moves {' '.join(moves[:3])}", "query p1turn")
    assert ugi.ask() == ["response false"]
    ugi.send(
        f"position startpos moves {' '.join(moves)} nonsense", f"position startpos moves {' '.join(moves)}", "query p1turn"
    )
    assert ugi.ask()[-1] == "response true"


# The end of input


def test_a_piped_script_is_answered_in_full():
    said = without_info(piped("\ufeffugi\nposition startpos\ngo depth 5\nquery p1turn\nisready\ngo depth 2\n"))
    assert "ugiok" in said
    assert sum(line.startswith("bestmove ") for line in said) == 2
    assert "response true" in said
    assert "readyok" in said


def test_a_bounded_search_goes_on_to_its_end_after_the_input():
    said = piped("position startpos\ngo depth 11")
    assert any(line.startswith("info depth 11 ") and " score " in line for line in said)
    assert said[-1].startswith("bestmove ")


def test_an_unbounded_search_ends_with_the_input():
    said = without_info(piped("go depth 2\ngo infinite\nisready\nposition startpos"))
    assert [line.split()[0] for line in said if line != "readyok"] == ["bestmove", "info", "bestmove"]


def test_quit_during_a_search_answers_and_ends():
    with Program("ugi", "--option", "Hash=1") as program:
        program.send("go infinite")
        program.until("info depth 1")
        children = program.children()
        program.send("position startpos", "quit")
        assert program.rest()[-1].startswith("bestmove")
        assert program.exit_code() == 0
        assert all(gone(child) for child in children)


@pytest.mark.skipif(os.name != "posix", reason="no other system tells whether a pipe is read")
def test_a_long_search_ends_when_the_manager_has_gone():
    code, children, said_there = abandoned("ugi", "go movetime 100000000\n", b"info depth 1")
    assert code == 1
    assert children
    assert all(gone(child) for child in children)
    assert said_there == ""


def test_bytes_that_are_no_text_and_lines_without_end_are_survived():
    with Program("ugi", "--option", "Hash=1") as program:
        program.send_bytes(
            b"\xff\xfe\x00query\n\r\n   \n" + b"position startpos moves " + b"22-18 " * 400_000 + b"\nisready\r\n"
        )
        lines = [*program.until("readyok"), *program.ask()]
        assert {line.split()[3] for line in lines if line != "readyok"} == {"unknown-command", "too-long"}


# Engines that misbehave


def test_what_cannot_be_begun_is_told_both_ways_and_wrong_usage_on_stderr():
    for arguments, words, told in (
        (("--daemon", "no-such-program-anywhere"), "no-such-program-anywhere", True),
        (("--option", "UCI_Variant=chess"), "chess", True),
        (("--option", "Hash"), "NAME=VALUE", False),
    ):
        with Program("ugi", *arguments) as program:
            program.close_input()
            lines = program.rest()
            assert len(lines) == told
            assert all(line.startswith("info string error engine ") and words in line for line in lines)
            assert program.exit_code() in (1, 2)
            said = program.stderr()
            assert words in said
            assert "Traceback" not in said


@pytest.mark.parametrize(
    ("mode", "word"),
    [
        ("die", "ended with exit code 3"),
        ("die-by-signal", "ended"),
        ("die-in-handshake", "no such network file"),
        ("close-stdout", "ended"),
    ],
)
def test_an_engine_that_dies_ends_the_program_with_a_message(mode, word):
    with Program("ugi", "--daemon", misbehaving(mode)) as program:
        program.send("ugi", "position startpos", "go depth 3")
        lines = program.rest()
        said = program.stderr()
        assert program.exit_code() == 1
        assert said.startswith("damd-ugi: ")
        assert word in said
        assert "Traceback" not in said
        assert lines[-1].startswith("info string error engine ")
        assert word in lines[-1]


def test_an_illegal_ply_of_the_engine_is_not_passed_on():
    with Program("ugi", "--daemon", misbehaving("garbage")) as program:
        program.send("position startpos", "go depth 3")
        lines = program.until("bestmove")
        assert lines[-1] == "bestmove (none)"
        assert lines[-2].startswith("info string error illegal-ply the engine answered 1-2: ")


class _Fed:
    """Lines that are there from the beginning, as ``streams.Lines`` gives them."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    async def next(self) -> str | None:
        return self._lines.pop(0) if self._lines else None


def serve(peer: ScriptedPeer, *lines: str) -> list[str]:
    said: list[str] = []

    async def run() -> None:
        async with await AsyncEngine.connect(peer, timeouts=Timeouts(margin_s=0.2, stop_s=0.2, ready_s=0.2)) as engine:
            await Session(engine, Game.of(engine.options), said.append).run(_Fed(*lines))

    asyncio.run(run())
    return said


def test_a_silent_engine_is_given_up_in_a_stated_time():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.expect("go movetime 1")
    peer.always("stop")
    begun = time.monotonic()
    with pytest.raises(EngineTimeout, match="no answer to go within"):
        serve(peer, "go movetime 1")
    assert time.monotonic() - begun < 30


def test_an_engine_that_is_silent_to_isready_is_given_up():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always("isready", [])
    with pytest.raises(EngineTimeout, match="no answer to isready"):
        serve(peer, "isready")


def test_an_engine_that_resigns_or_has_no_ply_answers_none():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.expect("go depth 1", ["bestmove resign"])
    peer.expect("go depth 2", ["bestmove (none)"])
    peer.expect("go depth 3", ["info depth 1 score cp 1 pv 22-18", "bestmove 22-18 ponder 11-15 draw"])
    assert serve(peer, "go depth 1", "go depth 2", "go depth 3") == [
        "info string the engine resigns, which UGI cannot say",
        "bestmove (none)",
        "bestmove (none)",
        "info depth 1 score cp 1 pv 22-18",
        "bestmove 22-18",
    ]
    peer.assert_done()


def test_an_engine_that_dies_between_searches_is_noticed_at_the_next_word():
    peer = ScriptedPeer()
    peer.handshake()
    peer.expect("ucinewgame", lambda _: peer.die(1, "oh") or [])
    with pytest.raises(EngineTerminated):
        serve(peer, "uginewgame", "isready")


def test_limits_are_told_in_the_words_of_the_engine():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.expect("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 5 depth 3", ["bestmove 22-18"])
    peer.expect("go ponder wtime 5", [])
    peer.expect("stop", ["bestmove 22-18"])
    peer.expect("go depth 1", ["bestmove 22-18"])
    lines = ["go p1time 1000 p2time 2000 p1inc 10 p2inc 20 movestogo 5 depth 3", "go ponder wtime 5", "go flavour"]
    said = serve(peer, *lines[:2], "stop", lines[2])
    peer.assert_done()
    assert said.count("bestmove 22-18") == 3
