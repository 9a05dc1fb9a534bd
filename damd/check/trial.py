"""One run of one check: its engine processes, and what nearly every check does with them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from damd.check import judge
from damd.check.control import Watch
from damd.check.link import Link
from damd.check.model import Failed, Patience, Skipped
from damd.check.samples import Sample, Samples
from damd.check.talk import Heard, Talk
from damd.client.options import Options
from damd.client.parsing import parse_bestmove, parse_error, parse_info
from damd.client.types import InfoLine
from damd.core.types import Ply
from damd.notation.fen import FenError, format_fen, parse_fen
from damd.notation.squares import shown
from damd.rules import Rules


class Clerk(Protocol):
    """Whoever says how late the machine is; ``damd.check.control.Control`` is one."""

    def watching(self) -> AbstractAsyncContextManager[Watch]: ...


@dataclass(frozen=True, slots=True)
class Subject:
    """The engine under check. ``connect`` makes a link to a process that has not been started yet.

    ``options`` is what it has declared, ``settings`` the ``setoption`` lines that each of its processes is sent first.
    """

    connect: Callable[[], Link]
    rules: Rules
    samples: Samples
    options: Options
    settings: tuple[str, ...]
    patience: Patience
    clerk: Clerk


@dataclass(frozen=True, slots=True)
class Answer:
    """What a ``go`` was answered: the lines before ``bestmove``, that line, and its ply (``None``: there is none)."""

    lines: tuple[str, ...]
    best: Heard
    ply: Ply | None

    @property
    def infos(self) -> tuple[InfoLine, ...]:
        return tuple(parse_info(line) for line in self.lines if line.split()[:1] == ["info"])

    @property
    def ponder(self) -> str | None:
        return parse_bestmove(self.best.text).ponder


class Trial:
    """What a check is given. All processes that it starts have ended when the check has."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._talks: list[Talk] = []

    @property
    def patience(self) -> Patience:
        return self.subject.patience

    @property
    def samples(self) -> Samples:
        return self.subject.samples

    @property
    def options(self) -> Options:
        return self.subject.options

    def transcript(self) -> tuple[str, ...]:
        return tuple(line for talk in self._talks for line in ["# a new process", *talk.transcript()])

    # Processes

    async def fresh(self) -> Talk:
        """A process that has been told nothing."""
        talk = Talk(self.subject.connect(), self.patience)
        self._talks.append(talk)
        await talk.link.open(talk)
        return talk

    async def start(self) -> Talk:
        """A process that is ready to play the game: handshake done, options set."""
        talk = await self.fresh()
        talk.send("uci")
        await talk.until("uciok")
        said = await talk.ask(*self.subject.settings)
        if errors_in(said):
            raise Failed(f"setting up the game is refused: {shown(errors_in(said)[0], 100)}")
        return talk

    async def close(self) -> None:
        """End what the check has left running."""
        await asyncio.gather(*(talk.close() for talk in self._talks))

    # What checks do again and again

    async def set_up(self, talk: Talk, sample: Sample) -> None:
        """Set the position. Raises ``Failed`` where the engine says anything against it."""
        said = await talk.ask(sample.command)
        if errors_in(said):
            raise Failed(f"{shown(sample.command, 100)} is refused: {shown(errors_in(said)[0], 100)}")

    async def answer(self, talk: Talk, sample: Sample, seconds: float | None = None) -> Answer:
        """The answer to a ``go`` that was sent in this position: one ``bestmove``, judged."""
        heard = await talk.until("bestmove", seconds=self.patience.search_s if seconds is None else seconds)
        ply = judge.answer(heard[-1].text, sample.position())
        return Answer(tuple(line.text for line in heard[:-1]), heard[-1], ply)

    async def search(self, talk: Talk, sample: Sample, go: str, seconds: float | None = None) -> Answer:
        """Set the position, search, and judge the answer. Raises ``Failed``."""
        await self.set_up(talk, sample)
        talk.send(go)
        return await self.answer(talk, sample, seconds)

    async def alive(self, talk: Talk, *, after: str) -> list[str]:
        """The engine still answers ``isready``; what it says before it. Raises ``Failed``."""
        try:
            return await talk.ask()
        except Failed as fault:
            raise Failed(f"after {after}: {fault}") from None

    async def nothing_more(self, talk: Talk) -> None:
        """After a ``bestmove``: no other one, and no line of that search. Raises ``Failed``."""
        late = loud([*await talk.ask(), *await talk.silence(self.patience.quiet_s)])
        if late:
            raise Failed(f"after bestmove it still says {shown(late[0], 100)}")

    async def fen_of(self, talk: Talk) -> str | None:
        """The engine's position as our own FEN of it; ``None`` where it has no command ``fen``."""
        said = await self.asked(talk, "fen")
        if said is None:
            return None
        text = said.partition(" ")[2]
        try:
            return format_fen(parse_fen(text, self.subject.rules), self.subject.rules)
        except FenError as fault:
            raise Failed(f"its FEN {shown(text, 100)} cannot be read: {fault.message}") from None

    async def asked(self, talk: Talk, command: str) -> str | None:
        """The line that answers a command for scripts and people; ``None`` where the engine does not have it."""
        word = command.split()[0]
        answers = [line for line in await talk.ask(command) if line.split()[:1] == [word]]
        return answers[0] if answers else None

    async def stands_at(self, talk: Talk, sample: Sample, why: str) -> None:
        """The engine's position is this one: by its ``fen``, otherwise by what it plays there. Raises ``Failed``."""
        ours = format_fen(sample.position().setup(), self.subject.rules)
        theirs = await self.fen_of(talk)
        if theirs is not None and theirs != ours:
            raise Failed(f"{why}, its position is {theirs}, not {ours}")
        if theirs is None:
            talk.send("go depth 1")
            try:
                await self.answer(talk, sample)
            except Failed as fault:
                raise Failed(f"{why}: {fault}") from None

    async def stands_after(self, talk: Talk, sample: Sample) -> None:
        """Set the position, and make sure that the engine has it. Raises ``Failed``."""
        await self.set_up(talk, sample)
        await self.stands_at(talk, sample, f"after {shown(sample.command, 100)}")

    def needs(self, sample: Sample | None, what: str) -> Sample:
        """Raises ``Skipped`` where the game does not have such a position."""
        if sample is None:
            raise Skipped(f"{self.subject.rules.name} has no position {what}")
        return sample


def loud(lines: Sequence[str]) -> list[str]:
    """The lines that a client may not simply pass over: all but remarks (``info string``)."""
    return [line for line in lines if line.split()[:2] != ["info", "string"]]


def errors_in(lines: Sequence[str], *codes: str) -> list[str]:
    """The ``error`` lines, or those with one of these codes."""
    found = [line for line in lines if line.split()[:1] == ["error"]]
    return [line for line in found if not codes or parse_error(line).code in codes]


@asynccontextmanager
async def opened(subject: Subject) -> AsyncIterator[Trial]:
    """A trial, closed at the end of the block, also where that is left by an exception."""
    trial = Trial(subject)
    try:
        yield trial
    finally:
        await trial.close()
