"""Disks that are full and files that cannot be written, of journals and of views: said in a line, and nothing is lost."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from damd import cli
from damd.match.journal import Header, Journal, JournalError, read_journal
from damd.match.model import Opening
from damd.match.plan import left_to_play, plan
from match_records import drawn, play_out, tournament
from match_runs import ENGINES, OPENINGS, begun, engine_text, left_over

resource = pytest.importorskip("resource", reason="Windows has no limits and no devices as files")

FAKE = (sys.executable, str(ENGINES / "contestant.py"), "fine")
TWO = [word for name in "ab" for word in ("--engine", engine_text(name, FAKE))]
VIEWS = ("--pdn", "--csv", "--standings-csv", "--ordo", "--pgn")
ASKED = tournament("ab", format="match", rounds=2)
START = (Opening(),)


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A finished tournament, in the folder that the test is in."""
    monkeypatch.chdir(tmp_path)
    _, records = play_out(ASKED, len(START), drawn)
    with Journal.create("match.jsonl", Header(ASKED, START)) as journal:
        for record in records:
            journal.append(record)
    return "match.jsonl"


def test_a_disk_that_is_full_ends_the_run_which_is_gone_on_with(tmp_path: Path) -> None:
    """The system's own limit of a file's size stands for the disk: writing fails in the middle of a line."""
    words = (*TWO, "--tc", "nodes=1", "--games", "20", "--events")
    limit = 25_000  # the openings take most of it
    process = begun(
        *words, folder=tmp_path, mark=str(tmp_path), first=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert b"match.jsonl: cannot be written: File too large; " in err
    assert b"Traceback" not in err
    assert left_over(str(tmp_path)) == []
    contents = read_journal(str(tmp_path / "match.jsonl"))
    assert contents.torn == 0
    assert f"{len(contents.records)} pairings are safe in it" in err.decode()
    assert 0 < len(contents.records) < 10
    process = begun("--resume", "match.jsonl", folder=tmp_path)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    after = read_journal(str(tmp_path / "match.jsonl")).records
    assert after[: len(contents.records)] == contents.records
    assert len({record.pairing for record in after}) == len(after) == 10


def test_a_journal_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file in (str(tmp_path / "pipe"), os.devnull, "/dev/full", "/dev/zero"):
        if not os.path.exists(file):
            continue
        with pytest.raises(JournalError, match="a device or a pipe"):
            Journal.create(file, Header(ASKED, OPENINGS))
        with pytest.raises(JournalError, match="a device or a pipe"):
            Journal.resume(file)
        if file.startswith("/dev/"):
            with pytest.raises(JournalError, match="a device"):
                read_journal(file)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):
        folder = Path("/sys")  # to root everything is open but what only looks like a folder
        if not folder.is_dir():
            pytest.skip("nothing is closed to this user")
    with pytest.raises(JournalError, match="cannot be written: Permission denied"):
        Journal.create(str(folder / "match.jsonl"), Header(ASKED, OPENINGS))


@pytest.mark.parametrize("where", ["/dev/full", "no/where.txt", ".", "match.toml/x", ""])
def test_a_view_that_cannot_be_written_is_told_and_the_others_are_written(
    where: str, journal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if where == "/dev/full" and not os.path.exists(where):
        pytest.skip("no such device")
    Path("match.toml").write_text("")
    for bad in VIEWS:
        words = [word for view in VIEWS for word in (view, where if view == bad else f"{view[2:]}.txt")]
        assert cli.main(["match", "--report", journal, *words, "--standings"]) == 1
        out, err = capsys.readouterr()
        assert err.count("\n") == 1
        assert err.startswith(f"damd: {where or 'an empty name'}: ")
        assert out.startswith("#  Engine")
        for view in set(VIEWS) - {bad}:
            assert Path(f"{view[2:]}.txt").read_text(), view
            os.remove(f"{view[2:]}.txt")


def test_no_view_is_written_over_what_it_is_a_view_of(journal: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path(journal).read_bytes()
    os.symlink(journal, "other.jsonl")
    for view in VIEWS:
        for file in (journal, os.path.abspath(journal), "./no/../match.jsonl", "other.jsonl"):
            assert cli.main(["match", "--report", journal, view, file]) == 2
            assert cli.main(["match", "--resume", journal, view, file]) == 2
            assert cli.main(["match", *TWO, "--games", "2", "--journal", journal, view, file]) == 2
            assert "over what it is a view of" in capsys.readouterr().err
    assert cli.main(["match", "--report", journal, "--csv", "x", "--pgn", "x"]) == 2
    assert "x is the file of two views" in capsys.readouterr().err
    assert Path(journal).read_bytes() == before


def test_a_run_with_a_view_that_cannot_be_written_has_its_journal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "match.jsonl")
    words = [*TWO, "--tc", "nodes=1", "--games", "2", "--journal", file, "--pdn", str(tmp_path / "no" / "where")]
    assert cli.main(["match", *words]) == 1
    assert "No such file or directory" in capfd.readouterr().err
    contents = read_journal(file)
    assert left_to_play(plan(contents.header.tournament, len(contents.header.openings)), contents.records) == []
