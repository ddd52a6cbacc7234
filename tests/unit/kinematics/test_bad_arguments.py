"""What is no arm and no number is refused in words, by every function alike."""

import numpy as np
import pytest

import ulna
from tabular import tabular
from ulna import kinematics
from ulna.errors import InputError

ARM = ulna.preset("unit")
OF_POSTURE = [
    kinematics.tip,
    kinematics.joints,
    kinematics.centres,
    kinematics.transforms,
    kinematics.jacobian,
    kinematics.manipulability,
    kinematics.manipulability_ellipse,
    kinematics.condition_number,
    kinematics.elbow_side,
]


@tabular("function", [*OF_POSTURE, kinematics.inverse], ids=lambda f: f.__name__)
@tabular("bad", ["ab", ["a", "b"], [[1, 2], [3]], [1j, 2], [None, 1], object()])
def test_what_is_no_number_is_refused(function, bad):
    with pytest.raises(InputError, match="need numbers"):
        function(ARM, bad)


@tabular("function", [*OF_POSTURE, kinematics.inverse], ids=lambda f: f.__name__)
@tabular("bad", [5, None, "kehl", [ARM]])
def test_what_is_no_arm_is_refused(function, bad):
    with pytest.raises(InputError, match="need an Arm or Parameters"):
        function(bad, [0.0, 0.0])


@pytest.mark.parametrize("good", [[1, 2], (1, True), np.array([1, 2], dtype=object)])
def test_whatever_holds_numbers_will_do(good):
    assert kinematics.tip(ARM, good).dtype == np.float64


def test_one_posture_that_is_no_number_spoils_no_other():
    q = np.array([[0.3, 0.4], [np.nan, 0.4], [0.3, 0.4]])
    for function in (kinematics.manipulability, kinematics.condition_number):
        values = function(ARM, q)
        assert np.isnan(values[1])
        assert values[0] == values[2] == function(ARM, q[0])
    assert np.isnan(kinematics.manipulability_ellipse(ARM, q).semi_axes[1]).all()


@pytest.mark.parametrize("distance", [1e9, 1e17, 1e300])
def test_the_nearest_point_of_a_far_target_is_on_the_ring(distance):
    found = kinematics.inverse(ARM, [distance, 0.0])
    assert found.nearest.tolist() == [2.0, 0.0]
    assert kinematics.tip(ARM, found.nearest_q)[:2].tolist() == [2.0, 0.0]


@pytest.mark.parametrize(
    "options",
    [
        {"tolerance": -1.0},
        {"tolerance": np.nan},
        {"tolerance": np.inf},
        {"tolerance": [1, 2]},
        {"restarts": -1},
        {"restarts": 2.5},
    ],
    ids=str,
)
def test_options_are_checked(options):
    with pytest.raises(InputError) as refused:
        kinematics.inverse(ARM, [1.0, 1.0], **options)
    assert [problem.what for problem in refused.value.problems] == list(options)


def test_a_floor_is_a_height():
    with pytest.raises(InputError, match=r"^floor: got nan"):
        kinematics.track(ARM, [[1.0, 1.0]], floor=np.nan)


def test_what_is_tracked_is_kept_apart_from_what_was_given():
    points = np.array([[1.0, 1.0], [1.1, 1.0]])
    tracked = kinematics.track(ARM, points)
    points[:] = 0.0
    assert tracked.points[0].tolist() == [1.0, 1.0]
