"""The solver for redundant arms as plain Python: `make coverage` runs this without a compiler."""

import numba
import numpy as np
import pytest

import ulna
from ulna.kinematics import TrackFlag, tip, track

pytestmark = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="kernels are compiled: run with NUMBA_DISABLE_JIT=1"
)


def arm(**options):
    return ulna.Arm.rods([0.5] * 4, [1.0] * 4, **options)


@pytest.mark.parametrize("oriented", [False, True])
@pytest.mark.parametrize("posture", [None, [0.9, -0.6, -0.6, -0.6]])
def test_paths_are_followed_side_by_side(oriented, posture):
    way = np.linspace(0.0, 1.0, 6)
    columns = [1.2 - 0.2 * way, 0.2 + 0.3 * way] + [0.3 * way] * oriented
    paths = np.stack([np.stack(columns, axis=-1) + shift for shift in (0.0, 0.05)])
    tracked = track(arm(), paths, start=[0.3, 0.3, -0.3, 0.2], posture=posture)
    assert tracked.ok.all()
    assert np.allclose(tip(arm(), tracked.q)[..., : paths.shape[-1]], paths, atol=1e-8)


def test_limits_hold_and_a_straight_arm_bends():
    limited = arm(joints=[ulna.Joint(-0.5, 0.5)] * 4)
    blocked = track(limited, np.linspace([1.9, 0.1], [0.0, 1.0], 4))
    assert (blocked.excess == 0.0).all()
    assert blocked.has(TrackFlag.JOINT_LIMIT)[-1]
    bent = track(arm(), np.linspace([2.0, 0.0], [1.6, 0.0], 4), start=np.zeros(4))
    assert bent.ok.all()
