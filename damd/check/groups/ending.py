"""How an engine ends, and what it leaves."""

from __future__ import annotations

from damd.check.model import Failed
from damd.check.talk import Talk
from damd.check.trial import Trial, loud
from damd.notation.squares import shown


async def quit_idle(trial: Trial) -> str:
    talk = await trial.start()
    talk.send("quit")
    said = loud(await talk.ending(trial.patience.end_s))
    if said:
        raise Failed(f"quit is answered by {shown(said[0], 100)}")
    return _ended_well(talk)


async def quit_thinking(trial: Trial) -> str:
    talk = await _thinking(trial)
    talk.send("quit")
    return _one_answer(talk, await talk.ending(trial.patience.end_s))


async def end_of_input(trial: Trial) -> str:
    talk = await trial.start()
    talk.close_input()
    said = loud(await talk.ending(trial.patience.end_s))
    if said:
        raise Failed(f"the end of input is answered by {shown(said[0], 100)}")
    return _ended_well(talk)


async def input_ends(trial: Trial) -> str:
    talk = await _thinking(trial)
    talk.close_input()
    return _one_answer(talk, await talk.ending(trial.patience.end_s))


async def piped(trial: Trial) -> str:
    """A script that is piped into the engine is answered in full."""
    talk = await trial.start()
    talk.send(trial.samples.game.command, "go depth 4", trial.samples.start.command, "go depth 2")
    talk.close_input()
    said = await talk.ending(trial.patience.search_s)
    answers = [line for line in said if line.split()[:1] == ["bestmove"]]
    if len(answers) != 2:
        raise Failed(f"two bounded searches and the end of input are answered by {len(answers)} bestmove: expected 2")
    return _ended_well(talk)


async def last_line(trial: Trial) -> str:
    """The last line before the end of input needs no end of its own."""
    talk = await trial.start()
    talk.send_bytes(b"isready")
    talk.close_input()
    said = loud(await talk.ending(trial.patience.end_s))
    if said != ["readyok"]:
        raise Failed(
            f"isready without a line end, and the end of input, are answered by {shown(said[0], 100) if said else 'nothing'}"
        )
    return _ended_well(talk)


async def client_died(trial: Trial) -> str:
    talk = await _thinking(trial)
    talk.hang_up()
    await talk.ending(trial.patience.end_s)
    return ""


async def nothing_left(trial: Trial) -> str:
    for leave in (lambda talk: talk.send("quit"), Talk.close_input):
        talk = await _thinking(trial)
        talk.link.note_offspring()
        leave(talk)
        await talk.ending(trial.patience.end_s)
        left = await talk.link.left_behind()
        if left:
            raise Failed(f"processes that it has started live on: {', '.join(map(str, left))}")
    return ""


async def _thinking(trial: Trial) -> Talk:
    talk = await trial.start()
    await trial.set_up(talk, trial.samples.white)
    talk.send("go infinite")
    answered = await talk.first_of("bestmove", trial.patience.think_s / 4)
    if answered is not None:
        raise Failed(f"go infinite is answered before stop: {shown(answered.text, 100)}")
    return talk


def _one_answer(talk: Talk, said: list[str]) -> str:
    """A search that is ended so has its one answer."""
    answers = [line for line in said if line.split()[:1] == ["bestmove"]]
    if len(answers) != 1:
        raise Failed(f"its search is answered by {len(answers)} bestmove: expected 1")
    return _ended_well(talk)


def _ended_well(talk: Talk) -> str:
    if talk.exit_code != 0:
        raise Failed(f"its exit code is {talk.exit_code}: expected 0")
    return ""
