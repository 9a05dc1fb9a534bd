cimport cython

from damd.core.bits cimport bb
from damd.core.board cimport Board

ctypedef unsigned long long u64
ctypedef unsigned int u32

@cython.final
cdef class Ordering:
    # two killers a ply; per side, end and origin what a quiet ply has achieved
    cdef u32 killer[260]
    cdef int history[32768]

    cpdef void forget(self)
    cdef u64 signature(self, u32 code, bb cap) noexcept nogil
    cdef void rank_plies(self, Board board, int base, int n, int ply, u64 best) noexcept nogil
    cdef bint bring_known(self, Board board, int base, int n, u64 known) noexcept nogil
    cdef void rank_claims(self, Board board, int base, int n, int limit) noexcept nogil
    cdef void bring_best(self, Board board, int i, int end) noexcept nogil
    cdef void swap_plies(self, Board board, int i, int j) noexcept nogil
    cdef void reward(self, Board board, u32 code, int depth, int ply, int base, int i) noexcept nogil
