"""The evaluation against one that counts point by point, in both builds; files of weights."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from damd.core import builds
from damd.core.codes import INFINITE_SCORE
from damd.core.position import Position
from damd.core.tables import evaluation_spec
from damd.core.types import Setup
from damd.geometry import Board
from damd.rules import Rules
from damd.variants import load, load_file, names
from damd.weights import file_of
from damd.weights.choice import weights_of
from damd.weights.default import worked_out
from damd.weights.files import WeightsError, save
from damd.weights.files import load as load_weights
from damd.weights.model import (
    FIRST_LAYER,
    LAYER_UNIT,
    ROW_UNIT,
    SECOND_LAYER,
    TERMS,
    UNIT,
    Weights,
    material_count,
    mirror,
    network_count,
    windows,
)
from needs import compiled_core
from positions import random_setup, read_fen, without_kings
from variant_files import fault, write

GAMES = names()


def some_weights(rules: Rules, seed: int) -> Weights:
    """Weights as a training could make them: of every kind, and the same for both sides."""
    rng = random.Random(seed)
    board = rules.geometry

    def pair(most: int) -> tuple[int, int]:
        return rng.randint(-most, most), rng.randint(-most, most)

    # Every window would be right as well; the interpreted core is slow to set up with all of them.
    patterns = windows(board)[:3]
    size = sum(3 ** len(pattern) for pattern in patterns)
    tables = b"".join(struct.pack("<hh", *pair(200)) for _ in range(size))
    terms = tuple(pair(2000) for _ in TERMS)
    men, kings = 7, 2  # fewer than there are, so that some are beyond
    materials = b"".join(struct.pack("<h", rng.randint(-3000, 3000)) for _ in range(material_count(men, kings)))
    points = tuple(pair(300) for _ in board.names)
    alone = (rng.randint(500, 2000), rng.randint(500, 2000))
    return Weights(terms, points, patterns, tables, 120.5, 0.25, men, kings, materials, trained=True, alone=alone, doubt=40)


def some_network(rules: Rules, seed: int) -> Weights:
    """Weights as the training of a network could make them, and for all terms, so that both are added up."""
    rng = random.Random(seed)
    size = rules.geometry.size
    most = (30000 // size, 2000, 3000, 2000, 3000, 3000)
    counts = (4 * size * FIRST_LAYER, FIRST_LAYER, FIRST_LAYER * SECOND_LAYER, SECOND_LAYER, SECOND_LAYER, 1)
    numbers = [rng.randint(-bound, bound) for bound, count in zip(most, counts, strict=True) for _ in range(count)]
    assert len(numbers) == network_count(size)
    return replace(some_weights(rules, seed), network=struct.pack(f"<{len(numbers)}h", *numbers))


def bare(weights: Weights) -> Weights:
    """The same as they are shipped: the network beside nothing but men, kings and claims."""
    return replace(
        weights,
        terms=tuple(
            pair if name in ("man", "king", "claim") else (0, 0) for name, pair in zip(TERMS, weights.terms, strict=True)
        ),
        king_points=((0, 0),) * len(weights.king_points),
        patterns=(),
        tables=b"",
        men=0,
        kings=0,
        materials=bytes(2),
    )


def evaluation(rules: Rules, weights: Weights, position: Position):
    module, _ = builds.load("evaluation", rules.geometry.width, position.build)
    return module.Evaluation(evaluation_spec(rules, weights))


def slow_terms(setup: Setup, rules: Rules) -> dict[str, int]:
    """White's minus Black's, counted on the board's points and steps."""
    board = rules.geometry
    total = dict.fromkeys(TERMS, 0)
    occupied = set().union(*setup.men, *setup.kings)
    turn = 1 - 2 * setup.side
    for side, sign in ((0, 1), (1, -1)):
        men, kings = setup.men[side], setup.kings[side]
        enemies = setup.men[1 - side] | setup.kings[1 - side]
        ways = [way for way in board.directions if way.word(side) in rules.men.moves]
        ahead = [way for way in ways if way.dy * sign > 0]
        for man in men:
            steps = [way.next[man] for way in ways if way.next[man] >= 0 and way.next[man] not in occupied]
            total["step"] += sign * len(steps)
            total["blocked"] += sign * (not steps)
            reached, edge = {man}, {man}
            while edge:
                edge = {way.next[point] for point in edge for way in ahead if way.next[point] >= 0} - reached
                reached |= edge
            total["passed"] += sign * (not reached & enemies)
        total["man"] += sign * len(men)
        total["king"] += sign * len(kings)
        total["crown"] += sign * bool(kings)
        if len(men | kings) <= rules.promotion.few_pieces:
            total["few"] += sign * len(kings)
        # Kings of one side are taken together: points that several reach along one direction count for each of
        # them, and a slide ends at a king of the same side as at any piece.
        for king in kings:
            moves = 0
            for way in board.directions:
                if way.word(side) in rules.king.moves:
                    point = way.next[king]
                    while point >= 0 and point not in occupied:
                        moves += 1
                        point = way.next[point] if rules.king.flying else -1
            total["reach"] += sign * moves
            total["trapped"] += sign * (not moves)
    total["turn"] = turn
    turned = mirror(board)
    rows = [board.xy[turned[point] if setup.side else point][1] for point in occupied]
    total["opposition"] = turn * (sum(row % 2 for row in rows) % 2)
    if setup.right:
        marked = (
            setup.right.points
            if rules.penalty.liable == "capable-piece"
            else setup.men[1 - setup.side] | setup.kings[1 - setup.side]
        )
        total["claim"] = turn * min(setup.right.take, len(marked))
    return total


def slow_value(setup: Setup, rules: Rules, weights: Weights) -> int:
    """Centipawns for the side to move, from tables read one filling at a time."""
    board = rules.geometry
    turned = mirror(board)
    numbers = struct.unpack(f"<{len(weights.tables) // 2}h", weights.tables)
    parts = [
        (amount * pair[0], amount * pair[1])
        for amount, pair in zip(slow_terms(setup, rules).values(), weights.terms, strict=True)
    ]
    parts += [weights.king_points[point] for point in setup.kings[0]]
    parts += [(-weights.king_points[turned[point]][0], -weights.king_points[turned[point]][1]) for point in setup.kings[1]]
    start = 0
    for pattern in weights.patterns:
        index = sum(3**i * ((point in setup.men[0]) + 2 * (point in setup.men[1])) for i, point in enumerate(pattern))
        parts.append((numbers[2 * (start + index)], numbers[2 * (start + index) + 1]))
        start += 3 ** len(pattern)
    begin = Position(rules).setup()
    most = len(begin.men[0]) + len(begin.men[1])
    pieces = min(most, len(set().union(*setup.men, *setup.kings)))
    index = 0
    for side in (0, 1):
        for most_counted, here in ((weights.men, setup.men[side]), (weights.kings, setup.kings[side])):
            index = index * (most_counted + 1) + min(most_counted, len(here))
    material = struct.unpack_from("<h", weights.materials, 2 * index)[0]
    total = sum(full * pieces + empty * (most - pieces) for full, empty in parts) + material * most
    value = abs(total) // (UNIT * most) * (1 if total > 0 else -1)
    value = -value if setup.side else value
    return value + slow_network(setup, rules, weights.network) if weights.network else value


def slow_network(setup: Setup, rules: Rules, network: bytes) -> int:
    """Centipawns for the side to move, one number of each layer after the other."""
    board, here = rules.geometry, setup.side
    turn = mirror(board) if here else range(board.size)
    kinds = (setup.men[here], setup.kings[here], setup.men[1 - here], setup.kings[1 - here])
    numbers = iter(struct.unpack(f"<{len(network) // 2}h", network))
    rows = [[[next(numbers) for _ in range(FIRST_LAYER)] for _ in range(board.size)] for _ in kinds]
    first = [next(numbers) for _ in range(FIRST_LAYER)]
    for kind, points in enumerate(kinds):
        for point in points:
            first = [total + number for total, number in zip(first, rows[kind][turn[point]], strict=True)]
    first = [max(0, min(ROW_UNIT, total)) for total in first]
    across = [[next(numbers) for _ in range(FIRST_LAYER)] for _ in range(SECOND_LAYER)]
    biases = [next(numbers) for _ in range(SECOND_LAYER)]
    worth = [next(numbers) for _ in range(SECOND_LAYER)]
    total = next(numbers) * ROW_UNIT
    for weights, bias, value in zip(across, biases, worth, strict=True):
        second = bias * LAYER_UNIT + sum(one * weight for one, weight in zip(first, weights, strict=True))
        total += value * max(0, min(ROW_UNIT, second // LAYER_UNIT))
    return total // (ROW_UNIT * UNIT)


def turned_round(setup: Setup, board: Board) -> Setup:
    """The same position seen by the other side."""
    turn = mirror(board)
    return Setup(
        1 - setup.side,
        tuple(frozenset(turn[point] for point in setup.men[1 - side]) for side in (0, 1)),
        tuple(frozenset(turn[point] for point in setup.kings[1 - side]) for side in (0, 1)),
        replace(setup.right, points=tuple(sorted(turn[point] for point in setup.right.points))) if setup.right else None,
        (None, None),
    )


@pytest.mark.parametrize("game", GAMES)
def test_values_are_those_counted_point_by_point(game: str) -> None:
    rules, rng = load(game), random.Random(5)
    position = Position(rules)
    for weights in (worked_out(rules), some_weights(rules, 3), some_network(rules, 3), bare(some_network(rules, 5))):
        core = evaluation(rules, weights, position)
        for _ in range(60):
            position.set(random_setup(rules, rng))
            setup = position.setup()
            assert core.value(position.core) == slow_value(setup, rules, weights), setup
            _, terms, _, _ = core.features(position.core)
            assert dict(zip(TERMS, terms, strict=True)) == slow_terms(setup, rules), setup


@compiled_core
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("make", [some_weights, some_network])
def test_builds_agree(game: str, make: Callable[[Rules, int], Weights]) -> None:
    rules, rng = load(game), random.Random(6)
    weights = make(rules, 4)
    compiled, interpreted = Position(rules, build="compiled"), Position(rules, build="interpreted")
    cores = [evaluation(rules, weights, position) for position in (compiled, interpreted)]
    for _ in range(40):
        setup = random_setup(rules, rng)
        compiled.set(setup)
        interpreted.set(setup)
        assert cores[0].features(compiled.core) == cores[1].features(interpreted.core)
        assert cores[0].value(compiled.core) == cores[1].value(interpreted.core)


@pytest.mark.parametrize("game", GAMES)
def test_both_sides_are_judged_alike(game: str) -> None:
    rules, rng = load(game), random.Random(7)
    position = Position(rules)
    core = evaluation(rules, weights_of(rules), position)
    for _ in range(100):
        position.set(replace(random_setup(rules, rng), king_runs=(None, None)))
        setup = position.setup()
        here = core.value(position.core)
        position.set(turned_round(setup, rules.geometry))
        assert core.value(position.core) == here, setup


@pytest.mark.parametrize("game", GAMES)
def test_windows_cover_the_board_and_turn_into_each_other(game: str) -> None:
    board = load(game).geometry
    turn = mirror(board)
    found = {frozenset(window) for window in windows(board)}
    assert set().union(*found) == set(range(board.size))
    assert {frozenset(turn[point] for point in window) for window in found} == found
    assert all(len(window) <= 9 for window in found)
    assert all(turn[turn[point]] == point for point in range(board.size))


def test_where_losing_wins_men_are_a_burden_and_steps_are_not() -> None:
    rules = load("losing")
    position = Position(rules)
    core = evaluation(rules, worked_out(rules), position)

    def value(fen: str) -> int:
        position.set(read_fen(fen, rules))
        return int(core.value(position.core))

    even = value("W:W33,34:B17,18")
    assert even == 0
    assert value("W:W33,34,48:B17,18") < even < value("W:W33,34:B17,18,3")
    assert value("W:W33,36:B17,18") < value("W:W33,37:B17,18")  # the man on the edge has one step
    assert value("W:W33,K34:B17,18") > even


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("make", [some_weights, some_network])
def test_a_value_outside_the_window_may_be_bounded_by_the_men_alone(
    game: str, make: Callable[[Rules, int], Weights]
) -> None:
    """Exact inside, and wherever there are kings; beyond, a bound that is what men alone are worth, nearer by the doubt."""
    rules, rng = load(game), random.Random(9)
    weights = make(rules, 8)
    alone = replace(
        bare(weights),
        terms=tuple(weights.alone if name == "man" else (0, 0) for name in TERMS),
        network=b"",
    )
    position = Position(rules)
    core, certain = (evaluation(rules, own, position) for own in (weights, replace(weights, doubt=0)))
    bounded = 0
    for number in range(80):
        setup = random_setup(rules, rng)
        if number % 2:
            setup = without_kings(setup)
        position.set(setup)
        setup, value = position.setup(), core.value(position.core)
        of_men = slow_value(setup, rules, alone)
        for low in (of_men - 120, of_men - 30, of_men + 20, of_men + 100):
            expected = of_men - 40 if low <= of_men - 50 else of_men + 40 if low >= of_men + 40 else value
            if setup.kings[0] | setup.kings[1]:
                expected = value
            assert core.value_within(position.core, low, low + 10) == expected, setup
            assert certain.value_within(position.core, low, low + 10) == value, setup
            bounded += expected != value
    assert bounded > 40


@compiled_core
@pytest.mark.parametrize("game", ["dam", "dam-haji", "dam-haji-12", "dam-daman", "international"])
def test_bounds_that_are_true_change_no_score(game: str) -> None:
    """An exact search with a doubt that no value is beyond finds what one finds that works out all values."""
    rules, rng = load(game), random.Random(12)
    own = weights_of(rules)
    position = Position(rules)
    search_of, table_of = (builds.load(name, rules.geometry.width, position.build)[0] for name in ("search", "table"))
    compared = 0
    while compared < 40:
        setup = random_setup(rules, rng)
        # Without kings, for there nothing is bounded, and with one side's men fewer than the other's.
        fewer = frozenset(man for man in setup.men[1] if rng.random() < 0.6)
        position.set(replace(without_kings(setup), men=(setup.men[0], fewer)))
        if position.outcome() is not None:
            continue
        found = []
        for doubt in (0, 3 * own.doubt):
            made = evaluation(rules, replace(own, doubt=doubt), position)
            search = search_of.Search(position.core, made, table_of.Table(1))
            search.exact = True
            search.prepare(None)
            found.append(search.iterate(4, -INFINITE_SCORE, INFINITE_SCORE, 0))
        compared += 1
        assert found[0] == found[1], position.setup()


@pytest.mark.parametrize(("game", "trained"), [("dam", True), ("dam-haji-12", True), ("turkish", False), ("losing", False)])
def test_only_trained_weights_are_trusted_to_prune(game: str, trained: bool) -> None:
    weights = weights_of(load(game))
    assert weights.trained is trained
    assert bool(weights.doubt) is trained, "what is worked out from the rules is always worked out whole"


# -- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [some_weights, some_network, lambda rules, seed: bare(some_network(rules, seed))])
def test_weights_come_back_from_their_file(tmp_path: Path, make: Callable[[Rules, int], Weights]) -> None:
    rules = load("dam-daman")
    weights = make(rules, 1)
    save(weights, rules.geometry, tmp_path / "one.weights")
    assert load_weights(tmp_path / "one.weights", rules.geometry) == weights
    assert load_weights(tmp_path / "one.weights", load("dam").geometry) is None


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda content: b"something else" + content, "right line"),
        (lambda content: content[:40], "no end"),
        (lambda content: content[:-9], "another size"),
        (lambda content: content[: content.index(b"\n\n") + 2] + b"no zlib", "zlib|incorrect header|decompress"),
        (lambda content: content.replace(b"term man", b"term men"), "unknown term men"),
        (lambda content: content.replace(b"scale 120.5", b"scale 0"), "scale"),
        (lambda content: content.replace(b"scale 120.5", b"skale 1"), "no line 'scale'"),
        (lambda content: content.replace(b" 40\n", b" -1\n"), "doubt must be from 0 to 1000"),
        (lambda content: content.replace(b" 40\n", b" 1001\n"), "doubt must be from 0 to 1000"),
        (lambda content: content.replace(b" 40\n", b" much\n"), "invalid literal"),
        (lambda content: content.replace(b"alone ", b"alone 40000"), "does not fit"),
        (lambda content: content.replace(b"alone ", b"alone 1 "), "unpack|positional"),
        (lambda content: content.replace(b"pattern ", b"pattern 1000 ", 1), "off the board|at most"),
        (lambda content: content.replace(b"materials 7 2", b"materials 7 3"), "another size"),
        (lambda content: content.replace(b"materials 7 2", b"materials 256 2"), "at most 255 men and 4 kings"),
        (lambda content: content.replace(b"materials 7 2", b"materials 7"), "unpack"),
        (lambda content: content.replace(b"term man ", b"term man 40000 "), "unpack|fit"),
        (lambda content: content.replace(b"network 64 16", b"network 64 8"), "layers are 64 and 16"),
        (lambda content: content.replace(b"network 64 16", b"netwerk 64 16"), "another size"),
    ],
)
def test_spoilt_files_of_weights_are_refused(tmp_path: Path, spoil, words: str) -> None:
    rules = load("dam")
    file = tmp_path / "bad.weights"
    save(some_network(rules, 2), rules.geometry, file)
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(WeightsError, match=words):
        load_weights(file, rules.geometry)


def test_a_network_whose_sums_do_not_fit_is_refused(tmp_path: Path) -> None:
    """As large as they may be, with a piece on every point; and one more."""
    rules = load("dam")
    weights = some_network(rules, 2)
    numbers = list(struct.unpack(f"<{len(weights.network) // 2}h", weights.network))
    rows = 4 * rules.geometry.size * FIRST_LAYER
    numbers[:rows] = [-1000] * rows
    numbers[rows : rows + FIRST_LAYER] = [-767] * FIRST_LAYER
    file = tmp_path / "own.weights"
    save(replace(weights, network=struct.pack(f"<{len(numbers)}h", *numbers)), rules.geometry, file)
    assert load_weights(file, rules.geometry) is not None
    numbers[rows] -= 1
    with pytest.raises(ValueError, match="do not fit 16 bits"):
        save(replace(weights, network=struct.pack(f"<{len(numbers)}h", *numbers)), rules.geometry, file)


@pytest.mark.parametrize("game", ["dam", "dam-haji-12"])
@pytest.mark.parametrize("change", [-2, 2])
def test_a_network_of_another_board_is_refused(game: str, change: int) -> None:
    rules = load(game)
    weights = some_network(rules, 2)
    numbers = weights.network[:change] if change < 0 else weights.network + bytes(change)
    with pytest.raises(ValueError, match=f"no network for {rules.geometry.size} points"):
        evaluation(rules, replace(weights, network=numbers), Position(rules))


def test_missing_file_of_weights(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="cannot read"):
        load_weights(tmp_path / "none.weights", load("dam").geometry)


def test_a_variant_file_names_weights_beside_it(tmp_path: Path) -> None:
    rules = load("dam")
    weights = some_weights(rules, 2)
    save(weights, rules.geometry, tmp_path / "own.weights")
    file = write(tmp_path, 'base = "dam"\n[evaluation]\nweights = "own.weights"\n')
    assert weights_of(load_file(file)) == weights
    # Who changes the board goes on with weights worked out.
    larger = write(
        tmp_path, 'base = "mine"\n[board]\ncolumns = 10\nrows = 10\n[start]\nwhite = "31-50"\nblack = "1-20"\n', "larger"
    )
    assert weights_of(load_file(larger)) == worked_out(load_file(larger))


def test_weights_of_another_board_or_spoilt_ones_are_a_fault(tmp_path: Path) -> None:
    rules = load("dam-haji-10")
    save(some_weights(rules, 2), rules.geometry, tmp_path / "large.weights")
    (tmp_path / "bad.weights").write_bytes(b"no weights")
    for name, words in (("large", "another board"), ("bad", "right line")):
        key, message = fault(write(tmp_path, f'base = "dam"\n[evaluation]\nweights = "{name}.weights"\n'))
        assert key == "evaluation.weights"
        assert words in message


@pytest.mark.parametrize("name", ["nothing-like-it", "none.weights"])
def test_weights_that_are_not_there_are_a_fault(tmp_path: Path, name: str) -> None:
    key, message = fault(write(tmp_path, f'base = "dam"\n[evaluation]\nweights = "{name}"\n'))
    assert key == "evaluation.weights"
    assert name in message


@pytest.mark.parametrize("variant", names())
def test_shipped_weights_fit_their_game(variant: str) -> None:
    rules = load(variant)
    name = rules.evaluation.weights
    if name:
        assert load_weights(file_of(name), rules.geometry) == weights_of(rules)
