"""One session: the state behind the protocol, and the answer to each line.

``Session.answer`` turns one line into the lines of its answer and, for what takes time, a piece of work that
says the rest. It never waits for anything and knows neither threads nor pipes; when a line may be answered is
decided elsewhere (``damd.daemon.worker``).
"""

from __future__ import annotations

from collections.abc import Callable

from damd.core.position import Position
from damd.core.types import Ply, TooManyPlies
from damd.daemon.answer import Answer
from damd.daemon.handshake import handshake
from damd.daemon.settings import Settings
from damd.daemon.work import BenchWork, PerftWork, SearchWork, plies_text
from damd.engine import Engine, Limits
from damd.notation.fen import FenError, format_fen, parse_fen
from damd.notation.plies import PlyError, parse_ply
from damd.protocol.commands import BY_NAME
from damd.protocol.errors import Code, ProtocolError, code_of
from damd.protocol.grammar import (
    GoRequest,
    PositionRequest,
    bounded_number,
    parse_debug,
    parse_gameover,
    parse_go,
    parse_position,
    parse_setoption,
    unknown_command,
    with_surplus,
)

SIDES = ("white", "black")


class Session:
    """One conversation with one client. Raises ``ProtocolError`` where ``variant_path`` is no folder of variants."""

    def __init__(self, variant_path: str = "", make_engine: Callable[..., Engine] = Engine) -> None:
        self._settings = Settings(variant_path, make_engine)
        self._engine = self._settings.engine
        self._debug = False
        # What the last ``position`` asked for, so that the next one need only play what is new.
        self._set_by = PositionRequest(None, ())
        self._agreed_end = ""
        self._handlers: dict[str, Callable[[str], Answer]] = {
            "uci": self._uci,
            "debug": self._debug_switch,
            "isready": self._isready,
            "setoption": self._setoption,
            "register": self._nothing,
            "ucinewgame": self._ucinewgame,
            "position": self._position,
            "go": self._go,
            "stop": self._said_elsewhere,
            "ponderhit": self._said_elsewhere,
            "quit": self._said_elsewhere,
            "help": self._help,
            "d": self._draw,
            "fen": self._fen,
            "moves": self._moves,
            "explain": self._explain,
            "result": self._result,
            "gameover": self._gameover,
            "perft": self._perft,
            "eval": self._eval,
            "bench": self._bench,
        }

    def answer(self, line: str) -> Answer:
        """The answer to one line that is not blank. Errors are lines of it, never exceptions."""
        name, *rest = line.split(maxsplit=1)
        handler = self._handlers.get(name)
        if handler is None:
            return Answer([unknown_command(name).line()])
        try:
            return handler(rest[0] if rest else "")
        except ProtocolError as error:
            return Answer([error.line()])
        except TooManyPlies as fault:
            return Answer([ProtocolError(Code.TOO_MANY_PLIES, "", str(fault)).line()])

    def refusal(self, name: str) -> ProtocolError:
        """The error for a command that came during an unbounded search."""
        if name not in self._handlers:
            return unknown_command(name)
        return ProtocolError(Code.SEARCHING, name, "not during a search without end, send stop first")

    # The handshake and the options

    def _uci(self, rest: str) -> Answer:
        return Answer(with_surplus(rest, handshake(self._settings.values, self._settings.first_path)))

    def _debug_switch(self, rest: str) -> Answer:
        on, errors = parse_debug(rest)
        self._debug = self._debug if on is None else on
        return Answer([error.line() for error in errors])

    def _isready(self, rest: str) -> Answer:
        return Answer(with_surplus(rest, ["readyok"]))

    def _setoption(self, rest: str) -> Answer:
        name, value = parse_setoption(rest)
        changed, error = self._settings.set(name, value)
        lines = [] if error is None else [error.line()]
        if changed:
            self._started_from(PositionRequest(None, ()))
            rules = self._settings.rules
            lines += self._remark(f"rules of {rules.name}, penalty {rules.penalty.take}, {rules.start.first} begins")
        return Answer(lines)

    def _ucinewgame(self, rest: str) -> Answer:
        self._engine.clear()
        return Answer(with_surplus(rest))

    def _nothing(self, _rest: str) -> Answer:
        """What is not obeyed at all."""
        return Answer()

    def _said_elsewhere(self, rest: str) -> Answer:
        """What the desk obeys, at once: ``stop``, ``ponderhit``, ``quit``."""
        return Answer(with_surplus(rest))

    def _help(self, rest: str) -> Answer:
        # Imported here: people ask for help, programs do not, and every start would pay for the tables.
        from damd.protocol.tables import help_lines

        return Answer(help_lines(rest.strip()))

    # The position

    def _position(self, rest: str) -> Answer:
        request = parse_position(rest.split())
        before = self._set_by
        known = len(before.moves)
        if request.fen == before.fen and request.moves[:known] == before.moves:
            try:
                self._play(self._engine.position, request.moves, known)
            except (ProtocolError, TooManyPlies):
                # The plies before the bad one are played; what was there is set up again.
                self._engine.set_position(self._made(before))
                raise
            new = len(request.moves) - known
        else:
            self._engine.set_position(self._made(request))
            new = len(request.moves)
        self._started_from(request)
        return Answer(self._remark(f"position after {len(request.moves)} plies, {new} of them new"))

    def _started_from(self, request: PositionRequest) -> None:
        self._set_by = request
        self._agreed_end = ""

    def _made(self, request: PositionRequest) -> Position:
        """The position that a request asks for. Raises ``ProtocolError`` and ``TooManyPlies``."""
        rules = self._settings.rules
        try:
            setup = None if request.fen is None else parse_fen(request.fen, rules)
        except FenError as fault:
            raise ProtocolError(Code.BAD_FEN, fault.token, fault.message) from fault
        position = Position(rules, setup)
        self._play(position, request.moves, 0)
        return position

    def _play(self, position: Position, moves: tuple[str, ...], known: int) -> None:
        """Play the plies from number ``known`` on, and make sure that the plies of the end can be listed."""
        for number, text in enumerate(moves[known:], known + 1):
            try:
                position.play(parse_ply(text, position))
            except PlyError as fault:
                raise ProtocolError(code_of(fault.code), f"ply {number} {text}", fault.message) from fault
        position.count()

    def _draw(self, rest: str) -> Answer:
        from damd.notation.display import display

        return Answer(
            with_surplus(rest, display(self._engine.position, self._settings["MissedCapture"], self._settings.squares))
        )

    def _fen(self, rest: str) -> Answer:
        words = rest.split()
        full = words[:1] == ["full"]
        setup = self._engine.position.setup()
        text = format_fen(setup, self._settings.rules, full=full, squares=self._settings.squares)
        return Answer(with_surplus(" ".join(words[1:] if full else words), [f"fen {text}"]))

    def _moves(self, rest: str) -> Answer:
        position = self._engine.position
        text = plies_text(position.plies(), position.board, self._settings.squares)
        return Answer(with_surplus(rest, [f"moves {text}".rstrip()]))

    def _explain(self, rest: str) -> Answer:
        # Imported here: people ask for it, and every start would pay for the words.
        from damd.notation.explanation import explain

        words = rest.split()
        if not words:
            raise ProtocolError(Code.MISSING_ARGUMENT, "explain", f"expected {BY_NAME['explain'].usage}")
        found = explain(words[0], self._engine.position, self._settings.squares)
        lines = [found.heading, *(f"  {sentence}" for sentence in found.sentences)]
        return Answer(with_surplus(" ".join(words[1:]), [*lines, " ".join(["plies", str(found.total), *found.plies])]))

    def _result(self, rest: str) -> Answer:
        from damd.notation.display import outcome_words

        return Answer(with_surplus(rest, [f"result {self._agreed_end or outcome_words(self._engine.position.outcome())}"]))

    def _gameover(self, rest: str) -> Answer:
        self._agreed_end, beyond = parse_gameover(rest)
        return Answer(with_surplus(beyond))

    # Searching and counting

    def _go(self, rest: str) -> Answer:
        request = parse_go(rest.split())
        lines = [error.line() for error in request.errors]
        if "perft" in request.numbers:
            return Answer(lines, self._perft_work(request.numbers["perft"]))
        position = self._engine.position
        root, skipped = [], request.skipped
        for text in request.searchmoves:
            try:
                ply = parse_ply(text, position)
            except PlyError as fault:
                lines.append(ProtocolError(code_of(fault.code), text, fault.message).line())
                skipped = True
            else:
                root += [ply] if ply not in root else []
        limits = limits_of(request, skipped, tuple(root))
        lines += self._remark(f"search {limits}")
        return Answer(lines, SearchWork(self._engine, limits, self._settings.squares, self._settings.show_wdl))

    def _perft(self, rest: str) -> Answer:
        depth, lines = self._number("perft", rest)
        if depth is None:
            raise ProtocolError(Code.MISSING_ARGUMENT, "perft", f"expected {BY_NAME['perft'].usage}")
        return Answer(lines, self._perft_work(depth))

    def _perft_work(self, depth: int) -> PerftWork:
        position = self._engine.position
        return PerftWork(Position(self._settings.rules, position.setup()), depth, self._settings.squares)

    def _eval(self, rest: str) -> Answer:
        return Answer(with_surplus(rest, [f"eval cp {self._engine.evaluate()}"]))

    def _bench(self, rest: str) -> Answer:
        depth, lines = self._number("bench", rest)
        return Answer(lines, BenchWork(self._settings.rules, depth))

    # Helpers

    def _number(self, name: str, rest: str) -> tuple[int | None, list[str]]:
        """The one number that follows a command, if any, and the error lines that come with it."""
        words = rest.split()
        if not words:
            return None, []
        number, error = bounded_number(words[0], BY_NAME[name].args[0], name)
        return number, with_surplus(" ".join(words[1:]), [error.line()] if error else [])

    def _remark(self, text: str) -> list[str]:
        return [f"info string {text}"] if self._debug else []


def limits_of(request: GoRequest, skipped: bool, root: tuple[Ply, ...]) -> Limits:
    """The engine's limits for a ``go``.

    Without any limit it searches without end, unless tokens were ``skipped``: then one of them may have been
    meant as the limit, and it searches one ply deep.
    """
    numbers, flags = request.numbers, request.flags
    clocks = [max(numbers[word], 0) if word in numbers else None for word in ("wtime", "btime")]
    # A client that names one clock only means both: the mover's own must not be missing.
    white, black = (clock if clock is not None else clocks[1 - side] for side, clock in enumerate(clocks))
    return Limits(
        depth=numbers.get("depth") if request.limited or not skipped else 1,
        nodes=numbers.get("nodes"),
        mate=numbers.get("mate"),
        movetime_ms=numbers.get("movetime"),
        time_ms=(white, black),
        increment_ms=(numbers.get("winc", 0), numbers.get("binc", 0)),
        moves_to_go=numbers.get("movestogo") or None,
        infinite="infinite" in flags or not (request.limited or skipped),
        ponder="ponder" in flags,
        root_plies=root,
        draw_offered="draw" in flags,
    )
