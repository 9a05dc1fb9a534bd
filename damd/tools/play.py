"""``damd play``: a person against the engine."""

from __future__ import annotations

from argparse import Namespace

from damd.play.arguments import add_play as add

__all__ = ["add", "run"]


def run(options: Namespace) -> int:
    from damd.play.run import run as play

    return play(options)
