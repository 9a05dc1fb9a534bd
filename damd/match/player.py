"""One engine of a tournament: its process over games, begun anew after it broke down, and every way in which it may.

An engine is whatever speaks the protocol or plain UCI. Those of Hub and DXP are driven through a bridge, a program of
its own.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from shlex import join

from damd import variants
from damd.client import (
    AsyncEngine,
    BestMove,
    CommandRefused,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    InfoLine,
    Limit,
    OptionError,
    ProcessTransport,
    Score,
    SearchResult,
    Timeouts,
)
from damd.client.transport import Command, Receiver
from damd.match.model import MISSED_CAPTURE, EngineSpec, Tournament
from damd.match.records import Termination
from damd.notation.squares import shown

#: What a tournament sets for all engines alike: with other rules they would not play the same game.
COMMON_OPTIONS = ("UCI_Variant", "VariantPath", "MissedCapture", "FirstMover")
SEED_OPTION = "Seed"
#: So much of the end of stderr is kept of a breakdown, in characters.
STDERR_KEPT = 2000
#: And so much of what an engine has said against going on.
_NOTE_KEPT = 500
#: A process that is not trusted any more is terminated at once, and killed so many seconds later.
GRACE_S = 2.0
_BRIDGES = "damd_adapters"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long engines are waited for, in seconds."""

    start_s: float = 30.0  #: from the start of the process to `uciok`; twice as long until it can play
    answer_s: float = 10.0  #: for an answer that takes no thinking; and beyond the time of a ply, until it is a stall
    thinking_s: float = 600.0  #: for a ply that has no time limit


DEFAULT_PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Game:
    """The game that all engines are to play: name and what changes its rules, as their options have it.

    ``missed_capture`` is empty where the game's captures cannot be missed, so that there is nothing to be set.
    """

    variant: str
    variant_path: str = ""
    missed_capture: str = ""

    @classmethod
    def of(cls, tournament: Tournament) -> Game:
        """Raises ``VariantError``."""
        rules = variants.load(tournament.variant, tournament.variant_path or None)
        missed_capture = tournament.missed_capture if rules.penalty.take else ""
        return cls(rules.name, tournament.variant_path, missed_capture)


@dataclass(frozen=True, slots=True)
class Pin:
    """A processor that engines are kept on. They get the manager's own, which is set for a moment: ``turn`` is for all."""

    core: int
    turn: asyncio.Lock


class Unfit(Exception):
    """An engine cannot be had at all, or not as the tournament asks for it: nothing that a game could be blamed for."""


class Breakdown(Exception):
    """An engine has lost its game by itself. ``note`` is what happened; a process that ended has an ``exit_code``."""

    def __init__(self, termination: Termination, note: str, exit_code: int | None = None, stderr: str = "") -> None:
        super().__init__(f"{termination.value}: {note}")
        self.termination = termination
        self.note = note
        self.exit_code = exit_code
        self.stderr = stderr


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine plays. ``text`` is as it wrote it, ``None`` where it has nothing to play.

    ``draw`` offers a draw, or accepts the one that it was told of. Times are milliseconds, from the sending of ``go`` to
    the arrival of the answer; ``latency_ms`` is what of them was over when it last told its own.
    """

    text: str | None
    taken_ms: float
    draw: bool = False
    resigns: bool = False
    latency_ms: float | None = None
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None


class Player:
    """One engine in one slot. All but ``close`` raise ``Breakdown``, behind which its process is gone."""

    def __init__(self, spec: EngineSpec, game: Game, patience: Patience, pin: Pin | None = None) -> None:
        self.spec = spec
        self.warnings: list[str] = []
        self._game = game
        self._patience = patience
        self._pin = pin
        self._engine: AsyncEngine | None = None
        self._process: _Process | None = None

    @property
    def pid(self) -> int | None:
        """Its process's number while it runs."""
        return self._process.pid if self._process else None

    async def open(self) -> None:
        """Start it, unless it runs. Raises ``Unfit`` too."""
        if self._engine is not None and not self._engine.alive:
            await self._end(kindly=False)
        if self._engine is not None:
            return
        try:
            async with asyncio.timeout(2 * self._patience.start_s):
                await self._start()
        except (OptionError, CommandRefused) as error:
            await self._end(kindly=True)
            raise Unfit(f"{self.spec.name}: {error}") from None
        except EngineError as error:
            raise await self._broken(error) from None
        except TimeoutError:
            raise await self._broken(EngineTimeout("the start", 2 * self._patience.start_s)) from None
        except BaseException:
            await self._end(kindly=False)
            raise

    async def new_game(self, seed: int) -> None:
        """Raises ``Unfit`` too."""
        if self.spec.restart == "game":
            await self.close()
        await self.open()
        engine = self._running()
        try:
            if SEED_OPTION in engine.options and SEED_OPTION.lower() not in self._own_options():
                await engine.set_option(SEED_OPTION, seed)
            await engine.new_game()
        except EngineError as error:
            raise await self._broken(error) from None

    async def choose(
        self, fen: str, plies: Sequence[str], limit: Limit, allowed_ms: float | None, draw_offered: bool
    ) -> Answer:
        """What it plays behind ``plies`` from ``fen``, or from the start position. ``allowed_ms`` is its time for that."""
        engine, process = self._running(), self._process
        if process is None:
            raise RuntimeError("an engine without a process")
        patience = self._patience
        longest = patience.thinking_s if allowed_ms is None else allowed_ms / 1000 + patience.answer_s
        try:
            await engine.position(fen or None, plies)
            began = time.perf_counter()
            result = await engine.go(limit, draw_offered=draw_offered, timeout=longest)
            taken_ms = 1000 * (max(process.heard, began) - began)
        except EngineError as error:
            raise await self._broken(error) from None
        except asyncio.CancelledError:
            await self._end(kindly=False)
            raise
        return _answer(result.best, _Said.of(result), taken_ms)

    async def game_over(self, outcome: str, reason: str) -> None:
        """Tell it of an end that it cannot see for itself; an engine that knows no such command need not."""
        if self._engine is None:
            return
        try:
            await self._engine.game_over(outcome, reason)
        except CommandRefused:
            return
        except EngineError as error:
            raise await self._broken(error) from None

    async def drop(self) -> None:
        """End the process, which is not to be trusted any more."""
        await self._end(kindly=False)

    async def close(self) -> None:
        """End the process, if there is one."""
        await self._end(kindly=True)

    # The process

    def _running(self) -> AsyncEngine:
        if self._engine is None:
            raise RuntimeError("an engine is asked before its game is begun")
        return self._engine

    async def _start(self) -> None:
        spec, patience = self.spec, self._patience
        environment = {**os.environ, **dict(spec.environment)}
        self._process = _Process(launch_words(spec, self._game), spec.folder or None, environment, self._pin)
        timeouts = Timeouts(
            handshake_s=patience.start_s,
            ready_s=patience.answer_s,
            stop_s=patience.answer_s,
            quit_s=GRACE_S,
            terminate_s=GRACE_S,
        )
        try:
            self._engine = await AsyncEngine.connect(self._process, timeouts=timeouts, handshake=False)
        except EngineError as error:
            self._process = None
            raise Unfit(f"{spec.name}: {error}") from None
        await self._engine.handshake()
        await self._set_options(self._engine)

    async def _set_options(self, engine: AsyncEngine) -> None:
        """The common ones first: they may empty the board. Raises ``OptionError`` for what it has not declared."""
        game, self.warnings = self._game, []
        if game.variant_path:
            await engine.set_option("VariantPath", os.path.abspath(game.variant_path))
            await engine.handshake()  # its list of games is another one now
        if "UCI_Variant" in engine.options:
            await engine.set_option("UCI_Variant", game.variant)
        else:
            self.warnings.append(
                f"{self.spec.name} does not say which games it plays: that it plays {game.variant} is trusted"
            )
        # An engine without this option plays by the game's rules.
        if game.missed_capture and ("MissedCapture" in engine.options or game.missed_capture != "rule"):
            try:
                await engine.set_option("MissedCapture", game.missed_capture)
            except (OptionError, CommandRefused) as error:
                raise OptionError(
                    f"{error}; missed_capture is the tournament's to set: {' or '.join(MISSED_CAPTURE)}"
                ) from None
        for name, value in self.spec.options:
            if name.lower() in (common.lower() for common in COMMON_OPTIONS):
                raise OptionError(f"{name} is the tournament's to set, not one engine's")
            await engine.set_option(
                name, None if name in engine.options and engine.options[name].kind == "button" else value
            )

    def _own_options(self) -> set[str]:
        return {name.lower() for name, _ in self.spec.options}

    async def _broken(self, error: EngineError) -> Breakdown:
        """What the error means for the game. The process is ended: nothing that it says later would be trusted."""
        engine, process = self._engine, self._process
        await self._end(kindly=False)
        stderr = process.stderr_tail()[-STDERR_KEPT:] if process else ""
        if isinstance(error, EngineTerminated):
            kind = Termination.DISCONNECT if error.detail else Termination.CRASH
            told = f"exit code {error.exit_code}" if error.exit_code is not None else "its output ended"
            return Breakdown(kind, error.detail or told, error.exit_code, stderr)
        exit_code = engine.exit_code if engine else None
        if isinstance(error, EngineTimeout):
            return Breakdown(Termination.STALL, str(error), exit_code, stderr)
        # It lives and talks, and will not go on with this game: nothing was played.
        return Breakdown(Termination.ILLEGAL_PLY, f"(none): {shown(str(error), _NOTE_KEPT)}", exit_code, stderr)

    async def _end(self, *, kindly: bool) -> None:
        engine, process = self._engine, self._process
        self._engine = self._process = None
        if engine is not None and kindly:
            await engine.close()
        elif process is not None:
            await undisturbed(process.close(0.0, GRACE_S))


async def undisturbed(work: Coroutine[None, None, None]) -> None:
    """Wait until the work is done, also where the waiting is cancelled meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def launch_words(spec: EngineSpec, game: Game) -> list[str]:
    """What starts the engine, in damd's protocol. Raises ``Unfit`` where a bridge is needed that there is not."""
    if spec.protocol == "damd":
        return list(spec.command)
    if find_spec(_BRIDGES) is None:
        raise Unfit(f"{spec.name}: the bridge for {spec.protocol} is not installed")
    bridge = [sys.executable, "-m", f"{_BRIDGES}.{spec.protocol}", "--variant", game.variant]
    return [*bridge, "--engine", join(spec.command)]


class _Process(ProcessTransport):
    """A process that may be kept on one processor, and notes when it was last heard of."""

    def __init__(self, command: Command, cwd: str | None, env: dict[str, str], pin: Pin | None) -> None:
        super().__init__(command, cwd, env)
        self.heard = 0.0
        self._pin = pin

    async def open(self, receiver: Receiver) -> None:
        if self._pin is None or sys.platform != "linux":
            await super().open(receiver)
            return
        async with self._pin.turn:
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {self._pin.core})
            try:
                await super().open(receiver)
            finally:
                os.sched_setaffinity(0, before)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.heard = time.perf_counter()
        super().pipe_data_received(fd, data)


# What it says of its search


@dataclass(frozen=True, slots=True)
class _Said:
    """The last line with a score, and the furthest figures."""

    last: InfoLine | None
    nodes: int | None
    time_ms: int | None

    @classmethod
    def of(cls, result: SearchResult) -> _Said:
        nodes = [info.nodes for info in result.infos if info.nodes is not None]
        times = [info.time_ms for info in result.infos if info.time_ms is not None]
        return cls(result.last(), max(nodes, default=None), max(times, default=None))


def _answer(best: BestMove, said: _Said, taken_ms: float) -> Answer:
    score: Score | None = said.last.score if said.last else None
    return Answer(
        text=best.ply,
        taken_ms=round(taken_ms, 3),
        draw=best.draw,
        resigns=best.resign,
        latency_ms=None if said.time_ms is None else round(max(0.0, taken_ms - said.time_ms), 3),
        score=score.value if score is not None and score.kind != "mate" else None,
        mate=score.value if score is not None and score.kind == "mate" else None,
        depth=said.last.depth if said.last else None,
        nodes=said.nodes,
    )
