"""Contempt, chances, and the options of strength from ``setoption`` to the engine and back to the client."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damd.client import Chances
from damd.client.parsing import parse_info
from damd.core.position import Position
from damd.core.types import Ply
from damd.daemon.session import Session
from damd.engine import Engine, Info, Limits, Result
from damd.levels import FULL_SKILL, HIGHEST_ELO, LOWEST_ELO
from damd.limits import Score, WinModel, chances
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.protocol.options import OptionKind, find
from damd.variants import load, names
from fakes import FakeEngine
from talking import Daemon

#: White may repeat the position with 1-6; all other plies are about even. For Black it is the same with 50-45.
SHUFFLED = ("W:WK1,31:BK50,20", ("1-6", "50-45", "6-1", "45-50"))
MIRRORED = ("B:WK1,31:BK50,20", ("50-45", "1-6", "45-50", "6-1"))


def engine_at(variant: str, fen: str | None = None, plies: tuple[str, ...] = ()) -> Engine:
    rules = load(variant)
    engine = Engine(rules, 4)
    position = Position(rules, parse_fen(fen, rules) if fen else None)
    for text in plies:
        position.play(parse_ply(text, position))
    engine.set_position(position)
    return engine


def searched(engine: Engine, limits: Limits) -> tuple[str, list[Info], Result]:
    infos: list[Info] = []
    result = engine.search(limits, infos.append)
    assert result.best is not None
    return format_ply(result.best, engine.position.board), infos, result


# Contempt


@pytest.mark.parametrize(("place", "repeats"), [(SHUFFLED, "1-6"), (MIRRORED, "50-45")])
def test_contempt_decides_whether_to_repeat(place: tuple[str, tuple[str, ...]], repeats: str) -> None:
    for contempt in (80, 50):
        engine = engine_at("international", *place)
        engine.contempt = contempt
        ply, infos, _ = searched(engine, Limits(depth=5))
        assert ply != repeats
        assert -contempt < infos[-1].score.value < contempt
        engine.contempt = -contempt
        ply, infos, _ = searched(engine, Limits(depth=5))
        assert ply == repeats
        assert infos[-1].score == Score("cp", contempt)


def test_an_analysis_knows_no_contempt() -> None:
    engine = engine_at("international", *SHUFFLED)
    engine.contempt = -80
    repeat = parse_ply("1-6", engine.position)
    _, infos, _ = searched(engine, Limits(depth=5, root_plies=(repeat,)))
    assert infos[-1].score == Score("cp", 0)
    _, infos, _ = searched(engine, Limits(depth=5))
    assert infos[-1].score == Score("cp", 80)


def test_scores_of_another_contempt_are_forgotten() -> None:
    engine = engine_at("dam-haji")

    def remembers() -> bool:
        """One ply deep it can tell the answer only from its table."""
        return searched(engine, Limits(depth=1))[2].ponder is not None

    assert not remembers()
    searched(engine, Limits(depth=7))
    engine.contempt = 0
    assert remembers()
    engine.contempt = 10
    assert not remembers()
    searched(engine, Limits(depth=7))
    assert remembers()
    # An analysis, and a search for the other side, score draws in another way.
    searched(engine, Limits(depth=1, mate=1))
    assert not remembers()
    searched(engine, Limits(depth=7))
    white = engine.position
    black = Position(engine.rules)
    black.play(black.plies()[0])
    engine.set_position(black)
    searched(engine, Limits(depth=1))
    engine.set_position(white)
    assert not remembers()


DRAWN = "W:WK1,K2,K3:BK50:H49:F90"  # by the move limit, whatever is played
QUIET = "W:WK1,31:BK50,20:H24:F40"  # about even


@pytest.mark.parametrize("contempt", [-60, 0, 60])
def test_a_sure_draw_is_accepted(contempt: int) -> None:
    engine = engine_at("international", DRAWN)
    engine.draw_offers = True
    engine.contempt = contempt
    _, infos, result = searched(engine, Limits(depth=5, draw_offered=True))
    assert infos[-1].score == Score("cp", -contempt)
    assert result.offers_draw


def test_contempt_decides_about_draws_by_agreement() -> None:
    answers = []
    for contempt in (-100, 100):
        engine = engine_at("international", QUIET)
        engine.draw_offers = True
        engine.contempt = contempt
        _, infos, offer = searched(engine, Limits(depth=4))
        assert abs(infos[-1].score.value) < 60
        answers.append((offer.offers_draw, searched(engine, Limits(depth=4, draw_offered=True))[2].offers_draw))
    assert answers == [(True, True), (False, False)]


# Chances


MODELS = st.builds(WinModel, st.floats(5, 1000), st.floats(0, 5))


@given(st.integers(-40_000, 40_000), MODELS)
def test_chances_add_up_and_are_symmetric(value: int, model: WinModel) -> None:
    win, draw, loss = chances(Score("cp", value), model)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    if model.draw > 0.01:
        assert chances(Score("cp", -value), model) == (loss, draw, win)


@given(st.lists(st.integers(-3000, 3000), min_size=2), MODELS)
def test_chances_grow_with_the_score(values: list[int], model: WinModel) -> None:
    found = [chances(Score("cp", value), model) for value in sorted(values)]
    for worse, better in pairwise(found):
        assert worse[0] <= better[0]
        assert worse[2] >= better[2]


def test_a_win_in_sight_is_a_win() -> None:
    model = WinModel(100, 0.6)
    assert chances(Score("mate", 7), model) == (1000, 0, 0)
    assert chances(Score("mate", -7), model) == (0, 0, 1000)
    assert chances(Score("mate", 0), model) == (0, 0, 1000)
    assert chances(Score("cp", 0), model) == (354, 292, 354)
    assert chances(Score("cp", 20, "lowerbound"), model) == chances(Score("cp", 20), model)


@pytest.mark.parametrize("variant", names())
def test_every_game_has_a_model(variant: str) -> None:
    engine = engine_at("dam-haji")
    engine.set_rules(load(variant))
    assert engine.win_model == Engine(load(variant), 1).win_model
    even, better = (chances(Score("cp", value), engine.win_model) for value in (0, 100))
    assert even[0] == even[2]
    assert better[0] > even[0] > better[2]


def test_chances_on_the_wire() -> None:
    with Daemon() as daemon:
        daemon.send("go depth 3")
        assert not any(" wdl " in line for line in daemon.until("bestmove"))
        daemon.send("setoption name UCI_ShowWDL value true", "setoption name MultiPV value 2", "go depth 3")
        said = daemon.until("bestmove")
    infos = [parse_info(line) for line in said if line.startswith("info ")]
    assert len(infos) > 4
    for info in infos:
        assert isinstance(info.wdl, Chances)
        assert sum(info.wdl) == 1000
        assert info.score is not None
        words = info.raw.split()
        assert words.index("wdl") == words.index("score") + 3


def test_the_client_reads_chances() -> None:
    read = parse_info("info depth 3 score cp 20 lowerbound wdl 500 300 200 nodes 4").wdl
    assert read == Chances(win=500, draw=300, loss=200)
    assert read is not None
    assert read.expectation == 0.65
    assert parse_info("info wdl 500 300 -200 nodes 4").wdl is None
    assert Chances(0, 0, 0).expectation == 0.5


# Options


def test_declarations() -> None:
    declared = {name: find(name) for name in ("skill level", "uci_limitstrength", "uci_elo", "contempt", "uci_showwdl")}
    assert [option.line() for option in declared.values()] == [
        f"option name Skill Level type spin default {FULL_SKILL} min 0 max {FULL_SKILL}",
        "option name UCI_LimitStrength type check default false",
        f"option name UCI_Elo type spin default {HIGHEST_ELO} min {LOWEST_ELO} max {HIGHEST_ELO}",
        "option name Contempt type spin default 0 min -100 max 100",
        "option name UCI_ShowWDL type check default false",
    ]


def test_options_reach_the_engine() -> None:
    made: list[FakeEngine] = []

    def make(*arguments: object) -> FakeEngine:
        made.append(FakeEngine(*arguments))  # type: ignore[arg-type]
        return made[-1]

    session = Session("", make)  # type: ignore[arg-type]
    engine = made[0]

    def chances_shown() -> bool:
        work = session.answer("go depth 1").work
        assert work is not None
        said: list[str] = []
        work.run(said.append)
        return " score cp 13 wdl 385 290 325 " in said[0]

    def told() -> tuple[object, ...]:
        return engine.skill, engine.elo, engine.contempt, chances_shown()

    assert told() == (FULL_SKILL, None, 0, False)
    for name, value in (("Skill Level", "3"), ("UCI_Elo", "1500"), ("Contempt", "-20"), ("UCI_ShowWDL", "true")):
        assert session.answer(f"setoption name {name} value {value}").lines == []
    assert told() == (3, None, -20, True)
    session.answer("setoption name uci_limitstrength value TRUE")
    assert told() == (3, 1500, -20, True)
    session.answer("setoption name UCI_LimitStrength value false")
    assert told() == (3, None, -20, True)


@pytest.mark.parametrize("name", ["Skill Level", "UCI_Elo", "Contempt"])
def test_numbers_out_of_range_are_told(name: str) -> None:
    option, session = find(name), Session()
    for value, used in ((option.low - 1, option.low), (option.high + 1, option.high)):
        [line] = session.answer(f"setoption name {name} value {value}").lines
        assert line == (
            f"error out-of-range {value}: {name} takes a number from {option.low} to {option.high}, {used} is used"
        )
    for value in ("strong", "1.5", ""):
        [line] = session.answer(f"setoption name {name} value {value}").lines
        assert line.startswith("error bad-value ")


@pytest.mark.parametrize("name", ["UCI_LimitStrength", "UCI_ShowWDL"])
def test_checks_take_true_and_false(name: str) -> None:
    assert find(name).kind is OptionKind.CHECK
    [line] = Session().answer(f"setoption name {name} value 1").lines
    assert line.startswith("error bad-value 1: ")


def test_weak_answers_over_the_wire_are_repeated() -> None:
    def game(daemon: Daemon) -> list[str]:
        said: list[str] = []
        daemon.ask("ucinewgame")
        played: list[str] = []
        for _ in range(10):
            daemon.send(f"position startpos moves {' '.join(played)}", "go nodes 5000")
            said.append(daemon.until("bestmove")[-1])
            played.append(said[-1].split()[1])
        return said

    with Daemon() as daemon:
        daemon.ask("setoption name Skill Level value 1", "setoption name UCI_Variant value international")
        first = game(daemon)
        assert game(daemon) == first
        daemon.ask("setoption name Skill Level value 20")
        assert game(daemon) != first


def played(engine: Engine, count: int) -> list[Ply]:
    """A game against itself."""
    found = []
    for _ in range(count):
        result = engine.search(Limits(nodes=500), lambda _: None)
        assert result.best is not None
        found.append(result.best)
        engine.position.play(result.best)
    return found


def test_another_game_is_counted_anew() -> None:
    engine = engine_at("dam-haji")
    engine.skill = 2
    first = played(engine, 6)
    engine.set_rules(load("dam"))
    played(engine, 3)
    engine.set_rules(load("dam-haji"))
    assert played(engine, 6) == first
