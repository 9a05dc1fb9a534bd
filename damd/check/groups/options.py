"""Options as they are declared, and values that they do not have."""

from __future__ import annotations

import os
from collections.abc import Callable

from damd.check.model import Failed, Skipped
from damd.check.talk import Talk
from damd.check.trial import Trial, errors_in
from damd.client.options import wire_value
from damd.client.types import OptionInfo
from damd.notation.squares import shown

#: Options that cost memory or threads are not driven to what they allow: an engine may take it.
_MOST_MEBIBYTES = 64
_COSTLY = ("hash", "memory", "cache", "table", "size", "threads", "cores")
#: Of a list of choices so many are tried.
_CHOICES = 60


async def defaults(trial: Trial) -> str:
    talk = await trial.start()
    for option in _those(trial, lambda option: option.kind != "button"):
        await _accepted(talk, option, wire_value(option, option.default))
    await _plays(trial, talk)
    return ""


async def ranges(trial: Trial) -> str:
    talk = await trial.start()
    spared = []
    for option in _those(trial, lambda option: option.kind == "spin"):
        (low, high), most = _bounds(option), _affordable(option)
        if most < high:
            spared.append(f"{option.name} only up to {most}")
        for value in (low, most, option.default):
            await _accepted(talk, option, str(value))
    await trial.alive(talk, after="the least and greatest values")
    return ", ".join(spared)


async def choices(trial: Trial) -> str:
    for option in _those(trial, lambda option: option.kind in ("combo", "check")):
        talk = await trial.start()
        for value in ("true", "false") if option.kind == "check" else option.choices[:_CHOICES]:
            await _accepted(talk, option, value)
        await talk.close()
    return ""


async def buttons(trial: Trial) -> str:
    talk = await trial.start()
    for option in _those(trial, lambda option: option.kind == "button"):
        line = f"setoption name {option.name}"
        errors = errors_in(await talk.ask(line))
        if errors:
            raise Failed(f"{line}: {shown(errors[0], 100)}")
    await _plays(trial, talk)
    return ""


async def out_of_range(trial: Trial) -> str:
    talk = await trial.start()
    for option in _those(trial, lambda option: option.kind == "spin"):
        low, high = _bounds(option)
        values = [low - 1] + ([high + 1] if _affordable(option) == high else [])
        for value in values:
            await _refused(talk, f"setoption name {option.name} value {value}", "out-of-range", "bad-value")
    await _plays(trial, talk)
    return ""


async def wrong_values(trial: Trial) -> str:
    talk = await trial.start()
    for option in _those(trial, lambda option: option.kind in ("spin", "check", "combo")):
        await _refused(talk, f"setoption name {option.name} value what-nobody-offers", "bad-value", "bad-variant")
    await _plays(trial, talk)
    return ""


async def unknown(trial: Trial) -> str:
    talk = await trial.start()
    await _refused(talk, "setoption name An Option That Nobody Has value a value b", "unknown-option")
    await _plays(trial, talk)
    return ""


async def nameless(trial: Trial) -> str:
    talk = await trial.start()
    for line in ("setoption", "setoption name", "setoption name value 3", "setoption Hash 3"):
        await _refused(talk, line)
    await _plays(trial, talk)
    return ""


async def any_case(trial: Trial) -> str:
    talk = await trial.start()
    for option in _those(trial, lambda option: option.kind != "button"):
        line = f"setoption name {option.name.swapcase()} value {wire_value(option, option.default)}"
        errors = errors_in(await talk.ask(line))
        if errors:
            raise Failed(f"{line}: {shown(errors[0], 100)}; names may be in any case")
    return ""


def _those(trial: Trial, kind: Callable[[OptionInfo], bool]) -> list[OptionInfo]:
    """The declared options of a kind. Raises ``Skipped`` where there are none.

    Malformed ones are left to the handshake's checks.
    """
    found = [option for option in trial.options.values() if kind(option) and _sound(option)]
    if not found:
        raise Skipped("it declares no such option")
    return found


def _sound(option: OptionInfo) -> bool:
    if option.kind == "spin":
        low, high = _bounds(option)
        whole = None not in (option.low, option.high) and isinstance(option.default, int)
        return whole and low <= int(option.default or 0) <= high
    return option.kind != "combo" or option.default in option.choices


def _bounds(option: OptionInfo) -> tuple[int, int]:
    """Of a sound spin."""
    return option.low or 0, option.high or 0


def _affordable(option: OptionInfo) -> int:
    """The greatest value that costs no more than a test may."""
    low, high = _bounds(option)
    name = option.name.lower()
    if not any(word in name for word in _COSTLY):
        return high
    most = (os.cpu_count() or 1) if "threads" in name or "cores" in name else _MOST_MEBIBYTES
    return max(low, min(high, most))


async def _accepted(talk: Talk, option: OptionInfo, value: str) -> None:
    line = f"setoption name {option.name} value {value}"
    errors = errors_in(await talk.ask(line))
    if errors:
        raise Failed(f"{shown(line, 100)}, which it declares, is answered by {shown(errors[0], 100)}")


async def _refused(talk: Talk, line: str, *codes: str) -> None:
    said = await talk.ask(line)
    if not errors_in(said, *codes):
        what = f"error {' or '.join(codes)}" if codes else "an error line"
        raise Failed(f"{shown(line, 100)} is answered by {shown(said[0], 100) if said else 'nothing'}: expected {what}")


async def _plays(trial: Trial, talk: Talk) -> None:
    """Whatever it was told, it still plays."""
    for line in trial.subject.settings:
        talk.send(line)
    await trial.search(talk, trial.samples.start, "go depth 1")
