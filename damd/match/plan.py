"""The plan of a tournament: a pure function of its configuration, its seed and the results so far.

Whoever runs, resumes or displays a tournament asks ``plan``; what is left to play is the plan without what the journal
has. Formats that depend on results show one round at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from damd.match.formats.everyone import gauntlet, match, round_robin
from damd.match.formats.knockout import knockout
from damd.match.formats.slots import Played, Slots
from damd.match.formats.swiss import swiss
from damd.match.model import Pairing, PlanError, Schedule, Tournament
from damd.match.records import PairRecord

_FORMATS: dict[str, Callable[[Slots, Played], Schedule]] = {
    "match": match,
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "swiss": swiss,
    "knockout": knockout,
}


def plan(tournament: Tournament, openings: int, records: Iterable[PairRecord] = ()) -> Schedule:
    """All pairings that are known, in the order in which they are to be begun.

    The order of ``records`` does not matter. Swiss rounds are matched anew each time, 50 ms for one of 30 engines: ask
    when a round is over, not after every pairing. Raises ``PlanError`` for a tournament that cannot be planned and for
    records that are not of this plan.
    """
    if len(tournament.engines) < 2:
        raise PlanError(f"a tournament is between 2 engines or more, not {len(tournament.engines)}")
    played = _by_pairing(records)
    schedule = _FORMATS[tournament.format](Slots(tournament, openings), played)
    _check(schedule, played)
    return schedule


def left_to_play(schedule: Schedule, records: Iterable[PairRecord]) -> list[Pairing]:
    """The plan without what is played, in order."""
    played = {record.pairing for record in records}
    return [pairing for pairing in schedule.pairings if pairing.id not in played]


def repeated_openings(schedule: Schedule) -> int:
    """How many pairings repeat an opening that the same two engines have had: engines that think alike each time play
    the same games again, and what they tell is counted twice.
    """
    had = {(pairing.engines, pairing.opening) for pairing in schedule.pairings}
    return len(schedule.pairings) - len(had)


def _by_pairing(records: Iterable[PairRecord]) -> dict[str, PairRecord]:
    played: dict[str, PairRecord] = {}
    for record in records:
        if record.pairing in played:
            raise PlanError(f"pairing {record.pairing} is recorded twice")
        played[record.pairing] = record
    return played


def _check(schedule: Schedule, played: Played) -> None:
    """Raises ``PlanError`` for records of pairings that this plan does not have, or has otherwise."""
    known = {pairing.id: pairing for pairing in schedule.pairings}
    for name, record in played.items():
        pairing = known.get(name)
        if pairing is None:
            raise PlanError(f"pairing {name} is recorded but not planned: the record is of another tournament")
        if record.engines != (pairing.white, pairing.black) or len(record.games) != 1 + pairing.reverse:
            played_by = " against ".join(record.engines)
            raise PlanError(
                f"pairing {name} is recorded as {len(record.games)} games of {played_by}, but planned as "
                f"{1 + pairing.reverse} of {pairing.white} against {pairing.black}"
            )
