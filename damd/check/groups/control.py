"""An engine that is spoken to while it thinks."""

from __future__ import annotations

from damd.check.model import Failed
from damd.check.samples import Sample
from damd.check.talk import Talk
from damd.check.timing import Timing, judge
from damd.check.trial import Trial, errors_in, loud
from damd.notation.squares import shown


async def stop(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    timings = []
    for _ in range(trial.patience.tries):
        await _think(trial, talk, sample, "go infinite", trial.patience.think_s / 4)
        async with trial.subject.clerk.watching() as watch:
            begun = talk.now
            talk.send("stop")
            found = await trial.answer(talk, sample)
        timings.append(Timing(1000 * (found.best.at - begun), watch.late_ms))
    return judge(timings, trial.patience.margin_ms, "stop to bestmove")


async def stop_at_once(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    for _ in range(3):
        await trial.set_up(talk, sample)
        talk.send("go infinite", "stop")
        found = await trial.answer(talk, sample)
        if not any(info.pv for info in found.infos):
            raise Failed("a search that is stopped at once is answered without an info line that has a pv")
    await trial.nothing_more(talk)
    return ""


async def ready_while_thinking(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    await _think(trial, talk, sample, "go infinite", trial.patience.think_s / 4)
    for _ in range(3):
        talk.send("isready")
        if any(heard.word == "bestmove" for heard in await talk.until("readyok")):
            raise Failed("isready ends its search")
    await _stopped(trial, talk, sample)
    return ""


async def infinite_waits(trial: Trial) -> str:
    talk = await trial.start()
    for sample in (trial.samples.one_ply, trial.samples.no_ply, trial.samples.white):
        if sample is not None:
            await _think(trial, talk, sample, "go infinite", trial.patience.think_s)
            await _stopped(trial, talk, sample)
    return ""


async def no_limit(trial: Trial) -> str:
    talk = await trial.start()
    await _think(trial, talk, trial.samples.white, "go", trial.patience.think_s)
    await _stopped(trial, talk, trial.samples.white)
    return ""


async def stop_again(trial: Trial) -> str:
    """A stop that nobody has heeded must not end the next search."""
    talk = await trial.start()
    sample = trial.samples.white
    await _think(trial, talk, sample, "go infinite", 0.0)
    talk.send("stop", "stop")
    await trial.answer(talk, sample)
    await _think(trial, talk, sample, "go infinite", trial.patience.think_s)
    await _stopped(trial, talk, sample)
    return ""


async def idle(trial: Trial) -> str:
    talk = await trial.start()
    said = loud([*await talk.ask("stop", "ponderhit"), *await talk.silence(trial.patience.quiet_s)])
    if said:
        raise Failed(f"stop and ponderhit without a search are answered by {shown(said[0], 100)}")
    await trial.search(talk, trial.samples.start, "go depth 1")
    return ""


async def ponder_hit(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.black
    for limit in ("depth 2", "movetime 50", "wtime 300 btime 300"):
        await _think(trial, talk, sample, f"go ponder {limit}", trial.patience.think_s / 2)
        talk.send("ponderhit")
        await trial.answer(talk, sample, trial.patience.answer_s)
    await trial.nothing_more(talk)
    return ""


async def ponder_miss(trial: Trial) -> str:
    talk = await trial.start()
    for sample in (trial.samples.black, trial.samples.no_ply):
        if sample is not None:
            await _think(trial, talk, sample, "go ponder depth 2", trial.patience.think_s / 2)
            await _stopped(trial, talk, sample)
    await trial.search(talk, trial.samples.white, "go depth 1")
    return ""


async def go_while_thinking(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    await _think(trial, talk, sample, "go infinite", 0.0)
    refused = await talk.ask("go depth 1")
    if any(line.split()[:1] == ["bestmove"] for line in refused):
        raise Failed("a go during a search without end ends that search")
    if not errors_in(refused, "searching"):
        raise Failed("a go during a search without end is not answered by error searching")
    await _stopped(trial, talk, sample)
    return ""


async def waiting_lines(trial: Trial) -> str:
    """Lines behind a search that ends by itself are obeyed after it, in order."""
    talk = await trial.start()
    first, second = trial.samples.white, trial.samples.black
    await trial.set_up(talk, first)
    talk.send("go depth 3", second.command, "go depth 2")
    await trial.answer(talk, first)
    await trial.answer(talk, second)
    await trial.nothing_more(talk)
    return ""


async def changes(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    await _think(trial, talk, sample, "go infinite", 0.0)
    for line in (trial.samples.game.command, "ucinewgame", "setoption name Hash value 1"):
        said = await talk.ask(line)
        if any(heard.split()[:1] == ["bestmove"] for heard in said):
            raise Failed(f"{shown(line, 60)} ends its search, which only stop may")
        if not errors_in(said, "searching"):
            raise Failed(f"{shown(line, 60)} during a search without end is not answered by error searching")
    await _stopped(trial, talk, sample)
    await trial.stands_at(talk, sample, "a position that is sent during a search without end is refused, but")
    return ""


async def _think(trial: Trial, talk: Talk, sample: Sample, go: str, seconds: float) -> None:
    """A search that must not end by itself, watched for so long. Raises ``Failed`` where it does."""
    await trial.set_up(talk, sample)
    talk.send(go)
    answered = await talk.first_of("bestmove", seconds)
    if answered is not None:
        end = "ponderhit or stop" if "ponder" in go else "stop"
        raise Failed(f"{go} is answered before {end}: {shown(answered.text)}")


async def _stopped(trial: Trial, talk: Talk, sample: Sample) -> None:
    """Its one answer comes after ``stop``. Raises ``Failed``."""
    talk.send("stop")
    await trial.answer(talk, sample, trial.patience.answer_s)
    await trial.nothing_more(talk)
