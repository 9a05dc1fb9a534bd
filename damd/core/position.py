"""One position of a game with its history: the core's ``Board`` behind points and plies.

This is what the floors above see. It is neither thread-safe nor copied: one owner at a time, except that
``stop`` may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from damd.core import builds
from damd.core.codes import BECOMES_KING, CAPTURE, CLAIM, KIND_MASK, TO_SHIFT, WAS_KING
from damd.core.tables import board_spec
from damd.core.types import Clock, KingRun, Outcome, Ply, PlyKind, Reason, Right, Setup, TooManyPlies
from damd.geometry import BLACK, WHITE
from damd.rules import Rules
from damd.variants.points import parse_points

#: The bits of a ply's code that say where it begins and where it ends.
_ENDS = (1 << 2 * TO_SHIFT) - 1
#: Plies that are remembered by `play_steps`.
_REMEMBERED = 16_384
#: What the core's verdict calls the first draw rule.
_DRAW_RULE = 2


class Stopped(Exception):
    """A listing of plies or a perft was ended by ``stop``."""


def build_kind() -> str:
    """Which core runs boards of ordinary size: "compiled" or "interpreted"."""
    return builds.load("board", builds.NARROW_BITS)[1]


def start_setup(rules: Rules, first: int | None = None) -> Setup:
    """The start position; ``first`` overrides the side that begins."""
    side = first if first is not None else (WHITE if rules.start.first == "white" else BLACK)
    men = (parse_points(rules.start.white, rules.geometry), parse_points(rules.start.black, rules.geometry))
    return Setup(side=side, men=men, kings=(frozenset(), frozenset()))


class Position:
    """A position of a game under ``rules``, from its start position or from ``setup``.

    ``build`` picks the core's build (see ``damd.core.builds``). Raises ``ValueError`` for a setup that is no
    position of the game: a point taken twice or off the board, a right or run that the rules do not know.
    """

    __slots__ = ("_board", "_index_of", "_list", "_played", "_point_of", "_short", "board", "build", "rules")

    def __init__(
        self, rules: Rules, setup: Setup | None = None, *, first: int | None = None, build: str | None = None
    ) -> None:
        self.rules = rules
        self.board = rules.geometry
        module, self.build = builds.load("board", self.board.width, build)
        self._board: Any = module.Board(board_spec(rules, self.build == builds.INTERPRETED))
        self._point_of = {bit: point for point, bit in enumerate(self.board.bits)}
        self._played = 0
        self._list: list[Ply] | None = None
        self._short: dict[Any, Ply] = {}  # plies that `play_steps` met, by the core's key
        self._index_of: dict[Ply, int] | None = None  # made with the first ply played: it takes as much room as the list
        self.set(setup if setup is not None else start_setup(rules, first))

    @property
    def core(self) -> Any:
        """The ``Board`` itself, for the engine's search; whoever changes its level puts it back."""
        return self._board

    @property
    def side(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return int(self._board.counts()[0])

    @property
    def key(self) -> int:
        """64-bit hash of board, side to move, pending right and king runs."""
        return int(self._board.counts()[1])

    @property
    def halfmoves(self) -> int:
        """Plies since the last capture, claim, promotion or forward move of a man."""
        return int(self._board.counts()[2])

    @property
    def fullmoves(self) -> int:
        """The move's number; it grows when Black has moved. A claim is no move."""
        return int(self._board.counts()[3])

    @property
    def pieces(self) -> tuple[int, int]:
        """How many pieces White and Black have."""
        counts = self._board.counts()
        return int(counts[4]), int(counts[5])

    @property
    def repetitions(self) -> int:
        """How often this position (board, side, right, runs) has occurred, itself included."""
        return int(self._board.seen())

    @property
    def played(self) -> int:
        """How many plies ``undo`` can take back."""
        return self._played

    def setup(self) -> Setup:
        """The position as a value; ``set`` takes it."""
        side, men, kings, take, pending, runs, half, turn = self._board.dump()
        right = Right(take, self._points(pending)) if take else None
        return Setup(
            side=side,
            men=(frozenset(self._points(men[0])), frozenset(self._points(men[1]))),
            kings=(frozenset(self._points(kings[0])), frozenset(self._points(kings[1]))),
            right=right,
            king_runs=(self._run(runs[0]), self._run(runs[1])),
            halfmoves=half,
            fullmoves=turn,
        )

    def set(self, setup: Setup) -> None:
        """Put up another position and forget the history; a side with few pieces is crowned where the rules say so."""
        self._check(setup)
        bits = self.board.bits
        right = setup.right
        self._board.load(
            setup.side,
            [[bits[point] for point in points] for points in setup.men],
            [[bits[point] for point in points] for points in setup.kings],
            right.take if right else 0,
            [bits[point] for point in right.points] if right else [],
            [(bits[run.point], run.count) if run else None for run in setup.king_runs],
            setup.halfmoves,
            setup.fullmoves,
        )
        self._played = 0
        self._forget()

    def plies(self) -> list[Ply]:
        """The legal plies in the generator's order: quiet moves, captures, claims; none once the pieces end the game.

        Raises ``TooManyPlies`` past the bound (65,536 plies, 262,144 states of one piece's capture; interpreted
        4,096 of each) and ``Stopped`` after ``stop``.
        """
        if self._list is None:
            self._list = [self._ply(index) for index in range(self.count())]
        return list(self._list)

    def count(self) -> int:
        """How many legal plies there are, without making them; raises as ``plies`` does."""
        if self._list is not None:
            return len(self._list)
        try:
            n = int(self._board.list_plies())
        except OverflowError as fault:
            raise self._overflow() from fault
        if self._board.stopped():
            raise Stopped
        return n

    def play(self, ply: Ply) -> None:
        """Make one of ``plies()``; another one raises ``ValueError``."""
        index = self._indices().get(ply)
        if index is None:
            raise ValueError(f"not a legal ply here: {ply}")
        self.play_at(index)

    def between(self, origin: int, end: int) -> list[int]:
        """Which of ``plies()`` lead from ``origin`` to ``end``, as indices of that list; claims do not.

        The list itself is not made: asked once a ply, this takes a quarter of the time. Raises as ``plies`` does.
        """
        total = self.count()
        if self._list is not None:
            return [
                index
                for index, ply in enumerate(self._list)
                if ply.path[0] == origin and ply.path[-1] == end and ply.kind is not PlyKind.CLAIM
            ]
        bits, code_of = self.board.bits, self._board.listed_ply
        wanted = bits[origin] | bits[end] << TO_SHIFT
        found = []
        for index in range(total):
            code = code_of(index)[0]
            if code & _ENDS == wanted and code & KIND_MASK != CLAIM:
                found.append(index)
        return found

    def step(self, origin: int, end: int, capture: bool = False) -> int:
        """What ``play_steps`` takes for a ply from ``origin`` to ``end``, for a ``capture`` if it can be nothing else."""
        return self.board.bits[origin] | self.board.bits[end] << TO_SHIFT | (CAPTURE if capture else 0)

    def play_steps(self, steps: Sequence[int]) -> list[Ply]:
        """Make plies as long as each is the only one, claims apart, that its step can be; those that were made.

        A step that takes up a capture where the step before it ends may be a part of one ply: both are left. This is
        how games are read, in a tenth of the time that ``plies`` and ``play`` take. Raises as ``plies`` does where
        nothing was made.
        """
        try:
            keys = self._board.play_steps(steps)
        except OverflowError as fault:
            raise self._overflow() from fault
        if self._board.stopped():
            raise Stopped
        self._played += len(keys)
        self._list = self._index_of = None
        known = self._short
        return [known.get(key) or self._ply_made(key) for key in keys]

    def _ply_made(self, key: Any) -> Ply:
        """The ply that the core made in ``play_steps``; one with a key of its own is remembered."""
        point_of = self._point_of
        code, taken, route = (
            (key & 0xFFFFFFFF, [(key >> 32) - 1] if key >> 32 else [], None) if isinstance(key, int) else key
        )
        path = (code & 127, code >> TO_SHIFT & 127) if route is None else route
        kind = PlyKind.CAPTURE if taken else PlyKind.QUIET
        promotes = (code & (BECOMES_KING | WAS_KING)) == BECOMES_KING
        ply = Ply(kind, tuple(point_of[bit] for bit in path), self._points(taken), promotes)
        if route is None:
            if len(self._short) >= _REMEMBERED:
                self._short.clear()
            self._short[key] = ply
        return ply

    def ply_at(self, index: int) -> Ply:
        """Ply ``index`` of ``plies()``, asked for right after ``count`` or ``between``."""
        return self._list[index] if self._list is not None else self._ply(index)

    def play_at(self, index: int) -> None:
        """Make ply ``index`` of ``plies()``."""
        self._board.play_listed(index)
        self._played += 1
        self._list = self._index_of = None

    def _indices(self) -> dict[Ply, int]:
        if self._index_of is None:
            self._index_of = {ply: index for index, ply in enumerate(self.plies())}
        return self._index_of

    def undo(self) -> None:
        """Take back the last ply; raises ``IndexError`` where there is none (or it was too long ago to be kept)."""
        if self._played == 0 or self._board.level == 0:
            raise IndexError("no ply to take back")
        self._board.undo()
        self._played -= 1
        self._forget()

    def answer_to(self, code: int, taken: list[int], recall: Callable[[], tuple[int, list[int]] | None]) -> Ply | None:
        """The ply that ``recall`` knows in the position after the one with this code; the position stays.

        ``None`` where that ply is not legal or ends the game, or where nothing legal is recalled.
        """
        board, level, kept = self._board, self._board.level, self._list
        board.list_plies()
        index = board.find_listed(code, taken)
        if index < 0:
            return None
        board.play_listed(index)
        self._list = None
        try:
            if self.outcome() is not None:
                return None
            known = recall()
            expected = self.follow([known]) if known is not None else ()
            return expected[0] if expected else None
        finally:
            board.level = level
            self._list = kept

    @contextmanager
    def after(self, ply: Ply) -> Iterator[None]:
        """The position after one of ``plies()``, for as long as the block runs; its list of plies is kept meanwhile."""
        kept_indices, kept = self._indices(), self._list
        self.play(ply)
        try:
            yield
        finally:
            self.undo()
            self._list, self._index_of = kept, kept_indices

    def outcome(self) -> Outcome | None:
        """How the game has ended by rule, or ``None``. A loss has priority over repetition, move limit and draw rules.

        Where the first king wins and a set-up position has kings of both sides, the side not to move has won.
        """
        side, _, _, _, white, black = self._board.counts()
        end = self.rules.end
        crowned = self._board.crowned() if end.first_king else (False, False)
        if any(crowned):
            return Outcome(1 - side if crowned[1 - side] else side, Reason.FIRST_KING)
        if not white or not black:
            # After a claim that takes the last piece it is the side not to move that has none.
            bare = side if not (white, black)[side] else 1 - side
            return Outcome(bare if end.no_moves == "win" else 1 - bare, Reason.NO_PIECES)
        if self._board.ended():
            return Outcome(None, Reason.ONE_EACH)
        if not self._any_ply():
            return Outcome(side if end.no_moves == "win" else 1 - side, Reason.NO_MOVES)
        if end.repetition and self.repetitions >= end.repetition:
            return Outcome(None, Reason.REPETITION)
        drawn = int(self._board.verdict())
        if drawn >= _DRAW_RULE:
            rule = end.draws[drawn - _DRAW_RULE]
            return Outcome(None, Reason.MOVE_LIMIT if rule.of_any_force else Reason.MATERIAL, rule.name)
        return Outcome(None, Reason.MOVE_LIMIT) if drawn else None

    def clocks(self) -> tuple[Clock, ...]:
        """The counts that run in this position: the move limit, unless a draw rule replaces it, and the draw rules.

        The ending of a draw rule counts from the ply that brought it about; before the position's first ply it is known
        to have been there for ``Setup.halfmoves`` plies, unless it asks for a king on the main road.
        """
        end = self.rules.end
        rules, counts = self._board.clocks()
        found = [Clock(end.draws[index].name, plies, 2 * end.draws[index].limit) for index, plies in rules]
        if end.move_limit and counts:
            limit = 2 * end.move_limit
            found.insert(0, Clock(Reason.MOVE_LIMIT.value, min(self.halfmoves, limit), limit))
        return tuple(found)

    def follow(self, codes: list[tuple[int, list[int]]]) -> tuple[Ply, ...]:
        """The plies that a variation's codes stand for, up to the first that is not legal; the position stays."""
        found: list[Ply] = []
        level = self._board.level
        stopped = self._board.stopped()
        self._board.resume()
        try:
            for code, taken in codes:
                self._board.list_plies()
                index = self._board.find_listed(code, taken)
                if index < 0:
                    break
                found.append(self._ply(index))
                self._board.play_listed(index)
        finally:
            self._board.level = level
            if stopped:
                self._board.stop()
        return tuple(found)

    def perft(self, depth: int) -> int:
        """The number of sequences of ``depth`` plies, claims included. Raises as ``plies`` does."""
        board = self._board
        level = board.level
        try:
            total = int(board.perft(depth))
        except OverflowError as fault:
            raise self._overflow() from fault
        finally:
            board.level = level
        if board.stopped():
            raise Stopped
        return total

    def divide(self, depth: int) -> list[tuple[Ply, int]]:
        """``perft`` below each legal ply, for a ``depth`` of at least 1."""
        rows = []
        for ply in self.plies():
            with self.after(ply):
                rows.append((ply, self.perft(depth - 1)))
        return rows

    def stop(self) -> None:
        """End a ``plies``, ``perft`` or ``divide`` that runs in another thread; in force until ``resume``."""
        self._board.stop()

    def resume(self) -> None:
        """Let listings and counts run again after ``stop``."""
        self._board.resume()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._list = self._index_of = None

    def _any_ply(self) -> bool:
        if self._list is not None:
            return bool(self._list)
        try:
            return bool(self._board.count_plies())
        except OverflowError:
            return not self._board.stopped()  # past the bound there are surely plies

    def _overflow(self) -> Exception:
        if self._board.stopped():
            return Stopped()
        return TooManyPlies("more plies than the generator's bound")

    def _points(self, bits: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(self._point_of[bit] for bit in bits))

    def _run(self, run: tuple[int, int] | None) -> KingRun | None:
        return KingRun(self._point_of[run[0]], run[1]) if run else None

    def _ply(self, index: int) -> Ply:
        code, taken = self._board.listed_ply(index)
        point_of = self._point_of
        kind = code & KIND_MASK
        if kind == CLAIM:
            points = self._points(taken)
            return Ply(PlyKind.CLAIM, points, points)
        promotes = (code & (BECOMES_KING | WAS_KING)) == BECOMES_KING
        if kind != CAPTURE:
            return Ply(PlyKind.QUIET, (point_of[code & 127], point_of[(code >> TO_SHIFT) & 127]), (), promotes)
        if len(taken) == 1:
            path = (point_of[code & 127], point_of[(code >> TO_SHIFT) & 127])
            return Ply(PlyKind.CAPTURE, path, (point_of[taken[0]],), promotes)
        route = tuple(point_of[bit] for bit in self._board.route(index))
        return Ply(PlyKind.CAPTURE, route, self._points(taken), promotes)

    def _check(self, setup: Setup) -> None:
        size = self.board.size
        taken: set[int] = set()
        for points in (*setup.men, *setup.kings):
            for point in points:
                if not 0 <= point < size:
                    raise ValueError(f"point off the board: {point}")
                if point in taken:
                    raise ValueError(f"point used twice: {self.board.names[point]}")
                taken.add(point)
        right, penalty = setup.right, self.rules.penalty
        if right is not None:
            theirs = setup.men[1 - setup.side] | setup.kings[1 - setup.side]
            if right.take != penalty.take or (not right.points) != (penalty.liable == "any-piece"):
                raise ValueError("a right that these rules do not give")
            if not set(right.points) <= theirs:
                raise ValueError("a right to a piece that is not there")
        for side, run in enumerate(setup.king_runs):
            if run is not None and (
                not self.rules.king.quiet_limit
                or not 0 < run.count <= self.rules.king.quiet_limit
                or run.point not in setup.kings[side]
            ):
                raise ValueError("a run of king moves that these rules do not count")
