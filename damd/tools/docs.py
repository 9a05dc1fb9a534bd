"""``damd docs``: the generated tables of protocol.md."""

from __future__ import annotations

from argparse import Namespace

from damd.tools.common import FINE, Commands, fail, file_fault


def add(commands: Commands) -> None:
    docs = commands.add_parser("docs", help="the generated tables of protocol.md")
    action = docs.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="end with code 1 where they are out of date")
    action.add_argument("--write", action="store_true", help="bring them up to date")
    docs.add_argument("file", nargs="?", default="protocol.md", metavar="FILE")


def run(options: Namespace) -> int:
    from damd.protocol.tables import absent, refreshed

    try:
        with open(options.file, encoding="utf-8", newline="") as file:
            text = file.read()
        fresh = refreshed(text)
        if options.write and fresh != text:
            with open(options.file, "w", encoding="utf-8", newline="") as file:
                file.write(fresh)
    except OSError as fault:
        return fail(file_fault(options.file, fault))
    except (UnicodeDecodeError, KeyError) as fault:
        return fail(f"{options.file}: {fault}")
    if missing := absent(text):
        return fail(f"{options.file}: no place for the tables {', '.join(missing)}")
    if options.check and fresh != text:
        return fail(f"{options.file}: tables out of date, run damd docs --write")
    return FINE
