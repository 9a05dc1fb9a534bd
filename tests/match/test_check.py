"""``damd check`` on engines that are processes: damd itself, and some that end badly."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from damd import variants
from damd.check import processes
from damd.check.control import Control
from damd.check.link import ProcessLink
from damd.check.model import Finding, Patience, Verdict
from damd.check.run import Wish, introduce, run_checks
from damd.check.table import CHECKS
from damd.cli import main
from faults import FAULTS
from talking import ROOT

HERE = Path(__file__).parent
OWN = (sys.executable, "-m", "damd")
#: The machine may be busy; what is not waited for need not be short.
PATIENCE = Patience(answer_s=60, search_s=120, end_s=30, quiet_s=0.02, think_s=0.04, budgets_ms=(20, 60), tries=2)
#: What a game may not have, or a late machine not tell.
LATE = {check.name for check in CHECKS if check.group == "time"} | {"stop"}
LACKING = {"claims", "kings", "one-ply"}


async def findings(command: Sequence[str], wish: Wish, names: Collection[str] = ()) -> list[Finding]:
    async with Control() as control:
        introduction = await introduce(lambda: ProcessLink(command), wish, PATIENCE, control, "dam-haji")
        checks = [check for check in CHECKS if not names or check.name in names or check.group in names]
        return [finding async for finding in run_checks(checks, introduction)]


def passes(variant: str, names: Collection[str] = ()) -> None:
    found = asyncio.run(findings(OWN, Wish(variant), names))
    failed = {
        finding.check.name: (finding.detail, finding.transcript) for finding in found if finding.verdict is Verdict.FAIL
    }
    assert not failed
    skipped = {finding.check.name: finding.detail for finding in found if finding.verdict is Verdict.SKIP}
    assert set(skipped) <= LACKING | LATE, skipped


def test_damd_passes_all_checks() -> None:
    passes("dam-haji")


@pytest.mark.parametrize("variant", [pytest.param("international", marks=pytest.mark.long), "dam-daman"])
def test_damd_passes_what_may_depend_on_the_game(variant: str) -> None:
    """Of the groups that hardly do one check each; all of all groups are in the long tests."""
    few = ("new-game", "defaults", "infinite-waits", "ponderhit", "clock-kept", "quit-thinking")
    passes(variant, ("positions", "search", *few))


@pytest.mark.long
@pytest.mark.parametrize("variant", variants.names())
def test_damd_passes_all_checks_in_every_game(variant: str) -> None:
    passes(variant)


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        ("sound", {"quit", "client-died", "nothing-left"}),
        ("leaves-child", {"quit", "nothing-left"}),
        ("exit-code", {"quit", "end-of-input", "client-died"}),
    ],
)
def test_an_engine_that_is_a_process(fault: str, names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "tests"))))
    found = asyncio.run(findings((sys.executable, str(HERE / "faulty_engine.py"), fault), Wish(), names))
    failed = {finding.check.name for finding in found if finding.verdict is Verdict.FAIL}
    assert failed == FAULTS[fault].fails & names
    if fault == "leaves-child":
        detail = next(finding.detail for finding in found if finding.check.name == "nothing-left")
        left = [int(word) for word in detail.rpartition(": ")[2].split(", ")]
        assert left
        assert not set(left) & set(processes.running()), "what an engine has left behind is ended"


def test_an_engine_that_ends_in_its_handshake_is_told_with_its_last_words() -> None:
    command = (sys.executable, str(ROOT / "tests" / "engines" / "misbehaving.py"), "die-in-handshake")
    found = asyncio.run(findings(command, Wish(), {"identity", "legal-plies"}))
    assert [finding.verdict for finding in found] == [Verdict.FAIL, Verdict.SKIP]
    assert "exit code 2; its last words on stderr: no such network file" in found[0].detail
    assert found[1].detail.startswith("without a handshake nothing else can be checked (")
    assert found[0].transcript[1] == "> uci"


#: What the small engine behind Hub does not say: scores and variations.
MUTE = {"told", "scores", "stop-at-once"}


def behind_hub(monkeypatch: pytest.MonkeyPatch, names: Collection[str] = ()) -> dict[str, Verdict]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "adapters"))))
    engine = f"{sys.executable} {ROOT / 'tests' / 'engines' / 'small_hub.py'} fine"
    command = (sys.executable, "-m", "damd_adapters.hub", "--engine", engine)
    return {finding.check.name: finding.verdict for finding in asyncio.run(findings(command, Wish(), names))}


def test_an_engine_behind_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"identity", "legal-plies", "told", "searchmoves", "nothing-left"}
    assert list(behind_hub(monkeypatch, names).values()) == [
        *(Verdict.PASS, Verdict.PASS),
        *(Verdict.FAIL, Verdict.SKIP, Verdict.PASS),
    ]


@pytest.mark.long
def test_an_engine_behind_an_adapter_fails_nothing_that_it_does_not_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    found = behind_hub(monkeypatch)
    assert {name for name, verdict in found.items() if verdict is Verdict.FAIL} == MUTE


# The command


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, list[str], str]:
    try:
        code: object = main(("check", *arguments))
    except SystemExit as left:
        code = left.code
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--list")
    assert code == 0
    assert [line.split()[:2] for line in out] == [[check.group, check.name] for check in CHECKS]
    _, out, _ = run(capsys, "--list", "--only", "time,quit", "--only", "stop")
    assert {line.split()[1] for line in out} == {check.name for check in CHECKS if check.group == "time"} | {"quit", "stop"}


def test_a_table_and_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--only", "identity,quit", "--variant", "thai")
    assert code == 0
    assert out[0].endswith(", playing Thai draughts")
    assert [line.split()[:3] for line in out[1:3]] == [["pass", "handshake", "identity"], ["pass", "ending", "quit"]]
    assert out[3] == "2 passed, 0 failed, 0 skipped"
    engine = str(ROOT / "tests" / "engines" / "misbehaving.py")
    code, out, _ = run(capsys, "--only", "game,same-plies,start", sys.executable, engine, "chatter-on-stderr")
    assert code == 1
    assert [line.split()[:3] for line in out if line.startswith(("pass", "fail", "skip"))] == [
        ["skip", "handshake", "game"],
        ["fail", "positions", "start"],
        ["fail", "positions", "same-plies"],
    ]
    assert "      > go depth 1" in out
    assert "      < bestmove 1-2" in out
    assert out[-1] == "0 passed, 2 failed, 1 skipped"


def test_objects_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    engine = f"{sys.executable} {ROOT / 'tests' / 'engines' / 'misbehaving.py'} chatter-on-stderr"
    code, out, _ = run(capsys, "--json", "--only", "identity,start", "--engine", engine)
    assert code == 1
    identity, start, whole = map(json.loads, out)
    assert (identity["verdict"], identity["detail"], identity["transcript"]) == ("pass", "Misbehaving", [])
    assert (start["group"], start["check"], start["verdict"]) == ("positions", "start", "fail")
    assert "> position startpos" in start["transcript"]
    assert whole == {"engine": "Misbehaving", "variant": "dam-haji", "pass": 1, "fail": 1, "skip": 0}


def test_options_reach_the_engine_and_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--json", "--only", "same-plies,claims,defaults", "--option", "Squares=algebraic")
    code, out, _ = run(capsys, *words, "--missed-capture", "forbidden")
    defaults, claims, plies, _ = map(json.loads, out)
    assert (code, defaults["verdict"], plies["verdict"]) == (0, "pass", "pass")
    assert claims["detail"] == "dam-haji has no position with a right to claim"


def test_a_game_of_the_users_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('base = "dam-haji"\ncapture.removal = "end-of-move"\n')
    code, out, _ = run(capsys, "--only", "same-plies,game", "--variant", "house", "--variant-path", str(tmp_path))
    assert (code, out[-1]) == (0, "2 passed, 0 failed, 0 skipped")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("no-such-program",), 1, "damd: cannot start no-such-program: No such file or directory\n"),
        (("--variant", "nothing"), 1, 'damd: unknown variant "nothing"'),
        (("--engine", "a 'b"), 2, "damd: --engine a 'b: No closing quotation\n"),
        (("--engine", " "), 2, "damd: --engine needs a command\n"),
        (("--engine", "a", "b"), 2, "damd: which engine? both --engine a and b are named\n"),
        (("--only", "serach"), 2, "no check or group 'serach', did you mean search?\n"),
        (("--option", "Hash"), 2, "'Hash' is not of the form NAME=VALUE\n"),
        (("--budgets", "10,x"), 2, "a number from 1 to 60000 is needed, not 'x'\n"),
        (("--tries", "0"), 2, "a number from 1 to 1000 is needed, not '0'\n"),
    ],
    ids=str,
)
def test_what_cannot_be_checked(words: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, err = run(capsys, *words)
    assert (found, out) == (code, [])
    assert said in err
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_check_leaves_no_process(signalled: signal.Signals) -> None:
    command = [*OWN, "check", "--only", "identity,choices"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as checker:
        assert checker.stdout is not None
        assert [checker.stdout.readline()[:4] for _ in range(2)] == ["damd", "pass"]
        while not (started := processes.offspring(checker.pid)) and checker.poll() is None:
            pass
        checker.send_signal(signalled)
        out, err = checker.communicate(timeout=60)
    assert (checker.returncode, out, err) == (130, "", "")
    assert not processes.alive(started)


def test_an_option_that_the_engine_refuses_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--only", "depth", "--option", "Temper=3")
    assert code == 1
    assert "setting up the game is refused: error unknown-option Temper" in out[1]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("pass", "the engine has ended with exit code 0"),
        ("import sys\nfor line in sys.stdin: print(line, end='', flush=True)", "no uciok within 1 s"),
        ("import time\nprint('uciok', flush=True)\ntime.sleep(60)", "no readyok within 1 s"),
        ("while True: print('uciok')", "the last one uciok"),
    ],
    ids=["ends", "echoes", "never ready", "floods"],
)
def test_of_what_is_no_engine_the_rest_is_skipped_in_one_line(
    program: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "program.py").write_text(program)
    words = ["check", "--timeout", "1", "--only", "ready,depth,quit,movetime-kept"]
    assert main([*words, sys.executable, str(tmp_path / "program.py")]) == 1
    *_, rest, counts = capsys.readouterr().out.splitlines()
    assert rest.startswith("skip  all 3 others: without a handshake nothing else can be checked (")
    assert why in rest
    assert counts == "0 passed, 1 failed, 3 skipped"
