"""``explain``: whether a text names a legal ply, by which rules it does or does not, and what to play instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from damd.core.position import Position
from damd.core.types import Ply, PlyKind
from damd.notation.causes import NAMED, Cause, Fault, in_order
from damd.notation.illegal import refuse
from damd.notation.legal import account
from damd.notation.plies import named
from damd.notation.spelling import PlyError, format_ply, read_spellings
from damd.notation.squares import shown


class Verdict(Enum):
    """What becomes of a text."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to say about one text in one position.

    ``plies`` are written out: the legal ply that the text names; all that an ambiguous one may mean; instead of an
    illegal one those that are to be played, the captures that have precedence if that is why. At most ``NAMED`` of
    them, of ``total``. ``rules`` are keys of the variant file: for an illegal text those that forbid it, so that
    with another value there this reason would be gone; for a legal one those that its sentences are about.
    ``fault`` says why it is illegal where no rule would change it.
    """

    text: str
    verdict: Verdict
    kind: PlyKind | None = None
    fault: Fault | None = None
    rules: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    plies: tuple[str, ...] = ()
    total: int = 0

    @property
    def heading(self) -> str:
        """All but sentences and plies on one line: ``explain 28x17 illegal rule capture.going_on``."""
        words = ["explain", "".join(self.text.split()) or "-", self.verdict.value]
        if self.kind is not None:
            words += ["kind", self.kind.value]
        if self.fault is not None:
            words += ["fault", self.fault.value]
        if self.rules:
            words += ["rule", ",".join(self.rules)]
        return " ".join(words)

    def told(self) -> list[str]:
        """All of it in sentences for people: the verdict, the reasons, and what to play instead."""
        because = f" ({', '.join(self.rules)})" if self.rules else ""
        lines = [f"{self.text} is {self.verdict.value}{because}.", *self.sentences]
        if self.plies and self.verdict is not Verdict.LEGAL:
            more = self.total - len(self.plies)
            title = "Instead" if self.verdict is Verdict.ILLEGAL else "It may be"
            lines.append(f"{title}: {', '.join(self.plies)}{f' and {more} more' if more else ''}.")
        return lines


def explain(text: str, position: Position, squares: str) -> Explanation:
    """Explain ``text`` in the position, which stays; ``squares`` is how squares are written.

    Lets pass what ``position.plies()`` raises where there are too many plies to list.
    """
    plies = position.plies()
    try:
        spellings = read_spellings(text, position.board)
    except PlyError as error:
        why = (f"{error.message}.",)
        return _explained(text, Verdict.ILLEGAL, position, squares, in_order(plies), why, fault=Fault.UNREADABLE)
    try:
        found = named(spellings, plies, position, text)
    except PlyError as error:
        return _explained(text, Verdict.AMBIGUOUS, position, squares, (), (f"{error.message}.",))
    if len(found) > 1:
        why = (f"{shown(text.strip())} names {len(found)} plies: write the full path.",)
        return _explained(text, Verdict.AMBIGUOUS, position, squares, found, why)
    if found:
        of_it = account(found[0], position, squares)
        told = _sentences(of_it.causes)
        return _explained(text, Verdict.LEGAL, position, squares, found, told, kind=found[0].kind, rules=of_it.rules)
    refusal = refuse(spellings, position.rules, position.setup(), plies, position.outcome(), squares)
    told = _sentences(refusal.causes)
    return _explained(
        text, Verdict.ILLEGAL, position, squares, refusal.instead, told, fault=refusal.fault, rules=refusal.rules
    )


def _explained(
    text: str,
    verdict: Verdict,
    position: Position,
    squares: str,
    plies: Sequence[Ply],
    sentences: tuple[str, ...],
    *,
    kind: PlyKind | None = None,
    fault: Fault | None = None,
    rules: tuple[str, ...] = (),
) -> Explanation:
    written = tuple(format_ply(ply, position.board, squares) for ply in plies[:NAMED])
    return Explanation(shown(text.strip()), verdict, kind, fault, rules, sentences, written, len(plies))


def sentence(clause: str) -> str:
    """The clause as a sentence; a square at its beginning keeps its letter."""
    first = clause[:1] if clause[1:2].isdigit() else clause[:1].upper()
    return f"{first}{clause[1:]}."


def _sentences(causes: Sequence[Cause]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentence(cause.clause) for cause in causes))
