"""A game at the terminal, turn by turn: who is asked, what is shown, and what an answer does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from damd.client import Limit
from damd.core.types import Ply, PlyKind, Reason
from damd.notation.drawing import draw_board
from damd.notation.plies import PlyError, parse_ply
from damd.notation.squares import SIDES, find_point
from damd.play import record
from damd.play.console import Console
from damd.play.game import Game, Played, Unplayable
from damd.play.opponent import Choice, Opponent, OpponentError
from damd.play.record import Record, RecordError
from damd.play.strength import Strength
from damd.play.words import Words

_YES, _NO = ("yes", "y"), ("no", "n")


@dataclass(slots=True)
class Options:
    """How a game is played; most of it may be changed while it is.

    ``people`` are the sides that persons play. ``save_file`` is written after every ply, ``loaded_file`` is where
    the game came from.
    """

    people: frozenset[int]
    strength: Strength
    missed_capture: str
    squares: str
    turned: bool = False
    save_file: str | None = None
    loaded_file: str | None = None


class Session:
    """One person's evening: a game, the engine, and the state between two prompts."""

    def __init__(self, console: Console, game: Game, opponent: Opponent, options: Options) -> None:
        self.console = console
        self.game = game
        self.opponent = opponent
        self.options = options
        self.words = Words(game.rules, options.squares)
        self.stale = True  # the board has changed since it was drawn
        self.paused = False  # it is the engine's turn, but the person is asked
        self.offering = False  # the person's next ply offers a draw
        self.offered = False  # the engine's last ply offers one
        self._waived = False
        self._saved = not game.played or options.loaded_file is not None

    # Who and what

    @property
    def over(self) -> bool:
        return self.game.outcome is not None

    @property
    def engine_to_play(self) -> bool:
        return not self.over and self.game.side not in self.options.people

    @property
    def unsaved(self) -> bool:
        return not self._saved

    def mine(self, side: int) -> bool:
        """Whether plies of that side are the person's to take back; without persons all are."""
        return side in self.options.people or not self.options.people

    def record(self) -> Record:
        return Record(self.game, self.options.missed_capture, self.options.people, self.options.strength)

    # The loop's steps

    def open_claims(self) -> list[Ply]:
        """The claims of the person to move that he has neither made nor waived."""
        if self.over or self.engine_to_play or self._waived:
            return []
        return self.game.claims()

    def prompt(self) -> str:
        """The next line of the person, after the board and what there is to ask. Raises as ``Console.ask``."""
        if self.stale:
            self.show_board()
        claims = self.open_claims()
        if claims:
            self.console.say(self.words.question(self.game, claims), strong=True)
        who = f"{SIDES[self.game.side]}{' (engine)' if self.engine_to_play else ''}"
        return self.console.ask(f"{'Game over' if self.over else who}> ")

    def engine_turn(self) -> None:
        """Let the engine play a ply; where that does not work the person is asked. Raises ``KeyboardInterrupt``."""
        try:
            doing = f"{SIDES[self.game.side]} is thinking"
            strength = self.options.strength
            choice = self.consult(strength.limit(), strength.skill, doing, draw_offered=self.offering)
        except OpponentError as fault:
            self.paused = True
            self.console.say(f"{capital(str(fault))}.", "`go` tries it again; `save FILE` keeps the game.")
            return
        offering, self.offering = self.offering, False
        side = self.game.side
        if choice.resigns:
            self.finish(1 - side, Reason.RESIGNATION)
        elif offering and choice.draw:
            self.console.say(f"{SIDES[side]} accepts the draw.")
            self.finish(None, Reason.AGREEMENT)
        elif choice.ply is not None:
            if offering:
                self.console.say(f"{SIDES[side]} declines the draw.")
            played = self.make(choice.ply)
            self.offered = choice.draw and played is not None and not self.over and self.game.side in self.options.people
            if self.offered:
                self.console.say(f"{SIDES[side]} offers a draw: `draw` accepts it, a ply declines it.", strong=True)
        if not self.options.people and self.stale:
            self.show_board()

    def consult(self, limit: Limit, skill: int, doing: str, *, draw_offered: bool = False) -> Choice:
        """Ask the engine about the present position. Raises ``OpponentError`` and ``KeyboardInterrupt``."""
        if not self.opponent.running:
            self.console.say("Starting the engine.")
        with self.console.busy(f"{doing} (Ctrl-C interrupts) ..."):
            return self.opponent.choose(self.game, limit, skill, draw_offered=draw_offered)

    def play_text(self, text: str) -> None:
        """A ply that the person has typed; told why it is none."""
        if self.over:
            self.console.say("The game is over: `undo` takes plies back, `new` begins another one.")
            return
        if self.engine_to_play:
            side = SIDES[self.game.side]
            self.console.say(f"{side} is to move, and the engine plays {side}: `go` lets it, `switch` changes sides.")
            return
        claims = self.open_claims()
        if not claims and text.lower() in (*_YES, *_NO):
            self.console.say("There is nothing to answer: a ply is wanted, or a command.")
            return
        try:
            ply = self._answered(text, claims) if claims else None
            if ply is None and claims and text.lower() in _NO:
                return
            ply = ply or parse_ply(joined(text), self.game.position)
        except PlyError as fault:
            self.console.say(f"{capital(fault.message)}.")
            return
        declined, self.offered = self.offered, False
        if self.make(ply) is None:
            self.offered = declined

    def _answered(self, text: str, claims: Sequence[Ply]) -> Ply | None:
        """The claim that answers the question whether to claim; ``None`` for what is no claim. Notes a waiver.

        Raises ``PlyError`` for a claim that is none of these.
        """
        plain = text.lower()
        if plain in _NO:
            if len(claims) == len(self.game.plies()):
                raise PlyError("illegal-ply", text, "there is no ply on the board: claim, or resign")
            self._waived = True
            return None
        if plain in _YES:
            if len(claims) == 1:
                return claims[0]
            raise PlyError("illegal-ply", text, f"which? Name the {self.words.place}s, such as {self.words.ply(claims[0])}")
        board = self.game.position.board
        names = text.replace(",", " ").replace(" and ", " ").split()
        points = [find_point(board, name) for name in names]
        setup = self.game.position.setup()
        theirs = setup.men[1 - setup.side] | setup.kings[1 - setup.side]
        if not points or any(point is None or point not in theirs for point in points):
            return None
        return parse_ply("x" + "x".join(names), self.game.position)

    # What changes the game

    def make(self, ply: Ply) -> Played | None:
        """Make a ply, say what it was and what it means, and save; ``None`` where it cannot be played on from it."""
        before = self.game.position.setup()
        try:
            played = self.game.play(ply)
        except Unplayable as fault:
            self.console.say(f"Not played: {fault}.")
            self.paused = self.engine_to_play
            return None
        # What the person has typed is on the screen already.
        if played.side not in self.options.people or ply.kind is PlyKind.CLAIM:
            self.console.say(self.words.told(played, before))
        after = self.game.position.setup()
        if self.over or after.side not in self.options.people:
            missed = self.words.missed(played, after)
            if missed:
                self.console.say(missed)
        self.changed()
        if self.over:
            self.tell_end()
        return played

    def changed(self) -> None:
        """The position is another one: whatever belonged to the old one is over."""
        self.stale = True
        self._waived = False
        self._saved = False
        self.autosave()

    def finish(self, winner: int | None, reason: Reason) -> None:
        """The players have ended the game."""
        self.game.end(winner, reason)
        self._saved = False
        self.autosave()
        self.tell_end()

    def tell_end(self) -> None:
        """How the game has ended, below the board that shows it."""
        outcome = self.game.outcome
        if outcome is not None:
            if self.stale:
                self.show_board()
            self.console.say(self.words.end(outcome, self.game), strong=True)

    def replace(self, game: Game) -> None:
        """Another game; what is to be saved of the old one has been."""
        self.game = game
        self.paused = self.offering = self.offered = self._waived = False
        self.stale = self._saved = True

    # Saving

    def save(self, file: str) -> bool:
        """Save the game; false, and told why, where that cannot be done."""
        try:
            record.save(self.record(), file)
        except RecordError as fault:
            self.console.say(f"Not saved: {fault}.")
            return False
        self._saved = True
        return True

    def autosave(self) -> None:
        """Keep the file of ``--save`` up to date; given up, and told, where that does not work."""
        file = self.options.save_file
        if file is not None and not self.save(file):
            self.options.save_file = None
            self.console.say("From now on the game is saved only when you say `save FILE`.")

    # Showing

    def show_board(self) -> None:
        """The board, who is to move and how many pieces there are."""
        self.stale = False
        game, last, setup = self.game, self.game.last, self.game.position.setup()
        moved = last.ply.end if last is not None and last.ply.kind is not PlyKind.CLAIM else None
        kings = setup.kings[0] | setup.kings[1]
        white = setup.men[0] | setup.kings[0]
        occupied = white | setup.men[1] | setup.kings[1]

        def paint(point: int, text: str) -> str:
            if point not in occupied:
                return text
            return self.console.paint_piece(0 if point in white else 1, point in kings, text)

        squares, turned = self.options.squares, self.options.turned
        rows = draw_board(setup, game.rules, squares=squares, turned=turned, moved=moved, paint=paint)
        self.console.show("", *rows, "", self._caption())

    def _caption(self) -> str:
        pieces = self.game.position.pieces
        parts = [f"White {pieces[0]}, Black {pieces[1]}"]
        last = self.game.last
        if last is not None:
            parts.append(f"last {self.words.ply(last.ply)}")
        if not self.over:
            player = "the engine" if self.engine_to_play else "you"
            parts.insert(0, f"{SIDES[self.game.side]} to move ({player})")
        return " - ".join(parts)


def joined(text: str) -> str:
    """A ply that was written with blanks, as one word: ``22 18``, ``c3 - b4``."""
    words = text.split()
    return ("" if any(word in ("-", "x", "X", ":") for word in words) else "-").join(words)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
