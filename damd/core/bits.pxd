# The compiled side of bits.py: C from width.h, 64 or 128 bits wide by the macro DAMD_WIDE.
cdef extern from "width.h" nogil:
    ctypedef unsigned long long bb
    const int DAMD_BITS
    bb bit(int q)
    int lowest(bb x)
    int count(bb x)
    unsigned long long fold(bb x)
    bb spin(bb x, int s)
    unsigned long long scatter(unsigned long long a, unsigned long long b, unsigned long long c)
