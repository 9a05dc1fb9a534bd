"""The rule sheet: the rules in force, in plain sentences of a language."""

from __future__ import annotations

from collections.abc import Iterator

from damd.rules import Rules
from damd.variants.catalogue import catalogue
from damd.variants.facts import Fact, facts

#: The language that every game is described in.
ENGLISH = "en"


def describe(rules: Rules, language: str = ENGLISH) -> list[str]:
    """The rules in force, one sentence or two an item, from the game's names to its notation.

    ``language`` is the code of one of ``variants.languages()``; any other raises ``VariantError``.
    """
    words = catalogue(language)
    return [words.sentence(fact) for fact in (*_called(rules, language), *facts(rules), *_called_by_others(rules))]


def _called(rules: Rules, language: str) -> Iterator[Fact]:
    names = rules.names
    own = names.in_language(language)
    title, source = (own.title or names.title, own.source) if own else (names.title, "")
    if language == ENGLISH:
        source = source or names.source
    yield Fact("names.title", texts=(("title", title), ("name", names.name)))
    if names.aliases:
        yield Fact("names.aliases", texts=(("aliases", ", ".join(names.aliases)),))
    # A source in English words would not be a sentence of another language.
    if source:
        yield Fact("names.source", texts=(("source", source),))


def _called_by_others(rules: Rules) -> Iterator[Fact]:
    names = rules.names
    if names.gametype:
        yield Fact("names.gametype", texts=(("gametype", names.gametype),))
    if names.hub:
        yield Fact("names.hub", texts=(("hub", names.hub),))
