"""What the outside data demand of a witness: the reference and the core have to pass the same checks.

A witness is a function that lists the legal plies of a position, each with the position after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from damd.core.types import Ply, PlyKind, Setup
from damd.rules import Rules
from damd.variants import load
from positions import DATA, as_outside, bare, load_json, load_lines, name_path, outside_ply, read_fen

Witness = Callable[[Rules, Setup], list[tuple[Ply, Setup]]]

#: The variants of the fixtures.
FIXTURES = tuple(sorted(path.stem for path in (DATA / "fixtures").glob("*.json")))

#: Variant and mode (``rule`` or ``forbidden``) of the counts from start positions.
COUNTS = tuple((variant, mode) for variant, modes in load_json("counts.json").items() for mode in modes)

#: The variants of the counts that other programs agree on.
PERFT = tuple(name for name in load_json("perft.json") if not name.startswith("_"))


@cache
def rules_of(name: str, mode: str = "rule") -> Rules:
    """The rules of a variant, or those with missed captures forbidden."""
    rules = load(name)
    return rules.without_penalty() if mode == "forbidden" else rules


def perft_rules(name: str) -> Rules:
    """The rules as the other programs counted them: without the limit of king moves and without draws."""
    return changed(rules_of(name), {"king.quiet_limit": 0, "end.one_each": "never"})


def fixture(name: str) -> list[dict[str, Any]]:
    """The positions of a variant's fixtures."""
    return list(load_json(f"fixtures/{name}.json")["positions"])


def require_fixture(witness: Witness, rules: Rules, position: dict[str, Any]) -> None:
    """Fails unless the witness lists exactly the plies of the fixture, leading to the same positions."""
    found = [as_outside(ply, after) for ply, after in witness(rules, read_fen(position["fen"], rules))]
    expected = {outside_ply(text, after, rules) for text, after in position["plies"].items()}
    assert set(found) == expected, position["fen"]
    assert len(found) == len(position["plies"]), position["fen"]


@dataclass(frozen=True, slots=True)
class Example:
    """A position from the rules' texts and all its plies, or all its captures and claims.

    ``changes`` are rules that differ from the variant's, as ``section.key``.
    """

    variant: str
    fen: str
    plies: str
    mode: str = "forbidden"
    only_captures: bool = False
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def rules(self) -> Rules:
        return changed(rules_of(self.variant, self.mode), dict(self.changes))


def changed(rules: Rules, changes: dict[str, Any]) -> Rules:
    """The rules with some keys changed, each written ``section.key``."""
    for key, value in changes.items():
        section, name = key.split(".")
        rules = replace(rules, **{section: replace(getattr(rules, section), **{name: value})})
    return rules


EXAMPLES = (
    # the four games
    Example("dam-daman", "W:WKa3:BKa4", "", "rule"),
    Example("dam-daman", "W:WKa3:BKa4:P*3", "", "rule"),
    Example("dam-haji", "W:W5:B1", "", "rule"),
    Example("dam-haji", "W:W5:B1,K32:P1,32", "x1 x32", "rule"),
    Example("dam-haji", "B:WK32:B1:P32", "1-5 1-6 x32", "rule"),
    Example("dam-daman", "W:WKa1:BKc1,Kb2,Kc3,Ke1:P*3", "xc1xe1xb2 xc1xe1xc3 xc1xb2xc3 xe1xb2xc3", "rule"),
    Example(
        "dam-daman",
        "W:Wa1,c1,e1,c7:Ba5,a6,e5,e6,b8,d8,c9",
        "c7xa9 c7xa9xe9 c7xa9xe9xc7 c7xe9 c7xe9xa9",
        "rule",
        only_captures=True,
    ),
    Example("dam-haji", "W:WK10:B7,17", "10x3x21 10x21x3"),
    Example("dam-haji", "W:WK10:B7,17", "10x3 10x21", changes=(("capture.removal", "end-of-move"),)),
    Example("dam", "W:W10:B7,8,24", "10x3"),
    Example("dam", "W:WK29:B22", "29x4 29x8 29x11 29x15 29x18"),
    Example("dam", "W:WK29:B22", "29x18", changes=(("king.landing", "behind"),)),
    Example("dam", "W:WK29:B22", "29-25", changes=(("king.capture", "adjacent"),)),
    Example("dam-daman", "W:WKc5:BKd2,Kb5", "c5xa5xe1"),
    # where to land is free in the games of the texts, and what goes on from there must; not so in the others
    Example("dam-haji", "W:WK32:B23,11", "32x18x8 32x18x4 32x14 32x9 32x5"),
    Example("dam-haji", "W:WK29:B22,14", "29x18x9 29x18x5 29x15 29x11 29x8 29x4"),
    Example("russian", "W:WK29:B22,14", "29x18x9 29x18x5"),
    # the family
    Example("pool", "W:WK17:B19,K22", "17x26x12 17x26x16"),
    Example("czech", "W:WK17:B19,K22", "17x26x12 17x26x16"),
    Example("frisian", "W:WK13:BK9,K10,17,22,41", "13x4x15"),
    Example("frisian", "W:WK34:BK18,K19,K29,36,41", "34x23x46x6 34x23x46x16 34x23x46x26"),
    Example("italian", "W:WK30:B10,K12,K19,20,K27", "30x23x14x5"),
    # a king goes on from anywhere behind a king, but halts right behind it, also where it may stop
    Example("killer", "W:WK46:BK37", "46x32"),
    Example("killer", "W:WK46:BK37,22", "46x28x17 46x28x11 46x28x6"),
    Example(
        "killer",
        "W:WK46:BK37,22",
        "46x32 46x28x17 46x28x11 46x28x6",
        changes=(("capture.going_on", "right"), ("capture.landing_goes_on", False), ("capture.choice", ())),
    ),
    # by-king decides between all captures where each may be stopped
    Example(
        "czech",
        "W:W21,K32:B17,10,27",
        "32x23 32x18 32x14 32x14x7 32x14x3 32x9 32x5",
        changes=(("capture.going_on", "right"), ("capture.landing_goes_on", False)),
    ),
    Example("turkish", "W:Wb6:Bg8,Kb7", "b6xb8"),
    Example("turkish", "W:Wg6:BKf8,g7", "g6xg8xe8"),
    Example("pool", "W:W11:B6,7", "11x2x9"),
    Example("english", "W:W11:B6,7", "11x2"),
    Example("czech", "W:W11:B6,7", "11x2"),
    Example("russian", "W:W11:B6,7", "11x2x9 11x2x13"),
    Example("international", "W:WK6:B5,17,31,34,43", "6x39x48x26"),
    Example("international", "W:WK16:B1,11,12,21,33", "16x7x29x38x16"),
)


def require_example(witness: Witness, example: Example) -> None:
    """Fails unless the witness lists the example's plies, written with their whole paths."""
    rules = example.rules
    listed = [ply for ply, _ in witness(rules, read_fen(example.fen, rules))]
    if example.only_captures:
        listed = [ply for ply in listed if ply.kind is not PlyKind.QUIET]
    assert sorted(name_path(ply, rules.geometry) for ply in listed) == sorted(example.plies.split()), example


#: What the options of the cases mean as rules.
OPTIONS: dict[str, dict[str, Any]] = {
    "promo=stop": {"promotion.in_capture": "stop"},
    "promo=continue-as-haji": {"promotion.in_capture": "as-king"},
    "pick=free": {"capture.choice": ()},
    "pick=max": {"capture.choice": ("pieces",)},
    "removal=after": {"capture.removal": "end-of-move"},
    "removal=immediate": {"capture.removal": "at-once"},
    "landing=behind": {"king.landing": "behind"},
    "landing=any": {"king.landing": "any"},
}

#: The cases about legal plies.
CASES = tuple(
    case
    for case in load_lines("cases.jsonl")
    if case["id"].startswith("R") and any(key == "legal" or key.startswith("option ") for key in case["expected"])
)


def require_case(witness: Witness, case: dict[str, Any]) -> None:
    """Fails unless the witness gives a case's right outcome, under each of the options it names."""
    rules = rules_of(case["variant"], "forbidden")
    fen, expected = case["input"]["fen"], case["expected"]
    if "legal" in expected:
        plies = witness(rules, read_fen(fen, rules))
        assert len(plies) == expected["n_legal"], case["id"]
        require_listed(rules, plies, expected["legal"])
    for option, texts in expected.items():
        if option.startswith("option "):
            other = changed(rules, OPTIONS[option.removeprefix("option ")])
            require_listed(other, witness(other, read_fen(fen, other)), texts)


def require_listed(rules: Rules, plies: list[tuple[Ply, Setup]], legal: list[Any]) -> None:
    board = rules.geometry
    if isinstance(legal[0], str):
        found = {(board.names[ply.origin], board.names[ply.end]) for ply, _ in plies}
        texts = [text.replace("-", "x").split("x") for text in legal]
        assert found == {(names[0], names[-1]) for names in texts}
        assert len(plies) == len(legal)
    else:
        found_after = {(ply.captured, bare(after)) for ply, after in plies}
        assert found_after == {
            (tuple(sorted(board.index(name) for name in row["captured"])), bare(read_fen(row["fen_after"], rules)))
            for row in legal
        }
