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
        ((-1e300, 0.0, 1.0), "at most 1e+09 s"),
        ((0.0, 1e-300, 2e-300), "at least 1e-06 s from a time to the next"),
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


def test_a_file_with_such_times_is_named(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("t,x,y\n0,0.3,0.1\n1e300,0.5,0.2\n", encoding="utf-8")
    with pytest.raises(ulna.InputError, match=r"points\.csv: times: got 1e\+300 s"):
        paths.csv(file)
