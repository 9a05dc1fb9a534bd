"""The real daemon in a process of its own: over pipes and on a terminal, at its start, in the middle and at its end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from needs import compiled_core
from talking import PATIENCE_S, ROOT, Daemon, converse

INTERNATIONAL = "setoption name UCI_Variant value international"
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals, descriptors or terminals of POSIX")


@pytest.fixture
def daemon():
    with Daemon() as running:
        yield running


def count(lines: list[str], start: str) -> int:
    return sum(line.startswith(start) for line in lines)


def bestmoves(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in lines if line.startswith("bestmove ")]


# Real failures of programs like this one (rows U of the cases)


def test_u03_an_infinite_search_with_nothing_left_to_do_waits_for_stop(daemon):
    daemon.send(INTERNATIONAL, "position fen W:WK1:BK50", "go infinite")
    daemon.silent(3.0)
    daemon.send("stop")
    assert daemon.until("bestmove")[-1] != "bestmove (none)"
    assert daemon.ask() == []


@pytest.mark.parametrize("go", ["go infinite", "go ponder", "go", "go ponder depth 2"])
def test_a_finished_game_waits_for_stop_too(daemon, go):
    daemon.send("position fen W:W5:B1", go)
    daemon.silent(0.3)
    daemon.send("stop")
    assert daemon.until("bestmove") == ["bestmove (none)"]


def test_u04_the_end_of_input_lets_a_bounded_search_finish():
    with Daemon() as daemon:
        daemon.send("position startpos", "go depth 6")
        daemon.close_input()
        assert count(daemon.rest(), "bestmove ") == 1
        assert daemon.exit_code() == 0


def test_u04b_the_end_of_input_stops_an_unbounded_search():
    with Daemon() as daemon:
        daemon.send("position startpos", "go infinite")
        daemon.until("info ")
        daemon.close_input()
        begun = time.monotonic()
        assert count(daemon.rest(), "bestmove ") == 1
        assert daemon.exit_code() == 0
        assert time.monotonic() - begun < 2


def test_the_end_of_input_answers_every_line_that_waits():
    lines = converse("go depth 4", "fen", "perft 3", "nonsense", "go infinite", "go depth 2", "isready")
    words = [line.split()[0] for line in lines if not line.startswith("info") and ": " not in line]
    assert words == ["bestmove", "fen", "total", "error", "readyok", "bestmove"] or words == [
        "bestmove",
        "fen",
        "total",
        "readyok",
        "bestmove",
    ]
    assert count(lines, "error searching go:") == 1


def test_the_last_line_needs_no_end():
    with Daemon() as daemon:
        daemon.send_bytes(b"isready\nfen")
        daemon.close_input()
        assert [line.split()[0] for line in daemon.rest()] == ["readyok", "fen"]


@pytest.mark.parametrize(
    "go", ["go movetime 0", "go movetime -1", "go wtime 0 btime 0", "go wtime -500 btime -500", "go movetime 1"]
)
def test_u05_no_time_is_little_time(daemon, go):
    daemon.ask("position startpos")
    begun = time.monotonic()
    daemon.send(go)
    assert count(daemon.until("bestmove"), "info depth 1 ") == 1
    assert time.monotonic() - begun < 1


def test_u08_an_illegal_ply_is_named(daemon):
    daemon.send(INTERNATIONAL, "position startpos moves 32-28 19-23 19-23 28x19", "go movetime 100")
    lines = daemon.until("bestmove")
    assert lines[0].startswith("error illegal-ply ply 3 19-23: ")
    assert bestmoves(lines)[0] in daemon.ask("position startpos", "moves")[0].split()


def test_u09_a_bad_position_is_an_error_and_the_old_one_is_searched(daemon):
    daemon.send(INTERNATIONAL, "position fen W:W1,K2:B50,B51", "go depth 3")
    lines = daemon.until("bestmove")
    assert lines[0].startswith("error bad-fen ")
    assert re.fullmatch(r"bestmove \d+-\d+ ponder \d+-\d+", lines[-1])


def test_u11_options_in_any_shape(daemon):
    lines = daemon.ask(
        "setoption name hASH value 16",
        "setoption name Clear Hash",
        "setoption name Debug Log File value",
        "setoption name X Y value a value b",
        "setoption name",
    )
    assert [line.split()[1] for line in lines] == ["unknown-option", "unknown-option", "missing-argument"]


def test_u12_unknown_and_blank_lines(daemon):
    lines = daemon.ask("joho uci", "debug joho on", "", "   ", "\tisready")
    assert [line.split()[0] for line in lines] == ["error", "error"]


def test_u15_bytes_that_are_not_utf_8(daemon):
    daemon.send_bytes(
        "setoption name Book value C:\\données\\été\n".encode("latin-1") + b"isready\n\xff\xfe\n\x80\nisready\n"
    )
    assert [line.split()[:2] for line in daemon.until("readyok")] == [["error", "bad-encoding"], ["readyok"]]
    assert [line.split()[:2] for line in daemon.until("readyok")] == [["error", "bad-encoding"]] * 2 + [["readyok"]]


def test_u16_a_root_without_plies(daemon):
    daemon.send(INTERNATIONAL, "position fen W:W6:B1", "go depth 5", "isready")
    assert set(
        daemon.until("readyok") + (daemon.until("bestmove") if "bestmove (none)" not in daemon.all_lines else [])
    ) == {
        "bestmove (none)",
        "readyok",
    }


def test_u17_there_is_an_info_with_a_ply_before_every_bestmove(daemon):
    for go in ("go nodes 1", "go depth 1", "go movetime 0"):
        daemon.send("position startpos", go)
        lines = daemon.until("bestmove")
        assert re.search(r" score cp -?\d+ .* pv \d+-\d+", lines[0])


def test_u19_ponder_is_left_out_where_the_game_would_be_over(daemon):
    daemon.send("setoption name UCI_Variant value dam", "position fen W:W22:B18", "go depth 3")
    assert len(daemon.until("bestmove")[-1].split()) == 2
    daemon.send("position fen B:WK1:B", "go ponder")
    daemon.silent(0.2)
    daemon.send("ponderhit", "stop")
    assert daemon.until("bestmove")[-1] == "bestmove (none)"


def test_u20_a_stale_stop_does_not_end_the_next_search(daemon):
    daemon.send("position startpos", "go infinite", "stop", "go infinite")
    daemon.until("bestmove")
    daemon.silent(1.0)
    daemon.send("stop")
    assert count(daemon.until("bestmove"), "bestmove") == 1
    daemon.send("stop", "stop", "go infinite")
    daemon.silent(0.3)
    daemon.send("stop")
    daemon.until("bestmove")


def test_u22_the_engine_does_not_play_its_own_ply(daemon):
    daemon.send("position startpos", "go depth 4", "go depth 4", "fen")
    lines = daemon.until("fen ")
    assert count(lines, "bestmove ") == 2
    assert lines[-1].startswith("fen W:W21,22,")


def test_u23_output_comes_at_once(daemon):
    daemon.send("uci")
    daemon.until("uciok")
    begun = time.monotonic()
    daemon.send("uci")
    daemon.until("uciok")
    assert time.monotonic() - begun < 1


def test_u25_quit_during_a_search(daemon):
    daemon.send("go infinite")
    daemon.until("info ")
    begun = time.monotonic()
    daemon.send("quit")
    assert count(daemon.rest(), "bestmove ") == 1
    assert daemon.exit_code() == 0
    assert time.monotonic() - begun < 2
    assert daemon.stderr() == ""


def test_u26_uci_twice(daemon):
    assert count(daemon.ask("uci", "uci"), "uciok") == 2


def test_u29_searchmoves(daemon):
    daemon.send(INTERNATIONAL, "go depth 3 searchmoves 32-28 31-27")
    lines = daemon.until("bestmove")
    assert bestmoves(lines)[0] in ("32-28", "31-27")
    assert all(line.startswith(("info ", "bestmove ")) for line in lines)
    daemon.send("go searchmoves 31-26 depth 2")
    assert bestmoves(daemon.until("bestmove")) == ["31-26"]


def test_u30_limits_out_of_range(daemon):
    for go in ("go depth 0", "go nodes 0", "go movetime nan"):
        daemon.send(go)
        lines = daemon.until("bestmove")
        assert lines[0].startswith("error ")
    daemon.send("go depth 999999999999")
    assert daemon.until("error ")[-1].startswith("error out-of-range ")
    daemon.send("stop")
    daemon.until("bestmove")
    assert daemon.ask() == []


def test_u31_a_ponder_ply_is_legal_after_the_bestmove(daemon):
    daemon.send("setoption name UCI_Variant value dam")
    for fen in ("W:W12,22:B8,17", "W:WK29:B3,7", "B:W9,10:BK32", "W:WK1,5:BK32"):
        daemon.send(f"position fen {fen}", "go depth 2")
        words = daemon.until("bestmove")[-1].split()
        if "ponder" in words:
            assert daemon.ask(f"position fen {fen} moves {words[1]} {words[3]}") == []


# Draws (rows D13-D16 of the cases)


def test_d13_a_loss_goes_before_the_clock(daemon):
    assert daemon.ask(INTERNATIONAL, "position fen W:W6:B1:H50:F30", "result") == ["result black no-moves"]
    assert daemon.ask("position fen W:WK6:BK1:H50:F30", "result") == ["result draw material sixteen-moves"]


def test_d14_the_root_is_always_searched(daemon):
    shuffle = "1-6 50-45 6-1 45-50"
    for times in (1, 2, 3):
        daemon.send(INTERNATIONAL, f"position fen W:WK1,31:BK50,20 moves {' '.join([shuffle] * times)}", "go depth 3")
        best = bestmoves(daemon.until("bestmove"))[0]
        assert best in daemon.ask("moves")[0].split()
    assert daemon.ask("result") == ["result draw repetition"]


def test_d15_the_engine_knows_the_game_and_avoids_a_third_repetition_when_winning(daemon):
    # Three kings against one: to move 32-27 would occur for the third time, whatever else is as good.
    fen = "W:WK32,K31,K30:BK1"
    daemon.send("setoption name UCI_Variant value english", f"position fen {fen}", "go depth 6")
    first = bestmoves(daemon.until("bestmove"))[0]
    origin, end = first.split("-")
    back = f"{end}-{origin}"
    replies = daemon.ask(f"position fen {fen} moves {first}", "moves")[0].split()[1:]
    away = next(ply for ply in replies if "-" in ply)
    home = "-".join(reversed(away.split("-")))
    moves = f"{first} {away} {back} {home} {first} {away} {back} {home}"
    daemon.send(f"position fen {fen} moves {moves}", "go depth 6")
    best = bestmoves(daemon.until("bestmove"))[0]
    after = daemon.ask(f"position fen {fen} moves {moves} {best}", "result")
    assert after == ["result ongoing"], f"{best} after {moves}"


def test_d16_two_engines_that_shuffle_are_told_that_it_is_a_draw(daemon):
    moves: list[str] = []
    shuffle = ["1-6", "50-45", "6-1", "45-50"]
    daemon.send(INTERNATIONAL)
    while daemon.ask(f"position fen W:WK1,31:BK50,20 moves {' '.join(moves)}", "result") == ["result ongoing"]:
        moves.append(shuffle[len(moves) % 4])
        assert len(moves) < 20
    assert daemon.ask("result") == ["result draw repetition"]
    assert len(moves) == 8


# Order


def test_lines_wait_in_order_and_isready_overtakes_only_the_search(daemon):
    daemon.send("go movetime 400", "isready", "fen", "isready", "moves")
    assert [line.split()[0] for line in daemon.until("moves") if not line.startswith("info ")] == [
        "readyok",
        "bestmove",
        "fen",
        "readyok",
        "moves",
    ]


def test_other_lines_are_refused_during_an_unbounded_search(daemon):
    daemon.send("go infinite")
    daemon.until("info ")
    for line in (
        "fen",
        "position startpos",
        "setoption name Hash value 1",
        "uci",
        "go depth 1",
        "perft 1",
        "ucinewgame",
        "help",
        "register x",
    ):
        daemon.send(line)
        assert daemon.until("error ")[-1].startswith(f"error searching {line.split()[0]}: ")
    daemon.send("stop")
    daemon.until("bestmove")


def test_stop_ends_every_go_that_waits(daemon):
    daemon.send("go depth 99", "go infinite", "go movetime 100000", "go ponder", "perft 30")
    daemon.until("info ")
    daemon.send("stop", "fen")
    lines = daemon.until("fen ")
    assert count(lines, "bestmove ") == 4
    assert count(lines, "error stopped perft 30") == 1


def test_perft_and_bench_run_in_the_background(daemon):
    for line, stopped in (
        ("perft 40", "error stopped perft 40"),
        ("go perft 40", "error stopped perft 40"),
        ("bench 99", "error stopped bench"),
    ):
        daemon.send(line)
        assert count(daemon.ask(), "error") == 0
        daemon.send("stop")
        assert daemon.until("error ")[-1].startswith(stopped)


@pytest.mark.parametrize("hit_or_stop", ["ponderhit", "stop"])
@pytest.mark.parametrize("delay_ms", [0, 0.05, 0.2, 1, 5, 30])
def test_ponderhit_and_stop_are_never_lost(daemon, hit_or_stop, delay_ms):
    for _ in range(15):
        daemon.send("go ponder movetime 5")
        time.sleep(delay_ms / 1000)
        daemon.send(hit_or_stop)
        assert daemon.until("bestmove", timeout=10)
        daemon.send("go infinite")
        time.sleep(delay_ms / 1000)
        daemon.send("stop")
        assert daemon.until("bestmove", timeout=10)
    assert daemon.ask() == []


def test_a_ponderhit_in_one_piece_with_its_go(daemon):
    for _ in range(20):
        daemon.send("go ponder depth 2", "ponderhit", "go infinite", "stop", "fen")
        assert count(daemon.until("fen ", timeout=20), "bestmove ") == 2


def test_the_clock_of_a_ponder_search_starts_at_ponderhit(daemon):
    daemon.send("go ponder movetime 300")
    daemon.silent(0.6)
    begun = time.monotonic()
    daemon.send("ponderhit")
    daemon.until("bestmove")
    assert 0.2 < time.monotonic() - begun < 2


def test_quit_drops_what_waits(daemon):
    daemon.send("go depth 99")
    daemon.until("info ")
    daemon.send("fen", "go depth 5", "moves", "quit", "isready")
    lines = daemon.rest()
    assert [line.split()[0] for line in lines if not line.startswith("info ")] == ["bestmove"]
    assert daemon.exit_code() == 0


def test_equal_limits_after_ucinewgame_give_equal_output(daemon):
    daemon.send(INTERNATIONAL)
    outputs = []
    for _ in range(3):
        daemon.send("ucinewgame", "position startpos moves 32-28 19-23", "go nodes 20000")
        lines = [line for line in daemon.until("bestmove") if " pv " in line or line.startswith("bestmove ")]
        # What is said beside the results, and bounds, depend on how long it takes.
        outputs.append([re.sub(r" (time|nps) \d+", "", line) for line in lines if "bound " not in line])
        daemon.send("position startpos", "go depth 5")
        daemon.until("bestmove")
    assert outputs[0] == outputs[1] == outputs[2]


# Lines


def test_crlf_and_a_byte_order_mark(daemon):
    daemon.send_bytes(b"\xef\xbb\xbfisready\r\nposition startpos moves 22-18\r\nfen\r\nisready\r\n")
    daemon.until("readyok")
    lines = daemon.until("readyok")
    assert lines[0].startswith("fen B:W18,")
    assert not lines[0].endswith("\r")


def test_long_lines(daemon):
    filler = b"x" * 65529
    daemon.send_bytes(b"debug " + filler + b"y\r\n")  # 65536 bytes
    assert daemon.until("error ")[-1].startswith("error unknown-token xxx")
    daemon.send_bytes(b"debug " + filler + b"yy\n")
    assert daemon.until("error ")[-1].startswith("error too-long ")
    for size in (70_000, 5_000_000):
        daemon.send_bytes(b"y" * size)
        assert daemon.until("error ")[-1].startswith("error too-long ")
        daemon.send_bytes(b"yyy\nisready\n")
        assert daemon.until("readyok") == ["readyok"]


def test_a_line_in_pieces(daemon):
    for byte in b"isre":
        daemon.send_bytes(bytes([byte]))
        time.sleep(0.01)
    daemon.send_bytes(b"ady\nis")
    daemon.until("readyok")
    daemon.send_bytes(b"ready\n")
    daemon.until("readyok")


@compiled_core
def test_a_very_long_answer_arrives_whole(daemon):
    daemon.send("setoption name UCI_Variant value dam-haji-10")
    daemon.send("position fen W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40", "moves")
    line = daemon.until("moves ")[-1]
    assert len(line.split()) == 26_613
    assert len(line) > 500_000


def test_control_characters_come_back_harmless(daemon):
    daemon.send_bytes("\x1b[31mred\n\x00\nposition fen \u2028\x07\n".encode())
    for line in daemon.ask():
        assert line.startswith("error ")
        assert line.isprintable()


# The end


@posix
def test_quit_with_the_input_still_open():
    """A writer that stays open must not hold the process, whatever the reading thread is in the middle of."""
    for lines in (b"quit\n", b"uci\nquit\n", b"go infinite\nquit\n", b"isready\nquit\nisre"):
        with Daemon() as daemon:
            daemon.send_bytes(lines)
            assert daemon.exit_code(20) == 0
            assert daemon.stderr() == ""


@posix
@compiled_core
def test_quit_with_a_client_that_does_not_read():
    """The answer fills the pipe and nobody takes it: ``quit`` ends the process all the same."""
    process = subprocess.Popen([sys.executable, "-m", "damd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b"setoption name UCI_Variant value dam-haji-10\n")
    process.stdin.write(b"position fen W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40\nperft 1\n")
    process.stdin.flush()
    assert process.stdout.read(1)
    time.sleep(1)
    process.stdin.write(b"quit\n")
    process.stdin.flush()
    assert process.wait(20) == 0
    process.stdin.close()
    process.stdout.close()


def test_a_defect_ends_the_daemon_with_an_error_on_both_sides():
    script = (
        "import damd.task, damd.cli\n"
        "def run(self, *_): raise RuntimeError('a defect')\n"
        "damd.task.SearchTask.run = run\n"
        "damd.cli.main([])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=b"isready\ngo depth 1\n", capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.stdout.decode().splitlines() == ["readyok", "error internal RuntimeError: a defect"]
    assert done.returncode == 1
    assert b"a defect" in done.stderr


@posix
def test_output_without_a_reader_ends_the_process_quietly():
    process = subprocess.Popen(
        [sys.executable, "-m", "damd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(b"isready\n")
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"isready\ngo infinite\n")
    process.stdin.flush()
    assert process.wait(10) == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()


@posix
def test_after_the_end_of_input_a_dead_output_ends_a_silent_search():
    process = subprocess.Popen(
        [sys.executable, "-m", "damd"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # perft says nothing for minutes.
    process.stdin.write(b"setoption name UCI_Variant value international\nisready\nperft 30\n")
    process.stdin.close()
    process.stdout.readline()
    process.stdout.close()
    begun = time.monotonic()
    assert process.wait(10) == 0
    assert time.monotonic() - begun < 2
    assert process.stderr.read() == b""
    process.stderr.close()


@posix
@pytest.mark.parametrize("line", ["go infinite", "go depth 99", "perft 30"])
def test_u24_a_killed_parent_takes_the_daemon_with_it(tmp_path, line):
    script = tmp_path / "parent.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'damd'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        f"child.stdin.write(b'isready\\n{line}\\n'); child.stdin.flush(); child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    begun = time.monotonic()
    while _alive(pid):
        assert time.monotonic() - begun < 5, "the daemon outlived its parent"
        time.sleep(0.05)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = f"/proc/{pid}/stat"
    if os.path.exists(stat):
        with open(stat) as file:  # an orphan may stay a zombie where nobody collects it
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    return True


@posix
def test_ctrl_c_is_a_quit(daemon):
    daemon.send("go infinite")
    daemon.until("info ")
    daemon.process.send_signal(signal.SIGINT)
    assert count(daemon.rest(), "bestmove ") == 1
    assert daemon.exit_code() == 0
    assert daemon.stderr() == ""


@posix
def test_a_closed_input_from_the_start():
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m damd <&-"], capture_output=True, timeout=PATIENCE_S, check=False, env=os.environ
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@posix
def test_a_client_with_non_blocking_pipes():
    with Daemon() as daemon:
        os.set_blocking(daemon.process.stdin.fileno(), False)
        os.set_blocking(daemon.process.stdout.fileno(), True)
        daemon.send("isready")
        daemon.until("readyok")


# The command line


def test_strict_ends_at_the_first_error():
    with Daemon("--strict") as daemon:
        daemon.send("isready", "israedy", "isready")
        assert [line.split()[0] for line in daemon.rest()] == ["readyok", "error"]
        assert daemon.exit_code() == 1


def test_the_log_has_both_directions(tmp_path):
    file = tmp_path / "game.log"
    converse("isready", "position startpos moves 22-18", "fen", arguments=("--log", str(file)))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [<>] ", line) for line in lines)
    assert [line[24:] for line in lines[:2]] == ["> isready", "< readyok"] or "> isready" in [line[24:] for line in lines]
    assert any(line[24:].startswith("< fen B:W18,") for line in lines)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["--variant", "dam"],
        ["nonsense"],
        ["perft"],
        ["perft", "-1"],
    ],
)
def test_wrong_usage(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "damd", *arguments], input=b"", capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr
    assert b"Traceback" not in done.stderr


def test_a_folder_of_variants_from_the_command_line(tmp_path):
    (tmp_path / "house.toml").write_text('base = "dam-haji"\n[names]\ntitle = "House"\n[penalty]\ntake = 0\n')
    lines = converse("uci", "setoption name UCI_Variant value house", "perft 3", arguments=("--variant-path", str(tmp_path)))
    assert any("var house" in line for line in lines)
    assert lines[-1] == "total 302"


@posix
@compiled_core
def test_a_hash_that_cannot_be_had():
    # Some systems promise any memory and have it not: the limit makes sure that they refuse.
    command = ["sh", "-c", f"ulimit -v 3000000; exec {sys.executable} -m damd"]
    lines = b"setoption name Hash value 1048576\nposition startpos\ngo depth 3\n"
    done = subprocess.run(command, input=lines, capture_output=True, timeout=PATIENCE_S, check=False)
    said = done.stdout.decode().splitlines()
    assert said[0].startswith("error no-memory ")
    assert said[-1].startswith("bestmove ")


# A terminal


@posix
def test_on_a_terminal():
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(sys.executable, ["-m", "damd"], encoding="utf-8", timeout=PATIENCE_S, echo=False)
    child.sendline("uci")
    child.expect("uciok\r\n")
    child.sendline("position startpos moves 22-18")
    child.sendline("d")
    child.expect("counters halfmoves 0 fullmoves 1 repetitions 1\r\n")
    child.sendline("go infinite")
    child.expect("info depth 3 ")
    child.sendline("stop")
    child.expect(r"bestmove \S+")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (0, None)


@posix
def test_a_terminal_that_hangs_up():
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(sys.executable, ["-m", "damd"], encoding="utf-8", timeout=PATIENCE_S, echo=False)
    child.sendline("go infinite")
    child.expect("info depth 3 ")
    pid = child.pid
    os.close(child.child_fd)
    begun = time.monotonic()
    while _alive(pid):
        assert time.monotonic() - begun < 5
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            break
        time.sleep(0.05)
    child.closed = True


@posix
def test_ctrl_c_on_a_terminal():
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(sys.executable, ["-m", "damd"], encoding="utf-8", timeout=PATIENCE_S, echo=False)
    child.sendline("go infinite")
    child.expect("info depth 3 ")
    child.sendintr()
    child.expect(r"bestmove \S+")
    child.expect(pexpect.EOF)
    child.close()
    assert (child.exitstatus, child.signalstatus) == (0, None)


# The cases themselves


def test_every_row_of_this_file_is_in_the_cases():
    """The rows that this file names exist, and no row of its kinds is left out."""
    with (ROOT / "tests" / "data" / "cases.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line)["id"] for line in file]
    mine = {row for row in rows if row.startswith("U") or row in ("D13", "D14", "D15", "D16")}
    text = (ROOT / "tests" / "test_daemon.py").read_text(encoding="utf-8")
    assert {found.upper().replace("B", "b") for found in re.findall(r"def test_([ud]\d+b?)_", text)} == mine
