"""The CheckerBoard server over its sockets: questions, moves, two channels at once, and peers that do wrong."""

from __future__ import annotations

import re
import time

import pytest

from checkerboard_gui import (
    BLACK,
    GAMES,
    KING,
    MAN,
    WHITE,
    Connection,
    Gui,
    Server,
    from_wire,
    place,
    read_record,
    start_board,
    wire_board,
)
from talking import PATIENCE_S, ROOT, dialogues

START = wire_board(start_board())
DRAW, WIN, LOSS, UNKNOWN = 0, 1, 2, 3


@pytest.fixture(scope="module")
def server():
    with Server("--option", "Hash=1") as server:
        yield server
        server.end()


def board_of(white: list[str], black: list[str], game: int) -> dict[tuple[int, int], int]:
    board = {}
    for colour, squares in ((WHITE, white), (BLACK, black)):
        for square in squares:
            board[place(int(square.removeprefix("K")), game)] = colour | (KING if square[0] == "K" else MAN)
    return board


@pytest.mark.parametrize("dialogue", list(dialogues(ROOT / "adapters" / "checkerboard" / "PROTOCOL.md")), ids=str)
def test_the_dialogues_of_the_page(server, dialogue):
    with Connection(server.port) as connection:
        anything = False
        for line in dialogue.lines:
            if line.startswith("> "):
                connection.send(line[2:])
            elif line == "< ...":
                anything = True
            else:
                pattern = ".*".join(re.escape(part) for part in line.removeprefix("< ").split("..."))
                said = connection.line() or ""
                while anything and not re.fullmatch(pattern, said):
                    assert said.startswith("STATUS ")
                    said = connection.line() or ""
                assert re.fullmatch(pattern, said), (line, said)
                anything = False


@pytest.mark.parametrize("game", GAMES)
def test_questions_of_the_gui(server, game):
    with server.channel("commands", game) as commands:
        for question, expected in (
            ("get protocolversion", (True, "2")),
            ("get gametype", (True, str(GAMES[game]))),
            ("get movelist B:W1:B", (True, "movelist 0")),
            ("help", (True, "damd.htm")),
            ("get book", (False, "?")),
            ("get bookfile", (False, "?")),
            ("get dbpath", (False, "?")),
            ("get dbmbytes", (False, "?")),
            ("get enable_wld", (False, "?")),
            ("get max_dbpieces", (False, "?")),
            ("get enable_mtc", (False, "?")),
            ("get mtcpath", (False, "?")),
            ("get solve", (False, "?")),
            ("get searchthreads", (False, "?")),
            ("get allscores", (True, "0")),
            ("get hashsize", (True, "1")),
            ("get", (False, "?")),
            ("set", (False, "?")),
            ("get nothing", (False, "?")),
            ("set book 3", (False, "? damd has no opening book")),
            ("set bookfile C:\\book.odb", (False, "? damd has no opening book")),
            ("set dbpath C:\\db", (False, "? damd has no endgame databases")),
            ("set dbmbytes 100", (False, "? damd has no endgame databases")),
            ("set enable_wld 1", (False, "? damd has no endgame databases")),
            ("set max_dbpieces 8", (False, "? damd has no endgame databases")),
            ("set mtcpath x", (False, "? damd has no endgame databases")),
            ("set enable_mtc 0", (False, "? damd has no endgame databases")),
            ("set solve 1", (False, "? damd has no mode for problems")),
            ("set searchthreads 2", (False, "? the engine has no option Threads")),
            ("set hashsize 2", (True, "hashsize 2")),
            ("get hashsize", (True, "2")),
            ("set hashsize 0", (False, "? option Hash takes 1 to 1048576, not 0")),
            ("set hashsize much", (False, "? option Hash takes a whole number, not 'much'")),
            ("set hashsize", (False, "? option Hash takes a whole number, not ''")),
            ("get hashsize", (True, "2")),
            ("set allscores 2", (False, "? allscores takes 0 or 1, not '2'")),
            ("set allscores 1", (True, "allscores 1")),
            ("get allscores", (True, "1")),
            ("set gamehits x", (False, "? unknown setting 'gamehits'; did you mean \"gamehist\"?")),
            ("nmae", (False, "? unknown command 'nmae'; did you mean \"name\"?")),
            ("", (False, "? an empty command")),
            ("get movelist W:W40:B", (False, "? 40 is no square: they are numbered 1 to 32")),
            ("set gamehist W:W40:B", (False, "? 40 is no square: they are numbered 1 to 32")),
            ("set gamehist", (False, "? '' is no FEN: it is written like B:W18,K20:B1-4,K7")),
        ):
            assert commands.command(question) == expected, question
        handled, name = commands.command("name")
        assert handled
        assert re.fullmatch(r"damd [0-9.]+", name)
        handled, about = commands.command("about")
        assert handled
        assert about.startswith(name + "\n")
        handled, cpus = commands.command("get cpus")
        assert handled
        assert int(cpus) > 0
        assert int(commands.command("get searchthreads" * 300)[0]) == 0
        handled, reply = commands.command("staticevaluation W:WK31:BK3")
        assert handled
        assert re.fullmatch(r"[+-][0-9]\.[0-9]{2} men for White, who is to move", reply)


def test_a_move_with_its_status_lines(server):
    with Gui(server, "english", colour=BLACK) as gui:
        gui.tell_history()
        gui.moves.send(f"MOVE {BLACK} 0.3 2 0 {START}")
        shown, line = gui.moves.finish()
        assert shown[0] == "damd is thinking"
        assert len(shown) > 2
        assert re.fullmatch(
            r"depth \d+(/\d+)?  eval (>=|<=)?[+-]\d+\.\d\d  \d+\.\d\d s  \d+ kN/s  pv( \d+([-x]\d+)+)+", shown[-1]
        )
        result, board, record = re.fullmatch(r"DONE (\d) ([0-9a-f]{64}) (\S+)", line).groups()
        assert result == str(UNKNOWN)
        assert read_record(record).on(start_board()) == from_wire(board)


def test_all_scores_are_shown_where_the_user_wants_them(server):
    with Gui(server, "russian") as gui:
        assert gui.commands.command("set allscores 1") == (True, "allscores 1")
        gui.moves.send(f"MOVE {WHITE} 0.1 2 0 {START}")
        shown, _ = gui.moves.finish()
        assert any(re.fullmatch(r"depth \d+: (\d+-\d+ [+-]\d\.\d\d, ){6}\d+-\d+ [+-]\d\.\d\d", text) for text in shown)
        assert gui.commands.command("set allscores 0") == (True, "allscores 0")
        gui.moves.send(f"MOVE {WHITE} 0.1 2 0 {START}")
        shown, _ = gui.moves.finish()
        assert shown[-1].startswith("depth ")
        assert " pv " in shown[-1]


def test_squares_of_a_variation_are_those_of_the_gui(server):
    board = board_of(["12"], ["3"], GAMES["russian"])
    with Gui(server, "czech", board=board) as gui:
        # On our board White's man goes from 12 to 8; the GUI's Czech numbers begin elsewhere.
        gui.moves.send(f"MOVE {WHITE} 0.05 2 0 {wire_board(board)}")
        shown, line = gui.moves.finish()
        origin = line.split()[3].split(",")[3:5]
        assert origin == [str(part) for part in place(12, GAMES["russian"])]
        x, y = (int(part) for part in origin)
        assert f" pv {32 - 4 * y - x // 2}-" in shown[-1]


def test_what_is_certain_is_returned(server):
    for board, expected in (
        (board_of(["18"], ["15"], 21), WIN),  # takes the last piece
        (board_of(["K18", "K19", "K22"], ["1"], 21), WIN),  # seen to its end
        (board_of(["6"], ["1", "2", "9", "10"], 21), LOSS),  # no move
    ):
        with Gui(server, "english", board=board, colour=WHITE) as gui:
            result, after, record = gui.ask_move(0.3)
            assert result == expected
            if expected == LOSS:
                assert (after, record) == (board, "-")


def test_a_lone_move_is_played_at_once_unless_the_time_is_exact(server):
    board = board_of(["21"], ["12", "4"], 21)
    with Gui(server, "english", board=board, colour=WHITE) as gui:
        _, after, _ = gui.ask_move(3600.0)
        assert after == board_of(["17"], ["12", "4"], 21)
        for seconds in ("3600", "1e308"):
            gui.moves.send(f"MOVE {WHITE} {seconds} 2 0 {wire_board(board)}")
            gui.moves.send("PLAYNOW")
            assert gui.moves.finish()[1].startswith("DONE ")


def test_a_draw_by_the_history_is_returned(server):
    game = GAMES["english"]
    board = board_of(["K29"], ["K4"], game)
    with Gui(server, "english", board=board, colour=WHITE) as gui:
        # 29 has one neighbour: after 29-25 the position is there for the third time.
        history = "29-25 4-8 25-29 8-4 29-25 4-8 25-29 8-4"
        assert gui.commands.command(f"set gamehist W:WK29:BK4 {history}") == (True, "game history of 8 moves")
        result, after, _ = gui.ask_move()
        assert after == board_of(["K25"], ["K4"], game)
        assert result == DRAW
        # A history that leads elsewhere is left out.
        assert gui.commands.command("set gamehist W:WK29:BK4 29-25 4-8") == (True, "game history of 2 moves")
        assert gui.ask_move()[0] == UNKNOWN


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("29-25 4x8", "? move 2 of the history, '4x8', is not written like 24-19"),
        ("29-25 4-1", "? move 2 of the history, 4-1, is not legal"),
        ("29-25 4-40", "? 40 is no square: they are numbered 1 to 32"),
    ],
)
def test_a_bad_history_is_told_and_left_out(server, moves, message):
    board = board_of(["K29"], ["K4"], GAMES["english"])
    with Gui(server, "english", board=board, colour=WHITE) as gui:
        assert gui.commands.command(f"set gamehist W:WK29:BK4 {moves}") == (False, message)
        assert gui.ask_move()[0] == UNKNOWN


@pytest.mark.parametrize(("mode", "remaining"), [(1, 300), (2, 30), (3, 3)])
def test_increments_in_each_unit(server, mode, remaining):
    with Gui(server, "russian") as gui:
        gui.moves.send(f"MOVE {WHITE} 3600 {mode << 2} {remaining << 16 | 1} {START}")
        assert gui.moves.finish()[1].startswith("DONE 3 ")
        gui.moves.send(f"MOVE {BLACK} 3600 {mode << 2} {remaining << 16} {START}")
        assert gui.moves.finish()[1].startswith("DONE 3 ")


def test_both_channels_at_once(server):
    with Gui(server, "russian") as gui:
        gui.moves.send(f"MOVE {WHITE} 86400 2 0 {START}")
        line = gui.moves.line()
        assert line == "STATUS damd is thinking"
        for _ in range(50):
            assert gui.commands.command("get gametype") == (True, "25")
            assert gui.listed()[1]
        assert gui.commands.command("staticevaluation W:W31:B3") == (True, "damd is thinking: ask again when it has moved")
        assert gui.commands.command("set hashsize 3") == (True, "hashsize 3")
        gui.tell_history()
        assert gui.commands.ask(f"LEGAL 1 22 18 {START}") == "LEGAL 1 0,5,5,5,5,4,4"
        assert gui.commands.ask(f"LEGAL 1 22 13 {START}") == "LEGAL 0 -"
        gui.moves.send("PLAYNOW", "PLAYNOW")
        shown, line = gui.moves.finish()
        assert shown
        assert line.startswith("DONE 3 ")
        # One that comes too late is nothing, and the next search is not hurried by it.
        gui.moves.send("PLAYNOW")
        gui.moves.send(f"MOVE {WHITE} 0.5 2 0 {START}")
        assert gui.moves.finish()[0][-1].startswith("depth ")
        assert gui.commands.command("staticevaluation W:W31:B3")[0]


def engines_become(server: Server, count: int) -> bool:
    """Whether so many engines are there in the end; closing one takes a moment."""
    deadline = time.monotonic() + PATIENCE_S
    while len(server.children()) != count and time.monotonic() < deadline:
        time.sleep(0.02)
    return len(server.children()) == count


def test_sessions_are_apart_and_end_with_their_connections(server):
    assert engines_become(server, 0)
    with Gui(server, "english", session="one", colour=BLACK) as one, Gui(server, "czech", session="two") as two:
        assert one.commands.command("set hashsize 5")[0]
        assert two.commands.command("get hashsize") == (True, "1")
        one.moves.send(f"MOVE {BLACK} 86400 2 0 {START}")
        assert two.engine_moves() == UNKNOWN
        assert engines_become(server, 2)
        answer = Connection(server.port, "HELLO 1 moves russian one").line()
        assert answer == "ERROR session one plays english, not russian"
        with Connection(server.port, "HELLO 1 commands checkers one") as aliased:
            assert (aliased.line() or "").startswith("READY 1 english 21 ")
    assert engines_become(server, 0)  # a search without end is given up as soon as nobody waits for it


@pytest.mark.parametrize(
    ("first", "answer"),
    [
        ("GET / HTTP/1.1", "ERROR 'GET / HTTP/1.1': a connection begins with HELLO 1 commands|moves GAME SESSION"),
        ("HELLO 2 moves english s", "ERROR version '2': this server speaks version 1; use the DLL that came with it"),
        ("HELLO 1 both english s", "ERROR channel 'both': there are commands and moves"),
        ("HELLO 1 moves english ../x", "ERROR session '../x': 1 to 40 letters, digits and hyphens"),
        ("HELLO 1 moves englsh s", 'ERROR unknown variant "englsh"; did you mean "english"?'),
        ("HELLO 1 moves dam-haji s", "ERROR CheckerBoard does not play dam-haji: its games have the GameTypes 21, 22"),
        ("HELLO 1 moves international s", "ERROR CheckerBoard does not play international: its games have"),
        ("x" * 9000, "ERROR a line of more than 8192 bytes"),
    ],
)
def test_a_bad_beginning_is_told_and_ends_the_connection(server, first, answer):
    with Connection(server.port, first) as connection:
        assert (connection.line() or "").startswith(answer)
        assert connection.line() is None


def test_bad_lines_are_told_and_change_nothing(server):
    with Gui(server, "english", colour=BLACK) as gui:
        usage = "MOVE COLOUR SECONDS INFO MOREINFO BOARD"
        for line, answer in (
            ("MOVE", f"ERROR 0 words after MOVE: it is written {usage}"),
            (f"MOVE 2 1 0 0 {START} 1", f"ERROR 6 words after MOVE: it is written {usage}"),
            (f"MOVE two 1 0 0 {START}", "ERROR the colour, 'two', is no whole number from 0"),
            (f"MOVE 3 1 0 0 {START}", "ERROR 3 is no colour: 1 is White, 2 is Black"),
            (f"MOVE 2 nan 0 0 {START}", "ERROR the time, 'nan', is no number of seconds from 0"),
            (f"MOVE 2 -1 0 0 {START}", "ERROR the time, '-1', is no number of seconds from 0"),
            (f"MOVE 2 inf 0 0 {START}", "ERROR the time, 'inf', is no number of seconds from 0"),
            (f"MOVE 2 1 0 -5 {START}", "ERROR moreinfo, '-5', is no whole number from 0"),
            (f"MOVE 2 1 0 99999999999 {START}", "ERROR moreinfo, '99999999999', is no whole number from 0"),
            (f"MOVE 2 1 0 0 {START[:-1]}", "ERROR the board, "),
            (f"MOVE 2 1 0 0 {'5' * 64}", "ERROR a piece on column 0, row 1, which is not played on"),
            ("COMMAND name", "ERROR 'COMMAND': this channel takes MOVE and PLAYNOW"),
        ):
            assert gui.moves.ask(line).startswith(answer), line
        for line, answer in (
            ("LEGAL 1 2 3", "ERROR 3 words after LEGAL: it is written LEGAL COLOUR FROM TO BOARD"),
            (f"LEGAL 1 40 3 {START}", "ERROR 40 is no square: they are numbered 1 to 32"),
            ("PLAYNOW", "ERROR 'PLAYNOW': this channel takes COMMAND and LEGAL"),
        ):
            assert gui.commands.ask(line).startswith(answer), line
        assert gui.engine_moves() == UNKNOWN


def test_a_man_where_men_are_promoted_is_listed_but_not_played(server):
    board = board_of(["1", "21"], ["12"], 21)
    with Gui(server, "english", board=board, colour=WHITE) as gui:
        assert gui.listed()[1]
        line = gui.moves.ask(f"MOVE {WHITE} 0.1 0 0 {wire_board(board)}")
        while line.startswith("STATUS "):
            line = gui.moves.line() or ""
        assert line.startswith("ERROR damd's engine: position: bad-fen: 1: White's man on 1 stands where men are promoted")


def test_lines_during_a_search_wait_and_too_many_end_the_connection(server):
    with Gui(server, "english", session="waiting", colour=BLACK) as gui:
        move = f"MOVE {BLACK} 0.05 2 0 {START}"
        gui.moves.send(move, move, "MOVE")
        assert [gui.moves.finish()[1][:6] for _ in range(3)] == ["DONE 3", "DONE 3", "ERROR "]
        gui.moves.send(f"MOVE {BLACK} 86400 2 0 {START}", *["MOVE"] * 9)
        assert gui.moves.finish()[1] == "ERROR more than 8 lines during a search"
        assert gui.moves.line() is None


def test_input_that_never_ends_its_line_is_not_kept(server):
    with server.channel("commands", "english") as commands:
        try:
            for _ in range(200):
                commands.socket.sendall(b"x" * 10_000)
        except (ConnectionResetError, BrokenPipeError):
            return  # it has hung up in the middle
        assert commands.line() in (None, "ERROR a line of more than 8192 bytes")


def test_who_does_not_read_is_left_and_others_are_served(server):
    with server.channel("commands", "russian", "flood") as flood, server.channel("commands", "english", "calm") as calm:
        flood.socket.settimeout(0.2)
        block = b"COMMAND get movelist W:W21-32:B1-12\n" * 1000
        sent = 0
        try:
            while sent < 50_000_000:
                sent += flood.socket.send(block)
        except TimeoutError:
            pass  # the server reads no more before its answers are read
        assert sent < 50_000_000
        assert calm.command("get gametype") == (True, "21")


def test_too_many_connections_and_sessions(server):
    held = [Connection(server.port) for _ in range(33)]
    try:
        refused = [connection for connection in held[-1:] if connection.line() == "ERROR more than 32 connections"]
        assert refused
    finally:
        for connection in held:
            connection.close()
    sessions = [server.channel("commands", "english", f"s{number}") for number in range(8)]
    try:
        answer = Connection(server.port, "HELLO 1 moves english another").line()
        assert answer == "ERROR more than 8 sessions at the same time"
    finally:
        for connection in sessions:
            connection.close()
