"""The parts of a drawn board as SVG elements: text, pieces, rings, crosses and arrows, in units of a hundredth of a step.

All colours are here. They are chosen for the drawing's own background, so that it reads the same on any page, and
nothing is told by colour alone: kings wear a crown, what may be claimed has a broken ring, what was taken a cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

Place = tuple[float, float]

FRAME = "#3b2a1e"
FRAME_TEXT = "#f6ead6"
LIGHT = "#f4e6cc"
PLAYED = "#c09669"
LINES = "#6b4a2f"
LABEL = "#33200f"
LAST = "#ecd873"
LAST_LINE = "#8a6a00"
MARK = "#00695c"
ALARM = "#c4121f"
ARROW = "#7cc4ff"
ARROW_CASING = "#123a6b"
CASING = "#ffffff"

#: Fill, rim and pattern of White's and Black's pieces.
_DRESS = (("#fffaf0", "#2a1c10", "#8d7a64"), ("#2b2622", "#fff4df", "#b9a893"))
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

#: The radius of a piece.
RADIUS = 33

_CROWN = "m-20 13v-24l10 11 10-19 10 19 10-11v24z"


def attributes(**values: object) -> str:
    """``stroke_width=2`` as `` stroke-width="2"``; a value of ``None`` is left out. Values are escaped."""
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(number(value))}"'
        for name, value in values.items()
        if value is not None
    )


def element(name: str, *inside: str, **values: object) -> str:
    """One element with what stands inside, empty where that is nothing."""
    body = "".join(inside)
    return f"<{name}{attributes(**values)}>{body}</{name}>" if body else f"<{name}{attributes(**values)}/>"


def group(lines: Sequence[str], **values: object) -> list[str]:
    """Elements that share attributes, a line each; nothing where there are none."""
    return [f"<g{attributes(**values)}>", *lines, "</g>"] if lines else []


def number(value: object) -> str:
    """A float with one digit at most behind the point, all else as it is."""
    if isinstance(value, float):
        text = f"{value:.1f}".removesuffix(".0")
        return "0" if text == "-0" else text
    return str(value)


def escaped(text: str) -> str:
    """``text`` as it may stand in XML, in ASCII: what cannot be shown is a question mark."""
    shown = "".join(char if char.isprintable() else "?" for char in text)
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        shown = shown.replace(sign, name)
    return shown.encode("ascii", "xmlcharrefreplace").decode("ascii")


def words(place: Place, text: str, **values: object) -> str:
    return element("text", escaped(text), x=place[0], y=place[1], **values)


def piece(place: Place, side: int, king: bool, scale: float | None = None, **values: object) -> str:
    """A man: a disc with a ring; a king: two discs, the upper one with a crown."""
    fill, rim, pattern = _DRESS[side]
    if king:
        crown = element("path", d=f"M0 -5{_CROWN}", fill=rim, stroke="none")
        inside = [element("circle", cy=7, r=RADIUS), element("circle", cy=-5, r=RADIUS), crown]
    else:
        inside = [element("circle", r=RADIUS), element("circle", r=RADIUS - 13, fill="none", stroke=pattern)]
    kind = f"{('white', 'black')[side]} {'king' if king else 'man'}"
    moved = f"translate({number(float(place[0]))} {number(float(place[1]))})" + (f" scale({scale})" if scale else "")
    return element("g", *inside, class_=kind, transform=moved, fill=fill, stroke=rim, stroke_width=4, **values)


def ring(place: Place, radius: float) -> str:
    """A broken ring around a piece that may be claimed."""
    around: dict[str, object] = {"cx": place[0], "cy": place[1], "r": radius}
    return element("circle", **around, stroke=CASING, stroke_width=8) + element(
        "circle", **around, stroke=ALARM, stroke_width=6, stroke_dasharray="13 7"
    )


def cross(place: Place) -> str:
    """A cross over a piece that is taken."""
    x, y = place
    d = f"M{number(x - 24)} {number(y - 24)}l48 48m0-48l-48 48"
    return element("path", d=d, stroke=CASING, stroke_width=15) + element("path", d=d, stroke=ALARM, stroke_width=9)


def way(places: Sequence[Place]) -> str:
    """The ``d`` of a line through the places."""
    return "M" + "L".join(f"{number(float(x))} {number(float(y))}" for x, y in places)


def arrow(places: Sequence[Place], begin: float, back: float) -> str:
    """An arrow through the places, from ``begin`` units behind the first to ``back`` units before the last.

    Where it turns, or lands on its way, it has a knot.
    """
    line = _lanes(places)
    tip = _towards(line[-1], line[-2], back)
    (x, y), (u, v) = tip, _direction(line[-2], line[-1])
    line[0] = _towards(line[0], line[1], begin)
    line[-1] = _towards(tip, line[-2], 26)
    head = way([tip, (x - 34 * u - 22 * v, y - 34 * v + 22 * u), (x - 34 * u + 22 * v, y - 34 * v - 22 * u)]) + "z"
    return "".join(
        element(
            "g",
            element("path", d=way(line), fill="none", stroke_width=13 + rim),
            element("path", d=head, stroke_width=1 + rim),
            *(element("circle", cx=px, cy=py, r=12 + rim / 2, stroke="none") for px, py in places[1:-1]),
            fill=colour,
            stroke=colour,
        )
        for rim, colour in ((6, ARROW_CASING), (0, ARROW))
    )


def _lanes(places: Sequence[Place]) -> list[Place]:
    """The places themselves; where a leg goes straight back, each leg a little to the right of the way."""
    steps = [_direction(one, other) for one, other in pairwise(places)]
    if not any(hypot(u + p, v + q) < 0.01 for (u, v), (p, q) in pairwise(steps)):
        return list(places)
    lanes = []
    for ((x, y), (z, w)), (u, v) in zip(pairwise(places), steps, strict=True):
        lanes += [(x - 11 * v, y + 11 * u), (z - 11 * v, w + 11 * u)]
    return lanes


def _direction(origin: Place, end: Place) -> Place:
    dx, dy = end[0] - origin[0], end[1] - origin[1]
    length = hypot(dx, dy)
    return (dx / length, dy / length)


def _towards(origin: Place, end: Place, distance: float) -> Place:
    u, v = _direction(origin, end)
    return (origin[0] + u * distance, origin[1] + v * distance)
