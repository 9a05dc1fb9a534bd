"""Standard streams as they may be found: closed, or of an encoding that lacks what is to be said."""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn


def open_closed() -> None:
    """What was closed before the start (``>&-``) leads nowhere. Left closed, the next file that is opened would get its
    number, and whatever is printed.
    """
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number and not _is_open(number):
            os.dup2(nowhere, number)
            os.close(nowhere)
            nowhere = number
        setattr(sys, name, open(nowhere, mode, encoding="utf-8"))  # noqa: SIM115 - for as long as the process lives


def escape_unencodable() -> None:
    """What the encoding of stdout lacks is written as an escape: a name must not end a tournament."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def leave_stuck(code: int) -> NoReturn:
    """End the process although a thread still waits for the reader of stdout: the interpreter's own end would too."""
    sys.stderr.flush()
    os._exit(code)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
