"""Between captures: what each criterion of ``capture.choice`` counts, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damd.notation.causes import both

#: What captures are equal in, after "of captures equal in".
_EQUAL = {
    "pieces": "pieces",
    "value": "value",
    "by-king": "kind of capturer",
    "kings": "kings",
    "earliest-king": "the order of kings",
}
#: What each criterion demands.
_DEMANDS = {
    "pieces": "the largest number of pieces must be captured",
    "value": "the captures of highest value must be made, a king counting a little less than two men",
    "by-king": "a king must capture where one can",
    "kings": "the largest number of kings must be captured",
    "earliest-king": "a king must be captured as early as possible",
}


@dataclass(frozen=True, slots=True)
class Weighed:
    """A capture as the criteria see it: which of the pieces it takes are kings, in order, and whether a king takes them."""

    kings: tuple[bool, ...]
    by_king: bool

    def weight(self, criterion: str) -> tuple[int, ...]:
        """To be compared with other captures' weights by the same criterion: more goes before less."""
        kings = sum(self.kings)
        men = len(self.kings) - kings
        if criterion == "pieces":
            return (men + kings,)
        if criterion == "value":
            return men + 2 * kings, -kings
        if criterion == "by-king":
            return (int(self.by_king),)
        if criterion == "kings":
            return (kings,)
        if criterion == "earliest-king":
            last = max((number for number, king in enumerate(self.kings, 1) if king), default=0)
            return tuple(int(king) for king in self.kings[:last])
        raise ValueError(f"no criterion of choice: {criterion}")

    def told(self, criterion: str) -> str:
        """What the capture has to show for that criterion, after its path."""
        kings = sum(self.kings)
        men = len(self.kings) - kings
        if criterion == "pieces":
            return f"takes {men + kings}"
        if criterion == "value":
            return f"takes {haul(men, kings)}"
        if criterion == "by-king":
            return f"is made by a {'king' if self.by_king else 'man'}"
        if criterion == "kings":
            return f"takes {_counted(kings, 'king')}"
        return f"takes {', then '.join('a king' if king else 'a man' for king in self.kings)}"


def demand(criteria: Sequence[str], number: int) -> str:
    """What criterion ``number`` of those demands, of captures that are equal by the ones before it."""
    what = _DEMANDS[criteria[number]]
    if not number:
        return what
    return f"of captures equal in {both([_EQUAL[criterion] for criterion in criteria[:number]])}, {what}"


def haul(men: int, kings: int) -> str:
    """``2 men and 1 king``."""
    return " and ".join([_counted(men, "man")] * bool(men) + [_counted(kings, "king")] * bool(kings)) or "nothing"


def _counted(number: int, word: str) -> str:
    if number == 1:
        return f"1 {word}"
    return f"{number or 'no'} {'men' if word == 'man' else 'kings'}"
