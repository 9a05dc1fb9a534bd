"""Training by self-play: the games, the arrays, the fit, and an engine that plays with what came of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from damd.core import builds
from damd.core.position import Position
from damd.core.tables import evaluation_spec
from damd.engine import Engine, Limits
from damd.geometry import WHITE
from damd.rules import EvaluationRules, Rules
from damd.variants import load
from damd.weights.choice import weights_of
from damd.weights.default import worked_out
from damd.weights.files import load as load_weights
from damd.weights.files import save as save_weights
from damd.weights.model import KINGS_COUNTED, TERMS, UNIT, material_count, mirror, windows
from positions import random_setup, without_kings

np = pytest.importorskip("numpy")

from training import __main__ as training  # noqa: E402
from training import doubt, fit, network, samples, selfplay  # noqa: E402
from training.chances import fit_chances, fit_steepness, logistic, loss  # noqa: E402
from training.descent import descend  # noqa: E402
from training.field import HOPELESS_PLIES, Counter, Field, blank, hopeless_score  # noqa: E402
from training.model import Logits, Model, Prior, exchanged, images, reflection  # noqa: E402
from training.samples import Features, Samples, SamplesError  # noqa: E402

#: A diagonal board, and the one that a reflection maps to itself.
VARIANTS = ("russian", "dam-daman")

NEVER: Callable[..., bool] = lambda _number, _point: False  # noqa: E731


@pytest.fixture(scope="module")
def played() -> Samples:
    """A few games of the smallest board, hardly searched."""
    return samples.join(selfplay.play(load("dam-daman"), None, games=41, nodes=25, seed=3)).distinct()


# The games


def test_games_follow_from_their_seed(played: Samples, tmp_path: Path) -> None:
    words = ["dam-daman", "--games", "41", "--nodes", "25", "--seed", "3", "--workers", "2", "--out", str(tmp_path / "a")]
    assert selfplay.main(words) == 0
    again = samples.load(tmp_path / "a")
    assert (again.variant, again.full, len(again)) == ("dam-daman", 32, len(played))
    for name in ("key", "side", "points", "game", "score", "untrained", "lacking_side"):
        assert np.array_equal(getattr(again, name), getattr(played, name)), name
    for block in ("features", "whole", "lacking"):
        for name in ("phase", "terms", "kings", "fillings"):
            assert np.array_equal(getattr(getattr(again, block), name), getattr(getattr(played, block), name)), (block, name)
    assert len(np.unique(again.key)) == len(again) > 100
    assert set(again.points) == {0, 1, 2}


def test_another_seed_makes_other_games(played: Samples) -> None:
    other = selfplay.record(load("dam-daman"), None, 25, 4, range(4))
    assert not set(other.key) <= set(played.key)


def test_only_calm_positions_are_kept(played: Samples) -> None:
    assert not played.features.terms[:, TERMS.index("claim")].any()


def test_a_pair_differs_by_a_man(played: Samples) -> None:
    man = TERMS.index("man")
    change = played.whole.terms[:, man].astype(int) - played.lacking.terms[:, man]
    assert len(change) > 2
    assert np.array_equal(change, np.where(played.lacking_side == 0, 1, -1))
    assert np.array_equal(played.whole.phase - 1, played.lacking.phase)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_arrays_hold_the_whole_evaluation(variant: str) -> None:
    """The model says of the arrays what the core says of the positions."""
    rules = load(variant)
    dice = np.random.default_rng(5)
    begin = blank(rules)
    tables = dice.integers(-300, 300, (len(begin.tables) // 4, 2))
    kings = dice.integers(-900, 900, (rules.geometry.size, 2))
    counter, counted, values = Counter(rules), [], []
    men = fit.men_counted(counter.full)
    materials = dice.integers(-900, 900, material_count(men, KINGS_COUNTED))
    weights = replace(
        begin,
        tables=tables.astype("<i2").tobytes(),
        king_points=tuple(map(tuple, kings.tolist())),
        men=men,
        kings=KINGS_COUNTED,
        materials=materials.astype("<i2").tobytes(),
    )
    for seed in range(200):
        position = Position(rules, random_setup(rules, random.Random(seed)))
        module, _ = builds.load("evaluation", rules.geometry.width, position.build)
        value = module.Evaluation(evaluation_spec(rules, weights)).value(position.core)
        counted.append(counter.count(position))
        values.append(value if position.side == WHITE else -value)
    features = samples.gather_features(counted, weights)
    assert features.kings.min() < 0 < features.kings.max()
    sheet = fit.sheet_of(features, counter.full, rules.geometry, weights.patterns)
    assert np.allclose(100 * sheet.logits(fit.as_logits(weights, 100)), values, atol=1.01)


# The fit


def test_games_to_weights_to_an_engine(played: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = load("dam-daman")
    data, out = tmp_path / "games.npz", tmp_path / "own.weights"
    samples.save(played, data)
    assert fit.main(["dam-daman", str(data), "--out", str(out), "--steps", "20"]) == 0
    told = capsys.readouterr().out
    losses = {name: float(told.split(f"{name} ")[1].split()[0].rstrip(",")) for name in ("nothing", "material", "trained")}
    assert losses["trained"] < losses["nothing"]
    weights = load_weights(out, rules.geometry)
    assert weights is not None
    assert weights.patterns == windows(rules.geometry)
    assert weights.terms[TERMS.index("claim")] != (0, 0), "what never occurs keeps its weight"
    own = replace(rules, evaluation=EvaluationRules(weights=str(out)))
    trained, untrained = Engine(own, 1), Engine(rules, 1)
    assert trained.search(Limits(depth=4), lambda _info: None).best is not None
    assert trained.bench(3)[0] != untrained.bench(3)[0], "the weights change the search"


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_sides_are_judged_alike(variant: str, tmp_path: Path) -> None:
    """Exactly, in the file: the turned and swapped filling has the opposite pair; the reflected one the same."""
    rules = load(variant)
    data = synthetic(rules, 3000, hidden(rules, 1), 2)
    fitted = fit.fit(rules, data, fit.Choices(steps=10))
    save_weights(fitted.weights, rules.geometry, tmp_path / "own.weights")
    weights = load_weights(tmp_path / "own.weights", rules.geometry)
    assert weights == fitted.weights
    tables = np.frombuffer(weights.tables, "<i2").reshape(-1, 2)
    assert np.count_nonzero(tables) > 200
    assert np.array_equal(tables[images(weights.patterns, mirror(rules.geometry), True)], -tables)
    materials = np.frombuffer(weights.materials, "<i2")
    assert np.count_nonzero(materials) > 20
    assert np.array_equal(materials[exchanged(weights.men)], -materials)
    reflected = reflection(rules.geometry)
    assert (reflected is None) == (variant == "russian")
    if reflected is not None:
        assert np.array_equal(tables[images(weights.patterns, reflected, False)], tables)
        assert all(weights.king_points[point] == weights.king_points[image] for point, image in enumerate(reflected))


def hidden(rules: Rules, seed: int) -> Logits:
    """Weights that a model could have, drawn from what it presumes."""
    dice = np.random.default_rng(seed)
    patterns = windows(rules.geometry)
    model = Model(rules.geometry, patterns, 12, np.ones(len(TERMS)), np.zeros((len(TERMS), 2)), Prior(term=0.5))
    return model.weights(dice.standard_normal(model.free))


def synthetic(rules: Rules, count: int, weights: Logits, seed: int) -> Samples:
    """Positions of a few fillings a pattern, with results drawn from the chances that the weights mean; no draws."""
    dice = np.random.default_rng(seed)
    patterns = windows(rules.geometry)
    kinds = [dice.integers(0, 3 ** len(pattern), 6) for pattern in patterns]
    features = Features(
        phase=dice.integers(0, 25, count).astype(np.uint8),
        terms=np.where(np.arange(len(TERMS)) == TERMS.index("claim"), 0, dice.integers(-2, 3, (count, len(TERMS)))).astype(
            np.int16
        ),
        kings=dice.integers(-rules.geometry.size, rules.geometry.size + 1, (count, 2)).astype(np.int16),
        fillings=np.stack([dice.choice(kind, count) for kind in kinds], axis=1).astype(np.uint16),
    )
    lacking = replace(features.rows(np.arange(50)), terms=features.terms[:50] - np.eye(len(TERMS), dtype=np.int16)[0])
    logits = fit.sheet_of(features, 24, rules.geometry, patterns).logits(weights)
    return Samples(
        variant=rules.names.name,
        full=24,
        features=features,
        key=np.arange(count, dtype=np.uint64),
        side=np.zeros(count, np.uint8),
        points=(2 * (dice.random(count) < logistic(logits))).astype(np.uint8),
        game=np.arange(count, dtype=np.int32),
        score=np.zeros(count, np.int16),
        untrained=np.zeros(count, np.int16),
        whole=features.rows(np.arange(50)),
        lacking=lacking,
        lacking_side=np.zeros(50, np.uint8),
    )


def test_known_weights_are_found_again() -> None:
    rules = load("russian")
    truth = hidden(rules, 1)
    data = synthetic(rules, 30_000, truth, 2)
    fitted = fit.fit(rules, data, fit.Choices(result=1, trust=1, steps=60))
    found = fit.as_logits(fitted.weights, fit.MAN / abs(fitted.man))
    sheet = fit.sheet_of(data.features, 24, rules.geometry, windows(rules.geometry))
    told, meant = sheet.logits(found), sheet.logits(truth)
    assert np.std(meant) > 0.8
    assert np.std(told - meant) < 0.25 * np.std(meant)
    occurring = np.arange(len(TERMS)) != TERMS.index("claim")
    assert np.allclose(found.terms[occurring], truth.terms[occurring], atol=0.15)
    assert fitted.losses.trained < 0.9 * fitted.losses.nothing


def test_a_man_is_worth_a_hundred() -> None:
    """On the average of the pairs, whatever its worth in logits; the scale turns centipawns back to chances."""
    rules = load("russian")
    data = synthetic(rules, 10_000, hidden(rules, 1), 2)
    fitted = fit.fit(rules, data, fit.Choices(result=1, trust=1, steps=40))
    weights = fit.as_logits(fitted.weights, 1)
    sheets = [fit.sheet_of(block, 24, rules.geometry, windows(rules.geometry)) for block in (data.whole, data.lacking)]
    worth = sheets[0].logits(weights) - sheets[1].logits(weights)
    assert float(np.mean(worth)) * np.sign(fitted.man) == pytest.approx(100, abs=0.2)
    assert fitted.weights.scale == pytest.approx(100 / abs(fitted.man), rel=0.3)


def test_the_doubt_is_how_far_values_are_from_those_of_the_men(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but one of 200 of those without kings, counted on the game's own core."""
    rules = load("russian")
    known = synthetic(rules, 3000, hidden(rules, 1), 2)
    known.features.kings[::2] = 0
    with monkeypatch.context() as patch:
        patch.setattr(doubt, "DOUBTED", 50)
        weights = fit.fit(rules, known, fit.Choices(steps=10)).weights
    assert weights.doubt > 0
    counter, counted, positions = Counter(rules), [], []
    for seed in range(600):
        setup = random_setup(rules, random.Random(seed))
        position = Position(rules, without_kings(setup) if seed % 2 else setup)
        counted.append(counter.count(position))
        positions.append(position)
    data = replace(known.rows(np.arange(len(known)) < 600), features=samples.gather_features(counted, weights))
    weights = fit.measured(weights, data, rules.geometry)
    module, _ = builds.load("evaluation", rules.geometry.width, positions[0].build)
    core = module.Evaluation(evaluation_spec(rules, replace(weights, doubt=1)))
    distances = []
    for position in positions:
        if not any(position.setup().kings):
            of_men = core.value_within(position.core, -20_000, -19_999) + 1
            distances.append(abs(core.value(position.core) - of_men))
    assert 200 < len(distances) < 400
    distances.sort()
    place = int((1 - 1 / doubt.DOUBTED) * (len(distances) - 1))
    assert distances[place] - 2 <= weights.doubt <= distances[place + 1] + 2
    few = fit.measured(weights, data.rows(np.arange(600) < 100), rules.geometry)
    assert (few.alone, few.doubt) == ((0, 0), 0), "too few to say"


def test_a_game_is_ended_by_a_score_only_where_that_is_a_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """By what trained weights know of a game's draws: in dam-daman 600 centipawns are often one."""
    rules = load("dam-daman")
    weights = weights_of(rules)
    limit = hopeless_score(weights)
    assert logistic(np.array(600 / weights.scale - weights.draw)) < 0.9
    assert logistic(np.array(limit / weights.scale - weights.draw)) == pytest.approx(0.98)
    assert hopeless_score(weights_of(load("dam"))) == hopeless_score(worked_out(rules)) == 600
    field, told = Field(rules, weights, 40), []
    choose = field._choose

    def watched() -> tuple[int, int]:
        told.append(choose())
        return told[-1]

    monkeypatch.setattr(field, "_choose", watched)
    between = 0
    for number in range(60):
        told.clear()
        game = field.play(random.Random(number))
        last = [abs(score) for score, _ in told[-HOPELESS_PLIES:]]
        clear = len(last) == HOPELESS_PLIES and min(last) >= 600
        between += clear and min(last) < limit
        if field._position.outcome() is None and max(last) < 20_000 and clear and min(last) < limit:
            assert game.points == 1, "an aimless or endless game, not one ended by the score"
    assert between > 0


def test_a_doubt_too_large_to_be_of_use_is_none() -> None:
    """Not cut to the largest: the search would take it for true."""
    rules, dice = load("russian"), np.random.default_rng(3)
    counts = dice.integers(-3, 4, (1000, 2)).astype(float)
    values = counts @ np.array([80.0, 120.0])
    weights = blank(rules)
    close = doubt.with_doubt(weights, values + dice.uniform(-90, 90, 1000), counts)
    assert close.doubt == pytest.approx(90, abs=10)
    assert np.array(close.alone) / UNIT == pytest.approx([80, 120], abs=5)
    far = doubt.with_doubt(close, values + dice.uniform(-1200, 1200, 1000), counts)
    assert (far.alone, far.doubt) == ((0, 0), 0)
    assert "not known" in doubt.doubt_text(far)
    steep = doubt.with_doubt(close, 100 * values, counts)
    assert (steep.alone, steep.doubt) == ((0, 0), 0), "a man's worth beyond 16 bits"


def test_the_slope_is_that_of_the_value() -> None:
    """The whole way from free numbers to the loss, against small steps of single numbers."""
    rules = load("dam-daman")
    patterns = windows(rules.geometry)
    data = synthetic(rules, 400, hidden(rules, 1), 2)
    sheet = fit.sheet_of(data.features, 24, rules.geometry, patterns)
    model = Model(rules.geometry, patterns, 12, np.ones(len(TERMS)), np.zeros((len(TERMS), 2)), Prior())
    dice = np.random.default_rng(3)
    free = dice.standard_normal(model.free)
    expected = data.points / 2
    total, weights_slope = sheet.slope(model.weights(free), expected)
    assert total == pytest.approx(400 * loss(sheet.logits(model.weights(free)), expected), rel=1e-5)
    slope = model.slope(weights_slope)
    for _ in range(5):
        direction = dice.standard_normal(model.free)
        step = 1e-2 / np.linalg.norm(direction)
        ahead, behind = (sheet.slope(model.weights(free + way * step * direction), expected)[0] for way in (1, -1))
        assert (ahead - behind) / (2 * step) == pytest.approx(float(slope @ direction), rel=0.02, abs=0.5)


def test_the_lowest_point_is_found() -> None:
    dice = np.random.default_rng(1)
    steep = dice.uniform(0.01, 10, 200)
    lowest = dice.standard_normal(200)

    def function(point: np.ndarray) -> tuple[float, np.ndarray]:
        away = point - lowest
        return float(steep @ away**2), 2 * steep * away

    assert np.allclose(descend(function, np.zeros(200), 500, NEVER, flat=0), lowest, atol=1e-4)
    seen: list[int] = []
    descend(function, np.zeros(200), 500, lambda number, _point: bool(seen.append(number)) or number == 3)
    assert seen == [0, 1, 2, 3]


def test_chances_are_found_again() -> None:
    dice = np.random.default_rng(1)
    logits = 2 * dice.standard_normal(40_000)
    drawn = dice.random(40_000)
    white, black = logistic(0.7 * logits - 0.9), logistic(-0.7 * logits - 0.9)
    points = np.where(drawn < white, 2, np.where(drawn < white + black, 0, 1))
    found = fit_chances(logits, points)
    assert (found.steepness, found.draw) == (pytest.approx(0.7, abs=0.03), pytest.approx(0.9, abs=0.03))
    undrawn = fit_chances(logits, np.where(dice.random(40_000) < logistic(logits), 2, 0))
    assert undrawn.steepness == pytest.approx(1, abs=0.05)
    assert 0 < undrawn.draw < 0.01
    assert fit_steepness(100 * logits, logistic(0.4 * logits), 100) == pytest.approx(0.004, rel=1e-3)


# What does not go


def test_samples_of_two_games_do_not_mix(played: Samples) -> None:
    with pytest.raises(SamplesError, match="dam-daman and of russian"):
        samples.join([played, synthetic(load("russian"), 60, hidden(load("russian"), 1), 1)])


def test_samples_of_a_like_game_on_the_same_board(
    played: Samples, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, name in enumerate(("dam", "russian")):
        made = synthetic(load(name), 400, hidden(load(name), number), number)
        samples.save(replace(made, key=made.key + 1000 * number), tmp_path / f"{name}.npz")
    samples.save(played, tmp_path / "other.npz")
    words = ["dam", str(tmp_path / "dam.npz"), "--out", str(tmp_path / "out"), "--steps", "1", "--kindred"]
    assert fit.main([*words, str(tmp_path / "other.npz")]) == 2
    assert "dam-daman is not played on the board of dam" in capsys.readouterr().err
    assert fit.main([*words, str(tmp_path / "russian.npz")]) == 0
    assert capsys.readouterr().out.startswith("dam: 800 positions")


def test_games_are_numbered_on(played: Samples) -> None:
    both = samples.join([played, played])
    assert len(both) == 2 * len(played)
    assert len(np.unique(both.game)) == 2 * len(np.unique(played.game))
    assert np.array_equal(both.distinct().key, played.key)


def test_a_file_that_holds_no_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").write_text("no samples")
    np.savez(tmp_path / "b.npz", terms=list(TERMS))
    for name in ("a", "b.npz", "none"):
        assert fit.main(["russian", str(tmp_path / name), "--out", str(tmp_path / "out")]) == 2
        assert name in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_games_in_which_a_man_decides_nothing() -> None:
    rules = load("russian")
    data = synthetic(rules, 3000, hidden(rules, 1), 2)
    with pytest.raises(SamplesError, match="a man decides nothing"):
        fit.fit(rules, replace(data, lacking=data.whole), fit.Choices(steps=3))
    with pytest.raises(SamplesError, match="too few games"):
        fit.fit(rules, data.rows(data.game % fit.HELD_OUT != 0))


def test_generations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each plays with what was fitted to the one before; the last one's weights are written."""
    monkeypatch.setattr(training, "GENERATIONS", (training.Generation(41, 25, False), training.Generation(21, 25, True)))
    monkeypatch.setattr(training, "fit", lambda *words: fit.fit(*words, fit.Choices(steps=10)))
    learnt = []
    monkeypatch.setattr(
        training, "fit_network", lambda *words: learnt.append(words[1]) or network.fit_network(*words, rounds=2)
    )
    asked = []
    monkeypatch.setattr(training, "play", lambda *words: asked.append(words) or selfplay.play(*words))
    words = ["dam-daman", "--out", str(tmp_path / "own.weights"), "--keep", str(tmp_path / "kept"), "--seed", "3"]
    assert training.main(words) == 0
    assert "generation 1: 21 games of 25 nodes a ply" in capsys.readouterr().out
    kept = [load_weights(tmp_path / "kept" / f"dam-daman-{number}.weights", load("dam-daman").geometry) for number in (0, 1)]
    assert [words[1] for words in asked] == [None, kept[0]]
    assert (tmp_path / "own.weights").read_bytes() == (tmp_path / "kept" / "dam-daman-1.weights").read_bytes()
    assert kept[0] is not None
    assert kept[1] is not None
    assert [bool(weights.network) for weights in kept] == [False, True]
    both = samples.join([samples.load(tmp_path / "kept" / f"dam-daman-{number}.npz") for number in (0, 1)])
    assert len(learnt[0]) == len(both.distinct()), "a network is fitted to the games of the generation before as well"


def test_weights_of_another_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = load("russian")
    save_weights(worked_out(rules), rules.geometry, tmp_path / "own.weights")
    words = ["--games", "1", "--nodes", "9", "--seed", "1", "--out", str(tmp_path / "out")]
    assert selfplay.main(["dam-daman", *words, "--weights", str(tmp_path / "own.weights")]) == 2
    assert "weights of another board" in capsys.readouterr().err
    assert selfplay.main(["russian", *words, "--weights", str(tmp_path / "own.weights")]) == 0
