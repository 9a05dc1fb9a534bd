"""A CheckerBoard for tests: its board, its numbers and its ways as the GUI has them, apart from our own tables of them."""

from __future__ import annotations

import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

from programs import Program
from talking import PATIENCE_S

WHITE, BLACK, MAN, KING = 1, 2, 4, 8
ENGLISH, ITALIAN, SPANISH, RUSSIAN, BRAZILIAN, CZECH = 21, 22, 24, 25, 26, 29
GAMES = {
    "english": ENGLISH,
    "italian": ITALIAN,
    "spanish": SPANISH,
    "russian": RUSSIAN,
    "brazilian": BRAZILIAN,
    "czech": CZECH,
}
#: Room in the GUI's lists.
LONGEST_LIST = 28

Place = tuple[int, int]


def number(place: Place, game: int) -> int:
    """The number that the GUI writes for a column and a row."""
    x, y = place
    if game == ITALIAN:
        return 1 + 4 * y + x // 2
    if game == SPANISH:
        return 1 + 4 * (7 - y) + (7 - x) // 2
    if game == CZECH:
        return 33 - (1 + 4 * y + x // 2)
    return 4 * (y + 1) - x // 2


def place(square: int, game: int) -> Place:
    """The column and the row that the GUI reads from a number; of Czech it makes something else than it writes."""
    index = square - 1
    if game == ITALIAN:
        y = index // 4
        x = 2 * (index % 4)
    elif game == SPANISH:
        y = 7 - index // 4
        x = 2 * (3 - index % 4)
    elif game == CZECH:
        y = (33 - index) // 4
        x = 2 * ((33 - index) % 4)
    else:
        y = index // 4
        x = 2 * (3 - index % 4)
    return (x + y % 2, y)


Board = dict[Place, int]


def start_board() -> Board:
    squares = [(x, y) for x in range(8) for y in range(8) if (x + y) % 2 == 0]
    return {each: (BLACK if each[1] < 3 else WHITE) | MAN for each in squares if not 3 <= each[1] <= 4}


def wire_board(board: Board) -> str:
    return "".join(f"{board.get((x, y), 0):x}" for x in range(8) for y in range(8))


def from_wire(text: str) -> Board:
    return {divmod(index, 8): int(sign, 16) for index, sign in enumerate(text) if sign != "0"}


def fen(board: Board, colour: int, game: int) -> str:
    """As the GUI writes it: by rows, and in each from the right."""
    sides = []
    for side in (WHITE, BLACK):
        places = sorted((each for each in board if board[each] & side), key=lambda each: (each[1], -each[0]))
        sides.append(",".join(("K" if board[each] & KING else "") + str(number(each, game)) for each in places))
    return f"{'W' if colour == WHITE else 'B'}:W{sides[0]}:B{sides[1]}"


@dataclass(frozen=True)
class GuiMove:
    """A ``CBmove``."""

    before: int
    after: int
    origin: Place
    end: Place
    path: tuple[Place, ...] = ()
    taken: tuple[Place, ...] = ()
    pieces: tuple[int, ...] = ()

    def on(self, board: Board) -> Board:
        assert board[self.origin] == self.before
        assert [board[each] for each in self.taken] == list(self.pieces)
        moved = {each: piece for each, piece in board.items() if each != self.origin and each not in self.taken}
        return {**moved, self.end: self.after}

    @property
    def reversible(self) -> bool:
        return not self.taken and bool(self.before & KING)


def read_list(reply: str, game: int) -> tuple[list[GuiMove], bool]:
    """The moves of a reply, read token by token as the GUI does, and whether it believes that they are all."""
    assert len(reply) <= 1023
    head, sign, rest = reply.partition(",")
    assert head.startswith("movelist ")
    count = int(head.removeprefix("movelist "))
    if count == 0:
        assert reply == "movelist 0"
        return [], True
    assert sign
    assert count <= LONGEST_LIST
    entries = rest.split(";")
    moves = []
    for entry in entries[:count]:
        jumps, before, after, origin, end, *jumped = (int(text) for text in entry.split(","))
        assert len(jumped) == 3 * jumps
        moves.append(
            GuiMove(
                before,
                after,
                place(origin, game),
                place(end, game),
                tuple(place(square, game) for square in jumped[0::3]),
                tuple(place(square, game) for square in jumped[1::3]),
                tuple(jumped[2::3]),
            )
        )
    assert entries[count:] in ([""], ["", ""])
    return moves, entries[count:] == [""]


def read_record(record: str) -> GuiMove:
    """The move that the server sends as a ``CBmove``."""
    jumps, after, before, from_x, from_y, to_x, to_y, *jumped = (int(text) for text in record.split(","))
    assert len(jumped) == 5 * jumps
    triples = [jumped[start : start + 5] for start in range(0, len(jumped), 5)]
    return GuiMove(
        before,
        after,
        (from_x, from_y),
        (to_x, to_y),
        tuple((part[0], part[1]) for part in triples),
        tuple((part[2], part[3]) for part in triples),
        tuple(part[4] for part in triples),
    )


class Connection:
    """One connection of a DLL."""

    def __init__(self, port: int, first: str | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self._file = self.socket.makefile("rb")
        if first is not None:
            self.send(first)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self.socket.close()

    def send(self, *lines: str) -> None:
        self.socket.sendall("".join(line + "\n" for line in lines).encode())

    def line(self) -> str | None:
        """The next line, ``None`` at the end."""
        try:
            line = self._file.readline()
        except ConnectionResetError:
            return None
        return line.decode("ascii").removesuffix("\n") if line.endswith(b"\n") else None

    def ask(self, line: str) -> str:
        self.send(line)
        answer = self.line()
        assert answer is not None
        return answer

    def command(self, text: str) -> tuple[bool, str]:
        """``enginecommand``."""
        word, handled, reply = self.ask(f"COMMAND {text}").split(" ", 2)
        assert word == "ANSWER"
        assert reply
        return handled == "1", reply.replace("\\n", "\n")

    def finish(self) -> tuple[list[str], str]:
        """The status texts of a ``getmove``, and the line that ends it."""
        shown = []
        while (line := self.line()) is not None and line.startswith("STATUS "):
            shown.append(line.removeprefix("STATUS "))
        assert line is not None, shown
        return shown, line


class Server(Program):
    """The server's process, once it listens."""

    def __init__(self, *arguments: str) -> None:
        super().__init__("checkerboard", "--port", "0", *arguments)
        first = self.line() or ""
        assert first.startswith("listening on 127.0.0.1 port "), (first, self.rest())
        self.port = int(first.rpartition(" ")[2])

    def channel(self, name: str, game: str, session: str = "s") -> Connection:
        connection = Connection(self.port, f"HELLO 1 {name} {game} {session}")
        answer = connection.line()
        assert answer is not None
        assert answer.startswith(f"READY 1 {game} {GAMES[game]} damd-checkerboard"), answer
        return connection

    def end(self) -> None:
        """Ask it to end as a system does; nothing is said about it."""
        self.process.terminate()
        assert self.exit_code(PATIENCE_S) == 128 + signal.SIGTERM
        assert self.stderr() == ""


@dataclass
class Gui:
    """A game on the GUI's board, played over both channels."""

    server: Server
    game: str
    session: str = "s"
    board: Board = field(default_factory=start_board)
    colour: int = WHITE
    past: list[tuple[Board, int, GuiMove]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.type = GAMES[self.game]
        self.commands = self.server.channel("commands", self.game, self.session)
        self.moves = self.server.channel("moves", self.game, self.session)

    def __enter__(self) -> Gui:
        return self

    def __exit__(self, *_: object) -> None:
        self.commands.close()
        self.moves.close()

    def listed(self) -> tuple[list[GuiMove], bool]:
        handled, reply = self.commands.command(f"get movelist {fen(self.board, self.colour, self.type)}")
        assert handled
        return read_list(reply, self.type)

    def play(self, move: GuiMove) -> None:
        self.past.append((self.board, self.colour, move))
        self.board = move.on(self.board)
        self.colour ^= WHITE | BLACK

    def tell_history(self) -> str:
        """What the GUI sends before each ``getmove``."""
        board, colour, moves = self.board, self.colour, []
        for earlier, mover, move in reversed(self.past):
            if not move.reversible:
                break
            board, colour = earlier, mover
            moves.insert(0, f"{number(move.origin, self.type)}-{number(move.end, self.type)}")
        text = " ".join(["set gamehist", fen(board, colour, self.type), *moves])
        handled, reply = self.commands.command(text)
        assert handled, (text, reply)
        return text

    def ask_move(self, seconds: float = 0.01, info: int = 0, more: int = 0) -> tuple[int, Board, str]:
        """``getmove``: its value, the board that it gives back and the ``CBmove``."""
        self.moves.send(f"MOVE {self.colour} {seconds:.3f} {info} {more} {wire_board(self.board)}")
        shown, line = self.moves.finish()
        words = line.split(" ")
        assert words[0] == "DONE", (shown, line)
        assert all(0 < len(text) <= 1023 for text in shown)
        return int(words[1]), from_wire(words[2]), words[3]

    def engine_moves(self, seconds: float = 0.01) -> int:
        """Let the engine play, and find its move as the GUI does; what ``getmove`` has returned."""
        listed, all_of_them = self.listed()
        self.tell_history()
        result, board, record = self.ask_move(seconds)
        told = read_record(record)
        assert told.on(self.board) == board
        if all_of_them:
            found = [move for move in listed if move.on(self.board) == board]
            assert found
            assert told in found
        self.play(told)
        return result


def distinct(boards: Sequence[Board]) -> int:
    return len({tuple(sorted(board.items())) for board in boards})
