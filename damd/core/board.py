"""Position, ply generation and perft over bitboards: the hot module.

Cython pure mode: ``board.pxd`` holds the types, the build compiles this file once with 64-bit and once with
128-bit bitboards, and uncompiled it is ordinary Python with the same results. It knows no text and no game:
tables made from the rules (``damd.core.tables``) tell it everything.

Terms. A *level* is one position on the stack; making a ply writes the next level, taking it back drops it.
A ply is a 32-bit code (origin, end, kind, flags) and the bitboard of the pieces it takes off. A *miss* is a
ply that gives the opponent a right to claim. A *state* of a capture is what decides its continuation: the
capturer's point and kind and the pieces taken so far; two routes to one state are followed once.
"""

from __future__ import annotations

import cython

from damd.core.bits import DAMD_BITS, bit, count, fold, lowest, scatter, spin
from damd.core.codes import (
    AS_KING,
    BECOMES_KING,
    BY_BALANCE,
    BY_EARLIEST_KING,
    BY_KING,
    BY_KINGS,
    BY_PIECES,
    BY_PROGRESS,
    BY_VALUE,
    CAPTURE,
    CLAIM,
    D_LIMIT,
    D_ONE,
    D_OTHER,
    D_PIECES,
    D_RENEWED,
    D_REPLACES,
    D_ROAD,
    D_WAITS,
    D_WIDTH,
    DRAWS_MOST,
    EPOCH_SHIFT,
    KEPT_LEVELS,
    KIND_MASK,
    LEVELS,
    MAN_VALUE,
    MISS,
    NO_WAY,
    POLL_MASK,
    QUIET,
    QUIET_ROOM,
    REVERSIBLE,
    ROAD_NOBODY,
    ROAD_ONE,
    S_EMITTED,
    S_USED,
    S_WENT_ON,
    STOP,
    TO_SHIFT,
    WAS_KING,
    Z_CLOCK,
    Z_MISC,
    Z_PENDING,
    Z_ROWS,
    Z_RUN,
)

if cython.compiled:
    from cython.cimports.damd.core.bits import bb
    from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
    from cython.cimports.libc.string import memmove

#: SHA-256 of the sources this was compiled from; the build fills it in.
SOURCE_DIGEST = ""


def _mix(x: int) -> int:
    """SplitMix64's finaliser: the zobrist keys of point ``p`` and kind ``k`` are the same in every build."""
    mask = 0xFFFFFFFFFFFFFFFF
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    return x ^ (x >> 31)


class Board:
    """A stack of positions of one variant and the generator of their plies.

    Built from ``spec``, a mapping of plain numbers and lists (see ``damd.core.tables.board_spec``). Points cross
    the border as bit numbers. No method checks its arguments for sense: ``damd.core.position`` does.
    """

    def __cinit__(self, spec):
        if cython.compiled:
            self.zobrist = cython.NULL
            self.men = self.kings = self.pending = self.able = cython.NULL
            self.keys = cython.NULL
            self.side = self.right = self.half = self.turn = self.run = cython.NULL
            self.ply_code = cython.NULL
            self.ply_cap = cython.NULL
            self.ply_score = cython.NULL
            self.state_cap = cython.NULL
            self.state_meta = self.state_order = cython.NULL

    def __init__(self, spec):
        i: cython.int
        s: cython.int
        self._allocate()
        self.points = len(spec["bits"])
        self.full = 0
        for i in range(128):
            self.point_of[i] = -1
        for i in range(self.points):
            self.bit_of[i] = spec["bits"][i]
            self.point_of[self.bit_of[i]] = i
            self.rank[self.bit_of[i]] = spec["ranks"][i]
            self.full |= bit(self.bit_of[i])
        self.in_order = sorted(spec["bits"]) == spec["bits"]
        self.directions = len(spec["shifts"])
        for i in range(self.directions):
            self.shift[i] = spec["shifts"][i] & (DAMD_BITS - 1)
            self.reverse[i] = spec["opposites"][i]
            self.source[i] = 0
            for q in spec["sources"][i]:
                self.source[i] |= bit(q)
        for s in range(2):
            self.promotion[s] = 0
            for q in spec["promotion"][s]:
                self.promotion[s] |= bit(q)
            self.men_moves_n[s] = len(spec["men_moves"][s])
            for i in range(self.men_moves_n[s]):
                self.men_moves[12 * s + i] = spec["men_moves"][s][i]
                self.ahead[12 * s + i] = spec["men_moves_ahead"][s][i]
            self.men_captures_n[s] = len(spec["men_captures"][s])
            for i in range(self.men_captures_n[s]):
                self.men_captures[12 * s + i] = spec["men_captures"][s][i]
            self.king_moves_n[s] = len(spec["king_moves"][s])
            for i in range(self.king_moves_n[s]):
                self.king_moves[12 * s + i] = spec["king_moves"][s][i]
            self.king_captures_n[s] = len(spec["king_captures"][s])
            for i in range(self.king_captures_n[s]):
                self.king_captures[12 * s + i] = spec["king_captures"][s][i]
        self.men_take_kings = spec["men_take_kings"]
        self.flying = spec["flying"]
        self.far = spec["far"]
        self.slide_landing = spec["slide_landing"]
        self.halt_behind_king = spec["halt_behind_king"]
        self.about_turn = spec["about_turn"]
        self.compulsory = spec["compulsory"]
        self.duty = spec["duty"]
        self.landing_goes_on = spec["landing_goes_on"]
        self.at_once = spec["at_once"]
        self.in_capture = spec["in_capture"]
        self.few = spec["few"]
        self.take = spec["take"]
        self.any_piece = spec["any_piece"]
        self.quiet_limit = spec["quiet_limit"]
        self.first_king = spec["first_king"]
        self.one_each = spec["one_each"]
        self.one_each_waits = spec["one_each_waits"]
        self.early_end = self.first_king or self.one_each
        self.no_moves_wins = spec["no_moves_wins"]
        self.repetition = spec["repetition"]
        self.move_limit = spec["move_limit"]
        self.draws_n = len(spec["draws"])
        if self.draws_n > DRAWS_MOST:
            raise ValueError(f"more than {DRAWS_MOST} draw rules")
        self.draw_most = spec["draw_most"]
        self.draw_weak = spec["draw_weak"]
        for i in range(self.draws_n):
            for s in range(D_WIDTH):
                self.draws[D_WIDTH * i + s] = spec["draws"][i][s]
        self.road = 0
        for q in spec["main_road"]:
            self.road |= bit(q)
        self.criteria_n = len(spec["criteria"])
        for i in range(self.criteria_n):
            self.criteria[i] = spec["criteria"][i]
        self.track_order = BY_EARLIEST_KING in spec["criteria"]
        self._hit_tables()
        for s in range(Z_ROWS):
            for i in range(128):
                # Keyed by point, not by bit, and odd, so that a run's or clock's count can multiply its key.
                self.zobrist[128 * s + i] = _mix(1000 * s + (i if s == Z_CLOCK else self.point_of[i]) + 1) | 1
        self.max_plies = spec["max_plies"]
        self.max_states = spec["max_states"]
        self.level = 0
        self.borrow()
        self.overflow = False
        self.captures_only = False
        self.keyed = True
        self.stop_flag = False
        self.epoch = 0
        self.state_used = 0
        self._clear_level()

    def _hit_tables(self):
        """What ``capable`` and ``single_captures`` read for each capture direction of men, side by side."""
        s: cython.int
        i: cython.int
        j: cython.int
        d: cython.int
        self.hit[NO_WAY] = 0
        for s in range(2):
            for i in range(self.men_captures_n[s]):
                d = self.men_captures[12 * s + i]
                self.capture_back[12 * s + i] = DAMD_BITS - self.shift[d]
                self.capture_source[12 * s + i] = self.source[d]
                self.way_back[12 * s + i] = NO_WAY
                for j in range(self.men_captures_n[s]):
                    if self.men_captures[12 * s + j] == self.reverse[d]:
                        self.way_back[12 * s + i] = j

    def _allocate(self):
        """Memory of the stack, the ply buffer and the state table; raises ``MemoryError``."""
        self.room = 1024
        self.state_room = 1024
        self.state_table = {}
        if cython.compiled:
            self.zobrist = cython.cast(cython.p_ulonglong, malloc(Z_ROWS * 128 * 8))
            self.men = cython.cast(cython.pointer(bb), malloc(2 * LEVELS * cython.sizeof(bb)))
            self.kings = cython.cast(cython.pointer(bb), malloc(2 * LEVELS * cython.sizeof(bb)))
            self.pending = cython.cast(cython.pointer(bb), calloc(LEVELS, cython.sizeof(bb)))
            self.able = cython.cast(cython.pointer(bb), malloc(LEVELS * cython.sizeof(bb)))
            self.keys = cython.cast(cython.p_ulonglong, malloc(LEVELS * 8))
            self.side = cython.cast(cython.p_int, malloc(LEVELS * cython.sizeof(cython.int)))
            self.right = cython.cast(cython.p_int, calloc(LEVELS, cython.sizeof(cython.int)))
            self.half = cython.cast(cython.p_int, malloc(LEVELS * cython.sizeof(cython.int)))
            self.turn = cython.cast(cython.p_int, malloc(LEVELS * cython.sizeof(cython.int)))
            self.run = cython.cast(cython.p_int, calloc(2 * LEVELS, cython.sizeof(cython.int)))
            self.ply_code = cython.cast(cython.p_uint, malloc(self.room * 4))
            self.ply_cap = cython.cast(cython.pointer(bb), malloc(self.room * cython.sizeof(bb)))
            self.ply_score = cython.cast(cython.p_ulonglong, malloc(self.room * 8))
            self.state_cap = cython.cast(cython.pointer(bb), malloc(self.state_room * cython.sizeof(bb)))
            self.state_meta = cython.cast(cython.p_ulonglong, malloc(self.state_room * 8))
            self.state_order = cython.cast(cython.p_ulonglong, malloc(self.state_room * 8))
            if not (
                self.zobrist and self.men and self.kings and self.pending and self.able and self.keys
                and self.side and self.right and self.half and self.turn and self.run
                and self.ply_code and self.ply_cap and self.ply_score
                and self.state_cap and self.state_meta and self.state_order
            ):  # fmt: skip
                raise MemoryError("no memory for a board")
            for i in range(self.state_room):
                self.state_meta[i] = 0
        else:
            for name in ("rank", "bit_of", "point_of"):
                setattr(self, name, [0] * 128)
            for name in ("men_moves", "men_captures", "king_moves", "king_captures"):
                setattr(self, name, [0] * 24)
                setattr(self, name + "_n", [0, 0])
            self.shift, self.source, self.reverse = [0] * 12, [0] * 12, [0] * 12
            self.vacant = 0
            self.hit, self.ahead = [0] * (NO_WAY + 1), [0] * 24
            self.capture_back, self.capture_source, self.way_back = [0] * 24, [0] * 24, [0] * 24
            self.promotion, self.criteria, self.r_path = [0, 0], [0] * 5, [0] * 80
            self.draws = [0] * (D_WIDTH * DRAWS_MOST)
            self.zobrist = [0] * (Z_ROWS * 128)
            self.men, self.kings, self.run = [0] * (2 * LEVELS), [0] * (2 * LEVELS), [0] * (2 * LEVELS)
            self.pending, self.able, self.keys = [0] * LEVELS, [0] * LEVELS, [0] * LEVELS
            self.side, self.right = [0] * LEVELS, [0] * LEVELS
            self.half, self.turn = [0] * LEVELS, [0] * LEVELS
            self.ply_code, self.ply_cap, self.ply_score = [0] * self.room, [0] * self.room, [0] * self.room
            self.state_cap, self.state_meta = [0] * self.state_room, [0] * self.state_room
            self.state_order = [0] * self.state_room

    def __dealloc__(self):
        if cython.compiled:
            free(self.zobrist)
            free(self.men)
            free(self.kings)
            free(self.pending)
            free(self.able)
            free(self.keys)
            free(self.side)
            free(self.right)
            free(self.half)
            free(self.turn)
            free(self.run)
            free(self.ply_code)
            free(self.ply_cap)
            free(self.ply_score)
            free(self.state_cap)
            free(self.state_meta)
            free(self.state_order)

    # -- the border: lists of bit numbers in and out ---------------------------------------------------------

    def _clear_level(self):
        for s in range(2):
            self.men[s] = 0
            self.kings[s] = 0
            self.run[s] = 0
        self.pending[0] = 0
        self.able[0] = 0
        self.side[0] = 0
        self.right[0] = 0
        self.half[0] = 0
        self.turn[0] = 1
        self.keys[0] = 0

    def load(self, side, men, kings, take, pending, runs, half, turn):
        """Set the position (bit numbers throughout) and forget the history; crowns sides with few pieces."""
        self.level = 0
        self.borrow()
        self._clear_level()
        for s in range(2):
            for q in men[s]:
                self.men[s] |= bit(q)
            for q in kings[s]:
                self.kings[s] |= bit(q)
            if runs[s]:
                self.run[s] = runs[s][0] | runs[s][1] << 8
        self.side[0] = side
        self.right[0] = take
        if take and self.any_piece:
            self.pending[0] = self.men[1 - side] | self.kings[1 - side]
        for q in pending:
            self.pending[0] |= bit(q)
        self.half[0] = half
        self.turn[0] = turn
        self.crown_few(0)
        for s in range(2):
            if not self.men[s]:
                self.run[s] = 0  # the limit of king moves holds while there are men
        self.keys[0] = self.key_from_scratch()

    def dump(self):
        """The position as ``load`` takes it, lists in bit order."""
        at = self.level
        men = [self._bits(2 * at + s, False) for s in range(2)]
        kings = [self._bits(2 * at + s, True) for s in range(2)]
        runs = []
        for s in range(2):
            run = self.run[2 * at + s]
            runs.append((run & 0xFF, run >> 8) if run else None)
        pending: list = []
        if self.right[at] and not self.any_piece:
            pending = [q for q in range(DAMD_BITS) if self.pending[at] & bit(q)]
        return self.side[at], men, kings, self.right[at], pending, runs, self.half[at], self.turn[at]

    def _bits(self, index: cython.int, kings: cython.bint):
        pieces: bb = self.kings[index] if kings else self.men[index]
        found = []
        while pieces:
            found.append(lowest(pieces))
            pieces &= pieces - 1
        return found

    def counts(self):
        """(side, key, half-moves, turn number, pieces of White, pieces of Black) of the position."""
        at = self.level
        white = count(self.men[2 * at] | self.kings[2 * at])
        black = count(self.men[2 * at + 1] | self.kings[2 * at + 1])
        return self.side[at], self.keys[at], self.half[at], self.turn[at], white, black

    def crowned(self):
        """Whether White has kings, and whether Black has."""
        at = 2 * self.level
        return bool(self.kings[at]), bool(self.kings[at + 1])

    def verdict(self):
        """What ``clock_out`` says of the position."""
        return self.clock_out(self.capable())

    def clocks(self):
        """(index, plies) of every draw rule whose ending is on the board, and whether the move limit counts there."""
        running = []
        counts = True
        for r in range(self.draws_n):
            plies = self.lasted(r, self.draws[D_WIDTH * r + D_LIMIT])
            if plies >= 0:
                running.append((r, plies))
                counts = counts and not self.draws[D_WIDTH * r + D_REPLACES]
        return running, counts

    def ended(self):
        """Whether the pieces alone end the game."""
        return bool(self.over())

    def list_plies(self):
        """Generate; the number of plies. Raises ``OverflowError`` where the list was cut short."""
        n = self.fill()
        if self.overflow:
            self.listed_level = -1
            raise OverflowError("more plies or states than the generator's bound")
        return n

    def listed_ply(self, index: cython.int):
        """Ply ``index`` of the list as (code, bits taken off in bit order)."""
        cap: bb = self.ply_cap[index]
        taken = []
        while cap:
            taken.append(lowest(cap))
            cap &= cap - 1
        return self.ply_code[index], taken

    def find_listed(self, code: cython.uint, taken):
        """The index of the listed ply with this code and these bits taken off, or -1."""
        cap: bb = 0
        i: cython.int
        for q in taken:
            cap |= bit(q)
        for i in range(self.listed):
            if self.ply_code[i] == code and self.ply_cap[i] == cap:
                return i
        return -1

    def fill(self):
        """Put the plies of this level at the buffer's start, for ``play_listed``; their number."""
        self.top = 0
        n = self.listed = self.generate()
        self.listed_level = self.level
        self.listed_key = self.keys[self.level]
        return n

    def count_plies(self):
        """How many plies there are; raises like ``list_plies``."""
        self.top = self.listed  # behind the listed ones, which stay
        with cython.nogil:
            n: cython.int = self.tally()
        if self.overflow:
            raise OverflowError("more plies or states than the generator's bound")
        return n

    def play_listed(self, index: cython.int):
        """Make ply ``index`` of the list that ``list_plies`` makes for this level."""
        if self.level >= LEVELS - 2:
            self.rebase()
        # Whoever counted or searched since has left other plies in the buffer.
        if self.listed_level != self.level or self.listed_key != self.keys[self.level]:
            stopped = self.stop_flag
            self.stop_flag = False
            self.fill()
            self.stop_flag = stopped
        self.make(self.ply_code[index], self.ply_cap[index])

    def play_steps(self, steps):
        """Make plies one after the other as long as each is the only one that its step can be; what was made.

        A step is origin | end << 7 in bits of the board, with ``CAPTURE`` where quiet plies do not count; claims never
        do. A step that takes up a capture where the one before it ends is left, and that one with it. Of a ply that
        takes off one piece at most this gives the code, with the piece's bit + 1 above its 32 bits; of a longer capture
        (code, bits taken off in bit order, route). Raises like ``list_plies`` where nothing was made.
        """
        made: list = []
        total: cython.int = len(steps)
        at: cython.int
        i: cython.int
        n: cython.int
        found: cython.int
        step: cython.uint
        following: cython.uint
        code: cython.uint
        key: cython.ulonglong
        cap: bb
        for at in range(total):
            step = steps[at]
            if step & CAPTURE and at + 1 < total:
                following = steps[at + 1]
                if following & CAPTURE and following & 127 == (step >> TO_SHIFT) & 127:
                    break
            n = self.fill()
            if self.overflow or self.stop_flag:
                self.listed_level = -1
                if self.overflow and not made:
                    raise OverflowError("more plies or states than the generator's bound")
                break
            found = -1
            for i in range(n):
                code = self.ply_code[i]
                if code & (CAPTURE - 1) != step & (CAPTURE - 1) or code & KIND_MASK == CLAIM:
                    continue
                if step & CAPTURE and code & KIND_MASK != CAPTURE:
                    continue
                found = i if found == -1 else -2
            if found < 0:
                break
            code = self.ply_code[found]
            cap = self.ply_cap[found]
            if not cap:
                made.append(code)
            elif not cap & (cap - 1):
                key = lowest(cap) + 1
                made.append(code | key << 32)
            else:
                made.append((code, tuple(self.listed_ply(found)[1]), tuple(self.route(found))))
            self.play_listed(found)
        return made

    def borrow(self):
        """Make the buffer free for other plies than the listed ones."""
        self.top = 0
        self.listed = 0
        self.listed_level = -1

    def rebase(self):
        """Forget all but the latest levels, so that a game of any length fits."""
        drop: cython.int = self.level + 1 - KEPT_LEVELS
        if drop <= 0:
            return
        if cython.compiled:
            memmove(self.men, self.men + 2 * drop, 2 * KEPT_LEVELS * cython.sizeof(bb))
            memmove(self.kings, self.kings + 2 * drop, 2 * KEPT_LEVELS * cython.sizeof(bb))
            memmove(self.run, self.run + 2 * drop, 2 * KEPT_LEVELS * cython.sizeof(cython.int))
            memmove(self.pending, self.pending + drop, KEPT_LEVELS * cython.sizeof(bb))
            memmove(self.able, self.able + drop, KEPT_LEVELS * cython.sizeof(bb))
            memmove(self.keys, self.keys + drop, KEPT_LEVELS * 8)
            memmove(self.side, self.side + drop, KEPT_LEVELS * cython.sizeof(cython.int))
            memmove(self.right, self.right + drop, KEPT_LEVELS * cython.sizeof(cython.int))
            memmove(self.half, self.half + drop, KEPT_LEVELS * cython.sizeof(cython.int))
            memmove(self.turn, self.turn + drop, KEPT_LEVELS * cython.sizeof(cython.int))
        else:
            for name in ("men", "kings", "run"):
                rows = getattr(self, name)
                rows[: 2 * KEPT_LEVELS] = rows[2 * drop : 2 * (drop + KEPT_LEVELS)]
            for name in ("pending", "able", "keys", "side", "right", "half", "turn"):
                rows = getattr(self, name)
                rows[:KEPT_LEVELS] = rows[drop : drop + KEPT_LEVELS]
        self.level -= drop
        self.listed_level = -1

    def undo(self):
        """Take the last ply back; the caller knows that there is one."""
        self.level -= 1

    def route(self, index: cython.int):
        """Bit numbers of the canonical route of a listed capture: its landing points first in board order."""
        code: cython.uint = self.ply_code[index]
        self.begin_route(code, self.ply_cap[index], self.ply_score[index] if self.track_order else 0)
        if not self.find_route(code & 127, (code & WAS_KING) != 0, 0, 0, -1, 0):
            raise AssertionError("a listed capture has no route")
        return [code & 127] + [self.r_path[i] for i in range(count(self.ply_cap[index]))]

    def begin_route(self, code, target, score):
        self.epoch += 1
        self.state_used = 0
        self.g_from = code & 127
        self.g_side = self.side[self.level]
        self.g_king = (code & WAS_KING) != 0
        self.set_victims()
        self.g_occupied = self.g_pieces & ~bit(self.g_from)
        self.r_target = target
        self.r_end = (code >> TO_SHIFT) & 127
        self.r_king = (code & BECOMES_KING) != 0
        self.r_any_order = not self.track_order or (code & MISS) != 0
        self.r_miss = (code & MISS) != 0
        self.r_order = score

    def set_victims(self):
        at: cython.int = self.level
        s: cython.int = self.g_side
        theirs: cython.int = 2 * at + 1 - s
        self.g_opponent_kings = self.kings[theirs]
        self.g_king_victims = self.men[theirs] | self.kings[theirs]
        self.g_men_victims = self.g_king_victims if self.men_take_kings else self.men[theirs]
        self.g_pieces = self.men[2 * at + s] | self.kings[2 * at + s] | self.g_king_victims

    def perft(self, depth: cython.int):
        """Leaves ``depth`` plies below; claims are plies. Raises ``OverflowError`` where it was cut short."""
        self.top = self.listed  # behind the listed ones, which stay
        self.overflow = False
        total: cython.ulonglong
        self.keyed = False
        with cython.nogil:
            total = self.nodes_below(depth)
        self.keyed = True
        if self.overflow:
            raise OverflowError("more plies or states than the generator's bound")
        return total

    def stop(self):
        """Ask a running generation or perft, in another thread, to end."""
        self.stop_flag = True

    def stopped(self):
        """Whether ``stop`` is in force."""
        return bool(self.stop_flag)

    def resume(self):
        """Forget an earlier ``stop``."""
        self.stop_flag = False

    def key_check(self):
        """The key computed from the pieces, to compare with the incremental one."""
        return self.key_from_scratch()

    def seen(self):
        """How often this position has occurred, itself included."""
        return self.occurrences()

    # -- generation --------------------------------------------------------------------------------------------

    def step(self, x, d):
        return spin(x & self.source[d], self.shift[d])

    def over(self):
        """Whether the pieces alone end the game: a side without pieces, a king or one piece each where these end it."""
        at: cython.int = 2 * self.level
        white: bb = self.men[at] | self.kings[at]
        black: bb = self.men[at + 1] | self.kings[at + 1]
        if not white or not black:
            return True
        if not self.early_end:
            return False
        if self.first_king and (self.kings[at] | self.kings[at + 1]):
            return True
        if not self.one_each or white & (white - 1) or black & (black - 1):
            return False
        return not self.one_each_waits or not self.capable()

    def capable(self):
        """The pieces of the side to move that can capture.

        Leaves in ``hit`` the points from which a man's capture in each of its directions exists, and in ``vacant``
        the empty points.
        """
        at: cython.int = self.level
        s: cython.int = self.side[at]
        ours: cython.int = 2 * at + s
        theirs: cython.int = 2 * at + 1 - s
        men: bb = self.men[ours]
        kings: bb = self.kings[ours]
        all_victims: bb = self.men[theirs] | self.kings[theirs]
        victims: bb = all_victims if self.men_take_kings else self.men[theirs]
        empty: bb = self.full & ~(men | kings | all_victims)
        can: bb = 0
        self.vacant = empty
        i: cython.int
        d: cython.int
        back: cython.int
        source: bb
        king: bb
        x: bb
        for i in range(self.men_captures_n[s]):
            back = self.capture_back[12 * s + i]
            source = self.capture_source[12 * s + i]
            self.hit[i] = source & spin(victims & source & spin(empty, back), back)
            can |= men & self.hit[i]
        if kings:
            if self.far:
                while kings:
                    king = kings & (~kings + 1)
                    kings ^= king
                    for i in range(self.king_captures_n[s]):
                        d = self.king_captures[12 * s + i]
                        x = self.step(king, d)
                        while x & empty:
                            x = self.step(x, d)
                        if x & all_victims and self.step(x, d) & empty:
                            can |= king
                            break
            else:
                for i in range(self.king_captures_n[s]):
                    d = self.king_captures[12 * s + i]
                    back = DAMD_BITS - self.shift[d]
                    source = self.source[d]
                    can |= kings & source & spin(all_victims & source & spin(empty, back), back)
        return can

    def legal_quiet_kings_bar(self):
        """The bit of the king that may not move quietly any more, or -1."""
        at: cython.int = self.level
        ours: cython.int = 2 * at + self.side[at]
        if self.quiet_limit and (self.run[ours] >> 8) >= self.quiet_limit and self.men[ours]:
            return self.run[ours] & 0xFF
        return -1

    def quiet_tally(self, men, kings, empty):
        s: cython.int = self.side[self.level]
        n: cython.int = 0
        i: cython.int
        d: cython.int
        king: bb
        x: bb
        for i in range(self.men_moves_n[s]):
            d = self.men_moves[12 * s + i]
            n += count(spin(men & self.source[d], self.shift[d]) & empty)
        while kings:
            king = kings & (~kings + 1)
            kings ^= king
            for i in range(self.king_moves_n[s]):
                d = self.king_moves[12 * s + i]
                x = self.step(king, d)
                while x & empty:
                    n += 1
                    if not self.flying:
                        break
                    x = self.step(x, d)
        return n

    def hanging(self):
        """Whether the opponent could capture if it were his turn; leaves what ``capable`` leaves, his captures in it."""
        at: cython.int = self.level
        can: bb
        self.side[at] = 1 - self.side[at]
        can = self.capable()
        self.side[at] = 1 - self.side[at]
        return can != 0

    def mobile(self):
        """Whether the side to move has a quiet ply; reads what ``capable`` left."""
        at: cython.int = self.level
        s: cython.int = self.side[at]
        i: cython.int
        d: cython.int
        bar: cython.int
        men: bb = self.men[2 * at + s]
        kings: bb = self.kings[2 * at + s]
        empty: bb = self.vacant
        for i in range(self.men_moves_n[s]):
            d = self.men_moves[12 * s + i]
            if spin(men & self.source[d], self.shift[d]) & empty:
                return True
        if kings:
            if self.quiet_limit:
                bar = self.legal_quiet_kings_bar()
                if bar >= 0:
                    kings &= ~bit(bar)
            for i in range(self.king_moves_n[s]):
                if self.step(kings, self.king_moves[12 * s + i]) & empty:
                    return True
        return False

    def quiet_plies(self, men, kings, empty, flags):
        s: cython.int = self.side[self.level]
        i: cython.int
        d: cython.int
        q: cython.int
        to: cython.int
        king: bb
        x: bb
        promotion: bb = self.promotion[s]
        code: cython.uint
        top: cython.int = self.top
        if top + QUIET_ROOM > self.room and not self.reserve(QUIET_ROOM):
            self.overflow = True
            return
        for i in range(self.men_moves_n[s]):
            d = self.men_moves[12 * s + i]
            x = spin(men & self.source[d], self.shift[d]) & empty
            while x:
                to = lowest(x)
                code = ((to - self.shift[d]) & (DAMD_BITS - 1)) | (to << TO_SHIFT) | flags
                if promotion & bit(to):
                    code |= BECOMES_KING
                elif not self.ahead[12 * s + i]:
                    code |= REVERSIBLE
                self.ply_code[top] = code
                self.ply_cap[top] = 0
                top += 1
                x &= x - 1
        while kings:
            king = kings & (~kings + 1)
            kings ^= king
            q = lowest(king)
            for i in range(self.king_moves_n[s]):
                d = self.king_moves[12 * s + i]
                x = self.step(king, d)
                while x & empty:
                    self.ply_code[top] = q | (lowest(x) << TO_SHIFT) | flags | BECOMES_KING | WAS_KING | REVERSIBLE
                    self.ply_cap[top] = 0
                    top += 1
                    if not self.flying:
                        break
                    x = self.step(x, d)
        self.top = top

    def claim_tally(self):
        at: cython.int = self.level
        n: cython.int
        if not self.right[at]:
            return 0
        n = count(self.pending[at])
        if self.right[at] >= n:
            return 1
        if self.right[at] == 1:
            return n
        if self.right[at] == 2:
            return n * (n - 1) // 2
        return n * (n - 1) * (n - 2) // 6

    def claim_plies(self):
        at: cython.int = self.level
        pending: bb = self.pending[at]
        a: bb
        b: bb
        c: bb
        first: bb
        second: bb
        third: bb
        if not self.right[at]:
            return
        if self.right[at] >= count(pending):
            self.push(CLAIM, pending, 0)
            return
        a = pending
        while a:
            first = a & (~a + 1)
            a ^= first
            if self.right[at] == 1:
                self.push(CLAIM, first, 0)
                continue
            b = a
            while b:
                second = b & (~b + 1)
                b ^= second
                if self.right[at] == 2:
                    self.push(CLAIM, first | second, 0)
                    continue
                c = b
                while c:
                    third = c & (~c + 1)
                    c ^= third
                    self.push(CLAIM, first | second | third, 0)

    def tally(self):
        """How many plies the position has, listing only captures."""
        at: cython.int = self.level
        ours: cython.int
        bar: cython.int
        n: cython.int = 0
        kings: bb
        able: bb
        empty: bb
        if self.over():
            return 0
        ours = 2 * at + self.side[at]
        able = self.capable()
        if not able or self.take or not self.compulsory:
            kings = self.kings[ours]
            if self.quiet_limit:
                bar = self.legal_quiet_kings_bar()
                if bar >= 0:
                    kings &= ~bit(bar)
            empty = self.vacant
            n = self.quiet_tally(self.men[ours], kings, empty)
            if self.right[at]:
                n += self.claim_tally()
        if able:
            n += self.capture_tally(able)
        return n

    def generate(self):
        """Append the plies of the position to the buffer at ``top``; their number.

        Order: quiet moves, captures, claims; with ``captures_only`` the complete captures alone. Past a bound
        ``overflow`` is set and the list is cut short; after ``stop`` it may be cut short too.
        """
        self.overflow = False
        if self.over():
            self.able[self.level] = 0
            return 0
        return self.generate_for(self.capable())

    def generate_for(self, able):
        """``generate`` for a position that is not over, where ``capable`` has just found ``able``."""
        at: cython.int = self.level
        start: cython.int = self.top
        ours: cython.int = 2 * at + self.side[at]
        bar: cython.int
        kings: bb
        empty: bb
        self.overflow = False
        self.able[at] = able
        if not self.captures_only and (not able or self.take or not self.compulsory):
            kings = self.kings[ours]
            if self.quiet_limit:
                bar = self.legal_quiet_kings_bar()
                if bar >= 0:
                    kings &= ~bit(bar)
            empty = self.vacant
            self.g_base = start
            self.quiet_plies(self.men[ours], kings, empty, MISS if able and self.take else 0)
        if able:
            self.g_base = self.top
            self.capture_plies(able)
        if self.right[at] and not self.captures_only:
            self.g_base = self.top
            self.claim_plies()
        return self.top - start

    def single_captures(self, men):
        """Those of the capturing men ``men`` that can take just one piece each, whichever way they go.

        Men that could go on, or become king and go on, are left to ``jump``.
        """
        s: cython.int = self.g_side
        i: cython.int
        d: cython.int
        back: cython.int
        ways: cython.int = self.men_captures_n[s]
        single: bb = men
        landings: bb
        onward: bb
        some: bb = 0
        several: bb = 0
        promotion: bb = self.promotion[s]
        for i in range(ways):
            several |= some & self.hit[i]
            some |= self.hit[i]
        for i in range(ways):
            landings = men & self.hit[i]
            if not landings:
                continue
            d = self.men_captures[12 * s + i]
            back = DAMD_BITS - self.shift[d]
            landings = spin(spin(landings, self.shift[d]), self.shift[d])
            # Straight back there is only the piece just taken.
            onward = several | (some & ~self.hit[self.way_back[12 * s + i]])
            if self.in_capture == STOP:
                onward &= ~promotion
            elif self.in_capture == AS_KING:
                onward |= promotion
            single &= ~spin(spin(landings & onward, back), back)
        return single

    def capture_tally(self, able):
        """How many captures the pieces ``able`` have; counted without a list where each takes one man."""
        s: cython.int = self.side[self.level]
        i: cython.int
        n: cython.int = 0
        kings: bb = able & self.kings[2 * self.level + s]
        self.g_side = s
        if not kings and not (self.criteria_n and self.kings[2 * self.level + 1 - s]):
            if self.single_captures(able) == able:
                for i in range(self.men_captures_n[s]):
                    n += count(able & self.hit[i])
                return n
        self.g_base = self.top
        self.capture_plies(able)
        n = self.top - self.g_base
        self.top = self.g_base
        return n

    def capture_plies(self, able):
        """Append the captures of the pieces ``able``, filtered by the criteria."""
        s: cython.int = self.side[self.level]
        i: cython.int
        d: cython.int
        kings: bb = able & self.kings[2 * self.level + s]
        single: bb
        pieces: bb
        v: bb
        self.g_side = s
        self.g_best = 0
        self.overflow = False
        self.state_used = 0
        self.set_victims()
        single = self.single_captures(able & ~kings)
        pieces = able & ~single
        self.g_king = False
        for i in range(self.men_captures_n[s]):
            able = single & self.hit[i]
            d = self.men_captures[12 * s + i]
            while able:
                self.g_from = lowest(able)
                v = self.step(able & (~able + 1), d)
                able &= able - 1
                self.emit(lowest(self.step(v, d)), False, v, 1, -1, self.first_order(v), False)
        while pieces and not self.overflow:
            self.g_from = lowest(pieces)
            pieces &= pieces - 1
            self.g_king = (kings & bit(self.g_from)) != 0
            self.g_occupied = self.g_pieces & ~bit(self.g_from)
            self.epoch += 1
            self.state_used = 0
            self.jump(self.g_from, self.g_king, 0, 0, -1, 0)
        if self.criteria_n and (self.take or self.overflow):
            self.keep_best()

    def first_order(self, v):
        """The order word of a capture that begins with the piece ``v``."""
        return (1 << 30) if self.track_order and (v & self.g_opponent_kings) else 0

    def jump(self, at, king, cap, n, last, order):
        """Follow every capture from this state and append what may be played; whether one exists."""
        s: cython.int = self.g_side
        i: cython.int
        d: cython.int
        ways: cython.int = self.king_captures_n[s] if king else self.men_captures_n[s]
        to: cython.int
        way: cython.int
        far: cython.bint = king and self.far
        slide: cython.bint = king and self.slide_landing
        went: cython.bint = False
        goes: cython.bint
        on: cython.bint
        first: cython.bint
        halts: cython.bint
        king_after: cython.bint
        occupied: bb = self.g_occupied
        victims: bb = (self.g_king_victims if king else self.g_men_victims) & ~cap
        empty: bb
        v: bb
        x: bb
        terminal: bb
        order_after: cython.ulonglong = order
        if self.at_once:
            occupied &= ~cap
        empty = self.full & ~occupied
        for i in range(ways):
            d = self.king_captures[12 * s + i] if king else self.men_captures[12 * s + i]
            if last >= 0 and king and d == self.reverse[last]:
                continue
            v = self.step(bit(at), d)
            if far:
                while v & empty:
                    v = self.step(v, d)
            if not (v & victims):
                continue
            x = self.step(v, d)
            if not (x & empty):
                continue
            went = True
            if self.overflow:
                break
            if self.track_order:
                # The n-th capture weighs bit 30 - n: an earlier king outweighs any later ones.
                order_after = order | ((1 << (30 - n)) if (v & self.g_opponent_kings) and n <= 30 else 0)
            way = -1 if self.about_turn else d
            halts = self.halt_behind_king and king and (v & self.g_opponent_kings) != 0
            terminal = 0
            goes = False
            first = True
            while x & empty:
                to = lowest(x)
                king_after = king
                on = True
                if not king and (x & self.promotion[s]):
                    if self.in_capture == AS_KING:
                        king_after = True
                    elif self.in_capture == STOP:
                        on = False
                if on:
                    on = self.visit(to, king_after, cap | v, n + 1, way, order_after)
                if on:
                    goes = True
                    if (self.take or not self.duty) and not self.captures_only and (first or not halts):
                        self.emit(to, king_after, cap | v, n + 1, way, order_after, self.take and self.duty)
                elif first or not halts:
                    terminal |= x
                if not slide:
                    break
                first = False
                x = self.step(x, d)
            if terminal and not (goes and self.landing_goes_on and self.duty):
                while terminal:
                    to = lowest(terminal)
                    terminal &= terminal - 1
                    king_after = king or (self.in_capture == AS_KING and (self.promotion[s] & bit(to)) != 0)
                    self.emit(to, king_after, cap | v, n + 1, way, order_after, False)
        return went

    def visit(self, at, king, cap, n, last, order):
        """``jump`` once for every state; a first capture reaches a state of its own and needs no table."""
        slot: cython.int
        went: cython.bint
        if not king and not self.man_goes_on(at, cap):
            return False
        if n < 2:
            return self.jump(at, king, cap, n, last, order)
        slot = self.slot(at, king, cap, last, order)
        if slot < 0:
            return False
        if self.state_meta[slot] & S_USED:
            return (self.state_meta[slot] & S_WENT_ON) != 0
        self.state_meta[slot] |= S_USED
        went = self.jump(at, king, cap, n, last, order)
        if went:
            # The table may have grown below: look the state up again.
            slot = self.slot(at, king, cap, last, order)
            if slot >= 0:
                self.state_meta[slot] |= S_WENT_ON
        return went

    def man_goes_on(self, at, cap):
        """Whether a man on this point, with these pieces taken so far, has a further capture: mostly it has not."""
        i: cython.int
        d: cython.int
        first: cython.int = 12 * self.g_side
        v: bb
        place: bb = bit(at)
        empty: bb = self.full & ~self.g_occupied
        victims: bb = self.g_men_victims & ~cap
        if self.at_once:
            empty |= cap
        for i in range(self.men_captures_n[self.g_side]):
            d = self.men_captures[first + i]
            v = self.step(place, d) & victims
            if v and self.step(v, d) & empty:
                return True
        return False

    def emit(self, at, king, cap, n, last, order, miss):
        """Append one capture that ends at ``at``, unless it stands there already or loses to a better one."""
        code: cython.uint = self.g_from | (at << TO_SHIFT) | CAPTURE
        slot: cython.int
        i: cython.int
        score: cython.ulonglong = 0
        if king or (self.promotion[self.g_side] & bit(at)):
            code |= BECOMES_KING
        if self.g_king:
            code |= WAS_KING
        if miss:
            code |= MISS
        if n >= 2:
            slot = self.slot(at, king, cap, last, order)
            if slot < 0 or self.state_meta[slot] & S_EMITTED:
                return
            self.state_meta[slot] |= S_EMITTED
        if self.criteria_n:
            if miss:
                score = cython.cast(cython.ulonglong, 1) << 62
            else:
                score = self.score(cap, order)
                if not self.take:
                    if score < self.g_best:
                        return
                    if score > self.g_best:
                        self.g_best = score
                        self.top = self.g_base
        if self.track_order or not self.about_turn:
            # Here states of one ply differ by the way they were reached; such captures are few.
            for i in range(self.g_base, self.top):
                if (self.ply_code[i] ^ code) & ~MISS == 0 and self.ply_cap[i] == cap:
                    if self.ply_code[i] & MISS and not miss:
                        self.ply_code[i] = code  # one route stops where another is at its end: no miss
                        self.ply_score[i] = score
                    elif score > self.ply_score[i] and not miss:
                        self.ply_score[i] = score
                    return
        self.push(code, cap, score)

    def score(self, cap, order):
        """A capture's rank by the criteria: compared as numbers, the larger has precedence."""
        total: cython.ulonglong = 0
        i: cython.int
        pieces: cython.int = count(cap)
        kings: cython.int = count(cap & self.g_opponent_kings)
        for i in range(self.criteria_n):
            if self.criteria[i] == BY_PIECES:
                total = (total << 7) | pieces
            elif self.criteria[i] == BY_VALUE:
                total = (total << 14) | (pieces * MAN_VALUE + kings * (MAN_VALUE - 1))
            elif self.criteria[i] == BY_KING:
                total = (total << 1) | (1 if self.g_king else 0)
            elif self.criteria[i] == BY_KINGS:
                total = (total << 7) | kings
            else:
                total = (total << 31) | order
        return total

    def keep_best(self):
        """Drop the complete captures of this generation that the criteria forbid; misses stay."""
        i: cython.int
        kept: cython.int = self.g_base
        best: cython.ulonglong = 0
        for i in range(self.g_base, self.top):
            if not (self.ply_code[i] & MISS) and self.ply_score[i] > best:
                best = self.ply_score[i]
        for i in range(self.g_base, self.top):
            if (self.ply_code[i] & MISS) or self.ply_score[i] == best:
                self.ply_code[kept] = self.ply_code[i]
                self.ply_cap[kept] = self.ply_cap[i]
                self.ply_score[kept] = self.ply_score[i]
                kept += 1
        self.top = kept

    def push(self, code, cap, score):
        if self.top - self.g_base >= self.max_plies:
            self.overflow = True
            return False
        if self.top >= self.room and not self.reserve(1):
            self.overflow = True
            return False
        self.ply_code[self.top] = code
        self.ply_cap[self.top] = cap
        self.ply_score[self.top] = score
        self.top += 1
        return True

    def reserve(self, extra):
        """Double the ply buffer; false where memory is out."""
        room: cython.int = 2 * self.room + extra
        if cython.compiled:
            codes: cython.p_uint = cython.cast(cython.p_uint, realloc(self.ply_code, room * 4))
            if not codes:
                return False
            self.ply_code = codes
            caps: cython.pointer(bb) = cython.cast(cython.pointer(bb), realloc(self.ply_cap, room * cython.sizeof(bb)))
            if not caps:
                return False
            self.ply_cap = caps
            scores: cython.p_ulonglong = cython.cast(cython.p_ulonglong, realloc(self.ply_score, room * 8))
            if not scores:
                return False
            self.ply_score = scores
        else:
            more = [0] * (room - self.room)
            self.ply_code += more
            self.ply_cap += more
            self.ply_score += more
        self.room = room
        return True

    # -- states of one capture -----------------------------------------------------------------------------------

    def slot(self, at, king, cap, last, order):
        """The table row of a state, made if need be; -1 past the bound or after ``stop``.

        Rows of earlier captures are recognised by their epoch and overwritten.
        """
        tag: cython.ulonglong = (self.epoch << EPOCH_SHIFT) | (at << 8) | ((last + 1) << 15) | ((1 if king else 0) << 20)
        if not cython.compiled:
            found = self.state_table.get((tag, cap, order))
            if found is not None:
                return found
            if self.state_used >= self.max_states or self.stop_flag:
                self.overflow = True
                return -1
            if self.state_used == 0:
                self.state_table.clear()
            row = self.state_used
            self.state_used += 1
            if row == len(self.state_meta):
                self.state_meta.append(0)
            self.state_meta[row] = 0
            self.state_table[tag, cap, order] = row
            return row
        mask: cython.int = self.state_room - 1
        row: cython.int = cython.cast(cython.int, scatter(fold(cap), tag, order) & mask)
        meta: cython.ulonglong
        while True:
            meta = self.state_meta[row]
            if (meta >> EPOCH_SHIFT) != (tag >> EPOCH_SHIFT):
                break
            if (meta & ~cython.cast(cython.ulonglong, 0xFF)) == tag and self.state_cap[row] == cap:
                if self.state_order[row] == order:
                    return row
            row = (row + 1) & mask
        if self.state_used >= self.max_states:
            self.overflow = True
            return -1
        if (self.state_used & POLL_MASK) == POLL_MASK and self.stop_flag:
            self.overflow = True
            return -1
        if 2 * self.state_used >= self.state_room:
            if not self.widen():
                self.overflow = True
                return -1
            return self.slot(at, king, cap, last, order)
        self.state_used += 1
        self.state_meta[row] = tag
        self.state_cap[row] = cap
        self.state_order[row] = order
        return row

    def widen(self):
        """Double the state table and place its rows again; false where memory is out."""
        if not cython.compiled:
            return True
        old: cython.int = self.state_room
        room: cython.int = 2 * old
        mask: cython.int = room - 1
        i: cython.int
        row: cython.int
        tag: cython.ulonglong
        now: cython.ulonglong = self.epoch << EPOCH_SHIFT
        caps: cython.pointer(bb) = cython.cast(cython.pointer(bb), malloc(room * cython.sizeof(bb)))
        metas: cython.p_ulonglong = cython.cast(cython.p_ulonglong, malloc(room * 8))
        orders: cython.p_ulonglong = cython.cast(cython.p_ulonglong, malloc(room * 8))
        if not caps or not metas or not orders:
            free(caps)
            free(metas)
            free(orders)
            return False
        for i in range(room):
            metas[i] = 0
        for i in range(old):
            if (self.state_meta[i] >> EPOCH_SHIFT) != (now >> EPOCH_SHIFT):
                continue
            tag = self.state_meta[i] & ~cython.cast(cython.ulonglong, 0xFF)
            row = cython.cast(cython.int, scatter(fold(self.state_cap[i]), tag, self.state_order[i]) & mask)
            while metas[row]:
                row = (row + 1) & mask
            metas[row] = self.state_meta[i]
            caps[row] = self.state_cap[i]
            orders[row] = self.state_order[i]
        free(self.state_cap)
        free(self.state_meta)
        free(self.state_order)
        self.state_cap = caps
        self.state_meta = metas
        self.state_order = orders
        self.state_room = room
        return True

    # -- routes --------------------------------------------------------------------------------------------------

    def find_route(self, at, king, cap, n, last, order):
        """Search, landing points in board order, a route that takes just ``r_target`` and ends at ``r_end``."""
        s: cython.int = self.g_side
        p: cython.int
        q: cython.int
        i: cython.int
        d: cython.int
        ways: cython.int = self.king_captures_n[s] if king else self.men_captures_n[s]
        slot: cython.int
        king_after: cython.bint
        on: cython.bint
        occupied: bb = self.g_occupied
        empty: bb
        v: bb
        x: bb
        landings: bb
        way: cython.int[12]
        victim: bb[12]
        reach: bb[12]
        found: cython.int = 0
        order_after: cython.ulonglong
        if not cython.compiled:
            way, victim, reach = [0] * 12, [0] * 12, [0] * 12
        if cap == self.r_target:
            if at != self.r_end or (king or (self.promotion[s] & bit(at)) != 0) != self.r_king:
                return False
            # Where a king may not turn about, one route may stop at what is another's end: the ply is the other's.
            if not self.about_turn and self.take and self.duty and not self.r_miss and king:
                if self.goes_on(at, king, cap, last):
                    return False
            return self.r_any_order or self.score(cap, order) == self.r_order
        if n >= 2:
            slot = self.slot(at, king, cap, last, order)
            if slot >= 0:
                if self.state_meta[slot] & S_USED:
                    return False  # been here in vain
                self.state_meta[slot] |= S_USED
        if self.at_once:
            occupied &= ~cap
        empty = self.full & ~occupied
        landings = 0
        for i in range(ways):
            d = self.king_captures[12 * s + i] if king else self.men_captures[12 * s + i]
            if last >= 0 and king and d == self.reverse[last]:
                continue
            v = self.step(bit(at), d)
            if king and self.far:
                while v & empty:
                    v = self.step(v, d)
            if not (v & self.r_target & ~cap):
                continue
            x = self.step(v, d)
            reach[found] = 0
            while x & empty:
                reach[found] |= x
                if not (king and self.slide_landing):
                    break
                x = self.step(x, d)
            if reach[found]:
                landings |= reach[found]
                way[found] = d
                victim[found] = v
                found += 1
        p = 0
        while landings:
            if self.in_order:
                q = lowest(landings)
            else:
                while not (landings & bit(self.bit_of[p])):
                    p += 1
                q = self.bit_of[p]
            landings ^= bit(q)
            for i in range(found):
                if not (reach[i] & bit(q)):
                    continue
                king_after = king
                on = True
                if not king and (self.promotion[s] & bit(q)):
                    if self.in_capture == AS_KING:
                        king_after = True
                    elif self.in_capture == STOP:
                        on = (cap | victim[i]) == self.r_target
                if not on:
                    continue
                if (cap | victim[i]) == self.r_target and not self.may_end(q, king_after, cap, victim[i], reach[i], way[i]):
                    continue
                order_after = order
                if self.track_order and (victim[i] & self.g_opponent_kings) and n <= 30:
                    order_after = order | (1 << (30 - n))
                self.r_path[n] = q
                if self.find_route(q, king_after, cap | victim[i], n + 1, -1 if self.about_turn else way[i], order_after):
                    return True
        return False

    def may_end(self, at, king, cap, v, reach, d):
        """Whether a route may end on ``at``, one of the landings ``reach`` of the last jump, over ``v``."""
        last: cython.int = -1 if self.about_turn else d
        x: bb = reach
        if self.halt_behind_king and king and (v & self.g_opponent_kings) and self.step(v, d) != bit(at):
            return False
        if not (self.landing_goes_on and self.duty) or self.goes_on(at, king, cap | v, last):
            return True
        while x:
            if self.goes_on(lowest(x), king, cap | v, last):
                return False
            x &= x - 1
        return True

    def goes_on(self, at, king, cap, last):
        """Whether the capturer in this state has a further capture."""
        s: cython.int = self.g_side
        i: cython.int
        d: cython.int
        empty: bb = self.full & ~self.g_occupied
        victims: bb = self.g_king_victims & ~cap
        v: bb
        if not king:
            return self.man_goes_on(at, cap)
        if self.at_once:
            empty |= cap
        for i in range(self.king_captures_n[s]):
            d = self.king_captures[12 * s + i]
            if last >= 0 and d == self.reverse[last]:
                continue
            v = self.step(bit(at), d)
            if self.far:
                while v & empty:
                    v = self.step(v, d)
            if v & victims and self.step(v, d) & empty:
                return True
        return False

    # -- making plies ----------------------------------------------------------------------------------------------

    def crown_few(self, at):
        """Promote every piece of a side with so few that the rules crown them; whether that changed anything."""
        changed: cython.bint = False
        s: cython.int
        if not self.few:
            return False
        for s in range(2):
            if self.men[2 * at + s] and count(self.men[2 * at + s] | self.kings[2 * at + s]) <= self.few:
                self.kings[2 * at + s] |= self.men[2 * at + s]
                self.men[2 * at + s] = 0
                changed = True
        return changed

    def key_from_scratch(self):
        """The hash key: board, side, right and king runs; not the counters."""
        at: cython.int = self.level
        key: cython.ulonglong = 0
        s: cython.int
        x: bb
        run: cython.int
        for s in range(2):
            x = self.men[2 * at + s]
            while x:
                key ^= self.zobrist[256 * s + lowest(x)]
                x &= x - 1
            x = self.kings[2 * at + s]
            while x:
                key ^= self.zobrist[256 * s + 128 + lowest(x)]
                x &= x - 1
            run = self.run[2 * at + s]
            if run:
                key ^= self.zobrist[128 * (Z_RUN + s) + (run & 0xFF)] * cython.cast(cython.ulonglong, run >> 8)
        key ^= self.right_key(at)
        if self.side[at]:
            key ^= self.zobrist[128 * Z_MISC]
        if not cython.compiled:
            key &= 0xFFFFFFFFFFFFFFFF
        return key

    def right_key(self, at):
        key: cython.ulonglong = 0
        x: bb
        if not self.right[at]:
            return 0
        key = self.zobrist[128 * Z_MISC + 1]
        if not self.any_piece:
            x = self.pending[at]
            while x:
                key ^= self.zobrist[128 * Z_PENDING + lowest(x)]
                x &= x - 1
        return key

    def make(self, code, cap):
        """Write the next level: the position after the ply. Key and counters are left out while ``keyed`` is off."""
        at: cython.int = self.level
        after: cython.int = at + 1
        s: cython.int = self.side[at]
        o: cython.int = 1 - s
        kind: cython.uint = code & KIND_MASK
        q: cython.int = code & 127
        to: cython.int = (code >> TO_SHIFT) & 127
        men: bb = self.men[2 * at + s]
        kings: bb = self.kings[2 * at + s]
        liable: bb
        crowned: cython.bint
        if kind != CLAIM:
            if code & WAS_KING:
                kings ^= bit(q)
            else:
                men ^= bit(q)
            if code & BECOMES_KING:
                kings |= bit(to)
            else:
                men |= bit(to)
        self.level = after
        self.men[2 * after + s] = men
        self.kings[2 * after + s] = kings
        self.men[2 * after + o] = self.men[2 * at + o] & ~cap
        self.kings[2 * after + o] = self.kings[2 * at + o] & ~cap
        self.side[after] = s if kind == CLAIM else o
        if self.keyed:
            self.keys[after] = self.key_after(at, code, cap)
            self.turn[after] = self.turn[at] + (s if kind != CLAIM else 0)
            self.half[after] = self.half[at] + 1 if code & REVERSIBLE else 0
        # Variants without rights and runs leave those of every level at the zeros they were made with.
        if self.take:
            self.right[after] = 0
            self.pending[after] = 0
            if code & MISS:
                if kind == CAPTURE:
                    liable = bit(to)
                else:
                    liable = self.able[at]
                    if liable & bit(q):
                        liable = (liable & ~bit(q)) | bit(to)
                self.right[after] = self.take
                self.pending[after] = (men | kings) if self.any_piece else liable
        crowned = self.few and cap and self.crown_few(after)
        if self.quiet_limit:
            self.count_runs(code)
        if crowned:
            self.keys[after] = self.key_from_scratch()
        elif self.take and self.right[after]:
            self.keys[after] ^= self.right_key(after)

    def key_after(self, at, code, cap):
        """The key of level ``at`` changed by the ply's pieces and side; its right is taken out, no new one put in."""
        s: cython.int = self.side[at]
        theirs: cython.int = 2 * at + 1 - s
        row: cython.int = 256 * s
        key: cython.ulonglong = self.keys[at]
        x: bb
        if self.take and self.right[at]:
            key ^= self.right_key(at)
        if (code & KIND_MASK) != CLAIM:
            key ^= self.zobrist[row + (128 if code & WAS_KING else 0) + (code & 127)]
            key ^= self.zobrist[row + (128 if code & BECOMES_KING else 0) + ((code >> TO_SHIFT) & 127)]
            key ^= self.zobrist[128 * Z_MISC]
        row = 256 * (1 - s)
        x = cap & self.men[theirs]
        while x:
            key ^= self.zobrist[row + lowest(x)]
            x &= x - 1
        x = cap & self.kings[theirs]
        while x:
            key ^= self.zobrist[row + 128 + lowest(x)]
            x &= x - 1
        return key

    def count_runs(self, code):
        """Carry the runs of quiet king moves into the level just made."""
        at: cython.int = self.level
        mover: cython.int = self.side[at - 1]
        s: cython.int
        i: cython.int
        run: cython.int
        q: cython.int = code & 127
        to: cython.int = (code >> TO_SHIFT) & 127
        for s in range(2):
            i = 2 * at + s
            run = self.run[i] = self.run[i - 2]
            if s == mover and (code & KIND_MASK) != CLAIM:
                if (code & KIND_MASK) == QUIET and code & WAS_KING:
                    run = to | (((run >> 8) + 1 if run and (run & 0xFF) == q else 1) << 8)
                else:
                    run = 0
            if run and (not self.men[i] or not (self.kings[i] & bit(run & 0xFF))):
                run = 0
            if run != self.run[i]:
                if self.run[i]:
                    self.keys[at] ^= self.run_key(s, self.run[i])
                if run:
                    self.keys[at] ^= self.run_key(s, run)
                self.run[i] = run

    def run_key(self, s, run):
        key: cython.ulonglong = self.zobrist[128 * (Z_RUN + s) + (run & 0xFF)] * cython.cast(cython.ulonglong, run >> 8)
        if not cython.compiled:
            key &= 0xFFFFFFFFFFFFFFFF
        return key

    def occurrences(self):
        """How often the present position stands in the history, itself included."""
        at: cython.int = self.level
        back: cython.int = self.half[at]
        n: cython.int = 1
        i: cython.int = at - 2
        if back > at:
            back = at
        while i >= at - back:
            if self.keys[i] == self.keys[at]:
                n += 1
            i -= 2
        return n

    # -- draws by counting -----------------------------------------------------------------------------------------

    def in_ending(self):
        """Whether both sides together, or one of them, have so few pieces that a draw rule may hold."""
        at: cython.int = 2 * self.level
        white: cython.int
        black: cython.int
        if not self.draws_n:
            return False
        white = count(self.men[at] | self.kings[at])
        black = count(self.men[at + 1] | self.kings[at + 1])
        return white + black <= self.draw_most or white <= self.draw_weak or black <= self.draw_weak

    def is_force(self, row, at):
        """Whether the side with the pieces at index ``at`` of ``men`` and ``kings`` is the force at ``row`` of ``draws``."""
        men: cython.int = count(self.men[at])
        kings: cython.int = count(self.kings[at])
        if not self.draws[row] <= men + kings <= self.draws[row + 1]:
            return False
        return self.draws[row + 2] <= men <= self.draws[row + 3] and self.draws[row + 4] <= kings <= self.draws[row + 5]

    def draw_holds(self, r, at):
        """Whether the ending of draw rule ``r`` was on the board at level ``at``."""
        row: cython.int = D_WIDTH * r
        road: cython.int = self.draws[row + D_ROAD]
        all_pieces: cython.int
        s: cython.int
        all_pieces = count(self.men[2 * at] | self.kings[2 * at] | self.men[2 * at + 1] | self.kings[2 * at + 1])
        if not self.draws[row + D_PIECES] <= all_pieces <= self.draws[row + D_PIECES + 1]:
            return False
        for s in range(2):
            if self.is_force(row + D_ONE, 2 * at + s) and self.is_force(row + D_OTHER, 2 * at + 1 - s):
                if road == ROAD_NOBODY or self.kings[2 * at + (s if road == ROAD_ONE else 1 - s)] & self.road:
                    return True
        return False

    def renews(self, r, at):
        """Whether the ply that led to level ``at`` begins the count of draw rule ``r`` anew within its ending."""
        how: cython.int = self.draws[D_WIDTH * r + D_RENEWED]
        s: cython.int
        if how == BY_PROGRESS:
            return self.half[at] == 0
        if how == BY_BALANCE:
            for s in range(2 * at, 2 * at + 2):
                if count(self.men[s]) != count(self.men[s - 2]) or count(self.kings[s]) != count(self.kings[s - 2]):
                    return True
        return False

    def lasted(self, r, most):
        """How many moves of both sides together the ending of draw rule ``r`` has lasted, ``most`` at most; -1 for none.

        What went before the first level is known as far as its half-moves tell: they changed no man and no balance.
        """
        at: cython.int = self.level
        n: cython.int = 0
        if not self.draw_holds(r, at):
            return -1
        while n < most:
            if at == 0:
                if self.draws[D_WIDTH * r + D_ROAD] == ROAD_NOBODY:
                    n += self.half[0]
                break
            if self.renews(r, at) or not self.draw_holds(r, at - 1):
                break
            if self.side[at] != self.side[at - 1]:
                n += 1
            at -= 1
        return min(most, n)

    def may_have_lasted(self, r, plies):
        """False where one look back shows that the ending of draw rule ``r`` has not lasted so long."""
        row: cython.int = D_WIDTH * r
        at: cython.int = self.level
        far: cython.int = at - plies
        s: cython.int
        if self.draws[row + D_RENEWED] == BY_PROGRESS and self.half[at] < plies:
            return False
        if far < 0:
            if self.draws[row + D_ROAD] != ROAD_NOBODY or self.half[0] < -far:
                return False
            far = 0
        if self.draws[row + D_RENEWED] == BY_BALANCE:
            # Men and pieces only ever get fewer: what is equal at both ends never changed.
            for s in range(2):
                if count(self.men[2 * far + s]) != count(self.men[2 * at + s]):
                    return False
                if count(self.kings[2 * far + s]) != count(self.kings[2 * at + s]):
                    return False
        return self.draw_holds(r, far)

    def clock_out(self, able):
        """What draws the position by counting: 0 nothing, 1 the move limit, 2 and more a draw rule.

        ``able`` are the pieces of the side to move that can capture.
        """
        r: cython.int
        row: cython.int
        old: cython.bint
        counts: cython.bint = self.move_limit != 0 and self.half[self.level] >= 2 * self.move_limit
        if not self.in_ending():
            return 1 if counts else 0
        for r in range(self.draws_n):
            row = D_WIDTH * r
            old = self.may_have_lasted(r, self.draws[row + D_LIMIT])
            if not (old or (counts and self.draws[row + D_REPLACES])) or not self.draw_holds(r, self.level):
                continue
            if self.draws[row + D_REPLACES]:
                counts = False
            if not old or (able and self.draws[row + D_WAITS]):
                continue
            if self.lasted(r, self.draws[row + D_LIMIT]) >= self.draws[row + D_LIMIT]:
                return 2 + r
        return 1 if counts else 0

    def clock_key(self, depth):
        """A key of the clocks that may run out within a search to ``depth``; 0 where none may.

        The value of such a position depends on them: with its own key it would be taken for that of another path.
        """
        at: cython.int = self.level
        r: cython.int
        row: cython.int
        left: cython.int
        lasted: cython.int
        old: cython.bint
        near: cython.int = 2 * depth  # extensions and captures go beyond the depth
        key: cython.ulonglong = 0
        counts: cython.bint = self.move_limit != 0 and self.half[at] + near >= 2 * self.move_limit
        if self.in_ending():
            for r in range(self.draws_n):
                row = D_WIDTH * r
                left = self.draws[row + D_LIMIT] - near
                old = left <= 0 or self.may_have_lasted(r, left)
                if not (old or (counts and self.draws[row + D_REPLACES])) or not self.draw_holds(r, at):
                    continue
                if self.draws[row + D_REPLACES]:
                    counts = False
                if not old:
                    continue
                lasted = self.lasted(r, self.draws[row + D_LIMIT])
                if lasted >= left:
                    key ^= self.zobrist[128 * Z_CLOCK + r] * cython.cast(cython.ulonglong, lasted + 1)
        if counts:
            key ^= self.zobrist[128 * Z_CLOCK + DRAWS_MOST] * cython.cast(cython.ulonglong, self.half[at] + 1)
        if not cython.compiled:
            key &= 0xFFFFFFFFFFFFFFFF
        return key

    def tally_children(self, base, n):
        """The plies below each of the listed plies, all quiet: most change one bitboard, the rest is written once."""
        at: cython.int = self.level
        s: cython.int = self.side[at]
        ours: cython.int = 2 * at + 2 + s
        theirs: cython.int = 2 * at + 3 - s
        men: bb = self.men[2 * at + s]
        code: cython.uint
        i: cython.int
        total: cython.ulonglong = 0
        written: cython.bint = False
        for i in range(base, base + n):
            code = self.ply_code[i]
            if code & BECOMES_KING:
                self.make(code, 0)
                written = False
            else:
                if not written:
                    self.men[theirs] = self.men[theirs - 2]
                    self.kings[theirs] = self.kings[theirs - 2]
                    self.kings[ours] = self.kings[ours - 2]
                    self.side[at + 1] = 1 - s
                    self.right[at + 1] = 0
                    written = True
                self.men[ours] = men ^ (bit(code & 127) | bit((code >> TO_SHIFT) & 127))
                self.level = at + 1
            total += self.tally()
            self.level = at
        return total

    def nodes_below(self, depth):
        """Perft below this level; 0 after ``stop``, and ``overflow`` stays set once a list was cut."""
        base: cython.int = self.top
        n: cython.int
        i: cython.int
        total: cython.ulonglong = 0
        cut: cython.bint = False
        if depth <= 0:
            return 1
        if depth == 1:
            return cython.cast(cython.ulonglong, self.tally())
        n = self.generate()
        cut = self.overflow
        if depth == 2 and not self.able[self.level] and not self.right[self.level] and not self.quiet_limit:
            total = self.tally_children(base, n)
            self.top = base
            self.overflow = cut or self.overflow
            return total
        for i in range(base, base + n):
            self.make(self.ply_code[i], self.ply_cap[i])
            total += self.nodes_below(depth - 1)
            self.level -= 1
            cut = cut or self.overflow
            if self.stop_flag or cut:
                break
        self.top = base
        self.overflow = cut
        return total
