"""A UCI client of the chess world, python-chess's ``chess.engine``, gets through with nothing lost.

It takes plies and positions from the board it is given, so a stand-in for a chess board, with draughts' texts,
takes it all the way: handshake, options, search, analysis, pondering.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

import pytest

from damd.core.position import Position
from damd.notation.fen import format_fen
from damd.notation.plies import format_ply, parse_ply
from damd.protocol.options import OPTIONS, OptionKind
from damd.variants import load

chess_engine = pytest.importorskip("chess.engine")


class Text:
    """A ply with the one method that the client asks of a chess move."""

    def __init__(self, text: str) -> None:
        self.text = text

    def uci(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class DraughtsBoard:
    """What the client asks of a chess board, for a draughts game from its start position."""

    uci_variant = "international"
    chess960 = False

    def __init__(self, plies: tuple[str, ...] = ()) -> None:
        self.move_stack = [Text(text) for text in plies]

    def position(self) -> Position:
        position = Position(load(self.uci_variant))
        for move in self.move_stack:
            position.play(parse_ply(move.text, position))
        return position

    @property
    def turn(self) -> bool:
        return self.position().side == 0

    def root(self) -> DraughtsBoard:
        return type(self)()

    def fen(self, **_: object) -> str:
        position = self.position()
        return format_fen(position.setup(), position.rules)

    def copy(self, stack: bool = True) -> DraughtsBoard:  # noqa: ARG002 - the stack is the position here
        return type(self)(tuple(move.text for move in self.move_stack))

    def parse_uci(self, text: str) -> Text:
        position = self.position()
        return Text(format_ply(parse_ply(text, position), position.board))

    def push(self, move: Text) -> None:
        self.move_stack.append(move)

    def push_uci(self, text: str) -> Text:
        self.push(self.parse_uci(text))
        return self.move_stack[-1]

    def pop(self) -> Text:
        return self.move_stack.pop()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DraughtsBoard) and other.move_stack == self.move_stack

    __hash__ = None  # type: ignore[assignment]


class HajiBoard(DraughtsBoard):
    """A game in which a ply may keep the turn."""

    uci_variant = "dam-haji"


@pytest.fixture
def engine(caplog: pytest.LogCaptureFixture) -> Iterator[chess_engine.SimpleEngine]:
    with (
        caplog.at_level(logging.DEBUG, "chess.engine"),
        chess_engine.SimpleEngine.popen_uci([sys.executable, "-m", "damd"], timeout=60) as running,
    ):
        yield running
    faults = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert not faults


def sent(caplog: pytest.LogCaptureFixture, word: str) -> list[str]:
    """The lines beginning with a word that the client has sent."""
    lines = [record.getMessage().split(": << ", 1) for record in caplog.records]
    return [line[1] for line in lines if len(line) == 2 and line[1].split()[0] == word]


def test_handshake(engine):
    assert engine.id["name"].startswith("damd ")
    assert list(engine.options) == [option.name for option in OPTIONS]
    for option in OPTIONS:
        seen = engine.options[option.name]
        assert seen.type == option.kind.value
        if option.kind is OptionKind.SPIN:
            assert (seen.default, seen.min, seen.max) == (int(option.default), option.low, option.high)
        elif option.kind is OptionKind.CHECK:
            assert seen.default is (option.default == "true")
        elif option.kind is OptionKind.COMBO:
            assert seen.default == option.default
            assert set(option.choices) <= set(seen.var)
    assert "dam-daman" in engine.options["UCI_Variant"].var
    engine.ping()


def test_options(engine):
    engine.configure({"Hash": 8, "Move Overhead": 50, "Squares": "algebraic", "DrawOffers": True, "Clear Hash": None})
    engine.configure({"MissedCapture": "forbidden", "FirstMover": "black", "Squares": "numeric", "VariantPath": ""})
    engine.ping()
    with pytest.raises(chess_engine.EngineError):
        engine.configure({"Hash": 0})


def test_strength(engine):
    weakest = engine.options["UCI_Elo"].min
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": weakest, "Contempt": -20, "UCI_ShowWDL": True})
    result = engine.play(DraughtsBoard(), chess_engine.Limit(nodes=100_000), info=chess_engine.INFO_ALL)
    assert result.info["depth"] == 1
    chances = result.info["wdl"].white()
    assert chances.wins + chances.draws + chances.losses == 1000
    assert engine.analyse(DraughtsBoard(), chess_engine.Limit(mate=2))["depth"] == 5
    engine.configure({"UCI_LimitStrength": False, "Skill Level": 6})
    weak = engine.play(DraughtsBoard(), chess_engine.Limit(depth=6), info=chess_engine.INFO_ALL)
    engine.configure({"Skill Level": 20, "UCI_ShowWDL": False})
    strong = engine.play(DraughtsBoard(), chess_engine.Limit(depth=6), info=chess_engine.INFO_ALL)
    assert weak.info["depth"] < strong.info["depth"] == 6
    assert "wdl" not in strong.info
    for name in ("UCI_Elo", "Skill Level", "Contempt"):
        with pytest.raises(chess_engine.EngineError):
            engine.configure({name: engine.options[name].max + 1})


def test_play(engine, caplog):
    board = DraughtsBoard()
    result = engine.play(board, chess_engine.Limit(depth=5), info=chess_engine.INFO_ALL)
    board.push(board.parse_uci(result.move.text))
    board.push(board.parse_uci(result.ponder.text))
    assert result.info["depth"] == 5
    assert result.info["nodes"] > 0
    assert {"score", "time", "nps", "seldepth", "hashfull", "multipv"} <= set(result.info)
    result = engine.play(board, chess_engine.Limit(time=0.05), root_moves=board_moves(board)[:1])
    assert result.move.text == board_moves(board)[0].text
    engine.play(
        board, chess_engine.Limit(white_clock=1.0, black_clock=1.0, white_inc=0.1, black_inc=0.1, remaining_moves=20)
    )
    assert sent(caplog, "setoption")[0] == "setoption name UCI_Variant value international"


def board_moves(board: DraughtsBoard) -> list[Text]:
    position = board.position()
    return [Text(format_ply(ply, position.board)) for ply in position.plies()]


def test_a_whole_game_with_claims(engine):
    board = HajiBoard()
    claims = 0
    while (position := board.position()).outcome() is None and len(board.move_stack) < 120:
        # Random players miss captures; this one takes what is first in the list every other ply.
        if len(board.move_stack) % 2:
            board.push(board_moves(board)[len(board.move_stack) % len(position.plies())])
        else:
            board.push(engine.play(board, chess_engine.Limit(depth=3)).move)
        claims += board.move_stack[-1].text.startswith("x")
    assert len(board.move_stack) > 20
    assert claims


def test_analysis(engine):
    with engine.analysis(DraughtsBoard(), multipv=3) as analysis:
        for info in analysis:
            if info.get("multipv") == 3 and info["depth"] >= 4:
                break
    assert analysis.wait().move is not None
    engine.ping()


@pytest.mark.parametrize("hit", [True, False])
def test_pondering(engine, caplog, hit):
    """Every guess that comes true is a ponder hit, and only that; a forced answer comes true whatever one wants."""
    board, game = DraughtsBoard(), object()
    limit = chess_engine.Limit(time=0.05)
    hits = pondered = 0
    for turn in range(6):
        result = engine.play(board, limit, game=game, ponder=True)
        board.push(result.move)
        answers = board_moves(board)
        others = [move for move in answers if move != result.ponder]
        guessed = result.ponder is not None and (hit or not others)
        board.push(result.ponder if guessed else others[0])
        pondered += result.ponder is not None
        hits += guessed and turn < 5  # after the last turn nothing is asked any more
    assert pondered >= 5
    assert len(sent(caplog, "ponderhit")) == hits
    assert hits >= 4 if hit else hits < 5


def test_quit_while_pondering(engine):
    engine.play(DraughtsBoard(), chess_engine.Limit(time=0.02), ponder=True)
    engine.quit()
