"""A tournament's file: typed, every fault told at once by its key; time controls as text; clocks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damd.match.model import Sprt
from damd.match.plain import Faults
from damd.match.settings import (
    SettingsError,
    check_tournament,
    protocol_fault,
    read_engines,
    read_settings,
    table_of,
    tournament_of,
)
from damd.match.timecontrol import SideClock, TimeControl, TimeControlError, parse_time_control
from match_records import tournament

WHOLE = """
[tournament]
event = "Three settings"
variant = "Dam Haji"
format = "round-robin"
time = "10+0.1"
rounds = 20
seed = 7

[openings]
file = "mine.ballots"
order = "sequential"

[adjudication]
resign_plies = 4

[[engine]]
name = "full"
command = "damd --log 'a file'"
options = { Hash = 64, Ponder = false, "Draw Offers" = "off" }
folder = "engines"

[[engine]]
name = "half"
command = ["damd"]
time = "5+0.05 depth=9"
environment = { THREADS = 2 }
restart = "game"
"""


def written(folder: Path, text: str) -> str:
    file = folder / "tournament.toml"
    file.write_text(text)
    return str(file)


def test_a_whole_file(tmp_path: Path) -> None:
    found = read_settings(written(tmp_path, WHOLE))
    assert found.names == ("full", "half")
    assert found.engines[0].command == ("damd", "--log", "a file")
    assert found.engines[0].options == (("Hash", "64"), ("Ponder", "false"), ("Draw Offers", "off"))
    assert found.engines[0].folder == str(tmp_path / "engines")
    assert found.engines[1].environment == (("THREADS", "2"),)
    assert found.time_of("full") == TimeControl(base_ms=10_000, increment_ms=100)
    assert found.time_of("half") == TimeControl(base_ms=5_000, increment_ms=50, depth=9)
    assert (found.rounds, found.seed, found.scoring, found.reverse) == (20, 7, "2-1-0", True)
    assert found.openings.file == str(tmp_path / "mine.ballots")
    assert found.adjudication.resign_plies == 4
    assert found.sprt is None


def test_a_seed_that_is_not_given_is_the_callers(tmp_path: Path) -> None:
    assert read_settings(written(tmp_path, WHOLE), seed=99).seed == 7
    assert read_settings(written(tmp_path, WHOLE.replace("seed = 7", "")), seed=99).seed == 99


def test_the_table_of_a_tournament_reads_back_the_same(tmp_path: Path) -> None:
    found = read_settings(written(tmp_path, WHOLE.replace("round-robin", "match") + "\n[sprt]\nelo1 = 7\n"))
    assert found.sprt == Sprt(elo1=7)
    faults = Faults()
    table = table_of(found)
    assert tournament_of(table, faults) == found
    assert faults.found == []
    # Defaults are there too, so that a later damd reads the same tournament.
    assert (table["tournament"]["reverse"], table["sprt"]["alpha"], table["engine"][0]["restart"]) == (True, 0.05, "fault")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            'format = "round-robin"',
            'format = "roundrobin"',
            'tournament.format: "roundrobin" is not one of match, ',
        ),
        ("rounds = 20", "round = 20", 'tournament.round: unknown key; did you mean "rounds"?'),
        ("rounds = 20", 'rounds = "20"', 'tournament.rounds: must be a whole number, not "20"'),
        ("rounds = 20", "rounds = -1", "tournament.rounds: must be 0 to 1000000, not -1"),
        ('variant = "Dam Haji"', "", "tournament.variant: is missing: the game, by name, alias or title"),
        ('"Dam Haji"', '"dam-hagi"', 'tournament.variant: unknown variant "dam-hagi"; did you mean "dam-haji"?'),
        ('time = "10+0.1"', 'time = "10s"', "tournament.time: '10s' is no time control: write 60+0.6"),
        ('time = "10+0.1"', "time = 10", "tournament.time: must be a text, not 10"),
        ("[openings]", "[opening]", 'opening: unknown table; did you mean "openings"?'),
        ("resign_plies = 4", "resign_plies = 4.5", "adjudication.resign_plies: must be a whole number, not 4.5"),
        ('name = "half"', 'name = "full"', 'engine[2].name: "full" is the name of engine[1] already'),
        ('name = "half"', 'name = " "', 'engine[2].name: " " must be 1 to 60 characters without blanks around'),
        ('name = "half"', 'name = "a\\nb"', "engine[2].name: must not hold line breaks"),
        ('command = ["damd"]', "command = []", "engine[2].command: is empty"),
        ('command = ["damd"]', 'command = ["damd", 3]', "engine[2].command[2]: must be a text, not 3"),
        ('command = ["damd"]', 'command = "damd \'"', 'engine[2].command: "damd \'": no closing quotation'),
        ('command = ["damd"]', "", "engine[2].command: is missing: the program and its arguments"),
        (
            'restart = "game"',
            'restart = "games"',
            'restart: "games" is not one of fault, game; did you mean "game"?',
        ),
        (
            "THREADS = 2",
            "THREADS = [2]",
            "environment.THREADS: must be a text, a number, true or false, not a list",
        ),
        ('format = "round-robin"', "pairs = 2", "tournament.pairs: goes with the format swiss, not with round-robin"),
        ('format = "round-robin"', "engines = 2", "tournament.engines: is a table of its own: write [[engine]]"),
        ("[openings]", "[sprt]\n[openings]", "sprt: goes with the format match, not with round-robin"),
        ("resign_plies = 4", "resign_plies = ", "not TOML"),
    ],
)
def test_a_fault_names_key_value_and_what_would_be_right(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in WHOLE
    file = written(tmp_path, WHOLE.replace(old, new))
    with pytest.raises(SettingsError) as caught:
        read_settings(file)
    assert str(caught.value).startswith(file)
    assert told in str(caught.value)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = WHOLE.replace("rounds = 20", "rounds = -1\nsed = 1").replace('restart = "game"', "protocol = 'uci'")
    with pytest.raises(SettingsError) as caught:
        read_settings(written(tmp_path, text))
    assert [key for key, _ in caught.value.faults] == ["tournament.rounds", "tournament.sed", "engine[2].protocol"]


def test_too_few_and_too_many_engines(tmp_path: Path) -> None:
    one = WHOLE[: WHOLE.rindex("[[engine]]")]
    with pytest.raises(SettingsError, match="engine: a tournament is between 2 engines or more, not 1"):
        read_settings(written(tmp_path, one))
    three = WHOLE.replace("round-robin", "match") + '\n[[engine]]\nname = "third"\ncommand = "damd"\n'
    with pytest.raises(SettingsError, match=r"tournament.format: a match is between 2 engines, not 3"):
        read_settings(written(tmp_path, three))


def test_a_test_whose_hypotheses_are_turned_is_refused() -> None:
    faults = Faults()
    check_tournament(tournament("ab", format="match", sprt=Sprt(5, 0)), faults)
    assert faults.found == [("sprt.elo1", "must be above elo0, 5, not 0")]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read this file: No such file or directory"):
        read_settings(str(tmp_path / "none.toml"))
    (tmp_path / "latin.toml").write_bytes(b'a = "\xe6"')
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_engines(str(tmp_path / "latin.toml"))
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    with pytest.raises(SettingsError, match=r"nested too deeply|not TOML"):
        read_settings(str(tmp_path / "deep.toml"))


DAMAGE = ('"', "[", "]", "=", "{", "\n", "[[engine]]\n", "-1", "1e999", "nan", "9" * 5000, "true", "é", "\0", "")


@given(
    at=st.integers(0, len(WHOLE)),
    cut=st.integers(0, 30),
    put=st.sampled_from(DAMAGE),
)
@settings(max_examples=80, deadline=None)
def test_a_damaged_file_is_told_and_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, at: int, cut: int, put: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.toml"
    file.write_text(WHOLE[:at] + put + WHOLE[at + cut :])
    for read in (read_settings, read_engines):
        with suppress(SettingsError):
            assert read(str(file))


def test_a_file_of_engines_alone(tmp_path: Path) -> None:
    engines = read_engines(written(tmp_path, WHOLE[WHOLE.index("[[engine]]") :]))
    assert [engine.name for engine in engines] == ["full", "half"]
    assert engines[0].folder == str(tmp_path / "engines")
    with pytest.raises(SettingsError, match="there is none"):
        read_engines(written(tmp_path, ""))
    with pytest.raises(SettingsError, match='enginess: unknown table; did you mean "engine"'):
        read_engines(written(tmp_path, "[[engine]]\nname = 'a'\ncommand = 'b'\n[enginess]"))


# Time controls


@pytest.mark.parametrize(
    ("text", "expected", "again"),
    [
        ("60+0.6", TimeControl(base_ms=60_000, increment_ms=600), "60+0.6"),
        ("5:00", TimeControl(base_ms=300_000), "300"),
        ("1:00:00", TimeControl(base_ms=3_600_000), "3600"),
        ("0:00.5", TimeControl(base_ms=500), "0.5"),
        ("75/600", TimeControl(base_ms=600_000, turns=75), "75/600"),
        ("100/10:00+10", TimeControl(base_ms=600_000, increment_ms=10_000, turns=100), "100/600+10"),
        ("movetime=0.05", TimeControl(movetime_ms=50), "movetime=0.05"),
        ("depth=9", TimeControl(depth=9), "depth=9"),
        ("nodes=50000", TimeControl(nodes=50_000), "nodes=50000"),
        ("depth=12 60+0.6", TimeControl(base_ms=60_000, increment_ms=600, depth=12), "60+0.6 depth=12"),
    ],
)
def test_every_kind_of_time_control(text: str, expected: TimeControl, again: str) -> None:
    assert parse_time_control(text) == expected
    assert str(expected) == again
    assert parse_time_control(again) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no limit at all"),
        ("10s", "'10s' is no time control"),
        ("0", "time 0 is out of range: 1 to 86400000"),
        ("1e3", "'1e3' is no time control"),
        ("-5", "'-5' is no time control"),
        ("inf", "'inf' is no time control"),
        ("0/60", "turns 0 is out of range: 1 to 1000"),
        ("5 movetime=1", "a clock and a time for each turn: one of them"),
        ("5 6", "'6': base is given twice"),
        ("depth=0", "depth 0 is out of range: 1 to 200"),
        ("nodes=9999999999999", "nodes 9999999999999 is out of range"),
        ("depth=９", "is no time control"),
        ("９+1", "is no time control"),
    ],
)
def test_what_is_no_time_control(text: str, told: str) -> None:
    with pytest.raises(TimeControlError, match=told):
        parse_time_control(text)


def test_an_increment_needs_a_clock() -> None:
    with pytest.raises(TimeControlError, match="needs a clock"):
        TimeControl(depth=3, increment_ms=100)


@given(
    st.builds(
        TimeControl,
        base_ms=st.integers(1, 86_400_000),
        increment_ms=st.integers(0, 86_400_000),
        turns=st.none() | st.integers(1, 1000),
        depth=st.none() | st.integers(1, 200),
        nodes=st.none() | st.integers(1, 10**12),
    )
)
def test_a_time_control_reads_back_the_same(control: TimeControl) -> None:
    assert parse_time_control(str(control)) == control


@pytest.mark.parametrize(
    ("text", "protocol", "told"),
    [
        ("75/10:00", "dxp", ""),
        ("10:00", "dxp", ""),
        ("60+1", "dxp", "DXP knows no increment, as in 60+1"),
        ("0:30", "dxp", "DXP knows whole minutes up to 999, not 30"),
        ("movetime=1", "dxp", "DXP knows a clock alone, not movetime=1"),
        ("60 depth=3", "dxp", "DXP knows a clock alone"),
        ("1000/60", "dxp", "DXP knows up to 999 moves, not 1000"),
        ("movetime=1", "hub", ""),
        ("75/60+1", "hub", ""),
        ("nodes=1", "damd", ""),
    ],
)
def test_t26_a_time_control_that_a_protocol_does_not_know(text: str, protocol: str, told: str) -> None:
    found = protocol_fault(protocol, parse_time_control(text))
    assert told in found
    assert bool(found) == bool(told)


# Clocks


def test_a_clock_counts_down_and_gets_its_increment_behind_the_turn() -> None:
    clock = SideClock(parse_time_control("10+1"))
    assert clock.allowed_ms() == clock.left_ms == 10_000
    assert not clock.spend(4_000, ends_turn=True).flagged
    assert clock.left_ms == 7_000


def test_a_claim_keeps_the_clock_running() -> None:
    clock = SideClock(parse_time_control("2/10+1"))
    clock.spend(4_000, ends_turn=False)
    assert (clock.left_ms, clock.turns_to_go) == (6_000, 2)
    clock.spend(1_000, ends_turn=True)
    assert (clock.left_ms, clock.turns_to_go) == (6_000, 1)


def test_a_period_brings_its_time_after_its_turns() -> None:
    clock = SideClock(parse_time_control("2/10"))
    clock.spend(3_000, ends_turn=True)
    clock.spend(3_000, ends_turn=True)
    assert (clock.left_ms, clock.turns_to_go) == (14_000, 2)


def test_an_overrun_is_told_even_where_it_is_forgiven() -> None:
    clock = SideClock(parse_time_control("1+0.5"), margin_ms=50)
    spent = clock.spend(1_030, ends_turn=True)
    assert spent.over_ms == pytest.approx(30)
    assert not spent.flagged
    assert clock.left_ms == 500
    spent = clock.spend(551, ends_turn=True)
    assert spent.over_ms == pytest.approx(51)
    assert spent.flagged


def test_a_time_for_each_ply_is_the_same_for_a_claim() -> None:
    clock = SideClock(parse_time_control("movetime=0.1"))
    for _ in range(3):
        assert clock.allowed_ms() == 100
        assert not clock.spend(90, ends_turn=False).flagged
    assert clock.spend(101, ends_turn=True).flagged
    assert clock.left_ms is clock.turns_to_go is None


def test_depth_and_nodes_set_no_time() -> None:
    clock = SideClock(parse_time_control("depth=3 nodes=100"))
    assert clock.allowed_ms() is None
    assert not clock.spend(1e9, ends_turn=True).flagged
    assert not parse_time_control("depth=3").timed
    assert parse_time_control("movetime=1").timed
