"""The arm as arrays: shapes, values, and batches of arms."""

import array_api_strict as strict
import numpy as np
import pytest

from ulna import Arm, Friction, InputError, Joint, Link, Parameters, Payload, stack

ARM = Arm.of(
    [Link(1, 2, 0.3, 0.4, 0.5, 0.6), Link(7, 8, 0.9, 1.0, 1.1, 1.2), Link(1, 1)],
    [Joint(-1, 2, 3, 4, 5, 6, 7, Friction(0.1, 0.2, 0.3, 0.4)), Joint(damping=1), Joint()],
    gravity=(1, 2),
    base=(3, 4),
    payload=Payload(10, 20),
)


def test_every_number_is_where_it_belongs():
    expected = {
        "length": [1, 7, 1],
        "mass": [2, 8, 1],
        "com": [0.3, 0.9, 0.5],
        "com_offset": [0.6, 1.2, 0],
        "inertia": [0.4, 1.0, 1 / 12 + 20],
        "tip_mass": [0.5, 1.1, 10],
        "damping": [5, 1, 0],
        "coulomb": [0.1, 0, 0],
        "static": [0.2, 0, 0],
        "stribeck_velocity": [0.3, 0.01, 0.01],
        "drag": [0.4, 0, 0],
        "rotor_inertia": [6, 0, 0],
        "gear_ratio": [7, 1, 1],
        "lower": [-1, -np.inf, -np.inf],
        "upper": [2, np.inf, np.inf],
        "max_velocity": [3, np.inf, np.inf],
        "max_torque": [4, np.inf, np.inf],
        "gravity": [1, 2],
        "base": [3, 4],
    }
    assert list(ARM.parameters._fields) == list(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(ARM.parameters, name), values, err_msg=name)


def test_arrays_are_doubles_and_cannot_be_written():
    for array in ARM.parameters:
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_stacked_arms_stand_side_by_side():
    arms = [Arm.rods([k, 1.0], [1.0, k], gravity=(0, -k)) for k in (1.0, 2.0, 3.0)]
    batch = stack(arms)
    assert isinstance(batch, Parameters)
    assert batch.n == 2
    np.testing.assert_array_equal(batch.length, [[1, 1], [2, 1], [3, 1]])
    np.testing.assert_array_equal(batch.gravity, [[0, -1], [0, -2], [0, -3]])
    for index, arm in enumerate(arms):
        for whole, one in zip(batch, arm.parameters, strict=True):
            np.testing.assert_array_equal(whole[index], one)


def test_arms_parameters_and_batches_stack_alike():
    one = stack([ARM])
    assert one.length.shape == (1, 3)
    np.testing.assert_array_equal(stack([ARM.parameters, ARM]).mass, [ARM.parameters.mass] * 2)
    assert stack([one, one]).length.shape == (2, 1, 3)
    assert stack(arm for arm in [ARM, ARM]).gravity.shape == (2, 2)


def test_stacking_changes_no_arm():
    batch = stack([ARM, ARM])
    batch.mass[0, 0] = 99.0
    assert ARM.parameters.mass[0] == 2.0


def test_arms_of_different_lengths_do_not_stack_and_neither_does_nothing():
    with pytest.raises(InputError, match=r"\[1, 3\]"):
        stack([ARM, Arm.rods([1], [1]), ARM])
    with pytest.raises(InputError, match="at least one"):
        stack([])


def test_foreign_arrays_stack_in_their_own_library():
    foreign = Parameters(*(strict.asarray(np.array(leaf)) for leaf in ARM.parameters))
    batch = stack([foreign, ARM])
    assert batch.length.__array_namespace__() is strict
    assert batch.length.shape == (2, 3)
    assert batch.n == 3
