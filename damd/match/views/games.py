"""The games themselves: PDN with clocks and scores, and the bare results that rating programs read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from damd.core.position import start_setup
from damd.core.types import Ply, Setup, TooManyPlies
from damd.geometry import WHITE
from damd.match.journal import Header
from damd.match.model import Opening, Pairing, Schedule
from damd.match.records import GameRecord, PairRecord, PlyRecord
from damd.match.settings import rules_of
from damd.notation.collections.pool import Pool
from damd.notation.fen import FenError, parse_fen
from damd.notation.pdn import Command, Comment, Game, Line, Node, Verdict, Writer, format_clock
from damd.notation.plies import PlyError, parse_ply
from damd.rules import Rules

_RESULTS = {None: "1/2-1/2", 0: "1-0", 1: "0-1"}


def in_plan_order(schedule: Schedule, records: Iterable[PairRecord]) -> list[tuple[Pairing, PairRecord]]:
    """Each finished pairing beside what was planned, as planned: however they were finished, files are the same."""
    played = {record.pairing: record for record in records}
    return [(pairing, played[pairing.id]) for pairing in schedule.pairings if pairing.id in played]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A game of the journal played through by the rules: as PDN has it, and how it ended.

    ``end`` is the last position, ``last`` the ply that led to it and ``before`` where that was played, if any was.
    """

    pairing: Pairing
    record: GameRecord
    written: Game
    end: Setup
    last: Ply | None
    before: Setup | None


def replayed_games(header: Header, schedule: Schedule, records: Iterable[PairRecord]) -> Iterator[Replayed]:
    """The games in plan order. Raises ``ValueError`` for a record that its own rules contradict, and ``VariantError``."""
    rules = rules_of(header.tournament)
    pool = Pool()
    for pairing, record in in_plan_order(schedule, records):
        for game in record.games:
            try:
                yield _replayed(header, rules, pairing, game, pool)
            except (PlyError, FenError) as wrong:
                raise ValueError(f"pairing {pairing.id}, game {game.number}: {wrong.token}: {wrong.message}") from None
            except (IndexError, TooManyPlies) as wrong:
                raise ValueError(f"pairing {pairing.id}, game {game.number}: {wrong}") from None


def pdn_games(header: Header, schedule: Schedule, records: Iterable[PairRecord]) -> Iterator[str]:
    """The games in plan order, a text each.

    Behind each ply stand in a comment the time left (``clk``), the time taken (``emt``), the score (``eval``, for White,
    in men, or ``#`` and the moves to the end), depth and nodes; behind the last one who has won how. Raises as
    ``replayed_games`` does.
    """
    writer = pdn_writer(header)
    return (writer.write(game.written) for game in replayed_games(header, schedule, records))


def pdn_writer(header: Header) -> Writer:
    """What writes the games of this tournament."""
    return Writer(variant_path=header.tournament.variant_path or None)


def results_pgn(schedule: Schedule, records: Iterable[PairRecord]) -> str:
    """Names and results alone, in plan order, as PGN that Ordo and BayesElo read: 1-0 is a win of White."""
    lines = []
    for _, record in in_plan_order(schedule, records):
        for game in record.games:
            tags = (("White", game.white), ("Black", game.black), ("Result", _RESULTS[game.winner]))
            lines += [f'[{name} "{_escaped(value)}"]' for name, value in tags]
            lines += ["", _RESULTS[game.winner], ""]
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _replayed(header: Header, rules: Rules, pairing: Pairing, game: GameRecord, pool: Pool) -> Replayed:
    """Raises ``PlyError``, ``FenError``, ``TooManyPlies``, and ``IndexError`` for an opening that is not there."""
    opening = header.openings[pairing.opening]
    start = parse_fen(opening.fen, rules) if opening.fen else None
    position = pool.at(rules, start)
    nodes: list[Node] = []
    before = None
    told = [(text, None) for text in opening.plies] + [(played.text, played) for played in game.plies]
    for number, (text, played) in enumerate(told, 1):
        ply = parse_ply(text, position)
        nodes.append(Node(ply, comments=_comments(played) if played else ()))
        before = position.setup() if number == len(told) else None
        position.play(ply)
    end = Comment(game.describe())
    last = nodes[-1].ply if nodes else None
    if nodes:
        nodes[-1] = replace(nodes[-1], comments=(*nodes[-1].comments, end))
    line = Line(tuple(nodes), () if nodes else (end,))
    verdict = {None: Verdict.DRAW, 0: Verdict.WHITE, 1: Verdict.BLACK}[game.winner]
    same = start is None or start == start_setup(rules)
    written = Game(rules, _tags(header, opening, pairing, game), None if same else start, line, verdict)
    return Replayed(pairing, game, written, position.setup(), last, before)


def _tags(header: Header, opening: Opening, pairing: Pairing, game: GameRecord) -> tuple[tuple[str, str], ...]:
    tournament = header.tournament
    times = [str(tournament.time_of(name)) for name in (game.white, game.black)]
    tags = (
        ("Event", tournament.event or f"damd match, {tournament.format}"),
        ("Date", game.started[:10].replace("-", ".")),
        ("Round", f"{pairing.round}.{pairing.number}.{game.number}"),
        ("White", game.white),
        ("Black", game.black),
        ("Opening", opening.name),
        ("TimeControl", times[0] if times[0] == times[1] else ""),
        ("WhiteTimeControl", times[0] if times[0] != times[1] else ""),
        ("BlackTimeControl", times[1] if times[0] != times[1] else ""),
        ("Termination", game.termination.value),
    )
    return tuple((name, value) for name, value in tags if value)


def _comments(played: PlyRecord) -> tuple[Comment, ...]:
    commands = []
    if played.clock_ms is not None:
        commands.append(Command("clk", format_clock(max(0.0, played.clock_ms) / 1000)))
    commands.append(Command("emt", format_clock(played.taken_ms / 1000)))
    score = _score(played)
    if score:
        commands.append(Command("eval", score))
    figures = (("depth", played.depth), ("nodes", played.nodes))
    commands += [Command(name, str(value)) for name, value in figures if value is not None]
    late = f"late by {played.over_ms:.0f} ms" if played.over_ms > 0 else ""
    return (Comment(late, tuple(commands)),)


def _score(played: PlyRecord) -> str:
    sign = 1 if played.side == WHITE else -1
    if played.mate is not None:
        return f"#{sign * played.mate}"
    return f"{sign * played.score / 100:+.2f}" if played.score is not None else ""
