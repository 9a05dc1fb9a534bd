"""Who can play: an engine behind the reference client, and two built-in opponents."""

from __future__ import annotations

import os
import random
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.selfplay.waiting import Waiting
from damd.client import (
    AsyncEngine,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    Limit,
    ProcessTransport,
    Timeouts,
)
from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.notation.plies import format_ply
from damd.protocol.options import OPTIONS, Applies
from damd.rules import Rules

#: Options that the match itself sets, for both sides alike: with other rules they would not play the same game.
MATCH_OPTIONS = tuple(option.name for option in OPTIONS if option.applies in (Applies.RULES, Applies.VARIANTS))

_TIMEOUTS = Timeouts(handshake_s=30.0, ready_s=30.0)

_MAN, _STEPPING_KING, _FLYING_KING = 100, 150, 300


class Fault(Exception):
    """A side has lost the game by its own doing; ``reason`` is a word, ``text`` what happened."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(f"{reason}: {text}")
        self.reason = reason
        self.text = text


@dataclass(frozen=True, slots=True)
class Turn:
    """What a player is asked: ``position`` is that after ``played`` from the start position, or from ``fen``."""

    position: Position
    played: Sequence[str]
    limit: Limit
    draw_offered: bool = False
    fen: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player answers: a ply's text, with ``draw`` an offer or the acceptance of one; or it resigns.

    ``waited_ms`` is how long it was kept from a processor, where the system tells that.
    """

    text: str
    draw: bool = False
    resigns: bool = False
    taken_ms: float = 0.0
    depth: int | None = None
    nodes: int = 0
    waited_ms: float | None = None


class Player(Protocol):
    """One side. ``open`` raises ``EngineError`` where it cannot play at all; the others raise ``Fault``."""

    async def open(self, games: Sequence[Rules]) -> None: ...

    async def new_game(self, rules: Rules, dice: random.Random) -> None: ...

    async def choose(self, turn: Turn) -> Answer: ...

    async def close(self) -> None: ...

    def describe(self) -> str: ...


class EnginePlayer:
    """An engine's process, kept over games, started anew after a crash."""

    def __init__(self, command: str, options: Mapping[str, str], missed_capture: str | None = None) -> None:
        """``missed_capture`` is the value of that option, ``None`` to leave it alone. Raises ``ValueError``."""
        self._words, self._folder = launch_words(command)
        forbidden = [name for name in options if name.lower() in [other.lower() for other in MATCH_OPTIONS]]
        if forbidden:
            raise ValueError(f"{forbidden[0]} is not one side's to set: see --variant and --missed-capture")
        rules = {} if missed_capture is None else {"MissedCapture": missed_capture}
        self._options = {**rules, **options}
        self._command = command
        self._engine: AsyncEngine | None = None
        self._pid: int | None = None
        self._variant = ""
        self._name = command

    async def open(self, games: Sequence[Rules]) -> None:
        engine = await self._started()
        for name, value in self._options.items():
            engine.options.command(name, value)
        for rules in games:
            engine.options.command("UCI_Variant", rules.names.name)

    async def new_game(self, rules: Rules, dice: random.Random) -> None:  # noqa: ARG002
        try:
            engine = await self._started()
            if self._variant != rules.names.name:
                await engine.set_options({"UCI_Variant": rules.names.name, **self._options})
                self._variant = rules.names.name
            await engine.new_game()
        except EngineError as error:
            raise await self._fault(error) from error

    async def choose(self, turn: Turn) -> Answer:
        if self._engine is None:
            raise Fault("crash", "the engine is not running")
        try:
            await self._engine.position(turn.fen, turn.played)
            waiting = Waiting(self._pid)
            began = time.perf_counter()
            result = await self._engine.go(turn.limit, draw_offered=turn.draw_offered)
            taken_ms = (time.perf_counter() - began) * 1000
            waited_ms = waiting.so_far_ms()
        except EngineError as error:
            raise await self._fault(error) from error
        last = result.last()
        return Answer(
            text=result.ply or "(none)",
            draw=result.best.draw,
            resigns=result.best.resign,
            taken_ms=taken_ms,
            depth=last.depth if last else None,
            nodes=max((info.nodes or 0 for info in result.infos), default=0),
            waited_ms=waited_ms,
        )

    async def close(self) -> None:
        if self._engine is not None:
            engine, self._engine = self._engine, None
            await engine.close()

    def describe(self) -> str:
        options = "".join(f", {name}={value}" for name, value in self._options.items())
        return f"{self._name}{options}; {self._command}"

    async def _started(self) -> AsyncEngine:
        if self._engine is None:
            process = ProcessTransport(self._words, self._folder, environment(self._words, self._folder))
            self._engine = await AsyncEngine.connect(process, timeouts=_TIMEOUTS)
            self._pid = process.pid
            self._variant = ""
            core = [note for note in self._engine.id.notes if note.startswith("core ")]
            self._name = ", ".join([self._engine.id.name or "an engine without a name", *core])
        return self._engine

    async def _fault(self, error: EngineError) -> Fault:
        """What the error means for the game; the process is not to be trusted any more."""
        await self.close()
        if isinstance(error, EngineTerminated):
            return Fault("crash", str(error))
        return Fault("stall" if isinstance(error, EngineTimeout) else "refused", str(error))


def launch_words(command: str) -> tuple[list[str], Path | None]:
    """The words that start an engine, and the folder to do it in. Raises ``ValueError``.

    A folder is a checkout of damd: it is run by the Python of its ``.venv``, where it has one, otherwise by this one.
    """
    folder = Path(command)
    if folder.is_dir():
        if not (folder / "damd" / "__main__.py").is_file():
            raise ValueError(f"{command} is a folder, but no checkout of damd")
        places = [folder / ".venv" / "bin" / "python", folder / ".venv" / "Scripts" / "python.exe"]
        python = next((str(place.absolute()) for place in places if place.is_file()), sys.executable)
        return [python, "-m", "damd"], folder.absolute()
    words = shlex.split(command, posix=os.name != "nt")
    if not words:
        raise ValueError("an empty command")
    return words, None


def environment(words: Sequence[str], folder: Path | None) -> dict[str, str]:
    """The engine's: neither this checkout's path nor, for ``python -m damd``, the folder that the match is started in.

    Otherwise another checkout's command might quietly run this checkout's code.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    if folder is None and "-m" in words:
        environment["PYTHONSAFEPATH"] = "1"
    return environment


class BuiltInPlayer:
    """An opponent without a process: ``pick`` chooses among a position's legal plies, of which there is one at least."""

    def __init__(self, name: str, pick: Callable[[Position, random.Random], Ply]) -> None:
        self._name = name
        self._pick = pick
        self._dice = random.Random(0)

    async def open(self, games: Sequence[Rules]) -> None: ...

    async def new_game(self, rules: Rules, dice: random.Random) -> None:  # noqa: ARG002
        self._dice = dice

    async def choose(self, turn: Turn) -> Answer:
        return Answer(format_ply(self._pick(turn.position, self._dice), turn.position.board))

    async def close(self) -> None: ...

    def describe(self) -> str:
        return f"{self._name} (built in)"


def pick_random(position: Position, dice: random.Random) -> Ply:
    """Any legal ply, claims included, each as likely as the other."""
    return dice.choice(position.plies())


def pick_greedy(position: Position, dice: random.Random) -> Ply:
    """The ply after which the own material exceeds the opponent's by most; among equals any. Claims go before all else.

    A man counts 100, a king 300 where kings fly and 150 where they step. Replies are not looked at, nor whether a ply
    ends the game. Where having no pieces wins, the least material is the best.
    """
    plies = position.plies()
    choices = [ply for ply in plies if ply.kind is PlyKind.CLAIM] or plies
    side = position.side
    sign = -1 if position.rules.end.no_moves == "win" else 1
    balances = []
    for ply in choices:
        with position.after(ply):
            balances.append(sign * material(position, side))
    best = max(balances)
    return dice.choice([ply for ply, balance in zip(choices, balances, strict=True) if balance == best])


def material(position: Position, side: int) -> int:
    """How much more material ``side`` has than its opponent."""
    setup = position.setup()
    king = _FLYING_KING if position.rules.king.flying else _STEPPING_KING
    own, other = (_MAN * len(setup.men[who]) + king * len(setup.kings[who]) for who in (side, 1 - side))
    return own - other


BUILT_IN: Mapping[str, Callable[[Position, random.Random], Ply]] = {"random": pick_random, "greedy": pick_greedy}
