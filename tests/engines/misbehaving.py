"""An engine that shakes hands properly and then misbehaves as its argument says.

Runs without anything but Python. Modes: see ``MODES``; the tests say what each is for.
"""

import os
import signal
import subprocess
import sys
import time

HANDSHAKE = ["id name Misbehaving", "id author Tests", "option name Hash type spin default 16 min 1 max 64", "uciok"]


def say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def raw(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def sleep_for_ever() -> None:
    while True:
        time.sleep(60)


def die(_: str) -> None:
    sys.stderr.write("first line\nout of memory, sorry\n")
    sys.stderr.flush()
    os._exit(3)


def die_by_signal(_: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at_last_word(_: str) -> None:
    """The last line has no line end."""
    say("info depth 1 score cp 5 pv 1-2")
    raw(b"bestmove 1-2")
    os._exit(0)


def hang(_: str) -> None:
    sleep_for_ever()


def deaf(_: str) -> None:
    """Takes ``go`` and never reads again, nor heeds SIGTERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep_for_ever()


def flood(_: str) -> None:
    block = "".join(f"info depth {n % 60} nodes {n} score cp 1 pv 1-2 3-4\n" for n in range(20_000))
    for _number in range(10):
        raw(block.encode())
        raw(b"x" * 100_000 + b"\n")
    say("bestmove 1-2")


def long(_: str) -> None:
    """A long search that has found two lines only."""
    for number in range(1, 5001):
        if number in (1, 3000):
            say(f"info depth {1 + number // 3000} score cp 1 pv 1-2")
        say(f"info depth 2 currmove 3-4 currmovenumber {number}")
    say("bestmove 1-2")


def garbage(_: str) -> None:
    raw(b"\x00\x01\xff\xfe\n\r\n\n   \n\xe9t\xe9 bestmove\ninfo\ninfo depth\ninfo depth x score cp\ninfo score mate\n")
    raw(b"info multipv 999999999999999999999999999999999999999999 depth 2 frobnicate 12 pv\n")
    raw(b"readyok and more\nuciok\noption name type\nid\nerror\n")
    raw(b"info depth 3 score cp 7 lowerbound nodes 12 pv 1-2 3-4 string not the end\n")
    say("bestmove 1-2 ponder")


def huge(_: str) -> None:
    """Lines of several MiB."""
    raw(b"info depth 1 score cp 1 pv " + b"11-22 " * 1_000_000 + b"\n")
    raw(b"info string " + b"z" * 8_000_000 + b"\r\n")
    say("bestmove 1-2")


def two_bestmoves(_: str) -> None:
    say("bestmove 1-2", "bestmove 3-4")


def close_stdout(_: str) -> None:
    """Lives on, but will never say anything again."""
    os.close(1)
    sleep_for_ever()


def leave_child(_: str) -> None:
    """Forks a child that keeps the pipes open and ignores SIGTERM, tells its pid and dies."""
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)",
        ],
        stdout=subprocess.PIPE,
        pass_fds=(1, 2),
    )
    assert child.stdout is not None
    child.stdout.readline()  # it ignores the signal from now on
    say(f"info string {child.pid}")
    os._exit(7)


def chatter_on_stderr(_: str) -> None:
    for number in range(20_000):
        sys.stderr.write(f"line {number} of nothing worth reading\n")
    sys.stderr.flush()
    say("bestmove 1-2")


def fine(_: str) -> None:
    say("info depth 1 score cp 1 pv 1-2", "bestmove 1-2")


MODES = {
    "die": die,
    "die-by-signal": die_by_signal,
    "die-at-last-word": die_at_last_word,
    "hang": hang,
    "deaf": deaf,
    "flood": flood,
    "long": long,
    "garbage": garbage,
    "huge": huge,
    "two-bestmoves": two_bestmoves,
    "close-stdout": close_stdout,
    "leave-child": leave_child,
    "chatter-on-stderr": chatter_on_stderr,
    "ignore-quit": fine,
    "ignore-everything": fine,
    "no-uciok": fine,
    "die-in-handshake": fine,
}


def main() -> None:
    mode = sys.argv[1]
    if mode == "ignore-everything":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        word = (line.split() or [""])[0]
        if word == "uci" and mode == "no-uciok":
            say("id name Half")
        elif word == "uci" and mode == "die-in-handshake":
            sys.stderr.write("no such network file\n")
            sys.exit(2)
        elif word == "uci":
            say(*HANDSHAKE)
        elif word == "isready":
            say("readyok")
        elif word == "moves":
            say("moves " + " ".join(f"{n}-{n + 1}" for n in range(600_000)))
        elif word == "go":
            MODES[mode](line)
        elif word == "quit" and not mode.startswith("ignore"):
            return
    if mode.startswith("ignore"):
        sleep_for_ever()


if __name__ == "__main__":
    main()
