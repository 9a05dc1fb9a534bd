"""The variants on offer: what is built in, and files of a user's own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

from damd import rows, variants
from damd.core.position import build_kind
from damd.variants import VariantError
from damd.variants.loader import read_file
from damd.variants.model import Example, Perft
from damd.variants.points import parse_points
from variant_files import fault, faults, write

BUILT_IN = (
    "brazilian",
    "breakthrough",
    "canadian",
    "czech",
    "dam",
    "dam-daman",
    "dam-haji",
    "dam-haji-10",
    "dam-haji-10-20",
    "dam-haji-12",
    "english",
    "frisian",
    "frysk",
    "international",
    "italian",
    "killer",
    "losing",
    "pool",
    "portuguese",
    "russian",
    "spanish",
    "thai",
    "turkish",
)


def rows_of(name: str) -> list[Perft | Example]:
    variant = variants.read(name)
    return [*variant.perft, *variant.examples]


ROWS = [pytest.param(row, id=f"{name}-{row.key}") for name in BUILT_IN for row in rows_of(name)]


class TestBuiltIn:
    def test_names(self) -> None:
        assert variants.names() == BUILT_IN

    @pytest.mark.parametrize("name", BUILT_IN)
    def test_every_variant_loads_under_its_own_name(self, name: str) -> None:
        rules = variants.load(name)
        assert rules.name == name
        assert rules.names.title
        assert rules.names.source
        assert variants.load(name.upper()) == rules

    @pytest.mark.sample
    @pytest.mark.parametrize("row", ROWS)
    def test_every_row_agrees_with_the_core(self, row: Perft | Example) -> None:
        if isinstance(row, Perft) and build_kind() == "interpreted":
            row = replace(row, counts=tuple(takewhile(lambda count: count <= 3000, row.counts)))
        assert rows.run_rows([row]) == []

    @pytest.mark.parametrize("name", BUILT_IN)
    def test_rows_are_quick(self, name: str) -> None:
        for row in variants.read(name).perft:
            assert sum(row.counts) <= 350_000

    def test_the_declared_aliases_are_those_of_the_files(self) -> None:
        told = {alias: name for name in BUILT_IN for alias in variants.load(name).names.aliases}
        assert told == variants.ALIASES

    def test_aliases_load(self) -> None:
        assert variants.load("dama").name == "dam"
        assert variants.load(" Normal ").name == "international"

    def test_names_parse_nothing(self) -> None:
        code = (
            "import sys; from damd import variants; variants.names();"
            "print([m for m in ('tomllib', 'dataclasses', 'pathlib', 'difflib', 'damd.rules') if m in sys.modules])"
        )
        home = os.path.dirname(os.path.dirname(os.path.abspath(variants.__file__ or "")))
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(home)}
        run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment, check=True)
        assert run.stdout.strip() == "[]"

    def test_identity_is_never_inherited(self) -> None:
        russian = variants.load("russian")
        assert russian.names.hub == ""
        assert russian.names.aliases == ()
        assert russian.names.gametype == "25,W,8,8,A0,0"

    @pytest.mark.parametrize(
        ("name", "men", "white", "empty"),
        [
            ("dam-haji", 12, "32", "13-20"),
            ("dam-haji-10", 24, "50", "23,28"),
            ("dam-haji-10-20", 20, "50", "21-30"),
            ("dam-haji-12", 30, "72", "31-42"),
            ("dam", 12, "32", "13-20"),
            ("dam-daman", 16, "a1", "a5-e5"),
            ("international", 20, "50", "21-30"),
            ("russian", 12, "32", "13-20"),
            ("english", 12, "32", "13-20"),
            ("italian", 12, "32", "13-20"),
            ("frisian", 20, "50", "21-30"),
            ("brazilian", 12, "32", "13-20"),
            ("breakthrough", 20, "50", "21-30"),
            ("canadian", 30, "72", "31-42"),
            ("czech", 12, "32", "13-20"),
            ("frysk", 5, "50", "6-45"),
            ("killer", 20, "50", "21-30"),
            ("losing", 20, "50", "21-30"),
            ("pool", 12, "32", "13-20"),
            ("portuguese", 12, "1", "13-20"),
            ("spanish", 12, "1", "13-20"),
            ("thai", 8, "1", "9-24"),
            ("turkish", 16, "a2", "a1-h1,a4-h4,a5-h5,a8-h8"),
        ],
    )
    def test_start_positions(self, name: str, men: int, white: str, empty: str) -> None:
        rules = variants.load(name)
        board = rules.geometry
        placed = [parse_points(text, board) for text in (rules.start.white, rules.start.black)]
        assert [len(side) for side in placed] == [men, men]
        assert board.index(white) in placed[0]
        assert frozenset(range(board.size)) - placed[0] - placed[1] == parse_points(empty, board)

    def test_what_tells_the_games_apart(self) -> None:
        loaded = {name: variants.load(name) for name in BUILT_IN}
        texts = {name: rules for name, rules in loaded.items() if name.startswith("dam")}
        family = {name: rules for name, rules in loaded.items() if name not in texts}
        assert {rules.capture.landing_goes_on for rules in texts.values()} == {False}
        assert {rules.capture.landing_goes_on for rules in family.values() if rules.king.flying} == {True}
        assert {rules.capture.removal for rules in texts.values()} == {"at-once"}
        assert [name for name, rules in family.items() if rules.capture.removal == "at-once"] == ["thai", "turkish"]
        assert {name: rules.penalty.take for name, rules in loaded.items() if rules.penalty.take} == {
            "dam-daman": 3,
            "dam-haji": 1,
            "dam-haji-10": 1,
            "dam-haji-10-20": 1,
            "dam-haji-12": 1,
        }
        assert [name for name, rules in loaded.items() if rules.penalty.liable == "any-piece"] == ["dam-daman"]
        assert {name for name, rules in loaded.items() if rules.start.by_agreement} == set(texts) - {"dam"}
        assert [name for name, rules in loaded.items() if rules.start.first == "black"] == ["english", "pool", "thai"]
        assert [name for name, rules in loaded.items() if not rules.king.flying] == ["english", "italian"]
        assert [name for name, rules in loaded.items() if not rules.men.take_kings] == ["italian"]
        assert [name for name, rules in loaded.items() if rules.board.mirrored] == ["italian", "portuguese", "spanish"]
        assert [name for name, rules in loaded.items() if rules.end.one_each == "at-once"] == ["dam-daman"]
        assert {name: rules.king.quiet_limit for name, rules in loaded.items() if rules.king.quiet_limit} == {
            "frisian": 3,
            "frysk": 3,
        }
        assert {rules.end.repetition for rules in loaded.values()} == {3}
        assert {name: rules.end.move_limit for name, rules in loaded.items() if rules.end.move_limit != 25} == {
            "brazilian": 20,
            "czech": 15,
            "english": 40,
            "italian": 40,
            "portuguese": 0,
            "russian": 15,
            "spanish": 0,
        }
        assert {name: rules.capture.choice for name, rules in loaded.items() if rules.capture.choice} == {
            **dict.fromkeys(
                ("brazilian", "breakthrough", "canadian", "international", "killer", "losing", "turkish"), ("pieces",)
            ),
            **dict.fromkeys(("frisian", "frysk"), ("value", "by-king")),
            **dict.fromkeys(("portuguese", "spanish"), ("pieces", "kings")),
            "italian": ("pieces", "by-king", "kings", "earliest-king"),
            "czech": ("by-king",),
        }
        assert {name: rules.king.landing for name, rules in loaded.items() if rules.king.landing != "any"} == {
            "killer": "behind-king",
            "thai": "behind",
        }
        assert [name for name, rules in loaded.items() if not rules.king.about_turn] == ["turkish"]
        assert {name for name, rules in family.items() if "backward-diagonal" not in rules.men.captures} == {
            "czech",
            "english",
            "italian",
            "portuguese",
            "spanish",
            "thai",
            "turkish",
        }
        assert {name: rules.promotion.in_capture for name, rules in family.items()} == {
            **dict.fromkeys(family, "as-man"),
            **dict.fromkeys(("czech", "english", "italian", "portuguese", "spanish", "thai"), "stop"),
            "russian": "as-king",
        }
        assert [name for name, rules in loaded.items() if rules.end.no_moves == "win"] == ["losing"]
        assert [name for name, rules in loaded.items() if rules.end.first_king] == ["breakthrough"]

    def test_other_programs_names(self) -> None:
        loaded = {name: variants.load(name).names for name in BUILT_IN}
        assert {name: names.hub for name, names in loaded.items() if names.hub} == {
            "breakthrough": "bt",
            "frisian": "frisian",
            "international": "normal",
            "killer": "killer",
            "losing": "losing",
        }
        types = {name: names.gametype.split(",")[0] for name, names in loaded.items() if not name.startswith("dam")}
        assert all(types.values())
        # Of games that share a number one alone says it in full: the one that a reader takes it for.
        full = [names.gametype.split(",")[0] for names in loaded.values() if "," in names.gametype]
        assert sorted(full) == sorted(set(types.values()))

    def test_unknown_names_come_with_a_suggestion(self) -> None:
        with pytest.raises(VariantError, match=r'unknown variant "dam-hajj"; did you mean "dam-haji"\?'):
            variants.load("dam-hajj")
        with pytest.raises(VariantError, match="known are brazilian breakthrough canadian"):
            variants.load("zzz")

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("Killer Draughts", "killer"),
            ("killer_draughts", "killer"),
            ("  Frysk! ", "frysk"),
            ("Dam Haji", "dam-haji"),
            ("dam haji (10x10, 20 men)", "dam-haji-10-20"),
            ("Pool Checkers", "pool"),
            ("American pool checkers", "pool"),
        ],
    )
    def test_titles_are_names_as_well(self, name: str, meant: str) -> None:
        assert variants.load(name).name == meant

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("Killer 10x10", "killer"),
            ("Killer draughts (new rules)", "killer"),
            ("kiler draughts", "killer"),
            ("Anti draughts", "antidraughts"),
            ("losing checkers", "losing"),
            ("International checkers", "international"),
            ("Turkish dama", "turkish"),
            ("haji dam", "dam-haji"),
            ("makhoss", "makhos"),
            ("dam.toml", "dam"),
            ("Draughts", ""),
            ("xyz draughts", ""),
            ("From Position", ""),
        ],
    )
    def test_suggestions_are_of_the_words_that_tell(self, name: str, meant: str) -> None:
        with pytest.raises(VariantError) as caught:
            variants.load(name)
        expected = f'; did you mean "{meant}"?' if meant else "; known are "
        assert str(caught.value).startswith(f'unknown variant "{name}"{expected}')

    @pytest.mark.parametrize("name", ["", "../rules", "dam/../dam", "dam.toml", "/etc/passwd", "-", "dam-"])
    def test_names_are_not_paths(self, name: str) -> None:
        with pytest.raises(VariantError, match="unknown variant"):
            variants.load(name)


#: Every reading that a house may change: the base, one line and what it changes.
SWITCHES = [
    ("dam-haji", 'king.landing = "behind"', "king", "landing", "behind"),
    ("dam-haji", 'capture.removal = "end-of-move"', "capture", "removal", "end-of-move"),
    ("dam-haji", 'promotion.in_capture = "as-king"', "promotion", "in_capture", "as-king"),
    ("dam-haji", 'promotion.in_capture = "as-man"', "promotion", "in_capture", "as-man"),
    ("dam-haji", 'capture.going_on = "right"', "capture", "going_on", "right"),
    ("dam-haji", 'penalty.liable = "any-piece"', "penalty", "liable", "any-piece"),
    ("dam-haji", "penalty.take = 0", "penalty", "take", 0),
    ("dam-haji", 'capture.choice = ["pieces"]', "capture", "choice", ("pieces",)),
    ("dam-haji", 'start.first = "black"', "start", "first", "black"),
    ("dam-haji", "start.by_agreement = false", "start", "by_agreement", False),
    ("dam", 'king.capture = "adjacent"', "king", "capture", "adjacent"),
    ("dam", 'king.landing = "behind"', "king", "landing", "behind"),
    ("dam", "king.flying = false", "king", "flying", False),
    ("dam", 'capture.removal = "end-of-move"', "capture", "removal", "end-of-move"),
    ("dam-daman", 'capture.going_on = "right"', "capture", "going_on", "right"),
    ("dam-daman", "king.flying = false", "king", "flying", False),
    ("dam-daman", 'promotion.zone = "tail"', "promotion", "zone", "tail"),
    ("dam-daman", 'capture.removal = "end-of-move"', "capture", "removal", "end-of-move"),
    ("dam-daman", "penalty.take = 0", "penalty", "take", 0),
    ("english", "penalty.take = 1", "penalty", "take", 1),
    ("frisian", "king.quiet_limit = 0", "king", "quiet_limit", 0),
]


class TestUserFiles:
    @pytest.mark.parametrize(("base", "line", "section", "key", "value"), SWITCHES)
    def test_one_line_changes_one_reading(
        self, tmp_path: Path, base: str, line: str, section: str, key: str, value: object
    ) -> None:
        rules = variants.load_file(write(tmp_path, f'base = "{base}"\n{line}\n', "house-rule"))
        expected = replace(variants.load(base), names=replace(rules.names, name="house-rule", title="house-rule"))
        changed = replace(getattr(expected, section), **{key: value})
        assert rules == replace(expected, **{section: changed})

    def test_sections_do_as_well(self, tmp_path: Path) -> None:
        rules = variants.load_file(write(tmp_path, 'base = "dam-haji"\n\n[capture]\nremoval = "end-of-move"\n'))
        assert rules.capture.removal == "end-of-move"
        assert rules.penalty == variants.load("dam-haji").penalty
        assert rules.names == type(rules.names)(name="mine", title="mine")

    def test_an_empty_base_is_an_alias_or_another_file(self, tmp_path: Path) -> None:
        write(tmp_path, 'base = "dama"\nking.flying = false', "steps")
        rules = variants.load_file(write(tmp_path, 'base = "steps"\nend.move_limit = 7'))
        assert (rules.king.flying, rules.end.move_limit, rules.name) == (False, 7, "mine")

    def test_a_folder_is_offered_like_the_built_in_files(self, tmp_path: Path) -> None:
        write(tmp_path, 'base = "dam-haji"\n[names]\naliases = ["kampung"]\n', "haji-kampung")
        write(tmp_path, 'base = "haji-kampung"\nking.landing = "behind"', "a-second")
        (tmp_path / "notes.txt").write_text("not a variant")
        (tmp_path / ".hidden.toml").write_text("not = a variant")
        assert variants.names(tmp_path) == (*BUILT_IN, "a-second", "haji-kampung")
        assert variants.load("haji-kampung", tmp_path).capture.removal == "at-once"
        assert variants.load("Kampung", str(tmp_path)).name == "haji-kampung"
        assert variants.load("a-second", tmp_path).king.landing == "behind"
        assert variants.load("dam", tmp_path) == variants.load("dam")
        with pytest.raises(VariantError, match='did you mean "haji-kampung"'):
            variants.load("haji-kampong", tmp_path)
        with pytest.raises(VariantError, match="unknown variant"):
            variants.load("haji-kampung")

    def test_titles_of_files_are_names_where_one_file_has_them(self, tmp_path: Path) -> None:
        write(tmp_path, 'base = "dam"\nnames.title = "Rumah kita"', "one")
        write(tmp_path, "names.title = 3", "faulty")
        assert variants.load("rumah  KITA", tmp_path).name == "one"
        with pytest.raises(VariantError, match='did you mean "one"'):
            variants.load("Rumah kta", tmp_path)
        write(tmp_path, 'base = "dam"\nnames.title = "Rumah Kita"', "two")
        with pytest.raises(VariantError, match="unknown variant"):
            variants.load("Rumah kita", tmp_path)

    def test_a_whole_game_of_ones_own(self, tmp_path: Path) -> None:
        text = """
            [names]
            title = "Turkish draughts"
            gametype = "30,W,8,8,A0,0"
            [board]
            kind = "square"
            [men]
            moves = ["forward", "sideways"]
            captures = ["forward", "sideways"]
            [king]
            moves = ["forward", "backward", "sideways"]
            captures = ["forward", "backward", "sideways"]
            about_turn = false
            [capture]
            removal = "at-once"
            choice = ["pieces"]
            [start]
            white = "a3-h3, a2-h2"
            black = "a7-h7,a6-h6"
            [notation]
            squares = "algebraic"
            [[perft]]
            fen = "startpos"
            counts = [8, 64, 708]
            [[example]]
            fen = "W:Wb6:Bg8,Kb7"
            plies = ["b6xb8"]
        """
        file = write(tmp_path, text)
        assert faults(file) == []
        variant = read_file(file)
        assert rows.run_rows([*variant.perft, *variant.examples]) == []

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(VariantError, match="cannot read this folder: "):
            variants.names(tmp_path / "nowhere")

    @pytest.mark.parametrize("name", ["dam-haji", "dama"])
    def test_built_in_names_cannot_be_taken(self, tmp_path: Path, name: str) -> None:
        file = write(tmp_path, 'base = "dam-haji"', name)
        message = f'"{name}" is a built-in variant already'
        with pytest.raises(VariantError, match=message):
            variants.names(tmp_path)
        with pytest.raises(VariantError, match=message):
            variants.load("russian", tmp_path)
        with pytest.raises(VariantError, match=message):
            variants.load_file(file)

    @pytest.mark.parametrize("name", ["My Game", "game_2", "-game", "game--2", "dámski"])
    def test_file_names_that_are_no_variant_names(self, tmp_path: Path, name: str) -> None:
        file = write(tmp_path, 'base = "dam-haji"', name)
        with pytest.raises(VariantError, match="a variant cannot be called"):
            variants.names(tmp_path)
        assert fault(file)[0] == "names.name"

    def test_a_built_in_file_is_no_intruder(self) -> None:
        file = variants.built_in_file("dam")
        assert file is not None
        assert variants.load_file(file) == variants.load("dam")
        assert variants.names(os.path.dirname(file)) == BUILT_IN

    def test_two_files_with_one_alias(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            write(tmp_path, 'base = "dam"\nnames.aliases = ["both"]', name)
        with pytest.raises(VariantError, match=r'"both" is claimed by .*one\.toml as well'):
            variants.load("both", tmp_path)
