"""The self-play script itself: short real matches, tactics, the clock test, and what it refuses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import strength
from benchmarks.selfplay import report
from benchmarks.selfplay.opponents import make_player
from benchmarks.selfplay.players import BUILT_IN, environment, launch_words
from benchmarks.selfplay.tactics import read_problems

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks" / "strength.py"

#: The games of the rule texts.
TEXTS = ("dam-haji", "dam-haji-10", "dam-haji-10-20", "dam-haji-12", "dam", "dam-daman")


# Real matches


def test_a_short_match(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--variant", "dam-haji,dam-daman", "--games", "2", "--seed", "5", "--depth", "1", "--max-plies", "120"]
    outputs = []
    for _ in range(2):
        assert strength.main(["--a", str(ROOT), "--b", str(ROOT), *words, "--markdown", "a|b"]) == 0
        outputs.append(capsys.readouterr().out)
    out = outputs[0]
    assert "A: damd " in out
    assert "core " in out
    assert "seed 5" in out
    for name, games in (("dam-haji", 2), ("dam-daman", 2), ("all", 4)):
        found = re.search(rf"^{name} +(\d+) +(\d+) +(\d+) +(\d+)   ([\d.]+)", out, re.MULTILINE)
        assert found, out
        total, won, drawn, lost = (int(found[group]) for group in range(1, 5))
        assert total == games == won + drawn + lost
        assert float(found[5]) == pytest.approx(100 * (won + drawn / 2) / games, abs=0.05)
    assert re.search(r"^A: \d+ plies, depth 1.00 on average, [\d,]+ nodes/s$", out, re.MULTILINE), out
    line = out.splitlines()[-1]
    assert line.startswith("| a\\|b | dam-daman, dam-haji | depth 1 | 4 | ")
    assert line.endswith(" | 5 |")
    assert line.count("|") - 1 == 1 + len(report.COLUMNS.split(", "))
    without_speed = [re.sub(r"[\d,]+ nodes/s", "", text) for text in outputs]
    assert without_speed[0] == without_speed[1], "the seed decides everything at a fixed depth"


def test_built_in_opponents_play(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--variant", "dam-haji,international", "--games", "4", "--seed", "2", "--nodes", "1", "--concurrency", "2"]
    assert strength.main(["--a", "greedy", "--b", "random", *words]) == 0
    out = capsys.readouterr().out
    assert "A: greedy (built in)\nB: random (built in)\n" in out
    assert re.search(r"^dam-haji +4 +4 +0 +0", out, re.MULTILINE), out
    words = ["--variant", "dam", "--games", "2", "--seed", "2", "--depth", "2"]
    assert strength.main(["--a", str(ROOT), "--b", "random", *words]) == 0
    assert re.search(r"^dam +2 +2 +0 +0", capsys.readouterr().out, re.MULTILINE)


def test_odds(capsys: pytest.CaptureFixture[str]) -> None:
    """A searches eight times as many nodes, whichever side it plays."""
    words = ["--variant", "dam", "--games", "2", "--seed", "4", "--nodes", "500", "--odds", "8", "--max-plies", "30"]
    assert strength.main(["--a", str(ROOT), "--b", str(ROOT), *words, "--markdown", "eightfold"]) == 0
    out = capsys.readouterr().out
    assert "nodes 500, A's 8 times that, at most 30 plies" in out
    assert "| eightfold | dam | nodes 500, A's 8 times that | 2 |" in out
    depths = [float(depth) for depth in re.findall(r"^[AB]: \d+ plies, depth ([\d.]+)", out, re.MULTILINE)]
    assert depths[0] > depths[1] + 2


def test_missed_captures_can_be_forbidden(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--variant", "dam-daman", "--games", "2", "--seed", "1", "--depth", "1", "--missed-capture", "forbidden"]
    assert strength.main(["--a", str(ROOT), "--b", "random", *words]) == 0
    assert "missed capture forbidden" in capsys.readouterr().out


#: An engine of which only the handshake is in order.
CARELESS = """
import os, sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name careless,", os.environ.get("PYTHONPATH", "no path"))
        print("option name UCI_Variant type combo default dam var dam\\nuciok")
    elif word == "isready":
        print("readyok")
    elif word == "quit":
        break
    elif word == "go" and "crash" in sys.argv:
        sys.exit("what a pity")
    elif word == "go":
        time.sleep(0.02 if "slow" in sys.argv else 0)
        print("bestmove 22-22")
    sys.stdout.flush()
"""


@pytest.mark.parametrize(("manner", "reason", "said"), [("crash", "crash", "what a pity"), ("", "illegal-ply", "22-22")])
def test_careless_engines_lose(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    manner: str,
    reason: str,
    said: str,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    engine = tmp_path / "careless.py"
    engine.write_text(CARELESS)
    words = ["--variant", "dam", "--games", "4", "--seed", "1", "--movetime", "50"]
    assert strength.main(["--a", f"{sys.executable} {engine} {manner}", "--b", "random", *words]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^dam +4 +0 +0 +4", out, re.MULTILINE), out
    assert out.startswith("A: careless, no path; "), "another checkout's engine must not run this checkout's code"
    faults = [line for line in out.splitlines() if line.startswith("fault: ")]
    assert len(faults) == 4, "the engine is started again after a crash"
    assert all(f"A {reason}: " in line and said in line for line in faults)
    assert faults[0].startswith("fault: dam, pair 1, game 1: ")
    assert f"ended by: {reason} 4" in out


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process")
def test_an_interrupted_match_tells_what_it_has(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    pids = tmp_path / "pids"
    engine.write_text(f"import os\nopen({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n{CARELESS}")
    command = f"{sys.executable} {engine} slow"
    words = ["--a", command, "--b", command, "--variant", "dam", "--games", "200", "--depth", "1"]
    process = subprocess.Popen([sys.executable, SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "of 100 pairs" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert re.search(r"^interrupted after \d+ of 100 pairs$", err, re.MULTILINE), err
    assert "illegal-ply" in out
    running = [int(pid) for pid in pids.read_text().split()]
    assert len(running) == 2, "processes are kept over games"
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in running) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in running)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--b", "random", "--variant", "dam", "--games", "3", "--depth", "1"], "even number"),
        (["--b", "random", "--variant", "dam"], "how long"),
        (["--b", "random", "--depth", "1"], "--variant"),
        (["--variant", "dam", "--depth", "1"], "--b"),
        (["--b", "random", "--variant", "damm", "--depth", "1"], "damm"),
        (["--b", "random", "--variant", "dam", "--tc", "100"], "BASE_MS"),
        (["--b", str(ROOT / "tests"), "--variant", "dam", "--depth", "1"], "no checkout"),
        (["--b", "no-such-engine", "--variant", "dam", "--depth", "1"], "cannot start"),
        (["--b", "random", "--variant", "dam", "--depth", "1", "--option-b", "Hash=1"], "no options"),
        (["--b", "random", "--variant", "dam", "--depth", "1", "--option-a", "Hash"], "NAME=VALUE"),
        (["--b", str(ROOT), "--variant", "dam", "--depth", "1", "--option-b", "Hsah=1"], "did you mean Hash"),
        (["--b", str(ROOT), "--variant", "dam", "--depth", "1", "--option-b", "MissedCapture=rule"], "--missed-capture"),
        (["--clock-test", "--variant", "dam", "--concurrency", "2"], "one game at a time"),
        (["--b", "random", "--variant", "dam", "--depth", "1", "--odds", "2"], "--odds are of"),
        (["--tactics", "no-such-file"], "no-such-file"),
    ],
)
def test_what_cannot_be_measured(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    side = "random" if "--option-a" not in words and "--clock-test" not in words else str(ROOT)
    assert strength.main(["--a", side, *words]) == 2
    assert said in capsys.readouterr().err


def test_how_a_side_is_started(tmp_path: Path) -> None:
    (tmp_path / "damd").mkdir()
    (tmp_path / "damd" / "__main__.py").touch()
    assert launch_words(str(tmp_path)) == ([sys.executable, "-m", "damd"], tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    assert launch_words(str(tmp_path))[0][0] == str(tmp_path / ".venv" / "bin" / "python")
    assert environment(["damd"], None).keys().isdisjoint({"PYTHONPATH", "PYTHONSAFEPATH"})
    assert environment(["python", "-m", "damd"], None)["PYTHONSAFEPATH"] == "1"
    assert "PYTHONSAFEPATH" not in environment(["python", "-m", "damd"], tmp_path)
    assert launch_words("env A=1 'my engine' --x") == (["env", "A=1", "my engine", "--x"], None)
    assert {make_player(name, {}).describe() for name in BUILT_IN} == {"random (built in)", "greedy (built in)"}


# Tactics


TACTICS = [
    {"variant": "dam-haji", "fen": "W:W27,29:B3,10,16,23,24", "best": ["27x20x11", "27x18"], "note": "takes"},
    {"variant": "international", "fen": "W:W28,32:B22", "best": "28x17"},
    {"variant": "dam-haji", "fen": "W:W22:B18,5", "best": "22-17", "note": "wrong on purpose"},
]


def test_tactics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "positions.jsonl"
    file.write_text("\n\n".join(json.dumps(line) for line in TACTICS))
    assert strength.main(["--a", str(ROOT), "--tactics", str(file), "--depth", "3"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^dam-haji, line 5: 22x15 instead of 22-17 at depth \d+, \d+ ms: wrong on purpose$", out, re.MULTILINE)
    assert out.endswith("dam-haji: 1 of 2 solved\ninternational: 1 of 1 solved\nall: 2 of 3 solved\n")
    assert strength.main(["--a", "greedy", "--tactics", str(file)]) == 0
    assert out.endswith(capsys.readouterr().out[-len("all: 2 of 3 solved\n") :])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"variant": "dam", "fen": "W:W28,32:B22"}', "lacks 'best'"),
        ('{"variant": "dam", "fen": "W:W28,28:B22", "best": "28-24"}', "used twice"),
        ('{"variant": "dam", "fen": "W:W30:B1", "best": "30-2"}', "30-2"),
        ('{"variant": "dam", "fen": "W:W30:B1", "best": []}', "no best ply"),
        ('{"variant": "domino", "fen": "W:W30:B1", "best": "30-25"}', "domino"),
        ("dam", "Expecting value"),
        ("[1]", "indices"),
    ],
)
def test_bad_tactics(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "positions.jsonl"
    file.write_text("\n" + line)
    with pytest.raises(ValueError, match=f"line 2: .*{re.escape(said)}"):
        read_problems(file)
    file.write_text("\n")
    with pytest.raises(ValueError, match="no positions"):
        read_problems(file)


# The clock


def clock_test(command: str, *words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: the arbiter is not to wait for this one's threads and garbage."""
    line = [sys.executable, str(SCRIPT), "--a", command, "--clock-test", *words]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("variant", TEXTS)
@pytest.mark.parametrize(
    ("games", "plies"), [pytest.param(20, 80, id="some"), pytest.param(200, 300, id="all", marks=pytest.mark.long)]
)
def test_the_clock(variant: str, games: int, plies: int) -> None:
    """100 ms + 10 ms over a pipe: no overrun above 50 ms that is not the machine's.

    The machine's is what a process that only sleeps was late as well, or what damd was kept from a processor.
    """
    words = ["--variant", variant, "--games", str(games), "--seed", "3", "--max-plies", str(plies)]
    done = clock_test(str(ROOT), *words)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100+10 ms" in done.stdout
    counts = re.findall(r"^[AB]: (\d+) plies, .* overruns", done.stdout, re.MULTILINE)
    slept = re.search(r"^control: (\d+) plies slept through", done.stdout, re.MULTILINE)
    assert slept
    assert int(slept[1]) == sum(int(count) for count in counts) > 10 * games
    assert done.stdout.splitlines()[-1] == "overruns above 50 ms that the control does not share: 0"


def test_the_clock_test_finds_an_overrun(tmp_path: Path) -> None:
    engine = tmp_path / "late.py"
    engine.write_text(CARELESS.replace("0.02", "0.5").replace("22-22", "resign"))
    done = clock_test(f"{sys.executable} {engine} slow", "--variant", "dam", "--games", "2", "--seed", "1")
    assert done.returncode == 1, done.stderr
    overruns = re.findall(
        r"^overrun: dam, pair 1, game \d, ply 3, [AB] took ([\d.]+) ms of 100.0", done.stdout, re.MULTILINE
    )
    assert len(overruns) == 2, done.stdout
    assert all(float(taken) >= 500 for taken in overruns)
    assert "overruns above 50 ms that the control does not share: 2\n" in done.stdout
