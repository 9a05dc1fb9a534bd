cimport cython

ctypedef unsigned long long u64

@cython.final
cdef class Table:
    cdef u64 *rows
    cdef void *memory
    cdef u64 buckets
    cdef int age
    cdef object cells

    cdef void expect(self, u64 key) noexcept nogil
    cdef u64 probe(self, u64 key) noexcept nogil
    cdef void store(self, u64 key, u64 data) noexcept nogil
