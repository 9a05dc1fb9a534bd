"""The openings that a game has by itself: every line of so many plies from its start position, each position once."""

from __future__ import annotations

from collections.abc import Iterator

from damd.core.position import Position
from damd.core.types import PlyKind
from damd.match.model import Opening
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply
from damd.rules import Rules


class TooManyLines(Exception):
    """There are more lines than were to be looked at."""


def first_plies(rules: Rules, plies: int, most: int | None = None) -> Iterator[Opening]:
    """The openings of so many plies behind which the game goes on, in the generator's order.

    Nobody misses a capture in them, so that they are legal whatever a missed capture costs. Raises ``TooManyLines``
    where more than ``most`` lines lead there, and ``TooManyPlies``.
    """
    position = Position(rules.without_penalty())
    seen: set[str] = set()
    for number, played in enumerate(_lines(position, plies), 1):
        if most is not None and number > most:
            raise TooManyLines
        place = format_fen(position.setup(), position.rules)
        if place not in seen and position.outcome() is None:
            seen.add(place)
            yield Opening("", played, captures=any(ply.kind is PlyKind.CAPTURE for ply in position.plies()))


def _lines(position: Position, plies: int) -> Iterator[tuple[str, ...]]:
    """Every line of so many plies; ``position`` stands behind it meanwhile."""
    if not plies:
        yield ()
    elif position.outcome() is None:
        for ply in position.plies():
            text = format_ply(ply, position.board)
            with position.after(ply):
                for rest in _lines(position, plies - 1):
                    yield (text, *rest)
