"""How much time an engine takes beside what it is given."""

from __future__ import annotations

from collections.abc import Callable

from damd.check.model import Failed
from damd.check.samples import Sample
from damd.check.talk import Talk
from damd.check.timing import Timing, judge
from damd.check.trial import Trial

#: With next to nothing on its clock an engine must answer within so long.
_AT_ONCE_MS = 1000


async def movetime(trial: Trial) -> str:
    return await _budgets(trial, lambda budget: f"go movetime {budget}")


async def clock(trial: Trial) -> str:
    """A turn that takes all of the clock loses the game."""
    return await _budgets(trial, lambda budget: f"go wtime {budget} btime {budget}")


async def last_turn(trial: Trial) -> str:
    """The last turn before the time control may have all of the clock, and no more."""
    return await _budgets(trial, lambda budget: f"go wtime {budget} btime {budget} movestogo 1")


async def no_time(trial: Trial) -> str:
    talk = await trial.start()
    limits = ("movetime 0", "wtime 0 btime 0", "wtime -500 btime -500", "wtime 1 btime 1 winc 0 binc 0")
    samples = (trial.samples.white, trial.samples.black)
    timings = [await _timed(trial, talk, sample, f"go {limit}", 0) for limit in limits for sample in samples]
    return judge(timings, _AT_ONCE_MS, "answers")


async def negative_movetime(trial: Trial) -> str:
    talk = await trial.start()
    timings = [await _timed(trial, talk, trial.samples.white, "go movetime -1", 0) for _ in range(3)]
    return judge(timings, _AT_ONCE_MS, "answers")


async def _budgets(trial: Trial, go: Callable[[int], str]) -> str:
    talk = await trial.start()
    timings = []
    for budget in trial.patience.budgets_ms:
        for number in range(trial.patience.tries):
            sample = (trial.samples.white, trial.samples.black)[number % 2]
            timings.append(await _timed(trial, talk, sample, go(budget), budget))
    return judge(timings, trial.patience.margin_ms, f"over {', '.join(map(str, trial.patience.budgets_ms))} ms")


async def _timed(trial: Trial, talk: Talk, sample: Sample, go: str, budget_ms: int) -> Timing:
    await trial.set_up(talk, sample)
    async with trial.subject.clerk.watching() as watch:
        begun = talk.now
        talk.send(go)
        try:
            found = await trial.answer(talk, sample, trial.patience.answer_s + budget_ms / 1000)
        except Failed as fault:
            raise Failed(f"{go}: {fault}") from None
    return Timing(1000 * (found.best.at - begun) - budget_ms, watch.late_ms)
