"""The core is compiled on the promise that no signed number overflows: here a search stops where one does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from damd import variants
from damd.core.position import build_kind

ROOT = Path(__file__).resolve().parent.parent
FILES = ("setup.py", "pyproject.toml", "README.md", "LICENSE")
CHECKED = "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero -fsanitize-undefined-trap-on-error"


def checked_build(folder: Path) -> dict[str, str]:
    """Compiles the core in ``folder`` so that a fault ends the process; the environment that runs it."""
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    for name in ("damd", "adapters"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    environment = {**os.environ, "CFLAGS": CHECKED, "DAMD_BUILD": "compiled"}
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, env=environment, check=True)
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.mark.long
@pytest.mark.skipif(build_kind() != "compiled" or os.name == "nt", reason="there is no compiler whose flags are known")
def test_no_signed_number_overflows_in_a_search(tmp_path: Path) -> None:
    environment = checked_build(tmp_path)
    for variant in variants.names():
        done = subprocess.run(
            [sys.executable, "-m", "damd", "bench", variant, "--depth", "12"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{variant}: {done.returncode} {done.stderr}"
        assert done.stdout.startswith("bench "), done.stdout
