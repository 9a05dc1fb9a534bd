"""``damd variants``: list, show or check the rules of games."""

from __future__ import annotations

import sys
from argparse import SUPPRESS, Namespace

from damd.tools.common import Commands, add_variant_path, end_on_interrupt


def add(commands: Commands) -> None:
    variants = commands.add_parser("variants", help="list, show or check the rules of games", allow_abbrev=False)
    add_variant_path(variants)
    actions = variants.add_subparsers(dest="action", required=True, metavar="list|show|check")
    add_variant_path(actions.add_parser("list", help="all games"), default=SUPPRESS)  # here it is looked for as well
    show = actions.add_parser("show", help="the rules of one game in plain sentences")
    show.add_argument("name", metavar="NAME", help="a game, or a variant file")
    add_variant_path(show, default=SUPPRESS)
    show.add_argument("--language", metavar="CODE", default="en", help="en, ms, da, cs or id; default: en")
    actions.add_parser("check", help="check variant files").add_argument("files", metavar="FILE", nargs="+")


def run(options: Namespace) -> int:
    from damd.variants import commands

    end_on_interrupt()
    path = options.variant_path or None
    if options.action == "list":
        return commands.list_variants(sys.stdout, path)
    if options.action == "show":
        return commands.show(options.name, sys.stdout, path, language=options.language)
    from damd.rows import run_rows

    return commands.check(options.files, sys.stdout, run_rows)
