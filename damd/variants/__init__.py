"""The games, as data: one TOML file a variant, read, typed and checked.

``names`` and ``ALIASES`` answer without parsing anything, so that a daemon can offer every variant at once;
everything else is imported when it is first used. A folder of a user's own files (``path``) is offered like the
built-in ones: a variant is called what its file is called.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from damd.variants.fault import VariantError

if TYPE_CHECKING:
    from damd.rules import Rules
    from damd.variants.model import Variant

__all__ = [
    "ALIASES",
    "SUFFIX",
    "VariantError",
    "built_in_file",
    "canonical",
    "languages",
    "load",
    "load_file",
    "name_fault",
    "names",
    "read",
    "well_formed",
]

#: Other names of built-in variants and what they stand for: the ``aliases`` of their files, declared here as
#: well so that no file needs parsing to know them.
ALIASES = {
    "american-pool": "pool",
    "antidraughts": "losing",
    "bt": "breakthrough",
    "checkers": "english",
    "dama": "dam",
    "makhos": "thai",
    "normal": "international",
    "pool-checkers": "pool",
    "standard": "international",
}

SUFFIX = ".toml"

_HOME = os.path.dirname(os.path.abspath(__file__))
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


def well_formed(name: str) -> bool:
    """True where the text can be a variant's name: groups of a-z and 0-9, joined by single hyphens."""
    return all(part and _LETTERS.issuperset(part) for part in name.split("-"))


def _stems(folder: str) -> list[str]:
    return sorted(entry[: -len(SUFFIX)] for entry in os.listdir(folder) if entry.endswith(SUFFIX) and entry[0] != ".")


def languages() -> tuple[str, ...]:
    """The codes (ISO 639-1) of the languages that rule sheets are written in, in alphabetical order."""
    return tuple(_stems(os.path.join(_HOME, "languages")))


def built_in_file(name: str) -> str | None:
    """The file of a built-in variant, called by its own name; ``None`` where there is none."""
    file = os.path.join(_HOME, name + SUFFIX)
    return file if well_formed(name) and os.path.isfile(file) else None


def canonical(name: str) -> str:
    """A variant's own name for any spelling of a built-in name or alias; other names only lose case.

    Blanks and ``_`` between words are as good as hyphens.
    """
    plain = "-".join(name.lower().replace("_", " ").split())
    return ALIASES.get(plain, plain)


def names(path: str | os.PathLike[str] | None = None) -> tuple[str, ...]:
    """The variants on offer: built-in ones, then those of the folder ``path``, each in alphabetical order.

    No file is opened, and aliases are not listed. Raises ``VariantError`` where the folder cannot be read or
    holds a file whose name is no variant's name or is taken by a built-in variant.
    """
    built_in = _stems(_HOME)
    own: list[str] = []
    if path is not None and os.path.realpath(path) != os.path.realpath(_HOME):
        try:
            own = _stems(os.fspath(path))
        except OSError as error:
            raise VariantError(os.fspath(path), "", f"cannot read this folder: {error.strerror}") from error
    for name in own:
        fault = name_fault(name, os.path.join(os.fspath(path or ""), name + SUFFIX))
        if fault:
            raise fault
    return (*built_in, *own)


def name_fault(name: str, file: str) -> VariantError | None:
    """What is wrong with a user's file called so, if anything is."""
    if not well_formed(name):
        message = f'a variant cannot be called "{name}": its file\'s name may have a-z, 0-9 and single hyphens'
        return VariantError(file, "names.name", message)
    if built_in_file(name) or name in ALIASES:
        return VariantError(file, "names.name", f'"{name}" is a built-in variant already: give the file another name')
    return None


def read(name: str, path: str | os.PathLike[str] | None = None) -> Variant:
    """The variant of that name, alias or title with its test rows. Raises ``VariantError``."""
    from damd.variants import loader

    offered = names(path)
    plain = canonical(name)
    file = built_in_file(plain)
    if file is None and plain in offered:
        file = os.path.join(os.fspath(path or ""), plain + SUFFIX)
    if file is None and path is not None:
        file = loader.file_of_alias(plain, os.fspath(path))
    if file is None:
        from damd.variants import naming

        folder = None if path is None else os.fspath(path)
        titled = naming.of_title(name, folder)
        if titled is not None:
            return read(titled, path)
        hint = naming.hint(name, folder) or "; known are " + " ".join(offered)
        raise VariantError("", "", f'unknown variant "{name}"{hint}')
    return loader.read_file(file)


def load(name: str, path: str | os.PathLike[str] | None = None) -> Rules:
    """The rules of the variant of that name, alias or title, any case. Raises ``VariantError``.

    ``path`` is the folder of the user's own variant files.
    """
    return read(name, path).rules


def load_file(path: str | os.PathLike[str]) -> Rules:
    """The rules of one variant file, wherever it lies; its base is built in or lies beside it. Raises ``VariantError``."""
    from damd.variants import loader

    return loader.read_file(os.fspath(path)).rules
