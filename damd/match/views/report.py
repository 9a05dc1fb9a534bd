"""Everything that is shown and written of a journal, from its contents alone."""

from __future__ import annotations

from damd.match.journal import Contents
from damd.match.plan import plan
from damd.match.standings import standings, terminations, tournament_table
from damd.match.views.games import in_plan_order, pdn_games, results_pgn
from damd.match.views.spreadsheet import games_csv, ordo_csv, standings_csv
from damd.match.views.standings import cross_table_lines, standings_lines
from damd.match.views.versus import versus_lines


class Report:
    """The views of one journal. Files have their games in plan order, however they were finished."""

    def __init__(self, contents: Contents) -> None:
        """Raises ``PlanError`` for records that are not of the journal's own plan."""
        self._contents = contents
        self._header, self._records = contents.header, contents.records
        self._tournament = contents.header.tournament
        self._schedule = plan(self._tournament, len(contents.header.openings), self._records)
        self._standings = standings(self._tournament, self._schedule, self._records)

    def standings(self) -> list[str]:
        """Standings, statistics of two engines or the cross table of more, and how games have ended: lines of text."""
        tournament, records = self._tournament, self._records
        lines = standings_lines(tournament, self._standings)
        if len(tournament.engines) == 2:
            lines += ["", *versus_lines(tournament, records, *tournament.names)]
        else:
            table = tournament_table(tournament, self._schedule, records)
            lines += ["", *cross_table_lines(tournament, table, [standing.name for standing in self._standings])]
        ends = terminations(records)
        if ends:
            lines += ["", "ends: " + ", ".join(f"{count} {name}" for name, count in ends.items())]
        return lines

    def pdn(self) -> str:
        """Raises ``ValueError`` for a record that its own rules contradict."""
        return "\n".join(pdn_games(self._header, self._schedule, self._records))

    def games_csv(self) -> str:
        return games_csv([record for _, record in in_plan_order(self._schedule, self._records)])

    def standings_csv(self) -> str:
        return standings_csv(self._tournament, self._standings)

    def ordo_csv(self) -> str:
        return ordo_csv(self._standings)

    def pgn(self) -> str:
        return results_pgn(self._schedule, self._records)

    def html(self) -> str:
        """Everything on one page. Raises as ``pdn`` does, and ``ImportError`` without the extra ``damd[report]``."""
        from damd.match.views.page import report_page

        return report_page(self._contents, self._schedule, self._standings)

    def plot(self) -> str:
        """The most telling plots as one SVG picture. Raises ``ImportError`` without the extra ``damd[report]``."""
        from damd.match.views.figures import figures
        from damd.match.views.plots import overview_svg

        tournament = self._tournament
        title = tournament.event or f"{tournament.variant}: {tournament.format} of {', '.join(tournament.names)}"
        return f"{overview_svg(figures(tournament, self._schedule, self._records, self._standings), title)}\n"
