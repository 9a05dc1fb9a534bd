"""The journal: what is written is there for good, a torn end is told and played again, nothing is counted twice."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from io import BytesIO, FileIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damd.match.journal import Header, Journal, JournalError, parse_journal, read_journal
from damd.match.model import EngineSpec, Opening, Sprt, Tournament
from damd.match.plan import left_to_play, plan
from damd.match.records import DRAWN, GameRecord, PairRecord, PlyRecord, Termination
from damd.match.standings import standings
from damd.match.timecontrol import parse_time_control
from damd.match.views.games import pdn_games
from damd.notation.pdn import read_games
from match_records import drawn, play_out, played, thrown, tournament

ASKED = tournament("abc", rounds=3, seed=5)
HEADER = Header(
    ASKED, (Opening(), Opening("W:W21:B10", ("21-17",), "Æ", captures=True)), (("damd", "1"),), "2026-11-30T10:00:00Z"
)


def journal_of(folder: Path, pairs: int) -> tuple[str, list[PairRecord]]:
    file = str(folder / "journal.jsonl")
    _, records = play_out(ASKED, 2, drawn)
    with Journal.create(file, HEADER) as journal:
        for record in records[:pairs]:
            journal.append(record)
    return file, records


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    file, records = journal_of(tmp_path, 9)
    contents = read_journal(file)
    assert contents.header == HEADER
    assert list(contents.records) == records
    assert (contents.torn, contents.size) == (0, os.path.getsize(file))
    assert Path(file).read_bytes().isascii()


def test_every_setting_is_kept(tmp_path: Path) -> None:
    engine = EngineSpec(
        "a b",
        ("prog", "--x y"),
        options=(("Hash", "64"), ("Name", "é")),
        folder="/somewhere",
        environment=(("A", "1"),),
        time=parse_time_control("75/600+1"),
        restart="game",
    )
    asked = Tournament((engine, EngineSpec("c", ("c",))), "russian", format="match", sprt=Sprt(), margin_ms=20, recover=True)
    file = str(tmp_path / "journal.jsonl")
    Journal.create(file, Header(asked, (Opening(),))).close()
    assert read_journal(file).header.tournament == asked


def test_resume_is_the_plan_without_the_journal(tmp_path: Path) -> None:
    file, records = journal_of(tmp_path, 4)
    with Journal.resume(file) as journal:
        schedule = plan(journal.header.tournament, len(journal.header.openings), journal.records)
        left = left_to_play(schedule, journal.records)
        assert [pairing.id for pairing in left] == [record.pairing for record in records[4:]]
        for pairing in left:
            assert pairing.id not in journal
            journal.append(played(pairing, drawn))
            assert pairing.id in journal
    assert list(read_journal(file).records) == records


def test_a_line_torn_anywhere_is_taken_off_told_and_written_again(tmp_path: Path) -> None:
    file, records = journal_of(tmp_path, 3)
    whole = Path(file).read_bytes()
    before = whole.rstrip(b"\n").rindex(b"\n") + 1
    for end in range(before, len(whole)):
        contents = parse_journal(whole[:end], file)
        assert list(contents.records) == records[:2]
        assert (contents.torn, contents.size) == (end - before, before)
    for end in (before, before + 1, (before + len(whole)) // 2, len(whole) - 1):
        Path(file).write_bytes(whole[:end])
        with Journal.resume(file) as journal:
            assert journal.torn == end - before
            assert list(journal.records) == records[:2]
            journal.append(records[2])
        assert Path(file).read_bytes() == whole


def test_a_last_line_that_lost_its_middle_is_torn_too(tmp_path: Path) -> None:
    file, records = journal_of(tmp_path, 3)
    whole = Path(file).read_bytes()
    before = whole.rstrip(b"\n").rindex(b"\n") + 1
    holed = whole[: before + 30] + bytes(len(whole) - before - 40) + whole[-10:]
    assert len(holed) == len(whole)
    contents = parse_journal(holed, file)
    assert list(contents.records) == records[:2]
    assert contents.torn == len(whole) - before


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_is_none_is_a_fault(number: str, tmp_path: Path) -> None:
    file, _ = journal_of(tmp_path, 3)
    lines = Path(file).read_text(encoding="utf-8").splitlines(keepends=True)
    lines[1] = lines[1].replace("{", f'{{"seconds": {number}, ', 1)
    with pytest.raises(JournalError, match="this is no line of JSON") as fault:
        parse_journal("".join(lines).encode(), file)
    assert fault.value.line == 2


def test_a_header_torn_anywhere_is_no_journal_and_may_be_written_anew(tmp_path: Path) -> None:
    file, _ = journal_of(tmp_path, 0)
    whole = Path(file).read_bytes()
    for end in (0, 5, 20, len(whole) - 1):
        Path(file).write_bytes(whole[:end])
        with pytest.raises(JournalError, match="nothing was played in it"):
            Journal.resume(file)
        Journal.create(file, HEADER).close()
        assert Path(file).read_bytes() == whole


def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    for text in ('[Event "x"]\n', "no newline", '{"damd_match": 1}', '{"a": 1}\n', "\n"):
        file.write_text(text)
        with pytest.raises(JournalError):
            Journal.resume(str(file))
        if text != '{"damd_match": 1}':
            with pytest.raises(JournalError, match="is there already"):
                Journal.create(str(file), HEADER)
        assert file.read_text() == text


def test_nothing_is_journalled_twice(tmp_path: Path) -> None:
    file, records = journal_of(tmp_path, 2)
    size = os.path.getsize(file)
    with Journal.resume(file) as journal, pytest.raises(JournalError, match="pairing 1-1 is journalled already"):
        journal.append(records[0])
    assert os.path.getsize(file) == size
    lines = Path(file).read_bytes().splitlines(keepends=True)
    with pytest.raises(JournalError, match=r":4: pairing 1-1 is in line 2 already"):
        parse_journal(b"".join([*lines, lines[1]]), "journal.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row.update(pairng="x"), r'3: pairng: unknown key; did you mean "pairing"\?'),
        (lambda row: row.pop("pairing"), "3: pairing: is missing"),
        (lambda row: row["games"].pop(0), "3: games: game 1, or games 1 and 2, in that order"),
        (lambda row: row["games"][0].update(termination="no-move"), r'3: games\[1\].termination: "no-move" is not one of'),
        (lambda row: row["games"][0].update(winner=0), r"3: games\[1\]: winner: repetition does not go with a winner"),
        (lambda row: row["games"][0].update(winner=2), r"3: games\[1\]: winner: 0 is White"),
        (
            lambda row: row["games"][1].update(plies=[["21-17", "0"]]),
            r'3: games\[2\].plies\[1\].side: "0" is not of its kind',
        ),
        (lambda row: row["games"][1].update(plies=[["21-17"]]), r"3: games\[2\].plies\[1\]: .*side"),
        (
            lambda row: row["games"][1].update(plies=[[0] * 11]),
            r"3: games\[2\].plies\[1\]: must be a list of at most 10 values",
        ),
        (lambda row: row["games"][1].update(black="x"), "3: games: the second game has the colours of the first reversed"),
    ],
)
def test_a_line_at_fault_is_named(tmp_path: Path, change: object, message: str) -> None:
    file, _ = journal_of(tmp_path, 3)
    lines = Path(file).read_bytes().splitlines(keepends=True)
    row = json.loads(lines[2])
    change(row)  # type: ignore[operator]
    data = b"".join([*lines[:2], json.dumps(row).encode() + b"\n", *lines[3:]])
    Path(file).write_bytes(data)
    with pytest.raises(JournalError, match=message):
        Journal.resume(file)
    assert Path(file).read_bytes() == data
    with pytest.raises(JournalError, match=":3: this is no line of JSON"):
        parse_journal(b"".join([*lines[:2], lines[2][:50] + b"\n", *lines[3:]]), file)


def test_a_header_at_fault_is_named(tmp_path: Path) -> None:
    file, _ = journal_of(tmp_path, 0)
    row = json.loads(Path(file).read_bytes())
    for change, message in (
        ({"damd_match": 2}, "a journal of format 2: this damd knows format 1"),
        ({"config": 3}, "config: must be a table, not 3"),
        ({"openings": [{"fem": ""}]}, r'openings\[1\].fem: unknown key; did you mean "fen"\?'),
        ({"config": {**row["config"], "engine": []}}, "engine: a tournament is between 2 engines or more, not 0"),
    ):
        with pytest.raises(JournalError, match=message):
            parse_journal(json.dumps({**row, **change}).encode() + b"\n", file)


@pytest.mark.skipif(os.name == "nt", reason="opens a device of Unix")
def test_two_managers_cannot_write_the_same_journal(tmp_path: Path) -> None:
    file, records = journal_of(tmp_path, 1)
    again = f"from damd.match.journal import Journal\nJournal.resume({file!r})"
    with Journal.resume(file) as journal:
        run = subprocess.run([sys.executable, "-c", again], capture_output=True, text=True, check=False)
        assert run.returncode == 1
        assert "another manager is writing it" in run.stderr
        journal.append(records[1])
    assert subprocess.run([sys.executable, "-c", again], check=False).returncode == 0


@pytest.mark.parametrize("format_name", ["match", "round-robin", "gauntlet", "knockout", "swiss"])
def test_t07_stopped_twenty_times_and_resumed_the_tables_are_those_of_one_run(tmp_path: Path, format_name: str) -> None:
    if format_name == "swiss":
        pytest.importorskip("networkx")
    names = "ab" if format_name == "match" else "abcde"
    asked = tournament(names, format=format_name, rounds=10 if format_name == "match" else 3, seed=8)
    schedule, records = play_out(asked, 10, thrown)
    file, dice = str(tmp_path / "journal.jsonl"), random.Random(format_name)
    Journal.create(file, Header(asked, (Opening(),) * 10)).close()
    for stop in range(21):
        with Journal.resume(file) as journal:
            for _ in range(dice.randrange(6) if stop < 20 else 1000):
                left = left_to_play(plan(asked, 10, journal.records), journal.records)
                if not left:
                    break
                journal.append(played(dice.choice(left[:3]), thrown))
        size = os.path.getsize(file)
        os.truncate(file, size - dice.choice([0, 0, 1, 40]) * (stop < 20 and len(journal.records) > 0))
    contents = read_journal(file)
    assert len(contents.records) == len({record.pairing for record in contents.records}) == len(records)
    found = plan(asked, 10, contents.records)
    assert found == schedule
    assert standings(asked, found, contents.records) == standings(asked, schedule, records)
    # The files are the same, and counting their games again brings the same points.
    assert list(pdn_games(contents.header, found, contents.records)) == list(pdn_games(contents.header, schedule, records))
    recount = Counter[str]()
    for text in pdn_games(contents.header, found, contents.records):
        (read,) = read_games(BytesIO(text.encode()))
        assert read.game is not None
        winner = read.game.verdict.winner
        for side, name in enumerate((read.game.tag("White"), read.game.tag("Black"))):
            recount[name] += 1 if winner is None else 2 * (side == winner)
    byes = sum((Counter({bye.engine: bye.points}) for bye in found.byes), Counter[str]())
    assert {line.name: line.points for line in standings(asked, found, contents.records)} == dict(recount + byes)


class FullDisk:
    """Stands in for the file of a journal: so many bytes fit, then there is no more room."""

    def __init__(self, stream: FileIO, room: int) -> None:
        self._stream, self.room = stream, room

    def write(self, data: memoryview) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fits = min(self.room, len(data))
        self.room -= fits
        return self._stream.write(data[:fits])

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path, room: int) -> None:
    file, records = journal_of(tmp_path, 2)
    before = Path(file).read_bytes()
    with Journal.resume(file) as journal:
        disk = FullDisk(journal._stream, room)
        journal._stream = disk  # type: ignore[assignment]
        with pytest.raises(JournalError, match="No space left on device; 2 pairings are safe in it"):
            journal.append(records[2])
        assert Path(file).read_bytes() == before
        assert records[2].pairing not in journal
        disk.room = 1 << 20
        journal.append(records[2])
    assert list(read_journal(file).records) == records[:3]


def test_files_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be written: No such file or directory"):
        Journal.create(str(tmp_path / "none" / "journal.jsonl"), HEADER)
    with pytest.raises(JournalError, match="cannot go on with it: No such file or directory"):
        Journal.resume(str(tmp_path / "journal.jsonl"))
    with pytest.raises(JournalError, match="cannot read this file: Is a directory"):
        read_journal(str(tmp_path))


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(max_size=8)
PLIES = st.builds(
    PlyRecord,
    text=TEXTS,
    side=st.integers(0, 1),
    taken_ms=NUMBERS,
    clock_ms=st.none() | NUMBERS,
    over_ms=NUMBERS,
    latency_ms=st.none() | NUMBERS,
    score=st.none() | st.integers(),
    mate=st.none() | st.integers(),
    depth=st.none() | st.integers(),
    nodes=st.none() | st.integers(),
)


@st.composite
def games(draw: st.DrawFn) -> GameRecord:
    ended = draw(st.sampled_from([one for one in Termination if one is not Termination.INTERRUPTED]))
    tables = ended is Termination.ADJUDICATED_TABLES
    winner = None if ended in DRAWN else draw(st.sampled_from([0, 1, None] if tables else [0, 1]))
    return GameRecord(
        1, "a", "b", winner, ended, tuple(draw(st.lists(PLIES, max_size=3))), rule=draw(TEXTS), note=draw(TEXTS),
        exit_code=draw(st.none() | st.integers()), stderr=draw(TEXTS), started=draw(TEXTS), seconds=draw(NUMBERS),
    )  # fmt: skip


@given(found=st.lists(games(), max_size=4), cut=st.integers(0, 2000))
@settings(max_examples=30, deadline=None)
def test_whatever_is_played_reads_back_the_same_and_torn_loses_one_line(
    tmp_path_factory: pytest.TempPathFactory, found: list[GameRecord], cut: int
) -> None:
    file = str(tmp_path_factory.mktemp("journal") / "journal.jsonl")
    records = [
        PairRecord(f"{place}-1", (game, replace(game, number=2, white="b", black="a"))) for place, game in enumerate(found)
    ]
    with Journal.create(file, HEADER) as journal:
        for record in records:
            journal.append(record)
    data = Path(file).read_bytes()
    assert list(parse_journal(data, file).records) == records
    if records:
        start = data.rstrip(b"\n").rindex(b"\n") + 1
        end = start + cut % (len(data) - start)
        assert list(parse_journal(data[:end], file).records) == records[:-1]


@pytest.mark.parametrize(
    ("opening", "told"),
    [
        (Opening("", ("1-32",)), "openings[2]: 1-32: the piece on 1 is Black's, and White is to move"),
        (Opening("", ("22-18", "soon")), "openings[2]: soon: "),
        (Opening("W:W5"), "openings[2]: B: Black's pieces are missing"),
    ],
)
def test_a_journal_whose_openings_are_none_is_not_gone_on_with(opening: Opening, told: str, tmp_path: Path) -> None:
    file = str(tmp_path / "journal.jsonl")
    Journal.create(file, replace(HEADER, openings=(Opening(), opening))).close()
    before = Path(file).read_bytes()
    with pytest.raises(JournalError) as caught:
        Journal.resume(file)
    assert str(caught.value).startswith(f"{file}:1: {told}")
    assert Path(file).read_bytes() == before


@pytest.mark.parametrize("mark", ["2", "0", "true", '"1"', "1.0", "null"])
def test_a_journal_of_another_format_is_not_read(mark: str, tmp_path: Path) -> None:
    file, _ = journal_of(tmp_path, 1)
    data = Path(file).read_bytes().replace(b'"damd_match": 1', b'"damd_match": ' + mark.encode())
    with pytest.raises(JournalError, match=r"a journal of format .*: this damd knows format 1"):
        parse_journal(data, file)
