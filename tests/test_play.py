"""A game at the terminal, with a scripted engine and a scripted person; no process, no terminal."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest

from damd.client import Limit, SyncEngine
from damd.client.testing import ScriptedPeer
from damd.core.position import start_setup
from damd.core.types import Outcome, Reason
from damd.notation.fen import format_fen, parse_fen
from damd.notation.plies import format_ply, parse_ply
from damd.play import record
from damd.play.console import WIDTH, Console
from damd.play.game import Game, Unplayable
from damd.play.opponent import Opponent, OpponentError
from damd.play.record import PEOPLE, RecordError
from damd.play.run import play
from damd.play.session import Options, Session
from damd.play.strength import DEFAULT, LEVELS, PLAYERS, SKILLS, Strength, time_ms
from damd.play.words import Words
from damd.variants import load, names

OPTIONS = (
    "option name UCI_Variant type combo default dam-haji var dam-haji var dam-daman var international",
    "option name MissedCapture type combo default rule var rule var forbidden",
    "option name DrawOffers type check default false",
    "option name Resign type check default false",
)
#: Black's man on 19 can be taken.
SHOT = "W:W23,32:B19,1"
#: Black may take two of White's men.
CLAIMS = "B:W21,22,32:B14,3,4:P21,22"
DAM = "W:WKa3,b3,c3,d3,Kc1:Bb5,d5,Ka9,c9,e9,b8,d8:P*3"
#: What a person or an engine may do instead of answering.
INTERRUPT = KeyboardInterrupt()
DEATH = "the engine dies"

Line = str | BaseException


class Evening:
    """A session from its greeting to its end: ``lines`` are the person's, then its input is over.

    ``go`` are the engine's answers to its searches, in order; after them it dies. All that is said is in ``text``, what
    the engine was told in ``told``.
    """

    def __init__(
        self,
        *lines: Line,
        go: Iterable[str | Callable[[str], Iterable[str]]] = (),
        variant: str = "dam-haji",
        fen: str | None = None,
        people: str = "white",
        options: Iterable[str] = OPTIONS,
        save_file: str | None = None,
        forbidden: bool = False,
        painted: bool = False,
    ) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.peers: list[ScriptedPeer] = []
        self.options = tuple(options)
        self.answers = list(go)
        rules = record.rules_for(variant, "forbidden" if forbidden else "rule", None)
        game = Game(rules, parse_fen(fen, rules) if fen else start_setup(rules))
        opponent = Opponent(self._connect, rules, forbidden=forbidden)
        table = Options(PEOPLE[people], DEFAULT, "forbidden" if forbidden else "rule", "numeric", save_file=save_file)
        self.session = Session(Console(self._read, self.said.append, painted=painted), game, opponent, table)
        self.code = play(self.session)

    def _connect(self) -> SyncEngine:
        peer = ScriptedPeer()
        self.peers.append(peer)
        peer.handshake("Peer", options=self.options)
        for standing in ("setoption .*", "ucinewgame", "position .*", "stop"):
            peer.always(re.compile(standing))
        peer.always(re.compile("go .*"), self._answer)
        return SyncEngine.connect(peer)

    def _answer(self, line: str) -> Iterable[str]:
        answer = self.answers.pop(0) if self.answers else DEATH
        if answer == DEATH:
            self.peers[-1].die(3, "out of luck")
            return []
        return answer(line) if callable(answer) else answer.split("\n")

    def _read(self, prompt: str) -> str:
        self.said.append(prompt)
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        if isinstance(line, BaseException):
            raise line
        self.said.append(f"{line}\n")
        return line

    @property
    def text(self) -> str:
        return " ".join("".join(self.said).split())

    @property
    def told(self) -> list[str]:
        return [line for peer in self.peers for line in peer.received]

    @property
    def fen(self) -> str:
        return format_fen(self.session.game.position.setup(), self.session.game.rules)


def game_of(variant: str, fen: str, *plies: str) -> Game:
    rules = load(variant)
    game = Game(rules, parse_fen(fen, rules))
    for ply in plies:
        game.play(parse_ply(ply, game.position))
    return game


# Turns


def test_the_engine_answers_a_ply():
    evening = Evening("22-18", "fen", go=["info depth 1 score cp 5 pv 9-14\nbestmove 9-14"])
    assert evening.code == 0
    assert "you play White, Peer plays Black with level 5" in evening.text
    assert "White> 22-18 Black plays 9-14." in evening.text
    assert "setoption name DrawOffers value true" in evening.told
    assert "position startpos moves 22-18" in evening.told
    assert "go depth 5 nodes 20000 movetime 30000" in evening.told
    assert evening.fen == "W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,14"
    assert "W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,14:H0:F2" in evening.text


def test_the_engine_begins_where_the_person_is_black():
    evening = Evening("9-14", people="black", go=["bestmove 22-18", "bestmove 18x9"])
    assert evening.text.index("White plays 22-18.") < evening.text.index("Black> 9-14")
    assert "White plays 18x9." in evening.text


@pytest.mark.parametrize("text", ["22-18", "2218", "22 18", "22 - 18", "c3d4", "c3-d4", "C3 d4", "022-018"])
def test_a_ply_is_read_in_every_spelling(text):
    evening = Evening(text, people="both")
    (played,) = evening.session.game.played
    assert format_ply(played.ply, evening.session.game.rules.geometry) == "22-18"


def test_what_is_no_ply_and_no_command_is_told_and_changes_nothing():
    evening = Evening("22-17-13", "9-14", "undoo", "", "quit now", "rubbish", "x", "no", "99-98", "1" * 600, "\x07", "save")
    assert "There is no command undoo. Did you mean undo?" in evening.text
    assert "There is no command rubbish. `help` lists them." in evening.text
    assert "The piece on 9 is Black's" in evening.text
    assert "`quit` takes nothing behind it." in evening.text
    assert "99 is not a square" in evening.text
    assert "There is nothing to answer" in evening.text
    assert "A ply of 600 characters" in evening.text
    assert "`save` needs a file's name." in evening.text
    assert evening.session.game.played == []


def test_an_ambiguous_ply_is_told_with_its_paths():
    evening = Evening("4x15", variant="international", fen="W:WK4:B13,20,32,37", people="both")
    assert "4x15 names 2 plies" in evening.text


def test_nothing_is_longer_than_the_terminal_is_wide():
    evening = Evening("moves", "help", "rules", "hint", variant="dam-daman", fen=DAM, go=["bestmove xb5xd5xb8"])
    assert all(len(line) <= WIDTH for line in "".join(evening.said).split("\n"))
    assert "Claims: 35, any 3 of Black's pieces" not in evening.text  # so few are listed
    assert "This is Dam-daman" in evening.text


def test_both_sides_may_be_persons_and_no_engine_is_started():
    evening = Evening("22-18", "9-14", "moves", people="both")
    assert evening.peers == []
    assert "Black> 9-14" in evening.text
    assert "Captures: 18x9" in evening.text


def test_no_side_may_be_a_person():
    evening = Evening(people="none", fen="W:W22,32:B17,9", go=["bestmove 22x13", "bestmove 9-14", "bestmove 13-9"])
    assert "Peer plays both sides" in evening.text
    assert "White plays 22x13." in evening.text


# Claims


def test_the_engines_missed_capture_is_told_and_claimed_by_name():
    evening = Evening("32-27", "18", fen="W:W15,32:B10,1,2", go=["bestmove 1-5"])
    assert "Black plays 1-5." in evening.text
    assert "Black missed a capture (10x19 was possible). Take the man on 10 off the board? (yes/no)" in evening.text


@pytest.mark.parametrize("answer", ["21", "x21", "X21", " 21 ", "a3"])
def test_a_claim_by_the_square(answer):
    evening = Evening(answer, "14-18", people="black", fen=CLAIMS, go=["bestmove 22x15"])
    assert "White missed a capture. Take one of 21, 22 off the board? (21/22/no)" in evening.text
    assert "Black claims: White's man on 21 is taken off for a missed capture." in evening.text
    assert "position fen B:W21,22,32:B3,4,14:P21,22 moves x21 14-18" in evening.told


def test_a_claim_is_refused_by_no_and_by_a_ply():
    for answers in (["no", "14-18"], ["14-18"], ["n", "14-18"]):
        evening = Evening(*answers, people="both", fen=CLAIMS)
        assert "claims" not in evening.text
        assert evening.fen.startswith("W:W21,22,32:B3,4,18")


def test_a_claim_that_was_refused_may_still_be_made_with_its_ply():
    evening = Evening("no", "moves", "x22", people="both", fen=CLAIMS)
    assert evening.text.count("off the board?") == 1
    assert "Claims: x21 x22" in evening.text
    assert "White's man on 22 is taken off" in evening.text


def test_a_wrong_claim_is_told_and_asked_for_again():
    evening = Evening("yes", "32", "22 21", "moves", people="both", fen=CLAIMS)
    assert "Which? Name the squares, such as x21." in evening.text
    assert "what may be claimed is 21, 22" in evening.text
    assert "A claim takes exactly 1 piece here, not 2" in evening.text
    assert evening.text.count("off the board?") == 5
    assert evening.session.game.played == []


def test_who_can_only_claim_is_told_so():
    evening = Evening("no", "1", fen="W:W5:B1,K32:P1,32", people="both")
    assert "(1/32)" in evening.text
    assert "There is no ply on the board: claim, or resign." in evening.text
    assert "White claims: Black's man on 1 is taken off" in evening.text


@pytest.mark.parametrize("answer", ["b5 d5 c9", "c9,b5,d5", "c9, b5 and d5", "xb5xd5xc9", "C9 B5 D5"])
def test_three_pieces_are_claimed_by_their_points(answer):
    evening = Evening(answer, "plies", people="both", variant="dam-daman", fen=DAM)
    assert "Take any 3 of Black's pieces off the board? (name 3 points, such as b5 d5 b8, or no)" in evening.text
    assert "White claims: Black's pieces on b5, d5 and c9 are taken off for a missed capture." in evening.text
    assert "1. xb5xd5xc9" in evening.text


def test_too_few_points_for_a_claim():
    evening = Evening("b5 d5", people="both", variant="dam-daman", fen=DAM)
    assert "A claim takes exactly 3 pieces here, not 2" in evening.text


def test_few_pieces_are_claimed_by_yes():
    evening = Evening("yes", people="both", variant="dam-daman", fen="W:WKa3,Kb3:BKa9,Kc9:P*3")
    assert "Take the pieces on a9 and c9 off the board? (yes/no)" in evening.text
    assert "White wins: Black has no piece left." in evening.text


def test_the_persons_missed_capture_and_the_engines_claim_are_told():
    evening = Evening("32-27", fen=SHOT, go=["bestmove x23", "bestmove 1-5"])
    assert "White missed a capture (23x16 was possible). Black may take 23 off the board." in evening.text
    assert "Black claims: White's man on 23 is taken off for a missed capture." in evening.text
    assert "Black plays 1-5." in evening.text
    assert f"position fen {SHOT} moves 32-27 x23".replace("B19,1", "B1,19") in evening.told


def test_a_capture_that_was_stopped_is_told():
    fen = "W:W27,29:B3,10,16,23,24"
    evening = Evening("27x20", fen=fen, go=["bestmove x20"])
    assert "White missed a capture (the piece on 20 could have gone on)." in evening.text


def test_plies_that_miss_a_capture_are_listed_apart():
    evening = Evening("moves", people="both", fen=SHOT)
    assert "Captures: 23x16 Missing a capture: 23-18 32-27 32-28 White>" in evening.text
    evening = Evening("moves", people="both", fen=SHOT, forbidden=True)
    assert "Captures: 23x16 White>" in evening.text


# Undo and redo


def test_undo_takes_back_the_turn_and_redo_plays_it_again():
    evening = Evening("22-18", "undo", "undo", "redo", "redo", "plies", go=["bestmove 9-14"])
    assert "Taken back: 22-18, 9-14." in evening.text
    assert "There is nothing of yours to take back." in evening.text
    assert "Played again: 22-18, 9-14." in evening.text
    assert "Nothing was taken back that could be played again." in evening.text
    assert "1. 22-18 9-14" in evening.text


def test_undo_takes_the_engines_claim_back_as_well():
    evening = Evening("32-27", "undo", "23x16", fen=SHOT, go=["bestmove x23", "bestmove 1-5", "bestmove 1-5"])
    assert "Taken back: 32-27, x23, 1-5." in evening.text
    assert evening.fen == "W:W16,32:B5"


def test_a_claim_is_asked_for_again_after_undo():
    evening = Evening("21", "undo", "22", people="both", fen=CLAIMS)
    assert "Taken back: x21." in evening.text
    assert evening.text.count("off the board?") == 2
    assert "man on 22 is taken off" in evening.text


def test_another_ply_ends_what_could_be_played_again():
    evening = Evening("22-18", "undo", "22-17", "redo", people="both")
    assert "Nothing was taken back that could be played again." in evening.text


@pytest.mark.parametrize("variant", names())
def test_a_random_game_forth_and_back_and_saved(variant, tmp_path):
    random = Random(variant)
    rules = load(variant)
    game = Game(rules, start_setup(rules))
    fens = [format_fen(game.position.setup(), rules, full=True)]
    while game.outcome is None and len(game.played) < 80:
        game.play(random.choice(game.plies()))
        fens.append(format_fen(game.position.setup(), rules, full=True))
    file = str(tmp_path / "game")
    record.save(record.Record(game, "rule", PEOPLE["black"], Strength(3, time_ms=1500)), file)
    loaded = record.load(file)
    assert [played.ply for played in loaded.game.played] == [played.ply for played in game.played]
    assert loaded.game.outcome == game.outcome
    assert (loaded.people, loaded.strength) == (PEOPLE["black"], Strength(3, time_ms=1500))
    for fen in reversed(fens[:-1]):
        game.undo(lambda _: True)
        assert format_fen(game.position.setup(), rules, full=True) == fen
    for fen in fens[1:]:
        game.redo(lambda _: True)
        assert format_fen(game.position.setup(), rules, full=True) == fen


# The end


def test_an_end_by_rule():
    evening = Evening("22x15", "moves", "undo", people="both", fen="W:W22:B18")
    assert "last 22x15 White wins: Black has no piece left. Game over> moves White wins" in evening.text
    assert evening.session.game.outcome is None


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(0, Reason.NO_MOVES), "White wins: Black has no legal ply."),
        (Outcome(0, Reason.FIRST_KING), "White wins: White has the first king."),
        (Outcome(None, Reason.ONE_EACH), "A draw: each side has one piece left."),
        (Outcome(None, Reason.REPETITION), "A draw: the same position has come 3 times."),
        (Outcome(None, Reason.MOVE_LIMIT), "A draw: 25 moves of each side without a capture"),
        (Outcome(None, Reason.MATERIAL), "A draw: too few pieces are left for a win."),
        (Outcome(None, Reason.AGREEMENT), "A draw: the players agreed on it."),
        (Outcome(1, Reason.RESIGNATION), "Black wins: White resigns."),
    ],
)
def test_every_end_has_its_words(outcome, text):
    game = game_of("dam-haji", "B:W5:B1")
    assert Words(game.rules, "numeric").end(outcome, game).startswith(text)


def test_resignation_and_its_undo():
    evening = Evening("resign", "22-18", "resign", "moves", "hint", "go", "draw", "undo", "22-18", go=["bestmove 9-14"])
    assert "Black wins: White resigns. `undo` takes it back. Game over> 22-18 The game is over" in evening.text
    assert "The end is taken back: the game goes on." in evening.text
    assert "Black plays 9-14." in evening.text


def test_the_engine_resigns():
    evening = Evening("22-18", go=["bestmove resign"])
    assert "White wins: Black resigns." in evening.text


def test_a_draw_offer_is_answered_after_the_ply():
    evening = Evening("draw", "22-18", "plies", go=["bestmove 9-14 draw"])
    assert any(line.startswith("go draw ") for line in evening.told)
    assert "Black accepts the draw. " in evening.text
    assert "A draw: the players agreed on it." in evening.text
    assert "1. 22-18 Game over>" in evening.text
    evening = Evening("draw", "22-18", "23-19", go=["bestmove 9-14", "bestmove 14x23"])
    assert "Black declines the draw. Black plays 9-14." in evening.text
    assert sum("draw" in line.split() for line in evening.told) == 1


def test_the_engines_offer():
    evening = Evening("22-18", "draw", go=["bestmove 9-14 draw"])
    assert "Black offers a draw" in evening.text
    assert "A draw: the players agreed on it." in evening.text
    evening = Evening("22-18", "18x9", "draw", go=["bestmove 9-14 draw", "bestmove 5x14"])
    assert "You offer a draw" in evening.text


def test_an_engine_that_knows_no_offers_is_not_told_of_them():
    evening = Evening("draw", "22-18", options=OPTIONS[:2], go=["bestmove 9-14"])
    assert "This engine does not listen to draw offers." in evening.text
    assert not any("draw" in line for line in evening.told if line.startswith("go"))


# Commands


def test_why():
    evening = Evening("why 28-22", "why 23 x 14", "why", "why 22-18", fen="W:W23,32:B18,1", forbidden=True)
    assert "28-22 is illegal. There is no piece on 28. Instead: 23x14." in " ".join(evening.text.split())
    assert "23x14 is legal (capture.compulsory)." in evening.text
    assert "`why` needs a ply, as in `why 22-18`." in evening.text
    assert evening.session.game.played == []


def test_hints_are_no_weaker_than_a_fair_level():
    info = "info depth 3 score cp -21 pv 22-18 9-14 18x9 rubbish\nbestmove 22-18"
    evening = Evening("level 1", "hint", go=[info])
    assert "Hint: 22-18, then 9-14 18x9 - White: worth -0.21 men." in evening.text
    assert f"go depth {LEVELS[6][0]} nodes {LEVELS[6][1]} movetime 30000" in evening.told
    long = ["info nodes 9 nps 1 hashfull 0 time 1000", "info depth 4 currmove 21-17 currmovenumber 2", "bestmove 22-18"]
    evening = Evening("hint", go=["\n".join([info.splitlines()[0], *long])])
    assert "Hint: 22-18, then 9-14 18x9 - White: worth -0.21 men." in evening.text
    evening = Evening("hint", people="black", fen=CLAIMS, go=["info depth 3 score mate -2 pv x21\nbestmove x21"])
    assert "Hint: x21 (a claim) - Black: loses in 2 moves." in evening.text


def test_level_and_switch():
    evening = Evening("level", "level 11", "level x", "level 2", "switch x", "switch", "9-14", go=["bestmove 22-18"] * 2)
    assert "The engine plays with level 5." in evening.text
    assert evening.text.count("A level is a number from 1 to 10.") == 2
    assert "You now play Black." in evening.text
    assert "White plays 22-18." in evening.text
    assert "go depth 2 nodes 600 movetime 30000" in evening.told
    evening = Evening("switch both", "switch", "switch white", people="black", go=["bestmove 22-18"])
    assert "Which sides do you want to play?" in evening.text
    assert "You now play White." in evening.text


SKILL = "option name Skill Level type spin default 20 min 0 max 20"


def test_an_engine_with_levels_of_its_own_is_told_the_level():
    evening = Evening("22-18", "level 2", "hint", "level", "quit", "no", options=(*OPTIONS, SKILL), go=["bestmove 9-14"] * 2)
    skills = [line.split()[-1] for line in evening.told if line.startswith("setoption name Skill Level")]
    assert skills == [str(SKILLS[4]), "20"], "a hint is made with full skill"
    assert evening.text.count("It plays like a beginner who has played a few games.") == 2
    evening = Evening("22-18", "undo", "22-18", options=(*OPTIONS, SKILL), go=["bestmove 9-14"] * 2)
    assert sum(line.startswith("setoption name Skill Level") for line in evening.told) == 1
    # Started again, it is told again; another scale is left alone.
    evening = Evening("22-18", "go", options=(*OPTIONS, SKILL), go=[DEATH, "bestmove 9-14"])
    assert sum(line.startswith("setoption name Skill Level") for line in evening.told) == 2
    evening = Evening("22-18", options=(*OPTIONS, SKILL.replace("20", "9")), go=["bestmove 9-14"])
    assert not any(line.startswith("setoption name Skill Level") for line in evening.told)


def test_levels_in_words():
    evening = Evening("level 10", "level 1", "level 9")
    assert "The engine now plays with level 10. It plays as well as it can." in evening.text
    assert "level 1. It plays like a beginner." in evening.text
    assert "level 9. It plays like a strong player who still errs." in evening.text
    assert Strength(depth=3).manner == ""
    assert len(SKILLS) == len(LEVELS) == len(PLAYERS) + 1
    assert list(SKILLS) == sorted(set(SKILLS))
    assert (Strength(10).skill, Strength(1).skill, Strength(nodes=5).skill) == (20, 0, 20)


def test_flip_turns_the_board():
    evening = Evening("flip")
    rows = [line for line in "".join(evening.said).split("\n") if re.match(r" +[a-h]( +[a-h]){7}$", line)]
    assert [row.split()[0] for row in rows] == ["a", "h"]


def test_new_begins_again():
    evening = Evening("22-18", "new", "no", "plies", go=["bestmove 9-14"])
    assert "Save the game? (a file's name, or no) no" in evening.text
    assert "Nothing has been played yet." in evening.text
    assert evening.told.count("ucinewgame") == 2


# Saving


def test_save_and_overwriting(tmp_path):
    file = tmp_path / "a game.txt"
    evening = Evening("22-18", f"save {file}", f"save {file}", "no", f"save {file}", "yes", "quit", go=["bestmove 9-14"])
    assert evening.text.count("exists. Overwrite it? (yes/no)") == 2
    assert evening.text.count("goes on with it.") == 2
    assert "Save the game?" not in evening.text
    assert file.read_text().splitlines() == [
        "damd game 1",
        "variant dam-haji",
        "missed-capture rule",
        "start W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12:H0:F1",
        "people white",
        "strength level 5",
        "ply 22-18",
        "ply 9-14",
    ]
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_written(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    evening = Evening(f"save {tmp_path}/no/such/game", f"save {folder}", "yes", "save \0", people="both")
    assert evening.text.count("Not saved:") == 2 + 1
    assert list(folder.iterdir()) == []


def test_the_file_of_save_is_always_up_to_date(tmp_path):
    file = tmp_path / "game"
    seen: list[list[str]] = []

    def answer(_: str) -> list[str]:
        seen.append(file.read_text().splitlines()[6:])
        return ["bestmove 9-14"]

    evening = Evening("22-18", "undo", "resign", save_file=str(file), go=[answer])
    assert seen == [["ply 22-18"]]
    assert "Save the game?" not in evening.text
    assert file.read_text().splitlines()[6:] == ["result black resignation"]
    evening = Evening("22-18", "new", "22-17", "quit", "no", people="both", save_file=str(file))
    assert f"{file} keeps the last game" in evening.text.replace("\n", " ")
    assert file.read_text().splitlines()[6:] == ["ply 22-18"]


def test_a_file_of_save_that_vanishes_is_told_once(tmp_path):
    evening = Evening("22-18", "9-14", people="both", save_file=str(tmp_path / "no" / "game"))
    assert evening.text.count("Not saved:") == 1
    assert "From now on the game is saved only when you say" in evening.text


def test_the_end_of_input_offers_the_save_and_loses_nothing(tmp_path):
    evening = Evening("22-18", go=["bestmove 9-14"])
    assert "Save the game?" in evening.text
    assert evening.text.endswith(
        "Not saved. The game was: 1. 22-18 9-14 W:W18,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,14:H0:F2"
    )
    evening = Evening("22-18", "quit", "", INTERRUPT, "quit", str(tmp_path / "x"), go=["bestmove 9-14"])
    assert "Say `no` to drop it" in evening.text
    assert (tmp_path / "x").exists()
    assert "Not saved" not in evening.text
    assert evening.code == 0


GAME = ["damd game 1", "variant dam-haji", "start W:W23,32:B19,1"]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["rubbish"], "f:1: not a saved game"),
        ([], "f:1: not a saved game"),
        (GAME[:1], "f: a saved game says variant and start"),
        ([GAME[0], GAME[2]], "f:2: start belongs behind variant"),
        ([GAME[0], "variant nothing"], "f:2: .*unknown variant"),
        ([*GAME[:2], "start W:W1"], "f:3: "),
        ([*GAME, "variant dam"], "f:4: variant is said twice"),
        ([*GAME, "missed-capture forbidden"], "f:4: missed-capture belongs before start"),
        ([*GAME[:2], "missed-capture perhaps"], "f:3: missed-capture is one of rule, forbidden, not perhaps"),
        ([*GAME, "people cats"], "f:4: people is one of"),
        ([*GAME, "strength level 11"], "f:4: strength is level"),
        ([*GAME, "strength time nan"], "f:4: strength is level"),
        ([*GAME, "strength depth " + "9" * 5000], "f:4: "),
        ([*GAME, "ply"], "f:4: ply says nothing"),
        ([*GAME, "# a comment", "", "ply 23-17"], "f:6: "),
        ([*GAME, "colour red"], "f:4: colour is no word"),
        ([*GAME, "result white no-pieces"], "f:4: white no-pieces is not what the plies lead to: the game is not over"),
        ([*GAME, "result white agreement"], "f:4: white agreement: this reason does not go"),
        ([*GAME, "result nobody"], "f:4: nobody is no result"),
        ([*GAME, "result white resignation", "ply 23x16"], "f:5: the result is the last line"),
    ],
)
def test_what_is_wrong_with_a_saved_game(lines, fault):
    with pytest.raises(RecordError, match=fault):
        record.read("\n".join(lines), "f")


def test_a_saved_game_by_hand():
    text = "# mine\n damd  game 1\r\nvariant checkers\npeople both\nstart W:W23:B18\nply 2314\nresult white no-pieces\n"
    loaded = record.read(text, "f")
    assert loaded.game.rules.name == "english"
    assert loaded.game.outcome == Outcome(0, Reason.NO_PIECES)
    assert loaded.strength == DEFAULT


def test_a_file_that_is_no_saved_game(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for file, fault in ((tmp_path / "binary", "UTF-8"), (tmp_path, "directory"), (tmp_path / "none", "No such file")):
        with pytest.raises(RecordError, match=fault):
            record.load(str(file))


# What goes wrong


def test_an_engine_that_dies_is_told_and_started_again():
    evening = Evening("22-18", "plies", "go", go=[DEATH, "bestmove 9-14"])
    assert "The engine has ended with exit code 3; its last words on stderr: out of luck." in evening.text
    assert "Black (engine)> plies 1. 22-18 Black (engine)> go Starting the engine. Black plays 9-14." in evening.text


@pytest.mark.parametrize("answer", ["bestmove 9-18", "bestmove (none)", "bestmove", "bestmove rubbish draw"])
def test_an_engine_that_answers_no_ply_is_told(answer):
    evening = Evening("22-18", "undo", go=[answer])
    assert "`go` tries it again; `save FILE` keeps the game. " in evening.text
    assert "no legal ply" in evening.text or "has named no ply" in evening.text
    assert "Taken back: 22-18." in evening.text


def test_what_an_adapter_says_of_its_engine_is_told():
    evening = Evening("22-18", go=["error illegal-ply 9-18: played by a fake in W:W31:B9: no man moves so\nbestmove (none)"])
    assert "named no ply; illegal-ply 9-18: played by a fake" in evening.text


def test_an_engine_of_few_options_is_told_no_others():
    evening = Evening("22-18", options=OPTIONS[:1], go=["bestmove 9-14"])
    assert [line for line in evening.told if line.startswith("setoption")] == ["setoption name UCI_Variant value dam-haji"]


def test_an_engine_that_does_not_know_the_game_is_no_opponent(capsys):
    evening = Evening(options=OPTIONS[:1], variant="frisian")
    assert evening.code == 1
    assert "the engine does not play frisian" in capsys.readouterr().err
    evening = Evening(options=OPTIONS[:1], forbidden=True)
    assert evening.code == 1
    assert "MissedCapture" in capsys.readouterr().err


def test_ctrl_c_at_the_prompt_and_while_the_engine_thinks():
    def interrupt(_: str) -> list[str]:
        signal.raise_signal(signal.SIGINT)
        return ["bestmove 9-14"]

    evening = Evening(INTERRUPT, "22-18", "undo", "22-17", go=[interrupt, "bestmove 9-14"])
    assert "White> `quit` ends the game. White> 22-18" in evening.text
    assert "Interrupted. Black is to move: `go` lets the engine play" in evening.text
    assert "Black (engine)> undo Taken back: 22-18." in evening.text
    assert "22-17 Black plays 9-14." in evening.text


def test_positions_with_too_many_plies():
    fen = "W:WK3:B8,9,10,11,12,20,21,22,23,24,32,33,34,35,36,44,45,46,47,48,56,57,58,59,60"
    with pytest.raises(Unplayable):
        game_of("dam-haji-12", fen)
    game = game_of("dam-haji-12", fen.replace("W:WK3", "B:WK3").replace("60", "60,1"))
    ply = parse_ply("1-7", game.position)
    with pytest.raises(Unplayable):
        game.play(ply)
    assert game.played == []
    assert game.side == 1


# Small parts


def test_strength():
    assert Strength(1).limit() == Limit(depth=1, nodes=200, movetime_ms=30_000)
    assert Strength(depth=9).limit() == Strength(depth=9).hint() == Limit(depth=9)
    assert Strength(10, time_ms=500).limit() == Limit(depth=60, nodes=10_000_000, movetime_ms=500)
    assert str(Strength(3, time_ms=500)) == "level 3, 0.5 s a ply"
    assert [time_ms(text) for text in ("0.5", "0", "-1", "nan", "inf", "x", "1e9")] == [500, *[None] * 6]


def test_the_score_sheet_numbers_turns_not_claims():
    game = game_of("dam-haji", "B:W23,32:B19,1:F7", "1-5")
    words = Words(game.rules, "numeric")
    assert words.score_sheet(game).startswith("7. ... 1-5")
    game = game_of("dam-haji", SHOT, "32-27", "x23", "1-6", "27-23")
    assert Words(game.rules, "numeric").score_sheet(game) == "1. 32-27 x23 1-6 2. 27-23"


def test_pieces_are_painted_only_where_a_terminal_is():
    evening = Evening(fen="W:WK4,24:B15,K26", painted=True, people="both")
    board = "".join(evening.said)
    assert "\x1b[30;47m w \x1b[0m" in board
    assert "\x1b[1;37;40m\x1b[4m B \x1b[0m" in board
    plain = "".join(Evening(fen="W:WK4,24:B15,K26", people="both").said)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", board) == plain


def test_an_opponent_that_cannot_be_started():
    opponent = Opponent(lambda: SyncEngine.start(["/no/such/engine"]), load("dam-haji"))
    with pytest.raises(OpponentError, match="does not start"):
        opponent.ready()
    opponent.close()
    assert not Path("/no/such/engine").exists()
