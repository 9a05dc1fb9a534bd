"""``damd play``: a person against the engine."""

from __future__ import annotations

from argparse import Namespace

from damd.play.arguments import add_play
from damd.tools.common import USAGE, Commands, fail


def add(commands: Commands) -> None:
    add_play(commands)
    # As for every tool; without it argparse would take the word for the beginning of --variant-path.
    commands.choices["play"].add_argument("--variant", dest="named", metavar="NAME", help="the same as VARIANT")


def run(options: Namespace) -> int:
    from damd.play.run import run as play
    from damd.variants import canonical

    if options.named is not None:
        if options.variant is not None and canonical(options.variant) != canonical(options.named):
            return fail(f"which game? both {options.variant} and {options.named} are named", USAGE)
        options.variant = options.named
    return play(options)
