"""The engine behind the adapter, the game that it plays, and the params that a Hub program sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from damd import variants
from damd.client import AsyncEngine, EngineError
from damd.variants import VariantError
from damd_adapters.game import Game, decides
from damd_adapters.hub.params import Change, ParamError, Params
from damd_adapters.hub.variants import variant_name

if TYPE_CHECKING:
    from damd.rules import Rules

__all__ = ["Setting"]

#: What Hub needs before anybody says anything else: it knows no claims.
_FIRST = (("MissedCapture", "forbidden"),)


class Setting:
    """Made by ``read``; the engine knows of it after ``start``, which takes as long as all that is before it."""

    def __init__(self, engine: AsyncEngine, game: Game, params: Params, values: Sequence[tuple[str, str]]) -> None:
        self._engine = engine
        self._game = game
        self._params = params
        self._values = values

    @classmethod
    async def read(cls, engine: AsyncEngine, variant: str, given: Iterable[tuple[str, str]]) -> Setting:
        """The game and the options ``given`` on the command line. Raises ``EngineError``, also for those it has not."""
        values = [first for first in (("UCI_Variant", variant), *_FIRST) if first[0] in engine.options]
        values += given
        values = [(name, variant_name(text) if name.lower() == "uci_variant" else text) for name, text in values]
        paths = [text for name, text in values if name.lower() == "variantpath"]
        if paths:
            await engine.set_option("VariantPath", paths[-1])
            await engine.handshake()  # for the names of the user's own games
        for name, text in values:
            engine.options.command(name, text)
        game = Game.of(engine.options, values)
        if "UCI_Variant" not in engine.options:
            game = game.with_option("UCI_Variant", variant_name(variant))
        params = Params(engine.options, _offered(engine, game), game.variant)
        for name, text in values:
            params.changed(name, text)
        return cls(engine, game, params, values)

    async def start(self) -> None:
        """Tell the engine. Raises ``EngineError``."""
        await self._engine.set_options(dict(self._values))

    def rules(self) -> Rules:
        """The rules in force. Raises ``EngineError`` where they are not known here."""
        try:
            return self._game.rules()
        except VariantError as fault:
            raise EngineError(f"the engine's game cannot be followed: {fault}") from fault

    def declarations(self) -> list[str]:
        """The lines that offer the params."""
        return self._params.lines()

    async def set(self, name: str, value: str) -> tuple[str, bool]:
        """Set a param; a remark, often empty, and whether the rules are others now. One without a meaning is passed over.

        Raises ``ParamError`` for a value that cannot be; the old one is kept. Raises ``EngineError``.
        """
        change = self._params.change(name, value)
        if change is None:
            return "", False
        return change.note, await self._apply(change)

    async def _apply(self, change: Change) -> bool:
        option, value = change.option, change.value
        if value is None or not decides(option):
            await self._engine.set_option(option, value)
            self._params.changed(option, value)
            return False
        game = self._game.with_option(option, value)
        if game == self._game:
            return False
        try:
            game.rules()
        except VariantError as fault:
            raise ParamError(str(fault)) from fault
        await self._engine.set_option(option, value)
        self._params.changed(option, value)
        self._game = game
        return True


def _offered(engine: AsyncEngine, game: Game) -> tuple[str, ...]:
    """The games that the engine plays and whose rules are known here."""
    if "UCI_Variant" not in engine.options:
        return (game.variant,)
    try:
        known = variants.names(game.path or None)
    except VariantError as fault:
        raise EngineError(f"VariantPath: {fault}") from fault
    choices = [variants.canonical(choice) for choice in engine.options["UCI_Variant"].choices]
    return tuple(choice for choice in choices if choice in known) or (game.variant,)
