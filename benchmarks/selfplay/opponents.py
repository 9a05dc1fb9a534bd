"""From what the command line names to a player."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.selfplay.hub import PREFIX, HubPlayer
from benchmarks.selfplay.players import BUILT_IN, BuiltInPlayer, EnginePlayer, Player
from damd.client import OptionError


def make_player(command: str, options: Mapping[str, str], missed_capture: str | None = None) -> Player:
    """The player that ``command`` names: a built-in one, a Hub engine, a checkout's folder or a command line.

    Raises ``ValueError``.
    """
    foreign = command.startswith(PREFIX)
    if command not in BUILT_IN and not foreign:
        return EnginePlayer(command, options, missed_capture)
    if options:
        raise OptionError(f"{command} has no options")
    return HubPlayer(command.removeprefix(PREFIX)) if foreign else BuiltInPlayer(command, BUILT_IN[command])
