"""The tournament that a command line of ``damd match`` asks for: that of a file, or of engines named by options."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from damd.tools.common import DEFAULT_VARIANT

if TYPE_CHECKING:
    from damd.match.journal import Header
    from damd.match.model import Tournament
    from damd.match.openings import OpeningSet


class CommandLineError(ValueError):
    """The command line contradicts itself, or says what nothing could make right."""


def header_of(options: Namespace) -> tuple[Header, OpeningSet]:
    """Raises what ``run`` tells, and ``CommandLineError``."""
    from datetime import UTC, datetime
    from platform import python_version

    from damd import __version__
    from damd.match.journal import Header
    from damd.match.openings import load_openings
    from damd.match.plan import plan
    from damd.match.settings import rules_of

    tournament = _tournament(options)
    found = load_openings(tournament.openings, rules_of(tournament), tournament.variant_path or None)
    plan(tournament, len(found.openings))  # raises what is wrong before there is a journal
    versions = (("damd", __version__), ("python", python_version()))
    created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Header(tournament, found.openings, versions, created), found


def _tournament(options: Namespace) -> Tournament:
    """That of the file, or of the engines that are named, with what the command line says. Raises ``SettingsError``."""
    from dataclasses import replace
    from os.path import abspath
    from secrets import randbelow

    from damd.match.model import SEEDS
    from damd.match.plain import Faults
    from damd.match.settings import SettingsError, check_tournament, read_settings

    seed = randbelow(SEEDS)
    # Options go before what the file says: only what comes of both has to be right.
    tournament = read_settings(options.file, seed=seed, whole=False) if options.file else _of_engines(options, seed)
    changed = _changed(options, tournament)
    faults = Faults()
    check_tournament(changed, faults)
    if faults.found:
        raise SettingsError(options.file or "", faults.found)
    return replace(changed, variant_path=abspath(changed.variant_path) if changed.variant_path else "")


def _of_engines(options: Namespace, seed: int) -> Tournament:
    """Raises ``SettingsError``, and ``CommandLineError``."""
    from os.path import abspath

    from damd.match.engine_words import EngineWordsError, engine_tables
    from damd.match.plain import Faults
    from damd.match.settings import SettingsError, tournament_of

    try:
        engines = engine_tables(options.engine)
    except EngineWordsError as wrong:
        raise CommandLineError(f"--engine: {wrong}") from None
    for engine in engines:
        if "folder" in engine:
            engine["folder"] = abspath(engine["folder"])
    if len(engines) < 2:
        raise CommandLineError("--engine: a tournament is between 2 engines or more: name another one")
    form = options.format or ("match" if len(engines) == 2 else "round-robin")
    own = {"variant": options.variant or DEFAULT_VARIANT, "variant_path": options.variant_path, "format": form, "seed": seed}
    faults = Faults()
    made = tournament_of({"tournament": own, "engine": engines}, faults, whole=False)
    if made is None:
        raise SettingsError("", faults.found)
    return made


def _changed(options: Namespace, tournament: Tournament) -> Tournament:
    """With what the command line says. Raises ``CommandLineError``."""
    from dataclasses import replace
    from os.path import abspath

    from damd.match.timecontrol import TimeControlError, parse_time_control

    changes: dict[str, Any] = {}
    for word, name in (
        ("variant", "variant"),
        ("missed_capture", "missed_capture"),
        ("seed", "seed"),
        ("margin", "margin_ms"),
    ):
        if getattr(options, word) is not None:
            changes[name] = getattr(options, word)
    if options.variant_path:
        changes["variant_path"] = options.variant_path
    if options.format is not None:
        changes["format"] = options.format
    if options.tc is not None:
        try:
            changes["time"] = parse_time_control(options.tc)
        except TimeControlError as wrong:
            raise CommandLineError(f"--tc: {wrong}") from None
    if options.openings is not None:
        changes["openings"] = replace(tournament.openings, file=abspath(options.openings), format="")
    if options.sprt is not None:
        changes["sprt"] = _sprt(options.sprt)
    if options.games is not None:
        changes["rounds"] = _rounds(options.games, replace(tournament, **changes))
    return replace(tournament, **changes)


def _rounds(games: int, tournament: Tournament) -> int:
    """Raises ``CommandLineError``."""
    if tournament.format not in ("match", "round-robin", "gauntlet"):
        raise CommandLineError(f"--games: goes with match, round-robin and gauntlet, not with {tournament.format}")
    if tournament.reverse and games % 2:
        raise CommandLineError(f"--games: every opening is played twice, colours reversed: an even number, not {games}")
    return games // 2 if tournament.reverse else games


def _sprt(text: str) -> Any:
    """Raises ``CommandLineError``."""
    from damd.match.model import Sprt

    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        elo0 = elo1 = 0.0
    if not -1000 <= elo0 < elo1 <= 1000:
        raise CommandLineError(f"--sprt: {text!r} is not two numbers from -1000 to 1000 that rise, as in 0,5")
    return Sprt(elo0=elo0, elo1=elo1)
