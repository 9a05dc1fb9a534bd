"""Why a text names no legal ply, from the rules in force and the position: the rules that forbid it, in words.

Every refusal ends, where it can, with what would have been right. Lists are cut, so that messages stay short in
positions with thousands of plies, and the search for routes is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace

from damd.core.types import Outcome, Ply, PlyKind, Reason, Setup
from damd.notation.causes import Cause, Fault, Refusal, both, either, in_order, paths, pieces
from damd.notation.legs import Legs
from damd.notation.routes import Jump, Routes, State, TooManyRoutesError, quiet_ends
from damd.notation.spelling import Spelling
from damd.notation.squares import SIDES, listed, names_of
from damd.notation.weighing import Weighed, demand
from damd.rules import EndRules, Rules

#: So far other rules are followed to find out which of them would allow a capture: 10 ms each.
_STEPS_UNDER_OTHER_RULES = 300


def refuse(
    spellings: Sequence[Spelling],
    rules: Rules,
    setup: Setup,
    plies: Sequence[Ply],
    outcome: Outcome | None,
    squares: str = "",
) -> Refusal:
    """Why none of ``spellings`` names one of ``plies``, all the legal plies of the position ``setup``.

    ``squares`` is how squares are written in it, ``""`` as in the text itself.
    """
    pieces_to_move = setup.men[setup.side] | setup.kings[setup.side]
    spelling = next((one for one in spellings if one.points[0] in pieces_to_move), spellings[0])
    return _Refuser(spelling, rules, setup, plies, squares or spelling.squares).refusal(outcome)


class _Refuser:
    """One wrong ply in one position."""

    def __init__(self, spelling: Spelling, rules: Rules, setup: Setup, plies: Sequence[Ply], squares: str) -> None:
        self._points = spelling.points
        self._spelling = spelling
        self._rules = rules
        self._setup = setup
        self._plies = plies
        self._squares = squares
        self._names = names_of(rules.geometry, squares)
        self._side, self._other = SIDES[setup.side], SIDES[1 - setup.side]
        self._ours = setup.men[setup.side] | setup.kings[setup.side]
        self._theirs = setup.men[1 - setup.side] | setup.kings[1 - setup.side]
        self._captures = [ply for ply in plies if ply.kind is PlyKind.CAPTURE]
        self._own = [ply for ply in plies if ply.kind is not PlyKind.CLAIM and ply.origin == self._points[0]]

    def refusal(self, outcome: Outcome | None) -> Refusal:
        if self._plies:
            return self._of_the_text()
        over = self._game_over(outcome)
        if outcome is None or outcome.reason is not Reason.NO_MOVES:
            return Refusal((over,))
        # Without a legal ply the game is over because of what forbids this one, and all others.
        return Refusal((over, *self._of_the_text().causes))

    def _of_the_text(self) -> Refusal:
        if self._spelling.claim:
            return self._claim()
        origin = self._points[0]
        what = ""
        if origin in self._theirs:
            what = f"the piece on {self._name(origin)} is {self._other}'s, and {self._side} is to move"
            return self._plain(Fault.TURN, what, self._plies, lead="")
        if origin not in self._ours:
            return self._plain(Fault.NO_PIECE, f"there is no piece on {self._name(origin)}", self._plies, lead="")
        if len(self._points) == 1:
            instead = in_order(self._own or self._plies)
            example = f", as in {paths(instead[:1], self._rules, self._squares)}" if instead else ""
            what = f"{self._name(origin)} is no ply alone: origin and end are needed{example}"
            return self._plain(Fault.NO_MOVE, what, instead, lead="")
        try:
            capture = self._capture()
        except TooManyRoutesError:
            what = f"no legal capture is written {self._written('x')}"
            return self._plain(Fault.NO_ROUTE, what, self._own or self._plies, lead="")
        return capture or self._quiet()

    def _plain(self, fault: Fault, clause: str, instead: Sequence[Ply], lead: str = "; legal") -> Refusal:
        return Refusal((Cause(clause, fault=fault),), in_order(instead), lead)

    # The end of the game, and claims

    def _game_over(self, outcome: Outcome | None) -> Cause:
        if outcome is None:
            return Cause(f"{self._side} has no legal ply", fault=Fault.GAME_OVER)
        result = "a draw" if outcome.winner is None else f"{SIDES[outcome.winner]} has won"
        clause = f"the game is over: {result} ({outcome.reason.value})"
        if outcome.reason is Reason.NO_MOVES:
            return Cause(clause)
        key = end_key(outcome)
        # Whoever it is that wins then, without pieces there is no ply.
        if not key or outcome.reason is Reason.NO_PIECES:
            return Cause(clause, fault=Fault.GAME_OVER)
        return Cause(clause, (key,))

    def _claim(self) -> Refusal:
        right = self._setup.right
        claims = in_order([ply for ply in self._plies if ply.kind is PlyKind.CLAIM])
        if right is None or not claims:
            if self._rules.penalty.take == 0:
                what = "there is nothing to claim: captures cannot be missed here, so no piece is forfeited"
                return Refusal((Cause(what, ("penalty.take",), Fault.NO_RIGHT),), in_order(self._plies), "")
            what = f"{self._side} has no right to claim: {self._other} has not just missed a capture"
            return self._plain(Fault.NO_RIGHT, what, self._plies, "")
        twice = [point for point in self._points if self._points.count(point) > 1]
        if twice:
            return self._plain(Fault.TWICE, f"{self._name(twice[0])} is claimed twice", claims, "")
        liable = right.points or tuple(sorted(self._theirs))
        for point in self._points:
            if point not in self._theirs:
                what = f"there is no piece of {self._other} on {self._name(point)} to claim"
                return self._plain(Fault.NO_PIECE, what, claims, "")
            if point not in liable:
                named = listed(liable, self._name)
                what = f"the piece on {self._name(point)} has not missed a capture; what may be claimed is {named}"
                return Refusal((Cause(what, ("penalty.liable",)),), claims, "")
        what = f"a claim takes exactly {pieces(len(claims[0].captured))} here, not {len(self._points)}"
        return Refusal((Cause(what, ("penalty.take",)),), claims, ": ")

    # Captures

    def _capture(self) -> Refusal | None:
        """Why it is no legal capture; ``None`` where it is not meant to be one."""
        points = self._points
        routes = Routes(self._rules, self._setup, points[0])
        walked = routes.walk(points)
        if len(walked) == len(points) - 1:
            return self._not_to_be_ended(routes, walked[-1])
        wanted = self._spelling.mark == "x" or len(points) > 2
        quiet_too = len(points) == 2 and any(ply.path == points for ply in self._own)
        if quiet_too and wanted:
            what = f"{self._written('x')} captures nothing: the quiet move is written {self._written('-')}"
            return self._plain(Fault.NOTHING, what, [ply for ply in self._own if ply.path == points], "")
        if not wanted and points[1] in quiet_ends(self._rules, self._setup, points[0]):
            return None
        ending = self._best_ending(routes)
        if ending is not None:
            return self._not_to_be_ended(routes, ending)
        legs = list(Legs(self._rules, self._setup, points[0], self._name).walk(points))
        if not wanted and legs[-1].after is None:
            return None
        return self._no_jump(routes, legs[-1].after is not None, [cause for leg in legs for cause in leg.causes], len(legs))

    def _best_ending(self, routes: Routes) -> tuple[State, Jump, State] | None:
        """Of the captures that the text may stand for the one that comes nearest to a legal one."""
        found = list(routes.ending(self._points))
        order = ("", "landing", "behind", "goes-on")
        return max(
            found, key=lambda one: (-order.index(routes.fault(*one)), len(one[2].captured), one[2].captured), default=None
        )

    def _not_to_be_ended(self, routes: Routes, last: tuple[State, Jump, State]) -> Refusal:
        """Why a capture is none although each of its jumps is possible."""
        fault, end = routes.fault(*last), last[2]
        from_here = [ply for ply in self._own if ply.kind is PlyKind.CAPTURE]
        begun = [ply for ply in from_here if ply.path[: len(self._points)] == self._points]
        place, victim = self._name(end.point), self._name(last[1].victim)
        if fault == "behind":
            what = f"a king that captures a king last halts right behind it, not on {place}"
            return Refusal((Cause(what, ("king.landing",)),), in_order(from_here or self._captures))
        if fault and (from_here or not self._rules.capture.choice):
            what, key = f"the capture has to go on from {place}", "capture.going_on"
            if fault == "landing":
                what = f"behind {victim} the capture has to land where it can go on, not on {place}"
                key = "capture.landing_goes_on"
            return Refusal((Cause(what, (key,)),), in_order(begun or from_here or self._captures))
        return self._outweighed(routes, end)

    def _outweighed(self, routes: Routes, end: State) -> Refusal:
        """That other captures have precedence."""
        instead = in_order([ply for ply in self._captures if self._chosen(ply)])
        weighed = self._weighed(routes, end)
        if instead:
            best = instead[0]
            others = Routes(self._rules, self._setup, best.origin)
            precedent = self._weighed(others, others.walk(best.path)[-1][2])
            criteria = self._rules.capture.choice
            for number, criterion in enumerate(criteria):
                if weighed.weight(criterion) != precedent.weight(criterion):
                    path = paths([best], self._rules, self._squares)
                    what = f"{demand(criteria, number)}: {self._written('x')} {weighed.told(criterion)}"
                    return Refusal((Cause(f"{what}, {path} {precedent.told(criterion)}", ("capture.choice",)),), instead)
        what = f"{self._written('x')} takes {pieces(len(end.captured))}, which is not legal"
        return self._plain(Fault.NO_ROUTE, what, instead or self._captures)

    def _chosen(self, ply: Ply) -> bool:
        """Whether it is a capture that the criteria let pass, not one that is stopped on its way at a penalty."""
        if not self._rules.penalty.take:
            return True
        routes = Routes(replace(self._rules, penalty=replace(self._rules.penalty, take=0)), self._setup, ply.origin)
        return not routes.fault(*routes.walk(ply.path)[-1])

    def _weighed(self, routes: Routes, end: State) -> Weighed:
        return Weighed(routes.kings_taken(end), routes.start.king)

    def _no_jump(self, routes: Routes, whole: bool, causes: Sequence[Cause], legs: int) -> Refusal:
        """Why there are no such jumps. ``causes`` are those of the first ``legs`` of them, ``whole`` if they are all."""
        origin = self._name(self._points[0])
        from_here = [ply for ply in self._own if ply.kind is PlyKind.CAPTURE]
        instead = in_order(from_here or self._captures or self._own or self._plies)
        lead = "; legal" if from_here or self._captures else ""
        if whole or causes[-1].fault not in (Fault.NO_LINE, Fault.NOTHING):
            return Refusal(tuple(causes), instead, lead)
        key = self._rule_without_route()
        if key:
            what = f"no capture from {origin} ends on {self._name(self._points[-1])}{self._with(key)}"
            return Refusal((*causes[:-1], Cause(what, (key,))), instead, lead)
        if len(self._points) == 2 and from_here:
            what = f"no legal capture from {origin} ends on {self._name(self._points[1])}"
            return Refusal((Cause(what, fault=Fault.NO_ROUTE),), instead, lead)
        if not routes.can_go_on(routes.start):
            what = f"the {self._piece()} on {origin} can capture nothing"
        elif legs == 1:
            what = f"the {self._piece()} on {origin} cannot capture on to {self._name(self._points[1])}"
        else:
            ways = f"from {self._name(self._points[legs - 1])} to {self._name(self._points[legs])}"
            what = f"the capture {self._written('x')} cannot go on {ways}"
        return Refusal((*causes[:-1], Cause(what, fault=causes[-1].fault)), instead, lead)

    def _rule_without_route(self) -> str:
        """The first rule that would have to be another for such a capture; empty where no single one would do."""
        for key, rules in wider(self._rules):
            routes = Routes(rules, self._setup, self._points[0], _STEPS_UNDER_OTHER_RULES)
            try:
                if any(True for _ in routes.ending(self._points)):
                    return key
            except TooManyRoutesError:
                continue
        return ""

    def _with(self, key: str) -> str:
        section, name = key.split(".")
        value = getattr(getattr(self._rules, section), name)
        return f" with {key} = {json.dumps(value)}"

    # Quiet moves

    def _quiet(self) -> Refusal:
        origin, end = self._points
        name, piece = self._name(end), f"the {self._piece()} on {self._name(origin)}"
        must = []
        if self._captures and self._rules.capture.compulsory and not self._rules.penalty.take:
            must = [Cause("a capture is compulsory", ("capture.compulsory",))]
        if end == origin:
            why = Cause(f"{piece} has to move", fault=Fault.NO_MOVE)
        elif end in self._ours | self._theirs:
            why = Cause(f"{name} is occupied", fault=Fault.OCCUPIED)
        else:
            found = self._against_the_way(origin, end) or self._rested(origin)
            if found is None and must:
                return Refusal(tuple(must), in_order(self._captures), ": ")
            why = found or Cause(f"{self._written('-')} is not legal", fault=Fault.NO_ROUTE)
        if must:
            return Refusal((why, *must), in_order(self._captures), ": ")
        if why.rules == ("king.quiet_limit",):
            return Refusal((why,), in_order(self._plies), ": ")
        told = why.fault not in (Fault.NO_MOVE, Fault.OCCUPIED)
        return Refusal((why,), in_order(self._own or self._plies), "; it can go " if told and self._own else "")

    def _against_the_way(self, origin: int, end: int) -> Cause | None:
        """Why the piece cannot get there, captures and the limit of king moves aside."""
        king = origin in self._setup.kings[self._setup.side]
        kind = "king" if king else "man"
        words = self._rules.king.moves if king else self._rules.men.moves
        steps = "any distance" if king and self._rules.king.flying else "one step"
        what = f"the {kind} on {self._name(origin)} ({steps} {either(words)}) cannot go to {self._name(end)}"
        for direction in self._rules.geometry.directions:
            between = []
            following = direction.next[origin]
            while following >= 0 and following != end:
                between.append(following)
                following = direction.next[following]
            if following != end:
                continue
            occupied = [self._name(point) for point in between if point in self._ours | self._theirs]
            if occupied:
                return Cause(
                    f"{what}, since {both(occupied)} {'is' if len(occupied) == 1 else 'are'} occupied", (), Fault.BLOCKED
                )
            if between and not king:
                return Cause(what, (), Fault.DISTANCE)
            keys = [] if direction.word(self._setup.side) in words else ["king.moves" if king else "men.moves"]
            if between and not self._rules.king.flying:
                keys.append("king.flying")
            return Cause(what, tuple(keys)) if keys else None
        return Cause(what, (), Fault.NO_LINE)

    def _rested(self, origin: int) -> Cause | None:
        run, limit = self._setup.king_runs[self._setup.side], self._rules.king.quiet_limit
        if run is None or run.point != origin or not limit or run.count < limit:
            return None
        count = "1 quiet move" if run.count == 1 else f"{run.count} quiet moves in a row"
        what = f"the king on {self._name(origin)} has made {count}, another piece has to move"
        return Cause(what, ("king.quiet_limit",))

    # Words

    def _piece(self) -> str:
        return "king" if self._points[0] in self._setup.kings[self._setup.side] else "man"

    def _name(self, point: int) -> str:
        return self._names[point]

    def _written(self, mark: str) -> str:
        shown = mark.join(self._name(point) for point in self._points[:12])
        return shown + (f"{mark}…" if len(self._points) > 12 else "")


def wider(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Rules under which pieces capture in more ways or in other ways, each with the one key that is different."""
    every = tuple(dict.fromkeys(direction.word(0) for direction in rules.geometry.directions))
    men, king, capture, promotion = rules.men, rules.king, rules.capture, rules.promotion
    other_removal = "end-of-move" if capture.removal == "at-once" else "at-once"
    makers: list[tuple[str, Callable[[], Rules]]] = [
        ("men.captures", lambda: replace(rules, men=replace(men, captures=every))),
        ("men.take_kings", lambda: replace(rules, men=replace(men, take_kings=True))),
        ("king.captures", lambda: replace(rules, king=replace(king, captures=every))),
        ("king.flying", lambda: replace(rules, king=replace(king, flying=True))),
        ("king.capture", lambda: replace(rules, king=replace(king, capture="far"))),
        ("king.landing", lambda: replace(rules, king=replace(king, landing="any"))),
        ("king.about_turn", lambda: replace(rules, king=replace(king, about_turn=True))),
        ("capture.removal", lambda: replace(rules, capture=replace(capture, removal=other_removal))),
        ("promotion.in_capture", lambda: replace(rules, promotion=replace(promotion, in_capture="as-man"))),
        ("promotion.in_capture", lambda: replace(rules, promotion=replace(promotion, in_capture="as-king"))),
    ]
    for key, make in makers:
        changed = make()
        if changed != rules:
            yield key, changed


def end_key(outcome: Outcome) -> str:
    """The key of the rule by which a game has ended so; empty where no single one says so."""
    name = "no_moves" if outcome.reason is Reason.NO_PIECES else outcome.reason.value.replace("-", "_")
    name = "draws" if outcome.rule else name
    return f"end.{name}" if any(field.name == name for field in fields(EndRules)) else ""
