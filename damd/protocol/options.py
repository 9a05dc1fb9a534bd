"""The options: one table that the handshake prints, ``setoption`` validates by and protocol.md shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from damd.levels import FULL_SKILL, HIGHEST_ELO, LOWEST_ELO
from damd.protocol.errors import Code, ProtocolError, shown
from damd.protocol.words import did_you_mean, read_number

#: UCI's spelling of a string without characters.
EMPTY = "<empty>"


class OptionKind(Enum):
    """The option types of UCI."""

    CHECK = "check"
    SPIN = "spin"
    COMBO = "combo"
    BUTTON = "button"
    STRING = "string"


class Applies(Enum):
    """What an option acts on."""

    RULES = "rules: the position becomes the start position"
    VARIANTS = "list of variants"
    SEARCH = "search"
    OUTPUT = "output"
    CLIENT = "nothing"


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``default`` is the text that the handshake prints; ``low`` and ``high`` bound a spin."""

    name: str
    kind: OptionKind
    default: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    doc: str = ""
    applies: Applies = Applies.SEARCH

    def line(self) -> str:
        """The option as the handshake prints it."""
        parts = [f"option name {self.name} type {self.kind.value}"]
        if self.kind is not OptionKind.BUTTON:
            parts.append(f"default {self.default or EMPTY}")
        if self.kind is OptionKind.SPIN:
            parts.append(f"min {self.low} max {self.high}")
        parts += [f"var {choice}" for choice in self.choices]
        return " ".join(parts)

    def with_choices(self, choices: tuple[str, ...]) -> Option:
        """The same combo with these choices."""
        return replace(self, choices=choices)

    def read(self, value: str | None) -> tuple[str, ProtocolError | None]:
        """The value that ``setoption`` gives, in its canonical spelling.

        A number out of range comes back clamped, with the error to report. Raises ``ProtocolError`` for a value
        that the option cannot take. A combo without choices takes any word: its owner knows what exists.
        """
        if self.kind is OptionKind.BUTTON:
            return "", None
        if value is None and self.kind is not OptionKind.STRING:
            raise ProtocolError(Code.MISSING_ARGUMENT, self.name, f"needs value {self.takes()}")
        text = value or ""
        if self.kind is OptionKind.STRING:
            return "" if text == EMPTY else text, None
        if self.kind is OptionKind.SPIN:
            return self._read_number(text)
        known = ("true", "false") if self.kind is OptionKind.CHECK else self.choices
        if not known and text:
            return text, None
        if text.lower() not in known:
            raise ProtocolError(Code.BAD_VALUE, text or EMPTY, f"{self.name} takes {self.takes()}")
        return text.lower(), None

    def _read_number(self, text: str) -> tuple[str, ProtocolError | None]:
        number = read_number(text)
        if number is None:
            raise ProtocolError(Code.BAD_VALUE, text or EMPTY, f"{self.name} takes {self.takes()}")
        clamped = min(max(number, self.low), self.high)
        if clamped == number:
            return str(number), None
        return str(clamped), ProtocolError(Code.OUT_OF_RANGE, text, f"{self.name} takes {self.takes()}, {clamped} is used")

    def takes(self) -> str:
        """The values it takes, for people."""
        if self.kind is OptionKind.SPIN:
            return f"a number from {self.low} to {self.high}"
        if self.kind is OptionKind.CHECK:
            return "true or false"
        if self.kind is OptionKind.COMBO:
            return ", ".join(self.choices) if self.choices else "a name from its list"
        return "nothing" if self.kind is OptionKind.BUTTON else "a text"


OPTIONS = (
    Option(
        "UCI_Variant",
        OptionKind.COMBO,
        "dam-haji",
        doc="The game. Aliases are taken too, and listed by `damd variants list`.",
        applies=Applies.RULES,
    ),
    Option(
        "VariantPath",
        OptionKind.STRING,
        "",
        doc="A folder with variant files of the user's own. Their names join the list of UCI_Variant at the next `uci`.",
        applies=Applies.VARIANTS,
    ),
    Option(
        "MissedCapture",
        OptionKind.COMBO,
        "rule",
        choices=("rule", "forbidden"),
        doc="`rule`: as the game's rules say. `forbidden`: a capture may not be missed, and there are no claims.",
        applies=Applies.RULES,
    ),
    Option(
        "FirstMover",
        OptionKind.COMBO,
        "rule",
        choices=("rule", "white", "black"),
        doc="Who begins from the start position; `rule` leaves it to the game.",
        applies=Applies.RULES,
    ),
    Option(
        "Squares",
        OptionKind.COMBO,
        "numeric",
        choices=("numeric", "algebraic"),
        doc="How squares are written in answers. Input takes both. Boards without numbers are always algebraic.",
        applies=Applies.OUTPUT,
    ),
    Option("Hash", OptionKind.SPIN, "16", 1, 1048576, doc="The size of the transposition table in MiB."),
    Option("Clear Hash", OptionKind.BUTTON, "", doc="Forgets what earlier searches found."),
    Option("MultiPV", OptionKind.SPIN, "1", 1, 500, doc="How many of the best plies the search reports."),
    Option(
        "Ponder",
        OptionKind.CHECK,
        "false",
        doc="Tells the daemon that `go ponder` will be used.",
        applies=Applies.CLIENT,
    ),
    Option("Move Overhead", OptionKind.SPIN, "20", 0, 5000, doc="Milliseconds a move that the clock loses on the way."),
    Option("DrawOffers", OptionKind.CHECK, "false", doc="Lets the search offer and accept draws."),
    Option("Resign", OptionKind.CHECK, "false", doc="Lets the search resign a lost game."),
    Option(
        "Skill Level",
        OptionKind.SPIN,
        str(FULL_SKILL),
        0,
        FULL_SKILL,
        doc=f"How well it plays; {FULL_SKILL} is as well as it can.",
    ),
    Option("UCI_LimitStrength", OptionKind.CHECK, "false", doc="Lets UCI_Elo decide how well it plays, not Skill Level."),
    Option(
        "UCI_Elo",
        OptionKind.SPIN,
        str(HIGHEST_ELO),
        LOWEST_ELO,
        HIGHEST_ELO,
        doc="How well it plays if UCI_LimitStrength is on, on a scale of damd's own.",
    ),
    Option(
        "Contempt",
        OptionKind.SPIN,
        "0",
        -100,
        100,
        doc="How many hundredths of a man a draw is worth less than an even game. Below 0 it likes draws.",
    ),
    Option(
        "UCI_ShowWDL",
        OptionKind.CHECK,
        "false",
        doc="Adds the chances of win, draw and loss to every score.",
        applies=Applies.OUTPUT,
    ),
)

_BY_NAME = {option.name.lower(): option for option in OPTIONS}


def find(name: str) -> Option:
    """The option of that name, in any case and with any blanks. Raises ``ProtocolError``."""
    option = _BY_NAME.get(" ".join(name.split()).lower())
    if option is None:
        hint = did_you_mean(name, tuple(known.name for known in OPTIONS))
        raise ProtocolError(Code.UNKNOWN_OPTION, shown(name), f"no such option{hint}")
    return option
