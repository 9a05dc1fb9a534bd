"""The sentences of the rule sheet in one language: a file ``languages/CODE.toml``, read and filled in.

Every file has the same paths; ``en.toml`` says what may stand in the gaps of a sentence. A new file is a new language.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from damd.variants import SUFFIX, languages
from damd.variants.facts import Fact
from damd.variants.fault import VariantError, suggestion

_HOME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "languages")
_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One language: ``code`` is that of ISO 639-1, ``name`` the language's English name."""

    code: str
    name: str
    _sentences: dict[str, Any]

    def sentence(self, fact: Fact) -> str:
        """A fact as a sentence, or a phrase. Raises ``KeyError`` for a fact that the language has no words for."""
        entry: Any = self._sentences
        for step in fact.path.split("."):
            entry = entry[step]
        gaps = {**dict(fact.texts), **{gap: self.sentence(part) for gap, part in fact.parts}}
        if fact.count is not None:
            gaps |= self._numbers(fact.count)
            if isinstance(entry, dict):
                entry = entry[self._form(fact.count, entry)]
        if fact.directions:
            gaps["directions"] = self._listed([self._sentences["directions"][word] for word in fact.directions])
        return str(entry).format_map(gaps)

    def _numbers(self, count: int) -> dict[str, str]:
        words = self._sentences["words"]
        digits = str(count)
        small, ordinals = words["numbers"], words["ordinals"]
        return {
            "count": digits,
            "number": small[count] if count < len(small) else digits,
            "ordinal": ordinals[count] if count < len(ordinals) else digits,
        }

    def _form(self, count: int, entry: dict[str, str]) -> str:
        """Which of the entries of a sentence that depends on its number."""
        plural = self._sentences["plural"]
        return next((form for form in entry if count in plural.get(form, ())), _OTHER)

    def _listed(self, words: list[str]) -> str:
        conjunction = self._sentences["words"]["or"]
        return f" {conjunction} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


@cache
def catalogue(code: str) -> Catalogue:
    """The language of that code. Raises ``VariantError`` where there is none."""
    if code not in languages():
        known = ", ".join(f"{each} ({catalogue(each).name})" for each in languages())
        hint = suggestion(code, languages()) or f"; known are {known}"
        raise VariantError("", "", f'no rule sheet in a language "{code}"{hint}')
    with open(os.path.join(_HOME, code + SUFFIX), "rb") as stream:
        sentences = tomllib.load(stream)
    return Catalogue(code, sentences["name"], sentences)
