"""Plans of tournaments: who meets whom, with which openings and colours, whatever order results come in."""

from __future__ import annotations

import importlib.util
import random
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from damd.match.formats.everyone import TEST_ROUNDS, berger
from damd.match.formats.knockout import EXTRA_PAIRS
from damd.match.formats.swiss import default_rounds
from damd.match.model import SEEDS, GamePlan, OpeningsSpec, PlanError, Sprt, derived_seed, shuffled
from damd.match.plan import left_to_play, plan, repeated_openings
from damd.match.table import table_of
from damd.match.tiebreaks import ranked
from match_records import drawn, play_out, played, stronger, thrown, tournament

has_networkx = pytest.mark.skipif(importlib.util.find_spec("networkx") is None, reason="networkx is not installed")
EIGHT = tuple("abcdefgh")


def test_seeds_depend_on_their_words_alone() -> None:
    assert derived_seed(7, "1-1") == derived_seed(7, "1-1") == 336179741
    assert len({derived_seed(7, number) for number in range(1000)}) == 1000
    assert all(0 <= derived_seed(7, number) < SEEDS for number in range(1000))


def test_every_order_of_a_shuffle_is_as_likely() -> None:
    orders = Counter(tuple(shuffled(3, seed, "openings")) for seed in range(6000))
    assert len(orders) == 6
    assert all(880 < count < 1120 for count in orders.values())


def test_a_match_plays_every_opening_once() -> None:
    schedule = plan(tournament("ab", format="match", seed=3), 5)
    assert [pairing.opening for pairing in schedule.pairings] == [0, 1, 2, 3, 4]
    assert [pairing.id for pairing in schedule.pairings] == ["1-1", "2-1", "3-1", "4-1", "5-1"]
    assert [(game.id, game.white, game.black) for game in schedule.pairings[0].games()] == [
        ("1-1.1", "a", "b"),
        ("1-1.2", "b", "a"),
    ]
    seeds = [game.seed for pairing in schedule.pairings for game in pairing.games()]
    assert len(set(seeds)) == 10


def test_openings_begin_again_where_there_are_more_rounds() -> None:
    schedule = plan(tournament("ab", format="match", rounds=5), 2)
    assert [pairing.opening for pairing in schedule.pairings] == [0, 1, 0, 1, 0]
    assert repeated_openings(schedule) == 3
    assert repeated_openings(plan(tournament("abc"), 4)) == 0


def test_only_so_many_openings_are_taken_where_there_is_a_limit() -> None:
    for order in ("sequential", "shuffled"):
        asked = tournament("ab", format="match", openings=OpeningsSpec(order=order, limit=3))
        assert len({pairing.opening for pairing in plan(asked, 10).pairings}) == len(plan(asked, 10).pairings) == 3
    assert len(plan(tournament("ab", format="match", openings=OpeningsSpec(limit=30)), 10).pairings) == 10


def test_the_order_of_openings_is_the_seeds() -> None:
    asked = tournament("ab", format="match", openings=OpeningsSpec(order="shuffled"))
    orders = [[pairing.opening for pairing in plan(replace(asked, seed=seed), 30).pairings] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == list(range(30))


def test_without_reversal_colours_alternate() -> None:
    schedule = plan(tournament("ab", format="match", reverse=False), 4)
    assert [(pairing.white, len(pairing.games())) for pairing in schedule.pairings] == [("a", 1), ("b", 1)] * 2


def test_a_sequential_test_may_take_long() -> None:
    assert len(plan(tournament("ab", format="match", sprt=Sprt()), 3).pairings) == TEST_ROUNDS
    assert len(plan(tournament("ab", format="match", sprt=Sprt(), rounds=9), 3).pairings) == 9


def test_t06_every_pairing_of_a_gauntlet_gets_the_same_openings_with_both_colours() -> None:
    schedule = plan(tournament("abcd", format="gauntlet", rounds=5, openings=OpeningsSpec(order="shuffled")), 5)
    games = defaultdict(list)
    for pairing in schedule.pairings:
        for game in pairing.games():
            games[pairing.engines].append((pairing.opening, game.white))
    assert set(games) == {frozenset("ab"), frozenset("ac"), frozenset("ad")}
    for both, found in games.items():
        assert sorted(found) == sorted((opening, engine) for opening in range(5) for engine in both)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9])
def test_everyone_meets_everyone(count: int) -> None:
    names = EIGHT[:count] if count < 9 else (*EIGHT, "i")
    schedule = plan(tournament(names, rounds=3), 3)
    met = Counter((pairing.engines, pairing.opening) for pairing in schedule.pairings)
    assert len(met) == 3 * count * (count - 1) // 2
    assert set(met.values()) == {1}
    first = [pairing for pairing in schedule.pairings if pairing.round == 1]
    assert [pairing.opening for pairing in first] == [0] * len(first)
    whites = Counter(pairing.white for pairing in first)
    assert max(whites[name] for name in names) - min(whites[name] for name in names) <= 1


def test_rounds_of_bergers_tables_use_everyone_once() -> None:
    encounters = berger(EIGHT)
    for turn in range(7):
        assert sorted(name for both in encounters[4 * turn : 4 * turn + 4] for name in both) == list(EIGHT)


def test_results_do_not_change_plans_that_are_known_at_once() -> None:
    asked = tournament("abc")
    schedule, records = play_out(asked, 4, drawn)
    assert plan(asked, 4, records) == plan(asked, 4) == schedule
    assert left_to_play(schedule, records[:5]) == list(schedule.pairings[5:])


@pytest.mark.parametrize("asked", ["swiss", "knockout"])
@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_the_order_of_results_does_not_matter(asked: str, count: int) -> None:
    if asked == "swiss":
        pytest.importorskip("networkx")
    whole = tournament(EIGHT[:count], format=asked)
    schedule, records = play_out(whole, 7, thrown)
    dice = random.Random(5)
    dice.shuffle(records)
    assert plan(whole, 7, records) == schedule
    # Half of a later round: what was planned of the earlier ones stays.
    last = max(pairing.round for pairing in schedule.pairings)
    earlier = [record for record in records if not record.pairing.startswith(f"{last}-")]
    again = plan(whole, 7, earlier)
    assert schedule.pairings[: len(again.pairings)] == again.pairings


def test_the_favourites_of_a_knockout_meet_last() -> None:
    schedule, _ = play_out(tournament(EIGHT, format="knockout"), 3, stronger(EIGHT))
    last = [pairing for pairing in schedule.pairings if pairing.round == 3]
    assert [pairing.engines for pairing in last] == [frozenset("ab")]
    assert schedule.placing == ("a", "b", "c", "d", "e", "f", "g", "h")


def test_favourites_have_a_free_round_where_there_are_not_enough_engines() -> None:
    schedule = plan(tournament(EIGHT[:5], format="knockout", rounds=2), 3)
    assert [pairing.engines for pairing in schedule.pairings] == [frozenset("de")] * 2
    assert not schedule.complete
    schedule, _ = play_out(tournament(EIGHT[:5], format="knockout"), 3, stronger(EIGHT))
    assert schedule.placing[0] == "a"
    assert sorted(schedule.placing) == list("abcde")


def test_a_level_tie_gets_more_pairs_and_then_the_first_entered_goes_on() -> None:
    schedule, records = play_out(tournament("abc", format="knockout"), 4, drawn)
    assert schedule.placing == ("a", "b", "c")
    assert len(records) == 2 * (1 + EXTRA_PAIRS)
    wins_last = play_out(tournament("ab", format="knockout"), 4, lambda game: 0 if game.id == "1-3.1" else None)
    assert wins_last[0].placing == ("a", "b")
    assert len(wins_last[1]) == 3


def test_ties_of_a_round_have_the_same_openings() -> None:
    schedule, _ = play_out(tournament(EIGHT, format="knockout", rounds=2), 50, drawn)
    by_round: dict[int, dict[frozenset[str], list[int]]] = defaultdict(lambda: defaultdict(list))
    for pairing in schedule.pairings:
        by_round[pairing.round][pairing.engines].append(pairing.opening)
    for found in by_round.values():
        assert len({tuple(openings) for openings in found.values()}) == 1
    assert len({pairing.id for pairing in schedule.pairings}) == len(schedule.pairings)


@has_networkx
@pytest.mark.parametrize("count", [2, 3, 4, 7, 8, 13, 16])
def test_a_swiss_tournament_ranks_by_strength_without_meeting_twice(count: int) -> None:
    names = tuple(f"engine{place:02}" for place in range(count))
    asked = tournament(names, format="swiss")
    schedule, records = play_out(asked, 9, stronger(names))
    rounds = default_rounds(count)
    assert {pairing.round for pairing in schedule.pairings} == set(range(1, rounds + 1))
    met = Counter(pairing.engines for pairing in schedule.pairings)
    assert set(met.values()) == {1}
    for turn in range(1, rounds + 1):
        of_round = [pairing for pairing in schedule.pairings if pairing.round == turn]
        assert len(of_round) == count // 2
        assert len({pairing.opening for pairing in of_round}) == 1
    byes = Counter(bye.engine for bye in schedule.byes)
    assert sum(byes.values()) == rounds * (count % 2)
    assert all(times == 1 for times in byes.values())
    points = {bye.engine: bye.points for bye in schedule.byes}
    assert ranked(table_of(names, records, points), "swiss")[0] == names[0]


@has_networkx
def test_a_swiss_tournament_may_have_more_rounds_than_there_are_opponents() -> None:
    schedule, _ = play_out(tournament(EIGHT, format="swiss", rounds=9), 9, thrown)
    for turn in range(1, 10):
        of_round = [pairing for pairing in schedule.pairings if pairing.round == turn]
        assert sorted(name for pairing in of_round for name in pairing.engines) == list(EIGHT)
    # In a round-robin's first half there is always a round without a second meeting; later that is up to the results.
    early = Counter(pairing.engines for pairing in schedule.pairings if pairing.round <= 4)
    assert set(early.values()) == {1}
    assert max(Counter(pairing.engines for pairing in schedule.pairings).values()) == 2


@has_networkx
def test_the_best_half_meets_the_other_half_in_the_first_round() -> None:
    schedule = plan(tournament(EIGHT, format="swiss"), 9)
    assert {pairing.engines for pairing in schedule.pairings} == {frozenset(both) for both in ("ae", "bf", "cg", "dh")}
    assert not schedule.complete


@has_networkx
def test_the_last_one_is_left_over_and_gets_a_narrow_win() -> None:
    schedule = plan(tournament("abcde", format="swiss", pairs=2), 9)
    assert [(bye.round, bye.engine, bye.points) for bye in schedule.byes] == [(1, "e", 6)]
    assert len(schedule.pairings) == 4
    assert Counter(pairing.opening for pairing in schedule.pairings) == {0: 2, 1: 2}


def test_swiss_without_networkx_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(PlanError, match=r'install "damd\[swiss\]"'):
        plan(tournament("abc", format="swiss"), 3)


def test_what_cannot_be_planned() -> None:
    with pytest.raises(PlanError, match="a match is between 2 engines, not 3"):
        plan(tournament("abc", format="match"), 3)
    with pytest.raises(PlanError, match="between 2 engines or more, not 1"):
        plan(tournament("a"), 3)
    with pytest.raises(PlanError, match="no opening to play"):
        plan(tournament("ab"), 0)


def test_records_of_another_tournament_are_refused() -> None:
    asked = tournament("abc")
    schedule, records = play_out(asked, 2, drawn)
    with pytest.raises(PlanError, match="1-1 is recorded twice"):
        plan(asked, 2, [*records, records[0]])
    with pytest.raises(PlanError, match="recorded but not planned"):
        plan(asked, 1, records)
    turned = replace(schedule.pairings[0], white=schedule.pairings[0].black, black=schedule.pairings[0].white)
    with pytest.raises(PlanError, match="pairing 1-1 is recorded as 2 games of"):
        plan(asked, 2, [played(turned, drawn)])
    with pytest.raises(PlanError, match=r"recorded as 1 games of .* but planned as 2"):
        plan(asked, 2, [played(replace(schedule.pairings[0], reverse=False), drawn)])


def test_a_judge_sees_both_colours() -> None:
    seen: list[GamePlan] = []
    play_out(tournament("ab", format="match"), 2, lambda game: seen.append(game))
    assert Counter(game.white for game in seen) == {"a": 2, "b": 2}
