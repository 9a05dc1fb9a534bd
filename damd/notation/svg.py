"""The board drawn as SVG: one self-contained picture for a page, White below or, turned, Black.

The picture has a background of its own, names no font or file outside and is the same for the same position, down to
the byte. Its title and description say in words what it shows. Chequered boards and boards of all squares are drawn as
squares, a board with lines of its own is drawn with its lines. Groups have classes (``pieces``, ``names``, ``last``,
``arrows`` ...), each piece is a group ``white man`` and the like with its point in ``data-square``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from zlib import crc32

from damd.core.types import PlyKind, Setup
from damd.geometry import BLACK, WHITE, Board
from damd.notation import svg_shapes as shapes
from damd.notation.captions import captions, pieces_in_words
from damd.notation.drawing import is_grid
from damd.notation.overlay import NOTHING, Overlay
from damd.notation.squares import NUMERIC, names_of
from damd.notation.svg_shapes import Place, attributes, element, group, words
from damd.rules import Rules

#: What stands at the points: their names, at the edges files and ranks, both or nothing.
LABELS = ("names", "edges", "both", "none")

#: From one point to the next, of squares and where lines are drawn.
_SQUARE, _POINT = 100, 120
#: Around the squares, without and with files and ranks; around the points of a board with lines.
_FRAME, _FRAME_EDGES, _AROUND = 22, 54, 84
#: Font sizes; what is said under the board grows with it, for a large board is seen as small as a small one.
_NAME_SIZE, _EDGE_SIZE, _WORDS_SHARE = 27, 30, 0.038


def draw_svg(
    setup: Setup,
    rules: Rules,
    *,
    squares: str = NUMERIC,
    turned: bool = False,
    overlay: Overlay = NOTHING,
    labels: str = "names",
    caption: bool = True,
    size: int = 480,
) -> str:
    """The board as an SVG document in ASCII, ``size`` pixels at its longer side.

    ``labels`` is one of ``LABELS``; ``caption`` puts under the board who is to move and what is pending.
    """
    if labels not in LABELS:
        raise ValueError(f"labels are one of {', '.join(LABELS)}, not {labels}")
    named = labels in ("names", "both")
    view = _View(rules.geometry, turned, labels in ("edges", "both"), not is_grid(rules.geometry))
    picture = _Picture(setup, rules, view, names_of(rules.geometry, squares), overlay)
    told = captions(setup, rules, squares=squares, overlay=overlay, limit=rules.geometry.size + len(overlay.arrows))
    under, room = _under(captions(setup, rules, squares=squares), setup.side, view) if caption else ([], 0)
    width, height = view.width, view.height + room
    title = shapes.escaped(f"{rules.names.title or rules.name or 'Draughts'}: {told[0]}")
    seen = f"Seen from {'Black' if turned else 'White'}'s side"
    described = shapes.escaped(". ".join([*pieces_in_words(setup, rules, squares=squares), *told[1:], seen]) + ".")
    body = [
        element("rect", width=width, height=height, rx=14, fill=shapes.FRAME),
        *picture.board(),
        *picture.below(named),
        *picture.pieces(),
        *picture.above(),
        *(picture.named() if named else []),
        *view.edges(),
        *under,
    ]
    # Several pictures may stand in one page: what they refer to must not be called the same.
    name = f"board-{crc32(chr(10).join([title, described, *body]).encode()):08x}"
    scale = size / max(width, height)
    head = attributes(
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=max(1, round(width * scale)),
        height=max(1, round(height * scale)),
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-desc",
        font_family=shapes.FONT,
    )
    texts = [
        element("title", title, id=f"{name}-title"),
        element("desc", described, id=f"{name}-desc"),
    ]
    return "\n".join([f"<svg{head}>", *texts, *body, "</svg>"])


@dataclass(frozen=True, slots=True)
class _View:
    """Where points lie in the picture."""

    board: Board
    turned: bool
    has_edges: bool
    lined: bool

    @property
    def step(self) -> int:
        return _POINT if self.lined else _SQUARE

    @property
    def offset(self) -> int:
        """From the picture's edge to the middle of the first point."""
        return self.frame + (_AROUND if self.lined else _SQUARE // 2)

    @property
    def full(self) -> bool:
        """True where every square is played on."""
        return self.board.size == self.board.columns * self.board.rows

    @property
    def frame(self) -> int:
        return _FRAME_EDGES if self.has_edges else _FRAME

    @property
    def inner(self) -> tuple[int, int]:
        """Width and height inside the frame."""
        if self.lined:
            return (self.board.columns - 1) * _POINT + 2 * _AROUND, (self.board.rows - 1) * _POINT + 2 * _AROUND
        return self.board.columns * _SQUARE, self.board.rows * _SQUARE

    @property
    def width(self) -> int:
        return self.inner[0] + 2 * self.frame

    @property
    def height(self) -> int:
        return self.inner[1] + 2 * self.frame

    def cell(self, point: int) -> tuple[int, int]:
        """Column and row from the top left, as they are seen."""
        x, y = self.board.xy[point]
        return (self.board.columns - 1 - x, y) if self.turned else (x, self.board.rows - 1 - y)

    def place(self, point: int) -> Place:
        """The middle of the point."""
        column, row = self.cell(point)
        return (self.offset + column * self.step, self.offset + row * self.step)

    def stand(self, point: int) -> Place:
        """The middle of a piece on the point: off the square's, to leave room for its name."""
        x, y = self.place(point)
        return (x, y) if self.lined else (x + 5, y + 8)

    def name(self, point: int) -> Place:
        x, y = self.place(point)
        return (x - 28, y - 25) if self.lined else (x - 46, y - 26)

    def edges(self) -> list[str]:
        """Files below and ranks to the left."""
        if not self.has_edges:
            return []
        board, offset, step = self.board, self.offset, self.step
        files = "abcdefghijkl"[: board.columns]
        letters = [
            words((offset + column * step, self.height - 17), letter)
            for column, letter in enumerate(reversed(files) if self.turned else files)
        ]
        ranks = [
            words((self.frame // 2, offset + row * step + 10), str(row + 1 if self.turned else board.rows - row))
            for row in range(board.rows)
        ]
        style: dict[str, object] = {"fill": shapes.FRAME_TEXT, "font_size": _EDGE_SIZE, "text_anchor": "middle"}
        return group([*letters, *ranks], class_="edges", **style)


@dataclass(frozen=True, slots=True)
class _Picture:
    """The layers of a picture, lowest first."""

    setup: Setup
    rules: Rules
    view: _View
    names: tuple[str, ...]
    overlay: Overlay

    def board(self) -> list[str]:
        """The squares, or the lines."""
        view, board = self.view, self.view.board
        frame, (width, height) = view.frame, view.inner
        area = {"x": frame, "y": frame, "width": width, "height": height}
        if view.lined:
            lines = "".join(shapes.way([view.place(line[0]), view.place(line[-1])]) for line in board.lines)
            drawn = element("path", class_="lines", d=lines, stroke=shapes.LINES, stroke_width=5, stroke_linecap="round")
            return [element("rect", **area, fill=shapes.PLAYED), drawn]
        if view.full:
            across = "".join(f"M{frame} {frame + row * _SQUARE}h{width}" for row in range(1, board.rows))
            down = "".join(f"M{frame + column * _SQUARE} {frame}v{height}" for column in range(1, board.columns))
            grid = element("path", class_="lines", d=across + down, stroke=shapes.LINES, stroke_width=3)
            return [element("rect", **area, fill=shapes.PLAYED), grid]
        squares = "".join(f"M{self._corner(point)}h100v100h-100z" for point in range(board.size))
        return [element("rect", **area, fill=shapes.LIGHT), element("path", class_="squares", d=squares, fill=shapes.PLAYED)]

    def below(self, named: bool) -> list[str]:
        """What the pieces stand on: the last ply, marks, room for names."""
        view, last = self.view, self.overlay.last
        lines: list[str] = []
        if last is not None and last.kind is not PlyKind.CLAIM:
            lines += group([self._patch(point) for point in dict.fromkeys(last.path)], class_="last", fill=shapes.LAST)
        marks = [self._mark(point) for point in sorted(self.overlay.marks)]
        lines += group(marks, class_="marks", fill="none", stroke=shapes.MARK, stroke_width=8)
        if last is not None and last.kind is not PlyKind.CLAIM:
            places = [view.stand(point) for point in last.path]
            way = element("path", d=shapes.way(places), fill="none", stroke_width=7, stroke_linejoin="round")
            dots = [element("circle", cx=x, cy=y, r=11, stroke="none") for x, y in places[:-1]]
            lines += group([way, *dots], class_="way", stroke=shapes.LAST_LINE, fill=shapes.LAST_LINE)
        if named and view.lined:  # the lines leave the names free
            plates = [self._plate(point, name) for point, name in enumerate(self.names)]
            lines += group(plates, class_="plates", fill=shapes.PLAYED)
        return lines

    def pieces(self) -> list[str]:
        """The pieces, and pale those that the last ply took."""
        setup, before, last = self.setup, self.overlay.before, self.overlay.last
        lines: list[str] = []
        if last is not None:
            pale = [point for point in last.captured if not self._occupied(point)]
            if before is not None:
                lines += group(self._each(before, pale), class_="taken", opacity=0.5)
        return lines + group(self._each(setup, range(len(self.names))), class_="pieces")

    def above(self) -> list[str]:
        """What lies over the pieces: arrows, rights, crosses, the kings' runs."""
        view, overlay, setup = self.view, self.overlay, self.setup
        liable = self._liable()
        arrows = []
        for ply in overlay.arrows:
            if ply.kind is not PlyKind.CLAIM:
                begin = 38 if self._occupied(ply.origin) else 6
                back = 38 if self._occupied(ply.end) else 6
                arrows.append(shapes.arrow([view.stand(point) for point in ply.path], begin, back))
        lines = group(arrows, class_="arrows", stroke_linejoin="round", stroke_linecap="round")
        lines += group([shapes.ring(view.stand(point), shapes.RADIUS + 6) for point in liable], class_="right", fill="none")
        crossed = [point for point in (overlay.last.captured if overlay.last else ()) if not self._occupied(point)]
        crossed += [point for arrow in overlay.arrows for point in arrow.captured]
        crosses = [shapes.cross(view.stand(point)) for point in dict.fromkeys(crossed)]
        lines += group(crosses, class_="crosses", fill="none", stroke_linecap="round")
        runs = [run for run in setup.king_runs if run is not None and run.count]
        badges = [line for run in runs for line in self._badge(run.point, f"{run.count}/{self.rules.king.quiet_limit}")]
        lines += group(badges, class_="runs", font_size=26, font_weight="bold", text_anchor="middle")
        return lines

    def named(self) -> list[str]:
        """The points' names, over all else."""
        names = [words(self.view.name(point), name) for point, name in enumerate(self.names)]
        anchor = "end" if self.view.lined else "start"
        style: dict[str, object] = {
            "fill": shapes.LABEL,
            "font_size": _NAME_SIZE,
            "font_weight": "bold",
            "text_anchor": anchor,
        }
        return group(names, class_="names", **style)

    # -- parts -----------------------------------------------------------------------------------------------------

    def _each(self, setup: Setup, points: Iterable[int]) -> list[str]:
        drawn = []
        for point in points:
            for side in (WHITE, BLACK):
                king = point in setup.kings[side]
                if king or point in setup.men[side]:
                    drawn.append(shapes.piece(self.view.stand(point), side, king, data_square=self.names[point]))
        return drawn

    def _occupied(self, point: int) -> bool:
        return any(point in points for points in (*self.setup.men, *self.setup.kings))

    def _liable(self) -> list[int]:
        """The pieces that may be claimed: those named, or all of the other side."""
        right, other = self.setup.right, 1 - self.setup.side
        if right is None:
            return []
        return list(right.points) or sorted(self.setup.men[other] | self.setup.kings[other])

    def _corner(self, point: int) -> str:
        x, y = self.view.place(point)
        return f"{x - _SQUARE // 2} {y - _SQUARE // 2}"

    def _patch(self, point: int) -> str:
        x, y = self.view.place(point)
        if self.view.lined:
            return element("circle", cx=x, cy=y, r=46)
        return element("rect", x=x - _SQUARE // 2, y=y - _SQUARE // 2, width=_SQUARE, height=_SQUARE)

    def _plate(self, point: int, name: str) -> str:
        x, y = self.view.name(point)
        width = 19 * len(name) + 4
        return element("rect", x=x - width + 2, y=y - 22, width=width, height=25)

    def _mark(self, point: int) -> str:
        x, y = self.view.place(point)
        if self.view.lined:
            return element("circle", cx=x, cy=y, r=44)
        return element("rect", x=x - 46, y=y - 46, width=92, height=92)

    def _badge(self, point: int, text: str) -> list[str]:
        x, y = self.view.stand(point)
        style: dict[str, object] = {"fill": shapes.CASING, "stroke": shapes.ALARM, "stroke_width": 4}
        box = element("rect", x=x - 4, y=y + 8, width=50, height=34, rx=9, **style)
        return [box, words((x + 21, y + 34), text, fill=shapes.LABEL)]


def _under(sentences: list[str], side: int, view: _View) -> tuple[list[str], int]:
    """What is said under the board, with a piece of the side to move, and how much room it takes."""
    size = round(_WORDS_SHARE * max(view.width, view.height))
    line, indent = size * 4 // 3, size * 4 // 3
    # A letter takes less than 0.56 of its size on average, in the fonts named.
    columns = int((view.width - 2 * view.frame - indent) / (0.56 * size))
    told = [part for sentence in sentences for part in textwrap.wrap(sentence, columns, break_on_hyphens=False)]
    x, y = view.frame, view.height + size
    scale = round(size * 0.42 / shapes.RADIUS, 2)
    disc = shapes.piece((x + size // 2, y - size * 3 // 8), side, False, scale)
    texts = [words((x + indent, y + line * row), text) for row, text in enumerate(told)]
    lines = group([disc, *texts], class_="caption", fill=shapes.FRAME_TEXT, font_size=size)
    return lines, line * len(told) + _FRAME // 2
