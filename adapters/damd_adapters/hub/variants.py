"""What Hub calls the games: five names of its own, and damd's names for the others."""

from __future__ import annotations

from collections.abc import Iterable

from damd.variants import canonical

__all__ = ["DEFAULT", "HUB_NAMES", "hub_name", "listed", "variant_name"]

#: The names that Hub programs know, in the order in which they are listed.
HUB_NAMES = ("normal", "killer", "bt", "frisian", "losing")

#: The game of an engine that is not told another one.
DEFAULT = HUB_NAMES[0]

_OWN = {canonical(name): name for name in HUB_NAMES}


def hub_name(variant: str) -> str:
    """Hub's name for one of damd's variants, aliases included: ``normal`` for ``international``, ``dam`` for ``dam``."""
    plain = canonical(variant)
    return _OWN.get(plain, plain)


def variant_name(hub: str) -> str:
    """damd's name for what Hub calls so: ``international`` for ``normal``. Names without a variant stay as they are."""
    return canonical(hub)


def listed(variants: Iterable[str]) -> tuple[str, ...]:
    """The Hub names of these variants: Hub's own first, in their order, then the others in theirs; each once."""
    names = list(dict.fromkeys(hub_name(variant) for variant in variants))
    return (*(name for name in HUB_NAMES if name in names), *(name for name in names if name not in HUB_NAMES))
