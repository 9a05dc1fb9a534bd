"""``damd bench``: search a fixed set of positions; the node count is the signature of the search."""

from __future__ import annotations

from argparse import Namespace

from damd.tools.common import FINE, Commands, add_variant, depth, end_on_interrupt, fail, rules_of, say


def add(commands: Commands) -> None:
    bench = commands.add_parser("bench", help="search a fixed set of positions")
    add_variant(bench)
    bench.add_argument("--depth", type=depth, metavar="N")


def run(options: Namespace) -> int:
    from damd.daemon.work import BenchWork
    from damd.variants import VariantError

    end_on_interrupt()
    try:
        rules = rules_of(options)
    except VariantError as fault:
        return fail(str(fault))
    BenchWork(rules, options.depth).run(say)
    return FINE
