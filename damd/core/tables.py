"""Rules turned into the plain numbers and lists that the core's ``Board`` is built from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from damd.geometry import BLACK, WHITE
from damd.rules import CRITERIA, Rules

#: Bounds of one generation outside the search: past them a position is refused, never cut silently.
MAX_PLIES = 1 << 16
MAX_STATES = 1 << 18

#: The same for the interpreted core, which takes some hundred times as long a ply.
INTERPRETED_MAX_PLIES = 1 << 12
INTERPRETED_MAX_STATES = 1 << 12

_IN_CAPTURE = ("stop", "as-man", "as-king")


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
        "one_each": rules.end.one_each,
        "no_moves_wins": rules.end.no_moves == "win",
        "repetition": rules.end.repetition,
        "move_limit": rules.end.move_limit,
        "criteria": [CRITERIA.index(word) for word in rules.capture.choice],
        "max_plies": INTERPRETED_MAX_PLIES if interpreted else MAX_PLIES,
        "max_states": INTERPRETED_MAX_STATES if interpreted else MAX_STATES,
    }


def evaluation_spec(rules: Rules) -> dict[str, Any]:
    """What ``Evaluation(spec)`` reads: centipawn weights worked out from the rules and the board."""
    board = rules.geometry
    rows = max(y for _, y in board.xy) + 1
    few = rules.promotion.few_pieces
    home = board.zones[rules.promotion.zone]
    return {
        "man": 100,
        "king": 300 if rules.king.flying else 150,
        "few": few,
        "few_value": 130,  # crowned by rule: counting full kings would reward losing the fourth piece
        "claim": 80,  # less than a man: the claimant still has to choose well
        "guard": 8,
        "sign": -1 if rules.end.no_moves == "win" else 1,
        "rows": [[board.bits[p] for p, (_, y) in enumerate(board.xy) if y == row] for row in range(rows)],
        "advance": [3 * row for row in range(rows)],
        # The row a side guards is the one where its opponent promotes.
        "home": [sorted(board.bits[p] for p in home[BLACK]), sorted(board.bits[p] for p in home[WHITE])],
    }
