# The table's memory, from room.h; interpreted, none of it is used.
cdef extern from "room.h" nogil:
    void *room(size_t count, size_t size)
    void wipe(void *memory, size_t bytes)
    void *next_line(void *place)
    void fetch(const void *place)
