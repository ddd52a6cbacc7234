"""Times of paths keep the bounds of a duration, and the steps between them too."""

import numpy as np
import pytest

import ulna
from ulna import paths

POINTS = [(0.3, 0.1), (0.5, 0.2), (0.6, 0.1)]


@pytest.mark.parametrize(
    ("times", "says"),
    [
        ((0.0, 1.0, 1e300), "at most 1e+09 s"),
        ((0.0, 1e-7, 1.0), "1e-07 s from row 1 to row 2, need at least 1e-06 s"),
        ((0.0, 0.5, 1e9), "0.5 s from row 1 to row 2, need at least 1 s"),
    ],
)
@pytest.mark.parametrize(
    "make",
    [
        lambda times: paths.spline(POINTS, times=times),
        lambda times: paths.joints(POINTS, times=times),
        lambda times: ulna.motion.times(times),
    ],
)
def test_times_out_of_bounds_are_refused(make, times, says):
    with pytest.raises(ulna.InputError) as caught:
        make(times)
    assert says in str(caught.value)


@pytest.mark.parametrize("times", [(0.0, 1e-6, 1.0), (0.0, 5e8, 1e9), (1e8, 1e8 + 1.0, 1e8 + 2)])
def test_times_within_them_are_not(times):
    arm = ulna.Arm.rods([0.5, 0.5], [1.0, 1.0])
    made = ulna.plan(arm, paths.joints(POINTS, times=times))
    assert np.isfinite(made.tau).all()
    assert made.duration == times[-1] - times[0]
