"""The engine at the other side of the board: a process that is told the game and asked for its plies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from damd.client import EngineError, EngineTerminated, EngineTimeout, InfoLine, Limit, SearchResult, SyncEngine
from damd.core.position import Position, start_setup
from damd.core.types import Ply, TooManyPlies
from damd.levels import FULL_SKILL
from damd.notation.fen import format_fen
from damd.notation.plies import PlyError, format_ply, parse_ply
from damd.notation.squares import shown
from damd.play.game import Game
from damd.play.strength import SKILL_OPTION
from damd.rules import Rules

T = TypeVar("T")

#: Of the line that the engine expects so many plies are told.
_TOLD_PLIES = 6


class OpponentError(Exception):
    """The engine cannot be started or asked, or has answered what is no ply; the message is for people."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the engine has answered. ``ply`` is ``None`` where it resigns, or has accepted a draw without naming one.

    ``draw`` offers a draw, or accepts the one that was offered. ``line`` is what it expects, its ply first, and
    ``score`` its opinion for the side to move, in words; empty where it has none.
    """

    ply: Ply | None
    draw: bool
    resigns: bool
    line: tuple[Ply, ...] = ()
    score: str = ""


class Opponent:
    """The engine that ``start`` starts, playing ``rules``; started when it is needed, and again after it has ended.

    ``forbidden`` tells it that captures cannot be missed, ``variant_path`` where the user's own variants lie.
    """

    def __init__(
        self, start: Callable[[], SyncEngine], rules: Rules, *, forbidden: bool = False, variant_path: str | None = None
    ) -> None:
        self._start = start
        self._rules = rules
        self._forbidden = forbidden
        self._variant_path = variant_path
        self._engine: SyncEngine | None = None
        self._skill: int | None = None  # what the engine was told
        self.name = "the engine"
        self.takes_offers = True  # unless it is known not to listen to draw offers

    @property
    def running(self) -> bool:
        return self._engine is not None and self._engine.alive

    def ready(self) -> None:
        """Start the engine where it is not running. Raises ``OpponentError``."""
        if self.running:
            return
        self.close()
        try:
            engine = self._start()
        except (EngineError, ValueError) as fault:
            raise OpponentError(f"the engine does not start: {fault}") from fault
        try:
            self._configure(engine)
        except EngineError as fault:
            engine.close()
            raise OpponentError(f"the engine does not play {self._rules.name}: {fault}") from fault
        except BaseException:
            engine.close()
            raise
        self._engine = engine
        self.name = shown(engine.id.name) or "the engine"
        self.takes_offers = "DrawOffers" in engine.options

    def _configure(self, engine: SyncEngine) -> None:
        if self._variant_path and "VariantPath" in engine.options:
            engine.set_option("VariantPath", self._variant_path)
            engine.handshake()  # the names in the folder join the choices of UCI_Variant
        self._skill = None
        engine.set_option("UCI_Variant", self._rules.name)
        if self._forbidden:
            engine.set_option("MissedCapture", "forbidden")
        for option in ("DrawOffers", "Resign"):
            if option in engine.options:
                engine.set_option(option, True)
        engine.new_game()

    def new_game(self) -> None:
        """What follows is another game. Raises ``OpponentError``."""
        if self.running:
            self._guarded(SyncEngine.new_game)

    def choose(self, game: Game, limit: Limit, skill: int, *, draw_offered: bool = False) -> Choice:
        """The engine's ply for the side to move, with that skill if it knows such a thing.

        Raises ``OpponentError``; an interrupt stops the search.
        """
        self.ready()
        plies = [format_ply(played.ply, game.rules.geometry) for played in game.played]
        fen = None
        if game.start != start_setup(game.rules):
            counted = game.start.halfmoves or game.start.fullmoves != 1
            fen = format_fen(game.start, game.rules, full=bool(counted))

        def ask(engine: SyncEngine) -> SearchResult:
            if skill != self._skill and _has_skill(engine):
                engine.set_option(SKILL_OPTION, skill)
                self._skill = skill
            engine.position(fen, plies)
            return engine.go(limit, draw_offered=draw_offered and self.takes_offers)

        result = self._guarded(ask)
        best, info = result.best, result.last()
        if best.ply is None:
            if best.resign or (best.draw and draw_offered):
                return Choice(None, best.draw, best.resign)
            said = [f"{error.code} {error.message}".rstrip() for error in result.errors]
            raise OpponentError("; ".join(["the engine has named no ply", *said]))
        ply = _legal(best.ply, game.position)
        line = _line(game, info.pv) if info is not None else ()
        return Choice(ply, best.draw, best.resign, line if line[:1] == (ply,) else (ply,), _score(info))

    def _guarded(self, call: Callable[[SyncEngine], T]) -> T:
        """``call`` with the running engine. One that has died, or does not answer, is closed."""
        engine = self._engine
        if engine is None:
            raise OpponentError("the engine is not running")
        try:
            return call(engine)
        except (EngineTerminated, EngineTimeout) as fault:
            self.close()
            raise OpponentError(str(fault)) from fault
        except EngineError as fault:
            raise OpponentError(f"the engine is at fault: {fault}") from fault

    def close(self) -> None:
        """End the engine's process; it may be started again."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()


def _has_skill(engine: SyncEngine) -> bool:
    """Whether it has the option, on the same scale."""
    option = engine.options.get(SKILL_OPTION)
    return option is not None and (option.low, option.high) == (0, FULL_SKILL)


def _legal(text: str, position: Position) -> Ply:
    try:
        return parse_ply(text, position)
    except PlyError as fault:
        raise OpponentError(f"the engine has answered {shown(text)}, which is no legal ply: {fault.message}") from fault


def _line(game: Game, texts: tuple[str, ...]) -> tuple[Ply, ...]:
    """The plies of the line that the engine expects, as far as they are legal and worth telling."""
    position = Position(game.rules, game.position.setup())
    line: list[Ply] = []
    for text in texts[:_TOLD_PLIES]:
        try:
            ply = parse_ply(text, position)
            position.play(ply)
        except (PlyError, TooManyPlies):
            break
        line.append(ply)
    return tuple(line)


def _score(info: InfoLine | None) -> str:
    score = info.score if info is not None else None
    if score is None:
        return ""
    if score.kind == "cp":
        return f"worth {score.value / 100:+.2f} men"
    moves = "1 move" if abs(score.value) == 1 else f"{abs(score.value)} moves"
    return f"{'wins' if score.value > 0 else 'loses'} in {moves}"
