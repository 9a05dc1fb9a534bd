"""Comments as PDN holds them: read, written, and what has to change of one for PDN to hold it.

A comment ends with the first closing brace, blanks and ends of lines are single blanks in it, and ``[%name value]`` is a
command wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from damd.notation.pdn.model import Command, Comment

_COMMAND = re.compile(r"\[\s*%\s*([A-Za-z]\w*)\s*([^\[\]]*?)\s*\]")
_NAME = re.compile(r"[A-Za-z]\w*")
_BRACKETS = re.compile(r"[\[\]]")
#: Control characters that are no blanks, and halves of characters, which no encoding of Unicode has.
_UNFIT = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")


def read_comment(text: str) -> Comment:
    """A comment's commands, and its text without them; ``text`` is what stands between the braces."""
    if "%" not in text:
        return Comment(" ".join(text.split()))
    commands = tuple(Command(name, " ".join(value.split())) for name, value in _COMMAND.findall(text))
    return Comment(" ".join(_COMMAND.sub(" ", text).split()), commands)


def write_comment(comment: Comment) -> str:
    """The comment with its braces. It reads back the same, unless ``changes`` says otherwise.

    A closing brace becomes a parenthesis, and so do the brackets of what is no command but would be read as one. Control
    characters become ``?``.
    """
    written = [_command(command) for command in comment.commands if _is_fit(command)]
    others = [f"(%{command.name} {command.value})" for command in comment.commands if not _is_fit(command)]
    text = _without_commands(fit(" ".join([*others, comment.text])).replace("}", ")"))
    return "{" + " ".join([*written, *([text] if text else [])]) + "}"


def fit(text: str) -> str:
    """The text on one line, its blanks single ones, without characters that no file of text has."""
    folded = " ".join(text.split())
    return folded if folded.isprintable() else _UNFIT.sub("?", folded)


def text_changes(text: str, where: str) -> Iterator[str]:
    """What ``fit`` changes of the text."""
    if " ".join(text.split()) != text:
        yield f"line ends and runs of blanks in {where}"
    if _UNFIT.search(" ".join(text.split())):
        yield f"control characters in {where}"


def changes(comment: Comment) -> Iterator[str]:
    """What of the comment does not read back the same."""
    texts = [comment.text, *(text for command in comment.commands for text in (command.name, command.value))]
    for text in texts:
        yield from text_changes(text, "comments")
        if "}" in text:
            yield "closing braces in comments"
    if _without_commands(comment.text.replace("}", ")")) != comment.text.replace("}", ")"):
        yield "texts of comments that look like commands"
    if not all(_is_fit(command) for command in comment.commands):
        yield "commands with brackets or without a name"


def _command(command: Command) -> str:
    value = fit(command.value).replace("}", ")")
    return f"[%{command.name} {value}]" if value else f"[%{command.name}]"


def _is_fit(command: Command) -> bool:
    return bool(_NAME.fullmatch(command.name)) and not _BRACKETS.search(command.value)


def _without_commands(text: str) -> str:
    """The text with parentheses instead of the brackets that would make commands of parts of it."""
    while "%" in text:
        other = _COMMAND.sub(lambda found: f"({found[0][1:-1]})", text)
        if other == text:
            break
        text = other
    return text
