"""The words that a person may say instead of a ply."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from damd.core.types import PlyKind, Reason
from damd.levels import FULL_SKILL
from damd.notation.explanation import explain
from damd.notation.fen import format_fen
from damd.notation.squares import SIDES, shown
from damd.play.game import Game, Unplayable
from damd.play.opponent import OpponentError
from damd.play.record import PEOPLE, people_word
from damd.play.session import Session, capital, joined
from damd.play.strength import LEVELS, Strength
from damd.variants.sheet import describe


class Leave(Exception):
    """The person wants to go."""


@dataclass(frozen=True, slots=True)
class Command:
    """A word, what may stand behind it, what it does, and the function that does it."""

    name: str
    argument: str
    doc: str
    run: Callable[[Session, str], None]

    @property
    def usage(self) -> str:
        return f"{self.name} {self.argument}".rstrip()


def obey(session: Session, line: str) -> None:
    """Do what a line says, a ply or a command; what it cannot mean is told. Raises ``Leave``."""
    word, _, rest = line.partition(" ")
    rest = rest.strip()
    command = _find(word.lower())
    if command is None:
        if word.isalpha() and word.lower() not in ("x", "yes", "y", "no", "n"):
            near = difflib.get_close_matches(word.lower(), [command.name for command in COMMANDS], 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            session.console.say(f"There is no command {shown(word)}.{hint} `help` lists them.")
        elif line:
            session.play_text(line)
    elif rest and not command.argument:
        session.console.say(f"`{command.name}` takes nothing behind it.")
    else:
        command.run(session, rest)


def _find(word: str) -> Command | None:
    name = _ALIASES.get(word, word)
    return next((command for command in COMMANDS if command.name == name), None)


# Looking


def _help(session: Session, _: str) -> None:
    squares = "22-18, 22x15, or 22 18" if session.options.squares == "numeric" else "c3-d4, c3xe5, or c3 d4"
    session.console.say(f"A ply is written {squares}; a claim x and what it takes. Other than plies:")
    width = max(len(command.usage) for command in COMMANDS)
    session.console.show(*(f"  {command.usage:<{width}}  {command.doc}" for command in COMMANDS))
    session.console.say(
        "On the board w and b are men, W and B kings. (w) has just moved; [b] has missed a capture and may be taken off."
    )


def _board(session: Session, _: str) -> None:
    session.show_board()


def _moves(session: Session, _: str) -> None:
    if session.over:
        session.tell_end()
        return
    session.console.say(*session.words.legal(session.game))


def _why(session: Session, text: str) -> None:
    if not text:
        session.console.say("`why` needs a ply, as in `why 22-18`.")
        return
    session.console.say(*explain(joined(text), session.game.position, session.options.squares).told())


def _hint(session: Session, _: str) -> None:
    if session.over:
        session.tell_end()
        return
    try:
        choice = session.consult(session.options.strength.hint(), FULL_SKILL, "Looking for a hint")
    except OpponentError as fault:
        session.console.say(f"No hint: {fault}.")
        return
    if choice.ply is None:
        session.console.say("Hint: the engine would resign." if choice.resigns else "The engine has no hint.")
        return
    kind = " (a claim)" if choice.ply.kind is PlyKind.CLAIM else ""
    then = f", then {' '.join(session.words.ply(ply) for ply in choice.line[1:])}" if len(choice.line) > 1 else ""
    score = f" - {SIDES[session.game.side]}: {choice.score}" if choice.score else ""
    session.console.say(f"Hint: {session.words.ply(choice.ply)}{kind}{then}{score}.")


def _fen(session: Session, _: str) -> None:
    game = session.game
    session.console.show(format_fen(game.position.setup(), game.rules, full=True, squares=session.options.squares))


def _plies(session: Session, _: str) -> None:
    session.console.say(session.words.score_sheet(session.game) or "Nothing has been played yet.")


def _rules(session: Session, _: str) -> None:
    session.console.say(*describe(session.game.rules))


def _flip(session: Session, _: str) -> None:
    session.options.turned = not session.options.turned
    session.show_board()


# Going back and on


def _undo(session: Session, _: str) -> None:
    game = session.game
    if game.ended_by_players:
        game.go_on()
        session.console.say("The end is taken back: the game goes on.")
        session.autosave()
        return
    taken = game.undo(session.mine)
    if not taken:
        session.console.say("There is nothing of yours to take back.")
        return
    session.console.say(f"Taken back: {session.words.plies(taken)}.")
    _moved(session)


def _redo(session: Session, _: str) -> None:
    try:
        again = session.game.redo(session.mine)
    except Unplayable as fault:
        session.console.say(f"Not played: {fault}.")
        return
    if not again:
        session.console.say("Nothing was taken back that could be played again.")
        return
    session.console.say(f"Played again: {session.words.plies(again)}.")
    _moved(session)
    if session.over:
        session.tell_end()


def _moved(session: Session) -> None:
    session.changed()
    session.offering = session.offered = False
    session.paused = session.engine_to_play and not session.options.people


def _go(session: Session, _: str) -> None:
    if session.over:
        session.tell_end()
    elif session.engine_to_play:
        session.paused = False
    else:
        side = SIDES[session.game.side]
        session.console.say(f"{side} is yours. `hint` asks the engine, `switch` gives it {side}.")


def _new(session: Session, _: str) -> None:
    if not keep(session):
        return
    game = session.game
    if session.options.save_file is not None and game.played:
        session.console.say(f"{session.options.save_file} keeps the last game; `save FILE` saves the new one.")
        session.options.save_file = None
    session.replace(Game(game.rules, game.start))
    try:
        session.opponent.new_game()
    except OpponentError as fault:
        session.console.say(f"{capital(str(fault))}.")


# Ending


def _resign(session: Session, _: str) -> None:
    if session.over:
        session.tell_end()
        return
    people = session.options.people
    if not people:
        session.console.say("No side is yours to resign.")
        return
    loser = session.game.side if session.game.side in people else next(iter(people))
    session.finish(1 - loser, Reason.RESIGNATION)
    session.console.say("`undo` takes it back.")


def _draw(session: Session, _: str) -> None:
    people = session.options.people
    if session.over:
        session.tell_end()
    elif session.offered or len(people) == 2:
        session.finish(None, Reason.AGREEMENT)
    elif not people:
        session.console.say("No side is yours to offer a draw for.")
    elif not session.opponent.takes_offers:
        session.console.say("This engine does not listen to draw offers.")
    else:
        session.offering = True
        session.console.say("You offer a draw: the engine answers after your ply.")


def _quit(session: Session, _: str) -> None:
    if keep(session):
        raise Leave


def keep(session: Session) -> bool:
    """Offer to save what is not saved; false where the person rather stays."""
    while session.unsaved:
        try:
            file = session.console.ask("Save the game? (a file's name, or no) ")
        except EOFError:
            return True
        if file.lower() in ("no", "n"):
            return True
        if not file:
            session.console.say("Say `no` to drop it, or a file's name. Ctrl-C goes back to the game.")
        elif _may_write(session, file) and session.save(file):
            session.console.say(f"Saved to {file}.")
    return True


# How it is played


def _save(session: Session, file: str) -> None:
    if not file:
        session.console.say("`save` needs a file's name.")
    elif _may_write(session, file) and session.save(file):
        session.console.say(f"Saved to {file}; `damd play --load {file}` goes on with it.")


def _may_write(session: Session, file: str) -> bool:
    """True where nothing would be lost, or the person has said that it may be."""
    known = (session.options.save_file, session.options.loaded_file)
    if file in known or not os.path.exists(os.path.expanduser(file)):
        return True
    try:
        answer = session.console.ask(f"{file} exists. Overwrite it? (yes/no) ")
    except EOFError:
        answer = "no"
    return answer.lower() in ("yes", "y")


def _switch(session: Session, word: str) -> None:
    people = session.options.people
    if word:
        if word.lower() not in PEOPLE:
            session.console.say(f"`switch` takes one of {', '.join(PEOPLE)}.")
            return
        people = PEOPLE[word.lower()]
    elif len(people) != 1:
        session.console.say(f"Which sides do you want to play? `switch` and one of {', '.join(PEOPLE)}.")
        return
    else:
        people = frozenset((0, 1)) - people
    session.options.people = people
    if len(people) == 1:
        session.options.turned = people == PEOPLE["black"]
    session.paused = session.offering = session.offered = False
    session.stale = True
    session.autosave()
    session.console.say(f"You now play {seats(people)}.")


def _level(session: Session, text: str) -> None:
    if not text:
        strength = session.options.strength
        session.console.say(f"The engine plays with {strength}.", *filter(None, [strength.manner]))
    elif text.isdecimal() and len(text) < 4 and 1 <= int(text) <= len(LEVELS):
        session.options.strength = Strength(int(text))
        session.autosave()
        session.console.say(f"The engine now plays with level {int(text)}.", session.options.strength.manner)
    else:
        session.console.say(f"A level is a number from 1 to {len(LEVELS)}.")


def seats(people: frozenset[int]) -> str:
    return {0: "no side", 1: people_word(people).capitalize(), 2: "both sides"}[len(people)]


COMMANDS: Sequence[Command] = (
    Command("moves", "", "all legal plies; those that miss a capture apart", _moves),
    Command("why", "PLY", "why a ply is legal or not, and what to play instead", _why),
    Command("hint", "", "what the engine would play for you", _hint),
    Command("undo", "", "take back your last ply, or the end of the game", _undo),
    Command("redo", "", "play again what was taken back", _redo),
    Command("go", "", "let the engine play, after an interruption", _go),
    Command("draw", "", "offer a draw with your next ply, or accept one", _draw),
    Command("resign", "", "give the game up", _resign),
    Command("new", "", "another game from the same start", _new),
    Command("switch", "[SIDE]", "change sides; or play white, black, both or none", _switch),
    Command("level", "[N]", f"how strong the engine plays, 1 to {len(LEVELS)}", _level),
    Command("board", "", "draw the board", _board),
    Command("flip", "", "turn the board", _flip),
    Command("fen", "", "the position as FEN", _fen),
    Command("plies", "", "what was played so far", _plies),
    Command("rules", "", "the rules in force", _rules),
    Command("save", "FILE", "save the game", _save),
    Command("help", "", "this", _help),
    Command("quit", "", "end (also Ctrl-D)", _quit),
)

_ALIASES = {"?": "help", "exit": "quit", "q": "quit"}
