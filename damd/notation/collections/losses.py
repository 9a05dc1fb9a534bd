"""What a kind of file does not hold of a game: every conversion says what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator

from damd.notation.collections.lines import MAX_BYTES
from damd.notation.collections.listed import NAME_TAG, NUMBER_TAG
from damd.notation.collections.writing import Stand, result_in_list
from damd.notation.pdn.model import Game, Verdict
from damd.notation.pdn.writing import changed


def lost_in_pdn(game: Game, text: str, first_score: str) -> Iterator[str]:
    """What does not read back the same from the ``text`` that PDN has of the game. Something may come twice."""
    return changed(game, text, first_score)


def lost_in_json(line: str) -> Iterator[str]:
    """What does not read back the same from the line that is the game."""
    if len(line) > MAX_BYTES // 4 and len(line.encode()) > MAX_BYTES:
        yield f"lines of more than {MAX_BYTES} bytes, which are not read"


def lost_in_positions(game: Game, written: list[Stand], whole: bool, bare: bool, first_score: str) -> Iterator[str]:
    """What a FEN list that has the positions ``written`` does not hold; ``whole`` where those are all."""
    nodes = game.line.nodes
    if nodes and not whole:
        yield "plies"
    said = sum(len(node.comments) for node in nodes) + len(game.line.comments)
    if said > (0 if bare else sum(len(stand.comments) for stand in written)):
        yield "comments"
    if game.tags:
        yield "tags"
    yield from _lost_in_any_list(game, bare, first_score)


def lost_in_openings(game: Game, numbered: bool, bare: bool, first_score: str) -> Iterator[str]:
    """What a list of openings does not hold; of ballots where it is ``numbered``."""
    nodes = game.line.nodes
    if any(node.ply is None for node in nodes):
        yield "plies from a position put up on"
    if game.line.comments or any(node.comments for node in nodes):
        yield "comments"
    kept = {NAME_TAG, *([NUMBER_TAG] if numbered else [])} if not bare else set()
    if any(name not in kept for name, _ in game.tags):
        yield "tags"
    yield from _lost_in_any_list(game, bare, first_score)


def _lost_in_any_list(game: Game, bare: bool, first_score: str) -> Iterator[str]:
    nodes = game.line.nodes
    comments = (*game.line.comments, *(comment for node in nodes for comment in node.comments))
    if any(comment.commands for comment in comments):
        yield "clocks"
    if any(node.strength or node.nags for node in nodes):
        yield "marks"
    if any(node.variations for node in nodes):
        yield "variations"
    if (game.verdict is not Verdict.UNKNOWN or game.score) and (bare or result_in_list(game, first_score) == "*"):
        yield "results"
