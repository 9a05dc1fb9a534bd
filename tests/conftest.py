"""Options of the test run: ``--long`` runs the tests marked ``long`` too, which are left out otherwise."""

from __future__ import annotations

import signal

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked `long` too")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--long") and config.option.markexpr == "not long":
        config.option.markexpr = ""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # Begun in the background of a script: the programs that are tested must not inherit deafness to Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)
