"""Alpha-beta over a ``Board``: principal variation search, quiescence over captures, claims with sign and window.

The search knows no clock, no text and no thread. It is given a node limit and looks at the board's stop flag at
every node; iterations, time and reports belong to ``damd.engine``. Scores are centipawns for the side to move;
a win in ``n`` turns scores ``MATE - n``, whatever the number of claims on the way, since a claim is no turn.
"""

from __future__ import annotations

import cython

from damd.core.bits import count
from damd.core.codes import (
    AGE_SHIFT,
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_SHIFT,
    BOUND_UPPER,
    CLAIM,
    CLAIMS_FOLLOWED,
    DEPTH_SHIFT,
    INFINITE_SCORE,
    INNER_PLIES,
    INNER_STATES,
    INTERNAL_DEPTH,
    KIND_MASK,
    LATE_DEPTH,
    LATE_FROM,
    LATE_FROM_PLY,
    LEVELS,
    MATE,
    MATE_RANGE,
    MAX_PLY,
    MISS,
    PROBABLE_DEPTH,
    PROBABLE_HOPE,
    PROBABLE_LESS,
    PROBABLE_MARGIN,
    PRUNED_SCORES,
    QUIET,
    RANK_LAST,
    REDUCED_DEEP,
    REDUCED_DEEPER,
    REDUCED_DEPTH,
    REDUCED_FROM,
    REDUCED_MORE_DEEP,
    REDUCED_MORE_DEEPER,
    REDUCED_MORE_DEPTH,
    REDUCED_MORE_FROM,
    SCORE_SHIFT,
    SIGNATURE_MASK,
    STATIC_DEPTH,
    STATIC_MARGIN,
    STATIC_MARGIN_PLY,
)

if cython.compiled:
    from cython.cimports.damd.core.bits import bb
    from cython.cimports.damd.core.board import Board
    from cython.cimports.damd.core.lines import Lines, Roots, spelt
    from cython.cimports.damd.core.ordering import Ordering
    from cython.cimports.damd.core.table import Table
else:
    from damd.core.lines import Lines, Roots, spelt
    from damd.core.ordering import Ordering

#: SHA-256 of the sources this was compiled from; the build fills it in.
SOURCE_DIGEST = ""


class Search:
    """A search of the positions below ``board``'s level, with a table that may be shared.

    Where ``exact`` is set, nothing is left out and every ply is searched to its full depth, so that a win that is not
    found is not there; other searches prune and reduce.

    Call ``prepare`` at the root, then ``iterate`` for growing depths; afterwards the root plies stand in order,
    best first, in ``roots``, and ``lines`` has the principal variation.
    """

    def __init__(self, board, evaluation, table):
        self.board = board
        self.evaluation = evaluation
        self.table = table
        self.ordering = Ordering()
        self.roots = Roots()
        self.lines = Lines()
        self.nodes = 0
        self.node_limit = 0
        self.seldepth = 0
        self.current = 0
        self.contempt = 0
        self.exact = False
        self.pruning = False
        self.draw = 0

    def forget(self):
        """Forget what earlier searches learned, the table excepted."""
        self.ordering.forget()

    def share(self, table: Table):
        """Use another table from now on."""
        self.table = table

    def prepare(self, chosen):
        """List the root plies; ``chosen`` are indices of them, or ``None`` for all. Their number."""
        board: Board = self.board
        if board.level >= LEVELS - MAX_PLY - 8:
            board.rebase()
        board.borrow()
        n = board.generate()
        if board.overflow:
            raise OverflowError("more plies or states than the generator's bound")
        self.roots.fill(board, self.ordering, n, chosen)
        board.top = 0
        self.nodes = 0
        self.seldepth = 0
        # Where having no move wins, a ply less to play is a gain, and no static value knows how near the end is.
        self.pruning = self.evaluation.trained and not board.no_moves_wins and not self.exact
        # A draw is worth less than nothing to the side that thinks itself the better player.
        self.draw = self.contempt if board.side[board.level] else -self.contempt
        self.lines.length[0] = 0
        return self.roots.number

    def iterate(self, depth: cython.int, alpha: cython.int, beta: cython.int, first: cython.int):
        """Search root plies ``first`` and later to ``depth``; the score within the window.

        The best of them comes to stand at ``first``. After a stop or at the node limit the score of the plies
        searched so far is returned, ``-INFINITE_SCORE`` if there was none.
        """
        score: cython.int
        board: Board = self.board
        board.borrow()
        max_plies = board.max_plies
        max_states = board.max_states
        board.max_plies = INNER_PLIES
        board.max_states = INNER_STATES
        self.aborted = False
        level = board.level
        try:
            with cython.nogil:
                score = self.root(board, self.roots, depth, alpha, beta, first)
        finally:
            board.max_plies = max_plies
            board.max_states = max_states
            board.level = level
            board.captures_only = False
            board.top = 0
        return score

    def out(self):
        """Whether the search has to end: stopped, or at its node limit."""
        return bool(self.board.stop_flag) or (self.node_limit != 0 and self.nodes >= self.node_limit)

    def remembered(self):
        """The ply that the table holds for the board's position as (code, bits taken off), or ``None``."""
        board: Board = self.board
        data = self.table.probe(board.keys[board.level])
        wanted = data & SIGNATURE_MASK
        if not wanted:
            return None
        board.borrow()
        n = board.generate()
        for i in range(n):
            if self.ordering.signature(board.ply_code[i], board.ply_cap[i]) == wanted:
                return spelt(board.ply_code[i], board.ply_cap[i])
        return None

    # -- inside ----------------------------------------------------------------------------------------------------

    def enter(self):
        """Count a node; whether the search has to end before it."""
        if self.board.stop_flag or (self.node_limit != 0 and self.nodes >= self.node_limit):
            self.aborted = True
            return True
        self.nodes += 1
        return False

    def draws_near(self, board):
        """Whether so few pieces are left that a draw rule may hold; mostly there are more, and the limit alone counts."""
        if not board.draws_n:
            return False
        return count(board.full & ~board.vacant) <= board.draw_most or (board.draw_weak != 0 and board.in_ending())

    def drawn(self, board):
        """The score of a draw for the side to move: ``contempt`` against the root's side, and for its opponent."""
        return -self.draw if board.side[board.level] else self.draw

    def ended(self, board, turns):
        """The score of a position that the pieces alone end."""
        at: cython.int = 2 * board.level
        s: cython.int = board.side[board.level]
        sign: cython.int = 1 if board.no_moves_wins else -1
        if board.first_king and (board.kings[at] | board.kings[at + 1]):
            # Whoever moved last made the king, unless a set-up position has only the mover's.
            return (turns - MATE) if board.kings[at + 1 - s] else (MATE - turns)
        if not (board.men[at + s] | board.kings[at + s]):
            return sign * (MATE - turns)
        if not (board.men[at + 1 - s] | board.kings[at + 1 - s]):
            return -sign * (MATE - turns)
        return self.drawn(board)

    def root(self, board, roots, depth, alpha, beta, first):
        i: cython.int
        score: cython.int
        best: cython.int = -INFINITE_SCORE
        new_depth: cython.int
        before: cython.ulonglong
        low: cython.int = alpha
        self.lines.length[0] = 0
        for i in range(first, roots.number):
            if board.stop_flag or (self.node_limit != 0 and self.nodes >= self.node_limit):
                break
            self.current = i
            before = self.nodes
            board.make(roots.code[i], roots.cap[i])
            new_depth = depth - 1
            if (roots.code[i] & KIND_MASK) == CLAIM:
                if best > -INFINITE_SCORE:
                    score = self.visit(board, new_depth, low, low + 1, 1, 0)
                else:
                    score = self.visit(board, new_depth, low, beta, 1, 0)
                if best > -INFINITE_SCORE and low < score < beta:
                    score = self.visit(board, new_depth, low, beta, 1, 0)
            elif best == -INFINITE_SCORE:
                score = -self.visit(board, new_depth, -beta, -low, 1, 1)
            else:
                if depth > 3 and i - first > 5 and not self.exact and (roots.code[i] & KIND_MASK) == QUIET:
                    score = -self.visit(board, new_depth - 1, -low - 1, -low, 1, 1)
                else:
                    score = low + 1
                if score > low:
                    score = -self.visit(board, new_depth, -low - 1, -low, 1, 1)
                if low < score < beta:
                    score = -self.visit(board, new_depth, -beta, -low, 1, 1)
            board.level -= 1
            roots.nodes[i] = self.nodes - before
            if self.aborted:
                break  # an unfinished ply proves nothing
            roots.score[i] = score
            if score > best:
                best = score
                if score > low or i == first:
                    self.lines.remember(0, roots.code[i], roots.cap[i])
                if score > low:
                    low = score
                roots.bring(i, first)
                if score >= beta:
                    break
        return best

    def visit(self, board, depth, alpha, beta, ply, turns):
        """The score of the board's position for its side to move, exact inside the window, else a bound."""
        at: cython.int = board.level
        base: cython.int = board.top
        end: cython.int
        n: cython.int
        i: cython.int
        placed: cython.int
        claims: cython.int
        score: cython.int
        best: cython.int
        low: cython.int = alpha
        new_depth: cython.int
        reduced: cython.int
        bound: cython.int = 0
        stored: cython.int = 0
        key: cython.ulonglong
        data: cython.ulonglong
        table_ply: cython.ulonglong = 0
        best_ply: cython.ulonglong = 0
        code: cython.uint
        cap: bb
        able: cython.bint
        narrow: cython.bint
        can: bb
        known: cython.bint = False
        few: cython.bint
        cut: cython.bint
        self.lines.length[ply] = 0
        if self.enter():
            return 0
        if ply > self.seldepth:
            self.seldepth = ply
        if board.over():
            return self.ended(board, turns)
        if board.repetition and board.half[at] >= 4 and board.occurrences() > 1:
            return self.drawn(board)
        if ply >= MAX_PLY:
            return self.evaluation.evaluate(board)
        if depth <= 0 and not board.right[at]:
            return self.calm(board, alpha, beta, ply, turns)
        # A win or loss nearer than any below cannot be improved on.
        if alpha < -MATE + turns:
            alpha = -MATE + turns
        if beta > MATE - turns:
            beta = MATE - turns
        if alpha >= beta:
            return alpha
        low = alpha
        can = board.capable()  # while the table's row is on its way
        few = self.draws_near(board)
        key = board.keys[at]
        # Near the end of a count a score says nothing about paths on which less, or more, has been counted.
        if few or (board.move_limit and board.half[at] + 2 * depth >= 2 * board.move_limit):
            key ^= board.clock_key(depth)
        data = self.table.probe(key)
        if data:
            table_ply = data & SIGNATURE_MASK
            stored = cython.cast(cython.int, (data >> SCORE_SHIFT) & 0xFFFF) - 32768
            if stored > MATE_RANGE:
                stored -= turns
            elif stored < -MATE_RANGE:
                stored += turns
            bound = cython.cast(cython.int, (data >> BOUND_SHIFT) & 3)
            if cython.cast(cython.int, (data >> DEPTH_SHIFT) & 0xFF) >= depth and beta - alpha == 1:
                if bound == BOUND_EXACT:
                    return stored
                if bound == BOUND_LOWER and stored >= beta:
                    return stored
                if bound == BOUND_UPPER and stored <= alpha:
                    return stored
        if depth >= INTERNAL_DEPTH and not table_ply and not self.exact:
            depth -= 1  # what to try first is unknown here: a shallower search finds it for the next time
        able = can != 0
        # A key of its own says that a draw is near: there the evaluation is no guide.
        narrow = self.pruning and beta - alpha == 1 and not able and not board.right[at] and key == board.keys[at]
        # Where an earlier look, however shallow, found less than beta, another value would hardly say more.
        if narrow and -PRUNED_SCORES < beta < PRUNED_SCORES and not (bound == BOUND_UPPER and stored < beta):
            score = self.prune(board, depth, beta, ply, turns)
            if self.aborted:
                return 0
            if score >= beta:
                return score
        n = board.generate_for(can)
        end = base + n
        cut = board.overflow
        if n == 0:
            board.top = base
            return (MATE - turns) if board.no_moves_wins else (turns - MATE)
        if (few or (board.move_limit and board.half[at] >= 2 * board.move_limit)) and board.clock_out(can):
            board.top = base
            return self.drawn(board)
        if table_ply and not board.right[at]:
            known = self.ordering.bring_known(board, base, n, table_ply)
        if not known:
            self.ordering.rank_plies(board, base, n, ply, table_ply)
        if board.right[at]:
            # Claims stand last in the list.
            claims = 0
            while claims < n and (board.ply_code[end - 1 - claims] & KIND_MASK) == CLAIM:
                claims += 1
            if claims > 1:
                self.ordering.rank_claims(board, end - claims, claims, CLAIMS_FOLLOWED)
        best = -INFINITE_SCORE
        placed = base + 1 if known else base
        for i in range(base, end):
            if known and i > base:
                # Mostly the known ply has been enough: the others are ranked only now.
                known = False
                self.ordering.rank_plies(board, i, end - i, ply, 0)
            if placed == i:
                self.ordering.bring_best(board, placed, end)
                placed += 1
            code = board.ply_code[i]
            cap = board.ply_cap[i]
            # What follows is left out only while there is something better than a loss.
            if best > -MATE_RANGE:
                if board.ply_score[i] == RANK_LAST and not self.exact:
                    break  # claims beyond the promising ones
                if narrow and depth <= LATE_DEPTH and i - base >= LATE_FROM + LATE_FROM_PLY * depth:
                    break  # what is ordered so late hardly ever helps
                if (code & MISS) and depth <= 2 and i > base and not self.exact:
                    continue  # so near the horizon a declined capture is judged by its price, the claim
            if depth > 1 and i > base and placed < end:
                # The first ply has not been enough: the next one's row can come while this one is searched.
                self.ordering.bring_best(board, placed, end)
                self.table.expect(board.key_after(at, board.ply_code[placed], board.ply_cap[placed]))
                placed += 1
            board.make(code, cap)
            if depth > 1:
                self.table.expect(board.keys[at + 1])
            new_depth = depth - 1
            if n == 1 and ply < 2 * MAX_PLY // 3:
                new_depth = depth
            if (code & KIND_MASK) == CLAIM:
                # The same side is asked again: sign, window and turns stay.
                if i > base and beta - low > 1:
                    score = self.visit(board, new_depth, low, low + 1, ply + 1, turns)
                    if low < score < beta:
                        score = self.visit(board, new_depth, low, beta, ply + 1, turns)
                else:
                    score = self.visit(board, new_depth, low, beta, ply + 1, turns)
            elif i == base:
                score = -self.visit(board, new_depth, -beta, -low, ply + 1, turns + 1)
            else:
                reduced = new_depth - self.less(depth, i - base, code, able)
                score = -self.visit(board, reduced, -low - 1, -low, ply + 1, turns + 1)
                if score > low and reduced < new_depth:
                    score = -self.visit(board, new_depth, -low - 1, -low, ply + 1, turns + 1)
                if low < score < beta:
                    score = -self.visit(board, new_depth, -beta, -low, ply + 1, turns + 1)
            board.level = at
            if self.aborted:
                board.top = base
                return 0
            if score > best:
                best = score
                best_ply = self.ordering.signature(code, cap)
                if score > low:
                    low = score
                    if beta - alpha > 1:
                        self.lines.remember(ply, code, cap)
                    if score >= beta:
                        if (code & KIND_MASK) == QUIET:
                            self.ordering.reward(board, code, depth, ply, base, i)
                        break
        board.top = base
        if cut and best < -MATE_RANGE:
            best = -MATE_RANGE  # bad, but no proven loss: the list was cut
        stored = best
        if stored > MATE_RANGE:
            stored += turns
        elif stored < -MATE_RANGE:
            stored -= turns
        bound = BOUND_LOWER if best >= beta else (BOUND_EXACT if best > alpha else BOUND_UPPER)
        self.table.store(
            key,
            best_ply
            | (cython.cast(cython.ulonglong, stored + 32768) << SCORE_SHIFT)
            | (cython.cast(cython.ulonglong, max(0, depth)) << DEPTH_SHIFT)
            | (cython.cast(cython.ulonglong, bound) << BOUND_SHIFT)
            | (cython.cast(cython.ulonglong, self.table.age) << AGE_SHIFT),
        )
        return best

    def less(self, depth, place, code, able):
        """By how many plies the ply at this place of the order, from 0, is searched less deep at first."""
        plies: cython.int
        if self.exact or depth < REDUCED_DEPTH:
            return 0
        if code & MISS:
            return 2
        if able or place < REDUCED_FROM or (code & KIND_MASK) != QUIET:
            return 0
        plies = 1 + (depth >= REDUCED_DEEP) + (depth >= REDUCED_DEEPER)
        if place >= REDUCED_MORE_FROM and depth >= REDUCED_MORE_DEPTH:
            plies += 1 + (depth >= REDUCED_MORE_DEEP) + (depth >= REDUCED_MORE_DEEPER)
        return plies

    def prune(self, board, depth, beta, ply, turns):
        """A score of at least ``beta`` where a position is so good that none of its plies need be searched; else less.

        Two looks: at the evaluation alone where nothing hangs ("reverse futility"), and from a depth on at a shallower
        search, whose score beyond a margin makes the deep one's likely (Buro, "ProbCut", 1995).
        """
        score: cython.int
        # Neither look takes less than the lower limit, and more than the upper one tells them nothing.
        enough: cython.int = PROBABLE_HOPE if depth > STATIC_DEPTH else STATIC_MARGIN + STATIC_MARGIN_PLY * depth
        value: cython.int = self.evaluation.evaluate_within(board, beta + PROBABLE_HOPE - 1, beta + enough)
        # However far ahead, who cannot move has lost.
        if value < beta + PROBABLE_HOPE or not board.mobile():
            return beta - 1
        if depth <= STATIC_DEPTH:
            score = value - STATIC_MARGIN - STATIC_MARGIN_PLY * depth
            if score >= beta and not board.hanging():
                return score
        if depth >= PROBABLE_DEPTH:
            score = beta + PROBABLE_MARGIN
            if self.visit(board, max(depth - PROBABLE_LESS, depth // 2), score - 1, score, ply, turns) >= score:
                return beta
            board.capable()  # the generator reads what it leaves
        return beta - 1

    def calm(self, board, alpha, beta, ply, turns):
        """Quiescence: follow captures until the position is calm, then evaluate.

        Where captures must be made there is no standing pat beside them; where they may be missed the side may
        stand pat at the price of the claim; where they need not be made it may stand pat freely.
        """
        at: cython.int = board.level
        base: cython.int = board.top
        n: cython.int
        i: cython.int
        score: cython.int
        best: cython.int = -INFINITE_SCORE
        low: cython.int = alpha
        price: cython.int
        able: bb
        self.lines.length[ply] = 0
        if ply > self.seldepth:
            self.seldepth = ply
        if board.over():
            return self.ended(board, turns)
        if ply >= MAX_PLY:
            return self.evaluation.evaluate(board)
        able = board.capable()
        if not able:
            if not board.mobile():
                return (MATE - turns) if board.no_moves_wins else (turns - MATE)
            if self.draws_near(board) or (board.move_limit and board.half[at] >= 2 * board.move_limit):
                if board.clock_out(0):
                    return self.drawn(board)
            return self.evaluation.evaluate_within(board, alpha, beta)
        if board.take or not board.compulsory:
            price = 90 * board.take
            best = self.evaluation.evaluate_within(board, alpha + price, beta + price) - price
            if best >= beta:
                return best
            if best > low:
                low = best
        board.captures_only = True
        n = board.generate_for(able)
        board.captures_only = False
        self.ordering.rank_plies(board, base, n, ply, 0)
        for i in range(base, base + n):
            self.ordering.bring_best(board, i, base + n)
            board.make(board.ply_code[i], board.ply_cap[i])
            score = 0 if self.enter() else -self.calm(board, -beta, -low, ply + 1, turns + 1)
            board.level = at
            if self.aborted:
                break
            if score > best:
                best = score
                if score > low:
                    low = score
                    self.lines.remember(ply, board.ply_code[i], board.ply_cap[i])
                    if score >= beta:
                        break
        board.top = base
        return best if best > -INFINITE_SCORE else self.evaluation.evaluate(board)
