"""The rule sheet in the languages of the games' texts: every language says what English says."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from damd import cli, variants
from damd.rules import Rules
from damd.variants import VariantError, commands
from damd.variants.catalogue import Catalogue, catalogue
from damd.variants.facts import Fact, facts
from damd.variants.loader import SECTIONS
from damd.variants.sheet import describe
from variant_files import NO_RULES, faults, other_values, without_local_names, write

LANGUAGES = variants.languages()
OTHERS = tuple(code for code in LANGUAGES if code != "en")
#: What is in a catalogue beside its sentences.
NO_SENTENCES = ("name", "words", "plural", "directions")
#: Facts that ``describe`` adds to those of the rules.
OF_NAMES = ("names.title", "names.aliases", "names.source", "names.gametype", "names.hub")
#: The gaps that one number may fill.
NUMBERS = frozenset({"count", "number", "ordinal"})


def square_board() -> Rules:
    """A game on all squares, straight along rows and columns."""
    straight = ("forward", "backward", "sideways")
    rules = variants.load("dam")
    return replace(
        rules,
        board=replace(rules.board, kind="square"),
        men=replace(rules.men, moves=("forward", "sideways"), captures=("forward", "sideways")),
        king=replace(rules.king, moves=straight, captures=straight),
        start=replace(rules.start, white="a2-h2,a3-h3", black="a6-h6,a7-h7"),
        notation=replace(rules.notation, squares="algebraic"),
    )


def changed_rules(base: Rules) -> Iterator[Rules]:
    """The rules as they are, then with each key in turn having each other value."""
    yield base
    for section, keys in SECTIONS.items():
        if section in (*NO_RULES, "names", "board"):
            continue
        for key in keys:
            values = other_values(base, section, key)
            if key == "captures":
                values = [*values, ()]
            if key == "choice":
                values = [*values, ("value", "pieces")]
            if section == "start" and key in ("white", "black"):
                names = base.geometry.names
                values = [names[12], f"{names[12]},{names[13]}", ",".join(names[12:18])]
            for value in values:
                yield replace(base, **{section: replace(getattr(base, section), **{key: value})})


@cache
def all_rules() -> list[Rules]:
    """Every game as it is, and those that differ most with each key changed."""
    games = [*map(variants.load, variants.names()), square_board()]
    bases = [
        variants.load("dam"),
        variants.load("dam-haji"),
        variants.load("dam-daman"),
        variants.load("frisian"),
        square_board(),
    ]
    changed = [rules for base in bases for rules in changed_rules(base)]
    return [without_local_names(rules) for rules in (*games, *changed)]


@cache
def all_facts() -> list[Fact]:
    return sorted({fact for rules in all_rules() for fact in facts(rules)}, key=repr)


def with_phrases(facts_told: list[Fact]) -> Iterator[Fact]:
    """The facts and the phrases in their gaps, and in the gaps of these."""
    for fact in facts_told:
        yield fact
        yield from with_phrases([phrase for _, phrase in fact.parts])


def leaves(entry: Any, path: str = "") -> dict[str, str]:
    """All sentences of a catalogue by their full paths, forms of number included."""
    if isinstance(entry, str):
        return {path: entry}
    return {
        key: text for step, below in entry.items() for key, text in leaves(below, f"{path}.{step}" if path else step).items()
    }


def sentences(code: str) -> dict[str, str]:
    whole = catalogue(code)._sentences
    return leaves({section: entry for section, entry in whole.items() if section not in NO_SENTENCES})


def gaps(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def leaf_of(fact: Fact, words: Catalogue) -> str:
    """The path of the sentence that says the fact."""
    entry: Any = words._sentences
    steps: list[str] = []
    for step in fact.path.split("."):
        entry = entry[step]
        steps.append(step)
    if isinstance(entry, dict):
        assert fact.count is not None, fact
        steps.append(words._form(fact.count, entry))
    return ".".join(steps)


class TestCatalogues:
    @pytest.mark.parametrize("code", LANGUAGES)
    def test_every_fact_has_a_sentence_and_every_sentence_a_fact(self, code: str) -> None:
        words = catalogue(code)
        used = {leaf_of(fact, words) for fact in with_phrases(all_facts())} | set(OF_NAMES)
        assert used == set(sentences(code))

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_a_sentence_fills_the_gaps_that_the_english_one_fills(self, code: str) -> None:
        english, words = catalogue("en"), catalogue(code)
        of_english, own = sentences("en"), sentences(code)
        for fact in with_phrases(all_facts()):
            told, model = gaps(own[leaf_of(fact, words)]), gaps(of_english[leaf_of(fact, english)])
            assert told - NUMBERS == model - NUMBERS, fact
            # A form for one number alone may have that number in its words.
            if fact.count is not None and fact.count > 1:
                assert bool(told & NUMBERS) == bool(model & NUMBERS), fact
        for path in OF_NAMES:
            assert gaps(own[path]) == gaps(of_english[path])

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_no_two_facts_are_said_alike(self, code: str) -> None:
        words = catalogue(code)
        said: dict[str, Fact] = {}
        for fact in all_facts():
            assert said.setdefault(words.sentence(fact), fact) == fact, words.sentence(fact)

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_words_for_numbers(self, code: str) -> None:
        words = catalogue(code)._sentences["words"]
        assert len(words["ordinals"]) == SECTIONS["end"]["repetition"].metadata["high"] + 1
        for listed in (words["ordinals"], words["numbers"]):
            assert len(set(listed)) == len(listed)
        assert len(words["numbers"]) == len(catalogue("en")._sentences["words"]["numbers"])

    @pytest.mark.parametrize("code", OTHERS)
    def test_no_sentence_is_left_in_english(self, code: str) -> None:
        assert not set(sentences(code).values()) & set(sentences("en").values())


class TestSheets:
    @pytest.mark.parametrize("code", OTHERS)
    def test_every_language_says_as_many_facts(self, code: str) -> None:
        for rules in all_rules():
            rules = replace(rules, names=replace(rules.names, source=""))
            assert len(describe(rules, code)) == len(describe(rules)), rules.name

    @pytest.mark.parametrize(
        ("name", "code", "first"),
        [
            ("dam-haji", "ms", "Ini ialah permainan Dam Haji (8x8); dalam damd namanya dam-haji."),
            ("dam-haji-10", "ms", "Ini ialah permainan Dam Haji (10x10, 24 buah); dalam damd namanya dam-haji-10."),
            ("dam", "da", "Dette er Dam; i damd hedder spillet dam."),
            ("dam", "cs", "Toto je Dáma; v damd se hra jmenuje dam."),
            ("dam-daman", "id", "Ini adalah permainan Dam-daman; di damd namanya dam-daman."),
        ],
    )
    def test_a_game_says_all_in_its_own_language(self, name: str, code: str, first: str) -> None:
        rules = variants.load(name)
        sheet = describe(rules, code)
        assert sheet[0] == first
        assert len(sheet) == len(describe(rules))
        own = rules.names.in_language(code)
        assert own is not None
        assert any(own.source in sentence for sentence in sheet)

    def test_the_games_of_the_texts_have_languages(self) -> None:
        loaded = {name: variants.load(name).names.local for name in variants.names()}
        assert {name: tuple(local.language for local in tables) for name, tables in loaded.items() if tables} == {
            "dam": ("da", "cs"),
            "dam-daman": ("id",),
            "dam-haji": ("ms",),
            "dam-haji-10": ("ms",),
            "dam-haji-10-20": ("ms",),
            "dam-haji-12": ("ms",),
        }

    def test_a_house_rule_is_told_in_the_language_of_its_base(self, tmp_path: Path) -> None:
        file = write(tmp_path, 'base = "dam-haji"\nking.flying = false\npenalty.take = 2\n[names.ms]\ntitle = "Dam warung"')
        sheet = describe(variants.load_file(file), "ms")
        assert sheet[0] == "Ini ialah permainan Dam warung; dalam damd namanya mine."
        assert "Haji bergerak satu petak secara pepenjuru ke hadapan atau ke belakang." in sheet
        assert "Sebelum bergerak, lawan boleh mengeluarkan dari papan dua daripada buah yang gagal makan." in sheet

    def test_forms_of_number(self) -> None:
        rules = variants.load("dam-daman")
        told = {}
        for few in (1, 3, 5):
            changed = replace(rules, promotion=replace(rules.promotion, few_pieces=few))
            told[few] = [sentence for sentence in describe(changed, "cs") if "na konci tahu" in sentence]
        assert told[1] == ["Poslední kámen, který straně zbývá, se na konci tahu stává dámou."]
        assert told[3] == ["Zbývají-li straně už jen tři kameny nebo méně, stávají se na konci tahu všechny dámami."]
        assert told[5] == ["Zbývá-li straně už jen pět kamenů nebo méně, stávají se na konci tahu všechny dámami."]

    @pytest.mark.parametrize(
        ("code", "sentence"),
        [
            ("en", "A king moves any number of free squares along rows and columns."),
            ("ms", "Haji bergerak di sepanjang baris dan lajur, seberapa banyak petak kosong yang dikehendaki."),
            ("da", "En konge flyttes et vilkårligt antal tomme felter langs rækker og kolonner."),
            ("cs", "Dáma se pohybuje o libovolný počet volných polí po řadách a sloupcích."),
            (
                "id",
                "Buah dam sakti bergerak di sepanjang baris dan kolom, sejauh apa pun selama petak yang dilaluinya kosong.",
            ),
        ],
    )
    def test_nobody_reads_diagonals_into_a_board_without_any(self, code: str, sentence: str) -> None:
        assert sentence in describe(square_board(), code)


class TestCommand:
    def test_show_in_a_language(self) -> None:
        for code in ("id", "ID"):
            out, err = io.StringIO(), io.StringIO()
            assert commands.show("dam-daman", out, None, err, code) == 0
            assert out.getvalue().splitlines() == describe(variants.load("dam-daman"), "id")
            assert err.getvalue() == ""

    def test_the_option(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.main(["variants", "show", "dam", "--language", "da"]) == 0
        assert capsys.readouterr().out.splitlines() == describe(variants.load("dam"), "da")
        with pytest.raises(SystemExit):
            cli.main(["variants", "show", "--help"])
        told = capsys.readouterr().out.split("--language CODE")[-1]
        assert set(re.findall(r"\b[a-z]{2}\b", told)) - {"or"} == set(LANGUAGES)

    def test_a_language_that_there_is_not(self) -> None:
        out, err = io.StringIO(), io.StringIO()
        assert commands.show("dam", out, None, err, "nl") == 2
        known = "cs (Czech), da (Danish), en (English), id (Indonesian), ms (Malay)"
        assert err.getvalue() == f'damd: --language: no rule sheet in a language "nl"; known are {known}\n'
        assert out.getvalue() == ""
        with pytest.raises(VariantError, match='did you mean "da"'):
            describe(variants.load("dam"), "dan")


class TestLocalNames:
    def test_they_are_not_inherited(self, tmp_path: Path) -> None:
        rules = variants.load_file(write(tmp_path, 'base = "dam-haji"\nking.flying = false'))
        assert rules.names.local == ()
        assert describe(rules, "ms")[0] == "Ini ialah permainan mine; dalam damd namanya mine."

    def test_a_title_alone(self, tmp_path: Path) -> None:
        rules = variants.load_file(write(tmp_path, 'base = "dam"\nnames.title = "House"\nnames.da.title = "Husets"'))
        assert describe(rules)[0] == "This is House; damd calls it mine."
        assert describe(rules, "da")[0] == "Dette er Husets; i damd hedder spillet mine."
        assert describe(rules, "cs")[0] == "Toto je House; v damd se hra jmenuje mine."

    def test_english_may_have_a_table_too(self, tmp_path: Path) -> None:
        rules = variants.load_file(write(tmp_path, 'base = "dam"\nnames.title = "Hus"\nnames.en.title = "House"'))
        assert describe(rules)[0] == "This is House; damd calls it mine."

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('names.xx.title = "X"', "names.xx: unknown language; rule sheets are written in cs, da, en, id, ms"),
            ('names.ms.titel = "X"', 'names.ms.titel: unknown key; did you mean "title"?'),
            ('names.ms.hub = "X"', "names.ms.hub: unknown key; [names] has such a key"),
            ("names.ms.title = 3", "names.ms.title: must be a text, not 3"),
            ('names.title.ms = "X"', "names.title: must be a text, not a table"),
            ('names.ms = "X"', 'names.ms: must be a table with the keys title and source, not "X"'),
        ],
    )
    def test_faults(self, tmp_path: Path, line: str, message: str) -> None:
        assert faults(write(tmp_path, f'base = "dam"\n{line}')) == [message]
