"""Plans: their torques and terms, what they report, and the ways to ask for them."""

import csv

import numpy as np
import pytest

import ulna
from ulna import paths
from ulna.dynamics import gravity_torque, inverse_dynamics
from ulna.kinematics import condition_number, jacobian, joints, tip

PATH = paths.ellipse((0.5, 0.1), (0.15, 0.1))
ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 2.0])
FLAT = ARM.replace(gravity=(0.0, 0.0))
CHAIN = ulna.Arm.rods([0.5, 0.4, 0.3], [1.0, 1.0, 1.0])
GEARED = ulna.Arm.of(
    [ulna.Link(0.5, 1.0, tip_mass=0.2), ulna.Link(0.4, 2.0, com_offset=0.05)],
    [
        ulna.Joint(damping=0.3, rotor_inertia=1e-4, gear_ratio=50.0),
        ulna.Joint(damping=0.2, rotor_inertia=2e-4, gear_ratio=-30.0),
    ],
    payload=0.3,
    gravity=(1.0, -9.0),
)
STICKY = ulna.Friction(0.5, 0.8, 0.05)
DRY = ARM.replace(
    joints=[ulna.Joint(friction=STICKY), ulna.Joint(friction=ulna.Friction(0.5, 0.8, 0.05, 0.2))]
)
FORCE = (3.0, -2.0, 0.5)


def limited(**limits):
    return ulna.Arm.rods([0.5, 0.5], [1.0, 2.0], joints=[ulna.Joint(), ulna.Joint(**limits)])


def plan(arm=ARM, path=PATH, **options):
    return ulna.plan(arm, path, **{"duration": 2.0} | options)


def kinds(made):
    return [problem.kind for problem in made.problems]


class TestTerms:
    @pytest.mark.parametrize(
        ("arm", "force"), [(ARM, None), (GEARED, None), (GEARED, FORCE), (CHAIN, FORCE)]
    )
    def test_their_sum_is_the_torque_and_the_inverse_dynamics(self, arm, force):
        made = plan(arm, rate=100.0, tip_force=force)
        assert np.abs(sum(made.terms) - made.tau).max() <= 1e-13
        expected = inverse_dynamics(arm, made.q, made.qd, made.qdd, tip_force=force)
        assert np.abs(made.tau - expected).max() <= 1e-11

    def test_gravity_is_what_holds_the_arm_still(self):
        made = plan(GEARED)
        assert np.abs(made.terms.gravity - gravity_torque(GEARED, made.q)).max() <= 1e-13
        assert not plan(FLAT).terms.gravity.any()

    def test_damping_is_its_coefficient_times_rate(self):
        made = plan(GEARED)
        assert np.abs(made.terms.damping - [0.3, 0.2] * made.qd).max() <= 1e-15
        assert not plan(ARM).terms.damping.any()

    @pytest.mark.parametrize("force", [None, FORCE])
    def test_friction_is_that_of_the_rates(self, force):
        made = plan(DRY, rate=100.0, tip_force=force)
        size = 0.5 + 0.3 * np.exp(-((made.qd / 0.05) ** 2)) + [0.0, 0.2] * made.qd**2
        assert np.abs(made.terms.friction - np.sign(made.qd) * size).max() <= 1e-15
        assert np.abs(sum(made.terms) - made.tau).max() <= 1e-13
        expected = inverse_dynamics(DRY, made.q, made.qd, made.qdd, tip_force=force)
        assert np.abs(made.tau - expected).max() <= 1e-11
        assert np.abs(made.torque_at(made.t) - made.tau).max() <= 1e-11
        assert not plan(GEARED).terms.friction.any()
        assert not plan(GEARED).term_peaks["friction"].any()

    @pytest.mark.parametrize("timing", ["trapezoid", "cubic"])
    def test_a_joint_that_comes_to_rest_slides_until_then(self, timing):
        """Braked into its end: friction acts against the motion, not against the acceleration."""
        made = plan(DRY, paths.joints([[0.1, 0.4], [0.9, -0.6]]), timing=timing)
        assert (made.qd[[0, -1]] == 0.0).all()
        assert made.terms.friction[[0, -1]].tolist() == [[0.8, -0.8], [0.8, -0.8]]
        assert made.torque_at(made.duration) == pytest.approx(made.tau[-1], abs=1e-12)
        (many,) = ulna.plan([DRY], made.path, duration=2.0, timing=timing)
        assert many.tau == pytest.approx(made.tau, abs=1e-12)

    def test_a_joint_that_rests_but_for_rounding_feels_no_friction(self):
        made = plan(DRY, paths.circle((0.0, 0.0), 0.7))
        assert not made.qd[:, 1].any()
        assert not made.terms.friction[:, 1].any()
        assert (made.terms.friction[:, 0] == made.terms.friction[0, 0]).all()

    def test_the_words_and_the_table_have_friction_where_there_is_any(self):
        assert "W, friction 0.8 N·m" in repr(plan(DRY))
        assert "friction [N·m]" in plan(DRY)._repr_html_()
        assert "friction_1" in plan(DRY).to_dataframe().columns
        assert "friction" not in repr(plan(GEARED)) + plan(GEARED)._repr_html_()
        assert "friction_1" not in plan(GEARED).to_dataframe().columns

    def test_a_limit_that_friction_passes_is_told(self):
        """Without friction the torque keeps its limit; with it a reversal passes that at once."""
        free, real = plan(ARM).peaks.torque[0], plan(DRY).peaks.torque[0]
        joints = [ulna.Joint(max_torque=0.5 * (free + real), friction=STICKY)] * 2
        made = plan(ARM.replace(joints=joints))
        found = [one for one in made.problems if one.joint == 1]
        assert {one.kind for one in found} == {"torque limit"}
        assert max(one.when.worst for one in found) == pytest.approx(real, rel=1e-3)
        assert plan(ARM.replace(joints=[ulna.Joint(max_torque=0.5 * (free + real))] * 2)).ok

    def test_rotors_take_what_their_energy_does(self):
        """½ J₁ (N₁ q̇₁)² + ½ J₂ (q̇₁ + N₂ q̇₂)²: constant masses, so their torque is M_r q̈."""
        made = plan(GEARED)
        rotors = np.array([[1e-4 * 50.0**2 + 2e-4, 2e-4 * -30.0], [2e-4 * -30.0, 2e-4 * 30.0**2]])
        assert np.abs(made.terms.rotor - made.qdd @ rotors).max() <= 1e-13
        assert not plan(ARM).terms.rotor.any()

    def test_a_force_on_the_tip_is_carried_through_the_jacobian(self):
        made = plan(GEARED, tip_force=FORCE)
        expected = -np.einsum("kij,i->kj", jacobian(GEARED, made.q), FORCE)
        assert np.abs(made.terms.tip_force - expected).max() <= 1e-13

    def test_inertia_and_coriolis_scale_with_time(self):
        """Twice as slow, a quarter of both; gravity stays."""
        fast, slow = plan(GEARED, duration=2.0), plan(GEARED, duration=4.0)
        for name in ("inertia", "coriolis", "rotor"):
            one, other = getattr(fast.terms, name), getattr(slow.terms, name)
            assert np.abs(one - 4.0 * other).max() <= 1e-11
        assert np.abs(fast.terms.gravity - slow.terms.gravity).max() <= 1e-11

    def test_coriolis_is_what_is_left_without_weight_and_acceleration(self):
        made = plan(FLAT)
        expected = inverse_dynamics(FLAT, made.q, made.qd, 0.0 * made.qdd)
        assert np.abs(made.terms.coriolis - expected).max() <= 1e-12

    def test_a_force_may_change_with_time(self):
        made = plan(tip_force=lambda t: (np.sin(t), t))
        force = np.stack([np.sin(made.t), made.t], axis=-1)
        expected = inverse_dynamics(ARM, made.q, made.qd, made.qdd, tip_force=force)
        assert np.abs(made.tau - expected).max() <= 1e-12
        assert np.abs(made.torque_at(made.t) - made.tau).max() <= 1e-13

    def test_a_force_without_a_moment_has_none(self):
        made = plan(tip_force=lambda t: (1.0, 2.0) if t < 1.0 else (1.0, 2.0, 0.0))
        assert np.abs(made.tau - plan(tip_force=(1.0, 2.0)).tau).max() <= 1e-13


class TestTorqueAtAnyTime:
    @pytest.mark.parametrize("arm", [ARM, GEARED], ids=["plain", "geared"])
    def test_is_that_of_the_trajectory(self, arm):
        made = plan(arm, tip_force=FORCE)
        t = np.linspace(0.0, 2.0, 60).reshape(3, 20)
        motion = made.trajectory(t)
        expected = inverse_dynamics(arm, *motion, tip_force=np.array(FORCE))
        assert np.abs(made.torque_at(t) - expected).max() <= 1e-11
        assert made.torque_at(1.0).shape == (arm.n,)

    def test_before_and_after_it_holds_the_arm(self):
        made = plan(GEARED)
        held = gravity_torque(GEARED, made.trajectory([0.0, 2.0]).q)
        assert np.abs(made.torque_at([-1.0, 3.0]) - held).max() <= 1e-12


class TestMargins:
    def test_reach_margin_is_the_distance_to_the_nearer_rim(self):
        arm = ulna.Arm.rods([0.6, 0.3], [1.0, 1.0], base=(0.1, 0.0))
        made = plan(arm, paths.line((0.5, 0.0), (1.2, 0.0)))
        x = np.linspace(0.4, 1.1, 2000)
        assert made.reach_margin == pytest.approx(np.minimum(0.9 - x, x - 0.3), abs=1e-14)

    def test_singularity_margin_is_the_inverse_of_the_condition_number(self):
        made = plan()
        assert made.singularity_margin * condition_number(ARM, made.q) == pytest.approx(1.0)
        assert ((made.singularity_margin > 0.0) & (made.singularity_margin <= 1.0)).all()

    def test_power_is_torque_times_rate(self):
        made = plan(GEARED)
        assert (made.power == made.tau * made.qd).all()

    def test_the_tip_is_where_it_is_asked_to_be(self):
        made = plan(GEARED)
        assert np.abs(made.tip[:, :2] - made.trajectory.tip(made.t).position).max() <= 1e-14


class TestProblems:
    def test_a_plan_within_all_limits_has_no_problems(self):
        made = plan()
        assert made.problems == ()
        assert made.ok
        assert made.feasible
        made.raise_if_infeasible()
        assert "in reach and within its limits; collisions are not checked" in repr(made)

    def test_out_of_reach_when_where_and_by_how_much(self):
        made = plan(path=paths.line((0.5, 0.0), (2.0, 0.0)), duration=3.0)
        (problem,) = (problem for problem in made.problems if problem.kind != "singular")
        assert problem.kind == "out of reach"
        assert problem.blocks
        assert (problem.when.first, problem.when.last) == pytest.approx((1.0, 3.0), abs=2e-3)
        assert problem.when.worst == pytest.approx(1.0)
        assert problem.when.worst_at == 3.0
        assert "by up to 1 m at t = 3 s, at (2, 0) m" in str(problem)
        assert not made.ok
        assert not made.feasible
        with pytest.raises(ulna.InfeasibleError, match="cannot be followed: out of reach"):
            made.raise_if_infeasible()

    @pytest.mark.parametrize("n", [2, 3])
    def test_every_sample_that_is_lost_is_within_a_problem(self, n):
        arm = ulna.Arm.rods([1.0 / n] * n, [1.0] * n)
        made = ulna.plan(arm, paths.circle((0.5, 0.0), 0.6), duration=3.0, rate=500.0)
        lost = made.t[np.isnan(made.q).any(axis=-1)]
        told = np.zeros(len(lost), dtype=bool)
        slack = 3.0 / 400  # postures of redundant arms are searched for at 401 times
        for problem in made.problems:
            if problem.blocks:
                first, last = problem.when.first - slack, problem.when.last + slack
                told |= (lost >= first) & (lost <= last)
        assert len(lost)
        assert told.all()

    def test_joint_limits_are_told_with_times_and_excess(self):
        q = plan().q[:, 1]
        made = plan(limited(lower=-3.0, upper=float(q.max()) - 0.1), elbow="positive")
        (problem,) = made.problems
        assert problem.kind == "joint limit"
        assert problem.blocks
        # A little more than at the samples, of which none is at the very top.
        assert 0.1 <= problem.when.worst <= 0.1 + 1e-6
        assert problem.when.worst_at == pytest.approx(made.t[q.argmax()], abs=1e-3)
        over = made.t[q > q.max() - 0.1]
        assert (problem.when.first, problem.when.last) == pytest.approx(
            (over[0], over[-1]), abs=2e-3
        )

    def test_joint_limits_of_a_path_of_joints(self):
        path = paths.joints([[0.0, 0.0], [0.0, 2.0]])
        made = plan(limited(lower=-1.0, upper=1.5), path)
        (problem,) = made.problems
        assert (problem.kind, problem.joint, problem.blocks) == ("joint limit", 2, True)
        assert problem.when.worst == pytest.approx(0.5)
        assert problem.when.first == pytest.approx(1.5, abs=2e-3)

    def test_velocity_limits_are_told_and_do_not_block(self):
        free = plan()
        size = np.abs(free.qd[:, 1])
        made = plan(limited(max_velocity=0.8 * float(size.max())))
        assert set(kinds(made)) == {"velocity limit"}
        assert all(problem.exceeds and problem.joint == 2 for problem in made.problems)
        worst = max(problem.when.worst for problem in made.problems)
        assert size.max() <= worst <= size.max() * (1.0 + 1e-6)
        assert made.feasible
        assert not made.ok
        made.raise_if_infeasible()
        assert f"{0.8 * size.max():.4g} rad/s allowed" in made.problems[0].text

    def test_torque_limits_are_told_for_every_sample_beyond_them(self):
        size = np.abs(plan().tau[:, 1])
        made = plan(limited(max_torque=0.8 * float(size.max())))
        assert set(kinds(made)) == {"torque limit"}
        over = size > 0.8 * size.max()
        told = np.zeros_like(over)
        for problem in made.problems:
            told |= (made.t >= problem.when.first) & (made.t <= problem.when.last)
        assert (told == over).all()

    def test_limits_just_met_are_kept(self):
        peaks = plan().peaks
        speed, torque = float(peaks.speed[1]), float(peaks.torque[1])
        assert plan(limited(max_velocity=speed, max_torque=torque)).ok
        assert kinds(plan(limited(max_velocity=speed * (1.0 - 1e-5)))) == ["velocity limit"]
        assert kinds(plan(limited(max_torque=torque * (1.0 - 1e-5)))) == ["torque limit"]

    def test_limits_of_the_tip(self):
        speed = np.linalg.norm(plan().trajectory.tip(plan().t).velocity, axis=-1)
        made = plan(max_speed=0.9 * float(speed.max()))
        assert set(kinds(made)) == {"tip speed limit"}
        assert made.problems[0].when.worst == pytest.approx(speed.max())
        made = plan(max_acceleration=0.1)
        assert set(kinds(made)) == {"tip acceleration limit"}
        assert not made.ok

    def test_a_singular_posture_is_told_and_allowed(self):
        made = plan(path=paths.line((0.4, 0.1), (1.0, 0.0)), timing="quintic")
        (problem,) = made.problems
        assert problem.kind == "singular"
        assert "condition number" in problem.text
        assert made.ok

    def test_below_the_floor_by_how_much_between_samples_too(self):
        made = plan(floor=0.05, elbow="up")
        lowest = joints(ARM, made.q)[:, 1:, 1].min(axis=-1)
        assert kinds(made) == ["below floor"]
        # The tip at the lowest point of its ellipse, which no sample is at.
        assert made.problems[0].when.worst == pytest.approx(0.05, abs=1e-9)
        assert made.problems[0].when.worst >= 0.05 - lowest.min()

    def test_below_the_floor_on_a_path_of_joints(self):
        made = plan(path=paths.joints([[-1.0, 0.1], [-1.5, 0.2]]), floor=0.0)
        assert kinds(made) == ["below floor"]

    @pytest.mark.parametrize("timing", ["uniform", "constant-speed"])
    def test_a_corner_at_speed_is_told_with_its_time_and_the_jump_of_velocity(self, timing):
        path = paths.polyline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.1)], blend=0.0)
        made = plan(path=path, timing=timing)
        (problem,) = made.problems
        assert problem.kind == "corner"
        assert problem.when.first == pytest.approx(0.8, abs=1e-6)
        # From (0, −v) to (v, 0), at 0.25 m/s.
        assert problem.when.worst == pytest.approx(0.25 * np.sqrt(2.0), rel=1e-6)

    @pytest.mark.parametrize("timing", ["cubic", "quintic", "trapezoid", "s-curve"])
    def test_corners_at_whatever_time(self, timing):
        random = np.random.default_rng(0)
        for _ in range(6):
            path = paths.polyline(random.uniform(0.15, 0.6, (4, 2)), blend=0.0)
            assert kinds(plan(path=path, timing=timing, rate=20.0)).count("corner") == 2

    def test_no_arm_goes_through_a_corner_at_speed(self):
        assert not plan(path=paths.polyline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.1)], blend=0.0)).ok

    @pytest.mark.parametrize("derivatives", ["exact", "finite"])
    @pytest.mark.parametrize("n", [1, 2, 3, 4])
    def test_a_closed_path_says_exactly_when_it_ends_in_another_posture(self, n, derivatives):
        arm = ulna.Arm.rods([0.5, 0.4, 0.3, 0.2][:n], [1.0] * n)
        around = paths.circle((0.0, 0.0), 0.5)
        through = ulna.kinematics.tip(arm, [[0.4] * n, [0.9] * n])[:, :2]
        inside = [paths.line(*through), paths.circle((0.35, 0.1), 0.2), around.reversed()]
        there_and_back = paths.joints([[0.3] * n, [0.9] * n, [0.3] * n])
        for path in (around, there_and_back, *(inside if n > 1 else ())):
            made = plan(arm, path, derivatives=derivatives)
            start, end = made.trajectory(np.array([0.0, made.duration])).q
            found = [one for one in made.problems if one.kind == "another posture"]
            change = np.angle(np.exp(1j * (end - start)))  # whole turns change no posture
            moved = np.abs(change) > 1e-7
            assert len(found) == (path.closed and moved.any())
            for one in found:
                assert not one.blocks
                assert not one.exceeds
                assert one.when.worst == pytest.approx(np.abs(change).max())
                for joint, part in enumerate(np.degrees(change), 1):
                    told = f"joint {joint} by {part:+.3g} deg"
                    assert (told in str(one)) == moved[joint - 1]

    def test_a_redundant_arm_ends_in_another_posture_and_can_do_it_all_the_same(self):
        made = plan(CHAIN, paths.circle((0.4, 0.2), 0.15))
        assert kinds(made) == ["another posture"]
        assert made.ok
        assert "the arm can do it" in repr(made)
        assert "ends in another posture" in repr(made)

    def test_a_corner_at_rest_is_none(self):
        leg = [paths.line((0.3, 0.3), (0.3, 0.1)), paths.line((0.3, 0.1), (0.6, 0.1))]
        path = leg[0].then(leg[1])
        law = ulna.motion.times([0.0, 1.0, 1.001, 2.0], [0.0, 0.4, 0.4, 1.0])
        made = plan(path=path, timing=law)
        assert "corner" not in kinds(made)


class TestPosture:
    @pytest.mark.parametrize(("x", "sign"), [(0.5, -1), (-0.5, 1)])
    def test_elbow_up_is_above_the_line_from_base_to_tip(self, x, sign):
        path = paths.circle((x, 0.1), 0.1)
        for elbow, way in (("up", 1.0), ("down", -1.0)):
            made = plan(path=path, elbow=elbow)
            base, knee, end = joints(ARM, made.q[0])
            along = end - base
            height = knee[1] - knee[0] * along[1] / along[0]
            assert way * height > 0.0
            assert (made.branch == way * sign).all()

    @pytest.mark.parametrize(("elbow", "sign"), [("positive", 1), ("negative", -1)])
    def test_or_the_sign_of_the_elbow(self, elbow, sign):
        made = plan(elbow=elbow)
        assert (np.sign(np.sin(made.q[:, 1])) == sign).all()
        assert (made.branch == sign).all()

    def test_it_begins_close_to_a_start(self):
        for other in (plan(elbow="positive"), plan(elbow="negative")):
            turned = other.q[0] + [2.0 * np.pi, 0.0]
            made = plan(start=turned + np.array([0.1, -0.1]))
            assert made.q[0] == pytest.approx(turned, abs=1e-12)

    def test_redundant_arms_begin_at_the_start(self):
        start = [0.5, -1.0, 0.5]
        path = paths.circle((-0.05, 0.0), 0.05).placed(tuple(tip(CHAIN, start)[:2]))
        made = plan(CHAIN, path, start=start)
        assert made.q[0] == pytest.approx(start, abs=1e-9)

    @pytest.mark.slow
    def test_redundant_arms_stay_close_to_a_posture(self):
        near, far = [0.5, -1.0, 0.5], [-0.5, 1.0, -0.5]
        there, back = (plan(CHAIN, posture=posture).q for posture in (near, far))
        assert (
            np.linalg.norm(there - near, axis=-1).max() < np.linalg.norm(back - near, axis=-1).min()
        )

    def test_a_single_link_has_no_branch(self):
        made = plan(ulna.Arm.rods([1.0], [1.0]), paths.arc(radius=1.0, end=1.0))
        assert not made.branch.any()
        assert made.ok


class TestSamples:
    def test_two_thousand_of_them_or_a_rate(self):
        assert len(plan().t) == 2000
        made = plan(rate=50.0)
        assert made.t == pytest.approx(np.arange(101) / 50.0)
        assert made.t[-1] == 2.0

    @pytest.mark.parametrize("rate", [2.5, 3.7, 49.99, 1000.0])
    def test_they_reach_the_end_whatever_the_rate(self, rate):
        t = plan(duration=1.0, rate=rate).t
        assert t[0] == 0.0
        assert t[-1] == 1.0
        assert (np.diff(t) > 0.0).all()
        assert np.diff(t)[:-1] == pytest.approx(1.0 / rate)

    @pytest.mark.parametrize("rate", [0.01, 0.5, 1.0])
    def test_a_rate_of_less_than_two_samples(self, rate):
        t = plan(duration=1.0, rate=rate).t
        assert t[0] == 0.0
        assert t[-1] == 1.0
        assert (np.diff(t) > 0.0).all()

    def test_too_many_are_refused_with_the_figure(self):
        with pytest.raises(ulna.InputError, match="2,000,000,000 samples, need at most 20,000,000"):
            plan(rate=1e9)

    def test_they_cannot_be_written_to(self):
        made = plan()
        for values in (made.t, made.q, made.qd, made.qdd, made.tau, *made.terms):
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 0.0


class TestFiniteDifferences:
    """Paper 000's pipeline: wrapped differences, the rate before a sample, no ends."""

    @pytest.mark.parametrize("arm", [ARM, GEARED, CHAIN], ids=["plain", "geared", "chain"])
    def test_of_the_sampled_angles(self, arm):
        exact, made = plan(arm), plan(arm, derivatives="finite")
        dt = exact.t[1]
        rate = np.diff(exact.q, axis=0) / dt
        assert (made.t == exact.t[1:-1]).all()
        assert np.abs(made.q - exact.q[1:-1]).max() <= 1e-12
        assert np.abs(made.qd - rate[:-1]).max() <= 1e-9
        assert np.abs(made.qdd - np.diff(rate, axis=0) / dt).max() <= 1e-6
        expected = inverse_dynamics(arm, made.q, made.qd, made.qdd)
        assert np.abs(made.tau - expected).max() <= 1e-11

    def test_paths_of_joints_have_rates_by_differences(self):
        path = paths.joints([[0.0, 0.5], [1.0, 2.0]])
        made = plan(path=path, derivatives="finite")
        assert made.qd == pytest.approx(np.broadcast_to([0.5, 0.75], made.qd.shape), abs=1e-9)

    def test_with_a_rate_that_does_not_divide_the_duration(self):
        path = paths.joints([[0.0, 0.5], [1.0, 2.0]])
        made = plan(path=path, derivatives="finite", rate=1.3)
        assert made.qd == pytest.approx(np.broadcast_to([0.5, 0.75], made.qd.shape), abs=1e-9)
        assert np.abs(made.qdd).max() <= 1e-9

    def test_they_come_closer_with_the_rate(self):
        errors = []
        for rate in (200.0, 400.0):
            made = plan(derivatives="finite", rate=rate)
            errors.append(np.abs(made.qd - made.trajectory(made.t - 0.5 / rate).qd).max())
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


class TestWords:
    def test_a_table_reads_back_to_the_same_numbers(self, tmp_path):
        made = plan(GEARED, rate=20.0, tip_force=FORCE)
        made.save(tmp_path / "plan.csv")
        with (tmp_path / "plan.csv").open(encoding="utf-8", newline="") as stream:
            heading, *rows = csv.reader(stream)
        table = dict(zip(heading, np.array(rows, dtype=float).T, strict=True))
        assert (table["t [s]"] == made.t).all()
        for name, unit, values in (
            ("q", "rad", made.q),
            ("qd", "rad/s", made.qd),
            ("qdd", "rad/s²", made.qdd),
            ("tau", "N·m", made.tau),
            ("gravity_", "N·m", made.terms.gravity),
            ("tip_force_", "N·m", made.terms.tip_force),
        ):
            for joint in (1, 2):
                assert (table[f"{name}{joint} [{unit}]"] == values[:, joint - 1]).all()
        assert (table["x [m]"] == made.tip[:, 0]).all()
        assert (table["reach_margin [m]"] == made.reach_margin).all()

    def test_what_is_out_of_reach_is_saved_too(self, tmp_path):
        made = plan(path=paths.line((0.5, 0.0), (2.0, 0.0)), rate=20.0)
        made.save(tmp_path / "plan.csv")
        rows = (tmp_path / "plan.csv").read_text(encoding="utf-8").splitlines()
        assert len(rows) == len(made.t) + 1
        assert "nan" in rows[-1]

    def test_nothing_is_overwritten_unless_told(self, tmp_path):
        (tmp_path / "plan.csv").write_text("mine", encoding="utf-8")
        with pytest.raises(ulna.UlnaError):
            plan(rate=20.0).save(tmp_path / "plan.csv", overwrite=False)
        assert (tmp_path / "plan.csv").read_text(encoding="utf-8") == "mine"

    @pytest.mark.parametrize("name", ["plan.nc", "plan.parquet", "plan"])
    def test_what_is_no_table_of_text_is_not_written(self, name, tmp_path):
        with pytest.raises(ulna.InputError, match=r"need a name that ends in \.csv"):
            plan(rate=20.0).save(tmp_path / name)
        assert not list(tmp_path.iterdir())

    def test_a_data_frame_has_a_row_for_every_time(self):
        pytest.importorskip("pandas")
        made = plan(rate=20.0)
        frame = made.to_dataframe()
        assert (frame.index == made.t).all()
        assert (frame["tau2"] == made.tau[:, 1]).all()

    def test_it_tells_its_peaks(self):
        made = plan(GEARED)
        text, page = repr(made), made._repr_html_()
        for joint in (0, 1):
            peak = f"{np.abs(made.tau[:, joint]).max():.4g}"
            assert f"joint {joint + 1}: {peak} N·m at most" in text
            assert peak in page
        assert "ellipse(" in text
        assert "ellipse(" in page

    @pytest.mark.parametrize(
        "path", [paths.line((3.0, 0.0), (4.0, 0.0)), paths.line((0.5, 0.0), (4.0, 0.0))], ids=str
    )
    def test_what_cannot_be_done_has_words_too(self, path):
        made = plan(path=path)
        assert "out of reach from t = " in repr(made)
        assert "out of reach" in made._repr_html_()
        assert made.reach_margin.min() == pytest.approx(-3.0)
