"""Rules turned into the plain numbers and lists that the core's ``Board`` is built from."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from damd.geometry import BLACK, WHITE
from damd.rules import CRITERIA, MANY, DrawRule, Force, Rules, Span
from damd.variants.points import parse_points
from damd.weights.model import Weights, mirror

#: Bounds of one generation outside the search: past them a position is refused, never cut silently.
MAX_PLIES = 1 << 16
MAX_STATES = 1 << 18

#: The same for the interpreted core, which takes some hundred times as long a ply.
INTERPRETED_MAX_PLIES = 1 << 12
INTERPRETED_MAX_STATES = 1 << 12

_IN_CAPTURE = ("stop", "as-man", "as-king")
_ROADS = ("nobody", "one", "other")
_RENEWALS = ("nothing", "balance", "progress")


def board_spec(rules: Rules, interpreted: bool = False) -> dict[str, Any]:
    """What ``Board(spec)`` reads; every number in bits, directions and points of the board's geometry."""
    board = rules.geometry
    bits = board.bits
    king = rules.king

    def ways(words: Iterable[str]) -> list[list[int]]:
        allowed = frozenset(words)
        return [
            [number for number, direction in enumerate(board.directions) if direction.word(side) in allowed]
            for side in (WHITE, BLACK)
        ]

    men_moves = ways(rules.men.moves)
    few = [(_total(draw).most, min(_most(draw.one), _most(draw.other))) for draw in rules.end.draws]
    return {
        "bits": list(bits),
        "ranks": [y for _, y in board.xy],
        "shifts": [direction.shift for direction in board.directions],
        "opposites": [direction.opposite for direction in board.directions],
        "sources": [[bits[p] for p, q in enumerate(direction.next) if q >= 0] for direction in board.directions],
        "promotion": [sorted(bits[p] for p in zone) for zone in board.zones[rules.promotion.zone]],
        "men_moves": men_moves,
        "men_moves_ahead": [
            [board.directions[d].dy * (1 - 2 * side) > 0 for d in row] for side, row in enumerate(men_moves)
        ],
        "men_captures": ways(rules.men.captures),
        "king_moves": ways(king.moves),
        "king_captures": ways(king.captures),
        "men_take_kings": rules.men.take_kings,
        "flying": king.flying,
        "far": king.flying and king.capture == "far",
        "slide_landing": king.flying and king.landing != "behind",
        "halt_behind_king": king.landing == "behind-king",
        "about_turn": king.about_turn,
        "compulsory": rules.capture.compulsory,
        "duty": rules.capture.going_on == "duty",
        "landing_goes_on": rules.capture.landing_goes_on,
        "at_once": rules.capture.removal == "at-once",
        "in_capture": _IN_CAPTURE.index(rules.promotion.in_capture),
        "few": rules.promotion.few_pieces,
        "take": rules.penalty.take,
        "any_piece": rules.penalty.liable == "any-piece",
        "quiet_limit": king.quiet_limit,
        "first_king": rules.end.first_king,
        "one_each": rules.end.one_each != "never",
        "one_each_waits": rules.end.one_each == "unless-capture",
        "no_moves_wins": rules.end.no_moves == "win",
        "repetition": rules.end.repetition,
        "move_limit": rules.end.move_limit,
        "main_road": sorted(bits[p] for p in board.main_road),
        "draws": [_draw_row(draw) for draw in rules.end.draws],
        "draw_most": max((most for most, _ in few if most < MANY), default=0),
        "draw_weak": max((weak for most, weak in few if most >= MANY), default=0),
        "criteria": [CRITERIA.index(word) for word in rules.capture.choice],
        "max_plies": INTERPRETED_MAX_PLIES if interpreted else MAX_PLIES,
        "max_states": INTERPRETED_MAX_STATES if interpreted else MAX_STATES,
    }


def _draw_row(draw: DrawRule) -> list[int]:
    """The numbers of one draw rule in the order of the ``D_`` constants of ``damd.core.codes``."""
    spans = [_total(draw)]
    for force in (draw.one, draw.other):
        spans += [force.pieces, force.men, force.kings]
    return [
        2 * draw.limit,
        _ROADS.index(draw.main_road),
        _RENEWALS.index(draw.renewed_by),
        int(draw.unless_capture),
        int(draw.replaces_move_limit),
        *(end for span in spans for end in (span.least, span.most)),
    ]


def _total(draw: DrawRule) -> Span:
    """With fewer or more pieces on the board than that the rule surely does not hold."""
    forces = (draw.one, draw.other)
    least = sum(max(force.pieces.least, force.men.least + force.kings.least) for force in forces)
    most = sum(_most(force) for force in forces)
    return Span(max(draw.pieces.least, least), min(draw.pieces.most, most))


def _most(force: Force) -> int:
    return min(force.pieces.most, force.men.most + force.kings.most)


def full_board(rules: Rules) -> int:
    """How many pieces a game begins with."""
    return sum(len(parse_points(text, rules.geometry)) for text in (rules.start.white, rules.start.black))


def evaluation_spec(rules: Rules, weights: Weights) -> dict[str, Any]:
    """What ``Evaluation(spec)`` reads: the weights, with points turned to bits and tables in the machine's byte order."""
    board = rules.geometry
    turned = mirror(board)
    return {
        "pieces": full_board(rules),
        "terms": weights.terms,
        "king_points": [
            [(bit, weights.king_points[point]) for point, bit in enumerate(board.bits)],
            [(bit, weights.king_points[turned[point]]) for point, bit in enumerate(board.bits)],
        ],
        "patterns": [[board.bits[point] for point in pattern] for pattern in weights.patterns],
        "tables": _own_order(weights.tables),
        "trained": weights.trained,
        "alone": weights.alone,
        "doubt": weights.doubt,
        # For each side's view each point's bit.
        "network": weights.network
        and (_own_order(weights.network), (list(board.bits), [board.bits[point] for point in turned])),
        "materials": (weights.men, weights.kings, _own_order(weights.materials)),
        # Every other row, seen from White's side and from Black's.
        "odd_rows": [
            [board.bits[point] for point, (_, y) in enumerate(board.xy) if y % 2],
            [board.bits[turned[point]] for point, (_, y) in enumerate(board.xy) if y % 2],
        ],
    }


def _own_order(numbers: bytes) -> bytes:
    """16-bit little-endian numbers in the machine's byte order."""
    if sys.byteorder == "little":
        return numbers
    swapped = bytearray(numbers)
    swapped[0::2], swapped[1::2] = numbers[1::2], numbers[0::2]
    return bytes(swapped)
