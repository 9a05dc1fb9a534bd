"""Clock commands in comments: what they say in seconds, and of whom."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from damd.geometry import BLACK, WHITE
from damd.notation.pdn.model import Command, Comment

#: ``clk`` time left, ``emt`` time used for the ply, ``egt`` time of the game, ``mct`` time on a mechanical clock.
SINGLE = ("clk", "emt", "egt", "mct")

_TIME = r"(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,6}(?:[.,]\d{1,6})?)"
_ONE = re.compile(_TIME)
_SIDED = re.compile(rf"([wWbB])\s*{_TIME}(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time in seconds. ``side`` is whose it is, ``None`` for the player of the ply; ``running`` whether his clock runs."""

    name: str
    seconds: float
    side: int | None = None
    running: bool = False


def clocks(comments: Iterable[Comment]) -> tuple[Clock, ...]:
    """Every time that the comments' commands tell, in order; commands that cannot be read tell none."""
    return tuple(clock for comment in comments for command in comment.commands for clock in _clocks(command))


def format_clock(seconds: float) -> str:
    """``0:09:57``, with tenths where there are any."""
    tenths = round(seconds * 10)
    whole, tenth = divmod(tenths, 10)
    text = f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    return f"{text}.{tenth}" if tenth else text


def _clocks(command: Command) -> Iterable[Clock]:
    name = command.name.lower()
    if name in SINGLE:
        match = _ONE.fullmatch(command.value.strip())
        if match:
            yield Clock(name, _seconds(*match.groups()))
    elif name == "clock":
        for letter, *parts in _SIDED.findall(command.value):
            yield Clock(name, _seconds(*parts), WHITE if letter in "wW" else BLACK, letter.isupper())


def _seconds(hours: str | None, minutes: str | None, seconds: str) -> float:
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds.replace(",", "."))
