"""Games as strict PDN 3.0: what is written is what the grammar ``pdn.lark`` says, and reads back the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from damd.core.position import Position, start_setup
from damd.core.types import PlyKind, Setup
from damd.geometry import BLACK, WHITE
from damd.notation.fen import format_fen
from damd.notation.pdn.comments import changes, text_changes, write_comment
from damd.notation.pdn.gametypes import own_gametype, pdn_squares, rules_of_gametype
from damd.notation.pdn.lexer import escaped
from damd.notation.pdn.model import DERIVED, MAX_DEPTH, MAX_GAME, Game, Line, Node
from damd.notation.pdn.results import first_side, write_result
from damd.notation.pdn.short import short_ply, short_ply_at
from damd.rules import Rules
from damd.variants import VariantError, load

#: Lines are broken between words behind so many characters; a long comment stays whole.
WIDTH = 79

_STRENGTH = re.compile(r"(?:[!?]+|\([!?]+\))+")


class Writer:
    """Writes games, one after the other; quicker than ``write_game`` for each, which makes a board of its own."""

    def __init__(self, *, variant_path: str | None = None, first_score: str = "rules") -> None:
        self._variant_path = variant_path
        self._first_score = first_score
        self._body: _Body | None = None

    def write(self, game: Game) -> str:
        """One game, as ``write_game`` says."""
        lines = [f'[{name} "{escaped(value)}"]' for name, value in _tags(game, self._variant_path, self._first_score)]
        if self._body is None or self._body.rules != game.rules:
            self._body = _Body(game.rules)
        return "\n".join([*lines, "", *_wrapped([*self._body.written(game), "*"]), "", ""])


def write_game(game: Game, *, variant_path: str | None = None, first_score: str = "rules") -> str:
    """The whole game: its tags, an empty line, its plies with everything about them, ``*`` and an empty line.

    Plies are in the shortest form that PDN allows, squares and separator those of the game's GameType. It reads back the
    same but for what ``changed`` names. Raises ``ValueError`` for a ply that is not legal where it stands, and for
    variations more than ``MAX_DEPTH`` deep.
    """
    return Writer(variant_path=variant_path, first_score=first_score).write(game)


def changed(game: Game, text: str, first_score: str = "rules") -> Iterator[str]:
    """What PDN does not hold as it is in the game, whose ``text`` is what ``write_game`` wrote: a few words for each."""
    own = own_gametype(game.rules)
    result = write_result(game.verdict, game.score, own.number if own else None, first_side(game.rules, first_score))
    if game.score and result != game.score:
        yield "results beside another winner"
    for name, value in game.tags:
        if not value.strip() or name.lower() in DERIVED:
            yield "tags without a value or with the name of another"
        elif tag_name(name)[1:] != name[1:] or tag_name(name)[0] != name[0].upper():
            yield "names of tags"
        yield from text_changes(value, "tags")
    yield from _changed_in(game.line)
    if len(text) > MAX_GAME:
        yield f"more than {MAX_GAME} characters of a game"


def _changed_in(line: Line) -> Iterator[str]:
    for comment in line.comments:
        yield from changes(comment)
    for node in line.nodes:
        for comment in node.comments:
            yield from changes(comment)
        if node.strength and not _STRENGTH.fullmatch(node.strength):
            yield "marks that PDN does not have"
        for variation in node.variations:
            yield from _changed_in(variation)


def tag_name(name: str) -> str:
    """``name`` as PDN can have it: letters, digits and ``_``, the first one a capital."""
    kept = "".join(char if char.isalnum() or char == "_" else "_" for char in name)
    if not kept[:1].isalpha():
        kept = "Tag" + kept
    return kept[0].upper() + kept[1:]


def _tags(game: Game, variant_path: str | None, first_score: str) -> list[tuple[str, str]]:
    rules = game.rules
    own = own_gametype(rules)
    shared = own is None or not _is_type_of(rules, variant_path)
    result = write_result(game.verdict, game.score, own.number if own else None, first_side(rules, first_score))
    kept = [(tag_name(name), value) for name, value in game.tags if value.strip()]
    tags = [(name, value) for name, value in kept if name.lower() not in DERIVED]
    # A name that begins a game and stands in it again would begin the next one: Result stands once.
    doubled = [name.lower() for name, _ in tags].count(tags[0][0].lower()) > 1 if tags else False
    tags.insert(0 if doubled else len(tags), ("Result", result))
    if shared and rules.name:
        tags.append(("Variant", rules.name))
    if own is not None:
        tags.append(("GameType", rules.names.gametype))
    if _forbids(rules, variant_path):
        tags.append(("MissedCapture", "forbidden"))
    if game.start is not None:
        tags.append(("FEN", fen_of(game.start, rules)))
    return tags


def fen_of(setup: Setup, rules: Rules) -> str:
    """The FEN in the game's PDN squares, with counters where they are not those of a start."""
    full = (setup.halfmoves, setup.fullmoves) != (0, 1)
    return format_fen(setup, rules, full=full, squares=pdn_squares(rules))


def _is_type_of(rules: Rules, variant_path: str | None) -> bool:
    """Whether a reader that knows the GameType alone would take this variant for it."""
    own = own_gametype(rules)
    found = rules_of_gametype(own, variant_path) if own is not None else None
    return found is not None and found.name == rules.name


@lru_cache(maxsize=64)
def _forbids(rules: Rules, variant_path: str | None) -> bool:
    """Whether missed captures are forbidden here but not by the variant itself."""
    if rules.penalty.take or not rules.name:
        return False
    try:
        return load(rules.name, variant_path).penalty.take > 0
    except VariantError:
        return False


class _Body:
    """The words of one game's movetext."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._squares = pdn_squares(rules)
        self._separator = rules.notation.separator
        self._starter = BLACK if rules.start.first == "black" and not rules.start.by_agreement else WHITE
        self._positions: list[Position] = []

    def written(self, game: Game) -> list[str]:
        setup = game.start if game.start is not None else start_setup(self.rules)
        return self._line(game.line, setup, setup.fullmoves, 0)

    def _line(self, line: Line, start: Setup, number: int, depth: int) -> list[str]:
        if depth > MAX_DEPTH:
            raise ValueError(f"variations in variations, more than {MAX_DEPTH} deep")
        if depth == len(self._positions):
            self._positions.append(Position(self.rules))
        position = self._positions[depth]
        position.set(start)
        side = start.side
        words = [write_comment(comment) for comment in line.comments]
        numbered = False  # whether the number stands before the plies of this move already
        for node in line.nodes:
            before = position.setup() if node.variations else None
            if node.setup is not None:
                words.append(f'/FEN "{fen_of(node.setup, self.rules)}"/')
                position.set(node.setup)
                numbered = False
                following = node.setup.side
                number_after = number + (side != self._starter and following == self._starter)
            else:
                lead = "" if numbered else f"{number}. " if side == self._starter else f"{number}... "
                words.append(lead + self._ply(node, position) + _strength(node))
                claim = node.ply is not None and node.ply.kind is PlyKind.CLAIM
                following = side if claim else 1 - side
                number_after = number + (following != side and side != self._starter)
                numbered = claim or side == self._starter
            words += [f"${nag}" for nag in node.nags]
            words += [write_comment(comment) for comment in node.comments]
            variations = [variation for variation in node.variations if variation.nodes or variation.comments]
            for variation in variations:
                assert before is not None
                inner = self._line(variation, before, number, depth + 1)
                inner[0] = "(" + inner[0]
                words += [*inner[:-1], inner[-1] + ")"]
            if node.comments or variations:
                numbered = False
            side, number = following, number_after
        return words

    def _ply(self, node: Node, position: Position) -> str:
        ply = node.ply
        if ply is None:
            raise ValueError("a node without a ply and without a position")
        if ply.kind is not PlyKind.CLAIM:
            places = position.between(ply.origin, ply.end)
            if len(places) == 1 and position.ply_at(places[0]) == ply:
                text = short_ply_at(places[0], position, self._squares, self._separator)
                position.play_at(places[0])
                return text
        text = short_ply(ply, position.plies(), self.rules, self._squares, self._separator)
        position.play(ply)
        return text


def _strength(node: Node) -> str:
    """The mark glued to the ply; PDN has signs for no others."""
    return node.strength if node.strength and _STRENGTH.fullmatch(node.strength) else ""


def _wrapped(words: list[str]) -> list[str]:
    """Lines of at most ``WIDTH`` characters, as far as the words let them."""
    lines: list[str] = []
    row: list[str] = []
    length = 0
    for word in words:
        if row and length + 1 + len(word) > WIDTH:
            lines.append(" ".join(row))
            row, length = [], 0
        length += len(word) + bool(row)
        row.append(word)
    return [*lines, " ".join(row)]
