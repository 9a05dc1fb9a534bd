"""Two libraries that know some of the games, each in an environment of its own: both call their module ``draughts``.

``python tests/peers.py`` installs them; ``python3 dev.py test`` does that first.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.processes import Package
from comparing import core_plies
from damd.core.types import Setup
from damd.notation.fen import format_fen
from damd.rules import Rules
from positions import bare, random_plies, random_setup, read_fen, start


class PyDraughts(Package):
    package = "pydraughts"
    version = "0.6.7"


class PyDraughtsOfOtherName(Package):
    package = "py-draughts"
    version = "1.10.1"


@dataclass(frozen=True, slots=True)
class Peer:
    """A library: the script that asks it, what it calls our variants, and why it is not asked about the others.

    ``men_alone`` are variants in which it is asked about positions without kings only, and why.
    """

    package: Package
    script: str
    names: dict[str, str]
    left_out: dict[str, str]
    men_alone: dict[str, str] = field(default_factory=dict)


UNKNOWN = "does not know the game"

PEERS = {
    "pydraughts": Peer(
        PyDraughts(),
        "peer_pydraughts.py",
        names={
            "brazilian": "brazilian",
            "breakthrough": "breakthrough",
            "english": "english",
            "frisian": "frisian",
            "frysk": "frysk",
            "international": "standard",
            "italian": "italian",
            "losing": "antidraughts",
            "russian": "russian",
            "turkish": "turkish",
        },
        left_out=dict.fromkeys(("canadian", "czech", "killer", "pool", "portuguese", "spanish", "thai"), UNKNOWN),
        men_alone={"turkish": "lets a king fly over men"},
    ),
    "py-draughts": Peer(
        PyDraughtsOfOtherName(),
        "peer_py_draughts.py",
        names={
            "brazilian": "Brazilian",
            "breakthrough": "Breakthrough",
            "frisian": "Frisian",
            "frysk": "Frysk",
            "international": "Standard",
            "losing": "Antidraughts",
            "russian": "Russian",
        },
        left_out={
            "english": "lets a capture be left out for a quiet move",
            **dict.fromkeys(
                ("canadian", "czech", "italian", "killer", "pool", "portuguese", "spanish", "thai", "turkish"), UNKNOWN
            ),
        },
    ),
}

#: pydraughts writes down every route: positions with more of them are not asked about.
ROUTES = 300

#: One ply as a peer tells it: where it begins and ends, and the position after it.
Told = tuple[int, int, Setup]


def asked_rules(rules: Rules) -> Rules:
    """The rules as the libraries know them: neither counts a king's quiet moves."""
    return replace(rules, king=replace(rules.king, quiet_limit=0))


def positions(rules: Rules, count: int, seed: int, men_alone: bool = False) -> list[Setup]:
    """Different positions with plies: random ones and those of short random games from them and from the start."""
    random = Random(seed)
    found: dict[Setup, None] = {}
    while len(found) < count:
        from_start = random.random() < 0.2
        setup = start(rules) if from_start else random_setup(rules, random)
        for turn in random_plies(rules, setup, random, 30 if from_start else 4, ROUTES):
            fits = not men_alone or not any(turn.setup.kings)
            if fits and turn.choices and len(found) < count:
                found[bare(turn.setup)] = None
    return list(found)


def plies(rules: Rules, setup: Setup) -> set[Told]:
    """What a peer ought to tell: the core's plies."""
    return {(ply.origin, ply.end, bare(after)) for ply, after in core_plies(rules, setup)}


class Session:
    """A library at work: its process answers until it is closed."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        command = [peer.package.python, Path(__file__).with_name(peer.script)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def plies(self, variant: str, rules: Rules, fen: str) -> set[Told]:
        """What it tells about a position."""
        pipes = self._process
        assert pipes.stdin
        assert pipes.stdout
        pipes.stdin.write(f"{self.peer.names[variant]} {fen}\n")
        pipes.stdin.flush()
        line = pipes.stdout.readline()
        assert line, f"{self.peer.package.package} has ended at {fen}; see its words on stderr"
        index = rules.geometry.index
        return {(index(first), index(last), read_fen(after, rules)) for first, last, after in json.loads(line)}

    def close(self) -> None:
        self._process.communicate(timeout=60)


def fen_for_peers(setup: Setup, rules: Rules) -> str:
    """With names where the GameType prescribes them: numbers then differ from library to library."""
    named = rules.names.gametype.split(",")[4:5] == ["A0"]
    return format_fen(setup, rules, squares="algebraic" if named else "numeric")


if __name__ == "__main__":
    for each in PEERS.values():
        each.package.install()
