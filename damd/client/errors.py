"""What can go wrong between a client and its engine."""

from __future__ import annotations

from damd.client.types import EngineErrorLine


class EngineError(Exception):
    """The base of everything this package raises about an engine."""


class EngineTimeout(EngineError, TimeoutError):
    """The engine did not answer in time. ``call`` is what was waited for, ``seconds`` how long.

    The conversation stays in step: an answer that comes later is swallowed, never taken for another call's. A
    search that ran out of time has been sent ``stop``. Whoever gives up on the engine closes it.
    """

    def __init__(self, call: str, seconds: float) -> None:
        super().__init__(f"no answer to {call} within {seconds:g} s")
        self.call = call
        self.seconds = seconds


class EngineTerminated(EngineError):
    """The engine's process has ended, or its output has. ``stderr`` is the tail of what it wrote there.

    ``detail`` is there where it did not end by itself.
    """

    def __init__(self, exit_code: int | None, stderr: str = "", detail: str = "") -> None:
        ended = "the engine has ended" if exit_code is None else f"the engine has ended with exit code {exit_code}"
        parts = [ended + (f" ({detail})" if detail else "")]
        if stderr.strip():
            parts.append(f"its last words on stderr: {stderr.strip()}")
        super().__init__("; ".join(parts))
        self.exit_code = exit_code
        self.stderr = stderr
        self.detail = detail


class EngineBusy(EngineError):
    """A search is open: until it has ended only ``is_ready``, ``debug``, its own methods and closing are allowed."""


class UnreadableAnswer(EngineError):
    """The engine answered nothing, or something else than the command's reply. ``lines`` is what it said."""

    def __init__(self, call: str, lines: tuple[str, ...]) -> None:
        said = "nothing" if not lines else " / ".join(line[:200] for line in lines[:5])
        super().__init__(f"no readable answer to {call}: the engine said {said}")
        self.call = call
        self.lines = lines


class OptionError(EngineError, ValueError):
    """No such option, or a value that the engine's declaration of it does not allow."""


class CommandRefused(EngineError):
    """The engine answered a command with ``error`` lines; its state is what it was before."""

    def __init__(self, call: str, errors: tuple[EngineErrorLine, ...]) -> None:
        super().__init__(f"{call}: " + "; ".join(f"{error.code}: {error.message}" for error in errors))
        self.call = call
        self.errors = errors
