"""What ``damd check`` judges by: times, texts, positions, and what it tells."""

from __future__ import annotations

import asyncio
import functools

import pytest

from damd import variants
from damd.check import judge
from damd.check.model import GROUPS, Check, Failed, Finding, Patience, Skipped, Verdict
from damd.check.report import row, told
from damd.check.samples import Sample, Samples
from damd.check.table import BY_NAME, CHECKS
from damd.check.talk import Talk
from damd.check.timing import Timing, histogram
from damd.check.timing import judge as judge_times
from damd.core.types import PlyKind
from damd.notation.fen import FenError, parse_fen
from damd.notation.plies import PlyError, parse_ply
from faulty_engine import Fault
from inside import Inside

load = functools.cache(variants.load)


def test_names_are_unique_and_no_groups() -> None:
    assert len(BY_NAME) == len(CHECKS)
    assert not set(BY_NAME) & set(GROUPS)
    order = [GROUPS.index(check.group) for check in CHECKS]
    assert order == sorted(order)


# Times


def times(*pairs: tuple[float, float]) -> list[Timing]:
    return [Timing(over, late) for over, late in pairs]


def test_answers_in_time_pass_with_a_histogram() -> None:
    assert judge_times(times((1, 0), (3, 0), (120, 0)), 100, "stop") == (
        "stop: median 3.0 ms, most 120.0 ms (1 up to 2, 1 up to 5, 1 over 100)"
    )
    assert histogram([-5]) == "median -5.0 ms, most -5.0 ms (1 up to 0)"


def test_two_late_answers_fail_and_one_of_one_does() -> None:
    with pytest.raises(Failed, match="2 of 3 come more than 100 ms late"):
        judge_times(times((150, 0), (150, 10), (1, 0)), 100, "stop")
    with pytest.raises(Failed, match="1 of 1"):
        judge_times(times((150, 0)), 100, "stop")


def test_what_the_machine_may_have_been_late_by_is_not_held_against_the_engine() -> None:
    with pytest.raises(Skipped, match="the machine itself is late, up to 80 ms in 200"):
        judge_times(times((150, 40), (150, 80), (1, 0)), 100, "stop")
    assert judge_times(times((150, 40), (1, 0), (1, 0)), 100, "stop")
    with pytest.raises(Failed):  # so late is no machine
        judge_times(times((1500, 80), (1500, 80), (1, 0)), 100, "stop")


# Texts


@pytest.mark.parametrize(
    "line",
    [
        "info depth 1 seldepth 2 multipv 1 score cp -13 nodes 4 nps 5 hashfull 0 time 0 pv 32-28 19x28",
        "info score mate -3 lowerbound wdl 0 10 990 depth 4",
        "info string depth none",
        "info depth 2 currmove 32-28 currmovenumber 1 novelty 7",
        "info",
    ],
)
def test_well_formed_lines(line: str) -> None:
    assert judge.info_fault(line) == ""


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("info depth", "depth needs a whole number from 0 on, not nothing"),
        ("info time 0.5", "time needs a whole number from 0 on, not 0.5"),
        ("info nodes -1", "nodes needs a whole number"),
        ("info score 13", "score needs cp or mate and a whole number, not 13"),
        ("info score cp x", "score needs cp or mate"),
        ("info score cp 1 wdl 1 2 3", "wdl needs three numbers that make 1000"),
        ("info depth 1 pv", "pv needs a ply"),
        ("info currmove currmovenumber 1", "currmove needs a ply"),
    ],
)
def test_malformed_lines(line: str, fault: str) -> None:
    assert fault in judge.info_fault(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bestmove", "needs a ply"),
        ("bestmove 32-28 ponder", "ponder needs a ply"),
        ("bestmove 32-28 19-23", "19-23 has no place in it"),
        ("bestmove 32-28 draw", "offers a draw"),
        ("bestmove resign", "resigns"),
        ("bestmove (none)", "although there are legal plies"),
        ("bestmove 32-22", "32-22 is no legal ply: .*; legal: .*32-28"),
    ],
)
def test_answers_that_are_none(line: str, said: str) -> None:
    sample = Sample(load("international"))
    with pytest.raises(Failed, match=said):
        judge.answer(line, sample.position())
    assert judge.answer("bestmove 32-28 ponder 19-23", sample.position()) is not None


def test_where_there_is_no_ply_there_must_be_no_answer() -> None:
    position = Sample(load("dam-haji"), "W:W5:B1").position()
    assert judge.answer("bestmove (none)", position) is None
    for line in ("bestmove 0000", "bestmove 5-1"):
        with pytest.raises(Failed, match="where there is no legal ply"):
            judge.answer(line, position)


def test_spelling_and_variations() -> None:
    position = Sample(load("international"), "W:WK4:B13,20,32,37").position()
    for text, fault in (
        ("4x31x42x15", ""),
        ("4x31x15", "leaves out a part"),
        ("4:31:42:15", "not written as plies are"),
    ):
        ply = parse_ply("4x31x42x15", position)
        assert fault in judge.spelling_fault(text, ply, position)
        assert bool(fault) == bool(judge.spelling_fault(text, ply, position))
    with pytest.raises(Failed, match="ply 2 of the pv, 20-29 is no legal ply"):
        judge.variation(["4x31x42x15", "20-29"], position, "the pv")


# Positions


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman", "international", "breakthrough", "turkish"])
def test_samples_are_what_they_are_called(variant: str) -> None:
    are_what_they_are_called(variant)


@pytest.mark.long
@pytest.mark.parametrize("variant", variants.names())
def test_samples_of_every_game(variant: str) -> None:
    are_what_they_are_called(variant)


def are_what_they_are_called(variant: str) -> None:
    rules = load(variant)
    samples = Samples(rules)
    assert samples.white.position().side == 0
    assert samples.black.position().side == 1
    for sample in (*samples.all, samples.long_game):
        position = sample.position()
        assert position.outcome() is None
        with pytest.raises(PlyError):
            parse_ply(samples.illegal(sample), position)
    assert [sample.position().side for sample in samples.kings] == ([] if rules.end.first_king else [0, 1])
    assert all(all(sample.position().setup().kings) for sample in samples.kings)
    assert (samples.claim is not None) == bool(rules.penalty.take)
    if samples.claim is not None:
        assert any(ply.kind is PlyKind.CLAIM for ply in samples.claim.position().plies())
    assert samples.no_ply is not None
    blocked = samples.no_ply.position()
    assert (blocked.plies(), all(blocked.pieces)) == ([], True)
    assert samples.one_ply is None or samples.one_ply.position().count() == 1
    assert len(samples.long_game.plies) > 40
    assert len(samples.bad_fens()) > 8
    for text in samples.bad_fens():
        with pytest.raises(FenError):
            parse_fen(text, rules)
    assert Samples(rules).all == samples.all, "the same ones every time"


# Conversations


def test_an_engine_that_never_stops_talking_is_cut_short() -> None:
    async def talk() -> None:
        conversation = Talk(Inside(Fault()), Patience())
        for number in range(70):
            conversation.line_received(f"info string {number} " + "x" * 2**20)
        with pytest.raises(Failed, match="more than 64 MiB of output to one command"):
            await conversation.until("bestmove")
        assert sum(map(len, conversation.transcript())) < 70 * 300
        for number in range(1000):
            conversation.line_received(f"info string {number}")
        assert len(conversation.transcript()) == 301
        assert "... 770 lines ..." in conversation.transcript()

    asyncio.run(talk())


# What is told


async def nothing(trial: object) -> str:  # noqa: ARG001
    return ""


def test_a_failure_is_told_with_what_was_said_and_a_flood_in_short() -> None:
    check = Check("search", "depth", "searches by depth", nothing)
    said = ("> go depth 3", *(f"< info depth {n}" for n in range(50)), "< bestmove 1-1")
    lines = row(Finding(check, Verdict.FAIL, "no good", 0.1, said))
    assert lines == [
        "fail  search     depth                   no good",
        "      a sound engine searches by depth; what was said:",
        "      > go depth 3",
        "      < info depth 0",
        "      < ... 48 more",
        "      < info depth 49",
        "      < bestmove 1-1",
    ]
    assert row(Finding(check, Verdict.PASS, "", 0.1, said)) == ["pass  search     depth"]
    many = [f"> word{n}" for n in range(100)]
    assert told(many)[0] == "... 76 lines before"
    assert told(many)[-1] == "> word99"
