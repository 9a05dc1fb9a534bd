"""The network's training: what it sees, its slope, what comes of it, and what the core makes of that."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from damd.core import builds
from damd.core.position import Position
from damd.core.tables import evaluation_spec
from damd.engine import Engine, Limits
from damd.rules import EvaluationRules, Rules
from damd.variants import load, names
from damd.weights.choice import weights_of
from damd.weights.files import WeightsError
from damd.weights.files import load as load_weights
from damd.weights.files import save as save_weights
from damd.weights.model import MOST_DOUBT, TERMS, UNIT, Weights, material_count
from positions import random_setup, without_kings

np = pytest.importorskip("numpy")

from training import fit, network, samples, selfplay  # noqa: E402
from training.field import Counter, blank  # noqa: E402
from training.network import Layers, Seen  # noqa: E402
from training.samples import Samples, SamplesError  # noqa: E402

TRAINED = tuple(name for name in names() if weights_of(load(name)).network)

VARIANTS = ("russian", "dam-daman", "dam-haji-12")


@pytest.fixture(scope="module")
def played() -> Samples:
    """Games of the smallest board, hardly searched."""
    return samples.join(selfplay.play(load("dam-daman"), None, games=80, nodes=25, seed=3)).distinct()


def looked_at(rules: Rules, count: int, kings: bool = True) -> tuple[Seen, list[Position]]:
    """Random positions, as arrays and as they are; without rights to claim."""
    counter, positions, counted = Counter(rules), [], []
    for seed in range(count):
        setup = replace(random_setup(rules, random.Random(seed)), right=None)
        position = Position(rules, setup if kings else without_kings(setup))
        positions.append(position)
        counted.append(counter.count(position))
    sides = np.array([position.side for position in positions])
    features = samples.gather_features(counted, blank(rules))
    return network.seen(features, sides, counter.full, rules.geometry), positions


def men_of(rules: Rules) -> int:
    """Those of a side that a table of materials tells apart."""
    return fit.men_counted(Counter(rules).full)


def some_weights(rules: Rules, seed: int = 1) -> Weights:
    """As a training could make them."""
    layers = Layers(rules.geometry.size, (1.0, 2.0, 0.5, 1.0), men_of(rules), np.random.default_rng(seed))
    layers.parts["materials"] += np.random.default_rng(seed).normal(0, 1, len(layers.parts["materials"]))
    weights, clipped = network.rounded(layers, blank(rules), rules.geometry, 90.0, 1.1, 0.4)
    assert clipped == 0
    return weights


def values(rules: Rules, weights: Weights, positions: list[Position]) -> list[int]:
    """The core's."""
    module, _ = builds.load("evaluation", rules.geometry.width, positions[0].build)
    core = module.Evaluation(evaluation_spec(rules, weights))
    return [core.value(position.core) for position in positions]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_arrays_are_what_the_core_sees(variant: str) -> None:
    rules = load(variant)
    weights = some_weights(rules)
    data, positions = looked_at(rules, 150)
    assert {position.side for position in positions} == {0, 1}
    told = network.values(weights, data, rules.geometry)
    assert np.allclose(told, values(rules, weights, positions), atol=1.01)
    men = replace(weights, terms=((0, 0),) * len(TERMS), materials=bytes(len(weights.materials)))
    assert np.array_equal(network.spoken(weights, data, rules.geometry), values(rules, men, positions)), "to the last bit"


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_fitted_is_what_is_played_by(variant: str) -> None:
    """But for the rounding of the numbers."""
    rules = load(variant)
    data, _ = looked_at(rules, 150)
    weights = some_weights(rules)
    layers = Layers(rules.geometry.size, (1.0, 2.0, 0.5, 1.0), men_of(rules), np.random.default_rng(1))
    layers.parts["materials"] += np.random.default_rng(1).normal(0, 1, len(layers.parts["materials"]))
    meant = 90 * layers.logits(data)
    assert np.std(meant) > 50
    assert np.allclose(network.values(weights, data, rules.geometry), meant, atol=4)
    layers.take(weights, rules.geometry, 1 / 90)
    assert np.allclose(90 * layers.logits(data), network.values(weights, data, rules.geometry), atol=4)


def test_the_slope_is_that_of_the_value() -> None:
    """Against small steps of single parts, in double precision."""
    rules = load("dam-daman")
    data, _ = looked_at(rules, 60)
    dice = np.random.default_rng(2)
    layers = Layers(rules.geometry.size, (1.0, 2.0, 0.5, 1.0), men_of(rules), dice)
    layers.parts = {name: part.astype(np.float64) for name, part in layers.parts.items()}
    data, expected = replace(data, counts=data.counts.astype(np.float64)), dice.random(len(data))

    def total() -> float:
        return fit.loss(layers.forward(data)[-1], expected)

    slopes = layers.slope(data, expected)
    assert set(slopes) == set(layers.parts)
    for name, part in layers.parts.items():
        direction = dice.standard_normal(part.shape)
        step = 1e-6 / np.linalg.norm(direction)
        found = []
        for way in (1, -1):
            layers.parts[name] = part + way * step * direction
            found.append(total())
        layers.parts[name] = part
        meant = float(np.sum(slopes[name] * direction))
        assert (found[0] - found[1]) / (2 * step) == pytest.approx(meant, rel=1e-2, abs=1e-6), name


def test_nothing_grows_beyond_what_a_file_holds() -> None:
    rules = load("dam-haji-12")
    layers = Layers(rules.geometry.size, (1.0, 2.0, 0.5, 1.0), men_of(rules), np.random.default_rng(1))
    for name in ("rows", "bias", "across", "second_bias"):
        layers.parts[name] *= 1000
    layers.cut()
    weights, clipped = network.rounded(layers, blank(rules), rules.geometry, 90.0, 1.1, 0.4)
    assert clipped == 0
    data, positions = looked_at(rules, 20)
    assert np.allclose(network.values(weights, data, rules.geometry), values(rules, weights, positions), atol=1.01)


def test_games_to_a_network_to_an_engine(played: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = load("dam-daman")
    data, out = tmp_path / "games.npz", tmp_path / "own.weights"
    samples.save(played, data)
    assert network.main(["dam-daman", str(data), "--out", str(out), "--rounds", "30"]) == 0
    told = capsys.readouterr().out
    losses = {name: float(told.split(f"{name} ")[1].split()[0].rstrip(",")) for name in ("nothing", "material", "trained")}
    assert losses["trained"] < losses["nothing"]
    weights = load_weights(out, rules.geometry)
    assert weights is not None
    assert weights.network
    assert not weights.patterns
    assert weights.terms[TERMS.index("claim")] != (0, 0), "what never occurs keeps its weight"
    own = replace(rules, evaluation=EvaluationRules(weights=str(out)))
    trained, untrained = Engine(own, 1), Engine(rules, 1)
    assert trained.search(Limits(depth=4), lambda _info: None).best is not None
    assert trained.bench(3)[0] != untrained.bench(3)[0], "the weights change the search"
    again = tmp_path / "again.weights"
    assert network.main(["dam-daman", str(data), "--out", str(again), "--rounds", "30"]) == 0
    assert again.read_bytes() == out.read_bytes(), "the same samples make the same network"


def test_a_known_network_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results drawn from the chances that a network means are told nearly as well as by the network itself."""
    rules = load("russian")
    data, positions = looked_at(rules, 2500)
    dice = np.random.default_rng(4)
    truth = Layers(rules.geometry.size, (12.0, 18.0, 12.0, 18.0), men_of(rules), dice)
    truth.parts["rows"] *= 4
    meant = truth.logits(data)
    assert np.std(meant) > 0.8
    sides = np.array([position.side for position in positions])
    white = np.where(sides, -meant, meant)
    points = 2 * (dice.random(len(white)) < network.logistic(white))
    known = as_samples(rules, positions, sides, points)
    monkeypatch.setattr(network, "BATCH", 128)
    fitted = network.fit_network(rules, known, result=1, rounds=20)
    losses = fitted.losses
    held = np.arange(len(white)) % fit.HELD_OUT == 0
    best = fit.loss(white[held], points[held] / 2)
    assert best < losses.trained < best + 0.35 * (losses.nothing - best)


def as_samples(rules: Rules, positions: list[Position], sides: np.ndarray, points: np.ndarray) -> Samples:
    """These positions as if each were from a game of its own; pairs of them with and without a White man."""
    counter = Counter(rules)
    counted = [counter.count(position) for position in positions]
    pairs = []
    for position in positions[:80]:
        setup = position.setup()
        lacking = replace(setup, men=(setup.men[0] - {min(setup.men[0], default=-1)}, setup.men[1]), king_runs=(None, None))
        if len(setup.men[0]) > 1:
            pairs.append((counter.count(position), counter.count(Position(rules, lacking))))
    blanks = blank(rules)
    count = len(positions)
    return Samples(
        variant=rules.names.name,
        full=counter.full,
        features=samples.gather_features(counted, blanks),
        key=np.arange(count, dtype=np.uint64),
        side=sides.astype(np.uint8),
        points=points.astype(np.uint8),
        game=np.arange(count, dtype=np.int32),
        score=np.zeros(count, np.int16),
        untrained=np.zeros(count, np.int16),
        whole=samples.gather_features([whole for whole, _ in pairs], blanks),
        lacking=samples.gather_features([lacking for _, lacking in pairs], blanks),
        lacking_side=np.zeros(len(pairs), np.uint8),
    )


def test_a_man_is_worth_a_hundred(played: Samples) -> None:
    """On the average of the pairs; the scale turns centipawns back to chances."""
    rules = load("dam-daman")
    fitted = network.fit_network(rules, played, rounds=10)
    worth = []
    for block in (played.whole, played.lacking):
        view = network.seen(block, np.zeros(len(block), np.uint8), played.full, rules.geometry)
        worth.append(network.values(fitted.weights, view, rules.geometry))
    signs = np.where(played.lacking_side == 0, 1, -1)
    assert abs(float(np.mean((worth[0] - worth[1]) * signs))) == pytest.approx(100, abs=5)


def test_the_doubt_is_how_far_values_are_from_those_of_the_men() -> None:
    rules = load("russian")
    data, positions = looked_at(rules, 300, kings=False)
    weights = network.measured(some_weights(rules), data, rules.geometry)
    alone = replace(
        weights,
        terms=tuple(weights.alone if name == "man" else (0, 0) for name in TERMS),
        materials=bytes(len(weights.materials)),
        network=b"",
    )
    pairs = zip(values(rules, weights, positions), values(rules, alone, positions), strict=True)
    distances = sorted(abs(value - of_men) for value, of_men in pairs)
    assert distances[297] - 2 <= weights.doubt <= distances[-1] + 2
    few = data.rows(slice(199))
    assert network.measured(weights, few, rules.geometry).doubt == 0, "too few to say"
    data, _ = looked_at(rules, 300)
    crowned = np.any(data.pieces[:, 32:64], axis=1)
    crowned_only = data.rows(crowned)
    assert network.measured(weights, crowned_only, rules.geometry).doubt == 0


@pytest.mark.parametrize("variant", TRAINED)
def test_the_shipped_doubt_is_true_of_games_played(variant: str) -> None:
    """Of positions without kings that are reached by searches and by random plies few are beyond it."""
    rules = load(variant)
    weights = weights_of(rules)
    assert 0 < weights.doubt < MOST_DOUBT
    played = samples.join(selfplay.play(rules, weights, games=60, nodes=40, seed=5)).distinct()
    data = network.seen(played.features, played.side, played.full, rules.geometry)
    of_men = ~np.any(played.features.kings, axis=1)
    chosen = data.rows(of_men)
    assert len(chosen) > 400
    alone = chosen.counts[:, ::2] @ np.array(weights.alone) / UNIT
    distances = abs(network.values(weights, chosen, rules.geometry) - alone)
    assert np.count_nonzero(distances > weights.doubt) <= 0.02 * len(chosen)
    assert np.count_nonzero(distances > weights.doubt / 3) > 0.005 * len(chosen), "nor is it larger than need be"


def test_a_fit_goes_on_from_a_network(played: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it begins with says what the file says, in logits; a short fit leaves most of it as it is."""
    rules = load("dam-daman")
    own = weights_of(rules)
    data = network.seen(played.features, played.side, played.full, rules.geometry)
    layers = Layers(rules.geometry.size, (1.0, 2.0, 0.5, 1.0), men_of(rules), np.random.default_rng(1))
    layers.take(own, rules.geometry, 0.01)
    told = network.values(own, data, rules.geometry)
    assert np.std(told) > 50
    assert np.allclose(100 * layers.logits(data), told, atol=15), "rounded at each number of the second layer"
    assert np.std(100 * layers.logits(data) - told) < 5
    file, out = tmp_path / "games.npz", tmp_path / "out.weights"
    samples.save(played, file)
    begin = Path(__file__).parent.parent / "damd" / "weights" / "dam-daman.weights"
    assert network.main(["dam-daman", str(file), "--out", str(out), "--begin", str(begin), "--rounds", "1"]) == 0
    found = load_weights(out, rules.geometry)
    assert found is not None
    assert found.network != own.network
    change = network.values(found, data, rules.geometry) - told
    assert np.std(change) < 0.3 * np.std(told)
    assert re.search(r"\b[01] rounds, ", capsys.readouterr().out)
    with pytest.raises(SystemExit):
        network.main(["dam-daman", str(file), "--out", str(out), "--begin", str(begin), "--measure", str(begin)])


def test_the_doubt_of_a_file_is_measured_anew(played: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = load("dam-daman")
    data, given, out = tmp_path / "games.npz", tmp_path / "given.weights", tmp_path / "out.weights"
    samples.save(played, data)
    own = weights_of(rules)
    save_weights(replace(own, alone=(0, 0), doubt=0), rules.geometry, given)
    words = ["dam-daman", str(data), "--out", str(out), "--measure"]
    assert network.main([*words, str(given)]) == 0
    found = load_weights(out, rules.geometry)
    assert found is not None
    assert replace(found, alone=own.alone, doubt=own.doubt) == own, "nothing else has changed"
    assert found.doubt > 0
    assert f"doubt {found.doubt} centipawns" in capsys.readouterr().out
    out.unlink()
    save_weights(replace(own, network=b""), rules.geometry, given)
    assert network.main([*words, str(given)]) == 2
    assert network.main([*words, str(tmp_path / "none.weights")]) == 2
    points = ((16, 16), *own.king_points[1:])
    save_weights(replace(own, king_points=points), rules.geometry, given)
    assert network.main([*words, str(given)]) == 2
    materials = bytes(2 * material_count(3, 2))
    save_weights(replace(own, men=3, kings=2, materials=materials), rules.geometry, given)
    assert network.main([*words, str(given)]) == 2
    told = capsys.readouterr().err
    assert "given.weights: terms, kings' places or patterns beside the network" in told
    assert "given.weights: a table of other materials" in told
    assert "given.weights: no network for the board of dam-daman" in told
    assert "none.weights: cannot read" in told
    assert not out.exists()


def test_what_nothing_can_be_learnt_from(played: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = load("dam-daman")
    with pytest.raises(SamplesError, match="a man decides nothing"):
        network.fit_network(rules, replace(played, lacking=played.whole), rounds=1)
    with pytest.raises(SamplesError, match="too few games"):
        network.fit_network(rules, played.rows(played.game % fit.HELD_OUT != 0))
    samples.save(played, tmp_path / "games.npz")
    out = tmp_path / "out"
    assert network.main(["russian", str(tmp_path / "games.npz"), "--out", str(out)]) == 2
    assert network.main(["dam-daman", str(tmp_path / "none.npz"), "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert "samples of dam-daman" in told
    assert "none.npz" in told
    assert not out.exists()
    for words in (["--rounds", "0"], ["--seed", "-1"], ["--result", "nan"]):
        with pytest.raises(SystemExit):
            network.main(["dam-daman", str(tmp_path / "games.npz"), "--out", str(out), *words])


def test_samples_of_other_patterns_are_refused(played: Samples) -> None:
    fewer = replace(played.features, fillings=played.features.fillings[:, 1:])
    rules = load("dam-daman")
    with pytest.raises(SamplesError, match="other patterns"):
        network.fit_network(rules, replace(played, features=fewer), rounds=1)
    with pytest.raises(SamplesError, match="other patterns"):
        network.measured_again(weights_of(rules), rules, replace(played, features=fewer))


def test_what_is_cut_is_counted(tmp_path: Path) -> None:
    """Claims, men and materials as well as the layers' numbers; what is left can be saved, if its scale can."""
    rules = load("dam-haji")
    layers = Layers(rules.geometry.size, (1.0, 2.0, 0.5, 1.0), men_of(rules), np.random.default_rng(1))
    for name in ("rows", "bias", "across", "second_bias", "out"):
        layers.parts[name][:] = 0  # so that nothing of the network itself is cut
    layers.parts["materials"][[1, 2]] = 1e6
    weights, clipped = network.rounded(layers, blank(rules), rules.geometry, 5000.0, 1.1, 0.4)
    numbers = [number for pair in weights.terms for number in pair]
    numbers += np.frombuffer(weights.materials, "<i2").tolist()
    assert weights.terms[TERMS.index("claim")] == (32767, 32767)
    assert clipped == sum(abs(number) == 32767 for number in numbers) > 6
    save_weights(weights, rules.geometry, tmp_path / "cut.weights")
    assert load_weights(tmp_path / "cut.weights", rules.geometry) == weights
    file = tmp_path / "steep.weights"
    with pytest.raises(WeightsError, match="not written: scale"):
        save_weights(replace(weights, scale=40_000.0), rules.geometry, file)
    assert not file.exists()


def test_files_that_are_no_samples(played: Samples, tmp_path: Path) -> None:
    file = tmp_path / "games.npz"

    def refused(words: str) -> None:
        with pytest.raises(SamplesError, match=words):
            samples.load(file)

    samples.save(played, file)
    content = file.read_bytes()
    for spoilt in (b"", b"PK", content[: len(content) // 2], content[:400] + bytes(200) + content[600:]):
        file.write_bytes(spoilt)
        refused("not a file of samples")
    with file.open("wb") as stream:
        np.save(stream, np.zeros(3))
    refused("one array alone")
    samples.save(replace(played, side=played.side[1:]), file)
    refused("different lengths")
    samples.save(replace(played, full=60), file)
    with pytest.raises(SamplesError, match="60 pieces, not 32"):
        fit.gathered("dam-daman", [file], [])
