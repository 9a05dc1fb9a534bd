"""What a quiet position is worth: terms counted for both sides, patterns of men looked up in tables, a small network.

``evaluate(board)``: centipawns (a man is about 100) for the side to move; ``evaluate_within`` does not work out what lies
outside a window. Every number comes from
``damd.core.tables.evaluation_spec``: worked out from the rules or trained, the core cannot tell. The board is only read:
what ``Board.capable`` left in it still holds afterwards.

Each weight is a pair, for the board with all its pieces and for the empty one; a straight line lies between. A
pattern's filling has an index in its table, a sum over the pattern's men. What men and kings are there has a number of
its own: in endings their worth is no sum (a king more may be nothing at all). The sums of all patterns are made side by
side: for each byte of a bitboard and each value of that byte a row holds what its men add to each pattern's index.
"""

from __future__ import annotations

import cython

from damd.core.bits import DAMD_BITS, bit, count, lowest, spin
from damd.core.codes import (
    MATE_RANGE,
    MAX_PATTERNS,
    T_BLOCKED,
    T_CLAIM,
    T_CROWN,
    T_FEW,
    T_KING,
    T_MAN,
    T_OPPOSITION,
    T_PASSED,
    T_REACH,
    T_STEP,
    T_TRAPPED,
    T_TURN,
    TERM_COUNT,
    WEIGHT_UNIT,
)

if cython.compiled:
    from cython.cimports.damd.core.bits import bb
    from cython.cimports.damd.core.board import Board
    from cython.cimports.damd.core.network import Network
    from cython.cimports.libc.stdlib import calloc, free, malloc
    from cython.cimports.libc.string import memcpy
else:
    from damd.core.network import Network


class Evaluation:
    """The weights of one variant, ready to be looked up."""

    def __cinit__(self, spec):
        if cython.compiled:
            self.adds = cython.NULL
            self.tables = cython.NULL
            self.materials = cython.NULL

    def __init__(self, spec):
        i: cython.int
        p: cython.int
        s: cython.int
        self.pieces = spec["pieces"]
        self.trained = spec["trained"]
        self.alone_full, self.alone_empty = spec["alone"]
        self.doubt = spec["doubt"]
        self.patterns = len(spec["patterns"])
        if self.patterns > MAX_PATTERNS:
            raise ValueError(f"more than {MAX_PATTERNS} patterns")
        self.lanes = (self.patterns + 7) & ~7  # whole vectors of eight
        self.bytes = DAMD_BITS // 8
        self.most_men, self.most_kings, materials = spec["materials"]
        self._allocate(spec["tables"], materials)
        for i in range(TERM_COUNT):
            self.term[2 * i], self.term[2 * i + 1] = spec["terms"][i]
        for s in range(2):
            for q, pair in spec["king_points"][s]:
                self.king_point[256 * s + 2 * q], self.king_point[256 * s + 2 * q + 1] = pair
        for s in range(2):
            self.odd_rows[s] = 0
            for q in spec["odd_rows"][s]:
                self.odd_rows[s] |= bit(q)
        counted = (T_MAN, T_KING, T_CLAIM)
        self.plain = not (
            spec["patterns"]
            or any(any(spec["terms"][i]) for i in range(TERM_COUNT) if i not in counted)
            or any(any(pair) for points in spec["king_points"] for _, pair in points)
        )
        self.networked = bool(spec["network"])
        self.network = Network(*spec["network"]) if spec["network"] else None
        start = 0
        self.bytes = 0
        for p in range(self.patterns):
            self.start[p] = start
            power: cython.int = 1
            for q in spec["patterns"][p]:
                self._add(p, q, power)
                self.bytes = max(self.bytes, q // 8 + 1)
                power *= 3
            start += power

    def _allocate(self, tables, materials):
        if cython.compiled:
            self.adds = cython.cast(
                cython.p_ushort, calloc(self.bytes * 256 * max(8, self.lanes), cython.sizeof(cython.ushort))
            )
            self.tables = cython.cast(cython.p_short, malloc(max(4, len(tables))))
            self.materials = cython.cast(cython.p_short, malloc(len(materials)))
            if not (self.adds and self.tables and self.materials):
                raise MemoryError("no memory for an evaluation")
            text: cython.p_char = tables
            memcpy(self.tables, text, len(tables))
            text = materials
            memcpy(self.materials, text, len(materials))
        else:
            self.term, self.king_point, self.start = [0] * (2 * TERM_COUNT), [0] * 512, [0] * MAX_PATTERNS
            self.odd_rows = [0, 0]
            self.adds = [0] * (self.bytes * 256 * self.lanes)
            self.tables = memoryview(tables).cast("h")
            self.materials = memoryview(materials).cast("h")

    def __dealloc__(self):
        if cython.compiled:
            free(self.adds)
            free(self.tables)
            free(self.materials)

    def _add(self, p: cython.int, q: cython.int, power: cython.int):
        """Let bit ``q`` add ``power`` to the index of pattern ``p``."""
        value: cython.int
        for value in range(256):
            if value & (1 << (q & 7)):
                self.adds[((q >> 3) * 256 + value) * self.lanes + p] += power

    # -- what the search asks --------------------------------------------------------------------------------------

    def evaluate(self, board):
        at: cython.int = board.level
        total: cython.int = self.white_value(board)
        if board.side[at]:
            total = -total
        if self.networked:
            total = max(1 - MATE_RANGE, min(MATE_RANGE - 1, total + self.network.value(board)))
        return total

    def evaluate_within(self, board, low, high):
        """``evaluate``, or a bound of it where the men alone say beyond doubt that it is not between these two.

        Where there are kings nothing is beyond doubt: what they reach is worth much.
        """
        at: cython.int = 2 * board.level
        value: cython.int
        if self.doubt and not (board.kings[at] | board.kings[at + 1]):
            value = self.of_men(board)
            if value - self.doubt >= high:
                return max(1 - MATE_RANGE, value - self.doubt)
            if value + self.doubt <= low:
                return min(MATE_RANGE - 1, value + self.doubt)
        return self.evaluate(board)

    def of_men(self, board):
        """What the men's numbers say where there are no kings, in centipawns for the side to move."""
        at: cython.int = 2 * board.level
        s: cython.int = board.side[board.level]
        men: cython.int = count(board.men[at + s]) - count(board.men[at + 1 - s])
        return self.mixed(board, men * self.alone_full, men * self.alone_empty, 0)

    def white_value(self, board):
        """Centipawns from White's side of all but the network."""
        at: cython.int = 2 * board.level
        terms: cython.int[16]
        index: cython.ushort[128]
        i: cython.int
        s: cython.int
        full: cython.int = 0
        empty: cython.int = 0
        kings: bb
        if not cython.compiled:
            terms, index = [0] * 16, [0] * 128
        if self.plain:
            self.count_pieces(board, terms)
        else:
            self.count_terms(board, terms)
        for i in range(TERM_COUNT):
            full += terms[i] * self.term[2 * i]
            empty += terms[i] * self.term[2 * i + 1]
        if self.plain:
            return self.centipawns(board, full, empty)
        for s in range(2):
            kings = board.kings[at + s]
            while kings:
                i = 256 * s + 2 * lowest(kings)
                kings &= kings - 1
                full += self.king_point[i] if s == 0 else -self.king_point[i]
                empty += self.king_point[i + 1] if s == 0 else -self.king_point[i + 1]
        self.index_patterns(board.men[at], board.men[at + 1], index)
        for i in range(self.patterns):
            s = 2 * (self.start[i] + index[i])
            full += self.tables[s]
            empty += self.tables[s + 1]
        return self.centipawns(board, full, empty)

    def centipawns(self, board, full, empty):
        """Units of pairs added up, as centipawns at the board's number of pieces and with what its materials are worth."""
        return self.mixed(board, full, empty, self.material(board))

    def mixed(self, board, full, empty, whole):
        """Units of pairs at the board's number of pieces, and units that hold at any, as centipawns."""
        at: cython.int = 2 * board.level
        total: cython.int
        phase: cython.int = count(board.men[at] | board.kings[at] | board.men[at + 1] | board.kings[at + 1])
        if phase > self.pieces:
            phase = self.pieces
        total = full * phase + empty * (self.pieces - phase) + whole * self.pieces
        # Towards zero for both signs: the sides must be judged alike.
        if total < 0:
            total = -(-total // (WEIGHT_UNIT * self.pieces))
        else:
            total = total // (WEIGHT_UNIT * self.pieces)
        return max(1 - MATE_RANGE, min(MATE_RANGE - 1, total))

    def material(self, board):
        """What the table of materials has for the board's men and kings."""
        at: cython.int = 2 * board.level
        index: cython.int = 0
        s: cython.int
        for s in range(2):
            index = index * (self.most_men + 1) + min(count(board.men[at + s]), self.most_men)
            index = index * (self.most_kings + 1) + min(count(board.kings[at + s]), self.most_kings)
        return self.materials[index]

    def index_patterns(self, white, black, index):
        """Each pattern's index, from the men of both sides."""
        b: cython.int
        p: cython.int
        row: cython.int
        for p in range(self.lanes):
            index[p] = 0
        for b in range(self.bytes):
            row = cython.cast(cython.int, (white >> (8 * b)) & 255)
            if row:
                row = (b * 256 + row) * self.lanes
                for p in range(self.lanes):
                    index[p] += self.adds[row + p]
            row = cython.cast(cython.int, (black >> (8 * b)) & 255)
            if row:
                row = (b * 256 + row) * self.lanes
                for p in range(self.lanes):
                    index[p] += 2 * self.adds[row + p]

    def count_pieces(self, board, terms):
        """The terms that count pieces alone, White's minus Black's; the others are 0."""
        at: cython.int = 2 * board.level
        i: cython.int
        n: cython.int
        for i in range(TERM_COUNT):
            terms[i] = 0
        terms[T_MAN] = count(board.men[at]) - count(board.men[at + 1])
        terms[T_KING] = count(board.kings[at]) - count(board.kings[at + 1])
        if board.right[board.level]:
            n = min(count(board.pending[board.level]), board.right[board.level])
            terms[T_CLAIM] = -n if board.side[board.level] else n

    def count_terms(self, board, terms):
        """All terms, White's minus Black's."""
        at: cython.int = 2 * board.level
        turn: cython.int = -1 if board.side[board.level] else 1
        vacant: bb = board.full & ~(board.men[at] | board.kings[at] | board.men[at + 1] | board.kings[at + 1])
        men: bb
        kings: bb
        ahead: bb
        x: bb
        y: bb
        can: bb
        s: cython.int
        d: cython.int
        i: cython.int
        n: cython.int
        sign: cython.int
        self.count_pieces(board, terms)
        for s in range(2):
            sign = 1 if s == 0 else -1
            men = board.men[at + s]
            kings = board.kings[at + s]
            can = 0
            n = 0
            for i in range(board.men_moves_n[s]):
                d = board.men_moves[12 * s + i]
                x = spin(vacant, DAMD_BITS - board.shift[d]) & board.source[d] & men
                n += count(x)
                can |= x
            terms[T_STEP] += sign * n
            terms[T_BLOCKED] += sign * count(men & ~can)
            # Points with a piece of the opponent on some way ahead of them.
            if men:
                ahead = board.men[at + 1 - s] | board.kings[at + 1 - s]
                x = 0
                while x != ahead and men & ~ahead:
                    x = ahead
                    for i in range(board.men_moves_n[s]):
                        if board.ahead[12 * s + i]:
                            d = board.men_moves[12 * s + i]
                            ahead |= spin(ahead, DAMD_BITS - board.shift[d]) & board.source[d]
                terms[T_PASSED] += sign * count(men & ~ahead)
            if kings:
                terms[T_CROWN] += sign
                if board.few and count(men | kings) <= board.few:
                    terms[T_FEW] += sign * count(kings)
                can = 0
                n = 0
                for i in range(board.king_moves_n[s]):
                    d = board.king_moves[12 * s + i]
                    x = spin(kings & board.source[d], board.shift[d]) & vacant
                    can |= spin(x, DAMD_BITS - board.shift[d]) & kings
                    while x:
                        n += count(x)
                        if not board.flying:
                            break
                        y = x & board.source[d]
                        x = spin(y, board.shift[d]) & vacant
                terms[T_REACH] += sign * n
                terms[T_TRAPPED] += sign * count(kings & ~can)
        terms[T_TURN] = turn
        if count(board.full & ~vacant & self.odd_rows[board.side[board.level]]) & 1:
            terms[T_OPPOSITION] = turn

    # -- for callers outside the core ------------------------------------------------------------------------------

    def value(self, board: Board):
        """``evaluate``."""
        return self.evaluate(board)

    def value_within(self, board: Board, low: cython.int, high: cython.int):
        """``evaluate_within``."""
        return self.evaluate_within(board, low, high)

    def features(self, board: Board):
        """What the value is made of: (pieces up to ``self.pieces``, terms, king places, table entries).

        Terms are White's minus Black's. A king's place is (bit, 1) for a White king, (bit, -1) for a Black one. A
        table entry is the index of a pair in the tables, one a pattern.
        """
        at: cython.int = 2 * board.level
        terms: cython.int[16]
        index: cython.ushort[128]
        if not cython.compiled:
            terms, index = [0] * 16, [0] * 128
        self.count_terms(board, terms)
        self.index_patterns(board.men[at], board.men[at + 1], index)
        n = count(board.men[at] | board.kings[at] | board.men[at + 1] | board.kings[at + 1])
        kings = []
        for s in range(2):
            x: bb = board.kings[at + s]
            while x:
                kings.append((lowest(x), 1 - 2 * s))
                x &= x - 1
        entries = [self.start[p] + index[p] for p in range(self.patterns)]
        return min(n, self.pieces), [terms[i] for i in range(TERM_COUNT)], kings, entries
