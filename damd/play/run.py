"""``damd play``: from the options of the command line to the end of the session."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from dataclasses import replace

from damd import variants
from damd.client import SyncEngine, Timeouts
from damd.core.position import start_setup
from damd.notation.fen import FenError, format_fen, parse_fen
from damd.notation.squares import SIDES
from damd.play.commands import Leave, keep, obey
from damd.play.console import quiet, terminal
from damd.play.game import Game, Unplayable
from damd.play.opponent import Opponent, OpponentError
from damd.play.record import PEOPLE, Record, RecordError, load, rules_for
from damd.play.session import Options, Session
from damd.play.strength import DEFAULT, Strength

FINE, AT_FAULT, USAGE = 0, 1, 2
#: The machine may be busy.
TIMEOUTS = Timeouts(handshake_s=30.0, ready_s=30.0)


class _Fault(Exception):
    """Options that cannot be obeyed: a message, and the exit code."""

    def __init__(self, message: str, code: int = AT_FAULT) -> None:
        super().__init__(message)
        self.code = code


def run(options: Namespace) -> int:
    """Play until the person leaves; the exit code of the process."""
    try:
        record = _record(options)
        command = _engine_command(options)
        _check_save(options)
    except _Fault as fault:
        return _fail(str(fault), fault.code)
    path = options.variant_path or None
    rules = record.game.rules
    opponent = Opponent(
        lambda: SyncEngine.start(command, timeouts=TIMEOUTS),
        rules,
        # Where the game has no penalty there is nothing to forbid, and another engine may not know the option.
        forbidden=record.missed_capture == "forbidden" and bool(rules_for(rules.name, "rule", path).penalty.take),
        variant_path=os.path.abspath(path) if path else None,
    )
    table = Options(
        people=record.people,
        strength=record.strength,
        missed_capture=record.missed_capture,
        squares=options.squares or rules.notation.squares,
        turned=(record.people == PEOPLE["black"]) != options.flip,
        save_file=options.save,
        loaded_file=options.load,
    )
    with quiet():
        return play(Session(terminal(options.no_color), record.game, opponent, table))


def play(session: Session) -> int:
    """The session from greeting to good-bye. Whatever happens the engine's process has ended afterwards."""
    try:
        if len(session.options.people) < 2:
            with session.console.busy("Starting the engine (Ctrl-C interrupts) ..."):
                session.opponent.ready()
        _greet(session)
        while True:
            try:
                _step(session)
            except KeyboardInterrupt:
                _interrupted(session)
    except OpponentError as fault:  # at the start; later ones are the session's
        return _fail(str(fault))
    except KeyboardInterrupt:
        return _fail("interrupted before the engine was there")
    except Leave:
        return FINE
    finally:
        session.opponent.close()


def _step(session: Session) -> None:
    """One ply of the engine, or one line of the person. Raises ``Leave`` and ``KeyboardInterrupt``."""
    if session.engine_to_play and not session.paused:
        session.engine_turn()
        return
    try:
        line = session.prompt()
    except EOFError:
        session.console.show("")
        keep(session)
        if session.unsaved:
            _remember(session)
        raise Leave from None
    obey(session, line)


def _greet(session: Session) -> None:
    people, names = session.options.people, session.game.rules.names
    engine = session.opponent.name
    if len(people) == 1:
        (mine,) = people
        who = f"you play {SIDES[mine]}, {engine} plays {SIDES[1 - mine]} with {session.options.strength}"
    elif people:
        who = "you play both sides"
    else:
        who = f"{engine} plays both sides with {session.options.strength}, and Ctrl-C interrupts it"
    session.console.say(f"{names.title or names.name}: {who}. `help` lists what you can say.")
    if session.over:
        session.tell_end()
    elif not people:
        session.show_board()


def _interrupted(session: Session) -> None:
    """Ctrl-C: the engine's search is given up, a line that was being typed is forgotten."""
    session.console.show("")
    if session.engine_to_play and not session.paused:
        session.paused = True
        side = SIDES[session.game.side]
        session.console.say(f"Interrupted. {side} is to move: `go` lets the engine play, `quit` ends the game.")
    else:
        session.console.say("`quit` ends the game.")


def _remember(session: Session) -> None:
    """Input is over and the game not saved: what it takes to go on stays on the screen."""
    game = session.game
    session.console.say("Not saved. The game was:", session.words.score_sheet(game))
    session.console.show(format_fen(game.position.setup(), game.rules, full=True))


# From options to a game


def _record(options: Namespace) -> Record:
    strength = _strength(options)
    people = PEOPLE[options.side] if options.side else None
    if options.load is None:
        return _new_record(options, people, strength)
    game_options = ("variant", "fen", "first", "missed_capture")
    given = [name for name in game_options if getattr(options, name) is not None]
    if given:
        name = "VARIANT" if given[0] == "variant" else f"--{given[0].replace('_', '-')}"
        raise _Fault(f"--load says which game it is: {name} does not go with it", USAGE)
    try:
        record = load(options.load, options.variant_path or None)
    except RecordError as fault:
        raise _Fault(f"--load: {fault}") from fault
    return replace(
        record,
        people=record.people if people is None else people,
        strength=strength or record.strength,
    )


def _new_record(options: Namespace, people: frozenset[int] | None, strength: Strength | None) -> Record:
    missed_capture = options.missed_capture or "rule"
    if options.fen is not None and options.first is not None:
        raise _Fault("--fen says who moves first: --first does not go with it", USAGE)
    try:
        rules = rules_for(options.variant or "dam-haji", missed_capture, options.variant_path or None)
        first = None if options.first is None else ("white", "black").index(options.first)
        setup = start_setup(rules, first) if options.fen is None else parse_fen(options.fen, rules)
        game = Game(rules, setup)
    except variants.VariantError as fault:
        raise _Fault(str(fault)) from fault
    except (FenError, Unplayable) as fault:
        raise _Fault(f"--fen: {fault}") from fault
    return Record(game, missed_capture, PEOPLE["white"] if people is None else people, strength or DEFAULT)


def _strength(options: Namespace) -> Strength | None:
    """What the options say about the engine's strength; ``None`` for nothing."""
    strength = Strength(options.level, options.depth, options.nodes, options.time)
    return None if strength == Strength() else strength


def _engine_command(options: Namespace) -> list[str]:
    if options.engine is None:
        return [sys.executable, "-m", "damd"]
    try:
        command = shlex.split(options.engine, posix=os.name != "nt")
    except ValueError as fault:
        raise _Fault(f"--engine: {fault}", USAGE) from fault
    if not command:
        raise _Fault("--engine: a command is needed", USAGE)
    return command


def _check_save(options: Namespace) -> None:
    """Nothing is overwritten unasked, and a folder that is not there is told before the game."""
    if options.save is None:
        return
    file = os.path.realpath(os.path.expanduser(options.save))
    loaded = os.path.realpath(os.path.expanduser(options.load)) if options.load is not None else None
    if os.path.exists(file) and file != loaded:
        raise _Fault(f"--save: {options.save} exists; to go on with the game in it, --load it as well")
    if not os.access(os.path.dirname(file), os.W_OK):
        raise _Fault(f"--save: {options.save} cannot be written")


def _fail(text: str, code: int = AT_FAULT) -> int:
    sys.stderr.write(f"damd: {text}\n")
    return code
