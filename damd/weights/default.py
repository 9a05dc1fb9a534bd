"""Weights worked out from the rules and the board alone, for games that nobody has trained weights for."""

from __future__ import annotations

import struct

from damd.geometry import BLACK, WHITE, Board
from damd.rules import Rules
from damd.weights.model import LARGEST_PATTERN, TERMS, UNIT, Weights, mirror

MAN = 100
FLYING_KING = 300
SHORT_KING = 150
CROWNED_FOR_FEW = 130  # crowned by rule: counting full kings would reward losing the piece before
ADVANCE = 3  # a row
GUARD = 8  # a man on the row where the opponent promotes
CENTRE = 2  # a line more than the board's poorest point has
SCALE = 110.0
DRAW = 0.6

#: Where having no move wins: to have few men and yet many steps, since who runs out of quiet moves is made to give way
#: or to capture. A king chooses freely what it leaves to be taken. What a man's place is worth nothing has shown.
GIVEAWAY = {"man": -100, "king": 100, "step": 6}


def worked_out(rules: Rules) -> Weights:
    """Weights of the full and the empty board."""
    board = rules.geometry
    patterns = _rows(board)
    if rules.end.no_moves == "win":
        # Not those of the other games with all signs turned round: of 60 games of 1,000 nodes a ply these won 52.
        terms = {name: (GIVEAWAY.get(name, 0), GIVEAWAY.get(name, 0)) for name in TERMS}
        lines = values = [0] * board.size
    else:
        terms = _terms(rules)
        lines = _lines_through(board)
        values = _man_values(rules, lines)
    return Weights(
        terms=tuple((UNIT * terms[name][0], UNIT * terms[name][1]) for name in TERMS),
        king_points=tuple((UNIT * CENTRE * n, UNIT * CENTRE * n) for n in lines),
        patterns=patterns,
        tables=_tables(board, patterns, [UNIT * value for value in values]),
        scale=SCALE,
        draw=DRAW,
    )


def _terms(rules: Rules) -> dict[str, tuple[int, int]]:
    king = FLYING_KING if rules.king.flying else SHORT_KING
    return {
        "man": (MAN, MAN),
        "king": (king, king),
        "few": (CROWNED_FOR_FEW - king, CROWNED_FOR_FEW - king),
        "crown": (30, 30),
        "step": (1, 1),
        "blocked": (-2, -2),
        "passed": (5, 30),
        "reach": (1, 1) if rules.king.flying else (3, 3),
        "trapped": (-40, -40),
        "turn": (3, 3),
        "opposition": (0, 0),
        "claim": (80, 80),  # less than a man: the claimant still has to choose well
    }


def _lines_through(board: Board) -> list[int]:
    """How many points each point sees along the board's lines, over the poorest, in quarters."""
    seen = [0] * board.size
    for line in board.lines:
        for point in line:
            seen[point] += len(line) - 1
    poorest = min(seen)
    return [(n - poorest) // 4 for n in seen]


def _man_values(rules: Rules, lines: list[int]) -> list[int]:
    """Centipawns of a White man's place beside those of a man anywhere."""
    board = rules.geometry
    home = board.zones[rules.promotion.zone][BLACK]
    return [
        ADVANCE * y + (GUARD if point in home else 0) + CENTRE * lines[point] // 2 for point, (_, y) in enumerate(board.xy)
    ]


def _rows(board: Board) -> tuple[tuple[int, ...], ...]:
    """The board's rows, in halves where they are long: each point is in one pattern."""
    rows = []
    for y in range(max(y for _, y in board.xy) + 1):
        row = tuple(point for point, place in enumerate(board.xy) if place[1] == y)
        step = len(row) if len(row) <= LARGEST_PATTERN - 3 else (len(row) + 1) // 2
        rows += [row[i : i + step] for i in range(0, len(row), step)]
    return tuple(rows)


def _tables(board: Board, patterns: tuple[tuple[int, ...], ...], values: list[int]) -> bytes:
    """Each filling's value: the sum over its men, Black's on turned points with the other sign."""
    turned = mirror(board)
    worth = {WHITE: values, BLACK: [-values[turned[point]] for point in range(board.size)]}
    entries: list[int] = []
    for pattern in patterns:
        table = [0]
        for point in pattern:
            table = [entry + man for man in (0, worth[WHITE][point], worth[BLACK][point]) for entry in table]
        entries += table
    return b"".join(struct.pack("<hh", entry, entry) for entry in entries)
