"""``damd draw``: what it takes, what it gives, and that the pictures of the README are its."""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from damd.tools import draw

ROOT = Path(__file__).resolve().parent.parent

#: The pictures in ``docs/`` and the arguments that made them.
GALLERY = {
    "huff.svg": "--moves 22-18 9-14 21-17 --arrow 18-9",
    "dam-daman.svg": "W:Wa1,c1,e1,c7,Kb4:Ba5,a6,e5,e6,b8,d8,c9 --variant dam-daman --arrow c7xa9xe9xc7",
}


def drawn(*arguments: str) -> int:
    parser = ArgumentParser()
    draw.add(parser.add_subparsers())
    return draw.run(parser.parse_args(["draw", *arguments]))


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert drawn(*arguments) == 0, capsys.readouterr().err
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("name", GALLERY)
def test_the_gallery_is_up_to_date(name, tmp_path):
    assert drawn(*GALLERY[name].split(), "-o", str(tmp_path / name)) == 0
    kept = (ROOT / "docs" / name).read_bytes().replace(b"\r\n", b"\n")
    assert (tmp_path / name).read_bytes() == kept, f"draw it again: damd draw {GALLERY[name]} -o docs/{name}"


def test_the_gallery_is_whole():
    # The last is drawn by damd match: README.md has the command.
    assert {file.name for file in (ROOT / "docs").iterdir()} == {*GALLERY, "tournament.svg"}


def test_a_fen_is_all_it_takes(capsys):
    text = output(capsys, "W:W31-50:B1-20", "--variant", "international")
    root = ElementTree.fromstring(text)
    assert sum(1 for node in root.iter() if node.get("data-square")) == 40
    assert text == output(capsys, "startpos", "--variant", "international") == output(capsys, "--variant", "international")
    assert output(capsys) == output(capsys, "W:W21-32:B1-12", "--variant", "dam-haji")


def test_options_reach_the_picture(capsys):
    plain = output(capsys)
    for arguments in (
        ["--flip"],
        ["--squares", "algebraic"],
        ["--labels", "none"],
        ["--labels", "both"],
        ["--no-caption"],
        ["--size", "200"],
        ["--moves", "22-18,9-14"],
        ["--arrow", "22-18"],
        ["--mark", "18"],
    ):
        assert output(capsys, *arguments) != plain, arguments
    assert output(capsys, "--moves", "22-18,9-14") == output(capsys, "--moves", "22-18", "9-14")
    assert output(capsys, "--mark", "18,19") == output(capsys, "--mark", "19", "--mark", "18")
    # A quiet ply looks the same whether it was played or only told of.
    assert output(capsys, "--moves", "22-18") == output(capsys, "B:W18,21,23-32:B1-12", "--last", "22-18")


def test_text(capsys):
    rows = output(capsys, "--format", "text", "--moves", "22-18", "--arrow", "9-14", "--flip").splitlines()
    assert rows[0].split()[:2] == ["1", "w"]
    assert rows[-2:] == ["Last ply: 22-18", "Arrows: 9-14"]
    assert output(capsys, "--format", "unicode").count("⛂") == 12
    squares = output(capsys, "W:WKa1:BKe9,Kc9", "--variant", "dam-daman", "--format", "text")
    assert squares.startswith("  9     a9 ------------ B")


def test_the_games_own_way_of_writing_squares(capsys):
    assert ">31<" in output(capsys, "W:W22:B9")
    assert ">31<" not in output(capsys, "W:W22:B9", "--squares", "algebraic")


def test_a_file(capsys, tmp_path):
    file = tmp_path / "board.svg"
    assert output(capsys, "-o", str(file)) == ""
    assert file.read_text(encoding="utf-8") == output(capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["W:W31-50:B1-20"], "read as dam-haji; --variant names another game"),
        (["rubbish"], "the FEN has to begin with W: or B:"),
        ([""], "an empty FEN"),
        (["--variant", "nothing"], 'unknown variant "nothing"'),
        (["--moves", "22-18", "1-2"], "ply 2 1-2: "),
        (["--last", "22-18"], "22-18: Black made the last ply"),
        (["--arrow", "22x18"], "22x18: 22x18 captures nothing"),
        (["--arrow", "22"], "22: an arrow leads from one square to another"),
        (["--mark", "77"], "77: not a square: squares are 1-32"),
        (["-o", "/no/such/folder/x.svg"], "/no/such/folder/x.svg: "),
        (["W:W22:B9:P9", "--missed-capture", "forbidden"], "without a penalty in force"),
        (
            ["W:WK3:B8-12,20-24,32-36,44-48,56-60", "--variant", "dam-haji-12", "--arrow", "3x4"],
            "more plies than the generator's bound",
        ),
    ],
)
def test_what_is_at_fault_is_said(capsys, arguments, said):
    assert drawn(*arguments) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("damd: ")
    assert said in err
    assert err.count("\n") == 1


def test_wrong_usage_ends_with_2(capsys):
    for arguments in (
        ["--size", "5"],
        ["--size", "1e3"],
        ["--format", "png"],
        ["--labels", "some"],
        ["--moves", "22-18", "--last", "22-18"],
    ):
        with pytest.raises(SystemExit) as caught:
            drawn(*arguments)
        assert caught.value.code == 2
        assert capsys.readouterr().out == ""


def test_draughtsmen_that_stdout_does_not_know(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    assert drawn("--format", "unicode") == 1
    assert "stdout is in" in capsys.readouterr().err
