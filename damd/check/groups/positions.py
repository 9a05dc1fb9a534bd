"""Positions and plies that are set up, those that must be refused, and lines of every kind."""

from __future__ import annotations

from collections.abc import Sequence

from damd.check import judge
from damd.check.model import Failed, Skipped
from damd.check.samples import Sample
from damd.check.trial import Trial, errors_in, loud
from damd.core.types import PlyKind
from damd.notation.plies import format_ply
from damd.notation.squares import listed, shown

#: Lines of play that a comparison of counts goes through.
_COUNTED = 20_000
#: More than a line may have.
_TOO_LONG = 70_000


async def start(trial: Trial) -> str:
    return await _set_up(trial, [trial.samples.start])


async def fen(trial: Trial) -> str:
    return await _set_up(trial, [trial.samples.start_fen, trial.samples.white])


async def black_to_move(trial: Trial) -> str:
    return await _set_up(trial, [trial.samples.black])


async def kings(trial: Trial) -> str:
    if not trial.samples.kings:
        raise Skipped(f"in {trial.subject.rules.name} no position with kings goes on")
    return await _set_up(trial, trial.samples.kings)


async def moves_list(trial: Trial) -> str:
    return await _set_up(trial, [trial.samples.game, trial.samples.continued])


async def long_game(trial: Trial) -> str:
    game = trial.samples.long_game
    await _set_up(trial, [game])
    return f"{len(game.plies)} plies"


async def claims(trial: Trial) -> str:
    sample = trial.needs(trial.samples.claim, "with a right to claim")
    talk = await trial.start()
    position = sample.position()
    claim = next(ply for ply in position.plies() if ply.kind is PlyKind.CLAIM)
    text = format_ply(claim, position.board)
    await trial.stands_after(talk, sample)
    await trial.stands_after(talk, Sample(sample.rules, sample.fen, (text,)))
    found = await trial.search(talk, sample, f"go depth 2 searchmoves {text}")
    if found.ply != claim and not errors_in(found.lines):
        raise Failed(f"of the one ply {text} it was to search it makes {shown(found.best.text)}")
    return ""


async def agree(trial: Trial) -> str:
    talk = await trial.start()
    for sample in trial.samples.all:
        await trial.set_up(talk, sample)
        said = await trial.asked(talk, "moves")
        if said is None:
            raise Skipped("it has no command moves")
        position = sample.position()
        theirs = [judge.legal(text, position, "of its moves,") for text in said.split()[1:]]
        missing = [ply for ply in position.plies() if ply not in theirs]
        if missing:
            texts = listed(missing, lambda ply: format_ply(ply, trial.subject.rules.geometry))
            raise Failed(f"after {shown(sample.command, 100)} its moves lack {texts}")
        if len(set(theirs)) < len(theirs):
            raise Failed(f"after {shown(sample.command, 100)} its moves name a ply twice")
    return f"{len(trial.samples.all)} positions"


async def count(trial: Trial) -> str:
    talk = await trial.start()
    for sample in (trial.samples.start, trial.samples.white):
        position = sample.position()
        depth, ours = 1, position.count()
        while ours and depth < 6 and (deeper := position.perft(depth + 1)) <= _COUNTED:
            depth, ours = depth + 1, deeper
        await trial.set_up(talk, sample)
        talk.send(f"perft {depth}", "isready")
        said = [heard.text for heard in await talk.until("total", "error", seconds=trial.patience.search_s)]
        if said[-1].startswith("error unknown-command"):
            raise Skipped("it has no command perft")
        if said[-1].split()[1:] != [str(ours)]:
            raise Failed(f"perft {depth} after {shown(sample.command, 100)}: {shown(said[-1])}, not {ours}")
        if not any(line == "readyok" for line in said):
            await talk.until("readyok")
    return ""


async def result(trial: Trial) -> str:
    talk = await trial.start()
    lost = trial.needs(trial.samples.no_ply, "without a ply")
    for sample in (trial.samples.start, lost):
        await trial.set_up(talk, sample)
        said = await trial.asked(talk, "result")
        if said is None:
            raise Skipped("it has no command result")
        ended = sample.position().outcome()
        ours = ["ongoing"]
        if ended is not None:
            ours = ["draw" if ended.winner is None else ("white", "black")[ended.winner], ended.reason.value]
        if said.split()[1 : 1 + len(ours)] != ours:
            raise Failed(f"after {shown(sample.command, 100)}: {shown(said)}, expected result {' '.join(ours)}")
    return ""


async def illegal_ply(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.game
    await trial.set_up(talk, sample)
    wrong = trial.samples.illegal(sample)
    lines = [f"{sample.command} {wrong}", f"position startpos moves {' '.join((*sample.plies[:3], sample.plies[1]))}"]
    if _is_legal(Sample(sample.rules, None, sample.plies[:3]), sample.plies[1]):
        lines.pop()
    for line in lines:
        said = await talk.ask(line)
        if not errors_in(said, "illegal-ply", "ambiguous-ply"):
            raise Failed(
                f"{shown(line, 200)} holds an illegal ply and is answered by {_said(said)}: expected error illegal-ply"
            )
        await trial.stands_at(talk, sample, "after an illegal ply the position stays what it was, but")
    return ""


async def bad_fen(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.game
    await trial.set_up(talk, sample)
    texts = trial.samples.bad_fens()
    for text in texts:
        said = await talk.ask(f"position fen {text}")
        if not errors_in(said, "bad-fen"):
            raise Failed(f"{text} is no position and is answered by {_said(said)}: expected error bad-fen")
        await trial.stands_at(talk, sample, f"after the bad FEN {text} the position stays what it was, but")
    return f"{len(texts)} of them"


async def half_position(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.game
    await trial.set_up(talk, sample)
    for line in ("position", "position fen", "position nowhere"):
        said = await talk.ask(line)
        if not errors_in(said):
            raise Failed(f"{line} is answered by {_said(said)}: expected an error line")
    await trial.stands_at(talk, sample, "after such lines the position stays what it was, but")
    return ""


async def unknown_command(trial: Trial) -> str:
    talk = await trial.start()
    said = await talk.ask("frobnicate uci", "quitt")
    if any(line.split()[:1] == ["uciok"] for line in said):
        raise Failed("of a line with an unknown first word it reads on: frobnicate uci is answered by uciok")
    if len(errors_in(said, "unknown-command")) < 2:
        raise Failed(f"two unknown commands are answered by {_said(said)}: expected error unknown-command for each")
    return ""


async def long_line(trial: Trial) -> str:
    talk = await trial.start()
    await trial.set_up(talk, trial.samples.game)
    said = await talk.ask("position startpos moves " + "1-1 " * (_TOO_LONG // 4))
    if not errors_in(said):
        raise Failed(f"a line of {_TOO_LONG} bytes is answered by {_said(said)}: expected error too-long")
    await trial.stands_at(talk, trial.samples.game, "after a line that is too long the position stays what it was, but")
    talk.send("isready" + " " * 60_000)
    await talk.until("readyok")
    return ""


async def not_ascii(trial: Trial) -> str:
    talk = await trial.start()
    await trial.set_up(talk, trial.samples.game)
    for data in ("position fen W:Wé:B€".encode(), b"setoption name Book value C:\\donn\xe9es", b"\xff\xfe\x00\x01"):
        talk.send_bytes(data + b"\n")
        said = await trial.alive(talk, after=f"the bytes {data!r}")
        if not errors_in(said):
            raise Failed(f"the bytes {data!r} are answered by {_said(said)}: expected an error line")
    await trial.stands_at(talk, trial.samples.game, "after such lines the position stays what it was, but")
    return ""


async def blanks(trial: Trial) -> str:
    talk = await trial.start()
    said = loud(await talk.ask("", "   ", "\t"))
    if said:
        raise Failed(f"lines without words are answered by {shown(said[0], 100)}")
    talk.send("\tisready  ")
    await talk.until("readyok")
    sample = trial.samples.game
    errors = errors_in(await talk.ask("  " + sample.command.replace(" ", "  \t ") + " "))
    if errors:
        raise Failed(f"more than one blank between words is answered by {shown(errors[0], 100)}")
    await trial.stands_at(talk, sample, "after a position with many blanks")
    return ""


async def line_ends(trial: Trial) -> str:
    talk = await trial.start()
    sample = trial.samples.game
    errors = errors_in(await talk.ask(sample.command + "\r"))
    if errors:
        raise Failed(f"a line that ends with CR LF is answered by {shown(errors[0], 100)}")
    await trial.stands_at(talk, sample, "after a position that ends with CR LF")
    talk.send("go depth 1\r")
    await trial.answer(talk, sample)
    return ""


async def _set_up(trial: Trial, samples: Sequence[Sample]) -> str:
    talk = await trial.start()
    for sample in samples:
        await trial.stands_after(talk, sample)
        await trial.search(talk, sample, "go depth 1")
    return ""


def _is_legal(sample: Sample, text: str) -> bool:
    try:
        judge.legal(text, sample.position())
    except Failed:
        return False
    return True


def _said(lines: Sequence[str]) -> str:
    return shown(lines[0], 100) if lines else "nothing"
