"""A Hub engine's parameters as options of damd's protocol, and a search's limits and reports between the two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from damd import variants
from damd.client import Score
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import Option, OptionKind
from damd_adapters.hub.grammar import Message, fields
from damd_adapters.hub.scores import read_score
from damd_adapters.hub.variants import variant_name
from damd_adapters.uci.engine import Limits, Report

#: The parameter that becomes UCI_Variant, and the one that has a name in UCI.
VARIANT, PONDER = "variant", "ponder"

_WIDEST = 2**31 - 1
_LARGEST_COUNT = 10**18
_MOST_MEN = 1000


@dataclass(frozen=True, slots=True)
class Param:
    """One declared parameter. ``low`` and ``high`` bound a ``real``; an ``int``'s bounds are the option's."""

    name: str
    value: str
    option: Option
    low: float = -math.inf
    high: float = math.inf
    real: bool = False

    def told(self, value: str) -> str:
        """The option's value as the engine is told it. Raises ``ProtocolError``."""
        if '"' in value:
            raise ProtocolError(Code.BAD_VALUE, value, f'{self.option.name} takes no ": Hub cannot carry it')
        if self.real:
            number = _real(value)
            if number is None or not self.low <= number <= self.high:
                raise ProtocolError(Code.BAD_VALUE, value, f"{self.option.name} takes a number{self._bounds()}")
        return value

    def _bounds(self) -> str:
        bounds = [f"at least {self.low:g}"] if math.isfinite(self.low) else []
        bounds += [f"at most {self.high:g}"] if math.isfinite(self.high) else []
        return ", " + " and ".join(bounds) if bounds else ""


def params_of(messages: Iterable[Message]) -> dict[str, Param]:
    """The declared parameters, by the lower-case names of their options; what has no name is left out."""
    found = [_param(message) for message in messages if message.get("name")]
    return {param.option.name.lower(): param for param in found}


def variants_of(params: dict[str, Param], wanted: str) -> dict[str, str]:
    """The games that an engine knows: damd's names, the one to begin with first, and what it calls them itself.

    Without such a parameter it is ``wanted`` alone, which the engine is not told. Names that are no game of damd's are
    left out.
    """
    param = params.get(VARIANT)
    if param is None or not param.option.choices:
        return {wanted: ""}
    known = variants.names()
    games: dict[str, str] = {}
    for word in param.option.choices:
        if variant_name(word) in known:
            games.setdefault(variant_name(word), word)
    first = wanted if wanted in games else variant_name(param.value)
    return dict(sorted(games.items(), key=lambda item: item[0] != first))


def level(limits: Limits, side: int) -> Message:
    """The ``level`` of a search for ``side``.

    In Hub an increment is added before the move, and in damd's protocol after it: the clock that is told is smaller by
    it, so that both together are what is left now.
    """
    if limits.infinite:
        return Message("level", (("infinite", None),))
    clock, increment = limits.time_ms[side], limits.increment_ms[side]
    time = moves = None
    if clock is not None:
        clock = max(clock, 1)
        increment = min(increment, clock - 1)
        time, moves = _seconds(clock - increment), limits.moves_to_go
    movetime = None if limits.movetime_ms is None else _seconds(max(limits.movetime_ms, 1))
    return Message(
        "level",
        tuple(
            fields(
                depth=limits.depth,
                nodes=limits.nodes,
                move_time=movetime,
                moves=moves,
                time=time,
                inc=_seconds(increment) if clock is not None and increment else None,
            )
        ),
    )


def report(message: Message) -> Report:
    """What an ``info`` says, its line aside. A field that cannot be read is left out; a time that is missing is 0."""
    nodes, time = _count(message.get("nodes")), _real(message.get("time"))
    rate = _real(message.get("nps"))
    searched = nodes is not None or message.get("depth") is not None
    return Report(
        depth=_count(message.get("depth")),
        seldepth=_count(message.get("max-depth")),
        score=_score(message.get("score")),
        nodes=nodes,
        nps=_whole(rate, 1_000_000) if rate is not None or not searched else _rate(nodes, time),
        time_ms=_whole(time if time is not None or not searched else 0.0, 1000),
    )


def _param(message: Message) -> Param:
    name, value, kind = message.get("name") or "", message.get("value") or "", message.get("type")
    shown = "Ponder" if name == PONDER and kind == "bool" else name
    low, high = _real(message.get("min")), _real(message.get("max"))
    if kind == "bool" and value in ("true", "false"):
        return Param(name, value, Option(shown, OptionKind.CHECK, value))
    choices = tuple(dict.fromkeys((message.get("values") or "").split()))
    if kind == "enum" and value in choices:
        return Param(name, value, Option(shown, OptionKind.COMBO, value, choices=choices))
    number = _real(value)
    if kind == "int" and number is not None and number == int(number):
        least, most = (int(bound if bound is not None else wide) for bound, wide in ((low, -_WIDEST), (high, _WIDEST)))
        if least <= number <= most:
            return Param(name, value, Option(shown, OptionKind.SPIN, str(int(number)), least, most))
    bounds = (-math.inf if low is None else low, math.inf if high is None else high)
    real = kind == "real" and number is not None
    return Param(name, value, Option(shown, OptionKind.STRING, value), *bounds, real=real)


def _score(text: str | None) -> Score | None:
    number = _real(text)
    # A number of that size is none of men: it is not worth reading.
    return read_score(text) if text and number is not None and abs(number) <= _MOST_MEN else None


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}"


def _count(text: str | None) -> int | None:
    """A whole number that is not negative."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def _real(text: str | None) -> float | None:
    try:
        number = float(text) if text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _whole(number: float | None, factor: int) -> int | None:
    """A time or a rate in smaller units."""
    return None if number is None or number < 0 else round(min(number, _LARGEST_COUNT / factor) * factor)


def _rate(nodes: int | None, time: float | None) -> int:
    return round(min(nodes / max(time, 1e-6), _LARGEST_COUNT)) if nodes and time and time > 0 else 0
