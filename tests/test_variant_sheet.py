"""The rule sheet and the commands that print it."""

from __future__ import annotations

import io
from dataclasses import fields, replace
from pathlib import Path

import pytest

from damd import rows, variants
from damd.geometry import DIRECTION_WORDS
from damd.rules import CRITERIA, Rules
from damd.variants import commands
from damd.variants.loader import SECTIONS
from damd.variants.sheet import describe
from variant_files import NO_RULES, other_values, without_local_names, write

#: Keys of which the other values need more changed than the key: they have tests of their own.
BOARD_KEYS = ("board.kind", "board.columns", "board.rows")
#: Where a key has another value that means something, if not in dam-haji.
HOMES = {"promotion.zone": "dam-daman"}


class TestSheet:
    @pytest.mark.parametrize("language", variants.languages())
    @pytest.mark.parametrize(
        "key",
        sorted({f"{s}.{k}" for s, keys in SECTIONS.items() if s not in NO_RULES for k in keys} - set(BOARD_KEYS)),
    )
    def test_every_key_is_told(self, key: str, language: str) -> None:
        section, name = key.split(".")
        rules = without_local_names(variants.load(HOMES.get(key, "dam-haji")))
        sheets = {tuple(describe(rules, language))}
        others = other_values(rules, section, name)
        for value in others:
            changed = replace(getattr(rules, section), **{name: value})
            sheets.add(tuple(describe(replace(rules, **{section: changed}), language)))
        assert others
        # The source is in English words: another language has its own or none.
        told = key != "names.source" or language == "en"
        assert len(sheets) == (len(others) + 1 if told else 1)

    def test_boards_are_told(self) -> None:
        other_board = replace(variants.load("dam-haji").board, columns=10, rows=12)
        assert "The board has 10 columns and 12 rows." in " ".join(
            describe(replace(variants.load("dam-haji"), board=other_board))
        )
        square = replace(variants.load("dam-haji").board, kind="square")
        start = replace(variants.load("dam-haji").start, white="a1", black="a8")
        sheet = " ".join(describe(replace(variants.load("dam-haji"), board=square, start=start)))
        assert "on all its 64 squares" in sheet
        assert "37 points, joined by 20 straight lines" in " ".join(describe(variants.load("dam-daman")))

    def test_orders_of_criteria_are_told(self) -> None:
        rules = variants.load("italian")
        backwards = replace(rules, capture=replace(rules.capture, choice=tuple(reversed(rules.capture.choice))))
        assert describe(rules) != describe(backwards)
        assert set(rules.capture.choice) < set(CRITERIA)

    def test_directions_are_told_apart(self) -> None:
        rules = variants.load("dam-daman")
        told = set()
        count = 2 ** len(DIRECTION_WORDS)
        for chosen in range(1, count):
            words = tuple(word for number, word in enumerate(DIRECTION_WORDS) if chosen >> number & 1)
            told.add(tuple(describe(replace(rules, men=replace(rules.men, moves=words)))))
        assert len(told) == count - 1

    @pytest.mark.parametrize("language", variants.languages())
    @pytest.mark.parametrize("name", variants.names())
    def test_the_sheets_are_sentences(self, name: str, language: str) -> None:
        for sentence in describe(variants.load(name), language):
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert "  " not in sentence
            assert "None" not in sentence
            assert "\n" not in sentence
            assert "{" not in sentence

    def test_what_has_no_effect_is_not_told(self) -> None:
        english = " ".join(describe(variants.load("english")))
        assert "landing" not in english
        assert "off the board" not in english
        assert "goes one step" not in english

    def test_a_few_sentences(self) -> None:
        sheet = describe(variants.load("dam-daman"))
        assert "White starts with 16 men on a1-e4." in sheet
        assert "Black starts with 16 men on a6-e9." in sheet
        assert "The game is drawn as soon as each side has only one piece left." in sheet
        assert "A man moves one point straight forward, sideways or diagonally forward." in sheet
        forbidden = describe(variants.load("dam-haji").without_penalty())
        assert "A move that misses a capture is illegal." in forbidden
        free = replace(variants.load("dam"), capture=replace(variants.load("dam").capture, compulsory=False))
        assert "A player who can capture may make another move instead." in describe(free)


class TestCommands:
    def test_list(self) -> None:
        out = io.StringIO()
        assert commands.list_variants(out) == 0
        lines = out.getvalue().splitlines()
        assert [line.split()[0] for line in lines] == list(variants.names())
        assert lines[variants.names().index("dam")] == "dam             Dam / Dáma; also called dama; rule sheet in da, cs"

    def test_list_with_a_folder(self, tmp_path: Path) -> None:
        write(tmp_path, 'base = "dam"\nnames.title = "House dam"', "house")
        broken = write(tmp_path, "base = 3", "wrong")
        out = io.StringIO()
        assert commands.list_variants(out, tmp_path) == 1
        lines = out.getvalue().splitlines()
        assert lines[-2:] == ["house           House dam", f"{broken}: base: must be a text, not 3"]
        out, err = io.StringIO(), io.StringIO()
        assert commands.list_variants(out, tmp_path / "nowhere", err) == 1
        assert out.getvalue() == ""
        assert err.getvalue() == f"damd: {tmp_path / 'nowhere'}: cannot read this folder: No such file or directory\n"

    def test_show(self, tmp_path: Path) -> None:
        out, err = io.StringIO(), io.StringIO()
        assert commands.show("dama", out, None, err) == 0
        assert out.getvalue().splitlines() == describe(variants.load("dam"))
        file = write(tmp_path, 'base = "dam"\nking.flying = false', "steps")
        assert commands.show("steps", out, tmp_path, err) == 0
        assert commands.show(file, out, None, err) == 0
        assert out.getvalue().count("A king moves one square diagonally forward or backward.") == 2
        assert err.getvalue() == ""

    def test_show_what_is_not_there(self, tmp_path: Path) -> None:
        out, err = io.StringIO(), io.StringIO()
        assert commands.show("damm", out, None, err) == 1
        assert err.getvalue() == 'damd: unknown variant "damm"; did you mean "dam"?\n'
        write(tmp_path, "base = 3", "wrong")
        assert commands.show("wrong", out, tmp_path, err) == 1
        assert out.getvalue() == ""

    def test_check_fine(self, tmp_path: Path) -> None:
        out = io.StringIO()
        file = write(tmp_path, 'base = "dam"\n[[perft]]\nfen = "startpos"\ncounts = [7, 49]\n')
        assert commands.check([file, "dam"], out, rows.run_rows) == 0
        lines = out.getvalue().splitlines()
        assert lines[0] == f"{file}: fine (1 rows agree)"
        assert lines[1].endswith("rows agree)")
        assert commands.check([file], out) == 0
        assert out.getvalue().endswith(f"{file}: fine\n")

    def test_check_tells_every_fault(self, tmp_path: Path) -> None:
        out = io.StringIO()
        file = write(tmp_path, 'base = "dam"\nking.flying = 1\nking.fly = 2\n')
        assert commands.check([file], out, rows.run_rows) == 1
        assert out.getvalue().splitlines() == [
            f"{file}: king.flying: must be true or false, not 1",
            f'{file}: king.fly: unknown key; did you mean "flying"?',
        ]

    def test_check_runs_the_rows(self, tmp_path: Path) -> None:
        text = """
            base = "dam"
            [[perft]]
            fen = "startpos"
            counts = [7, 49, 303, 1]
            [[perft]]
            fen = "W:W99:B1"
            counts = [1]
            [[example]]
            fen = "W:W10:B7,8,24"
            plies = ["10x3x19", "24-20"]
            [[example]]
            fen = "W:WK29:B22"
            plies = ["29x18", "29x11", "29x15", "29x4", "29x8"]
        """
        out = io.StringIO()
        file = write(tmp_path, text)
        assert commands.check([file], out, rows.run_rows) == 1
        lines = out.getvalue().splitlines()
        assert lines[0] == f"{file}: perft[1]: startpos: perft 3 is 302, not 303"
        assert lines[1].startswith(f"{file}: perft[2]: W:W99:B1: bad FEN: ")
        assert [line.split(": ")[3] for line in lines[2:]] == ["10x3x19", "24-20", "legal but not listed"]
        assert lines[-1] == f"{file}: example[1]: W:W10:B7,8,24: legal but not listed: 10x3"

    def test_check_without_files(self) -> None:
        err = io.StringIO()
        assert commands.check([], io.StringIO(), None, err) == 2
        assert "name at least one variant file" in err.getvalue()

    def test_check_reports_a_missing_file(self, tmp_path: Path) -> None:
        out = io.StringIO()
        assert commands.check([tmp_path / "none.toml"], out) == 1
        assert out.getvalue() == f"{tmp_path / 'none.toml'}: cannot read this file: No such file or directory\n"


def test_every_key_is_declared_well() -> None:
    for section in fields(Rules):
        for key in fields(getattr(Rules(), section.name)):
            if key.name not in SECTIONS[section.name]:
                assert key.name == "local"  # no key but a table for each language
                continue
            assert key.metadata["doc"], f"{section.name}.{key.name}"
            if type(key.default) is int:
                assert key.metadata["low"] <= key.default <= key.metadata["high"]
            if key.metadata["words"]:
                told = key.default if isinstance(key.default, tuple) else (key.default,)
                assert set(told) <= set(key.metadata["words"])
