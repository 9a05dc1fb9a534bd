"""``damd-dxp --engine HOST:PORT|CMD``: a DXP program as an engine of damd's protocol.

DXP knows games, not positions: both sides begin a game and then play in turn. So a ``position`` that goes on from the
last one by the program's ply and an answer is a move of the same game; any other one ends that game and begins another,
from the position itself. DXP's only time is minutes for the whole game, told at its beginning: clocks that are whole
minutes then. Nothing can be told a program that thinks.
"""

from __future__ import annotations

import asyncio
from argparse import Namespace
from dataclasses import dataclass, field

from damd.client import EngineId
from damd.notation.fen import format_fen, parse_fen
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import Option, OptionKind
from damd.rules import Rules
from damd.variants import VariantError
from damd_adapters import launch
from damd_adapters.dxp import NAME
from damd_adapters.dxp.board import NotPlayable, move_of, ply_of, position_of, rules_of
from damd_adapters.dxp.engine_peer import Place, Reached, place_of
from damd_adapters.dxp.engine_talk import STOPPED, Manners, Talk
from damd_adapters.dxp.link import LinkError
from damd_adapters.dxp.messages import (
    MAX_MINUTES,
    Accept,
    End,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    Move,
    clean_name,
)
from damd_adapters.table import Table
from damd_adapters.uci import serve
from damd_adapters.uci.engine import Choice, EngineFault, ForeignEngine, Host, Limits, Tell

MINUTES = "Minutes"
#: A program that thinks cannot be told to stop: it gets so long to move all the same, then the connection is cut.
STOP_S = 1.0
#: When the adapter ends the answer to a game end is waited for so long.
_FAREWELL_S = 0.5
_MINUTE_MS = 60_000
_HOW = f"a program by DXP knows minutes for the whole game only: give wtime and btime, or set {MINUTES}"
_ENDS = {
    End.UNKNOWN: "has ended the game without a result",
    End.DRAW: "has ended the game as a draw",
    End.WINS: "has ended the game as won",
}


def run(options: Namespace) -> int:
    """Serve one client on stdin and stdout; the exit code."""
    try:
        place, rules = place_of(options.engine), rules_of(options.variant)
    except (NotPlayable, VariantError, ValueError) as fault:
        return launch.fail(NAME, str(fault), launch.USAGE)
    manners = Manners(
        name=clean_name(options.name or "damd"),
        follows=options.role == "follower",
        minutes=options.minutes or 0,
        moves=options.moves,
        retry_s=options.retry,
        gap_s=options.gap / 1000,
        answer_s=options.answer,
        patience_s=options.patience,
    )
    return serve.run(NAME, options, lambda host: DxpEngine(place, rules, manners, host))


@dataclass(slots=True)
class _Game:
    """A game with the program, which plays ``side``: the client's FEN and the plies from there.

    ``sound``: both sides agree on the position.
    """

    side: int
    fen: str | None
    texts: list[str] = field(default_factory=list)
    our_turn: bool = True
    sound: bool = True

    def goes_on(self, table: Table) -> bool:
        """Whether the table is this game one ply of ours later."""
        known = len(self.texts)
        return (
            self.sound
            and self.our_turn
            and (table.side, table.fen, len(table.texts)) == (self.side, self.fen, known + 1)
            and list(table.texts[:known]) == self.texts
        )


class DxpEngine(ForeignEngine):
    """A DXP program. The connection is made in the background, and made anew after one that had to be cut."""

    def __init__(self, place: Place, rules: Rules, manners: Manners, host: Host) -> None:
        self._place, self._manners, self._host = place, manners, host
        self._minutes = manners.minutes
        self._peer: Reached | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._talk: Talk | None = None
        self._game: _Game | None = None
        self._stop = asyncio.Event()
        self._told: set[str] = set()  # limits that have been said to be passed over
        self.variants = (rules.name,)
        self.options = (Option(MINUTES, OptionKind.SPIN, str(manners.minutes), 0, MAX_MINUTES),)
        self.identity = EngineId(f"DXP program at {place.text}", "", (f"engine behind DXP: {place}",))

    # Life

    async def start(self) -> None:
        self._connecting = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        peer = self._peer = Reached(self._place, self._manners.retry_s, self._manners.gap_s)
        try:
            self._talk = Talk(await peer.connect(), self._manners, self._host)
        except LinkError as fault:
            self._host.failed(EngineFault(str(fault)))
            raise EngineFault(str(fault)) from fault

    async def close(self) -> None:
        if self._talk is not None and self._game is not None and self._game.our_turn:
            try:
                async with asyncio.timeout(_FAREWELL_S):
                    await self._talk.end(leaves=True)
            except (TimeoutError, EngineFault):
                launch.logger.debug("# the end of the game was not answered")
        await self._cut()

    def kill(self) -> None:
        if self._peer is not None:
            self._peer.kill()

    async def _cut(self) -> None:
        """End connection and process: the next preparation begins with new ones."""
        connecting, talk, peer = self._connecting, self._talk, self._peer
        self._connecting = self._talk = self._peer = self._game = None
        if connecting is not None:
            connecting.cancel()
            await asyncio.gather(connecting, return_exceptions=True)
        if talk is not None:
            await talk.close()
        if peer is not None:
            await peer.close()

    # Options and games

    def set_variant(self, rules: Rules) -> None:
        """There is one only."""

    def set_option(self, name: str, value: str) -> None:  # noqa: ARG002 - there is one only
        self._minutes = int(value)

    @property
    def prepared(self) -> bool:
        return self._talk is not None

    async def prepare(self) -> None:
        await self._ready()

    async def _ready(self) -> Talk:
        """The connection, made anew where there is none."""
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())
        await asyncio.shield(self._connecting)
        if self._talk is None:
            raise EngineFault(f"there is no connection to {self._place}")
        return self._talk

    async def new_game(self) -> None:
        """The game ends by DXP's words where it is ours to end it, else with its connection."""
        game, talk, self._game = self._game, self._talk, None
        if game is None or talk is None:
            return
        try:
            stays = game.our_turn and await talk.end()
        except EngineFault as fault:
            self._host.remark(f"the connection is made anew: {fault}")
            stays = False
        if not stays:
            await self._cut()

    # Searching

    async def search(self, table: Table, limits: Limits, tell: Tell) -> Choice:  # noqa: ARG002 - DXP tells nothing
        self._stop.clear()
        self._check(limits, table.side)
        game, talk = await self._game_for(table, limits), await self._ready()
        try:
            if len(table.texts) > len(game.texts):
                await talk.send(move_of(table.played[-1]))
                game.texts.append(table.texts[-1])
            game.our_turn = False
            move = await self._answer(talk, self._patience(limits, table.side))
        except EngineFault as fault:
            ended = "" if self._peer is None else await self._peer.ended()
            raise EngineFault(f"{fault}; {ended}" if ended else str(fault)) from fault
        if move is None:
            return Choice(None, resigns=True)
        game.our_turn = True
        try:
            ply = ply_of(move, table)
        except NotPlayable as fault:
            game.sound = False
            said = f"played by {talk.name} in {format_fen(table.position.setup(), table.rules)}: {fault}"
            raise ProtocolError(Code.ILLEGAL_PLY, move.text, said) from fault
        game.texts.append(table.spell(ply))
        return Choice(ply)

    def stop(self) -> None:
        self._stop.set()

    def ponder_hit(self) -> None:
        """Pondering has been refused."""

    async def _game_for(self, table: Table, limits: Limits) -> _Game:
        """The game that runs, where the table is its next position, otherwise another one."""
        if self._game is not None and self._game.goes_on(table):
            return self._game
        minutes = self._minutes_of(limits, table.side)
        await self.new_game()
        try:
            self._game = await self._begin(table, minutes)
        except EngineFault as fault:
            # A program that has played before may have ended the connection since.
            if self._talk is None or not self._talk.played:
                raise
            self._host.remark(f"the connection is made anew: {fault}")
            await self._cut()
            self._game = await self._begin(table, minutes)
        return self._game

    async def _begin(self, table: Table, minutes: int) -> _Game:
        """A game from the table's own beginning, or from where it is now if more than one ply has been played."""
        talk, rules = await self._ready(), table.rules
        first = Table(rules)
        early = len(table.played) <= 1
        if early and table.fen is not None:
            first = Table(rules, parse_fen(table.fen, rules))
        setup = first.position.setup() if early else table.position.setup()
        start, own_start = position_of(setup), position_of(Table(rules).position.setup())
        if self._manners.follows:
            await talk.follow(table.side, start, own_start)
        else:
            named = None if start == own_start else start
            await talk.ask(GameRequest(self._manners.name, table.side, minutes, self._manners.moves, named))
        return _Game(table.side, table.fen, [] if early else list(table.texts))

    async def _answer(self, talk: Talk, patience_s: float) -> Move | None:
        """The program's move, ``None`` where it gives up. Raises ``ProtocolError`` and ``EngineFault``."""
        until = asyncio.get_running_loop().time() + patience_s
        stopped = False
        while True:
            left = until - asyncio.get_running_loop().time()
            match await talk.next(max(0.0, left), None if stopped else self._stop):
                case Move() as move:
                    return move
                case GameEnd(reason, leaves):
                    await self._ended(talk, leaves)
                    if reason is End.LOSES:
                        return None
                    raise ProtocolError(Code.ILLEGAL_PLY, "", f"{talk.name} {_ENDS[reason]} instead of a ply")
                case event if event is STOPPED:
                    stopped = True
                    until = asyncio.get_running_loop().time() + STOP_S
                case GameRequest():
                    await talk.send(GameAccept(self._manners.name, Accept.NONE))
                case event if isinstance(event, Message):
                    self._host.remark(f"{talk.name} has sent {event.text} while it was to move")
                case _ if stopped:
                    await self._cut()
                    said = f"{talk.name} thinks on, and DXP cannot stop it: the connection is cut, the game is over"
                    raise ProtocolError(Code.STOPPED, "", said)
                case _:
                    raise EngineFault(f"{talk.name} has not moved within {patience_s:g} s")

    async def _ended(self, talk: Talk, leaves: bool) -> None:
        """The program has ended the game: it is told so."""
        await talk.send(GameEnd(End.UNKNOWN))
        self._game = None
        if leaves:
            await self._cut()

    # Times

    def _check(self, limits: Limits, side: int) -> None:
        """Raises ``ProtocolError`` for limits that cannot be told the program, unless the option says its minutes."""
        if limits.ponder:
            raise ProtocolError(Code.UNKNOWN_TOKEN, "ponder", "a program by DXP cannot be told to ponder")
        given = {
            "winc or binc": bool(max(limits.increment_ms)),
            "movestogo": limits.moves_to_go is not None,
            "movetime": limits.movetime_ms is not None,
            "depth": limits.depth is not None,
            "nodes": limits.nodes is not None,
            "infinite": limits.infinite,
        }
        named = [word for word, there in given.items() if there]
        if not self._minutes and named:
            raise ProtocolError(Code.UNKNOWN_TOKEN, named[0], _HOW)
        if not self._minutes and limits.time_ms[side] is None:
            raise ProtocolError(Code.MISSING_ARGUMENT, "go", _HOW)
        for word in named:
            if word not in self._told:
                self._told.add(word)
                self._host.remark(f"{word} is passed over: the program has {self._minutes} minutes a game", debug=False)

    def _minutes_of(self, limits: Limits, side: int) -> int:
        """The minutes of a game that begins now. Raises ``ProtocolError``."""
        clock = limits.time_ms[side]
        if self._minutes or clock is None:
            return self._minutes
        minutes, rest = divmod(clock, _MINUTE_MS)
        if rest or not 1 <= minutes <= MAX_MINUTES:
            said = f"a game by DXP begins with whole minutes on the clock, {_MINUTE_MS} ms to {MAX_MINUTES} times that"
            raise ProtocolError(Code.BAD_VALUE, str(clock), f"{said}; or set {MINUTES}")
        return minutes

    def _patience(self, limits: Limits, side: int) -> float:
        """How long the program may think, in seconds."""
        clock = limits.time_ms[side]
        own = 60.0 * self._minutes if self._minutes or clock is None else max(0, clock) / 1000
        return own + self._manners.patience_s
