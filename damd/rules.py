"""The rules of one game as data: frozen dataclasses, one a section of a variant file.

Each key of a variant file is a field here; its ``metadata`` holds the description, the words or range it
takes and the place in the rules it comes from, so that the loader, the checker and the rule sheet all read
the same declaration. Nothing here knows a game by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from damd import geometry
from damd.geometry import BACKWARD, BACKWARD_DIAGONAL, DIRECTION_WORDS, FORWARD, FORWARD_DIAGONAL, SIDEWAYS

__all__ = [
    "BACKWARD",
    "BACKWARD_DIAGONAL",
    "CRITERIA",
    "FORWARD",
    "FORWARD_DIAGONAL",
    "SIDEWAYS",
    "BoardRules",
    "CaptureRules",
    "DrawRule",
    "EndRules",
    "EvaluationRules",
    "Force",
    "KingRules",
    "LocalNames",
    "MenRules",
    "Names",
    "NotationRules",
    "PenaltyRules",
    "PromotionRules",
    "Rules",
    "Span",
    "StartRules",
]

#: What may decide between captures; a variant lists some of them in order of weight.
CRITERIA = ("pieces", "value", "by-king", "kings", "earliest-king")


def key(
    default: Any,
    doc: str,
    *,
    words: tuple[str, ...] | None = None,
    low: int | None = None,
    high: int | None = None,
    source: str = "",
) -> Any:
    """A field that a variant file may set. ``words`` lists allowed texts, ``low``/``high`` bound a number."""
    return field(default=default, metadata={"doc": doc, "words": words, "low": low, "high": high, "source": source})


@dataclass(frozen=True, slots=True)
class LocalNames:
    """What the game is called in a language of its own: a table ``[names.CODE]``; ``language`` is that code."""

    language: str
    title: str = key("", "the name for people who read that language; without it the common one")
    source: str = key("", "where the rules come from, in that language")


@dataclass(frozen=True, slots=True)
class Names:
    """What the game is called. Never inherited from a base variant."""

    name: str = key("", "the variant's own name, lower case with hyphens")
    title: str = key("", "the name for people")
    aliases: tuple[str, ...] = key((), "other names accepted in UCI_Variant")
    hub: str = key("", "the Hub protocol's name, where it has one")
    gametype: str = key("", "the PDN GameType, where there is one")
    source: str = key("", "where the rules come from")
    local: tuple[LocalNames, ...] = ()

    def in_language(self, code: str) -> LocalNames | None:
        """Its names in that language; ``None`` where it is none of the game's own."""
        return next((each for each in self.local if each.language == code), None)


@dataclass(frozen=True, slots=True)
class BoardRules:
    """The board; built by ``damd.geometry``."""

    kind: str = key("diagonal", "chequered board, all squares, or the 37 points", words=("diagonal", "square", "tailed"))
    columns: int = key(8, "files", low=4, high=12)
    rows: int = key(8, "ranks", low=4, high=12)
    mirrored: bool = key(False, "true where the bottom-left corner is not a playing square")
    numbering: str = key("top-left", "where square 1 lies", words=("top-left", "bottom-right"))


@dataclass(frozen=True, slots=True)
class MenRules:
    """How men move and capture."""

    moves: tuple[str, ...] = key((FORWARD_DIAGONAL,), "directions of a man's step", words=DIRECTION_WORDS)
    captures: tuple[str, ...] = key((FORWARD_DIAGONAL,), "directions of a man's capture", words=DIRECTION_WORDS)
    take_kings: bool = key(True, "false where a man may not capture a king", source="italian rules")


@dataclass(frozen=True, slots=True)
class KingRules:
    """How kings (haji, sakti) move and capture."""

    moves: tuple[str, ...] = key((FORWARD_DIAGONAL, BACKWARD_DIAGONAL), "directions of a king's move", words=DIRECTION_WORDS)
    captures: tuple[str, ...] = key(
        (FORWARD_DIAGONAL, BACKWARD_DIAGONAL), "directions of a king's capture", words=DIRECTION_WORDS
    )
    flying: bool = key(True, "true where a king slides any distance, false where it goes one step")
    capture: str = key("far", "whether a flying king captures from afar", words=("far", "adjacent"))
    landing: str = key(
        "any",
        "where a flying king may land behind the captured piece; `behind-king` halts right behind a king that is "
        "the last piece captured by a king",
        words=("any", "behind", "behind-king"),
    )
    about_turn: bool = key(True, "false where a king may not turn by 180 degrees between two jumps", source="turkish rules")
    quiet_limit: int = key(
        0,
        "how many consecutive quiet moves the same king may make while its side has a man; 0 for no limit",
        low=0,
        high=15,
        source="frisian rules, three king moves",
    )


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """The duty to capture and how a capture runs."""

    compulsory: bool = key(True, "false where a capture need not be made at all")
    going_on: str = key(
        "duty", "whether a capture that can go on must (`duty`) or may be stopped freely (`right`)", words=("duty", "right")
    )
    landing_goes_on: bool = key(
        True,
        "true where, of the squares behind the captured piece, those that let the capture go on have precedence; "
        "false where the landing square is free, and the duty to go on holds from the one chosen",
    )
    removal: str = key("end-of-move", "when captured pieces leave the board", words=("at-once", "end-of-move"))
    choice: tuple[str, ...] = key((), "what decides between captures, first criterion first", words=CRITERIA)


@dataclass(frozen=True, slots=True)
class PromotionRules:
    """How a man becomes a king."""

    zone: str = key("far-row", "the points that promote", words=("far-row", "tail"))
    in_capture: str = key(
        "as-man",
        "a man that reaches the zone while it could go on capturing: it stops there as a king, goes on as a man and "
        "is promoted only where it ends, or goes on as a king",
        words=("stop", "as-man", "as-king"),
    )
    few_pieces: int = key(
        0, "a side left with so many pieces or fewer has all of them promoted; 0 for never", low=0, high=16
    )


@dataclass(frozen=True, slots=True)
class PenaltyRules:
    """The right that a missed capture gives the opponent (huff, DAM). ``take`` 0: missing a capture is illegal."""

    take: int = key(0, "how many pieces the opponent may take off; 0 where captures cannot be missed", low=0, high=3)
    liable: str = key(
        "capable-piece",
        "which pieces he may take: those that failed to capture, or any",
        words=("capable-piece", "any-piece"),
    )


#: More pieces than a side has on any board: the upper end of a span without one.
MANY = 99

#: How many draw rules a variant may have.
MOST_DRAWS = 16


@dataclass(frozen=True, slots=True)
class Span:
    """From ``least`` to ``most`` pieces, both included. In a variant file ``2``, ``"1-3"`` or ``"1+"``."""

    least: int = 0
    most: int = MANY

    def __contains__(self, count: int) -> bool:
        return self.least <= count <= self.most

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least}+" if self.most >= MANY else f"{self.least}-{self.most}"


ANY = Span()


@dataclass(frozen=True, slots=True)
class Force:
    """What one side has on the board where a draw rule holds."""

    pieces: Span = field(default=ANY, metadata={"doc": "men and kings together"})
    men: Span = field(default=ANY, metadata={"doc": "men"})
    kings: Span = field(default=ANY, metadata={"doc": "kings"})


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A row ``[[end.draws]]``: the game is drawn once an ending has lasted so long.

    The ending is there while White is ``one`` and Black ``other``, or the other way round, and the rest of the
    row's conditions hold too. It begins to be counted with the ply after the one that brought it about.
    """

    name: str = key("", "what the end of the game is called in answers: a-z, 0-9 and single hyphens")
    limit: int = key(0, "how many moves of each side draw", low=1, high=1000)
    one: Force = field(default=Force(), metadata={"doc": "what one side has"})
    other: Force = field(default=Force(), metadata={"doc": "what the other side has"})
    pieces: Span = field(default=ANY, metadata={"doc": "the pieces of both sides together"})
    main_road: str = key("nobody", "the side that has a king on the main road", words=("nobody", "one", "other"))
    renewed_by: str = key(
        "nothing",
        "what begins the count anew while the ending goes on: nothing, a change of the balance (a capture, claim or "
        "promotion), or progress (these, and a forward move of a man, as for end.move_limit)",
        words=("nothing", "balance", "progress"),
    )
    unless_capture: bool = key(False, "true where the draw waits while the side to move can capture")
    replaces_move_limit: bool = key(False, "true where end.move_limit does not count as long as the ending is there")

    @property
    def of_any_force(self) -> bool:
        """True where the rule asks for no pieces at all: then it is no rule of endings, but another move limit."""
        return self.one == self.other == Force() and self.pieces == ANY


@dataclass(frozen=True, slots=True)
class EndRules:
    """How the game ends."""

    no_moves: str = key("loss", "what it means to have no piece or no legal ply", words=("loss", "win"))
    first_king: bool = key(
        False, "true where the side that first has a king wins; a man that only passes the far row has not become one"
    )
    one_each: str = key(
        "never",
        "whether one piece each is a draw: never, at once, or as soon as the side to move cannot capture",
        words=("never", "at-once", "unless-capture"),
    )
    repetition: int = key(
        3, "the occurrence of a position (board, side, right, extra state) that draws; 0 for never", low=0, high=9
    )
    move_limit: int = key(
        25,
        "moves of each side without capture, claim, promotion or forward move of a man that draw; 0 for never",
        low=0,
        high=1000,
    )
    draws: tuple[DrawRule, ...] = key((), "rules for endings, in rows [[end.draws]]; those of a base are all replaced")


@dataclass(frozen=True, slots=True)
class StartRules:
    """The start position: lists of points and ranges in board order, as in a FEN."""

    white: str = key("", "White's men")
    black: str = key("", "Black's men")
    first: str = key("white", "who begins", words=("white", "black"))
    by_agreement: bool = key(False, "true where the players agree who begins; `first` is then only the default")


@dataclass(frozen=True, slots=True)
class NotationRules:
    """How plies and positions are written."""

    squares: str = key("numeric", "how squares are written by default", words=("numeric", "algebraic"))
    separator: str = key("x", "the capture separator of the game's PDN", words=("x", ":", "-"))


@dataclass(frozen=True, slots=True)
class EvaluationRules:
    """How damd judges positions of the game; no rule of play."""

    weights: str = key(
        "",
        "the trained weights to play it with: a name of those that come with damd, or a file `….weights` "
        "beside the variant file; empty for weights worked out from the rules",
    )


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of one variant. Frozen: derive another with ``dataclasses.replace``."""

    names: Names = Names()
    board: BoardRules = BoardRules()
    men: MenRules = MenRules()
    king: KingRules = KingRules()
    capture: CaptureRules = CaptureRules()
    promotion: PromotionRules = PromotionRules()
    penalty: PenaltyRules = PenaltyRules()
    end: EndRules = EndRules()
    start: StartRules = StartRules()
    notation: NotationRules = NotationRules()
    evaluation: EvaluationRules = EvaluationRules()

    @property
    def name(self) -> str:
        return self.names.name

    @property
    def geometry(self) -> geometry.Board:
        """The board; the same object for equal board rules."""
        b = self.board
        return geometry.build(b.kind, b.columns, b.rows, b.mirrored, b.numbering)

    def without_penalty(self) -> Rules:
        """These rules with missed captures forbidden: exactly the plies that risk no penalty are legal."""
        return replace(self, penalty=replace(self.penalty, take=0))
