"""The formats of ``damd convert`` read and written: line by line, and everything that is written reads back the same."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damd import variants
from damd.core.position import Position, start_setup
from damd.core.types import PlyKind, Setup
from damd.notation.collections.entries import Entry
from damd.notation.collections.fens import read_entry
from damd.notation.collections.header import Source
from damd.notation.collections.json_lines import line_of
from damd.notation.collections.json_reading import read_json
from damd.notation.collections.lines import LineError, read_lines
from damd.notation.collections.listed import NAME_TAG, NUMBER_TAG, read_listed
from damd.notation.collections.openings import read_ballot, read_opening
from damd.notation.collections.pool import Pool
from damd.notation.collections.writing import START, Style, fen_line, header, opening_line, stands
from damd.notation.pdn import read_games, write_game
from damd.notation.pdn.model import MAX_DEPTH, Command, Comment, Game, Line, Node, ReadGame, Verdict
from damd.rules import Rules
from positions import random_setup

VARIANTS = ("dam-haji", "dam-daman", "international", "russian", "english", "frisian")
STYLES = [Style(), Style("algebraic"), Style(full=True), Style(first_score="black")]


def source(text: str | bytes, rules: Rules | None = None, first_score: str = "rules") -> Source:
    data = text if isinstance(text, bytes) else text.encode()
    return Source(io.BytesIO(data), "file", rules, None, first_score)


# Lines


def test_lines_of_every_kind() -> None:
    data = "\ufeffone\r\ntwo\rthree\n\nfünf".encode() + b"\nsechs \x93\xfc\x94\nsieben \x81"
    lines = [(line.number, line.text) for line in read_lines(io.BytesIO(data))]
    assert lines == [(1, "one"), (2, "two"), (3, "three"), (4, ""), (5, "fünf"), (6, "sechs “ü”"), (7, "sieben \x81")]


def test_a_line_without_end_is_skipped_up_to_its_end() -> None:
    data = b"a\n" + b"x" * 3_000_000 + b"\nb\n" + b"y" * 2_000_000
    lines = list(read_lines(io.BytesIO(data)))
    assert [(line.number, line.text, bool(line.fault)) for line in lines] == [
        (1, "a", False),
        (2, "", True),
        (3, "b", False),
        (4, "", True),
    ]


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("", None),
        ("  # W:W31:B20", None),
        ("; a remark", None),
        ("% a remark of PDN", None),
        ("W:W31,32:B1,2", Entry(fen="W:W31,32:B1,2")),
        ("W : W 31, 32 : B K 6 , 7 . ; hello", Entry(fen="W : W 31, 32 : B K 6 , 7 .", remark="hello")),
        ('W:W31,32:B1,2 bm 32-28; id "x";', Entry(fen="W:W31,32:B1,2", remark='bm 32-28; id "x";')),
        ('[FEN "W:W1:B2"] *', Entry(fen="W:W1:B2", result="*")),
        ('[FEN "W:W1:B2"] 1-0 {so}', Entry(fen="W:W1:B2", result="1-0", remark="so")),
        ('[Event "x #1"] [FEN "B:W1:B2."]0-1', Entry((("Event", "x #1"),), fen="B:W1:B2.", result="0-1")),
        ('[Variant "x"] [missedcapture "forbidden"]', Entry((("Variant", "x"), ("MissedCapture", "forbidden")))),
        ('"W:W31:B2" 1/2-1/2', Entry(fen='"W:W31:B2"', result="1/2-1/2")),
        ("W:W31:B20;glued", Entry(fen="W:W31:B20", remark="glued")),
        ("W:W31:B20 0 1", Entry(fen="W:W31:B20", remark="0 1")),
        ("W:B:W 1-0", Entry(fen="W:B:W", result="1-0")),
        ("W:B:W 1-5", Entry(fen="W:B:W 1-5")),
        ("W:W31:B. 1-1", Entry(fen="W:W31:B.", result="1-1")),
        ("W:W31 - 35 : B1", Entry(fen="W:W31 - 35 : B1")),
        (r'[Event "a \"b\" \\"] [FEN "W:W1:B2"]', Entry((("Event", 'a "b" \\'),), fen="W:W1:B2")),
    ],
)
def test_a_line_of_a_fen_list(text: str, entry: Entry | None) -> None:
    assert read_entry(text) == entry


@pytest.mark.parametrize(
    "text", ['[Event "x"]', '[Variant "x"] W:W1:B2', "[Variant x]", '[FEN "W:W1:B2"] [FEN "W:W1:B2"]', "["]
)
def test_a_line_that_is_none_of_a_fen_list(text: str) -> None:
    with pytest.raises(LineError):
        read_entry(text)


@pytest.mark.parametrize(
    ("text", "opening", "ballot"),
    [
        ("9-13 22-18 ; Kelso", Entry(name="Kelso", plies=("9-13", "22-18")), None),
        ("1. 9-13 22-18 2. 6-9", Entry(plies=("9-13", "22-18", "6-9")), Entry(number="1", plies=("9-13", "22-18", "6-9"))),
        ("1.9-13 22-18 2.6-9 1-0", Entry(plies=("9-13", "22-18", "6-9"), result="1-0"), ...),
        ("12. 1. 9-13", Entry(plies=("9-13",)), Entry(number="12", plies=("9-13",))),
        ("#12 9-13", None, Entry(number="12", plies=("9-13",))),
        ("007: 9-13", ..., Entry(number="7", plies=("9-13",))),
        ("Fife: 11-15! {so} 23-19?", Entry(name="Fife; so", plies=("11-15", "23-19")), None),
        ("W:W31:B2 31-27 *", Entry(fen="W:W31:B2", plies=("31-27",), result="*"), None),
        ("14. W:W31:B2", Entry(fen="W:W31:B2"), Entry(number="14", fen="W:W31:B2")),
        ('[FEN "W:W31:B2"] 31-27', Entry(fen="W:W31:B2", plies=("31-27",)), None),
        ("a3b4 b6:c5 x22 d4:f6", Entry(plies=("a3b4", "b6:c5", "x22", "d4:f6")), None),
        ("1... 22-18 2. … 9-13", Entry(plies=("22-18", "9-13")), ...),
        ('[Variant "english"]', Entry((("Variant", "english"),)), None),
        ("11-15\t23-19\t1/2-1/2", Entry(plies=("11-15", "23-19"), result="1/2-1/2"), None),
    ],
)
def test_a_line_of_openings(text: str, opening: Entry | None, ballot: Entry | None) -> None:
    """``None`` for a ballot: as for openings; ``...``: not asked."""
    if opening is not ...:
        assert read_opening(text) == opening
    if ballot is not ...:
        assert read_ballot(text) == (opening if ballot is None else ballot)


@pytest.mark.parametrize("text", ["12.", "1-0", '[Event "x"]', "1. ..."])
def test_lines_without_an_opening(text: str) -> None:
    with pytest.raises(LineError, match=r"neither plies nor a position|stand"):
        read_ballot(text)


LINES = st.text(alphabet='WBKwbk:,-.x*0123456789 \t"[]{};#!?()/FENVariantab=PLH\\é', max_size=60)


@settings(max_examples=150, deadline=None)
@given(LINES)
def test_no_line_breaks_a_reader(text: str) -> None:
    rules = variants.load("dam-haji")
    for read in (read_entry, read_opening, read_ballot):
        for game in read_listed(source(text, rules), read):
            assert game.game is not None or game.faults
            assert all(fault.line and "\n" not in str(fault) for fault in game.faults)


@pytest.mark.parametrize("piece", ["a", "{", "[", "W:", "9-13 ", "[A", ": ", "1.", "K "])
def test_the_longest_lines_take_no_longer_than_they_are_long(piece: str) -> None:
    text = piece * (900_000 // len(piece))
    rules = variants.load("dam-haji")
    for start in ("", "ab", "W:W31:B20 ", '[Event "'):
        for read in (read_entry, read_ballot):
            for game in read_listed(source(start + text, rules), read):
                assert game.game is not None or game.faults
    (game,) = read_json(source('{"variant": "dam", "plies": [' + json.dumps(text) + "]}"))
    assert game.faults


# JSON


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.floats(allow_nan=False)
    | st.sampled_from(["32-28", "white", "!", "W:W31:B1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["ply", "comments", "text", "commands", "fen", "plies", "variations", "White"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
KEYS = ["variant", "missed_capture", "fen", "plies", "winner", "score", "reason", "tags", "notes", "comments", "other"]


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), JSON_VALUES, max_size=6))
def test_no_object_breaks_the_reader(row: dict[str, object]) -> None:
    for game in read_json(source(json.dumps(row), variants.load("international"))):
        assert game.game is not None or game.faults
        if game.game is not None:
            assert only(read_json(source(line_of(game.game, "rule", Pool())))) is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON: "),
        ("[1]", "each line is an object"),
        ("[" * 100_000, "too deep"),
        ('{"variant": "x"}', 'unknown variant "x"'),
        ("{}", "no variant"),
        ('{"variant": ' + "1" * 5000 + "}", "no JSON that is read here"),
        ('{"variant": "a\\nb"}', "a?b is no name of a game"),
        ('{"variant": 3}', "Variant: a text is needed, not 3"),
        ('{"variant": "dam", "plies": "9-13"}', 'plies: a list is needed, not "9-13"'),
        ('{"variant": "dam", "plies": [3]}', "plies are texts"),
        ('{"variant": "dam", "fen": "W:W31"}', "fen: Black's pieces are missing"),
        ('{"variant": "dam", "winner": "me"}', "winner is one of white, black, draw, both-lose or null"),
        ('{"variant": "dam", "reason": "rain"}', "reason is one of "),
        ('{"variant": "dam", "tags": {"a b": "c"}}', "is no name of a tag"),
        ('{"variant": "dam", "notes": [{"ply": 1}]}', "ply is the number of one of the 0 plies, not 1"),
        ('{"variant": "dam", "plies": ["22-18"], "notes": [{"ply": 1}, {"ply": 1}]}', "two for ply 1"),
        ('{"variant": "dam", "plies": ["22-18"], "notes": [{"ply": 1, "nags": [true]}]}', "nags are numbers"),
        ('{"variant": "dam", "plies": ["22-18"], "notes": [{"ply": 1, "strength": "!!1"}]}', "strength is a mark"),
        ('{"variant": "dam", "variant": "dam"}', "variant stands twice in one object"),
    ],
)
def test_bad_objects(text: str, said: str) -> None:
    (game,) = read_json(source(text))
    assert game.game is None
    (fault,) = game.faults
    assert said in fault.message
    assert str(fault).startswith("file:1: game 1: ")


def test_an_illegal_ply_in_an_object() -> None:
    row = {
        "variant": "international",
        "plies": ["32-28", "19-23", "1-7", "9-9"],
        "notes": [{"ply": 2, "variations": [{"plies": ["18-22", "1-1"]}]}, {"ply": 4, "nags": [1]}],
    }
    (game,) = read_json(source(json.dumps(row)))
    assert game.game is not None
    assert [str(fault).split(":")[2] for fault in game.faults] == [" game 1, ply 3", " game 1, ply 2"]
    assert len(game.game.line.nodes) == 2
    assert len(game.game.line.nodes[1].variations[0].nodes) == 1
    assert game.rest == '1-7 9-9 {"notes": [{"ply": 4, "nags": [1]}]}'
    assert game.game.line.nodes[1].variations[0].nodes[0].comments == (Comment("not read: 1-1"),)


def test_what_is_too_deep_in_an_object_is_kept_as_text() -> None:
    row: dict[str, object] = {"plies": ["32-28"]}
    for _ in range(MAX_DEPTH + 1):
        row = {"plies": ["32-28"], "notes": [{"ply": 1, "variations": [row]}]}
    (game,) = read_json(source(json.dumps({"variant": "international", **row})))
    assert [str(fault) for fault in game.faults] == [
        f"file:1: game 1, ply 1: variations more than {MAX_DEPTH} deep: left out"
    ]
    assert game.game is not None
    node = game.game.line.nodes[0]
    for _ in range(MAX_DEPTH):
        node = node.variations[0].nodes[0]
    assert node.comments == (Comment('not read: {"plies": ["32-28"]}'),)


def test_what_pdn_can_say_objects_can() -> None:
    """Marks in a row, numbers of marks beyond the standard's, tags in any script: from PDN to an object and back."""
    text = '[Белые "Иванов"]\n[Elo+White "1"]\n[GameType "20"]\n1. 32-28! (?) $300 19-23 *'
    (read,) = read_games([text])
    assert read.game is not None
    assert read.game.line.nodes[0].strength == "!(?)"
    (back,) = read_json(source(line_of(read.game, "rule", Pool())))
    assert (back.game, back.faults) == (read.game, ())
    (again,) = read_games([write_game(read.game)])
    assert again.game is not None
    assert again.game.line == read.game.line


def test_half_a_character_is_told() -> None:
    row = '{"variant": "international", "comments": ["\\ud83d here, \\ud83d\\ude00 whole"]}'
    (game,) = read_json(source(row))
    assert game.game is not None
    assert game.game.line.comments == (Comment("? here, 😀 whole"),)
    assert [str(fault) for fault in game.faults] == [
        "file:1: game 1: warning: \\ud83d: half a character, of which the other half is not there: read as ?"
    ]
    (game,) = read_json(source(row.replace("\\ud83d here, ", "")))
    assert game.faults == ()


def test_tags_of_other_keys_in_any_case() -> None:
    row = {"variant": "international", "tags": {"result": "0-2", "variant": "thai", "Белые": "Иванов", "Elo+White": "1"}}
    (game,) = read_json(source(json.dumps(row)))
    assert game.game is not None
    assert (game.game.verdict, game.game.tags) == (Verdict.BLACK, (("Белые", "Иванов"), ("Elo+White", "1")))
    assert [fault.token for fault in game.faults] == ["variant"]


def test_who_has_won_may_be_said_as_a_result() -> None:
    row = {"variant": "international", "plies": [], "tags": {"Result": "0-2", "White": "A", "FEN": "x"}}
    (game,) = read_json(source(json.dumps(row)))
    assert game.game is not None
    assert (game.game.verdict, game.game.tags) == (Verdict.BLACK, (("White", "A"),))
    assert [fault.warning for fault in game.faults] == [True]
    row |= {"winner": None, "other": 1}
    (game,) = read_json(source(json.dumps(row)))
    assert game.game is not None
    assert game.game.verdict is Verdict.UNKNOWN
    assert [fault.token for fault in game.faults] == ["other", "FEN", "Result"]


def test_the_reason_is_the_position_or_a_tag() -> None:
    lost = {"variant": "dam-haji", "fen": "W:W5:B1", "winner": "black", "reason": "no-moves"}
    (game,) = read_json(source(json.dumps(lost)))
    assert game.game is not None
    assert game.game.tags == ()
    assert json.loads(line_of(game.game, "rule", Pool()))["reason"] == "no-moves"
    odd = {"variant": "dam-haji", "winner": "black", "reason": "resignation", "tags": {"Termination": "time"}}
    (game,) = read_json(source(json.dumps(odd)))
    assert game.game is not None
    assert game.game.tags == (("Termination", "time"),)
    assert [fault.warning for fault in game.faults] == [True]
    resigned = {"variant": "dam-haji", "winner": "black", "reason": "resignation"}
    (game,) = read_json(source(json.dumps(resigned)))
    assert game.game is not None
    assert game.game.tags == (("Termination", "resignation"),)
    assert json.loads(line_of(game.game, "rule", Pool()))["reason"] == "resignation"


# What is written reads back the same


TEXTS = ("", "good", "a; b # c {d} : e", 'é “x” \\ "q"', "12. 9-13", "1-0", "W:W31:B20", "32-28", "\u2028", "*", "; x", "😀")


def random_start(rules: Rules, random: Random) -> Setup | None:
    if random.random() < 0.5:
        return None
    return Position(rules, random_setup(rules, random)).setup()


def random_line(position: Position, random: Random, length: int, depth: int, *, bare: bool = False) -> Line:
    nodes = []
    for _ in range(random.randrange(length + 1)):
        plies = position.plies()
        if not plies or len(plies) > 500:
            break
        ply = random.choice(plies)
        variations = []
        while depth and not bare and random.random() < 0.1:
            other = Position(position.rules, position.setup())
            variations.append(random_line(other, random, 4, depth - 1))
        if not bare and random.random() < 0.05:
            setup = Position(position.rules, random_setup(position.rules, random)).setup()
            nodes.append(Node(setup=setup, comments=comments(random), variations=tuple(variations)))
            position.set(setup)
            continue
        position.play(ply)
        said = {} if bare else {"comments": comments(random), "nags": random.choice(((), (), (1, 139)))}
        strength = "" if bare else random.choice(("", "", "!", "(?)"))
        nodes.append(Node(ply, strength=strength, variations=tuple(variations), **said))
    return Line(tuple(nodes), () if bare else comments(random))


def comments(random: Random) -> tuple[Comment, ...]:
    if random.random() < 0.7:
        return ()
    commands = random.choice(((), (Command("clk", "0:09:57"),), (Command("x"), Command("clock", "w0:10:00 B0:00:03"))))
    return tuple(Comment(random.choice(TEXTS), commands) for _ in range(random.randint(1, 2)))


def random_games(variant: str, count: int, *, bare: bool = False) -> Iterator[tuple[Game, str]]:
    rules, random = variants.load(variant), Random(variant)
    for _ in range(count):
        missed = "forbidden" if rules.penalty.take and random.random() < 0.3 else "rule"
        own = rules.without_penalty() if missed == "forbidden" else rules
        start = random_start(own, random)
        line = random_line(Position(own, start or start_setup(own)), random, 14, 2, bare=bare)
        tags = random.sample([("White", "A"), ("White", "B"), ("Event", random.choice(TEXTS)), ("Termination", "x")], 2)
        score = random.choice(("", "", "4-6"))
        yield (
            Game(own, () if bare else tuple(tags), start, line, random.choice(list(Verdict)), "" if bare else score),
            missed,
        )


@pytest.mark.parametrize("variant", VARIANTS)
def test_json_reads_back_the_same(variant: str) -> None:
    pool, kinds = Pool(), set()
    for game, missed in random_games(variant, 25):
        line = line_of(game, missed, pool)
        assert "\n" not in line
        (back,) = read_json(source(line))
        assert back.faults == ()
        assert back.game == game
        kinds |= {node.ply.kind for node in game.line.nodes if node.ply}
    assert {PlyKind.QUIET, PlyKind.CAPTURE} <= kinds


def only(games: Iterator[ReadGame]) -> Game:
    (read,) = games
    assert read.faults == ()
    assert read.game is not None
    return read.game


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("variant", VARIANTS)
def test_lists_read_back_the_same(variant: str, style: Style) -> None:
    pool, random = Pool(), Random(5)
    for game, missed in random_games(variant, 8, bare=True):
        above = header(game.rules, missed) + "\n"
        name = random.choice(TEXTS).strip().lstrip("; ")
        named = replace(game, tags=((NAME_TAG, name),) if name and name != "\u2028" else ())
        line = opening_line(named, style, pool)
        back = only(read_listed(source(above + line, None, style.first_score), read_opening))
        assert (back.rules, back.line.nodes, back.verdict, back.tags) == (
            named.rules,
            named.line.nodes,
            named.verdict,
            named.tags,
        ), line
        assert pool.at(back.rules, back.start).setup() == pool.at(game.rules, game.start).setup()
        numbered = only(
            read_listed(source(above + opening_line(named, style, pool, "12"), None, style.first_score), read_ballot)
        )
        assert numbered == replace(back, tags=((NUMBER_TAG, "12"), *named.tags))

        (stand,) = stands(game, START, pool)
        said = replace(game, line=Line((), (Comment(name),) if named.tags else ()))
        line = fen_line(said, replace(stand, comments=said.line.comments), style)
        back = only(read_listed(source(above + line, None, style.first_score), read_entry))
        assert (back.start, back.verdict, back.line) == (stand.setup, game.verdict, said.line), line
