"""The ballots that come with damd: fit for every variant, and made by a command that makes the same again."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest

from benchmarks import ballots
from benchmarks.ballots import ENOUGH, Ballots, BallotsError, Making, Verdict, check, make
from damd.core.position import Position
from damd.match.first_plies import TooManyLines, first_plies
from damd.match.openings import BALLOTS, own_ballots, read_openings
from damd.notation.plies import format_ply, parse_ply
from damd.variants import load, names
from needs import compiled_core

SMALL = Making("english", plies=1, nodes=100, bound=30)


def made(making: Making = SMALL) -> Ballots:
    return make(load(making.variant), making)


@pytest.mark.parametrize("variant", names())
def test_every_variant_has_ballots_and_they_are_fit(variant: str) -> None:
    """No note: all legal, each position once, no game over, nothing to capture, nothing to claim."""
    rules = load(variant)
    text = (BALLOTS / f"{variant}.ballots").read_text(encoding="utf-8")
    for own in {rules, rules.without_penalty()}:
        found = own_ballots(own)
        assert found.source == f"ballots of {variant}"
        assert found.notes == ()
        assert len(found.openings) >= ENOUGH
        assert len({len(opening.plies) for opening in found.openings}) == 1
        said = re.match(r"# Balanced: (\d+) of (\d+) positions, ", text)
        assert said is not None
        assert len(found.openings) == int(said[1]) <= int(said[2])


def test_the_files_are_the_variants_and_are_small() -> None:
    files = list(BALLOTS.iterdir())
    assert sorted(file.name for file in files) == sorted(f"{name}.ballots" for name in names())
    assert max(file.stat().st_size for file in files) < 20_000


@pytest.mark.long
def test_the_files_are_what_their_heads_say(capsys: pytest.CaptureFixture[str]) -> None:
    code = ballots.main(["--check"])
    assert code == 0, capsys.readouterr().out


def test_first_plies_take_every_position_once() -> None:
    rules = load("english")
    assert len(list(first_plies(rules, 2))) == 49
    found = list(first_plies(rules, 3))
    assert len(found) == 216  # of 302 lines
    assert sum(opening.captures for opening in found) == 96
    assert [opening.plies for opening in first_plies(rules, 0)] == [()]
    assert len(list(first_plies(rules, 3, most=302))) == 216
    with pytest.raises(TooManyLines):
        list(first_plies(rules, 3, most=301))


def test_nobody_misses_a_capture_in_first_plies() -> None:
    rules = load("dam-haji")
    position = Position(rules)
    for text in ("21-17", "10-14"):
        position.play(parse_ply(text, position))
    allowed = {format_ply(ply, position.board) for ply in position.plies()}
    found = list(first_plies(rules, 3))
    assert allowed > {"17x10", "22-18"}
    assert {opening.plies[2] for opening in found if opening.plies[:2] == ("21-17", "10-14")} == {"17x10"}
    assert found == list(first_plies(rules.without_penalty(), 3))


def test_what_is_made_can_be_read_and_is_within_its_bound() -> None:
    loose = made(Making("english", plies=2, nodes=1, bound=100_000))
    assert (loose.positions, loose.searched, len(loose.kept)) == (49, 38, 38)
    found = read_openings(BytesIO(loose.text().encode()), "made", "ballots", load("english"))
    assert tuple(opening.plies for opening in found.openings) == loose.kept
    assert found.notes == ()
    narrow = made(Making("english", plies=2, nodes=1, bound=5))
    assert set(narrow.kept) < set(loose.kept)
    assert narrow.digest == loose.digest  # of the values, whatever is kept


def test_openings_are_as_long_as_it_takes() -> None:
    """This game begins with exchanges: few lines, and hardly one of them ends quietly."""
    found = made(Making("dam-haji-10", nodes=1, bound=100_000))
    quiet = [sum(not opening.captures for opening in first_plies(load("dam-haji-10"), plies)) for plies in (6, 7)]
    assert quiet == [12, 30]
    assert (found.plies, found.searched, len(found.kept)) == (7, 30, 30)
    assert "# Fewer plies leave fewer than 30 openings.\n" in found.text()
    assert "Fewer plies" not in made().text()
    with pytest.raises(BallotsError, match="there are no 30 balanced openings of up to 8 plies; say --plies or --bound"):
        made(Making("dam-haji-10", nodes=1, bound=-1))


@compiled_core
def test_making_again_makes_the_same() -> None:
    making = Making("dam-haji", plies=2, nodes=2_000, bound=10)
    first = made(making)
    assert first == made(making)
    assert first.digest != made(Making("dam-haji", plies=2, nodes=1_000, bound=10)).digest
    assert 0 < len(first.kept) < first.searched


def test_a_check_tells_a_changed_file_from_another_search() -> None:
    text = made().text()
    assert check(text)[0] is Verdict.SAME
    assert check(text.replace("# damd ", "# damd 9."))[0] is Verdict.SAME
    lines = text.splitlines(keepends=True)
    count = len(made().kept)
    assert check("".join(lines[:-1])) == (Verdict.CHANGED, f"{count - 1} openings, {count} when made again")
    older = re.sub("values [0-9a-f]{8}", "values 01234567", "".join(lines[:-1]))
    verdict, why = check(older)
    assert verdict is Verdict.OTHER_SEARCH
    assert why == f"values 01234567, now {made().digest}; 1 openings would come or go"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("1. 9-13 22-18\n", 'nothing in its head says "values"'),
        ("# values 01234567\n", 'nothing in its head says "python benchmarks/ballots.py"'),
        ("# values 0\n# python benchmarks/ballots.py --all\n", "the command in its head says no variant"),
        (
            "# values 0\n# python benchmarks/ballots.py --variant x --plies 99\n",
            "the command in its head is none: .*--plies",
        ),
        ("# values 0\n# python benchmarks/ballots.py --variant x --what\n", "the command in its head is none: .*--what"),
        ('# values 0\n# python benchmarks/ballots.py --variant "x\n', "the command in its head is none: No closing quot"),
    ],
)
def test_files_that_cannot_be_made_again(wrong: str, message: str) -> None:
    with pytest.raises(BallotsError, match=message):
        check(wrong)


def test_the_command_makes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--variant", "checkers", "--plies", "1", "--nodes", "100", "--bound", "30"]
    assert ballots.main(words) == 0
    assert capsys.readouterr().out == made().text()
    file = tmp_path / "english.ballots"
    assert ballots.main([*words, "--output", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == made().text()
    (tmp_path / "mine.ballots").write_text("1. 9-13\n", encoding="utf-8")
    (tmp_path / "torn.ballots").write_bytes(b"# \xff\n")
    assert ballots.main(["--check", "--folder", str(tmp_path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert f"english: as made: {len(made().kept)} openings" in told
    assert 'mine: nothing in its head says "values"' in told
    assert "dam-haji: has no ballots" in told
    assert any(line.startswith("torn: 'utf-8' codec") for line in told)
    assert len(told) == len(names()) + 2


def test_what_the_command_cannot_do_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ballots.main(["--variant", "englsh"]) == 2
    assert 'ballots.py: unknown variant "englsh"' in capsys.readouterr().err
    assert ballots.main(["--variant", "english", "--plies", "1", "--nodes", "1", "--output", str(tmp_path)]) == 2
    assert "ballots.py: [Errno " in capsys.readouterr().err
    monkeypatch.setattr(ballots, "MOST_LINES", 48)
    assert ballots.main(["--variant", "english", "--plies", "2"]) == 2
    assert "there are more openings of 2 plies than can be looked at" in capsys.readouterr().err
    for words in (["--all", "--check"], [], ["--variant", "english", "--nodes", "0"]):
        with pytest.raises(SystemExit, match="2"):
            ballots.main(words)
    assert "argument --nodes: 0 is not 1 or more" in capsys.readouterr().err
