"""A small engine of the ordinary UCI kind, with chess moves: a thread searches, stop and ponderhit are heeded.

It knows nothing of damd: unknown commands get a line of prose, and it speaks only when UCI lets it.
"""

import sys
import threading

lock = threading.Lock()
ended = threading.Event()
searcher: threading.Thread | None = None


def say(line: str) -> None:
    with lock:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def search(words: list[str], hit: threading.Event) -> None:
    waits = "infinite" in words or "ponder" in words
    say("info string searching")
    for depth in range(1, 4):
        counts = f"score cp {10 * depth} nodes {100 * depth} nps 1000 time {depth}"
        say(f"info depth {depth} seldepth {depth + 1} multipv 1 {counts} pv e2e4 e7e5")
    say("info depth 4 currmove d2d4 currmovenumber 2")
    say("info depth 4 score mate 3 upperbound wdl 990 10 0 hashfull 12 tbhits 0 pv d2d4 d7d5")
    while waits and not ended.wait(0.005):
        if hit.is_set() and "infinite" not in words:
            break
    say("bestmove d2d4 ponder d7d5")


def finish() -> None:
    if searcher is not None:
        ended.set()
        searcher.join()


def main() -> None:
    global searcher
    hit = threading.Event()
    print("Small UCI 1 by nobody", flush=True)
    for line in sys.stdin:
        words = line.split()
        word = words[0] if words else ""
        if word == "uci":
            say("id name Small UCI 1")
            say("id author Nobody In Particular")
            say("option name Debug Log File type string default <empty>")
            say("option name Hash type spin default 16 min 1 max 33554432")
            say("option name Clear Hash type button")
            say("option name Ponder type check default false")
            say("option name Style of Play type combo default Very Solid var Very Solid var Normal var Risky")
            say("uciok")
        elif word == "isready":
            say("readyok")
        elif word == "go":
            finish()
            ended.clear()
            hit = threading.Event()
            searcher = threading.Thread(target=search, args=(words, hit), daemon=True)
            searcher.start()
        elif word == "stop":
            finish()
        elif word == "ponderhit":
            hit.set()
        elif word == "quit":
            finish()
            return
        elif word not in ("setoption", "ucinewgame", "position", "debug", ""):
            say(f"Unknown command: '{line.strip()}'.")


if __name__ == "__main__":
    main()
