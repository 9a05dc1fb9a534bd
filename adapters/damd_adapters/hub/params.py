"""The params that a Hub program is offered, and the options of damd's protocol that they set.

A param is called as the option is, in Hub's manner: ``move-overhead`` for ``Move Overhead``. Some have the names that Hub
programs know: ``variant`` for the game, and ``tt-size`` for the table, in which the size is a power of two: of entries of
16 bytes, whatever an engine's entries really are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from damd.client import OptionInfo, Options
from damd_adapters.hub.grammar import Message, fields, shown
from damd_adapters.hub.variants import hub_name, listed, variant_name

__all__ = ["VARIANT", "Change", "Param", "ParamError", "Params"]

VARIANT = "variant"
_TABLE = "tt-size"

#: Options for what Hub cannot say (several variations, resigning, draws, chances) or what is the adapter's own business.
_HIDDEN = frozenset(("draw-offers", "multi-pv", "resign", "show-wdl", "squares", "variant-path"))

_KINDS = {"check": "bool", "spin": "int", "combo": "enum", "string": "string"}
_MIB_EXPONENT = 16  # 2^16 entries of 16 bytes are 1 MiB
_LEAST_TABLE, _MOST_TABLE = 16, 30
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ParamError(ValueError):
    """A value that the param cannot take; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a ``set-param`` comes to: an option and its value, and what is to be said about it."""

    option: str
    value: str | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    """One param. ``kind`` is ``bool``, ``int``, ``enum`` or ``string``; ``option`` is the engine's name for it."""

    name: str
    kind: str
    option: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def line(self, value: str) -> str:
        """Its declaration."""
        values = " ".join(self.choices) if self.kind == "enum" else None
        given = fields(name=self.name, value=value, type=self.kind, min=self.low, max=self.high, values=values)
        return str(Message("param", tuple(given)))

    def read(self, text: str) -> tuple[str, str]:
        """The value in its usual spelling, and a remark where a number was out of range. Raises ``ParamError``."""
        if self.kind == "int":
            return self._number(text)
        plain = text.strip().lower()
        if self.kind == "bool":
            if plain not in ("true", "false", "1", "0"):
                raise ParamError(f"{self.name} takes true or false, not {shown(text)!r}")
            return {"1": "true", "0": "false"}.get(plain, plain), ""
        if self.kind == "enum":
            found = [choice for choice in self.choices if choice.lower() == plain]
            if not found:
                raise ParamError(f"{self.name} takes {', '.join(self.choices)}, not {shown(text)!r}")
            return found[0], ""
        return text, ""

    def _number(self, text: str) -> tuple[str, str]:
        low, high = self.low, self.high
        takes = f"{self.name} takes a number" + ("" if low is None or high is None else f" from {low} to {high}")
        try:
            number = int(text) if len(text) <= 20 and text.isascii() else None
        except ValueError:
            number = None
        if number is None:
            raise ParamError(f"{takes}, not {shown(text)!r}")
        kept = max(number if low is None else low, min(number if high is None else high, number))
        note = f"{takes}, not {number}: {kept} is used" if kept != number else ""
        return str(kept), note


class Params:
    """The params made from an engine's options, with the values that they have."""

    def __init__(self, options: Options, variants: Iterable[str], variant: str) -> None:
        """``variants`` are the games that can be played, ``variant`` the one that is."""
        game = Param(VARIANT, "enum", "UCI_Variant", choices=listed(variants))
        self._params = {VARIANT: game}
        self._values = {VARIANT: hub_name(variant)}
        self._buttons: dict[str, str] = {}
        self._table: Param | None = None
        for option in options.values():
            self._add(option)

    def lines(self) -> list[str]:
        """The declarations, with the present values."""
        return [param.line(self._values[name]) for name, param in self._params.items()]

    def change(self, name: str, value: str) -> Change | None:
        """What setting a param means for the engine; ``None`` where nothing is called so. Raises ``ParamError``.

        ``name`` may be the option's own. It takes effect when the caller says so, with ``changed``.
        """
        wanted = _hub_style(name)
        if wanted in self._buttons:
            return Change(self._buttons[wanted], None) if value.strip().lower() in ("", "true", "1") else None
        if wanted == "hash" and self._table is not None:
            kept, note = self._table.read(value)
            return Change(self._table.option, kept, note)
        param = self._params.get(wanted)
        if param is None:
            return None
        # Some programs call the games by the names that damd knows them by.
        kept, note = param.read(hub_name(value) if param.name == VARIANT else value)
        return Change(param.option, _option_value(param, kept), note)

    def changed(self, option: str, value: str | None) -> None:
        """Remember the value that an option of the engine has now."""
        for name, param in self._params.items():
            if param.option.lower() == option.lower() and value is not None:
                self._values[name] = _param_value(param, value)

    def _add(self, option: OptionInfo) -> None:
        name = _hub_style(option.name)
        if option.kind == "button":
            self._buttons[name] = option.name
            return
        if name in _HIDDEN or name in self._params or option.kind not in _KINDS:
            return
        low, high = option.low, option.high
        if name == "hash" and option.kind == "spin":
            self._table = Param("hash", "int", option.name, low, high)
            low = max(_LEAST_TABLE, _exponent(low or 1, up=True))
            high = min(_MOST_TABLE, _exponent(high if high is not None else 1 << 20))
            name = _TABLE
        if any(len(choice.split()) != 1 for choice in option.choices):
            return  # an enum's values are words
        self._params[name] = Param(name, _KINDS[option.kind], option.name, low, high, option.choices)
        self._values[name] = _param_value(self._params[name], _text(option))


def _hub_style(name: str) -> str:
    """``Move Overhead``, ``MissedCapture`` and ``UCI_Elo`` as ``move-overhead``, ``missed-capture`` and ``elo``."""
    words = _CAMEL.sub("-", name.strip()).lower().replace("_", "-").split()
    return "-".join(words).removeprefix("uci-")


def _option_value(param: Param, value: str) -> str:
    if param.name == _TABLE:
        return str(1 << (int(value) - _MIB_EXPONENT))
    return variant_name(value) if param.name == VARIANT else value


def _param_value(param: Param, value: str) -> str:
    if param.name == _TABLE:
        return str(_exponent(int(value)))
    return hub_name(value) if param.name == VARIANT else value


def _exponent(mib: int, up: bool = False) -> int:
    """The size of the largest table that so many MiB hold, or with ``up`` of the smallest that holds them."""
    exponent = max(1, mib).bit_length() - 1
    return exponent + _MIB_EXPONENT + (1 if up and 1 << exponent < mib else 0)


def _text(option: OptionInfo) -> str:
    """The option's default as a param's value."""
    if option.kind == "check":
        return "true" if option.default else "false"
    if option.default is None:
        return str(option.low or 0) if option.kind == "spin" else ""
    return str(option.default)
