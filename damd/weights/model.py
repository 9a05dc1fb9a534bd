"""The numbers of an evaluation, and the windows of a board that patterns of men are read from."""

from __future__ import annotations

from dataclasses import dataclass

from damd.geometry import Board

#: Weights are whole numbers of this part of a centipawn.
UNIT = 16

#: What is counted, White's minus Black's; the core counts in this order.
TERMS = (
    "man",  # men
    "king",  # kings
    "few",  # kings of a side that was crowned for having so few pieces left
    "crown",  # having a king at all
    "step",  # steps that men can make
    "blocked",  # men that can make no step
    "passed",  # men with no piece of the opponent on any way ahead
    "reach",  # points that kings can move to
    "trapped",  # kings that can move nowhere
    "turn",  # being to move
    "opposition",  # being to move with an odd number of pieces on every other row, counted from the own side
    "claim",  # pieces that may be taken off by a claim
)

#: A side's kings beyond so many are not told apart in the table of materials.
KINGS_COUNTED = 4

#: Numbers of the first and of the second layer of a network, as the core has them.
FIRST_LAYER, SECOND_LAYER = 64, 16

#: Numbers in a network's rows are in 256ths; between the layers in 4096ths.
ROW_UNIT, LAYER_UNIT = 256, 4096

#: The largest weight that a file holds, to both sides alike: 16 bits.
LARGEST_WEIGHT = (1 << 15) - 1

#: A larger doubt would spare nothing.
MOST_DOUBT = 1000

#: Points of the largest pattern: its table has 3 ** 10 entries.
LARGEST_PATTERN = 10


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of one game. Pairs hold for the full board and for the empty one; between them lies a straight line.

    ``terms`` go by ``TERMS``. ``king_points``: what a White king's place adds, by point; Black's are turned by half a
    turn. ``patterns`` are lists of points, ``tables`` 16-bit little-endian pairs for every filling of every pattern,
    one pattern after the other: the filling's index is the sum of ``3 ** i`` for a White man on the pattern's point
    ``i`` and twice that for a Black one. All are in 1 / ``UNIT`` centipawn and from White's side.

    ``materials`` are 16-bit little-endian numbers, what White has more from the pieces alone than their terms say, by
    White's men and kings and Black's, the last counting fastest: 0 to ``men`` men, 0 to ``kings`` kings, more count as
    so many. They hold as they are: the number of pieces is in them.

    ``network`` is empty, or 16-bit little-endian numbers of a network that sees the board as the side to move does, turned
    round for Black, and says what the position is worth to it beyond all that. For the own men, the own kings, the other's
    men and the other's kings, point by point, a row of ``FIRST_LAYER`` numbers; then the first layer's biases, all in
    1 / ``ROW_UNIT``; for each number of the second layer a row of weights, in 1 / ``LAYER_UNIT``; then its biases, in
    1 / ``ROW_UNIT``; what each of its numbers adds where it is 1, and what is added at last, in 1 / ``UNIT`` centipawn. The
    layers' numbers are cut to 0 to 1. Such weights are fastest with no patterns, no kings' places and no terms but those of
    men, kings and claims.

    ``trained`` weights come near enough to what a search would find for the search to prune by them; those worked out from
    the rules do not.

    ``alone`` is what a man more is worth where there are no kings and nothing else is looked at, ``doubt`` how far, in
    centipawns, a value hardly ever is from that; 0: not known, and nothing is looked at alone.

    ``scale`` (centipawns) and ``draw`` tell chances from a score ``s``: White wins with the logistic of
    ``s / scale - draw``, Black with that of ``-s / scale - draw``.
    """

    terms: tuple[tuple[int, int], ...]
    king_points: tuple[tuple[int, int], ...]
    patterns: tuple[tuple[int, ...], ...]
    tables: bytes
    scale: float
    draw: float
    men: int = 0
    kings: int = 0
    materials: bytes = bytes(2)
    trained: bool = False
    alone: tuple[int, int] = (0, 0)
    doubt: int = 0
    network: bytes = b""


def material_count(men: int, kings: int) -> int:
    """Numbers in a table of materials."""
    return ((men + 1) * (kings + 1)) ** 2


def network_count(points: int) -> int:
    """Numbers in a network for a board of so many points."""
    return 4 * points * FIRST_LAYER + FIRST_LAYER + SECOND_LAYER * FIRST_LAYER + 2 * SECOND_LAYER + 1


def mirror(board: Board) -> tuple[int, ...]:
    """For each point the one that half a turn of the board puts in its place."""
    right = max(x for x, _ in board.xy) + min(x for x, _ in board.xy)
    top = max(y for _, y in board.xy)
    at = {place: point for point, place in enumerate(board.xy)}
    return tuple(at[right - x, top - y] for x, y in board.xy)


def windows(board: Board) -> tuple[tuple[int, ...], ...]:
    """The windows that trained patterns are read from: 8 or 9 neighbouring points each, overlapping.

    Where every second place of the grid is a point they are 4 places wide and high, else 3. They map to each other
    under half a turn of the board.
    """
    at = {place: point for point, place in enumerate(board.xy)}
    dense = any((x + 1, y) in at for x, y in board.xy)
    size, stride = (3, 1) if dense else (4, 2)
    found: list[tuple[int, ...]] = []
    for bottom in range(max(y for _, y in board.xy) + 2 - size):
        for left in range(0, max(x for x, _ in board.xy) + 2 - size, stride):
            places = [(left + i, bottom + j) for j in range(size) for i in range(size)]
            found.append(tuple(at[place] for place in places if place in at))
    return tuple(found)
