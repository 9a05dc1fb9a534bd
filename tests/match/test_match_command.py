"""``damd match`` as a command: exit codes, events, views, and runs that were interrupted, killed and gone on with."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from commands import Ended, damd
from damd import cli
from damd.match.events import EVENTS
from damd.match.journal import read_journal
from damd.match.views.report import Report
from match_runs import DAMD, ENGINES, begun, engine_text, left_over, wait_for_nobody

FAKE = (sys.executable, str(ENGINES / "contestant.py"))
TWO = ("--engine", engine_text("a", (*FAKE, "fine")), "--engine", engine_text("b", (*FAKE, "fine")))
#: Engines that play the same whenever they are asked, so that tables can be compared.
LIMITED = f"""
[tournament]
variant = "dam-haji"
rounds = 2
seed = 11
time = "nodes=20"
[adjudication]
max_plies = 30
[[engine]]
name = "a"
command = {json.dumps(DAMD)}
[[engine]]
name = "b"
command = {json.dumps(DAMD)}
time = "nodes=60"
options = {{ Hash = 1 }}
"""
LIMITED_PLIES = 4 * 30


def match(*words: str, folder: Path) -> Ended:
    return damd("match", *words, folder=folder)


def results(journal: Path) -> dict[str, Any]:
    """What was played, without times and places."""
    return {
        record.pairing: [
            (
                game.number,
                game.white,
                game.black,
                game.winner,
                game.termination,
                [(ply.text, ply.score) for ply in game.plies],
            )
            for game in record.games
        ]
        for record in read_journal(str(journal)).records
    }


def events_until(process: subprocess.Popen[bytes], kind: str, count: int) -> list[dict[str, Any]]:
    """Its events, up to the one that is the countth of its kind, or to the end."""
    assert process.stdout is not None
    found = []
    for line in process.stdout:
        found.append(json.loads(line))
        count -= found[-1]["event"] == kind
        if not count:
            break
    return found


def limited(folder: Path) -> str:
    """The file of a short tournament, journalled in ``match.jsonl``."""
    (folder / "match.toml").write_text(LIMITED)
    return "match.toml"


def test_engines_from_the_command_line_a_journal_and_its_views(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.openings").write_text("21-17 10-14\n22-17 9-13\n")
    words = ["--games", "2", "--seed", "5", "--tc", "nodes=10", "--openings", "mine.openings", "--pdn", "games.pdn"]
    done = match(*TWO, *words, folder=tmp_path)
    assert done.code == 0, done.err
    assert done.lines[0] == "dam-haji, match of a, b: 2 games; seed 5; journal match.jsonl"
    assert done.lines[2].startswith("1/2  1-1.1  ")
    assert "a against b: " in done.out
    assert done.lines[1] == f"warning: {tmp_path / 'mine.openings'}: 2 openings (1 capture)"
    assert done.err == ""
    assert (tmp_path / "games.pdn").read_text().count("[White ") == 2
    monkeypatch.chdir(tmp_path)
    assert cli.main(["match", "--report", "match.jsonl", "--csv", "-"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert cli.main(["match", "--report", "match.jsonl"]) == 0
    assert capsys.readouterr().out in done.out
    taken = match(*TWO, "--games", "2", folder=tmp_path)
    assert taken.code == 1
    assert "match.jsonl: is there already" in taken.err
    over = match("--resume", "match.jsonl", folder=tmp_path)
    assert (over.code, "2 of 2 games" in over.out) == (0, True)


def test_a_file_and_what_goes_before_it(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(
        f"""
        [tournament]
        variant = "international"
        rounds = 1
        seed = 3
        time = "nodes=10"
        [[engine]]
        name = "a"
        command = {json.dumps([*FAKE, "fine"])}
        [[engine]]
        name = "b"
        command = {json.dumps([*FAKE, "fine"])}
        """
    )
    plan = match("cup.toml", "--dry-run", "--games", "4", "--variant", "dam-haji", "--tc", "60+0.6", folder=tmp_path)
    assert plan.code == 0, plan.err
    assert plan.lines[0].endswith("contestant.py fine, 60+0.6")
    assert plan.lines[-1] == "4 games of 2 engines, tournament's seed 3"
    assert os.listdir(tmp_path) == ["cup.toml"], "a plan leaves nothing behind"
    assert any(line.startswith("1-1.1  a - b  ballot ") for line in plan.lines)
    other = match("cup.toml", "--dry-run", "--games", "4", "--variant", "dam-haji", "--seed", "4", folder=tmp_path)
    assert other.lines[-5:-1] != plan.lines[-5:-1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "what is to be played?"),
        (("--engine", "damd"), 2, "2 engines or more"),
        (("--engine", "name=a", "--engine", "damd"), 2, "no command"),
        (("--engine", "nmae=a cmd=damd", "--engine", "damd"), 2, 'did you mean "name"?'),
        (("cup.toml", "--engine", "damd"), 2, "FILE and --engine"),
        (("--resume", "x.jsonl", "--games", "2"), 2, "--games: the journal says"),
        ((*TWO, "--games", "3"), 2, "an even number, not 3"),
        ((*TWO, "--tc", "soon"), 2, "'soon' is no time control"),
        ((*TWO, "--sprt", "5,0"), 2, "two numbers"),
        ((*TWO, "--format", "cup"), 2, "--format: cup"),
        ((*TWO, "--events", "--csv", "-"), 2, "cannot both be on stdout"),
        (("cup.toml",), 1, "cup.toml: cannot read this file"),
        (("--resume", "x.jsonl"), 1, "x.jsonl: cannot go on with it"),
        (("--report", "x.jsonl"), 1, "x.jsonl: cannot read this file"),
        ((*TWO, "--variant", "nothing"), 1, 'unknown variant "nothing"'),
        ((*TWO, "--openings", "none.pdn"), 1, "none.pdn: cannot read this file"),
        ((*TWO, "--journal", "no/where.jsonl"), 1, "no/where.jsonl: cannot be written"),
        ((*TWO, "--concurrency", "999"), 1, "999 games at once are too many"),
        (("--engine", "name=a cmd=no-such-program", *TWO[2:], "--games", "2"), 1, "cannot start no-such-program"),
    ],
    ids=lambda value: " ".join(value[-2:]) if isinstance(value, tuple) else None,
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(
    words: tuple[str, ...],
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["match", *words]) == code
    err = capsys.readouterr().err
    assert said in err.splitlines()[-1], err


def test_more_games_than_processors_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from damd.match import runner

    monkeypatch.setattr(runner, "processors", lambda: [0])
    with pytest.raises(runner.TooMany, match="2 games at once on 1 processors"):
        runner.check_concurrency(2)
    runner.check_concurrency(2, overload=True)
    runner.check_concurrency(1)


def test_a_breakdown_ends_with_1_and_the_way_to_go_on(tmp_path: Path) -> None:
    words = ("--engine", engine_text("bad", (*FAKE, "crash")), *TWO[2:], "--games", "4", "--events")
    done = match(*words, folder=tmp_path)
    assert done.code == 1
    assert done.faults[-1].endswith("go on with: damd match --resume match.jsonl")
    assert json.loads(done.lines[-1])["reason"] == "breakdown"
    done = match("--resume", "match.jsonl", "--recover", folder=tmp_path)
    assert (done.code, "4 of 4 games" in done.out) == (0, True)
    assert "bad: 4 of 4 games lost by breaking down" in done.out


def test_events_are_lines_of_json(tmp_path: Path) -> None:
    done = match(*TWO, "--games", "2", "--tc", "nodes=10", "--sprt=-5,5", "--events", folder=tmp_path)
    events = [json.loads(line) for line in done.lines]
    assert events[0]["event"] == "run-start"
    assert events[-1]["event"] == "run-end"
    keys = {kind.KIND: {field.name for field in fields(kind)} for kind in EVENTS}
    for event in events:
        assert set(event) - {"event"} == keys[event["event"]]
    kinds = Counter(event["event"] for event in events)
    assert (kinds["game-start"], kinds["game-end"], kinds["pair-end"]) == (2, 2, 1)
    assert {"move", "standings", "sprt"} <= set(kinds)


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    process = begun(limited(tmp_path), "--events", folder=tmp_path, mark=str(tmp_path))
    events_until(process, "pair-end", 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out.splitlines()[-1])["reason"] == "interrupted"
    assert b"go on with: damd match --resume match.jsonl" in err
    assert b"Traceback" not in err
    assert 1 <= len(results(tmp_path / "match.jsonl")) <= 2
    assert left_over(str(tmp_path)) == []


def test_a_run_that_another_damd_has_begun_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["match", *TWO, "--games", "2", "--tc", "nodes=1"]) == 0
    assert cli.main(["match", "--resume", "match.jsonl"]) == 0
    assert "begun by" not in capfd.readouterr().out
    journal = tmp_path / "match.jsonl"
    journal.write_bytes(re.sub(rb'"versions": {"damd": "[^"]*"', b'"versions": {"damd": "0.0.1"', journal.read_bytes()))
    assert cli.main(["match", "--resume", "match.jsonl"]) == 0
    assert "warning: it was begun by damd 0.0.1, and goes on with damd " in capfd.readouterr().out


def killed_and_resumed(folder: Path, moments: list[int], *played: str, at_once: int = 1) -> None:
    """Kill the manager at each of these moves after its start; then let it play to the end."""
    run = ("--events", "--concurrency", str(at_once), "--overload")
    words: tuple[str, ...] = (limited(folder), *played, *run)
    for moment in moments:
        process = begun(*words, folder=folder, mark=str(folder))
        events_until(process, "move", moment)
        process.kill()
        _, err = process.communicate(timeout=60)
        assert b"Traceback" not in err
        wait_for_nobody(str(folder))
        if (folder / "match.jsonl").exists():
            words = ("--resume", "match.jsonl", *run)
    assert match(*words, folder=folder).code == 0


def test_killed_at_any_moment_it_comes_to_the_same(tmp_path: Path) -> None:
    (whole := tmp_path / "whole").mkdir()
    (broken := tmp_path / "broken").mkdir()
    assert match(limited(whole), folder=whole).code == 0
    dice = random.Random(time.time_ns())
    moments = [dice.randint(1, LIMITED_PLIES // 3) for _ in range(2)]
    killed_and_resumed(broken, moments)
    assert results(broken / "match.jsonl") == results(whole / "match.jsonl"), moments
    tables = [Report(read_journal(str(folder / "match.jsonl"))).standings() for folder in (whole, broken)]
    assert tables[0] == tables[1], moments


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_killed_twenty_times_it_comes_to_the_same(tmp_path: Path) -> None:
    (whole := tmp_path / "whole").mkdir()
    games = ("--games", "20")
    assert match(limited(whole), *games, folder=whole).code == 0
    assert len(results(whole / "match.jsonl")) == 10
    for seed in range(10):
        (broken := tmp_path / str(seed)).mkdir()
        dice = random.Random(seed)
        killed_and_resumed(broken, [dice.randint(1, 250) for _ in range(2)], *games, at_once=1 + seed % 3)
        assert results(broken / "match.jsonl") == results(whole / "match.jsonl")


def test_what_an_option_makes_right_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor of the defaults, where there is no file."""
    monkeypatch.chdir(tmp_path)
    engines = "".join(f'[[engine]]\nname = "{name}"\ncommand = "x"\nprotocol = "dxp"\n' for name in "abc")
    Path("cup.toml").write_text(f'[tournament]\nvariant = "nothing"\nformat = "match"\n{engines}')
    game, time = ("--variant", "international"), ("--tc", "5:00")
    assert cli.main(["match", "cup.toml", "--dry-run", *game, *time, "--format", "round-robin", "--games", "2"]) == 0
    assert cli.main(["match", "cup.toml", "--dry-run"]) == 1
    faults = capsys.readouterr().err.splitlines()
    assert len(faults) == len(set(faults)) == 5, "each fault is told once"
    named = [word for name in "ab" for word in ("--engine", f"name={name} cmd=x protocol=dxp")]
    assert cli.main(["match", *named, "--dry-run", *game, *time]) == 0
    assert cli.main(["match", *named, "--dry-run", *game]) == 1
    assert "DXP knows no increment" in capsys.readouterr().err
