"""Whole games over DXP: damd against itself in both roles, against pydraughts, and a live port under a flood of garbage."""

from __future__ import annotations

import json
import random
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from damd.notation.pdn import read_games
from damd_adapters.dxp.messages import GameRequest
from dxp_peers import Dxp, Listening, Wire
from peers import PEERS
from programs import gone
from talking import PATIENCE_S
from test_dxp_messages import spoilt

PYDRAUGHTS = PEERS["pydraughts"].package
GAME = re.compile(r"game (\d+): (.+) after (\d+) plies; (white|black) was ours")


def ends(program: Dxp) -> list[tuple[str, ...]]:
    """Number, result, plies and own colour of all games."""
    return [found.groups() for line in program.all_lines if (found := GAME.fullmatch(line))]


def other(colour: str) -> str:
    return "black" if colour == "white" else "white"


# damd against damd


def require_games(games: int, listens: str, connects: str, tmp_path: Path) -> None:
    """Both programs count and write down the same games; in every other one each has White."""
    files = [tmp_path / "listens.pdn", tmp_path / "connects.pdn"]
    # By time, not by nodes, the games are not all the same two.
    common = ("--gap", "1", "--minutes", "2", "--move-time", "4")
    first = ("--role", listens, "--games", str(games), "--pdn", str(files[0]))
    second = ("--role", connects, "--games", str(games), "--pdn", str(files[1]))
    with ExitStack() as stack:
        one = stack.enter_context(Listening(*common, *first, "--name", "First"))
        two = stack.enter_context(Dxp(*common, *second, "--name", "Second", "--connect", f"127.0.0.1:{one.opened}"))
        children = one.children() + two.children()
        for program in (two, one):
            program.rest(3600)
            assert program.exit_code() == 0
            assert program.stderr() == ""
    said = ends(one)
    assert len(said) == games
    assert [(number, result, plies, other(colour)) for number, result, plies, colour in ends(two)] == said
    assert {colour for *_, colour in said[::2]} != {colour for *_, colour in said[1::2]}
    assert all("unknown" not in result for _, result, _, _ in said)
    read = []
    for file in files:
        with file.open(encoding="utf-8") as source:
            found = list(read_games(source))
        assert not any(game.faults for game in found)
        read.append([game.game for game in found])
    assert [game and game.line for game in read[0]] == [game and game.line for game in read[1]]
    assert [str(len(list(game.line.plies()))) for game in read[0] if game] == [plies for _, _, plies, _ in said]
    assert len({game.line for game in read[0] if game}) > games // 4
    assert all(gone(child) for child in children)


ROLES = [("follower", "initiator"), ("initiator", "follower")]


@pytest.mark.parametrize(("listens", "connects"), ROLES)
def test_two_games(listens: str, connects: str, tmp_path: Path) -> None:
    require_games(2, listens, connects, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("listens", "connects"), ROLES)
def test_fifty_games(listens: str, connects: str, tmp_path: Path) -> None:
    require_games(50, listens, connects, tmp_path)


# pydraughts


def require_pydraughts(games: int) -> None:
    """pydraughts calls, plays at random and takes whatever it can; it has every second game with Black."""
    if not PYDRAUGHTS.installed:
        pytest.skip("pydraughts is not installed: python tests/peers.py")
    with Listening("--nodes", "100", "--games", str(games)) as program:
        script = Path(__file__).with_name("peer_pydraughts_dxp.py")
        colours = ("w", "b") * (games // 2)
        command = [PYDRAUGHTS.python, script, str(program.opened), *colours]
        told = subprocess.run(command, capture_output=True, text=True, timeout=20 * PATIENCE_S, check=False)
        assert told.returncode == 0, told.stderr
        program.rest()
        assert program.exit_code() == 0
    theirs = [json.loads(line) for line in told.stdout.splitlines()]
    said = ends(program)
    assert len(said) == len(theirs) == games
    for game, (_, result, plies, colour), peer in zip(theirs, said, colours, strict=True):
        assert game["over"], "both hold the game for over"
        assert game["peer"].startswith("damd")
        assert colour == {"w": "black", "b": "white"}[peer]
        assert int(plies) == game["moves"]
        assert result.startswith((f"{colour} wins (no-", "draw ("))


def test_two_games_with_pydraughts() -> None:
    require_pydraughts(2)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_games_with_pydraughts() -> None:
    require_pydraughts(20)


# A live port


def require_survival(count: int, seed: int) -> None:
    """Messages of every kind, many of them spoilt, on one connection after the other; then a game is played as ever."""
    source = random.Random(seed)
    quick = ("--answer", "0.2", "--patience", "0.2", "--free-minutes", "0.003", "--idle", "0.2")
    with Listening("--nodes", "1", "--gap", "0", *quick) as program:
        sent = 0
        while sent < count:
            with Wire.to(program.opened) as wire:
                script = [spoilt(source) for _ in range(source.randrange(1, 60))]
                if source.random() < 0.5:
                    script.insert(source.randrange(3), GameRequest("Fuzz", source.randrange(2), 0).text.encode())
                sent += len(script)
                wire.offer(b"".join(data.replace(b"\0", b"\1") + b"\0" for data in script))
        with Wire.to(program.opened) as wire:
            wire.send(GameRequest("Last", 1, 1).text, "M0000322800")
            assert wire.until("M")
        program.process.terminate()
        assert "Traceback" not in program.stderr()


def test_a_live_port_survives_garbage() -> None:
    require_survival(3_000, 1)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_live_port_survives_much_garbage() -> None:
    require_survival(100_000, 2)
