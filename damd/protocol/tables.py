"""The tables of protocol.md and the text of ``help``, rendered from the declarations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from damd.protocol.commands import BY_NAME, COMMANDS, GO, Argument, Command, Kind
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.grammar import unknown_command
from damd.protocol.options import EMPTY, OPTIONS, OptionKind

_MARKED = re.compile(r"(<!-- table: ([a-z]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _range(argument: Argument) -> str:
    return f"{argument.low} to {argument.high}" if argument.kind is Kind.NUMBER else ""


def _last_line(command: Command) -> str:
    return f"`{command.replies[-1]}`" if command.replies else ""


def commands_table() -> str:
    """Every command; the keywords of ``go`` have a table of their own."""
    rows = []
    for command in COMMANDS:
        usage = "go [keyword...]" if command.args is GO else command.usage
        rows.append((f"`{usage}`", command.when.value, _last_line(command), command.doc))
    return _table(("command", "answered", "last line of the answer", "meaning"), rows)


def go_table() -> str:
    """Every keyword of ``go``."""
    rows = [(f"`{argument.usage()}`", _range(argument), "yes" if argument.limit else "", argument.doc) for argument in GO]
    return _table(("keyword", "range", "limit", "meaning"), rows)


def options_table() -> str:
    """Every option."""
    rows = []
    for option in OPTIONS:
        default = "" if option.kind is OptionKind.BUTTON else f"`{option.default or EMPTY}`"
        rows.append((option.name, option.kind.value, default, option.takes(), option.applies.value, option.doc))
    return _table(("option", "type", "default", "values", "acts on", "meaning"), rows)


def errors_table() -> str:
    """Every error code."""
    return _table(("code", "meaning"), [(f"`{code.text}`", code.doc) for code in Code])


TABLES: dict[str, Callable[[], str]] = {
    "commands": commands_table,
    "go": go_table,
    "options": options_table,
    "errors": errors_table,
}


def refreshed(text: str) -> str:
    """``text`` with every marked table rendered anew. Raises ``KeyError`` for a table that does not exist."""
    return _MARKED.sub(lambda found: found[1] + "\n" + TABLES[found[2]]() + "\n" + found[3], text)


def absent(text: str) -> list[str]:
    """The tables for which ``text`` has no place."""
    present = {found[2] for found in _MARKED.finditer(text)}
    return [name for name in TABLES if name not in present]


def help_lines(name: str = "") -> list[str]:
    """The answer to ``help``: one line a command, or one command with its arguments.

    Lines that begin with a blank continue the line above them. Raises ``ProtocolError``.
    """
    if not name:
        return [f"help {command.name}: {command.doc}" for command in COMMANDS]
    command = BY_NAME.get(name)
    if command is None:
        raise ProtocolError(Code.UNKNOWN_COMMAND, name, unknown_command(name).message)
    lines = [f"help {command.name}: {command.doc}", f"  usage: {command.usage}"]
    for argument in command.args:
        if argument.doc:
            numbers = f" ({_range(argument)})" if argument.kind is Kind.NUMBER else ""
            lines.append(f"  {argument.usage()}: {argument.doc}{numbers}")
    lines += [f"  answer: {reply.strip()}" for reply in command.replies]
    lines.append(f"  answered: {command.when.value}")
    return lines
