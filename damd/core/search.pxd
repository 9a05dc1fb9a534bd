cimport cython

from damd.core.bits cimport bb
from damd.core.board cimport Board
from damd.core.evaluation cimport Evaluation
from damd.core.ordering cimport Ordering
from damd.core.table cimport Table

ctypedef unsigned long long u64
ctypedef unsigned int u32

@cython.final
cdef class Search:
    cdef Board board
    cdef Evaluation evaluation
    cdef Table table
    cdef Ordering ordering
    cdef public u64 nodes, node_limit
    cdef public int seldepth, current, contempt
    cdef public bint exact
    cdef bint pruning
    cdef int draw
    cdef bint aborted
    # root plies, best first within an iteration
    cdef u32 *root_code
    cdef bb *root_cap
    cdef int *root_score
    cdef u64 *root_nodes
    cdef public int roots
    # per ply: the principal variation
    cdef u32 *pv_code
    cdef bb *pv_cap
    cdef int pv_length[130]

    cdef int visit(self, Board board, int depth, int alpha, int beta, int ply, int turns) noexcept nogil
    cdef int less(self, int depth, int place, u32 code, bint able) noexcept nogil
    cdef int prune(self, Board board, int depth, int beta, int ply, int turns) noexcept nogil
    cdef int calm(self, Board board, int alpha, int beta, int ply, int turns) noexcept nogil
    cdef int root(self, Board board, int depth, int alpha, int beta, int first) noexcept nogil
    cdef bint enter(self) noexcept nogil
    cdef bint draws_near(self, Board board) noexcept nogil
    cdef int drawn(self, Board board) noexcept nogil
    cdef int ended(self, Board board, int turns) noexcept nogil
    cdef void remember(self, int ply, u32 code, bb cap) noexcept nogil
    cdef void swap_roots(self, int i, int j) noexcept nogil
