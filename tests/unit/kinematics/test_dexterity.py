"""Manipulability, its ellipse, and singular postures: values that follow from a drawing."""

from functools import partial

import numpy as np
import pytest

import ulna
from refusals import names_of, problems_of
from tabular import tabular
from ulna import kinematics
from ulna.kinematics.differential_kinematics import elbow_side

approx = partial(pytest.approx, rel=1e-13)


def test_the_condition_number_of_an_exactly_singular_posture_is_infinite(unit):
    assert kinematics.condition_number(unit, [0.0, 0.0]) == np.inf


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

    def test_an_arm_with_too_many_is_refused_with_another_way(self):
        sixteen, seventeen = (ulna.Arm.rods([0.1] * n, [1.0] * n) for n in (16, 17))
        assert kinematics.singularities(sixteen).q.shape == (2**15, 16)
        (problem,) = problems_of(lambda: kinematics.singularities(seventeen))
        assert (problem.what, problem.got) == ("links", "17")
        assert "condition_number" in problem.hint


@tabular(
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
def test_an_elbow_is_above_or_below_the_line_to_the_tip_or_on_it(q_deg, side):
    arm = ulna.Arm.rods([1.0, 0.7], [1.0, 1.0], base=(5.0, -2.0))
    assert elbow_side(arm, np.radians(q_deg)) == side
    unit = ulna.Arm.rods([1.0, 1.0], [1.0, 1.0])
    assert elbow_side(unit, np.radians([45.0, 90.0])) == 0.0  # a vertical line has no upper side
    assert names_of(lambda: elbow_side(ulna.Arm.rods([1.0] * 3, [1.0] * 3), [0.0] * 3)) == ["links"]
