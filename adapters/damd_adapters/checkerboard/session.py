"""One CheckerBoard's game: what it has been told, and the moves of its engine."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from damd.client import EngineError, SearchResult
from damd.core.types import PlyKind, Setup
from damd.notation.plies import PlyError
from damd.rules import Rules
from damd_adapters.checkerboard.engine import Driver, EngineCommand
from damd_adapters.checkerboard.layouts import BoardError, Squares, same_position
from damd_adapters.checkerboard.moves import LONGEST_LIST, Move, moves_of
from damd_adapters.checkerboard.thinking import LOSS, Report, limit_of, result_of
from damd_adapters.checkerboard.wire import LegalRequest, MoveRequest, shown
from damd_adapters.launch import logger
from damd_adapters.table import Table

_QUIET = re.compile(r"([0-9]{1,2})-([0-9]{1,2})")
#: More plies of a history are not played through: a draw by repetition or by a count has come long before.
_LONGEST_HISTORY = 1000


@dataclass(frozen=True, slots=True)
class Reply:
    """What ``getmove`` gives back: its value, the board x-major, the ``CBmove`` where there is a move, the last status."""

    result: int
    board: Sequence[int]
    record: str | None
    status: str


class Session:
    """The state of one CheckerBoard, shared by its two channels; one search at a time, commands at any time."""

    def __init__(self, rules: Rules, command: EngineCommand, longest_list: int = LONGEST_LIST) -> None:
        """Raises ``BoardError`` for a game that CheckerBoard does not play."""
        self.rules = rules
        self.squares = Squares.of(rules)
        self.longest_list = longest_list
        self.driver = Driver(command, rules.names.name)
        self.every_move = False
        self.history: Table | None = None
        self._turn = asyncio.Lock()

    def table(self, setup: Setup) -> Table:
        """A table with that position. Raises ``BoardError`` for one that is none of the game."""
        try:
            return Table(self.rules, setup)
        except ValueError as fault:
            raise BoardError(str(fault)) from None

    def play_quiet(self, table: Table, number: int, text: str) -> None:
        """Make a move of a history, ``24-19`` in CheckerBoard's numbers. Raises ``BoardError`` for an illegal one."""
        found = _QUIET.fullmatch(text)
        if not found:
            raise BoardError(f"move {number} of the history, {shown(text)}, is not written like 24-19")
        if number > _LONGEST_HISTORY:
            raise BoardError(f"a history of more than {_LONGEST_HISTORY} moves")
        ends = [self.squares.point(int(square)) for square in found.groups()]
        for ply in table.moves():
            if ply.kind is PlyKind.QUIET and [ply.origin, ply.end] == ends:
                table.play(ply)
                return
        raise BoardError(f"move {number} of the history, {text}, is not legal")

    def legal(self, request: LegalRequest) -> str | None:
        """The ``CBmove`` of a move between two squares, of several the first; ``None`` where it is not legal."""
        table = self.table(self.squares.setup(request.colour, request.board))
        ends = [self.squares.point(request.origin), self.squares.point(request.end)]
        for move in moves_of(table.position, self.squares):
            if [move.ply.origin, move.ply.end] == ends:
                return move.record(self.squares)
        return None

    async def move(self, request: MoveRequest, tell: Callable[[str], None], hurry: asyncio.Event) -> Reply:
        """Choose a move, at once when ``hurry`` is set.

        Raises ``BoardError`` for a board that is no position, ``EngineError`` where the engine has no move.
        """
        setup = self.squares.setup(request.colour, request.board)
        async with self._turn:
            table = self._table_of(setup)
            choices = table.moves()
            if not choices:
                return Reply(LOSS, request.board, None, "there is no legal move")
            report = Report(self.squares, self.every_move)
            tell(report.text)
            await self._choose_lines(len(choices))
            limit = limit_of(request, table.side, len(choices))
            search = await self.driver.think(table, limit, report, tell, hurry)
            return self._reply(request, table, search, report)

    async def evaluate(self, setup: Setup) -> int | None:
        """The static evaluation for the side to move, in hundredths of a man; ``None`` during a search."""
        table = self.table(setup)
        if self._turn.locked():
            return None
        async with self._turn:
            return await self.driver.evaluate(table)

    async def close(self) -> None:
        await self.driver.close()

    def _table_of(self, setup: Setup) -> Table:
        """The position with its history, where the last one told leads to it."""
        history = self.history
        if history is not None and same_position(history.position.setup(), setup):
            return history
        if history is not None:
            logger.info("the history leads to another position than the one to move in: it is left out")
        return self.table(setup)

    async def _choose_lines(self, choices: int) -> None:
        """Let the engine report as many lines as are shown, if it can."""
        declared = await self.driver.option("MultiPV")
        if declared is not None:
            all_of_them = choices if declared.high is None else min(choices, declared.high)
            await self.driver.set("MultiPV", all_of_them if self.every_move else await self.driver.given("MultiPV"))

    def _reply(self, request: MoveRequest, table: Table, search: SearchResult, report: Report) -> Reply:
        if search.best.resign:
            return Reply(LOSS, request.board, None, "damd resigns")
        try:
            ply = table.read(search.ply or "(none)")
        except PlyError as fault:
            raise EngineError(f"the engine played no legal move: {fault}") from None
        side = table.side
        move = Move.of(ply, table.position.setup(), self.squares)
        table.play(ply)
        try:
            board = self.squares.board(table.position.setup())
            result = result_of(search, table.outcome(), side)
        finally:
            table.undo()
        return Reply(result, board, move.record(self.squares), report.text)
