"""From an engine and a game to the findings of all checks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from damd import variants
from damd.check.link import Link
from damd.check.model import Check, Failed, Finding, Patience, Skipped, Verdict
from damd.check.samples import samples_of
from damd.check.talk import Talk
from damd.check.trial import Clerk, Subject, errors_in, opened
from damd.client.errors import EngineError
from damd.client.options import Options
from damd.client.parsing import parse_option
from damd.notation.squares import shown

VARIANT, MISSED, FOLDER = "UCI_Variant", "MissedCapture", "VariantPath"
_HANDSHAKE = "handshake"
#: What an engine says may be long and unprintable.
_DETAIL = 2000
#: Searches by time that a check makes at most, for each budget and try.
_ROUNDS = 2


class Uncheckable(Exception):
    """The engine cannot be had at all, or not with these options; the message is for people."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be checked. ``variant`` and ``missed_capture`` left out are as the engine has them.

    ``folder`` has variant files of the user's own; ``settings`` are names and values of options of the engine.
    """

    variant: str | None = None
    missed_capture: str | None = None
    folder: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Introduction:
    """What the engine has said of itself. ``obstacle`` says why only the handshake can be checked, if so."""

    name: str
    subject: Subject
    obstacle: str = ""


async def introduce(
    connect: Callable[[], Link], wish: Wish, patience: Patience, clerk: Clerk, default_variant: str
) -> Introduction:
    """Start the engine once, to learn its options and its game. Raises ``Uncheckable`` and ``VariantError``."""
    if wish.variant is not None:
        variants.load(wish.variant, wish.folder)  # before anything is started for it
    talk = Talk(connect(), patience)
    try:
        await talk.link.open(talk)
    except EngineError as fault:
        raise Uncheckable(str(fault)) from None
    obstacle, said = "", list[str]()
    try:
        said = await _handshake(talk, wish)
    except Failed as fault:
        obstacle = f"without a handshake nothing else can be checked ({fault})"
    finally:
        await talk.close()
    options = Options(option for line in said if (option := parse_option(line)) is not None)
    name = next((line.split(None, 2)[2] for line in said if line.startswith("id name ") and line[8:].strip()), "")
    return _introduced(shown(name, 80), options, connect, wish, patience, clerk, default_variant, obstacle)


async def run_check(check: Check, introduction: Introduction) -> Finding:
    """Run one check, in processes of its own; none of them is left."""
    subject, patience = introduction.subject, introduction.subject.patience
    if introduction.obstacle and check.group != _HANDSHAKE:
        return Finding(check, Verdict.SKIP, introduction.obstacle, 0.0, ())
    loop = asyncio.get_running_loop()
    begun = loop.time()
    limit = patience.check_s + _ROUNDS * patience.tries * sum(patience.budgets_ms) / 1000
    async with opened(subject) as trial:
        try:
            async with asyncio.timeout(limit):
                verdict, detail = Verdict.PASS, await check.procedure(trial)
        except (Failed, EngineError) as fault:
            verdict, detail = Verdict.FAIL, str(fault)
        except Skipped as reason:
            verdict, detail = Verdict.SKIP, str(reason)
        except TimeoutError:
            verdict, detail = Verdict.FAIL, f"the check is not over after {limit:g} s"
        seconds, transcript = loop.time() - begun, trial.transcript()
    return Finding(check, verdict, shown(detail, _DETAIL), seconds, transcript)


async def run_checks(checks: Sequence[Check], introduction: Introduction) -> AsyncIterator[Finding]:
    """One check after the other, each whatever became of those before it."""
    for check in checks:
        yield await run_check(check, introduction)


async def _handshake(talk: Talk, wish: Wish) -> list[str]:
    """The answer to ``uci``, the one after the user's folder is known to the engine; and that it says when it is ready."""
    talk.send("uci")
    said = [heard.text for heard in await talk.until("uciok")]
    if wish.folder and any(line.split()[1:3] == ["name", FOLDER] for line in said):
        errors = errors_in(await talk.ask(_folder_line(wish.folder)))
        if errors:
            raise Failed(f"its option {FOLDER} is answered by {shown(errors[0], 100)}")
        talk.send("uci")
        said = [heard.text for heard in await talk.until("uciok")]
    await talk.ask()  # without an answer to this every check would wait for one
    return said


def _folder_line(folder: str) -> str:
    """The engine may have another working directory."""
    return f"setoption name {FOLDER} value {os.path.abspath(folder)}"


def _introduced(
    name: str,
    options: Options,
    connect: Callable[[], Link],
    wish: Wish,
    patience: Patience,
    clerk: Clerk,
    default_variant: str,
    obstacle: str,
) -> Introduction:
    declared = options.get(VARIANT)
    own = declared.default if declared is not None and isinstance(declared.default, str) else None
    try:
        rules = variants.load(wish.variant or own or default_variant, wish.folder)
    except variants.VariantError as fault:
        raise Uncheckable(f"{fault}; the engine plays it by default: name another game that it plays") from None
    lines = [_folder_line(wish.folder)] if wish.folder and FOLDER in options else []
    if declared is not None:
        choice = next((each for each in declared.choices if variants.canonical(each) == rules.name), None)
        if choice is not None:
            lines.append(f"setoption name {VARIANT} value {choice}")
        elif not obstacle:
            obstacle = f"the engine does not offer {rules.name}"
    missed = _missed_capture(options, wish)
    if missed == "forbidden":
        rules = rules.without_penalty()
    if wish.missed_capture is not None and MISSED in options:
        lines.append(f"setoption name {MISSED} value {wish.missed_capture}")
    lines += [f"setoption name {option} value {value}" for option, value in wish.settings]
    return Introduction(name, Subject(connect, rules, samples_of(rules), options, tuple(lines), patience, clerk), obstacle)


def _missed_capture(options: Options, wish: Wish) -> str:
    """``rule`` or ``forbidden``: as the user says, otherwise as the engine has it."""
    if wish.missed_capture is not None:
        return wish.missed_capture
    declared = options.get(MISSED)
    return declared.default if declared is not None and isinstance(declared.default, str) else "rule"
