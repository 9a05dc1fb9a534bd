"""Keys of a variant file that its other keys leave without effect: their author expects something that never happens.

Only what a file says itself, or says again, is told; what it merely inherits does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from damd.rules import Rules

#: Whether the first key was set by the file that set the second one, or by a later file.
Beside = Callable[[str, str], bool]
#: The key without effect, the one that leaves it so, and what is wrong with that.
Idle = tuple[str, str, str]


def idle(rules: Rules, beside: Beside) -> Iterator[Idle]:
    """Every key without effect."""
    for key, other, message in (*_captures(rules), *_turns(rules), *_landings(rules), *_first_king(rules), *_choice(rules)):
        if beside(key, other):
            yield key, other, f"{message}: leave it out"


def _captures(rules: Rules) -> Iterator[Idle]:
    """What is said about captures that there are not."""
    if not rules.king.captures:
        for key in ("king.capture", "king.landing", "king.about_turn"):
            yield key, "king.captures", "with king.captures = [] kings capture nothing"
        if rules.promotion.in_capture == "as-king":
            message = 'with king.captures = [] a man that goes on "as-king" cannot go on'
            yield "promotion.in_capture", "king.captures", message
    if not rules.men.captures:
        yield "men.take_kings", "men.captures", "with men.captures = [] men capture nothing"
        yield "promotion.in_capture", "men.captures", "with men.captures = [] no man is promoted in a capture"


def _turns(rules: Rules) -> Iterator[Idle]:
    king = rules.king
    if king.about_turn:
        return
    key = "king.about_turn"
    if not king.flying:
        message = "with king.flying = false a king that turns back finds the square empty where it captured"
        yield key, "king.flying", message
    elif king.capture == "adjacent":
        message = 'with king.capture = "adjacent" a king that turns back finds nothing next to it'
        yield key, "king.capture", message
    if rules.capture.removal == "end-of-move":
        message = 'with capture.removal = "end-of-move" the piece just captured stays and stops every turn back anyway'
        yield key, "capture.removal", message


def _landings(rules: Rules) -> Iterator[Idle]:
    if rules.capture.landing_goes_on:
        return
    key, message = "capture.landing_goes_on", "there is one square to land on behind each captured piece, with"
    if not rules.king.flying:
        yield key, "king.flying", f"{message} king.flying = false"
    elif rules.king.landing == "behind":
        yield key, "king.landing", f'{message} king.landing = "behind"'


def _first_king(rules: Rules) -> Iterator[Idle]:
    """Where the first king wins no king is moved or captured; a man that goes on as a king is the one exception."""
    if not rules.end.first_king:
        return
    message = "with end.first_king = true the game is over before a king could"
    keys = [("men.take_kings", "be captured")]
    keys += [("king.quiet_limit", "move")] if rules.king.quiet_limit else []
    if rules.promotion.in_capture != "as-king":
        keys += [(key, "capture") for key in ("king.capture", "king.landing", "king.about_turn")]
    for key, what in keys:
        yield key, "end.first_king", f"{message} {what}"
    for draw in rules.end.draws:
        if draw.one.kings.least or draw.other.kings.least:
            yield "end.draws", "end.first_king", f'{message} count for "{draw.name}"'


def _choice(rules: Rules) -> Iterator[Idle]:
    choice, key = rules.capture.choice, "capture.choice"
    if "by-king" in choice:
        for kind in ("men", "king"):
            if not getattr(rules, kind).captures:
                yield key, f"{kind}.captures", f'"by-king" decides nothing with {kind}.captures = []'
    about_kings = [criterion for criterion in ("kings", "earliest-king") if criterion in choice]
    if about_kings and rules.end.first_king:
        yield (
            key,
            "end.first_king",
            f'"{about_kings[0]}" decides nothing with end.first_king = true, since no king is captured',
        )
