"""``damd check`` finds each fault of an engine, and blames it on no other check."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Collection
from dataclasses import replace

import pytest

from damd import variants
from damd.check.model import Check, Finding, Patience, Verdict
from damd.check.run import Wish, introduce, run_check
from damd.check.table import CHECKS
from faults import FAULTS
from faulty_engine import Fault
from inside import Inside, Punctual

PATIENCE = Patience(quiet_s=0.05, think_s=0.1, margin_ms=400, budgets_ms=(20,), tries=2)
#: For faults that show only in waiting, and checks that are to find them: here a late machine does no harm.
SHORT = replace(PATIENCE, answer_s=1.0, search_s=1.0, end_s=1.0)
#: … and for all checks.
LONGER = replace(PATIENCE, answer_s=5.0, search_s=5.0, end_s=5.0)

_load = functools.cache(variants.load)


@pytest.fixture(autouse=True)
def _rules_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "load", _load)


async def findings(fault: Fault, patience: Patience, checks: Collection[Check]) -> list[Finding]:
    introduction = await introduce(lambda: Inside(fault), Wish(), patience, Punctual(), "dam-haji")
    return list(await asyncio.gather(*(run_check(check, introduction) for check in checks)))


def fails_what_it_should(name: str, patience: Patience, checks: Collection[Check]) -> None:
    expected = FAULTS[name]
    found = asyncio.run(findings(expected.fault, patience, checks))
    failed = {finding.check.name: finding.detail for finding in found if finding.verdict is Verdict.FAIL}
    assert set(failed) == expected.fails, failed
    assert all(finding.detail for finding in found if finding.verdict is not Verdict.PASS)


def test_every_check_has_a_fault_that_it_finds() -> None:
    found = set().union(*(expected.fails for expected in FAULTS.values()))
    assert found == {check.name for check in CHECKS}


#: A process that is left behind takes processes: test_check.py.
INSIDE = [name for name, expected in FAULTS.items() if not expected.fault.leaves_child]


@pytest.mark.parametrize("name", INSIDE)
def test_a_fault_fails_its_checks_and_no_others_of_their_groups(name: str) -> None:
    """Where the fault shows only in waiting the checks that must find it are all that is run."""
    expected = FAULTS[name]
    groups = {check.group for check in CHECKS if check.name in expected.fails or name == "sound"}
    if expected.slow:
        fails_what_it_should(name, SHORT, [check for check in CHECKS if check.name in expected.fails])
    else:
        fails_what_it_should(name, PATIENCE, [check for check in CHECKS if check.group in groups])


@pytest.mark.long
@pytest.mark.parametrize("name", INSIDE)
def test_a_fault_fails_its_checks_and_no_others(name: str) -> None:
    fails_what_it_should(name, LONGER if FAULTS[name].slow else PATIENCE, CHECKS)
