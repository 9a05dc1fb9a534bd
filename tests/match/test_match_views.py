"""Views: tables, CSV, PDN and results for rating programs, all from records, in plan order, the right side credited."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from io import BytesIO, StringIO

import pytest

from damd.match.journal import Header
from damd.match.model import Opening, Schedule, Sprt, Tournament
from damd.match.plan import plan
from damd.match.records import GameRecord, PairRecord, PlyRecord, Termination
from damd.match.standings import standings, terminations, tournament_table
from damd.match.table import pair_counts
from damd.match.timecontrol import parse_time_control
from damd.match.views.columns import number, points_text, table_lines
from damd.match.views.games import in_plan_order, pdn_games, results_pgn
from damd.match.views.spreadsheet import games_csv, ordo_csv, standings_csv
from damd.match.views.standings import cross_table_lines, standings_lines
from damd.match.views.versus import versus_lines
from damd.notation.pdn import Verdict, clocks, read_games
from damd.variants import load
from match_records import drawn, play_out, played, stronger, thrown, tournament

HAJI = load("dam-haji")
#: Black to move.
BLACK_FIRST = Opening("B:W21-32:B1-12", name="Black begins")


def records_of(game: GameRecord, *, pairing: str = "1-1") -> list[PairRecord]:
    turned = replace(game, number=2, white=game.black, black=game.white, winner=None, termination=Termination.AGREEMENT)
    return [PairRecord(pairing, (game, turned))]


def match_of_two(**changes: object) -> Tournament:
    return tournament("ab", format="match", **changes)


def test_standings_of_a_round_robin() -> None:
    asked = tournament("cab", rounds=2)
    schedule, records = play_out(asked, 2, stronger("abc"))
    found = standings(asked, schedule, records)
    assert [(line.rank, line.name, line.points) for line in found] == [(1, "a", 16), (2, "b", 8), (3, "c", 0)]
    lines = standings_lines(asked, found)
    assert lines[0].split() == ["#", "Engine", "Games", "W", "D", "L", "Points", "%", "Elo", "+/-", "SB"]
    assert lines[1].split()[:8] == ["1", "a", "8", "8", "0", "0", "16", "100.0"]
    assert lines[3].split()[:8] == ["3", "c", "8", "0", "0", "8", "0", "0.0"]
    assert lines[4].startswith("Elo: one drawn game against each opponent is added")
    assert cross_table_lines(asked, tournament_table(asked, schedule, records), [line.name for line in found]) == [
        "#  Engine       1       2       3  Points",
        "1  a            x  +4=0-0  +4=0-0      16",
        "2  b       +0=0-4       x  +4=0-0       8",
        "3  c       +0=0-4  +0=0-4       x       0",
    ]


def test_chess_scoring_counts_halves() -> None:
    asked = tournament("ab", format="match", scoring="1-half-0")
    schedule, records = play_out(asked, 1, lambda game: 0 if game.number == 1 else None)
    assert standings_lines(asked, standings(asked, schedule, records))[1].split()[6] == "1.5"
    assert points_text(3, "2-1-0") == "3"


def test_before_the_first_game_there_are_dashes() -> None:
    asked = tournament("ab", format="match")
    lines = standings_lines(asked, standings(asked, plan(asked, 1), []))
    assert lines[1].split() == ["1", "a", "0", "0", "0", "0", "0", "-", "-", "-", "0.0"]
    assert versus_lines(asked, [], "a", "b") == ["a against b: nothing finished yet"]
    assert ordo_csv(standings(asked, plan(asked, 1), [])) == "#,PLAYER,RATING,ERROR,POINTS,PLAYED,(%)\r\n"


def test_a_knockout_is_ranked_by_how_far_one_came() -> None:
    asked = tournament("abcd", format="knockout")
    schedule, records = play_out(asked, 3, stronger("dbca"))
    assert [line.name for line in standings(asked, schedule, records)] == list(schedule.placing)
    assert schedule.placing[0] == "d"


def test_byes_count_for_the_total_alone() -> None:
    pytest.importorskip("networkx")
    asked = tournament("abc", format="swiss", rounds=1)
    schedule, records = play_out(asked, 1, drawn)
    found = {line.name: line for line in standings(asked, schedule, records)}
    assert found["c"].points == 3
    assert found["c"].score.games == 0
    assert found["c"].percent is None


def test_troubles_are_told_of_the_one_who_had_them() -> None:
    late = PlyRecord("21-17", 0, taken_ms=130, over_ms=30)
    asked = match_of_two()
    lost = GameRecord(1, "a", "b", 1, Termination.TIME, (late,))
    broken = GameRecord(1, "b", "a", 0, Termination.CRASH, note="exit code 3", exit_code=3, stderr="oh")
    records = records_of(lost) + records_of(broken, pairing="2-1")
    found = {line.name: line for line in standings(asked, Schedule(()), records)}
    assert (found["a"].late, found["a"].faults, found["a"].overruns) == (1, 1, 1)
    assert (found["b"].late, found["b"].faults, found["b"].overruns) == (0, 0, 1)  # the second game has that ply too
    text = "\n".join(standings_lines(asked, list(found.values())))
    assert "a: 1 of 4 games lost by breaking down or breaking the rules" in text
    assert "a: 1 of 4 games lost on time; its results say little of its strength" in text
    assert terminations(records) == {"agreement": 2, "crash": 1, "time": 1}


def test_a_match_of_two() -> None:
    asked = match_of_two(sprt=Sprt())
    _, records = play_out(replace(asked, rounds=40), 40, thrown)
    lines = versus_lines(asked, records, "a", "b")
    counts = pair_counts(records, "a", "b")
    assert sum(counts) == 40
    assert pair_counts(records, "b", "a") == counts[::-1]
    assert lines[0].startswith("a against b: ")
    assert lines[1] == f"pairs by points 0, ½, 1, 1½, 2: {' '.join(map(str, counts))}"
    assert lines[2].startswith("Elo ")
    assert lines[3].startswith("SPRT of 0 and 5 nElo: LLR ")
    assert lines[3].endswith("(-2.94, 2.94), goes on")


def test_results_that_are_one_sided_or_all_alike_have_no_nan() -> None:
    asked = match_of_two(sprt=Sprt(), rounds=40)
    for judge, elo, decided in (
        (stronger("ab"), "above +", "H1"),
        (stronger("ba"), "below -", "H0"),
        (drawn, "0.0 +/- ", ""),
    ):
        schedule, records = play_out(asked, 40, judge)
        lines = versus_lines(asked, records, "a", "b")
        assert elo in lines[2]
        assert (f"{decided} accepted" in lines[3]) == bool(decided)
        assert any("read too far out" in line for line in lines) == bool(decided)
        text = "\n".join([*lines, *standings_lines(asked, standings(asked, schedule, records))]).lower()
        assert "nan" not in text
        assert "inf" not in text


def test_single_games_are_counted_by_three() -> None:
    asked = match_of_two(reverse=False, rounds=3)
    _, records = play_out(asked, 3, stronger("ab"))
    assert pair_counts(records, "a", "b") == [0, 0, 3]
    assert len(versus_lines(asked, records, "a", "b")) == 2
    mixed = [*records, *play_out(match_of_two(), 1, drawn)[1]]
    with pytest.raises(ValueError, match="both pairs and single games"):
        pair_counts(mixed, "a", "b")


def test_tables_are_aligned_whatever_their_letters() -> None:
    assert table_lines(("#", "Engine", "W"), [("1", "漢字", "3"), ("10", "e\u0301", "12")]) == [
        " #  Engine   W",
        " 1  漢字     3",
        "10  e\u0301       12",
    ]
    assert [number(value, signed=True) for value in (None, 0.04, -0.04, 1.25, -3)] == ["-", "0.0", "0.0", "+1.2", "-3.0"]


# Games


def header_of(asked: Tournament, *openings: Opening) -> Header:
    return Header(asked, openings or (Opening(),))


def test_pdn_reads_back_with_clocks_scores_and_the_end() -> None:
    asked = match_of_two(event="Test", time=parse_time_control("10+0.1"))
    plies = (
        PlyRecord("21-17", 0, 1500, 8600, score=13, depth=9, nodes=4000, latency_ms=0.4),
        PlyRecord("10-14", 1, 250, 9850, score=-20, over_ms=12.4),
        PlyRecord("17x10", 0, 10, 8690, mate=4),
        PlyRecord("6-9", 1, 10, 9940, mate=-4),
        PlyRecord("x6", 0),
    )[:3]
    game = GameRecord(1, "a", "b", 0, Termination.RESIGNATION, plies, started="2026-11-30T10:00:00Z", seconds=2)
    texts = list(pdn_games(header_of(asked), plan(asked, 1), records_of(game)))
    assert len(texts) == 2
    (read,) = read_games(BytesIO(texts[0].encode()))
    assert read.faults == ()
    assert read.game is not None
    tags = dict(read.game.tags)
    assert tags == {
        "Event": "Test", "Date": "2026.11.30", "Round": "1.1.1", "White": "a", "Black": "b",
        "TimeControl": "10+0.1", "Termination": "resignation",
    }  # fmt: skip
    assert read.game.verdict is Verdict.WHITE
    nodes = read.game.line.nodes
    assert [(clock.name, clock.seconds) for clock in clocks(nodes[0].comments)] == [("clk", 8.6), ("emt", 1.5)]
    said = [{command.name: command.value for comment in node.comments for command in comment.commands} for node in nodes]
    assert [one["eval"] for one in said] == ["+0.13", "+0.20", "#4"]
    assert (said[0]["depth"], said[0]["nodes"]) == ("9", "4000")
    assert any("late by 12 ms" in comment.text for comment in nodes[1].comments)
    assert nodes[2].comments[-1].text.endswith("White wins (a): resignation")


def test_t18_an_adjudicated_win_of_black_names_black() -> None:
    asked = match_of_two()
    game = GameRecord(1, "a", "b", 1, Termination.ADJUDICATED_WIN, (PlyRecord("21-17", 0),), note="both say 7.00")
    assert game.describe() == "Black wins (b): adjudicated-win: both say 7.00"
    text = next(pdn_games(header_of(asked), plan(asked, 1), records_of(game)))
    assert '[Result "0-1"]' in text
    assert "Black wins (b): adjudicated-win" in text
    assert "White wins" not in text


def test_t21_colours_and_times_are_the_right_engines_where_black_begins() -> None:
    asked = match_of_two()
    plies = (PlyRecord("9-13", 1, 100, depth=5, nodes=10), PlyRecord("22-18", 0, 7, depth=9, nodes=3))
    game = GameRecord(1, "a", "b", 1, Termination.TIME, plies)
    assert [ply.taken_ms for ply in game.plies_of("b")] == [100]
    assert [ply.taken_ms for ply in game.plies_of("a")] == [7]
    records = records_of(game)
    row = next(csv.DictReader(StringIO(games_csv(records))))
    assert (row["white"], row["black"], row["winner"]) == ("a", "b", "b")
    assert (row["white_time_ms"], row["black_time_ms"]) == ("7", "100")
    assert (row["white_depth"], row["black_depth"], row["white_nodes"], row["black_nodes"]) == ("9.0", "5.0", "3", "10")
    text = next(pdn_games(header_of(asked, BLACK_FIRST), plan(asked, 1), records))
    (read,) = read_games(BytesIO(text.encode()))
    assert read.faults == ()
    assert read.game is not None
    assert read.game.start is not None
    assert read.game.start.side == 1
    assert read.game.tag("Opening") == "Black begins"
    assert read.game.verdict is Verdict.BLACK


def test_a_claim_leaves_the_plies_to_the_same_side() -> None:
    opening = Opening("", ("22-18", "9-13", "18-15", "5-9"))
    game = GameRecord(1, "a", "b", None, Termination.AGREEMENT, (PlyRecord("x10", 0), PlyRecord("21-17", 0)))
    asked = match_of_two()
    text = next(pdn_games(header_of(asked, opening), plan(asked, 1), records_of(game)))
    (read,) = read_games(BytesIO(text.encode()))
    assert read.faults == ()
    assert read.game is not None
    assert len(read.game.line.nodes) == 6
    assert len(game.plies_of("a")) == 2


def test_own_time_controls_are_told_apart() -> None:
    asked = match_of_two()
    engines = (replace(asked.engines[0], time=parse_time_control("depth=3")), asked.engines[1])
    asked = replace(asked, engines=engines)
    text = next(pdn_games(header_of(asked), plan(asked, 1), play_out(asked, 1, drawn)[1]))
    assert '[WhiteTimeControl "depth=3"]' in text
    assert '[BlackTimeControl "10+0.1"]' in text


def test_files_are_the_same_in_whatever_order_games_ended() -> None:
    asked = tournament("abc", rounds=2)
    schedule, records = play_out(asked, 2, thrown)
    turned = records[:]
    random.Random(3).shuffle(turned)
    assert turned != records
    header = header_of(asked, Opening(), BLACK_FIRST)
    one = replace(asked, openings=replace(asked.openings, limit=1))
    header = replace(header, tournament=one)
    assert list(pdn_games(header, plan(one, 2), turned)) == list(pdn_games(header, plan(one, 2), records))
    assert results_pgn(schedule, turned) == results_pgn(schedule, records)
    assert [pairing.id for pairing, _ in in_plan_order(schedule, turned)] == [pairing.id for pairing in schedule.pairings]
    assert standings(asked, schedule, turned) == standings(asked, schedule, records)


def test_results_for_rating_programs() -> None:
    asked = match_of_two()
    text = results_pgn(plan(asked, 1), records_of(GameRecord(1, "a", "b", 1, Termination.NO_MOVES)))
    assert text == (
        '[White "a"]\n[Black "b"]\n[Result "0-1"]\n\n0-1\n\n[White "b"]\n[Black "a"]\n[Result "1/2-1/2"]\n\n1/2-1/2\n\n'
    )


def test_tables_for_spreadsheets() -> None:
    asked = tournament(['say "hi", then', "b"], format="match", rounds=2)
    schedule, records = play_out(asked, 1, lambda game: 0 if game.id == "1-1.1" else None)
    found = standings(asked, schedule, records)
    rows = list(csv.DictReader(StringIO(standings_csv(asked, found))))
    assert [(row["rank"], row["engine"], row["points"], row["percent"]) for row in rows] == [
        ("1", 'say "hi", then', "5", "62.5"),
        ("2", "b", "3", "37.5"),
    ]
    assert rows[0]["tiebreak_name"] == "Sonneborn-Berger"
    ordo = list(csv.DictReader(StringIO(ordo_csv(found))))
    assert [(row["PLAYER"], row["POINTS"], row["PLAYED"]) for row in ordo] == [
        ('say "hi", then', "2.5", "4"),
        ("b", "1.5", "4"),
    ]
    assert float(ordo[0]["RATING"]) == -float(ordo[1]["RATING"]) > 0
    games = list(csv.DictReader(StringIO(games_csv(records))))
    assert [(row["pairing"], row["game"], row["termination"]) for row in games] == [
        ("1-1", "1", "no-moves"), ("1-1", "2", "repetition"), ("2-1", "1", "repetition"), ("2-1", "2", "repetition"),
    ]  # fmt: skip


def test_a_record_that_the_rules_contradict_is_named() -> None:
    asked = match_of_two()
    game = GameRecord(1, "a", "b", 0, Termination.NO_MOVES, (PlyRecord("21-18", 0),))
    with pytest.raises(ValueError, match=r"pairing 1-1, game 1: .*21-18"):
        list(pdn_games(header_of(asked), plan(asked, 1), records_of(game)))


def test_records_of_other_engines_are_refused() -> None:
    asked = match_of_two()
    with pytest.raises(ValueError, match="pairing 1-1: c is none of the engines a, b"):
        standings(asked, plan(asked, 1), [played(plan(tournament("ac"), 1).pairings[0], drawn)])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"winner": None}, "no-moves does not go with a draw"),
        ({"termination": Termination.REPETITION}, "repetition does not go with a winner"),
        ({"number": 3}, "a pair has games 1 and 2, not 3"),
        ({"black": "a"}, "a cannot play itself"),
        ({"winner": 2}, "0 is White, 1 is Black"),
    ],
)
def test_games_that_cannot_be(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        replace(GameRecord(1, "a", "b", 0, Termination.NO_MOVES), **changes)  # type: ignore[arg-type]


def test_an_interrupted_game_makes_no_pair() -> None:
    with pytest.raises(ValueError, match="an interrupted game counts for nothing"):
        PairRecord("1-1", (GameRecord(1, "a", "b", None, Termination.INTERRUPTED),))


def test_every_end_is_told_apart() -> None:
    game = GameRecord(1, "a", "b", 0, Termination.ILLEGAL_PLY, note="31-27: there is no piece on 31", exit_code=None)
    assert game.describe() == "White wins (a): illegal-ply: 31-27: there is no piece on 31"
    assert game.termination.is_fault
    assert not Termination.TIME.is_fault
    assert Termination.ADJUDICATED_LENGTH.is_adjudicated
    limit = GameRecord(1, "a", "b", None, Termination.MATERIAL, rule="three-kings")
    assert limit.describe() == "Drawn: material (three-kings)"
    assert terminations(records_of(limit)) == {"agreement (three-kings)": 1, "material (three-kings)": 1}
