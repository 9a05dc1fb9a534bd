"""What protocol.md and README.md show is what the daemon says."""

from __future__ import annotations

import re

import pytest

from damd.cli import main
from damd.protocol.commands import COMMANDS
from damd.protocol.errors import Code
from talking import ROOT, Dialogue, dialogues, run

PROTOCOL = ROOT / "protocol.md"
ALL = [dialogue for name in ("protocol.md", "README.md") for dialogue in dialogues(ROOT / name)]


@pytest.mark.sample
@pytest.mark.parametrize("dialogue", ALL, ids=str)
def test_dialogue(dialogue: Dialogue):
    run(dialogue)


def test_every_command_has_a_dialogue():
    sent = {line.split()[1] for dialogue in dialogues(PROTOCOL) for line in dialogue.lines if line.startswith("> ")}
    assert {command.name for command in COMMANDS} <= sent


def test_every_error_that_a_script_can_cause_is_shown():
    shown = {line.split()[2] for dialogue in dialogues(PROTOCOL) for line in dialogue.lines if line.startswith("< error ")}
    # The others need a folder, a broken file, a flood of bytes or a defect.
    assert shown == {code.text for code in Code} - {
        "bad-variant",
        "no-memory",
        "too-many-plies",
        "too-long",
        "bad-encoding",
        "internal",
    }


def test_the_tables_are_up_to_date(capsys):
    assert main(["docs", "--check", str(PROTOCOL)]) == 0, capsys.readouterr().err


def test_docs_finds_and_repairs_a_stale_table(tmp_path, capsys):
    stale = tmp_path / "protocol.md"
    stale.write_text(re.sub(r"\| `readyok` .*\n", "| |\n", PROTOCOL.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    stale.write_text(stale.read_text(encoding="utf-8").replace("| `bad-fen` |", "| `worse-fen` |"), encoding="utf-8")
    assert main(["docs", "--check", str(stale)]) == 1
    assert "out of date" in capsys.readouterr().err
    assert main(["docs", "--write", str(stale)]) == 0
    assert main(["docs", "--check", str(stale)]) == 0
    stale.write_text("no table\n", encoding="utf-8")
    assert main(["docs", "--check", str(stale)]) == 1
    assert main(["docs", "--check", str(tmp_path / "absent.md")]) == 1


def test_the_convention_catches_a_lie(tmp_path):
    def check(*lines: str) -> None:
        run(Dialogue("lie", 1, lines))

    check("> isready", "< ready...", "> fen", "< ...", "> isready", "< readyok")
    for lie in (
        ("> isready", "< readyno"),
        ("> fen", "> isready", "< readyok"),
        ("> isready", "< readyok", "= 1"),
        ("> uci", "< id name damd ..."),
    ):
        with pytest.raises(AssertionError):
            check(*lie)
    text = tmp_path / "text.md"
    text.write_text("```sh\nls\n```\n```text\n> uci\n< ...\n```\n")
    assert [dialogue.number for dialogue in dialogues(text)] == [4]
