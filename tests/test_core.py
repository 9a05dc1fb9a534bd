"""The core against the reference on random positions, and what ``Position`` promises beyond legal plies."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from random import Random

import pytest

import reference
from comparing import Comparison
from damd.core.position import Position, Stopped
from damd.core.types import KingRun, Outcome, Ply, PlyKind, Reason, Right, Setup
from damd.rules import Rules
from damd.variants import names
from needs import compiled_core
from outside import changed, rules_of
from positions import random_setup, read_fen, start

VARIANTS = names()
ORDINARY = 500
LONG = 20_000
SAMPLE = 60


def compare_positions(rules: Rules, count: int, seed: int, build: str | None = None) -> None:
    """Compare at least ``count`` positions of random games from the start and from random positions."""
    comparison = Comparison(rules, build)
    agreed = 0
    while agreed < count:
        random = Random(seed)
        seed += 1
        setup = start(rules) if seed % 5 == 0 else random_setup(rules, random)
        agreed += comparison.game(setup, random, 40 if seed % 5 == 0 else 8)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_positions(variant: str) -> None:
    compare_positions(rules_of(variant), ORDINARY, 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_positions_where_captures_must_be_made(variant: str) -> None:
    rules = rules_of(variant, "forbidden")
    if rules != rules_of(variant):
        compare_positions(rules, ORDINARY // 2, 2)


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_positions_in_the_interpreted_core(variant: str) -> None:
    compare_positions(rules_of(variant), SAMPLE, 4, "interpreted")


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("variant", VARIANTS)
def test_many_random_positions(variant: str) -> None:
    compare_positions(rules_of(variant), LONG, 1_000_000)


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("variant", VARIANTS)
def test_many_random_positions_in_the_interpreted_core(variant: str) -> None:
    compare_positions(rules_of(variant), LONG // 40, 2_000_000, "interpreted")


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_hangs_is_what_the_opponent_could_capture(variant: str) -> None:
    rules = rules_of(variant)
    position = Position(rules, build="interpreted")
    seen = set()
    for seed in range(60):
        setup = replace(random_setup(rules, Random(seed)), right=None)
        position.set(replace(setup, side=1 - setup.side))
        if position.outcome() is not None:
            continue
        could = any(ply.kind is PlyKind.CAPTURE for ply in position.plies())
        position.set(setup)
        assert position.core.hanging() == could, setup
        assert position.setup() == setup
        seen.add(could)
    assert seen == {False, True}


def test_key_tells_side_right_and_runs_apart() -> None:
    haji = rules_of("dam-haji")
    frisian = rules_of("frisian")
    plain = read_fen("W:W32,K18:B1,2", haji)
    keys = {Position(haji, setup).key for setup in (plain, replace(plain, side=1))}
    for liable in ((0,), (1,), (0, 1)):
        keys.add(Position(haji, replace(plain, right=Right(1, liable))).key)
    assert len(keys) == 5
    king = read_fen("W:WK46,K47,50:B1", frisian)
    runs = [None, *(KingRun(point, count) for point in (45, 46) for count in (1, 2, 3))]
    assert len({Position(frisian, replace(king, king_runs=(run, None))).key for run in runs}) == len(runs)
    counted = replace(plain, halfmoves=9, fullmoves=30)
    assert Position(haji, counted).key == Position(haji, plain).key


def test_a_position_is_crowned_when_it_is_set() -> None:
    rules = rules_of("dam-daman")
    setup = read_fen("W:Wa3,b3:Ba7,b7,c7,d7", rules)
    assert Position(rules, setup).setup() == reference.tidy(rules, setup)


def test_what_is_not_legal_is_not_played() -> None:
    rules = rules_of("international")
    position = Position(rules)
    before = position.setup()
    with pytest.raises(ValueError, match="legal"):
        position.play(Ply(PlyKind.QUIET, (0, 5)))
    with pytest.raises(IndexError):
        position.undo()
    assert position.setup() == before


@pytest.mark.parametrize(
    ("variant", "setup"),
    [
        ("international", Setup(0, (frozenset({31}), frozenset({31})), (frozenset(), frozenset()))),
        ("international", Setup(0, (frozenset({50}), frozenset({1})), (frozenset(), frozenset()))),
        ("international", Setup(0, (frozenset({40}), frozenset({9})), (frozenset(), frozenset()), Right(1, (9,)))),
        ("dam-haji", Setup(0, (frozenset({30}), frozenset({9})), (frozenset(), frozenset()), Right(1, (30,)))),
        ("dam-haji", Setup(0, (frozenset({30}), frozenset({9})), (frozenset(), frozenset()), Right(3))),
    ],
)
def test_a_setup_that_is_no_position_is_refused(variant: str, setup: Setup) -> None:
    rules = rules_of(variant)
    position = Position(rules)
    before = position.setup()
    with pytest.raises(ValueError):
        position.set(setup)
    assert position.setup() == before


def shuffle(position: Position, plies: str, times: int) -> None:
    """Play quiet moves, written ``1-6 50-45 …``, some times over."""
    rules = position.rules
    for _ in range(times):
        for text in plies.split():
            origin, end = (rules.geometry.index(name) for name in text.split("-"))
            position.play(Ply(PlyKind.QUIET, (origin, end)))


def test_the_third_occurrence_is_a_draw() -> None:
    rules = rules_of("international")
    position = Position(rules, read_fen("W:WK1,31:BK50,20", rules))
    shuffle(position, "1-6 50-45 6-1 45-50", 1)
    assert position.repetitions == 2
    assert position.outcome() is None
    shuffle(position, "1-6 50-45 6-1", 1)
    assert position.repetitions == 2
    shuffle(position, "45-50", 1)
    assert position.repetitions == 3
    assert position.outcome() == Outcome(None, Reason.REPETITION)
    assert position.plies()
    position.undo()
    assert position.outcome() is None


def test_the_move_limit_is_a_draw() -> None:
    rules = rules_of("international")
    setup = replace(read_fen("W:WK1,31:BK50,20", rules), halfmoves=2 * rules.end.move_limit - 1)
    position = Position(rules, setup)
    assert position.outcome() is None
    shuffle(position, "1-6", 1)
    assert position.outcome() == Outcome(None, Reason.MOVE_LIMIT)


FIRST_KING = {"end.first_king": True}


@pytest.mark.parametrize("build", [None, "interpreted"])
def test_the_first_king_wins(build: str | None) -> None:
    rules = changed(rules_of("international"), FIRST_KING)
    for fen, reason, winner in (
        ("B:WK1,31:B20", Reason.FIRST_KING, 0),
        ("W:WK1,31:B20", Reason.FIRST_KING, 0),
        ("W:WK1,31:BK50,20", Reason.FIRST_KING, 1),
        ("B:WK1:B", Reason.FIRST_KING, 0),
        ("B:W31:B", Reason.NO_PIECES, 0),
    ):
        position = Position(rules, replace(read_fen(fen, rules), halfmoves=80), build=build)
        assert position.outcome() == Outcome(winner, reason), fen
        assert position.plies() == []
        assert position.perft(1) == 0


def test_a_man_that_passes_the_far_row_has_not_won() -> None:
    rules = changed(rules_of("international"), FIRST_KING)
    position = Position(rules, read_fen("W:W11:B6,7,8,20", rules))
    passing = next(ply for ply in position.plies() if len(ply.captured) > 1)
    position.play(passing)
    assert position.outcome() is None


@pytest.mark.parametrize("build", [None, "interpreted"])
def test_one_piece_each_is_drawn_unless_a_capture_comes(build: str | None) -> None:
    waits = changed(rules_of("dam"), {"end.one_each": "unless-capture"})
    at_once = changed(waits, {"end.one_each": "at-once"})
    for fen, drawn in (("W:WK32:BK1", True), ("W:WK32:BK27", False), ("B:WK32:BK31", True), ("W:W22:B18", False)):
        setup = read_fen(fen, waits)
        assert Position(at_once, setup, build=build).outcome() == Outcome(None, Reason.ONE_EACH)
        position = Position(waits, setup, build=build)
        assert position.outcome() == (Outcome(None, Reason.ONE_EACH) if drawn else None), fen
        assert bool(position.plies()) is not drawn


def test_a_long_game_neither_ends_nor_forgets_the_position() -> None:
    rules = rules_of("international")
    setup = read_fen("W:WK1,31:BK50,20", rules)
    position = Position(rules, setup)
    shuffle(position, "1-6 50-45 6-1 45-50", 1500)
    assert position.setup() == replace(setup, halfmoves=6000, fullmoves=3001)
    assert position.repetitions > 3
    assert len(position.plies()) == len(Position(rules, setup).plies())
    shuffle(position, "1-6", 1)
    position.undo()
    assert position.key == Position(rules, setup).key


def test_stop_ends_a_count_in_another_thread() -> None:
    rules = rules_of("international")
    position = Position(rules)
    before = position.setup()
    timer = threading.Timer(0.3, position.stop)
    timer.start()
    with pytest.raises(Stopped):
        position.perft(40)
    timer.join()
    position.resume()
    assert position.setup() == before
    assert position.perft(2) == 81


#: Positions with so many routes that writing them all down would take minutes or all memory, and their plies.
EXPLOSIVE = (
    ("dam-haji-10", "rule", "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40", 26_612),
    ("dam-daman", "rule", "W:WKe5:Bd7,b8,d5,b4,b7,d6,e6,a5,d4,b3,b6,e4,c6,c1", 13_129),
)

#: A king against 25 men in a lattice: more than 200 million routes.
LATTICE = "W:WK2:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60"

EXPLODE = """
import sys
from damd.core.position import Position
from damd.core.types import TooManyPlies
from outside import changed, rules_of
from positions import read_fen
variant, mode, fen = sys.argv[1:]
rules = rules_of(variant, mode)
position = Position(rules, read_fen(fen, rules))
before = position.setup(), position.key
def tried(count):
    try:
        return count()
    except TooManyPlies:
        return None
plies = tried(position.plies)
rows = tried(lambda: position.divide(1))
for ply in (plies or [])[:: 10_000]:
    position.play(ply)
    position.undo()
assert (position.setup(), position.key) == before
assert position.outcome() is None
assert plies is None or rows == [(ply, 1) for ply in plies]
print(plies and len(set(plies)), tried(lambda: position.perft(1)))
"""


def explode(variant: str, mode: str, fen: str, limit_s: int) -> list[str]:
    """What a process of its own, killed after ``limit_s`` seconds, says about the position."""
    path = [entry for entry in sys.path if entry]
    command = f"import sys; sys.path[:0] = {path!r}\n{EXPLODE}"
    done = subprocess.run(
        [sys.executable, "-c", command, variant, mode, fen],
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@compiled_core
@pytest.mark.parametrize(("variant", "mode", "fen", "count"), EXPLOSIVE)
def test_explosive_positions_are_answered(variant: str, mode: str, fen: str, count: int) -> None:
    assert explode(variant, mode, fen, 120) == [str(count), str(count)]


@compiled_core
@pytest.mark.parametrize("variant", ["dam-haji-12", "canadian"])
@pytest.mark.parametrize("mode", ["rule", "forbidden"])
def test_a_lattice_is_answered_or_refused(variant: str, mode: str) -> None:
    listed, counted = explode(variant, mode, LATTICE, 120)
    assert listed == counted or "None" in {listed, counted}


@pytest.mark.long
@compiled_core
@pytest.mark.parametrize(("variant", "mode", "fen", "count"), EXPLOSIVE)
def test_explosive_positions_agree(variant: str, mode: str, fen: str, count: int) -> None:
    rules = rules_of(variant, mode)
    setup = read_fen(fen, rules)
    expected = {ply for ply, _ in reference.plies(rules, setup)}
    assert len(expected) == count
    assert set(Position(rules, setup).plies()) == expected
