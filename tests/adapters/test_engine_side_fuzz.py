"""Whatever a Hub engine prints, its search ends with one answer and nothing is raised."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random

import pytest

from damd_adapters.hub import engine_process
from damd_adapters.hub.engine_side import HubEngine, Patience
from damd_adapters.uci.desk import Desk
from damd_adapters.uci.engine import EngineFault
from damd_adapters.uci.session import Session
from replies import kind_of

ORDINARY, LONG = 2_000, 100_000
A_SEARCH = 20

WORDS = (
    *("info", "done", "error", "pong", "id", "param", "wait", "ready", "init", "frobnicate", "=", '"', " ", "\t", "\r"),
    *("depth=3", "depth=-1", "depth=" + "9" * 30, "mean-depth=4.5", "max-depth=x", "score=0.02", "score=-99.97", "score=85"),
    *("score=1e999", "score=nan", "score=", "nodes=7", "nodes=" + "1" * 200, "time=0", "time=1e308", "time=-1", "nps=1.5"),
    *(
        "pv=32-28",
        'pv="32-28 19-23 28x19x23"',
        'pv="1 2 3"',
        "pv=x",
        "pv=" + "1x" * 300,
        "move=1-2",
        "ponder=19-23",
        "message=no",
    ),
    *("\x00", "\x1b[2J", "\ufffd", "\u3000", "é", "move", 'author="a b', "32-28", "x" * 3000, "name=a type=int min=z"),
)


class Mouth:
    """Stands for the engine's process: says nonsense between ``go`` and its answer."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.said = 0
        self.receiver: engine_process.HubProcess

    def __call__(self, _command: Sequence[str]) -> Mouth:
        return self

    async def open(self, receiver: engine_process.HubProcess) -> None:
        self.receiver = receiver

    def write(self, lines: Sequence[str]) -> None:
        for line in lines:
            for answer in self.answers(line.split()[0]):
                asyncio.get_running_loop().call_soon(self.receiver.line_received, answer)

    def answers(self, word: str) -> list[str]:
        if word == "hub":
            return [*self.nonsense(), "wait"]
        if word == "init":
            return [*self.nonsense(), "ready"]
        if word == "go":
            return [*self.nonsense(), self.random.choice(("done move=32-28 ponder=19-23", "done", "done move=28-19"))]
        return self.nonsense() if word == "pos" else []

    def nonsense(self) -> list[str]:
        random = self.random
        lines = ["".join(random.choices(WORDS, k=3)) for _ in range(A_SEARCH // 2)]
        lines += ["info " + " ".join(random.choices(WORDS[15:], k=random.randrange(5))) for _ in range(A_SEARCH // 2)]
        # What ends the wait is for the test to say.
        lines = [line for line in lines if line.split()[:1] not in (["wait"], ["ready"], ["done"])]
        self.said += len(lines)
        return lines

    async def close(self, quit_s: float, terminate_s: float) -> None:
        pass

    def stderr_tail(self) -> str:
        return ""


class Listener:
    def failed(self, fault: EngineFault) -> None:
        raise AssertionError(fault)

    def remark(self, text: str, *, debug: bool = True) -> None:
        pass


async def hold(count: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    mouth = Mouth(Random(seed))
    monkeypatch.setattr(engine_process, "ProcessTransport", mouth)
    engine = HubEngine(("fuzz",), "international", Patience(), Listener())
    await engine.start()
    said: asyncio.Queue[str] = asyncio.Queue()
    desk = Desk(Session(engine), said.put_nowait)
    while mouth.said < count:
        desk.line("go depth 3")
        best = ""
        async with asyncio.timeout(30):
            while not best.startswith("bestmove"):
                best = await said.get()
                assert kind_of_ours(best), best
        assert best in ("bestmove 32-28 ponder 19-23", "bestmove (none)")
    await engine.close()
    assert not faults


def kind_of_ours(line: str) -> str:
    """``info`` has what the engine has told and no more."""
    return "info" if line.startswith("info ") and line.isprintable() else kind_of(line)


def test_nonsense(monkeypatch):
    asyncio.run(hold(ORDINARY, 1, monkeypatch))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_lot_of_nonsense(monkeypatch):
    asyncio.run(hold(LONG, 2, monkeypatch))
