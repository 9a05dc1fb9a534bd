"""A second witness: the rules read straight from ``Rules``, slow and plain, to compare the core with.

A position is a dict from point to piece. A capture is a recursion that writes down every route from its first
jump to its last. Nothing is shared with the core but the border types, so that a fault in one shows in the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from damd.core.types import KingRun, Outcome, Ply, PlyKind, Reason, Right, Setup
from damd.geometry import Board
from damd.rules import DrawRule, Rules


@dataclass(frozen=True, slots=True)
class Piece:
    side: int
    king: bool


Pieces = dict[int, Piece]


class TooManyRoutes(Exception):
    """The position has more routes than the caller wanted to wait for."""


@dataclass(frozen=True, slots=True)
class Jump:
    """One jump: over which point, to which, in which direction, and whether right behind the captured piece."""

    over: int
    landing: int
    direction: int
    right_behind: bool


@dataclass(frozen=True, slots=True)
class Route:
    """One way to capture: points visited, points captured in order, and whether those were kings.

    ``king`` says what the piece goes on as, ``king_after`` what it is if it ends here. ``complete`` is false
    where it could go on from where it stands.
    """

    path: tuple[int, ...]
    captured: tuple[int, ...]
    kings: tuple[bool, ...]
    by_king: bool
    king: bool
    king_after: bool
    complete: bool


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes two plies the same one."""

    kind: PlyKind
    origin: int
    end: int
    captured: frozenset[int]
    king_after: bool


def identity(ply: Ply, setup: Setup) -> Identity:
    """The identity of a ply of that position; of a claim only the points count."""
    if ply.kind is PlyKind.CLAIM:
        return Identity(ply.kind, -1, -1, frozenset(ply.captured), False)
    king_after = ply.promotes or ply.origin in setup.kings[setup.side]
    return Identity(ply.kind, ply.origin, ply.end, frozenset(ply.captured), king_after)


def legal(rules: Rules, setup: Setup, limit: int = 0) -> dict[Identity, Setup]:
    """Every legal ply and the position after it. ``limit`` bounds the routes of one position; 0 for no bound."""
    return {identity(ply, setup): after for ply, after in plies(rules, setup, limit)}


def plies(rules: Rules, setup: Setup, limit: int = 0) -> list[tuple[Ply, Setup]]:
    """As ``legal``, with the plies written out with their canonical paths."""
    setup = tidy(rules, setup)
    pieces = pieces_of(setup)
    if game_over(rules, setup.side, pieces):
        return []
    moves = board_moves(rules, setup, pieces, limit)
    return [*claims(rules, setup, pieces), *moves]


def perft(rules: Rules, setup: Setup, depth: int) -> int:
    """How many lines of ``depth`` plies there are, claims counted as plies."""
    if depth == 0:
        return 1
    following = plies(rules, setup)
    return len(following) if depth == 1 else sum(perft(rules, after, depth - 1) for _, after in following)


def crown_few(rules: Rules, pieces: Pieces) -> None:
    for side in (0, 1):
        own = [point for point, piece in pieces.items() if piece.side == side]
        if len(own) <= rules.promotion.few_pieces:
            for point in own:
                pieces[point] = Piece(side, True)


def tidy(rules: Rules, setup: Setup) -> Setup:
    """The same position with the sides crowned that are to be crowned, without runs that no longer count."""
    pieces = pieces_of(setup)
    crown_few(rules, pieces)
    runs = (run_that_counts(rules, pieces, 0, setup.king_runs[0]), run_that_counts(rules, pieces, 1, setup.king_runs[1]))
    return replace(setup, men=points_of(pieces, False), kings=points_of(pieces, True), king_runs=runs)


def pieces_of(setup: Setup) -> Pieces:
    pieces: Pieces = {}
    for side in (0, 1):
        pieces.update((point, Piece(side, False)) for point in setup.men[side])
        pieces.update((point, Piece(side, True)) for point in setup.kings[side])
    return pieces


def points_of(pieces: Pieces, king: bool) -> tuple[frozenset[int], frozenset[int]]:
    """White's and Black's men, or their kings."""
    found: tuple[set[int], set[int]] = (set(), set())
    for point, piece in pieces.items():
        if piece.king == king:
            found[piece.side].add(point)
    return frozenset(found[0]), frozenset(found[1])


def game_over(rules: Rules, side: int, pieces: Pieces) -> bool:
    """True where no ply is asked for: a side without pieces, the first king, or one piece each where these end it."""
    white = sum(piece.side == 0 for piece in pieces.values())
    black = len(pieces) - white
    if not white or not black:
        return True
    if rules.end.first_king and any(piece.king for piece in pieces.values()):
        return True
    if rules.end.one_each == "never" or not white == black == 1:
        return False
    return rules.end.one_each == "at-once" or not any(True for _ in all_routes(rules, side, pieces, 0))


def claims(rules: Rules, setup: Setup, pieces: Pieces) -> list[tuple[Ply, Setup]]:
    right = setup.right
    if right is None:
        return []
    offered = right.points or tuple(sorted(point for point, piece in pieces.items() if piece.side != setup.side))
    found = []
    for taken in combinations(offered, min(right.take, len(offered))):
        left = {point: piece for point, piece in pieces.items() if point not in taken}
        after = replace(
            setup,
            men=points_of(left, False),
            kings=points_of(left, True),
            right=None,
            halfmoves=0,
        )
        found.append((Ply(PlyKind.CLAIM, taken, taken), tidy(rules, after)))
    return found


def board_moves(rules: Rules, setup: Setup, pieces: Pieces, limit: int) -> list[tuple[Ply, Setup]]:
    """Quiet moves and captures."""
    penalty = rules.penalty.take > 0
    routes = list(all_routes(rules, setup.side, pieces, limit))
    capable = {route.path[0] for route in routes}
    found = []
    if not capable or not rules.capture.compulsory or penalty:
        missed = capable if penalty and rules.capture.compulsory else set()
        for origin, end in quiet_moves(rules, setup, pieces):
            liable = {end if point == origin else point for point in missed}
            found.append(quiet(rules, setup, pieces, origin, end, liable))
    freely = rules.capture.going_on == "right"
    best = chosen(rules, [route for route in routes if route.complete or freely])
    found += [capture(rules, setup, pieces, route, False) for route in first_routes(best)]
    if penalty and not freely:
        ends = {result(route) for route in best}
        stopped = [route for route in routes if not route.complete and result(route) not in ends]
        found += [capture(rules, setup, pieces, route, True) for route in first_routes(stopped)]
    return found


def quiet_moves(rules: Rules, setup: Setup, pieces: Pieces) -> Iterator[tuple[int, int]]:
    run = setup.king_runs[setup.side]
    barred = run.point if run is not None and run.count >= rules.king.quiet_limit else -1
    for origin, piece in pieces.items():
        if piece.side != setup.side or origin == barred:
            continue
        words = rules.king.moves if piece.king else rules.men.moves
        for direction in rules.geometry.directions:
            if direction.word(setup.side) not in words:
                continue
            end = direction.next[origin]
            while end != -1 and end not in pieces:
                yield origin, end
                if not (piece.king and rules.king.flying):
                    break
                end = direction.next[end]


def quiet(rules: Rules, setup: Setup, pieces: Pieces, origin: int, end: int, liable: set[int]) -> tuple[Ply, Setup]:
    piece = pieces[origin]
    promotes = not piece.king and end in zone(rules, setup.side)
    left = dict(pieces)
    del left[origin]
    left[end] = Piece(piece.side, piece.king or promotes)
    run = None
    if piece.king:
        before = setup.king_runs[setup.side]
        run = KingRun(end, before.count + 1 if before is not None and before.point == origin else 1)
    ahead = rules.geometry.xy[end][1] - rules.geometry.xy[origin][1]
    forward = not piece.king and (ahead > 0 if setup.side == 0 else ahead < 0)
    halfmoves = 0 if promotes or forward else setup.halfmoves + 1
    after = passed(rules, setup, left, run, halfmoves, right_after(rules, liable))
    return Ply(PlyKind.QUIET, (origin, end), promotes=promotes), after


def capture(rules: Rules, setup: Setup, pieces: Pieces, route: Route, missed: bool) -> tuple[Ply, Setup]:
    origin, end = route.path[0], route.path[-1]
    left = {point: piece for point, piece in pieces.items() if point != origin and point not in route.captured}
    left[end] = Piece(setup.side, route.king_after)
    after = passed(rules, setup, left, None, 0, right_after(rules, {end} if missed else set()))
    promotes = route.king_after and not route.by_king
    return Ply(PlyKind.CAPTURE, route.path, tuple(sorted(route.captured)), promotes), after


def passed(rules: Rules, setup: Setup, pieces: Pieces, run: KingRun | None, halfmoves: int, right: Right | None) -> Setup:
    """The position with the turn passed on; ``run`` is what the mover's king has made of it."""
    runs = (run, setup.king_runs[1]) if setup.side == 0 else (setup.king_runs[0], run)
    after = Setup(
        side=1 - setup.side,
        men=points_of(pieces, False),
        kings=points_of(pieces, True),
        right=right,
        king_runs=runs,
        halfmoves=halfmoves,
        fullmoves=setup.fullmoves + (1 if setup.side == 1 else 0),
    )
    return tidy(rules, after)


def run_that_counts(rules: Rules, pieces: Pieces, side: int, run: KingRun | None) -> KingRun | None:
    """The run, unless there is no limit, its king is gone or its side has no man."""
    if run is None or not rules.king.quiet_limit or pieces.get(run.point) != Piece(side, True):
        return None
    return run if Piece(side, False) in pieces.values() else None


def right_after(rules: Rules, liable: set[int]) -> Right | None:
    if not liable:
        return None
    any_piece = rules.penalty.liable == "any-piece"
    return Right(rules.penalty.take, () if any_piece else tuple(sorted(liable)))


def zone(rules: Rules, side: int) -> frozenset[int]:
    return rules.geometry.zones[rules.promotion.zone][side]


def all_routes(rules: Rules, side: int, pieces: Pieces, limit: int) -> Iterator[Route]:
    """Every route of every piece, the stopped ones included."""
    count = 0
    for origin, piece in pieces.items():
        if piece.side == side:
            others = {point: other for point, other in pieces.items() if point != origin}
            start = Route((origin,), (), (), piece.king, piece.king, piece.king, False)
            for route in routes_from(rules, side, others, start, None):
                count += 1
                if limit and count > limit:
                    raise TooManyRoutes
                yield route


def routes_from(rules: Rules, side: int, others: Pieces, so_far: Route, came: int | None) -> Iterator[Route]:
    """The routes that begin with ``so_far`` and go on. ``others`` is the board without the piece that moves."""
    choices = jumps(rules, side, others, so_far.captured, so_far.king, so_far.path[-1], came)
    continuations = [(jump, *after_jump(rules, side, others, so_far, jump)) for jump in choices]
    going_on = {jump.over for jump, _, _, goes_on in continuations if goes_on}
    for jump, route, rest, goes_on in continuations:
        if rules.capture.landing_goes_on and jump.over in going_on and not goes_on:
            continue
        if may_halt(rules, so_far.king, route, jump):
            yield route
        if goes_on:
            yield from routes_from(rules, side, rest, route, jump.direction)


def after_jump(rules: Rules, side: int, others: Pieces, so_far: Route, jump: Jump) -> tuple[Route, Pieces, bool]:
    """The route one jump longer, the board after it, and whether it can go on."""
    rest = dict(others)
    if rules.capture.removal == "at-once":
        del rest[jump.over]
    captured = (*so_far.captured, jump.over)
    crowned = not so_far.king and jump.landing in zone(rules, side)
    king = so_far.king or (crowned and rules.promotion.in_capture == "as-king")
    ends_here = crowned and rules.promotion.in_capture == "stop"
    goes_on = not ends_here and bool(jumps(rules, side, rest, captured, king, jump.landing, jump.direction))
    route = Route(
        path=(*so_far.path, jump.landing),
        captured=captured,
        kings=(*so_far.kings, others[jump.over].king),
        by_king=so_far.by_king,
        king=king,
        king_after=king or crowned,
        complete=not goes_on,
    )
    return route, rest, goes_on


def may_halt(rules: Rules, king: bool, route: Route, jump: Jump) -> bool:
    """False where the piece that has just jumped, then a king or not, may not end its move here."""
    halts_behind = king and rules.king.landing == "behind-king" and route.kings[-1]
    return jump.right_behind or not halts_behind


def jumps(
    rules: Rules, side: int, others: Pieces, captured: tuple[int, ...], king: bool, at: int, came: int | None
) -> list[Jump]:
    """Every single jump of a piece that stands on ``at`` and came there in direction ``came``."""
    board: Board = rules.geometry
    flies = king and rules.king.flying
    found = []
    for number, direction in enumerate(board.directions):
        if direction.word(side) not in (rules.king.captures if king else rules.men.captures):
            continue
        if king and not rules.king.about_turn and came is not None and board.directions[came].opposite == number:
            continue
        over = direction.next[at]
        if flies and rules.king.capture == "far":
            while over != -1 and over not in others:
                over = direction.next[over]
        if over not in others or over in captured or others[over].side == side:
            continue
        if others[over].king and not king and not rules.men.take_kings:
            continue
        landing = direction.next[over]
        while landing != -1 and landing not in others:
            right_behind = landing == direction.next[over]
            found.append(Jump(over, landing, number, right_behind))
            if not flies or rules.king.landing == "behind":
                break
            landing = direction.next[landing]
    return found


def chosen(rules: Rules, captures: list[Route]) -> list[Route]:
    """Those captures that the criteria leave, each criterion among those that the one before left."""
    for criterion in rules.capture.choice:
        most = max((weight(criterion, route) for route in captures), default=())
        captures = [route for route in captures if weight(criterion, route) == most]
    return captures


def weight(criterion: str, route: Route) -> tuple[int, ...]:
    kings = sum(route.kings)
    men = len(route.kings) - kings
    if criterion == "pieces":
        return (men + kings,)
    if criterion == "value":  # a king is worth a little less than two men
        return men + 2 * kings, -kings
    if criterion == "by-king":
        return (int(route.by_king),)
    if criterion == "kings":
        return (kings,)
    if criterion == "earliest-king":  # the first difference decides; men after the last king make none
        last = max((number for number, king in enumerate(route.kings, 1) if king), default=0)
        return tuple(int(king) for king in route.kings[:last])
    raise ValueError(criterion)


def result(route: Route) -> tuple[int, int, frozenset[int], bool]:
    return route.path[0], route.path[-1], frozenset(route.captured), route.king_after


def first_routes(routes: list[Route]) -> list[Route]:
    """One route for each result: that whose landing points come first in board order."""
    first: dict[tuple[int, int, frozenset[int], bool], Route] = {}
    for route in routes:
        known = first.get(result(route))
        if known is None or route.path < known.path:
            first[result(route)] = route
    return list(first.values())


def outcome(rules: Rules, setup: Setup, occurrences: int = 1, history: Sequence[Setup] = ()) -> Outcome | None:
    """How the game stands: a loss by rule comes before a draw by counting. ``history`` ends with ``setup``."""
    pieces = pieces_of(setup)
    side = setup.side
    sides = [any(piece.side == colour for piece in pieces.values()) for colour in (0, 1)]
    if rules.end.first_king:
        for maker in (1 - side, side):  # a king that the mover already has was made by nobody's last ply
            if setup.kings[maker]:
                return Outcome(maker, Reason.FIRST_KING)
    lost = rules.end.no_moves == "loss"
    if not sides[side] or not sides[1 - side]:
        empty = side if not sides[side] else 1 - side
        return Outcome(1 - empty if lost else empty, Reason.NO_PIECES)
    if game_over(rules, side, pieces):
        return Outcome(None, Reason.ONE_EACH)
    if not plies(rules, setup):
        return Outcome(1 - side if lost else side, Reason.NO_MOVES)
    if rules.end.repetition and occurrences >= rules.end.repetition:
        return Outcome(None, Reason.REPETITION)
    running = [(draw, count) for draw, count in endings(rules, history or [setup]) if count is not None]
    for draw, count in running:
        if count >= 2 * draw.limit and not (draw.unless_capture and can_capture(rules, setup)):
            return Outcome(None, Reason.MOVE_LIMIT if draw.of_any_force else Reason.MATERIAL, draw.name)
    replaced = any(draw.replaces_move_limit for draw, _ in running)
    if rules.end.move_limit and setup.halfmoves >= 2 * rules.end.move_limit and not replaced:
        return Outcome(None, Reason.MOVE_LIMIT)
    return None


def can_capture(rules: Rules, setup: Setup) -> bool:
    return any(True for _ in all_routes(rules, setup.side, pieces_of(setup), 0))


def endings(rules: Rules, history: Sequence[Setup]) -> list[tuple[DrawRule, int | None]]:
    """For each draw rule how many moves of both sides its ending has lasted at the end of the game; ``None``: not there."""
    return [(draw, ending(rules, draw, history)) for draw in rules.end.draws]


def ending(rules: Rules, draw: DrawRule, history: Sequence[Setup]) -> int | None:
    """Counted forward, ply by ply."""
    count: int | None = None
    for number, setup in enumerate(history):
        if not is_ending(rules, draw, setup):
            count = None
        elif count is None:
            # What a set-up position's half-moves left as it was: they moved kings, and these come and go on the road.
            count = setup.halfmoves if not number and draw.main_road == "nobody" else 0
        else:
            before = history[number - 1]
            count += setup.side != before.side
            new_balance = balance(before) != balance(setup)
            if draw.renewed_by != "nothing" and new_balance:
                count = 0
            if draw.renewed_by == "progress" and not setup.halfmoves:
                count = 0
    return count


def balance(setup: Setup) -> tuple[int, ...]:
    """White's men and kings, Black's men and kings."""
    return tuple(len(points) for side in (0, 1) for points in (setup.men[side], setup.kings[side]))


def is_ending(rules: Rules, draw: DrawRule, setup: Setup) -> bool:
    if sum(balance(setup)) not in draw.pieces:
        return False
    for one in (0, 1):
        sides = {"one": one, "other": 1 - one}
        if not all(
            len(setup.men[side] | setup.kings[side]) in force.pieces
            and len(setup.men[side]) in force.men
            and len(setup.kings[side]) in force.kings
            for force, side in ((draw.one, one), (draw.other, 1 - one))
        ):
            continue
        if draw.main_road == "nobody" or setup.kings[sides[draw.main_road]] & corner_to_corner(rules.geometry):
            return True
    return False


def corner_to_corner(board: Board) -> set[int]:
    """The points of the diagonals from corner to corner that are played on."""
    at = {place: point for point, place in enumerate(board.xy)}
    points: set[int] = set()
    if board.columns == board.rows and board.kind == "diagonal":
        for places in ([(n, n) for n in range(board.rows)], [(n, board.rows - 1 - n) for n in range(board.rows)]):
            if all(place in at for place in places):
                points |= {at[place] for place in places}
    return points
