"""Forward kinematics: where things are in postures that a person can draw."""

from functools import partial

import numpy as np
import pytest

import ulna
from ulna import kinematics

approx = partial(pytest.approx, rel=1e-13)


@pytest.fixture
def arm():
    links = [ulna.Link(2.0, 1.0, com=0.5, com_offset=0.25), ulna.Link(1.0, 1.0, com_offset=-0.5)]
    return ulna.Arm.of(links, base=(10.0, 20.0))


def test_a_right_angle_puts_everything_where_a_drawing_has_it(arm):
    q = np.radians([90.0, -90.0])
    assert kinematics.joints(arm, q) == approx(np.array([[10, 20], [10, 22], [11, 22]]))
    assert kinematics.tip(arm, q) == approx([11.0, 22.0, 0.0])
    # Left of a link that points up is −x; left of one that points right is +y.
    assert kinematics.centres(arm, q) == approx(np.array([[9.75, 20.5], [10.5, 21.5]]))


def test_the_orientation_of_the_tip_is_not_wrapped(arm):
    assert kinematics.tip(arm, [5.0, 6.0])[2] == 11.0
    assert kinematics.tip(arm, [-5.0, -6.0])[2] == -11.0
