"""Manipulability, its ellipse, and singular postures: values that follow from a drawing."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import kinematics
from ulna.errors import InputError
from ulna.kinematics.differential_kinematics import elbow_side

approx = partial(pytest.approx, rel=1e-13)


def test_one_link_has_its_length_as_manipulability_and_a_flat_ellipse():
    arm = ulna.Arm.rods([0.6], [1.0], base=(1.0, 1.0))
    q = [np.pi / 2]
    assert kinematics.manipulability(arm, q) == approx(0.6)
    assert kinematics.condition_number(arm, q) == 1.0
    ellipse = kinematics.manipulability_ellipse(arm, q)
    assert ellipse.semi_axes == approx([0.6, 0.0])
    assert ellipse.center == approx([1.0, 1.6])
    # The link points up, so its tip moves along x.
    assert np.sin(ellipse.angle) == approx(0.0, abs=1e-15)


def test_the_condition_number_of_an_exactly_singular_posture_is_infinite(unit):
    assert kinematics.condition_number(unit, [0.0, 0.0]) == np.inf


def test_the_best_conditioned_posture_of_two_links():
    # l1 = √2 l2 with the elbow at 135°: the classic isotropic posture, every direction alike.
    arm = ulna.Arm.rods([np.sqrt(2.0), 1.0], [1.0, 1.0])
    q = [0.2, np.radians(135.0)]
    assert kinematics.condition_number(arm, q) == approx(1.0)
    assert kinematics.singular_values(arm, q) == approx([1.0, 1.0])


def test_the_long_axis_of_the_ellipse_is_at_right_angles_to_a_straight_arm(unit):
    ellipse = kinematics.manipulability_ellipse(unit, [np.pi / 4, 0.0])
    # Columns of J are 2 m and 1 m long and parallel: √5 along them, nothing across.
    assert ellipse.semi_axes == approx([np.sqrt(5.0), 0.0], abs=1e-15)
    assert ellipse.angle == approx(-np.pi / 4)
    assert ellipse.center == approx([np.sqrt(2.0), np.sqrt(2.0)])


def test_the_angle_of_the_ellipse_names_an_axis_and_not_a_direction(unit):
    q = np.stack([np.linspace(-7.0, 7.0, 400), np.full(400, 0.4)], axis=-1)
    angle = kinematics.manipulability_ellipse(unit, q).angle
    assert (angle > -np.pi / 2).all()
    assert (angle <= np.pi / 2).all()


class TestSingularities:
    def test_three_links_are_singular_in_line_in_four_ways(self):
        found = kinematics.singularities(ulna.Arm.rods([1.0, 0.5, 0.2], [1.0] * 3))
        assert found.radius == approx([1.7, 1.3, 0.7, 0.3])
        # Folding only the middle link needs two bends: back, and forth again.
        assert sorted(found.q.tolist()) == [
            [0.0, 0.0, 0.0],
            [0.0, 0.0, np.pi],
            [0.0, np.pi, 0.0],
            [0.0, np.pi, np.pi],
        ]

    @pytest.mark.parametrize("n", [2, 3, 4, 7])
    def test_all_listed_are_singular_and_put_the_tip_on_their_circle(self, n, random_arm):
        arm = random_arm(np.random.default_rng(n), n)
        q, radius = kinematics.singularities(arm)
        assert q.shape == (2 ** (n - 1), n)
        assert (kinematics.condition_number(arm, q) > 1e12).all()
        turned = q + np.eye(n)[0] * 1.2345
        way = kinematics.tip(arm, turned)[:, :2] - arm.base
        assert np.hypot(*way.T) == approx(radius)
        assert (np.diff(radius) <= 0.0).all()

    def test_one_link_has_none(self):
        found = kinematics.singularities(ulna.Arm.rods([1.0], [1.0]))
        assert found.q.shape == (0, 1)
        assert found.radius.shape == (0,)

    def test_an_arm_with_too_many_is_refused_with_another_way(self):
        sixteen, seventeen = (ulna.Arm.rods([0.1] * n, [1.0] * n) for n in (16, 17))
        assert kinematics.singularities(sixteen).q.shape == (2**15, 16)
        with pytest.raises(InputError, match=r"links: got 17, need at most 16.*condition_number"):
            kinematics.singularities(seventeen)

    def test_a_batch_of_arms_has_a_list_each(self, unit):
        other = ulna.Arm.rods([0.3, 0.7], [1.0, 1.0])
        found = kinematics.singularities(ulna.stack([unit, other]))
        assert found.radius == approx(np.array([[2.0, 0.0], [1.0, 0.4]]))
        assert found.q.shape == (2, 2, 2)


class TestElbowSide:
    arm = ulna.Arm.rods([1.0, 0.7], [1.0, 1.0], base=(5.0, -2.0))

    @pytest.mark.parametrize(
        ("q_deg", "side"),
        [
            ((60.0, -90.0), 1.0),  # tip to the right, elbow above the line
            ((-30.0, 90.0), -1.0),
            ((120.0, 90.0), 1.0),  # the mirror images, tip to the left
            ((210.0, -90.0), -1.0),
            ((30.0, 0.0), 0.0),
            ((30.0, 180.0), 0.0),
        ],
    )
    def test_above_below_and_neither(self, q_deg, side):
        q = np.radians(q_deg)
        assert elbow_side(self.arm, q) == side
        base, elbow, tip = kinematics.joints(self.arm, q)
        height_of_line = base[1] + (elbow[0] - base[0]) * (tip[1] - base[1]) / (tip[0] - base[0])
        assert np.sign(np.round(elbow[1] - height_of_line, 12)) == side

    def test_a_vertical_line_has_no_upper_side(self):
        arm = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
        assert elbow_side(arm, np.radians([45.0, 90.0])) == 0.0

    def test_other_arms_have_no_one_elbow(self):
        with pytest.raises(InputError, match=r"links: got 3, need 2"):
            elbow_side(ulna.Arm.rods([1.0] * 3, [1.0] * 3), [0.0] * 3)
