"""What an install promises: one version, a command, types, a core built from these very sources, two builds in one."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import pytest

import damd
from damd.core import sources

ROOT = Path(__file__).resolve().parent.parent
COMPILED = [
    f"damd.core.{width}.{module}"
    for width in sources.WIDTHS
    for module in sources.MODULES
    if any((sources.FOLDER / width).glob(f"{module}.*"))
]


def python(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        input="uci\nposition startpos\nperft 3\n",
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_version_is_said_once() -> None:
    assert metadata.version("damd") == damd.__version__
    assert python("-m", "damd", "--version").stdout.split() == ["damd", damd.__version__]


def test_the_changelog_has_the_version() -> None:
    assert f"## [{damd.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_command_is_installed() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="damd")
    assert callable(command.load())


def test_type_checkers_find_the_types() -> None:
    assert resources.files("damd").joinpath("py.typed").is_file()


def test_importing_the_package_loads_nothing_else() -> None:
    loaded = python("-c", "import damd, sys; print(*(name for name in sys.modules if name.startswith('damd')))").stdout
    assert loaded.split() == ["damd"]


def test_the_digest_is_of_every_source_and_of_nothing_else(tmp_path: Path) -> None:
    for file in sources.files():
        (tmp_path / file.name).write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / "unrelated.py").touch()
    assert sources.digest(tmp_path) == sources.digest()
    for file in sources.files(tmp_path):
        before = file.read_bytes()
        file.write_bytes(before + b" ")
        assert sources.digest(tmp_path) != sources.digest(), file.name
        file.write_bytes(before)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
@pytest.mark.parametrize("name", [name for name in COMPILED if name.endswith(".board")])
def test_the_compiled_core_is_of_these_sources(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__file__ is not None
    assert not module.__file__.endswith(".py")
    assert sources.digest() == module.SOURCE_DIGEST, "a stale build: `python3 dev.py run --version` makes it anew"


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
def test_a_width_is_compiled_whole() -> None:
    for width in sources.WIDTHS:
        present = [name for name in COMPILED if f".{width}." in name]
        assert len(present) in (0, len(sources.MODULES)), present


def test_the_sources_themselves_stay_interpreted() -> None:
    board = importlib.import_module("damd.core.board")
    assert board.__file__ is not None
    assert board.__file__.endswith(".py")
    assert board.SOURCE_DIGEST == ""


@pytest.mark.sample
def test_the_interpreted_core_answers_beside_the_compiled_one() -> None:
    interpreted = python("-m", "damd", DAMD_CORE="interpreted")
    assert "info string core interpreted" in interpreted.stdout.splitlines()
    assert "total 379" in interpreted.stdout.splitlines()
    assert interpreted.returncode == 0


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled here")
def test_the_compiled_core_is_the_default() -> None:
    compiled = python("-m", "damd", DAMD_CORE="")
    assert "info string core compiled" in compiled.stdout.splitlines()
    assert "total 379" in compiled.stdout.splitlines()
