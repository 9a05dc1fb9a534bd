"""The report of a tournament as one HTML page that needs nothing beside it: the extra ``damd[report]``.

No script, nothing fetched: the page's own rules for browsers forbid both. Whatever engines, files and people have named
or said goes through the template's escaping, and what no page can hold is replaced by a sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from damd.match.journal import Contents
from damd.match.model import Pairing, Schedule
from damd.match.plan import left_to_play, repeated_openings
from damd.match.records import GameRecord, PairRecord
from damd.match.settings import rules_of
from damd.match.standings import Standing, tournament_table
from damd.match.views import sections
from damd.match.views.figures import Figures, figures
from damd.match.views.games import Replayed, in_plan_order, pdn_writer, replayed_games
from damd.match.views.plots import panel_svg, panels
from damd.match.views.sections import Table
from damd.match.views.standings import bounded_lines, cross_table_cells, standings_cells, trouble_lines
from damd.match.views.svg import printable
from damd.match.views.versus import versus_lines
from damd.notation.fen import format_fen
from damd.notation.overlay import Overlay
from damd.notation.svg import draw_svg
from damd.rules import Rules

#: So many games are shown whole, plies and last position, those that were lost on time or by a fault before all others:
#: each takes 15 kB.
GAMES_IN_FULL = 200
_BOARD_PIXELS = 320


@dataclass(frozen=True, slots=True)
class GameInFull:
    """One game as the page shows it whole; ``board`` is an SVG element."""

    id: str
    record: GameRecord
    score: str
    pdn: str
    fen: str
    board: Markup


@dataclass(frozen=True, slots=True)
class Plot:
    """``drawing`` is an SVG element."""

    title: str
    drawing: Markup


def report_page(contents: Contents, schedule: Schedule, found: Sequence[Standing]) -> str:
    """The whole page in ASCII; in whatever order the games were finished, it is the same down to the byte.

    Raises ``ValueError`` for a record that its own rules contradict, and ``VariantError``.
    """
    header = contents.header
    tournament, rules = header.tournament, rules_of(header.tournament)
    ordered = in_plan_order(schedule, contents.records)
    records = [record for _, record in ordered]
    games = [game for record in records for game in record.games]
    numbers = figures(tournament, schedule, records, found)
    planned = sum(len(pairing.games()) for pairing in schedule.pairings)
    results = tournament_table(tournament, schedule, records)
    order = [standing.name for standing in found]
    of_two = len(order) == 2
    names = tournament.names if of_two else order
    in_full = _in_full(contents, schedule, ordered, rules)
    text = _template().render(
        title=tournament.event or f"damd match, {tournament.format}",
        game=rules.names.title or rules.name,
        tournament=tournament,
        created=header.created,
        progress=f"{len(games)} of {planned} games" + ("" if schedule.complete else " of the rounds matched so far"),
        seed=tournament.seed,
        warnings=_warnings(contents, schedule, found, numbers),
        standings=Table(*standings_cells(tournament, found)),
        told=bounded_lines(found) + (versus_lines(tournament, records, *names) if of_two else []),
        cross_table=None if of_two else Table(*cross_table_cells(tournament, results, order)),
        encounters=sections.encounters(results, names, records),
        plots=[Plot(panel.title, Markup(panel_svg(panel))) for panel in panels(numbers)],
        ends=sections.ends(games),
        faults=sections.faults(ordered),
        time_use=sections.time_use(tournament, found, games),
        openings=sections.openings(header, ordered),
        games=sections.games(header, ordered),
        in_full=in_full,
        shown={game.id for game in in_full},
        engines=sections.engines(tournament),
        configuration=sections.configuration(header),
    )
    return text.encode("ascii", "xmlcharrefreplace").decode()


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("damd.match.views", ""),
        autoescape=True,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("page.html")


def _cleaned(value: object) -> object:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


# What is wrong


def _warnings(contents: Contents, schedule: Schedule, found: Sequence[Standing], numbers: Figures) -> list[str]:
    """What has to be known before the figures are believed."""
    warnings = []
    decided = numbers.ratios and numbers.ratios.states[-1][1].decision
    left = sum(len(pairing.games()) for pairing in left_to_play(schedule, contents.records))
    if decided:
        warnings.append(
            f"The sequential test has ended with {decided}, at an extreme of its results: the Elo read too far out."
        )
    elif left or not schedule.complete:
        more = "" if schedule.complete else ", and later rounds are not matched yet"
        warnings.append(f"This is no final result: {left} planned games are not finished{more}.")
    warnings += [line for standing in found for line in trouble_lines(standing)]
    repeated = repeated_openings(schedule)
    if repeated:
        pairings = "pairing repeats" if repeated == 1 else "pairings repeat"
        warnings.append(f"{repeated} {pairings} an opening that the same engines have had.")
    if contents.torn:
        warnings.append("The journal ends in a line that was never finished; its games are not counted.")
    return warnings


# Games


def _in_full(
    contents: Contents, schedule: Schedule, ordered: Sequence[tuple[Pairing, PairRecord]], rules: Rules
) -> list[GameInFull]:
    header = contents.header
    writer = pdn_writer(header)
    chosen = _chosen(record for _, record in ordered)
    made = []
    for replayed in replayed_games(header, schedule, chosen):
        name = f"{replayed.pairing.id}.{replayed.record.number}"
        score = sections.score_text(replayed.record, header.tournament.scoring)
        fen = format_fen(replayed.end, rules, full=True)
        board = _board(replayed, rules, name)
        made.append(GameInFull(name, replayed.record, score, writer.write(replayed.written).rstrip(), fen, board))
    return made


def _chosen(records: Iterable[PairRecord]) -> list[PairRecord]:
    """The pairs that are shown whole: those with trouble, then the first."""
    ordered = sorted(records, key=lambda record: not any(map(sections.is_trouble, record.games)))
    return list(_within(ordered))


def _within(records: Iterable[PairRecord]) -> Iterator[PairRecord]:
    left = GAMES_IN_FULL
    for record in records:
        left -= len(record.games)
        if left < 0:
            return
        yield record


def _board(replayed: Replayed, rules: Rules, name: str) -> Markup:
    overlay = Overlay(last=replayed.last, before=replayed.before)
    drawn = draw_svg(replayed.end, rules, overlay=overlay, size=_BOARD_PIXELS, squares=rules.notation.squares)
    # Games may end alike: what a drawing refers to is its own all the same.
    return Markup(drawn.replace('"board-', f'"board-{name}-'))
