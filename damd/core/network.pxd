cimport cython

from damd.core.board cimport Board
from damd.core.codes cimport NETWORK_FIRST, NETWORK_SECOND

@cython.final
cdef class Network:
    cdef short *rows
    cdef unsigned short place[1024]
    cdef short bias[NETWORK_FIRST]
    cdef short across[NETWORK_SECOND][NETWORK_FIRST]
    cdef int second_bias[NETWORK_SECOND]
    cdef short out[NETWORK_SECOND]
    cdef int last

    cdef int value(self, Board board) noexcept nogil
