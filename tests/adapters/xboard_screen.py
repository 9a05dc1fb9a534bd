"""XBoard itself on a virtual screen: clicks on squares, what its board shows, and what it has said to the engine.

Needs xboard, Xvfb, xdotool and ImageMagick's import.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from damd_adapters.xboard import pieces
from damd_adapters.xboard.board import Squares
from talking import ROOT

_XBOARD = shutil.which("xboard") or ("/usr/games/xboard" if os.access("/usr/games/xboard", os.X_OK) else None)
MISSING = [name for name in ("Xvfb", "xdotool", "import") if shutil.which(name) is None] + ([] if _XBOARD else ["xboard"])

#: What the adapters' page tells users to set, and nothing that moves on its own.
_SETTINGS = [
    "-testLegality",
    "false",
    "-showTargetSquares",
    "true",
    "-highlightDragging",
    "true",
    "-animateMoving",
    "false",
    "-highlightMoveWithArrow",
    "false",
    "-ponderNextMove",
    "false",
    "-debug",
]

#: Nothing takes so long.
_PATIENCE_S = 60.0
_WIDTH, _HEIGHT = 460, 520
#: Where XBoard puts its board on a screen of that size: left and top edge, and the pitch of squares.
_EDGE = (2, 88)
_PITCH = {8: 50, 10: 40}


class Screen:
    """A virtual screen with one XBoard on it, in a home of its own."""

    def __init__(self, home: Path, variant: str, *arguments: str, options: tuple[str, ...] = ()) -> None:
        self._home = home
        self._debug = home / "xboard.debug"
        read, self._write = os.pipe()
        self._xvfb = subprocess.Popen(
            ["Xvfb", "-displayfd", str(self._write), "-screen", "0", "1000x900x24", "-nolisten", "tcp"],
            pass_fds=(self._write,),
            stderr=subprocess.DEVNULL,
        )
        with os.fdopen(read) as told:
            self._display = f":{told.readline().strip()}"
        path = os.pathsep.join([str(ROOT), str(ROOT / "adapters"), os.environ.get("PYTHONPATH", "")])
        self._env = {**os.environ, "DISPLAY": self._display, "HOME": str(home), "PYTHONPATH": path}
        engine = " ".join([sys.executable, "-m", "damd_adapters.xboard", *(f"--option={option}" for option in options)])
        assert _XBOARD is not None
        told = f"-fcp|{engine}|-fd|{home}|-variant|{variant}|-pid|{pieces()}|-nameOfDebugFile|{self._debug}".split("|")
        self._xboard = subprocess.Popen(
            # Without a message: XBoard writes it over the board in its first second.
            [_XBOARD, *told, *_SETTINGS, "-startupMessage", "", *arguments],
            env=self._env,
            cwd=home,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._xboard, self._xvfb):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        os.close(self._write)

    # What was said

    def conversation(self) -> list[str]:
        """The lines to (``>``) and from (``<``) the engine so far."""
        try:
            text = self._debug.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        text = re.sub(r"usermove \d+ >first : ", "usermove ", text)
        return [found[1] + " " + found[2] for found in re.finditer(r"^\d+ ([<>])first *: (.*)$", text, re.MULTILINE)]

    def heard(self, pattern: str, after: int = 0) -> int:
        """Wait for a line that matches, from index ``after`` on; the index behind it."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            lines = self.conversation()
            for index in range(after, len(lines)):
                if re.match(pattern, lines[index]):
                    return index + 1
            if time.monotonic() > end:
                raise TimeoutError(f"nothing like {pattern} in {lines[after:]}")
            time.sleep(0.05)

    # What the user does

    def click(self, name: str, rows: int) -> None:
        x = ord(name[0]) - ord("a")
        y = int(name[1:]) - (0 if rows == 10 else 1)
        pitch = _PITCH[rows]
        at = (_EDGE[0] + x * pitch + pitch // 2, _EDGE[1] + (rows - 1 - y) * pitch + pitch // 2)
        self._tool("mousemove", str(at[0]), str(at[1]), "mousedown", "1", "sleep", "0.03", "mouseup", "1", "sleep", "0.03")

    def close_dialog(self) -> None:
        """Say OK to the window in the corner."""
        self._tool("mousemove", "20", "20", "sleep", "0.1", "key", "Return", "sleep", "0.1")

    def _tool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._env, check=True, stdout=subprocess.DEVNULL)

    # What there is to be seen

    def save(self, file: Path) -> None:
        """A picture of XBoard's window."""
        crop = f"{_WIDTH}x{_HEIGHT}+0+0"
        subprocess.run(["import", "-window", "root", "-crop", crop, str(file)], env=self._env, check=True)

    def until_shown(self, squares: Squares, pieces: dict[str, str]) -> None:
        """Wait until the board shows these pieces. Raises ``AssertionError`` with the difference where it does not."""
        end = time.monotonic() + 10
        while (shown := self.board(squares)) != pieces:
            if time.monotonic() > end:
                names = sorted({*shown, *pieces})
                different = {
                    name: (shown.get(name), pieces.get(name)) for name in names if shown.get(name) != pieces.get(name)
                }
                self.save(self._home / "difference.png")
                raise AssertionError(f"shown and due, see {self._home}: {different}; {self.conversation()[-8:]}")
            time.sleep(0.1)

    def board(self, squares: Squares) -> dict[str, str]:
        """The pieces that the board shows: M and K White's, m and k Black's."""
        done = subprocess.run(
            ["import", "-window", "root", "-crop", f"{_WIDTH}x{_HEIGHT}+0+0", "-depth", "8", "rgb:-"],
            env=self._env,
            check=True,
            capture_output=True,
        )
        found = {}
        pitch = _PITCH[squares.rows]
        for point in range(squares.rules.geometry.size):
            name = squares.name(point)
            x = ord(name[0]) - ord("a")
            y = int(name[1:]) - (0 if squares.rows == 10 else 1)
            left, top = _EDGE[0] + x * pitch, _EDGE[1] + (squares.rows - 1 - y) * pitch
            letter = _letter(done.stdout, left + pitch // 2, top + pitch // 2, pitch)
            if letter:
                found[name] = letter
        return found


def _letter(pixels: bytes, x: int, y: int, pitch: int) -> str:
    rim, middle = _colour(pixels, x, y - int(0.35 * pitch)), _colour(pixels, x, y + int(0.08 * pitch))
    if min(rim[:2]) > 245 and 150 < rim[2] < 240:
        return "M" if _near(rim, middle) else "K"
    if max(rim) < 110:
        return "m" if _near(rim, middle) else "k"
    return ""


def _colour(pixels: bytes, x: int, y: int) -> tuple[int, int, int]:
    at = 3 * (y * _WIDTH + x)
    return pixels[at], pixels[at + 1], pixels[at + 2]


def _near(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) < 30
