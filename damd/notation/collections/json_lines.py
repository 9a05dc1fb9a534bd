"""JSON lines: an object a game, which says all there is to a game and reads back the same.

    {"variant": "international", "missed_capture": "rule", "fen": null, "plies": ["32-28", "19-23", "28x19", "14x23"],
     "winner": "draw", "reason": "agreement", "tags": {"White": "A", "Black": "B", "Termination": "agreement"},
     "notes": [{"ply": 2, "strength": "?", "comments": ["too early"]}]}

formats.md describes the keys; ``damd.notation.collections.json_reading`` reads them.
"""

from __future__ import annotations

import json
from typing import Any

from damd.core.types import Outcome, Reason
from damd.notation.collections.pool import Pool
from damd.notation.fen import format_fen
from damd.notation.pdn import clocks
from damd.notation.pdn.model import Comment, Game, Line, Node, Verdict
from damd.notation.plies import format_ply
from damd.notation.squares import NUMERIC
from damd.rules import Rules

#: The words for who has won; an unknown verdict is null.
WINNERS = {verdict.value: verdict for verdict in Verdict if verdict is not Verdict.UNKNOWN}
#: The tag that holds a reason that no position shows.
REASON_TAG = "Termination"
REASONS = frozenset(reason.value for reason in Reason)


def line_of(game: Game, missed_capture: str, pool: Pool) -> str:
    """The game as a line without its end. ``missed_capture`` is ``forbidden`` where the rules say otherwise."""
    row: dict[str, Any] = {
        "variant": game.rules.name,
        "missed_capture": missed_capture,
        "fen": None if game.start is None else format_fen(game.start, game.rules, full=_is_counted(game)),
    }
    line = _line(game.line, game.rules)
    row["plies"] = line.pop("plies")
    row["winner"] = None if game.verdict is Verdict.UNKNOWN else game.verdict.value
    if game.score:
        row["score"] = game.score
    row["reason"] = reason_of(game, pool)
    row["tags"] = dict(game.tags) if len(dict(game.tags)) == len(game.tags) else [list(tag) for tag in game.tags]
    row |= line
    text = json.dumps(row, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(row)


def _is_counted(game: Game) -> bool:
    return game.start is not None and (game.start.halfmoves, game.start.fullmoves) != (0, 1)


def _line(line: Line, rules: Rules) -> dict[str, Any]:
    notes = [note for number, node in enumerate(line.nodes, 1) if (note := _note(number, node, rules))]
    row: dict[str, Any] = {"plies": [_ply(node, rules) for node in line.nodes]}
    if line.comments:
        row["comments"] = [_comment(comment) for comment in line.comments]
    if notes:
        row["notes"] = notes
    return row


def _ply(node: Node, rules: Rules) -> object:
    if node.ply is not None:
        return format_ply(node.ply, rules.geometry, NUMERIC)
    assert node.setup is not None
    return {"fen": format_fen(node.setup, rules, full=True)}


def _note(number: int, node: Node, rules: Rules) -> dict[str, Any]:
    """What is said about a ply; empty where that is nothing."""
    note: dict[str, Any] = {}
    if node.strength:
        note["strength"] = node.strength
    if node.nags:
        note["nags"] = list(node.nags)
    if node.comments:
        note["comments"] = [_comment(comment) for comment in node.comments]
        shown = [
            {"name": clock.name, "side": _side(clock.side), "seconds": clock.seconds, "running": clock.running}
            for clock in clocks(node.comments)
        ]
        if shown:
            note["clocks"] = shown
    if node.variations:
        note["variations"] = [_line(line, rules) for line in node.variations]
    return {"ply": number, **note} if note else {}


def _side(side: int | None) -> str | None:
    return None if side is None else ("white", "black")[side]


def _comment(comment: Comment) -> object:
    if not comment.commands:
        return comment.text
    return {"text": comment.text, "commands": [[command.name, command.value] for command in comment.commands]}


def reason_of(game: Game, pool: Pool) -> str | None:
    """Why the game is over: by its last position, where that agrees with the verdict, or as its tag says."""
    if game.verdict is Verdict.UNKNOWN:
        return None
    position = pool.at(game.rules, game.start)
    for node in game.line.nodes:
        if node.ply is not None:
            position.play(node.ply)
        elif node.setup is not None:
            position.set(node.setup)
    outcome = position.outcome()
    if outcome is not None and verdict_of(outcome) is game.verdict:
        return outcome.reason.value
    said = game.tag(REASON_TAG)
    return said if said in REASONS else None


def verdict_of(outcome: Outcome) -> Verdict:
    """The verdict that goes with the end of a game by its rules."""
    return Verdict.DRAW if outcome.winner is None else (Verdict.WHITE, Verdict.BLACK)[outcome.winner]
