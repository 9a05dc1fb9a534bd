"""UGI's words for damd's, and back: options, the limits of ``go``, results, errors. Nothing here talks to anybody."""

from __future__ import annotations

import re

from damd.client import Limit, OptionInfo
from damd.core.types import Outcome
from damd.protocol.errors import Code, ProtocolError, printable
from damd.protocol.grammar import GoRequest, parse_go

#: What UGI calls the clocks. Player 1 is White, whoever moves first.
CLOCKS = {"p1time": "wtime", "p2time": "btime", "p1inc": "winc", "p2inc": "binc"}
_BACK = {theirs: ours for ours, theirs in CLOCKS.items()}

#: Keywords of damd's ``go`` that UGI has no answer for: an offer of a draw, and a count.
_UNSPEAKABLE = ("draw", "perft")

#: Options about things that a ``bestmove`` of two words cannot say.
HIDDEN_OPTIONS = frozenset(("drawoffers", "resign"))


def option_line(option: OptionInfo) -> str:
    """The declaration of an option, as UCI and UGI write it."""
    words = [f"option name {option.name} type {option.kind}"]
    if option.kind != "button":
        default = option.default
        if isinstance(default, bool):
            default = "true" if default else "false"
        words.append(f"default {'<empty>' if default in (None, '') else default}")
    if option.low is not None:
        words.append(f"min {option.low}")
    if option.high is not None:
        words.append(f"max {option.high}")
    return " ".join([*words, *(f"var {choice}" for choice in option.choices)])


def error_line(code: str, message: str) -> str:
    """An error, in the form in which a manager that knows no errors passes it over."""
    return printable(f"info string error {code} {message}")


def error_of(fault: ProtocolError) -> str:
    """The line for what was wrong with a line: with UGI's names of the clocks."""
    message = re.sub(r"\b(wtime|btime|winc|binc)\b", lambda found: _BACK[found[0]], str(fault))
    return error_line(fault.code.text, message)


def read_go(tokens: list[str]) -> GoRequest:
    """What follows ``go``: UGI's keywords, UCI's ``wtime`` and so on being taken as well. Never raises.

    Bad words are skipped and reported in ``errors``, as damd's own ``go`` does.
    """
    kept, refused = [], []
    for word in tokens:
        if word in _UNSPEAKABLE:
            refused.append(ProtocolError(Code.UNKNOWN_TOKEN, word, "no keyword of go in UGI"))
        else:
            kept.append(CLOCKS.get(word, word))
    request = parse_go(kept)
    return GoRequest(request.searchmoves, request.flags, request.numbers, (*refused, *request.errors))


def limit_of(request: GoRequest) -> Limit | None:
    """The limit of a search; ``None`` for one that ends by ``stop`` alone.

    A request that has lost its only limit to an error is one ply deep: nobody meant it to last for ever.
    """
    if "infinite" in request.flags:
        return None
    numbers = request.numbers
    if not request.limited:
        return Limit(depth=1) if request.skipped else None
    return Limit(
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        mate=numbers.get("mate"),
        movetime_ms=numbers.get("movetime"),
        white_time_ms=numbers.get("wtime"),
        black_time_ms=numbers.get("btime"),
        white_increment_ms=numbers.get("winc"),
        black_increment_ms=numbers.get("binc"),
        moves_to_go=numbers.get("movestogo"),
    )


def result_word(outcome: Outcome | None) -> str:
    """``query result``'s answer."""
    if outcome is None:
        return "none"
    return "draw" if outcome.winner is None else ("p1win", "p2win")[outcome.winner]
