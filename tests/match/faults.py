"""Faults of engines, each with the checks of ``damd check`` that it must fail: those and no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from faulty_engine import Died, Fault


@dataclass(frozen=True)
class Expected:
    """A fault and the names of the checks that it fails. ``slow``: they find it out by waiting."""

    fault: Fault
    fails: frozenset[str]
    slow: bool = False


def fails(fault: Fault, *checks: str, slow: bool = False) -> Expected:
    return Expected(fault, frozenset(checks), slow)


Change = Callable[[str], Iterable[str]]


def replaced(pattern: str, by: str) -> Change:
    """What matches is replaced."""
    return lambda line: [re.sub(pattern, by, line)]


def dropped(pattern: str) -> Change:
    """A line that matches is no line."""
    return lambda line: [] if re.search(pattern, line) else [line]


def before(pattern: str, text: str) -> Change:
    """A line of its own before one that matches."""
    return lambda line: [text, line] if re.search(pattern, line) else [line]


def after(pattern: str, text: str) -> Change:
    """A line of its own after one that matches."""
    return lambda line: [line, text] if re.search(pattern, line) else [line]


def dies(pattern: str) -> Change:
    """A line that matches is the last one."""

    def change(line: str) -> Iterable[str]:
        if re.search(pattern, line):
            raise Died(1)
        return [line]

    return change


def refuses(pattern: str, error: str) -> Change:
    """An engine that does not know a line: it is given one that it answers by ``error``."""
    return lambda line: [error] if re.search(pattern, line) else [line]


def clumsy(line: str) -> Iterable[str]:
    """Squares of the ply with zeros before them."""
    words = line.split()
    return [line] if words[0] != "bestmove" else [" ".join([words[0], re.sub("([0-9]+)", r"0\1", words[1]), *words[2:]])]


class Memory:
    """What an engine with a fault remembers: the last position, whether it searches, its last ply."""

    def __init__(self) -> None:
        self.position = "position startpos"
        self.searching = ""
        self.played = ""
        self.stops = 0
        self.held: list[str] = []
        self.said: set[str] = set()

    def hears(self, line: str) -> Iterable[str]:
        """A line is noted."""
        words = line.split()
        if words[:1] == ["position"]:
            self.position, self.played = line, ""
        elif words[:1] == ["go"]:
            self.searching, self.stops = line, 0
        elif words == ["stop"]:
            self.stops += 1
        return [line]

    def says(self, line: str) -> Iterable[str]:
        words = line.split()
        if words[:1] == ["bestmove"]:
            self.searching, self.played = "", words[1]
        return [line]

    @classmethod
    def made(cls) -> tuple[Change, Change]:
        memory = cls()
        return memory.hears, memory.says


class AnswersUciOnce(Memory):
    def says(self, line: str) -> Iterable[str]:
        again = line == "uciok" and line in self.said
        self.said.add(line)
        return [] if again else [line]


class AnswersIdleStop(Memory):
    def hears(self, line: str) -> Iterable[str]:
        idle = line == "stop" and not self.searching
        return ["d"] if idle else super().hears(line)


class PlaysItsOwnPly(Memory):
    def hears(self, line: str) -> Iterable[str]:
        if line.startswith(("go", "fen")) and self.played:
            self.position += " " + self.played if " moves " in self.position else f" moves {self.played}"
            self.played = ""
            return [self.position, *super().hears(line)]
        return super().hears(line)


class IllegalWithKings(Memory):
    def says(self, line: str) -> Iterable[str]:
        return ["bestmove 1-1"] if line.startswith("bestmove") and "K" in self.position else super().says(line)


class BusyWhileThinking(Memory):
    def hears(self, line: str) -> Iterable[str]:
        if line == "isready" and self.searching:
            self.held.append("readyok")
            return []
        return super().hears(line)

    def says(self, line: str) -> Iterable[str]:
        lines = list(super().says(line))
        if line.startswith("bestmove"):
            lines += self.held
            self.held.clear()
        return lines


class RemembersStop(Memory):
    def hears(self, line: str) -> Iterable[str]:
        stale = line == "go infinite" and self.stops > 1
        return ["go depth 1"] if stale and super().hears(line) else super().hears(line)


class ObeysWhileThinking(Memory):
    words = ("go", "position", "ucinewgame", "setoption")

    def hears(self, line: str) -> Iterable[str]:
        if self.searching == "go infinite" and line.startswith(self.words):
            return ["stop", *super().hears(line)]
        return super().hears(line)


class PlaysUpToIllegal(Memory):
    def hears(self, line: str) -> Iterable[str]:
        words = line.split()
        if words[:3] == ["position", "startpos", "moves"] and len(words) > 4:
            return [" ".join(words[:-1]), line]
        return super().hears(line)


#: What a handshake that does not come to its end leaves of that group.
_HANDSHAKE = ("identity", "handshake-lines", "declarations", "ready", "second-uci", "new-game", "debug")
#: A position with kings, or one that is given as a FEN with a right.
_KINGS, _RIGHT = r"^position fen .*K", r"^position fen .*:P"
_ON_DEPTH = r"^go depth"
#: What sets up the samples with kings.
_WITH_KINGS = ("kings", "same-plies", "legal-plies", "spelling", "info-lines", "variations", "expected-answer")

FAULTS: dict[str, Expected] = {
    "sound": fails(Fault()),
    # handshake
    "banner": fails(Fault(banner="Broken 1.0 is ready"), "silent-start", "handshake-lines"),
    "no-author": fails(Fault(says=dropped("^id author")), "identity"),
    "prose": fails(Fault(says=before("^uciok", "loading the book ...")), "handshake-lines"),
    "default-outside": fails(
        Fault(says=before("^uciok", "option name Depth type spin default 9 min 1 max 5")), "declarations"
    ),
    "declared-twice": fails(Fault(says=before("^uciok", "option name ponder type check default false")), "declarations"),
    "other-game": fails(Fault(says=replaced(" var dam-haji ", " ")), "game", "declarations"),
    "second-uci-unanswered": fails(Fault(made=AnswersUciOnce.made), "second-uci", slow=True),
    "still-ready": fails(Fault(says=after("^readyok", "info string ready for anything")), "ready"),
    "new-game-resets": fails(Fault(hears=after("^ucinewgame", "position startpos")), "new-game"),
    "debug-prose": fails(Fault(hears=after("^debug on", "d")), "debug"),
    "no-uciok": fails(Fault(says=dropped("^uciok")), *_HANDSHAKE, slow=True),
    "dies-at-start": fails(Fault(hears=dies("^uci$")), *_HANDSHAKE),
    # options
    "default-refused": fails(Fault(hears=refuses("^setoption name VariantPath value <empty>", "fault")), "defaults"),
    "greatest-refused": fails(Fault(hears=refuses("^setoption name Contempt value 100$", "fault")), "ranges"),
    "choice-refused": fails(Fault(hears=refuses("^setoption name Squares value algebraic", "fault")), "choices"),
    "button-refused": fails(Fault(hears=refuses("^setoption name Clear Hash", "fault")), "buttons"),
    "dies-out-of-range": fails(Fault(hears=dies("^setoption name Contempt value 101")), "out-of-range"),
    "takes-anything": fails(Fault(says=dropped("^error bad-value what-nobody-offers")), "wrong-values"),
    "takes-any-option": fails(Fault(says=dropped("^error unknown-option")), "unknown-option"),
    "dies-of-no-name": fails(Fault(hears=dies("^setoption name$")), "nameless-option"),
    "minds-case": fails(Fault(hears=refuses("^setoption name [a-z]", "fault")), "any-case"),
    # positions
    "no-start-position": fails(
        Fault(hears=refuses("^position startpos$", "fault")),
        *("defaults", "buttons", "out-of-range", "wrong-values", "unknown-option", "nameless-option"),
        *("start", "same-plies", "same-count", "result", "legal-plies", "spelling", "info-lines", "variations"),
        *("expected-answer", "idle-stop"),
    ),
    "no-full-board": fails(Fault(hears=refuses("^position fen W:W21,22,23.*B1,2,3,4,5,6,7,8", "fault")), "fen"),
    "no-plies-behind-fen": fails(Fault(hears=refuses("^position fen .* moves", "fault")), "plies", "claims"),
    "black-as-white": fails(
        Fault(hears=replaced("^position fen B:", "position fen W:")),
        *("black-to-move", "kings", "claims", "same-plies", "movetime", "clocks", "legal-plies", "spelling", "info-lines"),
        *("variations", "scores", "expected-answer", "ponderhit", "ponder-miss", "waiting-lines"),
        *("movetime-kept", "clock-kept", "last-turn-kept", "no-time"),
    ),
    "kings-as-men": fails(Fault(hears=replaced(_KINGS, "position fen W:W31,32:B1,2")), *_WITH_KINGS),
    "long-game-too-long": fails(Fault(hears=dies(r"^position startpos moves( \S+){60}")), "long-game"),
    "no-rights": fails(Fault(hears=replaced(r"(^position fen .*):P[0-9,]+", r"\1")), "claims", "same-plies"),
    "ply-not-listed": fails(Fault(says=replaced(r"^(moves .*) \S+$", r"\1")), "same-plies"),
    "ply-listed-twice": fails(Fault(says=replaced(r"^moves (\S+)", r"moves \1 \1")), "same-plies"),
    "counts-too-many": fails(Fault(says=replaced(r"^total ", "total 1")), "same-count"),
    "never-over": fails(Fault(says=replaced("^result .*", "result ongoing")), "result"),
    "silent-illegal-ply": fails(Fault(says=dropped("^error illegal-ply")), "illegal-ply"),
    "plays-up-to-illegal": fails(Fault(made=PlaysUpToIllegal.made), "illegal-ply"),
    "silent-bad-fen": fails(Fault(says=dropped("^error bad-fen")), "bad-fen", "not-ascii"),
    "dies-of-bad-fen": fails(Fault(says=dies("^error bad-fen")), "bad-fen", "not-ascii"),
    "bad-fen-resets": fails(
        Fault(hears=lambda line: ["position startpos", line] if "999" in line and "fen" in line else [line]), "bad-fen"
    ),
    "takes-half": fails(Fault(says=dropped("^error (missing-argument|unknown-token).*startpos")), "half-position"),
    "reads-on": fails(Fault(hears=replaced("^frobnicate ", "")), "unknown-command"),
    "unknown-unanswered": fails(Fault(says=dropped("^error unknown-command")), "unknown-command"),
    "dies-of-long-line": fails(Fault(says=dies("^error too-long")), "long-line"),
    "dies-of-bytes": fails(Fault(says=dies("^error bad-encoding")), "not-ascii"),
    "answers-blanks": fails(Fault(hears=lambda line: [line] if line.strip() else ["fault"]), "blanks"),
    "minds-cr": fails(Fault(reads=lambda data: data.replace(b"\r\n", b"?\n")), "line-ends"),
    # search
    "dies-of-depth": fails(
        Fault(hears=dies("^go depth 3$")),
        *("depth", "one-answer", "info-lines", "variations", "scores", "same-position", "several-lines", "waiting-lines"),
    ),
    "dies-of-nodes": fails(Fault(hears=dies("^go nodes")), "nodes", "told", "one-answer", "no-ply", "bad-limits"),
    "ignores-movetime": fails(
        Fault(hears=replaced("^go movetime [0-9]+", "go infinite")),
        *("movetime", "one-answer", "no-ply", "one-ply", "movetime-kept", "no-time"),
        slow=True,
    ),
    "ignores-blacks-clock": fails(Fault(hears=dies("^go wtime -500")), "no-time"),
    "minds-order": fails(Fault(hears=refuses("^go .* depth 1 .*binc", "go depth 1 fault")), "any-order"),
    "late-line": fails(
        Fault(says=after("^bestmove", "info depth 9 score cp 1 pv 1-2")),
        *("one-answer", "bad-limits", "stop-at-once", "ready-while-thinking", "infinite-waits", "no-limit"),
        *("second-search", "ponderhit", "ponder-miss", "go-while-thinking", "waiting-lines", "changes-while-thinking"),
    ),
    "illegal-with-kings": fails(Fault(made=IllegalWithKings.made), *(name for name in _WITH_KINGS if name != "same-plies")),
    "clumsy-plies": fails(Fault(says=clumsy), "spelling"),
    "fractions": fails(Fault(says=replaced("^(info .*) time [0-9]+", r"\1 time 0.5")), "info-lines"),
    "prose-in-search": fails(Fault(says=before("^info depth", "thinking ...")), "info-lines"),
    "no-lines": fails(Fault(says=dropped("^info depth")), "told", "scores", "stop-at-once", "several-lines"),
    "illegal-variation": fails(Fault(says=replaced("^(info .* pv .*)", r"\1 1-1")), "variations"),
    "only-bounds": fails(Fault(says=replaced("(score cp [-0-9]+)", r"\1 lowerbound")), "scores", "several-lines"),
    "mate-0": fails(Fault(says=replaced("score cp [-0-9]+", "score mate 0")), "scores"),
    "null-move": fails(Fault(says=replaced("^bestmove .none.", "bestmove 0000")), "no-ply", "infinite-waits", "ponder-miss"),
    "wrong-ponder": fails(Fault(says=replaced("ponder .*", "ponder 1-1")), "expected-answer"),
    "ignores-searchmoves": fails(Fault(counts_searchmoves=False), "searchmoves", "claims"),
    "depth-0-for-ever": fails(Fault(hears=replaced("^go depth 0", "go infinite")), "bad-limits", slow=True),
    "plays-by-itself": fails(Fault(made=PlaysItsOwnPly.made), "same-position"),
    "one-line": fails(Fault(ranks=False), "several-lines"),
    # control
    "slow-stop": fails(Fault(slow_stop_s=0.7), "stop", slow=True),
    "not-ready-while-thinking": fails(
        Fault(made=BusyWhileThinking.made),
        *("ready-while-thinking", "go-while-thinking", "changes-while-thinking"),
        slow=True,
    ),
    "infinite-ends": fails(Fault(waits=False), "infinite-waits"),
    "no-limit-is-depth-1": fails(Fault(hears=replaced("^go$", "go depth 1")), "no-limit"),
    "old-stop": fails(Fault(made=RemembersStop.made), "second-search"),
    "idle-stop-answered": fails(Fault(made=AnswersIdleStop.made), "idle-stop"),
    "does-not-ponder": fails(Fault(ponders=False), "ponderhit", "ponder-miss"),
    "deaf-to-ponderhit": fails(Fault(hears=dropped("^ponderhit")), "ponderhit", slow=True),
    "obeys-while-thinking": fails(Fault(made=ObeysWhileThinking.made), "go-while-thinking", "changes-while-thinking"),
    # time
    "oversleeps": fails(Fault(oversleeps_s=0.7), "movetime-kept", "clock-kept", "last-turn-kept", slow=True),
    "negative-for-ever": fails(Fault(hears=replaced("^go movetime -1", "go infinite")), "negative-movetime", slow=True),
    # ending
    "exit-code": fails(
        Fault(exit_code=3), *("quit", "quit-thinking", "end-of-input", "end-of-input-thinking", "piped", "last-line")
    ),
    "deaf-to-quit": fails(Fault(hears=dropped("^quit$")), "quit", "quit-thinking", "nothing-left", slow=True),
    "quits-without-answer": fails(Fault(hears=dies("^quit$")), "quit", "quit-thinking"),
    "lives-on": fails(
        Fault(ends=False),
        "end-of-input",
        "end-of-input-thinking",
        "piped",
        "last-line",
        "client-died",
        "nothing-left",
        slow=True,
    ),
    "leaves-child": fails(Fault(leaves_child=True), "nothing-left"),  # in a process of its own only: test_check.py
    "outlives-client": fails(Fault(outlives=True), "client-died", slow=True),
}
