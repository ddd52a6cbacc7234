"""A compiled arm is the arm of the closed form, and several threads may share it."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import dynamics
from ulna.dynamics import chain
from ulna.errors import InputError
from ulna.kinematics import differential_kinematics, forward_kinematics

TOLERANCE = 1e-12  # of the largest number in an answer
SIZES = [1, 2, 3, 4, 7, 20]
FORMULAS = {
    "forward_dynamics": chain.forward_dynamics,
    "inverse_dynamics": chain.inverse_dynamics,
    "gravity_torque": chain.gravity_torque,
    "mass_matrix": chain.mass_matrix,
    "tip": forward_kinematics.tip_by_formula,
    "jacobian": differential_kinematics.jacobian_by_formula,
    "linearise": dynamics.linearise,
}
OF_STATE = ("forward_dynamics", "inverse_dynamics", "linearise")
METHODS = (*FORMULAS, "step")


def drawn(random_arm, arm_of, n, *, rotors=True):
    """Draw an arm with all that an arm may have, a payload included, and a state."""
    random = np.random.default_rng(n)
    numbers = random_arm(random, n, whole=True)
    if not rotors:
        numbers = numbers._replace(rotor_inertia=0.0 * numbers.rotor_inertia)
    arm = arm_of(numbers).with_payload(ulna.Payload(0.7, 0.01))
    return arm, random.uniform(-np.pi, np.pi, (3, n))


def called(quick, name, state):
    """Give the arrays that a method finds."""
    if name == "step":
        return quick.step(*state, 1e-3)
    found = getattr(quick, name)(*(state if name in OF_STATE else state[:1]))
    return found if isinstance(found, tuple) else (found,)


def same(one, other):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


@tabular("name", FORMULAS)
@tabular("n", SIZES)
@tabular("rotors", [True, False])
def test_it_is_the_closed_form(random_arm, arm_of, name, n, rotors):
    arm, state = drawn(random_arm, arm_of, n, rotors=rotors)
    expected = FORMULAS[name](arm, *(state if name in OF_STATE else state[:1]))
    expected = expected if isinstance(expected, tuple) else (expected,)
    for ours, theirs in zip(called(ulna.compiled(arm), name, state), expected, strict=True):
        assert ours.shape == theirs.shape
        assert ours.flags.carray
        assert np.abs(ours - theirs).max() <= TOLERANCE * np.abs(theirs).max()


@pytest.mark.parametrize("name", METHODS)
def test_an_answer_does_not_depend_on_those_before_it(random_arm, arm_of, name):
    arm, state = drawn(random_arm, arm_of, 3)
    expected = called(ulna.compiled(arm), name, state)
    quick = ulna.compiled(arm)
    for other in METHODS:
        called(quick, other, 1.5 * state)
    assert same(called(quick, name, state), expected)


@tabular("name", METHODS)
@tabular("length", [1, 3])
def test_arrays_of_another_length_are_refused(name, length):
    quick, state = ulna.compiled(ulna.preset("unit")), [np.zeros(2)] * 3
    for place in range(3 if name in (*OF_STATE, "step") else 1):
        given = [*state]
        given[place] = np.zeros(length)
        with pytest.raises(InputError, match=rf"^compiled: got .*\({length},\).*, need \(2,\)"):
            called(quick, name, given)


@tabular("name", METHODS)
@tabular("bad", [np.nan, np.inf])
def test_a_state_that_is_not_finite_has_no_answer(name, bad):
    quick, state = ulna.compiled(ulna.preset("unit")), np.zeros((3, 2))
    state[0, 1] = bad
    assert all(np.isnan(found).all() for found in called(quick, name, state))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(("n", "count"), [(2, 300), (100, 10)])
def test_two_threads_that_share_one_find_what_one_finds(random_arm, arm_of, name, n, count):
    # Kernels run side by side: with 100 links one is still at work when the other begins.
    arm, _ = drawn(random_arm, arm_of, n)
    quick = ulna.compiled(arm)
    states = np.random.default_rng(0).uniform(-3.0, 3.0, (2, count, 3, n))
    alone = [[called(quick, name, state) for state in part] for part in states]

    def hammer(part):
        return [called(quick, name, state) for state in states[part]]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            for _ in range(3):
                for found, expected in zip(pool.map(hammer, range(2)), alone, strict=True):
                    assert all(map(same, found, expected))
    finally:
        sys.setswitchinterval(interval)
