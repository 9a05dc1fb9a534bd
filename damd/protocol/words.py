"""Words of a line: numbers, and suggestions for slips."""

from __future__ import annotations


def did_you_mean(word: str, known: tuple[str, ...]) -> str:
    """``, did you mean X?`` for the known word nearest to ``word``; "" where none is near."""
    # Imported here: only slips need it, and it would cost every start 5 ms.
    from difflib import get_close_matches

    folded = {name.lower(): name for name in known}
    near = get_close_matches(word[:40].lower(), list(folded), n=1, cutoff=0.6)
    return f", did you mean {folded[near[0]]}?" if near else ""


def read_number(text: str) -> int | None:
    """A whole number in ASCII digits with an optional sign, or ``None``.

    More digits than any limit has are cut, so that a line of 64 KiB of digits costs nothing.
    """
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit()):
        return None
    magnitude = int(digits) if len(digits) <= 18 else 10**18
    return -magnitude if text[0] == "-" else magnitude
