"""Lists of points as variant files write them: ``1-12``, ``26,27,29-50``, ``a1-e4``."""

from __future__ import annotations

from damd.geometry import Board


def parse_points(text: str, board: Board) -> frozenset[int]:
    """The points of a comma separated list of points and ranges; a range runs in board order.

    Raises ``ValueError`` for a point that the board has not, a range that runs backwards or a point named twice.
    """
    points: set[int] = set()
    for item in filter(None, (part.strip() for part in text.split(","))):
        ends = [_point(name.strip(), board) for name in item.split("-", 1)]
        if ends[0] > ends[-1]:
            raise ValueError(f'the range "{item}" runs backwards')
        for point in range(ends[0], ends[-1] + 1):
            if point in points:
                raise ValueError(f"{board.names[point]} is named twice")
            points.add(point)
    return frozenset(points)


def _point(name: str, board: Board) -> int:
    try:
        return board.index(name)
    except KeyError:
        raise ValueError(f'the board has no point "{name}" (they run from {board.names[0]} to {board.names[-1]})') from None
