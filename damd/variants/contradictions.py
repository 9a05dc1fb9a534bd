"""Rules that are each right by themselves and wrong together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from damd.geometry import DIRECTION_WORDS, Board
from damd.rules import BACKWARD, BACKWARD_DIAGONAL, SIDEWAYS, Rules
from damd.variants.draws import clashes
from damd.variants.idle import idle
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

    def said(self, *keys: str) -> bool:
        """True where a file set one of the keys. Rules that come from no file are somebody's experiment."""
        return self.of(*keys) >= 0

    def clash(self, keys: tuple[str, ...], message: str) -> Contradiction:
        """Reported at the key that was set last: its author saw the others."""
        return Contradiction(max(keys, key=self.of), keys, message)


def contradictions(rules: Rules, levels: Mapping[str, int]) -> Iterator[Contradiction]:
    """Every contradiction within the rules; ``levels`` says which file of the chain set which key."""
    at = _Levels(levels)
    yield from _captures(rules, at)
    yield from _kings(rules, at)
    yield from _penalty(rules, at)
    yield from _choice(rules, at)
    yield from _men(rules, at)
    for key, other, message in idle(rules, at.beside):
        yield Contradiction(key, (key, other), message)
    if rules.end.first_king and rules.promotion.few_pieces:
        yield at.clash(
            ("end.first_king", "promotion.few_pieces"),
            "end.first_king = true lets the side with the first king win, but with promotion.few_pieces = "
            f"{rules.promotion.few_pieces} that would be the side that has lost most pieces",
        )
    if rules.end.repetition == 1:
        yield at.clash(("end.repetition",), "1 would draw every game at once, since the first position counts; 0 is never")
    try:
        board = rules.geometry
    except ValueError as error:
        yield at.clash((*_RENAMING, "board.mirrored"), str(error))
        yield from (at.clash(keys, message) for keys, message in clashes(rules, None))
        return
    yield from (at.clash(keys, message) for keys, message in clashes(rules, board))
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


#: Criteria that decide nothing once captures are equal by others: the one, and either of the groups that settle it.
_SETTLED = {
    "pieces": ({"value"},),
    "value": ({"pieces", "kings"}, {"pieces", "earliest-king"}),
    "kings": ({"value"}, {"earliest-king"}),
}


def _choice(rules: Rules, at: _Levels) -> Iterator[Contradiction]:
    """Criteria that come too late to decide anything."""
    choice = rules.capture.choice
    for number, criterion in enumerate(choice):
        before = set(choice[:number])
        group = next((group for group in _SETTLED.get(criterion, ()) if group <= before), None)
        if group is not None and at.said("capture.choice"):
            named = " and ".join(f'"{each}"' for each in choice if each in group)
            message = f'"{criterion}" never decides behind {named}, by which captures are equal in it already: leave it out'
            yield at.clash(("capture.choice",), message)


def _men(rules: Rules, at: _Levels) -> Iterator[Contradiction]:
    """Men that get nowhere, and kings that nothing can capture."""
    keys = ("men.moves", "men.captures")
    stay_back = {*rules.men.moves, *rules.men.captures} <= {BACKWARD, BACKWARD_DIAGONAL, SIDEWAYS}
    if rules.men.moves and stay_back and not rules.promotion.few_pieces and at.said(*keys):
        yield at.clash(keys, "men that never go forward are never promoted: give them a forward direction")
    if rules.men.captures and not rules.men.take_kings and not rules.king.captures:
        message = "with men.take_kings = false and king.captures = [] no piece could ever capture a king"
        yield at.clash(("men.take_kings", "king.captures"), message)
    if rules.penalty.take and rules.end.no_moves == "win" and at.said("penalty.take", "end.no_moves"):
        yield at.clash(
            ("penalty.take", "end.no_moves"),
            f'penalty.take = {rules.penalty.take} takes pieces off, but with end.no_moves = "win" that helps who missed the '
            "capture: set penalty.take = 0",
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
    elif len(placed) == 2 and all(placed) and at.said(*texts, "start.first", "men.moves", "men.captures", *_RENAMING):
        yield from _first_ply(rules, board, at, placed)


def _first_ply(rules: Rules, board: Board, at: _Levels, placed: list[frozenset[int]]) -> Iterator[Contradiction]:
    """Whether the game can begin."""
    side = ("white", "black").index(rules.start.first)
    men, others = placed[side], placed[1 - side]
    if rules.end.one_each != "never" and len(men) == len(others) == 1:
        message = f'one man each is a draw from the start, with end.one_each = "{rules.end.one_each}"'
        yield at.clash(("start.white", "start.black", "end.one_each"), message)
    for direction in board.directions:
        word = direction.word(side)
        for man in men:
            following = direction.next[man]
            beyond = direction.next[following] if following >= 0 else -1
            steps = word in rules.men.moves and following >= 0 and following not in men | others
            jumps = word in rules.men.captures and following in others and beyond >= 0 and beyond not in men | others
            if steps or jumps:
                return
    keys = ("start.white", "start.black", "start.first", "men.moves", "men.captures")
    yield at.clash(keys, f"{rules.start.first.capitalize()} begins and has no move: leave a free square before the men")


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
    # The corner of square 1, as the side that begins sees it: 0 and 1 at its own end, left and right, 2 and 3 at the other.
    corner = "2" if (rules.board.numbering == "top-left") == (rules.start.first == "white") else "1"
    if fields[4][0] == "N" and fields[4][1] != corner and board.kind == "diagonal":
        yield Contradiction(
            "names.gametype",
            ("names.gametype", "board.numbering", "start.first"),
            f'it says {fields[4]}, but with board.numbering = "{rules.board.numbering}" square 1 lies in the corner '
            f"N{corner} as {rules.start.first.capitalize()} sees it, who begins",
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
