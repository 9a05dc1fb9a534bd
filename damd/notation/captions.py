"""A position in words, as they stand under its drawing and are read out in its place."""

from __future__ import annotations

from damd.core.types import Setup
from damd.geometry import BLACK, WHITE
from damd.notation.overlay import NOTHING, Overlay
from damd.notation.plies import format_ply
from damd.notation.squares import NUMERIC, SIDES, listed, names_of
from damd.rules import Rules


def captions(
    setup: Setup, rules: Rules, *, squares: str = NUMERIC, overlay: Overlay = NOTHING, limit: int = 12
) -> list[str]:
    """Who is to move, what may be claimed, the kings' runs, then what ``overlay`` shows: sentences without a stop.

    Of a list of points or arrows the first ``limit`` are named.
    """
    names = names_of(rules.geometry, squares)
    mover, other = SIDES[setup.side], SIDES[1 - setup.side]
    lines = [f"{mover} to move"]
    right = setup.right
    if right is not None:
        number = str(right.take) if right.points else f"any {right.take}"
        points = f": {listed(right.points, lambda point: names[point], limit)}" if right.points else ""
        lines.append(f"{mover} may first take off {number} of {other}'s pieces{points}")
    for side in (WHITE, BLACK):
        run = setup.king_runs[side]
        if run is not None and run.count:
            times = f"{run.count} of {rules.king.quiet_limit}"
            lines.append(f"{SIDES[side]}'s king on {names[run.point]} has made {times} quiet moves in a row")
    if overlay.last is not None:
        lines.append(f"Last ply: {format_ply(overlay.last, rules.geometry, squares)}")
    if overlay.arrows:
        lines.append(f"Arrows: {listed(overlay.arrows, lambda ply: format_ply(ply, rules.geometry, squares), limit)}")
    if overlay.marks:
        lines.append(f"Marked: {listed(sorted(overlay.marks), lambda point: names[point], limit)}")
    return lines


def pieces_in_words(setup: Setup, rules: Rules, *, squares: str = NUMERIC) -> list[str]:
    """All pieces, a side a sentence: ``White has men on 31, 32 and a king on 5``."""
    names = names_of(rules.geometry, squares)
    sentences = []
    for side in (WHITE, BLACK):
        groups = []
        for one, several, points in (("man", "men", setup.men[side]), ("king", "kings", setup.kings[side])):
            if points:
                kind = f"a {one}" if len(points) == 1 else several
                groups.append(f"{kind} on {', '.join(names[point] for point in sorted(points))}")
        sentences.append(f"{SIDES[side]} has {' and '.join(groups) or 'no pieces'}")
    return sentences
