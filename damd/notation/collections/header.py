"""The lines of a list, each with the rules that the tags above it name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from damd import variants
from damd.notation.collections.entries import Entry
from damd.notation.collections.lines import LineError, read_lines
from damd.notation.pdn.gametypes import contradiction, parse_gametype, rules_of_gametype
from damd.notation.pdn.model import Fault
from damd.notation.squares import shown
from damd.rules import Rules

_LONGEST_NAME = 80

#: Reads a line; ``None`` for one that says nothing. Raises ``LineError``.
ReadEntry = Callable[[str], Entry | None]


@dataclass(frozen=True, slots=True)
class Bound:
    """An entry under its rules. ``line`` and ``number``, its place among the entries of the list, count from 1."""

    line: int
    number: int
    entry: Entry
    rules: Rules


@dataclass(frozen=True, slots=True)
class Source:
    """A list to be read: its bytes, the name that faults call it by, and what is not said in it.

    ``rules`` are those of a list that does not say which game it is of, ``variant_path`` is the folder of the user's
    own variants. ``first_score`` is whose the first number of a result is (see ``damd.notation.pdn.Reading``).
    """

    stream: BinaryIO
    name: str
    rules: Rules | None = None
    variant_path: str | None = None
    first_score: str = "rules"


def bound_entries(source: Source, read: ReadEntry) -> Iterator[Bound | Fault]:
    """The entries of a list. Below tags that name no game they are left out, up to the next tags."""
    by_tags = RulesByTags(source.variant_path)
    below, known, told, number = source.rules, True, False, 0

    def fault(message: str, game: int = 0, *, warning: bool = False) -> Fault:
        return Fault(source.name, line.number, game, 0, "", message, warning)

    for line in read_lines(source.stream):
        try:
            if line.fault:
                raise LineError(line.fault)
            entry = read(line.text)
        except LineError as wrong:
            number += 1
            yield fault(str(wrong), number)
            continue
        if entry is None:
            continue
        number += not entry.is_header
        try:
            rules = by_tags.rules(entry.tags, below)
        except (LineError, variants.VariantError) as wrong:
            if entry.is_header:
                known = False
                yield fault(f"{wrong}; what stands below is left out", number + 1)
            else:
                yield fault(str(wrong), number)
            continue
        other = by_tags.contradiction(entry.tags, rules)
        if other:
            yield fault(other, number + entry.is_header, warning=True)
        if entry.is_header:
            below, known = rules, True
        elif not known and not entry.tags:
            continue
        elif rules is None:
            if not told:
                yield fault('which game is this list of? Put a line like [Variant "international"] above it', number)
            told = True
        else:
            yield Bound(line.number, number, entry, rules)


class RulesByTags:
    """The rules that tags name, each read once; ``path`` is the folder of the user's own variants."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._known: dict[tuple[str, bool], Rules] = {}

    def rules(self, tags: Iterable[tuple[str, str]], default: Rules | None) -> Rules | None:
        """The rules that ``Variant`` or else ``GameType``, and ``MissedCapture``, name; where none does, ``default``.

        Raises ``LineError``, and what ``variants.load`` raises.
        """
        said = {name: value.strip() for name, value in tags}
        word = said.get("MissedCapture", "")
        if word not in ("", "rule", "forbidden"):
            raise LineError(f"MissedCapture is rule or forbidden, not {shown(word)}")
        if "Variant" in said:
            return self._load(said["Variant"], word == "forbidden")
        if "GameType" in said:
            asked = parse_gametype(said["GameType"])
            if asked is None:
                return self._load(said["GameType"], word == "forbidden")
            typed = rules_of_gametype(asked, self._path)
            if typed is None:
                raise LineError(f"GameType {shown(said['GameType'])} is of no game that is known here")
            return self._load(typed.name, word == "forbidden")
        if word and default is None:
            raise LineError("MissedCapture without a Variant: it changes the rules of a game that is not named")
        return self._load(default.name, word == "forbidden") if word and default is not None else default

    def contradiction(self, tags: Iterable[tuple[str, str]], rules: Rules | None) -> str:
        """A word about a GameType that is not of the ``rules`` which Variant names; empty where there is nothing to say."""
        said = {name: value.strip() for name, value in tags}
        if rules is None or not {"Variant", "GameType"} <= set(said):
            return ""
        other = contradiction(rules, said["GameType"], self._path)
        return f"GameType: {other}" if other else ""

    def _load(self, name: str, forbidden: bool) -> Rules:
        if not name.isprintable() or len(name) > _LONGEST_NAME:
            raise LineError(f"{shown(name)} is no name of a game")
        if (name, forbidden) not in self._known:
            rules = variants.load(name, self._path)
            self._known[name, forbidden] = rules.without_penalty() if forbidden else rules
        return self._known[name, forbidden]
