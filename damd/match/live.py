"""Who hears of a tournament while it runs: lines of JSON for programs, plain lines, or a live table on a terminal.

All of them take events. What they write goes out in a thread of its own, so that a slow reader takes nobody's time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TextIO

from damd.match.events import (
    Caution,
    Event,
    GameEnd,
    GameStart,
    Move,
    PairEnd,
    RoundStart,
    RunEnd,
    RunStart,
    Sprt,
    Standings,
    as_json,
)
from damd.match.views.columns import number, table_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

#: So many lines may wait for a slow reader before no further game is begun.
_MOST_WAITING = 10_000
#: A run that was interrupted gives its reader so long for what is left to be said.
_MOMENT_S = 2.0
#: A plain line about the test, and the standings on a terminal, behind so many pairings.
_TEST_EVERY = 10
_REFRESHES = 4
_STANDINGS_HEADS = ("#", "Engine", "Games", "W", "D", "L", "Points", "Elo", "+/-")


class Tape:
    """Writes lines in a thread. Where the reader has left, what follows is dropped, and ``broken`` says so."""

    def __init__(self, stream: TextIO) -> None:
        self.broken = False
        self._hurried = False
        self._stream = stream
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="match-output", daemon=True)
        self._thread.start()

    def put(self, *lines: str) -> None:
        for line in lines:
            self._lines.put(line)

    def settle(self) -> None:
        """Wait until not too much is left to be written, or until ``hurry``."""
        while self._lines.qsize() > _MOST_WAITING and not self.broken and not self._hurried:
            time.sleep(0.02)

    def hurry(self) -> None:
        """The run is to end: nobody waits for a slow reader any more."""
        self._hurried = True

    @property
    def stuck(self) -> bool:
        """Whether it was closed in a hurry while the reader took nothing: the thread still holds the stream."""
        return self._hurried and self._thread.is_alive()

    def close(self) -> None:
        """Write what is left; in a hurry, what the reader takes in a moment."""
        self._lines.put(None)
        while self._thread.is_alive():
            self._thread.join(_MOMENT_S)
            if self._hurried:
                return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            self._guarded(self._stream.write, line + "\n")
            if self._lines.empty():
                self._guarded(self._stream.flush)
        self._guarded(self._stream.flush)

    def _guarded(self, write: Callable[..., object], *given: str) -> None:
        if self.broken:
            return
        try:
            write(*given)
        except OSError:  # the reader has left, or the disk is full: the journal has it all
            self.broken = True


class JsonLines:
    """Each event as a line."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put

    def __call__(self, event: Event) -> None:
        self._put(as_json(event))


class PlainLines:
    """A line for each game that ends, and what else there is to say."""

    def __init__(self, put: Callable[..., None]) -> None:
        self._put = put
        self._games = 0
        self._ended: set[str] = set()  # a game whose worker was lost is played again, and ends again
        self._planned = 0
        self._pairs = 0

    def __call__(self, event: Event) -> None:
        self._put(*self._lines(event))

    def _lines(self, event: Event) -> list[str]:
        if isinstance(event, RunStart):
            self._games, self._planned = event.finished, event.games
            return [beginning(event)]
        if isinstance(event, PairEnd):
            self._pairs += 1
        if isinstance(event, PairEnd | RoundStart):
            self._planned = event.games
        if isinstance(event, GameEnd):
            self._ended.add(event.game)
            moves = "1 ply" if event.plies == 1 else f"{event.plies} plies"
            told = f"{event.white} - {event.black}  {event.text} ({moves}, {event.seconds:.1f} s)"
            return [f"{self._games + len(self._ended)}/{self._planned}  {event.game}  {told}"]
        if isinstance(event, Sprt) and (event.decision or self._pairs % _TEST_EVERY == 0):
            return [test_line(event)]
        if isinstance(event, Caution):
            return [f"warning: {event.message}" + (f" (game {event.game})" if event.game else "")]
        return [ending(event)] if isinstance(event, RunEnd) else []


def beginning(event: RunStart) -> str:
    """What is going to be played."""
    rest = "" if event.complete else " so far"
    done = f", {event.finished} of them in the journal already" if event.finished else ""
    return (
        f"{event.variant}, {event.format} of {', '.join(event.engines)}: {event.games} games{rest}{done}; "
        f"seed {event.seed}; journal {event.journal}"
    )


def ending(event: RunEnd) -> str:
    """How the run has ended, and how to go on."""
    told = f"{event.reason}: {event.message}; {event.finished} of {event.games} games are in the journal"
    return f"{told}\ngo on with: {event.resume}" if event.resume else told


def test_line(event: Sprt) -> str:
    """Where the sequential test stands."""
    told = f"{event.decision} accepted" if event.decision else "goes on"
    return f"SPRT: LLR {number(event.llr, 2)} ({number(event.lower, 2)}, {number(event.upper, 2)}), {told}"


def standing_rows(event: Standings) -> list[tuple[str, ...]]:
    """The standings as texts, under ``_STANDINGS_HEADS``."""
    return [
        (
            *(str(row.rank), row.engine, str(row.games), str(row.wins), str(row.draws), str(row.losses), str(row.points)),
            *(number(row.elo, 0, signed=True), number(row.elo_error, 0)),
        )
        for row in event.rows
    ]


class LiveTable:
    """Standings, progress with the expected end, and the games being played, on a terminal that rich draws on."""

    def __init__(self, console: Console | None = None) -> None:
        """Raises ``ImportError`` where rich is not installed."""
        from rich.console import Console
        from rich.live import Live

        self._console = console or Console()
        self._lock = threading.Lock()  # rich draws in a thread of its own
        self._start: RunStart | None = None
        self._end: RunEnd | None = None
        self._standings = Standings(())
        self._test: Sprt | None = None
        self._playing: dict[str, tuple[GameStart, Move | None]] = {}
        self._finished, self._games = 0, 0
        self._began = time.monotonic()
        self._live = Live(console=self._console, refresh_per_second=_REFRESHES, get_renderable=self._picture)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        if self._end is not None:
            self._console.print(ending(self._end), markup=False, highlight=False)

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._take(event)
        if isinstance(event, Caution):
            self._console.print(f"warning: {event.message}", markup=False, highlight=False)

    def _take(self, event: Event) -> None:
        if isinstance(event, RunStart):
            self._start, self._finished, self._games = event, event.finished, event.games
            self._began = time.monotonic()
        elif isinstance(event, GameStart):
            self._playing[event.game] = (event, None)
        elif isinstance(event, Move) and event.game in self._playing:
            self._playing[event.game] = (self._playing[event.game][0], event)
        elif isinstance(event, GameEnd):
            self._playing.pop(event.game, None)
        elif isinstance(event, PairEnd):
            self._finished, self._games = event.finished, event.games
        elif isinstance(event, RoundStart):
            self._games = event.games
        elif isinstance(event, Standings):
            self._standings = event
        elif isinstance(event, Sprt):
            self._test = event
        elif isinstance(event, RunEnd):
            self._end = event
            self._playing.clear()

    def _picture(self) -> RenderableType:
        from rich.text import Text

        with self._lock:
            lines = table_lines(_STANDINGS_HEADS, standing_rows(self._standings))
            if self._test is not None:
                lines.append(test_line(self._test))
            lines.append(self._progress())
            lines += [_game_line(start, move) for start, move in self._playing.values()]
        return Text("\n".join(lines))

    def _progress(self) -> str:
        before = self._start.finished if self._start else 0
        done, passed = self._finished - before, time.monotonic() - self._began
        told = f"{self._finished} of {self._games} games, {duration(passed)}"
        if not done or self._finished >= self._games:
            return told
        return f"{told}, about {duration(passed / done * (self._games - self._finished))} to go"


def _game_line(start: GameStart, move: Move | None) -> str:
    told = f"{start.game}  {start.white} - {start.black}"
    if move is None:
        return told
    clock = "" if move.clock_ms is None else f", {move.clock_ms / 1000:.1f} s left"
    score = f", {move.score / 100:+.2f}" if move.score is not None else ""
    return f"{told}  ply {move.number} {move.ply}{score}{clock}"


def duration(seconds: float) -> str:
    """A time for people: ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def live_table(console: Any = None) -> LiveTable | None:
    """The live table, where rich is installed."""
    try:
        return LiveTable(console)
    except ImportError:
        return None
