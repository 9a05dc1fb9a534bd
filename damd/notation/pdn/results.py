"""Results: what ``2-0``, ``1/2-1/2`` or ``4-6`` says about who has won, and how a verdict is written.

PDN says which side the first number is for by example only. Games in which White begins agree: it is White's. Where
Black begins the field's files have it the other way round, the first number being the first player's. So the first
number is read and written as that of the side that begins by the rules, which is White where that is agreed on
before each game; a caller may say otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from damd.geometry import BLACK, WHITE
from damd.notation.pdn.model import Verdict
from damd.rules import Rules

#: Whose the first number is: of who begins by the rules, or of one colour whatever the rules say.
FIRST_SCORES = ("rules", "white", "black")

#: The GameTypes whose win is two points (PDN 3.0, result kind "International").
_TWO_POINTS = frozenset({20, 27})

#: Every text that ends a game wherever it stands; no ply is written so.
ENDINGS = ("1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "0-0", "*")

_PLAIN = {
    "1-0": "first",
    "2-0": "first",
    "0-1": "second",
    "0-2": "second",
    "1/2-1/2": "draw",
    "1-1": "draw",
    "0-0": "none",
    "*": "unknown",
    "-": "unknown",
    "?": "unknown",
    "": "unknown",
}
_NUMBERS = re.compile(r"(\d+(?:[.,]\d+)?)\s*([+-]?)\s*-\s*(\d+(?:[.,]\d+)?)\s*([+-]?)")


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict, and the text where that says more or something else."""

    verdict: Verdict
    score: str = ""


def first_side(rules: Rules, first_score: str = "rules") -> int:
    """Whose the first number of a result is. Raises ``ValueError`` for a word that is none of ``FIRST_SCORES``."""
    if first_score not in FIRST_SCORES:
        raise ValueError(f"the first number of a result is by {', '.join(FIRST_SCORES)}, not {first_score}")
    if first_score == "rules":
        return BLACK if rules.start.first == "black" and not rules.start.by_agreement else WHITE
    return WHITE if first_score == "white" else BLACK


def read_result(text: str, first: int) -> Result:
    """What a result's text says, ``first`` being whose its first number is."""
    plain = text.strip().replace("½", "1/2").replace("–", "-").replace("−", "-")
    tight = re.sub(r"\s+", "", plain)
    kind = _PLAIN.get(tight)
    if kind is not None:
        return Result(_verdict(kind, first))
    numbers = _NUMBERS.fullmatch(plain)
    if numbers is None:
        return Result(Verdict.UNKNOWN, text.strip())
    ours, theirs = (float(numbers[group].replace(",", ".")) for group in (1, 3))
    if ours == theirs:
        kind = "draw"
    elif not ours or not theirs:
        kind = "first" if ours else "second"
    else:
        # Points for a draw with an advantage (4-6) and for a loss with some merit (1-9) look alike.
        kind = "unknown"
    return Result(_verdict(kind, first), text.strip())


def write_result(verdict: Verdict, score: str, gametype: int | None, first: int) -> str:
    """The text of the Result tag: the score, unless it says something else than the verdict."""
    if score and read_result(score, first).verdict is verdict:
        return score
    win, draw = ("2", "1-1") if gametype in _TWO_POINTS else ("1", "1/2-1/2")
    if verdict is Verdict.DRAW:
        return draw
    if verdict is Verdict.BOTH_LOSE:
        return "0-0"
    if verdict.winner is None:
        return "*"
    return f"{win}-0" if verdict.winner == first else f"0-{win}"


def _verdict(kind: str, first: int) -> Verdict:
    if kind in ("first", "second"):
        white = (kind == "first") == (first == WHITE)
        return Verdict.WHITE if white else Verdict.BLACK
    return {"draw": Verdict.DRAW, "none": Verdict.BOTH_LOSE, "unknown": Verdict.UNKNOWN}[kind]
