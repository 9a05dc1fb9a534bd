"""The draw rules of the family, written down from the rules themselves and not from the variant files.

Each game is a few lines of plain counting over the positions of a game: a third witness beside the core and the
reference, which both read the rows of the variant files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from damd.core.types import Setup
from damd.geometry import Board


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an ending; ``on_road``: one of its kings stands on the main road."""

    men: int
    kings: int
    on_road: bool

    @property
    def pieces(self) -> int:
        return self.men + self.kings

    @property
    def lone_king(self) -> bool:
        return (self.men, self.kings) == (0, 1)


@dataclass(frozen=True, slots=True)
class Ending:
    """``limit`` moves of each side; ``there`` looks at a stronger or weaker side, in either order."""

    name: str
    limit: int
    there: Callable[[Side, Side], bool]
    new_balance_renews: bool = False


def three_against_one(one: Side, other: Side) -> bool:
    return one.pieces == 3 and one.kings > 0 and other.lone_king


def few_against_one(one: Side, other: Side) -> bool:
    return one.pieces in (1, 2) and one.kings > 0 and other.lone_king


def three_or_what_is_left_of_them(one: Side, other: Side) -> bool:
    return three_against_one(one, other) or few_against_one(one, other)


def lone_king_on_the_road(one: Side, other: Side) -> bool:
    return three_against_one(one, other) and other.on_road


def three_kings_on_the_road(one: Side, other: Side) -> bool:
    return kings_only(3, 1)(one, other) and one.on_road


def kings_only(ours: int, theirs: int) -> Callable[[Side, Side], bool]:
    return lambda one, other: (one.men, one.kings, other.men, other.kings) == (0, ours, 0, theirs)


def both_have_kings(*totals: int) -> Callable[[Side, Side], bool]:
    return lambda one, other: one.kings > 0 and other.kings > 0 and one.pieces + other.pieces in totals


def brazilian_few(one: Side, other: Side) -> bool:
    forces = {(side.men, side.kings) for side in (one, other)}
    return forces in (
        {(0, 2)},  # two kings against two kings
        {(0, 2), (0, 1)},
        {(0, 2), (1, 1)},
        {(0, 1)},
        {(0, 1), (1, 1)},
    )


INTERNATIONAL = (Ending("sixteen-moves", 16, three_or_what_is_left_of_them), Ending("five-moves", 5, few_against_one))
FRISIAN = (Ending("two-kings", 7, kings_only(2, 1)), Ending("one-king", 2, kings_only(1, 1)))
SPANISH = (
    Ending("twenty-moves", 20, lambda _one, _other: True, new_balance_renews=True),
    Ending("three-kings", 12, three_kings_on_the_road),
)
RUSSIAN = (
    Ending("many-kings", 15, lambda one, other: one.kings > 2 and not one.men and other.lone_king),
    Ending("main-road", 5, lone_king_on_the_road),
    Ending("few-pieces", 5, few_against_one),
    Ending("balance-of-five", 30, both_have_kings(4, 5), new_balance_renews=True),
    Ending("balance-of-seven", 60, both_have_kings(6, 7), new_balance_renews=True),
)

#: The games with draw rules of their own; all others have none.
ENDINGS = {
    "international": INTERNATIONAL,
    "killer": INTERNATIONAL,
    "canadian": INTERNATIONAL,
    "russian": RUSSIAN,
    "brazilian": (
        Ending("few-pieces", 5, brazilian_few, new_balance_renews=True),
        Ending("main-road", 5, lone_king_on_the_road),
    ),
    "portuguese": SPANISH,
    "spanish": SPANISH,
    "pool": (Ending("three-kings", 13, kings_only(3, 1)),),
    "frisian": FRISIAN,
    "frysk": FRISIAN,
}

#: Moves of each side without capture or forward step of a man; 0 where another rule stands in their place.
MOVE_LIMITS = {"russian": 15, "brazilian": 20, "english": 40, "italian": 40, "czech": 15, "spanish": 0, "portuguese": 0}
DEFAULT_MOVE_LIMIT = 25

#: Endings in which the move limit does not count.
WITHOUT_MOVE_LIMIT = ("balance-of-five", "balance-of-seven")


def side_of(setup: Setup, side: int, board: Board) -> Side:
    ends = {(0, 0), (board.columns - 1, board.rows - 1), (0, board.rows - 1), (board.columns - 1, 0)}
    corners = [board.xy[point] for point in range(board.size) if board.xy[point] in ends]
    rising = (0, 0) in corners  # the one that is played on: from the left corner or from the right one
    road = {point for point, (x, y) in enumerate(board.xy) if (x == y if rising else x + y == board.rows - 1)}
    return Side(len(setup.men[side]), len(setup.kings[side]), bool(setup.kings[side] & road))


def running(variant: str, history: Sequence[Setup], board: Board) -> dict[str, int]:
    """How many plies the endings that are on the board at the end of the game have lasted; no claims in these games."""
    counts: dict[str, int] = {}
    before: tuple[Side, Side] | None = None
    for number, setup in enumerate(history):
        white, black = side_of(setup, 0, board), side_of(setup, 1, board)
        balance = [(side.men, side.kings) for side in (white, black)]
        renewed = before is not None and balance != [(side.men, side.kings) for side in before]
        before = white, black
        for ending in ENDINGS.get(variant, ()):
            if not ending.there(white, black) and not ending.there(black, white):
                counts.pop(ending.name, None)
            elif ending.name not in counts:
                on_road = ending.there in (lone_king_on_the_road, three_kings_on_the_road)
                counts[ending.name] = setup.halfmoves if not number and not on_road else 0
            elif renewed and ending.new_balance_renews:
                counts[ending.name] = 0
            else:
                counts[ending.name] += 1
    return counts


def drawn_by(variant: str, history: Sequence[Setup], board: Board) -> set[str]:
    """The counts that have run out at the end of the game, ``move-limit`` among them."""
    counts = running(variant, history, board)
    limits = {ending.name: 2 * ending.limit for ending in ENDINGS.get(variant, ())}
    out = {name for name, count in counts.items() if count >= limits[name]}
    limit = MOVE_LIMITS.get(variant, DEFAULT_MOVE_LIMIT)
    if limit and history[-1].halfmoves >= 2 * limit and not set(counts) & set(WITHOUT_MOVE_LIMIT):
        out.add("move-limit")
    return out
