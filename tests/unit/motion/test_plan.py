"""Plans: their torques and terms, what they report, and the ways to ask for them."""

import csv

import numpy as np
import pytest

import ulna
from refusals import names_of
from ulna import paths
from ulna.dynamics import gravity_torque, inverse_dynamics
from ulna.kinematics import condition_number, jacobian, joints, tip

PATH = paths.ellipse((0.5, 0.1), (0.15, 0.1))
ARM = ulna.Arm.rods([0.5, 0.5], [1.0, 2.0])
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
TOO_FAR = paths.line((0.5, 0.0), (2.0, 0.0))


def limited(**limits):
    return ulna.Arm.rods([0.5, 0.5], [1.0, 2.0], joints=[ulna.Joint(), ulna.Joint(**limits)])


def plan(arm=ARM, path=PATH, **options):
    return ulna.plan(arm, path, **{"duration": 2.0} | options)


def kinds(made):
    return [problem.kind for problem in made.problems]


class TestTerms:
    @pytest.mark.parametrize(
        ("arm", "force"), [(GEARED, FORCE), (CHAIN, FORCE), (DRY, None), (DRY, FORCE)]
    )
    def test_their_sum_is_the_torque_and_the_inverse_dynamics(self, arm, force):
        made = plan(arm, rate=100.0, tip_force=force)
        assert np.abs(sum(made.terms) - made.tau).max() <= 1e-13
        expected = inverse_dynamics(arm, made.q, made.qd, made.qdd, tip_force=force)
        assert np.abs(made.tau - expected).max() <= 1e-11
        assert np.abs(made.torque_at(made.t) - made.tau).max() <= 1e-11

    def test_each_is_what_it_is_called(self):
        """½ J₁ (N₁ q̇₁)² + ½ J₂ (q̇₁ + N₂ q̇₂)²: constant masses, so rotors take M_r q̈."""
        made = plan(GEARED, tip_force=FORCE)
        rotors = np.array([[1e-4 * 50.0**2 + 2e-4, 2e-4 * -30.0], [2e-4 * -30.0, 2e-4 * 30.0**2]])
        free = GEARED.replace(gravity=(0.0, 0.0), joints=[ulna.Joint()] * 2)
        pull = np.einsum("kij,i->kj", jacobian(GEARED, made.q), FORCE)
        expected = {
            "coriolis": (inverse_dynamics(free, made.q, made.qd, 0.0 * made.qdd), 1e-12),
            "gravity": (gravity_torque(GEARED, made.q), 1e-13),
            "damping": ([0.3, 0.2] * made.qd, 1e-15),
            "friction": (0.0 * made.q, 0.0),
            "rotor": (made.qdd @ rotors, 1e-13),
            "tip_force": (-pull, 1e-13),
        }
        for name, (values, tolerance) in expected.items():
            assert np.abs(getattr(made.terms, name) - values).max() <= tolerance, name

    def test_friction_is_that_of_the_rates(self):
        made = plan(DRY, rate=100.0)
        size = 0.5 + 0.3 * np.exp(-((made.qd / 0.05) ** 2)) + [0.0, 0.2] * made.qd**2
        assert np.abs(made.terms.friction - np.sign(made.qd) * size).max() <= 1e-15
        assert "friction_1" in made.to_dataframe().columns
        assert "friction_1" not in plan(GEARED).to_dataframe().columns

    def test_a_joint_that_comes_to_rest_slides_until_then(self):
        """Braked into its end: friction acts against the motion, not against the acceleration."""
        made = plan(DRY, paths.joints([[0.1, 0.4], [0.9, -0.6]]), timing="trapezoid")
        assert (made.qd[[0, -1]] == 0.0).all()
        assert made.terms.friction[[0, -1]].tolist() == [[0.8, -0.8], [0.8, -0.8]]
        assert made.torque_at(made.duration) == pytest.approx(made.tau[-1], abs=1e-12)
        (many,) = ulna.plan([DRY], made.path, duration=2.0, timing="trapezoid")
        assert many.tau == pytest.approx(made.tau, abs=1e-12)

    def test_a_joint_that_rests_but_for_rounding_feels_no_friction(self):
        made = plan(DRY, paths.circle((0.0, 0.0), 0.7))
        assert not made.qd[:, 1].any()
        assert not made.terms.friction[:, 1].any()
        assert (made.terms.friction[:, 0] == made.terms.friction[0, 0]).all()

    def test_a_force_may_change_with_time(self):
        made = plan(tip_force=lambda t: (np.sin(t), t))
        force = np.stack([np.sin(made.t), made.t], axis=-1)
        expected = inverse_dynamics(ARM, made.q, made.qd, made.qdd, tip_force=force)
        assert np.abs(made.tau - expected).max() <= 1e-12
        assert np.abs(made.torque_at(made.t) - made.tau).max() <= 1e-13

    def test_before_and_after_the_motion_the_arm_is_held(self):
        made = plan(GEARED)
        held = gravity_torque(GEARED, made.trajectory([0.0, 2.0]).q)
        assert np.abs(made.torque_at([[-1.0, 3.0]])[0] - held).max() <= 1e-12
        assert made.torque_at(1.0).shape == (2,)


def test_the_reach_margin_is_the_distance_to_the_nearer_rim():
    arm = ulna.Arm.rods([0.6, 0.3], [1.0, 1.0], base=(0.1, 0.0))
    made = plan(arm, paths.line((0.5, 0.0), (1.2, 0.0)))
    x = np.linspace(0.4, 1.1, 2000)
    assert made.reach_margin == pytest.approx(np.minimum(0.9 - x, x - 0.3), abs=1e-14)
    inside = plan()
    assert inside.singularity_margin * condition_number(ARM, inside.q) == pytest.approx(1.0)


class TestProblems:
    def test_a_plan_within_all_limits_has_no_problems(self):
        made = plan()
        assert made.problems == ()
        assert made.ok
        assert made.feasible
        made.raise_if_infeasible()
        assert "in reach and within its limits; collisions are not checked" in repr(made)

    def test_out_of_reach_when_where_and_by_how_much(self):
        made = plan(path=TOO_FAR, duration=3.0)
        (problem,) = (problem for problem in made.problems if problem.kind != "singular")
        assert problem.kind == "out of reach"
        assert problem.blocks
        assert (problem.when.first, problem.when.last) == pytest.approx((1.0, 3.0), abs=2e-3)
        assert problem.when.worst == pytest.approx(1.0)
        assert problem.when.worst_at == 3.0
        assert "by up to 1 m at t = 3 s, at (2, 0) m" in str(problem)
        assert not made.ok
        with pytest.raises(ulna.InfeasibleError, match="out of reach"):
            made.raise_if_infeasible()
        assert "out of reach" in made._repr_html_()
        assert made.reach_margin.min() == pytest.approx(-1.0)

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
        assert (problem.kind, problem.joint, problem.blocks) == ("joint limit", 2, True)
        # A little more than at the samples, of which none is at the very top.
        assert 0.1 <= problem.when.worst <= 0.1 + 1e-6
        assert problem.when.worst_at == pytest.approx(made.t[q.argmax()], abs=1e-3)
        over = made.t[q > q.max() - 0.1]
        span = problem.when.first, problem.when.last
        assert span == pytest.approx((over[0], over[-1]), abs=2e-3)

    @pytest.mark.parametrize(
        ("limit", "values", "kind", "unit"),
        [
            ("max_velocity", "qd", "velocity limit", "rad/s"),
            ("max_torque", "tau", "torque limit", "N·m"),
        ],
    )
    def test_limits_of_joints_are_told_for_every_sample_beyond_and_do_not_block(
        self, limit, values, kind, unit
    ):
        size = np.abs(getattr(plan(), values)[:, 1])
        most = 0.8 * float(size.max())
        made = plan(limited(**{limit: most}))
        assert set(kinds(made)) == {kind}
        assert all(problem.exceeds and problem.joint == 2 for problem in made.problems)
        assert f"{most:.4g} {unit} allowed" in made.problems[0].text
        worst = max(problem.when.worst for problem in made.problems)
        assert size.max() <= worst <= size.max() * (1.0 + 1e-6)
        told = np.zeros_like(size, dtype=bool)
        for problem in made.problems:
            told |= (made.t >= problem.when.first) & (made.t <= problem.when.last)
        assert (told == (size > most)).all()
        assert (made.feasible, made.ok) == (True, False)

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

    def test_a_path_of_joints_has_limits_and_a_floor_too(self):
        made = plan(limited(lower=-1.0, upper=1.5), paths.joints([[0.0, 0.0], [0.0, 2.0]]))
        (problem,) = made.problems
        assert (problem.kind, problem.joint, problem.blocks) == ("joint limit", 2, True)
        assert problem.when.worst == pytest.approx(0.5)
        assert problem.when.first == pytest.approx(1.5, abs=2e-3)
        below = plan(path=paths.joints([[-1.0, 0.1], [-1.5, 0.2]]), floor=0.0)
        assert kinds(below) == ["below floor"]

    def test_a_corner_at_speed_is_told_with_its_time_and_the_jump_of_velocity(self):
        path = paths.polyline([(0.3, 0.3), (0.3, 0.1), (0.6, 0.1)], blend=0.0)
        made = plan(path=path)
        (problem,) = made.problems
        assert (problem.kind, made.ok) == ("corner", False)
        assert problem.when.first == pytest.approx(0.8, abs=1e-6)
        # From (0, −v) to (v, 0), at 0.25 m/s.
        assert problem.when.worst == pytest.approx(0.25 * np.sqrt(2.0), rel=1e-6)

    def test_a_corner_at_rest_is_none(self):
        path = paths.line((0.3, 0.3), (0.3, 0.1)).then(paths.line((0.3, 0.1), (0.6, 0.1)))
        law = ulna.motion.times([0.0, 1.0, 1.001, 2.0], [0.0, 0.4, 0.4, 1.0])
        assert "corner" not in kinds(plan(path=path, timing=law))

    @pytest.mark.parametrize(
        ("n", "derivatives"), [(1, "exact"), (2, "exact"), (2, "finite"), (4, "exact")]
    )
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
            named = plan(path=path, elbow={1: "positive", -1: "negative"}[int(way * sign)])
            assert (named.q == made.q).all()

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
    @pytest.mark.parametrize("rate", [None, 0.01, 0.5, 1.0, 2.5, 3.7, 49.99, 1000.0])
    def test_they_reach_the_end_whatever_the_rate(self, rate):
        t = plan(duration=1.0, rate=rate).t
        assert (t[0], t[-1]) == (0.0, 1.0)
        assert (np.diff(t) > 0.0).all()
        if rate is None:
            assert len(t) == 2000
        elif rate > 2.0:
            assert np.diff(t)[:-1] == pytest.approx(1.0 / rate)

    def test_too_many_are_refused(self):
        assert names_of(lambda: plan(rate=1e9)) == ["rate"]


class TestFiniteDifferences:
    """Paper 000's pipeline: wrapped differences, the rate before a sample, no ends."""

    @pytest.mark.parametrize("arm", [GEARED, CHAIN], ids=["geared", "chain"])
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

    def test_with_a_rate_that_does_not_divide_the_duration(self):
        path = paths.joints([[0.0, 0.5], [1.0, 2.0]])
        made = plan(path=path, derivatives="finite", rate=1.3)
        assert made.qd == pytest.approx(np.broadcast_to([0.5, 0.75], made.qd.shape), abs=1e-9)
        assert np.abs(made.qdd).max() <= 1e-9


class TestTables:
    def test_one_reads_back_to_the_same_numbers(self, tmp_path):
        made = plan(GEARED, rate=20.0, tip_force=FORCE)
        made.save(tmp_path / "plan.csv")
        with (tmp_path / "plan.csv").open(encoding="utf-8", newline="") as stream:
            heading, *rows = csv.reader(stream)
        table = dict(zip(heading, np.array(rows, dtype=float).T, strict=True))
        frame = made.to_dataframe()
        assert (table["t [s]"] == made.t).all()
        assert (frame.index == made.t).all()
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
                assert (frame[f"{name}{joint}"] == values[:, joint - 1]).all()
        assert (table["x [m]"] == made.tip[:, 0]).all()
        assert (table["reach_margin [m]"] == made.reach_margin).all()
