"""Calls for one state: the closed form's numbers by compiled code, and its words where it refuses.

The expectation is the closed form throughout, which shares nothing with the compiled sweeps.
"""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import ulna
import ulna.kernels  # loads compiled code; calls for one state alone do not
from tabular import tabular
from ulna import dynamics, kinematics
from ulna.dynamics import chain, equations_of_motion
from ulna.kinematics import differential_kinematics, forward_kinematics

TOLERANCE = 1e-12  # of the largest number in an answer
SIZES = [1, 2, 3, 4, 7, 20]
FORMULAS = {
    dynamics.forward_dynamics: chain.forward_dynamics,
    dynamics.inverse_dynamics: chain.inverse_dynamics,
    dynamics.mass_matrix: chain.mass_matrix,
    dynamics.gravity_torque: chain.gravity_torque,
    kinematics.tip: forward_kinematics.tip_by_formula,
    kinematics.jacobian: differential_kinematics.jacobian_by_formula,
}
OF_STATE = ("forward_dynamics", "inverse_dynamics", "linearise")
# Methods of compiled arms by their names; a step has no closed form.
METHODS = {
    **{function.__name__: formula for function, formula in FORMULAS.items()},
    "linearise": dynamics.linearise,
}


def name_of(function):
    return f"compiled {function}" if isinstance(function, str) else function.__name__


each_function = pytest.mark.parametrize("function", FORMULAS, ids=name_of)


def drawn(random_arm, arm_of, n, *, rotors=True):
    """Draw an arm with all that an arm may have, a payload included, and a state."""
    random = np.random.default_rng(n)
    numbers = random_arm(random, n, whole=True)
    if not rotors:
        numbers = numbers._replace(rotor_inertia=0.0 * numbers.rotor_inertia)
    arm = arm_of(numbers).with_payload(ulna.Payload(0.7, 0.01))
    return arm, random.uniform(-np.pi, np.pi, (3, n))


def given(function, state):
    if function == "step":
        return [*state, 1e-3]
    return list(state[: 3 if name_of(function).endswith(OF_STATE) else 1])


def bound(function, arm):
    """Give the function of one state that an arm has: of a package, or as a compiled arm."""
    if isinstance(function, str):
        return getattr(ulna.compiled(arm), function)
    return partial(function, arm)


def parts(found):
    return found if isinstance(found, tuple) else (found,)


def close(ours, expected):
    return np.abs(ours - expected).max() <= TOLERANCE * np.abs(expected).max()


def same(one, other):
    return (one.dtype, one.tobytes()) == (other.dtype, other.tobytes())


@pytest.fixture
def two(random_arm, arm_of):
    return drawn(random_arm, arm_of, 2)


@pytest.fixture
def without_formulas(monkeypatch):
    """Let no answer come from the closed form; `FORMULAS` still has it."""

    def fail(*arguments, **options):
        raise AssertionError("the closed form was asked")

    monkeypatch.setattr(equations_of_motion, "prepared", fail)
    for name in ("forward_dynamics", "inverse_dynamics", "mass_matrix", "gravity_torque"):
        monkeypatch.setattr(chain, name, fail)
    monkeypatch.setattr(forward_kinematics, "tip_by_formula", fail)
    monkeypatch.setattr(differential_kinematics, "jacobian_by_formula", fail)


# What comes out


@each_function
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rotors", [True, False])
def test_it_is_the_closed_form(random_arm, arm_of, without_formulas, function, n, rotors):
    arm, state = drawn(random_arm, arm_of, n, rotors=rotors)
    check_closed_form(function, FORMULAS[function], arm, state)
    if function is dynamics.mass_matrix:
        found = function(arm, state[0])
        assert same(found, np.ascontiguousarray(found.T))


@tabular("method", METHODS)
@tabular("n", SIZES)
@tabular("rotors", [True, False])
def test_a_compiled_arm_is_the_closed_form(random_arm, arm_of, method, n, rotors):
    arm, state = drawn(random_arm, arm_of, n, rotors=rotors)
    check_closed_form(method, METHODS[method], arm, state)


def check_closed_form(function, formula, arm, state):
    values = given(function, state)
    found, expected = parts(bound(function, arm)(*values)), parts(formula(arm, *values))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        assert ours.flags.carray
        assert close(ours, theirs)


@each_function
def test_an_answer_is_nobody_elses(two, without_formulas, function):
    arm, state = two
    first = function(arm, *given(function, state))
    kept = first.copy()
    second = function(arm, *given(function, state[:, ::-1].copy()))
    assert same(first, kept)
    first[:] = 0.0
    assert second.any()
    assert same(function(arm, *given(function, state)), kept)


# Which arrays go that way


@each_function
def test_read_only_rows_and_rows_with_gaps_go_the_same_way(two, without_formulas, function):
    arm, state = two
    expected = function(arm, *given(function, state))
    fixed = state.copy()
    fixed.flags.writeable = False
    assert same(function(arm, *given(function, fixed)), expected)
    apart = np.zeros((3, 4))[:, ::2]
    apart[:] = state
    assert same(function(arm, *given(function, apart)), expected)
    sent = pickle.loads(pickle.dumps(state))
    assert same(function(arm, *given(function, sent)), expected)


@each_function
@pytest.mark.parametrize(
    "convert",
    [np.ndarray.tolist, lambda row: row.astype(np.float32), lambda row: row.astype(">f8")],
    ids=["list", "single precision", "other byte order"],
)
def test_other_arrays_go_through_the_closed_form(two, function, convert):
    arm, state = two
    values = [convert(row) for row in given(function, state)]
    assert same(function(arm, *values), FORMULAS[function](arm, *values))


@each_function
def test_parameters_batches_and_forces_go_where_they_went(two, function):
    arm, state = two
    rows = given(function, np.stack([state, state], axis=1))
    assert function(arm, *rows)[1] == pytest.approx(
        FORMULAS[function](arm, *given(function, state)), rel=1e-12, abs=1e-12
    )
    values = given(function, state)
    assert same(function(arm.parameters, *values), FORMULAS[function](arm.parameters, *values))
    if name_of(function) in OF_STATE:
        expected = FORMULAS[function](arm, *values, tip_force=[3.0, 4.0])
        assert same(function(arm, *values, tip_force=[3.0, 4.0]), expected)


# What is not finite goes on as before


@each_function
def test_nan_gives_what_the_closed_form_gives(two, function):
    arm, state = two
    for place in range(len(given(function, state))):
        values = [row.copy() for row in given(function, state)]
        values[place][1] = np.nan
        found = function(arm, *values)
        assert np.isnan(found).any()
        np.testing.assert_array_equal(found, FORMULAS[function](arm, *values))


# The arm stays what it is


@each_function
def test_what_an_arm_keeps_is_no_part_of_it(two, function):
    arm, state = two
    twin = arm.replace()
    before = hash(arm), repr(arm), pickle.dumps(arm)
    expected = function(arm, *given(function, state))
    assert (hash(arm), repr(arm), pickle.dumps(arm)) == before
    assert arm == twin
    for other in (twin, copy.copy(arm), copy.deepcopy(arm), pickle.loads(pickle.dumps(arm))):
        assert same(function(other, *given(function, state)), expected)


def test_a_changed_arm_is_another(two):
    arm, state = two
    for function in FORMULAS:
        function(arm, *given(function, state))
    heavy = arm.with_payload(5.0)
    tilted = arm.replace(gravity=(1.0, 2.0), base=(5.0, 6.0))
    for other in (heavy, tilted):
        for function, formula in FORMULAS.items():
            values = given(function, state)
            assert close(function(other, *values), formula(other, *values))


# Threads


@pytest.mark.parametrize("function", [*FORMULAS, *METHODS, "step"], ids=name_of)
@pytest.mark.parametrize(("n", "count"), [(2, 500), (200, 20)])
def test_two_threads_that_share_an_arm_find_what_one_finds(random_arm, arm_of, function, n, count):
    # Kernels run side by side: with 200 links one is still at work when the other begins.
    arm, _ = drawn(random_arm, arm_of, n)
    shared = bound(function, arm)
    states = np.random.default_rng(0).uniform(-3.0, 3.0, (2, count, 3, n))

    def hammer(part):
        return [parts(shared(*given(function, state))) for state in states[part]]

    alone = [hammer(part) for part in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            for _ in range(5):
                for found, expected in zip(pool.map(hammer, range(2)), alone, strict=True):
                    for ours, theirs in zip(found, expected, strict=True):
                        assert all(map(same, ours, theirs))
    finally:
        sys.setswitchinterval(interval)
