"""Paper 002 (Garai): a 2R arm in absolute angles, and its elbow-up rule.

Its q1, q2 are both measured from the x axis; they are written phi here. What `printed`
has is computed as the paper prints it.
"""

import numpy as np
import pytest

import ulna
from papers.garai import printed
from ulna.angles import absolute_to_relative, difference
from ulna.kinematics import inverse, jacobian, tip_acceleration, tip_velocity

LENGTHS = (1.0, 0.8)
P = printed.Rods(*LENGTHS, 1.0, 1.0)


@pytest.fixture(scope="module")
def arm():
    return ulna.Arm.rods(LENGTHS, [1.0, 1.0])


@pytest.fixture(scope="module")
def states():
    """Give phi, its rates and its accelerations, (500, 2) each."""
    return np.random.default_rng(2).uniform(-3.0, 3.0, (3, 500, 2))


@pytest.fixture(scope="module")
def targets():
    """Give points of the ring, away from its edges and from x = 0, in all four quadrants."""
    random = np.random.default_rng(3)
    radius, bearing = random.uniform(0.3, 1.7, 1000), random.uniform(-np.pi, np.pi, 1000)
    points = np.stack([radius * np.cos(bearing), radius * np.sin(bearing)], axis=-1)
    return points[np.abs(points[:, 0]) > 0.01]


class TestForward:
    def test_equations_3_to_5_velocities_are_ours(self, arm, states):
        phi, rate, _ = states
        q, qd = absolute_to_relative(phi), absolute_to_relative(rate)
        ours = tip_velocity(arm, q, qd)
        assert np.abs(ours[:, :2] - printed.velocity(P, phi, rate)).max() <= 1e-14
        assert np.abs(ours[:, 2] - rate[:, 1]).max() <= 1e-14
        # (5) is our Jacobian in its coordinates: φ = T q, so J_q = J_φ T.
        turned = printed.jacobian(P, phi) @ np.tril(np.ones((2, 2)))
        assert np.abs(jacobian(arm, q)[:, :2] - turned).max() <= 1e-14

    def test_equations_6_to_8_accelerations_are_ours(self, arm, states):
        phi, rate, turning = states
        q, qd, qdd = (absolute_to_relative(part) for part in states)
        ours = tip_acceleration(arm, q, qd, qdd)[:, :2]
        assert np.abs(ours - printed.acceleration(P, phi, rate, turning)).max() <= 1e-13
        l1, l2 = LENGTHS
        cos, sin = np.cos(phi) * [l1, l2], np.sin(phi) * [l1, l2]
        inwards = np.stack([cos, sin], axis=1) @ (rate**2)[..., None]
        matrix_form = printed.jacobian(P, phi) @ turning[..., None] - inwards
        assert np.abs(ours - matrix_form[..., 0]).max() <= 1e-13


class TestElbowUpRule:
    def test_it_is_one_of_our_two_postures(self, arm, targets):
        phi, _ = printed.elbow_up(P, targets)
        ours = inverse(arm, targets).q
        away = np.abs(difference(ours, absolute_to_relative(phi)[:, None])).max(axis=-1)
        assert away.min(axis=-1).max() <= 1e-12
        # The negative one to the right of the base and the positive one to its left.
        assert (away.argmin(axis=-1) == (targets[:, 0] > 0)).all()

    def test_it_jumps_where_x_changes_sign(self, arm):
        x = np.array([1e-9, -1e-9])
        phi, _ = printed.elbow_up(P, np.stack([x, np.ones(2)], axis=-1))
        assert [f"{angle:.1f}" for angle in np.degrees(phi[:, 0])] == ["137.2", "42.8"]
        # The name flips there; a branch does not.
        ours = inverse(arm, np.stack([x, np.ones(2)], axis=-1)).q
        assert np.abs(ours[0] - ours[1]).max() <= 1e-8

    def test_note_4_the_bearing_of_negative_x_is_in_the_second_quadrant_only_above(self, targets):
        left = targets[targets[:, 0] < 0]
        bearing = np.arctan2(left[:, 1], left[:, 0])
        second_quadrant = (bearing >= np.pi / 2) & (bearing <= np.pi)
        assert (second_quadrant == (left[:, 1] >= 0)).all()
        assert not second_quadrant.all()
