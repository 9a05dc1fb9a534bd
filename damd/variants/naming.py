"""Games by the titles of their files, and the game that an unknown name may mean. Only such names need this."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator

from damd.variants import ALIASES, SUFFIX, built_in_file, canonical, names

#: A word of the titles of more games than one in so many ("draughts") tells nothing.
_COMMON = 3
#: How alike two spellings are, from 0 to 1, of which one is the other but for blanks, is a slip for it, may be one.
_SAME, _SLIP, _ALIKE = 0.95, 0.85, 0.7

#: A name, an alias or a title as words, and what it stands for.
Form = tuple[list[str], str]


def of_title(text: str, path: str | None = None) -> str | None:
    """The name of the variant of that title, in any case; ``None`` where none or several have it."""
    wanted = canonical(text)
    found = [name for name, title in _titles(path) if canonical(title) == wanted]
    return found[0] if len(found) == 1 else None


def hint(text: str, path: str | None = None) -> str:
    """``; did you mean "killer"?`` where a name, an alias or a title is close to the text, otherwise nothing."""
    titles = [(_words(title), name) for name, title in _titles(path)]
    forms = [(_words(name), name) for name in (*names(path), *ALIASES)] + titles
    spread = Counter(word for words, _ in titles for word in set(words))
    common = {word for word, count in spread.items() if count * _COMMON > len(titles)}
    rare = [([word for word in words if word not in common], name) for words, name in forms]
    asked = _words(text)
    told = [word for word in asked if word not in common]
    if not told:
        return ""
    found = (
        _alike("".join(asked), [("".join(words), name) for words, name in forms], _SAME)
        or _alike("-".join(told), [("-".join(words), name) for words, name in rare], _SLIP)
        or _by_words(set(told), rare)
        or _alike("-".join(told), [("-".join(words), name) for words, name in rare], _ALIKE)
    )
    return f'; did you mean "{found}"?' if found else ""


def _alike(spelled: str, spellings: list[tuple[str, str]], least: float) -> str:
    """What the spelling most like this one stands for; of several the first."""
    from difflib import get_close_matches

    close = get_close_matches(spelled, [spelling for spelling, _ in spellings], n=1, cutoff=least)
    return next((meant for spelling, meant in spellings if spelling in close), "")


def _by_words(asked: set[str], forms: list[Form]) -> str:
    """What is meant by those of the words that tell most, which are those of the fewest games."""
    rarity = Counter(word for word, _ in {(word, name) for words, name in forms for word in words})

    def weight(form: Form) -> float:
        words = set(form[0])
        return sum(1 / rarity[word] for word in words) if words <= asked else 0.0

    best = max(forms, key=weight)
    return best[1] if weight(best) else ""


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _titles(path: str | None) -> Iterator[tuple[str, str]]:
    """Name and title of every variant on offer; files at fault, which somebody else tells, have none."""
    for name in names(path):
        try:
            with open(built_in_file(name) or os.path.join(path or "", name + SUFFIX), "rb") as stream:
                title = tomllib.load(stream)["names"]["title"]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            continue
        if isinstance(title, str):
            yield name, title
