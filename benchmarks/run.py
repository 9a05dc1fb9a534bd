"""Runs the benchmarks and prints one table; with ``--write`` it replaces the one in README.md."""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import adapters, figures, match, pdn
from benchmarks.processes import ROOT, Daemon

README = ROOT / "README.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"

#: Each section with its sizes: an ordinary run and a quick one.
SECTIONS: dict[str, tuple[Callable[[int], figures.Figures], int, int]] = {
    "peers": (figures.peers, 9, 2),
    "games": (figures.games, 5, 1),
    "search": (figures.search, 3, 1),
    "pdn": (pdn.pdn, 5, 1),
    "start": (figures.start, 30, 5),
    "stop": (figures.stop, 200, 20),
    "memory": (figures.memory, 2, 1),
    "adapters": (adapters.hub, 5, 1),
    "match": (match.runner, 20, 1),
}


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", info, re.MULTILINE)
    return found[1] if found else platform.machine()


def core_kind() -> str:
    with Daemon() as daemon:
        return next(line.split()[-1] for line in daemon.handshake if line.startswith("info string core "))


def markdown(rows: list[figures.Row], conditions: str) -> str:
    lines = [conditions, "", "| figure | measured | target | |", "|---|---|---|---|"]
    verdicts = {None: "", True: "met", False: "missed"}
    lines += [f"| {row.figure} | {row.measured} | {row.target} | {verdicts[row.met]} |" for row in rows]
    return "\n".join(lines)


def write_readme(table: str) -> None:
    """Puts the table between README's two marks. Raises ValueError where they are not there."""
    text = README.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"README.md lacks the marks {BEGIN} and {END}")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="few rounds, to see that everything runs")
    parser.add_argument("--write", action="store_true", help="replace the table in README.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every single measurement there")
    parser.add_argument("--check", action="store_true", help="exit code 1 where a target is missed")
    asked = parser.parse_args()
    if asked.write and (asked.only or asked.quick):
        parser.error("--write takes a whole run: no --only, no --quick")
    kind = core_kind()
    conditions = (
        f"{processor()}, {platform.system()}, Python {platform.python_version()}, core {kind}, "
        f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}. Medians of one run, what is compared in turns."
    )
    rows: list[figures.Row] = []
    numbers: dict[str, object] = {"conditions": conditions}
    for name, (measure, size, quick_size) in SECTIONS.items():
        if asked.only and name not in asked.only:
            continue
        print(f"benchmarks: {name}", file=sys.stderr, flush=True)
        try:
            found = measure(quick_size if asked.quick else size)
        except subprocess.CalledProcessError as failure:
            print(f"benchmarks: {name} failed: {failure}", file=sys.stderr)
            return 1
        rows += found.rows
        numbers[name] = found.as_json()
    table = markdown(rows, conditions)
    print(table)
    if asked.json:
        asked.json.write_text(json.dumps(numbers, indent=1), encoding="utf-8")
    if asked.write:
        write_readme(table)
    return 1 if asked.check and any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
