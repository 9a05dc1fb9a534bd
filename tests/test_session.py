"""The session and its desk, without threads and with a scripted engine: what is answered, and when."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damd.core.types import TooManyPlies
from damd.daemon.reception import Reception
from damd.engine import Info, Result, Score
from damd.limits import Current, Progress
from damd.notation.plies import format_ply
from damd.protocol.commands import COMMANDS, When
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import OPTIONS, Applies
from fakes import FAKE_MEMORY, Stage

INTERNATIONAL = "setoption name UCI_Variant value international"


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def international(stage: Stage) -> Stage:
    assert stage.send(INTERNATIONAL) == []
    return stage


def codes(lines: list[str]) -> list[str]:
    assert all(line.startswith("error ") for line in lines), lines
    return [line.split()[1] for line in lines]


# The handshake


def test_uci_says_all_and_may_come_twice(stage):
    first = stage.send("uci")
    assert first[0].startswith("id name damd ")
    assert first[-1] == "uciok"
    assert [line.split(" type ")[0] for line in first if line.startswith("option")] == [
        f"option name {option.name}" for option in OPTIONS
    ]
    core = next(line for line in first if line.startswith("info string core "))
    assert core.split()[3] in ("compiled", "interpreted")
    assert stage.send("uci") == first
    variant = next(line for line in first if "UCI_Variant" in line)
    assert "default dam-haji" in variant
    assert " var dam-daman " in variant


def test_the_rules_in_force_are_named(stage):
    assert "info string variant dam-haji, missed capture rule, first mover rule" in stage.send("uci")
    stage.send("setoption name MissedCapture value forbidden", "setoption name UCI_Variant value dama")
    assert "info string variant dam, missed capture forbidden, first mover rule" in stage.send("uci")


def test_the_handshake_needs_no_session():
    reception = Reception()
    assert reception.answer("uci").lines == Stage().send("uci")
    assert reception._session is None
    assert reception.answer("isready").lines == ["readyok"]
    assert reception.answer("uci").lines == Stage().send("uci")


def test_blank_lines_are_nothing(stage):
    assert stage.send("", "   ", "\t") == []


def test_the_first_word_decides(stage):
    assert codes(stage.send("joho uci")) == ["unknown-command"]
    assert stage.send("\tisready  ") == ["readyok"]


def test_debug_skips_what_it_does_not_know(stage):
    assert codes(stage.send("debug joho on")) == ["unknown-token"]
    assert stage.send("position startpos")[0].startswith("info string ")
    assert stage.send("debug off", "position startpos") == []
    assert codes(stage.send("debug")) == ["missing-argument"]


def test_words_after_the_end_are_skipped_with_an_error(stage):
    for command in ("isready", "fen", "moves", "result", "eval", "d"):
        lines = stage.send(f"{command} surplus words")
        assert codes(lines[:1]) == ["unknown-token"]
        assert lines[1:] == stage.send(command)
    assert stage.send("register later") == []


def test_help(stage):
    assert stage.send("help")[0].startswith("help uci: ")
    assert stage.send("help go")[1].startswith("  usage: go ")
    assert codes(stage.send("help goo")) == ["unknown-command"]


# Options


def test_options_reach_the_engine(stage):
    stage.send("setoption name MultiPV value 3", "setoption name move overhead value 7")
    stage.send("setoption name DrawOffers value true", "setoption name Resign value true", "setoption name Hash value 64")
    engine = stage.engine
    assert (engine.multipv, engine.move_overhead_ms, engine.draw_offers, engine.resign) == (3, 7, True, True)
    assert engine.calls[-1] == "hash 64"
    stage.send("setoption name Clear Hash")
    assert engine.calls[-1] == "clear"


def test_bad_options_change_nothing(stage):
    assert codes(stage.send("setoption name Debug Log File value")) == ["unknown-option"]
    assert codes(stage.send("setoption name X Y value a value b")) == ["unknown-option"]
    assert codes(stage.send("setoption name")) == ["missing-argument"]
    assert codes(stage.send("setoption name Hash value lots")) == ["bad-value"]
    assert codes(stage.send("setoption name UCI_Variant value dam-hajji")) == ["bad-value"]
    assert codes(stage.send("setoption name Squares value roman")) == ["bad-value"]
    assert stage.engine.calls == ["hash 16"]


def test_numbers_out_of_range_are_clamped_with_an_error(stage):
    assert codes(stage.send("setoption name MultiPV value 0")) == ["out-of-range"]
    assert stage.engine.multipv == 1
    assert codes(stage.send("setoption name Hash value -5")) == ["out-of-range"]
    assert stage.engine.calls[-1] == "hash 1"


def test_a_table_that_does_not_fit_is_an_error(stage):
    stage.send("setoption name Hash value 32")
    [line] = stage.send(f"setoption name Hash value {FAKE_MEMORY + 1}")
    assert line.startswith("error no-memory ")
    assert "32 MiB stays" in line
    assert stage.engine.calls[-1] == "hash 32"


def test_an_option_that_changes_the_rules_resets_to_the_start_position():
    values = {"UCI_Variant": "dam", "MissedCapture": "forbidden", "FirstMover": "black"}
    assert set(values) == {option.name for option in OPTIONS if option.applies is Applies.RULES}
    for name, value in values.items():
        stage = Stage()
        stage.send("position startpos moves 22-17", "gameover draw agreement")
        moved = stage.send("fen")
        assert stage.send(f"setoption name {name} value {value}") == []
        assert stage.send("fen") != moved
        assert stage.send("fen full")[0].endswith(":H0:F1")
        assert stage.send("result") == ["result ongoing"]


def test_an_option_that_changes_no_rules_leaves_the_position(stage):
    stage.send("position startpos moves 22-17")
    moved = stage.send("fen")
    stage.send(
        "setoption name UCI_Variant value Dam-Haji", "setoption name FirstMover value white", "setoption name Hash value 2"
    )
    assert stage.send("fen") == moved


def test_the_first_mover_is_a_matter_of_agreement(stage):
    stage.send("setoption name FirstMover value black")
    assert stage.send("fen")[0].startswith("fen B:")
    assert stage.send("position startpos moves 10-14", "fen")[0].startswith("fen W:")
    stage.send("setoption name FirstMover value rule")
    assert stage.send("fen")[0].startswith("fen W:")


def test_missed_capture_forbidden(stage):
    line = "position fen W:W22:B18,5"
    stage.send(line)
    assert stage.send("moves") == ["moves 22-17 22x15"]
    stage.send("setoption name MissedCapture value forbidden", line)
    assert stage.send("moves") == ["moves 22x15"]
    assert codes(stage.send("position fen W:W22:B18,5:P18")) == ["bad-fen"]


def test_aliases_name_variants(stage):
    assert stage.send("setoption name UCI_Variant value dama") == []
    assert stage.engine.calls[-1] == "rules dam"


def test_squares_are_written_as_the_option_says(stage):
    assert stage.send("position startpos moves 22-17", "setoption name Squares value algebraic") == []
    assert stage.send("fen")[0].startswith("fen B:Wb4,a3,e3,")
    assert "b6-a5" in stage.send("moves")[0].split()
    assert "9-13" in Stage().send("position startpos moves a3-b4", "moves")[0].split()


def test_a_folder_of_own_variants(stage, tmp_path):
    (tmp_path / "house.toml").write_text(
        'base = "dam-haji"\n[names]\nname = "house"\ntitle = "House"\n[penalty]\ntake = 0\n'
    )
    assert stage.send(f"setoption name VariantPath value {tmp_path}") == []
    variant = next(line for line in stage.send("uci") if "UCI_Variant" in line)
    assert "var house" in variant
    assert stage.send("setoption name UCI_Variant value house") == []
    assert stage.engine.calls[-1] == "rules house"
    assert codes(stage.send("setoption name VariantPath value /no/such/folder")) == ["bad-value"]
    (tmp_path / "broken.toml").write_text("[king]\nflies = 3\n")
    assert codes(stage.send("setoption name UCI_Variant value broken")) == ["bad-variant"]
    assert stage.send("fen")[0].startswith("fen W:")


def test_a_folder_from_the_command_line(tmp_path):
    (tmp_path / "house.toml").write_text('base = "dam-haji"\n[names]\nname = "house"\ntitle = "House"\n')
    stage = Stage(variant_path=str(tmp_path))
    lines = stage.send("uci")
    assert any(line.startswith("option name UCI_Variant") and "var house" in line for line in lines)
    assert f"option name VariantPath type string default {tmp_path}" in lines
    with pytest.raises(ProtocolError):
        Stage(variant_path=str(Path(tmp_path) / "absent"))


# The position


def test_position_and_fen(international):
    assert international.send("position fen W:W27,28:B1,K50 moves", "fen") == ["fen W:W27,28:B1,K50"]
    assert international.send("position startpos moves 32-28 19-23 28x19", "fen full")[0].startswith("fen B:W19,31,")
    assert international.send("fen full")[0].endswith(":H0:F2")


def test_an_illegal_ply_is_named_and_the_old_position_stays(international):
    international.send("position startpos moves 32-28")
    before = international.send("fen full")
    [line] = international.send("position startpos moves 32-28 19-23 19-23 28x19")
    assert line.startswith("error illegal-ply ply 3 19-23: ")
    assert international.send("fen full") == before
    # What was set up again goes on as before.
    assert international.send("position startpos moves 32-28 19-23 28x19", "fen")[0].startswith("fen B:W19,")


def test_bad_positions_change_nothing(international):
    before = international.send("fen full")
    for text in ("W:W31,31:B31", "W:W1,K2:B50,B51", "W:W31:B20garbage", "?:W29:B22", "W:W1:B50", "W:W31:B20:P20", "rubbish"):
        [line] = international.send(f"position fen {text}")
        assert line.startswith("error bad-fen "), text
    assert codes(international.send("position", "position fen", "position startpos 32-28")) == ["missing-argument"] * 2 + [
        "unknown-token"
    ]
    assert international.send("fen full") == before


def test_an_ambiguous_ply_lists_the_paths(international):
    [line] = international.send("position fen W:WK4:B13,20,32,37 moves 4x15")
    assert line.startswith("error ambiguous-ply ply 1 4x15: ")
    assert "4x27x38x15" in line
    assert "4x31x42x15" in line


def test_only_new_plies_are_played(international, monkeypatch):
    plies = ["32-28", "19-23", "28x19", "14x23", "37-32", "23-28", "32x23", "18x29"]
    played = []
    cls = type(international.engine.position)
    original = cls.play
    monkeypatch.setattr(cls, "play", lambda self, ply: (played.append(ply), original(self, ply))[1])
    for count in range(len(plies) + 1):
        assert international.send(" ".join(["position startpos moves", *plies[:count]])) == []
    assert len(played) == len(plies)
    assert international.send("position startpos moves 32-28", "fen full")[0].endswith("H0:F1")
    assert len(played) == len(plies) + 1


def test_a_repetition_is_counted_through_extended_positions(international):
    shuffle = ["1-6", "50-45", "6-1", "45-50"] * 2
    for count in range(len(shuffle) + 1):
        international.send(" ".join(["position fen W:WK1,31:BK50,20 moves", *shuffle[:count]]))
    assert international.send("result") == ["result draw repetition"]
    assert "repetitions 3" in international.send("d")[-1]
    assert international.send("moves")[0] != "moves"


def test_too_many_plies_are_refused(stage, monkeypatch):
    cls = type(stage.engine.position)
    before = stage.send("fen full")

    def explode(_self):
        raise TooManyPlies("more than the bound")

    with monkeypatch.context() as patch:
        patch.setattr(cls, "plies", explode)
        patch.setattr(cls, "count", explode)
        assert codes(stage.send("position fen W:WK1:B20")) == ["too-many-plies"]
        assert codes(stage.send("moves")) == ["too-many-plies"]
    assert stage.send("fen full") == before


def test_d_shows_everything(stage):
    stage.send("position fen B:W22:B18,5:P22:H3:F9", "setoption name Squares value numeric")
    lines = stage.send("d")
    drawing = [line for line in lines if line.startswith("  ")]
    rest = lines[len(drawing) :]
    assert len(drawing) > 8
    assert [line.split()[0] for line in rest] == ["variant", "fen", "key", "side", "right", "clock", "counters"]
    assert rest[0] == "variant dam-haji missed-capture rule"
    assert rest[1] == "fen B:W22:B5,18:P22"
    assert rest[3:5] == ["side black", "right 22"]
    assert rest[5:] == ["clock move-limit plies 3 left 47", "counters halfmoves 3 fullmoves 9 repetitions 1"]
    assert len(rest[2].split()[1]) == 16
    assert "right none" in Stage().send("d")


def test_result_and_gameover(stage):
    assert stage.send("result") == ["result ongoing"]
    stage.send("gameover white resignation")
    assert stage.send("result") == ["result white resignation"]
    assert stage.send("ucinewgame", "result") == ["result white resignation"]
    assert stage.send("position startpos moves", "result") == ["result ongoing"]
    assert codes(stage.send("gameover")) == ["missing-argument"]
    assert codes(stage.send("gameover nobody agreement")) == ["bad-value"]
    assert codes(stage.send("gameover white agreement")) == ["bad-value"]
    assert codes(stage.send("gameover draw no-moves")) == ["bad-value"]
    assert stage.send("position fen W:W22:B", "result") == ["result white no-pieces"]
    assert stage.send("moves") == ["moves"]
    assert stage.send("position fen W:W5:B1", "result", "moves") == ["result black no-moves", "moves"]


def test_eval_bench_perft(stage):
    assert stage.send("eval") == ["eval cp -7"]
    assert codes(stage.send("bench 0")) == ["out-of-range"]
    [first] = stage.finish()
    assert first.startswith("bench nodes ")
    stage.send("setoption name Hash value 1", "bench 1")
    assert stage.finish()[0].split()[:3] == first.split()[:3]
    stage.send("bench 99", "stop")
    assert codes(stage.finish()) == ["stopped"]
    assert stage.send("perft 2") == []
    lines = stage.finish()
    assert len(lines) == 8
    assert all(line.endswith(": 7") for line in lines[:7])
    assert lines[-1] == "total 49"
    assert stage.send("go perft 0") == []
    assert stage.finish() == ["total 1"]
    assert codes(stage.send("perft", "perft x")) == ["missing-argument", "bad-value"]


def test_perft_leaves_the_position_alone(stage):
    stage.send("position startpos moves 22-17", "perft 3")
    assert stage.send("stop") == []
    assert codes(stage.finish()) == ["stopped"]
    assert stage.send("fen full")[0].startswith("fen B:W17,")


# go


def test_go_passes_its_limits(stage):
    stage.send("go depth 3 nodes 100 mate 2 movetime 50 wtime 1000 btime -2000 winc 10 binc 20 movestogo 5 ponder draw")
    stage.send("ponderhit")
    stage.finish()
    limits = stage.engine.limits[-1]
    assert (limits.depth, limits.nodes, limits.mate, limits.movetime_ms) == (3, 100, 2, 50)
    assert (limits.time_ms, limits.increment_ms, limits.moves_to_go) == ((1000, 0), (10, 20), 5)
    assert limits.draw_offered
    assert not limits.infinite
    assert not limits.ponder


def test_one_clock_stands_for_both(stage):
    stage.send("go wtime 500 movestogo 0")
    stage.finish()
    assert stage.engine.limits[-1].time_ms == (500, 500)
    assert stage.engine.limits[-1].moves_to_go is None


@pytest.mark.parametrize(
    "text", ["go depth x", "go dpeth 5", "go movetime nan", "go searchmoves 1-50", "go perft x", "go winc 5 nodes"]
)
def test_a_go_that_loses_all_its_limits_searches_depth_1(stage, text):
    assert set(codes(stage.send(text))) <= {"bad-value", "unknown-token", "illegal-ply", "missing-argument"}
    assert stage.finish()[-1].startswith("bestmove ")
    assert stage.engine.limits[-1].depth == 1
    assert not stage.engine.limits[-1].infinite


def test_an_infinite_go_with_a_slip_stays_infinite(stage):
    stage.send("go infinite dpeth 5")
    assert codes(stage.send("fen")) == ["searching"]


def test_searchmoves(stage):
    assert codes(stage.send("go depth 3 searchmoves 22-18 1-5 22-18 c3-b4")) == ["illegal-ply"]
    stage.finish()
    assert len(stage.engine.limits[-1].root_plies) == 2


def test_progress_of_a_long_search(stage):
    ply = stage.engine.position.plies()[1]
    stage.engine.progress = [Progress(5000, 1002, 4990, 3), Current(9, ply, 2)]
    stage.send("setoption name Squares value algebraic", "go depth 1")
    assert stage.finish()[:2] == [
        "info nodes 5000 nps 4990 hashfull 3 time 1002",
        f"info depth 9 currmove {format_ply(ply, stage.engine.position.board, 'algebraic')} currmovenumber 2",
    ]


def test_info_and_bestmove(stage):
    stage.send("go depth 1")
    assert stage.finish() == [
        "info depth 1 seldepth 2 multipv 1 score cp 13 nodes 40 nps 40000 hashfull 0 time 1 pv 22-17",
        "bestmove 22-17",
    ]
    first, second = stage.engine.position.plies()[:2]
    stage.engine.result = Result(first, second, offers_draw=True, resigns=False)
    stage.send("go depth 1")
    assert stage.finish()[-1].split()[::2] == ["bestmove", "ponder", "draw"]
    stage.engine.result = Result(first, None, offers_draw=False, resigns=True)
    stage.send("go depth 1")
    assert stage.finish()[-1] == "bestmove resign"


def test_a_bound_is_marked(stage):
    stage.engine.during = None
    ply = stage.engine.position.plies()[0]
    original = stage.engine.search

    def search(limits, on_info):
        on_info(Info(3, 4, 2, Score("mate", -2, "upperbound"), 5, 6, 7, 8, (ply,)))
        return original(limits, on_info)

    stage.engine.search = search
    stage.send("go depth 1")
    assert " multipv 2 score mate -2 upperbound nodes 5 nps 7 hashfull 8 time 6 pv " in stage.finish()[0]


def test_no_legal_ply(stage):
    stage.send("position fen W:W5:B1", "go depth 5")
    assert stage.finish() == ["bestmove (none)"]


# The order of answers


def test_the_state_table():
    """Every command in every state, against its ``when``."""
    samples = {
        "setoption": "setoption name Hash value 2",
        "position": "position startpos",
        "go": "go depth 1",
        "perft": "perft 1",
        "gameover": "gameover draw agreement",
        "debug": "debug off",
    }
    for command in COMMANDS:
        if command.name == "quit":
            continue
        line = samples.get(command.name, command.name)
        bounded, unbounded = Stage(), Stage()
        bounded.send("go depth 3")
        unbounded.send("go infinite")
        said, refused = bounded.send(line), unbounded.send(line)
        if command.when is When.BETWEEN:
            assert said == []
            assert refused == [f"error searching {command.name}: not during a search without end, send stop first"]
        else:
            assert said == refused == Stage().send(line)
            assert said == (["readyok"] if command.when is When.READY else [])


def test_lines_wait_behind_a_bounded_search_in_order(stage):
    assert stage.send("go depth 3", "fen", "nonsense", "position startpos moves 22-17", "fen", "isready") == []
    lines = stage.finish()
    assert [line.split()[0] for line in lines] == ["info", "bestmove", "fen", "error", "fen", "readyok"]
    assert lines[2] != lines[4]


def test_isready_overtakes_a_search_but_no_waiting_line(stage):
    stage.send("go depth 3")
    assert stage.send("isready") == ["readyok"]
    assert stage.send("fen", "isready", "debug off") == []
    assert [line.split()[0] for line in stage.finish()] == ["info", "bestmove", "fen", "readyok"]


def test_a_second_go_waits_for_the_first(stage):
    stage.send("go depth 4", "go depth 4")
    first = stage.finish()
    assert stage.finish() == first
    assert [limits.depth for limits in stage.engine.limits] == [4, 4]


def test_an_unreadable_line_waits_like_others(stage):
    error = ProtocolError(Code.TOO_LONG, "x...", "too long")
    assert stage.send(error) == [error.line()]
    stage.send("go depth 3")
    assert stage.send(error, "fen") == []
    assert [line.split()[0] for line in stage.finish()] == ["info", "bestmove", "error", "fen"]
    stage.send("go infinite")
    assert stage.send(error) == [error.line()]


def test_stop_ends_an_unbounded_search_which_then_counts_as_bounded(stage):
    stage.send("go infinite")
    assert codes(stage.send("fen")) == ["searching"]
    assert stage.send("stop", "fen") == []
    assert [line.split()[0] for line in stage.finish()] == ["info", "bestmove", "fen"]
    assert stage.engine.limits[-1].infinite is False


def test_stop_reaches_a_search_that_has_begun(stage):
    stage.engine.during = lambda: stage.desk.line("stop")
    stage.send("go infinite")
    stage.finish()
    assert stage.engine.stopped


def test_a_stop_that_comes_too_late_does_not_end_the_next_search(stage):
    stage.send("go infinite", "stop")
    stage.finish()
    stage.send("stop", "stop", "go infinite")
    stage.engine.during = lambda: check.append(stage.engine.stopped)
    check: list[bool] = []
    stage.finish()
    assert check == [False]
    assert stage.engine.limits[-1].infinite


def test_stop_ends_every_go_that_waits(stage):
    stage.send("go depth 9", "go depth 9", "fen", "go infinite", "go perft 5", "stop", "go depth 7")
    lines = stage.finish_all()
    assert [line.split()[0] for line in lines] == ["info", "bestmove"] * 2 + ["fen"] + ["info", "bestmove", "error"] + [
        "info",
        "bestmove",
    ]
    assert [limits.depth for limits in stage.engine.limits] == [1, 1, 1, 7]


def test_stop_and_ponderhit_alone_are_silent(stage):
    assert stage.send("stop", "ponderhit", "stop") == []
    assert stage.running is None


def test_a_waiting_unbounded_go_refuses_what_waits_behind_it(stage):
    stage.send("go depth 3", "go infinite", "fen", "isready", "foo")
    lines = stage.finish()
    assert [line.split()[0:2] for line in lines[2:]] == [["error", "searching"], ["readyok"], ["error", "unknown-command"]]


def test_ponderhit_makes_a_search_bounded(stage):
    stage.send("go ponder depth 5")
    assert codes(stage.send("fen")) == ["searching"]
    assert stage.send("ponderhit", "fen") == []
    assert [line.split()[0] for line in stage.finish()] == ["info", "bestmove", "fen"]
    assert stage.engine.limits[-1].ponder is False


def test_ponderhit_reaches_a_search_that_has_begun(stage):
    stage.engine.during = lambda: stage.desk.line("ponderhit")
    stage.send("go ponder depth 5")
    stage.finish()
    assert stage.engine.hit
    assert stage.engine.limits[-1].ponder


def test_ponderhit_finds_the_go_that_waits(stage):
    stage.send("go depth 5", "go ponder depth 6", "ponderhit")
    stage.finish()
    assert stage.send("fen") == []  # the second search counts as bounded
    assert stage.finish()[-1].startswith("fen ")
    assert stage.engine.limits[-1].ponder is False


def test_ponder_without_limits_is_a_search_without_end_after_ponderhit(stage):
    stage.send("go ponder", "ponderhit")
    assert codes(stage.send("fen")) == ["searching"]
    stage.send("stop")
    assert stage.finish()[-1].startswith("bestmove ")


def test_quit_drops_what_waits_and_lets_the_search_answer(stage):
    stage.send("go depth 9", "fen", "go depth 9", "quit")
    assert stage.desk.exit_code is None
    assert [line.split()[0] for line in stage.finish()] == ["info", "bestmove"]
    assert stage.desk.exit_code == 0
    assert stage.send("isready", "uci") == []


def test_quit_without_a_search(stage):
    stage.send("fen", "quit")
    assert stage.desk.exit_code == 0


def test_the_end_of_input_lets_bounded_searches_finish(stage):
    stage.send("go depth 3", "fen", "go depth 4")
    stage.desk.end_of_input()
    assert stage.desk.exit_code is None
    assert [line.split()[0] for line in stage.finish_all()] == ["info", "bestmove", "fen", "info", "bestmove"]
    assert [limits.depth for limits in stage.engine.limits] == [3, 4]
    assert stage.desk.exit_code == 0


@pytest.mark.parametrize("go", ["go infinite", "go", "go ponder depth 5"])
def test_the_end_of_input_stops_unbounded_searches(stage, go):
    stage.send(go)
    stage.desk.end_of_input()
    assert stage.finish()[-1].startswith("bestmove ")
    assert stage.desk.exit_code == 0
    waiting = Stage()
    waiting.send("go depth 3", go)
    waiting.desk.end_of_input()
    assert [line.split()[0] for line in waiting.finish_all()] == ["info", "bestmove"] * 2
    assert [limits.depth for limits in waiting.engine.limits] == [3, 1]
    assert waiting.desk.exit_code == 0


def test_the_end_of_input_alone(stage):
    stage.desk.end_of_input()
    assert stage.desk.exit_code == 0


def test_strict_ends_at_the_first_error():
    stage = Stage(strict=True)
    assert codes(stage.send("isready", "nonsense", "isready")[1:]) == ["unknown-command"]
    assert stage.desk.exit_code == 1
    for lines in (["go dpeth 4"], ["go infinite", "fen"], ["perft 3", "stop"], ["go depth 3", "position fen x", "fen"]):
        stage = Stage(strict=True)
        said = stage.send(*lines) + stage.finish_all()
        assert [line for line in said if line.startswith("error ")] == said[-1:] or said[-1].startswith("bestmove ")
        assert stage.desk.exit_code == 1
        assert not any(line.startswith("fen ") for line in said)


LINES = st.sampled_from(
    [
        "go depth 2",
        "go infinite",
        "go ponder depth 3",
        "go dpeth 1",
        "perft 1",
        "stop",
        "ponderhit",
        "isready",
        "fen",
        "nonsense",
        "uci",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(LINES, st.just("FINISH")), max_size=30))
def test_every_line_has_its_answer_whatever_the_order(lines):
    stage = Stage()
    said: list[str] = []
    for line in lines:
        if line != "FINISH":
            said += stage.send(line)
        elif stage.running is not None and stage.running.bounded:
            said += stage.finish()
    stage.desk.end_of_input()
    said += stage.finish_all()
    assert stage.desk.exit_code == 0
    refused = [line for line in said if line.startswith("error searching ")]
    for command, answer in (
        ("go", "bestmove "),
        ("isready", "readyok"),
        ("fen", "fen "),
        ("uci", "uciok"),
        ("nonsense", "error unknown-command "),
    ):
        asked = sum(line.split()[0] == command for line in lines)
        answered = sum(line.startswith(answer) for line in said)
        assert asked == answered + sum(line.startswith(f"error searching {command}:") for line in refused)


def test_a_folder_that_no_system_can_name_is_a_bad_value(stage):
    assert codes(stage.send("setoption name VariantPath value a\0b")) == ["bad-value"]


def test_words_after_what_is_obeyed_at_once_are_told(stage):
    for line in ("stop now", "ponderhit 3", "debug on off", "quit now"):
        assert codes(stage.send(line)) == ["unknown-token"], line
