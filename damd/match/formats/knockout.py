"""Knockout: who loses an encounter is out. Engines are placed by the order in which they were entered.

An encounter is so many pairs of games as the tournament has ``rounds`` (one by default). Where it is level then, pairs
are added one at a time, up to ``EXTRA_PAIRS``; where it is level still, the engine entered first goes on: the same
engines at the same nodes would draw for ever.
"""

from __future__ import annotations

from damd.match.formats.slots import Played, Slots, points_of
from damd.match.model import Pairing, PlanError, Schedule

EXTRA_PAIRS = 8


def knockout(slots: Slots, played: Played) -> Schedule:
    """All rounds that the results decide, and the pairings of the next. Raises ``PlanError``."""
    names = slots.tournament.names
    if len(names) < 2:
        raise PlanError(f"a knockout is between 2 engines or more, not {len(names)}")
    pairings: list[Pairing] = []
    beaten: list[str] = []
    bracket = _bracket(names)
    round_number = 0
    while len(bracket) > 1:
        round_number += 1
        ties = list(zip(bracket[::2], bracket[1::2], strict=True))
        known, winners = _round(slots, played, round_number, ties)
        pairings += known
        if winners is None:
            return Schedule(tuple(pairings), complete=False)
        out = [name for tie in ties for name in tie if name and name not in winners]
        beaten = sorted(out, key=names.index) + beaten
        bracket = winners
    return Schedule(tuple(pairings), placing=(bracket[0], *beaten))


def _bracket(names: tuple[str, ...]) -> list[str]:
    """The names in the order of the bracket: the first and the second can only meet in the last round, and so on.

    Empty names stand for opponents that there are not: the first ones entered have a free first round.
    """
    places = [1]
    while len(places) < len(names):
        total = 2 * len(places) + 1
        places = [place for one in places for place in (one, total - one)]
    return [names[place - 1] if place <= len(names) else "" for place in places]


def _round(
    slots: Slots, played: Played, round_number: int, ties: list[tuple[str, str]]
) -> tuple[list[Pairing], list[str] | None]:
    """The round's pairings that are known, and who goes on, ``None`` as long as a tie is open."""
    pairings: list[Pairing] = []
    winners: list[str] = []
    open_ties = False
    for place, (one, other) in enumerate(ties):
        if not one or not other:
            winners.append(one or other)
            continue
        known, winner = _tie(slots, played, round_number, (place, len(ties)), (one, other))
        pairings += known
        winners.append(winner)
        open_ties = open_ties or not winner
    pairings.sort(key=lambda pairing: pairing.number)
    return pairings, None if open_ties else winners


def _tie(
    slots: Slots, played: Played, round_number: int, place: tuple[int, int], engines: tuple[str, str]
) -> tuple[list[Pairing], str]:
    """One encounter, ``place`` of so many: its pairings, and its winner, empty as long as it is open.

    Numbers and openings depend on the place alone, so they are the same in whatever order results come in. The n-th
    pairs of all ties of a round have the same opening.
    """
    least = slots.tournament.rounds or 1
    pairings: list[Pairing] = []
    one, other = engines
    for turn in range(least + EXTRA_PAIRS):
        points = points_of(pairings, played)
        lead = points.get(one, 0) - points.get(other, 0)
        if turn >= least and lead:
            return pairings, one if lead > 0 else other
        number = turn * place[1] + place[0] + 1
        white, black = engines if turn % 2 == 0 else (other, one)
        opening = (round_number - 1) * (least + EXTRA_PAIRS) + turn
        pairings.append(slots.pairing(round_number, number, white, black, opening))
        if turn >= least - 1 and any(pairing.id not in played for pairing in pairings):
            return pairings, ""
    points = points_of(pairings, played)
    lead = points.get(one, 0) - points.get(other, 0)
    first = min(engines, key=slots.tournament.names.index)
    return pairings, first if not lead else one if lead > 0 else other
