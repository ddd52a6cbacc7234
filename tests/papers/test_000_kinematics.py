"""Paper 000 (Kehl et al.): its path and its listings; its numbers are in test_000_rows.

The path is z(t) = 0.79 e^{i(wt+π/2)} + 0.2 e^{i(14wt−π/2)}, w = 2π/60.
"""

import numpy as np
import pytest

import ulna
from papers.kehl.printed import joint_trajectory, wrap_delta
from ulna.kinematics import TrackFlag, inverse, tip, track

W = 2.0 * np.pi / 60.0


def path(t):
    z = 0.79 * np.exp(1j * (W * t + np.pi / 2)) + 0.2 * np.exp(1j * (14.0 * W * t - np.pi / 2))
    return np.stack([z.real, z.imag], axis=-1)


@pytest.fixture(scope="module")
def kehl():
    return ulna.preset("kehl")


@pytest.fixture(scope="module")
def times():
    return np.linspace(0.0, 60.0, 2000)


@pytest.fixture(scope="module")
def printed_thetas(times):
    return joint_trajectory(path(times), 0.5, 0.5)


def test_a_point_out_of_reach_has_a_nearest_one_and_no_posture(unit):
    found = inverse(unit, np.array([2.1, 2.8]))
    assert not found.reachable
    assert found.nearest == pytest.approx([1.2, 1.6], abs=1e-12)
    assert np.isnan(found.q).all()


class TestPath:
    def test_it_is_tracked_on_one_branch(self, kehl, times):
        tracked = track(kehl, path(times), start="positive")
        assert tracked.ok.all()
        assert (tracked.branch == 1).all()
        assert not tracked.has(TrackFlag.BRANCH_SWITCH).any()
        assert np.abs(tip(kehl, tracked.q)[:, :2] - path(times)).max() <= 1e-14

    def test_the_printed_solver_finds_our_postures_turn_for_turn(self, kehl, times, printed_thetas):
        ours = track(kehl, path(times), start="positive").q
        assert np.abs(wrap_delta(ours, printed_thetas)).max() <= 1e-12

    def test_ours_has_no_jump_and_comes_back_one_turn_on(self, kehl, times):
        q = track(kehl, path(times), start="positive").q
        # The path is slower than 0.376 m/s, and σ_min stays above 0.068 m where it bends least.
        assert np.abs(np.diff(q, axis=0)).max() <= 0.03
        assert q[-1] - q[0] == pytest.approx([2.0 * np.pi, 0.0], abs=1e-12)

    def test_erratum_14_velocities_are_wrapped_as_if_they_were_angles(self, kehl, times):
        # A change of 4 rad/s between two samples is read as one of −2.28 rad/s.
        assert wrap_delta(4.0, 0.0) == pytest.approx(4.0 - 2.0 * np.pi, abs=1e-15)
        # At 30 ms it does no harm; at the path's peak acceleration a step of 0.75 s would do it.
        dt = times[1] - times[0]
        q = track(kehl, path(times), start="positive").q
        velocity = np.diff(q, axis=0) / dt
        change = np.diff(velocity, axis=0)
        assert np.abs(wrap_delta(velocity[1:], velocity[:-1]) - change).max() <= 1e-12
        assert f"{np.pi / np.abs(change / dt).max():.2f}" == "0.75"


class TestErratum23:
    """Keeping to the nearest branch prevents switching, not singularities."""

    def test_joint_speed_grows_without_bound_towards_the_straight_arm(self, kehl):
        # Along a ray at constant speed: θ2 = 2 arccos(r) for links of half a metre.
        gap = np.geomspace(1e-2, 1e-8, 7)
        step = 1e-3 * gap
        near, nearer = (np.stack([1.0 - g, np.zeros(7)], axis=-1) for g in (gap + step, gap - step))
        speeds = []
        for k in range(7):
            thetas = joint_trajectory(np.stack([near[k], nearer[k]]), 0.5, 0.5)
            # The check does its work: the branch is kept.
            assert (thetas[:, 1] > 0.0).all()
            speeds.append(abs(thetas[1, 1] - thetas[0, 1]) / (2.0 * step[k]))
        # |dθ2/dr| = 2/√(1 − r²) → √(2/gap): every two decades closer, ten times faster.
        expected = 2.0 / np.sqrt(1.0 - (1.0 - gap) ** 2)
        assert speeds == pytest.approx(expected, rel=1e-4)
        assert speeds[-1] > 900.0 * speeds[0]

    def test_ours_says_that_it_is_singular(self, kehl):
        r = np.concatenate([np.linspace(0.5, 1.0, 51), np.linspace(1.0, 0.5, 51)[1:]])
        tracked = track(kehl, np.stack([r, 0.0 * r], axis=-1), start="positive")
        assert tracked.has(TrackFlag.SINGULAR)[50]
        assert not tracked.has(TrackFlag.SINGULAR)[:40].any()
        assert (np.diff(tracked.condition[:51]) > 0.0).any()
        assert not tracked.has(TrackFlag.BRANCH_SWITCH).any()
        assert not np.isnan(tracked.q).any()
