cimport cython

ctypedef unsigned long long u64

@cython.final
cdef class Table:
    cdef u64 *rows
    cdef u64 entries
    cdef int age
    cdef object cells

    cdef u64 probe(self, u64 key) noexcept nogil
    cdef void store(self, u64 key, u64 data) noexcept nogil
