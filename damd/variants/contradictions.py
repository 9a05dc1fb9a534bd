"""Rules that are each right by themselves and wrong together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from damd.geometry import DIRECTION_WORDS, Board
from damd.rules import Rules
from damd.variants.points import parse_points
from damd.weights import SUFFIX, file_of

#: Board keys after which lists of points mean something else. (A mirrored board keeps its numbers and rows.)
_RENAMING = ("board.kind", "board.columns", "board.rows", "board.numbering")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """``key`` is where it is reported, ``keys`` are all that play a part."""

    key: str
    keys: tuple[str, ...]
    message: str


class _Levels:
    """Which file of a chain of bases set a key: 0 the first base, higher numbers later files, -1 nobody."""

    def __init__(self, levels: Mapping[str, int]) -> None:
        self._levels = levels

    def of(self, *keys: str) -> int:
        return max(self._levels.get(key, -1) for key in keys)

    def beside(self, key: str, other: str) -> bool:
        """True where ``key`` was set by the file that set ``other`` or by a later one, not merely inherited into it."""
        return self.of(key) >= max(self.of(other), 0)

    def clash(self, keys: tuple[str, ...], message: str) -> Contradiction:
        """Reported at the key that was set last: its author saw the others."""
        return Contradiction(max(keys, key=self.of), keys, message)


def contradictions(rules: Rules, levels: Mapping[str, int]) -> Iterator[Contradiction]:
    """Every contradiction within the rules; ``levels`` says which file of the chain set which key."""
    at = _Levels(levels)
    yield from _captures(rules, at)
    yield from _kings(rules, at)
    yield from _penalty(rules, at)
    if rules.end.repetition == 1:
        yield at.clash(("end.repetition",), "1 would draw every game at once, since the first position counts; 0 is never")
    try:
        board = rules.geometry
    except ValueError as error:
        yield at.clash((*_RENAMING, "board.mirrored"), str(error))
        return
    yield from _directions(rules, board, at)
    yield from _start(rules, board, at)
    yield from _notation(rules, board)
    yield from _weights(rules, board, at)


def _captures(rules: Rules, at: _Levels) -> Iterator[Contradiction]:
    capture = rules.capture
    whole = [criterion for criterion in capture.choice if criterion != "by-king"]
    if capture.going_on == "right" and whole:
        yield at.clash(
            ("capture.going_on", "capture.choice"),
            f'capture.choice = "{whole[0]}" weighs whole captures, but with capture.going_on = "right" each may be stopped',
        )
    chooses_landing = rules.king.flying and rules.king.landing != "behind"
    if not capture.landing_goes_on or not chooses_landing:
        return
    if capture.going_on == "right":
        yield at.clash(
            ("capture.landing_goes_on", "capture.going_on"),
            "capture.landing_goes_on = true demands a landing square that lets the capture go on, but with "
            'capture.going_on = "right" nothing needs to go on: set landing_goes_on = false',
        )
    if rules.penalty.take:
        yield at.clash(
            ("capture.landing_goes_on", "penalty.take"),
            "capture.landing_goes_on = true forbids landing squares that end the capture, but with penalty.take = "
            f"{rules.penalty.take} any part of a capture may be missed: set landing_goes_on = false",
        )


def _kings(rules: Rules, at: _Levels) -> Iterator[Contradiction]:
    king = rules.king
    if king.flying:
        return
    # Inherited values do no harm: a file that lets kings step turns a flying base's rules of flight off.
    if king.capture == "far" and at.beside("king.capture", "king.flying"):
        yield Contradiction(
            "king.capture",
            ("king.capture", "king.flying"),
            'with king.flying = false a king captures adjacent pieces only, never from afar ("far")',
        )
    if king.landing != "behind" and at.beside("king.landing", "king.flying"):
        yield Contradiction(
            "king.landing",
            ("king.landing", "king.flying"),
            f'with king.flying = false a king always lands right behind the captured piece, never "{king.landing}"',
        )


def _penalty(rules: Rules, at: _Levels) -> Iterator[Contradiction]:
    take = rules.penalty.take
    if take and not rules.capture.compulsory:
        yield at.clash(
            ("penalty.take", "capture.compulsory"),
            f"penalty.take = {take} punishes missed captures, but with capture.compulsory = false none can be missed",
        )
    if not take and at.beside("penalty.liable", "penalty.take"):
        yield at.clash(("penalty.liable", "penalty.take"), "no piece is liable while penalty.take = 0: set penalty.take too")


def _directions(rules: Rules, board: Board, at: _Levels) -> Iterator[Contradiction]:
    there = {direction.word(0) for direction in board.directions}
    lists = {
        "men.moves": rules.men.moves,
        "men.captures": rules.men.captures,
        "king.moves": rules.king.moves,
        "king.captures": rules.king.captures,
    }
    for key, words in lists.items():
        missing = [word for word in words if word not in there]
        if missing:
            has = ", ".join(word for word in DIRECTION_WORDS if word in there)
            message = f'a {board.kind} board has no direction "{missing[0]}" (it has {has})'
            yield Contradiction(key, (key, "board.kind"), message)
        if not words and key.endswith("moves"):
            yield Contradiction(key, (key,), "a piece needs at least one direction to move in")
    if not rules.men.captures and not rules.king.captures:
        yield at.clash(("men.captures", "king.captures"), "neither men nor kings could capture")
    if rules.promotion.zone not in board.zones:
        zones = ", ".join(sorted(board.zones))
        message = f'a {board.kind} board has no zone "{rules.promotion.zone}" (it has {zones})'
        yield at.clash(("promotion.zone", "board.kind"), message)


def _start(rules: Rules, board: Board, at: _Levels) -> Iterator[Contradiction]:
    texts = {"start.white": rules.start.white, "start.black": rules.start.black}
    placed: list[frozenset[int]] = []
    for side, (key, text) in enumerate(texts.items()):
        if 0 <= at.of(key) < at.of(*_RENAMING):
            yield Contradiction(key, (key, *_RENAMING), "the board is not the base's: say where the men start on this one")
            continue
        try:
            men = parse_points(text, board)
        except ValueError as error:
            yield Contradiction(key, (key, *_RENAMING), str(error))
            continue
        placed.append(men)
        yield from _start_of_side(rules, board, at, side, key, men)
    if len(placed) == 2 and placed[0] & placed[1]:
        yield at.clash(tuple(texts), f"both sides have men on {_named(placed[0] & placed[1], board)}")


def _start_of_side(
    rules: Rules, board: Board, at: _Levels, side: int, key: str, men: frozenset[int]
) -> Iterator[Contradiction]:
    few = rules.promotion.few_pieces
    if not men:
        yield Contradiction(key, (key,), "no men to start with")
    elif len(men) <= few:
        message = f"all {len(men)} men would be kings from the start, since promotion.few_pieces = {few}"
        yield at.clash((key, "promotion.few_pieces"), message)
    zones = board.zones.get(rules.promotion.zone)
    crowned = men & zones[side] if zones else frozenset()
    if crowned:
        yield at.clash((key, "promotion.zone"), f"men stand where they are promoted: {_named(crowned, board)}")


def _named(points: frozenset[int], board: Board) -> str:
    return ",".join(board.names[point] for point in sorted(points))


def _notation(rules: Rules, board: Board) -> Iterator[Contradiction]:
    if rules.notation.squares == "numeric" and not board.names[0].isdigit():
        message = f'the points of a {board.kind} board have no numbers: set notation.squares = "algebraic"'
        yield Contradiction("notation.squares", ("notation.squares", "board.kind"), message)
    fields = rules.names.gametype.split(",")
    if len(fields) != 6:
        return
    said = (fields[1], fields[2], fields[3], fields[5])
    first = "W" if rules.start.first == "white" else "B"
    true = (first, str(rules.board.columns), str(rules.board.rows), str(int(rules.board.mirrored)))
    if said != true:
        yield Contradiction(
            "names.gametype",
            ("names.gametype", "start.first", "board.columns", "board.rows", "board.mirrored"),
            f"it says {','.join(said)} for first mover, columns, rows and inversion, but these rules have {','.join(true)}",
        )


def _weights(rules: Rules, board: Board, at: _Levels) -> Iterator[Contradiction]:
    """A user's own file of weights must be right; of those that come with damd the name suffices."""
    key, name = "evaluation.weights", rules.evaluation.weights
    if not name:
        return
    if not name.endswith(SUFFIX):
        if not os.path.isfile(file_of(name)):
            yield at.clash((key,), f'no weights "{name}" come with damd; a file of your own is called "….weights"')
        return
    # Not imported above: few variants have a file of weights to read, and reading takes modules of its own.
    from damd.weights.files import WeightsError, load

    try:
        weights = load(name, board)
    except WeightsError as error:
        yield at.clash((key,), str(error))
        return
    # Inherited weights just do not apply to another board.
    if weights is None and at.beside(key, "board.columns") and at.beside(key, "board.rows"):
        yield at.clash((key,), f"{name} was made for another board")
