"""XBoard at the other end: its commands, the engine's turns, and what is said when."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from damd.client import AsyncEngine, CommandRefused, InfoLine, OptionError
from damd.core.types import PlyKind
from damd.protocol.errors import printable
from damd.variants import VariantError
from damd_adapters.game import Game
from damd_adapters.output import nobody_reads
from damd_adapters.streams import Lines, Overlong, put_away
from damd_adapters.xboard import words
from damd_adapters.xboard.board import KING
from damd_adapters.xboard.clocks import CLOCK_WORDS, TimeControl
from damd_adapters.xboard.desk import Desk, Refused, claim_text
from damd_adapters.xboard.faults import Fault, whole_number
from damd_adapters.xboard.moves import Move, hint_of, text_of
from damd_adapters.xboard.player import Player

#: So many commands may wait for the end of a turn; then the input is not read until it has ended.
_MOST_WAITING = 1000

#: After the end of the input it is looked so often, in seconds, whether there is still somebody to be answered.
_LOOK_S = 1.0

#: These are answered when the engine has moved.
_WAIT = frozenset(("ping", "option", "memory", "hint"))
#: These end a search without a move.
_BREAK = frozenset(
    ("new", "variant", "quit", "force", "go", "playother", "setboard", "undo", "remove", "result", "analyze", "exit")
)
#: These can be obeyed during an analysis only if that is begun anew.
_RENEW = frozenset(("usermove", "hint", "option", "memory"))
#: These are obeyed by doing nothing: they ask for what we do not have, or tell what we need not know.
_IGNORED = frozenset(
    ("xboard", "accepted", "rejected", "random", "hard", "easy", "name", "rating", "ics", "hover", "egtpath", "cores")
)

#: What XBoard says when it obeys our ``setboard``.
_ECHO = "* {Engine aborts game}"


class Session:
    """Answers one XBoard. The engine's side is set by ``new``, ``go``, ``playother`` and ``force``."""

    def __init__(
        self, engine: AsyncEngine, game: Game, desk: Desk, variants: tuple[str, ...], write: Callable[[str], None]
    ) -> None:
        """``variants`` are the games on offer, ``desk`` has the one that ``game`` is."""
        self._engine = engine
        self._game = game
        self._desk = desk
        self._variants = variants
        self._write = write
        self._side: int | None = None  # the engine's, None: neither
        self._time = TimeControl()
        self._post = self._analyzing = self._match = self._draw_offered = False
        self._echo = 0  # how much of XBoard's answer to our setboard is still to come
        self._editing = False
        self._player = Player(engine, self._tell)
        self._task: asyncio.Task[None] | None = None
        self._last_info: InfoLine | None = None
        self._waiting: deque[str] = deque()
        self._over = False
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "protover": self._protover,
            "new": self._new,
            "variant": self._variant,
            "quit": self._quit,
            "force": self._force,
            "go": self._go,
            "playother": self._play_other,
            "usermove": self._user_move,
            "?": self._move_now,
            "ping": self._ping,
            "draw": self._draw,
            "result": self._result,
            "setboard": self._set_board,
            "edit": self._edit,
            "undo": self._undo,
            "remove": self._remove,
            "hint": self._hint,
            "bk": self._book,
            "analyze": self._analyze,
            "exit": self._exit,
            ".": self._status,
            "post": self._post_on,
            "nopost": self._post_off,
            "memory": self._memory,
            "option": self._option,
            "computer": self._computer,
            "lift": self._lift,
            "put": self._put,
        }

    async def run(self, lines: Lines) -> None:
        """Serve until ``quit`` or the end of the input, after which a turn is still thought out.

        Raises ``EngineError`` where the engine dies or is silent, ``BrokenPipeError`` where nobody is left to be answered.
        """
        reading: asyncio.Task[str | None] | None = None
        ended = False
        try:
            while not self._over:
                await self._advance()
                if ended and (self._task is None or self._analyzing):
                    break
                if reading is None and not ended and len(self._waiting) < _MOST_WAITING:
                    reading = asyncio.create_task(lines.next())
                tasks = [task for task in (reading, self._task) if task is not None]
                await asyncio.wait(tasks, timeout=_LOOK_S if ended else None, return_when=asyncio.FIRST_COMPLETED)
                if ended and nobody_reads():
                    raise BrokenPipeError
                if reading is not None and reading.done():
                    ended, reading = await self._take(reading), None
        finally:
            put_away(reading, self._task)

    async def _advance(self) -> None:
        """See to a turn that has ended, and to the commands that waited for that."""
        if self._task is not None and self._task.done():
            task, self._task = self._task, None
            task.result()
        while self._waiting and (self._task is None or self._analyzing):
            await self._obey(self._waiting.popleft())

    async def _take(self, reading: asyncio.Task[str | None]) -> bool:
        """Obey the line that was read, or let it wait; whether it was the end."""
        try:
            line = reading.result()
        except Overlong:
            self._write("Error (too long): a line")
            return False
        if line is None:
            return True
        line = line.strip()
        word = _first_word(line)
        if self._editing:
            self._editing = line != "."
        elif word in _WAIT and self._task is not None and not self._analyzing:
            self._waiting.append(line)
        elif word:
            await self._obey(line)
        return False

    async def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word in _IGNORED or (word in ("result", "force") and self._is_echo(word, rest)):
            return
        command = self._commands.get(word)
        if command is None and _looks_like_move(word):
            command, rest, word = self._user_move, word, "usermove"
        breaks = word in _BREAK or (self._analyzing and word in _RENEW)
        try:
            if word in CLOCK_WORDS:
                self._time = self._time.told(word, rest)
                return
            if command is None:
                raise Fault("unknown command")
            if breaks:
                await self._break()
            await command(rest)
        except Fault as fault:
            self._write(printable(f"Error ({fault}): {line[:200]}"))
        if breaks and self._analyzing and self._task is None:
            await self._start_analysis()

    def _is_echo(self, word: str, rest: str) -> bool:
        """Whether the line is XBoard's answer to our ``setboard``, which ends no game of ours."""
        expected = {2: ("result", _ECHO), 1: ("force", "")}.get(self._echo)
        if expected != (word, rest):
            return False
        self._echo -= 1
        return True

    async def _break(self) -> None:
        """End what the engine does, without a move."""
        if self._task is not None:
            task, self._task = self._task, None
            await self._player.break_off(task)

    # Setting up

    async def _protover(self, rest: str) -> None:  # noqa: ARG002
        name = (self._engine.id.name or "damd").replace('"', "'")
        for line in words.features(name, self._variants):
            self._write(line)
        for option in self._engine.options.values():
            feature = words.option_feature(option)
            if feature is not None:
                self._write(feature)
        self._write("feature done=1")

    async def _new(self, rest: str) -> None:  # noqa: ARG002
        await self._engine.new_game()
        self._desk.restart()
        self._side = None if self._analyzing else self._desk.squares.side(1)
        self._time = self._time.begun()
        self._match = self._draw_offered = False
        self._echo = 0

    async def _variant(self, rest: str) -> None:
        try:
            game = self._game.with_option("UCI_Variant", rest)
            if game.variant not in self._variants:
                raise Fault(f"unknown variant, known are {' '.join(self._variants)}")
            desk = Desk(game.rules())
            if game != self._game:
                await self._engine.set_option("UCI_Variant", game.variant)
        except (VariantError, ValueError, CommandRefused) as fault:
            raise Fault(str(fault)) from fault
        self._game, self._desk = game, desk
        if self._side is not None:
            self._side = desk.squares.side(1)
        self._write(desk.squares.setup_line(desk.table.position.setup()))
        for line in desk.squares.piece_lines():
            self._write(line)

    async def _set_board(self, rest: str) -> None:
        self._draw_offered = False
        try:
            self._desk.set_position(rest)
        except Refused as fault:
            self._write(f"tellusererror {printable(str(fault))}")

    async def _edit(self, rest: str) -> None:  # noqa: ARG002
        self._editing = True
        self._write("tellusererror Positions are set up by setboard; the old edit command is not understood.")
        raise Fault("not supported, use setboard")

    async def _memory(self, rest: str) -> None:
        option = self._engine.options.get("Hash")
        if option is not None:
            size = max(whole_number(rest, 1, 10**9), option.low or 1)
            await self._tell_option(option.name, str(min(size, option.high or size)))

    async def _option(self, rest: str) -> None:
        name, mark, value = rest.partition("=")
        option = self._engine.options.get(name.strip())
        if option is None or words.option_feature(option) is None:
            raise Fault("unknown option")
        await self._tell_option(option.name, words.option_value(option, value.strip() if mark else None))

    async def _tell_option(self, name: str, value: str | None) -> None:
        try:
            await self._engine.set_option(name, value)
        except (OptionError, CommandRefused) as fault:
            raise Fault(str(fault)) from fault

    async def _computer(self, rest: str) -> None:  # noqa: ARG002
        self._match = True

    # The game

    async def _force(self, rest: str) -> None:  # noqa: ARG002
        self._side = None
        self._draw_offered = False

    async def _go(self, rest: str) -> None:  # noqa: ARG002
        self._analyzing = False
        self._side = self._desk.table.side
        await self._next_turn()

    async def _play_other(self, rest: str) -> None:  # noqa: ARG002
        self._side = 1 - self._desk.table.side

    async def _user_move(self, rest: str) -> None:
        if self._side == self._desk.table.side and not self._analyzing:
            self._write(f"Illegal move (it is not your turn): {printable(rest[:40])}")
            return
        try:
            move, clicked = self._desk.read(rest)
        except Refused as fault:
            self._write(printable(f"Illegal move ({fault}): {rest[:40]}"))
            return
        self._echo = 0
        self._desk.play(move, clicked.victims)
        if self._side is not None:
            await self._next_turn()

    async def _undo(self, rest: str) -> None:  # noqa: ARG002
        self._take_back(1)

    async def _remove(self, rest: str) -> None:  # noqa: ARG002
        self._take_back(2)

    def _take_back(self, turns: int) -> None:
        try:
            self._desk.undo(turns)
        except Refused as fault:
            raise Fault(str(fault)) from fault

    async def _result(self, rest: str) -> None:  # noqa: ARG002
        self._side = None
        self._draw_offered = False

    async def _draw(self, rest: str) -> None:  # noqa: ARG002
        self._draw_offered = True

    async def _move_now(self, rest: str) -> None:  # noqa: ARG002
        if not self._analyzing:
            await self._player.move_now()

    async def _ping(self, rest: str) -> None:
        self._write(f"pong {whole_number(rest, -(10**9), 10**9)}")

    async def _quit(self, rest: str) -> None:  # noqa: ARG002
        self._over = True

    async def _book(self, rest: str) -> None:  # noqa: ARG002
        self._write(" no opening book")
        self._write("")

    async def _post_on(self, rest: str) -> None:  # noqa: ARG002
        self._post = True

    async def _post_off(self, rest: str) -> None:  # noqa: ARG002
        self._post = False

    # The user's hand

    async def _lift(self, rest: str) -> None:
        if self._task is None or self._analyzing:
            marks = self._desk.lift(rest)
            if marks is not None:
                self._write(f"highlight {marks}")

    async def _put(self, rest: str) -> None:
        if self._desk.crowns(rest):
            self._write(f"choice {KING}")

    # The engine's turns

    async def _next_turn(self) -> None:
        """Somebody has moved, or is to begin: the end is told, or the engine thinks where it is its turn."""
        desk = self._desk
        if desk.fault:
            self._write(f"tellusererror Illegal position: {printable(desk.fault)}")
            self._side = None
            return
        claim = desk.last_claim() if desk.table.side != self._side else None
        if claim is not None:
            desk.play_claim(claim)
        if desk.outcome() is not None:
            self._end()
        elif desk.table.side == self._side:
            self._task = asyncio.create_task(self._turn())

    def _end(self) -> None:
        """Tell the end of the game, on the right board."""
        self._repaint()
        outcome = self._desk.outcome()
        if outcome is not None:
            self._write(words.result_line(outcome, self._desk.squares))
        self._side = None

    def _repaint(self) -> None:
        """Let XBoard show our position where its own is another; in a match it would end the game."""
        if self._desk.stale and not self._match:
            self._write(f"setboard {self._desk.squares.fen(self._desk.table.position.setup())}")
            self._desk.repainted()
            self._echo = 2

    async def _turn(self) -> None:
        """Let the engine think, and do what it wants."""
        turn = await self._player.turn(self._desk, self._time, self._draw_offered)
        if turn is None:
            return
        self._draw_offered = False
        if turn.resigns:
            self._write("resign")
            return
        if turn.offers_draw:
            self._write("offer draw")
        if turn.plies[-1].kind is PlyKind.CLAIM:
            for claim in turn.plies:
                self._desk.play_claim(claim)
            self._end()
        else:
            self._make(Move.of(turn.plies, self._desk.rules.geometry))

    def _make(self, move: Move) -> None:
        """Make the engine's move here and there, and tell what follows from it."""
        desk = self._desk
        for line in text_of(move, desk.squares):
            self._write(line)
        desk.play(move)
        if desk.outcome() is not None:
            self._end()
            return
        self._repaint()
        if (last := desk.last_claim()) is not None:
            desk.play_claim(last)
            self._end()
        elif not self._match and (claims := desk.claims()):
            self._write(words.shown_to_user(claim_text(claims, desk.squares, 1 - desk.table.side)))

    def _tell(self, info: InfoLine) -> None:
        self._last_info = info
        line = words.thinking(info, self._desk.squares) if self._post or self._analyzing else None
        if line is not None:
            self._write(line)

    async def _hint(self, rest: str) -> None:  # noqa: ARG002
        move = await self._player.hint(self._desk)
        if move is not None:
            self._write(f"Hint: {hint_of(move, self._desk.squares)}")

    # Analysis

    async def _analyze(self, rest: str) -> None:  # noqa: ARG002
        self._side, self._analyzing = None, True

    async def _start_analysis(self) -> None:
        desk = self._desk
        self._last_info = None
        if not desk.fault and desk.table.legal():
            self._task = asyncio.create_task(self._player.analyse(desk))

    async def _exit(self, rest: str) -> None:  # noqa: ARG002
        self._analyzing = False

    async def _status(self, rest: str) -> None:  # noqa: ARG002
        if self._analyzing:
            self._write(words.status(self._last_info))


def _first_word(line: str) -> str:
    return next(iter(line.split(None, 1)), "")


def _looks_like_move(word: str) -> bool:
    return len(word) <= 40 and len(word) >= 4 and word[0].isalpha() and word[1].isdigit()
