"""damd plays over DXP: connections, roles and games one after the other."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from damd.client import AsyncEngine
from damd.geometry import BLACK, WHITE
from damd.notation.fen import parse_fen
from damd.rules import Rules
from damd.variants import VariantError
from damd_adapters import launch
from damd_adapters.dxp import NAME
from damd_adapters.dxp.board import NotPlayable, check_rules, position_of
from damd_adapters.dxp.clock import Caps
from damd_adapters.dxp.events import TIME_OVER, Console, Event, Events, PeerFault
from damd_adapters.dxp.game import Game as Played
from damd_adapters.dxp.link import Link, LinkClosed, LinkError, LinkTimeout, Listener
from damd_adapters.dxp.messages import (
    Accept,
    BackAccept,
    BackRequest,
    Chat,
    GameAccept,
    GameEnd,
    GameRequest,
    MessageError,
    Move,
    StartPosition,
    VersionError,
    clean_name,
    letter,
)
from damd_adapters.dxp.play import Manners, Peer, Play
from damd_adapters.dxp.report import Report, note, say
from damd_adapters.game import Game

_REFUSALS = {
    Accept.VERSION: "does not know version 01 of DXP",
    Accept.NOT_THIS: "refuses this game (colour, time, moves or position)",
    Accept.NONE: "refuses any game",
}
#: What the initiator asks for where nothing is said.
_MINUTES = 5
#: Who has connected gets so long to close the connection first.
_LINGER_S = 1.0
#: A peer that ends so many connections before a game has begun is not called again.
_MAX_VAIN = 3


class Refused(LinkError):
    """The peer refuses the game."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What this side asks for as initiator, and how many games it plays in all (0: no limit)."""

    games: int
    colour: int
    minutes: int
    moves: int
    start: StartPosition | None
    idle_s: float


def run(options: Namespace) -> int:
    """Play as the command line says; the exit code."""
    return launch.run(NAME, options, lambda: _run(options))


async def _run(options: Namespace) -> int:
    settings = list(options.option)
    if not any(name.lower() == "uci_variant" for name, _ in settings):
        settings.append(("UCI_Variant", options.variant))
    engine = await launch.start(options.daemon, settings)
    async with engine:
        try:
            rules = Game.of(engine.options, settings).rules()
            check_rules(rules)
            start = position_of(parse_fen(options.fen, rules)) if options.fen else None
        except (NotPlayable, VariantError, ValueError) as fault:
            return launch.fail(NAME, str(fault), launch.USAGE)
        report = Report(options.pdn)
        player = Player(engine, rules, _manners(options), _wishes(options, start), report)
        player.name = clean_name(options.name or engine.id.name or "damd")
        if options.console:
            player.console = Console()
        try:
            await _connections(options, player)
        finally:
            if player.console is not None:
                await player.console.close()
            report.close()
        return launch.AT_FAULT if report.faults else launch.FINE


def _initiates(options: Namespace) -> bool:
    return options.role == "initiator" or (options.role is None and options.connect is not None)


def _manners(options: Namespace) -> Manners:
    caps = Caps(options.move_time, options.nodes, options.depth)
    return Manners(caps, options.back == "accept", options.answer, options.patience, options.free_minutes)


def _wishes(options: Namespace, start: StartPosition | None) -> Wishes:
    games = options.games if options.games is not None else int(_initiates(options))
    colour = WHITE if options.colour == "white" else BLACK
    minutes = _MINUTES if options.minutes is None else options.minutes
    return Wishes(games, colour, minutes, options.moves, start, options.idle)


async def _connections(options: Namespace, player: Player) -> None:
    """Peer after peer, until all games are played or nobody is to come."""
    gap_s, initiates = options.gap / 1000, _initiates(options)
    if options.listen is not None:
        host, port = options.listen
        listener = await Listener.open(host, port, gap_s)
        say(f"listening on {listener.address}")
        try:
            while (link := await _arrival(listener, player)) is not None:
                try:
                    await player.serve(link, initiates)
                except LinkError as fault:
                    note(str(fault))
        finally:
            await listener.close()
        return
    host, port = options.connect
    vain = 0
    while not player.done and vain < _MAX_VAIN:
        games = player.games
        link = await Link.connect(host, port, options.retry, gap_s)
        left = False
        try:
            left = await player.serve(link, initiates)
        except LinkClosed as fault:
            note(str(fault))
        if left or not player.wishes.games:
            return
        vain = vain + 1 if player.games == games else 0
    if not player.done:
        raise PeerFault(f"the peer has ended {vain} connections before a game began: given up")


async def _arrival(listener: Listener, player: Player) -> Link | None:
    """The next peer; ``None`` where no other game is wanted, or the user does not want to wait for one."""
    accepting = asyncio.create_task(listener.accept())
    try:
        while not player.done:
            commands = player.console.waiting() if player.console is not None else None
            tasks = [task for task in (accepting, commands) if task is not None]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if accepting in done:
                return accepting.result()
            word = player.console.taken().strip().lower() if player.console is not None else ""
            if word == "quit":
                return None
            if word:
                note("nobody is connected: the only command is quit")
        return None
    finally:
        accepting.cancel()
        await asyncio.gather(accepting, return_exceptions=True)


class Player:
    """Plays games with one peer after the other; counts them all."""

    def __init__(self, engine: AsyncEngine, rules: Rules, manners: Manners, wishes: Wishes, report: Report) -> None:
        self._engine, self._rules, self._manners, self._report = engine, rules, manners, report
        self.wishes = wishes
        self.name = "damd"
        self.console: Console | None = None
        self._left = False

    @property
    def games(self) -> int:
        """How many have been played."""
        return self._report.games

    @property
    def done(self) -> bool:
        """Whether no other game is wanted."""
        return self._left or (bool(self.wishes.games) and self.games >= self.wishes.games)

    async def serve(self, link: Link, initiates: bool) -> bool:
        """Play with the peer of one connection and close it. Whether the peer wants no other game.

        Raises ``LinkError`` where it ends otherwise than it should, ``EngineError``, and ``OSError`` for the PDN file.
        """
        say(f"connected: {link.peer}")
        async with self._meeting(link) as peer:
            while not (self.done or peer.leaves or link.closing):
                game = await (self._ask(peer) if initiates else self._await_request(peer))
                if game is None:
                    break
                await self._play(peer, game)
            return peer.leaves

    @asynccontextmanager
    async def _meeting(self, link: Link) -> AsyncIterator[Peer]:
        events = Events(link, self.console)
        linger_s = 0.0
        try:
            yield Peer(link, events, self.name)
            linger_s = _LINGER_S if link.accepted else 0.0
        finally:
            await events.close()
            await link.close(linger_s)

    # Games

    async def _play(self, peer: Peer, game: Played) -> None:
        names = (self.name, peer.name) if game.us == WHITE else (peer.name, self.name)
        self._report.begins(game, names)
        last = bool(self.wishes.games) and self.games + 1 >= self.wishes.games
        play = Play(peer, self._engine, game, self._manners, last)
        peer.events.begin()
        try:
            await self._engine.new_game()
            await play.run()
        finally:
            self._left = self._left or (play.leaving and not last)
            self._report.ended(game, names, play.result)

    # The initiator

    async def _ask(self, peer: Peer) -> Played | None:
        """Ask for a game; ``None`` where either side leaves. Colours change from game to game. Raises ``Refused``."""
        wishes = self.wishes
        us = wishes.colour if self.games % 2 == 0 else 1 - wishes.colour
        request = GameRequest(self.name, 1 - us, wishes.minutes, wishes.moves, wishes.start)
        await peer.link.send(request)
        until = asyncio.get_running_loop().time() + self._manners.answer_s
        while not (self._left or peer.leaves):
            match await peer.events.next(until):
                case GameAccept(name, code):
                    peer.name = name
                    if code is not Accept.YES:
                        raise Refused(f"{name} {_REFUSALS[code]}")
                    return Played(self._rules, request, us, self._manners.free_minutes)
                case GameRequest():
                    await peer.link.send(GameAccept(self.name, Accept.NONE))
                    raise PeerFault(f"{peer.name} asks for games too: one side has to be the follower (--role follower)")
                case event if event is TIME_OVER:
                    raise LinkTimeout(
                        f"{peer.name} has not answered the game request within {self._manners.answer_s:g} s:"
                        " if it asks for games itself, follow it (--role follower)"
                    )
                case event:
                    await self._idle(peer, event)
        return None

    # The follower

    async def _await_request(self, peer: Peer) -> Played | None:
        """The next game that was asked for and accepted; ``None`` where either side leaves."""
        until = asyncio.get_running_loop().time() + self.wishes.idle_s
        while not (self._left or peer.leaves):
            try:
                event = await peer.events.next(until)
            except LinkClosed as fault:
                note(str(fault))
                return None
            if isinstance(event, GameRequest):
                game = await self._accepted(peer, event)
                if game is not None:
                    return game
            elif event is TIME_OVER:
                raise LinkTimeout(
                    f"no game request from {peer.name} within {self.wishes.idle_s:g} s:"
                    " if it waits for one, ask for games (--role initiator)"
                )
            else:
                await self._idle(peer, event)
        return None

    async def _accepted(self, peer: Peer, request: GameRequest) -> Played | None:
        """Answer a request: its game, or ``None`` where it cannot be played."""
        peer.name = request.name
        try:
            game = Played(self._rules, request, request.follower, self._manners.free_minutes)
        except NotPlayable as fault:
            await peer.link.send(GameAccept(self.name, Accept.NOT_THIS))
            await peer.tell(f"refused: {fault}")
            return None
        await peer.link.send(GameAccept(self.name, Accept.YES))
        return game

    # Between games

    async def _idle(self, peer: Peer, event: Event) -> None:
        """What may come while no game is on."""
        match event:
            case Chat():
                peer.show(event)
            case GameEnd():
                # Some answer twice to the end of a game.
                peer.leaves = peer.leaves or event.leaves
            case VersionError():
                await peer.link.send(GameAccept(self.name, Accept.VERSION))
                await peer.tell(f"refused: {event}")
            case MessageError():
                await peer.tell(f"error: {event}")
            case str():
                await self._command(peer, event)
            case GameAccept() | Move() | BackRequest() | BackAccept():
                await peer.tell(f"error: message {letter(event)} without a game")
            case _:
                raise AssertionError(f"an event that is none: {event!r}")

    async def _command(self, peer: Peer, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        if word.lower() == "chat" and rest.strip():
            await peer.link.say(rest)
        elif word.lower() == "quit":
            self._left = True
        elif word:
            note("no game is on: the commands are chat WORDS and quit")
