"""damd-ugi: the Universal Game Interface over an engine of damd's protocol, all games, claims included.

UGI is what generic tournament managers speak: UCI's words with players for colours, and questions about the position,
which are answered by our rules. Standard input and output are the conversation.
"""

from __future__ import annotations

from collections.abc import Sequence

from damd.client import EngineError
from damd.variants import VariantError
from damd_adapters import launch
from damd_adapters.game import Game
from damd_adapters.output import write
from damd_adapters.streams import Lines
from damd_adapters.ugi.session import Session
from damd_adapters.ugi.words import error_line

NAME = "damd-ugi"


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; its exit code."""
    parser = launch.parser(NAME, "Speaks UGI on standard input and output and lets an engine of damd's protocol play.")
    launch.add_daemon(parser)
    options = parser.parse_args(arguments)

    async def serve() -> int:
        try:
            async with await launch.start(options.daemon, options.option) as engine:
                try:
                    session = Session(engine, Game.of(engine.options, options.option), write)
                except VariantError as fault:
                    return launch.fail(NAME, str(fault), launch.USAGE)
                await session.run(Lines())
        except EngineError as fault:
            write(error_line("engine", str(fault)))
            raise
        return launch.FINE

    return launch.run(NAME, options, serve)
