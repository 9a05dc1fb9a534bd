"""Formats whose pairings are all known at once: a match, a round-robin, a gauntlet.

Every opening is a round: all encounters of the format are played with it before the next one begins, so each encounter
gets the same openings and the table is fair whenever the tournament is stopped.
"""

from __future__ import annotations

from damd.match.formats.slots import Played, Slots
from damd.match.model import PlanError, Schedule, Tournament

Encounter = tuple[str, str]

#: A sequential test without a number of rounds may take so many; it ends long before in all likelihood.
TEST_ROUNDS = 20_000


def match(slots: Slots, played: Played) -> Schedule:
    """Two engines against each other. Raises ``PlanError``."""
    del played
    if len(slots.tournament.engines) != 2:
        raise PlanError(f"a match is between 2 engines, not {len(slots.tournament.engines)}: use round-robin or gauntlet")
    first, second = slots.tournament.names
    return _each_opening(slots, [(first, second)])


def round_robin(slots: Slots, played: Played) -> Schedule:
    """Everyone against everyone, in the order of Berger's tables: nobody waits longer than he has to."""
    del played
    return _each_opening(slots, berger(slots.tournament.names))


def gauntlet(slots: Slots, played: Played) -> Schedule:
    """The first engine against each of the others."""
    del played
    first, *others = slots.tournament.names
    return _each_opening(slots, [(first, other) for other in others])


def berger(names: tuple[str, ...]) -> list[Encounter]:
    """Every pair of names once: rounds in which nobody plays twice, one after the other, colours as even as can be."""
    places = list(range(len(names)))
    if len(places) % 2:
        places.append(-1)
    found: list[Encounter] = []
    for _ in range(len(places) - 1):
        for one, other in zip(places[: len(places) // 2], reversed(places), strict=False):
            if one >= 0 and other >= 0:
                found.append(_coloured(names, min(one, other), max(one, other)))
        places.insert(1, places.pop())
    return found


def _coloured(names: tuple[str, ...], low: int, high: int) -> Encounter:
    """White and Black of an encounter, by the two places in the list: so everyone has either colour as often, or once more.

    With an even number of names the last one's colours cannot come from its place: the others share them.
    """
    last = len(names) - 1
    white_is_low = low < len(names) // 2 if high == last and last % 2 else (low + high) % 2 == 1
    return (names[low], names[high]) if white_is_low else (names[high], names[low])


def rounds_of(tournament: Tournament, openings: int) -> int:
    """How many openings every encounter gets."""
    return tournament.rounds or (TEST_ROUNDS if tournament.sprt else openings)


def _each_opening(slots: Slots, encounters: list[Encounter]) -> Schedule:
    pairings = []
    for turn in range(rounds_of(slots.tournament, slots.openings)):
        for number, (one, other) in enumerate(encounters, 1):
            white, black = (one, other) if turn % 2 == 0 else (other, one)
            pairings.append(slots.pairing(turn + 1, number, white, black, turn))
    return Schedule(tuple(pairings))
