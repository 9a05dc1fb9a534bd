"""Whether a conversation is one that the protocol allows: every answer line explained by an input line, in order.

The daemon's answers come in the order of the lines, with the exceptions that the protocol names: ``readyok``
overtakes a running search, and lines behind a search without end are refused while it runs. When a ``stop`` meets
which search depends on time, so several readings are followed at once, and the conversation is wrong where none
is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from replies import Block, Expected, expected, kind_of


class Wrong(AssertionError):
    """The conversation is not what the protocol allows."""


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the daemon, and how many lines had been sent to it at most when it came."""

    text: str
    sent: int


@dataclass(frozen=True, slots=True)
class _Open:
    """A line that is being answered: where in which of its blocks."""

    line: int
    block: Block
    part: int
    count: int

    @property
    def may_end(self) -> bool:
        return all(
            part.low <= (self.count if number == self.part else 0)
            for number, part in enumerate(self.block)
            if number >= self.part
        )

    def after(self, kind: str) -> Iterator[_Open]:
        """The ways to read one more line of that kind."""
        for number in range(self.part, len(self.block)):
            part = self.block[number]
            count = self.count if number == self.part else 0
            if kind in part.kinds and (part.high is None or count < part.high):
                yield replace(self, part=number, count=count + 1 if part.high is not None else min(count + 1, part.low))
            if count < part.low:
                return


@dataclass(frozen=True, slots=True)
class _State:
    """One reading: the line being answered, the next one, and how many loose errors have come."""

    open: _Open | None
    next: int
    loose: int = 0


@dataclass(slots=True)
class Totals:
    """What a conversation was made of."""

    lines: int = 0
    answers: int = 0
    searches: int = 0
    counts: int = 0
    bestmoves: int = 0
    count_ends: int = 0
    refused: int = 0
    errors: int = 0

    def add(self, other: Totals) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Transcript:
    """One stretch of a conversation that begins and ends with nothing running and nothing waiting."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._ordinary: list[tuple[int, Expected]] = []
        self._stops: list[int] = []
        self._hits: list[int] = []
        self._ready = self._loose = self._vain = 0
        self.totals = Totals(lines=len(lines))
        for number, data in enumerate(lines):
            due = expected(data)
            if due is None:
                continue
            self._loose += due.loose
            if not due.at_once:
                self._ordinary.append((number, due))
                self.totals.searches += due.searches
                self.totals.counts += due.counts
                self._vain += due.name == "perft" and not due.counts
            elif due.name == "isready":
                self._ready += 1
            elif due.name == "stop":
                self._stops.append(number)
            elif due.name == "ponderhit":
                self._hits.append(number)

    def check(self, said: Sequence[Said]) -> Totals:
        """Raises ``Wrong``; otherwise what there was of everything."""
        states = {_State(None, 0)}
        ready = 0
        totals = self.totals
        for number, answer in enumerate(said):
            try:
                kind = kind_of(answer.text)
            except ValueError as fault:
                raise Wrong(f"answer {number}: {fault}") from None
            self._count(kind, answer.text)
            if kind == "remark":
                continue
            if kind == "readyok":
                ready += 1
                continue
            following = {state for before in states for state in self._after(before, kind, answer)}
            if not following:
                raise Wrong(self._explained(number, said, states))
            states = following
        if ready != self._ready:
            raise Wrong(f"{ready} readyok for {self._ready} isready")
        if not any(self._finished(state) for state in states):
            raise Wrong(self._explained(len(said), said, states))
        surplus = totals.bestmoves + totals.count_ends + totals.refused - totals.searches - totals.counts
        if not 0 <= surplus <= self._vain:  # a `perft` that cannot count may be refused all the same
            raise Wrong(f"searches and counts do not add up: {totals}")
        return totals

    def _count(self, kind: str, text: str) -> None:
        totals = self.totals
        totals.answers += 1
        totals.errors += kind.startswith("error:")
        totals.bestmoves += kind == "bestmove"
        stopped = kind == "error:stopped" and not text.startswith("error stopped bench")
        too_many = text.startswith("error too-many-plies perft")
        totals.count_ends += kind == "total" or stopped or too_many
        totals.refused += text.startswith(("error searching go:", "error searching perft:"))

    def _after(self, state: _State, kind: str, answer: Said) -> Iterator[_State]:
        if state.loose < self._loose and kind in ("error:unknown-token", "error:missing-argument"):
            yield replace(state, loose=state.loose + 1)
        if state.open is not None:
            for further in self._further(state.open, kind, answer):
                yield replace(state, open=further)
            yield from self._refused(state, kind, answer.text)
            if not state.open.may_end:
                return
        for line in range(state.next, len(self._ordinary)):
            number, due = self._ordinary[line]
            if number >= answer.sent:
                return
            for block in due.blocks:
                begun = _Open(line, block, 0, 0)
                for further in self._further(begun, kind, answer):
                    yield replace(state, open=further, next=line + 1)
                # A search may refuse the next line before it has said anything itself.
                yield from self._refused(replace(state, open=begun, next=line + 1), kind, answer.text)
            if not _may_be_silent(due):
                return

    def _further(self, begun: _Open, kind: str, answer: Said) -> Iterator[_Open]:
        """The ways to read one more line of an answer; a search without end ends only behind a ``stop``."""
        number, due = self._ordinary[begun.line]
        if kind == "bestmove" and due.endless:
            ends = [*self._stops, *(self._hits if due.ponders else [])]
            if not any(number < end < answer.sent for end in ends):
                return
        yield from begun.after(kind)

    def _refused(self, state: _State, kind: str, text: str) -> Iterator[_State]:
        """The reading that the open search was there when the next line came, and refused it."""
        if state.open is None or state.next >= len(self._ordinary):
            return
        (begun, searching), (number, due) = self._ordinary[state.open.line], self._ordinary[state.next]
        stopped = any(begun < stop < number for stop in self._stops)
        if searching.may_be_endless and not stopped and due.refused_by(text, kind):
            yield replace(state, next=state.next + 1)

    def _finished(self, state: _State) -> bool:
        rest = self._ordinary[state.next :]
        return (state.open is None or state.open.may_end) and all(_may_be_silent(due) for _, due in rest)

    def _explained(self, number: int, said: Sequence[Said], states: set[_State]) -> str:
        heard = " | ".join(answer.text[:120] for answer in said[max(0, number - 3) : number + 1])
        due = []
        for state in sorted(states, key=lambda state: state.next)[:4]:
            names = [
                self._ordinary[line][1].name[:20] for line in range(state.next, min(state.next + 4, len(self._ordinary)))
            ]
            opened = self._ordinary[state.open.line] if state.open else None
            due.append(
                f"{f'line {opened[0]} ({opened[1].name[:20]}) is being answered, ' if opened else ''}then due: {names}"
            )
        return f"answer {number} of {len(said)} has no explanation: {heard}; {'; or '.join(due)}"


def _may_be_silent(due: Expected) -> bool:
    return any(all(part.low == 0 for part in block) for block in due.blocks)
