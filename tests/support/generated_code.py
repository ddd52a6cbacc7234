"""Generated source code in each language: compiled, loaded, run by what this machine has."""

import ctypes
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VIEWER = runpy.run_path(str(ROOT / "tools" / "viewer.py"))
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LANGUAGES = ("python", "c", "matlab", "javascript")


_written = {}


def code_of(derivation, language):
    """Give a derivation's file, written once."""
    kept = _written.setdefault(id(derivation), {"of": derivation})  # no other gets its id
    if language not in kept:
        kept[language] = derivation.code(language)
    return kept[language]


def run_python(source):
    """Run a Python file as a module that is imported; gives its names."""
    scope = {"__name__": "arm_model"}
    exec(compile(source, "arm_model.py", "exec"), scope)
    return scope


def c_compiler():
    """Give the C compiler, or skip the test."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform == "win32":
        pytest.skip("no C compiler on this machine: the generated C is not tested")
    return compiler


def compile_c(folder, source, name="arm", optimised="-O1"):
    """Compile C as strictly as a compiler can, without its main, and load it."""
    compiler, made = c_compiler(), folder / f"{name}.so"
    (folder / f"{name}.c").write_text(source)
    shared = [optimised, "-DARM_LIBRARY", "-shared", "-fPIC", "-o", made]
    command = [compiler, *STRICT, *shared, folder / f"{name}.c", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return ctypes.CDLL(str(made))


def structure(source):
    """Give the arm of a C file as ctypes knows structures."""
    body = source.partition("typedef struct {")[2].partition("} arm_parameters;")[0]
    names = re.findall(r"^    double (\w+);", body, flags=re.MULTILINE)
    return type(
        "Parameters", (ctypes.Structure,), {"_fields_": [(x, ctypes.c_double) for x in names]}
    )


def row(values):
    """Give numbers as C takes them."""
    return (ctypes.c_double * len(values))(*values)


def octave_program():
    """Give Octave, or skip the test."""
    program = shutil.which("octave-cli") or shutil.which("octave")
    if program is None:
        pytest.skip("no Octave on this machine: the generated MATLAB is not run")
    return [program, "--norc", "--quiet", "--no-gui"]


def octave(folder, script):
    """Run a script; gives the numbers that it prints, a list a line."""
    (folder / "script_.m").write_text(script)
    command = [*octave_program(), "script_.m"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [[float(number) for number in line.split()] for line in done.stdout.splitlines()]


def column(values):
    """Write numbers as MATLAB reads them."""
    return "[" + "; ".join(repr(float(value)) for value in values) + "]"


def missing(what, why):
    """Skip a test for want of a tool, which must be there where changes are tested."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(f"{what} IS NOT TESTED: {why}")
    pytest.skip(f"{what} IS NOT TESTED: {why}")


def node_program():
    """Give the Node.js that the viewer is built with, or skip the test."""
    try:
        return VIEWER["find_node"]().node
    except VIEWER["CannotBuildError"] as error:
        missing("THE GENERATED JAVASCRIPT", str(error))


def run_node(folder, script):
    """Run a module; gives what it prints, read as JSON."""
    (folder / "script_.mjs").write_text(script)
    done = subprocess.run(
        [*node_program(), "script_.mjs"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def type_check(folder, *files):
    """Check the types of JavaScript and TypeScript files strictly; gives what is wrong."""
    compiler = ROOT / "web" / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.is_file():
        missing("THE TYPES OF THE GENERATED JAVASCRIPT", "run python tools/viewer.py --require")
    strict = ["--strict", "--allowJs", "--checkJs", "--noEmit", "--ignoreConfig"]
    modern = ["--module", "nodenext", "--target", "es2022", "--types", ""]
    command = [*node_program(), str(compiler), *strict, *modern, *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout
