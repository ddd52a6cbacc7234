"""Figures: drawn to scale, on the axes that were given, and the same each time."""

import numpy as np
import pytest

import ulna
from figure_checks import drawn
from ulna import viewer

ARM = ulna.preset("kehl")


def test_links_are_drawn_to_scale():
    q = np.array([0.4, -1.1])
    axes = drawn(viewer.draw_arm, ARM, q)
    first, second = axes.patches[:2]
    corners = second.get_xy()
    points = ulna.kinematics.joints(ARM, q)
    along = (points[2] - points[1]) / 0.5
    reach = corners @ along
    half_width = 0.5 * viewer.arm_drawing.THICKNESS * viewer.arm_drawing.SLENDER
    assert np.ptp(reach) == pytest.approx(0.5 + 2 * half_width, rel=1e-3)
    assert first.get_xy()[:, 0].min() == pytest.approx(
        -0.5 * viewer.arm_drawing.THICKNESS, abs=1e-3
    )


def test_frame_shows_the_reach_and_further_points():
    axes = drawn(viewer.fit_axes, ARM, also=[[3.0, 0.0]])
    assert axes.get_xlim()[0] < -1.0
    assert axes.get_xlim()[1] > 3.0
    assert axes.get_aspect() == 1.0


def test_one_link_has_an_arc_for_a_reach():
    arm = ulna.Arm.rods([1.0], [1.0], joints=[ulna.Joint(0.0, 1.0)])
    axes = drawn(viewer.draw_reach, arm)
    outline = axes.patches[-1].get_path().vertices
    assert np.hypot(*outline.T) == pytest.approx(np.ones(len(outline)))
    assert np.degrees(np.arctan2(*outline.T[::-1])).max() == pytest.approx(np.degrees(1.0))
