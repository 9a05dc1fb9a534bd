"""``damd-hub --engine CMD``: a Hub engine's process as an engine of damd's protocol."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from damd.client import EngineId
from damd.core.position import Position
from damd.core.types import Ply, Setup, TooManyPlies
from damd.notation.fen import format_fen
from damd.notation.plies import PlyError
from damd.protocol.errors import Code, ProtocolError
from damd.rules import Rules
from damd.variants import names
from damd_adapters import launch
from damd_adapters.hub import engine_params as params
from damd_adapters.hub.board import find_move, read_move, write_move, write_position
from damd_adapters.hub.engine_process import HubProcess
from damd_adapters.hub.grammar import Message, fields
from damd_adapters.hub.variants import variant_name
from damd_adapters.table import Table
from damd_adapters.uci import serve
from damd_adapters.uci.engine import Choice, EngineFault, ForeignEngine, Host, Limits, Tell
from damd_adapters.uci.meter import Meter

NAME = "damd-hub"
#: An engine is told no more moves than these; so many without progress are a draw in every game.
_MOST_MOVES = 1000
#: Of an expected line so many plies are read.
_LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a silent engine is waited for, in seconds.

    Clients wait as long themselves: with somewhat less here they are told the reason.
    """

    wait_s: float = 8.0  #: from the start of the process to ``wait``
    ready_s: float = 120.0  #: from ``init`` to ``ready``: some load databases
    overtime_s: float = 5.0  #: a search by time that takes so much longer is told to stop
    stop_s: float = 5.0  #: from ``stop`` to ``done``

    @classmethod
    def of(cls, seconds: float) -> Patience:
        """For a patience of so many seconds as the command line has it."""
        return cls(0.8 * seconds, 12 * seconds, seconds / 2, seconds / 2)


def run(options: Namespace) -> int:
    """Serve one client on stdin and stdout; the exit code."""
    game = variant_name(options.variant)
    if game not in names():
        return launch.fail(NAME, f"--variant: {options.variant} is no game of damd's", launch.USAGE)
    patience = Patience.of(options.patience)
    return serve.run(NAME, options, lambda host: HubEngine(options.engine, game, patience, host))


class HubEngine(ForeignEngine):
    """A Hub engine. It reads its parameters when it begins: where one changes later, it is started anew."""

    def __init__(self, command: Sequence[str], game: str, patience: Patience, host: Host) -> None:
        """``game`` is played by an engine that has no parameter for it, or several games."""
        self._command, self._game, self._patience = command, game, patience
        self._host = host
        self._process: HubProcess | None = None
        self._search: _Search | None = None
        self._params: dict[str, params.Param] = {}
        self._games: dict[str, str] = {}
        self._wanted: dict[str, str] = {}  # values by the engine's own names of its parameters
        self._told: dict[str, str] | None = None  # the same as the running process knows them, once it is ready
        self._lines: _Lines | None = None

    # Life

    async def start(self) -> None:
        process = await self._open()
        declared = process.declared
        self._params = params.params_of(declared.params)
        self._wanted = {param.name: param.value for param in self._params.values()}
        self._games = params.variants_of(self._params, self._game)
        if not self._games:
            raise EngineFault(
                f"{self._command[0]} knows none of damd's games: {self._params[params.VARIANT].option.takes()}"
            )
        self.variants = tuple(self._games)
        hidden: tuple[str, ...] = ()
        if word := self._games[self.variants[0]]:
            self._wanted[params.VARIANT] = word
            hidden = (params.VARIANT,)
        self.options = tuple(param.option for name, param in self._params.items() if name not in hidden)
        identity = declared.identity
        name = " ".join(filter(None, (identity.get("name"), identity.get("version")))) or self._command[0]
        self.identity = EngineId(name, identity.get("author") or "", ("engine behind Hub",))

    async def close(self) -> None:
        process, self._process, self._told = self._process, None, None
        if process is not None:
            await process.close()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    async def _open(self) -> HubProcess:
        self._process = HubProcess(self._command, self._hear, self._host.failed, self._odd)
        await self._process.start(self._patience.wait_s)
        return self._process

    # Variant and options

    def set_variant(self, rules: Rules) -> None:
        if self._games[rules.name]:
            self._wanted[params.VARIANT] = self._games[rules.name]

    def set_option(self, name: str, value: str) -> None:
        param = self._params[name.lower()]
        self._wanted[param.name] = param.told(value)

    @property
    def prepared(self) -> bool:
        return self._told == self._wanted

    async def prepare(self) -> None:
        if self.prepared:
            return
        if self._told is not None or self._process is None:
            await self.close()
            await self._open()
        process = self._running()
        wanted = dict(self._wanted)
        declared = {param.name: param.value for param in params.params_of(process.declared.params).values()}
        await process.init(
            [(name, value) for name, value in wanted.items() if declared.get(name) != value], self._patience.ready_s
        )
        self._told = wanted

    async def new_game(self) -> None:
        self._running().send(Message("new-game"))

    def _running(self) -> HubProcess:
        if self._process is None:
            raise EngineFault(f"{self._command[0]} is not running")
        return self._process

    # Searching

    async def search(self, table: Table, limits: Limits, tell: Tell) -> Choice:
        process = self._running()
        setup, moves = since_irreversible(table)
        board = table.rules.geometry
        position = fields(pos=write_position(setup, board), moves=" ".join(write_move(ply, board) for ply in moves) or None)
        process.send(Message("pos", tuple(position)))
        process.send(params.level(limits, table.side))
        manner = "analyze" if limits.infinite else "ponder" if limits.ponder else "think"
        process.send(Message("go", ((manner, None),)))
        if self._lines is None or self._lines.rules != table.rules:
            self._lines = _Lines(table.rules)
        report = _Reporter(self._lines, table, tell)
        search = self._search = _Search(table.side, limits, self._patience, report, process.send, self._silent)
        try:
            return self._choice(table, await search.answer(), self._lines)
        finally:
            self._search = None

    def stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def ponder_hit(self) -> None:
        if self._search is not None:
            self._search.ponder_hit()

    def _silent(self) -> None:
        """A search has been told to stop, and nothing has come of it."""
        self.kill()
        self._host.failed(EngineFault(f"{self.identity.name} did not answer stop within {self._patience.stop_s:g} s"))

    def _choice(self, table: Table, done: Message, lines: _Lines) -> Choice:
        """What the engine has played. Raises ``ProtocolError`` where that is no legal ply."""
        text = done.get("move")
        try:
            if not text:
                raise PlyError(Code.ILLEGAL_PLY.text, "done", "it has named no move where there are legal ones")
            ply = read_move(text, table.position)
        except PlyError as fault:
            fen = format_fen(table.position.setup(), table.rules)
            said = f"played by {self.identity.name} in {fen}: {fault.message}"
            raise ProtocolError(Code.ILLEGAL_PLY, fault.token, said) from fault
        return Choice(ply, lines.answer(table.position.setup(), ply, done.get("ponder") or ""))

    # What the process says

    def _hear(self, message: Message) -> None:
        if message.name == "error":
            self._host.remark(f"{self.identity.name}: error {message.get('message') or ''}".rstrip(), debug=False)
        elif message.name == "info" and self._search is not None:
            self._search.info(message)
        elif message.name == "done" and self._search is not None:
            self._search.done(message)
        elif message.name == "done":
            self._odd("done, and nothing was asked")

    def _odd(self, line: str) -> None:
        self._host.remark(f"{self._command[0]} said: {line}")


class _Search:
    """One ``go`` of the engine, up to its ``done``."""

    def __init__(
        self,
        side: int,
        limits: Limits,
        patience: Patience,
        report: Callable[[Message], None],
        send: Callable[[Message], None],
        silent: Callable[[], None],
    ) -> None:
        self._side, self._limits, self._patience = side, limits, patience
        self._send, self._silent = send, silent
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[Message] = self._loop.create_future()
        self._meter = Meter(report)
        self._stopped = False
        self._timer: asyncio.TimerHandle | None = None
        if not limits.ponder:
            self._expect()

    async def answer(self) -> Message:
        """The ``done``; what was held back of the reports is told before."""
        try:
            message = await self._done
        finally:
            self._stopped = True
            self._cancel()
        self._meter.flush()
        return message

    def info(self, message: Message) -> None:
        self._meter.add(message)

    def done(self, message: Message) -> None:
        if not self._done.done():
            self._done.set_result(message)

    def stop(self) -> None:
        if not self._stopped and not self._done.done():
            self._stopped = True
            self._send(Message("stop"))
            self._cancel()
            self._timer = self._loop.call_later(self._patience.stop_s, self._silent)

    def ponder_hit(self) -> None:
        # An analysis knows no ponder-hit: it goes on as it is.
        if not self._stopped and not self._done.done() and not self._limits.infinite:
            self._send(Message("ponder-hit"))
            self._expect()

    def _expect(self) -> None:
        """Stop a search that has a time when that is long over."""
        limits = self._limits
        times = [time for time in (limits.movetime_ms, limits.time_ms[self._side]) if time is not None]
        if times and not limits.infinite:
            self._timer = self._loop.call_later(max(0, min(times)) / 1000 + self._patience.overtime_s, self.stop)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


class _Lines:
    """Reads the lines that an engine expects, on a board of its own: to make one takes a millisecond."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._position = Position(rules)

    def follow(self, setup: Setup, texts: Sequence[str]) -> tuple[Ply, ...]:
        """The plies from ``setup`` on, up to the first that is not legal."""
        self._position.set(setup)
        return self._follow(texts)

    def answer(self, setup: Setup, ply: Ply, text: str) -> Ply | None:
        """The expected answer to a legal ply; ``None`` where the text names none, or the game is over."""
        self._position.set(setup)
        self._position.play(ply)
        found = self._follow([text]) if text and self._position.outcome() is None else ()
        return found[0] if found else None

    def _follow(self, texts: Sequence[str]) -> tuple[Ply, ...]:
        found = []
        for text in texts:
            try:
                index = find_move(text, self._position)
            except (PlyError, TooManyPlies):
                break
            found.append(self._position.ply_at(index))
            self._position.play_at(index)
        return tuple(found)


class _Reporter:
    """Tells what an ``info`` says."""

    def __init__(self, lines: _Lines, table: Table, tell: Tell) -> None:
        self._lines, self._setup, self._tell = lines, table.position.setup(), tell

    def __call__(self, message: Message) -> None:
        line = self._lines.follow(self._setup, (message.get("pv") or "").split()[:_LONGEST_LINE])
        self._tell(params.report(message).with_line(line))


def since_irreversible(table: Table) -> tuple[Setup, tuple[Ply, ...]]:
    """The position after the last capture or man's move, and the plies since: all that repetitions depend on.

    That is all that the engine need be told. Some take captures without what is captured, others only with it: here are
    none. Where the game was drawn on the way the plies are left out, and it is the position as it is now: engines take
    no moves after that, and name none.
    """
    count = min(table.position.halfmoves, len(table.played), _MOST_MOVES)
    plies = table.played[len(table.played) - count :]
    for _ in plies:
        table.undo()
    setup, drawn = table.position.setup(), False
    for ply in plies:
        table.play(ply)
        drawn = drawn or table.outcome() is not None
    return (table.position.setup(), ()) if drawn else (setup, plies)
