"""The fuzzer's lines: valid ones from the protocol's tables, the same ones spoilt, and garbage. All from one seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from damd.core.position import Position
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply
from damd.protocol.commands import COMMANDS, GO, REASONS, Argument, Command, Kind
from damd.protocol.options import OPTIONS, Option, OptionKind
from damd.variants import load, names

#: How often a command is chosen; others are 1.
_WEIGHTS = {"position": 30, "go": 22, "setoption": 14, "moves": 6, "fen": 6, "result": 4, "isready": 6, "stop": 8, "eval": 4}
#: Numbers of valid lines, small so that a search ends soon.
_SMALL = {
    "depth": 4,
    "nodes": 2000,
    "movetime": 20,
    "mate": 3,
    "wtime": 60,
    "btime": 60,
    "winc": 2,
    "binc": 2,
    "movestogo": 40,
}
#: Other numbers may take all their values.
_SPINS = {"Hash": (1, 24), "MultiPV": (1, 4), "Move Overhead": (0, 30)}
_NUMBERS = (
    *(
        "0",
        "1",
        "-1",
        "-0",
        "+3",
        "00",
        "007",
        "99",
        "100",
        "65536",
        "1e3",
        "0x10",
        "1.5",
        "1_000",
        "nan",
        "inf",
        "-",
        "1-2",
    ),
    *(str(2**31 - 1), str(2**31), str(-(2**31)), str(2**63 - 1), str(2**63), "9" * 30, "9" * 6000, "²", "٣", "+", "--"),
)
_ODD = (
    *("", " ", "\t", "\x0b", "\u2003", "\u00a0", "\x85", "\x1c", "\u200b", "\ufeff", "\u202e", "é", "棋"),
    *("\U0001f3c1", "\x1b[31m", "\x00"),
)
_BYTES = (b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x80", b"\r", b"\r\r", b"\x7f", b"\x07", b"\x1a", b"\x04")
_WORDS = (
    *(
        "startpos",
        "fen",
        "moves",
        "value",
        "name",
        "infinite",
        "ponder",
        "draw",
        "searchmoves",
        "perft",
        "full",
        "on",
        "off",
    ),
    *(
        "(none)",
        "resign",
        "x22",
        "32-28",
        "19x28x37",
        "c5xa5xe1",
        "a1-a1",
        "0-0",
        "99-100",
        "W:W1:B2",
        "W:WK1:BK50",
        "<empty>",
    ),
    *(":", ",", ".", ";", '"', "'", "[", "]", "=", "#", "\\", "/", "%", "`", "joho", "%s", "{0}", "$HOME"),
)

#: Positions with very many plies, or too many.
_HARD = {
    "dam-haji-10": "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
    "dam-daman": "W:WKe5:Bd7,b8,d5,b4,b7,d6,e6,a5,d4,b3,b6,e4,c6,Kc1",
    "dam-haji-12": "W:WK2:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60",
}
_PLAYOUTS, _LONGEST_GAME = 6, 50


@dataclass(frozen=True, slots=True)
class Corpus:
    """A game's positions and games: FENs, and plies from the start position or from one of the FENs."""

    fens: tuple[tuple[str, tuple[str, ...]], ...]
    games: tuple[tuple[str, ...], ...]


@cache
def corpus(variant: str) -> Corpus:
    """Random games of a variant, the same ones in every run."""
    rules = load(variant)
    source = random.Random(variant)
    fens: list[tuple[str, tuple[str, ...]]] = []
    games = []
    for number in range(_PLAYOUTS):
        squares = "algebraic" if number % 3 == 2 else "numeric"
        position = Position(rules)
        game: list[str] = []
        fens_here: list[tuple[str, int]] = []
        for _ in range(_LONGEST_GAME):
            plies = position.plies()
            if not plies or position.outcome() is not None:
                break
            if source.random() < 0.3:
                text = format_fen(position.setup(), rules, full=source.random() < 0.3, squares=squares)
                fens_here.append((text, len(game)))
            ply = source.choice(plies)
            game.append(format_ply(ply, position.board, squares))
            position.play(ply)
        games.append(tuple(game))
        fens += [(text, tuple(game[at : at + 6])) for text, at in fens_here]
    return Corpus(tuple(fens), tuple(games))


@dataclass(slots=True)
class Fuzzer:
    """Lines without their ends, never a ``quit``. Reproducible: the seed decides everything."""

    seed: int
    variant: str = "dam-haji"
    _random: random.Random = field(init=False)
    _weights: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._weights = [_WEIGHTS.get(command.name, 1) for command in COMMANDS]

    def line(self) -> bytes:
        """The next line."""
        while True:
            kind = self._random.random()
            if kind < 0.6:
                data = self.valid().encode()
            elif kind < 0.93:
                data = self.spoilt()
            else:
                data = self.garbage()
            data = data.replace(b"\n", b"\r")
            if data.decode("utf-8", "replace").split()[:1] != ["quit"]:
                return data

    # Valid lines

    def valid(self) -> str:
        """A line that the tables allow, with plies and positions of a real game."""
        while True:
            command = self._random.choices(COMMANDS, self._weights)[0]
            if command.name == "setoption":
                return self._setoption()
            if command.name == "position":
                return self._position()
            if command.args is GO:
                return self._go()
            if command.name != "quit":
                return " ".join([command.name, *self._arguments(command)])

    def _arguments(self, command: Command) -> list[str]:
        words: list[str] = []
        for argument in command.args:
            if argument.required or self._random.random() < 0.5:
                words += self._argument(argument)
        if command.name == "gameover" and self._random.random() < 0.7:
            words = ["draw", self._random.choice(("agreement", "repetition", "move-limit"))]
        if command.name == "bench":
            words = ["1"]
        return words

    def _argument(self, argument: Argument) -> list[str]:
        words = [argument.keyword] if argument.keyword else []
        if argument.kind is Kind.NUMBER:
            words.append(str(self._random.randint(max(0, argument.low), _SMALL.get(argument.keyword, 3))))
        elif argument.kind is Kind.WORD:
            words.append(self._random.choice(argument.choices))
        elif argument.kind is Kind.PLY:
            words.append(self._random.choice(self._random.choice(corpus(self.variant).games)[:6]))
        elif argument.kind is Kind.PLIES:
            words += self._random.sample(self._random.choice(corpus(self.variant).games)[:3], 2)
        elif argument.kind is Kind.TEXT:
            words.append(self._random.choice(COMMANDS).name)
        return words

    def _go(self) -> str:
        chance = self._random.random()
        arguments = [argument for argument in GO if self._random.random() < 0.12 and argument.keyword != "perft"]
        if chance < 0.05:
            return f"go perft {self._random.randint(0, 2)}"
        if chance < 0.85:
            arguments = [argument for argument in arguments if argument.keyword not in ("infinite", "ponder")]
            arguments.append(self._random.choice([a for a in GO if a.keyword in ("depth", "nodes", "movetime")]))
        self._random.shuffle(arguments)
        return " ".join(["go", *(word for argument in arguments for word in self._argument(argument))])

    def _position(self) -> str:
        game = corpus(self.variant)
        if self.variant in _HARD and self._random.random() < 0.01:
            return f"position fen {_HARD[self.variant]}"
        if self._random.random() < 0.5:
            plies = self._random.choice(game.games)
            plies = plies[: self._random.randint(0, len(plies))]
            start = "startpos"
        else:
            fen, plies = self._random.choice(game.fens)
            start = f"fen {fen}"
        moves = ["moves", *plies] if plies or self._random.random() < 0.2 else []
        return " ".join(["position", start, *moves])

    def _setoption(self) -> str:
        option = self._random.choice((*OPTIONS, *OPTIONS[:1] * 6))
        if option.kind is OptionKind.BUTTON:
            return f"setoption name {option.name}"
        return f"setoption name {option.name} value {self._value(option)}"

    def _value(self, option: Option) -> str:
        if option.name == "UCI_Variant":
            self.variant = self._random.choice(names())
            return self.variant
        by_kind: dict[OptionKind, Callable[[], str]] = {
            OptionKind.CHECK: lambda: self._random.choice(("true", "false")),
            OptionKind.SPIN: lambda: str(self._random.randint(*_SPINS.get(option.name, (option.low, option.high)))),
            OptionKind.COMBO: lambda: self._random.choice(option.choices),
            OptionKind.STRING: lambda: self._random.choice(("<empty>", "/no/such/folder", "a b")),
        }
        return by_kind[option.kind]()

    # Spoilt lines and garbage

    def spoilt(self) -> bytes:
        """A valid line with one to three things wrong with it."""
        words = self.valid().split(" ")
        for _ in range(self._random.choice((1, 1, 2, 3))):
            self._spoil_words(words)
        data = " ".join(words).encode()
        if self._random.random() < 0.35:
            data = self._spoil_bytes(data)
        return data

    def _spoil_words(self, words: list[str]) -> None:
        at = self._random.randrange(len(words)) if words else 0
        match self._random.randrange(9):
            case 0 if words:
                del words[at]
            case 1 if words:
                words.insert(at, words[at])
            case 2 if len(words) > 1:
                other = self._random.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 3 if words:
                words[at] = self._random.choice(_NUMBERS)
            case 4 if words:
                words[at] = self._spoil_text(words[at])
            case 5:
                words.insert(at, self._random.choice((*_WORDS, *REASONS)))
            case 6:
                words[at:] = self.valid().split(" ")
            case 7:
                words.insert(at, self._random.choice(_ODD))
            case 8 if words:
                words[at] = self._random.choice((str.upper, str.title, str.swapcase))(words[at])

    def _spoil_text(self, text: str) -> str:
        at = self._random.randint(0, len(text))
        inserted: str = self._random.choice((*_ODD, *"0123456789WBKkxX:-,.*=abcdeHFPL"))
        return text[:at] + inserted + text[at + self._random.randint(0, 2) :]

    def _spoil_bytes(self, data: bytes) -> bytes:
        at = self._random.randint(0, len(data))
        match self._random.randrange(5):
            case 0:
                return data[:at] + self._random.choice(_BYTES) + data[at:]
            case 1 if data:
                at = self._random.randrange(len(data))
                return data[:at] + bytes([data[at] ^ 1 << self._random.randrange(8)]) + data[at + 1 :]
            case 2:
                return data[:at]
            case 3 if self._random.random() < 0.06:
                return (
                    data
                    + b" "
                    + data[at:] * (self._random.choice((60_000, 65_530, 70_000, 300_000)) // (len(data) - at + 1))
                )
        return self._random.choice((b"  ", b"\t", b"\xef\xbb\xbf", b"")) + data + self._random.choice((b"\r", b" ", b""))

    def garbage(self) -> bytes:
        """Nothing that means anything, sometimes behind a command's name."""
        chance = self._random.random()
        start = self._random.choice(COMMANDS).name.encode() + b" " if chance < 0.4 else b""
        if chance < 0.5:
            return start + self._random.randbytes(self._random.randrange(40))
        if chance < 0.8:
            return start + " ".join(self._random.choices(_WORDS, k=self._random.randrange(8))).encode()
        return start + "".join(self._random.choices(_ODD, k=self._random.randrange(8))).encode()
