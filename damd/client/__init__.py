"""A client for engines that speak damd's protocol or plain UCI: asynchronous, and a synchronous wrapper.

    with SyncEngine.start(["damd"]) as engine:
        engine.set_option("UCI_Variant", "international")
        engine.position(plies=["32-28", "19-23"])
        print(engine.go(Limit(movetime_ms=100)).ply)

See ``AsyncEngine`` for what is promised about time-outs, errors and the order of answers.
"""

from damd.client.engine import AsyncEngine
from damd.client.errors import (
    CommandRefused,
    EngineBusy,
    EngineError,
    EngineTerminated,
    EngineTimeout,
    OptionError,
    UnreadableAnswer,
)
from damd.client.options import Options, OptionValue
from damd.client.search import Search
from damd.client.sync import SyncEngine, SyncSearch
from damd.client.transport import ProcessTransport, Transport
from damd.client.types import (
    BenchResult,
    BestMove,
    Chances,
    EngineErrorLine,
    EngineId,
    GameResult,
    InfoLine,
    Limit,
    OptionInfo,
    PerftResult,
    PlyExplanation,
    Score,
    SearchResult,
    Timeouts,
)

__all__ = [
    "AsyncEngine",
    "SyncEngine",
    "Search",
    "SyncSearch",
    "Transport",
    "ProcessTransport",
    "Limit",
    "Timeouts",
    "EngineId",
    "Options",
    "OptionInfo",
    "OptionValue",
    "InfoLine",
    "Score",
    "Chances",
    "BestMove",
    "SearchResult",
    "GameResult",
    "PerftResult",
    "PlyExplanation",
    "BenchResult",
    "EngineErrorLine",
    "EngineError",
    "EngineTimeout",
    "EngineTerminated",
    "EngineBusy",
    "UnreadableAnswer",
    "CommandRefused",
    "OptionError",
]
