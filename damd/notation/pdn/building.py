"""From a game's words to its plies: every word is played, variations from the position they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from damd.core.position import Position
from damd.core.types import Ply, Setup, TooManyPlies
from damd.notation.fen import FenError, parse_fen
from damd.notation.pdn import lexer
from damd.notation.pdn.comments import read_comment
from damd.notation.pdn.lexer import plain_mark, plain_ply
from damd.notation.pdn.model import MAX_DEPTH, Comment, Line, Node, not_read
from damd.notation.pdn.settling import Player, what_is_open, writing_of
from damd.notation.pdn.splitting import MAX_FAULTS, Word
from damd.notation.spelling import PlyError
from damd.notation.squares import SIDES, shown
from damd.rules import Rules

#: Nodes that are kept for other games.
_REMEMBERED = 16_384
#: Plies that are handed to the core at once.
_STEPS = 64

_TURN_ALONE = re.compile(r"\s*([WBwb])\s*:\s*:?\s*\.?\s*")
_PLIES = (lexer.PLY, lexer.NUMERAL)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault in the words of one game."""

    line: int
    ply: int
    token: str
    message: str
    warning: bool


@dataclass(slots=True)
class _Open:
    """A ply with marks, comments or variations, while there may be more of them. Most plies have none."""

    ply: Ply | None
    setup: Setup | None = None
    before: Setup | None = None  # the position before a position that was put up
    strength: str = ""
    nags: list[int] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)

    def node(self) -> Node:
        return Node(self.ply, self.setup, self.strength, tuple(self.nags), tuple(self.comments), tuple(self.variations))


@dataclass(slots=True)
class _Unfinished:
    """A line while it is read. ``ply`` was read last; ``last`` is the same once there is more of it than the ply."""

    position: Position
    depth: int
    count: int
    nodes: list[Node] = field(default_factory=list)
    lead: list[Comment] = field(default_factory=list)
    ply: Ply | None = None
    last: _Open | None = None

    def opened(self) -> _Open | None:
        """The ply that was read last, for more to be said about it."""
        if self.last is None and self.ply is not None:
            self.last = _Open(self.ply)
        return self.last


class Builder:
    """Reads games under one set of rules whose squares are named in one way; keeps its positions from game to game."""

    def __init__(self, rules: Rules, player: Player) -> None:
        self._rules = rules
        self._player = player
        self._positions: list[Position] = []
        self._nodes: dict[int, Node] = {}  # by the ply's identity, which is that of a ply as long as its node is here
        self._words: list[Word] = []
        self.troubles: list[Trouble] = []
        self.rest = ""
        self._left = ""  # of a variation: what could not be read
        self._at = 0

    def build(self, words: list[Word], start: Setup) -> Line:
        """The main line of a game; ``troubles`` and ``rest`` say what is wrong with it and what could not be read."""
        self._words = words
        self.troubles = []
        self.rest = ""
        self._at = 0
        self._player.begin()
        return self._line(start, 0, 0)

    def _line(self, start: Setup, depth: int, count: int) -> Line:
        """The line that begins with the next word, up to the parenthesis that closes it; ``count`` plies lie before it."""
        position = self._position(depth)
        position.set(start)
        line = _Unfinished(position, depth, count)
        words = self._words
        total = len(words)
        going_on = True
        while going_on and self._at < total:
            kind, text, number = words[self._at]
            if kind == lexer.PLY:
                going_on = self._plies(line, text, number)
                continue
            if kind == lexer.CLOSE:
                break
            if kind == lexer.OPEN:
                self._variation(line)
                continue
            if kind == lexer.NUMERAL:
                if len(text) > 2 and not self._is_number(text, position):
                    words[self._at] = (lexer.PLY, text, number)
                    continue
            elif kind in (lexer.SETUP, lexer.NULL):
                going_on = self._put_up(line, kind, text, number)
            else:
                self._decorate(line, kind, text, number)
            self._at += going_on
        self._flush(line)
        return Line(tuple(line.nodes), tuple(line.lead))

    def _plies(self, line: _Unfinished, text: str, number: int) -> bool:
        """Play the next plies, one at least; false where the first of them is illegal."""
        self._flush(line)
        try:
            made = line.position.play_steps(self._steps())
            if made:
                line.ply = made.pop()
                line.nodes += [self._node(ply) for ply in made]
                line.count += len(made) + 1
                self._at += len(made) + 1
                return True
            if self._at + 1 < len(self._words) and self._words[self._at + 1][0] == lexer.PLY:
                text = self._whole(text)
            line.ply, several = self._player.play(text, line.position, self._following)
        except (PlyError, TooManyPlies) as fault:
            self._stop(number, line.count + 1, text, str(fault), line.depth)
            return False
        line.count += 1
        if several:
            what = what_is_open(text, several, self._rules.geometry, writing_of(plain_ply(text)))
            self._trouble(number, line.count, "", what)
        self._at += 1
        return True

    def _put_up(self, line: _Unfinished, kind: str, text: str, number: int) -> bool:
        """Put up a position in the middle of the line; false where it is none."""
        before = line.position.setup()
        setup = self._setup(kind, text, before, number, line)
        if setup is None:
            return False
        self._flush(line)
        line.last = _Open(None, setup, before)
        line.position.set(setup)
        return True

    def _flush(self, line: _Unfinished) -> None:
        """There is nothing more about the ply that was read last."""
        if line.last is not None:
            line.nodes.append(line.last.node())
        elif line.ply is not None:
            line.nodes.append(self._node(line.ply))
        line.ply = line.last = None

    def _decorate(self, line: _Unfinished, kind: str, text: str, number: int) -> None:
        """A word about the ply before it, or about the line that begins with it."""
        last = line.opened()
        if kind == lexer.COMMENT:
            (line.lead if last is None else last.comments).append(read_comment(text))
        elif kind not in (lexer.MARK, lexer.NAG):
            self._trouble(number, line.count, text, "a result in the middle of the game: left out")
        elif last is None:
            self._trouble(number, line.count, text, "a mark before any ply: left out")
        elif kind == lexer.MARK:
            last.strength += plain_mark(text)
        else:
            last.nags.append(int(text[1:]))

    def _position(self, depth: int) -> Position:
        if depth == len(self._positions):
            self._positions.append(Position(self._rules))
        return self._positions[depth]

    def _node(self, ply: Ply) -> Node:
        """A ply of which there is nothing more to say; games share such nodes as they share plies."""
        node = self._nodes.get(id(ply))
        if node is None or node.ply is not ply:
            if len(self._nodes) >= _REMEMBERED:
                self._nodes.clear()
            node = self._nodes[id(ply)] = Node(ply)
        return node

    def _steps(self) -> list[int]:
        """The next plies that are spelled with two squares, as far as texts have been met before."""
        steps = []
        known = self._player.steps
        words = self._words
        for kind, text, _ in words[self._at : self._at + _STEPS]:
            if kind != lexer.PLY:
                break
            step = known.get(text, -1)
            if step < 0:
                break
            steps.append(step)
        return steps

    def _whole(self, text: str) -> str:
        """The ply that begins here, with the steps that stand behind it as words of their own."""
        words = self._words
        while self._at + 1 < len(words):
            kind, following, _ = words[self._at + 1]
            if kind != lexer.PLY or not self._player.continues(text, following):
                break
            text = self._player.joined(text, following)
            self._at += 1
        return text

    def _following(self) -> Iterator[str]:
        """The texts of the plies behind this word, in its own line."""
        depth = 0
        held = ""
        for kind, text, _ in self._words[self._at + 1 :]:
            if kind == lexer.OPEN:
                depth += 1
            elif kind == lexer.CLOSE:
                depth -= 1
                if depth < 0:
                    break
            elif depth == 0 and kind in (lexer.SETUP, lexer.NULL):
                break
            elif depth == 0 and (kind == lexer.PLY or (kind == lexer.NUMERAL and len(text) > 2)):
                if held and self._player.continues(held, text):
                    held = self._player.joined(held, text)
                    continue
                if held:
                    yield held
                held = text
        if held:
            yield held

    def _is_number(self, text: str, position: Position) -> bool:
        """Whether digits alone are the number of a move, the dot forgotten: they are no ply, and a ply follows."""
        following = self._words[self._at + 1][0] if self._at + 1 < len(self._words) else ""
        if following != lexer.PLY:
            return False
        try:
            ends = [(one.points[0], one.points[-1]) for one in self._player.spellings(text)]
            return not any(position.between(*pair) for pair in ends)
        except PlyError:
            return True
        except TooManyPlies:
            return False

    def _variation(self, line: _Unfinished) -> None:
        """Read what stands in parentheses; the next word is the opening one."""
        number = self._words[self._at][2]
        last, position, count = line.opened(), line.position, line.count
        if last is None or line.depth == MAX_DEPTH:
            what = "a variation before any ply" if last is None else f"variations more than {MAX_DEPTH} deep"
            self._trouble(number, count, "(", f"{what}: left out", warning=False)
            (line.lead if last is None else last.comments).append(not_read(self._skip()))
            return
        if last.ply is not None:
            position.undo()
            before = position.setup()
            position.play(last.ply)
            count -= 1
        else:
            before = last.before or position.setup()
        self._at += 1
        self._left = ""
        variation = self._line(before, line.depth + 1, count).with_rest(self._left)
        self._left = ""
        self._close()
        if variation.nodes or variation.comments:
            last.variations.append(variation)

    def _skip(self) -> str:
        """Go behind the parenthesis that closes the next word's; the text of it all."""
        begun = self._at
        self._at += 1
        self._close()
        return as_text(self._words[begun : self._at])

    def _close(self) -> None:
        """Go behind the parenthesis that closes the one we are in."""
        depth = 1
        while depth and self._at < len(self._words):
            kind = self._words[self._at][0]
            depth += (kind == lexer.OPEN) - (kind == lexer.CLOSE)
            self._at += 1

    def _setup(self, kind: str, text: str, before: Setup, number: int, line: _Unfinished) -> Setup | None:
        """The position that is put up in the middle of a game."""
        alone = _TURN_ALONE.fullmatch(text) if kind == lexer.SETUP else None
        if kind == lexer.NULL or alone:
            side = 1 - before.side if alone is None else "WB".index(alone[1].upper())
            if alone is None:
                what = f"an unknown move: the board stays and {SIDES[side]} is to move"
                self._trouble(number, line.count, text, what)
            return Setup(side, before.men, before.kings, halfmoves=before.halfmoves, fullmoves=before.fullmoves)
        try:
            return parse_fen(text, self._rules, board=self._player.board)
        except FenError as fault:
            self._stop(number, line.count, "", f"/FEN/: {fault.message}", line.depth)
            return None

    def _stop(self, number: int, ply: int, token: str, message: str, depth: int) -> None:
        """This line ends here: the words up to its end are left out."""
        if depth:
            message = f"in a variation: {message}"
        self._trouble(number, ply, token, message, warning=False)
        if depth:
            self._at += 1
            begun, level = self._at - 1, 0
            while self._at < len(self._words):
                kind = self._words[self._at][0]
                if kind == lexer.CLOSE and level == 0:
                    break
                level += (kind == lexer.OPEN) - (kind == lexer.CLOSE)
                self._at += 1
            self._left = as_text(self._words[begun : self._at])
            return
        self.rest = as_text(self._words[self._at :])
        self._at = len(self._words)

    def _trouble(self, line: int, ply: int, token: str, message: str, warning: bool = True) -> None:
        if len(self.troubles) < MAX_FAULTS:
            self.troubles.append(Trouble(line, ply, shown(token), message, warning))
        elif len(self.troubles) == MAX_FAULTS:
            self.troubles.append(Trouble(line, ply, "", "more faults in this game are not told", warning))
        elif not warning:
            self.troubles[-1] = replace(self.troubles[-1], warning=False)


def as_text(words: Iterable[Word]) -> str:
    """The words as PDN again."""
    texts = []
    for kind, text, _ in words:
        if kind == lexer.COMMENT:
            texts.append("{" + text + "}")
        else:
            texts.append(f'/FEN "{text}"/' if kind == lexer.SETUP else text)
    return " ".join(texts)
