"""Games as lines of lists: FENs, openings, ballots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from damd.core.types import Ply, Setup
from damd.notation.collections.entries import split_result
from damd.notation.collections.listed import NAME_TAG, NUMBER_TAG
from damd.notation.collections.pool import Pool
from damd.notation.fen import format_fen
from damd.notation.pdn.gametypes import own_gametype
from damd.notation.pdn.model import Comment, Game
from damd.notation.pdn.results import first_side, write_result
from damd.notation.plies import format_ply
from damd.notation.squares import NUMERIC
from damd.rules import Rules

#: Which positions of a game go into a FEN list, besides the one after a number of plies.
START, END, ALL = "start", "end", "all"

_UNKNOWN = "*"


@dataclass(frozen=True, slots=True)
class Style:
    """How lists are written. ``bare`` leaves out all but FENs and plies; ``full`` adds counters to every FEN."""

    squares: str = NUMERIC
    bare: bool = False
    full: bool = False
    first_score: str = "rules"


@dataclass(frozen=True, slots=True)
class Stand:
    """A position of a game, after ``plies`` of its plies, and what is said there."""

    plies: int
    setup: Setup
    comments: tuple[Comment, ...]


def header(rules: Rules, missed_capture: str) -> str:
    """The line of tags above what is of these rules."""
    missed = ' [MissedCapture "forbidden"]' if missed_capture == "forbidden" else ""
    return f'[Variant "{rules.name}"]{missed}'


def stands(game: Game, which: str | int, pool: Pool) -> Iterator[Stand]:
    """Those positions of the game that are asked for, each once.

    ``which`` is ``start``, ``end``, ``all`` or a number of plies; a shorter game has no such position. Where another
    position is put up in the middle of the game, that counts as a ply.
    """
    nodes = game.line.nodes
    wanted = {START: 0, END: len(nodes)}.get(str(which), which)
    position = pool.at(game.rules, game.start)
    comments = game.line.comments
    for number in range(len(nodes) + 1):
        if which == ALL or number == wanted:
            yield Stand(number, position.setup(), comments)
        if number == len(nodes) or number == wanted:
            return
        node = nodes[number]
        comments = node.comments
        if node.ply is not None:
            position.play(node.ply)
        elif node.setup is not None:
            position.set(node.setup)


def fen_line(game: Game, stand: Stand, style: Style) -> str:
    """A line of a FEN list: a position of the game, the game's result, and what is said there."""
    full = style.full or (stand.plies == 0 and _is_counted(stand.setup))
    fen = format_fen(stand.setup, game.rules, full=full, squares=style.squares)
    return (
        fen
        if style.bare
        else _ended(fen, game, style, "; ".join(filter(None, (comment.text for comment in stand.comments))))
    )


def opening_line(game: Game, style: Style, pool: Pool, number: str = "") -> str:
    """A line of a list of openings; with a ``number``, of ballots. Plies after the first put-up position are left out."""
    rules = game.rules
    words = [f"{number}."] if number and not style.bare else []
    plies = list(opening_plies(game))
    if game.start is not None or not plies:
        setup = pool.at(rules, game.start).setup()
        words.append(format_fen(setup, rules, full=style.full or _is_counted(setup), squares=style.squares))
    words += [format_ply(ply, rules.geometry, style.squares) for ply in plies]
    line = " ".join(words)
    return line if style.bare else _ended(line, game, style, game.tag(NAME_TAG))


def opening_plies(game: Game) -> Iterator[Ply]:
    """The plies of the main line, up to a position that is put up in its middle."""
    for node in game.line.nodes:
        if node.ply is None:
            return
        yield node.ply


def number_of(game: Game, default: int) -> str:
    """The number of a ballot: its own, or ``default``."""
    own = game.tag(NUMBER_TAG)
    return own if own.isascii() and own.isdigit() and len(own) < 10 else str(default)


def result_in_list(game: Game, first_score: str) -> str:
    """The game's result as a line of a list can hold it; ``*`` where it is unknown or needs more words."""
    own = own_gametype(game.rules)
    number = own.number if own else None
    text = write_result(game.verdict, game.score, number, first_side(game.rules, first_score))
    return text if split_result(text) == (text, "") else _UNKNOWN


def _is_counted(setup: Setup) -> bool:
    return (setup.halfmoves, setup.fullmoves) != (0, 1)


def _ended(text: str, game: Game, style: Style, remark: str) -> str:
    plain = " ".join(remark.split())
    result = result_in_list(game, style.first_score)
    if result == _UNKNOWN:
        result = ""
    elif text[-1].isalpha():
        text += "."  # a FEN whose last side has no pieces: 1-1 behind it would be squares
    return f"{text}{f' {result}' if result else ''}{f' ; {plain}' if plain else ''}"
