"""``damd play`` in a terminal and over pipes, with the real daemon."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from damd.core.position import Position
from damd.notation.plies import parse_ply
from damd.play import record
from damd.variants import load

pexpect = pytest.importorskip("pexpect")

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 120.0
PROMPT = r"\n(White|Black|White \(engine\)|Black \(engine\)|Game over)> "
ENVIRONMENT = {**os.environ, "TERM": "dumb", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")


class Terminal:
    """``damd play`` in a terminal of 80 columns and 24 rows; leaves no process behind."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        command = ["-m", "damd", "play", *arguments]
        environment = {**ENVIRONMENT, **(env or {})}
        self.child = pexpect.spawn(
            sys.executable, command, env=environment, encoding="utf-8", timeout=PATIENCE_S, dimensions=(24, 80)
        )
        self.all = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    def until(self, pattern: str = PROMPT) -> str:
        """What is said up to the pattern, by default the next prompt, that included."""
        self.child.expect(pattern)
        said = (self.child.before + self.child.after).replace("\r", "")
        assert "Traceback" not in said
        self.all += said
        return said

    def ask(self, line: str, pattern: str = PROMPT) -> str:
        self.child.sendline(line)
        return self.until(pattern)

    def end(self) -> int:
        """The exit code, after the end of output."""
        self.child.expect(pexpect.EOF)
        self.all += self.child.before
        assert "Traceback" not in self.all
        self.child.close()
        return int(self.child.exitstatus)


def piped(text: str | bytes, *arguments: str) -> tuple[int, str, str]:
    """All of ``text`` as input: exit code, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "damd", "play", *arguments],
        input=text.encode() if isinstance(text, str) else text,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_whole_game_to_its_end(tmp_path):
    file = tmp_path / "game"
    with Terminal("--level", "1", "--save", str(file)) as terminal:
        said = terminal.until()
        for _ in range(300):
            if "Game over>" in said:
                break
            if "/no)" in said:
                said = terminal.ask(re.search(r"\((yes|\d+)/", said)[1])
                continue
            listed = terminal.ask("moves")
            said = terminal.ask(re.search(r"(?:Captures|Moves|Missing a capture): (\S+)", listed)[1])
        assert re.search(r"(White|Black) wins: |A draw: ", said)
        assert terminal.ask("22-18").count("The game is over") == 1
        terminal.child.sendline("quit")
        assert terminal.end() == 0
    saved = record.load(str(file))
    assert saved.game.outcome is not None
    assert file.read_text().splitlines()[-1].startswith("result ")
    # What was shown is what the rules say: the same plies lead to the same end.
    again = Position(saved.game.rules)
    for played in saved.game.played:
        again.play(played.ply)
    assert again.outcome() == saved.game.outcome


def test_a_huff_claimed_by_the_person():
    with Terminal("--fen", "W:W32,31:B9,13,1:P9,13", "--level", "1") as terminal:
        said = terminal.until()
        assert "Black missed a capture. Take one of 9, 13 off the board? (9/13/no)" in said
        assert "[b]" in said
        said = terminal.ask("13")
        assert "White claims: Black's man on 13 is taken off for a missed capture." in said
        assert "White to move (you) - White 2, Black 2" in said
        said = terminal.ask("32-28")
        assert "Black plays " in said


def test_a_huff_claimed_by_the_engine():
    with Terminal("--fen", "W:W23:B19,1", "--level", "3") as terminal:
        terminal.until()
        assert "Captures: 23x16 Missing a capture: 23-18" in " ".join(terminal.ask("moves").split())
        said = " ".join(terminal.ask("23-18").split())
        assert "White missed a capture (23x16 was possible). Black may take 18 off the board." in said
        assert "Black claims: White's man on 18 is taken off for a missed capture." in said
        assert "Black wins: White has no piece left. Game over>" in said


def test_three_pieces_claimed_by_the_person_and_by_the_engine():
    fen = "W:WKa3,b3,c3,d3,Kc1:Bb5,d5,Ka9,c9,e9,b8,d8:P*3"
    with Terminal("dam-daman", "--fen", fen, "--depth", "1") as terminal:
        assert "Take any 3 of Black's pieces off the board?" in terminal.until()
        said = terminal.ask("a9 b5 d5")
        assert "Black's pieces on b5, d5 and a9 are taken off" in said
        assert "White 5, Black 4" in said
    with Terminal("dam-daman", "--fen", "W:WKa3,Kb3,Ka4:BKb4,Ke9,Kd8,Ke6", "--level", "3") as terminal:
        terminal.until()
        said = " ".join(terminal.ask("a4-a5", r"(Game over|White)> ").split())
        assert "White missed a capture" in said
        assert "Black may take any 3 of White's pieces off the board." in said
        assert "Black claims: White's pieces on a3, b3 and a5 are taken off for a missed capture." in said
        assert "Black wins: White has no piece left." in said


def test_undo_redo_save_and_load(tmp_path):
    file = tmp_path / "a game"
    with Terminal("--level", "1") as terminal:
        terminal.until()
        terminal.ask("22-18")
        terminal.ask("hint")
        after = terminal.ask("fen").split()[1]
        terminal.ask("undo")
        assert terminal.ask("fen").split()[1].endswith(":H0:F1")
        terminal.ask("redo")
        assert terminal.ask("fen").split()[1] == after
        assert "Saved to" in terminal.ask(f"save {file}")
        plies = terminal.ask("plies")
        terminal.child.sendline("quit")
        assert terminal.end() == 0
    with Terminal("--load", str(file), "--save", str(file)) as terminal:
        assert "with level 1" in terminal.until()
        assert terminal.ask("fen").split()[1] == after
        assert terminal.ask("plies") == plies
        terminal.ask("undo")
        assert not [line for line in file.read_text().splitlines() if line.startswith("ply")]
        assert "White resigns" in terminal.ask("resign")
        terminal.child.sendline("quit")
        assert terminal.end() == 0
    code, out, _ = piped("", "--load", str(file))
    assert code == 0
    assert "Black wins: White resigns." in out
    assert "Save the game?" not in out


def test_bad_input_and_the_end_of_input():
    with Terminal("--level", "1") as terminal:
        terminal.until()
        assert "There is no piece on 18." in terminal.ask("18-15")
        assert "Did you mean resign?" in terminal.ask("resing")
        assert "White>" in terminal.ask("")
        assert "1-32" in terminal.ask("77-78")
        assert "from 1 to 10" in terminal.ask("level 99")
        assert "Black plays" in terminal.ask("22 18")
        terminal.child.sendeof()
        terminal.until(re.escape("Save the game? (a file's name, or no) "))
        terminal.child.sendeof()
        terminal.until(r"Not saved\. The game was:")
        assert terminal.end() == 0


def test_ctrl_c_ends_no_game():
    with Terminal("--level", "10") as terminal:
        terminal.until()
        terminal.child.send("22-1")
        time.sleep(0.2)
        terminal.child.sendintr()
        assert "`quit` ends the game." in terminal.until()
        terminal.child.sendline("22-18")
        time.sleep(1.0)
        terminal.child.sendintr()
        assert "Interrupted. Black is to move" in terminal.until()
        assert "Taken back: 22-18." in terminal.ask("undo")
        assert "The engine now plays with level 1." in terminal.ask("level 1")
        assert "Black plays" in terminal.ask("22-17")


@pytest.fixture
def killable(tmp_path):
    """A command for ``--engine`` and the file in which its process says who it is."""
    script, pid = tmp_path / "engine.py", tmp_path / "pid"
    script.write_text(
        "import os, sys\nopen(sys.argv[1], 'w').write(str(os.getpid()))\nfrom damd.cli import main\nsys.exit(main([]))\n"
    )
    return f"'{sys.executable}' '{script}' '{pid}'", pid


def test_an_engine_that_is_killed(killable, tmp_path):
    command, pid = killable
    file = tmp_path / "game"
    with Terminal("--engine", command, "--level", "1") as terminal:
        terminal.until()
        terminal.ask("22-18")
        first = int(pid.read_text())
        # While the person thinks: it is started again for its next ply.
        os.kill(first, signal.SIGKILL)
        time.sleep(0.5)
        terminal.ask("level 10")
        listed = terminal.ask("moves")
        terminal.child.sendline(re.search(r"(?:Captures|Moves): (\S+)", listed)[1])
        terminal.until("Starting the engine.")
        while (second := pid.read_text()) in ("", str(first)):
            time.sleep(0.05)
        # While it thinks: told, and nothing is lost.
        time.sleep(1.0)
        os.kill(int(second), signal.SIGKILL)
        assert "The engine has ended with exit code -9" in " ".join(terminal.until().split())
        assert "Saved to" in terminal.ask(f"save {file}")
        assert "Black plays" in terminal.ask("level 1") + terminal.ask("go")
        terminal.child.sendline("quit")
        terminal.until(re.escape("Save the game? (a file's name, or no) "))
        terminal.child.sendline("no")
        assert terminal.end() == 0
    assert len(record.load(str(file)).game.played) == 3


def test_attributes_in_a_terminal_and_nowhere_else():
    with Terminal(env={"TERM": "xterm-256color", "NO_COLOR": ""}) as terminal:
        assert "\x1b[30;47m w \x1b[0m" in terminal.until(r"White> ")
    for arguments, env in ((["--no-color"], {"NO_COLOR": ""}), ([], {"NO_COLOR": "1"})):
        with Terminal(*arguments, env={"TERM": "xterm-256color", **env}) as terminal:
            assert "\x1b[30" not in terminal.until(r"White> ")
    assert "\x1b" not in piped("", "--side", "both")[1]


def test_scripts_are_answered_and_shown():
    code, out, err = piped("22-18\nmoves\nquit\nno\n", "--level", "1")
    assert (code, err) == (0, "")
    assert "White> 22-18\nBlack plays " in out
    assert out.endswith("Save the game? (a file's name, or no) no\n")
    code, out, err = piped(b"\xff\xfe\x00\n" + b"x" * 100_000 + b"\n22-18\n9-14", "--side", "both")
    assert (code, err) == (0, "")
    assert "1. 22-18 9-14\n" in out


def test_an_engine_plays_itself():
    code, out, _ = piped("", "--side", "none", "--level", "1", "--fen", "W:WK18:B9,1", "--nodes", "50")
    assert code == 0
    assert re.search(r"(White wins: Black has no piece left|A draw: |Black wins)", out)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing"], 1, "unknown variant"),
        (["--fen", "rubbish"], 1, "--fen: "),
        (["--fen", "W:W1:B2"], 1, "White's man on 1"),
        (["--load", "/no/such/file"], 1, "--load: /no/such/file: No such file"),
        (["--save", "/no/such/file"], 1, "cannot be written"),
        (["--save", str(ROOT / "README.md")], 1, "exists"),
        (["--engine", "/no/such/engine"], 1, "does not start"),
        (["--engine", "'"], 2, "--engine: "),
        (["--engine", ""], 2, "--engine: "),
        (["--load", "x", "--fen", "W:W1:B2"], 2, "--fen does not go with it"),
        (["dam", "--load", "x"], 2, "VARIANT does not go with it"),
        (["--first", "black", "--fen", "W:W31:B2"], 2, "--first does not go with it"),
        (["--variant-path", "/no/such/folder"], 1, "/no/such/folder"),
        (["--level", "0"], 2, "a number from 1 to 10 is needed"),
        (["--time", "0"], 2, "seconds from 0.01"),
        (["--depth", "3", "--nodes", "5"], 2, "not allowed with"),
        (["--side", "red"], 2, "invalid choice"),
    ],
)
def test_options_at_fault(arguments, code, message):
    found, out, err = piped("", *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


def test_options_of_the_game(tmp_path):
    (tmp_path / "mine.toml").write_text('base = "dam-haji"\n[names]\ntitle = "Mine"\n[penalty]\ntake = 0\n')
    own = ["mine", "--variant-path", str(tmp_path), "--first", "black", "--side", "black", "--level", "1"]
    code, out, err = piped("9-14\n", *own)
    assert (code, err) == (0, "")
    assert "Mine: you play Black" in out
    assert "White plays" in out
    code, out, _ = piped("c3-b4\n", "--squares", "algebraic", "--missed-capture", "forbidden", "--time", "0.05", "--flip")
    assert code == 0
    assert "1. c3-b4 " in out
    assert re.search(r"\n +h +g +f +e +d +c +b +a\n", out)


@pytest.mark.parametrize(("variant", "ply"), [("dam-haji-12", "43-37"), ("dam-daman", "c4-c5"), ("international", "32-28")])
def test_every_board_fits_into_80_columns_and_40_rows(variant, ply):
    code, out, _ = piped(f"{ply}\nmoves\nhelp\nrules\n", variant, "--level", "1")
    assert code == 0
    assert max(len(line) for line in out.split("\n") if not line.startswith("W:")) <= 80  # a FEN is one word
    turn = out[out.index("plays", out.index(ply)) : out.rindex("> moves")]
    assert turn.count("\n") <= 24
    rules = load(variant)
    assert parse_ply(ply, Position(rules)) in Position(rules).plies()
