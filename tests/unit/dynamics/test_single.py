"""Calls for one state: the closed form's numbers by compiled code, and its words where it refuses.

The expectation is the closed form throughout, which shares nothing with the compiled sweeps.
"""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ulna
import ulna.kernels  # loads compiled code; calls for one state alone do not
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
NAMES = {
    dynamics.forward_dynamics: ("q", "qd", "tau"),
    dynamics.inverse_dynamics: ("q", "qd", "qdd"),
}
each_function = pytest.mark.parametrize("function", FORMULAS, ids=lambda f: f.__name__)


def drawn(random_arm, arm_of, n, *, rotors=True):
    """Draw an arm with all that an arm may have, a payload included, and a state."""
    random = np.random.default_rng(n)
    numbers = random_arm(random, n, whole=True)
    if not rotors:
        numbers = numbers._replace(rotor_inertia=0.0 * numbers.rotor_inertia)
    arm = arm_of(numbers).with_payload(ulna.Payload(0.7, 0.01))
    return arm, random.uniform(-np.pi, np.pi, (3, n))


def names(function):
    return NAMES.get(function, ("q",))


def given(function, state):
    return list(state[: len(names(function))])


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
    expected = FORMULAS[function](arm, *given(function, state))
    found = function(arm, *given(function, state))
    assert found.shape == expected.shape
    assert close(found, expected)
    if function is dynamics.mass_matrix:
        assert same(found, np.ascontiguousarray(found.T))


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
    if function in NAMES:
        expected = FORMULAS[function](arm, *values, tip_force=[3.0, 4.0])
        assert same(function(arm, *values, tip_force=[3.0, 4.0]), expected)


# What is not finite goes on as before


@each_function
def test_nan_gives_what_the_closed_form_gives(two, function):
    arm, state = two
    for place in range(len(names(function))):
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


@each_function
@pytest.mark.parametrize(("n", "count"), [(2, 500), (200, 20)])
def test_two_threads_that_share_an_arm_find_what_one_finds(random_arm, arm_of, function, n, count):
    # Kernels run side by side: with 200 links one is still at work when the other begins.
    arm, _ = drawn(random_arm, arm_of, n)
    states = np.random.default_rng(0).uniform(-3.0, 3.0, (2, count, 3, n))
    alone = [[function(arm, *given(function, state)) for state in part] for part in states]

    def hammer(part):
        return [function(arm, *given(function, state)) for state in states[part]]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            for _ in range(5):
                for found, expected in zip(pool.map(hammer, range(2)), alone, strict=True):
                    assert all(map(same, found, expected))
    finally:
        sys.setswitchinterval(interval)
