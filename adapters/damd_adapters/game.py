"""Which game the driven engine plays: the options that decide it, and the rules that they amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from damd import variants
from damd.client import Options

if TYPE_CHECKING:  # 20 ms that a start need not wait for
    from damd.rules import Rules

#: The game of an engine that does not say which one it plays: what damd's protocol begins with.
FIRST_GAME = "dam-haji"

_FIELDS = {
    "uci_variant": "variant",
    "variantpath": "path",
    "missedcapture": "missed_capture",
    "firstmover": "first_mover",
}


def decides(option: str) -> bool:
    """Whether the option of that name, in any case, is one of those that the rules follow from."""
    return option.lower() in _FIELDS


@dataclass(frozen=True, slots=True)
class Game:
    """The values of those options: the variant, the folder of the user's own variants, and what is changed for one game."""

    variant: str = FIRST_GAME
    path: str = ""
    missed_capture: str = "rule"
    first_mover: str = "rule"

    @classmethod
    def of(cls, options: Options, settings: Iterable[tuple[str, str]] = ()) -> Game:
        """What an engine plays with the defaults that it declares and these settings, the last of a name counting."""
        game = cls()
        for name in _FIELDS:
            declared = options.get(name)
            if declared is not None and isinstance(declared.default, str):
                game = game.with_option(name, declared.default)
        for name, value in settings:
            if decides(name):
                game = game.with_option(name, value)
        return game

    def with_option(self, name: str, value: str) -> Game:
        """This game with another value of an option that decides it; a variant's alias becomes its own name."""
        field = _FIELDS[name.lower()]
        if field == "variant":
            value = variants.canonical(value)
        elif field == "path":
            value = "" if value == "<empty>" else value
        else:
            value = value.lower()
        changed: Mapping[str, str] = {field: value}
        return replace(self, **changed)

    def rules(self) -> Rules:
        """The rules in force. Raises ``damd.variants.VariantError`` for a variant that is not known here."""
        rules = variants.load(self.variant, self.path or None)
        if self.missed_capture == "forbidden":
            rules = rules.without_penalty()
        if self.first_mover in ("white", "black"):
            rules = replace(rules, start=replace(rules.start, first=self.first_mover))
        return rules
