"""What ``enginecommand`` is asked, and the answers.

CheckerBoard takes ``?`` for "this engine has no such thing" and greys the control out; it copies some replies into
buffers of 256 characters. Every command has a reply, handled or not.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from damd.client import EngineError, OptionError, Score
from damd.core.types import TooManyPlies
from damd.variants.fault import suggestion
from damd_adapters.checkerboard.layouts import BoardError
from damd_adapters.checkerboard.moves import move_list, moves_of
from damd_adapters.checkerboard.thinking import score_text
from damd_adapters.checkerboard.wire import SHORT_REPLY, plain, shown

if TYPE_CHECKING:
    from damd_adapters.checkerboard.session import Session

#: The version of CheckerBoard's interface that this is.
PROTOCOL_VERSION = "2"
#: Lies beside the DLL.
HELP_FILE = "damd.htm"
NONE = "?"
#: What the window's title has room for.
_NAME_CHARACTERS = 100

#: How replies begin for which CheckerBoard has more room.
_LONG = ("movelist ",)

Reply = tuple[bool, str]

#: What CheckerBoard sets and damd does not have, and why.
_MISSING = {
    "book": "damd has no opening book",
    "bookfile": "damd has no opening book",
    **dict.fromkeys(
        ("dbpath", "dbmbytes", "enable_wld", "max_dbpieces", "mtcpath", "enable_mtc", "check_wld_dir", "check_mtc_dir"),
        "damd has no endgame databases",
    ),
    "solve": "damd has no mode for problems",
}
#: Engine options by CheckerBoard's names.
_OPTIONS = {"hashsize": "Hash", "searchthreads": "Threads"}


async def answer(session: Session, text: str) -> Reply:
    """Whether the command is handled, and the reply, which is never empty."""
    handled, reply = await _answer(session, text)
    return handled, reply if reply.startswith(_LONG) else plain(reply, SHORT_REPLY)


async def _answer(session: Session, text: str) -> Reply:
    words = text.split(None, 2)
    if not words:
        return False, "? an empty command"
    verb = words[0].lower()
    topic = words[1].lower() if len(words) > 1 else ""
    if verb in ("get", "set"):
        handler = _TOPICS.get((verb, topic))
        if handler is None:
            return _unhandled(verb, topic)
        return await _guarded(handler, session, words[2].strip() if len(words) > 2 else "")
    handler = _VERBS.get(verb)
    if handler is None:
        return False, f"? unknown command {shown(verb)}{suggestion(verb, ('get', 'set', *_VERBS))}"
    return await _guarded(handler, session, text.split(None, 1)[1].strip() if len(words) > 1 else "")


async def _guarded(handler: Callable[[Session, str], Awaitable[Reply]], session: Session, argument: str) -> Reply:
    try:
        return await handler(session, argument)
    except (BoardError, OptionError, TooManyPlies) as fault:
        return False, f"? {fault}"
    except EngineError as fault:
        return False, f"? damd's engine: {fault}"


def _unhandled(verb: str, topic: str) -> Reply:
    if topic in _MISSING:
        return False, NONE if verb == "get" else f"? {_MISSING[topic]}"
    if verb == "get" or not topic:
        return False, NONE
    known = [known for known_verb, known in _TOPICS if known_verb == verb]
    return False, f"? unknown setting {shown(topic)}{suggestion(topic, known)}"


# Who it is


async def _name(session: Session, _: str) -> Reply:
    try:
        return True, plain(await session.driver.name(), _NAME_CHARACTERS)
    except EngineError as fault:
        return True, plain(f"damd without an engine: {fault}", _NAME_CHARACTERS)


async def _about(session: Session, argument: str) -> Reply:
    name = (await _name(session, argument))[1]
    return True, f"{name}\n{session.rules.names.title} through damd-checkerboard\n\nA draughts engine daemon for many games."


async def _help(_: Session, __: str) -> Reply:
    return True, HELP_FILE


async def _protocol_version(_: Session, __: str) -> Reply:
    return True, PROTOCOL_VERSION


async def _gametype(session: Session, _: str) -> Reply:
    return True, str(session.squares.layout.gametype)


async def _cpus(_: Session, __: str) -> Reply:
    return True, str(os.cpu_count() or 1)


# Settings


def _getter(topic: str) -> Callable[[Session, str], Awaitable[Reply]]:
    async def get(session: Session, _: str) -> Reply:
        if await session.driver.option(_OPTIONS[topic]) is None:
            return False, NONE
        return True, str(await session.driver.value(_OPTIONS[topic]))

    return get


def _setter(topic: str) -> Callable[[Session, str], Awaitable[Reply]]:
    async def put(session: Session, argument: str) -> Reply:
        await session.driver.set(_OPTIONS[topic], argument)
        return True, f"{topic} {argument}"

    return put


async def _get_allscores(session: Session, _: str) -> Reply:
    return True, str(int(session.every_move))


async def _set_allscores(session: Session, argument: str) -> Reply:
    if argument not in ("0", "1"):
        return False, f"? allscores takes 0 or 1, not {shown(argument)}"
    session.every_move = argument == "1"
    return True, f"allscores {argument}"


# Positions


async def _movelist(session: Session, argument: str) -> Reply:
    moves = moves_of(session.table(session.squares.read_fen(argument)).position, session.squares)
    return True, move_list(moves, session.squares, session.longest_list)


async def _game_history(session: Session, argument: str) -> Reply:
    fen, *moves = argument.split() or [""]
    session.history = None
    table = session.table(session.squares.read_fen(fen))
    for number, move in enumerate(moves, start=1):
        session.play_quiet(table, number, move)
    session.history = table
    return True, f"game history of {len(moves)} moves"


async def _static_evaluation(session: Session, argument: str) -> Reply:
    setup = session.squares.read_fen(argument)
    value = await session.evaluate(setup)
    if value is None:
        return True, "damd is thinking: ask again when it has moved"
    return True, f"{score_text(Score('cp', value))} men for {('White', 'Black')[setup.side]}, who is to move"


_VERBS: dict[str, Callable[[Session, str], Awaitable[Reply]]] = {
    "name": _name,
    "about": _about,
    "help": _help,
    "staticevaluation": _static_evaluation,
}
_TOPICS: dict[tuple[str, str], Callable[[Session, str], Awaitable[Reply]]] = {
    ("get", "protocolversion"): _protocol_version,
    ("get", "gametype"): _gametype,
    ("get", "cpus"): _cpus,
    ("get", "movelist"): _movelist,
    ("set", "gamehist"): _game_history,
    ("get", "allscores"): _get_allscores,
    ("set", "allscores"): _set_allscores,
    **{("get", topic): _getter(topic) for topic in _OPTIONS},
    **{("set", topic): _setter(topic) for topic in _OPTIONS},
}
