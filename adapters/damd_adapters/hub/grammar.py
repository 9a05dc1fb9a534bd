"""One line of the Hub protocol: a name and arguments, read and written.

    pos pos=Wbbb… moves="32-28 19-23"
    level time=60.0 moves=75
    go think

An argument is a name alone (a flag) or ``name=value``; a value is quoted where it is empty or holds blanks or ``=``, and
never otherwise, for there are programs that cannot read other quotes. Nothing is escaped: a value cannot hold a ``"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from damd.protocol.errors import printable
from damd.protocol.errors import shown as cut

__all__ = ["Arguments", "HubSyntaxError", "Message", "error", "fields", "read", "shown", "write"]

#: A flag has no value, ``name=""`` an empty one.
Arguments = tuple[tuple[str, str | None], ...]

_BLANKS = " \t\r\n\v\f"
_NAME = re.compile(r'[^\x00-\x20\x7f="]+')
_VALUE = re.compile(r'"([^"]*)"|([^\x00-\x20\x7f="]+)')
_BARE = re.compile(r'[^\s\x00-\x1f\x7f="]+')


class HubSyntaxError(ValueError):
    """A line that the grammar does not know. ``token`` is the part at fault, ``message`` says what would be right."""

    def __init__(self, token: str, message: str) -> None:
        super().__init__(message)
        self.token = shown(token)
        self.message = message


@dataclass(frozen=True, slots=True)
class Message:
    """A line: the command's name and its arguments in their order."""

    name: str
    arguments: Arguments = ()

    def __contains__(self, name: object) -> bool:
        return any(name == known for known, _ in self.arguments)

    def get(self, name: str) -> str | None:
        """The value of that argument, the last one where it is repeated: empty for a flag, ``None`` where it is missing."""
        for known, value in reversed(self.arguments):
            if known == name:
                return value or ""
        return None

    def __str__(self) -> str:
        return write(self.name, self.arguments)


def read(line: str) -> Message | None:
    """The message that a line holds, ``None`` for a blank one. Raises ``HubSyntaxError``."""
    at = _skip(line, 0)
    if at == len(line):
        return None
    name, at = _name(line, at, "a command")
    arguments: list[tuple[str, str | None]] = []
    while True:
        start = _skip(line, at)
        if start == len(line):
            return Message(name, tuple(arguments))
        if start == at:
            raise HubSyntaxError(line[at:], f"a blank is needed before {shown(line[at:])}")
        argument, at = _name(line, start, "an argument")
        after = _skip(line, at)
        if line[after : after + 1] != "=":
            arguments.append((argument, None))
            continue
        value, at = _value(line, _skip(line, after + 1), argument)
        arguments.append((argument, value))


def write(name: str, arguments: Arguments = ()) -> str:
    """The line of a message. Raises ``ValueError`` for a name that none can have.

    In a value a ``"`` becomes ``'``, and a line end or another control character a blank: they cannot be sent.
    """
    words = [_written_name(name)]
    for argument, value in arguments:
        words.append(_written_name(argument) + ("" if value is None else "=" + _written_value(value)))
    return " ".join(words)


def fields(**values: object) -> Iterator[tuple[str, str | None]]:
    """Arguments of a message for ``write``: what is ``None`` is left out, ``True`` is a flag, ``_`` in a name is ``-``."""
    for name, value in values.items():
        if value is not None and value is not False:
            yield name.replace("_", "-"), None if value is True else str(value)


def error(text: str) -> str:
    """An ``error`` line."""
    return write("error", (("message", text),))


def shown(text: str) -> str:
    """What somebody has sent, as messages quote it: printable and of bounded length."""
    return printable(cut(text))


def _skip(line: str, at: int) -> int:
    while at < len(line) and line[at] in _BLANKS:
        at += 1
    return at


def _name(line: str, at: int, what: str) -> tuple[str, int]:
    found = _NAME.match(line, at)
    if found is None:
        raise HubSyntaxError(line[at : at + 1], f"{what} begins with a letter or a digit, not with {shown(line[at])}")
    return found[0], found.end()


def _value(line: str, at: int, argument: str) -> tuple[str, int]:
    found = _VALUE.match(line, at)
    if found is None:
        if line[at : at + 1] == '"':
            raise HubSyntaxError(line[at:], f"the quotes of {shown(argument)} are not closed")
        raise HubSyntaxError(argument, f'a value is missing after {shown(argument)}=: an empty one is ""')
    return found[2] if found[1] is None else found[1], found.end()


def _written_name(name: str) -> str:
    if not _BARE.fullmatch(name):
        raise ValueError(f"no name in the Hub protocol: {name!r}")
    return name


def _written_value(value: str) -> str:
    if _BARE.fullmatch(value):
        return value
    kept = "".join(" " if char in _BLANKS or not char.isprintable() else char for char in value.replace('"', "'"))
    return kept if _BARE.fullmatch(kept) else f'"{kept}"'
