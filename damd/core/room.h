/* Memory of the transposition table: large pages where the system lends them, and a hint of what is read next. */
#ifndef DAMD_ROOM_H
#define DAMD_ROOM_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#  include <sys/mman.h>
#endif
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#  include <intrin.h>
#  define DAMD_FETCH(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
#elif defined(__GNUC__)
#  define DAMD_FETCH(p) __builtin_prefetch(p)
#else
#  define DAMD_FETCH(p) ((void)(p))
#endif

/* Zeroed like calloc's and given back with free. Nothing of it is touched here, so pages come as they are used. */
static inline void *room(size_t count, size_t size) {
    char *memory = (char *)calloc(count, size);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t page = 4096;
    if (memory && count * size >= 4 * page) {
        uintptr_t begin = ((uintptr_t)memory + page - 1) & ~(page - 1);
        uintptr_t end = ((uintptr_t)memory + count * size) & ~(page - 1);
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* a wish: without it all works, a little slower */
    }
#endif
    return memory;
}

/* All zero again. Of a large table most pages may never have been used: the system gives fresh ones in no time, where writing
   zeros would first fetch what is not there (gigabytes take seconds). */
static inline void wipe(void *memory, size_t bytes) {
#if defined(__linux__) && defined(MADV_DONTNEED)
    const uintptr_t page = 4096;
    const size_t large = (size_t)128 << 20;
    uintptr_t begin = ((uintptr_t)memory + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)memory + bytes) & ~(page - 1);
    if (bytes >= large && madvise((void *)begin, end - begin, MADV_DONTNEED) == 0) {
        memset(memory, 0, begin - (uintptr_t)memory);
        memset((void *)end, 0, (uintptr_t)memory + bytes - end);
        return;
    }
#endif
    memset(memory, 0, bytes);
}

/* The first line of the processor's cache that begins at ``place`` or after it. */
static inline void *next_line(void *place) { return (void *)(((uintptr_t)place + 63) & ~(uintptr_t)63); }

static inline void fetch(const void *place) { DAMD_FETCH(place); }

#endif
