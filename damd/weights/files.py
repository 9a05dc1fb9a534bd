"""Files of weights: lines of words that end with an empty one, then the tables, compressed.

Each line begins with what it is: ``board``, ``scale``, ``draw``, ``alone`` with a pair and the doubt where this is known, a
``term`` with its name, ``kings`` (a pair for each point), a ``pattern`` of points for each pattern, in the tables' order,
and, where these follow the patterns' tables, ``materials`` with the men and kings that the table tells apart and ``network``
with the sizes of its layers. JSON would cost a daemon 1.4 MiB and 4 ms more.
"""

from __future__ import annotations

import os
import struct
import zlib

from damd.geometry import Board
from damd.weights.model import (
    FIRST_LAYER,
    KINGS_COUNTED,
    LARGEST_PATTERN,
    MOST_DOUBT,
    SECOND_LAYER,
    TERMS,
    Weights,
    material_count,
    network_count,
)

MAGIC = b"damd weights 1\n"
_LIMIT = 1 << 15
_LARGEST_HEADER = 1 << 20
_MOST_COUNTED = 255


class WeightsError(ValueError):
    """A file of weights that cannot be used: ``file`` and what is wrong with it."""

    def __init__(self, file: str, message: str) -> None:
        super().__init__(f"{file}: {message}")
        self.file = file


def save(weights: Weights, board: Board, path: str | os.PathLike[str]) -> None:
    """Write weights of that board. Raises ``OSError``, and ``WeightsError`` for weights that ``load`` would refuse."""
    lines = [
        f"board {_signature(board)}",
        f"scale {weights.scale}",
        f"draw {weights.draw}",
        *([f"alone {weights.alone[0]} {weights.alone[1]} {weights.doubt}"] if weights.doubt else []),
        *(f"term {name} {full} {empty}" for name, (full, empty) in zip(TERMS, weights.terms, strict=True)),
        " ".join(["kings", *(f"{full},{empty}" for full, empty in weights.king_points)]),
        *(" ".join(["pattern", *map(str, pattern)]) for pattern in weights.patterns),
        f"materials {weights.men} {weights.kings}",
        *([f"network {FIRST_LAYER} {SECOND_LAYER}"] if weights.network else []),
    ]
    numbers = weights.tables + weights.materials + weights.network
    content = MAGIC + "\n".join(lines).encode("ascii") + b"\n\n" + zlib.compress(numbers, 9)
    try:
        _parse(content, board)
    except ValueError as error:
        raise WeightsError(os.fspath(path), f"not written: {error}") from error
    with open(path, "wb") as stream:
        stream.write(content)


def load(path: str | os.PathLike[str], board: Board) -> Weights | None:
    """The weights in that file, ``None`` where they are for another board. Raises ``WeightsError``."""
    file = os.fspath(path)
    try:
        with open(file, "rb") as stream:
            content = stream.read()
        return _parse(content, board)
    except OSError as error:
        raise WeightsError(file, f"cannot read this file: {error.strerror}") from error
    except KeyError as error:
        raise WeightsError(file, f"not a file of weights: no line {error}") from error
    except (ValueError, zlib.error) as error:
        raise WeightsError(file, f"not a file of weights: {error}") from error


def _parse(content: bytes, board: Board) -> Weights | None:
    if not content.startswith(MAGIC):
        raise ValueError("it does not begin with the right line")
    end = content.find(b"\n\n", 0, _LARGEST_HEADER)
    if end < 0:
        raise ValueError("its lines have no end")
    header, terms, patterns = _sorted_out(content[len(MAGIC) : end].decode("ascii").split("\n"))
    if header["board"] != _signature(board):
        return None
    unknown = set(terms) - set(TERMS)
    if unknown:
        raise ValueError(f"unknown term {min(unknown)}")
    for pattern in patterns:
        if len(pattern) > LARGEST_PATTERN or len(set(pattern)) != len(pattern):
            raise ValueError(f"a pattern has at most {LARGEST_PATTERN} points, each once")
        if not all(0 <= point < board.size for point in pattern):
            raise ValueError("a pattern with a point off the board")
    men, kings = map(int, header.get("materials", "0 0").split())
    if not (0 <= men <= _MOST_COUNTED and 0 <= kings <= KINGS_COUNTED):
        raise ValueError(f"materials of at most {_MOST_COUNTED} men and {KINGS_COUNTED} kings")
    tables_size = 4 * sum(3 ** len(pattern) for pattern in patterns)
    materials_size = 2 * material_count(men, kings) if "materials" in header else 0
    network_size = 0
    if "network" in header:
        if header["network"] != f"{FIRST_LAYER} {SECOND_LAYER}":
            raise ValueError(f"a network's layers are {FIRST_LAYER} and {SECOND_LAYER}")
        network_size = 2 * network_count(board.size)
    size = tables_size + materials_size + network_size
    expander = zlib.decompressobj()
    tables = expander.decompress(content[end + 2 :], size + 1)
    if len(tables) != size or not expander.eof:
        raise ValueError("numbers of another size than its patterns, materials and network have")
    king_points = tuple(_pair(*pair.split(",")) for pair in header["kings"].split())
    if len(king_points) != board.size:
        raise ValueError("king points of another board")
    scale, draw = float(header["scale"]), float(header["draw"])
    if not (0 < scale < _LIMIT and 0 <= draw < _LIMIT):
        raise ValueError("scale must be above 0, draw 0 or more")
    *alone, doubt_text = header.get("alone", "0 0 0").split()
    doubt = int(doubt_text)
    if not 0 <= doubt <= MOST_DOUBT:
        raise ValueError(f"the doubt must be from 0 to {MOST_DOUBT} centipawns")
    return Weights(
        terms=tuple(terms.get(name, (0, 0)) for name in TERMS),
        king_points=king_points,
        patterns=tuple(patterns),
        tables=tables[:tables_size],
        scale=scale,
        draw=draw,
        men=men,
        kings=kings,
        materials=tables[tables_size : tables_size + materials_size] or bytes(2),
        trained=True,
        alone=_pair(*alone),
        doubt=doubt,
        network=_network(tables[tables_size + materials_size :], board),
    )


def _network(numbers: bytes, board: Board) -> bytes:
    """These, where no sum of the first layer can be more than 16 bits hold, whatever stands on the board."""
    if numbers:
        rows = 4 * board.size * FIRST_LAYER
        values = struct.unpack(f"<{rows + FIRST_LAYER}h", numbers[: 2 * (rows + FIRST_LAYER)])
        if board.size * max(map(abs, values[:rows])) + max(map(abs, values[rows:])) >= _LIMIT:
            raise ValueError("a network with sums that do not fit 16 bits")
    return numbers


def _sorted_out(lines: list[str]) -> tuple[dict[str, str], dict[str, tuple[int, int]], list[tuple[int, ...]]]:
    """The lines there is one of by their first words, the terms by their names, and the patterns."""
    header: dict[str, str] = {}
    terms: dict[str, tuple[int, int]] = {}
    patterns: list[tuple[int, ...]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "term":
            name, full, empty = rest.split()
            terms[name] = _pair(full, empty)
        elif word == "pattern":
            patterns.append(tuple(map(int, rest.split())))
        else:
            header[word] = rest
    return header, terms, patterns


def _pair(*words: str) -> tuple[int, int]:
    full, empty = map(int, words)
    if not (-_LIMIT <= full < _LIMIT and -_LIMIT <= empty < _LIMIT):
        raise ValueError("a weight that does not fit 16 bits")
    return full, empty


def _signature(board: Board) -> str:
    """What board the points belong to: its kind, its sizes and its points in order."""
    return f"{board.kind} {board.columns}x{board.rows} " + " ".join(f"{x},{y}" for x, y in board.xy)
