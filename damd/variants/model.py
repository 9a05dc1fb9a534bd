"""What a variant file holds: the rules, and the rows by which it tests itself."""

from __future__ import annotations

from dataclasses import dataclass

from damd.rules import Rules

#: The FEN of a row that means the variant's own start position.
START = "startpos"


@dataclass(frozen=True, slots=True)
class Perft:
    """A ``[[perft]]`` row: how many plies deep the tree of a position is, ``counts[0]`` at depth 1.

    ``key`` is the row's place in its file. ``rules`` are the file's rules with the row's own changes made:
    ``missed_capture = "forbidden"`` and its table ``rules``.
    """

    key: str
    fen: str
    counts: tuple[int, ...]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Example:
    """An ``[[example]]`` row: all legal plies of a position, in any spelling that names one. The rest as in ``Perft``."""

    key: str
    fen: str
    plies: tuple[str, ...]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant file, read and checked, its base's rules included; rows are never inherited."""

    file: str
    rules: Rules
    perft: tuple[Perft, ...]
    examples: tuple[Example, ...]
