"""XBoard's protocol line by line, with the real daemon; fakes for engines that misbehave."""

from __future__ import annotations

import asyncio
import os
import re
import time

import pytest

from damd import variants
from damd.client import AsyncEngine, EngineError, EngineTimeout, Timeouts
from damd.client.testing import ScriptedPeer
from damd_adapters.game import Game
from damd_adapters.xboard.desk import Desk
from damd_adapters.xboard.session import Session
from programs import Program, abandoned, gone, misbehaving


@pytest.fixture(scope="module")
def shared():
    with Program("xboard", "--option", "Hash=1") as running:
        yield running
        running.send("quit")
        assert running.exit_code() == 0
        assert running.stderr() == ""


@pytest.fixture
def xboard(shared):
    """At the start of dam-haji, two plies deep, the engine Black."""
    shared.send("new", "variant dam-haji", "level 0 5 0", "sd 2", "nopost")
    said(shared)
    return shared


_PINGS = iter(range(1, 10**9))


def said(program: Program, *lines: str) -> list[str]:
    """What is said to these lines, up to the ``pong`` behind them."""
    number = next(_PINGS)
    program.send(*lines, f"ping {number}")
    return program.until(f"pong {number}")[:-1]


def moved(lines: list[str]) -> str:
    """The engine's move in what was said, in one word."""
    return "".join(line.removeprefix("move ") for line in lines if line.startswith("move "))


def piped(text: str, *arguments: str) -> list[str]:
    with Program("xboard", "--option", "Hash=1", *arguments) as program:
        program.send_bytes(text.encode())
        program.close_input()
        lines = program.rest()
        assert program.exit_code() == 0
        assert program.stderr() == ""
        return lines


def place(program: Program, variant: str, fen: str) -> list[str]:
    """Set up a position of ours."""
    desk = Desk(variants.load(variant))
    setup = desk.table.from_fen(desk.rules, fen).position.setup()
    return said(program, "new", f"variant {variant}", "sd 4", "force", f"setboard {desk.squares.fen(setup)}")


# Set-up


def test_the_handshake_says_what_xboard_needs_to_know():
    lines = piped("xboard\nprotover 2\naccepted setboard\nrejected smp\nquit\n")
    assert lines[0] == "feature done=0"
    assert lines[-1] == "feature done=1"
    text = " ".join(lines)
    for feature in (
        "setboard=1",
        "ping=1",
        "usermove=1",
        "highlight=1",
        "colors=0",
        "sigint=0",
        "sigterm=0",
        "reuse=1",
        "debug=1",
    ):
        assert f" {feature}" in text
    offered = re.search(r'variants="([^"]+)"', text)[1].split(",")
    assert {"dam-haji", "dam", "international", "russian", "dam-haji-10"} <= set(offered)
    assert not {"dam-daman", "turkish", "canadian", "dam-haji-12"} & set(offered)
    assert 'feature option="Skill Level -spin 20 0 20"' in lines
    assert 'feature option="Resign -check 0"' in lines
    assert not any(word in text for word in ("UCI_Variant", "DrawOffers", "Squares"))


def test_a_variant_is_answered_with_its_board_and_pieces(xboard):
    assert said(xboard, "new", "variant international") == [
        "setup (.M..K..m..k.) 10x10+0_fairy "
        "1m1m1m1m1m/m1m1m1m1m1/1m1m1m1m1m/m1m1m1m1m1/10/10/1M1M1M1M1M/M1M1M1M1M1/1M1M1M1M1M/M1M1M1M1M1 w - - 0 1",
        "piece M& mfFcafmF",
        "piece K& mBcafmF",
    ]
    refused = said(xboard, "variant dam-daman", "variant chess", "variant")
    assert len(refused) == 3
    assert all(line.startswith("Error (unknown variant, known are brazilian ") for line in refused)
    assert said(xboard, "hint")[0].startswith("Hint: ")  # the game is what it was


def test_where_black_begins_the_board_is_turned_and_xboards_white_begins(xboard):
    assert said(xboard, "new", "variant english", "sd 2")[0].endswith(" w - - 0 1")
    lines = said(xboard, "usermove c3d4")
    assert re.fullmatch(r"[a-h][67][a-h]5", moved(lines))


def test_options_and_memory_go_through(xboard):
    assert said(xboard, "option Skill Level=5", "option UCI_LimitStrength=1", "option Clear Hash", "memory 2") == []
    assert said(xboard, "option Skill Level=20", "option UCI_LimitStrength=0") == []
    assert said(xboard, "option Skill Level=many")[0].startswith("Error (option Skill Level takes a whole number")
    assert said(xboard, "option Nonsense=1", "option UCI_Variant=dam") == [
        "Error (unknown option): option Nonsense=1",
        "Error (unknown option): option UCI_Variant=dam",
    ]


def test_edit_is_refused_and_its_lines_are_passed_over(xboard):
    lines = said(xboard, "edit", "#", "Pa4", "c", "xa3", ".")
    assert lines == [
        "tellusererror Positions are set up by setboard; the old edit command is not understood.",
        "Error (not supported, use setboard): edit",
    ]


# Play


def test_a_game_is_begun_by_the_user_or_by_the_engine(xboard):
    assert re.fullmatch(r"[a-h][67][a-h]5", moved(said(xboard, "usermove c3d4")))
    xboard.send("new", "variant dam-haji", "sd 2", "go")
    assert re.fullmatch(r"[a-h]3[a-h]4", moved(said(xboard)))
    said(xboard, "new", "variant dam-haji", "sd 2", "playother")
    assert moved(said(xboard)) == ""


def test_force_keeps_the_engine_quiet_and_go_lets_it_play(xboard):
    assert said(xboard, "force", "usermove c3d4", "usermove b6a5", "usermove b2c3") == []
    assert moved(said(xboard, "go")) != ""
    assert said(xboard, "force", "undo", "undo", "undo", "undo") == []
    assert said(xboard, "undo") == ["Error (no move to take back): undo"]


def test_remove_takes_back_two_moves(xboard):
    first = moved(said(xboard, "usermove c3d4"))
    assert said(xboard, "remove") == []
    assert moved(said(xboard, "usermove c3d4")) == first
    assert said(xboard, "remove", "remove") == ["Error (no move to take back): remove"]


def test_illegal_moves_are_refused_with_the_reason(xboard):
    assert said(xboard, "usermove c3e5")[0].startswith("Illegal move (no such move")
    assert said(xboard, "usermove") == ["Illegal move (moves are written as c3b4 or c3d4,d4e5): "]
    place(xboard, "russian", "W:Wc3,g1:Bd4,h8")
    assert said(xboard, "usermove g1f2") == ["Illegal move (a capture is compulsory, by c3): g1f2"]


def test_a_bare_move_is_read_as_well(xboard):
    assert moved(said(xboard, "c3d4")) != ""


def test_captures_are_told_as_xboard_reads_them(xboard):
    place(xboard, "russian", "B:Wd4,f4,a1:Be5,h8")
    assert next(line for line in said(xboard, "go") if "move" in line).startswith("move e5")
    place(xboard, "russian", "W:Wc3,g1:Bd4,f6,a7")
    assert next(line for line in said(xboard, "go") if line.startswith(("move", "setboard"))) == "move c3xd4xf6-g7"
    place(xboard, "russian", "W:Wc3,g1:Bd4,a7")
    assert said(xboard, "go")[:2] == ["move c3d4,", "move d4e5"]
    place(xboard, "russian", "W:Wc7,g1:Bd4,a5")
    assert re.fullmatch(r"c7[bd]8k", moved(said(xboard, "go")))


def test_a_long_capture_of_the_engine_is_put_right_by_setboard(xboard):
    place(xboard, "russian", "W:Wc1,h2:Bd2,f4,f6,d6,h8,a7")
    lines = said(xboard, "go")
    assert lines == ["move c1xd2xf4-c5", "setboard 7m/m7/8/2M5/8/8/7M/8 b - - 0 1"]
    # XBoard takes that for the end of a game and for the beginning of another one. It is neither.
    answered = said(xboard, "result * {Engine aborts game}", "force")
    assert answered == []
    assert moved(said(xboard, "usermove h8g7")) != ""


def test_a_long_capture_of_the_user_is_put_right_with_the_answer(xboard):
    place(xboard, "russian", "W:Wc1,h2:Bd2,f4,f6,d6,h8,a7")
    said(xboard, "playother")
    lines = said(xboard, "usermove c1c5")
    assert lines[0].startswith("move ")
    assert lines[-1].startswith("setboard ")
    assert lines[-1].split()[2] == "w"


def test_in_a_match_between_engines_no_position_is_sent(xboard):
    place(xboard, "russian", "W:Wc1,h2:Bd2,f4,f6,d6,h8,a7")
    assert said(xboard, "computer", "go") == ["move c1xd2xf4-c5"]
    place(xboard, "russian", "W:Wc1,h2:Bd2,f4,f6,d6,h8,a7")
    lines = said(xboard, "computer", "playother", "usermove c1d2,d2f4,f4c5")
    assert next(line.split()[0] for line in lines) == "move"
    assert not any(line.startswith("setboard") for line in lines)


def test_the_end_is_told_with_its_reason(xboard):
    place(xboard, "russian", "W:Wc3:Bd4")
    assert said(xboard, "go")[-1] == "1-0 {Black has no piece left}"
    place(xboard, "russian", "W:Wg1,c3:Bd4")
    assert said(xboard, "playother", "usermove c3d4,d4e5") == ["1-0 {Black has no piece left}"]
    place(xboard, "english", "W:W22:B18")
    assert said(xboard, "go")[-1] == "0-1 {White has no piece left}"  # XBoard's White is our Black
    assert said(xboard, "result 0-1 {White has no piece left}", "force") == []


def test_a_draw_is_told(xboard):
    place(xboard, "russian", "W:WKa1,Kb2:BKh8,Kg7")
    moves = ["b2c1", "g7f8", "c1b2", "f8g7"] * 2
    said(xboard, "force", *(f"usermove {move}" for move in moves[:-2]))
    said(xboard, "playother")
    assert said(xboard, "usermove c1b2")[:1] != []
    place(xboard, "russian", "W:WKa1:BKh2")
    for _ in range(40):
        lines = said(xboard, "go")
        if any(line.startswith("1/2-1/2 {") for line in lines):
            return
    pytest.fail("no draw")


def test_resigning_is_the_users_wish():
    lines = piped(
        "new\nvariant russian\nsd 4\nforce\nsetboard 8/8/8/8/8/8/8/8 w\nresult 1-0 {White resigns}\nping 1\nquit\n",
    )
    assert lines[-1] == "pong 1"


# Claims


def test_the_user_is_told_of_a_right_to_claim_and_claims_by_a_click(xboard):
    # 29-25 of the engine misses 27x20x11; Black may take 27, XBoard's e3.
    desk = Desk(variants.load("dam-haji"))
    place(xboard, "dam-haji", "W:W27,29:B3,10,16,23,24")
    name = desk.squares.name
    points = {number: name(desk.rules.geometry.index(str(number))) for number in (27, 29, 25, 16, 20)}
    said(xboard, "force", f"usermove {points[29]}{points[25]}")
    highlighted = said(xboard, f"lift {points[16]}")[0]
    assert "C" in highlighted
    assert said(xboard, f"usermove {points[16]}{points[27]},{points[27]}{points[20]}") == []
    # The claimed man is gone: it cannot move any more.
    assert said(xboard, f"usermove {points[27]}f4")[0].startswith("Illegal move")
    said(xboard, "undo")
    assert said(xboard, f"usermove {points[16]}{points[20]}") == []  # the right is waived


def test_the_words_about_a_claim():
    desk = Desk(variants.load("dam-haji"))
    fen = desk.squares.fen(desk.table.from_fen(desk.rules, "W:W27,29:B3,10,16,23,24").position.setup())
    for opponent, windows in (("random", 1), ("computer", 0)):  # an engine at the other end reads no windows
        peer = ScriptedPeer()
        peer.handshake()
        peer.always(re.compile("position.*"))
        peer.expect(re.compile("go.*"), ["bestmove 29-25"])
        lines = serve(peer, f"setboard {fen}", opponent, "go")
        told = [line for line in lines if line.startswith("telluser ")]
        assert len(told) == windows
        square = desk.squares.name(desk.rules.geometry.index("27"))
        beginning = f"telluser \\\\White missed a capture: you may take {square} off the board.\\nPick up"
        assert all(line.startswith(beginning) for line in told)


def test_the_daemons_claim_is_part_of_its_move(xboard):
    place(xboard, "dam-haji", "W:W23,32:B19,1")
    names = [Desk(variants.load("dam-haji")).squares.name(point) for point in range(32)]
    lines = said(xboard, "playother", f"usermove {names[31]}{names[26]}")  # 32-27 misses 23x16
    assert len(lines) == 2
    assert re.fullmatch(rf"move [a-h][1-8]{names[22]},", lines[0])  # it claims 23 on the way
    assert lines[1].startswith(f"move {names[22]}")


# Thinking, hints, analysis, clocks


def test_thinking_is_told_when_it_is_wanted(xboard):
    lines = said(xboard, "post", "usermove c3d4")
    thinking = [line for line in lines if line[0].isdigit()]
    assert thinking
    assert all(re.fullmatch(r"\d+ -?\d+ \d+ \d+ [a-h1-8x \-!?]+", line) for line in thinking)
    assert not [line for line in said(xboard, "nopost", "remove", "usermove c3d4") if line[0].isdigit()]


def test_a_win_is_scored_as_one(xboard):
    place(xboard, "russian", "W:Wc3:Bd4")
    assert any(line.split()[1] == "100001" for line in said(xboard, "post", "go") if line[0].isdigit())


def test_ping_waits_for_the_move_and_question_mark_brings_it(xboard):
    said(xboard, "new", "variant international", "level 0 100 0")
    xboard.send("go", "ping 77")
    xboard.send("?")
    lines = xboard.until("pong 77")
    assert [line.split()[0] for line in lines] == ["move", "pong"]


def test_a_move_out_of_turn_is_refused_and_the_engine_thinks_on(xboard):
    said(xboard, "new", "variant international", "level 0 100 0")
    xboard.send("go", "usermove b3a4", "?", "ping 78")
    lines = xboard.until("pong 78")
    assert lines[0] == "Illegal move (it is not your turn): b3a4"
    assert moved(lines) != ""


def test_a_game_that_xboard_cannot_show_is_changed_for_one_that_it_can():
    lines = piped("new\nsd 2\nusermove c3d4\nping 1\n", "--option", "UCI_Variant=dam-daman")
    assert moved(lines) != ""


def test_what_ends_a_search_ends_it_without_a_move(xboard):
    for ending in ("force", "new", "result * {aborted}", "undo", "setboard 8/8/8/8/8/2M5/8/6m1 w", "remove"):
        said(xboard, "new", "variant dam-haji", "level 0 100 0", "force", "usermove c3d4")
        lines = said(xboard, "go", ending)
        assert moved(lines) == "", ending


def test_hints_are_moves(xboard):
    assert re.fullmatch(r"Hint: [a-h]3[a-h]4", said(xboard, "hint")[0])
    place(xboard, "russian", "W:Wc3,g1:Bd4,f6,a7")
    assert said(xboard, "hint") == ["Hint: c3xd4xf6-g7"]
    place(xboard, "russian", "W:Wc3:B")
    assert said(xboard, "hint") == []


def test_an_analysis_follows_the_moves(xboard):
    xboard.send("force", "analyze")
    assert xboard.until("2 ")[-1][0] == "2"
    xboard.send("usermove c3d4")
    while not re.fullmatch(r"\d+ -?\d+ \d+ \d+ [a-h][67]-[a-h]5.*", xboard.line() or ""):
        continue
    assert any(line.startswith("stat01: ") for line in said(xboard, "."))
    said(xboard, "undo", "exit")
    assert said(xboard, ".") == []
    assert said(xboard, "hint") != []


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("flourish 3", "Error (unknown command): flourish 3"),
        ("sd many", "Error (a whole number is needed): sd many"),
        ("level 40 5", "Error (level takes turns"),
        ("time", "Error (a whole number is needed): time"),
        ("nps 100", "Error (unknown command): nps 100"),
        ("setboard", "tellusererror Illegal position: a position is pieces"),
        ("protover", "feature done=0"),
        ("bk", " no opening book"),
        ("lift z9", ""),
        ("lift c4", ""),
        ("put q", ""),
        ("hover c3", ""),
        ("draw", ""),
    ],
)
def test_other_words_are_answered_or_passed_over(xboard, line, answer):
    lines = said(xboard, line)
    assert (lines or [""])[0].startswith(answer)


# The end of input, and engines that misbehave


def test_a_piped_script_is_answered_in_full():
    lines = piped("\ufeffprotover 2\nnew\nvariant dam-haji\nsd 5\nusermove c3d4\nping 4\n")
    assert lines[0] == "feature done=0"
    assert lines[-1] == "pong 4"
    assert moved(lines[-3:-1]) != ""


def test_quit_during_a_search_ends_at_once_and_leaves_no_process():
    with Program("xboard", "--option", "Hash=1") as program:
        program.send("new", "variant international", "level 0 100 0", "post", "go")
        program.until("1 ")
        children = program.children()
        program.send("quit")
        program.rest()
        assert program.exit_code() == 0
        assert all(gone(child) for child in children)


@pytest.mark.skipif(os.name != "posix", reason="no other system tells whether a pipe is read")
def test_a_long_turn_ends_when_xboard_has_gone():
    lines = "new\nvariant international\nlevel 0 100 0\ngo\n"
    code, children, said_there = abandoned("xboard", lines, b"piece K")
    assert code == 1
    assert children
    assert all(gone(child) for child in children)
    assert said_there == ""


def test_the_pictures_are_where_it_says():
    with Program("xboard", "--pieces") as program:
        folder = program.rest()
        assert program.exit_code() == 0
    from damd_adapters.xboard import pieces

    assert folder == [str(pieces())]
    files = sorted(file.name for file in pieces().iterdir() if file.suffix == ".svg")
    assert files == ["BlackKnight.svg", "BlackQueen.svg", "WhiteKnight.svg", "WhiteQueen.svg"]


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("die", "exit code 3"),
        ("die-in-handshake", "no such network file"),
        ("garbage", "the engine answered 1-2"),
        ("close-stdout", "ended"),
    ],
)
def test_an_engine_that_dies_or_errs_ends_the_program_with_words_for_the_user(mode, words):
    with Program("xboard", "--daemon", misbehaving(mode)) as program:
        program.send("new", "variant dam-haji", "go")
        lines = program.rest()
        assert program.exit_code() == 1
        assert lines[-1].startswith("tellusererror ")
        assert words in lines[-1]
        said_there = program.stderr()
        assert said_there.startswith("damd-xboard: ")
        assert "Traceback" not in said_there


class _Fed:
    """Lines one after another, as ``streams.Lines`` gives them."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    async def next(self) -> str | None:
        await asyncio.sleep(0.02)  # a move comes when the one before it has been answered
        return self._lines.pop(0) if self._lines else None


def serve(peer: ScriptedPeer, *lines: str) -> list[str]:
    told: list[str] = []

    async def run() -> None:
        async with await AsyncEngine.connect(peer, timeouts=Timeouts(margin_s=0.2, stop_s=0.2, ready_s=0.2)) as engine:
            game = Game.of(engine.options)
            await Session(engine, game, Desk(game.rules()), (game.variant,), told.append).run(_Fed(*lines))

    asyncio.run(run())
    return told


def test_a_silent_engine_is_given_up_in_a_stated_time():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.always("ucinewgame")
    peer.expect("go movetime 1000")
    peer.always("stop")
    begun = time.monotonic()
    with pytest.raises(EngineTimeout, match="no answer to go within"):
        serve(peer, "new", "st 1", "go")
    assert time.monotonic() - begun < 30


def test_the_clocks_are_told_by_colour_and_a_claim_costs_time():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.always("ucinewgame")
    peer.expect("go wtime 60000 btime 55000 winc 2000 binc 2000 movestogo 40 depth 7", ["bestmove 22-18"])
    serve(peer, "new", "level 40 1 2", "sd 7", "time 6000", "otim 5500", "go")
    peer.assert_done()
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.always("ucinewgame")
    peer.expect("go wtime 5500 btime 6000", ["bestmove 9-13"])
    serve(peer, "new", "level 0 1 0", "time 600", "otim 550", "usermove c3d4")
    peer.assert_done()


def test_draws_are_offered_taken_and_declined_and_the_engine_resigns():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.always("ucinewgame")
    peer.expect("go draw movetime 5000", ["bestmove 22-18 draw"])
    peer.expect("go movetime 5000", ["bestmove resign"])
    lines = serve(peer, "new", "draw", "go", "usermove h6g5")
    assert lines == ["offer draw", "move c3d4", "resign"]
    peer.assert_done()


def test_an_illegal_ply_is_not_passed_on():
    peer = ScriptedPeer()
    peer.handshake()
    peer.always(re.compile("position.*"))
    peer.expect(re.compile("go.*"), ["bestmove (none)"])
    with pytest.raises(EngineError, match="the engine found no ply where there is one"):
        serve(peer, "go")
