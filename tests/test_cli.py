"""The tools of the command line, in this process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import damd
from damd.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def usage_error(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_version(capsys):
    for arguments in (["--version"], ["serve", "--version"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0
        assert capsys.readouterr().out == f"damd {damd.__version__}\n"


def test_perft(capsys):
    code, out, err = run(capsys, "perft", "3")
    assert (code, out) == (0, ["total 379"])
    assert "million a second" in err
    assert run(capsys, "perft", "international", "3")[1] == ["total 658"]
    assert run(capsys, "perft", "dam-haji", "3", "--missed-capture", "forbidden")[1] == ["total 302"]
    assert run(capsys, "perft", "0", "--divide")[1] == ["total 1"]
    assert run(capsys, "perft", "2", "--divide", "--fen", "W:W22:B9")[1][-1] == "total 4"


def test_moves(capsys):
    assert run(capsys, "moves", "international", "--fen", "W:W28,32:B22")[1] == ["28x17"]
    assert sorted(run(capsys, "moves", "--fen", "W:W22:B9", "--squares", "algebraic")[1]) == ["c3-b4", "c3-d4"]
    assert run(capsys, "moves", "--fen", "W:W5:B1")[1] == []


def test_the_game_is_a_word_or_an_option(capsys):
    for tool in (["perft", "2"], ["moves"], ["bench", "--depth", "1"]):
        by_word = run(capsys, tool[0], "international", *tool[1:])
        assert by_word[0] == 0
        by_option = run(capsys, *tool, "--variant", "international")
        assert [line.split(" time ")[0] for line in by_option[1]] == [line.split(" time ")[0] for line in by_word[1]]


def test_bench(capsys):
    code, out, _ = run(capsys, "bench", "--depth", "1")
    assert code == 0
    assert out[0].startswith("bench nodes ")


def test_variants(capsys, tmp_path):
    code, out, _ = run(capsys, "variants", "list")
    assert code == 0
    assert {"dam-haji", "dam-daman", "international"} <= {line.split()[0] for line in out}
    assert run(capsys, "variants", "show", "dam-daman")[0] == 0
    assert run(capsys, "variants", "show", "nothing")[0] == 1
    assert run(capsys, "variants", "check", "dam-haji")[0] == 0
    (tmp_path / "wrong.toml").write_text("[king]\nflies = true\n")
    code, out, _ = run(capsys, "variants", "check", str(tmp_path / "wrong.toml"))
    assert code == 1
    assert "king.flies" in out[0]
    (tmp_path / "lie.toml").write_text('base = "dam"\n[names]\ntitle = "Lie"\n[[perft]]\nfen = "startpos"\ncounts = [8]\n')
    code, out, _ = run(capsys, "variants", "check", str(tmp_path / "lie.toml"))
    assert code == 1
    assert "perft 1 is 7, not 8" in out[0]


def test_what_is_at_fault_is_said_and_ends_with_1(capsys):
    for arguments in (
        ["perft", "nothing", "3"],
        ["perft", "3", "--fen", "W:W22,22:B9"],
        ["moves", "--fen", "rubbish"],
        ["moves", "dam-haji-12", "--fen", "W:WK3:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60"],
        ["moves", "--variant-path", "/no/such/folder"],
        ["bench", "nothing"],
    ):
        code, out, err = run(capsys, *arguments)
        assert (code, out) == (1, []), arguments
        assert err.startswith("damd: ")


def test_wrong_usage_ends_with_2(capsys):
    for arguments in (
        ["perft"],
        ["perft", "x"],
        ["perft", "100"],
        ["nonsense"],
        ["docs"],
        ["variants"],
        ["moves", "--squares", "roman"],
    ):
        assert usage_error(*arguments) == 2
        assert capsys.readouterr().out == ""


def test_a_reader_that_leaves_early():
    with subprocess.Popen(
        [sys.executable, "-m", "damd", "perft", "2", "--divide"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.wait(60) in (0, 1)
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_told():
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "damd", "moves"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("damd: cannot write the output: ")
    assert "Traceback" not in done.stderr
