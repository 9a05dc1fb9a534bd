"""``damd convert`` through the real command: every way from one format to another, faults, what is lost, interrupts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import damd
from damd.cli import main

GAMES = """\
[Event "Test #1"]
[White "A"]
[GameType "20,W,10,10,N2,0"]
[Result "2-0"]

1. 32-28 {[%clk 0:10:00] good} 19-23 2. 28x19 $1 14x23 ( 2... 13x24 {hm} 3. 33-28 ) 3. 37-32 *

[Event "bad"]
[Variant "international"]

1. 31-27 18-23 2. 99-1 {x} 17-21 1-1

[Variant "dam-haji"]
[FEN "W:W23,32:B19,1"]

1. 32-27 x23 1-6 *
"""

BALLOTS = """\
# three-move ballots
[Variant "english"]
1. 9-13 21-17 5-9
2) Kelso cross: 9-13 22-18 6-9
3. 10-15 22-18 15x22 ; a shot
7. W:W18,21,23-32:B1-5,7-10,12,13,6
9-13 22-18 6-9
"""


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], list[str]]:
    """The command in this process: exit code, lines of stdout and of stderr."""
    code = main(["convert", *arguments])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err.splitlines()


@pytest.fixture
def games(tmp_path: Path) -> str:
    file = tmp_path / "games.pdn"
    file.write_text(GAMES, encoding="utf-8")
    return str(file)


@pytest.fixture
def ballots(tmp_path: Path) -> str:
    file = tmp_path / "three.ballots"
    file.write_text(BALLOTS, encoding="utf-8")
    return str(file)


def test_pdn_to_json_and_back(games: str, tmp_path: Path) -> None:
    ended = damd("convert", games, "-o", str(tmp_path / "games.jsonl"))
    assert (ended.code, ended.out) == (1, "")
    assert ended.faults == [
        f"{games}:11: game 2, ply 3: 99-1: 99 is not a square: squares are 1-50, or files a-j and ranks 1-10"
    ]
    rows = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["variant"] for row in rows] == ["international", "international", "dam-haji"]
    assert rows[0]["plies"] == ["32-28", "19-23", "28x19", "14x23", "37-32"]
    assert (rows[0]["winner"], rows[1]["winner"], rows[2]["winner"]) == ("white", "draw", None)
    assert rows[0]["tags"] == {"Event": "Test #1", "White": "A"}
    assert rows[0]["notes"][0]["clocks"] == [{"name": "clk", "side": None, "seconds": 600, "running": False}]
    assert rows[1]["notes"] == [{"ply": 2, "comments": ["not read: 99-1 {x} 17-21"]}]
    assert rows[2]["plies"] == ["32-27", "x23", "1-6"]

    back = damd("convert", "--from", "json", "--to", "pdn", "-", given=(tmp_path / "games.jsonl").read_bytes())
    assert (back.code, back.err) == (0, "damd: PDN does not hold: closing braces in comments (1 game)\n")
    again = damd("convert", "--from", "pdn", "--to", "json", "-", given=back.out)
    assert again.code == 0
    assert [json.loads(line) for line in again.lines] == [
        {**row, "notes": [{"ply": 2, "comments": ["not read: 99-1 {x) 17-21"]}]} if number == 1 else row
        for number, row in enumerate(rows)
    ]


def test_what_pdn_loses_is_said() -> None:
    """Each kind in a game of its own; what is written then reads back without a fault."""
    games = [
        {"comments": ["a } b"]},
        {"comments": ["two  blanks\nand a line"]},
        {"comments": ["[%clk 1] is text"]},
        {"comments": ["nul \0"]},
        {"comments": [{"text": "", "commands": [["a b", "1"], ["x", "a]"]]}]},
        {"winner": "white", "score": "4-6"},
        {"tags": {"Empty": ""}},
        {"tags": {"White": "A\nB", "Elo+White": "1"}},
        {"plies": ["32-28"], "notes": [{"ply": 1, "variations": [{"plies": ["31-27"], "comments": ["}"]}]}]},
    ]
    lines = "\n".join(json.dumps({"variant": "international", **game}) for game in games)
    ended = damd("convert", "-", "--from", "json", "--to", "pdn", given=lines)
    assert (ended.code, ended.faults) == (
        0,
        [
            "damd: PDN does not hold: closing braces in comments (2 games), "
            "line ends and runs of blanks in comments (1 game), texts of comments that look like commands (1 game), "
            "control characters in comments (1 game), commands with brackets or without a name (1 game), "
            "results beside another winner (1 game), tags without a value or with the name of another (1 game), "
            "line ends and runs of blanks in tags (1 game), names of tags (1 game)"
        ],
    )
    assert "\0" not in ended.out
    again = damd("convert", "-", "--from", "pdn", "--to", "pdn", given=ended.out)
    assert (again.code, again.err, again.out) == (0, "", ended.out)


def test_a_line_of_json_that_is_too_long_to_be_read_is_told() -> None:
    text = '[GameType "20"]\n\n{' + "\n".join(["ж" * 1000] * 550) + "} 1. 32-28 *\n"
    ended = damd("convert", "-", "--from", "pdn", "--to", "json", given=text)
    assert (ended.code, ended.faults) == (
        0,
        ["damd: a line of JSON does not hold: lines of more than 1048576 bytes, which are not read (1 game)"],
    )


def test_what_lists_lose_is_said(games: str, capsys) -> None:
    code, out, err = call(capsys, games, "--to", "openings")
    assert code == 1
    assert out == [
        '[Variant "international"]',
        "32-28 19-23 28x19 14x23 37-32 2-0",
        "31-27 18-23 1-1",
        '[Variant "dam-haji"]',
        "W:W23,32:B1,19 32-27 x23 1-6",
    ]
    lost = "comments (1 game), tags (2 games), clocks (1 game), marks (1 game), variations (1 game)"
    assert err[1:] == [f"damd: a list of openings does not hold: {lost}"]
    code, out, err = call(capsys, games, "--to", "fen")
    assert out[1].endswith(" 2-0")
    assert "plies (3 games)" in err[-1]
    assert "variations (1 game)" in err[-1]


def test_positions_of_games(games: str, capsys) -> None:
    _, out, _ = call(capsys, games, "--to", "fen", "--positions", "end", "--bare")
    assert [line[:1] for line in out] == ["B", "W", "W"]
    assert out[2] == "W:W27:B6,19"
    _, out, err = call(capsys, games, "--to", "fen", "--positions", "3", "--bare")
    assert out[1:] == ["W:W27:B6,19"]
    assert "damd: games with fewer plies than 3, of which nothing is written: 1" in err
    _, out, err = call(capsys, games, "--to", "fen", "--positions", "all", "--unique")
    assert len([line for line in out if not line.startswith("[")]) == 6 + 3 - 1 + 4
    assert err[1] == "damd: left out, as they lead to positions that are there already: 1"
    assert any(line.endswith(" 2-0 ; good") for line in out)
    _, out, _ = call(capsys, games, "--to", "fen", "--positions", "2", "--full", "--bare", "--squares", "algebraic")
    assert out[2] == "B:Wf2:Bb8,f4:H0:F1"


def test_ballots_are_looked_at(ballots: str, capsys) -> None:
    code, out, err = call(capsys, ballots, "--to", "ballots")
    assert code == 0
    assert out[1:] == [
        "1. 9-13 21-17 5-9",
        "2. 9-13 22-18 6-9 ; Kelso cross",
        "3. 10-15 22-18 15x22 ; a shot",
        "7. W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,13",
        "5. 9-13 22-18 6-9",
    ]
    assert err == [
        f"{ballots}:5: game 3: warning: a capture is to be made at once",
        f"{ballots}:7: game 5: warning: leads to the same position as {ballots}:4",
    ]
    _, out, _ = call(capsys, ballots, "--to", "fen", "--positions", "end", "--unique", "--bare")
    assert len(out) == 4
    code, out, err = call(capsys, ballots, "--to", "openings", "--unique", "--bare", "--plies", "2")
    assert (code, out) == (
        0,
        [
            "9-13 21-17",
            "9-13 22-18",
            "10-15 22-18",
            "W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,13",
        ],
    )
    assert "damd: left out, as they lead to positions that are there already: 1" in err


def test_a_list_of_ballots_in_pdn_tags() -> None:
    """2400 ballots, tag and star on one line, squares in any order: as FEN list and as PDN alike."""
    men = "24,23,22,21,27,26,25,32,31,30"
    lines = [f'[FEN "W:W{men}:B4,3,2,1,7,6,5,11,10,9,{number}"] *\n' for number in (15, 14, 16)] * 800
    ended = damd("convert", "-", "--from", "fen", "--to", "json", "--variant", "italian", given="".join(lines))
    assert (ended.code, len(ended.lines), ended.err) == (0, 2400, "")
    one = json.loads(ended.lines[0])
    assert one["fen"] == "W:W21,22,23,24,25,26,27,30,31,32:B1,2,3,4,5,6,7,9,10,11,15"
    assert (one["plies"], one["winner"], one["tags"]) == ([], None, {})
    as_pdn = damd("convert", "-", "--from", "pdn", "--to", "json", "--variant", "italian", given="".join(lines[:30]))
    assert as_pdn.lines == ended.lines[:30]
    unique = damd(
        "convert", "-", "--from", "fen", "--to", "fen", "--variant", "italian", "--unique", given="".join(lines[:300])
    )
    assert len(unique.lines) == 1 + 3


def test_faults_are_told_line_by_line_and_the_rest_is_converted(tmp_path: Path, capsys) -> None:
    file = tmp_path / "some.openings"
    file.write_bytes(
        b'[Variant "international"]\n32-28 19-23 28x19\n31-27 1-50\nrubbish\n[Variant "none"]\n32-28\n'
        b'[Variant "english"]\n11-15 ; caf\xe9\n' + b"9-13 " * 300_000 + b"\n9-14\n"
    )
    code, out, err = call(capsys, str(file), "--to", "openings")
    assert code == 1
    assert out == [
        '[Variant "international"]',
        "32-28 19-23 28x19",
        "31-27",
        '[Variant "english"]',
        "11-15 ; café",
        "9-14",
    ]
    assert [line.removeprefix(f"{file}:").split(":")[0] for line in err] == ["3", "4", "5", "9"]
    assert err[0].startswith(f"{file}:3: game 2, ply 2: 1-50: ")
    assert err[0].endswith("; the plies before it are kept (1)")
    assert err[1].startswith(f"{file}:4: game 3, ply 1: rubbish: ")
    assert err[3].endswith("a line of more than 1048576 bytes: it is skipped")


def test_a_short_capture_is_settled_by_what_follows(capsys, tmp_path: Path) -> None:
    file = tmp_path / "short.openings"
    file.write_text('[Variant "international"]\nW:WK4,49:B13,20,32,37 4x15 32-38\nW:WK4:B13,20,32,37 4x15\n')
    code, out, err = call(capsys, str(file), "--to", "openings", "--bare")
    assert code == 0
    assert [line.split()[1] for line in out] == ["4x31x42x15", "4x27x38x15"]
    assert len(err) == 1
    assert "game 2, ply 1: warning: ambiguous, and nothing that follows settles it: 4x27x38x15, 4x31x42x15" in err[0]


def test_the_game_has_to_be_known(tmp_path: Path, capsys) -> None:
    file = tmp_path / "x.fen"
    file.write_text("W:W31:B20\nW:W32:B20\n")
    code, out, err = call(capsys, str(file), "--to", "fen")
    assert (code, out) == (1, [])
    assert err == [f'{file}:1: game 1: which game is this list of? Put a line like [Variant "international"] above it']
    assert call(capsys, str(file), "--to", "fen", "--variant", "no-such")[0] == 1
    file.write_text('[Variant "dam-haji"] [MissedCapture "forbidden"]\nW:W31:B20\n[GameType "20,W,10,10,N2,0"]\nW:W32:B20\n')
    code, out, err = call(capsys, str(file), "--to", "fen")
    assert out == [
        '[Variant "dam-haji"] [MissedCapture "forbidden"]',
        "W:W31:B20",
        '[Variant "international"]',
        "W:W32:B20",
    ]


def test_lists_that_say_two_games(capsys, tmp_path: Path) -> None:
    file = tmp_path / "x.fen"
    file.write_text('[Variant "thai"] [GameType "30"]\nW:W22:B9\n[GameType "Killer draughts"]\nW:W32:B1\n')
    code, out, err = call(capsys, str(file), "--to", "fen")
    assert (code, out[::2]) == (0, ['[Variant "thai"]', '[Variant "killer"]'])
    said = "warning: GameType: 30 is of turkish, but Variant says thai: Variant is taken"
    assert err == [f"{file}:1: game 1: {said}"]
    ended = damd("moves", "--fen", "-", given=file.read_text())
    assert (ended.code, ended.err) == (0, f"<stdin>:1: {said}\n")


def test_wrong_usage(games: str, capsys) -> None:
    for arguments, word in (
        ((games,), "--to"),
        (("-", "--to", "json"), "--from"),
        (("x.txt", "--to", "json"), "--from"),
        ((games, "--to", "json", "--unique"), "--unique goes with lists"),
        ((games, "--to", "openings", "--positions", "end"), "--positions goes with fen"),
        ((games, "--to", "json", "--missed-capture", "forbidden"), "goes with --variant"),
    ):
        code, out, err = call(capsys, *arguments)
        assert (code, out, len(err)) == (2, [], 1)
        assert word in err[0]


def test_files_that_cannot_be_read_or_written(games: str, tmp_path: Path, capsys) -> None:
    code, out, err = call(capsys, str(tmp_path / "none.pdn"), str(tmp_path), games, "--from", "pdn", "--to", "json")
    assert (code, len(out)) == (1, 3)
    assert err[0] == f"damd: {tmp_path / 'none.pdn'}: No such file or directory"
    assert err[1] == f"damd: {tmp_path}: Is a directory"
    code, out, err = call(capsys, games, "-o", str(tmp_path / "no" / "x.jsonl"))
    assert (code, err) == (1, [f"damd: {tmp_path / 'no' / 'x.jsonl'}: No such file or directory"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk(games: str) -> None:
    ended = damd("convert", games, "--to", "json", "-o", "/dev/full")
    assert (ended.code, ended.out) == (1, "")
    assert ended.faults[-1] == "damd: /dev/full: No space left on device"


def test_bare_lists_of_several_games_say_so(games: str, capsys) -> None:
    _, out, err = call(capsys, games, "--to", "fen", "--bare")
    assert not [line for line in out if line.startswith("[")]
    assert err[-1] == "damd: positions of different games stand in the list, and nothing says which is of which"


def test_a_file_can_take_its_own_place(games: str, tmp_path: Path, capsys) -> None:
    target = tmp_path / "x.jsonl"
    assert call(capsys, games, "-o", str(target))[0] == 1
    before = target.read_bytes()
    target.chmod(0o640)
    assert call(capsys, str(target), "-o", str(target)) == (0, [], [])
    assert target.read_bytes() == before
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.pdn", "x.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals end processes in another way there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_the_old_file(number: int, tmp_path: Path) -> None:
    target = tmp_path / "x.fen"
    target.write_text("as it was\n")
    command = [sys.executable, "-m", "damd", "convert", "-", "--from", "fen", "--variant", "dam", "-o", str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"W:W31:B20\n" * 100)
        process.stdin.flush()
        part = tmp_path / f"x.fen.{process.pid}.part"
        end = time.monotonic() + 60
        while not part.exists() and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(number)
        assert process.wait(60) == -number
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert target.read_text() == "as it was\n"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_larger_than_what_may_be_kept(tmp_path: Path) -> None:
    """Thousands of positions in no more memory than a few; kept they would take 16 MiB."""
    resource = pytest.importorskip("resource")
    script = (
        "import resource, sys\nfrom damd.cli import main\n"
        "code = main(['convert', '-', '--from', 'fen', '--to', 'fen', '--variant', 'international', '-o', sys.argv[1]])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, code)"
    )
    del resource

    def peak(count: int) -> int:
        data = b"W:W31-50:B1-20 ; a remark of some length that would add up if it were kept\n" * count
        command = [sys.executable, "-c", script, str(tmp_path / "out.fen")]
        done = subprocess.run(command, input=data, capture_output=True, timeout=60, check=True)
        kib, code = done.stdout.split()
        assert code == b"0"
        return int(kib)

    assert peak(4_000) - peak(10) < 4_000
    assert (tmp_path / "out.fen").read_text().count("\n") == 11


def test_a_reader_that_leaves_early(games: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "damd", "convert", games, "--to", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(60) in (0, 1)
        assert b"Traceback" not in process.stderr.read()
