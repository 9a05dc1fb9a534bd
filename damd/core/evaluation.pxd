cimport cython

from damd.core.bits cimport bb
from damd.core.board cimport Board

@cython.final
cdef class Evaluation:
    cdef int man, king, few, few_value, claim, sign
    cdef int rows
    cdef bb row[12]
    cdef int advance[12]
    cdef bb home[2]
    cdef int guard

    cdef int side_value(self, bb men, bb kings, int side) noexcept nogil
    cdef int evaluate(self, Board board) noexcept nogil
