"""Compiled code is kept by a hash of all that it is made of, and runs without a compiler too."""

import ast
import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

from tabular import tabular
from ulna.control.computed_torque import _computed_torque
from ulna.control.pd import _pd
from ulna.kernels import Kernel, inlined, inner, kernel, variant
from ulna.kernels import cache as kernel_sources
from ulna.kernels.cache import MARKS, PACKAGE, fingerprint, fingerprint_of_functions, sources
from ulna.kernels.functions import functions_of
from ulna.kernels.numba_internals import OPTIONS
from ulna.simulation.engine.state_derivative import LAW, call_law

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


def here():
    place = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": place}


def edited(file, text="\n# another line\n"):
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


# The hash

LOOP, BLOCK = "simulation/engine/loop.py", "simulation/engine/block.py"


def prints(package):
    for kept in (fingerprint, kernel_sources._text, kernel_sources._imported):
        kept.cache_clear()
    return {name: fingerprint(package / name, package) for name in (LOOP, BLOCK, TRACK)}


TRACK = "kinematics/redundant_kernels.py"


def test_a_copy_has_the_same_fingerprints(package):
    assert prints(package) == prints(PACKAGE)


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("simulation/engine/loop.py", {LOOP, BLOCK}),  # kernels; a block uses a constant of it
        ("simulation/engine/watch.py", {BLOCK}),  # what they call
        ("kinematics/redundant_kernels.py", {TRACK}),
        ("expressions/evaluate.py", {LOOP, BLOCK}),
        ("simulation/engine/memory_layout.py", {LOOP, BLOCK}),  # constants, which are compiled in
        ("kernels/lane_lowering.py", {LOOP, BLOCK, TRACK}),
        ("sincos.py", {LOOP, BLOCK, TRACK}),
        ("kernels/numba_internals.py", {LOOP, BLOCK, TRACK}),  # how they are compiled
        ("kernels/cache.py", set()),
        ("scenario/tableaux.py", {LOOP, BLOCK}),  # numbers of another room
        ("scenario/methods.py", set()),
        ("control/laws.py", set()),
        ("errors.py", set()),
    ],
)
def test_it_changes_with_what_goes_into_a_kernel_and_with_nothing_else(package, file, changes):
    before = prints(package)
    edited(package / file)
    after = prints(package)
    assert {name for name in before if before[name] != after[name]} == changes


def law_files():
    made = _computed_torque.kernel
    functions = [made.entry, *functions_of(made)]
    return {str(Path(one.__code__.co_filename).relative_to(PACKAGE)) for one in functions}


def test_a_law_is_made_of_the_files_of_all_that_it_calls():
    law = {"control/computed_torque.py", "control/laws.py"}
    assert {*law, "dynamics/recursive.py", "sincos.py"} <= law_files()


FACTOR = 2.0


def _scaled(x):
    return FACTOR * math.pi * _twice(x)


def test_its_hash_changes_with_the_numbers_that_it_names(monkeypatch):
    functions = functions_of(Kernel(_scaled))
    assert functions == [_scaled, _twice.py_func]
    first = fingerprint_of_functions(functions)
    assert fingerprint_of_functions(functions) == first
    monkeypatch.setitem(globals(), "FACTOR", 2.5)
    assert fingerprint_of_functions(functions) != first
    monkeypatch.setitem(globals(), "FACTOR", np.arange(3.0))
    third = fingerprint_of_functions(functions)
    monkeypatch.setitem(globals(), "FACTOR", np.arange(4.0))
    assert len({first, third, fingerprint_of_functions(functions)}) == 3
    monkeypatch.setattr(math, "pi", 3.0)
    assert fingerprint_of_functions(functions) != first


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
    assert len(reached) > 10


def test_kernels_take_nothing_but_types_from_shared_files_that_hold_none():
    # Those files are left out of the hash: a number of theirs would be compiled in unseen.
    taken = set()
    for file in PACKAGE.rglob("*.py"):
        text = file.read_bytes()
        # Of control laws the numbers themselves are hashed.
        if file.parent.name == "control" or not any(mark in text for mark in MARKS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").count(".") == 1:
                taken |= {(node.module, name.name) for name in node.names}
    files = {module for module, _ in taken if (PACKAGE / f"{module[5:]}.py").exists()}
    unhashed = files - {"ulna.sincos", "ulna.lanes"}
    assert {pair for pair in taken if pair[0] in unhashed} == {("ulna.arrays", "Array")}


def test_it_changes_when_a_file_is_renamed(package):
    file = package / "dynamics" / "more.py"
    file.write_text("HALF = 0.5\n", encoding="utf-8")
    first = fingerprint(file, package)
    assert fingerprint(file.rename(file.with_name("less.py")), package) != first


# Kernels


@inner
def _twice(x):
    return 2.0 * x


@inlined
def _more(x):
    return _twice(x) + 1.0


@kernel
def _weighted(size, values, pair, factor):
    total = 0.0
    for i in range(size):
        total += values[i] * _more(factor)
    pair.whole[0] = size
    return total + pair.table[0, 0]


class Pair(NamedTuple):
    table: np.ndarray
    whole: np.ndarray


def given(n):
    return n, np.arange(1.0, 6.0), Pair(np.ones((2, 3)), np.zeros(1, dtype=np.int64)), 3.0


def test_functions_that_numba_compiles_can_call_inner_ones():
    called = numba.njit(**OPTIONS)(lambda x: _more(x) + _twice(x))
    assert called(3.0) == 13.0


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_a_kernel_takes_numbers_arrays_and_records(n):
    arguments = given(n)
    assert _weighted(*arguments) == 7.0 * sum(range(1, n + 1)) + 1.0
    assert arguments[2].whole[0] == n


def test_a_variant_serves_its_own_size_alone():
    two, many = variant(_weighted, *given(2)), variant(_weighted, *given(4))
    assert two(*given(2)) == 22.0
    assert many(*given(5)) == 106.0
    for call, n in ((two, 3), (two, 4), (many, 2)):
        with pytest.raises(TypeError):
            call(*given(n))
    # A number of joints for each small size, and one for all that are larger.
    assert variant(_weighted, *given(5)) is many
    assert variant(_weighted, *given(3)) not in (two, many)


_, VALUES, PAIR, _ = given(2)
WRONG = {
    "too few": (2, VALUES, PAIR),
    "more dimensions": (2, VALUES[:, None], PAIR, 3.0),
    "gaps": (2, np.zeros(10)[::2], PAIR, 3.0),
    "another byte order": (2, VALUES.astype(VALUES.dtype.newbyteorder()), PAIR, 3.0),
    "a subclass": (2, np.ma.masked_array(VALUES), PAIR, 3.0),
    "a shorter record": (2, VALUES, PAIR[:1], 3.0),
    "text": (2, VALUES, PAIR, "three"),
    "a size beyond all": (2**70, VALUES, PAIR, 3.0),
}


@tabular("arguments", WRONG.values(), ids=WRONG)
def test_a_variant_refuses_arguments_of_another_kind(arguments):
    call = variant(_weighted, *given(2))
    for _ in range(3):
        with pytest.raises((TypeError, OverflowError, SystemError, IndexError)):
            call(*arguments)
    assert call(*given(2)) == 22.0


def test_references_are_neither_kept_nor_lost():
    call, arguments = variant(_weighted, *given(2)), given(2)
    wrong = (2, arguments[1], arguments[2], "three")
    # Small whole numbers are everybody's: others take and drop references to them.
    own = (*arguments[1:], *arguments[2])
    before = [sys.getrefcount(one) for one in own]
    for _ in range(100):
        call(*arguments)
        with pytest.raises(TypeError):
            call(*wrong)
    assert [sys.getrefcount(one) for one in own] == before


@kernel
def _slow(steps, place):
    total = 0.0
    for i in range(steps):
        total += 1.0 / (1.0 + i)
    place[0] = total


def test_kernels_let_other_threads_work():
    # The second thread could not count if the first one kept it from running.
    place, seen = np.zeros(1), []
    _slow(1, place)
    thread = threading.Thread(target=_slow, args=(300_000_000, place))
    thread.start()
    while thread.is_alive():
        seen.append(None)
        time.sleep(1e-3)
    assert len(seen) > 5


def test_what_is_no_number_is_not_assumed_away():
    is_number = numba.njit(**OPTIONS)(lambda x: x == x)
    assert not is_number(np.nan)
    divided = numba.njit(**OPTIONS)(lambda x: 1.0 / x)
    assert divided(0.0) == np.inf


LIGHT = """
import sys
sys.modules["numba"] = None  # importing it is an error from here on
import numpy as np, ulna
arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0], joints=[ulna.Joint(lower=-1.0, upper=1.0)] * 2)
law = ulna.control.ComputedTorque()
ulna.simulate(arm, q0=[0.1, 0.2], duration=0.1, torque=["t", 0.0])
run = ulna.simulate(arm, q0=[0.1, 0.2], duration=0.1, controller=law, reference=[0.0, 0.0])
batch = ulna.simulate_batch(arm, q0=np.zeros((20, 2)), duration=0.05, controller=law)
print(run.status.ok, batch.status.ok.all())
"""


def test_what_was_compiled_before_runs_without_numba():
    full = LIGHT.replace('sys.modules["numba"] = None', "")
    for program in (full, LIGHT):
        words = [sys.executable, "-c", program]
        done = subprocess.run(words, env=here(), capture_output=True, text=True, check=False)
        assert done.stdout.split() == ["True", "True"], done.stderr


REPEATED = """
from ulna.kernels import FLOAT, Kernel, inner
from ulna.kernels.code import machine_code
from ulna.kernels.entries import typed

@inner
def series(x, first):
    found = 0.0
    for k in range(9):
        found = found * x + first / (k + 1.0)
    return found

def total(x):
    return series(x, 1.0) + series(x + 1.0, 2.0) + series(x * x, x)

bitcode = typed(Kernel(total), (FLOAT,), framed=False, on_typed=lambda name: None)
codes = [machine_code(bitcode, 1, in_lanes=lanes) for lanes in (False, True, False)]
print(codes[0] == codes[2])
"""


def test_machine_code_does_not_depend_on_what_was_compiled_before(tmp_path):
    # LLVM's options are those of the process, so that only a new one shows what the first code is.
    program = tmp_path / "repeated.py"
    program.write_text(REPEATED, encoding="utf-8")
    words = [sys.executable, str(program)]
    done = subprocess.run(words, env=here(), capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


# Functions by their address


@kernel
def _by_address(address, t, q, qd, reference, params, state, tau):
    call_law(address, t, q, qd, reference, params, state, tau)


def laws_arguments():
    q, qd, tau = np.array([[0.5]]), np.array([[2.0]]), np.zeros((1, 1))
    reference, params = np.zeros((3, 1, 1)), np.array([[10.0], [3.0]])
    return 0.0, q, qd, reference, params, np.zeros((0, 1)), tau


def test_a_law_is_called_by_its_address():
    arguments = laws_arguments()
    _by_address(LAW.address(_pd.kernel), *arguments)
    assert arguments[-1][0, 0] == -10.0 * 0.5 - 3.0 * 2.0


def test_a_law_that_numba_compiled_elsewhere_is_called_too():
    @numba.njit
    def law(t, q, qd, reference, params, state, tau):
        tau[0, 0] = params[1, 0] * q[0, 0]

    arguments = laws_arguments()
    _by_address(LAW.address(law), *arguments)
    assert arguments[-1][0, 0] == 1.5


# Without a compiler


def test_plain_python_gives_the_same():
    compiled = {}
    exec(RUNS, compiled)
    environment = {**here(), "NUMBA_DISABLE_JIT": "1"}
    plain = RUNS + "from ulna import kernels\nassert kernels.DISABLED\nprint(json.dumps(found))\n"
    done = subprocess.run(
        [sys.executable, "-c", plain], env=environment, capture_output=True, text=True, check=True
    )
    there = np.array(json.loads(done.stdout))
    assert there == pytest.approx(np.array(compiled["found"]), rel=1e-12, abs=1e-12)
