"""Positions as arrays: what an evaluation counts in them, and what became of the games they are from."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from damd.weights.model import TERMS, Weights

Array = NDArray[Any]

#: What ``Evaluation.features`` answers: phase, terms, (point, sign) of each king, index of each pattern's filling.
Counts = tuple[int, Sequence[int], Sequence[tuple[int, int]], Sequence[int]]


class SamplesError(ValueError):
    """A file that holds no samples, or samples that do not belong together."""


@dataclass(frozen=True, slots=True)
class Features:
    """What an evaluation counts, one row a position.

    ``phase`` counts the pieces; ``terms`` are White's minus Black's; ``kings`` are points counted from 1, Black's
    turned by half a turn and negative, padded with 0; ``fillings`` are those of each pattern, counted from 0.
    """

    phase: Array
    terms: Array
    kings: Array
    fillings: Array

    def __len__(self) -> int:
        return len(self.phase)

    def rows(self, wanted: Array) -> Features:
        """Some of the rows: a mask, or row numbers."""
        return Features(*(getattr(self, member.name)[wanted] for member in fields(self)))


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions of games of one variant.

    ``full`` is the phase of the full board, ``key`` tells positions apart. ``points`` are White's half points in the
    game's result, ``game`` its number; ``score`` is what the search said and ``untrained`` what the weights worked out
    from the rules say, both in centipawns from White's side. ``whole`` and ``lacking`` are positions before and after
    a man was taken off the board, ``lacking_side`` whose it was.
    """

    variant: str
    full: int
    features: Features
    key: Array
    side: Array
    points: Array
    game: Array
    score: Array
    untrained: Array
    whole: Features
    lacking: Features
    lacking_side: Array

    def __len__(self) -> int:
        return len(self.key)

    def rows(self, wanted: Array) -> Samples:
        """Some of the rows: a mask, or row numbers; the pairs stay whole."""
        values: dict[str, Any] = {member.name: getattr(self, member.name) for member in fields(self)}
        for name in _ROWS:
            values[name] = values[name][wanted]
        values["features"] = self.features.rows(wanted)
        return Samples(**values)

    def distinct(self) -> Samples:
        """Each position once, as it came first."""
        return self.rows(np.sort(np.unique(self.key, return_index=True)[1]))


_ROWS = ("key", "side", "points", "game", "score", "untrained")
_BLOCKS = ("features", "whole", "lacking")


def gather_features(counted: Sequence[Counts], weights: Weights) -> Features:
    """The arrays of many positions' counts, made with these weights' patterns."""
    offsets, start = [], 0
    for pattern in weights.patterns:
        offsets.append(start)
        start += int(3 ** len(pattern))
    widest = max((len(kings) for _, _, kings, _ in counted), default=0)
    kings = np.zeros((len(counted), widest), np.int16)
    for row, (_, _, found, _) in enumerate(counted):
        for place, (point, sign) in enumerate(found):
            kings[row, place] = sign * (point + 1)
    fillings = np.array([filled for _, _, _, filled in counted], np.int64).reshape(len(counted), len(offsets))
    return Features(
        phase=np.array([phase for phase, _, _, _ in counted], np.uint8),
        terms=np.array([terms for _, terms, _, _ in counted], np.int16).reshape(len(counted), len(TERMS)),
        kings=kings,
        fillings=(fillings - np.array(offsets, np.int64)).astype(np.uint16),
    )


def join(parts: Iterable[Samples]) -> Samples:
    """All of them one after the other, the games numbered on. Raises ``SamplesError`` where they do not fit."""
    many = list(parts)
    if not many:
        raise SamplesError("no samples")
    first = many[0]
    shape = (first.variant, first.full, first.features.fillings.shape[1], first.features.terms.shape[1])
    for other in many:
        if (other.variant, other.full, other.features.fillings.shape[1], other.features.terms.shape[1]) != shape:
            raise SamplesError(f"samples of {first.variant} and of {other.variant} do not go together")
    values: dict[str, Any] = {"variant": first.variant, "full": first.full}
    for name in (*_ROWS, "lacking_side"):
        if name != "game":
            values[name] = np.concatenate([getattr(part, name) for part in many])
    for name in _BLOCKS:
        values[name] = _join_features([getattr(part, name) for part in many])
    games, start = [], 0
    for part in many:
        games.append(part.game + start)
        start += int(part.game.max(initial=-1)) + 1
    return Samples(game=np.concatenate(games), **values)


def _join_features(parts: Sequence[Features]) -> Features:
    widest = max(part.kings.shape[1] for part in parts)
    kings = [np.pad(part.kings, ((0, 0), (0, widest - part.kings.shape[1]))) for part in parts]
    return Features(
        phase=np.concatenate([part.phase for part in parts]),
        terms=np.concatenate([part.terms for part in parts]),
        kings=np.concatenate(kings),
        fillings=np.concatenate([part.fillings for part in parts]),
    )


def save(samples: Samples, path: str | os.PathLike[str]) -> None:
    """Write them to exactly that file, compressed. Raises ``OSError``."""
    arrays: dict[str, Any] = {"variant": samples.variant, "full": samples.full, "terms": list(TERMS)}
    for name in (*_ROWS, "lacking_side"):
        arrays[name] = getattr(samples, name)
    for block in _BLOCKS:
        for member in fields(Features):
            arrays[f"{block}.{member.name}"] = getattr(getattr(samples, block), member.name)
    with open(path, "wb") as stream:
        np.savez_compressed(stream, **arrays)


def load(path: str | os.PathLike[str]) -> Samples:
    """Read what ``save`` wrote. Raises ``OSError`` or ``SamplesError``."""
    try:
        with open(path, "rb") as stream:
            stored = np.load(stream, allow_pickle=False)
            if not isinstance(stored, NpzFile):
                raise ValueError("one array alone")
            arrays = {name: stored[name] for name in stored.files}
    except (ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise SamplesError(f"{os.fspath(path)}: not a file of samples: {error}") from error
    try:
        return _read(arrays)
    except KeyError as error:
        raise SamplesError(f"{os.fspath(path)}: not a file of samples: it lacks {error}") from error


def _members(features: Features) -> list[Array]:
    return [getattr(features, member.name) for member in fields(features)]


def _read(arrays: Mapping[str, Array]) -> Samples:
    if tuple(arrays["terms"].tolist()) != TERMS:
        raise SamplesError("samples made with other terms than the evaluation has now: play the games again")
    blocks: dict[str, Any] = {
        block: Features(**{member.name: arrays[f"{block}.{member.name}"] for member in fields(Features)})
        for block in _BLOCKS
    }
    values: dict[str, Any] = {name: arrays[name] for name in (*_ROWS, "lacking_side")}
    rows = [*(values[name] for name in _ROWS), *_members(blocks["features"])]
    pairs = [values["lacking_side"], *_members(blocks["whole"]), *_members(blocks["lacking"])]
    for group in (rows, pairs):
        if len({len(column) for column in group}) != 1:
            raise SamplesError("columns of different lengths")
    return Samples(variant=str(arrays["variant"]), full=int(arrays["full"]), **values, **blocks)
