"""damd-xboard: XBoard and WinBoard (protocol version 2, variants that the engine defines) over an engine of damd's protocol.

Chequered boards of 8x8 and 10x10. XBoard starts this program; standard input and output are the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from damd import variants
from damd.client import AsyncEngine, EngineError
from damd.core.types import TooManyPlies
from damd.variants import VariantError
from damd_adapters import launch
from damd_adapters.game import Game
from damd_adapters.output import write
from damd_adapters.streams import Lines
from damd_adapters.xboard.board import shown_well
from damd_adapters.xboard.desk import Desk
from damd_adapters.xboard.session import Session

NAME = "damd-xboard"


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; its exit code."""
    parser = launch.parser(NAME, "Speaks XBoard's protocol on standard input and output and lets an engine play.")
    launch.add_daemon(parser)
    parser.add_argument("--pieces", action="store_true", help="print the folder with the pictures of the pieces, and end")
    options = parser.parse_args(arguments)
    if options.pieces:
        write(str(pieces()))
        return launch.FINE

    async def serve() -> int:
        try:
            async with await launch.start(options.daemon, options.option) as engine:
                return await _serve(engine, options.option)
        except (EngineError, TooManyPlies) as fault:
            write(f"tellusererror {' / '.join(str(fault).splitlines())}")
            return launch.fail(NAME, str(fault))

    return launch.run(NAME, options, serve)


async def _serve(engine: AsyncEngine, settings: Sequence[tuple[str, str]]) -> int:
    """Be XBoard's engine until it leaves; the exit code. Raises ``EngineError`` and ``TooManyPlies``."""
    game = Game.of(engine.options, settings)
    try:
        offered = _offered(engine, game)
        game = await _shown(engine, game, offered)
        desk = Desk(game.rules())
    except (VariantError, ValueError) as fault:
        return launch.fail(NAME, str(fault), launch.USAGE)
    for option, value in (("Squares", "algebraic"), ("DrawOffers", "true")):
        if option in engine.options:
            await engine.set_option(option, value)
    await Session(engine, game, desk, offered, write).run(Lines())
    return launch.FINE


def pieces() -> Path:
    """The folder with the pictures of the pieces, as XBoard's option ``-pid`` takes it."""
    return Path(str(files("damd_adapters.xboard") / "pieces"))


def _offered(engine: AsyncEngine, game: Game) -> tuple[str, ...]:
    """Those of the engine's games that XBoard can show. Raises ``ValueError`` where there is none."""
    declared = engine.options.get("UCI_Variant")
    names = declared.choices if declared is not None else (game.variant,)
    offered = tuple(name for name in names if shown_well(variants.load(name, game.path or None)))
    if not offered:
        raise ValueError("the engine plays no game on a chequered board of 8x8 or 10x10: XBoard shows no other")
    return offered


async def _shown(engine: AsyncEngine, game: Game, offered: tuple[str, ...]) -> Game:
    """The engine's game, or the first that XBoard can show."""
    if game.variant in offered:
        return game
    await engine.set_option("UCI_Variant", offered[0])
    return game.with_option("UCI_Variant", offered[0])
