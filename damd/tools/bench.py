"""``damd bench``: search a fixed set of positions; the node count is the signature of the search."""

from __future__ import annotations

from argparse import Namespace

from damd.tools.common import DEFAULT_VARIANT, FINE, Commands, depth, end_on_interrupt, fail, say


def add(commands: Commands) -> None:
    bench = commands.add_parser("bench", help="search a fixed set of positions")
    bench.add_argument("variant", nargs="?", default=DEFAULT_VARIANT, metavar="VARIANT", help=f"default: {DEFAULT_VARIANT}")
    bench.add_argument("--depth", type=depth, metavar="N")


def run(options: Namespace) -> int:
    from damd import variants
    from damd.daemon.work import BenchWork

    end_on_interrupt()
    try:
        rules = variants.load(options.variant)
    except variants.VariantError as fault:
        return fail(str(fault))
    BenchWork(rules, options.depth).run(say)
    return FINE
