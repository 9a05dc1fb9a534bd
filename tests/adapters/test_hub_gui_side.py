"""``damd-hub`` as a Hub program meets it, with the real daemon behind it."""

from __future__ import annotations

import os
import re
import signal
import time

import pytest

from damd.variants import load
from damd_adapters.hub.board import read_move, write_move, write_position
from damd_adapters.hub.grammar import Message
from damd_adapters.table import Table
from hub_program import START, Hub, known
from programs import gone

INTERNATIONAL = load("international")


@pytest.fixture(scope="module")
def shared():
    """One process for all tests that leave it as it was; each begins with ``pos``."""
    with Hub() as hub:
        hub.send("hub", "init")
        hub.next_of("ready")
        yield hub
        assert hub.stderr_free()


@pytest.fixture
def hub(shared):
    shared.send("set-param name=variant value=normal", "pos", "new-game", "ping")
    assert shared.next_of("pong") == ["pong"]
    return shared


# The handshake


def test_the_handshake():
    with Hub() as hub:
        hub.send("hub")
        said = [known(line) for line in hub.next_of("wait")]
        assert [message.name for message in said] == ["id", *["param"] * (len(said) - 2), "wait"]
        assert said[0].get("name") == "damd"
        assert said[0].get("author") == "the damd authors"
        params = {message.get("name"): message for message in said[1:-1]}
        variant = params["variant"]
        assert variant.get("value") == "normal"
        assert (variant.get("values") or "").split()[:5] == ["normal", "killer", "bt", "frisian", "losing"]
        assert {"dam-daman", "dam-haji", "turkish", "canadian"} <= set((variant.get("values") or "").split())
        assert params["ponder"].get("type") == "bool"
        assert params["missed-capture"].get("value") == "forbidden"
        assert (params["tt-size"].get("min"), params["tt-size"].get("max")) == ("16", "30")
        hub.send("init")
        assert hub.next_of("ready") == ["ready"]
        # As some programs do, all of them are sent back.
        hub.send(*(f"set-param name={name} value={message.get('value')}" for name, message in params.items()), "init", "hub")
        assert [known(line) for line in hub.next_of("wait")] == [Message("ready"), *said]
        hub.send("quit")
        assert hub.stderr_free()


# H04
def test_a_conversation_that_comes_at_once():
    lines = (
        "\ufeffhub",  # as some editors begin a file
        'set-param name=nonsense value=""',
        "init",
        "frobnicate a=b",
        f"pos pos={START}",
        "level infinite",
        "go think",
        "ping",
        "stop",
        "quit",
    )
    with Hub() as hub:
        hub.send(*lines)
        said = [known(line) for line in hub.rest()]
        assert hub.exit_code() == 0
        assert hub.stderr() == ""
    assert {message.name for message in said} == {"id", "param", "wait", "ready", "pong", "info", "done"}
    order = [message for message in said if message.name in ("wait", "ready", "pong", "done")]
    assert [message.name for message in order] == ["wait", "ready", "pong", "done"]
    assert order[-1].get("move")


# H05
@pytest.mark.parametrize("go", ["level infinite\ngo analyze", "level depth=40\ngo think", "level time=600\ngo ponder"])
def test_the_end_of_the_input_is_a_quit(go):
    with Hub() as hub:
        hub.send("hub", "init", *go.splitlines())
        hub.next_of("info")
        children = hub.children()
        hub.close_input()
        said = hub.rest()
        assert hub.exit_code() == 0
        assert [known(line).name for line in said if known(line).name != "info"] == ["done"]
        assert all(gone(child) for child in children)
        assert hub.stderr() == ""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_takes_the_engine_along(number):
    with Hub() as hub:
        hub.send("level infinite", "go analyze")
        hub.next_of("info")
        children = hub.children()
        hub.process.send_signal(number)
        hub.rest()
        assert hub.exit_code() == 128 + number
        assert children
        assert all(gone(child) for child in children)
        assert hub.stderr() == ""


# Positions and moves


def test_the_start_position_goes_without_saying(hub):
    table = Table(INTERNATIONAL)
    for line in ("pos", "pos start", f"pos pos={START}"):
        hub.send('pos moves="32-28 19-23"')
        assert read_move(hub.done(line, "level depth=1", "go think").get("move") or "", table.position)


def test_a_whole_game_of_many_moves_on_one_line(hub):
    pos = "W" + 35 * "e" + "B" + 13 * "e" + "W"
    moves = " ".join(["50-45", "36-41", "45-50", "41-36"] * 75)  # kings walk up and down for as long as one likes
    done = hub.done(f'pos pos={pos} moves="{moves}"', "level depth=2", "go think")
    assert re.fullmatch(r"50-\d+", done.get("move") or "")
    # One move less, as it is when a game is looked through backwards; then another game that began alike.
    done = hub.done(f'pos pos={pos} moves="{moves[:-6]}"', "level depth=2", "go think")
    assert re.fullmatch(r"41-\d+", done.get("move") or "")
    done = hub.done(f'pos pos={pos} moves="50-45 36-31"', "level depth=2", "go think")
    assert re.fullmatch(r"45-\d+", done.get("move") or "")


def test_what_the_engine_answers_is_written_with_all_captured_squares(hub):
    done = hub.done('pos moves="32-28 19-23"', "level depth=4", "go think")
    assert done.get("move") == "28x19x23"
    # H02: and read with them or without.
    for reply in ("28x19", "28x19x23"):
        done = hub.done(f'pos moves="32-28 19-23 {reply}"', "level depth=4", "go think")
        assert re.fullmatch(r"1[34]x2[34]x19", done.get("move") or "")


def test_an_expected_answer_comes_with_the_move(hub):
    done = hub.done('pos moves="32-28 19-23"', "level depth=6", "go think")
    assert [name for name, _ in done.arguments] == ["move", "ponder"]
    table = Table(INTERNATIONAL)
    for text in ("32-28", "19-23", *(value or "" for _, value in done.arguments)):
        table.play(read_move(text, table.position))


# H17 and its kind
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"pos pos={START}e", "bad position: expected 50 squares, got 51"),
        (f"pos pos={START[:-1]}", "bad position: expected 50 squares, got 49"),
        (f"pos pos={START[:33]}", "bad position: expected 50 squares, got 32"),
        (f"pos pos=x{START[1:]}", "bad position: a position begins with the side to move, W or B, not with 'x'"),
        (f"pos pos=W{49 * 'e'}x", "bad position: 'x' on square 50: expected w, W, b, B or e"),
    ],
)
def test_a_wrong_position_is_told_and_the_old_one_stays(hub, line, message):
    hub.send('pos moves="32-28 19-23"')
    assert hub.complaint(line) == message
    assert hub.done("level depth=2", "go think").get("move") == "28x19x23"


def test_of_a_wrong_move_list_the_moves_before_count(hub):
    assert hub.complaint('pos moves="32-28 19-23 28-99 1-7"').startswith("illegal move 3 28-99: 99 is not a square")
    assert hub.done("level depth=2", "go think").get("move") == "28x19x23"
    assert hub.complaint('pos moves="32-28 19-23 35-30"').startswith("illegal move 3 35-30: ")
    assert hub.done("level depth=2", "go think").get("move") == "28x19x23"


def test_lines_without_sense_change_nothing(hub):
    hub.send('pos moves="32-28 19-23"')
    assert hub.complaint('pos moves="32-28').startswith("bad line: the quotes of moves are not closed")
    assert hub.complaint("level depth=deep") == "level: depth takes a whole number, not deep"
    assert hub.complaint("set-param value=3") == "set-param: missing name"
    assert hub.complaint("set-param name=variant value=chess").startswith("set-param: variant takes normal, killer, bt")
    assert hub.complaint("pos pos=" + "W" * 200_000) == "a line of more than 131072 bytes was dropped"
    hub.send("", "   ", "x", "frobnicate pos=1", "ping")
    assert hub.line() == "pong"
    assert hub.done("level depth=2", "go think").get("move") == "28x19x23"


@pytest.mark.parametrize(
    ("pos", "reason"),
    [
        ("B" + 5 * "e" + "w" + 44 * "e", "no piece to move"),
        ("W" + 5 * "e" + "w" + 44 * "e", "no piece to move against"),
        ("W" + 36 * "e" + "beeebeeeew" + 4 * "e", "no way to go"),
    ],
)
@pytest.mark.parametrize("go", ["think", "ponder", "analyze"])
def test_where_there_is_no_move_done_has_none(hub, pos, reason, go):
    hub.send(f"pos pos={pos}", "level depth=3", f"go {go}")
    assert hub.next_of("done") == ["done"], reason


# Games


@pytest.mark.parametrize(
    "name",
    ["normal", "killer", "bt", "frisian", "losing", "brazilian", "turkish", "canadian", "dam", "dam-haji", "dam-daman"],
)
def test_every_game_has_its_names_and_its_squares(hub, name):
    hub.send(f"set-param name=variant value={name}")
    rules = load({"normal": "international", "bt": "breakthrough"}.get(name, name)).without_penalty()
    table = Table(rules)
    start = write_position(table.position.setup(), rules.geometry)
    for _ in range(3):
        played = [write_move(ply, rules.geometry) for ply in table.played]
        moves = f' moves="{" ".join(played)}"' if played else ""
        done = hub.done(f"pos pos={start}{moves}", "level depth=2", "go think")
        table.play(read_move(done.get("move") or "", table.position))


def test_captures_may_not_be_missed_unless_that_is_wanted(hub):
    hub.send("set-param name=variant value=dam-haji")
    squares = ["e"] * 32
    for square, piece in ((23, "w"), (32, "w"), (19, "b"), (1, "b")):
        squares[square - 1] = piece
    pos = "W" + "".join(squares)
    assert hub.done(f"pos pos={pos}", "level depth=3", "go think").get("move") == "23x16x19"
    assert hub.complaint(f"pos pos={pos} moves=32-27").startswith("illegal move 1 32-27: ")
    hub.send("set-param name=missed-capture value=rule")
    hub.done(f"pos pos={pos} moves=32-27", "level depth=6", "go think")
    hub.send(f'pos pos={pos} moves="32-27 x23"', "ping")
    assert hub.line() == "pong"
    hub.send("set-param name=missed-capture value=forbidden", "ping")
    assert hub.line() == "pong"


def test_params_may_be_set_whenever_nobody_searches(hub):
    hub.send('set-param name="Move Overhead" value=30', "set-param name=threads value=4", "set-param name=bb-size value=4")
    hub.send(
        "set-param name=skill-level value=3", 'pos moves="32-28 19-23"', "level nodes=500", "set-param name=book value=true"
    )
    assert hub.done("level depth=3", "go think").get("move") == "28x19x23"
    assert hub.complaint("set-param name=tt-size value=15").endswith("not 15: 16 is used")
    hub.send("set-param name=skill-level value=20", "set-param name=tt-size value=20", "clear-hash", "ping")
    assert hub.line() == "pong"


def test_a_job_of_a_worker_on_servers(hub):
    """draughtsnet: params of other engines after the level, and several levels."""
    params = ("eval value=pst", "book-margin value=0", "book-ply value=0", "threads value=2", "tt-size value=20")
    hub.send(
        "new-game",
        f'pos pos={START} moves="32-28 19-23"',
        "level nodes=4000",
        *(f"set-param name={each}" for each in params),
    )
    done = hub.done("level handicap=2 ply=4", "level move-time=60", "go think")
    assert done.get("move") == "28x19x23"


def test_a_gui_that_analyses_as_soon_as_it_may(hub):
    """GWDGUI: no new-game, a second of analysis, a word that only its own engine knows."""
    assert hub.done(f"pos pos={START}", "level move-time=0.050", "go analyze").get("move")
    assert hub.done(f"pos pos={START} moves=32-28", "level move-time=0.050", "go mcts").get("move")


def test_two_players_on_one_engine(hub):
    """The Hub GUI: both sides by turns with one process, clocks that count down, positions without moves."""
    table = Table(INTERNATIONAL)
    for ply in range(8):
        pos = write_position(table.position.setup(), INTERNATIONAL.geometry)
        done = hub.done(
            f"pos pos={pos}", f"level moves={75 - ply // 2} time={5 - ply / 10:.3f}", "level depth=3", "go think"
        )
        table.play(read_move(done.get("move") or "", table.position))


def test_another_game_begins_at_its_start(hub):
    hub.send('pos moves="32-28 19-23"', "set-param name=variant value=normal")
    assert hub.done("level depth=2", "go think").get("move") == "28x19x23"
    hub.send('pos moves="32-28 19-23"', "set-param name=variant value=brazilian")
    assert re.fullmatch(r"2[1-4]-\d\d", hub.done("level depth=2", "go think").get("move") or "")


def test_values_that_cannot_be_sent_are_refused(hub):
    for value in ('"a\rb"', '"\x00"'):
        hub.send_bytes(f"set-param name=first-mover value={value}\nping\n".encode())
        assert "set-param: first-mover takes" in hub.next_of("error")[0]
        assert hub.line() == "pong"


# Searches


def test_infos_are_as_programs_read_them(hub):
    hub.send("pos", "level depth=7", "go think")
    said = hub.next_of("done")
    for line in said[:-1]:
        assert re.fullmatch(
            r"info depth=\d+ max-depth=\d+ score=-?\d+\.\d\d nodes=\d+( time=\d+\.\d{3})?( nps=\d+\.\d{3})?"
            r'( pv=(\d[\dx-]*|"\d[\dx-]*( \d[\dx-]*)+"))?',
            line,
        )
        assert "time=0.000" not in line
        assert "nps=0.000" not in line
    assert known(said[-2]).get("depth") == "7"


def test_a_ping_is_answered_in_a_search_which_goes_on(hub):
    hub.send("pos", "level infinite", "go analyze")
    hub.next_of("info")
    hub.send("ping")
    hub.next_of("pong")
    hub.send("ping", "ping")
    hub.next_of("pong")
    hub.next_of("pong")
    hub.send("stop")
    assert known(hub.next_of("done")[-1]).get("move")
    hub.send("stop", "ponder-hit", "ping")  # nothing to stop
    assert hub.line() == "pong"


def test_stop_and_the_next_search_come_at_once(hub):
    lines = []
    for moves in ("", "32-28", "32-28 19-23", "32-28 19-23 28x19"):
        lines += ["stop", f'pos moves="{moves}"', "level infinite", "go analyze"]
    hub.send(*lines, "stop", "ping")
    for _ in range(4):
        hub.next_of("done")
    hub.send("init")
    assert set(hub.next_of("ready")) <= {"pong", "ready"}  # and no fifth


def test_another_line_ends_a_search_without_end(hub):
    hub.send("pos", "go analyze")
    hub.next_of("info")
    hub.send('pos moves="32-28 19-23"', "level depth=2", "go think")
    first, second = (known(hub.next_of("done")[-1]).get("move") for _ in range(2))
    assert first
    assert second == "28x19x23"


def test_behind_a_search_with_an_end_lines_wait(hub):
    hub.send("pos", "level depth=6", "go think", 'pos moves="32-28 19-23"', "level depth=2", "go think")
    said = hub.next_of("done")
    assert known(said[-2]).get("depth") == "6"
    assert known(hub.next_of("done")[-1]).get("move") == "28x19x23"


def test_pondering_ends_by_a_hit_or_a_stop(hub):
    hub.send('pos moves="32-28 19-23"', "level depth=3", "go ponder", "ping")
    assert "done" not in " ".join(hub.next_of("pong"))
    hub.send("ponder-hit")
    assert known(hub.next_of("done")[-1]).get("move") == "28x19x23"
    hub.send("pos", "level time=3600 moves=2", "go ponder", "ping")
    hub.next_of("pong")
    hub.send("stop")
    assert known(hub.next_of("done")[-1]).get("move")
    # All at once, the hit with them.
    hub.send("pos", "level depth=2", "go ponder", "ponder-hit", "ping")
    hub.next_of("done")
    # A hit that comes too late is nothing.
    hub.send("ponder-hit", "ping")
    while hub.line() != "pong":
        pass


def test_a_miss_ends_pondering_and_begins_another_search(hub):
    hub.send("pos moves=32-28", "level time=60.000 moves=75", "go ponder")
    hub.next_of("info")
    hub.send("stop", 'pos moves="32-28 19-23"', "level depth=3", "go think")
    assert known(hub.next_of("done")[-1]).get("move")
    assert known(hub.next_of("done")[-1]).get("move") == "28x19x23"


def test_levels_add_up_until_a_position_or_a_search(hub):
    hub.send("pos", "level depth=30", "level nodes=300", "level move-time=100.0", "go think")
    infos = [known(line) for line in hub.next_of("done")[:-1]]
    assert int(infos[-1].get("depth") or 0) < 12
    # The level is used up: this search has no end.
    hub.send("go analyze", "ping")
    hub.next_of("pong")
    hub.send("stop")
    hub.next_of("done")
    # And a position forgets it.
    hub.send("level depth=1", "pos", "level nodes=300", "go think")
    infos = [known(line) for line in hub.next_of("done")[:-1]]
    assert int(infos[-1].get("depth") or 0) > 1


def test_clocks(hub):
    # An increment of a tenth of a second is all that is left.
    assert hub.done("pos", "level time=0.000 inc=0.1", "go think").get("move")
    assert hub.done("pos", "level inc=0.05 moves=2", "go").get("move")
    assert hub.done("pos", "level moves=1", "go mcts").get("move")
    assert hub.done("pos moves=32-28", "level time=-1.5", "go think").get("move")


# Command line


def test_the_game_and_options_of_the_command_line():
    with Hub("--variant", "brazilian", "--option", "Hash=100", "--option", "MissedCapture=rule") as hub:
        hub.send("hub", "pos", "level depth=2", "go think")
        params = {message.get("name"): message.get("value") for line in hub.next_of("wait") if (message := known(line))}
        assert params["variant"] == "brazilian"
        assert params["tt-size"] == "22"
        assert params["missed-capture"] == "rule"
        assert re.fullmatch(r"2\d-\d\d", known(hub.next_of("done")[-1]).get("move") or "")


def test_own_games(tmp_path):
    (tmp_path / "house.toml").write_text('base = "dam"\nking.flying = false\n', encoding="utf-8")
    with Hub("--option", f"VariantPath={tmp_path}", "--variant", "house") as hub:
        hub.send("hub", "pos", "level depth=2", "go think")
        params = {message.get("name"): message for line in hub.next_of("wait") if (message := known(line))}
        assert params["variant"].get("value") == "house"
        assert "house" in (params["variant"].get("values") or "").split()
        assert known(hub.next_of("done")[-1]).get("move")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--variant", "chess"), "UCI_Variant takes"),
        (("--option", "Hsh=3"), "did you mean Hash"),
        (("--option", "Hash=big"), "takes a whole number"),
        (("--daemon", "/no/such/engine"), "cannot start"),
    ],
)
def test_what_cannot_be_begun_is_told_both_ways(arguments, reason):
    with Hub(*arguments) as hub:
        hub.send("hub")
        hub.close_input()
        (line,) = hub.rest()
        assert reason in (known(line).get("message") or "")
        assert hub.exit_code() == 1
        stderr = hub.stderr()
        assert stderr.startswith("damd-hub: ")
        assert reason in stderr
        assert stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [("--patience", "0"), ("--patience", "x"), ("--slow-handshake", "-1"), ("--option", "Hash"), ("--daemon", "'")],
)
def test_wrong_command_lines(arguments):
    with Hub(*arguments) as hub:
        assert hub.rest() == []
        assert hub.exit_code() == 2
        assert "damd-hub: error: " in hub.stderr()


def test_the_log_has_both_directions(tmp_path):
    log = tmp_path / "log"
    with Hub("--log", str(log)) as hub:
        hub.send("ping")
        hub.next_of("pong")
        assert hub.stderr_free()
    lines = [line.split(" ", 1)[1] for line in log.read_text(encoding="utf-8").splitlines()]
    assert lines == ["< ping", "> pong"]


def test_a_slow_handshake_leaves_pauses():
    with Hub("--slow-handshake", "30") as hub:
        began = time.monotonic()
        hub.send("hub", "init")
        lines = hub.next_of("ready")
        assert time.monotonic() - began >= 0.03 * (len(lines) - 1)
        hub.send("pos", "level depth=9", "go think")
        said = hub.next_of("done")
        assert known(said[-2]).get("depth") == "9"  # the last of all, whatever was left out
