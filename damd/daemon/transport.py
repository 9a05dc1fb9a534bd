"""The pipes: bytes in, lines out, and the end of either.

A thread reads stdin with ``os.read`` and splits lines itself: a thread that waits inside ``sys.stdin`` holds a
lock that the interpreter wants at its end, and aborts it. The main thread takes events one by one and decides;
the worker's thread searches. Everything written goes through one lock, a line at a time.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import NoReturn, TextIO

from damd.daemon.reception import Reception
from damd.daemon.worker import Desk, Worker
from damd.protocol.errors import Code, ProtocolError

#: A line, without its end, may have so many bytes.
LONGEST_LINE = 65536
_CHUNK = 65536
#: How often a process that waits looks whether somebody still reads its output, in seconds.
_LOOK_S = 0.5
#: After ``quit`` a search answers within milliseconds. If it does not, nobody takes its lines: end all the same.
_GRACE_S = 1.5
#: Where a signal cannot interrupt a waiting main thread (Windows), it wakes up so often to notice Ctrl-C.
_WAKE_S = 0.25

#: What the reader hands on: a line, an unreadable line, or ``None`` at the end of input.
Received = str | ProtocolError | None


class LineSplitter:
    """Splits bytes into lines that end with LF or CRLF. Keeps at most one line's limit of bytes."""

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self._limit = limit
        self._rest = b""
        self._skipping = False
        self._first = True

    def feed(self, data: bytes) -> list[str | ProtocolError]:
        """The lines that ``data`` completes."""
        *lines, rest = data.split(b"\n")
        found: list[str | ProtocolError] = []
        for line in lines:
            self._add(line, found)
            if not self._skipping:
                self._take(found)
            self._skipping = False
            self._rest = b""
        self._add(rest, found)
        return found

    def end(self) -> list[str | ProtocolError]:
        """The last line, where it has no line end."""
        found: list[str | ProtocolError] = []
        if self._rest and not self._skipping:
            self._take(found)
        self._rest = b""
        return found

    def _add(self, part: bytes, found: list[str | ProtocolError]) -> None:
        if self._skipping:
            return
        self._rest += part
        # One byte more may be the CR of a line of just that length.
        if len(self._rest) > self._limit + 1:
            self._give_up(found)

    def _take(self, found: list[str | ProtocolError]) -> None:
        line = self._rest.removesuffix(b"\r")
        if len(line) > self._limit:
            self._give_up(found)
            return
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as fault:
            where = f"byte {fault.start + 1} of the line"
            found.append(ProtocolError(Code.BAD_ENCODING, where, "not UTF-8, the line is skipped"))
            return
        # Some shells begin what they pipe with a byte order mark.
        found.append(text.removeprefix("\ufeff") if self._first else text)
        self._first = False

    def _give_up(self, found: list[str | ProtocolError]) -> None:
        message = f"a line of more than {self._limit} bytes, it is skipped"
        found.append(ProtocolError(Code.TOO_LONG, shown_start(self._rest), message))
        self._rest = b""
        self._skipping = True


def shown_start(line: bytes) -> str:
    """The first characters of a line that is not read, for messages."""
    return line[:20].decode("utf-8", "replace").strip() + "..."


class Log:
    """Both directions of the conversation with times, in a file; nothing where ``file`` is ``None``.

    A log that can no longer be written is given up with a word on stderr: the game goes on.
    """

    def __init__(self, file: TextIO | None) -> None:
        self._file = file
        self._lock = threading.Lock()

    def write(self, mark: str, text: str) -> None:
        if self._file is None:
            return
        now = time.time()
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
        with self._lock:
            try:
                if self._file is not None:
                    self._file.write(f"{stamp}.{int(now * 1000) % 1000:03d} {mark} {text}\n")
            except OSError as fault:
                self._file = None
                sys.stderr.write(f"damd: the log ends here: {fault}\n")


class Writer:
    """Writes lines to a file descriptor, whole and at once.

    Where nobody reads any more ``closed`` is called; it must not return.
    """

    def __init__(self, descriptor: int, closed: Callable[[], None], log: Log) -> None:
        self._descriptor = descriptor
        self._closed = closed
        self._log = log
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        with self._lock:
            self._log.write("<", text)
            data = memoryview((text + "\n").encode("utf-8", "backslashreplace"))
            while data:
                try:
                    data = data[os.write(self._descriptor, data) :]
                except BlockingIOError:
                    # The client has made its end of a shared pipe non-blocking: wait for room.
                    select.select([], [self._descriptor], [])
                except OSError:
                    self._closed()
                    return

    def look(self) -> None:
        """Call ``closed`` if nobody can read any more, even though there is nothing to say."""
        try:
            os.fstat(self._descriptor)
        except OSError:
            self._closed()
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self._descriptor, 0)
            if any(what & (select.POLLERR | select.POLLHUP) for _, what in poll.poll(0)):
                self._closed()
        else:
            # Windows cannot ask. A line that every client ignores fails where nobody is left to ignore it.
            self.line("info string the input has ended, the search goes on")


class Reader(threading.Thread):
    """Reads a file descriptor to its end and hands on every line."""

    def __init__(self, descriptor: int, receive: Callable[[Received], None], log: Log) -> None:
        super().__init__(name="reader", daemon=True)
        self._descriptor = descriptor
        self._receive = receive
        self._log = log

    def run(self) -> None:
        splitter = LineSplitter()
        while data := self._read():
            self._hand_on(splitter.feed(data))
        self._hand_on(splitter.end())
        self._log.write(">", "(end of input)")
        self._receive(None)

    def _hand_on(self, lines: list[str | ProtocolError]) -> None:
        for line in lines:
            self._log.write(">", line if isinstance(line, str) else f"({line})")
            self._receive(line)

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _CHUNK)
            except BlockingIOError:
                select.select([self._descriptor], [], [])
            except OSError:
                # A terminal that hung up, a descriptor that was never open: nothing more will come.
                return b""


def leave_at_once(code: int = 0) -> NoReturn:
    """End the process without the interpreter's farewell.

    That would wait for, or pull the ground from under, the thread that is blocked in ``os.read`` (stdin may stay
    open after ``quit``) and one that searches. stdout needs no flush: ``Writer`` has written every line.
    """
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


def serve(variant_path: str = "", log: TextIO | None = None, strict: bool = False) -> int:
    """Run the daemon on stdin and stdout; the exit code. Threads may still be running when it returns.

    Raises ``ProtocolError`` where ``variant_path`` is no folder of variants.
    """
    session = Reception(variant_path)
    records = Log(log)
    events: SimpleQueue[Callable[[], None]] = SimpleQueue()
    writer = Writer(1, leave_at_once, records)

    def failed(fault: BaseException) -> None:
        events.put(lambda: _raise(fault))

    worker = Worker(writer.line, lambda errors: events.put(lambda: desk.finished(errors)), failed)
    desk = Desk(session, worker.start, writer.line, strict)

    def receive(received: Received) -> None:
        if received is None:
            events.put(desk.end_of_input)
        elif isinstance(received, str):
            events.put(lambda: desk.line(received))
        else:
            events.put(lambda: desk.unreadable(received))

    # Ctrl-C is a quit: no traceback, and a running search still answers.
    signal.signal(signal.SIGINT, lambda *_: events.put(lambda: desk.line("quit")))
    Reader(0, receive, records).start()
    try:
        _take_events(events, desk, writer)
    except Exception as fault:  # noqa: BLE001 - a defect: say so on both sides and end
        import traceback

        traceback.print_exception(fault)
        writer.line(ProtocolError(Code.INTERNAL, type(fault).__name__, str(fault)).line())
        return 1
    return desk.exit_code or 0


def _take_events(events: SimpleQueue[Callable[[], None]], desk: Desk, writer: Writer) -> None:
    """Take events until the desk wants to end, or has wanted to for too long."""
    give_up_at: float | None = None
    while desk.exit_code is None:
        if desk.leaving and give_up_at is None:
            give_up_at = time.monotonic() + _GRACE_S
        try:
            events.get(timeout=_wait_s(desk))()
        except Empty:
            if give_up_at is not None and time.monotonic() > give_up_at:
                return
            if desk.input_ended:
                writer.look()


def _wait_s(desk: Desk) -> float | None:
    """How long to wait for an event before looking up."""
    if desk.input_ended or desk.leaving:
        return _LOOK_S
    return _WAKE_S if os.name == "nt" else None


def _raise(fault: BaseException) -> None:
    raise fault
