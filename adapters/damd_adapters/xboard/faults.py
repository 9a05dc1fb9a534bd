"""Commands that cannot be obeyed."""

from __future__ import annotations


class Fault(Exception):
    """A command cannot be obeyed: the kind of error, as the protocol's ``Error (KIND): COMMAND`` has it."""


def whole_number(text: str, low: int, high: int) -> int:
    """The number that a text is, or the nearest within the range. Raises ``Fault``."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise Fault("a whole number is needed")
    return min(max(int(text), low), high)
