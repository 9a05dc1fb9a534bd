"""``damd check``: whether an engine keeps the protocol."""

from __future__ import annotations

from argparse import REMAINDER, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from damd.tools.common import AT_FAULT, DEFAULT_VARIANT, FINE, USAGE, Commands, Named, add_variant_path, fail, say

if TYPE_CHECKING:
    from damd.check.model import Check, Finding, Patience
    from damd.check.run import Introduction

#: Bounds of the numbers on the command line.
_LONGEST_MS, _MOST_TRIES, _MOST_BUDGETS = 60_000, 1000, 20


def add(commands: Commands) -> None:
    check = commands.add_parser(
        "check",
        help="check whether an engine keeps the protocol",
        usage="damd check [options] [COMMAND [ARGUMENT ...]]",
        description="Check an engine: named checks, each in a process of its own. Tells whether each is passed, failed or "
        "skipped, and for a failure what was said. Ends with code 1 where one is failed, or the engine cannot be had.",
    )
    check.add_argument("words", nargs=REMAINDER, metavar="COMMAND", help="the engine, after all options; default: damd")
    check.add_argument("--engine", metavar="CMD", help="the same, as one text")
    check.add_argument("--variant", action=Named, metavar="NAME", help="the game; default: the engine's own")
    check.add_argument("--missed-capture", choices=("rule", "forbidden"), help="default: as the engine has it")
    add_variant_path(check)
    check.add_argument(
        "--option",
        action="append",
        default=[],
        type=_setting,
        metavar="NAME=VALUE",
        help="an option of the engine",
    )
    check.add_argument(
        "--only", action="append", default=[], type=_chosen, metavar="GROUP|NAME", help="only these checks; may be repeated"
    )
    check.add_argument("--list", action="store_true", help="list the checks and what they ask for")
    check.add_argument("--json", action="store_true", help="an object a check, a line each, and one for the whole")
    check.add_argument(
        "--timeout", type=_number(1, 600), default=10, metavar="SECONDS", help="how long an answer may take; default: 10"
    )
    check.add_argument(
        "--margin",
        type=_number(1, _LONGEST_MS),
        default=100,
        metavar="MS",
        help="how late an answer to stop, or by time, may come; default: 100",
    )
    check.add_argument(
        "--budgets",
        type=_budgets,
        default=(50, 200, 500),
        metavar="MS,...",
        help="times of searches; default: 50,200,500",
    )
    check.add_argument(
        "--tries", type=_number(1, _MOST_TRIES), default=5, metavar="N", help="how often each time is measured; default: 5"
    )


def run(options: Namespace) -> int:
    from damd.check.report import listing
    from damd.check.table import CHECKS

    names = {name for chosen in options.only for name in chosen}
    checks = [check for check in CHECKS if not names or check.name in names]
    if options.list:
        say(*listing(checks))
        return FINE
    try:
        command = _command(options)
    except ValueError as fault:
        return fail(str(fault), USAGE)
    return _examine(options, command, checks)


def _examine(options: Namespace, command: Sequence[str], checks: Sequence[Check]) -> int:
    from damd.check.run import Uncheckable
    from damd.tools.signals import run_until_signalled
    from damd.variants import VariantError

    try:
        return run_until_signalled(_checked(options, command, checks))
    except (Uncheckable, VariantError) as fault:
        return fail(str(fault))


async def _checked(options: Namespace, command: Sequence[str], checks: Sequence[Check]) -> int:
    from damd.check.control import Control
    from damd.check.link import ProcessLink
    from damd.check.model import Verdict
    from damd.check.run import Wish, introduce, run_checks

    wish = Wish(options.variant, options.missed_capture, options.variant_path or None, tuple(options.option))
    findings = []
    async with Control() as control:
        introduction = await introduce(lambda: ProcessLink(command), wish, _patience(options), control, DEFAULT_VARIANT)
        if not options.json:
            say(_heading(introduction))
        async for finding in run_checks(checks, introduction):
            findings.append(finding)
            if options.json or not _summed_up(finding, introduction):
                _tell(finding, options.json)
    _tell_whole(introduction, findings, options.json)
    return AT_FAULT if any(finding.verdict is Verdict.FAIL for finding in findings) else FINE


def _summed_up(finding: Finding, introduction: Introduction) -> bool:
    """Whether it was skipped for what keeps all but the handshake from being checked: that is said once."""
    return bool(introduction.obstacle) and finding.detail == introduction.obstacle


def _tell(finding: Finding, as_json: bool) -> None:
    from damd.check.report import as_object, row

    say(*([_json(as_object(finding))] if as_json else row(finding)))


def _tell_whole(introduction: Introduction, findings: Sequence[Finding], as_json: bool) -> None:
    from damd.check.report import counts

    found = counts(findings)
    if as_json:
        say(_json({"engine": introduction.name, "variant": introduction.subject.rules.name, **found}))
    else:
        untold = sum(_summed_up(finding, introduction) for finding in findings)
        say(*([f"skip  all {untold} others: {introduction.obstacle}"] if untold else []))
        say(f"{found['pass']} passed, {found['fail']} failed, {found['skip']} skipped")


def _heading(introduction: Introduction) -> str:
    rules = introduction.subject.rules
    return f"{introduction.name or 'an engine without a name'}, playing {rules.names.title or rules.name}"


def _json(value: dict[str, Any]) -> str:
    import json

    return json.dumps(value)


def _patience(options: Namespace) -> Patience:
    from damd.check.model import Patience

    return Patience(
        answer_s=float(options.timeout),
        search_s=max(60.0, options.timeout),
        end_s=min(5.0, options.timeout),
        check_s=max(120.0, 4.0 * options.timeout),
        margin_ms=float(options.margin),
        budgets_ms=options.budgets,
        tries=options.tries,
    )


def _command(options: Namespace) -> list[str]:
    """The words of the engine's command. Raises ``ValueError``."""
    import os
    import shlex
    import sys

    words: list[str] = options.words
    if words[:1] == ["--"]:
        words = words[1:]
    if words and options.engine is not None:
        raise ValueError(f"which engine? both --engine {options.engine} and {words[0]} are named")
    if options.engine is not None:
        try:
            words = shlex.split(options.engine, posix=os.name != "nt")
        except ValueError as fault:
            raise ValueError(f"--engine {options.engine}: {fault}") from None
        if not words:
            raise ValueError("--engine needs a command")
    return words or [sys.executable, "-m", "damd"]


def _chosen(text: str) -> tuple[str, ...]:
    """The names of the checks that a word of ``--only`` means."""
    from damd.check.model import GROUPS
    from damd.check.table import BY_NAME, CHECKS
    from damd.protocol.words import did_you_mean

    names: list[str] = []
    for word in text.split(","):
        found = [check.name for check in CHECKS if word in (check.name, check.group)]
        if not found:
            hint = did_you_mean(word, (*GROUPS, *BY_NAME)) or f"; groups are {', '.join(GROUPS)}, names are told by --list"
            raise ArgumentTypeError(f"no check or group {word!r}{hint}")
        names += found
    return tuple(names)


def _setting(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not text.isprintable():
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def _number(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise ArgumentTypeError(f"a number from {low} to {high} is needed, not {text[:40]!r}")
        return int(text)

    return number


def _budgets(text: str) -> tuple[int, ...]:
    read = _number(1, _LONGEST_MS)
    budgets = tuple(read(word.strip()) for word in text.split(","))
    if len(budgets) > _MOST_BUDGETS:
        raise ArgumentTypeError(f"at most {_MOST_BUDGETS} times")
    return budgets
