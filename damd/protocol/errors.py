"""The errors a daemon may answer: one stable code each, one line each.

An error never changes the state, with one exception that its code names: ``out-of-range`` says that a number
was replaced by the nearest allowed one.
"""

from __future__ import annotations

from enum import Enum

#: A token longer than this is cut in messages: the line that carried it may have 64 KiB.
LONGEST_TOKEN = 60


class Code(Enum):
    """The stable codes, in the order in which protocol.md lists them."""

    UNKNOWN_COMMAND = ("unknown-command", "The first word is no command. The rest of the line is not read.")
    UNKNOWN_TOKEN = ("unknown-token", "A word that means nothing at this place. In `go` and `debug` it is skipped.")
    MISSING_ARGUMENT = ("missing-argument", "The command, or a keyword of `go`, lacks what must follow it.")
    BAD_VALUE = ("bad-value", "A value of the wrong kind. The old value stays; in `go` the keyword is skipped.")
    OUT_OF_RANGE = ("out-of-range", "A number outside its range. The nearest allowed number is used instead.")
    UNKNOWN_OPTION = ("unknown-option", "`setoption` names no option of this daemon.")
    BAD_VARIANT = ("bad-variant", "The rules of the variant cannot be read. The old rules stay.")
    NO_MEMORY = ("no-memory", "The table of that size cannot be allocated. The old table stays.")
    BAD_FEN = ("bad-fen", "The position cannot be read or cannot occur. The message names field and square.")
    ILLEGAL_PLY = ("illegal-ply", "The text names no legal ply. The message says why.")
    AMBIGUOUS_PLY = ("ambiguous-ply", "The text names more than one ply. The message lists the full paths.")
    TOO_MANY_PLIES = ("too-many-plies", "The position has more plies than the daemon lists.")
    SEARCHING = ("searching", "The command cannot be obeyed during an unbounded search. Send `stop` first.")
    STOPPED = ("stopped", "The count was ended by `stop`, `quit` or the end of input. There is no total.")
    TOO_LONG = ("too-long", "The line has more than 65536 bytes. It is skipped up to its end.")
    BAD_ENCODING = ("bad-encoding", "The line is not UTF-8. It is skipped.")
    INTERNAL = (
        "internal",
        "The daemon has a defect. It ends with exit code 1 after this line. "
        "An adapter says so of the engine behind it, too.",
    )

    def __init__(self, text: str, doc: str) -> None:
        self.text = text
        self.doc = doc


_BY_TEXT = {code.text: code for code in Code}


def code_of(text: str) -> Code:
    """The code written ``text``. Raises ``KeyError`` for a text that is no code."""
    return _BY_TEXT[text]


class ProtocolError(Exception):
    """What was wrong with one line, or with one token of it.

    ``token`` is the text at fault ("" where nothing in particular is), ``message`` what would have been right.
    """

    def __init__(self, code: Code, token: str, message: str) -> None:
        super().__init__(code, token, message)
        self.code = code
        self.token = token
        self.message = message

    def __str__(self) -> str:
        return f"{shown(self.token)}: {self.message}" if self.token else self.message

    def line(self) -> str:
        """The error as the daemon prints it: ``error CODE message``, always one line."""
        return f"error {self.code.text} {printable(str(self))}"


def shown(token: str) -> str:
    """The token as messages carry it: cut where it is very long, never empty."""
    if not token:
        return "(empty)"
    if len(token) > LONGEST_TOKEN:
        return token[:LONGEST_TOKEN] + "..."
    return token


def printable(text: str) -> str:
    """``text`` with every character escaped that could break a line or a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
