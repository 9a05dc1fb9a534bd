"""From a line of text to a request: tokens, ``go``, ``position``, ``setoption``, and suggestions for slips.

Nothing here knows a position: plies and FENs stay text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from damd.protocol.commands import BY_NAME, GO, WON, Argument, Kind
from damd.protocol.errors import Code, ProtocolError
from damd.protocol.words import did_you_mean, read_number

_GO_KEYWORDS = {argument.keyword: argument for argument in GO}


def unknown_command(word: str) -> ProtocolError:
    """The error for a first word that is no command."""
    return ProtocolError(Code.UNKNOWN_COMMAND, word, f"no such command{did_you_mean(word, tuple(BY_NAME)) or ', try help'}")


def surplus(word: str) -> ProtocolError:
    """The error for a word after the end of a command."""
    return ProtocolError(Code.UNKNOWN_TOKEN, word, "the command ends before this word")


def with_surplus(rest: str, lines: list[str] | None = None) -> list[str]:
    """``lines``, after an error for words that the command does not take; they are skipped."""
    words = rest.split()
    return [*([surplus(words[0]).line()] if words else []), *(lines or [])]


def bounded_number(text: str, argument: Argument, owner: str) -> tuple[int, ProtocolError | None]:
    """The number for an argument, clamped to its range with the error to report. Raises ``ProtocolError``."""
    number = read_number(text)
    if number is None:
        raise ProtocolError(Code.BAD_VALUE, text, f"{owner} needs a whole number")
    clamped = min(max(number, argument.low), argument.high)
    if clamped == number:
        return number, None
    message = f"{owner} takes {argument.low} to {argument.high}, {clamped} is used"
    return clamped, ProtocolError(Code.OUT_OF_RANGE, text, message)


@dataclass(frozen=True, slots=True)
class GoRequest:
    """What a ``go`` line asks for.

    ``numbers`` holds the keywords that were given with a number, clamped. ``errors`` are the tokens that were
    skipped or clamped. ``skipped`` is true where at least one token was skipped: such a line, if no limit is
    left in it, must not search for ever.
    """

    searchmoves: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    numbers: dict[str, int] = field(default_factory=dict)
    errors: tuple[ProtocolError, ...] = ()

    @property
    def skipped(self) -> bool:
        return any(error.code is not Code.OUT_OF_RANGE for error in self.errors)

    @property
    def limited(self) -> bool:
        """True where some limit was given, ``infinite`` included."""
        return any(_GO_KEYWORDS[word].limit for word in (*self.flags, *self.numbers))


def parse_go(tokens: list[str]) -> GoRequest:
    """Read what follows ``go``. Never raises: bad tokens are skipped and reported in ``errors``.

    Keywords come in any order; of a keyword given twice the last one counts. ``perft`` stands for itself: next
    to it every other keyword is reported and has no effect.
    """
    searchmoves: list[str] = []
    flags: set[str] = set()
    numbers: dict[str, int] = {}
    errors: list[ProtocolError] = []
    position = 0
    while position < len(tokens):
        word = tokens[position]
        position += 1
        argument = _GO_KEYWORDS.get(word)
        if argument is None:
            hint = did_you_mean(word, tuple(_GO_KEYWORDS))
            errors.append(ProtocolError(Code.UNKNOWN_TOKEN, word, f"no keyword of go{hint}"))
        elif argument.kind is Kind.FLAG:
            flags.add(word)
        elif argument.kind is Kind.PLIES:
            end = position
            while end < len(tokens) and tokens[end] not in _GO_KEYWORDS:
                end += 1
            if end == position:
                errors.append(ProtocolError(Code.MISSING_ARGUMENT, word, "needs plies after it"))
            else:
                searchmoves = tokens[position:end]
            position = end
        elif position == len(tokens) or tokens[position] in _GO_KEYWORDS:
            errors.append(ProtocolError(Code.MISSING_ARGUMENT, word, f"needs a number after it: {argument.usage()}"))
        else:
            try:
                numbers[word], error = bounded_number(tokens[position], argument, word)
            except ProtocolError as bad:
                error = bad
            if error is not None:
                errors.append(error)
            position += 1
    if "perft" in numbers:
        beside = [word for word in _GO_KEYWORDS if word != "perft" and (word in flags or word in numbers)]
        beside += ["searchmoves"] if searchmoves else []
        errors += [ProtocolError(Code.UNKNOWN_TOKEN, word, "has no meaning beside perft") for word in beside]
        return GoRequest(numbers={"perft": numbers["perft"]}, errors=tuple(errors))
    return GoRequest(tuple(searchmoves), frozenset(flags), numbers, tuple(errors))


@dataclass(frozen=True, slots=True)
class PositionRequest:
    """What a ``position`` line asks for; ``fen`` is ``None`` for the start position."""

    fen: str | None
    moves: tuple[str, ...]


def parse_position(tokens: list[str]) -> PositionRequest:
    """Read what follows ``position``. Raises ``ProtocolError``."""
    usage = BY_NAME["position"].usage
    if not tokens:
        raise ProtocolError(Code.MISSING_ARGUMENT, "", f"expected {usage}")
    end = tokens.index("moves") if "moves" in tokens else len(tokens)
    moves = tuple(tokens[end + 1 :])
    if tokens[0] == "startpos":
        if end > 1:
            raise ProtocolError(Code.UNKNOWN_TOKEN, tokens[1], f"expected {usage}")
        return PositionRequest(None, moves)
    if tokens[0] == "fen":
        if end == 1:
            raise ProtocolError(Code.MISSING_ARGUMENT, "fen", f"needs a position after it: {usage}")
        return PositionRequest(" ".join(tokens[1:end]), moves)
    raise ProtocolError(Code.UNKNOWN_TOKEN, tokens[0], f"expected {usage}")


def parse_setoption(text: str) -> tuple[str, str | None]:
    """The name and the value in what follows ``setoption``; the value is ``None`` where the word ``value`` is missing.

    The name runs to the first word ``value``, the value to the end of the line with the blanks inside it kept.
    Raises ``ProtocolError``.
    """
    tokens = text.split()
    if not tokens or tokens[0] != "name":
        code = Code.UNKNOWN_TOKEN if tokens else Code.MISSING_ARGUMENT
        raise ProtocolError(code, tokens[0] if tokens else "", f"expected {BY_NAME['setoption'].usage}")
    end = tokens.index("value") if "value" in tokens else len(tokens)
    name = " ".join(tokens[1:end])
    if not name:
        raise ProtocolError(Code.MISSING_ARGUMENT, "name", "needs the option's name after it")
    if end == len(tokens):
        return name, None
    rest = text.split(maxsplit=end + 1)[end + 1 :]
    return name, rest[0].rstrip() if rest else ""


def parse_debug(rest: str) -> tuple[bool | None, list[ProtocolError]]:
    """Whether what follows ``debug`` says on or off, ``None`` where it says neither; and the words that do not fit."""
    words = rest.split()
    given = [word for word in words if word in ("on", "off")]
    errors = [ProtocolError(Code.UNKNOWN_TOKEN, word, "debug takes on or off") for word in words if word not in given]
    if not words:
        errors.append(ProtocolError(Code.MISSING_ARGUMENT, "debug", "needs on or off"))
    return (given[0] == "on" if given else None), [*errors, *(surplus(word) for word in given[1:])]


def parse_gameover(rest: str) -> tuple[str, str]:
    """The end that follows ``gameover``, as ``result`` says it, and the words after it. Raises ``ProtocolError``."""
    command, words = BY_NAME["gameover"], rest.split()
    if len(words) < len(command.args):
        raise ProtocolError(Code.MISSING_ARGUMENT, "gameover", f"expected {command.usage}")
    for word, argument in zip(words, command.args, strict=False):
        if word not in argument.choices:
            raise ProtocolError(Code.BAD_VALUE, word, f"expected {argument.usage()}")
    winner, reason = words[0], words[1]
    if (winner == "draw") == (reason in WON):
        raise ProtocolError(Code.BAD_VALUE, f"{winner} {reason}", "this reason does not go with this result")
    return f"{winner} {reason}", " ".join(words[2:])
