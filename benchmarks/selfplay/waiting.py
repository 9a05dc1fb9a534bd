"""How long a process was kept waiting for a processor, as far as the system tells it."""

from __future__ import annotations

from pathlib import Path


class Waiting:
    """The waiting of a process's threads from now on. Only Linux tells it, and only of threads that still run."""

    def __init__(self, pid: int | None) -> None:
        self._pid = pid
        self._before = self._waited_ns()

    def so_far_ms(self) -> float | None:
        """The sum over all threads; ``None`` where the system does not tell."""
        now = self._waited_ns()
        return sum(waited - self._before.get(thread, 0) for thread, waited in now.items()) / 1e6 if now else None

    def _waited_ns(self) -> dict[str, int]:
        waited = {}
        for file in Path(f"/proc/{self._pid}/task").glob("*/schedstat"):
            try:
                words = file.read_text(encoding="ascii").split()
            except OSError:
                continue  # the thread has just ended
            waited[file.parent.name] = int(words[1])
        return waited
