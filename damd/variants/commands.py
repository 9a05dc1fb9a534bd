"""``damd variants list | show NAME | check FILE``: what these commands print and their exit codes.

Exit codes: 0 fine, 1 a game or a file is at fault, 2 the command was called wrongly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from damd.variants import SUFFIX, VariantError, built_in_file, load, load_file, names, well_formed
from damd.variants.catalogue import catalogue
from damd.variants.loader import examine
from damd.variants.model import Example, Perft
from damd.variants.sheet import ENGLISH, describe

#: Runs test rows and gives a fault ``(key, message)`` for each thing that disagrees. It lives above this layer.
RunRows = Callable[[Sequence[Perft | Example]], list[tuple[str, str]]]


def list_variants(out: TextIO, path: str | os.PathLike[str] | None = None, err: TextIO | None = None) -> int:
    """One line a variant: its name, its title, its other names and the languages, besides English, of its own.

    A faulty file of the user's is named instead; a folder that cannot be read leaves nothing to list.
    """
    try:
        offered = names(path)
    except VariantError as error:
        return _fail(error, 1, err)
    width = max(map(len, offered))
    code = 0
    for name in offered:
        try:
            own = load(name, path).names
        except VariantError as error:
            print(error, file=out)
            code = 1
            continue
        also = f"; also called {', '.join(own.aliases)}" if own.aliases else ""
        spoken = f"; rule sheet in {', '.join(local.language for local in own.local)}" if own.local else ""
        print(f"{name:{width}}  {own.title}{also}{spoken}", file=out)
    return code


def show(
    name: str,
    out: TextIO,
    path: str | os.PathLike[str] | None = None,
    err: TextIO | None = None,
    language: str = ENGLISH,
) -> int:
    """The rule sheet of a variant, or of a variant file, a sentence a line.

    ``language`` is one of ``variants.languages()``, in any case; each of them describes any game.
    """
    try:
        catalogue(language.lower())
    except VariantError as error:
        return _fail(f"--language: {error}", 2, err)
    try:
        sentences = describe(load_file(name) if name.endswith(SUFFIX) else load(name, path), language.lower())
    except VariantError as error:
        return _fail(error, 1, err)
    for sentence in sentences:
        print(sentence, file=out)
    return 0


def check(
    files: Sequence[str | os.PathLike[str]], out: TextIO, run_rows: RunRows | None = None, err: TextIO | None = None
) -> int:
    """Check variant files: every fault is one line ``FILE: KEY: message``, a file without any is ``FILE: fine``.

    A built-in variant's name stands for its file. With ``run_rows`` the test rows of faultless files are run as
    well.
    """
    if not files:
        return _fail("variants check: name at least one variant file", 2, err)
    code = 0
    for given in files:
        file = _file_of(os.fspath(given))
        reading = examine(file)
        lines = [str(fault) for fault in reading.faults]
        rows: list[Perft | Example] = [*reading.variant.perft, *reading.variant.examples] if reading.variant else []
        if run_rows is not None and rows:
            lines += [str(VariantError(file, key, message)) for key, message in run_rows(rows)]
        ran = f" ({len(rows)} rows agree)" if rows and run_rows is not None else ""
        print("\n".join(lines) if lines else f"{file}: fine{ran}", file=out)
        code = 1 if lines else code
    return code


def _fail(text: object, code: int, err: TextIO | None) -> int:
    print(f"damd: {text}", file=err or sys.stderr)
    return code


def _file_of(given: str) -> str:
    if well_formed(given) and not os.path.exists(given):
        return built_in_file(given) or given
    return given
