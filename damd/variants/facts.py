"""What a rule sheet has to tell: the rules in force as facts, without the words of any language.

Every key of ``Rules`` that has an effect is told; a key that the other keys leave without effect (where a king
that goes one step may land, say) is not. The words are data: ``languages/*.toml``, read by ``catalogue``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from damd.geometry import BACKWARD_DIAGONAL, DIRECTION_WORDS, FORWARD_DIAGONAL, Board
from damd.rules import ANY, MANY, DrawRule, Force, Rules, Span
from damd.variants.points import parse_points

#: What stands for a list of directions that has a shorter name; ``DIRECTION_WORDS`` name the others.
ALL_DIRECTIONS = "all"
ALL_STRAIGHT = "all-straight"
BOTH_DIAGONALS = "both-diagonals"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to say: a sentence of the catalogues and what goes into its gaps.

    ``path`` is where the sentence stands, like ``king.moves.flying.square``: the section of the rules first.
    ``count`` is the number in it, ``directions`` the directions, ``parts`` are phrases, and ``texts`` all other gaps
    by name.
    """

    path: str
    count: int | None = None
    directions: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[str, Fact], ...] = ()


def facts(rules: Rules) -> Iterator[Fact]:
    """The rules in force from the board to the notation, in the order of reading; names are not rules."""
    board = rules.geometry
    yield from _board(rules, board)
    yield from _start(rules, board)
    yield from _men(rules, board)
    yield from _king(rules, board)
    yield from _capture(rules, board)
    yield from _choice(rules)
    yield from _promotion(rules, board)
    yield from _penalty(rules)
    yield from _end(rules)
    yield from _notation(rules, board)


def _board(rules: Rules, board: Board) -> Iterator[Fact]:
    if board.kind == "tailed":
        yield Fact("board.tailed.points", board.size, texts=(("lines", str(len(board.lines))),))
        yield Fact("board.tailed.shape")
        yield Fact("board.tailed.along-lines")
        return
    size = (("columns", str(rules.board.columns)), ("rows", str(rules.board.rows)))
    yield Fact("board.size", texts=size)
    yield Fact(f"board.squares.{board.kind}", board.size)
    if board.kind != "diagonal":
        return
    yield Fact("board.corner.light" if rules.board.mirrored else "board.corner.dark")
    yield Fact(f"board.numbering.{rules.board.numbering}")
    if _leaves_diagonals(rules):
        yield Fact("board.straight")


def _start(rules: Rules, board: Board) -> Iterator[Fact]:
    start = rules.start
    for side, text in (("white", start.white), ("black", start.black)):
        yield Fact(f"start.men.{side}", len(parse_points(text, board)), texts=(("points", text),))
    yield Fact(f"start.first.{'agreed' if start.by_agreement else 'fixed'}.{start.first}")


def _men(rules: Rules, board: Board) -> Iterator[Fact]:
    men = rules.men
    yield Fact(f"men.moves.{_place(board)}", directions=_directions(men.moves, board))
    if not men.captures:
        yield Fact("men.captures.none")
        return
    yield Fact(f"men.captures.{_place(board)}", directions=_directions(men.captures, board))
    yield Fact("men.take-kings.yes" if men.take_kings else "men.take-kings.no")


def _king(rules: Rules, board: Board) -> Iterator[Fact]:
    king, place = rules.king, _place(board)
    yield Fact(f"king.moves.{'flying' if king.flying else 'stepping'}.{place}", directions=_directions(king.moves, board))
    if not king.captures:
        yield Fact("king.captures.none")
    else:
        directions = _directions(king.captures, board)
        if king.flying:
            yield Fact(f"king.captures.{king.capture}", directions=directions)
            yield Fact(f"king.landing.{'behind' if king.landing == 'behind' else 'any'}.{place}")
            if king.landing == "behind-king":
                yield Fact("king.landing.behind-king")
        else:
            yield Fact(f"king.captures.stepping.{place}", directions=directions)
        if not king.about_turn:
            yield Fact("king.no-about-turn")
    if king.quiet_limit:
        yield Fact("king.quiet-limit", king.quiet_limit)
        yield Fact("king.quiet-limit-ends")


def _capture(rules: Rules, board: Board) -> Iterator[Fact]:
    capture, king = rules.capture, rules.king
    yield Fact("capture.compulsory.yes" if capture.compulsory else "capture.compulsory.no")
    yield Fact(f"capture.going-on.{capture.going_on}")
    if king.captures and king.flying and king.landing != "behind":
        yield Fact(f"capture.landing.{'goes-on' if capture.landing_goes_on else 'free'}.{_place(board)}")
    yield Fact(f"capture.removal.{capture.removal}")
    if capture.removal == "end-of-move":
        yield Fact("capture.blocking")


def _choice(rules: Rules) -> Iterator[Fact]:
    choice = rules.capture.choice
    for number, criterion in enumerate(choice):
        yield Fact(f"choice.{'next' if number else 'first'}.{criterion}")
        if criterion == "value":
            yield Fact("choice.value-of-a-king")
    yield Fact("choice.rest" if choice else "choice.free")


def _promotion(rules: Rules, board: Board) -> Iterator[Fact]:
    promotion = rules.promotion
    zone = promotion.zone if promotion.zone != "far-row" else f"far-row.{_place(board)}"
    yield Fact(f"promotion.zone.{zone}")
    if rules.men.captures:
        yield Fact(f"promotion.in-capture.{promotion.in_capture}")
    if promotion.few_pieces:
        yield Fact("promotion.few-pieces", promotion.few_pieces)


def _penalty(rules: Rules) -> Iterator[Fact]:
    penalty = rules.penalty
    if not rules.capture.compulsory:
        return
    if not penalty.take:
        yield Fact("penalty.none")
        return
    yield Fact("penalty.miss")
    if rules.capture.going_on == "duty":
        yield Fact("penalty.stopping.miss")
    else:
        yield Fact("penalty.stopping.free")
    if rules.capture.choice:
        yield Fact("penalty.choice")
    yield Fact(f"penalty.take.{penalty.liable}", penalty.take)
    if rules.capture.going_on == "duty" and penalty.liable == "capable-piece":
        yield Fact("penalty.stopped-piece")
    if penalty.take > 1:
        yield Fact("penalty.fewer")
    yield Fact("penalty.keeps-turn")
    yield Fact("penalty.lapses")


def _end(rules: Rules) -> Iterator[Fact]:
    end = rules.end
    yield Fact(f"end.no-moves.{end.no_moves}")
    if end.first_king:
        yield Fact("end.first-king")
    if end.one_each != "never":
        yield Fact(f"end.one-each.{end.one_each}")
    if end.repetition:
        yield Fact("end.repetition.draw", end.repetition)
        if rules.penalty.take:
            yield Fact("end.repetition.right")
        if rules.king.quiet_limit:
            yield Fact("end.repetition.quiet-limit")
    else:
        yield Fact("end.repetition.never")
    if not end.move_limit:
        yield Fact("end.move-limit.never")
    else:
        yield Fact(f"end.move-limit.{_resets(rules)}", end.move_limit)
    for draw in end.draws:
        yield from _draw(draw, _resets(rules))
    if any(not draw.of_any_force for draw in end.draws):
        yield Fact("draws.counting")


def _resets(rules: Rules) -> str:
    """Whether there are claims among the plies that begin a count anew."""
    return "with-claims" if rules.penalty.take else "plain"


def _draw(draw: DrawRule, resets: str) -> Iterator[Fact]:
    equal = draw.one == draw.other
    if not draw.of_any_force:
        yield _ending(draw, equal)
        if draw.renewed_by != "nothing":
            yield Fact(f"draws.renewed.{draw.renewed_by}.{resets}")
    elif draw.renewed_by == "progress":
        yield Fact(f"end.move-limit.{resets}", draw.limit)
    elif draw.renewed_by == "balance":
        yield Fact(f"draws.balance.{resets}", draw.limit)
    else:
        yield Fact("draws.always", draw.limit)
    if draw.main_road != "nobody":
        yield Fact("draws.main-road.either" if equal else f"draws.main-road.{draw.main_road}")
    if draw.unless_capture:
        yield Fact("draws.unless-capture")
    if draw.replaces_move_limit:
        yield Fact("draws.replaces-move-limit")


def _ending(draw: DrawRule, equal: bool) -> Fact:
    one, other, total = _force(draw.one), _force(draw.other), _span("pieces", draw.pieces)
    if draw.pieces == ANY:
        if equal:
            return Fact("draws.each", draw.limit, parts=(("one", one),))
        return Fact("draws.forces", draw.limit, parts=(("one", one), ("other", other)))
    if equal and draw.one == Force():
        return Fact("draws.total", draw.limit, parts=(("total", total),))
    if equal:
        return Fact("draws.each-total", draw.limit, parts=(("one", one), ("total", total)))
    return Fact("draws.forces-total", draw.limit, parts=(("one", one), ("other", other), ("total", total)))


def _force(force: Force) -> Fact:
    if force.pieces == ANY and force.men == Span(0, 0) and force.kings != ANY:
        return Fact("force.only", parts=(("first", _span("kings", force.kings)),))
    spans = [_span(what, span) for what, span in (("kings", force.kings), ("men", force.men)) if span != ANY]
    if len(spans) == 2:
        spans = [Fact("force.and", parts=(("first", spans[0]), ("rest", spans[1])))]
    if force.pieces == ANY:
        return spans[0] if spans else Fact("force.any")
    pieces = _span("pieces", force.pieces)
    return Fact("force.with", parts=(("first", pieces), ("rest", spans[0]))) if spans else pieces


def _span(what: str, span: Span) -> Fact:
    if span.most == 0:
        return Fact(f"force.{what}.none")
    if span.least == span.most:
        return Fact(f"force.{what}.exactly", span.least)
    if span.most >= MANY:
        return Fact(f"force.{what}.least", span.least)
    if span.least == 0:
        return Fact(f"force.{what}.most", span.most)
    joined = "either" if span.most == span.least + 1 else "range"
    return Fact(f"force.{what}.{joined}", span.most, texts=(("least", str(span.least)),))


def _notation(rules: Rules, board: Board) -> Iterator[Fact]:
    # Points have no numbers.
    squares = rules.notation.squares
    yield Fact("notation.squares.numeric" if squares == "numeric" else f"notation.squares.{squares}.{_place(board)}")
    yield Fact("notation.separator", texts=(("separator", rules.notation.separator),))


def _directions(words: tuple[str, ...], board: Board) -> tuple[str, ...]:
    chosen = tuple(word for word in DIRECTION_WORDS if word in words)
    if len(chosen) > 1 and set(chosen) == {direction.word(0) for direction in board.directions}:
        # Nobody is to read diagonals into "any direction" where the board has none.
        return (ALL_DIRECTIONS if FORWARD_DIAGONAL in chosen else ALL_STRAIGHT,)
    if set(chosen) == {FORWARD_DIAGONAL, BACKWARD_DIAGONAL}:
        return (BOTH_DIAGONALS,)
    return chosen


def _leaves_diagonals(rules: Rules) -> bool:
    used = {*rules.men.moves, *rules.men.captures, *rules.king.moves, *rules.king.captures}
    return not used <= {FORWARD_DIAGONAL, BACKWARD_DIAGONAL}


def _place(board: Board) -> str:
    return "point" if board.kind == "tailed" else "square"
