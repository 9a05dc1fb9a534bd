"""The positions with one winning ply: what they are, that damd solves them, and the finder that made them."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from benchmarks.selfplay.opponents import make_player
from benchmarks.selfplay.tactics import Problem, attempts, read_problems
from benchmarks.tactics import find
from benchmarks.tactics.judge import Judge, Line
from benchmarks.tactics.kinds import Kind, Kinds
from benchmarks.tactics.traps import Traps
from damd.client import Limit
from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.limits import Score
from damd.notation.fen import format_fen, parse_fen
from damd.notation.plies import parse_ply
from damd.variants import load
from needs import compiled_core

ROOT = Path(__file__).parent.parent
SETS = {file.stem: file for file in sorted((ROOT / "benchmarks" / "tactics").glob("*.jsonl"))}

#: The games of the rule texts; so many positions each, so many of which are to be solved.
TEXTS = ("dam", "dam-daman", "dam-haji", "dam-haji-10", "dam-haji-10-20", "dam-haji-12")
ROWS, ENOUGH = 30, 28

#: The ordinary run searches one position in so many, with so few nodes.
EVERY = 6
NODES = 100_000
#: Expected scores that leave room for other weights than those the positions were found with.
WINS, WINS_NOT = 0.85, 0.75


def position_of(problem: Problem) -> Position:
    return Position(problem.rules, parse_fen(problem.fen, problem.rules))


def kind_of(problem: Problem) -> Kind:
    return Kind(problem.note.partition(":")[0])


def line_of(problem: Problem) -> tuple[Ply, ...]:
    """The line in the note, each ply of which has to be legal."""
    position, plies = position_of(problem), []
    for text in problem.note.partition(": ")[2].partition(";")[0].split():
        plies.append(parse_ply(text, position))
        position.play(plies[-1])
    return tuple(plies)


def expectations(judge: Judge, problem: Problem, nodes: int) -> tuple[float, float]:
    """Of the winning ply and of the best of all others, each with a search of its own."""
    position, best = position_of(problem), problem.best[0]
    others = [ply for ply in position.plies() if ply != best]
    setup = position.setup()
    return judge.best_of(setup, [best], nodes), judge.best_of(setup, others, nodes)


# The positions


def test_there_are_sets_of_these_games() -> None:
    assert sorted(SETS) == sorted(TEXTS)


@pytest.mark.parametrize("variant", TEXTS)
def test_the_rows(variant: str) -> None:
    problems = read_problems(SETS[variant])
    assert len(problems) == len({problem.fen for problem in problems}) == ROWS
    assert {problem.rules.names.name for problem in problems} == {variant}
    kinds = Kinds(load(variant))
    for problem in problems:
        position, (best,) = position_of(problem), problem.best
        assert problem.fen == format_fen(position.setup(), problem.rules)
        assert position.outcome() is None
        assert len(position.plies()) > 1
        plies, kind = line_of(problem), kind_of(problem)
        assert plies[0] == best
        # As if it were a win to the end: what comes back for what was given may lie beyond the note.
        assert kinds.kind_of(position.setup(), Line(plies, Score("mate", 9), 1.0)) is kind, problem


@pytest.mark.parametrize("variant", TEXTS)
def test_the_rows_are_a_mixture(variant: str) -> None:
    kinds = [kind_of(problem) for problem in read_problems(SETS[variant])]
    penalty = load(variant).penalty.take
    for kind in (Kind.SHOT, Kind.ENDING, *([Kind.CLAIM] if penalty else [])):
        assert kinds.count(kind) >= 4, kind
    assert penalty or not {Kind.TRAP, Kind.CLAIM} & set(kinds)


@compiled_core
@pytest.mark.parametrize("variant", TEXTS)
def test_some_are_solved(variant: str) -> None:
    problems = read_problems(SETS[variant])[::EVERY]
    judge = Judge(problems[0].rules)
    missed = []
    for problem in problems:
        wins, wins_not = expectations(judge, problem, NODES)
        pair = judge.look(position_of(problem).setup(), NODES)
        assert pair is not None
        if pair.best.plies[0] not in problem.best or wins < WINS or wins_not > WINS_NOT:
            missed.append((problem, wins, wins_not))
    assert len(missed) <= 1, missed


@compiled_core
@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("variant", TEXTS)
def test_all_are_solved_within_a_second(variant: str) -> None:
    made = asyncio.run(attempts(make_player(str(ROOT), {}), read_problems(SETS[variant]), Limit(movetime_ms=1000), 0))
    missed = [str(attempt) for attempt in made if not attempt.solved]
    assert len(made) - len(missed) >= ENOUGH, "\n".join(missed)


@compiled_core
@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("variant", TEXTS)
def test_all_have_one_winning_ply(variant: str) -> None:
    problems = read_problems(SETS[variant])
    judge = Judge(problems[0].rules)
    found = [(problem, *expectations(judge, problem, 1_000_000)) for problem in problems]
    assert [row for row in found if row[1] < WINS or row[2] > WINS_NOT] == []


# The finder


def kind_in(variant: str, fen: str, texts: str, score: Score) -> Kind | None:
    rules = load(variant)
    position, plies = Position(rules, parse_fen(fen, rules)), []
    for text in texts.split():
        plies.append(parse_ply(text, position))
        position.play(plies[-1])
    return Kinds(rules).kind_of(parse_fen(fen, rules), Line(tuple(plies), score, 1.0))


WON, AHEAD = Score("mate", 3), Score("cp", 300)
SHOT = "B:W12,18,20,21,22,23,30,32:B3,5,7,8,9,10,11,13,14"


@pytest.mark.parametrize(
    ("variant", "fen", "texts", "score", "kind"),
    [
        ("dam", SHOT, "14-17 21x14 10x17x26x19", AHEAD, Kind.SHOT),
        ("dam", SHOT, "14-17 21x14", AHEAD, None),  # nothing comes back
        ("dam", SHOT, "14-17 21x14", WON, Kind.SHOT),
        ("dam", SHOT, "10-15", WON, None),  # nothing is given
        ("dam", "W:WK17,26,30:B1,20,K31", "17-13", AHEAD, Kind.ENDING),
        ("dam", "W:WK17,26:B1,K31", "17-13", AHEAD, None),  # too few pieces
        ("dam", "W:W6,26,30:B20,21,K24", "6-1", WON, None),  # plainly promotes one
        ("dam", "W:W6,26,30:B17,18,K24", "26-22 18x25 30x21x14", AHEAD, Kind.ENDING),
        ("dam-haji", "W:W23,32:B19,1", "32-27", AHEAD, Kind.TRAP),
        ("dam-haji", "W:W23,32:B19,1", "23x16", AHEAD, None),
        ("dam-haji", "W:W19,20,K30:B1,K12,K14,K26:P12", "x12 30x23x5", AHEAD, Kind.CLAIM),
        ("dam-haji", "W:W19,20,K30:B1,K12,K14,K26:P12", "x12 19-16 26-22", AHEAD, None),  # no chain
    ],
)
def test_kinds(variant: str, fen: str, texts: str, score: Score, kind: Kind | None) -> None:
    assert kind_in(variant, fen, texts, score) is kind


@compiled_core
def test_a_search_says_what_it_has_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        assert find.main(["--variant", "dam", "--rows", "1", "--seed", "1", "--out", str(tmp_path)]) == 0
        texts.append((tmp_path / "dam.jsonl").read_text())
    assert texts[0] == texts[1], "the seed decides everything"
    (problem,) = read_problems(tmp_path / "dam.jsonl")
    out = capsys.readouterr().out
    assert problem.fen in out
    assert out.endswith("dam, seed 1: 1 of 1 positions\n")
    wins, wins_not = expectations(Judge(problem.rules), problem, NODES)
    assert wins > WINS
    assert wins_not < WINS_NOT


@compiled_core
def test_traps_are_drawn() -> None:
    rules = load("dam-haji")
    judge, kinds = Judge(rules), Kinds(rules)
    traps = Traps(rules, judge, kinds)
    setups = [setup for number in range(8) for setup in traps.positions(random.Random(f"{number}"), {Kind.TRAP})]
    assert setups
    assert not list(traps.positions(random.Random("0"), {Kind.SHOT}))
    for setup in setups:
        pair = judge.look(setup, 3000)
        assert pair is not None
        captures = [ply for ply in Position(rules, setup).plies() if ply.kind is PlyKind.CAPTURE]
        assert captures
        assert pair.best.plies[0] not in captures


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--variant", "domino", "--seed", "1"], "domino"),
        (["--variant", "dam", "--seed", "1", "--rows", "0"], "1 or more"),
        (["--variant", "dam"], "--seed"),
    ],
)
def test_what_the_finder_refuses(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = find.main(words)
    except SystemExit as left:
        code = int(str(left.code))
    assert code == 2
    assert said in capsys.readouterr().err
