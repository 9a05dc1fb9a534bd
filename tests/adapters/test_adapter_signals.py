"""Signals to adapters whose answers nobody reads: they end all the same, and their engines with them."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess

import pytest

from hub_engines import scripted
from hub_program import Hub
from programs import await_log, full_pipe, gone, signalled_unread, started
from talking import PATIENCE_S

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.mark.parametrize(
    ("name", "line", "number"),
    [
        ("hub", "hub", signal.SIGTERM),
        ("hub", "hub", signal.SIGINT),
        ("hub", "hub", signal.SIGHUP),
        ("ugi", "ugi", signal.SIGTERM),
        ("xboard", "protover 2", signal.SIGINT),
    ],
)
def test_an_answer_that_nobody_reads_does_not_hold_up_the_end(tmp_path, name, line, number):
    code, children, stderr = signalled_unread(name, ["--option", "Hash=1"], line, number, tmp_path / "log")
    assert code == 128 + number
    assert stderr == ""
    assert children
    assert all(gone(child) for child in children)


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
def test_nor_with_an_engine_of_another_protocol(tmp_path, number, expected):
    """There Ctrl-C is a ``quit``."""
    engine = ["--engine", shlex.join(scripted(tmp_path, {}))]
    code, children, stderr = signalled_unread("hub", engine, "uci", number, tmp_path / "log")
    assert code == expected
    assert stderr == ""
    assert children
    assert all(gone(child) for child in children)


def test_nor_do_words_on_standard_error(tmp_path):
    log = tmp_path / "log"
    arguments = ("--listen", "127.0.0.1:0", "--log", str(log))
    with full_pipe() as full, started("dxp", *arguments, stdout=subprocess.PIPE, stderr=full) as program:
        assert program.stdout is not None
        port = int(program.stdout.readline().rpartition(b":")[2])
        with socket.create_connection(("127.0.0.1", port)) as peer:
            peer.sendall(b"Chello\0")
            await_log(log, "! chat from ")
            program.send_signal(signal.SIGTERM)
            try:
                assert program.wait(PATIENCE_S) == 128 + signal.SIGTERM
            finally:
                program.kill()


def test_nor_do_pauses_between_lines():
    with Hub("--slow-handshake", "10000") as hub:
        hub.send("hub")
        hub.next_of("id")
        children = hub.children()
        hub.process.send_signal(signal.SIGTERM)
        assert hub.exit_code() == 128 + signal.SIGTERM
        assert hub.stderr() == ""
        assert children
        assert all(gone(child) for child in children)
