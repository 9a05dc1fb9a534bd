"""The drawn picture: what must be in it, whatever the board, and where; no pixel is looked at."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from math import hypot
from random import Random
from xml.etree import ElementTree

import pytest

from damd.core.position import Position
from damd.core.types import Setup
from damd.notation.drawing import is_grid
from damd.notation.fen import parse_fen
from damd.notation.overlay import NOTHING, Overlay, read_arrow, read_last
from damd.notation.plies import PlyError, parse_ply
from damd.notation.squares import names_of
from damd.notation.svg import LABELS, draw_svg
from damd.notation.svg_shapes import RADIUS
from damd.rules import Rules
from damd.variants import names
from outside import rules_of
from positions import random_setup, start

SVG = "{http://www.w3.org/2000/svg}"
VARIANTS = tuple(dict.fromkeys((*names(), "spanish", "thai", "turkish", "canadian", "frysk")))

Node = ElementTree.Element


def parsed(text: str) -> Node:
    assert text.isascii()
    return ElementTree.fromstring(text)


def picture(variant: str, fen: str, **how: object) -> Node:
    rules = rules_of(variant)
    return parsed(draw_svg(parse_fen(fen, rules), rules, **how))  # type: ignore[arg-type]


def played(variant: str, fen: str, plies: str) -> Node:
    """The picture after some plies, the last of them shown."""
    rules = rules_of(variant)
    position = Position(rules, parse_fen(fen, rules))
    before, last = None, None
    for text in plies.split():
        before, last = position.setup(), parse_ply(text, position)
        position.play(last)
    return parsed(draw_svg(position.setup(), rules, overlay=Overlay(last=last, before=before)))


def layer(root: Node, name: str) -> list[Node]:
    """What the group of that class holds; nothing where there is no such group."""
    found = [group for group in root.findall(f"{SVG}g") if group.get("class") == name]
    assert len(found) <= 1
    return list(found[0]) if found else []


def text_of(root: Node, tag: str) -> str:
    (found,) = root.findall(SVG + tag)
    assert found.text
    return found.text


def pieces(root: Node, name: str = "pieces") -> dict[str, tuple[str, float, float]]:
    """Kind and place of each piece by its square."""
    found = {}
    for piece in layer(root, name):
        numbers = re.fullmatch(r"translate\((\S+) (\S+)\)", piece.get("transform", ""))
        assert numbers
        found[piece.get("data-square", "")] = (piece.get("class", ""), float(numbers[1]), float(numbers[2]))
    return found


def labels(root: Node, name: str = "names") -> dict[str, tuple[float, float]]:
    return {label.text or "": (float(label.get("x", "")), float(label.get("y", ""))) for label in layer(root, name)}


def kinds(setup: Setup, rules: Rules, squares: str) -> dict[str, str]:
    """What a position says stands on each square."""
    name = names_of(rules.geometry, squares)
    groups = (
        (0, "white man", setup.men),
        (1, "black man", setup.men),
        (0, "white king", setup.kings),
        (1, "black king", setup.kings),
    )
    return {name[point]: kind for side, kind, points in groups for point in points[side]}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_picture_shows_the_position_and_every_square(variant: str) -> None:
    rules = rules_of(variant)
    random = Random(variant)
    for setup in (start(rules), *(random_setup(rules, random) for _ in range(8))):
        for squares in ("numeric", "algebraic"):
            upright = parsed(draw_svg(setup, rules, squares=squares))
            turned = parsed(draw_svg(setup, rules, squares=squares, turned=True))
            for root in (upright, turned):
                assert {name: kind for name, (kind, _, _) in pieces(root).items()} == kinds(setup, rules, squares)
                assert sorted(labels(root)) == sorted(names_of(rules.geometry, squares))
                assert len(set(labels(root).values())) == rules.geometry.size
                described = text_of(root, "desc").replace(",", " ").replace(".", " ").split()
                assert set(kinds(setup, rules, squares)) <= set(described)
            # What is turned lies opposite: both places of all points have one middle.
            for get in (labels, lambda root: {name: place[1:] for name, place in pieces(root).items()}):
                one, other = get(upright), get(turned)
                assert len({(one[name][0] + other[name][0], one[name][1] + other[name][1]) for name in one}) <= 1


@pytest.mark.parametrize("variant", ["dam-haji", "dam-haji-12", "dam-daman", "turkish", "spanish"])
def test_nothing_hides_a_number(variant: str) -> None:
    rules = rules_of(variant)
    everywhere = frozenset(range(rules.geometry.size))
    full = Setup(0, (everywhere, frozenset()), (frozenset(), frozenset()))
    for squares in ("numeric", "algebraic"):
        root = parsed(draw_svg(full, rules, squares=squares))
        (group,) = (group for group in root.findall(f"{SVG}g") if group.get("class") == "names")
        size = float(group.get("font-size", ""))
        for name, (x, y) in labels(root).items():
            # Digits of ordinary fonts are 0.56 wide and 0.72 high.
            width, height = 0.56 * size * len(name), 0.72 * size
            left = x - width if group.get("text-anchor") == "end" else x
            for _, px, py in pieces(root).values():
                gap = hypot(max(left - px, 0, px - left - width), max(y - height - py, 0, py - y))
                # Three letters of the far ranks of large boards touch the rim of their own piece.
                assert gap > RADIUS - (0 if len(name) < 3 else 8), (name, gap)
    layers = [group.get("class") for group in root.findall(f"{SVG}g")]
    assert layers.index("names") > layers.index("pieces")


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_lies_within_the_picture(variant: str) -> None:
    rules = rules_of(variant)
    random = Random(variant)
    for how in LABELS:
        for turned in (False, True):
            text = draw_svg(random_setup(rules, random), rules, labels=how, turned=turned)
            root = parsed(text)
            _, _, width, height = (float(number) for number in root.get("viewBox", "").split())
            for node in root.iter():
                for across, down in (("x", "y"), ("cx", "cy")):
                    if node.get(across) and not node.get("transform"):
                        assert 0 <= float(node.get(across, "0")) <= width
                        assert 0 <= float(node.get(down, "0")) <= height
            size = next(
                float(group.get("font-size", "")) for group in root.findall(f"{SVG}g") if group.get("class") == "caption"
            )
            for line in layer(root, "caption"):
                assert float(line.get("x", "0")) + 0.56 * size * len(line.text or "") <= width
            assert len(text) < 30_000


def test_boards() -> None:
    assert played("dam-daman", "W:WKa1:BKe9", "").find(f"{SVG}path").get("d", "").count("M") == 20  # type: ignore[union-attr]
    squares = picture("international", "W:W:B").find(f"{SVG}path")
    assert squares is not None
    assert squares.get("d", "").count("M") == 50
    grid = picture("turkish", "W:W:B").find(f"{SVG}path")
    assert grid is not None
    assert grid.get("d", "").count("M") == 14
    assert [is_grid(rules_of(name).geometry) for name in ("dam-haji", "turkish", "dam-daman")] == [True, True, False]


def corner(variant: str, name: str) -> tuple[bool, bool]:
    """Whether the square lies in the leftmost column that has squares in its row, and in the lowest row."""
    places = labels(picture(variant, "W:W:B"))
    x, y = places[name]
    return x == min(px for px, py in places.values() if py == y), y == max(py for _, py in places.values())


def test_corners() -> None:
    assert corner("international", "46") == (True, True)
    assert corner("italian", "1") == (True, False)
    assert corner("spanish", "1") == (False, True)
    assert corner("spanish", "4") == (True, True)
    assert corner("thai", "32") == (True, False)
    for variant, mirrored in (("international", False), ("italian", True), ("spanish", True), ("thai", False)):
        places = labels(picture(variant, "W:W:B"))
        lowest = max(y for _, y in places.values())
        assert (min(x for x, y in places.values() if y == lowest) == min(x for x, _ in places.values())) != mirrored


def test_labels() -> None:
    for how, named, edged in (("names", 32, 0), ("edges", 0, 16), ("both", 32, 16), ("none", 0, 0)):
        root = picture("dam-haji", "W:W22:B9", labels=how)
        assert (len(layer(root, "names")), len(layer(root, "edges"))) == (named, edged)
    files = [node.text for node in layer(picture("dam-haji", "W:W:B", labels="edges"), "edges")]
    assert files == [*"abcdefgh", *"87654321"]
    files = [node.text for node in layer(picture("dam-haji", "W:W:B", labels="edges", turned=True), "edges")]
    assert files == [*"hgfedcba", *"12345678"]
    with pytest.raises(ValueError, match="labels are one of"):
        picture("dam-haji", "W:W:B", labels="some")


def test_men_and_kings_differ_in_shape() -> None:
    shapes = {}
    for piece in layer(picture("dam-haji", "W:W22,K23:B9,K10"), "pieces"):
        shapes[piece.get("class")] = Counter(part.tag.removeprefix(SVG) for part in piece)
    assert shapes["white man"] == shapes["black man"] == {"circle": 2}
    assert shapes["white king"] == shapes["black king"] == {"circle": 2, "path": 1}


def test_rights() -> None:
    root = picture("dam-haji", "W:WK4,K5,K10,24:B15,17,K26:P17,26")
    rings = {(float(node.get("cx", "")), float(node.get("cy", ""))) for node in layer(root, "right")}
    assert rings == {pieces(root)[name][1:] for name in ("17", "26")}
    assert "White may first take off 1 of Black's pieces: 17, 26." in text_of(root, "desc")
    assert (
        " ".join(node.text or "" for node in layer(root, "caption")[2:])
        == "White may first take off 1 of Black's pieces: 17, 26"
    )

    root = picture("dam-daman", "W:WKa5,c3:BKb2,Kb4,Ka9,c8:P*3")
    rings = {(float(node.get("cx", "")), float(node.get("cy", ""))) for node in layer(root, "right")}
    assert rings == {place[1:] for place in pieces(root).values() if place[0].startswith("black")}
    assert "White may first take off any 3 of Black's pieces." in text_of(root, "desc")
    assert not layer(picture("dam-haji", "W:W24:B15"), "right")


def test_king_runs() -> None:
    root = picture("frisian", "B:WK31,6:B20,K50:L31=3,50=1")
    assert [node.text for node in layer(root, "runs") if node.text] == ["3/3", "1/3"]
    assert "White's king on 31 has made 3 of 3 quiet moves in a row." in text_of(root, "desc")


def test_the_last_ply() -> None:
    root = played("international", "W:W31-50:B1-20", "32-28 19-23 28x19 14x23")
    assert len(layer(root, "last")) == 2
    assert [node.tag for node in layer(root, "way")] == [f"{SVG}path", f"{SVG}circle"]
    assert [kind for kind, _, _ in pieces(root, "taken").values()] == ["white man"]
    assert list(pieces(root, "taken")) == ["19"]
    assert len(layer(root, "crosses")) == 2  # one cross, with a rim
    assert "Last ply: 14x23." in text_of(root, "desc")
    # all landing points
    root = played("dam-haji", "W:WK10:B7,17", "10x21x3")
    assert len(layer(root, "last")) == 3
    assert sorted(pieces(root, "taken")) == ["17", "7"]
    # a claim has no way, only what it takes
    root = played("dam-haji", "W:W23,32:B19,1", "32-27 x23")
    assert (layer(root, "last"), layer(root, "way")) == ([], [])
    assert list(pieces(root, "taken")) == ["23"]
    # over the lines, round the tail and back
    root = played("dam-daman", "W:Wa1,c1,e1,c7:Ba5,a6,e5,e6,b8,d8,c9", "c7xa9xe9xc7")
    assert len(layer(root, "last")) == 3
    assert sorted(pieces(root, "taken")) == ["b8", "c9", "d8"]


def test_arrows_and_marks() -> None:
    rules = rules_of("dam-haji")
    position = Position(rules, parse_fen("W:WK10,31:B7,17,K2", rules))
    arrows = tuple(read_arrow(text, position) for text in ("10x21x3", "31-27", "2-9-14"))
    root = parsed(draw_svg(position.setup(), rules, overlay=Overlay(arrows=arrows, marks=frozenset({0, 4}))))
    assert len(layer(root, "arrows")) == 6  # each with a rim
    assert len(layer(root, "crosses")) == 4
    assert len(layer(root, "marks")) == 2
    described = text_of(root, "desc")
    assert "Arrows: 10x21x3, 31-27, 2-9-14." in described
    assert "Marked: 1, 5." in described
    claimed = Position(rules, parse_fen("B:WK32:B1:P32", rules))
    root = parsed(draw_svg(claimed.setup(), rules, overlay=Overlay(arrows=(read_arrow("x32", claimed),))))
    assert (len(layer(root, "arrows")), len(layer(root, "crosses"))) == (0, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("31x27", "captures nothing"),
        ("31", "an arrow leads from one square to another"),
        ("31-31", "an arrow leads from one square to another"),
        ("31-33", "squares are 1-32"),
        ("112", "divides in several ways"),
        ("", "no ply"),
    ],
)
def test_wrong_arrows(text: str, said: str) -> None:
    rules = rules_of("dam-haji")
    with pytest.raises(PlyError, match=said):
        read_arrow(text, Position(rules, parse_fen("W:WK10,31:B7,17,K2", rules)))


def test_a_last_ply_without_the_position_before_it() -> None:
    rules = rules_of("dam-haji")
    board = rules.geometry
    setup = parse_fen("W:W24,32:B20,K3", rules)

    def read(text: str) -> tuple[list[str], list[str]]:
        ply = read_last(text, setup, board)
        return [board.names[point] for point in ply.path], [board.names[point] for point in ply.captured]

    assert read("16-20") == (["16", "20"], [])
    assert read("17x10x3") == (["17", "10", "3"], ["7", "14"])
    assert read("21x3") == (["21", "3"], [])  # what a king took on so long a way is not known
    assert read("x21") == (["21"], ["21"])
    root = parsed(draw_svg(setup, rules, overlay=Overlay(last=read_last("22x15x20", setup, board))))
    assert (len(layer(root, "last")), len(layer(root, "crosses")), layer(root, "taken")) == (3, 2, [])
    for text, said in (
        ("16-19", "no piece of Black on 19"),
        ("28-24", "no piece of Black on 24"),
        ("24-20", "left 24 empty"),
        ("27x20", "left 24 empty"),
        ("x20", "left 20 empty"),
        ("20", "origin and end"),
    ):
        with pytest.raises(PlyError, match=said):
            read_last(text, setup, board)


def test_texts_are_escaped() -> None:
    rules = rules_of("dam-haji")
    title = '<Dáma> & "dam" ]]>'
    text = draw_svg(start(rules), replace(rules, names=replace(rules.names, title=title + "\x07\ud800\n")))
    assert text_of(parsed(text), "title") == f"{title}???: White to move"


def test_pictures_are_alone_and_the_same() -> None:
    texts = []
    for variant in ("dam-haji", "dam-daman", "turkish"):
        rules = rules_of(variant)
        texts += [draw_svg(start(rules), rules), draw_svg(start(rules), rules, turned=True)]
        assert texts[-1] == draw_svg(start(rules), rules, turned=True)
    known: set[str] = set()
    for text in texts:
        root = parsed(text)
        assert root.get("role") == "img"
        named = [root.get("aria-labelledby"), root.get("aria-describedby")]
        assert named == [node.get("id") for node in root.iter() if node.get("id")]
        assert known.isdisjoint(named)
        known.update(name for name in named if name)
        assert "href" not in text
        assert "url(" not in text
        assert text.count("http") == 1  # the namespace


def test_the_description_names_all() -> None:
    rules = rules_of("dam-haji-12")
    text = draw_svg(start(rules), rules, overlay=Overlay(marks=frozenset(range(72))))
    assert f"Marked: {', '.join(rules.geometry.names)}." in text_of(parsed(text), "desc")


def test_size_and_caption() -> None:
    root = picture("dam-daman", "W:WKa1:BKe9", size=300)
    assert root.get("height") == "300"
    assert 100 < int(root.get("width", "")) < 200
    assert layer(root, "caption")
    assert not layer(picture("dam-daman", "W:WKa1:BKe9", caption=False), "caption")
    assert not layer(picture("dam-daman", "W:WKa1:BKe9", overlay=NOTHING), "marks")
