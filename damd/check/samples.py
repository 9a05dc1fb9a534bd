"""Positions for the checks, made from the rules alone: any game has them, and the same ones every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations
from random import Random

from damd.core.position import Position, start_setup
from damd.core.types import Ply, Reason, Setup, TooManyPlies
from damd.geometry import BLACK, WHITE
from damd.notation.fen import FenError, format_fen, parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.rules import Rules

#: Games and set-ups that are tried until one has what is looked for.
_GAMES, _SETUPS = 60, 600
_LONG_GAME = 120
#: A position for a check has at most so many plies.
_PLIES = 200
#: Pieces that a blocked one needs around it.
_BLOCKERS = 12


@dataclass(frozen=True, slots=True)
class Sample:
    """A position as ``position`` sends it: a FEN, or ``None`` for the start position, and plies."""

    rules: Rules
    fen: str | None = None
    plies: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        start = "startpos" if self.fen is None else f"fen {self.fen}"
        return " ".join(["position", start, *(["moves", *self.plies] if self.plies else [])])

    def position(self) -> Position:
        """The position by our rules; a new one every time."""
        made = Position(self.rules, None if self.fen is None else parse_fen(self.fen, self.rules))
        for text in self.plies:
            made.play(parse_ply(text, made))
        return made


class Samples:
    """The positions of one game. What the game does not have is ``None``."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.start = Sample(rules)
        self.start_fen = Sample(rules, format_fen(start_setup(rules), rules))

    @cached_property
    def game(self) -> Sample:
        """From the start position, a few moves."""
        return self._played(Random(1), 12)

    @cached_property
    def long_game(self) -> Sample:
        """The longest of some games, up to the last position that is not the end."""
        games = (self._played(Random(seed), _LONG_GAME) for seed in range(4))
        longest = max(games, key=lambda game: len(game.plies))
        over = longest.position().outcome() is not None
        return replace(longest, plies=longest.plies[:-1]) if over else longest

    @cached_property
    def continued(self) -> Sample:
        """A FEN and plies from there."""
        position = self.white.position()
        plies = tuple(format_ply(ply, position.board) for ply in _walk(position, Random(2), 4))
        return Sample(self.rules, self.white.fen, plies)

    @cached_property
    def white(self) -> Sample:
        """In mid-game, White to move."""
        return self._middle(WHITE)

    @cached_property
    def black(self) -> Sample:
        """In mid-game, Black to move."""
        return self._middle(BLACK)

    @cached_property
    def kings(self) -> tuple[Sample, ...]:
        """Kings and men of both sides, each side to move; none where a king ends the game."""
        found = (self._with_kings(side) for side in (WHITE, BLACK))
        return tuple(sample for sample in found if sample is not None)

    @cached_property
    def claim(self) -> Sample | None:
        """The side to move may claim a piece for a missed capture."""
        for seed in range(_GAMES if self.rules.penalty.take else 0):
            position = Position(self.rules)
            for _ in _walk(position, Random(seed), 30):
                if position.setup().right is not None and position.outcome() is None and position.count() <= _PLIES:
                    return self._of(position)
        return None

    @cached_property
    def no_ply(self) -> Sample | None:
        """The side to move has pieces, and no legal ply."""
        return self._blocked(0)

    @cached_property
    def one_ply(self) -> Sample | None:
        """The side to move has one legal ply."""
        return self._blocked(1)

    @cached_property
    def all(self) -> tuple[Sample, ...]:
        """Positions of every kind with plies to choose from."""
        more = [self.claim] if self.claim is not None else []
        return (self.start, self.game, self.white, self.black, *self.kings, *more)

    def illegal(self, sample: Sample) -> str:
        """A text that is written as a ply is, and is none in this position: from one piece to another."""
        position = sample.position()
        names, setup = position.board.names, position.setup()
        legal = {(ply.origin, ply.end) for ply in position.plies()}
        taken = sorted(point for points in (*setup.men, *setup.kings) for point in points)
        origin, end = next(pair for pair in permutations(taken, 2) if pair not in legal)
        return f"{names[origin]}-{names[end]}"

    def bad_fens(self) -> list[str]:
        """Texts that are no position of the game, each for another reason."""
        names = self.rules.geometry.names
        white, black = names[-1], names[0]
        crowned = min(self.rules.geometry.zones[self.rules.promotion.zone][WHITE])
        texts = [
            "nonsense",
            "W",
            f"X:W{white}:B{black}",
            f"W:W{white},{white}:B{black}",
            f"W:W{white},{black}:B{black}",
            f"W:W999:B{black}",
            f"W:W{white}:B{black},z9",
            f"W:W{white}:W{black}",
            f"W:W{names[crowned]},{white}:B{names[len(names) // 2]}",
            f"W:W{white}:B{black}:Q7",
            f"W:WQ{white}:B{black}",
            f"W:W{white}:B{black}:Hmany",
        ]
        return [text for text in texts if not self._readable(text)]

    def _readable(self, text: str) -> bool:
        try:
            parse_fen(text, self.rules)
        except FenError:
            return False
        return True

    def _of(self, position: Position) -> Sample:
        return Sample(self.rules, format_fen(position.setup(), self.rules))

    def _played(self, random: Random, length: int) -> Sample:
        position = Position(self.rules)
        return Sample(self.rules, None, tuple(format_ply(ply, position.board) for ply in _walk(position, random, length)))

    def _middle(self, side: int) -> Sample:
        def fits(position: Position) -> bool:
            return position.side == side and position.setup().right is None and 3 <= position.count() <= _PLIES

        for seed in range(_GAMES):
            position = Position(self.rules)
            for number, _ in enumerate(_walk(position, Random(seed), 24), 1):
                if number >= 10 and fits(position):
                    return self._of(position)
        # A game that never gets so far: its first moves will do.
        position = Position(self.rules)
        for _ in _walk(position, Random(1), 24):
            if position.side == side:
                break
        return self._of(position)

    def _with_kings(self, side: int) -> Sample | None:
        if self.rules.end.first_king:
            return None
        random = Random(side)
        points = range(self.rules.geometry.size)
        for _ in range(_SETUPS):
            chosen = random.sample(points, 6)
            men = (frozenset(chosen[:2]), frozenset(chosen[2:4]))
            kings = (frozenset(chosen[4:5]), frozenset(chosen[5:]))
            position = self._valid(Setup(side, men, kings))
            if position is not None and position.outcome() is None and 2 <= position.count() <= _PLIES:
                return self._of(position)
        return None

    def _valid(self, setup: Setup) -> Position | None:
        """The position, as its FEN is read; ``None`` where that is an error."""
        try:
            return Position(self.rules, parse_fen(format_fen(setup, self.rules), self.rules))
        except (FenError, ValueError):
            return None

    def _blocked(self, left: int) -> Sample | None:
        """A white man in Black's way, until White has so many plies ``left``."""
        board = self.rules.geometry
        zone = board.zones[self.rules.promotion.zone]
        for aside in range(4):
            others = frozenset(_free_men(board.size, zone[BLACK], aside))
            for origin in range(board.size):
                if origin in zone[WHITE] or origin in others:
                    continue
                position = self._valid(Setup(WHITE, (frozenset((origin,)), others), (frozenset(), frozenset())))
                found = position and _fill(position, left, lambda setup: self._valid(setup))
                if found:
                    return self._of(found)
        return None


@cache
def samples_of(rules: Rules) -> Samples:
    """The positions of a game; the same object for the same rules."""
    return Samples(rules)


def _free_men(size: int, promoted: frozenset[int], number: int) -> list[int]:
    """Points where so many black men can stand out of the way: behind White's men in their own half."""
    return [point for point in range(size) if point not in promoted][-number:] if number else []


def _fill(position: Position, left: int, valid: Callable[[Setup], Position | None]) -> Position | None:
    """Black men where White's plies end, one after the other, until ``left`` of them remain; ``None`` if that fails."""
    for _ in range(_BLOCKERS):
        outcome, plies = position.outcome(), position.plies()
        if len(plies) == left and (left or (outcome is not None and outcome.reason is Reason.NO_MOVES)):
            return position if not left or outcome is None else None
        if not plies or outcome is not None:
            return None
        setup = position.setup()
        black = setup.men[BLACK] | {plies[0].end}
        if plies[0].end in setup.men[WHITE] | setup.kings[WHITE] or black == setup.men[BLACK]:
            return None
        crowned = {plies[0].end} if _promotes_black(position, plies[0].end) else set()
        men = (setup.men[WHITE], frozenset(black - crowned))
        following = valid(Setup(WHITE, men, (setup.kings[WHITE], setup.kings[BLACK] | crowned)))
        if following is None:
            return None
        position = following
    return None


def _promotes_black(position: Position, point: int) -> bool:
    return point in position.board.zones[position.rules.promotion.zone][BLACK]


def _walk(position: Position, random: Random, length: int) -> Iterator[Ply]:
    """A random game of at most so many plies, up to its end; ``position`` is played on, ply by ply as they are taken.

    The kind of a ply is drawn first, so that a hundred claims do not hide the moves.
    """
    for _ in range(length):
        if position.outcome() is not None:
            return
        try:
            plies = position.plies()
        except TooManyPlies:
            return
        kind = random.choice(sorted({ply.kind for ply in plies}, key=lambda kind: kind.value))
        ply = random.choice([ply for ply in plies if ply.kind is kind])
        position.play(ply)
        yield ply
