"""An opponent behind the Hub protocol, as far as a match needs it: position, time of a ply, the ply chosen.

Only games that have a name in that protocol; ``hub:COMMAND`` names such an opponent.
"""

from __future__ import annotations

import asyncio
import random
import re
import shlex
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence

from benchmarks.selfplay.players import Answer, Fault, Turn
from damd.client import EngineError, EngineTerminated
from damd.core.position import Position
from damd.core.types import Ply, PlyKind, Setup
from damd.geometry import BLACK, WHITE
from damd.notation.fen import parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.rules import Rules

PREFIX = "hub:"

#: An opponent that has not answered so many seconds after its time is lost.
_GRACE_S = 10.0


class HubPlayer:
    """A Hub engine's process, kept over the games."""

    def __init__(self, command: str) -> None:
        self._words = shlex.split(command)
        if not self._words:
            raise ValueError(f"no command behind {PREFIX}")
        self._command = command
        self._name = command
        self._process: Process | None = None

    async def open(self, games: Sequence[Rules]) -> None:
        for rules in games:
            if rules.names.hub != "normal":
                raise EngineError(f"{rules.names.name}: Hub opponents are asked for international draughts alone")
        self._process = await asyncio.create_subprocess_exec(*self._words, stdin=PIPE, stdout=PIPE)
        self._send("hub")
        known = await self._until("wait")
        said = " ".join(line for line in known if line.startswith("id "))
        named = re.search(r"\bname=(\S+)(?: version=(\S+))?", said)
        if named:
            self._name = " ".join(filter(None, named.groups()))
        self._send("init")
        await self._until("ready")

    async def new_game(self, rules: Rules, dice: random.Random) -> None:  # noqa: ARG002
        self._send("new-game")

    async def choose(self, turn: Turn) -> Answer:
        if turn.limit.movetime_ms is None:
            raise Fault("refused", "a Hub opponent is given a time for each ply: --movetime")
        rules = turn.position.rules
        position = Position(rules, parse_fen(turn.fen, rules) if turn.fen else None)
        place, moves = hub_place(position.setup(), rules), []
        for text in turn.played:
            ply = parse_ply(text, position)
            moves.append(hub_move(ply, rules))
            position.play(ply)
        self._send(f'pos pos={place} moves="{" ".join(moves)}"' if moves else f"pos pos={place}")
        self._send(f"level move-time={turn.limit.movetime_ms / 1000:g}")
        began = time.perf_counter()
        self._send("go think")
        try:
            lines = await asyncio.wait_for(self._until("done"), turn.limit.movetime_ms / 1000 + _GRACE_S)
        except TimeoutError as error:
            raise Fault("stall", "no answer to go") from error
        except EngineTerminated as error:
            raise Fault("crash", str(error)) from error
        taken_ms = (time.perf_counter() - began) * 1000
        found = re.search(r"\bmove=(\S+)", lines[-1])
        chosen = [ply for ply in turn.position.plies() if found and hub_move(ply, rules) == _ordered(found[1])]
        depths = [int(depth) for line in lines for depth in re.findall(r"^info .*?\bdepth=(\d+)", line)]
        nodes = [int(count) for line in lines for count in re.findall(r"\bnodes=(\d+)", line)]
        return Answer(
            format_ply(chosen[0], rules.geometry) if chosen else lines[-1],
            taken_ms=taken_ms,
            depth=depths[-1] if depths else None,
            nodes=nodes[-1] if nodes else 0,
        )

    async def close(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            if process.returncode is None:
                process.kill()
            await process.wait()

    def describe(self) -> str:
        return f"{self._name}, by Hub; {self._command}"

    def _send(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            raise Fault("crash", "the engine is not running")
        self._process.stdin.write(f"{line}\n".encode())

    async def _until(self, word: str) -> list[str]:
        """The lines up to the one that begins with this word. Raises ``EngineTerminated`` where they end before."""
        assert self._process is not None
        assert self._process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1].split(" ")[0] != word:
            line = await self._process.stdout.readline()
            if not line:
                raise EngineTerminated(await self._process.wait(), detail=f"before it said {word}")
            lines.append(line.decode(errors="replace").strip())
        return lines


def hub_place(setup: Setup, rules: Rules) -> str:
    """The position as Hub writes it: the side, then a letter for each square."""
    letters = ["e"] * rules.geometry.size
    for side, man, king in ((WHITE, "w", "W"), (BLACK, "b", "B")):
        for points, letter in ((setup.men[side], man), (setup.kings[side], king)):
            for point in points:
                letters[point] = letter
    return "WB"[setup.side] + "".join(letters)


def hub_move(ply: Ply, rules: Rules) -> str:
    """The ply as Hub writes it: origin, end, then every captured square."""
    names = rules.geometry.names
    if ply.kind is PlyKind.QUIET:
        return f"{names[ply.origin]}-{names[ply.end]}"
    return "x".join(names[point] for point in (ply.origin, ply.end, *ply.captured))


def _ordered(move: str) -> str:
    """A capture with its captured squares in order: they may come in any."""
    parts = move.split("x")
    return "x".join([*parts[:2], *sorted(parts[2:], key=lambda part: part.zfill(3))])
