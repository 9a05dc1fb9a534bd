"""From chunks of bytes to lines of text, in linear time however long a line is."""

from __future__ import annotations

#: A line longer than this is dropped: no engine's line is, and memory must not follow what a broken one writes.
MAX_LINE_BYTES = 64 * 1024 * 1024


class LineSplitter:
    """Feed it what a pipe gives; it returns the lines that are complete.

    Lines end with LF or CRLF; bytes that are not UTF-8 become replacement characters. ``dropped`` counts the lines
    over the limit.
    """

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self._pending = 0
        self._overlong = False
        self.dropped = 0

    def feed(self, data: bytes) -> list[str]:
        *complete, rest = data.split(b"\n")
        lines = []
        for part in complete:
            self._keep(part)
            lines += self._take()
        self._keep(rest)
        return lines

    def finish(self) -> list[str]:
        """At the end of the output: what came after the last line end, as a line; often none."""
        return self._take() if self._pending else []

    def _take(self) -> list[str]:
        chunks, overlong = self._chunks, self._overlong
        self._chunks, self._overlong, self._pending = [], False, 0
        if overlong:
            self.dropped += 1
            return []
        return [b"".join(chunks).removesuffix(b"\r").decode("utf-8", "replace")]

    def _keep(self, part: bytes) -> None:
        self._pending += len(part)
        if self._pending > self._limit:
            self._overlong = True
            self._chunks.clear()
        elif part:
            self._chunks.append(part)
