cimport cython

from damd.core.bits cimport bb
from damd.core.board cimport Board
from damd.core.ordering cimport Ordering

ctypedef unsigned long long u64
ctypedef unsigned int u32

cpdef tuple spelt(u32 code, bb cap)

@cython.final
cdef class Roots:
    cdef u32 *code
    cdef bb *cap
    cdef int *score
    cdef u64 *nodes
    cdef readonly int number

    cdef void release(self)
    cdef void bring(self, int i, int first) noexcept nogil

@cython.final
cdef class Lines:
    cdef u32 *code
    cdef bb *cap
    # 130: MAX_PLY + 2
    cdef int length[130]

    cdef void remember(self, int ply, u32 code, bb cap) noexcept nogil
