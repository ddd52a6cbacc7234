"""The package as a whole: light to import, and honest about what it is."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ulna

HEAVY = (
    "scipy",
    "numba",
    "sympy",
    "matplotlib",
    "xarray",
    "pandas",
    "starlette",
    "tqdm",
    "IPython",
)
REPORT = f"import sys; print([name for name in {HEAVY!r} if name in sys.modules])"


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize(
    "code",
    [
        "import ulna",
        "from ulna.cli import main; main(['--help'])",
        "from ulna.cli import main; main(['pose', 'unit', '--q', '0, 0'])",
    ],
)
def test_nothing_heavy_is_loaded(code):
    done = run(f"{code}; {REPORT}")
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


# What an arm is made of: NumPy, and modules of Python and of ulna itself.
ADDED = """
import sys
import numpy
before = {name.partition(".")[0] for name in sys.modules}
import ulna
assert "ulna.arm" not in sys.modules
"""
LISTED = """
added = {name.partition(".")[0] for name in sys.modules} - before - {"ulna"}
print(sorted(added - sys.stdlib_module_names), sorted(m for m in sys.modules if m.count(".") == 1
    and m.startswith("ulna.")))
"""
ARM = {
    *(
        "_version",
        "angles",
        "arm",
        "arrays",
        "columns",
        "concurrency",
        "errors",
        "interop",
        "namespaces",
    ),
    *("storage", "typing", "units"),
}


@pytest.mark.parametrize(
    "use",
    [
        "ulna.Arm.rods([0.3, 0.3], [1.0, 1.0])",
        "ulna.preset('kehl').parameters",
        "ulna.load(sys.argv[1]).with_payload(0.5)",
        "repr(ulna.Arm.of([ulna.Link(0.5, 1.0)], [ulna.Joint(damping=0.1)]))",
    ],
)
def test_an_arm_loads_numpy_and_its_own_modules_only(use, tmp_path):
    file = tmp_path / "arm.toml"
    ulna.save(ulna.preset("kehl"), file)
    code = f"{ADDED}\n{use}\n{LISTED}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("[] "), done.stdout + done.stderr
    loaded = {name.removeprefix("ulna.") for name in ast.literal_eval(done.stdout[3:])}
    assert loaded <= ARM, loaded - ARM


def test_type_checkers_see_the_same_names():
    # The stub imports each from where it is; what is run must find it there too.
    source = Path(ulna.__file__).with_suffix(".pyi").read_text("utf-8")
    seen: dict[str, object] = {}
    exec(source, seen)
    assert sorted(seen["__all__"]) == sorted(ulna.__all__)
    others = [name for name in ulna.__all__ if seen[name] is not getattr(ulna, name)]
    # A package that is called: type checkers see the function that it calls.
    assert others == ["sweep"]
    assert inspect.signature(ulna.sweep) == inspect.signature(seen["sweep"])
    assert set(ulna.__all__) <= set(dir(ulna))


@pytest.mark.parametrize("command", [["--version"], ["--help"], ["list", "arms"]])
def test_runs_as_a_module(command):
    done = subprocess.run(
        [sys.executable, "-m", "ulna", *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout


COMMANDS = (
    ["list", "arms"],
    ["check", "so-101"],
    ["pose", "kehl", "--q", "40 deg, -60 deg", "--explain"],
    ["reach", "kehl", "--to", "0.6, 0.3", "--explain"],
    ["pose", "τ", "--q", "0"],
)


ENCODINGS = ("ascii", "cp437", "cp1252", "utf-8")


def test_any_terminal_can_print_it():
    # One process for all of them: starting Python takes longer than what it then prints.
    code = f"""
import sys
from ulna.cli import main
for encoding in {ENCODINGS!r}:
    sys.stdout.reconfigure(encoding=encoding, errors="strict")
    sys.stderr.reconfigure(encoding=encoding, errors="backslashreplace")
    print([main(command) for command in {COMMANDS!r}], end="\\0", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": ENCODINGS[0], "PYTHONUTF8": "0"},
        check=False,
    )
    assert b"Traceback" not in done.stderr
    for encoding, said in zip(ENCODINGS, done.stdout.split(b"\0")[:-1], strict=True):
        assert said.decode(encoding).splitlines()[-1] == "[0, 0, 0, 0, 2]"
