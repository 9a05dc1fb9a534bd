"""Measures strength: paired games between two engines that speak the protocol, judged by damd's own rules.

    python benchmarks/strength.py --a . --b ../before --variant dam-haji,dam --games 100 --seed 1 --movetime 100
    python benchmarks/strength.py --a . --b greedy --variant dam --games 20 --seed 1 --depth 4 --markdown "depth 4"
    python benchmarks/strength.py --a . --tactics positions.jsonl --movetime 1000
    python benchmarks/strength.py --a . --clock-test --variant dam --games 20 --seed 1

Each random opening is played twice with colours reversed, ``--games`` games a variant in all. A side is a checkout's
folder, a command line, ``random`` or ``greedy``, or ``hub:`` and a Hub engine's command line (international, --movetime).
Figures are A's. The exit code is 1 where a side has crashed or broken the rules, or in the clock test was late when the
machine was not; 2 where nothing can be measured.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.selfplay import report
from benchmarks.selfplay.control import Control
from benchmarks.selfplay.games import Conditions, Match, Pair, Pairing
from benchmarks.selfplay.openings import draw_openings
from benchmarks.selfplay.opponents import make_player
from benchmarks.selfplay.pace import Pace
from benchmarks.selfplay.tactics import Attempt, attempts, read_problems
from damd.client import EngineError, Limit
from damd.rules import Rules
from damd.variants import VariantError, load

CLOCK_TEST_PACE = "100+10"
TACTICS_MS = 1000


def number(low: int) -> functools.partial[int]:
    """The type of an argument that is a whole number of at least ``low``."""
    return functools.partial(_number, low)


def _number(low: int, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if value < low:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {low}")
    return value


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="strength.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--a", required=True, metavar="CMD", help="the side that is measured")
    parser.add_argument("--b", metavar="CMD", help="its opponent; in the clock test A itself by default")
    parser.add_argument("--variant", default="", metavar="V[,V...]", help="the games, except with --tactics")
    parser.add_argument("--games", type=number(2), default=20, metavar="N", help="an even number a variant (20)")
    parser.add_argument("--seed", type=number(0), help="of openings and built-in opponents; drawn and printed if left out")
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--movetime", type=number(1), metavar="MS")
    pace.add_argument("--nodes", type=number(1), metavar="N")
    pace.add_argument("--depth", type=number(1), metavar="N")
    pace.add_argument("--tc", metavar="BASE_MS+INC_MS")
    parser.add_argument(
        "--odds", type=number(1), default=1, metavar="K", help="A searches K times as long, or as many nodes"
    )
    parser.add_argument("--random-plies", type=number(0), default=2, metavar="N", help="the length of an opening (2)")
    parser.add_argument("--option-a", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--option-b", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument(
        "--missed-capture", choices=("rule", "forbidden"), help="that option, for both sides and the arbiter"
    )
    parser.add_argument("--max-plies", type=number(1), default=300, metavar="N", help="a longer game is drawn (300)")
    parser.add_argument("--concurrency", type=number(1), default=1, metavar="N", help="games at the same time (1)")
    parser.add_argument("--markdown", metavar="LINE-NAME", help=f"print a line of a table at the end: {report.COLUMNS}")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--tactics", type=Path, metavar="FILE", help="count the positions of FILE that A solves")
    kind.add_argument("--clock-test", action="store_true", help="list overruns beside a process that only sleeps")
    return parser


def read_options(texts: Sequence[str]) -> dict[str, str]:
    """From ``NAME=VALUE``. Raises ``ValueError``."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"an option is NAME=VALUE, not {text!r}")
        options[name.strip()] = value
    return options


def read_pace(asked: argparse.Namespace) -> Pace:
    """Raises ``ValueError``."""
    if asked.tc or (asked.clock_test and not (asked.movetime or asked.nodes or asked.depth)):
        pace = Pace.clock(asked.tc or CLOCK_TEST_PACE)
    elif asked.movetime or asked.nodes or asked.depth:
        pace = Pace(Limit(movetime_ms=asked.movetime, nodes=asked.nodes, depth=asked.depth))
    else:
        raise ValueError("say how long they may search: --movetime, --nodes, --depth or --tc")
    return replace(pace, odds=asked.odds)


def read_games(asked: argparse.Namespace) -> list[Rules]:
    """The rules of the games, each once. Raises ``ValueError`` or ``VariantError``."""
    found: dict[str, Rules] = {}
    for name in filter(None, (part.strip() for part in asked.variant.split(","))):
        rules = load(name)
        found[rules.names.name] = rules.without_penalty() if asked.missed_capture == "forbidden" else rules
    if not found:
        raise ValueError("name a game: --variant")
    return list(found.values())


def plan(games: Sequence[Rules], count: int, length: int, seed: int) -> list[Pairing]:
    """So many games of each: half as many openings. Raises ``ValueError``."""
    if count % 2:
        raise ValueError(f"--games takes an even number, not {count}: each opening is played with both colours")
    pairings = []
    for rules in games:
        openings = draw_openings(rules, count // 2, length, random.Random(f"{seed}/{rules.names.name}"))
        pairings += [Pairing(rules, place, opening) for place, opening in enumerate(openings, 1)]
    return pairings


def play(asked: argparse.Namespace) -> int:
    """The match, with the control beside it in the clock test. Raises what makes it impossible."""
    games, pace = read_games(asked), read_pace(asked)
    if asked.clock_test and asked.concurrency > 1:
        raise ValueError("--clock-test plays one game at a time, so that no game waits for another's arbiter")
    pairings = plan(games, asked.games, asked.random_plies, asked.seed)
    command_b = asked.b or (asked.a if asked.clock_test else "")
    if not command_b:
        raise ValueError("name an opponent: --b")
    options_b = asked.option_b if asked.b else asked.option_a
    sides = ((asked.a, read_options(asked.option_a)), (command_b, read_options(options_b)))
    makers = [functools.partial(make_player, command, options, asked.missed_capture) for command, options in sides]
    told = Progress(len(pairings))
    control = Control() if asked.clock_test else None
    match = Match(makers, pairings, Conditions(pace, asked.max_plies, control), asked.seed, told)
    try:
        asyncio.run(run_beside(match, control, asked.concurrency))
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
        print(f"interrupted after {len(match.pairs)} of {len(pairings)} pairs", file=sys.stderr)
    if not match.pairs:
        return 130
    passed = tell(asked, match, pace, control)
    return 130 if interrupted else 0 if passed else 1


async def run_beside(match: Match, control: Control | None, concurrency: int) -> None:
    if control is None:
        await match.run(concurrency)
        return
    async with control:
        await match.run(concurrency)


class Progress:
    """Says on stderr how far the match is, about ten times."""

    def __init__(self, pairs: int) -> None:
        self._pairs, self._done, self._points = pairs, 0, 0

    def __call__(self, pair: Pair) -> None:
        self._done += 1
        self._points += sum(record.points for record in pair)
        if self._done * 10 // self._pairs > (self._done - 1) * 10 // self._pairs:
            score = self._points / 2
            print(f"{self._done} of {self._pairs} pairs: {score:g} of {2 * self._done}", file=sys.stderr, flush=True)


def tell(asked: argparse.Namespace, match: Match, pace: Pace, control: Control | None) -> bool:
    """Print the figures of the pairs that were played; whether all was in order."""
    pairs = sorted(match.pairs, key=lambda pair: (pair[0].pairing.rules.names.name, pair[0].pairing.number))
    by_game: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_game.setdefault(pair[0].pairing.rules.names.name, []).append(pair)
    records = [record for pair in pairs for record in pair]
    sides = [report.total(records, who) for who in range(2)]
    faults = report.fault_lines(records)
    missed = f", missed capture {asked.missed_capture}" if asked.missed_capture else ""
    print("\n".join(f"{letter}: {name}" for letter, name in zip("AB", match.names, strict=True)))
    print(f"{pace}, at most {asked.max_plies} plies, seed {asked.seed}{missed}, {asked.concurrency} at a time\n")
    print("\n".join(report.score_table(by_game)) + "\n")
    for name, of_game in by_game.items():
        print(f"openings, {name}: {report.openings_text(first.pairing.opening for first, _ in of_game)}")
    print(f"ended by: {report.endings_text(records)}")
    timed = pace.allowed_ms(0) is not None
    for letter, side in zip("AB", sides, strict=True):
        print(f"{letter}: {report.side_text(side, timed)}")
    cores = {word for name in match.names for word in ("core compiled", "core interpreted") if word in name}
    if len(cores) > 1:
        print("strength.py: one side's core is compiled, the other's interpreted", file=sys.stderr)
    unshared = []
    if control is not None:
        print("\n".join(report.control_lines(records, control)))
        unshared = [overrun for side in sides for overrun in side.overruns if report.unshared(overrun)]
        print(f"overruns above {report.SERIOUS_MS:.0f} ms that the control does not share: {len(unshared)}")
    print("\n".join(faults), end="\n" if faults else "")
    if asked.markdown:
        print(report.markdown_line(asked.markdown, by_game, str(pace), asked.seed))
    return not faults and not unshared


def try_tactics(asked: argparse.Namespace) -> int:
    """Raises what makes it impossible."""
    if asked.tc:
        raise ValueError("--tc is for games: --movetime, --nodes or --depth")
    fixed = Limit(movetime_ms=asked.movetime, nodes=asked.nodes, depth=asked.depth)
    limit = fixed if fixed.bounded else Limit(movetime_ms=TACTICS_MS)
    player = make_player(asked.a, read_options(asked.option_a))
    made = asyncio.run(attempts(player, read_problems(asked.tactics), limit, asked.seed))
    by_game: dict[str, list[Attempt]] = {}
    for attempt in made:
        by_game.setdefault(attempt.problem.rules.names.name, []).append(attempt)
    print(f"{player.describe()}; {Pace(limit)}")
    for attempt in made:
        if not attempt.solved:
            print(attempt)
    for name, of_game in by_game.items():
        print(f"{name}: {sum(attempt.solved for attempt in of_game)} of {len(of_game)} solved")
    if len(by_game) > 1:
        print(f"all: {sum(attempt.solved for attempt in made)} of {len(made)} solved")
    return 1 if any(attempt.faulty for attempt in made) else 0


def main(words: Sequence[str] | None = None) -> int:
    asked = arguments().parse_args(words)
    if asked.seed is None:
        asked.seed = random.SystemRandom().randrange(1_000_000)
    try:
        return try_tactics(asked) if asked.tactics else play(asked)
    except (EngineError, VariantError, ValueError, OSError) as error:
        print(f"strength.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
