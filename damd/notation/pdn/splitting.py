"""A file's games, each as its tags and words: where one ends and the next begins, without looking at any rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from damd.notation.pdn import lexer
from damd.notation.pdn.lexer import WORDS, unescaped
from damd.notation.pdn.model import MAX_GAME
from damd.notation.squares import shown

#: Faults of one game that are told singly.
MAX_FAULTS = 100

#: A line with which a new game begins even inside a comment that nobody closed.
_TAG_LINE = re.compile(r'\s*\[\s*[A-Z]\w*\s+".*"\s*\]\s*$')
_EVENT_LINE = re.compile(r'\s*\[\s*Event\s+".*"\s*\]\s*$', re.IGNORECASE)

#: Plies that are remembered as words, and how long they may be.
_MET, _LONGEST_MET = 16_384, 20

_ENDING = frozenset({lexer.STAR, lexer.RESULT})
_MOVED = frozenset({lexer.PLY, lexer.MARK})
_PLAYED = frozenset({lexer.PLY, lexer.NUMERAL, lexer.NULL, lexer.SETUP, lexer.NUMBER, lexer.NAG, lexer.MARK})

#: A word: its kind, its text, the number of its line.
Word = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Remark:
    """A fault that was met before anybody knew which game it is."""

    line: int
    token: str
    message: str
    warning: bool = True


@dataclass(slots=True)
class RawGame:
    """Tags and words of one game. ``result`` is the word that ended it, if any did."""

    line: int
    tags: list[tuple[str, str]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    result: str = ""
    remarks: list[Remark] = field(default_factory=list)

    @property
    def has_body(self) -> bool:
        """False while there are comments at most."""
        return bool(self.result) or any(word[0] != lexer.COMMENT for word in self.words)

    def begins_with(self, name: str) -> bool:
        """Whether another tag of that name is the next game's."""
        return bool(self.tags) and self.tags[0][0].lower() == name.lower()

    def note(self, line: int, token: str, message: str, warning: bool = True) -> None:
        if len(self.remarks) < MAX_FAULTS:
            self.remarks.append(Remark(line, shown(token), message, warning))
        elif len(self.remarks) == MAX_FAULTS:
            self.remarks.append(Remark(line, "", "more faults in this game are not told", warning))


class _Splitter:
    """Takes lines and hands out games."""

    def __init__(self) -> None:
        self._game: RawGame | None = None
        self._closed: RawGame | None = None  # ended, but a comment on the same line would be its own
        self._played = False
        self._depth = 0
        self._size = 0
        self._skipping = False
        self._comment: list[str] | None = None
        self._comment_line = 0
        self._blank = False
        self._met: set[str] = set()
        self._star: int | None = None  # a star glued to a ply: the end, or a mark if plies follow

    def line(self, number: int, text: str) -> Iterator[RawGame]:
        """The games that are over with this line."""
        self._size += len(text) + 1
        if self._comment is not None:
            begins = _EVENT_LINE.match(text) or (self._blank and _TAG_LINE.match(text))
            if not begins:
                end = text.find("}")
                self._blank = not text or text.isspace()
                if end < 0:
                    if self._size <= MAX_GAME:
                        self._comment.append(text)
                    return
                self._comment.append(text[:end])
                self._close_comment()
                yield from self._words(number, text, end + 1)
                return
            self._current(number).note(self._comment_line, "{", "this comment is not closed")
            self._close_comment()
            yield from self._finish("")
        self._blank = not text or text.isspace()
        if not self._blank:
            yield from self._words(number, text, 0)
        if self._closed is not None and self._star is None:
            yield from self._hand_out()

    def end(self) -> Iterator[RawGame]:
        """The games that are over with the text."""
        if self._comment is not None and self._game is not None:
            self._game.note(self._comment_line, "{", "this comment is not closed")
            self._close_comment()
        if self._star is not None:
            yield from self._finish("*")
        yield from self._hand_out()
        yield from self._finish("")
        yield from self._hand_out()

    def _plain(self, number: int, text: str) -> bool:
        """Take a line of nothing but plies and numbers of moves, such as most lines of most files are.

        The expression would find the same word by word in six times the time. Where each word is a whole ply by itself
        none can be part of another.
        """
        game = self._game
        if game is None or self._star is not None or self._closed is not None or self._size > MAX_GAME:
            return False
        met = self._met
        words = []
        for word in text.split():
            if word in met:
                words.append((lexer.PLY, word, number))
            elif word[-1] == "." and word[:-1].isdecimal():
                continue
            elif self._is_ply(word):
                words.append((lexer.PLY, word, number))
            else:
                return False
        if words:
            game.words += words
            self._played = True
        return True

    def _is_ply(self, word: str) -> bool:
        match = WORDS.fullmatch(word) if len(word) <= _LONGEST_MET else None
        if match is None or match.lastgroup != "ply":
            return False
        if len(self._met) >= _MET:
            self._met.clear()
        self._met.add(word)
        return True

    def _words(self, number: int, text: str, at: int) -> Iterator[RawGame]:
        if not at:
            ends = text.endswith(" *") and not self._depth
            if self._plain(number, text[:-2] if ends else text):
                if ends:
                    yield from self._finish("*")
                return
        while True:
            comment_at = -1
            end = -1
            for match in WORDS.finditer(text, at):
                kind = match.lastgroup
                if kind == "ply":
                    if self._star is not None or self._closed is not None or not self._played:
                        yield from self._before_play(number)
                        if self._skipping:
                            continue
                    self._add(lexer.PLY, match[0], number)
                    end = match.end()
                    continue
                if kind == "number" and self._played and self._star is None and self._closed is None:
                    continue
                kind = _kind_of(match)
                if kind == lexer.COMMENT:
                    comment_at = match.end()
                    break
                yield from self._word(kind, match, number, end == match.start())
                end = match.end()
            if comment_at < 0:
                return
            close = text.find("}", comment_at)
            if self._star is not None:
                self._glued()
            self._comment_line = number
            self._comment = [text[comment_at:] if close < 0 else text[comment_at:close]]
            if close < 0:
                return
            self._close_comment()
            at = close + 1

    def _word(self, kind: str, match: re.Match[str], number: int, glued: bool) -> Iterator[RawGame]:
        """Everything but plies and comments."""
        if kind == lexer.TAG:
            yield from self._tag(match, number)
            return
        if kind in (lexer.IGNORED, lexer.DOTS) or (kind == lexer.NUMBER and self._played and not self._star):
            return
        if kind == lexer.REMARK:
            # Unlike in braces a closing brace may stand here, where no comment that is written can have one.
            self._comment, self._comment_line = [match[0][1:].replace("}", ")")], number
            self._close_comment()
            return
        if kind in _ENDING and not self._depth:
            yield from self._ending(kind, match[0], number, glued)
            return
        if kind in _PLAYED or kind in (lexer.OPEN, lexer.CLOSE):
            yield from self._before_play(number)
        if self._skipping:
            return
        if kind == lexer.OPEN:
            self._depth += 1
        elif kind == lexer.CLOSE:
            if not self._depth:
                self._current(number).note(number, ")", "nothing is open here that could be closed")
                return
            self._depth -= 1
        elif kind == lexer.NUMBER:
            return
        elif kind == lexer.OTHER or kind in _ENDING:
            if match[0] == "}":
                self._current(number).note(number, "}", "no comment is open here: comments are not nested")
            else:
                what = "a result has no place in a variation" if kind in _ENDING else "this is no word of PDN: left out"
                self._current(number).note(number, match[0], what)
            return
        self._add(kind, match["fen"] if kind == lexer.SETUP else match[0], number)

    def _ending(self, kind: str, text: str, number: int, glued: bool) -> Iterator[RawGame]:
        """A star or a result outside variations."""
        if self._closed is not None and self._star is None:
            return  # 1-0 *
        if kind == lexer.STAR and glued and self._game is not None and self._last_kind() in _MOVED:
            self._star = number
            return
        if self._star is not None:
            self._glued()
        if not self._skipping:
            self._current(number)
            yield from self._finish(text)

    def _before_play(self, number: int) -> Iterator[RawGame]:
        """A word of a game's body is next: a game that has ended is handed out, a star was a mark."""
        if self._star is not None:
            self._glued()
        if self._closed is not None:
            yield from self._hand_out()
        self._current(number)
        self._played = True
        if self._size > MAX_GAME and not self._skipping:
            self._skipping = True
            what = f"more than {MAX_GAME} characters: what follows is left out, up to the next tag"
            self._current(number).note(number, "", what, warning=False)

    def _tag(self, match: re.Match[str], number: int) -> Iterator[RawGame]:
        if self._star is not None:
            yield from self._finish("*")
        yield from self._hand_out()
        name = match["name"] or match["loose_name"]
        if self._game is not None and (self._game.has_body or self._game.begins_with(name)):
            yield from self._finish("")
            yield from self._hand_out()
        if self._skipping:
            self._skipping, self._size = False, 0
        value = unescaped(match["value"]) if match["name"] else match["loose_value"]
        self._current(number).tags.append((name, value))

    def _add(self, kind: str, text: str, number: int) -> None:
        if self._size > MAX_GAME and not self._skipping:
            self._skipping = True
            what = f"more than {MAX_GAME} characters: what follows is left out, up to the next tag"
            self._current(number).note(number, "", what, warning=False)
        if not self._skipping:
            self._current(number).words.append((kind, text, number))

    def _close_comment(self) -> None:
        text = " ".join(" ".join(self._comment or ()).split())
        self._comment = None
        if self._skipping:
            return
        if self._closed is not None:
            self._closed.words.append((lexer.COMMENT, text, self._comment_line))
        else:
            self._current(self._comment_line).words.append((lexer.COMMENT, text, self._comment_line))

    def _glued(self) -> None:
        """A star that more of the game follows is a mark."""
        line, self._star = self._star, None
        if self._game is not None and line is not None:
            self._game.words.append((lexer.NAG, "$7", line))

    def _last_kind(self) -> str:
        return self._game.words[-1][0] if self._game is not None and self._game.words else ""

    def _current(self, number: int) -> RawGame:
        if self._game is None:
            self._game = RawGame(number)
            self._size = 0 if not self._skipping else self._size
        return self._game

    def _finish(self, result: str) -> Iterator[RawGame]:
        """The game is over; it waits for a comment behind its result."""
        yield from self._hand_out()
        game, self._game = self._game, None
        self._star = None
        if game is None:
            return
        if self._depth:
            line = game.words[-1][2] if game.words else game.line
            game.note(line, "(", "a variation is not closed")
        game.result = result
        self._depth = 0
        self._played = False
        if game.tags or game.words:
            self._closed = game

    def _hand_out(self) -> Iterator[RawGame]:
        game, self._closed = self._closed, None
        if game is not None:
            self._size = 0
            yield game


#: The last group of a match that is no kind by itself.
_INNER = {"name": lexer.TAG, "value": lexer.TAG, "loose_name": lexer.TAG, "loose_value": lexer.TAG, "fen": lexer.SETUP}


def _kind_of(match: re.Match[str]) -> str:
    kind = match.lastgroup or lexer.OTHER
    return _INNER.get(kind, kind)


def raw_games(lines: Iterable[tuple[int, str]]) -> Iterator[RawGame]:
    """The games of a text, one at a time."""
    splitter = _Splitter()
    for number, text in lines:
        yield from splitter.line(number, text)
    yield from splitter.end()
