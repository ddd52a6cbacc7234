"""The package as a whole: light to import, and honest about what it is."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import ulna

HEAVY = {
    *("scipy", "numba", "sympy", "matplotlib", "xarray", "pandas", "pyarrow"),
    *("h5py", "h5netcdf", "starlette", "tqdm", "IPython"),
}
# Uses of ulna that need none of these, one after the other in one process.
LIGHT = [
    "import numpy, sys, ulna",
    "arm, q = ulna.preset('unit'), numpy.array([0.3, 0.4])",
    "ulna.dynamics.mass_matrix(arm, q), ulna.dynamics.gravity_torque(arm, q)",
    "ulna.dynamics.inverse_dynamics(arm, q, q, q), ulna.dynamics.forward_dynamics(arm, q, q, q)",
    "ulna.kinematics.tip(arm, q), ulna.kinematics.jacobian(arm, q)",
    "assert 'ulna.kernels' not in sys.modules",
    "ulna.control.PID().start(arm)",
    "ulna.derive",
    "import ulna.simulation.run, ulna.simulation.files",
    "from ulna.cli import main; main(['--help'])",
    "main(['pose', 'unit', '--q', '0, 0'])",
]


def run(code, *arguments):
    words = [sys.executable, "-c", code, *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_nothing_heavy_is_loaded():
    report = f"print('loaded', {HEAVY!r} & set(sys.modules))"
    done = run("\n".join(f"{use}\n{report}" for use in LIGHT))
    told = [line for line in done.stdout.splitlines() if line.startswith("loaded")]
    assert told == ["loaded set()"] * len(LIGHT), done.stderr


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
    *("_version", "angles", "arm", "arrays", "columns", "concurrency", "errors", "interop"),
    *("namespaces", "storage", "typing", "units"),
}
USES = """
ulna.Arm.rods([0.3, 0.3], [1.0, 1.0])
ulna.preset('kehl').parameters
ulna.load(sys.argv[1]).with_payload(0.5)
repr(ulna.Arm.of([ulna.Link(0.5, 1.0)], [ulna.Joint(damping=0.1)]))
"""


def test_an_arm_loads_numpy_and_its_own_modules_only(tmp_path):
    file = tmp_path / "arm.toml"
    ulna.save(ulna.preset("kehl"), file)
    done = run(ADDED + USES + LISTED, str(file))
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


def test_runs_as_a_module():
    words = [sys.executable, "-m", "ulna", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == ulna.__version__


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
