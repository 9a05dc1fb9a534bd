"""The report on one page: the numbers of the other views, nothing from outside, nobody's words as markup."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from commands import damd
from damd import cli
from damd.match.journal import Contents, Header, Journal
from damd.match.model import EngineSpec, GamePlan, Opening, Sprt, Tournament
from damd.match.records import GameRecord, PairRecord, PlyRecord, Termination
from damd.match.standings import standings
from damd.match.statistics import sprt
from damd.match.table import pair_counts
from damd.match.timecontrol import parse_time_control
from damd.match.views.figures import MOST_POINTS, Lengths, figures
from damd.match.views.report import Report
from match_records import drawn, play_out, stronger, thrown, tournament
from talking import ROOT

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "link"}
HOSTILE = '</td><script>alert("x")</script>&amp; {{ 7*7 }} $\\frac{$'


class Page(HTMLParser):
    """A page taken apart: ``tables`` by the heading above them, ``ids``, ``links`` and all that it says.

    Elements that are not closed in their turn are a failure.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.outside: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.items: list[str] = []
        self.text = ""
        self.source = text
        self._open: list[str] = []
        self._heading = ""
        self._cell = ""
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self._open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            if name == "id":
                self.ids.append(value or "")
                self._heading = (value or "") if tag == "h2" else self._heading
            elif name in ("href", "xlink:href", "src", "data", "action"):
                (self.links if (value or "").startswith("#") else self.outside).append(value or "")
            elif value and not name.startswith("xmlns"):
                self.outside += [value for found in re.finditer(r"url\(([^)]*)", value) if not found[1].startswith("#")]
                self.outside += [value] if "://" in value else []
        if tag == "table":
            self.tables[self._heading] = []
        elif tag == "tr":
            self.tables[self._heading].append([])
        if tag in ("td", "th", "li"):
            self._cell = ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag in ("td", "th"):
            self.tables[self._heading][-1].append(self._cell)
        elif tag == "li":
            self.items.append(self._cell)

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self._cell += data
            self.text += data


@pytest.fixture
def one_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that are not about plots: a page has the first of them alone, each costs a fifth of a second."""
    from damd.match.views import page, plots

    monkeypatch.setattr(page, "panels", lambda figures: plots.panels(figures)[:1])


def contents_of(asked: Tournament, records: list[PairRecord], *openings: Opening) -> Contents:
    return Contents(Header(asked, openings or (Opening(),), (("damd", "1"),), "2026-11-30T10:00:00Z"), tuple(records))


def page_of(contents: Contents) -> Page:
    """The page, of which all that every page promises is true."""
    text = Report(contents).html()
    page = Page(text)
    assert "script" not in page.tags
    assert page.outside == ["data:,"], "the empty icon, so that no browser asks for one"
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert not re.search(r"\b(nan|inf|None)\b", page.text)
    assert "Content-Security-Policy" in text
    return page


def a_game(
    number: int, ended: Termination, winner: int | None, plies: tuple[PlyRecord, ...] = (), **changes: object
) -> GameRecord:
    white, black = ("a", "b") if number == 1 else ("b", "a")
    return GameRecord(number, white, black, winner, ended, plies, **changes)  # type: ignore[arg-type]


def turned(game: GameRecord) -> GameRecord:
    """The same game of the other two, as it were."""
    return replace(game, white=game.black, black=game.white)


def cells(lines: list[str], rows: int) -> list[list[str]]:
    return [line.split() for line in lines[: rows + 1]]


@pytest.mark.parametrize("form", ["round-robin", "knockout", "swiss", "gauntlet"])
@pytest.mark.usefixtures("one_plot")
def test_the_numbers_are_those_of_the_text(form: str) -> None:
    if form == "swiss":
        pytest.importorskip("networkx")
    asked = tournament("abcde" if form == "swiss" else "abcd", format=form, rounds=2)
    _, records = play_out(asked, 1, thrown if form != "knockout" else stronger("dbca"))
    contents = contents_of(asked, records)
    page = page_of(contents)
    lines = Report(contents).standings()
    count = len(asked.engines)
    assert page.tables["standings"] == cells(lines, count)
    begin = next(place for place, line in enumerate(lines) if not line) + 1
    assert page.tables["cross-table"] == cells(lines[begin:], count)
    ends = {row[0]: row[1] for row in page.tables["ends"][1:]}
    assert lines[-1] == "ends: " + ", ".join(f"{games} {name}" for name, games in ends.items())
    games = [game for record in records for game in record.games]
    assert len(page.tables["games"]) == 1 + len(games)
    assert page.tags.count("details") == len(games)
    assert len(page.tables["encounters"]) == 1 + len({frozenset(record.engines) for record in records})
    assert {"repetition", "no-moves"} >= set(ends)


def test_two_engines_and_a_sequential_test() -> None:
    asked = tournament("ab", format="match", rounds=40, sprt=Sprt())
    _, records = play_out(asked, 40, thrown)
    contents = contents_of(asked, records, *[Opening()] * 40)
    page = page_of(contents)
    lines = Report(contents).standings()
    for line in lines[lines.index("") + 1 : lines.index("", lines.index("") + 1)]:
        assert line in page.text
    row = page.tables["encounters"][1]
    assert f"Elo {row[9]}, nElo {row[10]}, LOS {row[11]} %" in lines
    assert f"pairs by points 0, ½, 1, 1½, 2: {row[8]}" in lines
    assert "Sequential test: LLR by pairs" in page.text
    assert "cross-table" not in page.tables
    assert not any("sequential" in item for item in page.items)


@pytest.mark.usefixtures("one_plot")
def test_a_sequential_test_that_has_ended_reads_too_far_out() -> None:
    asked = tournament("ab", format="match", rounds=40, sprt=Sprt())
    page = page_of(contents_of(asked, play_out(asked, 40, stronger("ab"))[1][:30], *[Opening()] * 40))
    assert "The sequential test has ended with H1" in page.items[0]
    assert "not finished" not in page.text


def test_nothing_played_and_one_game() -> None:
    asked = tournament("ab", format="match")
    page = page_of(contents_of(asked, []))
    assert "This is no final result: 2 planned games are not finished." in page.items
    assert page.tables["standings"][1][7:10] == ["-", "-", "-"]
    assert "plots" not in page.ids
    single = tournament("ab", format="match", reverse=False)
    one = PairRecord("1-1", (a_game(1, Termination.RESIGNATION, 0, (PlyRecord("21-17", 0, 5.0, depth=3, score=12),)),))
    page = page_of(contents_of(single, [one]))
    assert page.items == []
    assert page.tables["games"][1] == ["1-1.1", "a", "b", "2-0", "resignation", "1", "start position"]
    assert page.tables["encounters"][1][2:9] == ["1", "1", "0", "0", "100.0", "0.0", "-"]
    assert "Games by result, of a" in page.text


@pytest.mark.usefixtures("one_plot")
def test_an_interrupted_tournament_says_so() -> None:
    asked = tournament("abc", rounds=4)
    _, records = play_out(asked, 1, drawn)
    page = page_of(contents_of(asked, records[:5]))
    assert "10 of 24 games" in page.text
    assert any("14 planned games are not finished" in item for item in page.items)
    torn = replace(contents_of(asked, records), torn=12)
    assert any("never finished" in item for item in page_of(torn).items)


@pytest.mark.usefixtures("one_plot")
def test_later_rounds_that_are_not_matched_yet() -> None:
    asked = tournament("abcd", format="knockout")
    _, records = play_out(asked, 1, stronger("abcd"))
    page = page_of(contents_of(asked, records[:2]))
    assert any("later rounds are not matched yet" in item for item in page.items)


@pytest.mark.usefixtures("one_plot")
def test_trouble_stands_on_top_and_is_shown_whole() -> None:
    late = PlyRecord("21-17", 0, taken_ms=130, over_ms=30, latency_ms=1.25)
    asked = tournament("ab", format="match", rounds=2)
    records = [
        PairRecord("1-1", (a_game(1, Termination.TIME, 1, (late,)), a_game(2, Termination.AGREEMENT, None))),
        PairRecord(
            "2-1",
            (
                a_game(1, Termination.CRASH, 0, note="exit code 3", exit_code=3, stderr="Traceback: <oh>"),
                a_game(2, Termination.ILLEGAL_PLY, 1, note="31-27: there is no piece on 31"),
            ),
        ),
    ]
    records[1] = replace(records[1], games=tuple(turned(game) for game in records[1].games))
    page = page_of(contents_of(asked, records, Opening(), Opening("", ("22-18",))))
    assert page.items == [
        "a: 2 of 4 games lost by breaking down or breaking the rules",
        "a: 1 of 4 games lost on time; its results say little of its strength",
        "a: 1 ply took longer than allowed",
    ]
    assert page.tables["faults"][1:] == [
        ["1-1.1", "a", "time", "-", "-"],
        ["2-1.1", "a", "crash", "exit code 3", "3"],
        ["2-1.2", "a", "illegal-ply", "31-27: there is no piece on 31", "-"],
    ]
    assert "Traceback: <oh>" in page.text
    row = dict(zip(page.tables["time"][0], next(row for row in page.tables["time"] if row[0] == "a"), strict=True))
    found = [row[name] for name in ("Plies", "longest", "Overruns", "worst, ms", "Lost on time")]
    assert found == ["1", "130.0", "1", "30.0", "1"]


@pytest.mark.usefixtures("one_plot")
def test_the_games_with_trouble_are_shown_before_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from damd.match.views import page as module

    monkeypatch.setattr(module, "GAMES_IN_FULL", 4)
    asked = tournament("ab", format="match", rounds=5)
    _, records = play_out(asked, 1, drawn)
    records[4] = PairRecord("5-1", (a_game(1, Termination.STALL, 1), a_game(2, Termination.AGREEMENT, None)))
    page = page_of(contents_of(asked, records))
    assert [name for name in page.ids if name.startswith("game-")] == [
        "game-1-1.1",
        "game-1-1.2",
        "game-5-1.1",
        "game-5-1.2",
    ]
    assert "4 of the 10 games are shown whole" in page.text
    assert len(page.tables["games"]) == 11


def test_what_engines_and_people_say_is_no_markup() -> None:
    names = (HOSTILE, "_low\u202e line", "nul\x00 bell\x07 half\ud800 日本")
    engines = tuple(
        EngineSpec(name, ("run", name), options=((name, name),), environment=(("TOKEN", "secret"),)) for name in names
    )
    asked = replace(tournament("ab", event=HOSTILE, rounds=2), engines=engines)
    opening = Opening("", ("22-18",), HOSTILE)
    _, records = play_out(asked, 1, lambda game: None if HOSTILE in (game.white, game.black) else 0)
    first = records[0]
    game = replace(first.games[0], winner=0, termination=Termination.CRASH, rule=HOSTILE, note=HOSTILE, stderr=HOSTILE)
    told = tuple(replace(one, plies=()) for one in (game, *first.games[1:]))
    records = [
        replace(first, games=told),
        *(replace(one, games=tuple(replace(g, plies=()) for g in one.games)) for one in records[1:]),
    ]
    contents = contents_of(asked, records, opening)
    page = page_of(contents)
    assert [row[1] for row in page.tables["standings"][1:]].count(HOSTILE) == 1
    assert page.text.count(HOSTILE) >= 10
    assert "nul\ufffd bell\ufffd half\ufffd 日本" in page.text
    assert "secret" not in page.source
    assert "TOKEN" in page.text
    assert page.source.isascii()
    drawing = Report(contents).plot()
    assert drawing.isascii()
    picture = ElementTree.fromstring(drawing)
    assert {text.text for text in picture.iter(f"{SVG}text")} >= {" _low\u202e line", f"{HOSTILE[:21]}…"}


@pytest.mark.usefixtures("one_plot")
def test_the_order_in_which_games_were_finished_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tournament("abc", rounds=3)
    _, records = play_out(asked, 3, thrown)
    report = Report(contents_of(asked, records))
    turned = Report(contents_of(asked, records[::-1]))
    text, picture = report.html(), report.plot()
    assert turned.html() == text
    assert turned.plot() == picture
    # Nor do a user's own settings of the library.
    import matplotlib

    monkeypatch.setitem(matplotlib.rcParams, "svg.fonttype", "path")
    monkeypatch.setitem(matplotlib.rcParams, "lines.linewidth", 9)
    assert report.plot() == picture
    assert matplotlib.rcParams["lines.linewidth"] == 9


@pytest.mark.usefixtures("one_plot")
def test_claims_are_plies_of_a_game() -> None:
    opening = Opening("", ("22-18", "9-13", "18-15", "5-9"))
    asked = tournament("ab", format="match", time=parse_time_control("10+0.1"))
    plies = (PlyRecord("x10", 0, 5.0, 9995.0), PlyRecord("21-17", 0, 7.0, 9988.0))
    pair = PairRecord(
        "1-1", (a_game(1, Termination.AGREEMENT, None, plies), a_game(2, Termination.AGREEMENT, None, plies[:1]))
    )
    page = page_of(contents_of(asked, [pair], opening))
    assert "[%clk 0:00:10]" in page.text
    row = dict(zip(page.tables["time"][0], page.tables["time"][1], strict=True))
    assert (row["Engine"], row["Plies"]) == ("a", "2")
    assert page.tags.count("details") == 2


@pytest.mark.usefixtures("one_plot")
def test_openings_that_decide_are_named() -> None:
    asked = tournament("ab", format="match", rounds=4)

    def white_in_the_first(game: GamePlan) -> int | None:
        return 0 if game.id.startswith(("1-", "3-")) else None

    _, records = play_out(asked, 2, white_in_the_first)
    # Both rounds have the first opening.
    page = page_of(contents_of(asked, records, Opening("", (), "first"), Opening("", (), "second")))
    assert page.items == ["2 pairings repeat an opening that the same engines have had."]
    assert page.tables["openings"][1:] == [["first: start position", "4", "4", "0", "0", "2", "2"]]


@pytest.mark.usefixtures("one_plot")
def test_a_record_that_the_rules_contradict_is_named() -> None:
    asked = tournament("ab", format="match", reverse=False)
    record = PairRecord("1-1", (a_game(1, Termination.NO_MOVES, 0, (PlyRecord("21-18", 0),)),))
    with pytest.raises(ValueError, match=r"pairing 1-1, game 1: .*21-18"):
        Report(contents_of(asked, [record])).html()


def test_the_picture_stands_alone_and_says_what_it_is() -> None:
    asked = tournament("ab", format="match", rounds=3)
    _, records = play_out(asked, 1, thrown)
    for known, told in ((records, "Elo, with 95 % intervals"), ([], "nothing finished yet")):
        text = Report(contents_of(asked, known)).plot()
        picture = ElementTree.fromstring(text)
        assert picture.findtext(f"{SVG}title") == "dam-haji: match of a, b"
        assert told in [element.text for element in picture.iter(f"{SVG}text")]
        assert "var(" not in text
        assert "<style" not in text
        assert not any("://" in value for element in picture.iter() for value in element.attrib.values())


def test_the_curves_count_as_the_tournament_does_and_end_where_the_tables_do() -> None:
    for scoring, unit in (("2-1-0", 1), ("1-half-0", 2)):
        asked = tournament("abc", rounds=400, scoring=scoring)
        schedule, records = play_out(asked, 1, stronger("abc"))
        found = standings(asked, schedule, records)
        numbers = figures(asked, schedule, records[::-1], found)
        assert {name: curve[-1][1] for name, curve in numbers.points.items()} == {
            one.name: (one.score.points - one.score.games) / unit for one in found
        }
        assert {len(curve) for curve in numbers.points.values()} == {MOST_POINTS}
        assert numbers.pairs == {"a": [0, 0, 0, 0, 800], "b": [400, 0, 0, 0, 400], "c": [800, 0, 0, 0, 0]}
        assert numbers.depths == {}
    asked = tournament("ab", format="match", rounds=40, sprt=Sprt())
    schedule, records = play_out(asked, 1, thrown)
    ratios = figures(asked, schedule, records, standings(asked, schedule, records)).ratios
    assert ratios is not None
    assert ratios.states[0] == (0, sprt([0, 0, 0, 0, 0], Sprt()))
    assert ratios.states[-1] == (40, sprt(pair_counts(records, "a", "b"), Sprt()))


def test_medians_are_by_the_engines_own_ply_claims_among_them() -> None:
    asked = tournament("ab", format="match", reverse=False, rounds=3)
    schedule, records = play_out(asked, 1, drawn)
    for place, record in enumerate(records):
        sides = [record.games[0].side_of("a")] * 2 + [record.games[0].side_of("b")]
        plies = tuple(
            PlyRecord("21-17", side, taken_ms=10 * number + place, depth=number or None, score=-place)
            for number, side in enumerate(sides)
        )
        records[place] = replace(record, games=(replace(record.games[0], plies=plies),))
    numbers = figures(asked, schedule, records, standings(asked, schedule, records))
    assert numbers.times == {"a": [(1, 1), (2, 11)]}, "of b there is one ply, which is no line"
    assert numbers.depths == {}
    assert numbers.scores == {"a": [(1, -1), (2, -1)]}
    assert numbers.lengths == Lengths((), (3, 3, 3), ())


# The command


def a_journal(folder: Path) -> str:
    asked = tournament("abc", rounds=1)
    file = str(folder / "cup.jsonl")
    with Journal.create(file, Header(asked, (Opening(),))) as journal:
        for record in play_out(asked, 1, thrown)[1]:
            journal.append(record)
    return file


@pytest.mark.usefixtures("one_plot")
def test_the_command_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = a_journal(tmp_path)
    page, picture = tmp_path / "cup.html", tmp_path / "cup.svg"
    assert cli.main(["match", "--report", file, "--html", str(page), "--plot", str(picture)]) == 0
    assert capsys.readouterr().out == ""
    assert cli.main(["match", "--report", file, "--html", "-"]) == 0
    assert capsys.readouterr().out == page.read_text(encoding="utf-8")
    ElementTree.parse(picture)
    assert cli.main(["match", "--report", file, "--html", str(tmp_path / "no" / "cup.html")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_without_the_libraries_it_is_said_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.chdir(tmp_path)
    words = ["match", "--engine", "no-such-engine", "--engine", "nor-this-one", "--html", "cup.html"]
    assert cli.main(words) == 1
    assert capsys.readouterr().err == 'damd: --html: matplotlib must be there: pip install "damd[report]"\n'
    assert list(tmp_path.iterdir()) == []
    assert cli.main(["match", "--report", a_journal(tmp_path)]) == 0


def test_the_libraries_are_loaded_where_they_are_asked_for_alone(tmp_path: Path) -> None:
    code = (
        "import sys; from damd import cli; cli.main(sys.argv[1:]); print({'matplotlib', 'jinja2', 'numpy'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "match", "--report", a_journal(tmp_path), "--csv", str(tmp_path / "cup.csv")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "set()\n"


def test_the_command_of_the_readme_is_one_and_its_picture_is_there(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    found = [line for line in page.splitlines() if line.startswith("$ damd match") and "--plot" in line]
    assert len(found) == 1
    words = shlex.split(found[0].removeprefix("$ damd "))
    done = damd(*words, "--dry-run", folder=tmp_path)
    assert done.code == 0, done.err
    assert list(tmp_path.iterdir()) == []
    names = {line.partition(": ")[0] for line in done.lines[:3]}
    picture = ElementTree.parse(ROOT / "docs" / "tournament.svg")
    assert names < {element.text for element in picture.iter(f"{SVG}text")}
    assert "docs/tournament.svg" in page
