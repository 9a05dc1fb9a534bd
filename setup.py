"""Builds the core with a C compiler where there is one; all else about the package stands in pyproject.toml.

The core's sources (``damd/core/sources.py`` lists them) are copied under ``build/core``, once a width, and compiled
there as ``damd.core.narrow.*`` and ``damd.core.wide.*``; ``damd/core/board.py`` itself always stays interpreted. Where
nothing can be compiled the install goes on without, and the daemon interprets the same sources.

Environment: ``DAMD_BUILD=compiled`` makes a failure to compile an error, ``DAMD_BUILD=interpreted`` does not try;
``DAMD_MARCH`` is the processor to compile for (``native``: this one; ``x86-64``: any), ``CC`` the compiler.
"""

from __future__ import annotations

import ast
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command import editable_wheel
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError, ExecError, PlatformError

ROOT = Path(__file__).resolve().parent
CORE = ROOT / "damd" / "core"
STAGE = ROOT / "build" / "core"
SOURCES = runpy.run_path(str(CORE / "sources.py"))

#: C's own arithmetic and array access: the same sources run checked when they are interpreted. What makes objects
#: inspectable and picklable is left out: it is a third of the build.
DIRECTIVES = {
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "auto_pickle": False,
    "binding": False,
    "emit_code_comments": False,
}

#: One wheel serves every CPython from this one on, except those without the global lock.
ABI = (3, 11)
LIMITED = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

#: Says that it is the machine's fault and not the sources'; ``dev.py`` looks for it.
NO_COMPILER = "no C compiler works here"

#: All that a missing, broken or too old compiler has been seen to raise.
COMPILER_FAILURES = (BaseError, CCompilerError, ExecError, PlatformError, OSError)


def extensions() -> list[Extension]:
    """One extension for each module and width; the build replaces the source by the C file made from it."""
    macros = [("CYTHON_LIMITED_API", "1"), ("Py_LIMITED_API", f"0x{ABI[0]:02X}{ABI[1]:02X}0000")] if LIMITED else []
    return [
        Extension(
            f"damd.core.{width}.{module}",
            [f"damd/core/{module}.py"],
            define_macros=[*macros, *special],
            include_dirs=[str(CORE)],
            py_limited_api=LIMITED,
        )
        for width, special in SOURCES["WIDTHS"].items()
        for module in SOURCES["MODULES"]
    ]


def width_of(extension: Extension) -> str:
    return str(extension.name.split(".")[-2])


def stage(width: str) -> None:
    """Copies the core's sources to the package that one width is compiled in."""
    folder = STAGE / "damd" / "core" / width
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    digest = SOURCES["digest"]()
    modules = "|".join(SOURCES["MODULES"])
    for file in SOURCES["files"]():
        if file.stem not in SOURCES["MODULES"]:
            if file.suffix == ".pxd":
                shutil.copy(file, folder.parent)
            continue
        text = file.read_text(encoding="utf-8")
        text = re.sub(rf"\bdamd\.core\.({modules})\b", rf"damd.core.{width}.\1", text)
        # What is Python's import where the sources are interpreted is C's where they are compiled.
        text = re.sub(
            r"^from damd\.core\.(bits|codes) import", r"from cython.cimports.damd.core.\1 import", text, flags=re.MULTILINE
        )
        text = re.sub(r'^SOURCE_DIGEST = ""$', f'SOURCE_DIGEST = "{digest}"', text, flags=re.MULTILINE)
        (folder / file.name).write_text(text, encoding="utf-8")
    (folder.parent / f"{SOURCES['CONSTANTS']}.pxd").write_text(constants(), encoding="ascii")
    for package in (folder, folder.parent, folder.parent.parent):
        (package / "__init__.py").touch()


def constants() -> str:
    """The declarations of the core's constants, which are written once, in Python."""
    tree = ast.parse((CORE / f"{SOURCES['CONSTANTS']}.py").read_text(encoding="utf-8"))
    lines = ["cdef enum:"]
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            lines += [f"    {target.id} = {ast.literal_eval(statement.value)}" for target in statement.targets]
    return "\n".join([*lines, ""])


class OptionalBuildExt(build_ext):
    """Compiles each width whole or not at all, and goes on without where the compiler fails."""

    def run(self) -> None:
        self.beside_sources = bool(self.inplace)  # the base class hides it while it builds
        super().run()

    def build_extensions(self) -> None:
        wanted = self.extensions
        mode = os.environ.get("DAMD_BUILD", "")
        if mode not in ("", "compiled", "interpreted"):
            raise SystemExit(f"damd: DAMD_BUILD is {mode!r}; it may be compiled, interpreted or unset")
        built: list[Extension] = []
        if mode == "interpreted":
            self.announce_interpreted("DAMD_BUILD asks for it")
        else:
            try:
                built = self.compile_widths(wanted)
            except COMPILER_FAILURES as failure:
                if mode == "compiled":
                    raise
                self.announce_interpreted(str(failure))
        for extension in wanted:
            if extension not in built:
                self.forget(extension)
        self.extensions = built

    def compile_widths(self, wanted: list[Extension]) -> list[Extension]:
        """Compiles ``wanted``; returns what can be used. Raises where not even one width compiles."""
        flags = self.working_flags()
        self.force = True  # a changed flag or macro does not show in the files' times
        for width in SOURCES["WIDTHS"]:
            stage(width)
        built: list[Extension] = []
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            jobs = {
                width: [pool.submit(self.compile_module, each, flags) for each in wanted if width_of(each) == width]
                for width, macros in SOURCES["WIDTHS"].items()
                if not (macros and self.compiler.compiler_type == "msvc")  # has no integers of 128 bits
            }
        for width, modules in jobs.items():
            try:
                built += [module.result() for module in modules]
            except COMPILER_FAILURES as failure:
                built = [extension for extension in built if width_of(extension) != width]
                if not built or os.environ.get("DAMD_BUILD") == "compiled":
                    raise
                sys.stderr.write(f"damd: the {width} core is interpreted, it did not compile: {failure}\n")
        return built

    def compile_module(self, extension: Extension, flags: list[str]) -> Extension:
        """From a staged source to C, in a process so that several run at once, and on to the module."""
        source = STAGE.joinpath(*extension.name.split(".")).with_suffix(".py")
        made = source.with_suffix(".c")
        options = [f"--directive={name}={value}" for name, value in DIRECTIVES.items()]
        subprocess.run(
            [sys.executable, "-m", "cython", "-3", *options, f"--module-name={extension.name}", "-o", made, source],
            cwd=STAGE,
            check=True,
        )
        extension.sources = [os.path.relpath(made, ROOT)]
        extension.extra_compile_args = flags
        self.build_extension(extension)
        return extension

    def working_flags(self) -> list[str]:
        """The best flags that this compiler takes. Raises one of COMPILER_FAILURES where it takes none."""
        if sys.implementation.name != "cpython":
            raise PlatformError(f"{NO_COMPILER} for {sys.implementation.name}")
        probe = Path(self.build_temp) / "probe.c"
        probe.parent.mkdir(parents=True, exist_ok=True)
        probe.write_text("#include <Python.h>\nint damd_probe(void) { return PY_VERSION_HEX != 0; }\n", encoding="ascii")
        failures: list[str] = []
        for flags in self.flags():
            try:
                self.compiler.compile([str(probe)], output_dir=str(probe.parent), extra_postargs=flags)
            except COMPILER_FAILURES as failure:
                failures.append(str(failure))
            else:
                return flags
        raise PlatformError(f"{NO_COMPILER}: {failures[-1]}")

    def flags(self) -> list[list[str]]:
        """Flags to try, best first. Debug information triples size and time of the build and helps nobody here."""
        if self.compiler.compiler_type == "msvc":
            return [["/O2"]]
        # Python's own flags make signed numbers wrap, and the core's indices are signed: 16 % more time in international,
        # 3 to 8 % elsewhere. None of them overflows: tests/test_overflow.py builds a core that would stop.
        plain = ["-O3", "-g0", "-fno-wrapv", "-fstrict-overflow"]
        march = os.environ.get("DAMD_MARCH")
        if march:
            return [[*plain, f"-march={march}"]]
        if sys.platform == "darwin":  # one compilation may make code for two processors there
            return [[*plain, "-Xarch_x86_64", "-march=x86-64-v2"], plain]
        if platform.machine().lower() in ("x86_64", "amd64"):
            # GCC inlines too little by itself for this core: perft gains 6-9 %. Others refuse the option.
            inline = "--param=max-inline-insns-auto=60"
            return [
                [*plain, "-march=x86-64-v2", inline],
                [*plain, "-march=x86-64-v2"],
                [*plain, "-msse4.2", "-mpopcnt"],
                plain,
            ]
        return [plain]

    def forget(self, extension: Extension) -> None:
        """Removes what an earlier build left of ``extension``: it would be older than the sources."""
        stem = extension.name.split(".")[-1]
        folders = [Path(self.get_ext_fullpath(extension.name)).parent, CORE / width_of(extension)]
        for folder in folders if self.beside_sources else folders[:1]:
            for suffix in (".so", ".pyd"):
                for stale in folder.glob(f"{stem}.*{suffix}"):
                    stale.unlink()

    def announce_interpreted(self, reason: str) -> None:
        sys.stderr.write(
            f"damd: the core is not compiled ({reason}).\n"
            "damd: it works all the same, but some 200 times slower. A C compiler and Python's headers are needed.\n"
        )


class HonestWheel(bdist_wheel):
    """Names the wheel after what is in it: pure where nothing was compiled."""

    def finalize_options(self) -> None:
        if LIMITED:
            self.py_limited_api = f"cp{ABI[0]}{ABI[1]}"
        super().finalize_options()

    def get_tag(self) -> tuple[str, str, str]:
        if not self.get_finalized_command("build_ext").extensions:
            self.root_is_pure = True
        return super().get_tag()


#: Adds folders to the path as they are. A name of setuptools' own: without it an install is the import hook again.
PLAIN_PATHS = getattr(editable_wheel, "_StaticPth", None)


class PlainEditable(editable_wheel.editable_wheel):
    """Makes an editable install two folders on the path: for two of them setuptools has an import hook of 8 ms a start."""

    def _select_strategy(self, name: str, tag: str, build_lib: str) -> object:
        if PLAIN_PATHS is None:
            return super()._select_strategy(name, tag, build_lib)
        return PLAIN_PATHS(self.distribution, name, [ROOT, ROOT / "adapters"])


COMMANDS = {"build_ext": OptionalBuildExt, "bdist_wheel": HonestWheel, "editable_wheel": PlainEditable}

setup(ext_modules=extensions(), cmdclass=COMMANDS)
