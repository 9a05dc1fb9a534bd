"""What is measured and how; each function returns rows for the table and raw numbers for the JSON file.

Whatever is compared runs in turns, round by round, so that a busy moment of the machine hits both sides; a
ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from statistics import median

from benchmarks.positions import MIDDLE_GAMES
from benchmarks.processes import DAMD, Daemon, DameRs, Peer, PyDraughts, peak_kib
from damd.variants import names

#: The games of the rule texts, and the depth's cost that one measurement may have.
GAMES = ("dam-haji", "dam-haji-10", "dam-haji-10-20", "dam-haji-12", "dam", "dam-daman")
MODES = ("rule", "forbidden")
PERFT_SECONDS = 0.4

#: A king with 26,612 plies: lists have to grow for it.
EXPLOSIVE = "W:WK2:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40"
EXPLOSIVE_GAME = "dam-haji-10"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``met`` is None where there is no target."""

    figure: str
    measured: str
    target: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """One section: a table's rows and the numbers they were made from."""

    rows: list[Row] = field(default_factory=list)
    numbers: dict[str, object] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        return {**self.numbers, "rows": [asdict(row) for row in self.rows]}


def speed(rate: float) -> str:
    """Leaves or nodes a second, in words."""
    return f"{rate / 1e6:.3g} million/s" if rate > 1e6 else f"{rate / 1e3:.3g} thousand/s"


def rank(values: list[float], percent: int) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def peers(rounds: int) -> Figures:
    """Perft of international draughts beside two other programs, leaves counted in bulk by all."""
    depth = 8
    others: tuple[Peer, ...] = (DameRs(), PyDraughts())
    for peer in others:
        peer.install()
    totals: dict[int, int] = {}
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer.package: [] for peer in others}

    def rate(count: Callable[[int], tuple[int, float]], plies: int) -> float:
        leaves, seconds = count(plies)
        if totals.setdefault(plies, leaves) != leaves:
            raise RuntimeError(f"{leaves} leaves at depth {plies}; another program counts {totals[plies]}")
        return leaves / seconds

    with Daemon(UCI_Variant="international") as daemon:
        for peer in others:
            rate(daemon.perft, peer.depth)  # both must count the same tree
        for _ in range(rounds):
            ours.append(rate(daemon.perft, depth))
            for peer in others:
                theirs[peer.package].append(rate(peer.perft, peer.depth))
    rows = [Row(f"perft, international, depth {depth}, leaves counted in bulk", speed(median(ours)))]
    for peer in others:
        ratio = median(mine / other for mine, other in zip(ours, theirs[peer.package], strict=True))
        beside = f"… beside {peer.package} {peer.version} ({speed(median(theirs[peer.package]))})"
        rows.append(Row(beside, f"{ratio:.3g} times", f"{peer.target:g} times", ratio >= peer.target))
    return Figures(rows, {"damd": ours, **theirs})


def suitable_depth(daemon: Daemon) -> int:
    """The depth at which one perft takes about PERFT_SECONDS or somewhat more."""
    depth, before = 1, 1
    while True:
        leaves, seconds = daemon.perft(depth)
        if seconds >= PERFT_SECONDS or seconds * leaves / before > 10 * PERFT_SECONDS:
            return depth
        depth, before = depth + 1, leaves


def games(rounds: int) -> Figures:
    """Perft of every game; of those of the texts with missed captures as plies and without."""
    others = [name for name in names() if name not in GAMES]
    settings = [(game, mode) for game in GAMES for mode in MODES] + [(game, MODES[0]) for game in others]
    rates: dict[tuple[str, str], list[float]] = {key: [] for key in settings}
    with ExitStack() as stack:
        daemons = {key: stack.enter_context(Daemon(UCI_Variant=key[0], MissedCapture=key[1])) for key in settings}
        depths = {key: suitable_depth(daemon) for key, daemon in daemons.items()}
        for _ in range(rounds):
            for key, daemon in daemons.items():
                leaves, seconds = daemon.perft(depths[key])
                rates[key].append(leaves / seconds)
    words = " / ".join(MODES)
    rows: list[Row] = []
    for game in GAMES:
        plies = " / ".join(str(depths[game, mode]) for mode in MODES)
        measured = " / ".join(f"{median(rates[game, mode]) / 1e6:.3g}" for mode in MODES)
        rows.append(Row(f"perft, {game}, MissedCapture {words} (depth {plies})", f"{measured} million/s"))
    for game in others:
        measured = f"{median(rates[game, MODES[0]]) / 1e6:.3g}"
        rows.append(Row(f"perft, {game} (depth {depths[game, MODES[0]]})", f"{measured} million/s"))
    beside: dict[str, float] = {}
    for mode in MODES:
        pairs = zip(rates["dam-haji-12", mode], rates["dam-haji-10-20", mode], strict=True)
        beside[mode] = median(wide / narrow for wide, narrow in pairs)
    rows.append(
        Row(
            f"12x12 (128-bit boards) beside 10x10 (dam-haji-10-20), MissedCapture {words}",
            " / ".join(f"{beside[mode]:.2f}" for mode in MODES) + " of its speed",
        )
    )
    numbers = {" ".join(key): {"depth": depths[key], "rates": rates[key]} for key in settings}
    return Figures(rows, {"games": numbers, "12x12 beside 10x10": beside})


def search(rounds: int) -> Figures:
    """Nodes a second of the search in every game, one thread; international draughts beside another program."""
    milliseconds, hash_mib, target, compared = 400, 64, 1.5, "international"
    peer = DameRs()
    peer.install()
    places: dict[str, tuple[str | None, ...]] = {game: (None, *fens) for game, fens in MIDDLE_GAMES.items()}
    ours: dict[str, list[list[float]]] = {game: [[] for _ in fens] for game, fens in places.items()}
    theirs: list[list[float]] = [[] for _ in places[compared]]
    with ExitStack() as stack:
        daemons = {game: stack.enter_context(Daemon(UCI_Variant=game, Hash=str(hash_mib))) for game in places}
        for _ in range(rounds):
            for game, fens in places.items():
                for number, fen in enumerate(fens):
                    ours[game][number].append(daemons[game].search_rate(fen, milliseconds))
                    if game == compared:
                        theirs[number].append(peer.search_rate(fen, milliseconds, hash_mib))
    rows: list[Row] = []
    for game, rates in ours.items():
        medians = [median(rate) for rate in rates]
        middle, least, most = (f"{rate / 1e6:.3g}" for rate in (median(medians), min(medians), max(medians)))
        measured = f"{middle} ({least} to {most}) million nodes/s"
        rows.append(Row(f"search, {game}, median of start position and three middle games (least to most)", measured))
        if game == compared:
            other = speed(median(median(rate) for rate in theirs))
            ratios = [
                median(mine / its for mine, its in zip(*pair, strict=True)) for pair in zip(rates, theirs, strict=True)
            ]
            ratio = median(ratios)
            beside = f"… beside {peer.package} {peer.version} ({other}) in the same positions"
            rows.append(Row(beside, f"{ratio:.3g} times", f"{target:g} times", ratio >= target))
    return Figures(rows, {"damd": ours, peer.package: theirs})


def start(rounds: int) -> Figures:
    """From the start of the process to uciok, beside an interpreter that does nothing."""
    bare_ms: list[float] = []
    ready_ms: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare_ms.append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        with subprocess.Popen([DAMD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("uci\n")
            process.stdin.flush()
            while process.stdout.readline() != "uciok\n":
                if process.poll() is not None:
                    raise RuntimeError("damd ended before uciok")
            ready_ms.append((time.perf_counter() - began) * 1000)
            process.communicate("quit\n")
    limit = max(120.0, 5 * median(bare_ms))
    row = Row(
        f"start to uciok, median of {rounds} (bare Python {median(bare_ms):.0f} ms)",
        f"{median(ready_ms):.0f} ms",
        f"under {limit:.0f} ms",
        median(ready_ms) < limit,
    )
    return Figures([row], {"bare_ms": bare_ms, "ready_ms": ready_ms})


def stop(searches: int) -> Figures:
    """From stop to bestmove, in three games of different kinds."""
    dice = random.Random(20)
    numbers: dict[str, object] = {}
    rows = []
    for game in ("dam-haji", "international", "dam-daman"):
        taken_ms: list[float] = []
        with Daemon(UCI_Variant=game) as daemon:
            daemon.send("position startpos")
            for _ in range(searches):
                daemon.send("go infinite")
                time.sleep(dice.uniform(0.01, 0.08))
                began = time.perf_counter()
                daemon.ask("stop", "bestmove ")
                taken_ms.append((time.perf_counter() - began) * 1000)
        middle, high = median(taken_ms), rank(taken_ms, 99)
        rows.append(
            Row(
                f"stop to bestmove, {game}, {searches} searches: median / 99th percentile",
                f"{middle:.2f} / {high:.2f} ms",
                "under 2 / 20 ms",
                middle < 2 and high < 20,
            )
        )
        numbers[game] = taken_ms
    return Figures(rows, numbers)


def memory(seconds: float) -> Figures:
    """The daemon's peak over a bare interpreter and its Hash: after searches in all games, and after a rich position."""
    hash_mib = 64
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bare:
        time.sleep(0.5)
        bare_kib = peak_kib(bare.pid)
        bare.communicate(b"\n")
    if bare_kib is None:
        print("memory: this system does not tell a process's peak; left out", file=sys.stderr)
        return Figures()
    peaks_kib: dict[str, int] = {}
    with Daemon(Hash=str(hash_mib)) as daemon:
        for game in (*GAMES, "international"):
            daemon.send(f"setoption name UCI_Variant value {game}")
            daemon.perft(3)
            daemon.ask(f"go movetime {seconds * 1000:.0f}", "bestmove ")
        peaks_kib["searches in every game"] = daemon.peak_kib() or 0
        daemon.send(f"setoption name UCI_Variant value {EXPLOSIVE_GAME}")
        daemon.send(f"position fen {EXPLOSIVE}")
        daemon.ask("moves", "moves ")
        daemon.ask(f"go movetime {seconds * 1000:.0f}", "bestmove ")
        peaks_kib["a position of 26,612 plies, listed and searched"] = daemon.peak_kib() or 0
    rows = []
    for what, peak in peaks_kib.items():
        over_mib = (peak - bare_kib) / 1024 - hash_mib
        figure = f"memory over bare Python ({bare_kib / 1024:.0f} MiB) and Hash ({hash_mib} MiB): {what}"
        rows.append(Row(figure, f"{over_mib:.1f} MiB", "32 MiB at most", over_mib <= 32))
    return Figures(rows, {"bare_kib": bare_kib, "peaks_kib": peaks_kib, "hash_mib": hash_mib})
