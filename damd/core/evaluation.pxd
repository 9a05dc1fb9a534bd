cimport cython

from damd.core.bits cimport bb
from damd.core.board cimport Board
from damd.core.network cimport Network

@cython.final
cdef class Evaluation:
    cdef public int pieces
    cdef bint trained, plain, networked
    cdef Network network
    cdef int alone_full, alone_empty, doubt
    cdef int patterns, lanes, bytes
    cdef int term[32]
    cdef int king_point[512]
    cdef int start[128]
    cdef unsigned short *adds
    cdef short *tables
    cdef short *materials
    cdef int most_men, most_kings
    cdef bb odd_rows[2]

    cdef int evaluate(self, Board board) noexcept nogil
    cdef int evaluate_within(self, Board board, int low, int high) noexcept nogil
    cdef int of_men(self, Board board) noexcept nogil
    cdef int white_value(self, Board board) noexcept nogil
    cdef int centipawns(self, Board board, int full, int empty) noexcept nogil
    cdef int mixed(self, Board board, int full, int empty, int whole) noexcept nogil
    cdef int material(self, Board board) noexcept nogil
    cdef void index_patterns(self, bb white, bb black, unsigned short *index) noexcept nogil
    cdef void count_pieces(self, Board board, int *terms) noexcept nogil
    cdef void count_terms(self, Board board, int *terms) noexcept nogil
