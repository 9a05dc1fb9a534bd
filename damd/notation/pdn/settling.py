"""Plies as PDN spells them, played on a position: a text that names several is settled by what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from damd.core.position import Position
from damd.core.types import Ply, TooManyPlies
from damd.geometry import Board
from damd.notation.pdn.lexer import plain_ply
from damd.notation.plies import named
from damd.notation.spelling import PlyError, Spelling, format_ply, read_spellings
from damd.notation.squares import ALGEBRAIC, NUMERIC, listed, names_of, shown

#: So many plies of what follows are looked at to settle one text.
LOOK_AHEAD = 200
#: And so many are played in all to settle the texts of one game: some 50 ms.
BUDGET = 5000
#: Spellings that are remembered: every short form of the largest board and as many long ones.
_REMEMBERED = 16_384

NONE: tuple[Ply, ...] = ()


@dataclass(slots=True)
class Played:
    """What ``play_texts`` played.

    ``stopped`` is the index of the text that is no legal ply, and ``fault`` says why; both are ``None`` where all were
    played. ``open`` are indices into ``plies`` with everything that the text there could mean; the first was taken.
    """

    plies: list[Ply] = field(default_factory=list)
    open: list[tuple[int, list[Ply]]] = field(default_factory=list)
    stopped: int | None = None
    fault: PlyError | None = None


class Player:
    """Plays texts on a position, whose squares may have other names in the texts (``board``) than in the rules."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._spelled: dict[str, list[Spelling]] = {}
        self.steps: dict[str, int] = {}
        self._budget = BUDGET

    def begin(self) -> None:
        """A new game: what may be spent on settling is there again."""
        self._budget = BUDGET

    def spellings(self, text: str) -> list[Spelling]:
        """What the text says by itself. Raises ``PlyError``."""
        known = self._spelled.get(text)
        if known is None:
            if len(self._spelled) >= _REMEMBERED:
                self._spelled.clear()
                self.steps.clear()
            known = self._spelled[text] = read_spellings(plain_ply(text), self.board)
        return known

    def step(self, text: str, position: Position) -> int:
        """What ``Position.play_steps`` takes for a text of two squares, -1 for others. Raises ``PlyError``."""
        step = self.steps.get(text)
        if step is None:
            spellings = self.spellings(text)
            one = spellings[0]
            short = len(spellings) == 1 and len(one.points) == 2 and not one.claim
            step = self.steps[text] = position.step(one.points[0], one.points[-1], one.mark == "x") if short else -1
        return step

    def continues(self, text: str, following: str) -> bool:
        """Whether ``following`` is the next step of the capture ``text``: it begins where that ends."""
        try:
            one, other = self.spellings(text)[0], self.spellings(following)[0]
        except PlyError:
            return False
        return one.mark == other.mark == "x" and not (one.claim or other.claim) and one.points[-1] == other.points[0]

    def joined(self, text: str, following: str) -> str:
        """One capture of two steps."""
        names = names_of(self.board, self.spellings(following)[0].squares)
        points = self.spellings(following)[0].points[1:]
        return "x".join([plain_ply(text), *(names[point] for point in points)])

    def play(self, text: str, position: Position, following: Callable[[], Iterable[str]]) -> tuple[Ply, Sequence[Ply]]:
        """Play the ply that ``text`` names, and return it with all that it could be, where it is not the only one.

        ``following`` gives the texts of the plies behind it. Raises ``PlyError`` where there is none.
        """
        try:
            spellings = self.spellings(text)
            step = self.step(text, position)
            if step >= 0:
                made = position.play_steps((step,))
                if made:
                    return made[0], NONE
            found = named(spellings, position.plies(), position, text)
            if not found:
                raise PlyError("illegal-ply", text, self._why(spellings, position))
            ply, several = self._settled(found, position, following) if len(found) > 1 else (found[0], NONE)
            position.play(ply)
        except TooManyPlies as fault:
            raise PlyError("illegal-ply", text, str(fault)) from fault
        return ply, several

    def _why(self, spellings: Sequence[Spelling], position: Position) -> str:
        from damd.notation.illegal import refuse  # only faults need it

        rules, squares = position.rules, spellings[0].squares
        refusal = refuse(spellings, rules, position.setup(), position.plies(), position.outcome(), squares)
        why = refusal.message(rules, squares)
        if names_of(self.board, squares) != names_of(rules.geometry, squares):
            why += " (with squares named as damd names them, not as the GameType does)"
        return why

    def _settled(
        self, found: list[Ply], position: Position, following: Callable[[], Iterable[str]]
    ) -> tuple[Ply, Sequence[Ply]]:
        """The ply after which most of what follows is legal, and all of those plies where there are several."""
        texts: list[str] = []
        for text in following():
            texts.append(text)
            if len(texts) == LOOK_AHEAD:
                break
        reached = []
        for ply in found:
            position.play(ply)
            try:
                reached.append(self._reach(texts, 0, position))
            finally:
                position.undo()
        if self._budget <= 0:
            return found[0], found
        best = [ply for ply, reach in zip(found, reached, strict=True) if reach == max(reached)]
        return best[0], best if len(best) > 1 else NONE

    def _reach(self, texts: Sequence[str], at: int, position: Position) -> int:
        """How many of ``texts`` can be played one after the other; the position stays."""
        done = 0
        reached = at
        try:
            while reached < len(texts) and self._budget > 0:
                self._budget -= 1
                found = named(self.spellings(texts[reached]), position.plies(), position, texts[reached])
                if len(found) > 1:
                    return max(self._reach_after(ply, texts, reached, position) for ply in found)
                if not found:
                    break
                position.play(found[0])
                done += 1
                reached += 1
        except (PlyError, TooManyPlies):
            pass
        finally:
            for _ in range(done):
                position.undo()
        return reached

    def _reach_after(self, ply: Ply, texts: Sequence[str], at: int, position: Position) -> int:
        position.play(ply)
        try:
            return self._reach(texts, at + 1, position)
        finally:
            position.undo()


def what_is_open(text: str, several: Sequence[Ply], board: Board, squares: str) -> str:
    """The warning about a text that names several plies of which none is ruled out."""
    plies = listed(several, lambda ply: format_ply(ply, board, squares))
    return f"{shown(text)} is ambiguous, and nothing that follows settles it: {plies}; the first is taken"


def play_texts(position: Position, texts: Sequence[str]) -> Played:
    """Play texts on ``position``: short captures are settled by what follows, captures written stepwise are joined.

    ``position`` is left behind the last legal ply.
    """
    player = Player(position.board)
    played = Played()
    joined: list[tuple[int, str]] = []
    for index, text in enumerate(texts):
        if joined and player.continues(joined[-1][1], text):
            joined[-1] = (joined[-1][0], player.joined(joined[-1][1], text))
        else:
            joined.append((index, text))
    for number, (index, text) in enumerate(joined):
        try:
            ply, several = player.play(text, position, lambda number=number: (text for _, text in joined[number + 1 :]))  # type: ignore[misc]
        except PlyError as fault:
            played.stopped, played.fault = index, fault
            return played
        if several:
            played.open.append((len(played.plies), list(several)))
        played.plies.append(ply)
    return played


def squares_of(texts: Iterable[str]) -> set[str]:
    """The names of squares in the words of a game, each as it stands there without leading zeros."""
    found: set[str] = set()
    for text in texts:
        word = ""
        for char in plain_ply(text).lower() + " ":
            if char.isascii() and char.isdigit():
                word += char
            else:
                if word[-1:].isdigit():
                    found.add(word.lstrip("0") if word.isdigit() else word)
                    word = ""
                word = char if char in "abcdefghijkl" else ""
    found.discard("")
    return found


def writing_of(text: str) -> str:
    """``numeric`` or ``algebraic``."""
    return ALGEBRAIC if any(char.isalpha() and char not in "xX" for char in text) else NUMERIC
