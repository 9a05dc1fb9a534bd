"""How much time an engine has, as a value and as text.

    60+0.6             60 seconds for the game and 0.6 more a turn
    5:00               five minutes for the game
    75/600             600 seconds for each 75 turns
    100/10:00+10       ten minutes for each 100 turns and ten seconds more a turn
    movetime=0.5       half a second for every ply that is asked for, a claim and the move behind it alike
    depth=9            nine plies deep, however long it takes
    nodes=50000        so many positions, however long it takes

``depth`` and ``nodes`` may stand beside a clock or beside each other, with a blank between: ``60+0.6 depth=12``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Milliseconds that a control may have, and turns, plies and positions: what other programs' fields still hold.
MAX_MS = 24 * 3600 * 1000
MAX_TURNS = 1000
MAX_DEPTH = 200
MAX_NODES = 10**12

_EXAMPLES = "60+0.6, 75/10:00, movetime=0.5, depth=9 or nodes=50000"
_TIME = r"(?:(?:\d{1,3}:)?\d{1,4}:)?\d{1,6}(?:\.\d{1,3})?"
_CLOCK = re.compile(rf"(?:(\d{{1,6}})/)?({_TIME})(?:\+(\d{{1,6}}(?:\.\d{{1,3}})?))?", re.ASCII)
_SECONDS = re.compile(r"\d{1,6}(?:\.\d{1,3})?", re.ASCII)


class TimeControlError(ValueError):
    """A text that is no time control; the message names it and says what would be right."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What one engine may use. Times are milliseconds; ``None`` is no limit of that kind, one limit at least is there.

    ``base_ms`` is a clock's time: for the whole game, or for each ``turns`` turns where that is given. ``increment_ms``
    is added after each turn. A claim is no turn: the clock runs on, without an increment. ``movetime_ms`` is for every
    ply, claims among them: an engine cannot know before it thinks that it will be asked again.
    """

    base_ms: int | None = None
    increment_ms: int = 0
    turns: int | None = None
    movetime_ms: int | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        """Raises ``TimeControlError`` for what contradicts itself or is out of range."""
        if all(value is None for value in (self.base_ms, self.movetime_ms, self.depth, self.nodes)):
            raise TimeControlError(f"no limit at all: write {_EXAMPLES}")
        if self.base_ms is None and (self.increment_ms or self.turns is not None):
            raise TimeControlError("an increment or a number of turns needs a clock: write 75/10:00 or 60+0.6")
        if self.base_ms is not None and self.movetime_ms is not None:
            raise TimeControlError("a clock and a time for each turn: one of them")
        bounds = (
            ("time", self.base_ms, MAX_MS),
            ("turns", self.turns, MAX_TURNS),
            ("movetime", self.movetime_ms, MAX_MS),
            ("depth", self.depth, MAX_DEPTH),
            ("nodes", self.nodes, MAX_NODES),
        )
        for name, value, high in bounds:
            if value is not None and not 1 <= value <= high:
                raise TimeControlError(f"{name} {value} is out of range: 1 to {high}")
        if not 0 <= self.increment_ms <= MAX_MS:
            raise TimeControlError(f"increment {self.increment_ms} is out of range: 0 to {MAX_MS}")

    @property
    def timed(self) -> bool:
        """Whether an engine can be late under this control."""
        return self.base_ms is not None or self.movetime_ms is not None

    def __str__(self) -> str:
        """The text that ``parse_time_control`` reads back to the same."""
        words = []
        if self.base_ms is not None:
            turns = f"{self.turns}/" if self.turns is not None else ""
            increment = f"+{_seconds(self.increment_ms)}" if self.increment_ms else ""
            words.append(f"{turns}{_seconds(self.base_ms)}{increment}")
        if self.movetime_ms is not None:
            words.append(f"movetime={_seconds(self.movetime_ms)}")
        words += [f"{name}={value}" for name, value in (("depth", self.depth), ("nodes", self.nodes)) if value is not None]
        return " ".join(words)


def parse_time_control(text: str) -> TimeControl:
    """Raises ``TimeControlError``, which names the word at fault."""
    found: dict[str, int] = {}
    for word in text.split():
        for name, value in _word(word).items():
            if name in found:
                raise TimeControlError(f"{word!r}: {name.removesuffix('_ms')} is given twice")
            found[name] = value
    if not found:
        raise TimeControlError(f"no limit at all: write {_EXAMPLES}")
    return TimeControl(**found)


def _word(word: str) -> dict[str, int]:
    clock = _CLOCK.fullmatch(word)
    if clock:
        found = {"base_ms": _milliseconds(clock[2])}
        if clock[1]:
            found["turns"] = int(clock[1])
        if clock[3]:
            found["increment_ms"] = _milliseconds(clock[3])
        return found
    name, _, value = word.partition("=")
    if name == "movetime" and _SECONDS.fullmatch(value):
        return {"movetime_ms": _milliseconds(value)}
    if name in ("depth", "nodes") and re.fullmatch(r"[0-9]{1,13}", value):
        return {name: int(value)}
    raise TimeControlError(f"{word!r} is no time control: write {_EXAMPLES} (seconds, or minutes:seconds)")


def _milliseconds(text: str) -> int:
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return round(total * 1000)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a ply did to a clock. ``over_ms`` is how much it was too long, 0 where it was not."""

    over_ms: float
    flagged: bool


class SideClock:
    """One engine's clock during one game: told of every ply, it says what is left and whether that was too late.

    An overrun of at most ``margin_ms`` is forgiven: the game goes on, the clock stands at nothing (and at its increment
    behind a turn), and ``Spent.over_ms`` still says by how much.
    """

    def __init__(self, control: TimeControl, margin_ms: float = 0.0) -> None:
        self.control = control
        self.margin_ms = margin_ms
        self._left_ms = None if control.base_ms is None else float(control.base_ms)
        self._turns = 0

    @property
    def left_ms(self) -> float | None:
        """Time on the clock; ``None`` where there is no clock."""
        return self._left_ms

    @property
    def turns_to_go(self) -> int | None:
        """Turns until the clock gets its next period, this one among them; ``None`` without periods."""
        return None if self.control.turns is None else self.control.turns - self._turns % self.control.turns

    def allowed_ms(self) -> float | None:
        """How long the next ply may take, the margin not counted; ``None`` where time is no limit."""
        return self._left_ms if self._left_ms is not None else self.control.movetime_ms

    def spend(self, taken_ms: float, *, ends_turn: bool) -> Spent:
        """Count a ply that took so long; a claim does not end the turn."""
        allowed = self.allowed_ms()
        over = 0.0 if allowed is None else max(0.0, taken_ms - allowed)
        if self._left_ms is not None:
            self._left_ms = max(0.0, self._left_ms - taken_ms)
            if ends_turn:
                self._turns += 1
                self._left_ms += self.control.increment_ms
                if self.control.turns is not None and self._turns % self.control.turns == 0:
                    self._left_ms += self.control.base_ms or 0
        return Spent(over, over > self.margin_ms)
