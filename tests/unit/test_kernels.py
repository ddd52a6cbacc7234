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

from ulna import kernels
from ulna.control.laws import LAW
from ulna.control.laws.pd import pd_law
from ulna.kernels import OPTIONS, count, fingerprint, folder, inlined, inner, kernel, size_of

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
    shutil.copytree(kernels.PACKAGE, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def edited(file, text="\n# another line\n"):
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


# The hash


def test_a_copy_has_the_same_fingerprint(package):
    assert fingerprint(package) == fingerprint(kernels.PACKAGE)


@pytest.mark.parametrize(
    "file",
    [
        "simulation/engine/loop.py",  # kernels
        "simulation/engine/watch.py",  # what they call
        "sincos.py",
        "kinematics/solver_room.py",
        "lanes/operations.py",
        "expressions/evaluate.py",
        "control/laws/pd.py",
        "simulation/engine/places.py",  # constants that are compiled into them
        "simulation/engine/tableaux.py",
        "dynamics/packed.py",
        "expressions/program.py",
        "kernels.py",  # how they are compiled
    ],
)
def test_it_changes_with_whatever_goes_into_a_kernel(package, file):
    before = fingerprint(package)
    edited(package / file)
    assert fingerprint(package) != before


def test_kernels_take_nothing_but_types_from_shared_files_that_hold_none():
    # Those files are left out of the hash: a number of theirs would be compiled in unseen.
    taken = set()
    for file in kernels.PACKAGE.rglob("*.py"):
        text = file.read_bytes()
        if file.name == "kernels.py" or not any(mark in text for mark in kernels.MARKS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").count(".") == 1:
                taken |= {(node.module, name.name) for name in node.names}
    files = {module for module, _ in taken if (kernels.PACKAGE / f"{module[5:]}.py").exists()}
    unhashed = files - {"ulna.kernels", "ulna.sincos"}
    assert {pair for pair in taken if pair[0] in unhashed} == {("ulna.arrays", "Array")}


@pytest.mark.parametrize(
    "file", ["cli/app.py", "viewer/film.py", "arm/joint.py", "control/pd.py", "errors.py"]
)
def test_it_does_not_change_with_what_goes_into_none(package, file):
    before = fingerprint(package)
    edited(package / file)
    assert fingerprint(package) == before


def test_it_changes_when_a_file_is_renamed_comes_or_goes(package):
    seen = {fingerprint(package)}
    (package / "dynamics" / "more.py").write_text("HALF = 0.5\n", encoding="utf-8")
    seen.add(fingerprint(package))
    (package / "dynamics" / "more.py").rename(package / "dynamics" / "less.py")
    seen.add(fingerprint(package))
    assert len(seen) == 3


def test_the_folder_carries_it():
    assert folder().name == f"kernels-{fingerprint(kernels.PACKAGE)}"


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
    assert Path(made.stats.cache_path).is_relative_to(folder())


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
    place = os.pathsep.join([str(kernels.PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": place}
    plain = RUNS + "import numba\nassert numba.config.DISABLE_JIT\nprint(json.dumps(found))\n"
    done = subprocess.run(
        [sys.executable, "-c", plain], env=environment, capture_output=True, text=True, check=True
    )
    there = np.array(json.loads(done.stdout))
    assert there == pytest.approx(np.array(here["found"]), rel=1e-12, abs=1e-12)
