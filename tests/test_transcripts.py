"""The checker of conversations, checked: it takes what the protocol allows and refuses what it does not."""

from __future__ import annotations

import pytest

from damd.protocol.commands import COMMANDS
from damd.protocol.errors import Code
from damd.protocol.options import OPTIONS
from fuzz_lines import Fuzzer, corpus
from replies import expected, kind_of
from transcripts import Said, Totals, Transcript, Wrong

INFO = "info depth 3 seldepth 4 multipv 1 score cp -7 nodes 12 nps 1000 hashfull 0 time 5 pv 32-28 19x23"
SEARCHING = "not during a search without end, send stop first"


def check(lines: str, answers: str, sent: int | None = None) -> Totals:
    """Both are separated by `` / ``; ``sent`` is how many lines had been sent when the answers came (default: all)."""
    given = [line.encode() for line in lines.split(" / ")]
    said = [Said(line, len(given) if sent is None else sent) for line in answers.split(" / ") if line]
    return Transcript(given).check(said)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (INFO, "info"),
        ("info depth 1 seldepth 1 multipv 2 score mate -3 upperbound nodes 1 nps 0 hashfull 1000 time 0", "info"),
        ("info nodes 12 nps 1000 hashfull 0 time 5", "progress"),
        ("info depth 9 currmove 32-28 currmovenumber 1", "progress"),
        ("info string anything at all", "remark"),
        ("bestmove 32-28", "bestmove"),
        ("bestmove c5xa5xe1 ponder a1-b2 draw", "bestmove"),
        ("bestmove xb4xc5xd4", "bestmove"),
        ("bestmove (none)", "bestmove"),
        ("bestmove resign", "bestmove"),
        ("fen W:W31,K32:B1,2", "fen"),
        ("fen B:W:BKe5:P*3:H0:F1", "fen"),
        ("fen W:WK1,13:B30,K46:P30:L1=2,46=3:H3:F19", "fen"),
        ("moves", "moves"),
        ("moves x22 31-27 19x28x37", "moves"),
        ("result ongoing", "result"),
        ("result black no-moves", "result"),
        ("32-28: 7", "count"),
        ("total 0", "total"),
        ("error bad-fen W51: off the board", "error:bad-fen"),
        ("  drawing", "indented"),
        ("key 0123456789abcdef", "key"),
        ("eval cp -3", "eval"),
        ("help go: Starts a search.", "help"),
    ],
)
def test_well_formed_lines(line: str, kind: str) -> None:
    assert kind_of(line) == kind


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "bestmove",
        "bestmove 32-28 ",
        " bestmove 32-28",
        "bestmove  32-28",
        "bestmove 32-28 ponder",
        "bestmove (none) ponder 1-2",
        "bestmove 0-28",
        "bestmove 32-28x3",
        "info depth 3",
        INFO + " ",
        INFO.replace("cp -7", "cp 1.5"),
        INFO.replace("hashfull 0", "hashfull 1001"),
        INFO + "\r",
        "fen W:W31,32",
        "fen W:W31:B1:P*0",
        "fen W:W31:B1:H3",
        "moves 32-28  31-27",
        "result white",
        "result ongoing no-moves",
        "error no-such-code text",
        "error bad-fen",
        "error bad-fen a\x1bb",
        "error bad-fen a\u202eb",
        "total",
        "readyok and more",
        "Traceback (most recent call last):",
        "key 0123",
    ],
)
def test_lines_that_are_not_well_formed(line: str) -> None:
    with pytest.raises(ValueError, match="not "):
        kind_of(line)


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        ("fen", "fen W:W31:B1"),
        ("fen x", "error unknown-token x: surplus / fen W:W31:B1"),
        ("position startpos / position fen x / moves", "error bad-fen x: no / moves 1-2"),
        ("setoption name Hash value 1 / isready / fen", "fen W:W31:B1 / readyok"),
        ("isready / go depth 3", f"{INFO} / readyok / {INFO} / bestmove 32-28"),
        ("go depth x / fen", f"error bad-value x: number / {INFO} / bestmove 1-2 / fen W:W31:B1"),
        ("go depth 3 / stop / go depth 3", f"{INFO} / bestmove 1-2 / {INFO} / bestmove 1-2"),
        ("go perft 1 / perft 1", "32-28: 1 / total 1 / total 1"),
        ("perft 3 / stop", "error stopped perft 3: no"),
        (
            "perft / perft x / perft 100 / stop",
            "error missing-argument a / error bad-value b / error out-of-range c / total 1",
        ),
        # lines behind a search without end are refused, before or after it has said something
        ("go infinite / fen / stop", f"error searching fen: {SEARCHING} / bestmove 1-2"),
        ("go infinite / fen / stop", f"{INFO} / error searching fen: {SEARCHING} / {INFO} / bestmove 1-2"),
        ("go / joho / stop", "error unknown-command joho: no / bestmove 1-2"),
        ("go ponder depth 2 / go depth 1 / ponderhit / fen", f"error searching go: {SEARCHING} / bestmove 1-2 / fen W:W1:B"),
        # or the stop comes while they all wait: then they are answered
        ("go depth 3 / go infinite / fen / stop", "bestmove 1-2 / bestmove 1-2 / fen W:W31:B1"),
        ("go depth 3 / go infinite / fen / stop", f"bestmove 1-2 / error searching fen: {SEARCHING} / bestmove 1-2"),
        ("debug / fen", "fen W:W31:B1 / error missing-argument debug: on or off"),
        ("debug on / position startpos", "info string position"),
        ("help", "help go: a / help uci: b"),
        ("help go", "help go: a /   usage: b"),
        ("help joho", "error unknown-command joho: no"),
        ("gameover draw agreement / register later / ucinewgame", ""),
        ("   ", ""),
        ("bench 1 / stop", "bench nodes 1 time 2 nps 3"),
    ],
)
def test_allowed_conversations(lines: str, answers: str) -> None:
    check(lines, answers)


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        ("fen", ""),
        ("fen", "fen W:W31:B1 / fen W:W31:B1"),
        ("fen / moves", "moves 1-2 / fen W:W31:B1"),
        ("fen", "moves 1-2"),
        ("isready", ""),
        ("isready", "readyok / readyok"),
        ("position startpos", "error bad-fen x: no / error bad-fen x: no"),
        ("position startpos", "error searching position: no"),
        ("go depth 3", INFO),
        ("go depth 3", "bestmove 1-2 / bestmove 1-2"),
        ("go depth 3", f"bestmove 1-2 / {INFO}"),
        ("go depth 3 / fen", f"{INFO} / fen W:W31:B1 / bestmove 1-2"),
        ("go depth 3 / fen", f"{INFO} / error searching fen: {SEARCHING} / bestmove 1-2"),
        ("go depth 3 / go depth 3", "bestmove 1-2"),
        ("go infinite", "bestmove 1-2"),
        ("stop / go infinite", "bestmove 1-2"),
        ("go infinite / ponderhit", "bestmove 1-2"),
        ("go infinite / stop / fen", f"error searching fen: {SEARCHING} / bestmove 1-2"),
        ("go infinite / fen / stop", f"error searching moves: {SEARCHING} / bestmove 1-2"),
        ("stop", "bestmove (none)"),
        ("ponderhit / stop", "error unknown-command stop: x"),
        ("uci", "uciok"),
        ("perft 2", "32-28: 1"),
        ("joho", ""),
        ("joho", "error unknown-option joho: x"),
        ("fen", "fen W:W31:B1 / error internal oops: it ends"),
    ],
)
def test_forbidden_conversations(lines: str, answers: str) -> None:
    with pytest.raises(Wrong):
        check(lines, answers)


def test_an_answer_before_its_line_was_sent() -> None:
    with pytest.raises(Wrong):
        check("fen / moves", "fen W:W31:B1 / moves 1-2", sent=1)
    with pytest.raises(Wrong):
        check("go infinite / stop", "bestmove 1-2", sent=1)
    check("go infinite / stop", "bestmove 1-2", sent=2)


def test_totals() -> None:
    totals = check(
        "go depth 1 / perft 1 / go infinite / go / stop",
        f"bestmove 1-2 / total 1 / error searching go: {SEARCHING} / bestmove 1-2",
    )
    assert (totals.searches, totals.counts, totals.bestmoves, totals.count_ends, totals.refused) == (3, 1, 2, 1, 1)
    assert (totals.lines, totals.answers, totals.errors) == (5, 4, 1)


def test_the_whole_handshake() -> None:
    lines = ["id name damd 1", "id author us", "info string core", *(option.line() for option in OPTIONS), "uciok"]
    check("uci", " / ".join(lines))
    with pytest.raises(Wrong):
        check("uci", " / ".join(lines[:-2] + lines[-1:]))


def test_every_command_has_its_answer() -> None:
    """A command that the tables have and the checker does not know would count as unknown."""
    for command in COMMANDS:
        due = expected(command.name.encode())
        assert due is not None
        kinds = {kind for block in due.blocks for part in block for kind in part.kinds}
        assert "error:unknown-command" not in kinds or command.name == "help"


def test_unreadable_lines() -> None:
    for data, code in ((b"fen \xff", Code.BAD_ENCODING), (b"x" * 65537, Code.TOO_LONG)):
        Transcript([data]).check([Said(f"error {code.text} it is skipped", 1)])
    Transcript([b"x" * 65536 + b"\r"]).check([Said("error unknown-command x: no", 1)])
    Transcript([b" \t\r"]).check([])


def test_the_fuzzer_depends_on_its_seed_alone() -> None:
    first, second, third = Fuzzer(1), Fuzzer(1), Fuzzer(2)
    lines = [first.line() for _ in range(300)]
    assert [second.line() for _ in range(300)] == lines
    assert [third.line() for _ in range(300)] != lines
    assert not any(b"\n" in line for line in lines)
    assert all(corpus("dam-haji").games)
