"""The options of ``damd match`` that have its games played on a Dask cluster."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from damd.tools.tournament import CommandLineError

if TYPE_CHECKING:
    from damd.match.places import Cluster


def add_cluster(group: Any, number: Callable[[int, int], Callable[[str], int]]) -> None:
    """``number`` makes the type of an argument that is a number between two others."""
    group.add_argument(
        "--cluster", type=number(1, 1000), metavar="N", help="N games at once, on a Dask cluster on this machine"
    )
    group.add_argument(
        "--scheduler", metavar="tcp://HOST:PORT", help="on the Dask cluster there (pip install damd[cluster])"
    )
    group.add_argument("--resource", metavar="NAME", help="a game there takes one of this resource of its worker")
    group.add_argument(
        "--worker-wait",
        type=number(1, 86_400),
        metavar="S",
        help="wait so long for workers when there are none (default: 600)",
    )


def check_cluster(options: Namespace) -> None:
    """Raises ``CommandLineError``, and ``WorkerLost`` where Dask is asked for and not installed."""
    asked = [f"--{name}" for name in ("cluster", "scheduler") if getattr(options, name) is not None]
    if len(asked) > 1:
        raise CommandLineError("--cluster and --scheduler: a cluster on this machine, or the one that is there")
    if not asked:
        for name in ("resource", "worker_wait"):
            if getattr(options, name) is not None:
                raise CommandLineError(f"--{name.replace('_', '-')}: goes with --scheduler or --cluster")
        return
    _check_beside(asked[0], options)
    if options.scheduler is None:
        if options.resource is not None:
            raise CommandLineError("--resource: goes with --scheduler: workers of --cluster play one game each")
    else:
        _check_address(options.scheduler)
    from damd.match.dask_places import check_dask

    check_dask()


def cluster_of(options: Namespace) -> Cluster | None:
    from damd.match.places import Cluster

    if options.scheduler is None and options.cluster is None:
        return None
    given = {} if options.worker_wait is None else {"wait_s": float(options.worker_wait)}
    return Cluster(options.scheduler or "", options.cluster or 0, options.resource or "", **given)


def _check_beside(word: str, options: Namespace) -> None:
    """What makes no sense beside a cluster. Raises ``CommandLineError``."""
    if options.report is not None or options.dry_run:
        raise CommandLineError(f"{word}: nothing is played")
    if options.concurrency is not None:
        raise CommandLineError(f"--concurrency: {word} says how many games are played at once")
    if options.pin:
        raise CommandLineError(f"--pin: goes with games of this process, not with {word}: start workers by taskset")
    if options.overload and options.scheduler is not None:
        raise CommandLineError("--overload: the threads of its workers say how many games a machine plays at once")


def _check_address(text: str) -> None:
    """Raises ``CommandLineError``."""
    from re import fullmatch

    found = fullmatch(r"(?:tcp|tls)://(?:[^\s:/\[\]]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})", text)
    if found is None or not 0 < int(found[1]) < 1 << 16:
        raise CommandLineError(f"--scheduler: {text!r} is no address: write tcp://HOST:PORT, or tls://HOST:PORT")
