"""Openings: every kind of file, what is left out and what is only told, what a variant without ballots gets."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from damd.geometry import BLACK
from damd.match import openings
from damd.match.model import Opening, OpeningsSpec
from damd.match.openings import (
    CAPTURE,
    CLAIM,
    DUPLICATE,
    LEFT_OUT,
    WARNING,
    OpeningsError,
    format_of,
    load_openings,
    opening_position,
    own_ballots,
    read_openings,
)
from damd.notation.fen import format_fen
from damd.rules import Rules
from damd.variants import load, load_file
from variant_files import write

HAJI, ENGLISH, RUSSIAN = load("dam-haji"), load("english"), load("russian")


def kinds(found: object) -> list[tuple[int, str]]:
    return [(note.line, note.kind) for note in found.notes]  # type: ignore[attr-defined]


def test_ballots_with_everything_that_may_be_wrong() -> None:
    text = b"""# a remark
1. 9-13 22-18 6-9
2) Fife: 11-15 23-19 9-14
3. 9-13 22-18
4. 9-13 22-17
5. 6-9 22-18
6. 9-13 22-18 6-9
7. 9-13 22-19
8. W:W21:B17
9. B:W21-32:B1-12
10. W:WK1:B
11. 11-15 22-18
"""
    found = read_openings(BytesIO(text), "mine", "ballots", ENGLISH)
    assert [opening.name for opening in found.openings] == [
        "ballot 1", "Fife", "ballot 3", "ballot 4", "ballot 8", "ballot 9", "ballot 11",
    ]  # fmt: skip
    assert found.openings[1] == Opening("", ("11-15", "23-19", "9-14"), "Fife", captures=False)
    assert kinds(found) == [
        (5, CAPTURE), (6, LEFT_OUT), (7, DUPLICATE), (8, LEFT_OUT), (9, CAPTURE), (11, LEFT_OUT), (12, CAPTURE),
    ]  # fmt: skip
    by_line = {note.line: note.message for note in found.notes}
    assert by_line[6].startswith("ply 1 6-9: ")
    assert by_line[7] == "it leads to the position of number 1"
    assert by_line[8].startswith("ply 2 22-19: ")
    assert by_line[11] == "the game is over in its position: no-pieces"
    assert str(found) == "mine: 7 openings (3 left out, 1 duplicate, 3 capture)"
    # The start position by FEN is the start position.
    assert (found.openings[5].fen, found.openings[5].plies) == ("", ())


def test_t27_algebraic_positions_with_either_side_to_move() -> None:
    lines = [
        '[Variant "russian"]',
        "W:Wa1,a3,b2,c1,c3,d2,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8",
        "B:Wa1,a3,b2,c1,d2,d4,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8",
        "B:Wa1,a3,b2,c1,d2,d4,e1,e3,f2,g1,g3,h2:Ba7,b6,b8,c7,d6,d8,e7,f6,f8,g7,h6,h8",
        "W:Wc3,a1:Bd4,h8",
        "B:Wc3,a1:Bd4,h8",
        "W:Wc3,a1:Bd4,j8",
    ]
    found = read_openings(BytesIO("\n".join(lines).encode()), "flying.fen", "fen", RUSSIAN)
    assert len(found.openings) == 4
    assert found.counts() == {LEFT_OUT: 1, DUPLICATE: 1, CAPTURE: 2}
    assert [opening.captures for opening in found.openings] == [False, False, True, True]
    sides = [opening_position(opening, RUSSIAN).side for opening in found.openings]
    assert sides == [0, BLACK, 0, BLACK]


PDN = b"""[White "A"]
[Black "B"]
[GameType "21"]
[Opening "Kelso"]
1. 10-15 21-17 2. 9-13 17-14 3. 5-9 1-0

[GameType "20"]
1. 32-28 19-23 *

[GameType "21"]
1. 10-15 22-17 2. 6-10 99-98 *

[GameType "21"]
1. 99-98 *
"""


def test_of_games_the_first_plies_are_taken() -> None:
    found = read_openings(BytesIO(PDN), "games.pdn", "pdn", ENGLISH, plies=3)
    assert [(opening.name, opening.plies) for opening in found.openings] == [
        ("Kelso", ("10-15", "21-17", "9-13")),
        ("", ("10-15", "22-17", "6-10")),
    ]
    assert [note.kind for note in found.notes if note.kind != CAPTURE] == [LEFT_OUT, LEFT_OUT]
    assert any("it is of international, not of english" in note.message for note in found.notes)
    assert len(read_openings(BytesIO(PDN), "games.pdn", "pdn", ENGLISH, plies=4).openings) == 1


def test_json_lines_and_lists_of_openings() -> None:
    line = b'{"variant": "dam-haji", "missed_capture": "rule", "fen": null, "plies": ["21-17", "10-14"], "winner": null}\n'
    assert read_openings(BytesIO(line), "games.jsonl", "json", HAJI, plies=1).openings == (Opening("", ("21-17",)),)
    assert read_openings(BytesIO(b"21-17 10-14 ; quiet\n"), "x", "openings", HAJI).openings[0].name == "quiet"


def test_what_is_legal_depends_on_the_tournaments_rules() -> None:
    # Black may miss the capture of 15 where that is only penalized.
    text = b"22-18 9-13 18-15 5-9\n"
    loose = read_openings(BytesIO(text), "x", "openings", HAJI)
    assert [note.kind for note in loose.notes] == [CLAIM]
    with pytest.raises(OpeningsError, match=r"line 1: ply 4 5-9"):
        read_openings(BytesIO(text), "x", "openings", HAJI.without_penalty())
    tagged = b'[Variant "dam-haji"]\n' + text
    with pytest.raises(OpeningsError, match="line 2: ply 4 5-9 is not legal under the tournament's rules"):
        read_openings(BytesIO(tagged), "x", "openings", HAJI.without_penalty())


def test_openings_that_are_none() -> None:
    with pytest.raises(OpeningsError, match=r"x: no opening of dam-haji is in it$"):
        read_openings(BytesIO(b"# nothing\n"), "x", "openings", HAJI)
    with pytest.raises(OpeningsError, match="no opening of dam-haji is in it; line 1: ply 1 32-28: "):
        read_openings(BytesIO(b"32-28 19-23\n"), "x", "openings", HAJI)


def test_files_are_told_by_their_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("21-17 10-14\n")
    with pytest.raises(OpeningsError, match="what is it\\? Say it with format, one of pdn, fen, openings, ballots, json"):
        load_openings(OpeningsSpec(str(file)), HAJI)
    assert len(load_openings(OpeningsSpec(str(file), "openings"), HAJI).openings) == 1
    with pytest.raises(OpeningsError, match="cannot read this file: No such file or directory"):
        load_openings(OpeningsSpec(str(tmp_path / "none.fen")), HAJI)
    with pytest.raises(OpeningsError, match=r'did you mean "\.ballots"'):
        format_of("x.balots")
    assert format_of("X.PDN") == "pdn"


def test_without_a_file_there_are_the_variants_ballots() -> None:
    found = load_openings(OpeningsSpec(), HAJI)
    assert found == own_ballots(HAJI)
    assert (found.source, found.notes) == ("ballots of dam-haji", ())
    assert found.openings[0].name == "ballot 1"
    assert opening_position(found.openings[-1], HAJI).outcome() is None


def of_its_own(folder: Path, start: str) -> Rules:
    return load_file(write(folder, f'base = "english"\n[start]\n{start}\n'))


def test_a_variant_without_ballots_gets_all_openings_of_two_plies(tmp_path: Path) -> None:
    rules = of_its_own(tmp_path, 'white = "22-32"\nblack = "1-11"')
    found = own_ballots(rules)
    assert found.source == "openings of 2 plies"
    assert load_openings(OpeningsSpec(), rules) == found
    places = {format_fen(opening_position(opening, rules).setup(), rules) for opening in found.openings}
    assert len(places) == len(found.openings) > 30
    assert not any(opening.captures for opening in found.openings)
    assert [(note.kind, note.message) for note in found.notes] == [
        (WARNING, "the variant has no ballots of its own: games begin behind 2 plies, balanced or not")
    ]


def test_openings_stay_that_leave_captures_where_all_do(tmp_path: Path) -> None:
    rules = of_its_own(tmp_path, 'white = "18,30"\nblack = "15,3"')
    found = own_ballots(rules)
    assert found.source == "openings of 2 plies"
    assert {opening.captures for opening in found.openings} == {True}


def test_a_variant_of_too_many_openings_gets_shorter_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = of_its_own(tmp_path, 'white = "21-32"\nblack = "1-12"')
    monkeypatch.setattr(openings, "MOST_LINES", 48)
    found = own_ballots(rules)
    assert (found.source, len(found.openings)) == ("openings of one ply", 7)
    assert found.notes[0].message.endswith("games begin behind one ply, balanced or not")
    monkeypatch.setattr(openings, "MOST_LINES", 6)
    found = own_ballots(rules)
    assert (found.source, found.openings) == ("start position", (Opening(),))
    assert found.notes[0].message.endswith("every game begins in the start position")
