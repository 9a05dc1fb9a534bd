"""The plots of a tournament as SVG, drawn by matplotlib: the extra ``damd[report]``.

The same figures come to the same bytes, whatever the user's own settings of matplotlib, the day and the machine: only
another matplotlib may draw otherwise. Texts stay texts, in a font that the reader has. Importing this costs as much as
starting damd ten times: do so only where a plot is asked for.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from damd.match.views.figures import Curve, Figures, Lengths, Ratios
from damd.match.views.svg import GRID, INK, PAPER, printable, tidied

#: Tell engines apart on light and on dark ground alike; beside them each line has a pattern of its own.
_COLOURS = ("#2f7ed8", "#d9730d", "#2a9d5c", "#c2478f", "#8a63d2", "#a8860b", "#d1495b", "#2f9aa0")
_PATTERNS = ("-", "--", "-.", ":")
#: White's wins, draws and Black's; a side has its colour in every plot.
_RESULTS = (("White won", "#f3e3c3"), ("drawn", "#9aa5b1"), ("Black won", "#4a3b31"))
#: From nothing to everything, of three results and of five.
_SHADES = {3: ("#d1495b", "#9aa5b1", "#2a9d5c"), 5: ("#c43d50", "#e39aa5", "#9aa5b1", "#8cc7a5", "#2a9d5c")}
_PAIR_POINTS = {3: ("lost", "drawn", "won"), 5: ("0", "½", "1", "1½", "2")}
#: More lines than this are a tangle: those of the first engines are drawn.
_MOST_LINES = 8
_LONGEST_NAME = 22
#: Inches of a plot on the page, and of the overview.
_WIDTH, _HEIGHT = 6.4, 3.4
_OVERVIEW = (11.0, 6.6)
_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": PAPER,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "figure.facecolor": PAPER,
    "font.size": 10,
    "grid.color": GRID,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,  # a name is no formula
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: ``title`` says what is seen, ``height`` how many inches it should have."""

    name: str
    title: str
    draw: Callable[[Axes], None]
    height: float = _HEIGHT


def panels(figures: Figures) -> list[Panel]:
    """The plots that there is something for, the most telling first."""
    rows = 0.3 * max(len(figures.ratings), len(figures.pairs)) + 1.5
    found = []
    if figures.ratings:
        found.append(Panel("ratings", "Elo, with 95 % intervals", partial(_ratings, ratings=figures.ratings), rows))
    if figures.points:
        drawn = partial(_curves, curves=figures.points, below="round")
        found.append(Panel("points", "Points above an even score, by round", drawn))
    if figures.ratios:
        found.append(Panel("ratios", "Sequential test: LLR by pairs", partial(_ratios, ratios=figures.ratios)))
    if figures.pairs:
        found.append(_pairs_panel(figures.pairs, rows))
    if figures.lengths:
        found.append(Panel("lengths", "Length of the games, in plies", partial(_lengths, lengths=figures.lengths)))
    for name, title, curves in (
        ("times", "Time of a ply, median in ms", figures.times),
        ("depths", "Depth, median", figures.depths),
        ("scores", "Own score in centipawns, median", figures.scores),
    ):
        if curves:
            drawn = partial(_curves, curves=curves, below="ply of the engine", logarithmic=name == "times")
            found.append(Panel(name, title, drawn))
    return found


def panel_svg(panel: Panel) -> str:
    """One plot as an element for a page that says what its colours are: see ``damd.match.views.svg``."""
    with _styled(panel.name):
        figure = Figure(figsize=(_WIDTH, panel.height), layout="constrained")
        panel.draw(figure.subplots())
        return tidied(_drawn(figure), panel.title, panel.name, in_page=True)


def overview_svg(figures: Figures, title: str) -> str:
    """The four most telling plots in one picture, on a ground of its own."""
    shown = panels(figures)[:4]
    with _styled("overview"):
        figure = Figure(figsize=_OVERVIEW if shown else (_OVERVIEW[0], 1.2), layout="constrained")
        figure.suptitle(printable(title), x=0.01, ha="left", weight="bold")
        if not shown:
            figure.text(0.01, 0.3, "nothing finished yet")
        columns = 2 if len(shown) > 1 else 1
        for place, panel in enumerate(shown, 1):
            axes = figure.add_subplot((len(shown) + 1) // columns, columns, place)
            panel.draw(axes)
            axes.set_title(panel.title)
        return tidied(_drawn(figure), title, "overview", in_page=False)


@contextmanager
def _styled(salt: str) -> Iterator[None]:
    """matplotlib as it is delivered, with our own settings; it says nothing on stderr meanwhile."""
    log = logging.getLogger("matplotlib")
    level = log.level
    log.setLevel(logging.ERROR)  # it tells of its cache of fonts, and where that is
    try:
        with matplotlib.style.context([_STYLE, {"svg.hashsalt": salt}], after_reset=True), warnings.catch_warnings():
            # Texts stay texts: the reader's fonts have letters that matplotlib's own has not.
            warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
            yield
    finally:
        log.setLevel(level)


def _drawn(figure: Figure) -> str:
    text = BytesIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue().decode()


# Plots


def _ratings(axes: Axes, ratings: Sequence[tuple[str, float, float | None]]) -> None:
    for place, (_, elo, error) in enumerate(ratings):
        colour = _COLOURS[place % len(_COLOURS)]
        axes.errorbar([elo], [place], xerr=None if error is None else [[error], [error]], fmt="o", color=colour, capsize=4)
    axes.axvline(0, color=INK, linewidth=0.8)
    _name_rows(axes, [name for name, _, _ in ratings])


def _curves(axes: Axes, curves: Mapping[str, Curve], below: str, *, logarithmic: bool = False) -> None:
    """A line an engine."""
    shown = list(curves.items())[:_MOST_LINES]
    lines: list[Line2D] = []
    for place, (_, curve) in enumerate(shown):
        style: dict[str, Any] = {
            "color": _COLOURS[place % len(_COLOURS)],
            "linestyle": _PATTERNS[place % len(_PATTERNS)],
            "linewidth": 1.6,
        }
        lines += axes.plot([x for x, _ in curve], [y for _, y in curve], **style)
    if logarithmic and all(y > 0 for _, curve in shown for _, y in curve):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    else:
        axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlabel(below)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    names = [_short(name) for name, _ in shown]
    left = len(curves) - len(shown)
    title = f"the first {len(shown)} of {len(curves)}" if left else None
    axes.legend(lines, names, title=title, loc="best")


def _ratios(axes: Axes, ratios: Ratios) -> None:
    """The ratio, and the bounds at which the test ends."""
    states, test = ratios.states, ratios.test
    last = states[-1][1]
    axes.plot([pairs for pairs, _ in states], [state.llr for _, state in states], color=_COLOURS[0], linewidth=1.6)
    for bound, told in ((last.upper, f"H1: {test.elo1:g}"), (last.lower, f"H0: {test.elo0:g}")):
        axes.axhline(bound, color=INK, linestyle="--", linewidth=1)
        axes.annotate(told, (0, bound), xytext=(4, 3), textcoords="offset points")
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlabel("pairs, in the order of the plan")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _pairs_panel(pairs: Mapping[str, Sequence[int]], height: float) -> Panel:
    paired = all(len(counts) == len(_PAIR_POINTS[5]) for counts in pairs.values())
    what = "Pairs of games by points" if paired else "Games by result"
    if len(pairs) == 1:
        ((name, counts),) = pairs.items()
        return Panel("pairs", f"{what}, of {_short(name)}", partial(_histogram, counts=counts))
    return Panel("pairs", f"{what}, of each engine", partial(_shares, pairs=pairs), height)


def _histogram(axes: Axes, counts: Sequence[int]) -> None:
    bars = axes.bar(range(len(counts)), counts, color=_SHADES[len(counts)], edgecolor=INK, linewidth=0.6)
    axes.bar_label(bars, labels=[str(count) for count in counts])
    axes.set_xticks(range(len(counts)), _PAIR_POINTS[len(counts)])
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=False, axis="x")


def _shares(axes: Axes, pairs: Mapping[str, Sequence[int]]) -> None:
    """A row an engine, as wide as the pairs that it has played."""
    size = len(next(iter(pairs.values())))
    before = [0] * len(pairs)
    for kind, (shade, told) in enumerate(zip(_SHADES[size], _PAIR_POINTS[size], strict=True)):
        counts = [of[kind] for of in pairs.values()]
        style: dict[str, Any] = {"color": shade, "edgecolor": INK, "linewidth": 0.6, "label": told}
        axes.barh(range(len(pairs)), counts, left=before, height=0.6, **style)
        before = [start + count for start, count in zip(before, counts, strict=True)]
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _name_rows(axes, list(pairs))
    axes.set_xlabel("pairs" if size == len(_PAIR_POINTS[5]) else "games", loc="left")
    axes.legend(ncols=size, loc="upper right", bbox_to_anchor=(1, -0.12), handlelength=1, columnspacing=1)


def _lengths(axes: Axes, lengths: Lengths) -> None:
    kinds = (lengths.white, lengths.drawn, lengths.black)
    most = max(plies for kind in kinds for plies in kind)
    style: dict[str, Any] = {
        "bins": min(24, max(1, most)),
        "range": (0, max(1, most)),
        "stacked": True,
        "color": [colour for _, colour in _RESULTS],
        "label": [f"{told} ({len(kind)})" for (told, _), kind in zip(_RESULTS, kinds, strict=True)],
        "edgecolor": INK,
        "linewidth": 0.6,
    }
    axes.hist(kinds, **style)
    axes.set_xlabel("plies behind the opening")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("games")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=False, axis="x")
    axes.legend()


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Names at the left, the first on top."""
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")


def _short(name: str) -> str:
    """A name that leaves room for the plot. A legend passes over names that begin with a low line: a blank goes before."""
    text = printable(name)
    text = text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
    return f" {text}" if text.startswith("_") else text
