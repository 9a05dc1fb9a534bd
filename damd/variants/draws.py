"""The rows ``[[end.draws]]`` of variant files: read, and checked against each other and the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import Field, fields
from typing import Any

from damd.geometry import Board
from damd.rules import MANY, MOST_DRAWS, DrawRule, Force, Rules, Span
from damd.variants import well_formed
from damd.variants.fault import suggestion

_ROW = {key.name: key for key in fields(DrawRule)}
_FORCE = {key.name: key for key in fields(Force)}
_SPAN = re.compile(r"(\d{1,2})(?:-(\d{1,2})|(\+))?")
#: What the count of ``end.move_limit`` is called in answers: no draw rule may go by that name.
_TAKEN = "move-limit"

#: Says what is wrong with a value by itself, given the key's declaration; empty where nothing is.
Judge = Callable[[object, Field[Any]], str]
#: Takes a key and what is wrong with its value.
Report = Callable[[str, str], None]


# Reading


def read_rows(rows: object, place: str, judge: Judge, report: Report) -> tuple[DrawRule, ...] | None:
    """The rules that the rows hold; ``None`` where something in them was reported."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        report(place, f"must be rows: write [[{place}]], or {place} = [] for none")
        return None
    found = [_row(row, f"{place}[{number}]", judge, report) for number, row in enumerate(rows, start=1)]
    complete = [rule for rule in found if rule is not None]
    return tuple(complete) if len(complete) == len(rows) else None


def _row(row: dict[str, Any], place: str, judge: Judge, report: Report) -> DrawRule | None:
    values = _values(row, _ROW, place, judge, report)
    for needed in ("name", "limit"):
        if needed not in row:
            report(f"{place}.{needed}", "a draw rule needs a name" if needed == "name" else "says after how many moves")
    name = values.get("name", "")
    if name and not well_formed(name):
        report(f"{place}.name", f'"{name}" cannot be a name: use a-z, 0-9 and single hyphens')
    elif name == _TAKEN:
        report(f"{place}.name", f'"{name}" is what the count of end.move_limit is called')
    elif "name" in values and "limit" in values and len(values) == len(row):
        return DrawRule(**values)
    return None


def _values(
    table: dict[str, Any], declared: dict[str, Field[Any]], place: str, judge: Judge, report: Report
) -> dict[str, Any]:
    """The values that are right by themselves; everything else is reported."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{place}.{key}"
        if key not in declared:
            report(where, f"unknown key{suggestion(key, tuple(declared))}")
            continue
        default = declared[key].default
        if isinstance(default, Force):
            if isinstance(value, dict):
                force = _values(value, _FORCE, where, judge, report)
                if len(force) == len(value):
                    values[key] = Force(**force)
            else:
                report(where, 'must be a table such as {pieces = "1-3", kings = "1+"}')
            continue
        if isinstance(default, Span):
            span = _span(value)
            message = "" if span else 'must be a number of pieces, "2-3" or "2+"'
        else:
            span, message = None, judge(value, declared[key])
        if message:
            report(where, message)
        else:
            values[key] = span or value
    return values


def _span(value: object) -> Span | None:
    found = _SPAN.fullmatch(str(value)) if isinstance(value, str) or type(value) is int else None
    if not found:
        return None
    least, most, more = found.groups()
    span = Span(int(least), MANY if more else int(most or least))
    return span if span.least <= span.most else None


# Checking


def clashes(rules: Rules, board: Board | None) -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys that clash with draw rules, and how. ``board`` is ``None`` where there is none of that shape."""
    draws = rules.end.draws
    if len(draws) > MOST_DRAWS:
        yield ("end.draws",), f"{len(draws)} draw rules are too many: {MOST_DRAWS} at most"
    for number, draw in enumerate(draws):
        if draw.name in [other.name for other in draws[:number]]:
            yield ("end.draws",), f'two draw rules are called "{draw.name}"'
        for message in _impossible(draw):
            yield ("end.draws",), f'"{draw.name}": {message}'
        if draw.replaces_move_limit and not rules.end.move_limit:
            message = f'"{draw.name}" replaces the move limit, but with end.move_limit = 0 there is none'
            yield ("end.draws", "end.move_limit"), message
        if draw.main_road != "nobody" and board is not None and not board.main_road:
            message = f'"{draw.name}": this board has no diagonal from corner to corner, and so no main road'
            yield ("end.draws", "board.kind", "board.columns", "board.rows", "board.mirrored"), message


def _impossible(draw: DrawRule) -> Iterator[str]:
    """Why the ending of a rule can never be on the board."""
    sides = {"one": draw.one, "other": draw.other}
    for word, force in sides.items():
        if not _most(force):
            yield f'side "{word}" would have no piece, and then the game is over'
        elif force.men.least + force.kings.least > force.pieces.most or _least(force) > _most(force):
            yield f'side "{word}" cannot have pieces = {force.pieces}, men = {force.men} and kings = {force.kings}'
        elif draw.main_road == word and not force.kings.most:
            yield f'side "{word}" has no king to stand on the main road'
    if _least(draw.one) + _least(draw.other) > draw.pieces.most or _most(draw.one) + _most(draw.other) < draw.pieces.least:
        yield f"the sides together cannot have {draw.pieces} pieces"


def _least(force: Force) -> int:
    return max(1, force.pieces.least, force.men.least + force.kings.least)


def _most(force: Force) -> int:
    return min(force.pieces.most, force.men.most + force.kings.most)
