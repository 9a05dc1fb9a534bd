"""match.md says what the code does: its tables are those that the code makes, its options and its file are real."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from pathlib import Path

from damd.match.manual import TERMINATIONS, absent, refreshed
from damd.match.records import Termination
from damd.match.settings import read_settings, rules_of
from damd.tools import match
from talking import ROOT

PAGE = (ROOT / "match.md").read_text(encoding="utf-8")
#: Commands of another program, with options of its own.
DASK = re.compile(r"dask (?:scheduler|worker)[^`\n]*")


def test_the_tables_are_up_to_date() -> None:
    assert absent(PAGE) == []
    assert refreshed(PAGE) == PAGE, "run python -m damd.match.manual match.md"


def test_every_termination_is_told() -> None:
    assert list(TERMINATIONS) == list(Termination)


def test_the_options_are_those_of_the_command() -> None:
    parser = ArgumentParser()
    match.add(parser.add_subparsers())
    words = re.findall(r"(?<!\w)--[a-z][a-z-]*", parser._subparsers._group_actions[0].choices["match"].format_help())  # type: ignore[union-attr,index,call-overload]
    told = set(re.findall(r"`?(--[a-z][a-z-]*)", DASK.sub("", PAGE)))
    assert set(words) - {"--help"} <= told
    assert told <= set(words)


def test_the_file_of_the_page_is_one(tmp_path: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    (tmp_path / "cup.toml").write_text(found[1], encoding="utf-8")
    tournament = read_settings(str(tmp_path / "cup.toml"))
    assert tournament.names == ("full", "half", "scan")
    assert str(tournament.time_of("half")) == "5+0.05"
    assert not rules_of(tournament).penalty.take, "programs of Hub know no missed captures"
