"""The commands: one table from which the parser, the state check, ``help``, protocol.md and the client follow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class When(Enum):
    """When a command may be sent, and when it is answered."""

    AT_ONCE = "at once"
    READY = "at once, but behind waiting lines"
    BETWEEN = "between searches"


class Kind(Enum):
    """What an argument looks like."""

    FLAG = "the keyword alone"
    WORD = "one of a few words"
    NUMBER = "a whole number"
    PLY = "one ply"
    PLIES = "plies, up to the next keyword"
    FEN = "a position"
    NAME = "a name, which may hold blanks"
    TEXT = "the rest of the line"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command.

    ``keyword`` is the literal word that introduces it ("" for a bare value), ``value`` what stands for the value
    in the usage line. ``limit`` marks what bounds a search; ``alternative`` an argument that excludes the one
    before it in the table.
    """

    keyword: str
    kind: Kind
    value: str = ""
    required: bool = False
    alternative: bool = False
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    limit: bool = False
    doc: str = ""

    def usage(self) -> str:
        value = "|".join(self.choices) if self.kind is Kind.WORD else self.value
        if self.kind is Kind.PLIES:
            value += "..."
        return f"{self.keyword} {value}".strip()


@dataclass(frozen=True, slots=True)
class Command:
    """One command. ``replies`` are the forms of its answer in order; the last one ends the answer."""

    name: str
    doc: str
    args: tuple[Argument, ...] = ()
    replies: tuple[str, ...] = ()
    when: When = When.BETWEEN

    @property
    def usage(self) -> str:
        """The command with its arguments: square brackets are optional, ``(a | b)`` are alternatives."""
        groups: list[list[Argument]] = []
        for argument in self.args:
            if argument.alternative:
                groups[-1].append(argument)
            else:
                groups.append([argument])
        parts = [self.name]
        for group in groups:
            text = " | ".join(argument.usage() for argument in group)
            if not group[0].required:
                text = f"[{text}]"
            elif len(group) > 1:
                text = f"({text})"
            parts.append(text)
        return " ".join(parts)

    @property
    def ends_with(self) -> str:
        """The first word of the line that ends the answer; "" for a command without an answer."""
        return self.replies[-1].split()[0] if self.replies else ""


#: The clock counts up to this many milliseconds (some 24 days).
LONGEST_MS = 2**31 - 1

_MOVES = Argument("moves", Kind.PLIES, "PLY", doc="plies played from there; the list may be empty")

GO = (
    Argument("searchmoves", Kind.PLIES, "PLY", doc="search only these plies of the position"),
    Argument("ponder", Kind.FLAG, doc="search on the opponent's time: no `bestmove` before `ponderhit` or `stop`"),
    Argument("wtime", Kind.NUMBER, "MS", low=-LONGEST_MS, high=LONGEST_MS, limit=True, doc="White's clock; may be below 0"),
    Argument("btime", Kind.NUMBER, "MS", low=-LONGEST_MS, high=LONGEST_MS, limit=True, doc="Black's clock; may be below 0"),
    Argument("winc", Kind.NUMBER, "MS", low=0, high=LONGEST_MS, doc="White's increment a turn"),
    Argument("binc", Kind.NUMBER, "MS", low=0, high=LONGEST_MS, doc="Black's increment a turn"),
    Argument("movestogo", Kind.NUMBER, "N", low=0, high=1000, doc="turns up to the next time control; 0: no more of them"),
    Argument("depth", Kind.NUMBER, "N", low=1, high=99, limit=True, doc="search so many plies deep"),
    Argument("nodes", Kind.NUMBER, "N", low=1, high=10**15, limit=True, doc="search so many positions"),
    Argument(
        "mate", Kind.NUMBER, "N", low=1, high=49, limit=True, doc="search for a win in so many turns; none is overlooked"
    ),
    Argument("movetime", Kind.NUMBER, "MS", low=0, high=LONGEST_MS, limit=True, doc="search so long"),
    Argument("infinite", Kind.FLAG, limit=True, doc="search until `stop`"),
    Argument("draw", Kind.FLAG, doc="the opponent offers a draw"),
    Argument("perft", Kind.NUMBER, "N", low=0, high=99, doc="count instead of searching, as `perft` does"),
)

_RESULTS = ("white", "black", "draw")
REASONS = (
    "first-king",
    "no-pieces",
    "no-moves",
    "one-each",
    "repetition",
    "move-limit",
    "material",
    "agreement",
    "resignation",
)
#: Those of them that somebody wins by; by the others a game is drawn.
WON = ("first-king", "no-pieces", "no-moves", "resignation")

COMMANDS = (
    Command(
        "uci",
        "Says who the daemon is and what options it has. May be sent again.",
        replies=("id name NAME", "id author NAME", "info string TEXT", "option name NAME type KIND ...", "uciok"),
    ),
    Command(
        "debug",
        "Switches remarks for developers on or off. They are `info string` lines.",
        (Argument("", Kind.WORD, required=True, choices=("on", "off")),),
        when=When.AT_ONCE,
    ),
    Command(
        "isready",
        "Answers when all earlier lines are dealt with. It does not disturb a running search.",
        replies=("readyok",),
        when=When.READY,
    ),
    Command(
        "setoption",
        "Sets an option, or presses a button.",
        (
            Argument("name", Kind.NAME, "NAME", required=True, doc="the option; case does not matter"),
            Argument("value", Kind.TEXT, "VALUE", doc="its new value; `<empty>` is the empty text"),
        ),
    ),
    Command("register", "Ignored: the daemon is free.", (Argument("", Kind.TEXT, "TEXT"),)),
    Command(
        "ucinewgame", "The next search belongs to another game: forgets what earlier searches found. The position stays."
    ),
    Command(
        "position",
        "Sets the position: the start position or a FEN, and plies played from there.",
        (
            Argument("startpos", Kind.FLAG, required=True),
            Argument("fen", Kind.FEN, "FEN", required=True, alternative=True),
            _MOVES,
        ),
    ),
    Command(
        "go",
        "Starts a search. Without a limit it searches until `stop`.",
        GO,
        ("info ...", "bestmove PLY [ponder PLY] [draw]"),
    ),
    Command("stop", "Ends the search at once; its `bestmove` follows. Ends every `go` that waits, too.", when=When.AT_ONCE),
    Command("ponderhit", "The opponent made the ply pondered on: the search goes on, on the own clock.", when=When.AT_ONCE),
    Command("quit", "Ends the daemon. Waiting lines are dropped; a running search still answers.", when=When.AT_ONCE),
    Command(
        "help",
        "Lists the commands, or explains one.",
        (Argument("", Kind.TEXT, "COMMAND"),),
        ("help COMMAND ...",),
    ),
    Command(
        "d",
        "Draws the board for people and shows all that belongs to the position.",
        replies=(
            "  DRAWING",
            "variant NAME missed-capture rule|forbidden",
            "fen F",
            "key HEX",
            "side white|black",
            "right none|SQUARES|*N",
            "clock NAME plies N left N",
            "king SQUARE moves N left N",
            "counters halfmoves N fullmoves N repetitions N",
        ),
    ),
    Command(
        "fen",
        "Writes the position as FEN; `full` adds the counters `:H` and `:F`.",
        (Argument("full", Kind.FLAG),),
        ("fen F",),
    ),
    Command("moves", "Lists all legal plies, claims included, on one line.", replies=("moves PLY...",)),
    Command(
        "explain",
        "Says whether a ply is legal, by which rules it is or is not, and what is to be played instead.",
        (Argument("", Kind.PLY, "PLY", required=True, doc="a ply, in any spelling"),),
        (
            "explain PLY legal|illegal|ambiguous [kind KIND] [fault FAULT] [rule KEY,...]",
            "  SENTENCE",
            "plies N [PLY...]",
        ),
    ),
    Command(
        "result",
        "Says whether the game is over, and why.",
        replies=("result ongoing|white|black|draw [REASON [RULE]]",),
    ),
    Command(
        "gameover",
        "Records an end that the players made. `result` answers it until the next position.",
        (
            Argument("", Kind.WORD, required=True, choices=_RESULTS),
            Argument("", Kind.WORD, required=True, choices=REASONS),
        ),
    ),
    Command(
        "perft",
        "Counts the lines of play of N plies, claims included.",
        (Argument("", Kind.NUMBER, "N", required=True, low=0, high=99),),
        ("PLY: COUNT", "total COUNT"),
    ),
    Command(
        "eval",
        "Evaluates the position without a search, in hundredths of a man for the side to move.",
        replies=("eval cp X",),
    ),
    Command(
        "bench",
        "Searches a fixed set of positions. The node count tells two builds apart, the speed two machines.",
        (Argument("", Kind.NUMBER, "DEPTH", low=1, high=99),),
        ("bench nodes N time MS nps N",),
    ),
)

BY_NAME = {command.name: command for command in COMMANDS}
