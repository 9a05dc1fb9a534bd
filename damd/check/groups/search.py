"""Searches and their answers."""

from __future__ import annotations

from itertools import permutations

from damd.check import judge
from damd.check.model import Failed, Skipped
from damd.check.samples import Sample
from damd.check.talk import Talk
from damd.check.trial import Answer, Trial, errors_in
from damd.client.types import InfoLine
from damd.core.types import Ply, PlyKind
from damd.notation.plies import format_ply
from damd.notation.squares import shown

_DEPTH, _NODES = 3, 1000
_LINES = 3


async def depth(trial: Trial) -> str:
    talk = await trial.start()
    for go in ("go depth 1", f"go depth {_DEPTH}"):
        await trial.search(talk, trial.samples.game, go)
    return ""


async def nodes(trial: Trial) -> str:
    talk = await trial.start()
    for go in ("go nodes 1", f"go nodes {_NODES}"):
        await trial.search(talk, trial.samples.game, go)
    return ""


async def movetime(trial: Trial) -> str:
    talk = await trial.start()
    for sample in (trial.samples.white, trial.samples.black):
        await trial.search(talk, sample, "go movetime 30", _patience_s(trial, 30))
    return ""


async def clocks(trial: Trial) -> str:
    talk = await trial.start()
    for sample in (trial.samples.white, trial.samples.black):
        for go in ("go wtime 300 btime 300", "go wtime 200 btime 200 winc 20 binc 20", "go wtime 300 btime 300 movestogo 5"):
            await trial.search(talk, sample, go, _patience_s(trial, 300))
    return ""


async def any_order(trial: Trial) -> str:
    talk = await trial.start()
    parts = ("wtime 200", "btime 200", "winc 10 binc 10", "depth 1")
    for order in list(permutations(parts))[::5]:
        found = await trial.search(talk, trial.samples.white, "go " + " ".join(order), _patience_s(trial, 200))
        if errors_in(found.lines):
            raise Failed(f"go {' '.join(order)} is answered by {shown(errors_in(found.lines)[0], 100)}")
    return ""


async def one_answer(trial: Trial) -> str:
    talk = await trial.start()
    for go in (f"go depth {_DEPTH}", f"go nodes {_NODES}", "go movetime 20"):
        await trial.search(talk, trial.samples.game, go)
        await trial.nothing_more(talk)
    return ""


async def legal(trial: Trial) -> str:
    talk = await trial.start()
    for sample in trial.samples.all:
        await trial.search(talk, sample, f"go depth {_DEPTH - 1}")
    return f"{len(trial.samples.all)} positions"


async def spelling(trial: Trial) -> str:
    talk = await trial.start()
    for sample in trial.samples.all:
        found = await trial.search(talk, sample, "go depth 1")
        text = found.best.text.split()[1]
        fault = judge.spelling_fault(text, found.ply, sample.position()) if found.ply is not None else ""
        if fault:
            raise Failed(fault)
    return ""


async def infos(trial: Trial) -> str:
    talk = await trial.start()
    for sample in trial.samples.all:
        for line in (await trial.search(talk, sample, f"go depth {_DEPTH}")).lines:
            fault = judge.info_fault(line) if line.split()[:1] == ["info"] else "no info line"
            if fault and line.split()[:1] != ["error"]:
                raise Failed(f"{shown(line, 150)}: {fault}")
    return ""


async def told(trial: Trial) -> str:
    talk = await trial.start()
    for go in ("go nodes 1", "go depth 1"):
        found = await trial.search(talk, trial.samples.white, go)
        if not any(info.pv and info.score is not None for info in found.infos):
            raise Failed(f"{go} is answered without an info line that has a score and a pv")
    return ""


async def variation(trial: Trial) -> str:
    talk = await trial.start()
    for sample in trial.samples.all:
        found = await trial.search(talk, sample, f"go depth {_DEPTH}")
        best = None
        for info in found.infos:
            plies = judge.variation(info.pv, sample.position(), f"the pv of {shown(info.raw, 100)}") if info.pv else []
            best = plies[0] if plies and (info.multipv or 1) == 1 and not _bound(info) else best
        if best is not None and best != found.ply:
            raise Failed(f"{shown(found.best.text)} is not the first ply of its last pv, {_text(best, sample)}")
    return ""


async def scores(trial: Trial) -> str:
    talk = await trial.start()
    for sample in (trial.samples.white, trial.samples.black):
        found = await trial.search(talk, sample, f"go depth {_DEPTH}")
        scored = [info for info in found.infos if info.score is not None and (info.multipv or 1) == 1]
        if not scored:
            raise Failed("no info line has a score")
        if _bound(scored[-1]):
            raise Failed(f"the last score before bestmove is only a bound: {shown(scored[-1].raw, 100)}")
        if any(info.score is not None and info.score.kind == "mate" and info.score.value == 0 for info in scored):
            raise Failed("score mate 0 where there are plies: a win is in 1 or more turns, a loss in -1 or fewer")
    return ""


async def no_ply(trial: Trial) -> str:
    sample = trial.needs(trial.samples.no_ply, "without a ply")
    talk = await trial.start()
    for go in ("go depth 5", "go movetime 20", "go nodes 10", "go wtime 1000 btime 1000"):
        await trial.search(talk, sample, go)
        await trial.alive(talk, after="a search without a legal ply")
    return ""


async def one_ply(trial: Trial) -> str:
    sample = trial.needs(trial.samples.one_ply, "with one ply")
    talk = await trial.start()
    for go in ("go depth 2", "go movetime 20", "go wtime 1000 btime 1000"):
        await trial.search(talk, sample, go)
    return ""


async def expected_answer(trial: Trial) -> str:
    talk = await trial.start()
    samples = [*trial.samples.all, *([trial.samples.one_ply] if trial.samples.one_ply is not None else [])]
    told_of = 0
    for sample in samples:
        found = await trial.search(talk, sample, f"go depth {_DEPTH - 1}")
        if found.ponder is not None:
            _ponder_is_right(found, sample)
            told_of += 1
    return f"{told_of} of {len(samples)} answers have one"


async def searchmoves(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    plies = sample.position().plies()
    chosen = [plies[-1], plies[len(plies) // 2]]
    texts = " ".join(_text(ply, sample) for ply in chosen)
    for go in (f"go depth {_DEPTH} searchmoves {texts}", f"go searchmoves {texts} depth 1"):
        found = await trial.search(talk, sample, go)
        if any("searchmoves" in line for line in errors_in(found.lines)):
            raise Skipped("it says that it does not know searchmoves")
        if found.ply not in chosen:
            raise Failed(f"{go} is answered by {shown(found.best.text)}")
    return ""


async def bad_limits(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.white
    for go in (
        "go depth 0",
        "go nodes 0",
        "go movetime nan",
        "go depth",
        "go nodes many",
        "go frobnicate 7",
        "go depth x y z",
    ):
        await trial.search(talk, sample, go)
        await trial.alive(talk, after=go)
    for go in ("go depth 999999999999", "go nodes 99999999999999999999"):
        await trial.set_up(talk, sample)
        talk.send(go)
        await _answer_or_stop(trial, talk, sample)
    return ""


async def same_position(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.game
    await trial.set_up(talk, sample)
    for _ in range(3):
        talk.send(f"go depth {_DEPTH}")
        await trial.answer(talk, sample)
    await trial.stands_at(talk, sample, "after three searches of the same position")
    return ""


async def several_lines(trial: Trial) -> str:
    if "MultiPV" not in trial.options:
        raise Skipped("it declares no option MultiPV")
    talk = await trial.start()
    sample = trial.samples.white
    errors = errors_in(await talk.ask(f"setoption name MultiPV value {_LINES}"))
    if errors:
        raise Failed(f"setoption name MultiPV value {_LINES} is answered by {shown(errors[0], 100)}")
    found = await trial.search(talk, sample, f"go depth {_DEPTH}")
    deepest = max((info.depth or 0 for info in found.infos if info.pv and not _bound(info)), default=0)
    last = [info for info in found.infos if info.pv and not _bound(info) and info.depth == deepest]
    firsts = {info.multipv: judge.legal(info.pv[0], sample.position(), "of a pv,") for info in last}
    wanted = min(_LINES, len(sample.position().plies()))
    if sorted(rank or 0 for rank in firsts) != list(range(1, wanted + 1)) or len(set(firsts.values())) < wanted:
        raise Failed(f"with MultiPV {_LINES} the lines of depth {deepest} are not {wanted} different ones, ranked from 1")
    return ""


async def _answer_or_stop(trial: Trial, talk: Talk, sample: Sample) -> None:
    """One answer: soon, or after ``stop``."""
    said = await talk.first_of("bestmove", trial.patience.think_s)
    if said is None:
        talk.send("stop")
        await trial.answer(talk, sample)
    else:
        judge.answer(said.text, sample.position())
    await trial.nothing_more(talk)


def _ponder_is_right(found: Answer, sample: Sample) -> None:
    position = sample.position()
    if found.ply is None or found.ply.kind is PlyKind.CLAIM:
        raise Failed(f"{shown(found.best.text)}: beside a claim there is no ponder")
    position.play(found.ply)
    if position.outcome() is not None:
        raise Failed(f"{shown(found.best.text)}: the game is over then, there is no ponder")
    judge.legal(found.ponder or "", position, "ponder")


def _bound(info: InfoLine) -> bool:
    return info.score is not None and bool(info.score.bound)


def _text(ply: Ply, sample: Sample) -> str:
    return format_ply(ply, sample.rules.geometry)


def _patience_s(trial: Trial, milliseconds: float) -> float:
    return trial.patience.answer_s + milliseconds / 1000
