"""Writing PDN: what is written is a sentence of the grammar, and reads back the same, for every variant."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache
from importlib.resources import files
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark

from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.notation.fen import parse_fen
from damd.notation.pdn import (
    Command,
    Comment,
    Game,
    Line,
    Node,
    Reading,
    Verdict,
    pdn_squares,
    play_texts,
    read_games,
    short_ply,
    write_game,
)
from damd.notation.pdn.model import MAX_DEPTH, MAX_GAME
from damd.notation.pdn.writing import changed
from damd.notation.plies import parse_ply
from damd.rules import Rules
from damd.variants import load, names
from pdn_games import random_game

FORBIDDEN = tuple(f"{name} forbidden" for name in names() if load(name).penalty.take)
SETTINGS = (*names(), *FORBIDDEN)


@cache
def grammar() -> Lark:
    text = (files("damd.notation.pdn") / "pdn.lark").read_text(encoding="utf-8")
    return Lark(text, start="file", parser="lalr")


def rules_of(setting: str) -> Rules:
    name, *mode = setting.split()
    return load(name).without_penalty() if mode else load(name)


def back(text: str) -> Game:
    """The one game of ``text``, which must be without a fault."""
    read = list(read_games(io.BytesIO(text.encode())))
    assert [str(fault) for game in read for fault in game.faults] == []
    assert len(read) == 1
    assert read[0].game is not None
    return read[0].game


def played(rules: Rules, texts: str, fen: str = "") -> Game:
    """A game of these plies."""
    start = parse_fen(fen, rules) if fen else None
    position = Position(rules, start)
    done = play_texts(position, texts.split())
    assert done.fault is None, done.fault
    return Game(rules, (), start, Line(tuple(Node(ply) for ply in done.plies)))


def body(game: Game) -> str:
    return " ".join(write_game(game).split("\n\n", 1)[1].split())


@pytest.mark.parametrize("setting", SETTINGS)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**64))
def test_games_come_back(setting: str, seed: int) -> None:
    game = random_game(rules_of(setting), Random(seed))
    text = write_game(game)
    grammar().parse(text)
    assert back(text) == game
    assert write_game(back(text)) == text


@pytest.mark.long
@pytest.mark.parametrize("setting", SETTINGS)
@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**64))
def test_many_games_come_back(setting: str, seed: int) -> None:
    game = random_game(rules_of(setting), Random(seed), plies=120)
    text = write_game(game)
    grammar().parse(text)
    assert back(text) == game


@pytest.mark.parametrize("first_score", ["rules", "white", "black"])
@pytest.mark.parametrize("variant", ["english", "international", "dam-haji"])
def test_results_come_back_whoever_is_first(variant: str, first_score: str) -> None:
    for verdict in Verdict:
        text = write_game(Game(load(variant), verdict=verdict), first_score=first_score)
        read = next(iter(read_games([text], reading=Reading(first_score=first_score))))
        assert read.game is not None
        assert read.game.verdict is verdict


@pytest.mark.parametrize(
    ("variant", "verdict", "text"),
    [
        ("international", Verdict.WHITE, "2-0"),
        ("international", Verdict.BLACK, "0-2"),
        ("canadian", Verdict.DRAW, "1-1"),
        ("killer", Verdict.WHITE, "2-0"),
        ("frisian", Verdict.WHITE, "1-0"),
        ("russian", Verdict.DRAW, "1/2-1/2"),
        ("english", Verdict.BLACK, "1-0"),
        ("english", Verdict.WHITE, "0-1"),
        ("pool", Verdict.BLACK, "1-0"),
        ("thai", Verdict.BLACK, "1-0"),
        ("dam-haji", Verdict.WHITE, "1-0"),
        ("dam", Verdict.BOTH_LOSE, "0-0"),
        ("dam", Verdict.UNKNOWN, "*"),
    ],
)
def test_results_as_the_game_writes_them(variant: str, verdict: Verdict, text: str) -> None:
    assert f'[Result "{text}"]' in write_game(Game(load(variant), verdict=verdict))


def test_tags_say_which_game_it_is() -> None:
    def tags(rules: Rules) -> list[str]:
        return write_game(Game(rules)).split("\n\n")[0].splitlines()[1:]

    assert tags(load("russian")) == ['[GameType "25,W,8,8,A0,0"]']
    assert tags(load("killer")) == ['[Variant "killer"]', '[GameType "20"]']
    assert tags(load("dam-haji")) == ['[Variant "dam-haji"]']
    assert tags(load("dam-haji").without_penalty()) == ['[Variant "dam-haji"]', '[MissedCapture "forbidden"]']
    assert tags(load("dam")) == ['[Variant "dam"]']


def test_claims_stand_before_the_ply_of_the_same_number() -> None:
    game = played(load("dam-haji"), "22-18 10-15 18-14 9x18 24-20 x23 15-19")
    assert body(game) == "1. 22-18 10-15 2. 18-14 9x18 3. 24-20 x23 15-19 *"
    assert back(write_game(game)) == game


@pytest.mark.parametrize(
    ("variant", "texts", "written"),
    [
        ("international", "32-28 19-23 28x19 14x23", "1. 32-28 19-23 2. 28x19 14x23 *"),
        ("russian", "c3d4 d6e5 b2c3 e7d6 e3f4 b6a5 f2e3 c7b6 c1b2 b6c5 d4b6 a5c7", None),
        ("english", "11-15 23-18 8-11", "1. 11-15 23-18 2. 8-11 *"),
        ("thai", "28-24 5-9", "1. 28-24 5-9 *"),
        ("dam-daman", "e4-e5 d6xf4", None),
    ],
)
def test_squares_and_separators_are_the_games_own(variant: str, texts: str, written: str | None) -> None:
    rules = load(variant)
    if variant == "russian":
        written = "1. c3-d4 d6-e5 2. b2-c3 e7-d6 3. e3-f4 b6-a5 4. f2-e3 c7-b6 5. c1-b2 b6-c5 6. d4:b6 a5:c7 *"
    if variant == "dam-daman":
        texts, written = "e4-e5 e6xe4 e3xe5", "1. e4-e5 e6xe4 2. e3xe5 *"
    assert body(played(rules, texts)) == written


LONG_FORMS = (
    ("international", "W:WK4:B13,20,32,37", "4x27x38x15", "4x27x38x15"),
    ("international", "W:WK4:B13,20,32,37", "4x31x42x15", "4x31x42x15"),
    ("english", "B:W6,7,8,14,15,16,22,23,24:BK2", "2x9x18x27x20x11x4", "2x9x18x27x20x11x4"),
    ("english", "B:W6,7,8,14,15,16,22,23,24:BK2", "2x11x4", "2x11x4"),
    ("russian", "W:We3,g3,h4,a5,b2,h2,a3,Kf8:Bc5,e5,g5,g7,h8", "f8xb4", "f8:b4"),
    ("international", "W:WK6:B5,17,31,34,43", "6x39x48x26", "6x26"),
)


@pytest.mark.parametrize(("variant", "fen", "path", "short"), LONG_FORMS)
def test_short_form_or_what_pdn_demands(variant: str, fen: str, path: str, short: str) -> None:
    rules = load(variant)
    position = Position(rules, parse_fen(fen, rules))
    ply = parse_ply(path, position)
    assert short_ply(ply, position.plies(), rules) == short
    assert parse_ply(short, position) == ply


@pytest.mark.parametrize("variant", names())
def test_short_forms_name_their_ply_alone(variant: str) -> None:
    """Every ply of random positions, the rich ones in captures above all."""
    rules, random = load(variant), Random(variant)
    separators = {rules.notation.separator, "x"}
    for _ in range(12):
        position = Position(rules)
        for _ in range(random.randrange(8, 60)):
            legal = position.plies()
            if not legal or len(legal) > 200:
                break
            for ply in random.sample(legal, min(4, len(legal))):
                for separator in separators:
                    text = short_ply(ply, legal, rules, separator=separator)
                    assert parse_ply(text, position) == ply, (text, position.setup())
            position.play(max(random.sample(legal, min(2, len(legal))), key=lambda ply: len(ply.captured)))


def test_straight_on_the_square_right_behind_is_listed() -> None:
    """A king that goes straight on is written with the square behind each piece, wherever it is said to have landed."""
    rules = load("international")
    position = Position(rules, parse_fen("W:WK46:B41,28,14,9", rules))
    several = [ply for ply in position.plies() if ply.kind is PlyKind.CAPTURE]
    forms = {short_ply(ply, [*several, *several], rules) for ply in several}
    assert all(form.startswith("46x37") for form in forms), forms


def test_numbers_go_with_the_side_that_begins() -> None:
    english = load("english")
    assert body(played(english, "18-15", "W:W18:B1")) == "1... 18-15 *"
    assert body(played(english, "1-6 18-15 6-10", "B:W18:B1")) == "1. 1-6 18-15 2. 6-10 *"
    assert body(played(load("international"), "19-23 32-28", "B:W31-50:B1-20:H0:F12")) == "12... 19-23 13. 32-28 *"


def test_number_stands_again_behind_comments_and_variations() -> None:
    rules = load("international")
    game = played(rules, "32-28 19-23 28x19")
    first, second, third = game.line.nodes
    other = played(rules, "31-27 18-23").line
    first = Node(first.ply, strength="!", nags=(7,), comments=(Comment("good"),), variations=(other,))
    text = body(Game(rules, line=Line((first, second, third), (Comment("at the start"),))))
    assert text == "{at the start} 1. 32-28! $7 {good} (1. 31-27 18-23) 1... 19-23 2. 28x19 *"


def test_a_brace_cannot_end_a_comment() -> None:
    rules = load("dam")
    text = write_game(Game(rules, line=Line(comments=(Comment("a } b\n\nc"),))))
    assert "{a ) b c}" in text
    grammar().parse(text)


TEXTS = st.text(st.sampled_from("a b%[]{}()\n\0\t;x1\u00a0\ud83dé"), max_size=24)
COMMENTS = st.builds(
    Comment,
    TEXTS | st.just("[%clk 0:01]"),
    st.lists(st.builds(Command, st.sampled_from(["clk", "x1", "", "a b", "%"]), TEXTS), max_size=2).map(tuple),
)
TAGS = st.tuples(
    st.sampled_from(["Event", "EVENT", "white", "Белые", "Elo+White", "fen", "Result", "variant", "x y"]), TEXTS
)


@settings(max_examples=300, deadline=None)
@given(comments=st.lists(COMMENTS, max_size=3).map(tuple), tags=st.lists(TAGS, max_size=4).map(tuple))
def test_what_does_not_come_back_is_named(comments: tuple[Comment, ...], tags: tuple[tuple[str, str], ...]) -> None:
    """Any text: the file stays sound, what is written comes back, and ``changed`` says whether that is what was meant."""
    rules = load("international")
    ply = parse_ply("32-28", Position(rules))
    game = Game(rules, tags, None, Line((Node(ply, comments=comments),), comments), Verdict.DRAW)
    text = write_game(game)
    grammar().parse(text)
    text.encode()
    read = back(text)
    assert write_game(read) == text
    assert (list(changed(game, text)) == []) == (read == game or _but_for_capitals(read, game))
    assert list(changed(read, text)) == []


def _but_for_capitals(read: Game, game: Game) -> bool:
    """Whether they differ in the first letters of tags alone, which PDN has large."""
    return replace(game, tags=tuple((name[0].upper() + name[1:], value) for name, value in game.tags)) == read


@settings(max_examples=20, deadline=None)
@given(depth=st.integers(0, MAX_DEPTH), seed=st.integers(0, 2**32))
def test_variations_as_deep_as_they_may_be_come_back(depth: int, seed: int) -> None:
    game = nested(depth, Random(seed))
    text = write_game(game)
    grammar().parse(text)
    assert back(text) == game


def test_deeper_variations_are_not_written() -> None:
    assert back(write_game(nested(MAX_DEPTH, Random(1)))) == nested(MAX_DEPTH, Random(1))
    with pytest.raises(ValueError, match=f"more than {MAX_DEPTH} deep"):
        write_game(nested(MAX_DEPTH + 1, Random(1)))


def nested(depth: int, random: Random) -> Game:
    """A game with variations in variations, each at one of the first plies of the one around it."""
    rules = load("dam-haji")

    def line(start: Position, left: int) -> Line:
        position = Position(rules, start.setup())
        nodes, at = [], random.randrange(2)
        for number in range(2):
            plies = position.plies()
            if not plies:
                break
            inside = (line(position, left - 1),) if left and number == min(at, len(plies) - 1) else ()
            ply = random.choice(plies)
            nodes.append(Node(ply, variations=inside))
            position.play(ply)
        return Line(tuple(nodes))

    return Game(rules, line=line(Position(rules), depth))


def test_games_too_long_to_be_read_are_named() -> None:
    game = Game(load("dam"), line=Line(comments=(Comment("x" * MAX_GAME),)))
    assert list(changed(game, write_game(game))) == [f"more than {MAX_GAME} characters of a game"]


def test_an_illegal_ply_is_not_written() -> None:
    rules = load("international")
    with pytest.raises(ValueError, match="not a legal ply"):
        write_game(Game(rules, line=Line((Node(Ply(PlyKind.QUIET, (0, 40))),))))


def test_tags_are_made_fit_for_pdn() -> None:
    text = write_game(Game(load("dam"), (("white player", "A\nB"), ("9", "x"), ("Empty", ""))))
    assert text.startswith('[White_player "A B"]\n[Tag9 "x"]\n[Result "*"]\n')
    grammar().parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "1. 32-28",
        '[event "x"] *',
        "1. 32 - 28 *",
        "1. 032-28 *",
        "{a} } *",
        "1. 32-28 1-0",
        "1. 32-28 2-0 *",
        "1. a3b4 *",
        "(1. 32-28 *",
        '[Event "x" y"] *',
    ],
)
def test_grammar_refuses_what_is_not_strict(text: str) -> None:
    from lark.exceptions import UnexpectedInput

    with pytest.raises(UnexpectedInput):
        grammar().parse(text)


@pytest.mark.parametrize("variant", names())
def test_squares_of_pdn(variant: str) -> None:
    rules = load(variant)
    expected = "algebraic" if ",A" in rules.names.gametype else "numeric" if ",N" in rules.names.gametype else None
    assert pdn_squares(rules) == (expected or rules.notation.squares)
