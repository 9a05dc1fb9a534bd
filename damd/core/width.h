/* One bitboard type for one source: 64 bits, or 128 where DAMD_WIDE is defined (boards of more than 64 bits). */
#ifndef DAMD_WIDTH_H
#define DAMD_WIDTH_H

#include <stdint.h>

#if defined(_MSC_VER)
#  include <intrin.h>
#  define DAMD_INLINE static __forceinline
static __forceinline int damd_ctz64(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
static __forceinline int damd_popcount64(uint64_t x) { return (int)__popcnt64(x); }
#else
#  define DAMD_INLINE static inline __attribute__((always_inline))
DAMD_INLINE int damd_ctz64(uint64_t x) { return __builtin_ctzll(x); }
DAMD_INLINE int damd_popcount64(uint64_t x) { return __builtin_popcountll(x); }
#endif

#ifdef DAMD_WIDE
typedef unsigned __int128 bb;
#define DAMD_BITS 128
DAMD_INLINE int lowest(bb x) {
    uint64_t low = (uint64_t)x;
    return low ? damd_ctz64(low) : 64 + damd_ctz64((uint64_t)(x >> 64));
}
DAMD_INLINE int count(bb x) { return damd_popcount64((uint64_t)x) + damd_popcount64((uint64_t)(x >> 64)); }
DAMD_INLINE uint64_t fold(bb x) { return (uint64_t)x ^ ((uint64_t)(x >> 64) * 0xD6E8FEB86659FD93ULL); }
#else
typedef uint64_t bb;
#define DAMD_BITS 64
DAMD_INLINE int lowest(bb x) { return damd_ctz64(x); }
DAMD_INLINE int count(bb x) { return damd_popcount64(x); }
DAMD_INLINE uint64_t fold(bb x) { return x; }
#endif

DAMD_INLINE bb bit(int q) { return (bb)1 << q; }
/* Rotate left by 1 .. DAMD_BITS - 1; a distance of 0 or of the full width would be undefined and never occurs. */
DAMD_INLINE bb spin(bb x, int s) { return (x << s) | (x >> (DAMD_BITS - s)); }

/* A hash of three 64-bit words. */
DAMD_INLINE uint64_t scatter(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = a ^ (b * 0x9E3779B97F4A7C15ULL) ^ (c * 0xC2B2AE3D27D4EB4FULL);
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ULL;
    return x ^ (x >> 32);
}

#endif
