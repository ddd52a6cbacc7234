"""The Jacobian and the motion of the tip: shapes, textbook values and messages."""

from functools import partial

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import kinematics
from ulna.errors import InputError

approx = partial(pytest.approx, rel=1e-13)

Q, QD, QDD = [0.4, -0.9], [1.0, 2.0], [3.0, -4.0]
FUNCTIONS = {
    "jacobian": (lambda arm, q: kinematics.jacobian(arm, q), (3, 2)),
    "jacobian_rate": (lambda arm, q: kinematics.jacobian_rate(arm, q, q), (3, 2)),
    "tip_velocity": (lambda arm, q: kinematics.tip_velocity(arm, q, q), (3,)),
    "tip_acceleration": (lambda arm, q: kinematics.tip_acceleration(arm, q, q, q), (3,)),
}


@pytest.fixture
def arm():
    return ulna.Arm.rods([2.0, 1.0], [1.0, 1.0], base=(10.0, 20.0))


def test_the_straight_arm_moves_its_tip_sideways(arm):
    expected = np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 1.0]])
    assert kinematics.jacobian(arm, [0.0, 0.0]).tolist() == expected.tolist()


def test_the_elbow_at_a_right_angle(arm):
    # Links along +x and then +y: the tip is at (2, 1) from the base and (0, 1) from the elbow.
    expected = np.array([[-1.0, -1.0], [2.0, 0.0], [1.0, 1.0]])
    assert kinematics.jacobian(arm, [0.0, np.pi / 2]) == approx(expected, abs=1e-15)


def test_the_base_does_not_move_the_jacobian_at_all(arm):
    far = arm.replace(base=(1e9, -1e9))
    assert (kinematics.jacobian(far, Q) == kinematics.jacobian(arm, Q)).all()
    assert (kinematics.tip_velocity(far, Q, QD) == kinematics.tip_velocity(arm, Q, QD)).all()


def test_a_turning_straight_arm_has_circular_motion(arm):
    # Radius 3 m at 2 rad/s: 6 m/s tangential, 12 m/s² inwards.
    assert kinematics.tip_velocity(arm, [0, 0], [2, 0]).tolist() == [0.0, 6.0, 2.0]
    assert kinematics.tip_acceleration(arm, [0, 0], [2, 0], [0, 0]).tolist() == [-12.0, 0.0, 0.0]
    assert kinematics.tip_acceleration(arm, [0, 0], [0, 0], [0, 5]).tolist() == [0.0, 5.0, 5.0]
    rate = [[-6.0, -2.0], [0.0, 0.0], [0.0, 0.0]]
    assert kinematics.jacobian_rate(arm, [0, 0], [2, 0]).tolist() == rate


def test_one_link_moves_across_itself():
    arm = ulna.Arm.rods([0.5], [1.0])
    assert kinematics.jacobian(arm, [np.pi / 2]) == approx(
        np.array([[-0.5], [0.0], [1.0]]), abs=1e-16
    )
    assert kinematics.tip_acceleration(arm, [0.0], [2.0], [3.0]).tolist() == [-2.0, 1.5, 3.0]


@tabular("name", FUNCTIONS)
@tabular("batch", [(), (1,), (5,), (4, 3), (0,)])
def test_leading_axes_of_the_angles_lead_the_result(arm, name, batch):
    function, shape = FUNCTIONS[name]
    assert function(arm, np.zeros((*batch, 2))).shape == batch + shape


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_of_arms_broadcasts_against_a_batch_of_angles(arm, name):
    function, shape = FUNCTIONS[name]
    other = ulna.Arm.rods([0.3, 0.7], [1.0, 1.0])
    q = np.random.default_rng(2).uniform(-3.0, 3.0, (5, 1, 2))
    together = function(ulna.stack([arm, other]), q)
    assert together.shape == (5, 2, *shape)
    for place, member in enumerate([arm, other]):
        assert together[:, place] == approx(function(member, q[:, 0]))
    assert function(ulna.stack([arm, other]), Q).shape == (2, *shape)


def test_many_rates_serve_one_posture(arm):
    rates = np.random.default_rng(3).normal(size=(7, 2))
    assert kinematics.tip_velocity(arm, Q, rates).shape == (7, 3)
    assert kinematics.jacobian_rate(arm, Q, rates).shape == (7, 3, 2)
    assert kinematics.tip_acceleration(arm, Q, QD, rates).shape == (7, 3)
    assert kinematics.tip_acceleration(arm, Q, rates, QDD).shape == (7, 3)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda arm: kinematics.jacobian(arm, [1.0]), "q"),
        (lambda arm: kinematics.jacobian_rate(arm, [0.0], [1.0, 1.0]), "q"),
        (lambda arm: kinematics.jacobian_rate(arm, Q, [1.0]), "qd"),
        (lambda arm: kinematics.tip_velocity(arm, Q, [1.0]), "qd"),
        (lambda arm: kinematics.tip_acceleration(arm, Q, [1.0], QDD), "qd"),
        (lambda arm: kinematics.tip_acceleration(arm, Q, QD, [1.0]), "qdd"),
    ],
)
def test_the_array_of_the_wrong_shape_is_named(arm, call, what):
    with pytest.raises(InputError) as refused:
        call(arm)
    (problem,) = refused.value.problems
    assert (problem.what, problem.got) == (what, "shape (1,)")
    assert "(..., 2)" in problem.need
