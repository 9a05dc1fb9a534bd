"""The transposition table: one data word a position, verified by the position's key.

A row is two words, ``key ^ data`` and ``data``, so that searchers in several threads may share a table without
locks: a row torn by two writers does not verify and is simply not found.

A data word, from the low bits: 20 bits signature of the best ply, 16 bits score + 32768, 8 bits depth, 2 bits
bound, 8 bits age. A data word of 0 means that nothing is known.
"""

from __future__ import annotations

import cython

from damd.core.codes import AGE_SHIFT, DEPTH_SHIFT

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memset

ROW_BYTES = 16
INTERPRETED_ROW_BYTES = 160  # what a row costs as a Python dict entry


class Table:
    """A table of ``megabytes`` MiB; raises ``MemoryError`` where they cannot be had."""

    def __cinit__(self, megabytes):
        if cython.compiled:
            self.rows = cython.NULL

    def __init__(self, megabytes):
        size = megabytes << 20
        self.age = 0
        self.cells = {}
        if cython.compiled:
            self.entries = size // ROW_BYTES
            if self.entries >= 1 << 32:
                raise MemoryError(f"no table of {megabytes} MiB: at most 65535")
            self.rows = cython.cast(cython.p_ulonglong, calloc(self.entries, ROW_BYTES))
            if not self.rows:
                raise MemoryError(f"no memory for a table of {megabytes} MiB")
        else:
            self.entries = size // INTERPRETED_ROW_BYTES

    def __dealloc__(self):
        if cython.compiled:
            free(self.rows)

    def clear(self):
        """Forget everything."""
        self.age = 0
        if cython.compiled:
            memset(self.rows, 0, self.entries * ROW_BYTES)
        else:
            self.cells.clear()

    def new_search(self):
        """Let older entries be replaced before the coming search's own."""
        self.age = (self.age + 1) & 0xFF

    def fullness(self):
        """Permille of a sample of 1000 rows written by the present search."""
        n = 0
        if cython.compiled:
            sample = min(1000, self.entries)
            for i in range(sample):
                data = self.rows[2 * i + 1]
                if data and (data >> AGE_SHIFT) == self.age:
                    n += 1
            return n * 1000 // sample
        else:
            return min(1000, len(self.cells) * 1000 // self.entries)

    def probe(self, key):
        """The data word of the position, or 0."""
        if cython.compiled:
            row: cython.ulonglong = 2 * (((key >> 32) * self.entries) >> 32)
            data: cython.ulonglong = self.rows[row + 1]
            if data and self.rows[row] ^ data == key:
                return data
            return 0
        else:
            cell = self.cells.get(((key >> 32) * self.entries) >> 32)
            return cell[1] if cell is not None and cell[0] == key else 0

    def store(self, key, data):
        """Write a position's data word, unless a deeper one of this search about another position stands there."""
        old: cython.ulonglong
        if cython.compiled:
            row: cython.ulonglong = 2 * (((key >> 32) * self.entries) >> 32)
            old = self.rows[row + 1]
            if old and (old >> AGE_SHIFT) == (data >> AGE_SHIFT) and self.rows[row] ^ old != key:
                if ((old >> DEPTH_SHIFT) & 0xFF) > ((data >> DEPTH_SHIFT) & 0xFF) + 3:
                    return
            self.rows[row] = key ^ data
            self.rows[row + 1] = data
        else:
            index = ((key >> 32) * self.entries) >> 32
            cell = self.cells.get(index)
            if cell is not None and cell[0] != key and cell[1] >> AGE_SHIFT == data >> AGE_SHIFT:
                if ((cell[1] >> DEPTH_SHIFT) & 0xFF) > ((data >> DEPTH_SHIFT) & 0xFF) + 3:
                    return
            self.cells[index] = (key, data)
