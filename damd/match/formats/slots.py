"""What all formats share: the order of the openings, pairings with their ids and seeds, and what is played already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from damd.match.model import Pairing, PlanError, Tournament, derived_seed, shuffled
from damd.match.records import PairRecord

#: What is played, by the pairing's id.
Played = Mapping[str, PairRecord]


class Slots:
    """Makes the pairings of one tournament. ``openings`` is how many there are to choose from, one at least."""

    def __init__(self, tournament: Tournament, openings: int) -> None:
        if openings < 1:
            raise PlanError("there is no opening to play: a list of openings has to have one at least")
        self.tournament = tournament
        spec = tournament.openings
        order = shuffled(openings, tournament.seed, "openings") if spec.order == "shuffled" else list(range(openings))
        self._order = order[: spec.limit or openings]

    @property
    def openings(self) -> int:
        """How many openings are used."""
        return len(self._order)

    def pairing(self, round_number: int, number: int, white: str, black: str, turn: int) -> Pairing:
        """One pairing. ``turn`` counts openings from 0: behind the last one they begin again."""
        name = f"{round_number}-{number}"
        return Pairing(
            id=name,
            round=round_number,
            number=number,
            white=white,
            black=black,
            opening=self._order[turn % self.openings],
            seed=derived_seed(self.tournament.seed, name),
            reverse=self.tournament.reverse,
        )


def points_of(pairings: Iterable[Pairing], played: Played) -> dict[str, int]:
    """The points that each engine has from those of the pairings that are played."""
    points: dict[str, int] = {}
    for pairing in pairings:
        record = played.get(pairing.id)
        if record is not None:
            for name in record.engines:
                points[name] = points.get(name, 0) + record.points(name)
    return points
