"""The values of the options, and what a new value does to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from damd import variants
from damd.daemon.handshake import checked_folder, first_values
from damd.engine import Engine
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.options import find
from damd.rules import Rules


class Settings:
    """All options of one session, and the engine they act on. A value that cannot be taken changes nothing.

    ``rules`` are the rules that the options add up to, ``squares`` is how answers write squares, ``first_path``
    the folder that was given at the start. Raises ``ProtocolError`` where ``variant_path`` is no folder of
    variants.
    """

    def __init__(self, variant_path: str, make_engine: Callable[..., Engine]) -> None:
        self.first_path = checked_folder(variant_path)
        self._values = first_values(self.first_path)
        self._variant = variants.load(self._values["UCI_Variant"], self._path)
        self.rules = self._rules(self._variant, self._values)
        self.engine = make_engine(self.rules, int(self._values["Hash"]))
        self._tune()

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    @property
    def values(self) -> Mapping[str, str]:
        """Every option's value in its canonical spelling."""
        return self._values

    @property
    def squares(self) -> str:
        return self._values["Squares"]

    @property
    def show_wdl(self) -> bool:
        return self._values["UCI_ShowWDL"] == "true"

    @property
    def _path(self) -> str | None:
        return self._values["VariantPath"] or None

    def set(self, name: str, value: str | None) -> tuple[bool, ProtocolError | None]:
        """Set the option of that name; true where the rules have changed, and with them the position.

        The error that comes back reports a clamped number. Raises ``ProtocolError`` where nothing was changed.
        """
        option = find(name)
        text, error = option.read(value)
        changed = False
        match option.name:
            case "UCI_Variant":
                changed = self._set_variant(text)
            case "MissedCapture" | "FirstMover":
                changed = self._change_rules(self._variant, {**self._values, option.name: text})
            case "VariantPath":
                self._values[option.name] = checked_folder(text)
            case "Hash":
                self._set_hash(text)
            case "Clear Hash":
                self.engine.clear()
            case _:
                self._values[option.name] = text
                self._tune()
        return changed, error

    def _tune(self) -> None:
        """Give the engine the present values of what is not told it otherwise."""
        self.engine.multipv = int(self._values["MultiPV"])
        self.engine.move_overhead_ms = int(self._values["Move Overhead"])
        self.engine.draw_offers = self._values["DrawOffers"] == "true"
        self.engine.resign = self._values["Resign"] == "true"
        self.engine.skill = int(self._values["Skill Level"])
        self.engine.elo = int(self._values["UCI_Elo"]) if self._values["UCI_LimitStrength"] == "true" else None
        self.engine.contempt = int(self._values["Contempt"])

    def _set_variant(self, text: str) -> bool:
        try:
            variant = variants.load(text, self._path)
        except variants.VariantError as fault:
            code = Code.BAD_VARIANT if fault.file else Code.BAD_VALUE
            raise ProtocolError(code, text, str(fault)) from fault
        return self._change_rules(variant, {**self._values, "UCI_Variant": variant.name})

    def _set_hash(self, text: str) -> None:
        try:
            self.engine.set_hash(int(text))
        except MemoryError as fault:
            kept = self._values["Hash"]
            raise ProtocolError(
                Code.NO_MEMORY, text, f"cannot allocate {text} MiB, the table of {kept} MiB stays"
            ) from fault
        self._values["Hash"] = text

    def _change_rules(self, variant: Rules, values: dict[str, str]) -> bool:
        rules = self._rules(variant, values)
        changed = rules != self.rules
        if changed:
            try:
                self.engine.set_rules(rules)
            except MemoryError as fault:
                size = values["Hash"]
                raise ProtocolError(Code.NO_MEMORY, variant.name, f"cannot allocate another table of {size} MiB") from fault
        self._variant, self._values, self.rules = variant, values, rules
        return changed

    @staticmethod
    def _rules(variant: Rules, values: dict[str, str]) -> Rules:
        rules = variant.without_penalty() if values["MissedCapture"] == "forbidden" else variant
        first = values["FirstMover"]
        return rules if first == "rule" else replace(rules, start=replace(rules.start, first=first))
