"""Made-up results for the tests of tournaments: games of one ply whose winners a function decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from damd.match.model import EngineSpec, GamePlan, OpeningsSpec, Pairing, Schedule, Tournament
from damd.match.plan import left_to_play, plan
from damd.match.records import GameRecord, PairRecord, PlyRecord, Termination

#: Who wins a game: 0 White, 1 Black, ``None`` nobody.
Judge = Callable[[GamePlan], int | None]


def tournament(names: Sequence[str], **changes: object) -> Tournament:
    """A tournament of engines that there are not, in dam-haji."""
    engines = tuple(EngineSpec(name, (name,)) for name in names)
    given = {"openings": OpeningsSpec(order="sequential"), "variant": "dam-haji", **changes}
    return Tournament(engines=engines, **given)  # type: ignore[arg-type]


def played(pairing: Pairing, judge: Judge) -> PairRecord:
    games = []
    for game in pairing.games():
        winner = judge(game)
        ended = Termination.REPETITION if winner is None else Termination.NO_MOVES
        plies = (PlyRecord("21-17", 0, taken_ms=1.5), PlyRecord("10-14", 1, taken_ms=2.5))
        games.append(GameRecord(game.number, game.white, game.black, winner, ended, plies))
    return PairRecord(pairing.id, tuple(games))


def play_out(asked: Tournament, openings: int, judge: Judge) -> tuple[Schedule, list[PairRecord]]:
    """All of it, a round at a time where the format asks for that."""
    records: list[PairRecord] = []
    while True:
        schedule = plan(asked, openings, records)
        left = left_to_play(schedule, records)
        if not left:
            assert schedule.complete
            return schedule, records
        records += [played(pairing, judge) for pairing in left]


def stronger(names: Sequence[str]) -> Judge:
    """Whoever stands earlier in the list wins."""

    def judge(game: GamePlan) -> int | None:
        return 0 if names.index(game.white) < names.index(game.black) else 1

    return judge


def drawn(game: GamePlan) -> int | None:
    del game
    return None


def thrown(game: GamePlan) -> int | None:
    """White wins, Black wins or nobody does, as the game's seed says."""
    return (0, 1, None)[game.seed % 3]
