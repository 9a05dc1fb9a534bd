"""GameType: which game a PDN file means, and how it writes squares.

``20`` or ``20,W,10,10,N2,0``: the type's number, who moves first, files, ranks, the notation (letters and numbers as
in chess ``A``, numbers ``N``) with the corner of its first square as the player who moves first sees it (0 bottom left,
1 bottom right, 2 top left, 3 top right), and 1 where the bottom left corner is not played on.

Which variant a number stands for is said by the variant files alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from damd.geometry import BLACK, WHITE, Board
from damd.notation.squares import ALGEBRAIC, NUMERIC, find_point, has_numbers, shown
from damd.rules import Rules
from damd.variants import VariantError, load, names

_GAMETYPE = re.compile(
    r"\s*(\d{1,3})\s*(?:,\s*([WB?])\s*(?:,\s*(\d{1,2})\s*,\s*(\d{1,2})\s*(?:,\s*([ANS])\s*([0-3])\s*(?:,\s*([01])\s*)?)?)?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GameType:
    """A GameType tag. What its short form leaves out is ``None``, or empty for the notation."""

    number: int
    first: int | None = None
    columns: int | None = None
    rows: int | None = None
    letter: str = ""
    corner: int = 0
    inverted: bool | None = None


def parse_gametype(text: str) -> GameType | None:
    """The GameType that the tag's value is, or ``None``."""
    match = _GAMETYPE.fullmatch(text)
    if match is None:
        return None
    number, first, columns, rows, letter, corner, inverted = match.groups()
    return GameType(
        number=int(number),
        first={"W": WHITE, "B": BLACK}.get((first or "").upper()),
        columns=int(columns) if columns else None,
        rows=int(rows) if rows else None,
        letter=(letter or "").upper(),
        corner=int(corner or 0),
        inverted=inverted == "1" if inverted else None,
    )


def own_gametype(rules: Rules) -> GameType | None:
    """The GameType of the rules' own file, where it has one."""
    return parse_gametype(rules.names.gametype) if rules.names.gametype else None


def pdn_squares(rules: Rules) -> str:
    """How the game's PDN writes squares: ``numeric`` or ``algebraic``."""
    own = own_gametype(rules)
    if own is None or not own.letter:
        return rules.notation.squares
    return NUMERIC if own.letter == "N" else ALGEBRAIC


@lru_cache(maxsize=8)
def _typed(variant_path: str | None) -> tuple[tuple[GameType, Rules], ...]:
    """Every variant on offer that has a GameType, lowest number first; a user's broken files are left out.

    Of several with one number the one that declares the long form comes first: the type is its own.
    """
    found = []
    for name in names(variant_path):
        try:
            rules = load(name, variant_path)
        except VariantError:
            continue
        own = own_gametype(rules)
        if own is not None:
            found.append((own, rules))
    return tuple(sorted(found, key=lambda pair: (pair[0].number, not pair[0].letter)))


def rules_of_gametype(asked: GameType, variant_path: str | None = None) -> Rules | None:
    """The variant that has this GameType. Where several have its number, the one whose long form it is, or the first."""
    several = [(own, rules) for own, rules in _typed(variant_path) if own.number == asked.number]
    exact = [rules for own, rules in several if asked.letter and own == asked]
    return exact[0] if exact else several[0][1] if several else None


@lru_cache(maxsize=256)
def contradiction(rules: Rules, text: str, variant_path: str | None = None) -> str:
    """A word about a GameType tag that is of another game than these rules, which Variant names; empty where it is not.

    A game without a GameType of its own may be written with that of another one on its board.
    """
    other = _other_game(rules, text, variant_path)
    return f"{shown(text)} is of {other}, but Variant says {rules.name}: Variant is taken" if other else ""


def _other_game(rules: Rules, text: str, variant_path: str | None) -> str:
    asked = parse_gametype(text)
    if asked is None:
        try:
            named = load(text, variant_path)
        except VariantError:
            return ""
        return named.name if named.name != rules.name else ""
    own = own_gametype(rules)
    typed = rules_of_gametype(asked, variant_path)
    if own is not None:
        return "" if own.number == asked.number else typed.name if typed else "no game that is known here"
    return typed.name if typed is not None and typed.geometry != rules.geometry else ""


def fits(squares: Iterable[str], board: Board) -> bool:
    """Whether the board has all of these squares."""
    return all(find_point(board, square) is not None for square in squares)


def rules_of_squares(squares: Iterable[str], variant_path: str | None = None) -> Rules | None:
    """The game that squares alone tell of: the lowest GameType written so, on the smallest board that has them all.

    Numbers up to 32 are on every board and letters with numbers on all boards but one: the first tell nothing.
    """
    wanted = set(squares)
    letters = any(not square.isdigit() for square in wanted)
    best: Rules | None = None
    for _, rules in _typed(variant_path):
        board = rules.geometry
        if pdn_squares(rules) != (ALGEBRAIC if letters else NUMERIC) or not fits(wanted, board):
            continue
        if best is None or board.size < best.geometry.size:
            best = rules
    if not wanted or best is None or (not letters and max(map(int, wanted)) <= min(_sizes(variant_path), default=0)):
        return None
    return best


def _sizes(variant_path: str | None) -> list[int]:
    return [rules.geometry.size for _, rules in _typed(variant_path) if has_numbers(rules.geometry)]


def as_written(rules: Rules, asked: GameType | None) -> Board:
    """The board of the rules with the names that squares have under the GameType ``asked``.

    A GameType that is of the other colour of squares is read mirrored. Raises ``ValueError`` where it cannot be of
    this board.
    """
    board = rules.geometry
    own = own_gametype(rules)
    if asked is None or not asked.letter:
        return board
    if (asked.columns, asked.rows) != (board.columns, board.rows):
        raise ValueError(
            f"a board of {asked.columns}x{asked.rows}, but this game's has {board.columns}x{board.rows} squares"
        )
    if own is not None and replace(asked, inverted=own.inverted) == own:
        # The last digit alone differs: its meaning has changed from one edition to the next.
        return board
    if board.kind not in ("diagonal", "square"):
        return board
    return renamed(board, rules.board.mirrored, asked)


def renamed(board: Board, mirrored: bool, asked: GameType) -> Board:
    """The board with the names that the GameType's long form gives to its squares."""
    first = WHITE if asked.first is None else asked.first
    flipped = board.kind == "diagonal" and asked.inverted is not None and asked.inverted != mirrored
    places = []
    for x, y in board.xy:
        file = board.columns - 1 - x if flipped else x
        if first == BLACK:
            file, rank = board.columns - 1 - file, board.rows - 1 - y
        else:
            rank = y
        across = file if asked.corner in (0, 2) else board.columns - 1 - file
        up = rank if asked.corner in (0, 1) else board.rows - 1 - rank
        places.append((up, across))
    if asked.letter == "N":
        order = {point: number for number, point in enumerate(sorted(range(board.size), key=lambda p: places[p]), 1)}
        numbers = tuple(str(order[point]) for point in range(board.size))
        return board if numbers == board.names else replace(board, names=numbers)
    letters = tuple(f"{'abcdefghijkl'[across]}{up + 1}" for up, across in places)
    return board if letters == board.algebraic else replace(board, algebraic=letters)
