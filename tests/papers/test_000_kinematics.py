"""Paper 000 (Kehl et al.): its forward and inverse kinematics, its path, and its errata.

What computes as the paper prints comes from `printed`; the rest says where that holds and where it
does not. The path is z(t) = 0.79 e^{i(wt+π/2)} + 0.2 e^{i(14wt−π/2)}, w = 2π/60.
"""

import numpy as np
import pytest

import ulna
from papers.kehl.printed import (
    FACTORS,
    MATRIX,
    inverse_kinematics_both,
    joint_trajectory,
    transform,
    wrap_delta,
)
from ulna.kinematics import TrackFlag, inverse, joints, tip, track, transforms

W = 2.0 * np.pi / 60.0
POINT = np.array([1.71, 0.30])


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


class TestForward:
    """§2.3.2: unit links at 40° and −60°."""

    q = np.radians([40.0, -60.0])

    def test_the_pose_is_the_sum_of_cosines_and_sines(self, unit):
        x, y, angle = tip(unit, self.q)
        assert x == pytest.approx(np.cos(np.radians(40.0)) + np.cos(np.radians(-20.0)), abs=1e-15)
        assert (round(x, 6), round(y, 6)) == (1.705737, 0.300767)
        assert np.degrees(angle) == pytest.approx(-20.0, abs=1e-13)

    def test_the_printed_matrix_is_ours_to_its_four_figures(self, unit):
        assert np.abs(transforms(unit, self.q).product - MATRIX).max() <= 0.5e-4

    def test_its_three_matrices_multiply_to_our_product(self, unit):
        # The paper turns and then displaces by the link before; ours displace by their own link.
        factors = transform(40.0, 0.0), transform(-60.0, 1.0), transform(0.0, 1.0)
        product = factors[0] @ factors[1] @ factors[2]
        assert np.abs(transforms(unit, self.q).product - product).max() <= 1e-15
        assert np.abs(np.array(factors) - FACTORS).max() <= 0.5e-4


class TestInverse:
    """§2.4.1: both postures for (1.71, 0.30) with unit links."""

    def test_both_solutions_are_the_printed_ones(self, unit):
        found = inverse(unit, POINT)
        expected = np.array([[-19.8156, 59.5325], [39.7169, -59.5325]])
        assert np.abs(np.degrees(found.q) - expected).max() <= 0.5e-4
        assert np.abs(tip(unit, found.q)[:, :2] - POINT).max() <= 1e-15

    def test_the_printed_cosine_and_the_two_signs(self, unit):
        q = inverse(unit, POINT).q
        assert np.cos(q[:, 1]) == pytest.approx([0.50705, 0.50705], abs=1e-15)
        assert q[0, 1] == -q[1, 1]

    def test_its_formula_for_equal_links_is_right(self, unit):
        # θ1 = atan2(y, x) − θ2/2
        q = inverse(unit, POINT).q
        expected = np.arctan2(0.30, 1.71) - 0.5 * q[:, 1]
        assert np.abs(q[:, 0] - expected).max() <= 1e-15

    def test_erratum_1_the_printed_angle_is_off_in_its_last_figures(self, unit):
        bend = inverse(unit, POINT).q[0, 1]
        assert f"{np.degrees(bend):.3f}" == "59.532"
        assert f"{bend:.8f}" == "1.03903760"
        printed_deg, printed_rad = 59.533, 1.03904686
        assert abs(np.degrees(bend) - printed_deg) > 0.5e-3
        assert abs(bend - printed_rad) > 9e-6
        # The radians printed are the rounded degrees, converted.
        assert np.radians(printed_deg) == pytest.approx(printed_rad, abs=0.5e-8)

    def test_erratum_2_the_second_first_angle_was_rounded_too_early(self, unit):
        first = inverse(unit, POINT).q[1, 0]
        assert f"{first:.8f}" == "0.69319000"
        assert f"{np.degrees(first):.2f}" == "39.72"
        printed = 0.174 + 0.51952343
        assert f"{np.degrees(printed):.2f}" == "39.74"
        off = tip(unit, [printed, -1.03904686])[:2] - POINT
        assert np.hypot(*off) > 5e-4

    def test_erratum_3_plus_arccos_is_elbow_down_for_positive_x(self, unit):
        for x, above in ((1.71, False), (-1.71, True)):
            target = np.array([x, 0.30])
            th2_up = inverse_kinematics_both(*target, 1.0, 1.0)[0]
            assert np.abs(th2_up - inverse(unit, target).q[0]).max() <= 1e-14
            elbow = joints(unit, th2_up)[1]
            height_of_line = target[1] * elbow[0] / target[0]
            assert (elbow[1] > height_of_line) == above

    def test_erratum_13_clip_accepts_what_is_out_of_reach(self, unit):
        target = np.array([2.1, 2.8])
        accepted = inverse_kinematics_both(*target, 1.0, 1.0)
        assert np.isfinite(accepted).all()
        assert np.hypot(*(tip(unit, accepted[0])[:2] - target)) == pytest.approx(1.5, abs=1e-12)
        ours = inverse(unit, target)
        assert not ours.reachable
        assert ours.shortfall == pytest.approx(1.5, abs=1e-12)
        assert ours.nearest == pytest.approx([1.2, 1.6], abs=1e-12)
        assert np.isnan(ours.q).all()


class TestPath:
    def test_radius_speed_and_bend(self, kehl):
        t = np.linspace(0.0, 60.0, 60001)
        points = path(t)
        radius = np.hypot(*points.T)
        assert (f"{radius.min():.4f}", f"{radius.max():.4f}") == ("0.5900", "0.9900")
        speed = np.abs(0.79 * W + 0.2 * 14.0 * W * np.exp(1j * (13.0 * W * t - np.pi)))
        assert (f"{speed.min():.4f}", f"{speed.max():.4f}") == ("0.2105", "0.3759")
        tracked = track(kehl, points, start="positive")
        bend = np.degrees(tracked.q[:, 1])
        assert (f"{bend.min():.2f}", f"{bend.max():.2f}") == ("16.22", "107.69")
        assert tracked.ok.all()
        assert (tracked.branch == 1).all()
        assert not tracked.has(TrackFlag.BRANCH_SWITCH).any()
        assert np.abs(tip(kehl, tracked.q)[:, :2] - points).max() <= 1e-14

    def test_the_printed_solver_finds_our_postures_turn_for_turn(self, kehl, times, printed_thetas):
        ours = track(kehl, path(times), start="positive").q
        assert np.abs(wrap_delta(ours, printed_thetas)).max() <= 1e-12

    def test_erratum_15_the_printed_first_angle_jumps_by_a_turn(self, times, printed_thetas):
        steps = np.abs(np.diff(printed_thetas[:, 0]))
        jumps = np.flatnonzero(steps > np.pi)
        assert [f"{t:.2f}" for t in times[jumps]] == ["12.64", "13.45", "15.82"]
        assert steps[jumps] == pytest.approx(2.0 * np.pi, abs=0.03)

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
