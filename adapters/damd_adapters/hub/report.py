"""What damd's protocol tells of a search, as Hub's ``info`` and ``done`` lines."""

from __future__ import annotations

from damd.client import EngineError, InfoLine, SearchResult
from damd_adapters.hub.board import read_line, write_move
from damd_adapters.hub.grammar import fields, write
from damd_adapters.hub.scores import write_score
from damd_adapters.table import Table

__all__ = ["done_line", "info_line"]


def info_line(info: InfoLine, table: Table) -> str | None:
    """The line, without fields that are zero or unknown; ``None`` for one without a score, a bound, a second-best ply.

    Programs divide by the time and take the last line for the result: hence what is left out.
    """
    if info.score is None or info.score.bound or (info.multipv or 1) > 1:
        return None
    board = table.rules.geometry
    plies = read_line(info.pv, table.position)
    seconds = f"{info.time_ms / 1000:.3f}" if info.time_ms else None
    millions = f"{info.nps / 1e6:.3f}" if info.nps and info.nps >= 1000 else None
    given = fields(
        depth=info.depth,
        max_depth=info.seldepth,
        score=write_score(info.score),
        nodes=info.nodes,
        time=seconds,
        nps=millions,
        pv=" ".join(write_move(ply, board) for ply in plies) or None,
    )
    return write("info", tuple(given))


def done_line(result: SearchResult, table: Table) -> str:
    """The line of a finished search, the ply that the opponent is expected to answer with included.

    Raises ``EngineError`` where the engine has named no legal ply.
    """
    last = result.last()
    # An engine that gives the game up has a ply all the same: Hub cannot say anything else.
    ply = result.ply or (last.pv[0] if last is not None and last.pv else None)
    if ply is None:
        raise EngineError("the engine found no move where there is one")
    plies = read_line((ply, *([result.best.ponder] if result.best.ponder else [])), table.position)
    if not plies:
        raise EngineError(f"the engine played {ply}, which is no legal move here")
    moves = [write_move(each, table.rules.geometry) for each in plies]
    return write("done", tuple(fields(move=moves[0], ponder=moves[1] if len(moves) > 1 else None)))
