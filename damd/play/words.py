"""What is said about a game: plies, claims and ends in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from damd.core.types import Outcome, Ply, PlyKind, Reason, Setup
from damd.notation.plies import format_ply
from damd.notation.squares import SIDES, listed, names_of
from damd.play.game import Game, Played
from damd.rules import Rules

#: Of long lists so much is told.
_TOLD = 8


class Words:
    """Sentences about a game under ``rules``, with squares written as ``squares`` says."""

    def __init__(self, rules: Rules, squares: str) -> None:
        self._rules = rules
        self._squares = squares
        self._names = names_of(rules.geometry, squares)

    def ply(self, ply: Ply) -> str:
        return format_ply(ply, self._rules.geometry, self._squares)

    def plies(self, plies: Sequence[Ply], limit: int = _TOLD) -> str:
        return listed(plies, self.ply, limit)

    def points(self, points: Sequence[int]) -> str:
        """``22``, ``22 and 31``, ``b4, c5 and d4``."""
        names = [self._names[point] for point in points]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    # What was played

    def told(self, played: Played, before: Setup) -> str:
        """That a ply was made; ``before`` is the position it was made in."""
        side, other = SIDES[played.side], SIDES[1 - played.side]
        if played.ply.kind is PlyKind.CLAIM:
            pieces = self._pieces(played.ply.captured, before)
            return f"{side} claims: {other}'s {pieces} {_is(played.ply.captured)} taken off for a missed capture."
        crowned = " and becomes a king" if played.ply.promotes else ""
        return f"{side} plays {self.ply(played.ply)}{crowned}."

    def missed(self, played: Played, after: Setup) -> str:
        """That a ply missed a capture and what it may cost; empty where there is nothing to claim."""
        if after.right is None or after.side == played.side:
            return ""
        side, other = SIDES[played.side], SIDES[1 - played.side]
        theirs = after.men[played.side] | after.kings[played.side]
        if after.right.points:
            what = f"take {self._one_of(after.right.points, after.right.take)} off the board"
        else:
            number = min(after.right.take, len(theirs))
            what = f"take any {number} of {side}'s pieces off the board" if number > 1 else "take the last piece"
        return f"{side} missed a capture{self._which(played)}. {other} may {what}."

    def _which(self, played: Played) -> str:
        if not played.missed:
            return ""
        if played.ply.kind is PlyKind.CAPTURE:
            return f" (the piece on {self._names[played.ply.end]} could have gone on)"
        verb = "was" if len(played.missed) == 1 else "were"
        return f" ({self.plies(played.missed, 3)} {verb} possible)"

    def _one_of(self, points: Sequence[int], take: int) -> str:
        if len(points) <= take:
            return self.points(points)
        return f"{take if take > 1 else 'one'} of {self.points(points)}"

    def _pieces(self, points: Sequence[int], setup: Setup) -> str:
        if len(points) != 1:
            return f"pieces on {self.points(points)}"
        kings = setup.kings[0] | setup.kings[1]
        return f"{'king' if points[0] in kings else 'man'} on {self.points(points)}"

    # Claims

    def question(self, game: Game, claims: Sequence[Ply]) -> str:
        """Whether, and with what, the side to move wants to claim."""
        last, setup = game.last, game.position.setup()
        other = SIDES[1 - game.side]
        about = self._which(last) if last is not None and last.side != game.side else ""
        what = f"the {self._pieces(claims[0].captured, setup)}" if len(claims) == 1 else self._liable(claims, setup)
        refusal = len(claims) < len(game.plies())
        return f"{other} missed a capture{about}. Take {what} off the board? ({self._answers(claims, refusal)})"

    def _liable(self, claims: Sequence[Ply], setup: Setup) -> str:
        """What may be taken, where there is a choice."""
        number = len(claims[0].captured)
        liable = [self._names[point] for point in setup.right.points] if setup.right is not None else []
        if liable and len(liable) <= _TOLD:
            return f"{number if number > 1 else 'one'} of {', '.join(liable)}"
        return f"any {number if number > 1 else 'one'} of {SIDES[1 - setup.side]}'s pieces"

    def _answers(self, claims: Sequence[Ply], refusal: bool) -> str:
        number = len(claims[0].captured)
        if len(claims) == 1:
            answers = ["yes"]
        elif number == 1 and len(claims) <= _TOLD:
            answers = [self._names[ply.end] for ply in claims]
        else:
            name = f"{number} {self.place}s" if number > 1 else f"a {self.place}"
            example = " ".join(self._names[point] for point in claims[0].captured)
            return f"name {name}, such as {example}{', or no' if refusal else ''}"
        return "/".join([*answers, *(["no"] if refusal else [])])

    @property
    def place(self) -> str:
        return "square" if self._rules.board.kind != "tailed" else "point"

    # Lists

    def legal(self, game: Game) -> list[str]:
        """All legal plies, those that miss a capture apart; of many claims only what they take."""
        plies, risky = sorted(game.plies(), key=lambda ply: ply.path), game.risky()
        claims = [ply for ply in plies if ply.kind is PlyKind.CLAIM]
        safe = [ply for ply in plies if ply.kind is not PlyKind.CLAIM and ply not in risky]
        captures = [ply for ply in safe if ply.kind is PlyKind.CAPTURE]
        quiet = [ply for ply in safe if ply.kind is PlyKind.QUIET]
        rows = [("Captures", captures), ("Moves", quiet), ("Missing a capture", [ply for ply in plies if ply in risky])]
        told = [f"{title}: {'  '.join(self.ply(ply) for ply in group)}" for title, group in rows if group]
        if len(claims) > 40:
            number = len(claims[0].captured)
            told.append(f"Claims: {len(claims)}, any {number} of {SIDES[1 - game.side]}'s pieces: {self.ply(claims[0])} ...")
        elif claims:
            told.append(f"Claims: {'  '.join(self.ply(ply) for ply in claims)}")
        return told or ["There is no legal ply."]

    def score_sheet(self, game: Game) -> str:
        """``1. 22-18 9-14 2. ...``; a claim stands before the ply of its turn."""
        number, parts, white_had = game.start.fullmoves, list[str](), False
        for index, played in enumerate(game.played):
            begins = not index or (game.played[index - 1].side != played.side)
            if played.side == 0 and begins:
                number += 1 if white_had else 0
                white_had = True
                parts.append(f"{number}.")
            elif played.side == 1 and not index:
                parts.append(f"{number}. ...")
                white_had = True
            parts.append(self.ply(played.ply))
        return " ".join(parts)

    # The end

    def end(self, outcome: Outcome, game: Game) -> str:
        """Who has won, and why."""
        result = "A draw" if outcome.winner is None else f"{SIDES[outcome.winner]} wins"
        return f"{result}: {self._why(outcome, game)}."

    def _why(self, outcome: Outcome, game: Game) -> str:
        end = self._rules.end
        match outcome.reason:
            case Reason.FIRST_KING:
                return f"{SIDES[outcome.winner or 0]} has the first king"
            case Reason.NO_PIECES:
                bare = game.position.pieces.index(0)
                return f"{SIDES[bare]} has no piece left"
            case Reason.NO_MOVES:
                return f"{SIDES[game.side]} has no legal ply"
            case Reason.ONE_EACH:
                return "each side has one piece left"
            case Reason.REPETITION:
                return f"the same position has come {end.repetition} times"
            case Reason.MOVE_LIMIT | Reason.MATERIAL if outcome.rule:
                limit = next(draw.limit for draw in end.draws if draw.name == outcome.rule)
                return f"{limit} moves of each side by the rule {outcome.rule}"
            case Reason.MOVE_LIMIT:
                what = "a capture, a claim, a promotion or a forward move of a man"
                return f"{end.move_limit} moves of each side without {what}"
            case Reason.MATERIAL:
                return "too few pieces are left for a win"
            case Reason.AGREEMENT:
                return "the players agreed on it"
            case Reason.RESIGNATION:
                loser = 1 - outcome.winner if outcome.winner is not None else game.side
                return f"{SIDES[loser]} resigns"


def _is(points: Sequence[int]) -> str:
    return "is" if len(points) == 1 else "are"
