"""Games out of the entries of a list: FENs read, plies played, what is wrong told by line, game and ply."""

from __future__ import annotations

from collections.abc import Iterator

from damd.core.position import Position
from damd.core.types import Ply
from damd.notation.collections.entries import RULE_TAGS, Entry
from damd.notation.collections.header import Bound, ReadEntry, Source, bound_entries
from damd.notation.collections.pool import Pool
from damd.notation.fen import FenError, parse_fen
from damd.notation.pdn import play_texts
from damd.notation.pdn.model import Comment, Fault, Game, Line, Node, ReadGame
from damd.notation.pdn.results import first_side, read_result
from damd.notation.plies import format_ply
from damd.notation.squares import listed

#: The tags that hold what a list of openings says of an opening.
NUMBER_TAG, NAME_TAG = "Ballot", "Opening"


def read_listed(source: Source, read: ReadEntry) -> Iterator[ReadGame]:
    """The games of a list, in the order of the lines, each with its faults; ``read`` tells the kind of list.

    Of a game with an illegal ply the plies before it are kept.
    """
    player = _Player(source.name, source.first_score)
    for bound in bound_entries(source, read):
        if isinstance(bound, Fault):
            yield ReadGame(bound.game, bound.line, (), None, (bound,))
        else:
            yield player.played(bound)


class _Player:
    """Plays what entries say."""

    def __init__(self, file: str, first_score: str) -> None:
        self._file = file
        self._first_score = first_score
        self._pool = Pool()

    def played(self, bound: Bound) -> ReadGame:
        entry, rules = bound.entry, bound.rules
        tags = _tags(entry)
        try:
            setup = parse_fen(entry.fen, rules) if entry.fen else None
        except FenError as wrong:
            return ReadGame(bound.number, bound.line, tags, None, (self._fault(bound, 0, "", wrong.message),))
        position = self._pool.at(rules, setup)
        start = position.setup() if setup else None
        plies, faults, rest = self._plies(bound, position)
        result = read_result(entry.result, first_side(rules, self._first_score))
        line = Line(tuple(Node(ply) for ply in plies), (Comment(entry.remark),) if entry.remark else ())
        game = Game(rules, tags, start, line, result.verdict, result.score)
        lost = faults and not plies and not entry.fen  # an opening of which nothing is left is none
        return ReadGame(bound.number, bound.line, tags, None if lost else game, faults, rest)

    def _plies(self, bound: Bound, position: Position) -> tuple[list[Ply], tuple[Fault, ...], str]:
        """What can be played of the entry's plies, what is wrong with them, and the text that is left."""
        texts = bound.entry.plies
        played = play_texts(position, texts)
        faults = []
        for index, plies in played.open:
            paths = listed(plies, lambda ply: format_ply(ply, position.board))
            message = f"ambiguous, and nothing that follows settles it: {paths}; the first is taken"
            faults.append(self._fault(bound, index + 1, "", message, warning=True))
        if played.fault is None or played.stopped is None:
            return played.plies, tuple(faults), ""
        token, message = played.fault.token, played.fault.message
        kept = f"; the plies before it are kept ({len(played.plies)})" if played.plies else ""
        faults.append(self._fault(bound, len(played.plies) + 1, token, message + kept))
        return played.plies, tuple(faults), " ".join(texts[played.stopped :])

    def _fault(self, bound: Bound, ply: int, token: str, message: str, *, warning: bool = False) -> Fault:
        return Fault(self._file, bound.line, bound.number, ply, token, message, warning)


def _tags(entry: Entry) -> tuple[tuple[str, str], ...]:
    own = ((NUMBER_TAG, entry.number), (NAME_TAG, entry.name))
    given = (tag for tag in entry.tags if tag[0] not in RULE_TAGS)
    return (*given, *((name, value) for name, value in own if value))
