"""Compiled code is kept by a hash of all that it is made of, and runs without a compiler too."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from ulna.control.laws import LAW
from ulna.control.laws.pd import pd_law
from ulna.kernel_sources import MARKS, PACKAGE, compiled_files, fingerprint, sources
from ulna.kernels import OPTIONS, count, folder, inlined, inner, kernel, size_of

RUNS = """
import json, numpy, ulna

def states(**options):
    arm = ulna.preset("bechard-1")
    run = ulna.simulate(arm, q0=[0.3], samples=3, **options)
    return [run.q.tolist(), run.qd.tolist(), run.qdd.tolist()]

found = [
    states(duration=0.05, torque=["10*cos(5*t)"]),
    states(duration=0.05, controller=ulna.control.PD(30.0, 2.0)),
    states(duration=0.02, torque=lambda t: 10*numpy.cos(5*t), method="gauss4"),
    states(duration=0.05, events={"down": "q1 - 0.299"}, method="semi-implicit"),
]
"""


@pytest.fixture
def package(tmp_path):
    """Give a copy of the package's sources, to be edited."""
    place = tmp_path / "ulna"
    shutil.copytree(PACKAGE, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def edited(file, text="\n# another line\n"):
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


# The hash

LOOP, BLOCK = "simulation/engine/loop.py", "simulation/engine/block.py"


def prints(package):
    compiled_files.cache_clear()
    return {name: fingerprint(package / name, package) for name in (LOOP, BLOCK, PD, TRACK)}


PD, TRACK = "control/laws/pd.py", "kinematics/following.py"


def test_a_copy_has_the_same_fingerprints(package):
    assert prints(package) == prints(PACKAGE)


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("simulation/engine/loop.py", {LOOP, BLOCK}),  # kernels; a block uses a constant of it
        ("simulation/engine/watch.py", {LOOP, BLOCK}),  # what they call
        ("simulation/engine/losing.py", {BLOCK}),
        ("kinematics/solver_room.py", {TRACK}),
        ("control/laws/pd.py", {PD}),
        ("expressions/evaluate.py", {LOOP, BLOCK}),
        ("simulation/engine/places.py", {LOOP, BLOCK}),  # constants that are compiled into them
        ("simulation/engine/tableaux.py", {LOOP, BLOCK}),
        ("expressions/program.py", {LOOP, BLOCK}),
        ("dynamics/packed.py", {LOOP, BLOCK, PD}),
        ("lanes/operations.py", {LOOP, BLOCK, PD, TRACK}),
        ("sincos.py", {LOOP, BLOCK, PD, TRACK}),
        ("kernels.py", {LOOP, BLOCK, PD, TRACK}),  # how they are compiled
        ("cli/app.py", set()),
        ("arm/joint.py", set()),
        ("control/pd.py", set()),
        ("errors.py", set()),
    ],
)
def test_it_changes_with_what_goes_into_a_kernel_and_with_nothing_else(package, file, changes):
    before = prints(package)
    edited(package / file)
    after = prints(package)
    assert {name for name in before if before[name] != after[name]} == changes


def test_nothing_that_a_kernel_calls_is_missed():
    # What was found by reading imports is compared with where the functions really come from.
    from ulna.simulation.engine import block

    ahead, reached = [block], set()
    while ahead:
        module = ahead.pop()
        if module.__name__ in reached:
            continue
        reached.add(module.__name__)
        for thing in vars(module).values():
            home = sys.modules.get(getattr(getattr(thing, "py_func", None), "__module__", None))
            if home is not None:
                ahead.append(home)
    read = {str(file) for file in sources(Path(block.__file__))}
    assert {sys.modules[name].__file__ for name in reached} <= read
    assert len(reached) > 15


def test_kernels_take_nothing_but_types_from_shared_files_that_hold_none():
    # Those files are left out of the hash: a number of theirs would be compiled in unseen.
    taken = set()
    for file in PACKAGE.rglob("*.py"):
        text = file.read_bytes()
        if file.name == "kernels.py" or not any(mark in text for mark in MARKS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").count(".") == 1:
                taken |= {(node.module, name.name) for name in node.names}
    files = {module for module, _ in taken if (PACKAGE / f"{module[5:]}.py").exists()}
    unhashed = files - {"ulna.kernels", "ulna.sincos"}
    assert {pair for pair in taken if pair[0] in unhashed} == {("ulna.arrays", "Array")}


def test_it_changes_when_a_file_is_renamed(package):
    file = package / "dynamics" / "more.py"
    file.write_text("HALF = 0.5\n", encoding="utf-8")
    first = fingerprint(file, package)
    assert fingerprint(file.rename(file.with_name("less.py")), package) != first


def test_the_folder_carries_it():
    file = PACKAGE / LOOP
    assert folder(file).name == f"kernels-{fingerprint(file)}"


# Decorators


@inner
def _twice(x):
    return 2.0 * x


@inlined
def _more(x):
    return _twice(x) + 1.0


def test_kernels_call_inner_functions():
    called = numba.njit(**OPTIONS)(lambda x: _more(x) + _twice(x))
    assert called(3.0) == 13.0


def test_a_kernel_is_kept_in_its_folder_and_nowhere_else():
    before = numba.config.CACHE_DIR
    made = kernel(_plain_half)
    assert before == numba.config.CACHE_DIR
    assert Path(made.stats.cache_path).is_relative_to(folder(Path(__file__)))


def _plain_half(x):
    return 0.5 * x


def test_what_is_no_number_is_not_assumed_away():
    is_number = numba.njit(**OPTIONS)(lambda x: x == x)
    assert not is_number(np.nan)
    divided = numba.njit(**OPTIONS)(lambda x: 1.0 / x)
    assert divided(0.0) == np.inf


# Sizes


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 200])
def test_a_size_comes_back_as_it_went_in(n):
    assert count(size_of(n)) == n
    assert numba.njit(**OPTIONS)(lambda size: count(size))(size_of(n)) == n


def test_few_links_are_a_type_of_their_own():
    kinds = [numba.typeof(size_of(n)) for n in (1, 2, 3, 4, 5)]
    assert len(set(kinds[:4])) == 4
    assert kinds[3] == kinds[4]


# Functions by their address


def test_a_law_is_called_by_its_address():
    at = LAW.at

    @numba.njit(**OPTIONS)
    def call(address, t, q, qd, reference, params, state, tau):
        at(address)(t, q, qd, reference, params, state, tau)

    q, qd, tau = np.array([[0.5]]), np.array([[2.0]]), np.zeros((1, 1))
    reference, params = np.zeros((3, 1, 1)), np.array([[10.0], [3.0]])
    call(LAW.address(pd_law), 0.0, q, qd, reference, params, np.zeros((0, 1)), tau)
    assert tau[0, 0] == -10.0 * 0.5 - 3.0 * 2.0


# Without a compiler


def test_plain_python_gives_the_same():
    here = {}
    exec(RUNS, here)
    place = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": place}
    plain = RUNS + "import numba\nassert numba.config.DISABLE_JIT\nprint(json.dumps(found))\n"
    done = subprocess.run(
        [sys.executable, "-c", plain], env=environment, capture_output=True, text=True, check=True
    )
    there = np.array(json.loads(done.stdout))
    assert there == pytest.approx(np.array(here["found"]), rel=1e-12, abs=1e-12)
