"""Findings as a table for people, and as objects for programs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from damd.check.model import Check, Finding, Verdict
from damd.client.parsing import first_word

#: Of what was said in a failed check people are shown the last lines.
_SHOWN_LINES = 24
#: Lines of one kind in a row, more than these, are told by their first and last.
_ALIKE = 3


def row(finding: Finding) -> list[str]:
    """The finding's line of the table; below a failure what was said."""
    check = finding.check
    text = finding.detail if finding.verdict is not Verdict.PASS or finding.detail else ""
    lines = [f"{finding.verdict.value}  {check.group:<9}  {check.name:<22}  {text}".rstrip()]
    if finding.verdict is Verdict.FAIL:
        lines.append(f"      a sound engine {check.promise}{'; what was said:' if finding.transcript else ''}")
        lines += [f"      {line}" for line in told(finding.transcript)]
    return lines


def told(transcript: Sequence[str]) -> list[str]:
    """The end of a transcript, without the middle of long stretches of one kind of line."""
    condensed: list[str] = []
    for _, alike in groupby(transcript, key=lambda line: (line[:2], first_word(line[2:]))):
        lines = list(alike)
        if len(lines) > _ALIKE:
            lines = [lines[0], f"{lines[0][:1]} ... {len(lines) - 2} more", lines[-1]]
        condensed += lines
    left_out = len(condensed) - _SHOWN_LINES
    return condensed if left_out <= 0 else [f"... {left_out} lines before", *condensed[-_SHOWN_LINES:]]


def listing(checks: Sequence[Check]) -> list[str]:
    """What the checks ask for, a line a check."""
    return [f"{check.group:<9}  {check.name:<22}  {check.promise}" for check in checks]


def as_object(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check.name,
        "group": finding.check.group,
        "promise": finding.check.promise,
        "verdict": finding.verdict.value,
        "detail": finding.detail,
        "seconds": round(finding.seconds, 3),
        "transcript": list(finding.transcript) if finding.verdict is Verdict.FAIL else [],
    }


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """How many passed, failed and were skipped, in this order."""
    return {verdict.value: sum(finding.verdict is verdict for finding in findings) for verdict in Verdict}
