"""The one error of variant files."""

from __future__ import annotations


class VariantError(Exception):
    """Something is wrong with a variant or its file.

    ``file`` is the file (or folder) at fault, empty where a name is at fault; ``key`` is the key inside it, like
    ``king.landing`` or ``perft[1].counts`` (rows are counted from 1), empty where the file as a whole is at fault.
    The text is ``FILE: KEY: message``, without the empty parts.
    """

    def __init__(self, file: str, key: str, message: str) -> None:
        super().__init__(file, key, message)
        self.file = file
        self.key = key
        self.message = message

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.key, self.message) if part)


def suggestion(word: str, candidates: list[str] | tuple[str, ...]) -> str:
    """``; did you mean "x"?`` where one of the candidates is close to the word, otherwise nothing."""
    import difflib  # only ever needed when something is wrong

    plain = word.strip().lower().replace("_", "-")
    by_spelling = {candidate.lower().replace("_", "-"): candidate for candidate in candidates}
    close = difflib.get_close_matches(plain, by_spelling, n=1, cutoff=0.6)
    return f'; did you mean "{by_spelling[close[0]]}"?' if close else ""
