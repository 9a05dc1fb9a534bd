cimport cython

from damd.core.bits cimport bb
from damd.core.board cimport Board
from damd.core.evaluation cimport Evaluation
from damd.core.lines cimport Lines, Roots
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
    cdef readonly Roots roots
    cdef readonly Lines lines

    cdef int visit(self, Board board, int depth, int alpha, int beta, int ply, int turns) noexcept nogil
    cdef int less(self, int depth, int place, u32 code, bint able) noexcept nogil
    cdef int prune(self, Board board, int depth, int beta, int ply, int turns) noexcept nogil
    cdef int calm(self, Board board, int alpha, int beta, int ply, int turns) noexcept nogil
    cdef int root(self, Board board, Roots roots, int depth, int alpha, int beta, int first) noexcept nogil
    cdef bint enter(self) noexcept nogil
    cdef bint draws_near(self, Board board) noexcept nogil
    cdef int drawn(self, Board board) noexcept nogil
    cdef int ended(self, Board board, int turns) noexcept nogil
