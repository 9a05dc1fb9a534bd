"""One run of ``damd convert``: games read from files, written as another format, counted, with what is lost."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from hashlib import blake2b
from typing import BinaryIO

from damd import variants
from damd.core.types import PlyKind, Setup, TooManyPlies
from damd.notation.collections.fens import read_entry
from damd.notation.collections.header import Source
from damd.notation.collections.json_lines import line_of
from damd.notation.collections.json_reading import read_json
from damd.notation.collections.listed import read_listed
from damd.notation.collections.losses import lost_in_json, lost_in_openings, lost_in_pdn, lost_in_positions
from damd.notation.collections.openings import read_ballot, read_opening
from damd.notation.collections.pool import Pool
from damd.notation.collections.writing import ALL, END, START, Style, fen_line, header, number_of, opening_line, stands
from damd.notation.fen import format_fen
from damd.notation.pdn import Reading, read_games, write_game
from damd.notation.pdn.model import Fault, Game, Line, ReadGame, Verdict
from damd.notation.squares import NUMERIC
from damd.rules import Rules
from damd.tools.common import AT_FAULT, FINE, fail, file_fault, note
from damd.tools.convert import format_of
from damd.tools.whole import STANDARD, Output

_NAMES = {
    "pdn": "PDN",
    "json": "a line of JSON",
    "fen": "a list of FENs",
    "openings": "a list of openings",
    "ballots": "a list of ballots",
}
_ENTRIES = {"fen": read_entry, "openings": read_opening, "ballots": read_ballot}


class Conversion:
    """Reads, writes and counts. Raises ``VariantError`` for a ``--variant`` that there is not."""

    def __init__(self, options: Namespace) -> None:
        self.options = options
        self.code = FINE
        self._path: str | None = options.variant_path or None
        self._rules = self._asked()
        self._target = format_of(options.output, options.target) or ""
        self._which: str | int = START if options.positions is None else options.positions
        self._style = Style(options.squares or NUMERIC, options.bare, options.full, options.first_score)
        self._pool = Pool()
        self._missed: dict[Rules, str] = {}
        self._above: Rules | None = None  # the rules of the last header written
        self._seen: dict[bytes, str] = {}
        self._written = 0
        self._dropped = 0
        self._short = 0
        self._lost: Counter[str] = Counter()
        self._mixed = False

    def convert(self, file: str, output: Output) -> None:
        """Convert one file. Raises ``OSError`` where the output cannot be written."""
        try:
            stream = nullcontext(sys.stdin.buffer) if file == STANDARD else open(file, "rb")  # noqa: SIM115
        except OSError as fault:
            self.code = fail(file_fault(file, fault))
            return
        name = "<stdin>" if file == STANDARD else file
        source = format_of(file, self.options.source) or ""
        with stream as opened:
            for read in self._readable(self._read(opened, name, source), name):
                self._tell(read.faults)
                if read.game is not None:
                    self._write(read, self._cut(read.game), name, source, output)

    def summary(self) -> Iterator[str]:
        """What is to be said at the end, a line each."""
        if self._dropped:
            yield f"left out, as they lead to positions that are there already: {self._dropped}"
        if self._short:
            yield f"games with fewer plies than {self._which}, of which nothing is written: {self._short}"
        if self._lost:
            told = ", ".join(f"{what} ({count} {'game' if count == 1 else 'games'})" for what, count in self._lost.items())
            yield f"{_NAMES[self._target]} does not hold: {told}"
        if self._mixed and self._style.bare:
            yield "positions of different games stand in the list, and nothing says which is of which"

    # Reading

    def _asked(self) -> Rules | None:
        """The rules of files that do not say which game they are of, where they are named."""
        if self.options.variant is None:
            return None
        rules = variants.load(self.options.variant, self._path)
        return rules.without_penalty() if self.options.missed_capture == "forbidden" else rules

    def _read(self, stream: BinaryIO, name: str, source: str) -> Iterator[ReadGame]:
        first_score = self.options.first_score
        if source == "pdn":
            return read_games(stream, name, Reading(self._rules, self._path, first_score))
        of_list = Source(stream, name, self._rules, self._path, first_score)
        return read_json(of_list) if source == "json" else read_listed(of_list, _ENTRIES[source])

    def _readable(self, games: Iterator[ReadGame], name: str) -> Iterator[ReadGame]:
        """The games up to where the file cannot be read any further."""
        while True:
            try:
                read = next(games, None)
            except OSError as fault:
                self.code = fail(file_fault(name, fault))
                return
            if read is None:
                return
            yield read

    def _tell(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            note(str(fault))
            self.code = self.code if fault.warning else AT_FAULT

    def _cut(self, game: Game) -> Game:
        """The first plies of the game; its result belongs to all of them."""
        most, line = self.options.plies, game.line
        if most is None or len(line.nodes) <= most:
            return game
        return replace(game, line=Line(line.nodes[:most], line.comments), verdict=Verdict.UNKNOWN, score="")

    # Writing

    def _write(self, read: ReadGame, game: Game, name: str, source: str, output: Output) -> None:
        formats = (source, self._target)
        if read.rest and self._target in ("pdn", "json"):
            game = replace(game, line=game.line.with_rest(read.rest))
        opening = self._target != "fen" and ("openings" in formats or "ballots" in formats)
        if opening and not self._is_new(read, game, name, "ballots" in formats):
            return
        if self._target == "pdn":
            text = write_game(game, variant_path=self._path, first_score=self.options.first_score)
            self._lost.update(dict.fromkeys(lost_in_pdn(game, text, self.options.first_score), 1))
        elif self._target == "json":
            text = line_of(game, self._missed_capture(game.rules), self._pool) + "\n"
            self._lost.update(lost_in_json(text))
        elif self._target == "fen":
            text = self._positions(game)
        else:
            text = self._opening(game)
        if text:
            output.write(text)

    def _positions(self, game: Game) -> str:
        """The lines of a FEN list that are the game's."""
        style = self._style
        found = list(stands(game, self._which, self._pool))
        self._short += not found
        self._lost.update(lost_in_positions(game, found, self._which == ALL, style.bare, style.first_score))
        if self.options.unique:
            fresh = [stand for stand in found if self._first_place(game.rules, stand.setup, "") is None]
            self._dropped += len(found) - len(fresh)
            found = fresh
        lines = [fen_line(game, stand, style) for stand in found]
        return "".join(f"{line}\n" for line in [*self._header(game), *lines]) if lines else ""

    def _opening(self, game: Game) -> str:
        """The line of a list of openings or ballots that is the game."""
        style, numbered = self._style, self._target == "ballots"
        self._written += 1
        self._lost.update(lost_in_openings(game, numbered, style.bare, style.first_score))
        number = number_of(game, self._written) if numbered else ""
        return "".join(f"{line}\n" for line in [*self._header(game), opening_line(game, style, self._pool, number)])

    def _header(self, game: Game) -> list[str]:
        """The tags that are to stand above what comes now, in a list of them."""
        if game.rules == self._above:
            return []
        self._mixed = self._mixed or self._above is not None
        self._above = game.rules
        if self._style.bare:
            return []
        return [header(game.rules, self._missed_capture(game.rules))]

    def _missed_capture(self, rules: Rules) -> str:
        if rules not in self._missed:
            own = variants.load(rules.name, self._path)
            self._missed[rules] = "forbidden" if rules != own else "rule"
        return self._missed[rules]

    # Openings that are there already

    def _is_new(self, read: ReadGame, game: Game, name: str, ballots: bool) -> bool:
        """Say what is odd about an opening; ``False`` where it is to be left out because it is there already."""
        last = next(stands(game, END, self._pool))
        place = f"{name}:{read.line}"
        before = self._first_place(game.rules, last.setup, place)
        if before is not None and self.options.unique:
            self._dropped += 1
            return False
        remarks = [f"leads to the same position as {before}"] if before is not None else []
        if ballots and self._captures(game, last.setup):
            remarks.append("a capture is to be made at once")
        self._tell(Fault(name, read.line, read.number, 0, "", remark, warning=True) for remark in remarks)
        return True

    def _first_place(self, rules: Rules, setup: Setup, place: str) -> str | None:
        """Where that position was met first; ``None`` where that is now, in ``place``."""
        text = f"{rules.name} {self._missed_capture(rules)} {format_fen(setup, rules)}"
        digest = blake2b(text.encode(), digest_size=16).digest()  # positions may be many: so much each, whatever the board
        before = self._seen.get(digest)
        if before is None:
            self._seen[digest] = place
        return before

    def _captures(self, game: Game, setup: Setup) -> bool:
        try:
            return any(ply.kind is PlyKind.CAPTURE for ply in self._pool.at(game.rules, setup).plies())
        except TooManyPlies:
            return True
