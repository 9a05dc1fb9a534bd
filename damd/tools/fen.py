"""``damd fen``: check positions and write them the one way, after plies, turned round, with keys or as objects."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from damd.tools.common import Commands, add_variant, end_on_interrupt, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from damd.core.position import Position
    from damd.core.types import Setup
    from damd.geometry import Board

#: The sides' names in JSON.
WORDS = ("white", "black")


def add(commands: Commands) -> None:
    fen = commands.add_parser(
        "fen",
        help="check positions and write them the one way",
        description="Check positions and write each the one way, a line each. What is no position is named on standard "
        "error, with the reason.",
    )
    fen.add_argument("fens", nargs="*", metavar="FEN", help="default: the start position; - reads a list from stdin")
    add_variant(fen, positional=False)
    fen.add_argument("--moves", nargs="+", default=(), metavar="PLY", help="write the position after these plies")
    fen.add_argument("--squares", choices=("numeric", "algebraic"), default="numeric", help="how squares are written")
    fen.add_argument("--full", action="store_true", help="with the counters H and F")
    fen.add_argument("--flip", action="store_true", help="board turned, colours exchanged: as the other side sees it")
    fen.add_argument("--mirror", action="store_true", help="left and right exchanged, on boards that have a mirror image")
    form = fen.add_mutually_exclusive_group()
    form.add_argument("--key", action="store_true", help="the position's key before it: equal where it counts as repeated")
    form.add_argument("--json", action="store_true", help="an object a position")


def run(options: Namespace) -> int:
    from damd.notation.fen import format_fen
    from damd.tools.positions import Positions

    end_on_interrupt()
    positions = Positions(options, options.fens, options.moves)
    for position in positions:
        try:
            if options.flip:
                position.set(flipped(position.setup(), position.board))
            if options.mirror:
                position.set(mirrored(position.setup(), position.board))
        except ValueError as fault:
            positions.at_fault(str(fault))
            continue
        text = format_fen(position.setup(), position.rules, full=options.full, squares=options.squares)
        if options.json:
            say(_described(position, text, options.squares, positions.place))
        else:
            say(f"{position.key:016x} {text}" if options.key else text)
    return positions.code


def flipped(setup: Setup, board: Board) -> Setup:
    """The board turned by half a turn and the colours exchanged: the same position for the other side.

    Raises ``ValueError`` where half a turn does not bring the board onto itself.
    """
    to = _images(board, lambda x, y: (board.columns - 1 - x, board.rows - 1 - y))
    if to is None:
        raise ValueError("half a turn does not bring this board onto its own squares")
    return _moved(setup, to, exchange=True)


def mirrored(setup: Setup, board: Board) -> Setup:
    """Left and right exchanged. Raises ``ValueError`` where that does not bring the board onto itself."""
    to = _images(board, lambda x, y: (board.columns - 1 - x, y))
    if to is None:
        raise ValueError("this board has no mirror image on its own squares")
    return _moved(setup, to, exchange=False)


def _images(board: Board, place: Callable[[int, int], tuple[int, int]]) -> list[int] | None:
    """For every point the one that it comes to lie on; ``None`` where there is none for some."""
    at = {xy: point for point, xy in enumerate(board.xy)}
    found = [at.get(place(x, y), -1) for x, y in board.xy]
    return None if -1 in found else found


def _moved(setup: Setup, to: list[int], *, exchange: bool) -> Setup:
    """Every piece, right and run moved ``to`` its new point; ``exchange`` gives each side what the other had."""
    from dataclasses import replace

    from damd.core.types import KingRun, Right

    one, other = (1, 0) if exchange else (0, 1)
    men, kings = ([frozenset(to[point] for point in points) for points in sides] for sides in (setup.men, setup.kings))
    runs = [KingRun(to[run.point], run.count) if run else None for run in setup.king_runs]
    right = setup.right
    return replace(
        setup,
        side=1 - setup.side if exchange else setup.side,
        men=(men[one], men[other]),
        kings=(kings[one], kings[other]),
        right=Right(right.take, tuple(sorted(to[point] for point in right.points))) if right else None,
        king_runs=(runs[one], runs[other]),
    )


def _described(position: Position, fen: str, squares: str, place: dict[str, int]) -> str:
    import json

    from damd.notation.squares import names_of

    setup, rules = position.setup(), position.rules
    names = names_of(position.board, squares)
    outcome = position.outcome()
    right = setup.right

    def listed(points: Iterable[int]) -> list[str]:
        return [names[point] for point in sorted(points)]

    row: dict[str, Any] = {**place, "variant": rules.name, "fen": fen}
    row |= {"key": f"{position.key:016x}", "side": WORDS[setup.side]}
    for side, word in enumerate(WORDS):
        run = setup.king_runs[side]
        row[word] = {"men": listed(setup.men[side]), "kings": listed(setup.kings[side])}
        if run is not None:
            row[word]["run"] = {"king": names[run.point], "moves": run.count}
    row["right"] = {"take": right.take, "squares": listed(right.points)} if right else None
    row |= {"halfmoves": setup.halfmoves, "fullmoves": setup.fullmoves, "result": None}
    if outcome is not None:
        winner = "draw" if outcome.winner is None else WORDS[outcome.winner]
        row["result"] = {"winner": winner, "reason": outcome.reason.value}
    return json.dumps(row)
