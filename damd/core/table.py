"""The transposition table: one data word a position, verified by the position's key.

A bucket is the rows of one line of the processor's cache: a position stands in any row of its bucket, and a full
bucket gives up what an older search left, else its shallowest row. A row is two words, ``key ^ data`` and ``data``,
so that searchers in several threads may share a table without locks: a row torn by two writers does not verify and
is simply not found.

A data word, from the low bits: 20 bits signature of the best ply, 16 bits score + 32768, 8 bits depth, 2 bits
bound, 8 bits age. A data word of 0 means that nothing is known.
"""

from __future__ import annotations

import cython

from damd.core.codes import AGE_SHIFT, BUCKET_ROWS, BUCKET_WORDS, DEPTH_SHIFT

if cython.compiled:
    from cython.cimports.damd.core.room import fetch, next_line, room, wipe
    from cython.cimports.libc.stdlib import free

ROW_BYTES = 16
INTERPRETED_ROW_BYTES = 160  # what a row costs as a Python dict entry


class Table:
    """A table of ``megabytes`` MiB; raises ``MemoryError`` where they cannot be had."""

    def __cinit__(self, megabytes):
        if cython.compiled:
            self.memory = cython.NULL

    def __init__(self, megabytes):
        size = megabytes << 20
        self.age = 0
        self.cells = {}
        if cython.compiled:
            self.buckets = size // (ROW_BYTES * BUCKET_ROWS)
            if self.buckets >= 1 << 32:
                raise MemoryError(f"no table of {megabytes} MiB: at most 262143")
            # A bucket fills one line of the processor's cache, so the rows begin at such a line.
            self.memory = room(self.buckets + 1, ROW_BYTES * BUCKET_ROWS)
            if not self.memory:
                raise MemoryError(f"no memory for a table of {megabytes} MiB")
            self.rows = cython.cast(cython.p_ulonglong, next_line(self.memory))
        else:
            self.buckets = size // (INTERPRETED_ROW_BYTES * BUCKET_ROWS)

    def __dealloc__(self):
        if cython.compiled:
            free(self.memory)

    def clear(self):
        """Forget everything."""
        self.age = 0
        if cython.compiled:
            wipe(self.rows, self.buckets * BUCKET_ROWS * ROW_BYTES)
        else:
            self.cells.clear()

    def new_search(self):
        """Let older entries be replaced before the coming search's own."""
        self.age = (self.age + 1) & 0xFF

    def fullness(self):
        """Permille of a sample of 1000 rows written by the present search."""
        n: cython.int = 0
        i: cython.int
        sample: cython.int
        data: cython.ulonglong
        if cython.compiled:
            sample = cython.cast(cython.int, min(1000, self.buckets * BUCKET_ROWS))
            for i in range(sample):
                data = self.rows[2 * i + 1]
                if data and (data >> AGE_SHIFT) == cython.cast(cython.ulonglong, self.age):
                    n += 1
            return n * 1000 // sample
        else:
            return min(1000, sum(map(len, self.cells.values())) * 1000 // (self.buckets * BUCKET_ROWS))

    def expect(self, key):
        """Have the bucket of this position at hand: it is probed soon."""
        if cython.compiled:
            fetch(self.rows + BUCKET_WORDS * (((key >> 32) * self.buckets) >> 32))

    def probe(self, key):
        """The data word of the position, or 0."""
        i: cython.int
        if cython.compiled:
            row: cython.ulonglong = BUCKET_WORDS * (((key >> 32) * self.buckets) >> 32)
            data: cython.ulonglong
            for i in range(BUCKET_ROWS):  # noqa: B007 -- a typed counter
                data = self.rows[row + 1]
                if self.rows[row] ^ data == key and data:
                    return data
                row += 2
            return 0
        else:
            for known, data in self.cells.get(((key >> 32) * self.buckets) >> 32, ()):
                if known == key:
                    return data
            return 0

    def store(self, key, data):
        """Write a position's data word: over its own, into a free row, or over the oldest, among these the shallowest."""
        i: cython.int
        worth: cython.int
        least: cython.int = 1 << 20
        if cython.compiled:
            row: cython.ulonglong = BUCKET_WORDS * (((key >> 32) * self.buckets) >> 32)
            place: cython.ulonglong = row
            old: cython.ulonglong
            for i in range(BUCKET_ROWS):  # noqa: B007 -- a typed counter
                old = self.rows[row + 1]
                if not old or self.rows[row] ^ old == key:
                    place = row
                    break
                worth = cython.cast(cython.int, (old >> DEPTH_SHIFT) & 0xFF)
                if cython.cast(cython.int, old >> AGE_SHIFT) == self.age:
                    worth += 256
                if worth < least:
                    least = worth
                    place = row
                row += 2
            self.rows[place] = key ^ data
            self.rows[place + 1] = data
        else:
            bucket = self.cells.setdefault(((key >> 32) * self.buckets) >> 32, [])
            for place, (known, _) in enumerate(bucket):
                if known == key:
                    bucket[place] = (key, data)
                    return
            if len(bucket) < BUCKET_ROWS:
                bucket.append((key, data))
            else:
                # The rows of the present search are worth more than all others.
                worths = [((old >> AGE_SHIFT) == self.age, (old >> DEPTH_SHIFT) & 0xFF) for _, old in bucket]
                bucket[worths.index(min(worths))] = (key, data)
