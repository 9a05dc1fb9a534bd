"""One game under the arbiter's eyes, played by contestants in this process whose answers and times are made up."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest

from damd.client import Limit
from damd.core.position import Position
from damd.core.types import PlyKind
from damd.match.arbiter import Arbiter
from damd.match.events import Event
from damd.match.model import Adjudication, EngineSpec, GamePlan, Opening, Tournament
from damd.match.player import Answer
from damd.match.records import GameRecord, Termination
from damd.match.timecontrol import parse_time_control
from damd.notation.plies import format_ply
from damd.variants import load

PLAN = GamePlan("1-1.1", 1, "w", "b", 7)


class Scripted:
    """Gives these answers; afterwards it resigns. ``asked`` has the limit of every question."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[Limit] = []
        self.told: list[tuple[str, str]] = []
        self.offers: list[bool] = []

    async def new_game(self, seed: int) -> None:
        assert seed == PLAN.seed

    async def choose(
        self,
        fen: str,  # noqa: ARG002
        plies: Sequence[str],  # noqa: ARG002
        limit: Limit,
        allowed_ms: float | None,  # noqa: ARG002
        draw_offered: bool,
    ) -> Answer:
        self.asked.append(limit)
        self.offers.append(draw_offered)
        return self._answers.pop(0) if self._answers else Answer(None, 0.0, resigns=True)

    async def game_over(self, outcome: str, reason: str) -> None:
        self.told.append((outcome, reason))

    async def drop(self) -> None:
        return


def played(variant: str, opening: Opening, white: Scripted, black: Scripted, time: str = "10+1") -> GameRecord:
    engines = (EngineSpec("w", ("w",)), EngineSpec("b", ("b",)))
    given = Tournament(
        engines, variant=variant, time=parse_time_control(time), adjudication=Adjudication(max_plies=0), margin_ms=50
    )
    events: list[Event] = []
    return asyncio.run(Arbiter(given, load(variant), opening, PLAN, (white, black), events.append).play())


def behind_a_missed_capture(variant: str) -> tuple[Opening, str, str]:
    """An opening behind which the side to move may claim, its claim, and a ply that it may play behind that."""
    dice = random.Random(1)
    while True:
        position, texts = Position(load(variant)), list[str]()
        while position.outcome() is None:
            plies = position.plies()
            claim = next((ply for ply in plies if ply.kind is PlyKind.CLAIM), None)
            if claim is not None:
                text = format_ply(claim, position.board)
                position.play(claim)
                behind = next(ply for ply in position.plies() if ply.kind is not PlyKind.CLAIM)
                return Opening("", tuple(texts)), text, format_ply(behind, position.board)
            ply = dice.choice([ply for ply in plies if ply.kind is PlyKind.QUIET] or plies)
            texts.append(format_ply(ply, position.board))
            position.play(ply)


@pytest.mark.parametrize("variant", ["dam-haji", "dam-daman"])
def test_a_claim_keeps_the_clock_running_and_brings_no_increment(variant: str) -> None:
    opening, claim, ply = behind_a_missed_capture(variant)
    side = len(opening.plies) % 2
    claimant, other = Scripted(Answer(claim, 400.0), Answer(ply, 600.0)), Scripted()
    game = played(variant, opening, *((claimant, other), (other, claimant))[side])
    found = [(one.text, one.side, one.clock_ms) for one in game.plies]
    assert found == [(claim, side, 9600.0), (ply, side, 10_000.0)]
    left = [limit.black_time_ms if side else limit.white_time_ms for limit in claimant.asked]
    assert left == [10_000, 9600]
    assert (game.winner, game.termination) == (side, Termination.RESIGNATION)
    assert claimant.told == other.told == [(("white", "black")[side], "resignation")]


def test_who_is_late_has_lost_whatever_he_says() -> None:
    late = 10_050.1
    answers = {
        "a ply": Answer("22-18", late),
        "an illegal ply": Answer("1-32", late),
        "nothing": Answer(None, late),
        "resigns": Answer(None, late, resigns=True),
        "agrees": Answer("11-15", late, draw=True),
    }
    for name, answer in answers.items():
        offer = name == "agrees"
        white = Scripted(Answer("22-18", 1.0, draw=True)) if offer else Scripted(answer)
        game = played("dam-haji", Opening(), white, Scripted(answer) if offer else Scripted())
        assert (game.winner, game.termination, game.note) == (int(not offer), Termination.TIME, "late by 50 ms"), name
    in_time = played("dam-haji", Opening(), Scripted(Answer("22-18", 10_050.0)), Scripted())
    assert in_time.termination is Termination.RESIGNATION, "the margin is forgiven"
    assert in_time.plies[0].over_ms == 50.0


def test_an_offer_stands_until_it_is_declined() -> None:
    white = Scripted(Answer("22-18", 1.0, draw=True), Answer("25-22", 1.0, draw=True))
    black = Scripted(Answer("11-16", 1.0), Answer("10-14", 1.0, draw=True))
    game = played("dam-haji", Opening(), white, black)
    assert game.termination is Termination.AGREEMENT
    assert (white.offers, black.offers) == ([False, False], [True, True])
    assert [ply.text for ply in game.plies] == ["22-18", "11-16", "25-22"], "the acceptance is not played"
    assert white.told == black.told == [("draw", "agreement")]


def test_moves_and_time_begin_anew_with_each_period() -> None:
    white = Scripted(Answer("22-18", 400.0), Answer("25-22", 300.0), Answer("29-25", 100.0))
    black = Scripted(Answer("11-16", 1.0), Answer("8-11", 1.0), Answer("4-8", 1.0))
    game = played("dam-haji", Opening(), white, black, "2/1")
    assert [ply.clock_ms for ply in game.plies_of("w")] == [600.0, 1300.0, 1200.0]
    assert [limit.moves_to_go for limit in white.asked] == [2, 1, 2, 1]
