"""Plies as text: written one way, read in every spelling that names exactly one legal ply.

A quiet move is written ``32-28``, a capture with all its landing points ``19x28x37`` or ``c5xa5xe1``, a claim
``x22`` or ``xb4xc5xd4``. Read are also

- ``:`` and capital ``X`` for ``x``; a dash in a capture; nothing between algebraic points (``c5a5``) or two
  numbers (``3228``); algebraic names on boards with numbers and the other way round, any case, leading zeros;
- captures by origin and end (``47x36``), with some of the points between, or PDN's long form with points passed;
- captures by origin, end and all captured squares in any order, as Hub writes them;
- routes of the same capture other than the one that is written, if they are legal;
- the points of a claim in any order.

A full path always means itself, even where it could also be another ply cut short. Otherwise a text that could mean
two plies is ``ambiguous-ply`` and never one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from damd.core.types import Outcome, Ply, PlyKind, Setup
from damd.geometry import Board
from damd.notation.spelling import PlyError, Spelling, format_ply, read_spellings
from damd.notation.squares import listed, shown
from damd.rules import Rules

__all__ = ["PlyError", "PositionView", "explain_illegal", "format_ply", "named", "parse_ply"]


class PositionView(Protocol):
    """What is asked of a position here; ``damd.core.position.Position`` is one."""

    @property
    def rules(self) -> Rules: ...

    @property
    def board(self) -> Board: ...

    def setup(self) -> Setup: ...

    def plies(self) -> list[Ply]: ...

    def outcome(self) -> Outcome | None: ...


def parse_ply(text: str, position: PositionView) -> Ply:
    """The one legal ply that ``text`` names.

    Raises ``PlyError``, and lets pass what ``position.plies()`` raises where there are too many plies to list.
    """
    spellings = read_spellings(text, position.board)
    plies = position.plies()
    found = named(spellings, plies, position, text)
    if len(found) == 1:
        return found[0]
    if found:
        paths = listed(found, lambda ply: format_ply(ply, position.board, spellings[0].squares))
        raise PlyError("ambiguous-ply", text, f"{shown(text.strip())} names {len(found)} plies: {paths}")
    raise PlyError("illegal-ply", text, _explain(spellings, plies, position))


def named(spellings: Sequence[Spelling], plies: Sequence[Ply], position: PositionView, text: str) -> list[Ply]:
    """Those of the legal plies that ``text``, read as ``spellings``, can mean, in the order of their paths.

    Raises ``PlyError`` where that cannot be told of a short form.
    """
    found: list[Ply] = []
    for spelling in spellings:
        found += [ply for ply in _named(spelling, plies, position, text) if ply not in found]
    return sorted(found, key=lambda ply: ply.path) if len(found) > 1 else found


def explain_illegal(text: str, position: PositionView) -> str:
    """Why ``text`` is no legal ply of the position, for people; of bounded length."""
    try:
        return _explain(read_spellings(text, position.board), position.plies(), position)
    except PlyError as error:
        return error.message


def _explain(spellings: Sequence[Spelling], plies: Sequence[Ply], position: PositionView) -> str:
    from damd.notation.illegal import refuse  # only errors need it: 5 ms less to start

    squares = spellings[0].squares
    refusal = refuse(spellings, position.rules, position.setup(), plies, position.outcome(), squares)
    return refusal.message(position.rules, squares)


def _named(spelling: Spelling, plies: Sequence[Ply], position: PositionView, text: str) -> list[Ply]:
    """Every legal ply that the spelling can mean."""
    points = spelling.points
    if spelling.claim:
        wanted = tuple(sorted(points))
        return [ply for ply in plies if ply.kind is PlyKind.CLAIM and ply.captured == wanted]
    own = [ply for ply in plies if ply.kind is not PlyKind.CLAIM and ply.origin == points[0]]
    quiet = [ply for ply in own if ply.kind is PlyKind.QUIET and ply.path == points and spelling.mark != "x"]
    if quiet and spelling.mark == "-":
        return quiet
    captures = [ply for ply in own if ply.kind is PlyKind.CAPTURE]
    exact = [ply for ply in captures if ply.path == points]
    if exact or len(points) < 2:
        return quiet + exact
    if len(points) == 2:
        return quiet + [ply for ply in captures if ply.end == points[1]]
    return _long_forms(points, captures, position, text)


def _long_forms(points: tuple[int, ...], captures: Sequence[Ply], position: PositionView, text: str) -> list[Ply]:
    """The captures that three points or more can mean: a full route, else what Hub or PDN's forms may say."""
    taken = tuple(sorted(points[2:]))
    found = [ply for ply in captures if ply.end == points[1] and ply.captured == taken]
    ending = [ply for ply in captures if ply.end == points[-1]]
    if not ending:
        return found
    from damd.notation.routes import Routes, TooManyRoutesError  # rare forms: 3 ms less to start

    routes = Routes(position.rules, position.setup(), points[0])
    try:
        walked = routes.walk(points)
        if len(walked) == len(points) - 1 and not routes.fault(*walked[-1]):
            full = [ply for ply in ending if routes.same_ply(ply, walked[-1][2])]
            if full:
                return full
        return found + [ply for ply in ending if ply not in found and routes.passes(ply, points)]
    except TooManyRoutesError:
        reason = "this short form would have to be compared with too many captures: write the full path"
        raise PlyError("ambiguous-ply", text, reason) from None
