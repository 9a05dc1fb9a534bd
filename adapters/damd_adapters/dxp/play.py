"""One game over DXP, from its first move to the two game ends.

A game is ended by sending ``E`` instead of a move, so only the side to move can end it; the other answers with ``E``.
Where both send one, each takes the other's for the answer. Peers that end out of turn are let do it.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

from damd.client import AsyncEngine, EngineError, SearchResult
from damd_adapters.dxp.board import NotPlayable, move_of, ply_of
from damd_adapters.dxp.clock import Caps
from damd_adapters.dxp.events import SEARCHED, TIME_OVER, Event, Events, PeerFault
from damd_adapters.dxp.game import SIDES, Game, Result
from damd_adapters.dxp.link import Link, LinkError, LinkTimeout
from damd_adapters.dxp.messages import (
    Accept,
    Back,
    BackAccept,
    BackRequest,
    Chat,
    End,
    GameAccept,
    GameEnd,
    GameRequest,
    MessageError,
    Move,
    letter,
)
from damd_adapters.dxp.report import SHOWN_CHATS, note


@dataclass(frozen=True, slots=True)
class Manners:
    """How games are played, whatever is agreed on in each. Times are seconds."""

    caps: Caps
    accept_back: bool
    answer_s: float
    patience_s: float
    free_minutes: float


class Peer:
    """The other side of one connection, and what is said to it outside the course of a game."""

    def __init__(self, link: Link, events: Events, own_name: str) -> None:
        self.link, self.events, self.own_name = link, events, own_name
        #: What it calls itself; its address until it has said so.
        self.name = link.peer
        #: Whether it has said that it wants no other game.
        self.leaves = False
        self._shown = 0

    async def tell(self, words: str) -> None:
        """Note something, and say it to the peer in a chat."""
        note(f"to {self.name}: {words}")
        await self.link.say(words)

    def show(self, chat: Chat) -> None:
        """Show a chat of the peer's, up to a number of them."""
        self._shown += 1
        if self._shown <= SHOWN_CHATS:
            note(f"chat from {self.name}: {_visible(chat.words)}")
        elif self._shown == SHOWN_CHATS + 1:
            note(f"{self.name} chats on; what follows is only logged")


class Play:
    """Plays one game: ``run``, then ``result``. ``leaving``: this side wants no other game after it."""

    def __init__(self, peer: Peer, engine: AsyncEngine, game: Game, manners: Manners, leaving: bool) -> None:
        self._peer, self._engine, self._game, self._manners = peer, engine, game, manners
        self._leaving = leaving
        self._result: Result | None = None
        #: How this side ends the game at its next turn because the user wants it so.
        self._wish: End | None = None
        #: How many plies are left after our request to go back, while it is not answered.
        self._asked: int | None = None

    async def run(self) -> None:
        """Play. What breaks the game off gives a result too; whoever goes on finds the connection closed.

        Raises ``EngineError`` where the engine fails, after the peer has been told.
        """
        game = self._game
        try:
            while self._result is None:
                game.clocks.start(game.table.side)
                if self._asked is not None and game.our_turn:
                    await self._await_back()
                elif game.our_turn:
                    await self._our_turn()
                else:
                    await self._their_turn()
        except LinkError as fault:
            note(str(fault))
            await self._peer.link.close()
            if self._result is None:
                self._result = Result.by_rule(game.outcome) if game.outcome else Result(reason=str(fault), fault=True)

    @property
    def result(self) -> Result:
        """How the game ended, or that it was broken off."""
        return self._result or Result(reason="broken off", fault=True)

    @property
    def leaving(self) -> bool:
        """Whether this side has said, or would say, that it leaves after the game."""
        return self._leaving

    # Our turn

    async def _our_turn(self) -> None:
        game = self._game
        if game.outcome is not None:
            await self._end(game.reason(), Result.by_rule(game.outcome))
        elif self._wish is not None:
            await self._end(self._wish, _wished(self._wish, game))
        elif game.full:
            await self._end(End.UNKNOWN, Result(reason="limit of moves"))
        else:
            await self._move()

    async def _move(self) -> None:
        """Think and move, unless something comes that changes the position or ends the game."""
        game = self._game
        in_time = game.clocks.left_s(game.us) > 0
        until = asyncio.get_running_loop().time() + 1e9  # the client has time-outs of its own for the engine
        search = asyncio.create_task(self._think())
        try:
            while (event := await self._peer.events.next(until, search)) is not SEARCHED:
                if await self._handle(event):
                    return
            found = search.result()
        except EngineError as fault:
            await self._give_up(f"the engine has failed: {fault}")
            raise
        finally:
            # A search that is not over is told to stop; the client swallows what it still says.
            search.cancel()
            await asyncio.gather(search, return_exceptions=True)
        if found.best.resign:
            await self._end(End.LOSES, Result(game.them, reason="resignation"))
            return
        try:
            ply = game.table.read(found.ply or "")
        except ValueError as fault:
            await self._give_up(f"the engine has played no legal ply: {fault}")
            raise EngineError(f"the engine has played no legal ply: {fault}") from None
        move = move_of(ply, game.clocks.press())
        if in_time and game.clocks.left_s(game.us) <= 0:
            note("our time is used up; DXP lets the game go on")
        game.play(ply)
        await self._peer.link.send(move)

    async def _think(self) -> SearchResult:
        game = self._game
        position = (game.table.fen, game.table.texts)
        return await self._engine.go(game.clocks.limit(game.us, self._manners.caps), position=position)

    async def _give_up(self, reason: str) -> None:
        """End the game at our turn because this side cannot go on."""
        self._leaving = True
        with contextlib.suppress(LinkError):
            await self._peer.link.say(f"error: {reason}")
            await self._end(End.UNKNOWN, Result(reason=reason, fault=True))

    async def _end(self, reason: End, result: Result) -> None:
        """End the game at our turn and wait for the peer's answer."""
        peer, loop = self._peer, asyncio.get_running_loop()
        self._result = result
        await peer.link.send(GameEnd(reason, self._leaving))
        until = loop.time() + self._manners.answer_s
        while True:
            event = await peer.events.next(until)
            match event:
                case GameEnd():
                    peer.leaves = event.leaves
                    if not result.known and not result.fault and event.reason is not End.UNKNOWN:
                        self._result = self._game.ended_by_peer(event.reason)
                    return
                case GameRequest():
                    # Some begin the next game without an answer to the end of this one.
                    peer.events.again(event)
                    return
                case Chat():
                    peer.show(event)
                case BackRequest():
                    await peer.link.send(BackAccept(Back.NO))
                case str():
                    note("the game is over; the command is not carried out")
                case _ if event is TIME_OVER:
                    raise LinkTimeout(
                        f"{peer.name} has not answered the end of the game within {self._manners.answer_s:g} s"
                    )
                case _:
                    pass  # a move that crossed our end, or garbage, which events counts

    # Their turn

    async def _their_turn(self) -> None:
        game, peer = self._game, self._peer
        clock_s = max(0.0, game.clocks.left_s(game.them)) if game.outcome is None else 0.0
        wait_s = clock_s + self._manners.patience_s
        until = asyncio.get_running_loop().time() + wait_s
        while True:
            event = await peer.events.next(until)
            if event is TIME_OVER:
                raise LinkTimeout(
                    f"no move from {peer.name} within {wait_s:.0f} s ({clock_s:.0f} s on its clock and"
                    f" {self._manners.patience_s:g} s of patience)"
                )
            if isinstance(event, Move):
                await self._moved(event)
                return
            if await self._handle(event):
                return

    async def _moved(self, move: Move) -> None:
        game, peer = self._game, self._peer
        try:
            ply = ply_of(move, game.table)
        except NotPlayable as fault:
            await peer.tell(f"error: {fault}")
            await self._end(End.UNKNOWN, Result(reason=f"{peer.name} played an illegal ply: {fault}", fault=True))
            return
        game.clocks.press()
        game.play(ply)
        peer.events.progress()

    # What may come at any time

    async def _handle(self, event: Event) -> bool:
        """Everything but a move in its turn. Whether the turn is over, or has to begin again."""
        peer = self._peer
        match event:
            case Chat():
                peer.show(event)
            case GameEnd():
                await self._ended(event)
                return True
            case BackRequest():
                return await self._back(event)
            case BackAccept():
                return self._back_answered(event)
            case GameRequest():
                await peer.link.send(GameAccept(peer.own_name, Accept.NOT_THIS))
                await peer.tell("a game is on: a game request is refused until it has ended")
            case MessageError():
                await peer.tell(f"error: {event}")
            case str():
                return await self._command(event)
            case Move() | GameAccept():
                await peer.tell(f"error: message {letter(event)} is out of turn")
            case _:
                raise AssertionError(f"an event that is none: {event!r}")
        return False

    async def _ended(self, end: GameEnd) -> None:
        """The peer has ended the game; the answer never says who has won."""
        peer, game = self._peer, self._game
        self._result = result = game.ended_by_peer(end.reason)
        peer.leaves = end.leaves
        said = {End.LOSES: game.us, End.WINS: game.them}.get(end.reason)
        if end.reason is not End.UNKNOWN and (said, end.reason is End.DRAW) != (result.winner, result.draw):
            note(f"{peer.name} has another result: {end.reason.name.lower()}, from its side")
        await peer.link.send(GameEnd(End.UNKNOWN, self._leaving))

    # Going back

    async def _back(self, request: BackRequest) -> bool:
        peer, game = self._peer, self._game
        target = game.ply_of(request.number, request.side)
        where = f"to {SIDES[request.side]}'s move {request.number}"
        if target is None:
            code, words = Back.NO, f"the game has never been there: {where} cannot be gone back"
        elif self._asked is not None:
            code, words = Back.NO, "both want to go back: the game goes on where it is"
        elif not self._manners.accept_back:
            code, words = Back.NO, "no moves are taken back here"
        else:
            await peer.link.send(BackAccept(Back.YES))
            note(f"{peer.name} takes back, {where}")
            game.back_to(target)
            return True
        await peer.link.send(BackAccept(code))
        await peer.tell(words)
        return False

    async def _ask_back(self, words: list[str]) -> bool:
        """The user wants to go back: so many moves of ours, 1 where nothing is said."""
        game = self._game
        count = int(words[0]) if words and words[0].isascii() and words[0].isdigit() and len(words[0]) < 4 else 1
        ours = [ply for ply in range(game.plies + 1) if game.move_at(ply)[1] == game.us]
        if not game.our_turn:
            ours.append(game.plies + 1)
        if self._asked is not None or not 0 < count < len(ours):
            note("there is no such move to go back to" if self._asked is None else "a request to go back is under way")
            return False
        self._asked = ours[-1 - count]
        await self._peer.link.send(BackRequest(*game.move_at(self._asked)))
        return True

    async def _await_back(self) -> None:
        """At our turn nothing is played until our request to go back is answered."""
        until = asyncio.get_running_loop().time() + self._manners.answer_s
        while self._asked is not None and self._result is None:
            event = await self._peer.events.next(until)
            if event is TIME_OVER:
                self._asked = None
                await self._peer.tell("the request to go back was not answered: the game goes on where it is")
            elif await self._handle(event):
                return

    def _back_answered(self, answer: BackAccept) -> bool:
        target, self._asked = self._asked, None
        if target is None:
            if answer.code is Back.YES:
                raise PeerFault(
                    f"{self._peer.name} has gone back where nothing was asked, or too late: the positions differ"
                )
            return False
        if answer.code is Back.YES:
            note(f"{self._peer.name} agrees to go back")
            self._game.back_to(target)
        else:
            known = "does not know how to go back" if answer.code is Back.NOT_SUPPORTED else "does not want to go back"
            note(f"{self._peer.name} {known}")
        return True

    # The user

    async def _command(self, line: str) -> bool:
        word, *rest = line.split() or [""]
        match word.lower():
            case "":
                return False
            case "chat" if rest:
                await self._peer.link.say(" ".join(rest))
            case "back":
                return await self._ask_back(rest)
            case "resign":
                self._wish = End.LOSES
            case "draw":
                self._wish = End.DRAW
            case "quit":
                self._wish, self._leaving = End.UNKNOWN, True
            case _:
                note(f"{_visible(word)}: the commands are chat WORDS, back [N], resign, draw and quit")
                return False
        if self._wish is not None and not self._game.our_turn:
            note("a game is ended by the side to move: at our next turn")
        return self._wish is not None and self._game.our_turn


def _wished(wish: End, game: Game) -> Result:
    if wish is End.LOSES:
        return Result(game.them, reason="resignation")
    return Result(draw=True, reason="the user declares a draw") if wish is End.DRAW else Result(reason="the user leaves")


def _visible(words: str) -> str:
    """Foreign words without anything that a terminal obeys."""
    return "".join(char if char.isprintable() else "?" for char in words[:200])
