"""Methods of a compiled arm: what they take, what they refuse, and what they do not remember."""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna.errors import InputError

OF_STATE = ("forward_dynamics", "inverse_dynamics", "linearise", "step")
METHODS = (*OF_STATE, "gravity_torque", "mass_matrix", "tip", "jacobian")


def called(quick, name, state):
    """Give the arrays that a method finds."""
    given = [*state] if name in OF_STATE else [state[0]]
    found = getattr(quick, name)(*given, *([1e-3] if name == "step" else []))
    return found if isinstance(found, tuple) else (found,)


def same(one, other):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", METHODS)
def test_an_answer_depends_neither_on_those_before_it_nor_on_the_kind_of_array(
    random_arm, arm_of, name
):
    random = np.random.default_rng(3)
    arm, state = arm_of(random_arm(random, 3, whole=True)), random.uniform(-3.0, 3.0, (3, 3))
    expected = called(ulna.compiled(arm), name, state)
    quick = ulna.compiled(arm)
    for other in METHODS:
        called(quick, other, 1.5 * state)
    for given in (state, state.tolist(), np.repeat(state, 2, axis=1)[:, ::2]):
        assert same(called(quick, name, given), expected)


@tabular("name", METHODS)
@tabular("length", [1, 3])
def test_arrays_of_another_length_are_refused(name, length):
    quick, state = ulna.compiled(ulna.preset("unit")), [np.zeros(2)] * 3
    for place in range(3 if name in OF_STATE else 1):
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
