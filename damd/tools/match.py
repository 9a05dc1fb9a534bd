"""``damd match``: tournaments between engines, gone on with whatever happened, and views of their journals."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from damd.tools.common import (
    AT_FAULT,
    DEFAULT_VARIANT,
    FINE,
    INTERRUPTED,
    USAGE,
    Commands,
    Named,
    add_variant_path,
    fail,
    file_fault,
    note,
    say,
)
from damd.tools.match_cluster import add_cluster, check_cluster, cluster_of
from damd.tools.tournament import CommandLineError, header_of

if TYPE_CHECKING:
    from damd.match.events import Caution, Event
    from damd.match.journal import Contents, Header, Journal
    from damd.match.live import Tape
    from damd.match.openings import OpeningSet
    from damd.match.runner import RunSettings

_MOST_WARNINGS = 3
_HOW = (
    "What is left out of the command line is as match.md says of the file's keys. Ends with code 0 when all is played or "
    "the sequential test has ended, 1 when an engine has broken down or something cannot be had, 130 when interrupted."
)
#: Options that say what is played: a journal that is gone on with says that already.
_PLAYED = (
    "engine", "variant", "missed_capture", "format", "games", "tc", "openings", "seed", "sprt", "margin", "journal",
    "dry_run",
)  # fmt: skip

#: Views that are files: the option, the report's method, and what the help says.
_VIEWS = (
    ("pdn", "pdn", "the games with clocks and scores"),
    ("csv", "games_csv", "a line a game"),
    ("standings-csv", "standings_csv", "a line an engine"),
    ("ordo", "ordo_csv", "a rating list in Ordo's columns"),
    ("pgn", "pgn", "names and results, for rating programs"),
    ("html", "html", "all of it on one page, with plots (pip install damd[report])"),
    ("plot", "plot", "the main plots as one SVG picture (pip install damd[report])"),
)


def add(commands: Commands) -> None:
    match = commands.add_parser(
        "match",
        help="play a tournament between engines",
        description=f"Play a tournament of a TOML file, or of the engines that are named. {_HOW}",
    )
    match.add_argument("file", nargs="?", metavar="FILE", help="the tournament's file; or --engine, --resume or --report")
    match.add_argument("--engine", action="append", default=[], metavar="TEXT", help="a command, or 'name=… cmd=… tc=…'")
    match.add_argument("--resume", metavar="JOURNAL", help="go on with a tournament")
    match.add_argument("--report", metavar="JOURNAL", help="show what a journal holds; play nothing")
    match.add_argument("--journal", metavar="FILE", help="where to keep what is played (default: FILE.jsonl, match.jsonl)")
    match.add_argument("--dry-run", action="store_true", help="show the plan; play nothing")
    _add_played(match.add_argument_group("what is played; goes before what the file says"))
    _add_run(match.add_argument_group("how it is run"))
    _add_views(match.add_argument_group("views, written at the end or with --report; - is stdout"))


def _add_played(group: Any) -> None:
    group.add_argument("--variant", action=Named, metavar="NAME", help=f"the game (default: {DEFAULT_VARIANT})")
    group.add_argument("--missed-capture", choices=("rule", "forbidden"))
    add_variant_path(group)
    group.add_argument("--format", metavar="NAME", help="match, round-robin, gauntlet, swiss or knockout")
    group.add_argument("--games", type=_number(1, 2_000_000), metavar="N", help="games of each encounter")
    group.add_argument("--tc", metavar="TIME", help="time control: 60+0.6, 75/10:00, movetime=0.5, depth=9, nodes=50000")
    group.add_argument(
        "--openings", metavar="FILE", help="ballots, openings, FENs or games (default: the variant's ballots)"
    )
    group.add_argument("--seed", type=_number(0, (1 << 31) - 1), metavar="N", help="default: any, and told")
    group.add_argument("--sprt", metavar="ELO0,ELO1", help="end when one of two normalized Elo differences is refuted")
    group.add_argument("--margin", type=_number(0, 600_000), metavar="MS", help="an engine may be late by so much")


def _add_run(group: Any) -> None:
    group.add_argument("--concurrency", type=_number(1, 1000), metavar="N", help="games at once (default: 1)")
    group.add_argument("--overload", action="store_true", help="more games at once than there are processors")
    group.add_argument("--pin", action="store_true", help="keep the engines of each game on one processor (Linux)")
    add_cluster(group, _number)
    group.add_argument("--recover", action="store_true", help="go on after an engine has broken down")
    group.add_argument(
        "--patience",
        type=_number(1, 3600),
        default=10,
        metavar="S",
        help="wait so long beyond an engine's time (default: 10)",
    )
    group.add_argument(
        "--thinking",
        type=_number(1, 86_400),
        default=600,
        metavar="S",
        help="and for a ply without time limit (default: 600)",
    )
    group.add_argument("--events", action="store_true", help="tell what happens as lines of JSON on stdout")
    group.add_argument("--plain", action="store_true", help="no live table on a terminal")


def _add_views(group: Any) -> None:
    group.add_argument(
        "--standings", action="store_true", help="standings, cross table and statistics (default of --report)"
    )
    for name, _, told in _VIEWS:
        group.add_argument(f"--{name}", metavar="FILE", help=told)


def run(options: Namespace) -> int:
    from damd.match.journal import JournalError
    from damd.match.model import PlanError
    from damd.match.openings import OpeningsError
    from damd.match.player import Unfit
    from damd.match.runner import TooMany
    from damd.match.settings import SettingsError
    from damd.match.tasks import WorkerLost
    from damd.tools.outputs import escape_unencodable
    from damd.variants import VariantError

    escape_unencodable()
    try:
        _check_words(options)
        check_cluster(options)
        missing = _missing_libraries(options)
        if missing:
            return fail(missing)
        if options.report is not None:
            return _report(options)
        return _play(options)
    except CommandLineError as fault:
        return fail(str(fault), USAGE)
    except (SettingsError, JournalError, OpeningsError, PlanError, TooMany, Unfit, VariantError, WorkerLost) as fault:
        return fail(str(fault))


def _check_words(options: Namespace) -> None:
    """Raises ``CommandLineError``."""
    from damd.match.model import FORMATS

    ways = [name for name in ("file", "engine", "resume", "report") if getattr(options, name) not in (None, [])]
    if not ways:
        raise CommandLineError(
            "what is to be played? Name a FILE, or two engines or more with --engine, or --resume JOURNAL"
        )
    if len(ways) > 1:
        named = " and ".join("FILE" if way == "file" else f"--{way}" for way in ways)
        raise CommandLineError(f"one of them: {named}")
    if options.format not in (None, *FORMATS):
        raise CommandLineError(f"--format: {options.format} is not one of {', '.join(FORMATS)}")
    views = [file for file, _ in _asked_views(options)]
    if len(set(views)) < len(views):
        raise CommandLineError(f"{next(file for file in views if views.count(file) > 1)} is the file of two views")
    if options.events and (options.standings or "-" in views):
        raise CommandLineError("--events and a view cannot both be on stdout")
    if options.resume is None and options.report is None:
        return
    for name in _PLAYED:
        if getattr(options, name) not in (None, [], False):
            raise CommandLineError(f"--{name.replace('_', '-')}: the journal says what is played")


def _missing_libraries(options: Namespace) -> str:
    """What the views that are asked for lack: it is told before a night's games, not behind them."""
    from importlib.util import find_spec

    asked = [f"--{name}" for name in ("html", "plot") if getattr(options, name) is not None]
    lacking = [library for library in ("jinja2", "matplotlib") if asked and find_spec(library) is None]
    if not lacking:
        return ""
    return f'{" and ".join(asked)}: {" and ".join(lacking)} must be there: pip install "damd[report]"'


# What is played


def _play(options: Namespace) -> int:
    """Raises what ``run`` tells, and ``CommandLineError``."""
    from damd.match.journal import Journal
    from damd.match.runner import RunSettings, check_concurrency, try_engines
    from damd.tools.signals import run_until_signalled

    if options.scheduler is None:
        check_concurrency(options.cluster or options.concurrency or 1, overload=options.overload)
    settings = RunSettings(
        options.concurrency or 1, _patience(options), options.recover, options.pin, cluster=cluster_of(options)
    )
    if options.resume is not None:
        _spare(options, options.resume)
        with Journal.resume(options.resume) as journal:
            if journal.torn:
                note(f"damd: {options.resume}: {journal.torn} bytes of a line that was never finished were taken off")
            cautions = [
                *_other_versions(journal.header),
                *run_until_signalled(try_engines(journal.header.tournament, settings)),
            ]
            return _run(options, journal, settings, cautions)
    _spare(options, _journal_name(options), options.file, options.openings)
    header, openings = header_of(options)
    if options.dry_run:
        return _show_plan(header, openings)
    cautions = [*_cautions(openings), *run_until_signalled(try_engines(header.tournament, settings))]
    with Journal.create(_journal_name(options), header) as journal:
        return _run(options, journal, settings, cautions)


def _journal_name(options: Namespace) -> str:
    from os.path import splitext

    if options.journal is not None:
        return str(options.journal)
    return f"{splitext(options.file)[0]}.jsonl" if options.file else "match.jsonl"


def _patience(options: Namespace) -> Any:
    from damd.match.player import DEFAULT_PATIENCE, Patience

    start_s = max(DEFAULT_PATIENCE.start_s, float(options.patience)) if options.patience >= 10 else 3.0 * options.patience
    return Patience(start_s, float(options.patience), float(options.thinking))


def _cautions(openings: OpeningSet) -> list[Caution]:
    """What is not quite right with the openings, in short: all of it is in the plan that --dry-run shows."""
    from damd.match.events import Caution
    from damd.match.openings import WARNING

    told = [note.message for note in openings.notes if note.kind == WARNING]
    return [Caution(text) for text in ([str(openings)] if openings.notes else []) + told[:_MOST_WARNINGS]]


def _other_versions(header: Header) -> list[Caution]:
    from damd import __version__
    from damd.match.events import Caution

    begun = dict(header.versions).get("damd", __version__)
    return [] if begun == __version__ else [Caution(f"it was begun by damd {begun}, and goes on with damd {__version__}")]


def _show_plan(header: Header, openings: OpeningSet) -> int:
    """Raises ``PlanError``."""
    from damd.match.plan import plan, repeated_openings
    from damd.match.runner import plan_lines

    tournament = header.tournament
    schedule = plan(tournament, len(header.openings))
    say(*(f"{engine.name}: {' '.join(engine.command)}, {tournament.time_of(engine.name)}" for engine in tournament.engines))
    say(str(openings), *(f"  {note}" for note in openings.notes))
    say(*plan_lines(tournament, header.openings, schedule))
    if repeated_openings(schedule):
        say(f"{repeated_openings(schedule)} pairings repeat an opening that their engines have had")
    return FINE


# The run


def _run(options: Namespace, journal: Journal, settings: RunSettings, cautions: Sequence[Caution]) -> int:
    """Raises ``PlanError``, ``VariantError`` and ``JournalError``."""
    import sys
    from functools import partial

    from damd.match.live import JsonLines, PlainLines, Tape, live_table
    from damd.tools.outputs import leave_stuck

    driven = partial(_driven, journal, settings, cautions)
    table = live_table() if sys.stdout.isatty() and not options.plain and not options.events else None
    if table is not None:
        with table:
            reason = driven(table, None)
    else:
        with Tape(sys.stdout) as tape:
            reason = driven(JsonLines(tape.put) if options.events else PlainLines(tape.put), tape)
        if tape.stuck:
            leave_stuck(INTERRUPTED)
    wanted = options.standings or not options.events
    written = _write_views(options, _contents(journal), standings=wanted)
    return {"interrupted": INTERRUPTED, "finished": written, "sprt": written}.get(reason, AT_FAULT)


def _driven(
    journal: Journal,
    settings: RunSettings,
    cautions: Sequence[Caution],
    listener: Callable[[Event], None],
    tape: Tape | None,
) -> str:
    """Run it; why it has ended."""
    import asyncio

    from damd.match.runner import Runner
    from damd.tools.signals import heed

    async def drive() -> str:
        runner = Runner(journal, settings, listener, tape.settle if tape is not None else None, cautions)

        def stop() -> None:
            if tape is not None:
                tape.hurry()
            runner.interrupt()

        heed(stop)
        end = await runner.run()
        if end.reason not in ("finished", "sprt"):
            note(f"damd: {end.message}" + (f"; go on with: {end.resume}" if end.resume else ""))
        if tape is not None and tape.broken:
            note("damd: whoever read the output has left; the journal has it all")
        return end.reason

    return asyncio.run(drive())


# Views


def _report(options: Namespace) -> int:
    """Raises ``JournalError``, ``PlanError`` and ``VariantError``."""
    from damd.match.journal import read_journal

    _spare(options, options.report)
    contents = read_journal(options.report)
    return _write_views(options, contents, standings=options.standings or not _asked_views(options))


def _contents(journal: Journal) -> Contents:
    from damd.match.journal import Contents

    return Contents(journal.header, journal.records)


def _asked_views(options: Namespace) -> list[tuple[str, str]]:
    """Of each the file, and the report's method that makes it."""
    given = [(getattr(options, name.replace("-", "_")), method) for name, method, _ in _VIEWS]
    return [(file, method) for file, method in given if file is not None]


def _spare(options: Namespace, *kept: str | None) -> None:
    """Raises ``CommandLineError`` where a view would be written over one of these files."""
    from os.path import realpath

    for file, _ in _asked_views(options):
        if file != "-" and realpath(file) in [realpath(name) for name in kept if name is not None]:
            raise CommandLineError(f"{file}: a view would be written over what it is a view of")


def _write_views(options: Namespace, contents: Contents, *, standings: bool) -> int:
    """Files first: whoever reads stdout may have left."""
    from damd.match.views.report import Report

    report = Report(contents)
    asked = [(file, getattr(report, method)) for file, method in _asked_views(options)]
    codes = [_written(file, view) for file, view in asked if file != "-"]
    if standings:
        say(*report.standings())
    codes += [_written(file, view) for file, view in asked if file == "-"]
    return max(codes, default=FINE)


def _written(file: str, view: Callable[[], str]) -> int:
    """The exit code: what becomes of one view is nothing to the others. Raises ``OSError`` for stdout alone."""
    import sys

    try:
        text = view()
    except ValueError as fault:  # a journal that was written to by hand
        return fail(f"{file}: {fault}")
    if file == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return FINE
    try:
        with open(file, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except OSError as fault:
        return fail(file_fault(file, fault))
    return FINE


def _number(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high):
            raise ArgumentTypeError(f"a number from {low} to {high} is needed, not {text[:40]!r}")
        return int(text)

    return number
