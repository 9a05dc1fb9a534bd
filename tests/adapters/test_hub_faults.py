"""``damd-hub`` with an engine that fails: the Hub program is told in a line, the adapter ends, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from hub_program import Hub, known
from programs import gone, misbehaving
from talking import PATIENCE_S, ROOT

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")])}


class Failing(Hub):
    """An adapter whose engine shakes hands and then misbehaves; it is waited for a second."""

    def __init__(self, mode: str) -> None:
        super().__init__("--patience", "1", "--daemon", misbehaving(mode))

    def children_at_ready(self) -> list[int]:
        self.send("hub", "init")
        self.next_of("ready")
        return self.children()

    def message_at_the_end(self) -> str:
        """What the last line says; the adapter has ended with code 1, and people are told the same."""
        said = self.rest()
        message = known(said[-1]).get("message") or ""
        assert [line for line in said if known(line).name == "error"] == said[-1:]
        assert self.exit_code() == 1
        assert message.split(";")[0] in self.stderr().replace('"', "'")
        return message


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("die", "the engine has ended with exit code 3; its last words on stderr: first line out of memory, sorry"),
        ("die-by-signal", "the engine has ended with exit code -9"),
        ("deaf", "no answer to isready within 1 s"),
        ("die-at-last-word", "the engine played 1-2, which is no legal move here"),
        ("long", "the engine played 1-2, which is no legal move here"),
        ("close-stdout", "it had closed its output"),
        ("leave-child", "the engine has ended with exit code 7"),
    ],
)
def test_a_search_that_fails(mode, message):
    with Failing(mode) as hub:
        children = hub.children_at_ready()
        hub.send("pos", "level depth=3", "go think")
        assert message in hub.message_at_the_end()
        assert children
        assert all(gone(child) for child in children)


def test_an_engine_that_does_not_stop():
    with Failing("deaf") as hub:
        children = hub.children_at_ready()
        hub.send("pos", "level time=60", "go ponder", "stop")
        assert hub.message_at_the_end() in ("no answer to isready within 1 s", "no answer to stop within 1 s")
        assert all(gone(child) for child in children)


@pytest.mark.parametrize("last", ["quit", None])
def test_the_hub_program_goes_while_the_engine_hangs(last):
    with Failing("deaf") as hub:
        children = hub.children_at_ready()
        hub.send("pos", "go analyze", *([last] if last else []))
        hub.close_input()
        assert "the engine has not answered within 1 s" in hub.message_at_the_end()
        assert all(gone(child) for child in children)


@pytest.mark.parametrize(
    ("mode", "message"), [("no-uciok", "no answer to uci within 1 s"), ("die-in-handshake", "no such network file")]
)
def test_a_handshake_that_fails(mode, message):
    with Failing(mode) as hub:
        hub.send("hub")
        assert message in hub.message_at_the_end()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_it_dies_while_nobody_asks_it_anything():
    with Hub() as hub:
        hub.send("hub", "init")
        hub.next_of("ready")
        (child,) = hub.children()
        os.kill(child, signal.SIGKILL)
        (line,) = hub.next_of("error")
        assert known(line).get("message") == "the engine has ended with exit code -9"
        assert hub.exit_code() == 1


def test_a_daemon_that_is_none():
    """H06's brother: a program that talks to people."""
    with Hub("--patience", "1", "--daemon", 'sh -c "while read line; do echo Your move?; done"') as hub:
        hub.send("hub")
        assert known(hub.next_of("error")[-1]).get("message") == "no answer to uci within 1 s"
        assert hub.exit_code() == 1


def test_a_reader_that_has_left_ends_it_quietly():
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "damd_adapters.hub"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        os.close(writer)
        os.close(reader)
        assert process.stdin is not None
        process.stdin.write(b"hub\npos\ngo analyze\n")
        process.stdin.flush()
        assert process.wait(PATIENCE_S) == 1
        assert process.stderr is not None
        assert process.stderr.read() == b""
