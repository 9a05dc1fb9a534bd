"""What the adapters' command lines share: which engine is driven, with which options, and what is logged where."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Coroutine, Iterator, Sequence
from types import FrameType
from typing import Any

from damd import __version__
from damd.client import AsyncEngine, EngineError, Timeouts
from damd_adapters import output

logger = logging.getLogger("damd_adapters")

FINE, AT_FAULT, USAGE = 0, 1, 2

#: The engine that is driven unless another one is named: the daemon of this installation.
OWN_ENGINE = (sys.executable, "-m", "damd")


def parser(name: str, description: str) -> ArgumentParser:
    """A parser with the arguments that every adapter has."""
    made = ArgumentParser(
        prog=name, description=description, epilog="Exit codes: 0 fine, 1 a peer is at fault, 2 wrong usage."
    )
    made.add_argument("--version", action="version", version=f"{name} {__version__}")
    made.add_argument("--log", metavar="FILE", help="append the conversation, with times, to this file")
    return made


def add_daemon(made: ArgumentParser, flag: str = "--daemon") -> None:
    """The arguments of an adapter that drives an engine of damd's protocol."""
    made.add_argument(
        flag, type=command, default=OWN_ENGINE, metavar="CMD", help="the engine to drive, of damd's protocol (default: damd)"
    )
    made.add_argument(
        "--option",
        type=setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of that engine, set at its start; may be given several times",
    )


def command(text: str) -> Sequence[str]:
    """The words of a command line. Raises ``ArgumentTypeError`` where there are none or a quote is open."""
    try:
        words = shlex.split(text, posix=os.name != "nt")
    except ValueError as fault:
        raise ArgumentTypeError(f"{text!r} is no command: {fault}") from None
    if not words:
        raise ArgumentTypeError("an empty command")
    return words


def setting(text: str) -> tuple[str, str]:
    """A name and a value around the first ``=``."""
    name, mark, value = text.partition("=")
    if not mark or not name.strip():
        raise ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


async def start(words: Sequence[str], settings: Sequence[tuple[str, str]], timeouts: Timeouts | None = None) -> AsyncEngine:
    """The engine, its handshake done and its options set. Raises ``EngineError``; no process is left then."""
    engine = await AsyncEngine.start(words, timeouts=timeouts)
    try:
        await engine.set_options(dict(settings))
    except BaseException:
        await engine.close()
        raise
    return engine


def run(name: str, options: Namespace, main: Callable[[], Coroutine[None, None, int]]) -> int:
    """Run an adapter's ``main`` in an event loop; its exit code. Faults become one line on stderr.

    ``--log`` is opened first; Ctrl-C, SIGTERM, SIGHUP and a reader of stdout that has left end quietly, and ``main`` can
    end what it has started.
    """
    try:
        open_log(options.log)
    except OSError as fault:
        return fail(name, f"--log: {options.log}: {fault.strerror or fault}", USAGE)
    try:
        return asyncio.run(_taken_along(main()))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        output.leave()
        return AT_FAULT
    except EngineError as fault:
        return fail(name, str(fault))
    except OSError as fault:
        reason = fault.strerror or str(fault)
        return fail(name, f"{fault.filename}: {reason}" if fault.filename else reason)


async def _taken_along(work: Coroutine[None, None, int]) -> int:
    """``work``, cancelled by a signal that would else end this program and leave the engine thinking; the exit code."""
    loop = asyncio.get_running_loop()
    working = asyncio.ensure_future(work)
    ended_by: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        output.hasten()
        if not ended_by:  # what is being ended is not hurried by a second signal: a process would be left
            ended_by.append(number)
            loop.call_soon_threadsafe(working.cancel)

    with _heeded(end):
        try:
            return await working
        except asyncio.CancelledError:
            if not ended_by:
                raise
            return 128 + ended_by[0]


@contextlib.contextmanager
def _heeded(end: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """``end`` is called by the signals that end a program. Not by the event loop, which may be waiting for a reader."""
    before: dict[int, Any] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        # Windows has not all of them, and threads other than the first get none.
        with contextlib.suppress(AttributeError, ValueError):
            number = getattr(signal, name)
            before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def open_log(path: str | None) -> None:
    """Send what is logged to a file, line by line. Without one nothing is logged. Raises ``OSError``."""
    if path is None:
        logger.addHandler(logging.NullHandler())
        return
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d %(message)s", "%H:%M:%S"))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)


def fail(name: str, text: str, code: int = AT_FAULT) -> int:
    """Say on stderr what is wrong; the exit code."""
    sys.stderr.write(f"{name}: {text}\n")
    return code
