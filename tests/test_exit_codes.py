"""One rule for the exit codes of all commands, and one clear line for one fault."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from commands import damd
from damd import cli
from damd.tools.common import EXIT_CODES
from talking import ROOT

UNKNOWN = 'damd: unknown variant "nothing"'
NO_FOLDER = "damd: nodir: cannot read this folder: No such file or directory"

TWO = ("--engine", "damd", "--engine", "damd")

#: For every command: words, and the code they end with. ``serve`` and ``play`` read a ``quit``, others nothing.
FINE = {
    "serve": ("--strict",),
    "play": ("--side", "both"),
    "moves": ("thai", "--fen", "W:W22:B9"),
    "explain": ("22-18",),
    "fen": ("W:W31:B1",),
    "convert": ("games.pdn", "--to", "fen"),
    "draw": ("W:W31:B1", "--format", "text"),
    "perft": ("2",),
    "bench": ("--depth", "1"),
    "check": ("--list",),
    "match": (*TWO, "--games", "2", "--dry-run"),
    "variants": ("show", "thai"),
    "docs": ("--check", str(ROOT / "protocol.md")),
}

#: What is read or named cannot be had, or is at fault; and what is said.
AT_FAULT = [
    (
        ("serve", "--variant-path", "nodir"),
        "damd: --variant-path: nodir: cannot read this folder: No such file or directory",
    ),
    (("serve", "--log", "nodir/log"), "damd: --log: nodir/log: No such file or directory"),
    (("serve", "--log", ""), "damd: --log: an empty name: No such file or directory"),
    (("play", "nothing"), UNKNOWN),
    (("play", "--variant", "nothing"), UNKNOWN),
    (("play", "--variant-path", "nodir"), NO_FOLDER),
    (("play", "--load", "nofile"), "damd: --load: nofile: No such file or directory"),
    (("moves", "nothing"), UNKNOWN),
    (("moves", "--variant-path", "nodir"), NO_FOLDER),
    (("moves", "--fen", ""), "damd: an empty FEN: "),
    (("moves", "--fen", "rubbish"), "damd: rubbish is no side to move: "),
    (("moves", "--moves", "1-2"), "damd: ply 1 1-2: "),
    (("explain", "22-18", "--variant", "nothing"), UNKNOWN),
    (("explain", "22-18", "--variant-path", "nodir"), NO_FOLDER),
    (("explain", "22-18", "--fen", ""), "damd: an empty FEN: "),
    (("explain", ""), "damd: PLY 1 is empty: write it as 32-28, 19x28x37 or x22"),
    (("explain", "22-18", " "), "damd: PLY 2 is empty: "),
    (("fen", "--variant", "nothing"), UNKNOWN),
    (("fen", "--variant-path", "nodir"), NO_FOLDER),
    (("fen", ""), "damd: an empty FEN: "),
    (("convert", "games.pdn", "--to", "fen", "--variant", "nothing"), UNKNOWN),
    (("convert", "games.pdn", "--to", "fen", "--variant", "thai", "--variant-path", "nodir"), NO_FOLDER),
    (("convert", "nofile.pdn", "--to", "fen"), "damd: nofile.pdn: No such file or directory"),
    (("convert", "games.pdn", "-o", "nodir/x.fen"), "damd: nodir/x.fen: No such file or directory"),
    (("convert", "wrong.pdn", "--to", "fen", "--bare"), "wrong.pdn:3: game 1, ply 1: 1-2: "),
    (("draw", "--variant", "nothing"), UNKNOWN),
    (("draw", "--variant-path", "nodir"), NO_FOLDER),
    (("draw", "-o", "nodir/x.svg"), "damd: nodir/x.svg: No such file or directory"),
    (("draw", "--last", ""), "damd: PLY: an empty text is no ply: "),
    (("draw", "--mark", "99"), "damd: 99: "),
    (("perft", "2", "--variant", "nothing"), UNKNOWN),
    (("perft", "2", "--variant-path", "nodir"), NO_FOLDER),
    (("perft", "2", "--fen", ""), "damd: an empty FEN: "),
    (("bench", "nothing"), UNKNOWN),
    (("bench", "--variant-path", "nodir"), NO_FOLDER),
    (("check", "--variant", "nothing"), UNKNOWN),
    (("match", "nofile.toml"), "damd: nofile.toml: cannot read this file: No such file or directory"),
    (("match", "--resume", "nofile"), "damd: nofile: cannot go on with it: No such file or directory"),
    (("match", "--report", "nofile"), "damd: nofile: cannot read this file: No such file or directory"),
    (("match", "--report", "games.pdn"), "damd: games.pdn"),
    (("match", *TWO, "--variant", "nothing"), 'damd: tournament.variant: unknown variant "nothing"'),
    (("match", *TWO, "--variant-path", "nodir"), "damd: tournament.variant: nodir: cannot read this folder: "),
    (("match", *TWO, "--openings", "nofile.pdn"), "damd: "),
    (("match", *TWO, "--concurrency", "999"), "damd: 999 games at once are too many"),
    (("match", "--engine", "nothing.exe", "--engine", "damd"), "damd: nothing: cannot start nothing.exe: "),
    (("variants", "show", "nothing"), UNKNOWN),
    (("variants", "show", "thai", "--variant-path", "nodir"), NO_FOLDER),
    (("variants", "list", "--variant-path", "nodir"), NO_FOLDER),
    (("variants", "--variant-path", "nodir", "list"), NO_FOLDER),
    (("variants", "show", "nodir/x.toml"), "damd: nodir/x.toml: cannot read this file: No such file or directory"),
    (("docs", "--check", "nofile"), "damd: nofile: No such file or directory"),
]

#: What no file and no game could make right.
USAGE = [
    ("nonsense",),
    ("serve", "--nonsense"),
    ("serve", "--variant", "thai"),
    ("play", "--level", "11"),
    ("play", "--load", "nofile", "--fen", "W:W31:B1"),
    ("play", "thai", "--variant", "turkish"),
    ("moves", "--squares", "roman"),
    ("moves", "thai", "turkish"),
    ("explain",),
    ("fen", "--key", "--json"),
    ("convert", "games.pdn"),
    ("convert", "", "--from", "pdn", "--to", "fen"),
    ("convert", "games.pdn", "--to", "fen", "-o", ""),
    ("convert", "games.pdn", "--to", "pdn", "--bare"),
    ("draw", "--size", "3"),
    ("perft", "thai"),
    ("bench", "--depth", "100"),
    ("check", "--tries", "0"),
    ("match",),
    ("match", "--engine", "damd"),
    ("match", *TWO, "--games", "3"),
    ("match", *TWO, "--variant", "thai", "--variant", "turkish"),
    ("match", "nofile.toml", "--resume", "nofile"),
    ("variants",),
    ("variants", "--variant", "thai", "list"),
    ("variants", "check"),
    ("variants", "show", "thai", "--language", "xx"),
    ("docs",),
]

#: Tools that take a game, with what else they need.
WITH_GAMES = [("moves",), ("perft", "1"), ("bench",), ("explain", "1-2"), ("fen",), ("draw",), ("convert", "games.pdn")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "games.pdn").write_text('[GameType "20"]\n\n1. 32-28 *\n')
    (tmp_path / "wrong.pdn").write_text('[GameType "20"]\n\n1. 1-2 *\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ended(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> tuple[object, str, str]:
    """Exit code, stdout and stderr of the command."""
    if words[0] in ("serve", "play"):
        found = damd(*words, given="quit\n")
        return found.code, found.out, found.err
    try:
        code: object = cli.main(words)
    except SystemExit as left:  # argparse leaves by itself
        code = left.code
    return (code, *capsys.readouterr())


def test_every_command_is_here() -> None:
    commands = {"serve", *cli.TOOLS}
    assert set(FINE) == {words[0] for words, _ in AT_FAULT} == {words[0] for words in USAGE[1:]} == commands


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", FINE)
def test_fine_is_0(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ended((command, *FINE[command]), capsys)
    assert (code, "damd: " in err) == (0, command == "convert"), err  # which says what a list does not hold


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("words", "said"), AT_FAULT, ids=str)
def test_what_is_at_fault_is_1(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(words, capsys)
    assert (code, out if words[0] != "convert" else "") == (1, "")
    assert err.startswith(said)
    assert err.count("\n") == 1, "one fault, one line"
    assert not re.search(r": :|Errno|(\b\S+): \1:", err), "nothing is named twice"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", USAGE, ids=str)
def test_wrong_usage_is_2(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(words, capsys)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("damd")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", WITH_GAMES, ids=str)
def test_two_games_are_an_error_that_names_both(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    by_word = words[0] in ("moves", "perft", "bench")
    twice = [(*words, "--variant", "thai", "--variant", "turkish")]
    if by_word:
        twice += [
            (words[0], "thai", *words[1:], "--variant", "turkish"),
            (words[0], "--variant", "thai", "turkish", *words[1:]),
        ]
    for given in twice:
        code, out, err = ended(given, capsys)
        assert (code, out) == (2, "")
        assert "error: which game? both thai and turkish are named" in err
    if by_word:
        same = ("moves", "checkers", "--variant", "English", "--fen", "B:W31:B5")
        assert ended(same, capsys) == (0, "5-9\n", "")


def test_the_rule_is_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    assert " ".join(EXIT_CODES.split()) in " ".join(capsys.readouterr().out.split())


def test_one_line_for_what_is_no_variant_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "Bad Name.toml").write_text('base = "dam"\n')
    os.mkdir("House")
    for file, said in (
        (".", "cannot read this file: Is a directory"),
        ("House", "cannot read this file: Is a directory"),
        ("No Such", "cannot read this file: No such file or directory"),
        ("Bad Name.toml", 'names.name: a variant cannot be called "Bad Name": '),
    ):
        assert cli.main(["variants", "check", file]) == 1
        (line,) = capsys.readouterr().out.splitlines()
        assert line.startswith(f"{file}: {said}")


def test_the_daemon_names_a_folder_once() -> None:
    lines = damd(given="setoption name VariantPath value nodir\nquit\n").lines
    assert lines == ["error bad-value nodir: cannot read this folder: No such file or directory"]
