"""Why a ply is not legal, in words, from the rules in force and the position.

Every reason ends, where it can, with what would have been right. Lists are cut, so that messages stay short in
positions with thousands of plies.
"""

from __future__ import annotations

from collections.abc import Sequence

from damd.core.types import Outcome, Ply, PlyKind, Setup
from damd.notation.routes import Routes, TooManyRoutesError, quiet_ends
from damd.notation.spelling import Spelling, format_ply
from damd.notation.squares import SIDES, listed, names_of
from damd.rules import Rules

#: What each criterion of choice asks for, after "the rules ask for".
_DEMANDS = {
    "pieces": "the capture of most pieces",
    "value": "the capture of highest value",
    "by-king": "a capture by a king",
    "kings": "the capture of most kings",
    "earliest-king": "the capture that meets kings earliest",
}


def explain(spelling: Spelling, rules: Rules, setup: Setup, plies: Sequence[Ply], outcome: Outcome | None) -> str:
    """Why ``spelling`` names no ply of ``plies``, all the legal plies of the position ``setup``."""
    return _Explainer(spelling, rules, setup, plies).reason(outcome)


class _Explainer:
    """One wrong ply in one position."""

    def __init__(self, spelling: Spelling, rules: Rules, setup: Setup, plies: Sequence[Ply]) -> None:
        self._points = spelling.points
        self._spelling = spelling
        self._rules = rules
        self._setup = setup
        self._plies = plies
        self._names = names_of(rules.geometry, spelling.squares)
        self._side, self._other = SIDES[setup.side], SIDES[1 - setup.side]
        self._theirs = setup.men[1 - setup.side] | setup.kings[1 - setup.side]
        self._captures = [ply for ply in plies if ply.kind is PlyKind.CAPTURE]
        self._own = [ply for ply in plies if ply.kind is not PlyKind.CLAIM and ply.origin == self._points[0]]

    def reason(self, outcome: Outcome | None) -> str:
        if not self._plies:
            return self._game_over(outcome)
        if self._spelling.claim:
            return self._claim()
        origin = self._points[0]
        if origin in self._theirs:
            return f"the piece on {self._name(origin)} is {self._other}'s, and {self._side} is to move"
        if origin not in self._setup.men[self._setup.side] | self._setup.kings[self._setup.side]:
            return f"there is no piece on {self._name(origin)}"
        if len(self._points) == 1:
            return f"{self._name(origin)} is no ply alone: origin and end are needed, as in {self._paths(self._plies[:1])}"
        try:
            capture = self._capture()
        except TooManyRoutesError:
            capture = f"no legal capture is written {self._written('x')}"
        return capture or self._quiet()

    # Reasons

    def _game_over(self, outcome: Outcome | None) -> str:
        if outcome is None:
            return f"{self._side} has no legal ply"
        result = "a draw" if outcome.winner is None else f"{SIDES[outcome.winner]} has won"
        return f"the game is over: {result} ({outcome.reason.value})"

    def _claim(self) -> str:
        right = self._setup.right
        claims = [ply for ply in self._plies if ply.kind is PlyKind.CLAIM]
        if right is None or not claims:
            if self._rules.penalty.take == 0:
                return "there is nothing to claim: captures cannot be missed here, so no piece is forfeited"
            return f"{self._side} has no right to claim: {self._other} has not just missed a capture"
        twice = [point for point in self._points if self._points.count(point) > 1]
        if twice:
            return f"{self._name(twice[0])} is claimed twice"
        liable = right.points or tuple(sorted(self._theirs))
        for point in self._points:
            if point not in self._theirs:
                return f"there is no piece of {self._other} on {self._name(point)} to claim"
            if point not in liable:
                pieces = listed(liable, self._name)
                return f"the piece on {self._name(point)} has not missed a capture; what may be claimed is {pieces}"
        number = len(claims[0].captured)
        return f"a claim takes exactly {_pieces(number)} here, not {len(self._points)}: {self._paths(claims)}"

    def _capture(self) -> str:
        """Why it is no legal capture; empty where it is not meant to be one."""
        points = self._points
        routes = Routes(self._rules, self._setup, points[0])
        walked = routes.walk(points)
        meant = self._spelling.mark == "x" or len(points) > 2 or len(walked) == len(points) - 1
        if not meant:
            return ""
        from_here = [ply for ply in self._own if ply.kind is PlyKind.CAPTURE]
        if len(walked) == len(points) - 1:
            return self._incomplete(routes.fault(*walked[-1]), walked[-1][2].captured, from_here)
        if len(points) == 2 and any(ply.path == points for ply in self._own):
            return f"{self._written('x')} captures nothing: the quiet move is written {self._written('-')}"
        if len(points) == 2 and from_here:
            what = f"no legal capture from {self._name(points[0])} ends on {self._name(points[1])}"
        elif not walked:
            if not routes.can_go_on(routes.start):
                what = f"the {self._piece()} on {self._name(points[0])} can capture nothing"
            else:
                what = f"the {self._piece()} on {self._name(points[0])} cannot capture on to {self._name(points[1])}"
        else:
            at, following = walked[-1][2].point, points[len(walked) + 1]
            what = f"the capture {self._written('x')} cannot go on from {self._name(at)} to {self._name(following)}"
        return what + self._right_ones(from_here or self._captures)

    def _incomplete(self, fault: str, captured: tuple[int, ...], from_here: Sequence[Ply]) -> str:
        """Why a capture is none although each of its jumps is possible."""
        last = self._name(self._points[-1])
        victim = self._name(captured[-1])
        begun = [ply for ply in from_here if ply.path[: len(self._points)] == self._points]
        if fault == "goes-on" and (from_here or not self._rules.capture.choice):
            return f"the capture has to go on from {last}" + self._right_ones(begun or from_here)
        if fault == "landing" and (from_here or not self._rules.capture.choice):
            return f"behind {victim} the capture has to land where it can go on, not on {last}" + self._right_ones(from_here)
        if fault == "behind":
            return f"a king that captures a king last halts right behind it, not on {last}" + self._right_ones(from_here)
        demands = " and then ".join(_DEMANDS[criterion] for criterion in self._rules.capture.choice)
        wrong = f"{self._written('x')} takes {_pieces(len(captured))}"
        if not demands:
            return f"{wrong}, which is not legal" + self._right_ones(from_here or self._captures)
        return f"{wrong}, but the rules ask for {demands}" + self._right_ones(self._captures)

    def _quiet(self) -> str:
        origin, end = self._points
        name = self._name(end)
        must = ""
        if self._captures and not any(ply.kind is PlyKind.QUIET for ply in self._plies) and self._rules.capture.compulsory:
            must = f"a capture is compulsory: {self._paths(self._captures)}"
        here = self._side_points()
        if end == origin:
            why = f"the {self._piece()} on {name} has to move"
        elif end in here or end in self._theirs:
            why = f"{name} is occupied"
        elif end not in quiet_ends(self._rules, self._setup, origin):
            why = f"{self._piece_text()} cannot go to {name}"
            why += "" if must or not self._own else f"; it can go {self._paths(self._own)}"
        elif must:
            return must
        else:
            why = self._rested(origin) or f"{self._written('-')} is not legal; legal are {self._paths(self._plies)}"
        return f"{why}; {must}" if must else why

    def _rested(self, origin: int) -> str:
        run, limit = self._setup.king_runs[self._setup.side], self._rules.king.quiet_limit
        if run is None or run.point != origin or not limit or run.count < limit:
            return ""
        count = f"{run.count} quiet moves in a row"
        return f"the king on {self._name(origin)} has made {count}, another piece has to move: {self._paths(self._plies)}"

    # Words

    def _right_ones(self, plies: Sequence[Ply]) -> str:
        if not plies:
            return ""
        return f"; legal {'is' if len(plies) == 1 else 'are'} {self._paths(plies)}"

    def _piece(self) -> str:
        return "king" if self._points[0] in self._setup.kings[self._setup.side] else "man"

    def _piece_text(self) -> str:
        """The piece and its ways: ``the man on 32 (one step forward-diagonal)``."""
        kind = self._piece()
        words = self._rules.king.moves if kind == "king" else self._rules.men.moves
        steps = "any distance" if kind == "king" and self._rules.king.flying else "one step"
        return f"the {kind} on {self._name(self._points[0])} ({steps} {_either(words)})"

    def _side_points(self) -> frozenset[int]:
        return self._setup.men[self._setup.side] | self._setup.kings[self._setup.side]

    def _name(self, point: int) -> str:
        return self._names[point]

    def _written(self, mark: str) -> str:
        shown = mark.join(self._name(point) for point in self._points[:12])
        return shown + (f"{mark}…" if len(self._points) > 12 else "")

    def _paths(self, plies: Sequence[Ply]) -> str:
        board = self._rules.geometry
        return listed(sorted(plies, key=_path), lambda ply: format_ply(ply, board, self._spelling.squares))


def _path(ply: Ply) -> tuple[int, ...]:
    return ply.path


def _either(words: Sequence[str]) -> str:
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _pieces(number: int) -> str:
    return "1 piece" if number == 1 else f"{number} pieces"
