"""Bitboard primitives for the interpreted core; the compiled core takes the same names from ``width.h``.

Interpreted, a bitboard is an int of 128 bits on every board: the moves are the same, since no direction
carries a bit over the board's edge.
"""

from __future__ import annotations

DAMD_BITS = 128
_MASK = (1 << DAMD_BITS) - 1


def bit(q: int) -> int:
    """The bitboard with bit ``q`` alone."""
    return 1 << q


def lowest(x: int) -> int:
    """The number of the lowest bit of ``x``, which must not be 0."""
    return (x & -x).bit_length() - 1


def count(x: int) -> int:
    """The number of bits set."""
    return x.bit_count()


def fold(x: int) -> int:
    """64 bits of ``x``, for hashing."""
    return (x ^ ((x >> 64) * 0xD6E8FEB86659FD93)) & 0xFFFFFFFFFFFFFFFF


def spin(x: int, s: int) -> int:
    """``x`` rotated left by ``s`` (1 to 127)."""
    return ((x << s) | (x >> (DAMD_BITS - s))) & _MASK


def scatter(a: int, b: int, c: int) -> int:
    """A hash of three 64-bit words."""
    x = a ^ (b * 0x9E3779B97F4A7C15) ^ (c * 0xC2B2AE3D27D4EB4F)
    x &= 0xFFFFFFFFFFFFFFFF
    x ^= x >> 32
    x = (x * 0xD6E8FEB86659FD93) & 0xFFFFFFFFFFFFFFFF
    return x ^ (x >> 32)
