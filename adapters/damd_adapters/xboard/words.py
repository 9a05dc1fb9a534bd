"""The words of the protocol: what we can do, thinking lines, results, time controls. Nothing here talks to anybody."""

from __future__ import annotations

from collections.abc import Iterable

from damd.client import InfoLine, OptionInfo
from damd.core.types import Outcome, Reason
from damd_adapters.xboard.board import Squares

#: Options that the protocol has words of its own for, or that are ours to set.
OWN_OPTIONS = frozenset(
    ("uci_variant", "variantpath", "missedcapture", "firstmover", "squares", "hash", "ponder", "drawoffers", "uci_showwdl")
)

_MATE = 100_000

_REASONS = {
    Reason.FIRST_KING: "{winner} has the first king",
    Reason.NO_PIECES: "{loser} has no piece left",
    Reason.NO_MOVES: "{loser} has no move left",
    Reason.ONE_EACH: "one piece each",
    Reason.REPETITION: "repetition",
    Reason.MOVE_LIMIT: "nothing has happened for too long",
    Reason.MATERIAL: "the ending has lasted too long",
}


def features(name: str, variants: Iterable[str]) -> list[str]:
    """The answer to ``protover``, options apart; the last one says that all has been said."""
    return [
        "feature done=0",
        f'feature myname="{name}" variants="{",".join(variants)}"',
        "feature setboard=1 ping=1 usermove=1 playother=1 highlight=1 memory=1 analyze=1 draw=1 debug=1",
        "feature colors=0 san=0 sigint=0 sigterm=0 reuse=1 nps=0 smp=0 exclude=0 pause=0",
    ]


def option_feature(option: OptionInfo) -> str | None:
    """The declaration of an option of the engine's, ``None`` for one that has words of its own here."""
    if option.name.lower() in OWN_OPTIONS:
        return None
    name, default = option.name.replace('"', "'"), option.default
    if option.kind == "button":
        said = "-button"
    elif option.kind == "check":
        said = f"-check {int(bool(default))}"
    elif option.kind == "spin":
        said = f"-spin {default} {option.low} {option.high}"
    elif option.kind == "combo":
        said = "-combo " + " /// ".join(("*" if choice == default else "") + choice for choice in option.choices)
    else:
        said = f"-string {default or ''}".rstrip()
    return f'feature option="{name} {said}"'


def option_value(option: OptionInfo, value: str | None) -> str | None:
    """What the engine is told for a value of XBoard's: checks are 0 and 1 there."""
    if option.kind == "check" and value in ("0", "1"):
        return "true" if value == "1" else "false"
    return value


def thinking(info: InfoLine, squares: Squares) -> str | None:
    """A line of thinking output, ``None`` for an ``info`` line that has no score or no plies."""
    score = info.score
    if score is None or not info.pv:
        return None
    points = score.value
    if score.kind == "mate":
        points += _MATE if score.value > 0 else -_MATE
    bound = {"lowerbound": " !", "upperbound": " ?"}.get(score.bound, "")
    plies = squares.renamed(" ".join(info.pv))
    return f"{info.depth or 0} {points} {(info.time_ms or 0) // 10} {info.nodes or 0} {plies}{bound}"


def status(info: InfoLine | None) -> str:
    """The answer to a dot during an analysis, which may have said nothing yet."""
    info = info or InfoLine()
    return f"stat01: {(info.time_ms or 0) // 10} {info.nodes or 0} {info.depth or 0} 0 0"


def result_line(outcome: Outcome, squares: Squares) -> str:
    """The end of a game, by the names that XBoard's user has for the sides."""
    if outcome.winner is None:
        score, winner, loser = "1/2-1/2", "", ""
    else:
        score = ("1-0", "0-1")[squares.side(outcome.winner)]
        winner, loser = squares.side_name(outcome.winner), squares.side_name(1 - outcome.winner)
    why = _REASONS.get(outcome.reason, outcome.reason.value).format(winner=winner, loser=loser)
    return f"{score} {{{why}{f' ({outcome.rule})' if outcome.rule else ''}}}"


def shown_to_user(text: str) -> str:
    """A window with a text of several lines: two backslashes say that there are escapes in it."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    return f"telluser \\\\{escaped}"
