#!/usr/bin/env python3
"""Everything that is done with a checkout of damd, with nothing but Python 3.11 or newer at hand.

    python3 dev.py run [ARGUMENTS]         start the daemon; arguments go to damd
    python3 dev.py test [--long] [ARGS]    run every check and all tests; ARGS go to pytest
    python3 dev.py bench [ARGUMENTS]       run the benchmarks (--help lists their options)

Each makes an environment in .venv first, or brings it up to date: packages when pyproject.toml changed, the
compiled core when its sources did. Environment: see setup.py (DAMD_BUILD, DAMD_MARCH, CC).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"dev.py: damd needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable})")

import runpy
import tomllib  # newer than the Pythons that the message above is for
from collections.abc import Callable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
PIP = (PYTHON, "-m", "pip", "--disable-pip-version-check")
STAMP = VENV / "damd-stamp.json"
LOCK = ROOT / ".cache" / "dev.lock"

#: What setup.py says where the machine, not the sources, is why nothing was compiled.
NO_COMPILER = "no C compiler works here"

#: Fed to an installed daemon, which answers all of it before it ends with its input.
DIALOGUE = """uci
position startpos
perft 4
go depth 4
setoption name UCI_Variant value dam-haji-12
perft 3
setoption name UCI_Variant value international
perft 4
"""
ANSWERS = ("uciok", "total 2949", "total 1431", "total 4265")


#: A command and its arguments.
Command = Sequence["str | Path"]


class Failure(Exception):
    """What went wrong, in words for the person at the terminal."""


def say(text: str) -> None:
    """Progress goes to stderr: stdout belongs to the daemon."""
    print(f"dev.py: {text}", file=sys.stderr, flush=True)


def quietly(command: Command, what: str, env: Mapping[str, str] | None = None) -> str:
    """Runs a command and returns all that it printed. Raises Failure, with its output, where it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise Failure(f"{what} failed:\n{done.stdout.strip()}")
    return done.stdout


# ---- the environment -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Keeps a second dev.py waiting while one builds, so that a tournament may start several at once."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                with contextlib.suppress(OSError):  # gives up after ten seconds of its own
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def requirements(testing: bool) -> list[str]:
    """What the build, the daemon and, for tests, the checks need, as pyproject.toml has it."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = declared["project"]
    extras = project["optional-dependencies"]
    wanted = [*declared["build-system"]["requires"], *project["dependencies"]]
    if testing:
        wanted += [need for extra in ("test", "dev") for need in extras[extra] if not need.startswith(project["name"] + "[")]
    return list(dict.fromkeys(wanted))


def build_digest() -> str:
    """Changes with everything that the installed package is built from, apart from files read where they lie."""
    core = runpy.run_path(str(ROOT / "damd" / "core" / "sources.py"))["digest"]()
    files = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "setup.py", "damd/__init__.py")]
    settings = [os.environ.get(name) for name in ("DAMD_BUILD", "DAMD_MARCH", "CC", "CFLAGS")]
    return digest(core, files, settings)


def read_stamp() -> dict[str, str]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def modules() -> list[Path]:
    """The compiled modules that lie in this checkout, whoever compiled them."""
    core = ROOT / "damd" / "core"
    return sorted(core.glob(f"*/*.{'pyd' if os.name == 'nt' else 'so'}"))


def compiled() -> bool:
    return bool(modules())


def core_kind() -> str:
    return "compiled" if compiled() else "interpreted"


def modules_digest() -> str:
    return digest([(path.name, path.read_bytes()) for path in modules()])


def wanted_stamp() -> dict[str, str]:
    """What the stamp of a finished environment says, so far as it is known before there is one."""
    return {
        "python": digest(sys.version, sys.base_prefix, str(ROOT)),
        "packages": digest(requirements(testing=True)),
        "build": build_digest(),
    }


def packages_serve(stamp: Mapping[str, str], wanted: Mapping[str, str], testing: bool) -> bool:
    return stamp.get("packages") == wanted["packages"] and (not testing or stamp.get("for") == "test")


def build_serves(stamp: Mapping[str, str], wanted: Mapping[str, str], testing: bool) -> bool:
    """For tests a core that is interpreted for want of a compiler is not enough: there may be one by now."""
    if stamp.get("build") != wanted["build"] or stamp.get("modules") != modules_digest():
        return False
    return not testing or compiled() or "DAMD_BUILD" in os.environ


def python_serves(stamp: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return PYTHON.exists() and stamp.get("python") == wanted["python"]


def create() -> None:
    """A new, empty environment in .venv."""
    if VENV.exists():
        if not STAMP.exists():
            raise Failure(f"{VENV} is there and was not made by dev.py; move it away")
        shutil.rmtree(VENV)
    VENV.mkdir()
    STAMP.write_text("{}", encoding="utf-8")
    say("making an environment in .venv")
    try:
        quietly([sys.executable, "-m", "venv", VENV], "python -m venv")
    except Failure as failure:
        raise Failure(
            f"{failure}\nThis Python cannot make environments; on Debian and Ubuntu: apt install python3-venv"
        ) from None


def install_packages(testing: bool) -> None:
    say("installing packages")
    try:
        quietly([*PIP, "install", *requirements(testing)], "pip install")
    except Failure as failure:
        raise Failure(f"{failure}\nIs the package index reachable from here?") from None


def install_damd(testing: bool) -> None:
    """Installs this checkout in place and compiles the core. For tests a core that does not compile is an error."""
    say("building damd")
    command: Command = [*PIP, "install", "--no-build-isolation", "--no-deps", "-e", "."]
    mode = os.environ.get("DAMD_BUILD", "")
    try:
        quietly(command, "the build", {**os.environ, "DAMD_BUILD": mode or ("compiled" if testing else "")})
    except Failure as failure:
        if mode or NO_COMPILER not in str(failure):
            raise
        quietly(command, "the build", {**os.environ, "DAMD_BUILD": "interpreted"})
    if not compiled() and mode != "interpreted":
        say("the core is interpreted and some 200 times slower: to compile it takes a C compiler and Python's headers")


def prepare(testing: bool) -> None:
    """Makes .venv what this checkout needs; returns at once where it is."""
    wanted = wanted_stamp()
    with locked():
        stamp = read_stamp()
        if not python_serves(stamp, wanted):
            create()
            stamp = {}
        if not packages_serve(stamp, wanted, testing):
            install_packages(testing)
            stamp |= {"packages": wanted["packages"], "for": "test" if testing else "run"}
        if not build_serves(stamp, wanted, testing):
            install_damd(testing)
            stamp |= {"build": wanted["build"], "modules": modules_digest()}
        stamp["python"] = wanted["python"]
        STAMP.write_text(json.dumps(stamp, indent=1), encoding="utf-8")


# ---- the checks ------------------------------------------------------------------------------------------------


def play(daemon: Path, env: Mapping[str, str], kind: str) -> None:
    """Has an installed daemon answer DIALOGUE. Raises Failure unless every answer is right and the core is ``kind``."""
    done = subprocess.run([daemon], input=DIALOGUE, env=env, capture_output=True, text=True, timeout=300, check=False)
    lines = done.stdout.splitlines()
    missing = [line for line in (f"info string core {kind}", *ANSWERS) if line not in lines]
    best = [line for line in lines if line.startswith("bestmove ")]
    errors = [line for line in lines if line.startswith("error ")]
    if done.returncode or missing or errors or len(best) != 1 or best == ["bestmove (none)"]:
        raise Failure(
            f"the installed daemon did not play (exit code {done.returncode}, missing {missing}, {best}, {errors}):\n"
            f"{done.stdout}{done.stderr}"
        )


def without_compiler(binaries: Path) -> dict[str, str]:
    """An environment in which nothing compiles."""
    env = {**os.environ, "PATH": str(binaries)}
    for name in ("DAMD_BUILD", "DAMD_CORE", "PYTHONPATH"):
        env.pop(name, None)
    if os.name == "nt":  # the compiler there is found through the registry
        env["DAMD_BUILD"] = "interpreted"
    else:
        env["CC"] = env["CXX"] = shutil.which("false") or "false"
    return env


def install_and_play(package: Path, kind: str, folder: Path) -> None:
    """Installs a wheel or sdist in a fresh environment without a compiler and has it play."""
    quietly([PYTHON, "-m", "venv", "--without-pip", folder], "python -m venv")
    binaries = folder / BIN.name
    env = without_compiler(binaries)
    install: Command = [*PIP, "--python", binaries / PYTHON.name, "install", package]
    quietly(install, f"installing {package.name}", env)
    damd = binaries / ("damd.exe" if os.name == "nt" else "damd")
    play(damd, env, kind)
    quietly([damd, "variants", "show", "dam", "--language", "cs"], "the installed rule sheets", env)


def check_packages() -> None:
    """Builds sdist and wheel; each must install and play where no compiler is."""
    with tempfile.TemporaryDirectory(prefix="damd-") as name:
        folder = Path(name)
        quietly([PYTHON, "-m", "build", "--no-isolation", "--outdir", folder / "dist", "."], "python -m build")
        (sdist,) = (folder / "dist").glob("*.tar.gz")
        (wheel,) = (folder / "dist").glob("*.whl")
        if compiled() and sys.implementation.name == "cpython" and "-abi3-" not in wheel.name:
            raise Failure(f"{wheel.name} serves one Python only")
        install_and_play(wheel, core_kind(), folder / "wheel")
        install_and_play(sdist, "interpreted", folder / "sdist")
        say(f"{wheel.name}: {wheel.stat().st_size / 1024:.0f} KiB, {sdist.name}: {sdist.stat().st_size / 1024:.0f} KiB")


def succeeds(command: Command, env: Mapping[str, str] | None = None) -> bool:
    return subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, check=False).returncode == 0


def packages_play() -> bool:
    try:
        check_packages()
    except Failure as failure:
        say(str(failure))
        return False
    return True


def test(arguments: list[str]) -> int:
    """Runs all checks, whichever fail, and pytest last; 0 where all passed."""
    prepare(testing=True)
    pytest: Command = [PYTHON, "-m", "pytest", "-n", "auto", "--dist", "worksteal"]
    interpreted = {**os.environ, "DAMD_CORE": "interpreted"}
    checks: dict[str, Callable[[], bool]] = {
        "ruff": lambda: succeeds([PYTHON, "-m", "ruff", "check", "--quiet", "."]),
        "mypy": lambda: succeeds([PYTHON, "-m", "mypy", "--no-error-summary"]),
        "import-linter": lambda: succeeds([BIN / "lint-imports", "--no-logo"]),
        "documentation": lambda: succeeds([PYTHON, "-m", "damd", "docs", "--check"]),
        "packages": packages_play,
        "libraries to compare with": lambda: succeeds([PYTHON, "tests/peers.py"]),
        "engines to play with": lambda: succeeds([PYTHON, "tests/adapters/hub_engines.py"]),
        "tests of the interpreted core": lambda: succeeds([*pytest, "-q", "-m", "sample and not long"], interpreted),
        "tests": lambda: succeeds([*pytest, "--durations=20", *arguments]),
    }
    if not compiled():
        del checks["tests of the interpreted core"]  # all of them are
    failed = []
    for name, check in checks.items():
        say(name)
        start = time.monotonic()
        if not check():
            failed.append(name)
        if check is not checks["tests"]:  # pytest's closing line stays the last one
            say(f"{name}: {'failed' if name in failed else 'passed'}, {time.monotonic() - start:.0f} s")
    if failed:
        say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


# ---- the commands ----------------------------------------------------------------------------------------------


def hand_over(command: Command) -> int:
    """Becomes the command where the system can, so that its signals, streams and exit code are its own."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], [str(part) for part in command])
    return subprocess.run(command, check=False).returncode


def run(arguments: list[str]) -> int:
    prepare(testing=False)
    return hand_over([PYTHON, "-m", "damd", *arguments])


def bench(arguments: list[str]) -> int:
    prepare(testing=False)
    os.chdir(ROOT)
    return hand_over([PYTHON, "-m", "benchmarks.run", *arguments])


COMMANDS = {"run": run, "test": test, "bench": bench}


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in ("-h", "--help", "help"):
        print((__doc__ or "").strip(), file=sys.stderr)
        return 0
    if not arguments or arguments[0] not in COMMANDS:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    try:
        return COMMANDS[arguments[0]](arguments[1:])
    except Failure as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
